"""Measures correctors that need no training: quality, false edits, speed; prints Markdown.

    python benchmarks/lexical.py hints --mucgec MuCGEC_dev.txt --jfleg FOLDER
    python benchmarks/lexical.py peers --conll14 FILE --ewt FILE --sighan FILE --mucgec FILE \
        --folder FOLDER

The second one installs aspell, Harper and pycorrector and compares with them, first suggestions
applied. With --ours it installs nothing and has only gecbench's correctors for English, with
--tagger FOLDER among them (a model that models/tagger.py trained); several of ours vote, too.

Quality is counted in edits. Chinese: changed characters, against one made error a sentence (a
common character becomes another with the same first reading, without its tone) and against the
references' own changes. English: least changes of words, against the best of the references of a
sentence (the best F0.5, then most found, then fewest wrong and missed).
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from measure import BenchmarkError, load, machine, run_once

import gecbench
from gecbench.core.corrector import Corrector
from gecbench.core.errors import GecbenchError
from gecbench.core.files import read_lines, write_text
from gecbench.core.sample import Corpus
from gecbench.core.seeding import number
from gecbench.edits.alignment import changes
from gecbench.models import load_corrector
from gecbench.text import normalisation

ALONE = (
    "from gecbench.models import load_corrector; import sys; "
    "print(load_corrector(sys.argv[1]).correct([sys.argv[2]])[0].text)"
)
Tally = tuple[int, int, int]
Cut = Callable[[str], list[str]]


def main() -> None:
    """Measure, and print."""
    # Threads that wait for one another count as CPU; and pycorrector logs what it loads.
    os.environ.update(OMP_NUM_THREADS="1", LOGURU_LEVEL="ERROR")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    hints = commands.add_parser("hints")
    hints.add_argument("--jfleg", type=Path, required=True, help="folder with dev and test")
    compared = commands.add_parser("peers")
    compared.add_argument("--conll14", type=Path, required=True, help="M2 of CoNLL-2014")
    compared.add_argument("--ewt", type=Path, required=True, help="a treebank of UD English EWT")
    compared.add_argument("--sighan", type=Path, help="SIGHAN 2015, test part; not with --ours")
    compared.add_argument("--folder", type=Path, required=True, help="for what is installed")
    compared.add_argument("--sentences", type=int, default=250, help="English ones, of each file")
    compared.add_argument("--ours", action="store_true", help="no others, and no Chinese")
    compared.add_argument("--jfleg", type=Path, help="folder with test.src, test.ref0, for GLEU")
    compared.add_argument("--tagger", type=Path, help="folder of a tagger for English")
    for command in (hints, compared):
        command.add_argument("--mucgec", type=Path, help="the development set; not with --ours")
        command.add_argument("--seed", type=int, default=6)
    args = parser.parse_args()
    try:
        print(f"{machine()}; load {load()}\n")
        if args.command == "hints":
            starting()  # first, while this process is small: its memory counts, too
            chinese(args.mucgec, args.seed)
            english(args.jfleg)
        else:
            args.folder.mkdir(parents=True, exist_ok=True)
            if not args.ours:
                install(args.folder)
            print("| system | test set | P | R | F0.5 | false edits | sentences/s | MB | licence |")
            print("|---|---|---:|---:|---:|---:|---:|---:|---|")
            english_table(args)
            if not args.ours:
                chinese_table(args)
            if args.jfleg:
                gleu_table(args)
    except (GecbenchError, BenchmarkError) as error:
        sys.exit(f"lexical.py: {error}")


def chinese(path: Path, seed: int) -> None:
    """Print what the hints for Chinese are worth."""
    rows = [line.split("\t")[1:] for line in read_lines(path)]
    cut = len(rows) * 4 // 5
    print(
        "\n| zh-homophone | made errors P / R / F0.5 | MuCGEC P / R / F0.5 | clean changed | /s |"
    )
    print("|---|---|---|---|---|")
    with TemporaryDirectory() as folder:
        text = Path(folder) / "clean.txt"
        write_text(text, "\n".join(clean for row in rows[:cut] for clean in cleans(row)))
        for name, options, part in (
            ("first four fifths", {}, rows[:cut]),
            ("last fifth", {}, rows[cut:]),
            ("last fifth, threshold 6", {"threshold": "6"}, rows[cut:]),
            ("last fifth, threshold 7", {"threshold": "7"}, rows[cut:]),
            ("last fifth, text of the others", {"text": str(text)}, rows[cut:]),
        ):
            corrector = load_corrector("zh-homophone", options)
            print(f"| {name} | {of_chinese(corrector, part, seed)} |")


def of_chinese(corrector: Corrector, rows: Sequence[Sequence[str]], seed: int) -> str:
    """Return the cells of a row of the Chinese table."""
    firsts = [cleaned[0] for row in rows if (cleaned := cleans(row))]
    errors = add_errors(firsts, seed)
    started = time.process_time()
    results = corrector.correct([wrong for wrong, _ in errors])
    speed = len(errors) / (time.process_time() - started)
    total = [
        tally(edits(list(wrong), list(result.text)), edits(list(wrong), list(right)))
        for (wrong, right), result in zip(errors, results, strict=True)
    ]
    sources = [row[0] for row in rows]
    outputs = [result.text for result in corrector.correct(sources)]
    real = against(sources, outputs, [cleans(row) for row in rows], list)
    changed = sum(bool(result.edits) for result in corrector.correct(firsts))
    return f"{shown(total)} | {shown(real)} | {changed}/{len(firsts)} | {speed:.0f}"


def cleans(row: Sequence[str]) -> list[str]:
    """Return the texts of a row of MuCGEC without errors."""
    return [row[0] if text == "没有错误" else text for text in row[1:] if text != "无法标注"]


def add_errors(sentences: Sequence[str], seed: int) -> list[tuple[str, str]]:
    """Return sentences with one made error each, and as they were."""
    from pypinyin import lazy_pinyin

    codes = [(a, b) for a in range(0xB0, 0xD8) for b in range(0xA1, 0xFF)]
    common = [bytes(code).decode("gb2312") for code in codes if code < (0xD7, 0xFA)]
    alike = defaultdict(list)
    for character in common:
        alike[lazy_pinyin(character)[0]].append(character)
    others = {c: [d for d in group if d != c] for group in alike.values() for c in group}
    draw = random.Random(number(seed, "made homophones"))
    pairs = []
    for text in sentences:
        if places := [place for place, c in enumerate(text) if others.get(c)]:
            at = draw.choice(places)
            pairs.append((text[:at] + draw.choice(others[text[at]]) + text[at + 1 :], text))
    return pairs


def english(folder: Path) -> None:
    """Print what the hints for English are worth."""
    print("\n| en-rules | P / R / F0.5 | edits on references, a set | /s |")
    print("|---|---|---|---|")
    corrector = load_corrector("en-rules")
    corrector.correct(["An unknwon word."])  # its index is made then
    for part in ("dev", "test"):
        sources = read_lines(folder / f"{part}.src")
        sets = [read_lines(folder / f"{part}.ref{k}") for k in range(4)]
        started = time.process_time()
        outputs = [result.text for result in corrector.correct(sources)]
        speed = len(sources) / (time.process_time() - started)
        total = against(sources, outputs, list(zip(*sets, strict=True)), str.split)
        needless = sum(len(result.edits) for texts in sets for result in corrector.correct(texts))
        print(f"| JFLEG {part} | {shown(total)} | {needless / 4:.1f} | {speed:.0f} |")


def english_table(args: argparse.Namespace) -> None:
    """Print the rows of the correctors for English."""
    draw = random.Random(number(args.seed, "sentences"))
    blocks = "\n".join(read_lines(args.conll14)).strip().split("\n\n")
    part = sorted(draw.sample(range(len(blocks)), min(args.sentences, len(blocks))))
    right = right_sentences(args.ewt)
    right = draw.sample(right, min(args.sentences, len(right)))
    gold = args.folder / "gold.m2"
    write_text(gold, "\n\n".join(blocks[n] for n in part) + "\n\n")
    sources = [blocks[n].splitlines()[0].removeprefix("S ") for n in part]
    corpus = gecbench.load(gold)
    known: dict[str, tuple[Peer, float, list[list[str]]]] = {}
    for peer in english_systems(args):
        outputs, speed = timed(peer.correct, sources)
        unneeded = peer.correct(right)
        known[peer.name] = peer, speed, [outputs, unneeded]
        english_row(
            peer, args.folder, corpus, outputs, count_edits(right, unneeded, str.split), speed
        )
    for names, votes in VOTES:
        if not set(names) <= known.keys():
            continue
        members = [known[name] for name in names]
        outputs, unneeded = (
            vote(texts, [lists[k] for *_, lists in members], votes, args.folder)
            for k, texts in enumerate((sources, right))
        )
        speed = 1 / sum(1 / speed for _, speed, _ in members)
        size = sum(peer.size for peer, *_ in members)
        name = f"{' + '.join(names)}, {votes} of {len(names)} votes"
        peer = Peer(name, members[0][0].correct, size, "")
        english_row(
            peer, args.folder, corpus, outputs, count_edits(right, unneeded, str.split), speed
        )


def gleu_table(args: argparse.Namespace) -> None:
    """Print GLEU of the correctors for English, on sentences of JFLEG's test part."""
    draw = random.Random(number(args.seed, "JFLEG"))
    names = sorted(args.jfleg.glob("test.ref*"))
    files = [read_lines(path) for path in (args.jfleg / "test.src", *names)]
    part = sorted(draw.sample(range(len(files[0])), min(args.sentences, len(files[0]))))
    paths = [args.folder / f"jfleg-{n}.txt" for n in range(len(files))]
    for path, lines in zip(paths, files, strict=True):
        write_text(path, "".join(f"{lines[n]}\n" for n in part))
    corpus = gecbench.load(paths[0], references=paths[1:])
    sources = [files[0][n] for n in part]
    print(f"\n| system | GLEU on {len(part)} sentences of JFLEG's test part |\n|---|---:|")
    output = args.folder / "output.txt"
    systems = [(peer.name, peer.correct) for peer in english_systems(args)]
    for name, correct in (("source", list), *systems):
        write_text(output, "".join(f"{text}\n" for text in correct(sources)))
        system = gecbench.load_system(output, corpus)
        options = gecbench.Options(metrics=("gleu",))
        score = gecbench.score(corpus, [system], options=options).results[0].score
        print(f"| {name} | {100 * score.value if score else 0:.2f} |", flush=True)


