"""What a curve says at a given number of edits: conservative systems compared like with like."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def at_equal_edits(points: Sequence[tuple[float, float]], edits: float) -> float | None:
    """Return the value of a curve where its system makes so many edits.

    A system that corrects less is more consistent, whatever it has learnt, so that CRS is compared
    at equal numbers of edits: on the line between the two nearest points of the curve that one
    gets from the system before that training by biases of KEEP.

    Args:
        points: Edits and value, in any order; of points with as many edits the mean counts.
        edits: Of the system that is compared.

    Returns:
        None where the curve has no point with as few edits, or none with as many: nothing is
        guessed beyond its ends.

    >>> at_equal_edits([(100, 0.4), (50, 0.6)], 75)
    0.5
    >>> at_equal_edits([(100, 0.4), (50, 0.6)], 101) is None
    True
    """
    by_edits: dict[float, list[float]] = {}
    for count, value in points:
        by_edits.setdefault(count, []).append(value)
    curve = sorted((count, sum(values) / len(values)) for count, values in by_edits.items())
    for count, value in curve:
        if count == edits:
            return value
    for (low, before), (high, after) in pairwise(curve):
        if low < edits < high:
            return before + (after - before) * (edits - low) / (high - low)
    return None
