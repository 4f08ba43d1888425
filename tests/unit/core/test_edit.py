"""Edits: spans that can be, their operation, and edits that fit together."""

from __future__ import annotations

import pytest
from messages import expect_error

from gecbench.core.edit import Edit, apply, check
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


@pytest.mark.parametrize(
    ("edits", "target"),
    [
        ([], "甲乙丙"),
        ([Edit(0, 0, ("子",))], "子甲乙丙"),
        ([Edit(3, 3, ("子",))], "甲乙丙子"),
        ([Edit(0, 3, ())], ""),
        ([Edit(1, 2, ())], "甲丙"),
        ([Edit(1, 2, ("子", "丑"))], "甲子丑丙"),
        ([Edit(1, 2, None)], "甲乙丙"),
        ([Edit(0, 1, ("子",)), Edit(1, 1, ("丑",)), Edit(1, 2, ())], "子丑丙"),
        ([Edit(1, 2, ("丑",)), Edit(1, 1, ("子",))], "甲子丑丙"),
        ([Edit(1, 1, ("子",)), Edit(1, 1, ("丑",))], "甲子丑乙丙"),
        ([Edit(1, 1, ("丑",)), Edit(1, 1, ("子",))], "甲丑子乙丙"),
        ([Edit(2, 3, ("丑",)), Edit(0, 1, ("子",))], "子乙丑"),
    ],
)
def test_edits_make_the_target_in_any_order_of_listing(edits: list[Edit], target: str):
    assert apply(edits, "甲乙丙") == tuple(target)


def test_nothing_can_be_made_of_nothing_and_something_too():
    assert apply([], ()) == ()
    assert apply([Edit(0, 0, ("好",))], ()) == ("好",)


def test_edits_that_do_not_fit_are_refused():
    with pytest.raises(EditError, match="overlaps"):
        apply([Edit(0, 2, ()), Edit(1, 3, ())], "甲乙丙")
    with pytest.raises(EditError, match="ends after the source"):
        apply([Edit(0, 4, ())], "甲乙丙")


def test_source_and_edits_stay_as_they_are():
    source, edits = ["甲", "乙"], [Edit(1, 2, ("丙",)), Edit(0, 1, ())]
    apply(edits, source)
    assert source == ["甲", "乙"]
    assert edits == [Edit(1, 2, ("丙",)), Edit(0, 1, ())]
