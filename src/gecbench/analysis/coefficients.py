"""Coefficients of correlation, by scipy, and what cannot have one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import frexp, fsum, ldexp, sqrt
from typing import TYPE_CHECKING, Literal

from gecbench.core.errors import MissingExtraError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gecbench.scoring.arrays import Values

    Places = NDArray[np.intp]

Kind = Literal["pearson", "spearman", "kendall"]
KINDS: tuple[Kind, ...] = ("pearson", "spearman", "kendall")

_EXACT = 8
"""Up to how many numbers all orders are gone through: 40,320."""

_EQUAL = 1e-9
"""Sums of products of ranks this close are equal."""

_SPREAD = 1e-13
"""Deviation from the mean, relative to it, below which numbers are equal but for rounding; as
scipy's warning has it."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """How far two lists of numbers go together.

    Args:
        value: In [-1, 1]; None where there is none.
        p: Two-sided, of no correlation; None likewise.
    """

    value: float | None
    p: float | None


def coefficient(kind: Kind, one: Sequence[float], two: Sequence[float]) -> Coefficient:
    """Return a coefficient with its p.

    Pearson's r, p of the t distribution; Spearman's rho with average ranks, likewise; Kendall's
    tau-b, exact where nothing is tied, else of the normal approximation. All by `scipy.stats`
    (pearsonr, spearmanr, kendalltau), but for the p of Spearman's rho of up to eight numbers,
    which is exact: of all orders, the share that goes as far (what scipy's permutation_test
    finds in a hundred times the time). The t distribution would give a perfect order of three
    p = 0 where it is 1/3. Fewer than three numbers, or numbers of which one list is all equal,
    have no coefficient.

    Args:
        kind: Which.
        one: Numbers.
        two: As many.

    Raises:
        MissingExtraError: scipy is not installed.
    """
    try:
        from scipy import stats
    except ImportError as error:
        raise MissingExtraError("scipy", "statistics") from error
    if len(one) < 3 or constant(one) or constant(two):
        return Coefficient(None, None)
    by_kind = {
        "pearson": stats.pearsonr,
        "spearman": stats.spearmanr,
        "kendall": stats.kendalltau,
    }
    # Products of great numbers have no end; ranks need none, and would lose small ones in scaling.
    scaled = (_scaled(one), _scaled(two)) if kind == "pearson" else (one, two)
    made = by_kind[kind](*scaled)
    p = float(made.pvalue)
    if kind == "spearman" and len(one) <= _EXACT:
        p = _exact(stats.rankdata(one), stats.rankdata(two))
    return Coefficient(float(made.statistic), p)


def _exact(one: Values, two: Values) -> float:
    """Return the share of all orders of ranks whose correlation goes at least as far."""
    one, two = one - one.mean(), two - two.mean()
    reached = abs(two[_orders(len(one))] @ one) >= abs(one @ two) - _EQUAL
    return float(reached.mean())


@cache
def _orders(size: int) -> Places:
    """Return all orders of some places, shape (orders, places)."""
    import numpy as np

    return np.array(list(permutations(range(size))), dtype=np.intp)


def constant(values: Sequence[float]) -> bool:
    """Say whether numbers are all equal, but for the rounding of their last digits."""
    values = _scaled(values)
    mean = fsum(values) / max(1, len(values))
    spread = sqrt(fsum((value - mean) ** 2 for value in values))
    return spread <= _SPREAD * abs(mean)


def _scaled(values: Sequence[float]) -> list[float]:
    """Return values divided by the power of two that leaves them below 1.

    No digit changes, but of values too small beside the greatest to count.
    """
    exponent = frexp(max(map(abs, values), default=0.0))[1]
    return [ldexp(value, -exponent) for value in values]
