"""Edits: spans that can be, their operation, and edits that fit together."""

from __future__ import annotations

import pytest
from messages import expect_error

from gecbench.core.edit import Edit, check
from gecbench.core.errors import EditError


@pytest.mark.parametrize(("start", "end"), [(7, 3), (-1, 0), (-2, -1), (1, 0)])
def test_a_span_that_no_sentence_has_is_refused(start: int, end: int):
    with expect_error(EditError, f"span {start} {end}"):
        Edit(start, end, ())


@pytest.mark.parametrize(
    ("edit", "op"),
    [
        (Edit(0, 0, ("好",)), "M"),
        (Edit(0, 0, ()), "M"),
        (Edit(0, 1, ()), "R"),
        (Edit(0, 1, ("好",)), "S"),
        (Edit(0, 2, None), "S"),
        (Edit(0, 0, None), "M"),
    ],
)
def test_the_shape_gives_the_operation(edit: Edit, op: str):
    assert edit.op == op


@pytest.mark.parametrize(
    "spans",
    [
        [],
        [(0, 3)],
        [(3, 3)],
        [(0, 1), (1, 2)],
        [(1, 2), (0, 1)],
        [(1, 1), (1, 1)],
        [(1, 1), (1, 2)],
        [(1, 2), (1, 1)],
        [(0, 1), (1, 1), (1, 3)],
    ],
)
def test_edits_that_touch_fit_together(spans: list[tuple[int, int]]):
    check([Edit(*span, ("x",)) for span in spans], 3)


@pytest.mark.parametrize(
    ("spans", "facts"),
    [
        ([(0, 4)], ("span 0 4", "3 tokens")),
        ([(4, 4)], ("span 4 4", "3 tokens")),
        ([(0, 2), (1, 3)], ("span 1 3", "span 0 2")),
        ([(1, 3), (0, 2)], ("span 1 3", "span 0 2")),
        ([(0, 2), (1, 1)], ("span 1 1", "span 0 2")),
        ([(0, 1), (0, 1)], ("span 0 1 overlaps edit span 0 1",)),
        ([(0, 1), (1, 2), (1, 3)], ("span 1 3", "span 1 2")),
    ],
)
def test_the_first_edit_that_does_not_fit_is_named(
    spans: list[tuple[int, int]], facts: tuple[str, ...]
):
    with expect_error(EditError, *facts):
        check([Edit(*span, ("x",)) for span in spans], 3)
