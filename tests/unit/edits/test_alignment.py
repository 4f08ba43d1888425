"""The changes between two token sequences."""

from __future__ import annotations

from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.core.edit import apply
from gecbench.edits.alignment import changes, encode

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
    actual_changes = changes(source.split(), target.split())
    assert [(edit.start, edit.end, edit.replacement) for edit in actual_changes] == expected
    assert all(edit.label is None for edit in actual_changes)


@given(WORDS, WORDS)
def test_changes_lead_to_the_target_and_never_touch_one_another(first: list, second: list):
    actual_changes = changes(first, second)
    assert apply(actual_changes, first) == tuple(second)
    assert all(a.end < b.start for a, b in pairwise(actual_changes))
    assert (actual_changes == ()) == (first == second)


@pytest.mark.parametrize("source", ["", "ab", ("a", "bc"), ("ab", ""), ("", "a", "a"), "\ud800"])
@pytest.mark.parametrize("target", ["", "ba", ("bc", "a"), ("", "ab"), "𠀀a"])
def test_codes_are_equal_exactly_where_tokens_are(source, target):
    left, right = (array("I", codes).tolist() for codes in encode(source, target))
    tokens = [*source, *target]
    assert len(left) == len(source)
    for token, code in zip(tokens, [*left, *right], strict=True):
        for other, another in zip(tokens, [*left, *right], strict=True):
            assert (token == other) == (code == another)
