"""Measures the spelling hints: quality on real and made errors, speed, start-up; prints Markdown.

    python benchmarks/lexical.py --mucgec MuCGEC_dev.txt --jfleg FOLDER

Quality is counted in edits. Chinese: changed characters, against one made error a sentence (a
common character becomes another with the same first reading, without its tone) and against the
references' own changes. English: least changes of words, against the best of the references of a
sentence (the best F0.5, then most found, then fewest wrong and missed).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import BenchmarkError, load, machine, run_once

import gecbench
from gecbench.core.corrector import Corrector
from gecbench.core.errors import GecbenchError
from gecbench.core.files import read_lines, write_text
from gecbench.core.score import Counts
from gecbench.core.seeding import number
from gecbench.edits.apply import changes
from gecbench.models import load_corrector

ALONE = (
    "from gecbench.models import load_corrector; import sys; "
    "print(load_corrector(sys.argv[1]).correct([sys.argv[2]])[0].text)"
)
Tally = tuple[int, int, int]
Cut = Callable[[str], list[str]]


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mucgec", type=Path, required=True, help="MuCGEC's development set")
    parser.add_argument("--jfleg", type=Path, required=True, help="folder with dev and test")
    parser.add_argument("--conll14", type=Path, help="M2 of CoNLL-2014; compares with en-lm")
    parser.add_argument("--ewt", type=Path, help="a treebank of UD English EWT, with --conll14")
    parser.add_argument("--sentences", type=int, default=400, help="drawn from each of the two")
    parser.add_argument("--seed", type=int, default=6)
    args = parser.parse_args()
    try:
        print(f"{machine()}; load {load()}\n")
        starting()  # first, while this process is small: its memory counts, too
        chinese(args.mucgec, args.seed)
        english(args.jfleg)
        if args.conll14 and args.ewt:
            grammar(args.conll14, args.ewt, args.sentences, args.seed)
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
    real = against([row[0] for row in rows], [cleans(row) for row in rows], corrector, list)
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
        corrector.correct(sources)
        speed = len(sources) / (time.process_time() - started)
        total = against(sources, list(zip(*sets, strict=True)), corrector, str.split)
        needless = sum(len(result.edits) for texts in sets for result in corrector.correct(texts))
        print(f"| JFLEG {part} | {shown(total)} | {needless / 4:.1f} | {speed:.0f} |")


def grammar(conll14: Path, ewt: Path, size: int, seed: int) -> None:
    """Print what the correctors for English do to learners' sentences, and to right ones."""
    draw = random.Random(number(seed, "sentences"))
    blocks = "\n".join(read_lines(conll14)).strip().split("\n\n")
    part = sorted(draw.sample(range(len(blocks)), min(size, len(blocks))))
    right = right_sentences(ewt)
    right = draw.sample(right, min(size, len(right)))
    print("\n| system | CoNLL-2014, M2 P / R / F0.5 | changes in 20 right sentences | /s |")
    print("|---|---|---|---|")
    with TemporaryDirectory() as folder:
        gold, output = Path(folder) / "gold.m2", Path(folder) / "output.txt"
        write_text(gold, "\n\n".join(blocks[n] for n in part) + "\n\n")
        sources = [blocks[n].splitlines()[0].removeprefix("S ") for n in part]
        corpus = gecbench.load(gold)
        for name in ("en-rules", "en-lm"):
            corrector = load_corrector(name)
            started = time.process_time()
            write_text(output, "".join(f"{c.text}\n" for c in corrector.correct(sources)))
            speed = len(sources) / (time.process_time() - started)
            options = gecbench.Options(metrics=("m2",))
            system = gecbench.load_system(output, corpus)
            score = gecbench.score(corpus, [system], options=options).results[0].score
            counts = score.counts or Counts()
            parts = shown([(counts.tp, counts.fp, counts.fn)])
            needless = sum(len(c.edits) for c in corrector.correct(right))
            print(f"| {name} | {parts} | {20 * needless / len(right):.1f} | {speed:.1f} |")


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
    sources: Sequence[str], references: Sequence[Sequence[str]], corrector: Corrector, cut: Cut
) -> list[Tally]:
    """Return right, needless and missed edits of each sentence, by its best reference."""
    results = corrector.correct(sources)
    nearest = []
    for source, result, texts in zip(sources, results, references, strict=True):
        ours = edits(cut(source), cut(result.text))
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


def shown(counts: Sequence[Tally]) -> str:
    """Return precision, recall and F0.5 of all sentences together."""
    right, needless, missed = (sum(row[k] for row in counts) for k in range(3))
    precision = right / (right + needless) if right + needless else 0.0
    recall = right / (right + missed) if right + missed else 0.0
    return f"{precision:.3f} / {recall:.3f} / {f_half(right, needless, missed):.3f}"


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
