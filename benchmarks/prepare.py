"""Speed and memory of `gecbench data prepare` on pairs that are made here.

Sentences are clauses of real ones, recombined, so that their n-grams are as frequent as in
real text; each has one or two characters changed. One in a thousand is an evaluation sentence,
one in a thousand nearly one.

    python benchmarks/prepare.py --pairs 1000000 --text filter_sentences.txt
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from pathlib import Path

from measure import Run, load, machine, run_once

from gecbench.api import files

_CLAUSE = re.compile(r"[^，。！？；]+[，。！？；]?")
RUNS = {
    "no evaluation set": ("--set", "near=0"),
    "exact filter": ("--set", "near=0", "--filter", "evaluation.txt"),
    "exact and near filter": ("--filter", "evaluation.txt"),
    "all steps": (
        *("--filter", "evaluation.txt", "--dev", "5000", "--set", "longest=60"),
        *("--set", "too_long=split", "--set", "most_ratio=2", "--set", "most_changed=0.5"),
        *("--set", "duplicates=pair"),
    ),
}


def sentences(texts: list[str], count: int, chance: random.Random) -> list[str]:
    """Return sentences of clauses that are drawn from texts."""
    clauses = [clause for text in texts for clause in _CLAUSE.findall(text)]
    return ["".join(chance.choices(clauses, k=chance.randint(1, 4))) for _ in range(count)]


def changed(text: str, chance: random.Random) -> str:
    """Return a text with one or two characters left out or doubled."""
    for _ in range(min(len(text), chance.randint(1, 2))):
        at = chance.randrange(len(text))
        text = (text[:at] + text[at] * chance.choice((0, 2)) + text[at + 1 :]) or "。"
    return text


def make(folder: Path, pairs: int, texts: list[str]) -> None:
    """Write the pairs and the evaluation set."""
    chance = random.Random(1)
    evaluation = list(dict.fromkeys(texts))
    (folder / "evaluation.txt").write_text("\n".join(evaluation) + "\n", encoding="utf-8")
    with (folder / "pairs.tsv").open("w", encoding="utf-8") as file:
        for _ in range(0, pairs, 10_000):
            for n, target in enumerate(sentences(texts, min(10_000, pairs), chance)):
                if n % 1000 == 0:
                    target = chance.choice(evaluation)
                elif n % 1000 == 1:
                    target = changed(chance.choice(evaluation), chance)
                file.write(f"{changed(target, chance)}\t{target}\n")


def measure(folder: Path, options: tuple[str, ...]) -> tuple[Run, str]:
    """Return what a preparation cost, and how many pairs were kept."""
    words = ["data", "prepare", "--corpus", "made=pairs.tsv", "--from", "made=pairs"]
    command = [sys.executable, "-m", "gecbench", *words, *options, "-o", "out.jsonl"]
    run = run_once(command, folder=folder)
    line = next(line for line in run.output.splitlines() if line.startswith("kept"))
    return run, line.split()[1]


def main() -> None:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--text", type=Path, help="sentences, one a line; else the samples")
    arguments = parser.parse_args()
    if arguments.text:
        texts = arguments.text.read_text("utf-8").splitlines()
    else:
        texts = [sample.source for sample in files.load(files.sample("zh", "corpus.jsonl")).samples]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, arguments.pairs, texts)
        size = (folder / "pairs.tsv").stat().st_size / 2**20
        print(f"{machine()}; load {load()}")
        print(f"{arguments.pairs} pairs, {size:.0f} MiB; {len(texts)} evaluation sentences")
        for what, options in RUNS.items():
            run, count = measure(folder, options)
            print(
                f"{what}: {run.wall:.1f} s ({run.cpu:.1f} CPU), {arguments.pairs / run.wall:.0f} "
                f"pairs/s, {run.peak:.0f} MB at most, {count} kept"
            )


if __name__ == "__main__":
    main()
