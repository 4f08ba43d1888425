"""The search for near-duplicates finds what looking at every sentence finds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gecbench.datasets.prepare.steps import (
    EvaluationSets,
    Near,
    NearIndex,
    comparison_key,
    shingles,
)

TEXTS = st.text("我你他们的了一是不", max_size=14)


def slowly(texts: list[str], text: str, threshold: float, length: int) -> Near | None:
    """The obvious way: the similarity to each of them."""
    best = None
    mine = shingles(text, length)
    for item in texts:
        other = shingles(item, length)
        similarity = len(mine & other) / len(mine | other)
        if similarity >= threshold and (best is None or similarity > best.similarity):
            best = Near(item, similarity)
    return best


@given(
    st.lists(TEXTS, max_size=25),
    st.lists(TEXTS, min_size=1, max_size=6),
    st.sampled_from([0.1, 0.3, 0.5, 0.6, 0.75, 0.8, 0.9, 1.0]) | st.floats(0.05, 1),
    st.integers(1, 4),
)
@settings(max_examples=150)
def test_the_index_finds_what_looking_at_all_finds(texts, questions, threshold, length):
    index = NearIndex(texts, threshold=threshold, length=length)
    for text in [*questions, *texts[:3], *(text[1:] for text in texts[:5])]:
        assert index.nearest(text) == slowly(texts, text, threshold, length)


@pytest.mark.parametrize("threshold", [0.5, 0.6, 0.8])
def test_what_is_at_the_threshold_counts(threshold: float):
    shared, size = round(threshold * 10), 10
    text, other = "abcdefghij"[:size], "abcdefghij"[:shared]
    index = NearIndex([text], threshold=threshold, length=1)
    assert index.nearest(other) == Near(text, threshold)
    assert index.nearest(other[:-1]) is None


def test_keys_ignore_white_space_and_width():
    assert comparison_key(" Ｈｅｌｌｏ，　我 们。\u00a0") == comparison_key("Hello,我们。")
    assert comparison_key("é") == comparison_key("e\u0301")


def test_both_sides_are_looked_at_exact_ones_first(tmp_path):
    path = tmp_path / "evaluation.txt"
    path.write_text("今天天气很好，我们去公园。\n\n我 喜欢猫。\n", encoding="utf-8")
    sets = EvaluationSets([str(path)], near=0.7, shingle=2)
    assert sets.sentences == 2
    assert sets.find("我喜欢　猫。", "x") == ("source", None)
    assert sets.find("今天天气很好，我们公园。", "今天天气很好，我们去公园。") == ("target", None)
    side, near = sets.find("什么？", "今天天气很好，我们去了公园。")
    assert (side, near.text) == ("target", "今天天气很好,我们去公园。")
    assert 0.7 <= near.similarity < 1
    assert sets.find("猫喜欢我。", "狗喜欢我。") is None
    exact = EvaluationSets([str(path)], near=0, shingle=2)
    assert exact.find("今天天气很好，我们去了公园。", "x") is None
