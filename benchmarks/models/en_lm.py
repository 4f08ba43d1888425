"""Chooses the thresholds of en-lm on development data, and prints them.

    nice python benchmarks/models/en_lm.py --fce fce.gold --ewt en_ewt-ud-train.conllu \
        --folder FOLDER

What each change of a first round gains is written to FOLDER for sentences of FCE (M2, one
reference) and for right ones of UD English EWT's training part, in which every change is false.
What is there already is not read again, so a run that was killed goes on. Then all thresholds are
moved together, and some are raised alone where that is worth it: to the best F0.5 on FCE, less a
price for each change in a right sentence. Half of the sentences choose for the other half first,
which tells what is lost on sentences that were not seen.
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

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lexical import edits, f_half, right_sentences
from measure import machine

import gecbench
from gecbench.formats.texts import text_of
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

START: Mapping[str, float] = {
    "article": 5.5,
    "capital": 5.0,
    "comma": 5.0,
    "confusion": 6.0,
    "degree": 3.5,
    "derivation": 6.5,
    "determiner": 6.0,
    "missing article": 3.5,
    "missing comma": 5.0,
    "missing preposition": 6.5,
    "missing verb": 5.5,
    "missing word": 5.5,
    "needless article": 3.5,
    "needless preposition": 6.0,
    "needless verb": 6.0,
    "needless word": 6.0,
    "noun number": 3.5,
    "preposition": 6.5,
    "rare word": 8.0,
    "repeated word": 0.5,
    "spacing": 4.0,
    "spelling": 3.5,
    "verb form": 4.5,
    "verb group": 5.0,
}
"""Thresholds that all is moved from, those of version 3."""
LOOSE = 2.5
"""How far below these a threshold can be."""
SHIFTS = (-1.0, 0.0, 1.0, 2.0, 3.0)
"""What is added to all thresholds."""
RAISES = (1.0, 2.0, 3.0, 4.0)
"""What is added to one."""
WORTH = 0.004
"""Least that raising one must bring; less is chance."""


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
    parser.add_argument("--sentences", type=int, default=243, help="of FCE")
    parser.add_argument("--right", type=int, default=243, help="right sentences of EWT")
    parser.add_argument("--price", type=float, default=0.5, help="F0.5 of a change per right one")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    samples = gecbench.load(args.fce).samples
    pairs = [(s.source, text_of(s, s.references[0], "en")) for s in samples]
    right = [(text, text) for text in right_sentences(args.ewt)]
    draw = random.Random(args.seed)
    draw.shuffle(pairs)
    draw.shuffle(right)
    learners = collect(args.folder / "fce.jsonl", pairs[: args.sentences])
    natives = collect(args.folder / "ewt.jsonl", right[: args.right])
    print(f"{machine()}; {len(learners)} sentences of FCE, {len(natives)} right ones\n")
    print("| thresholds | P / R / F0.5 | changes in 20 right sentences |")
    print("|---|---|---:|")
    show("of version 3", learners, natives, START)
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


def collect(path: Path, pairs: Sequence[tuple[str, str]]) -> list[Row]:
    """Read sentences that are not in the file yet, and return the rows of all."""
    known = path.read_bytes().splitlines() if path.exists() else []
    if len(known) < len(pairs):
        corrector = cast("EnLm", load_corrector("en-lm"))
        loose = replace(corrector, thresholds={k: v - LOOSE for k, v in START.items()})
        started = time.process_time()
        with path.open("ab") as file:
            for source, target in pairs[len(known) :]:
                file.write(msgspec.json.encode(weigh(loose, source, target)) + b"\n")
                file.flush()
        print(f"{path.name}: {time.process_time() - started:.0f} s of CPU", flush=True)
    lines = path.read_bytes().splitlines()[: len(pairs)]
    return [msgspec.json.decode(line, type=Row) for line in lines]


def weigh(corrector: EnLm, source: str, target: str) -> Row:
    """Weigh the changes of a sentence, and see which its reference has."""
    gold = edits(source.split(), target.split())
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
    """Move all thresholds, then raise one after another, until nothing is much better."""

    def worth(thresholds: Mapping[str, float]) -> float:
        *counts, false = count(learners, natives, thresholds)
        return f_half(*counts) - price * false

    shifted = ({k: v + shift for k, v in START.items()} for shift in SHIFTS)
    base = max(shifted, key=worth)
    chosen = base
    while True:
        steps = [
            {**chosen, label: least + raised}
            for label, least in base.items()
            for raised in RAISES
            if least + raised > chosen[label]
        ]
        best = max(steps, key=worth)
        if worth(best) < worth(chosen) + WORTH:
            return chosen
        chosen = best


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
