"""How two judges rate a sample by several criteria, and how far they agree.

The layout is table 3 of RobustGEC (Zhang et al. 2023): accepted, rejected, and equal decisions as
inter-annotator agreement. Accepted and rejected are of final decisions: those on which the judges
agreed, and what they settled by discussion where they did not. The paper counts like this, too:
with 96.3% equal decisions at most 98.2% of single ratings accept, and it reports 99.3%.

Where nearly everything is accepted, equal decisions are frequent by chance; Cohen's kappa and
Krippendorff's alpha take chance away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gecbench.core.score import Interval
from gecbench.scoring.resample import draws, interval, sums

if TYPE_CHECKING:
    from gecbench.scoring.metric import Values

RESAMPLES = 1000

FEW = 30
"""Items below which a bootstrap is not to be trusted; see `analysis.significance`."""


@dataclass(frozen=True, slots=True)
class ItemRating:
    """What two judges say of one item by one criterion.

    Args:
        first: Whether the first judge accepts it.
        second: Whether the second does.
        resolution: What they settled on after they had differed; None where they did not yet.
    """

    first: bool
    second: bool
    resolution: bool | None = None

    @property
    def final(self) -> bool | None:
        """The decision that counts; None while they differ."""
        return self.first if self.first == self.second else self.resolution


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval.

    Args:
        value: Not rounded; None where it is undefined.
        of: Over how many items.
        interval: Percentiles of the resamples in which it is defined; None where it is in none.
    """

    value: float | None
    of: int
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class CriterionFigures:
    """How a sample was rated by one criterion.

    Args:
        criterion: Its key.
        accept: Share of final decisions that accept.
        reject: Share that reject.
        equal: Share of items on which both judges decided alike, before any discussion.
        kappa: Cohen's, of the first ratings; undefined where both only ever decide one way.
        alpha: Krippendorff's, nominal, likewise.
        both: Items that both judges accept.
        only_first: Items that only the first accepts.
        only_second: Items that only the second accepts.
        neither: Items that both reject.
        unresolved: Items on which they differ and have settled nothing.
    """

    criterion: str
    accept: Estimate
    reject: Estimate
    equal: Estimate
    kappa: Estimate
    alpha: Estimate
    both: int
    only_first: int
    only_second: int
    neither: int
    unresolved: int

    @property
    def estimates(self) -> Mapping[str, Estimate]:
        """All figures by name."""
        names = ("accept", "reject", "equal", "kappa", "alpha")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Inspection:
    """A sample that two judges rated.

    Args:
        corpus: What the sample is of.
        round: Its name.
        size: How many items were drawn.
        population: From how many.
        seed: Of the draw, and of the resamples.
        rated: Items that both judges have rated.
        criteria: In the order of the page.
        notes: What the reader should know.
    """

    corpus: str
    round: str
    size: int
    population: int
    seed: int
    rated: int
    criteria: tuple[CriterionFigures, ...]
    notes: tuple[str, ...] = ()


def kappa(counts: Values) -> Values:
    """Cohen's kappa of two judges; not a number where both only ever decide one way.

    Args:
        counts: Shape (4, n): items that both accept, only the first, only the second, neither.
    """
    both, first, second, neither = counts
    items = both + first + second + neither
    by_chance = (both + first) * (both + second) + (neither + first) * (neither + second)
    return _divide(items * (both + neither) - by_chance, items**2 - by_chance)


def alpha(counts: Values) -> Values:
    """Krippendorff's alpha of two judges, nominal; likewise.

    Args:
        counts: As of `kappa`.
    """
    both, first, second, neither = counts
    accepts, rejects = 2 * both + first + second, 2 * neither + first + second
    apart = (accepts + rejects - 1) * (first + second)
    return _divide(accepts * rejects - apart, accepts * rejects)


def _divide(numerator: Values, denominator: Values) -> Values:
    import numpy as np

    undefined = np.full_like(numerator, np.nan)
    return np.divide(numerator, denominator, out=undefined, where=denominator != 0)


