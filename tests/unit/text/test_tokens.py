"""The three ways to the tokens of a text give the same ones; where tokens stand in it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gecbench.core.errors import UnknownNameError
from gecbench.text.tokens import spans, split_tokens, token_texts, tokens_of

KINDS = ("zh", "en", "space")
TEXTS = st.text(st.one_of(st.characters(), st.sampled_from(" \u3000aZ09我'’-.,")))


@pytest.mark.parametrize("kind", KINDS)
@given(TEXTS)
@example("我有3本book。")
@example("我有 10 只a")
@example("没有，只是１２ｋｍ。")
def test_all_ways_agree(kind, text):
    texts = [token.text for token in tokens_of(text, kind)]
    assert token_texts(text, kind) == texts
    assert split_tokens(text, kind)[1::2] == texts


@pytest.mark.parametrize("way", [tokens_of, split_tokens, token_texts])
def test_an_unknown_kind_is_said(way):
    with pytest.raises(UnknownNameError, match="kind of token"):
        way("x", "wrods")


def test_tokens_are_found_in_order_over_white_space():
    assert spans(" ab  a b", ("ab", "a", "b")) == ((1, 3), (5, 6), (7, 8))


def test_a_token_that_repeats_is_found_each_time():
    assert spans("了了了", ("了", "了", "了")) == ((0, 1), (1, 2), (2, 3))


@pytest.mark.parametrize("tokens", [("b",), ("a", "c"), ("a",), ("a", "b", "b")])
def test_tokens_of_another_text_have_no_places(tokens: tuple[str, ...]):
    assert spans("ab", tokens) is None


def test_an_empty_text_has_no_tokens():
    assert spans("  ", ()) == ()
