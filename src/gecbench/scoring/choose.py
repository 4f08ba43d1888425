"""The choice of the reference, where a sentence has several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gecbench.core.score import Counts
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
    chosen: list[Pairing] = []
    before = Counts()
    for row in rows:
        best = row[0]
        if len(row) > 1:
            running = before if choice == "corpus-greedy" else None
            ranks = [_rank(pairing.counts, running, beta) for pairing in row]
            best = row[ranks.index(max(ranks))]
        before += best.counts
        chosen.append(best)
    return tuple(chosen)


def _rank(counts: Counts, running: Counts | None, beta: float) -> tuple[float, int, int, int]:
    f = counts.f(beta) if running is None else round((running + counts).f(beta), 4)
    return f, counts.tp, -counts.fp, -counts.fn
