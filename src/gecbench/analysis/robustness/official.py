"""The official rule of RobustGEC: which variant is best and worst, CRS and P-CRS.

robustgec_eval.py (HillZhang1999/RobustGEC 1c5787b), with its cache mended so that it runs. A case
is consistent there if one variant is both the best and the worst for the running totals; what was
corrected is never compared, so `analysis.robustness.consistent` stands beside it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gecbench.core.score import Counts
from gecbench.core.seeding import number

Triple = tuple[int, int, int]
"""True positives, false positives, false negatives of one sentence."""

_Key = tuple[float, int, int, int]

Row = tuple[Triple, ...]
"""Those of an original and its variants."""


@dataclass(frozen=True, slots=True)
class Official:
    """What the official rule says.

    Args:
        original: Counts of all originals.
        upper: Counts of the sentence of each case that is best for the running F.
        lower: Likewise of the worst.
        consistent: For each case, whether one sentence is both.
        equal: For each case and variant, whether its F alone, rounded to 4 decimals, is the
            original's.
    """

    original: Counts
    upper: Counts
    lower: Counts
    consistent: tuple[bool, ...]
    equal: tuple[tuple[bool, ...], ...]


@dataclass(frozen=True, slots=True)
class Orders:
    """How far the official rule depends on the order of the cases.

    Args:
        orders: How many were tried, two or more: that of the file, its reverse, random ones.
        seed: Of the random ones.
        consistent: Least and most consistent cases.
        upper: Least and greatest upper bound of F, in [0, 1], not rounded.
        lower: Likewise of the lower bound.
        unsettled: Cases that are consistent in some orders and not in others.
    """

    orders: int
    seed: int
    consistent: tuple[int, int]
    upper: tuple[float, float]
    lower: tuple[float, float]
    unsettled: int


def official(rows: Sequence[Row], beta: float) -> Official:
    """Return what the official rule says of cases in the order of the file.

    Args:
        rows: For each case, the counts of the original first, then of its variants.
        beta: Weight of recall in F.
    """
    distinct = [_distinct(row) for row in rows]
    best, upper = _extremes(distinct, beta, max)
    worst, lower = _extremes(distinct, beta, min)
    first = tuple(sum(row[0][k] for row in rows) for k in range(3))
    f = _rounded_f(beta)
    return Official(
        original=Counts(*first),
        upper=upper,
        lower=lower,
        consistent=tuple(one == two for one, two in zip(best, worst, strict=True)),
        equal=tuple(
            tuple(each == row[0] or f(*each) == f(*row[0]) for each in row[1:]) for row in rows
        ),
    )


def in_other_orders(rows: Sequence[Row], beta: float, *, orders: int, seed: int) -> Orders:
    """Return how the official rule's results move when the cases come in other orders."""
    tried: list[tuple[frozenset[int], float, float]] = []
    distinct = [_distinct(row) for row in rows]
    for order in _orders(len(rows), orders, seed):
        moved = [distinct[at] for at in order]
        best, upper = _extremes(moved, beta, max)
        worst, lower = _extremes(moved, beta, min)
        same = (at for at, b, w in zip(order, best, worst, strict=True) if b == w)
        tried.append((frozenset(same), upper.f(beta), lower.f(beta)))
    found = [each[0] for each in tried]
    sizes = [len(each) for each in found]
    uppers, lowers = [each[1] for each in tried], [each[2] for each in tried]
    return Orders(
        orders=orders,
        seed=seed,
        consistent=(min(sizes), max(sizes)),
        upper=(min(uppers), max(uppers)),
        lower=(min(lowers), max(lowers)),
        unsettled=len(frozenset.union(*found) - frozenset.intersection(*found)),
    )


def _orders(count: int, orders: int, seed: int) -> list[list[int]]:
    """Return that of the file, its reverse, and random ones: at least two."""
    made = [list(range(count)), list(reversed(range(count)))]
    for k in range(2, orders):
        order = list(range(count))
        random.Random(number(seed, f"robustness-order-{k}")).shuffle(order)
        made.append(order)
    return made


def _distinct(row: Row) -> Row:
    """Return the different counts of a case, each where it comes first.

    Only the first sentence of equal counts is ever taken, so the same sentence is best and worst
    just where the same counts are.
    """
    return tuple(dict.fromkeys(row))


def _extremes(
    rows: Sequence[Row], beta: float, choose: Callable[[list[_Key]], _Key]
) -> tuple[list[Triple], Counts]:
    """Return the counts of the best (or worst) sentence of each case, and their sum.

    The best is that with the greatest (F of the running totals with it, true positives, fewer
    false positives, fewer false negatives).
    """
    f = _rounded_f(beta)
    tp = fp = fn = 0
    chosen: list[Triple] = []
    for row in rows:
        one = row[0]
        if len(row) > 1:
            keys = [(f(tp + t, fp + p, fn + n), t, -p, -n) for t, p, n in row]
            one = row[keys.index(choose(keys))]
        chosen.append(one)
        tp, fp, fn = tp + one[0], fp + one[1], fn + one[2]
    return chosen, Counts(tp, fp, fn)


def _rounded_f(beta: float) -> Callable[[int, int, int], float]:
    """Return F of counts, rounded to 4 decimals as ERRANT's computeFScore does."""
    square = beta**2

    def f(tp: int, fp: int, fn: int) -> float:
        p = tp / (tp + fp) if fp else 1.0
        r = tp / (tp + fn) if fn else 1.0
        return round((1 + square) * p * r / (square * p + r), 4) if p + r else 0.0

    return f
