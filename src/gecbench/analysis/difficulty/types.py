"""How difficult each type of error is: the paper's table 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gecbench.analysis.difficulty.sheet import Sheet

Level = Literal[1, 2, 3]
LEVELS: tuple[Level, ...] = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class TypeDifficulty:
    """The weights of the errors of one type.

    Args:
        label: The type, or the part of it at a level; "" where a type has no such part.
        mean: Of the weights.
        deviation: Standard deviation of the sample; 0 for one error.
        count: How many errors there are.
        low: One deviation below the mean, but not below the least weight of the type.
        high: One deviation above the mean, but not above the greatest.
    """

    label: str
    mean: float
    deviation: float
    count: int
    low: float
    high: float


def by_type(
    sheet: Sheet, weights: Sequence[Sequence[float]], level: Level
) -> tuple[TypeDifficulty, ...]:
    """Return the difficulty of types, the most difficult first.

    Args:
        sheet: Whose errors are grouped.
        weights: Of each chunk of each sentence.
        level: 1 takes what stands before the first colon of a type (the operation), 2 what
            stands behind it (the category), 3 the whole.
    """
    groups: dict[str, list[float]] = {}
    for at, (row, values) in enumerate(zip(sheet.chunks, weights, strict=True)):
        for chunk, weight in zip(row, values, strict=True):
            label = sheet.label(at, chunk)
            if label is not None:
                groups.setdefault(_part(label, level), []).append(weight)
    made = [_type(label, values) for label, values in groups.items()]
    return tuple(sorted(made, key=lambda one: -one.mean))


def _part(label: str, level: Level) -> str:
    operation, _, category = label.partition(":")
    return (operation, category, label)[level - 1]


def _type(label: str, values: Sequence[float]) -> TypeDifficulty:
    import statistics

    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    mean = statistics.mean(values)
    low, high = max(mean - deviation, min(values)), min(mean + deviation, max(values))
    return TypeDifficulty(label, mean, deviation, len(values), low, high)
