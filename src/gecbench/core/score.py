"""Counts, scores, and the signature that no score travels without."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


def f_score(precision: float, recall: float, beta: float) -> float:
    """Return the weighted harmonic mean of precision and recall, in [0, 1]; 0 where both are 0."""
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

    def __add__(self, other: Counts) -> Counts:
        """Return the counts of both together."""
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
        """Return F of precision and recall, in [0, 1], not rounded."""
        return f_score(self.precision, self.recall, beta)


def total(counts: Iterable[Counts]) -> Counts:
    """Return the counts of all together."""
    tp = fp = fn = 0
    for one in counts:
        tp += one.tp
        fp += one.fp
        fn += one.fn
    return Counts(tp, fp, fn)


@dataclass(frozen=True, slots=True)
class Signature:
    """How a number was made: ordered names and values.

    >>> str(Signature({"metric": "cherrant", "beta": "0.5"}))
    'metric:cherrant|beta:0.5'
    """

    parts: Mapping[str, str]

    def __str__(self) -> str:
        """Return name:value pairs joined by a bar, as sacrebleu writes them."""
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
