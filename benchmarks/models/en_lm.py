"""Judges the thresholds of en-lm on development data, chooses others, and prints them.

    nice python benchmarks/models/en_lm.py --fce fce.gold --ewt en_ewt-ud-train.conllu \
        --folder FOLDER

What each change of a first round gains is written to FOLDER for sentences of FCE (M2, one
reference) and for right ones of UD English EWT's training part, in which every change is false.
What is there already is not read again, so a run that was killed goes on. Then a logistic
regression estimates how likely a change of a kind and a gain is right, and the least odds are
chosen: to the best F0.5 on FCE, less a price for each change in a right sentence. Half of the
sentences choose for the other half first, which tells what is lost on sentences that were not seen.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import msgspec
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lexical import edits, f_half, right_sentences
from measure import machine

import gecbench
from gecbench.core.sample import Sample
from gecbench.models import load_corrector
from gecbench.models.lexical.english_lm import (
    THRESHOLDS,
    Change,
    EnLm,
    ScoredChange,
    choose,
    divide,
    make,
)
from gecbench.text.tokens import tokens_of

LOOSE = 2.0
"""How far below those of now a threshold can be."""
SHRUNK = 20.0
"""How strongly kinds are held together: few changes of one kind say little about it."""
ODDS = tuple(n / 10 for n in range(-30, 11))
"""Logarithms of the least odds that a change is right, to choose from."""


class Row(msgspec.Struct):
    """A sentence, and what might be changed in it.

    Args:
        edits: Of its reference.
        changes: What gains enough, with the gain over 0.
        right: Which of them are in the reference.
    """

    edits: int
    changes: list[tuple[Change, float]]
    right: list[bool]


def main() -> None:
    """Collect what is not there yet, and choose."""
    os.environ.update(OMP_NUM_THREADS="1")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fce", type=Path, required=True, help="M2 of FCE")
    parser.add_argument("--ewt", type=Path, required=True, help="UD English EWT's training part")
    parser.add_argument("--folder", type=Path, required=True, help="for what is collected")
    parser.add_argument("--sentences", type=int, default=700, help="of FCE")
    parser.add_argument("--right", type=int, default=650, help="right sentences of EWT")
    parser.add_argument("--skip", type=int, default=243, help="those that chose version 4's")
    parser.add_argument("--price", type=float, default=0.5, help="F0.5 of a change per right one")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    pairs = [(s.source, gold_edits(s)) for s in gecbench.load(args.fce).samples]
    right: list[tuple[str, set[object]]] = [(text, set()) for text in right_sentences(args.ewt)]
    draw = random.Random(args.seed)
    draw.shuffle(pairs)
    draw.shuffle(right)
    learners = collect(args.folder / "fce.jsonl", pairs[args.skip :][: args.sentences])
    natives = collect(args.folder / "ewt.jsonl", right[args.skip :][: args.right])
    print(f"{machine()}; {len(learners)} sentences of FCE, {len(natives)} right ones\n")
    print("| thresholds | P / R / F0.5 | changes in 20 right sentences |")
    print("|---|---|---:|")
    show("of now", learners, natives, THRESHOLDS)
    halves = [(learners[n::2], natives[n::2]) for n in (0, 1)]
    for n in (0, 1):
        show(f"of half {n + 1} on the other", *halves[1 - n], fit(*halves[n], args.price))
    chosen = fit(learners, natives, args.price)
    show("of all", learners, natives, chosen)
    print(f"\n{dict(sorted(chosen.items()))}\n")
    counts = Counter(
        (change.label, right)
        for row in learners
        for (change, gain), right in zip(row.changes, row.right, strict=True)
        if gain > THRESHOLDS[change.label]
    )
    for label in sorted(THRESHOLDS):
        print(f"{label}: {counts[label, True]} right, {counts[label, False]} wrong")


def gold_edits(sample: Sample) -> set[object]:
    """List the edits of the reference, each without the words that stay."""
    words = sample.source.split()
    return {
        change
        for edit in sample.references[0].edit_sets[0]
        if edit.replacement is not None
        for change in edits(words, [*words[: edit.start], *edit.replacement, *words[edit.end :]])
    }


def collect(path: Path, pairs: Sequence[tuple[str, set[object]]]) -> list[Row]:
    """Read sentences that are not in the file yet, and return the rows of all."""
    known = path.read_bytes().splitlines() if path.exists() else []
    if len(known) < len(pairs):
        corrector = cast("EnLm", load_corrector("en-lm"))
        loose = replace(corrector, thresholds={k: v - LOOSE for k, v in THRESHOLDS.items()})
        started = time.process_time()
        with path.open("ab") as file:
            for source, gold in pairs[len(known) :]:
                file.write(msgspec.json.encode(weigh(loose, source, gold)) + b"\n")
                file.flush()
        print(f"{path.name}: {time.process_time() - started:.0f} s of CPU", flush=True)
    lines = path.read_bytes().splitlines()[: len(pairs)]
    return [msgspec.json.decode(line, type=Row) for line in lines]


def weigh(corrector: EnLm, source: str, gold: set[object]) -> Row:
    """Weigh the changes of a sentence, and see which its reference has."""
    changes = [
        (change, gain + corrector.thresholds[change.label])
        for change, gain in corrector.weigh(source)
    ]
    return Row(len(gold), changes, [is_right(source, change, gold) for change, _ in changes])


def is_right(source: str, change: Change, gold: set[object]) -> bool:
    """Say whether all that a change does is in the reference."""
    words = make(divide(tokens_of(source, "en")), change, change.start)
    text = "".join(
        word.text if word.glued or not n else f" {word.text}" for n, word in enumerate(words)
    )
    ours = edits(source.split(), text.split())
    return bool(ours) and ours <= gold


def accept(row: Row, thresholds: Mapping[str, float]) -> Iterator[bool]:
    """Yield of each change that is made whether it is right."""
    right = {id(change): right for (change, _), right in zip(row.changes, row.right, strict=True)}
    scored = (ScoredChange(c, gain - thresholds[c.label]) for c, gain in row.changes)
    return (right[id(s.change)] for s in choose(s for s in scored if s.gain > 0))


def count(
    learners: Sequence[Row], natives: Sequence[Row], thresholds: Mapping[str, float]
) -> tuple[int, int, int, float]:
    """Count right, wrong and missed changes, and changes for each right sentence."""
    made = [right for row in learners for right in accept(row, thresholds)]
    false = sum(1 for row in natives for _ in accept(row, thresholds))
    right = sum(made)
    missed = sum(row.edits for row in learners) - right
    return right, len(made) - right, missed, false / len(natives)


def fit(learners: Sequence[Row], natives: Sequence[Row], price: float) -> dict[str, float]:
    """Estimate how likely a change is right, by its gain and kind, and choose the least odds."""
    labels = sorted(THRESHOLDS)
    rows = [
        (gain - THRESHOLDS[change.label], labels.index(change.label), right)
        for row in (*learners, *natives)
        for (change, gain), right in zip(row.changes, row.right, strict=True)
    ]
    gains, kinds, right = map(np.array, zip(*rows, strict=True))
    features = np.hstack([gains[:, None], np.ones((len(rows), 1)), np.eye(len(labels))[kinds]])
    penalty = np.diag([0.0, 0.0, *[SHRUNK] * len(labels)])
    weights = np.zeros(len(penalty))
    for _ in range(30):  # Newton's method
        likely = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (likely - right) + penalty @ weights
        curvature = (features.T * (likely * (1 - likely))) @ features + penalty
        weights -= np.linalg.solve(curvature, slope)

    def thresholds(odds: float) -> dict[str, float]:
        beyond = (odds - weights[1] - weights[2:]) / weights[0]
        return {k: THRESHOLDS[k] + float(more) for k, more in zip(labels, beyond, strict=True)}

    def worth(odds: float) -> float:
        *counts, false = count(learners, natives, thresholds(odds))
        return f_half(*counts) - price * false

    return thresholds(max(ODDS, key=worth))


def show(
    name: str,
    learners: Sequence[Row],
    natives: Sequence[Row],
    thresholds: Mapping[str, float],
) -> None:
    """Print what thresholds are worth."""
    right, wrong, missed, false = count(learners, natives, thresholds)
    precision, recall = right / max(1, right + wrong), right / max(1, right + missed)
    score = f_half(right, wrong, missed)
    values = " / ".join(f"{100 * value:.1f}" for value in (precision, recall, score))
    print(f"| {name} | {values} | {20 * false:.1f} |")


if __name__ == "__main__":
    main()