def measure(
    ratings: Sequence[ItemRating], criterion: str, *, seed: int, resamples: int = RESAMPLES
) -> CriterionFigures:
    """Measure how a sample was rated by one criterion.

    Args:
        ratings: One for each item that both judges have rated.
        criterion: Its key.
        seed: Of the resamples, which are of items.
        resamples: How many.
    """
    import numpy as np

    def figures(totals: Values) -> dict[str, Values]:
        both, first, second, neither, accepted, rejected = totals
        items, decided = both + first + second + neither, accepted + rejected
        return {
            "accept": _divide(accepted, decided),
            "reject": _divide(rejected, decided),
            "equal": _divide(both + neither, items),
            "kappa": kappa(totals[:4]),
            "alpha": alpha(totals[:4]),
        }

    rows = np.array([_columns(rating) for rating in ratings], dtype=np.int64).reshape(-1, 6)
    whole = rows.sum(axis=0)
    decided = int(whole[4] + whole[5])
    values = figures(whole[:, None].astype(np.float64))
    resampled = (
        figures(sums(rows, draws(len(rows), resamples=resamples, seed=seed)).T)
        if len(rows)
        else {name: np.empty(0) for name in values}
    )

    def estimate(name: str, of: int) -> Estimate:
        defined = resampled[name][~np.isnan(resampled[name])]
        value = float(values[name][0])
        if np.isnan(value) or not len(defined):
            return Estimate(None, of, None)
        ends = interval(defined)
        return Estimate(value, of, Interval(ends.low, ends.high, ends.level, len(defined), seed))

    both, first, second, neither = (int(count) for count in whole[:4])
    return CriterionFigures(
        criterion=criterion,
        accept=estimate("accept", decided),
        reject=estimate("reject", decided),
        equal=estimate("equal", len(rows)),
        kappa=estimate("kappa", len(rows)),
        alpha=estimate("alpha", len(rows)),
        both=both,
        only_first=first,
        only_second=second,
        neither=neither,
        unresolved=len(rows) - decided,
    )


def _columns(rating: ItemRating) -> tuple[bool, ...]:
    first, second, final = rating.first, rating.second, rating.final
    return (
        first and second,
        first and not second,
        second and not first,
        not first and not second,
        final is True,
        final is False,
    )


def inspect(
    ratings: Mapping[str, Sequence[ItemRating]],
    *,
    corpus: str,
    round_name: str,
    size: int,
    population: int,
    seed: int,
    resamples: int = RESAMPLES,
) -> Inspection:
    """Measure a sample by all criteria.

    Args:
        ratings: Criterion to one rating for each item that both judges have rated.
        corpus: See `Inspection`, as the next four.
        round_name: See there.
        size: See there.
        population: See there.
        seed: See there.
        resamples: Of items, for the intervals.
    """
    criteria = tuple(
        measure(rows, criterion, seed=seed, resamples=resamples)
        for criterion, rows in ratings.items()
    )
    rated = max((len(rows) for rows in ratings.values()), default=0)
    return Inspection(
        corpus=corpus,
        round=round_name,
        size=size,
        population=population,
        seed=seed,
        rated=rated,
        criteria=criteria,
        notes=_notes(criteria, rated, size, resamples),
    )


def _notes(
    criteria: Sequence[CriterionFigures], rated: int, size: int, resamples: int
) -> tuple[str, ...]:
    notes = []
    if rated < size:
        notes.append(f"{rated} of {size} items are rated by both judges; the others are left out")
    if 0 < rated < FEW:
        notes.append(f"{rated} items only: intervals of the bootstrap are too narrow")
    for figures in criteria:
        name, unresolved = figures.criterion, figures.unresolved
        if unresolved:
            notes.append(
                f"{name}: {unresolved} of {rated} items are unresolved, and neither accepted nor "
                "rejected"
            )
        if rated and figures.kappa.value is None:
            notes.append(
                f"{name}: both judges always decided the same way, which chance alone would give; "
                "kappa and alpha are undefined"
            )
        elif figures.kappa.interval and (left := figures.kappa.interval.resamples) < resamples:
            notes.append(
                f"{name}: kappa and alpha are undefined in {resamples - left} of {resamples} "
                "resamples, which their intervals leave out"
            )
    return tuple(notes)
