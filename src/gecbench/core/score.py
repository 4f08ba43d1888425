"""Counts, scores, and the signature that no score travels without."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from typing import TYPE_CHECKING

from gecbench.core.errors import Message

if TYPE_CHECKING:
    from fractions import Fraction


_TIE = 1e-12
"""Numbers are equal that differ by less, relative to the greater: see `is_tie`."""


def is_tie(score: float, other: float) -> bool:
    """Whether two scores are equal but for the rounding of their last digits.

    F of the counts 2, 1, 0 and that of 1, 0, 2 are both 5/7 where recall weighs half as much, and
    their floating-point numbers differ in the last bit.
    """
    return isclose(score, other, rel_tol=_TIE, abs_tol=0.0)


def ranks(values: Sequence[float], *, higher_is_better: bool = True) -> list[int]:
    """The rank of each value, the best 1; tied values share the better rank."""
    sign = 1 if higher_is_better else -1
    return [
        1 + sum(sign * other > sign * value and not is_tie(other, value) for other in values)
        for value in values
    ]


def best_places(values: Sequence[float | None], *, higher_is_better: bool = True) -> set[int]:
    """The places of the best values; where all are equal, none is."""
    known = [at for at, value in enumerate(values) if value is not None]
    places = ranks([v for v in values if v is not None], higher_is_better=higher_is_better)
    best = {at for at, rank in zip(known, places, strict=True) if rank == 1}
    return best if len(best) < len(known) else set()


LEAST_RESAMPLES = 100
"""Fewer make no interval and no p."""

BETAS = (0.001, 1000.0)
"""The least and the greatest weight of recall in F that is accepted."""


def f_score(precision: float, recall: float, beta: float) -> float:
    """The weighted harmonic mean of precision and recall, in [0, 1]; 0 where both are 0."""
    if precision + recall == 0:
        return 0.0
    square = beta**2
    return (1 + square) * precision * recall / (square * precision + recall)


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, false positives and false negatives; exact integers."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __reduce__(self) -> tuple[type[Counts], tuple[int, int, int]]:
        """Pickle in a third of the time that a dataclass with slots takes: there are many."""
        return Counts, (self.tp, self.fp, self.fn)

    def __add__(self, other: Counts) -> Counts:
        """The counts of both together."""
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float:
        """Share of edits made that are right, in [0, 1], not rounded; 1 if none is wrong."""
        return self.tp / (self.tp + self.fp) if self.fp else 1.0

    @property
    def recall(self) -> float:
        """Share of right edits that are made, in [0, 1], not rounded; 1 if none is missed."""
        return self.tp / (self.tp + self.fn) if self.fn else 1.0

    def f(self, beta: float) -> float:
        """F of precision and recall, in [0, 1], not rounded."""
        return f_score(self.precision, self.recall, beta)

    def exact_f(self, beta: float) -> Fraction:
        """The same without rounding, for choices in which a tie makes a difference."""
        from fractions import Fraction

        square = Fraction(beta) ** 2
        weighted = (square.numerator + square.denominator) * self.tp
        rest = square.numerator * self.fn + square.denominator * self.fp
        return Fraction(weighted, weighted + rest) if weighted + rest else Fraction(1)


def total(counts: Iterable[Counts]) -> Counts:
    """The counts of all together."""
    tp = fp = fn = 0
    for part in counts:
        tp += part.tp
        fp += part.fp
        fn += part.fn
    return Counts(tp, fp, fn)


@dataclass(frozen=True, slots=True)
class Signature:
    """How a number was made: ordered names and values.

    >>> str(Signature({"metric": "cherrant", "beta": "0.5"}))
    'metric:cherrant|beta:0.5'
    """

    parts: Mapping[str, str]

    def __str__(self) -> str:
        """Name:value pairs joined by a bar, as sacrebleu writes them."""
        return "|".join(f"{name}:{value}" for name, value in self.parts.items())


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of confidence.

    Args:
        low: Its lower end, on the scale of the score.
        high: Its upper end.
        level: Confidence, in [0, 1].
        resamples: How many resamples it is the percentiles of.
        seed: Of the resamples.
    """

    low: float
    high: float
    level: float = 0.95
    resamples: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """A number with its parts and its signature.

    Args:
        value: Not rounded; in [0, 1] unless the metric says otherwise.
        signature: How it was made.
        sentences: How many sentences it is over.
        counts: What it was computed from; None for metrics that count no edits.
        by_type: Counts by edit type, where the metric has them; sorted by type name.
        parts: Other numbers that it was made of, by name, not rounded.
        interval: Where resampling was asked for.
    """

    value: float
    signature: Signature
    sentences: int
    counts: Counts | None = None
    by_type: Mapping[str, Counts] | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    interval: Interval | None = None


# Notes that stand above the numbers.


class WarningNote(Message):
    """A note that numbers are perhaps not what they seem; it is shown before they are.

    Other notes say how numbers were made and wait until someone asks.

    >>> WarningNote("{system}: empty outputs: {count}", system="a", count=3)
    'a: empty outputs: 3'
    """
