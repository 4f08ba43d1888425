"""Laws of all segmenters that can be run here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TEXTS

from gecbench.core.sample import Corpus
from gecbench.scoring.cases import Segmenter, segmenter

PIECES = [*"喜欢学习中文。，3.%-+Ａ１aB𠀀ﷺ", "我们", "\u3000", "\x1c", "\u200b"]
CHINESE = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@pytest.fixture(scope="module", params=["spaces", "characters", "jieba"])
def divider(request: pytest.FixtureRequest) -> Segmenter:
    if request.param == "jieba":
        pytest.importorskip("jieba")
    return segmenter(request.param, Corpus("x", ()))


@given(text=st.one_of(TEXTS, CHINESE, st.text(max_size=12)))
def test_tokens_are_the_text_without_its_white_space(divider: Segmenter, text: str):
    tokens = divider.divide(text)
    assert "".join(tokens) == "".join(text.split())
    assert all(tokens)
    assert all(not character.isspace() for token in tokens for character in token)
    assert divider.divide(text) == tokens


@given(texts=st.lists(CHINESE, max_size=3))
def test_white_space_always_divides(divider: Segmenter, texts: list[str]):
    pieces = [piece for text in texts for piece in text.split()]
    apart = [token for piece in pieces for token in divider.divide(piece)]
    assert list(divider.divide(" ".join(pieces))) == apart
