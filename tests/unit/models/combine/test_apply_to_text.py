"""Edits of tokens become texts that keep the white space of their source."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import expect_error

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, EditError
from gecbench.edits.apply import apply
from gecbench.models.combine.voting import apply_to_text

TOKENS = ("I", "has", "a", "cat", ".")
BLANKS = st.sampled_from(["", " ", "  ", "\u3000"])


def edited(source: str, *edits: tuple[int, int, str], separator: str = " ") -> str:
    tokens = TOKENS if separator else tuple("".join(source.split()))
    made = [Edit(start, end, tuple(words.split())) for start, end, words in edits]
    return apply_to_text(source, tokens, made, separator=separator)


@pytest.mark.parametrize(
    ("edits", "want"),
    [
        ([], " I  has a cat. "),
        ([(1, 2, "have")], " I  have a cat. "),
        ([(1, 3, "have the")], " I  have the cat. "),
        ([(2, 3, "")], " I  has cat. "),
        ([(1, 2, "")], " I a cat. "),
        ([(0, 1, "")], " has a cat. "),
        ([(4, 5, "")], " I  has a cat "),
        ([(3, 5, "")], " I  has a "),
        ([(0, 5, "")], "  "),
        ([(0, 0, "So")], " So I  has a cat. "),
        ([(3, 3, "big")], " I  has a big cat. "),
        ([(1, 1, "never")], " I  never has a cat. "),
        ([(4, 4, "now")], " I  has a cat now. "),
        ([(5, 5, "Really")], " I  has a cat. Really "),
        ([(0, 0, "So"), (0, 1, "we")], " So we  has a cat. "),
        ([(0, 0, "So"), (0, 1, "")], " So  has a cat. "),
        ([(2, 3, ""), (3, 3, "big")], " I  has big cat. "),
        ([(2, 2, "only"), (2, 3, "")], " I  has only cat. "),
    ],
)
def test_english(edits, want):
    assert edited(" I  has a cat. ", *edits) == want


@pytest.mark.parametrize(
    ("source", "edits", "want"),
    [
        ("我 有　猫。", [(1, 2, "")], "我　猫。"),
        ("我 有　猫。", [(1, 1, "也")], "我也 有　猫。"),
        ("我 有　猫。", [(0, 0, "今 天"), (0, 1, "你")], "今天你 有　猫。"),
        ("我 有　猫。\n", [(4, 4, "吗")], "我 有　猫。吗\n"),
        (" 我有猫", [(0, 1, "")], " 有猫"),
        ("我 有猫", [(1, 2, "")], "我 猫"),
    ],
)
def test_chinese(source, edits, want):
    assert edited(source, *edits, separator="") == want


@st.composite
def spaced(draw: st.DrawFn) -> str:
    gaps = draw(st.lists(BLANKS, min_size=len(TOKENS) + 1, max_size=len(TOKENS) + 1))
    return "".join(gap + token for gap, token in zip(gaps, [*TOKENS, ""], strict=True))


@given(spaced(), st.data())
@settings(max_examples=100)
def test_the_tokens_are_those_that_the_edits_make(source, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(TOKENS)), max_size=4)))
    words = st.lists(st.sampled_from(["x", "yz"]), max_size=2).map(tuple)
    spans = dict.fromkeys(zip(cuts[::2], cuts[1::2], strict=False))  # an odd one is left over
    edits = [Edit(start, end, data.draw(words)) for start, end in spans]
    for separator in ("", " "):
        made = apply_to_text(source, TOKENS, edits, separator=separator)
        assert "".join(made.split()) == "".join(apply(edits, TOKENS))
    assert apply_to_text(source, TOKENS, [], separator="") == source


def test_what_does_not_fit_the_text_is_refused():
    with expect_error(CorpusError, "'I has'"):
        apply_to_text("We have", ("I", "has"), [Edit(0, 1, ("x",))], separator=" ")
    with expect_error(EditError, "span 1 3"):
        apply_to_text("I has", ("I", "has"), [Edit(1, 3, ())], separator=" ")