BIAS = {"keep_bias": "0", "threads": "1"}
"""Of the tagger with real pairs; models/tagger.py chose it on sentences of FCE held back."""
RULES, LM, TAGGER = "`en-rules`", "`en-lm`", "`minilm-tagger`"
VOTES = (
    ((RULES, LM), 1),
    ((RULES, TAGGER), 1),
    ((LM, TAGGER), 1),
    ((RULES, LM, TAGGER), 1),
    ((RULES, LM, TAGGER), 2),
)
"""Which correctors vote, and how many must agree on an edit."""


def english_row(
    peer: Peer,
    folder: Path,
    corpus: Corpus,
    outputs: Sequence[str],
    needless: float,
    speed: float,
) -> None:
    """Print a row of a corrector for English, scored by MaxMatch."""
    output = folder / "output.txt"
    write_text(output, "".join(f"{text}\n" for text in outputs))
    system = gecbench.load_system(output, corpus)
    options = gecbench.Options(metrics=("m2",))
    score = gecbench.score(corpus, [system], options=options).results[0].score
    counts = score.counts if score else None
    tallies = [(counts.tp, counts.fp, counts.fn)] if counts else []
    row(peer, "CoNLL-2014", tallies, needless, speed)


def vote(
    texts: Sequence[str],
    outputs: Sequence[Sequence[str]],
    votes: int,
    folder: Path,
    lang: str = "en",
) -> list[str]:
    """Keep what so many correctors make of texts."""
    path, output = folder / "sources.txt", folder / "output.txt"
    write_text(path, "".join(f"{text}\n" for text in texts))
    corpus = gecbench.load(path, format="lines")
    systems = []
    for n, lines in enumerate(outputs):
        write_text(output, "".join(f"{text}\n" for text in lines))
        systems.append(gecbench.load_system(output, corpus, name=str(n), format="lines"))
    voting = gecbench.Voting(threshold=votes)
    return list(gecbench.combine(corpus, systems, voting=voting, scheme="none", lang=lang).texts)


