"""Resampling sentences, all resamples at once.

A resample is a row of places in the corpus, in ascending order: the corpus with some sentences
left out and others repeated. The order is kept, because some rules of choice go through the
corpus in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gecbench.core.score import Interval
from gecbench.core.seeding import number
from gecbench.scoring.greedy import resampled_totals

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Draws, Integers, Values
    from gecbench.scoring.greedy import Rule


_AT_ONCE = 4_000_000
"""Numbers of a block of work, which bounds memory by some tens of megabytes."""


def draws(sentences: int, *, resamples: int, seed: int) -> Draws:
    """Return resamples of sentences with replacement, of shape (resamples, sentences).

    NumPy's PCG64 under a seed of its own; the same numbers on every machine.
    """
    (whole,) = draw_blocks(sentences, resamples=resamples, seed=seed, at_once=resamples)
    return whole


def draw_blocks(
    sentences: int, *, resamples: int, seed: int, at_once: int | None = None
) -> Iterator[Draws]:
    """Yield the same resamples some at a time, which bounds memory by some hundred megabytes.

    Args:
        sentences: How many there are.
        resamples: How many are drawn in all.
        seed: Of all.
        at_once: How many resamples a block has; None takes what memory bears.
    """
    import numpy as np

    random = np.random.Generator(np.random.PCG64(number(seed, "bootstrap")))
    step = at_once or max(1, _AT_ONCE // max(1, sentences))
    for first in range(0, max(1, resamples), step):
        size = min(step, resamples - first), sentences
        drawn = random.integers(0, sentences, size=size)
        # Of half the width if that will do: for a hundred thousand sentences it is 400 MB.
        places: Draws = drawn.astype(np.int32 if sentences < 2**31 else np.int64)
        places.sort(axis=1)
        yield places


def interval(values: Values, *, level: float = 0.95) -> Interval:
    """Return the percentile interval of resampled scores."""
    import numpy as np

    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level)


def sums(rows: Values | Integers, places: Draws) -> Values:
    """Return the sums of statistics over each resample.

    Args:
        rows: Shape (sentences, statistics).
        places: Shape (resamples, sentences).

    Returns:
        Shape (resamples, statistics). Sums of integers are exact below 2**53.
    """
    import numpy as np

    count, total = places.shape[0], rows.shape[0]
    wide = rows.reshape(total, -1).astype(np.float64)
    if 2 * places.shape[1] == total and _is_exchange(places):
        half = places.shape[1]
        here, there = wide[:half], wide[half:]
        swapped: Values = (places >= half).astype(np.float64) @ (there - here) + here.sum(axis=0)
        return swapped
    made = np.empty((count, wide.shape[1]))
    step = max(1, _AT_ONCE // max(1, total))
    for first in range(0, count, step):
        block = places[first : first + step]
        flat = (block.astype(np.intp) + total * np.arange(len(block))[:, None]).ravel()
        often = np.bincount(flat, minlength=total * len(block)).reshape(len(block), total)
        made[first : first + step] = often.astype(np.float64) @ wide
    return made


def _is_exchange(places: Draws) -> bool:
    """Return whether each row takes, for each sentence in turn, one of two systems' statistics.

    Then one product adds up all rows, without counting how often each sentence occurs.
    """
    import numpy as np

    size = places.shape[1]
    return bool((places % max(1, size) == np.arange(size)).all())


def ratios(counts: Values) -> tuple[Values, Values]:
    """Return precision and recall of counts, as `Counts` computes them.

    Args:
        counts: True positives, false positives and false negatives, shape (..., 3).
    """
    import numpy as np

    tp, fp, fn = np.moveaxis(counts, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(fp != 0, tp / (tp + fp), 1.0)
        recall = np.where(fn != 0, tp / (tp + fn), 1.0)
    return precision, recall


def f_scores(counts: Values, beta: float) -> Values:
    """Return F of counts of shape (..., 3), as `Counts.f` computes it."""
    import numpy as np

    precision, recall = ratios(counts)
    square = beta**2
    with np.errstate(divide="ignore", invalid="ignore"):
        f = (1 + square) * precision * recall / (square * precision + recall)
    return np.where(precision + recall == 0, 0.0, f)


def greedy_totals(candidates: Values, places: Draws, beta: float) -> Values:
    """Return the totals of each resample under ERRANT's choice of the reference.

    The choice of `choose` with "corpus-greedy", run again inside each resample.

    Args:
        candidates: Counts of each candidate pairing, shape (sentences, candidates, 3), filled
            up by repeating a sentence's last one, which can never be preferred to itself.
        places: Shape (resamples, sentences).
        beta: Weight of recall in F.

    Returns:
        Shape (resamples, 3).
    """
    if candidates.shape[1] == 1:
        return sums(candidates[:, 0], places)
    totals: Values = resampled_totals(candidates, places, greedy_rule(beta)).T
    return totals


def greedy_rule(beta: float) -> Rule:
    """Return ERRANT's rule of choice, as `choose` with "corpus-greedy" has it.

    Args:
        beta: Weight of recall in F.
    """
    import numpy as np

    def rule(totals: Values) -> Values:
        f = _rounded(f_scores(np.moveaxis(totals, 1, -1), beta))
        best: Values = totals[0]
        greatest = f[0]
        for other, its in zip(totals[1:], f[1:], strict=True):
            more, fewer, less = other[0] - best[0], best[1] - other[1], best[2] - other[2]
            ties = (more > 0) | ((more == 0) & ((fewer > 0) | ((fewer == 0) & (less > 0))))
            better = (its > greatest) | ((its == greatest) & ties)
            best, greatest = np.where(better, other, best), np.where(better, its, greatest)
        return best

    return rule


def _rounded(values: Values) -> Values:
    """Return values rounded to 4 decimals exactly as Python's `round` does.

    NumPy scales, rounds and scales back; where that lies on the edge, Python decides.
    """
    import numpy as np

    scaled = values * 10_000
    made = np.rint(scaled) / 10_000
    edge = np.abs(scaled - np.floor(scaled) - 0.5) < 1e-6
    if edge.any():
        made[edge] = [round(value, 4) for value in values[edge].tolist()]
    return made
