"""Whether metrics agree with one another over systems.

Lin, Lin, Yang and Jiang, 2022 (arXiv 2205.00217), table 4.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, permutations
from math import frexp, fsum, ldexp, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gecbench.analysis.sentences import signatures, system_scores
from gecbench.core.errors import MissingExtraError, UnknownNameError, UsageError, count_noun
from gecbench.core.frames import Framed, Frames, Row, flat
from gecbench.core.score import is_tie
from gecbench.formats.judgments import read_numbers
from gecbench.scoring.resample import mean
from gecbench.scoring.results import RunStats

# Coefficients of correlation, by scipy, and what cannot have one.


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gecbench.scoring.metric import Values

    Places = NDArray[np.intp]

CoefficientKind = Literal["pearson", "spearman", "kendall"]
COEFFICIENT_KINDS: tuple[CoefficientKind, ...] = ("pearson", "spearman", "kendall")

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


def coefficient(
    kind: CoefficientKind, first: Sequence[float], second: Sequence[float]
) -> Coefficient:
    """Compute a coefficient with its p.

    Pearson's r, p of the t distribution; Spearman's rho with average ranks, likewise; Kendall's
    tau-b, exact where nothing is tied, else of the normal approximation. All by `scipy.stats`
    (pearsonr, spearmanr, kendalltau), but for the p of Spearman's rho of up to eight numbers,
    which is exact: of all orders, the share that goes as far (what scipy's permutation_test
    finds in a hundred times the time). The t distribution would give a perfect order of three
    p = 0 where it is 1/3. Fewer than three numbers, or numbers of which one list is all equal,
    have no coefficient. Ranks take numbers for equal that differ in their last digits only, as F
    of different counts may.

    Args:
        kind: Which.
        first: Numbers.
        second: As many.

    Raises:
        MissingExtraError: scipy is not installed.
    """
    try:
        from scipy import stats
    except ImportError as error:
        raise MissingExtraError("scipy", "statistics") from error
    if len(first) < 3 or constant(first) or constant(second):
        return Coefficient(None, None)
    by_kind = {
        "pearson": stats.pearsonr,
        "spearman": stats.spearmanr,
        "kendall": stats.kendalltau,
    }
    # Products of great numbers have no end; ranks need none, and would lose small ones in scaling.
    ready = _scale if kind == "pearson" else _even
    first, second = ready(first), ready(second)
    result = by_kind[kind](first, second)
    p = float(result.pvalue)
    if kind == "spearman" and len(first) <= _EXACT:
        p = _exact(stats.rankdata(first), stats.rankdata(second))
    return Coefficient(float(result.statistic), p)


def _exact(first: Values, second: Values) -> float:
    """The share of all orders of ranks whose correlation goes at least as far."""
    first, second = first - first.mean(), second - second.mean()
    reached = abs(second[_orders(len(first))] @ first) >= abs(first @ second) - _EQUAL
    return float(reached.mean())


@cache
def _orders(size: int) -> Places:
    """All orders of some places, shape (orders, places)."""
    import numpy as np

    return np.array(list(permutations(range(size))), dtype=np.intp)


def constant(values: Sequence[float]) -> bool:
    """Say whether numbers are all equal, but for the rounding of their last digits."""
    values = _scale(values)
    middle = mean(values)
    spread = sqrt(fsum((value - middle) ** 2 for value in values))
    return spread <= _SPREAD * abs(middle)


def _even(values: Sequence[float]) -> list[float]:
    """Make tied values one number, for ranks."""
    numbers: dict[float, float] = {}
    lowest: float | None = None
    for value in sorted(values):
        if lowest is None or not is_tie(lowest, value):
            lowest = value
        numbers[value] = lowest
    return [numbers[value] for value in values]


def _scale(values: Sequence[float]) -> list[float]:
    """Divide values by the power of two that leaves them below 1.

    No digit changes, but of values too small beside the greatest to count.
    """
    exponent = frexp(max(map(abs, values), default=0.0))[1]
    return [ldexp(value, -exponent) for value in values]


@dataclass(frozen=True, slots=True)
class SystemScores:
    """Scores of systems by metrics.

    Args:
        corpus: Name of the data that they are scores on, or of the table that they are from.
        systems: Names.
        metrics: For each metric the scores of the systems, in their order.
        lower: Metrics of which a lower score is a better system.
        signatures: How scores were made, where that is known.
        notes: What the reader should know, a sentence each.
    """

    corpus: str
    systems: tuple[str, ...]
    metrics: Mapping[str, tuple[float, ...]]
    lower: frozenset[str] = frozenset()
    signatures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def score_rows(scores: SystemScores) -> Iterator[Row]:
    """A row for each system with its score by each metric."""
    for at, system in enumerate(scores.systems):
        yield {"system": system} | {name: values[at] for name, values in scores.metrics.items()}


@dataclass(frozen=True, slots=True)
class MetricPair:
    """Two metrics compared.

    Args:
        first: One metric.
        second: The other.
        coefficients: By kind.
    """

    first: str
    second: str
    coefficients: Mapping[CoefficientKind, Coefficient]


@dataclass(frozen=True, slots=True, repr=False)
class Correlations(Framed):
    """Metrics compared over systems.

    Args:
        scores: What was compared; where `oriented`, those of metrics of which lower is better
            with the other sign.
        oriented: Whether signs were turned so that greater is better everywhere.
        pairs: Of metrics, in the order given.
        notes: What the reader should know, a sentence each.
    """

    scores: SystemScores
    oriented: bool
    pairs: tuple[MetricPair, ...]
    notes: tuple[str, ...] = ()

    def title(self) -> str:
        """What was compared."""
        return f"{type(self).__name__} on {self.scores.corpus}"

    def frames(self) -> Frames:
        """A row for each pair of metrics, or for each system with its scores."""
        return {
            "pairs": (
                {"first": pair.first, "second": pair.second} | flat(pair.coefficients)
                for pair in self.pairs
            ),
            "systems": score_rows(self.scores),
        }

    def of(self, first: str, second: str) -> MetricPair:
        """Find the comparison of two metrics, in either order."""
        names = {first, second}
        return next(pair for pair in self.pairs if {pair.first, pair.second} == names)


def correlations(scores: SystemScores, *, oriented: bool = False) -> Correlations:
    """Correlate metrics over systems: Pearson, Spearman and Kendall with p.

    As table 4 of Lin, Lin, Yang and Jiang, 2022 (arXiv 2205.00217), where signs are as scores
    are: a metric of which lower is better agrees with another if their coefficient is negative.

    Args:
        scores: Of at least three systems by at least two metrics.
        oriented: Turn the sign of metrics of which lower is better.

    Raises:
        UsageError: Fewer systems or metrics.
        MissingExtraError: scipy is not installed.
    """
    check_number(scores.systems)
    if len(scores.metrics) < 2:
        names = ", ".join(scores.metrics) or "none"
        raise UsageError(
            f"a correlation needs at least two metrics; metrics: {names}; add others (--metric "
            "a,b, or columns of the table of scores)"
        )
    scores, notes = orient(scores) if oriented else (scores, _signs(scores))
    pairs = tuple(
        MetricPair(
            first, second, {k: coefficient(k, columns[0], columns[1]) for k in COEFFICIENT_KINDS}
        )
        for first, second in combinations(scores.metrics, 2)
        if (columns := (scores.metrics[first], scores.metrics[second]))
    )
    return Correlations(scores, oriented, pairs, (*scores.notes, *notes, *constant_notes(scores)))


def check_number(systems: Sequence[str]) -> None:
    """Refuse fewer systems than have a correlation.

    Raises:
        UsageError: There are not three.
    """
    if len(systems) < 3:
        named = ", ".join(systems) or "none"
        raise UsageError(f"a correlation needs at least three systems; systems: {named}")


def orient(scores: SystemScores) -> tuple[SystemScores, tuple[str, ...]]:
    """Turn scores so that greater is better everywhere, and say what was turned."""
    names = [name for name in scores.metrics if name in scores.lower]
    turned = {name: tuple(-value for value in scores.metrics[name]) for name in names}
    notes = (f"lower is better, so the sign was turned: {', '.join(names)}",) if names else ()
    return replace(scores, metrics={**scores.metrics, **turned}), notes


def _signs(scores: SystemScores) -> tuple[str, ...]:
    names = [name for name in scores.metrics if name in scores.lower]
    if not names:
        return ()
    return (
        f"lower is better: {', '.join(names)}; signs are as scores are, so a negative "
        "coefficient with a metric of which greater is better means agreement",
    )


def constant_notes(scores: SystemScores) -> tuple[str, ...]:
    """Say which metrics give all systems one score, which has no correlation with anything."""
    same = [name for name, values in scores.metrics.items() if constant(values)]
    if not same:
        return ()
    return (f"the same score for all systems, so no correlation: {', '.join(same)}",)


def scores_of(run_stats: RunStats) -> SystemScores:
    """Scores of a run, by the metrics that apply and can be computed."""
    names = [name for name in run_stats.metrics if name not in run_stats.refused]
    scores = {name: system_scores(run_stats, name).values() for name in names}
    left_out = [
        f"{count_noun(count, 'sentence')} left out: {why}"
        for why, count in run_stats.left_out.items()
        if count
    ]
    return SystemScores(
        corpus=run_stats.corpus.name,
        systems=tuple(run_stats.systems),
        metrics={
            name: tuple(score.value for score in by_system) for name, by_system in scores.items()
        },
        lower=frozenset(name for name in names if not run_stats.metrics[name].higher_is_better),
        signatures=signatures(run_stats, names),
        notes=(*run_stats.notes, *(f"n/a: {why}" for why in run_stats.refused.values()), *left_out),
    )


# Scores of a file.


def table_scores(path: Path, lower: Collection[str] = ()) -> SystemScores:
    """Read a table of scores.

    Raises:
        FormatError: It is no table of numbers.
        UnknownNameError: It has no column of a name that is said to be lower for the better.
    """
    table = read_numbers(path)
    for name in lower:
        if name not in table.columns:
            raise UnknownNameError(f"column of {path}", name, table.columns)
    return SystemScores(table.name, table.rows, table.columns, frozenset(lower))