def chinese_table(args: argparse.Namespace) -> None:
    """Print the rows of the correctors for Chinese, in which edits are of characters."""
    simplify = normalisation("t2s").change
    sighan = [(simplify(wrong), simplify(right)) for wrong, right in typing_errors(args.sighan)]
    rows = [line.split("\t")[1:] for line in read_lines(args.mucgec)]
    sets = {
        "SIGHAN 2015": [(wrong, [right]) for wrong, right in sighan],
        "MuCGEC dev": [(row[0], cleans(row)) for row in rows],
    }
    right = [right for _, right in sighan]
    for peer in chinese_systems():
        needless = count_edits(right, peer.correct(right), list)
        for name, pairs in sets.items():
            sources = [source for source, _ in pairs]
            outputs, speed = timed(peer.correct, sources)
            tallies = against(sources, outputs, [texts for _, texts in pairs], list)
            row(peer, name, tallies, needless, speed)


class Peer(NamedTuple):
    """A corrector among others.

    Args:
        name: With its version.
        correct: From texts to corrected ones.
        size: Megabytes of its data, or of all where they are one.
        licence: Of these.
    """

    name: str
    correct: Callable[[Sequence[str]], list[str]]
    size: float
    licence: str


def row(peer: Peer, name: str, tallies: Sequence[Tally], needless: float, speed: float) -> None:
    """Print a row of the table."""
    parts = shown(tallies, percent=True).replace(" / ", " | ")
    cost = f"{needless:.1f} | {speed:.1f} | {peer.size:.0f} | {peer.licence} |"
    print(f"| {peer.name} | {name} | {parts} | {cost}", flush=True)


