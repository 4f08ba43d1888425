"""The three ways to the tokens of a text give the same ones."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gecbench.core.errors import UnknownNameError
from gecbench.text.tokens import split_tokens, token_texts, tokens_of

KINDS = ("zh", "en", "space")
TEXTS = st.text(st.one_of(st.characters(), st.sampled_from(" \u3000aZ09我'’-.,")))


@pytest.mark.parametrize("kind", KINDS)
@given(TEXTS)
@example("我有3本book。")
@example("我有 10 只a")
@example("没有，只是１２ｋｍ。")
def test_all_ways_agree(kind, text):
    wanted = [token.text for token in tokens_of(text, kind)]
    assert token_texts(text, kind) == wanted
    assert split_tokens(text, kind)[1::2] == wanted


@pytest.mark.parametrize("way", [tokens_of, split_tokens, token_texts])
def test_an_unknown_kind_is_said(way):
    with pytest.raises(UnknownNameError, match="kind of token"):
        way("x", "wrods")
