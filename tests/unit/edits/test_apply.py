"""Edits applied to a source."""

from __future__ import annotations

import pytest

from gecbench.core.edit import Edit
from gecbench.core.errors import EditError
from gecbench.edits.apply import apply


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