def timed(
    correct: Callable[[Sequence[str]], list[str]], texts: Sequence[str]
) -> tuple[list[str], float]:
    """Correct texts, and return sentences a second of CPU, of child processes, too."""
    before = sum(os.times()[:4])
    outputs = correct(texts)
    return outputs, len(texts) / (sum(os.times()[:4]) - before)


def count_edits(texts: Sequence[str], outputs: Sequence[str], cut: Cut) -> float:
    """Return how many edits 100 texts get."""
    changed = sum(len(edits(cut(a), cut(b))) for a, b in zip(texts, outputs, strict=True))
    return 100 * changed / len(texts)


def install(folder: Path) -> None:
    """Install what is compared, from Debian, npm and PyPI, as far as it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    if not shutil.which("aspell") or not Path("/usr/share/doc/libime-data-language-model").exists():
        packages = ("aspell", "aspell-en", "libime-data-language-model")
        run_once(["apt-get", "install", "-y", "-q", *packages])
    harper = folder / "harper"
    if not harper.exists():
        run_once(["npm", "install", "--no-audit", "--no-fund", f"--prefix={harper}", HARPER])
        write_text(harper / "correct.mjs", HARPER_SCRIPT)
    python = folder / "python"
    if not python.exists():
        # Without what else they ask for: transformers is here, and no network of theirs runs.
        options = ("--quiet", "--no-deps", "--target", str(python))
        run_once([sys.executable, "-m", "pip", "install", *options, *PYTHON_PACKAGES])
    sys.path.append(str(python))


HARPER = "harper.js@2.10.0"
PYTHON_PACKAGES = ("pycorrector==1.1.4", "loguru", "pyahocorasick", "six", "kenlm")
HARPER_SCRIPT = """
import { readFileSync } from "node:fs";
import { LocalLinter } from "harper.js";
import { binary } from "harper.js/binary";

