"""Where two systems differ most, and the sentences that decide a difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gecbench.analysis.breakdown import Breakdown
from gecbench.analysis.facts import text_of_rewrite
from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.core.sample import Sample
from gecbench.scoring.judged import Judged
from gecbench.scoring.maxmatch import MaxMatch
from gecbench.scoring.metric import Metric
from gecbench.scoring.resample import f_scores
from gecbench.scoring.spans import SpanF

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Values

_AT_ONCE = 4_000_000
"""Places of a block of resamples, which bounds memory by some tens of megabytes."""

_NOTHING = 1e-12
"""Sums in another order differ by no more."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Two systems in one group.

    Args:
        by: Kind of the group.
        group: Its name.
        size: How many sentences or edits it has, as in the breakdown.
        unit: Which of them.
        one: Value of the first system, not rounded.
        two: Value of the second.
    """

    by: str
    group: str
    size: int
    unit: str
    one: float
    two: float

    @property
    def by_how_much(self) -> float:
        """What the first has more than the second."""
        return self.one - self.two


@dataclass(frozen=True, slots=True)
class Deciding:
    """A sentence and what it does to the difference of two systems.

    Args:
        id: Of the sentence.
        contribution: The difference (first less second) with the sentence, less that without it;
            not rounded. Above 0 it speaks for the first system, if higher is better.
        source: Its text.
        one: What the first system made of it; of several versions the one that was chosen. None
            where it is known only by edits that overlap.
        two: What the second did.
        references: What the annotators made of it.
    """

    id: str
    contribution: float
    source: str
    one: str | None
    two: str | None
    references: tuple[str | None, ...]


def best_two(judged: Judged, metric: str) -> tuple[str, str] | None:
    """Return the systems with the best two scores, the best first; None where there is one."""
    if len(judged.systems) < 2:
        return None
    places = judged.scored(metric)
    judge = judged.metrics[metric]
    values = {
        system: judge.aggregate([judged.rows[system, metric][at] for at in places]).value
        for system in judged.systems
    }
    one, two, *_ = sorted(values, key=values.__getitem__, reverse=judge.higher_is_better)
    return one, two


def check_pair(judged: Judged, pair: Sequence[str]) -> tuple[str, str]:
    """Return the names of two systems.

    Raises:
        UnknownNameError: There is no such system.
        UsageError: They are not two.
    """
    for name in pair:
        if name not in judged.systems:
            raise UnknownNameError("system", name, judged.systems)
    if len(pair) != 2 or pair[0] == pair[1]:
        raise UsageError(f"{','.join(pair)}: name two different systems, as A,B")
    return pair[0], pair[1]


def differences(
    breakdowns: Sequence[Breakdown], one: str, two: str, *, least: int
) -> tuple[Difference, ...]:
    """Return groups by how far two systems are apart in them, the widest first.

    Args:
        breakdowns: Of one metric.
        one: Name of a system.
        two: Name of the other.
        least: Groups with fewer sentences or edits are left out: there a difference means little.

    A group that stands in two tiers of types with the same numbers is here once.
    """
    found = [
        Difference(each.by, group, size, each.unit, first.value, second.value)
        for each in breakdowns
        for group, size, first, second in zip(
            each.groups, each.sizes, each.cells[one], each.cells[two], strict=True
        )
        if size >= least and first.value is not None and second.value is not None
    ]
    once = {(each.unit, each.group, each.size, each.one, each.two): each for each in found[::-1]}
    return tuple(sorted(once.values(), key=_by_width))


def _by_width(each: Difference) -> tuple[float, int, str, str]:
    return -abs(each.by_how_much), -each.size, each.by, each.group


def deciding(judged: Judged, metric: str, one: str, two: str, *, most: int) -> tuple[Deciding, ...]:
    """Return the sentences that do most to the difference of two systems, the greatest first.

    A sentence's contribution is the difference less what it is when the sentence is left out of
    the corpus. What was chosen for the other sentences (the reference, by metrics that choose
    one as they go through the corpus) stays as it was, so that the contribution is the
    sentence's own. Sentences of which the metric says the same for both systems decide nothing,
    and a corpus of one scored sentence has none that could be left out.

    Args:
        judged: Systems.
        metric: Name of any metric.
        one: Name of a system.
        two: Name of the other.
        most: How many to return.
    """
    if not most:
        return ()
    places = judged.scored(metric)
    judge = judged.metrics[metric]
    sides = [[judged.rows[name, metric][at] for at in places] for name in (one, two)]
    # Before anything is chosen: two hypotheses that are alike differ in nothing.
    apart = [n for n, (a, b) in enumerate(zip(*sides, strict=True)) if a != b]
    if not apart or len(places) < 2:
        return ()
    one_side, two_side = (_fixed(judge, rows) for rows in sides)
    whole = judge.aggregate(one_side).value - judge.aggregate(two_side).value
    moved = whole - (_left_out(judge, one_side, apart) - _left_out(judge, two_side, apart))
    ranked = sorted(zip(moved.tolist(), apart, strict=True), key=lambda pair: -abs(pair[0]))
    found = []
    for contribution, n in ranked[:most]:
        if abs(contribution) > _NOTHING:
            sample = judged.corpus.samples[places[n]]
            ours = _output(judged, metric, one, sample, one_side[n])
            theirs = _output(judged, metric, two, sample, two_side[n])
            references = (text_of_rewrite(each, sample, judged.lang) for each in sample.references)
            texts = (sample.source, ours, theirs, tuple(references))
            found.append(Deciding(sample.id, contribution, *texts))
    return tuple(found)


def _fixed(judge: Metric[Any], rows: Sequence[Any]) -> Sequence[Any]:
    """Return the rows with nothing left to choose."""
    choose = getattr(judge, "choose", None)
    return rows if choose is None else [(one,) for one in choose(rows)]


def _left_out(judge: Metric[Any], rows: Sequence[Any], places: Sequence[int]) -> Values:
    """Return the value without each of the sentences at these places.

    F over summed counts is found by taking a sentence's counts away. Others are computed over the
    rest of the corpus each time, in time that grows with the square of its sentences.

    Args:
        judge: Any metric.
        rows: As `_fixed` gives them.
        places: In them.
    """
    import numpy as np

    if isinstance(judge, (SpanF, MaxMatch)) and (counts := _counts(judge, rows)):
        own = np.array(counts, dtype=np.float64)
        return f_scores(own.sum(axis=0) - own[list(places)], judge.beta)
    every = np.arange(len(rows) - 1)
    step = max(1, _AT_ONCE // len(rows))
    values = []
    for first in range(0, len(places), step):
        some = np.array(places[first : first + step])[:, None]
        values.append(judge.resample(rows, every + (every >= some)))
    made: Values = np.concatenate(values)
    return made


def _counts(judge: Metric[Any], rows: Sequence[Any]) -> list[tuple[int, int, int]]:
    """Return true and false positives and false negatives of each row; none for a mean."""
    made = (judge.aggregate([row]).counts for row in rows)
    return [(one.tp, one.fp, one.fn) for one in made if one is not None]


def _output(judged: Judged, metric: str, name: str, sample: Sample, row: Any) -> str | None:
    """Return what a system made of a sentence: of several versions the one that counts."""
    chosen = hasattr(judged.metrics[metric], "choose")
    system = judged.systems[name]
    own = replace(sample, tokens=system.tokens.get(sample.id, sample.tokens))
    version = system.hypotheses[sample.id][row[0].hypothesis if chosen else 0]
    return text_of_rewrite(version, own, judged.lang)
