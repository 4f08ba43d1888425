"""Score against the number of references: with subsets of them, or with the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import comb
from random import Random
from typing import Any, Literal

from gecbench.analysis.facts import cases_of
from gecbench.core.case import Case
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.seeding import number
from gecbench.scoring.judged import Judged
from gecbench.scoring.means import mean
from gecbench.scoring.options import check_least

Taking = Literal["subsets", "first"]


@dataclass(frozen=True, slots=True)
class Point:
    """The scores with k references for each sentence.

    Args:
        k: How many; a sentence with fewer keeps what it has.
        mean: Over the subsets, not rounded.
        low: The least of them.
        high: The greatest.
        subsets: How many were scored.
        of: How many there are; where it is more, they were drawn by lot.
        cut: How many sentences have more than k references.
    """

    k: int
    mean: float
    low: float
    high: float
    subsets: int
    of: int
    cut: int


@dataclass(frozen=True, slots=True)
class Curve:
    """Score against the number of references, of one system by one metric."""

    system: str
    metric: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """How score is set against the number of references.

    Args:
        taking: "subsets": all subsets of k of the corpus's references; "first": the first k.
        at_least: Only sentences with at least this many references take part.
        up_to: The greatest k; None means the most that any sentence has.
        most: More subsets of a size than this are not scored, but so many drawn by lot.
        seed: Of the draws.

    Raises:
        UsageError: A number means nothing.
    """

    taking: Taking = "subsets"
    at_least: int = 1
    up_to: int | None = None
    most: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        if self.taking not in ("subsets", "first"):
            raise UsageError(f"taking is {self.taking!r}; it is subsets or first")
        check_least("at-least", self.at_least, 1)
        check_least("subsets", self.most, 1)
        if self.up_to is not None:
            check_least("up-to", self.up_to, 1)


def curves(judged: Judged, sweep: Sweep | None = None) -> tuple[Curve, ...]:
    """Return score against the number of references, of all systems by all metrics that use them.

    MuCGEC's figure 3. A subset is one of the places of references 1 to K, where K is the most
    that any sentence has; a sentence with n references, n between k and K, counts them round
    and round: place p is its reference ((p - 1) mod n) + 1, or the next one that is not taken
    yet. So every sentence has min(k, n) references, and each of them is taken about equally
    often. References declared impossible to annotate are no references here.

    Args:
        judged: Systems; their statistics are taken again for each subset, edits are not.
        sweep: Which subsets of which sentences.

    Raises:
        CorpusError: No sentence has as many references as asked for.
    """
    sweep = sweep or Sweep()
    usable = _usable(judged)
    places = [at for at, own in enumerate(usable) if len(own) >= sweep.at_least]
    width = max(map(len, usable), default=0)
    wanted = max(sweep.at_least, sweep.up_to or 1)
    if wanted > width or not places:
        raise CorpusError(
            f"{judged.corpus.name}: no sentence has {wanted} references; the most is {width}"
        )
    plans = {k: _subsets(width, k, sweep) for k in range(1, (sweep.up_to or width) + 1)}
    return tuple(
        _Sweeping(judged, metric, system, usable, places).curve(plans)
        for metric in swept(judged)
        for system in judged.systems
    )


def taking_part(judged: Judged, sweep: Sweep) -> int:
    """Return how many sentences the curves are over."""
    return sum(len(own) >= sweep.at_least for own in _usable(judged))


def _usable(judged: Judged) -> list[tuple[int, ...]]:
    """Return the places of the references of each sentence that somebody could write."""
    return [
        tuple(r for r, version in enumerate(case.references) if not version.unannotatable)
        for case in cases_of(judged)
    ]


def swept(judged: Judged) -> list[str]:
    """Return the metrics of a run that read references."""
    return [
        name
        for name, metric in judged.metrics.items()
        if name not in judged.refused and metric.needs_references
    ]


def _subsets(width: int, k: int, sweep: Sweep) -> tuple[Sequence[tuple[int, ...]], int]:
    """Return subsets of k places of all, and how many there are."""
    if sweep.taking == "first":
        return [tuple(range(k))], 1
    every = comb(width, k)
    if every <= sweep.most:
        return list(combinations(range(width), k)), every
    dice = Random(number(sweep.seed, f"references {k}"))
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < sweep.most:
        drawn[tuple(sorted(dice.sample(range(width), k)))] = None
    return list(drawn), every


def taken(own: Sequence[int], subset: Sequence[int]) -> tuple[int, ...]:
    """Return which of its own references a sentence has in a subset of places.

    >>> taken((0, 1, 2), (0, 3)), taken((0, 1), (1, 2, 3))
    ((0, 1), (0, 1))
    """
    if len(own) <= len(subset):
        return tuple(own)
    found: list[int] = []
    for place in subset:
        place %= len(own)
        while place in found:
            place = (place + 1) % len(own)
        found.append(place)
    return tuple(own[place] for place in sorted(found))


@dataclass(frozen=True, slots=True)
class _Sweeping:
    """One system by one metric; statistics with a subset of references are taken once."""

    judged: Judged
    metric: str
    system: str
    usable: Sequence[tuple[int, ...]]
    places: Sequence[int]
    known: dict[tuple[int, tuple[int, ...]], Any] = field(default_factory=dict)

    def curve(self, plans: Mapping[int, tuple[Sequence[tuple[int, ...]], int]]) -> Curve:
        """Return the scores for each size of subsets."""
        points = []
        for k, (subsets, every) in plans.items():
            values = [self._value(subset) for subset in subsets]
            cut = sum(len(self.usable[at]) > k for at in self.places)
            low, high = min(values), max(values)
            # A mean of equal numbers can be off by its last digit.
            middle = min(max(mean(values), low), high)
            points.append(Point(k, middle, low, high, len(subsets), every, cut))
        return Curve(self.system, self.metric, tuple(points))

    def _value(self, subset: Sequence[int]) -> float:
        metric = self.judged.metrics[self.metric]
        rows = [self._stats(at, taken(self.usable[at], subset)) for at in self.places]
        return metric.aggregate(rows).value

    def _stats(self, at: int, references: tuple[int, ...]) -> Any:
        if (at, references) not in self.known:
            case = self.judged.cases[self.system][at]
            if len(references) < len(case.references):
                case = _with(case, references)
                self.known[at, references] = self.judged.metrics[self.metric].stats(case)
            else:
                self.known[at, references] = self.judged.rows[self.system, self.metric][at]
        return self.known[at, references]


def _with(case: Case, references: Sequence[int]) -> Case:
    return replace(case, references=tuple(case.references[r] for r in references))


def notes_on(judged: Judged, made: Sequence[Curve], sweep: Sweep) -> list[str]:
    """Return what the reader of curves should know."""
    notes = []
    counts = [len(own) for own in _usable(judged)]
    out = sum(0 < count < sweep.at_least for count in counts)
    if out:
        notes.append(
            f"curves: {out} sentences with fewer than {sweep.at_least} references take no part"
        )
    elif sweep.at_least < max(counts, default=0):
        notes.append(
            "curves: sentences with fewer than k references take part with those that they "
            "have; --at-least K keeps to sentences with at least K"
        )
    mixed = sum(
        0 < count < len(case.references)
        for count, case in zip(counts, cases_of(judged), strict=True)
    )
    if mixed:
        notes.append(
            f"curves: in {mixed} sentences an annotator found that nobody can annotate them and "
            "others corrected them; the former is no reference here, but one in `gecbench score`"
        )
    if any(point.subsets < point.of for curve in made for point in curve.points):
        notes.append(
            f"curves: of more than {sweep.most} subsets of one size, {sweep.most} drawn by lot "
            f"(seed {sweep.seed})"
        )
    left = [name for name in judged.metrics if name not in (*judged.refused, *swept(judged))]
    if left:
        notes.append(f"curves: {', '.join(left)} reads no references")
    return notes
