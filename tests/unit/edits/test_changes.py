"""Changes between token sequences of any kind."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.edits.apply import apply, changes

WORDS = st.lists(st.sampled_from(["我", "我们", "去", "了"]), max_size=8)


@pytest.mark.parametrize(
    ("source", "target", "wanted"),
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
def test_neighbours_are_one_change(source: str, target: str, wanted: list):
    found = changes(source.split(), target.split())
    assert [(edit.start, edit.end, edit.replacement) for edit in found] == wanted
    assert all(edit.label is None for edit in found)


@given(WORDS, WORDS)
def test_changes_lead_to_the_target_and_never_touch_one_another(one: list, two: list):
    found = changes(one, two)
    assert apply(found, one) == tuple(two)
    assert all(a.end < b.start for a, b in pairwise(found))
    assert (found == ()) == (one == two)
