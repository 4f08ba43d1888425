"""Edits applied to a source."""

from __future__ import annotations

from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.core.edit import Edit
from gecbench.core.errors import EditError
from gecbench.edits.alignment import encode
from gecbench.edits.apply import apply, changes


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


WORDS = st.lists(st.sampled_from(["我", "我们", "去", "了"]), max_size=8)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("", "", []),
        ("a b", "a b", []),
        ("", "a", [(0, 0, ("a",))]),
        ("a", "", [(0, 1, ())]),
        ("a b c", "a x y c", [(1, 2, ("x", "y"))]),
        ("a b c d", "x b c", [(0, 1, ("x",)), (3, 4, ())]),
        ("我们 去", "我 们 去", [(0, 1, ("我", "们"))]),
    ],
)
def test_neighbours_are_one_change(source: str, target: str, expected: list):
    changes_found = changes(source.split(), target.split())
    assert [(edit.start, edit.end, edit.replacement) for edit in changes_found] == expected
    assert all(edit.label is None for edit in changes_found)


@given(WORDS, WORDS)
def test_changes_lead_to_the_target_and_never_touch_one_another(first: list, second: list):
    changes_found = changes(first, second)
    assert apply(changes_found, first) == tuple(second)
    assert all(a.end < b.start for a, b in pairwise(changes_found))
    assert (changes_found == ()) == (first == second)


@pytest.mark.parametrize("source", ["", "ab", ("a", "bc"), ("ab", ""), ("", "a", "a"), "\ud800"])
@pytest.mark.parametrize("target", ["", "ba", ("bc", "a"), ("", "ab"), "𠀀a"])
def test_codes_are_equal_exactly_where_tokens_are(source, target):
    left, right = (array("I", codes).tolist() for codes in encode(source, target))
    tokens = [*source, *target]
    assert len(left) == len(source)
    for token, code in zip(tokens, [*left, *right], strict=True):
        for other, another in zip(tokens, [*left, *right], strict=True):
            assert (token == other) == (code == another)
