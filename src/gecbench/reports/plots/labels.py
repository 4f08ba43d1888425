"""Finds places for the labels of points where they cover neither points nor one another.

Libraries for this push labels apart by random steps or leave off what finds no place; a figure has
to come out the same each time, with all its names, and has a few dozen labels at most.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Point = tuple[float, float]


class Box(NamedTuple):
    """A rectangle, y upwards, in points."""

    left: float
    low: float
    right: float
    high: float


_RINGS = (6.0, 11.0, 18.0, 27.0, 38.0, 52.0)
"""How far from its point a label may stand."""

_ANGLES = (0, 180, 90, 270, 45, 315, 135, 225, 22, 338, 158, 202, 68, 112, 248, 292)
"""In degrees, in the order of preference: right, left, above, below, then slanting."""

_MARK = 4.0
"""Half the side of the square that a marker takes."""

_ROUNDS = 4

_FEE = 30.0
"""What covering anything costs, more than any distance."""


def spread(
    points: Sequence[Point], sizes: Sequence[Point], room: Box, *, full: bool
) -> list[Box | None]:
    """Return a box for the label of each point.

    Args:
        points: Centres of the markers.
        sizes: Width and height of the labels; a width of 0 is no label.
        room: Where labels may stand.
        full: Every label gets a place, even where it covers something; else None.
    """
    marks = [Box(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in points]
    found: list[Box | None] = [None] * len(points)
    if not full:
        for at, (point, size) in enumerate(zip(points, sizes, strict=True)):
            if size[0]:
                others = [box for box in found[:at] if box is not None]
                found[at] = _best(point, size, [*marks, *others], room, limit=_FEE)
        return found
    crowded = sorted(range(len(points)), key=lambda at: (_closest(points, at), at))
    for _ in range(_ROUNDS):
        before = list(found)
        for at in crowded:
            if sizes[at][0]:
                others = [box for i, box in enumerate(found) if box is not None and i != at]
                found[at] = _best(points[at], sizes[at], [*marks, *others], room)
        if found == before:
            break
    return found


def _closest(points: Sequence[Point], at: int) -> float:
    """Return how near the next point is; the most crowded choose first."""
    apart = [math.dist(points[at], other) for i, other in enumerate(points) if i != at]
    return min(apart, default=0.0)


def _best(
    point: Point, size: Point, taken: Sequence[Box], room: Box, *, limit: float = math.inf
) -> Box | None:
    """Return the candidate that covers least, then the nearest, then the first.

    None is good enough whose cost is not below the limit; then only near ones are tried.
    """
    best, least = None, limit
    for ring, distance in enumerate(_RINGS if limit == math.inf else _RINGS[:1]):
        for rank, angle in enumerate(_ANGLES):
            box = _beside(point, size, distance, angle)
            cost = 4.0 * ring + 0.2 * rank + 8.0 * _outside(box, room)
            for other in taken:
                cost += _cover(box, other)
                if cost >= least:
                    break
            if cost < least:
                best, least = box, cost
        if least < 4.0 * (ring + 1):
            break
    return best


def _beside(point: Point, size: Point, distance: float, angle: int) -> Box:
    """Return the box whose nearest side or corner is at a distance from its point."""
    across, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    width, height = size
    x = point[0] + across * distance + _push(across) * width / 2
    y = point[1] + up * distance + _push(up) * height / 2
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _push(part: float) -> float:
    return 0.0 if abs(part) < 0.1 else math.copysign(min(1.0, abs(part) * 1.5), part)


def _cover(one: Box, other: Box) -> float:
    """Return the area that two boxes share, with a little air around, and a fee for sharing."""
    across = min(one.right, other.right) - max(one.left, other.left) + 1.5
    up = min(one.high, other.high) - max(one.low, other.low) + 0.5
    return _FEE + 2 * across * up if across > 0 and up > 0 else 0.0


def _outside(box: Box, room: Box) -> float:
    """Return how far a box stands over the edge."""
    return (
        max(0.0, room.left - box.left)
        + max(0.0, box.right - room.right)
        + max(0.0, room.low - box.low)
        + max(0.0, box.high - room.high)
    )
