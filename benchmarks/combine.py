"""Measures how fast systems are combined: whole processes, and the voting alone.

    python benchmarks/combine.py [--sentences 2000] [--systems 6]

The systems are made: random characters of the bundled Chinese samples are replaced, deleted and
inserted, so that they agree about as often as real ones; nothing is fetched.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from measure import load, machine, run_once

import gecbench

GECBENCH = str(Path(sys.executable).with_name("gecbench"))


def sources(count: int) -> list[str]:
    """Return sentences: those of the bundled corpus, two and two together."""
    samples = gecbench.load(gecbench.sample("zh", "corpus.jsonl")).samples
    texts = [sample.source for sample in samples]
    return [texts[k % len(texts)] + texts[(7 * k + 3) % len(texts)] for k in range(count)]


def system(texts: list[str], seed: int) -> list[str]:
    """Return what a system makes of them: of four errors a sentence it finds some, and adds one."""
    chance = random.Random(seed)
    letters = sorted(set("".join(texts)))
    lines = []
    for number, text in enumerate(texts):
        shared = random.Random(number)  # the same errors for all systems
        places = shared.sample(range(len(text)), 4)
        changes = {place: shared.choice(["", shared.choice(letters)]) for place in places}
        errors = {p: new for p, new in changes.items() if chance.random() < 0.6}
        errors[chance.randrange(len(text))] = chance.choice(letters)
        lines.append("".join(errors.get(at, old) for at, old in enumerate(text)))
    return lines


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--systems", type=int, default=6)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    texts = sources(arguments.sentences)
    print(f"{machine()}; load {load()}; gecbench {gecbench.__version__}")
    print(f"{arguments.systems} systems, {arguments.sentences} sentences\n")
    print("| what | CPU s | wall s | peak MB |")
    print("|---|---:|---:|---:|")
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "source.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
        names = [f"system{k}.txt" for k in range(arguments.systems)]
        for k, file in enumerate(names):
            (folder / file).write_text("\n".join(system(texts, k)) + "\n", encoding="utf-8")
        command = [GECBENCH, "combine", "source.txt", *names, "-o", "combined.txt"]
        for scheme in ("none", "zh-char"):
            runs = [
                run_once([*command, "--scheme", scheme], folder=folder)
                for _ in range(arguments.runs)
            ]
            print(
                f"| `gecbench combine --scheme {scheme}` | {median(r.cpu for r in runs):.2f} "
                f"| {median(r.wall for r in runs):.2f} | {max(r.peak for r in runs):.0f} |"
            )
        corpus = gecbench.load(folder / "source.txt")
        outputs = [gecbench.load_system(folder / file, corpus) for file in names]
        started = time.process_time()
        combined = gecbench.combine(corpus, outputs, scheme="none")
        spent = time.process_time() - started
    tally = combined.tally
    print(f"| `gecbench.combine`, scheme none, files read | {spent:.2f} | | |")
    print(f"\n{tally.of('kept')} of {tally.counts.total()} edits kept")


if __name__ == "__main__":
    main()
