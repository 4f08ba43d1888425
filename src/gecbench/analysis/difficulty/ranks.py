"""Ranks by two measures, and how far they differ: the paper's tables 2 and 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_EQUAL = 1e-12
"""Values this close are the same: sums of weights in another order differ in their last digits."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranks of one system.

    Args:
        system: Its name.
        value: By the first measure.
        rank: From 1; equal values share the better rank.
        other: By the second.
        other_rank: Likewise.
    """

    system: str
    value: float
    rank: int
    other: float
    other_rank: int

    @property
    def change(self) -> int:
        """How many ranks higher the first measure puts it; negative for lower."""
        return self.other_rank - self.rank


def ranked(
    systems: Sequence[str], values: Sequence[float], others: Sequence[float]
) -> tuple[Ranked, ...]:
    """Return systems by rank of the first measure, those of one rank in the order given.

    Args:
        systems: Their names.
        values: By the first measure, higher is better.
        others: By the second.
    """
    rows = zip(systems, values, ranks(values), others, ranks(others), strict=True)
    return tuple(sorted((Ranked(*row) for row in rows), key=lambda row: row.rank))


def ranks(values: Sequence[float]) -> list[int]:
    """Return the ranks of values, the highest first; equal ones share the better rank."""
    return [1 + sum(other > value + _EQUAL for other in values) for value in values]
