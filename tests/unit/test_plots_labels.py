"""Labels beside points: none covers another, none leaves the frame, all are there."""

from __future__ import annotations

import itertools
import random

from figure_cases import figure
from test_plots import texts

from gecbench.reports.figure import Series
from gecbench.reports.plots import svg
from gecbench.reports.plots.labels import Box, spread

ROOM = Box(0, 0, 400, 260)


def overlap(one: Box, other: Box) -> bool:
    return (
        min(one.right, other.right) > max(one.left, other.left)
        and min(one.high, other.high) > max(one.low, other.low)
    )  # fmt: skip


def places(seed: int, count: int, spot: float) -> list[tuple[float, float]]:
    dice = random.Random(seed)
    return [
        (200 + dice.uniform(-spot, spot), 130 + dice.uniform(-spot, spot)) for _ in range(count)
    ]


def test_a_lone_label_stands_at_the_right_on_the_height_of_its_point():
    (box,) = spread([(100, 100)], [(40, 10)], ROOM, full=True)
    assert box == Box(106, 95, 146, 105)


def test_at_the_right_edge_a_label_goes_to_the_left():
    (box,) = spread([(395, 100)], [(40, 10)], ROOM, full=True)
    assert box == Box(349, 95, 389, 105)


def test_fifteen_labels_of_points_within_an_inch_do_not_cover_one_another():
    for seed in range(20):
        points = places(seed, 15, 36)
        boxes = spread(points, [(55, 9)] * 15, ROOM, full=True)
        assert not any(overlap(a, b) for a, b in itertools.combinations(boxes, 2)), seed
        assert all(box.left >= 0 and box.right <= 400 for box in boxes)
        marks = [Box(x - 2, y - 2, x + 2, y + 2) for x, y in points]
        assert sum(overlap(box, mark) for box in boxes for mark in marks) <= 1, seed


def test_in_a_crowd_labels_are_left_off_rather_than_cover_one_another():
    boxes = spread(places(1, 120, 90), [(40, 9)] * 120, ROOM, full=False)
    kept = [box for box in boxes if box is not None]
    assert 10 < len(kept) < 100
    assert not any(overlap(a, b) for a, b in itertools.combinations(kept, 2))


def test_a_point_without_a_label_needs_no_place_but_is_kept_free():
    boxes = spread([(100, 100), (120, 100)], [(40, 10), (0, 10)], ROOM, full=True)
    assert boxes[1] is None
    assert not overlap(boxes[0], Box(116, 96, 124, 104))


def test_a_label_far_from_its_point_is_joined_to_it_by_a_line():
    heap = figure("points", *(Series(f"system-{at:02d}", (1.0,), (1.0,)) for at in range(12)))
    page = svg(heap, "en")
    assert all(f"system-{at:02d}" in texts(page) for at in range(12))
    near = svg(figure("points", *(Series(str(at), (at,), (at,)) for at in range(12))), "en")
    joints = [made.count('stroke-width="0.6"') - made.count("clip-path") for made in (page, near)]
    assert joints[0] > joints[1]
