"""Several rounds as one list of edits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gecbench.core.corrector import TextEdit, apply
from gecbench.core.errors import EditError
from gecbench.models.tags.replay import compose


def edit(start, end, replacement, score=None, label=None):
    return TextEdit(start, end, replacement, score, label)


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        # Nothing to do with one another: both as they were.
        ([edit(0, 1, "甲", 0.9, "A")], [edit(4, 5, "戊", 0.5, "B")],
         [edit(0, 1, "甲", 0.9, "A"), edit(4, 5, "戊", 0.5, "B")]),
        ([edit(1, 1, "甲乙")], [edit(6, 7, "戊")], [edit(1, 1, "甲乙"), edit(4, 5, "戊")]),
        ([edit(3, 4, "")], [edit(0, 1, "甲")], [edit(0, 1, "甲"), edit(3, 4, "")]),
        # Side by side: still two.
        ([edit(1, 2, "甲")], [edit(2, 3, "乙")], [edit(1, 2, "甲"), edit(2, 3, "乙")]),
        # One behind the other at one place: one, with the lesser score.
        ([edit(1, 2, "甲", 0.9, "A")], [edit(2, 2, "乙", 0.5, "B")],
         [edit(1, 2, "甲乙", 0.5, "A B")]),
        ([edit(1, 1, "甲", 0.4)], [edit(2, 2, "乙")], [edit(1, 1, "甲乙", 0.4)]),
        ([edit(1, 2, "")], [edit(1, 1, "乙")], [edit(1, 2, "乙")]),
        ([edit(1, 2, "甲")], [edit(1, 1, "乙")], [edit(1, 1, "乙"), edit(1, 2, "甲")]),
        # Changed again.
        ([edit(1, 2, "甲")], [edit(1, 2, "乙")], [edit(1, 2, "乙")]),
        ([edit(1, 2, "甲乙")], [edit(0, 2, "")], [edit(0, 2, "乙")]),
        # Undone.
        ([edit(1, 2, "甲")], [edit(1, 2, "二")], []),
        ([edit(1, 2, "")], [edit(1, 1, "二")], []),
        ([edit(1, 1, "甲")], [edit(1, 2, "")], []),
        ([edit(1, 2, "甲"), edit(2, 3, "乙")], [edit(1, 3, "二乙")], [edit(2, 3, "乙")]),
        ([], [edit(1, 2, "甲")], [edit(1, 2, "甲")]),
        ([edit(1, 2, "甲")], [], [edit(1, 2, "甲")]),
    ],
)  # fmt: skip
def test_edits_of_edits(first, second, whole):
    source = "一二三四五"
    assert compose(first, second, source) == tuple(whole)


def test_words_are_not_cut():
    first, second = [edit(2, 6, "walks")], [edit(2, 7, "walked")]
    assert compose(first, second, "I walk.") == (edit(2, 6, "walked"),)
    first, second = [edit(2, 6, "goes")], [edit(2, 6, "walk home")]
    assert compose(first, second, "I walk.") == (edit(6, 6, " home"),)


def test_edits_that_do_not_fit_are_refused():
    with pytest.raises(EditError, match="ends after the source"):
        compose([edit(0, 1, "")], [edit(0, 1, "")], "a")
    with pytest.raises(EditError, match="overlaps or precedes"):
        compose([edit(1, 2, ""), edit(0, 1, "")], [], "ab")


@st.composite
def edits_over(draw, text):
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))  # an odd one is left over
    texts = st.text("ab 我", max_size=3)
    return [edit(start, end, draw(texts), draw(st.floats(0, 1))) for start, end in spans]


HALF = settings(max_examples=settings().max_examples // 2 + 1)
"""These laws are tried on half as many examples as others, to save time."""


@HALF
@given(st.data(), st.text("ab 我", max_size=10))
def test_composing_is_doing_one_after_the_other(data, source):
    first = data.draw(edits_over(source))
    between = apply(first, source)
    second = data.draw(edits_over(between))
    third = data.draw(edits_over(apply(second, between)))
    whole = compose(first, second, source)
    assert apply(whole, source) == apply(second, between)
    longer = compose(whole, third, source)
    assert apply(longer, source) == apply(third, apply(second, between))


@HALF
@given(st.data(), st.text("ab 我", max_size=10))
def test_what_is_undone_is_gone(data, source):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(source)), max_size=8, unique=True)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))  # an odd one is left over
    first = [edit(start, end, "x") for start, end in spans if start < end]
    shift, second = 0, []
    for one in first:
        second.append(edit(one.start + shift, one.start + shift + 1, source[one.start : one.end]))
        shift += 1 - (one.end - one.start)
    assert compose(first, second, source) == ()
