"""Finds places for the labels of points where they cover neither points nor one another.

Libraries for this push labels apart by random steps and out of the frame; a figure has to come out
the same each time, with as many of its names as find room, and has a few dozen labels at most.
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


class _Place(NamedTuple):
    """Where a label may stand, and what it costs to stand there: far away, or aslant."""

    cost: float
    box: Box


def spread(
    points: Sequence[Point], sizes: Sequence[Point], room: Box, *, full: bool
) -> list[Box | None]:
    """Return a box for the label of each point, None for those that find no room.

    No box covers another or a marker, and none leaves the room.

    Args:
        points: Centres of the markers.
        sizes: Width and height of the labels; a width of 0 is no label.
        room: Where labels may stand.
        full: Labels may stand far away and make way for one another; else each takes a place
            close to its point or none.
    """
    marks = [Box(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in points]
    rings = _RINGS if full else _RINGS[:1]
    free = [
        _places(point, size, marks, room, rings) if size[0] else []
        for point, size in zip(points, sizes, strict=True)
    ]
    found: list[Box | None] = [None] * len(points)
    if not full:
        for at, places in enumerate(free):
            found[at] = _best(places, _others(found, at), limit=_FEE)
        return found
    crowded = sorted(range(len(points)), key=lambda at: (_closest(points, at), at))
    for _ in range(_ROUNDS):
        before = list(found)
        for at in crowded:
            found[at] = _best(free[at], _others(found, at))
        if found == before:
            break
    return _parted(found, free)


def _parted(found: Sequence[Box | None], free: Sequence[Sequence[_Place]]) -> list[Box | None]:
    """Leave off labels that cover others, the worst first, and try once more to place them."""
    kept = list(found)

    def covering(at: int) -> float:
        box = kept[at]
        return 0.0 if box is None else sum(_cover(box, other) for other in _others(kept, at))

    removed = []
    while kept and covering(worst := max(range(len(kept)), key=covering)):
        kept[worst] = None
        removed.append(worst)
    for at in removed:
        kept[at] = _best(free[at], _others(kept, at), limit=_FEE)
    return kept


def _others(found: Sequence[Box | None], at: int) -> list[Box]:
    return [box for i, box in enumerate(found) if box is not None and i != at]


def _closest(points: Sequence[Point], at: int) -> float:
    """Return how near the next point is; the most crowded choose first."""
    apart = [math.dist(points[at], other) for i, other in enumerate(points) if i != at]
    return min(apart, default=0.0)


def _places(
    point: Point, size: Point, marks: Sequence[Box], room: Box, rings: Sequence[float]
) -> list[_Place]:
    """Return where in the room a label covers no marker, the best place first."""
    found = []
    for ring, distance in enumerate(rings):
        for rank, angle in enumerate(_ANGLES):
            box = _beside(point, size, distance, angle)
            if _inside(box, room) and not any(_cover(box, mark) for mark in marks):
                found.append(_Place(4.0 * ring + 0.2 * rank, box))
    return sorted(found, key=lambda place: place.cost)


def _best(places: Sequence[_Place], taken: Sequence[Box], *, limit: float = math.inf) -> Box | None:
    """Return the place that costs least with what it covers, then the first.

    None is good enough whose cost is not below the limit; one below `_FEE` covers nothing.
    """
    best, least = None, limit
    for cost, box in places:
        if cost >= least:
            break
        for other in taken:
            cost += _cover(box, other)
            if cost >= least:
                break
        if cost < least:
            best, least = box, cost
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
    left, low, right, high = one
    if left >= other[2] + 1.5 or other[0] >= right + 1.5:  # most are, and there are millions
        return 0.0
    across = min(right, other[2]) - max(left, other[0]) + 1.5
    up = min(high, other[3]) - max(low, other[1]) + 0.5
    return _FEE + 2 * across * up if up > 0 else 0.0


def _inside(box: Box, room: Box) -> bool:
    return (
        box.left >= room.left
        and box.right <= room.right
        and box.low >= room.low
        and box.high <= room.high
    )