// Texts are tokenised: what only removes blanks is left out.
const linter = new LocalLinter({ binary });
for (const line of readFileSync(0, "utf8").split("\\n").slice(0, -1)) {
  let text = line;
  let end = Infinity;
  const lints = await linter.lint(line, { language: "plaintext" });
  for (const lint of lints.sort((a, b) => b.span().start - a.span().start)) {
    const [first] = lint.suggestions();
    const isBlank = !lint.get_problem_text().trim();
    if (!first || isBlank || lint.lint_kind() === "Formatting" || lint.span().end > end) continue;
    text = await linter.applySuggestion(text, lint, first);
    end = lint.span().start;
  }
  console.log(text.replaceAll("\\n", " "));
}
"""


def english_systems(args: argparse.Namespace) -> Iterator[Peer]:
    """Yield the correctors for English."""
    yield Peer(RULES, ours("en-rules"), 6, "MIT (dictionaries)")
    yield Peer(LM, ours("en-lm"), 93, "Apache-2.0 (weights)")
    if args.tagger:
        size = sum(file.stat().st_size for file in args.tagger.iterdir()) / 1e6
        yield Peer(TAGGER, ours(str(args.tagger), BIAS), size, "not released")
    if args.ours:
        return
    folder = args.folder
    yield Peer("aspell 0.60.8", aspell, 3, "LGPL-2.1")
    script = folder / "harper" / "correct.mjs"
    wasm = next(script.parent.rglob("harper_wasm_bg.wasm")).stat().st_size / 1e6
    yield Peer(HARPER.replace("@", " "), lambda t: piped(["node", script], t), wasm, "Apache-2.0")
    from pycorrector import EnSpellCorrector

    spell = EnSpellCorrector()
    name = f"{PYTHON_PACKAGES[0].replace('==', ' ')}, EnSpellCorrector"
    yield Peer(name, lambda t: [spell.correct(x)["target"] for x in t], 1, "Apache-2.0")


def chinese_systems() -> Iterator[Peer]:
    """Yield the correctors for Chinese."""
    yield Peer("`zh-homophone`", ours("zh-homophone"), 5, "MIT (dictionaries)")
    yield Peer("`zh-lm`", ours("zh-lm"), 17, "LGPL-2.1+ (model)")
    from pycorrector import ProperCorrector

    proper = ProperCorrector()
    name = f"{PYTHON_PACKAGES[0].replace('==', ' ')}, ProperCorrector"
    yield Peer(name, lambda t: [proper.correct(x)["target"] for x in t], 1, "Apache-2.0")


def ours(
    name: str, options: Mapping[str, object] | None = None
) -> Callable[[Sequence[str]], list[str]]:
    """Load a corrector of gecbench, and have it make what it makes at its first use."""
    corrector = load_corrector(name, options or {})
    corrector.correct(["An unknwon word ."])
    return lambda texts: [result.text for result in corrector.correct(texts)]


def aspell(texts: Sequence[str]) -> list[str]:
    """Replace each word that aspell does not know by its first suggestion."""
    lines = iter(piped(["aspell", "-a", "--lang=en_US"], [f"^{text}" for text in texts])[1:])
    outputs = []
    for text in texts:
        output = text
        misspelt = [answer for answer in iter(lambda: next(lines), "") if answer[0] == "&"]
        for answer in reversed(misspelt):
            head, _, suggestions = answer.partition(": ")
            _, word, _, offset = head.split(" ")
            start = int(offset) - 1  # of the circumflex
            output = output[:start] + suggestions.split(", ")[0] + output[start + len(word) :]
        outputs.append(output)
    return outputs


def piped(command: Sequence[object], texts: Sequence[str]) -> list[str]:
    """Send lines to a program, and return its own."""
    lines = "".join(f"{text}\n" for text in texts)
    words = list(map(str, command))
    return subprocess.run(
        words, input=lines, capture_output=True, text=True, check=True
    ).stdout.split("\n")[:-1]


def typing_errors(path: Path) -> list[tuple[str, str]]:
    """Read the wrong and the right sentences of SIGHAN."""
    content = "\n".join(read_lines(path))
    pairs = []
    for block in content.split("<SENTENCE>")[1:]:
        wrong = block.partition("<TEXT>")[2].partition("</TEXT>")[0].strip()
        right = wrong
        pattern = r"<LOCATION>\s*(\d+).*?<WRONG>(.*?)</WRONG>.*?<CORRECTION>(.*?)</CORRECTION>"
        for place, old, new in re.findall(pattern, block, re.DOTALL):
            start = int(place) - 1
            if wrong[start : start + len(old)] == old and len(old) == len(new):
                right = right[:start] + new + right[start + len(old) :]
        pairs.append((wrong, right))
    return pairs


def right_sentences(treebank: Path) -> list[str]:
    """Read sentences of 5 to 40 words in which the treebank marks no typing error."""
    sentences = []
    for block in "\n".join(read_lines(treebank)).split("\n\n"):
        lines = block.splitlines()
        words = [line for line in lines if line.split("\t")[0].isdigit()]
        wrong = any(mark in block for mark in ("Typo=Yes", "goeswith", "CorrectForm"))
        texts = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
        if 5 <= len(words) <= 40 and texts and not wrong:
            sentences += texts
    return sentences


def against(
    sources: Sequence[str], outputs: Sequence[str], references: Sequence[Sequence[str]], cut: Cut
) -> list[Tally]:
    """Return right, needless and missed edits of each sentence, by its best reference."""
    nearest = []
    for source, output, texts in zip(sources, outputs, references, strict=True):
        ours = edits(cut(source), cut(output))
        counts = [tally(ours, edits(cut(source), cut(text))) for text in texts]
        if counts:
            nearest.append(max(counts, key=nearness))
    return nearest


def nearness(counts: Tally) -> tuple[float, int, int]:
    """Return what a reference is chosen by."""
    return (f_half(*counts) if any(counts) else 1.0), counts[0], -counts[1] - counts[2]


def edits(source: Sequence[str], target: Sequence[str]) -> set[object]:
    """Return the least changes between two texts."""
    return {(edit.start, edit.end, edit.replacement) for edit in changes(source, target)}


def tally(ours: set[object], theirs: set[object]) -> Tally:
    """Return right, needless and missed edits."""
    return len(ours & theirs), len(ours - theirs), len(theirs - ours)


def f_half(right: int, needless: int, missed: int) -> float:
    """Return F0.5; 0 where nothing was found nor to be found."""
    whole = 1.25 * right + 0.25 * missed + needless
    return 1.25 * right / whole if whole else 0.0


def shown(counts: Sequence[Tally], *, percent: bool = False) -> str:
    """Return precision, recall and F0.5 of all sentences together."""
    right, needless, missed = (sum(row[k] for row in counts) for k in range(3))
    precision = right / (right + needless) if right + needless else 0.0
    recall = right / (right + missed) if right + missed else 0.0
    values = (precision, recall, f_half(right, needless, missed))
    return " / ".join(f"{100 * value:.1f}" if percent else f"{value:.3f}" for value in values)


def starting() -> None:
    """Print what a process costs that corrects one sentence."""
    print("| whole process, one sentence | seconds of CPU | by the clock | MB |")
    print("|---|---|---|---|")
    for kind, text in each_kind():
        runs = [run_once([sys.executable, "-c", ALONE, kind, text]) for _ in range(3)]
        best = min(runs, key=lambda run: run.cpu)
        cost = f"{best.cpu:.2f} | {best.wall:.2f} | {best.peak:.0f}"
        print(f"| {kind}: {best.output.strip()} | {cost} |")


def each_kind() -> Iterator[tuple[str, str]]:
    """Yield a kind of corrector and a sentence with an error for it."""
    yield "zh-homophone", "我今天很高心。"
    yield "en-rules", "I recieved a email becuase i asked ."


if __name__ == "__main__":
    main()
