"""Labels beside points: none covers another, none leaves the frame, all are there."""

from __future__ import annotations

import itertools
import random

import pytest
from figure_cases import figure

from gecbench.reports.plots import svg
from gecbench.reports.plots.charts import Box, spread
from gecbench.reports.report import Series

from .test_canvas import SVG, elements, texts
from .test_canvas import places as text_places

AREA = Box(0, 0, 400, 260)


def overlap(box: Box, other: Box) -> bool:
    return (
        min(box.right, other.right) > max(box.left, other.left)
        and min(box.high, other.high) > max(box.low, other.low)
    )  # fmt: skip


def places(seed: int, count: int, spot: float) -> list[tuple[float, float]]:
    dice = random.Random(seed)
    return [
        (200 + dice.uniform(-spot, spot), 130 + dice.uniform(-spot, spot)) for _ in range(count)
    ]


def sized(svg_text: str) -> list[tuple[str, float]]:
    """Texts of labels, which are smaller than others, with how far down they stand."""
    small = {
        element.text
        for element in elements(svg_text)
        if element.tag == SVG + "text" and element.get("font-size") == "7.5px"
    }
    return [(text, y) for text, _, y in text_places(svg_text) if text in small]


def assert_tidy(points: list[tuple[float, float]], boxes: list[Box | None], area: Box = AREA):
    labels = [box for box in boxes if box is not None]
    marks = [Box(x - 4, y - 4, x + 4, y + 4) for x, y in points]
    assert not any(overlap(a, b) for a, b in itertools.combinations(labels, 2))
    assert not any(overlap(box, mark) for box in labels for mark in marks)
    assert all(box.left >= area.left and box.right <= area.right for box in labels)
    assert all(box.low >= area.low and box.high <= area.high for box in labels)


def test_a_lone_label_stands_at_the_right_on_the_height_of_its_point():
    (box,) = spread([(100, 100)], [(40, 10)], AREA, full=True)
    assert box == Box(106, 95, 146, 105)


def test_at_the_right_edge_a_label_goes_to_the_left():
    (box,) = spread([(395, 100)], [(40, 10)], AREA, full=True)
    assert box == Box(349, 95, 389, 105)


def test_fifteen_labels_of_points_within_an_inch_do_not_cover_one_another():
    for seed in range(20):
        points = places(seed, 15, 36)
        boxes = spread(points, [(55, 9)] * 15, AREA, full=True)
        assert None not in boxes, seed
        assert_tidy(points, boxes)


def test_labels_that_find_no_room_are_left_off_rather_than_cover_anything_or_leave_the_frame():
    small = Box(150, 80, 260, 180)
    for seed in range(5):
        points = places(seed, 25, 45)
        boxes = spread(points, [(40, 9)] * 25, small, full=True)
        assert 1 <= sum(box is not None for box in boxes) < 25
        assert_tidy(points, boxes, small)
    assert spread([(200, 100)], [(120, 10)], small, full=True) == [None]


def crowd(count: int, name: str) -> Series:
    points = places(3, count, 1)
    return Series(
        "annotators",
        tuple(x for x, _ in points),
        tuple(y for _, y in points),
        labels=tuple(f"{name}-{at:02d}" for at in range(count)),
    )


LONG_NAME = "annotator-of-a-very-large-university-with-a-long-name"


def test_labels_stay_below_the_title_of_the_axis_and_above_its_numbers():
    svg_text = svg(figure("points", crowd(25, LONG_NAME)), "en")
    small = [y for text, y in sized(svg_text)]
    title = next(y for text, _, y in text_places(svg_text) if text == "F0.5 (%)")
    numbers = max(y for text, _, y in text_places(svg_text) if text.endswith(".0"))
    assert len(small) > 8
    assert all(title + 7 < y < numbers for y in small)
    assert all(0 < x < 468 for _, x, _ in text_places(svg_text))


def test_labels_are_shortened_until_all_find_room():
    words = texts(svg(figure("points", crowd(12, LONG_NAME)), "en"))
    assert all(f"-{at:02d}" in words for at in range(12))


@pytest.mark.slow
@pytest.mark.no_cover
def test_systems_whose_names_find_no_room_are_in_a_legend():
    heap = (Series(f"{LONG_NAME}-{at:02d}", (1.0,), (1.0,)) for at in range(34))
    svg_text = svg(figure("points", *heap), "en")
    assert all(f"-{at:02d}" in texts(svg_text) for at in range(34))
    assert len(sized(svg_text)) < 34


def test_in_a_crowd_labels_are_left_off_rather_than_cover_one_another():
    boxes = spread(places(1, 120, 90), [(40, 9)] * 120, AREA, full=False)
    labels = [box for box in boxes if box is not None]
    assert 10 < len(labels) < 100
    assert not any(overlap(a, b) for a, b in itertools.combinations(labels, 2))


def test_a_point_without_a_label_needs_no_place_but_is_kept_free():
    boxes = spread([(100, 100), (120, 100)], [(40, 10), (0, 10)], AREA, full=True)
    assert boxes[1] is None
    assert not overlap(boxes[0], Box(116, 96, 124, 104))


def test_a_label_far_from_its_point_is_joined_to_it_by_a_line():
    heap = figure("points", *(Series(f"system-{at:02d}", (1.0,), (1.0,)) for at in range(12)))
    page = svg(heap, "en")
    assert all(f"system-{at:02d}" in texts(page) for at in range(12))
    near = svg(figure("points", *(Series(str(at), (at,), (at,)) for at in range(12))), "en")
    joints = [
        svg_text.count('stroke-width="0.6"') - svg_text.count("clip-path")
        for svg_text in (page, near)
    ]
    assert joints[0] > joints[1]
