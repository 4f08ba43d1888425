"""The choice of the reference, where a sentence has several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gecbench.core.score import Counts, f_score
from gecbench.scoring.pairing import Pairing

Choice = Literal["corpus-greedy", "sentence-best"]
CHOICES: tuple[Choice, ...] = ("corpus-greedy", "sentence-best")


def choose(rows: Sequence[tuple[Pairing, ...]], choice: Choice, beta: float) -> tuple[Pairing, ...]:
    """Return one pairing for each sentence.

    "corpus-greedy" is the rule of ERRANT and ChERRANT (compare_m2_for_evaluation.py): going
    through the corpus, the pairing which makes F of the running totals, rounded to 4 decimals,
    greatest; then more true positives, fewer false positives, fewer false negatives, the first.
    It depends on the order of the sentences. "sentence-best" compares F of the sentence alone,
    not rounded, and breaks ties alike: the order makes no difference.

    Args:
        rows: The pairings of each sentence, at least one.
        choice: Which rule.
        beta: Weight of recall in F.
    """
    return _greedy(rows, beta) if choice == "corpus-greedy" else _best(rows, beta)


def _best(rows: Sequence[tuple[Pairing, ...]], beta: float) -> tuple[Pairing, ...]:
    chosen: list[Pairing] = []
    for row in rows:
        best = row[0]
        if len(row) > 1:
            ranks = [_rank(pairing.counts, pairing.counts.f(beta)) for pairing in row]
            best = row[ranks.index(max(ranks))]
        chosen.append(best)
    return tuple(chosen)


def _greedy(rows: Sequence[tuple[Pairing, ...]], beta: float) -> tuple[Pairing, ...]:
    """Return the choice that depends on the totals so far, which are plain numbers: it is slow."""
    chosen: list[Pairing] = []
    tp = fp = fn = 0
    for row in rows:
        best = row[0]
        if len(row) > 1:
            greatest: tuple[float, int, int, int] | None = None
            for pairing in row:
                one = pairing.counts
                f = _f(tp + one.tp, fp + one.fp, fn + one.fn, beta)
                rank = _rank(one, round(f, 4))
                if greatest is None or rank > greatest:
                    best, greatest = pairing, rank
        tp, fp, fn = tp + best.counts.tp, fp + best.counts.fp, fn + best.counts.fn
        chosen.append(best)
    return tuple(chosen)


def _f(tp: int, fp: int, fn: int, beta: float) -> float:
    """Return F as `Counts.f` has it, to the last bit."""
    return f_score(tp / (tp + fp) if fp else 1.0, tp / (tp + fn) if fn else 1.0, beta)


def _rank(counts: Counts, f: float) -> tuple[float, int, int, int]:
    return f, counts.tp, -counts.fp, -counts.fn
