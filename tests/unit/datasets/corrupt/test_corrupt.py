"""Corrupting a sentence: what always holds, whatever the sentence, and each type for itself."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tiny_profiles import CHINESE, ENGLISH, corruptors, no_shapes, one_type

from gecbench.core.edit import Edit, apply, check
from gecbench.datasets.corrupt.corrupt import Outcome, load_corruptor
from gecbench.datasets.corrupt.profile import load_profile, with_settings
from gecbench.edits.corruption import UNIT, Choices, draws, key_of
from gecbench.lang.zh.sounds import common_characters
from gecbench.text.tokens import split_tokens

KEY = key_of(0, "test")

han = st.sampled_from("我们在他的了是不也很学校北京喜欢因为所以时候一个本书看见，。、！？“”")
zh_texts = st.text(st.one_of(han, han, han, st.sampled_from("aB3 \u3000😀é，。")), max_size=40)
WORDS = """the a dogs walks to school , . He's went because is in discuss I very 3.5 ( old ) it's
well-known students' don't 😀 people " ; on-line Internet information always"""
words = st.sampled_from(WORDS.split())
en_texts = st.builds(
    lambda parts: "".join(a + b for a, b in parts),
    st.lists(st.tuples(words, st.sampled_from([" ", " ", " ", "", "  "])), max_size=20),
)


def check_corrupted_text(outcome: Outcome, text: str, tokens: list[str]) -> None:
    if outcome.corrupted is None:
        return
    source, corrupted_tokens, edits = outcome.corrupted
    assert source != text
    assert 1 <= len(edits) <= outcome.goal
    as_edits = [Edit(e.start, e.end, tuple(e.replacement), e.label) for e in edits]
    check(as_edits, len(corrupted_tokens))
    assert list(apply(as_edits, corrupted_tokens)) == tokens
    assert "".join(corrupted_tokens) == "".join(source.split())
    for first, second in pairwise(as_edits):
        assert first.end < second.start  # something is kept between any two
    for edit in as_edits:
        assert tuple(corrupted_tokens[edit.start : edit.end]) != edit.replacement
    assert source.strip()


@given(zh_texts, st.integers(0, 999))
@example("我喜欢ABC", 1)
@example("的的的的", 3)
@example("A的B", 5)
def test_chinese_edits_lead_back(text: str, number: int):
    for corruptor in corruptors("zh"):
        outcome = corruptor(text, draws(KEY, number))
        check_corrupted_text(outcome, text, [c for c in text if not c.isspace()])


@given(en_texts, st.integers(0, 999))
@example("The cat.", 1)
@example("a, b", 2)
@example("the the the the", 3)
def test_english_edits_lead_back(text: str, number: int):
    for corruptor in corruptors("en"):
        outcome = corruptor(text, draws(KEY, number))
        check_corrupted_text(outcome, text, split_tokens(text, "en")[1::2])


@pytest.mark.parametrize("name", list(load_profile("zh-default").types))
def test_each_type_of_chinese_is_made(name: str):
    outcomes = [m for text in CHINESE for k in range(20) if (m := one_type("zh", name, text, k))]
    assert {edit.label for outcome in outcomes for edit in outcome.edits} == {name}


@pytest.mark.parametrize("name", list(load_profile("en-default").types))
def test_each_type_of_english_is_made(name: str):
    outcomes = [m for text in ENGLISH for k in range(20) if (m := one_type("en", name, text, k))]
    assert {edit.label for outcome in outcomes for edit in outcome.edits} == {name}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I like the dog, and the cat.", {"I like dog, and the cat.", "I like the dog, and cat."}),
        ("The dog barks.", {"Dog barks."}),
        ("(the dog)", {"(dog)"}),
        ("I like the dog , too .", {"I like dog , too ."}),
    ],
)
def test_blanks_and_capitals_are_made_right(text: str, expected: set[str]):
    texts = {m.text for k in range(60) if (m := one_type("en", "M:DET", text, k))}
    assert texts == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("M:PUNCT", "I like it ,but he", {"I like it but he"}),
        ("M:PUNCT", "I like it, but he", {"I like it but he"}),
        ("M:DET", "3.5the cats", {"3.5 cats"}),
        ("R:ORTH", "go to İzmir", set()),
    ],
)
def test_words_stay_two_and_tokens_stay_as_they_are(name: str, text: str, expected: set[str]):
    assert {m.text for k in range(60) if (m := one_type("en", name, text, k))} == expected


@given(st.lists(words, max_size=20).map(" ".join), st.integers(0, 999))
@example("dogs bark", 1)
def test_what_blanks_divide_stays_divided(text: str, number: int):
    for corruptor in corruptors("en", "space"):
        corrupted = corruptor(text, draws(KEY, number)).corrupted
        assert corrupted is None or corrupted.text.split() == list(corrupted.tokens)


def test_where_blanks_divide_tokens_a_comma_is_one():
    base = load_profile("en-default")
    zero = {f"types.{name}": "0" for name in base.types}
    only = {**zero, "types.U:PUNCT": "1", "tokens": "space", "shortest": "1"}
    corruptor = load_corruptor(with_settings(base, only), "test", no_shapes)
    corrupted = corruptor("dogs bark", draws(KEY, 1)).corrupted
    assert corrupted is not None
    assert corrupted.text == "dogs , bark"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("I see a dog", "I see, a dog"), ("I see a dog .", "I see , a dog .")],
)
def test_a_comma_is_written_as_the_text_writes_marks(text: str, expected: str):
    texts = {m.text for k in range(60) if (m := one_type("en", "U:PUNCT", text, k))}
    assert expected in texts


def test_latin_words_are_never_joined_or_changed_in_chinese():
    text = "我用Python的list写了3个程序，在GitHub上。"
    for k in range(300):
        for corruptor in corruptors("zh"):
            corrupted = corruptor(text, draws(KEY, k)).corrupted
            if corrupted is not None:
                tokens = split_tokens(corrupted.text, "zh")[1::2]
                assert {"Python", "list", "3", "GitHub"} <= set(tokens)


def test_the_longest_piece_that_stands_somewhere_counts():
    texts = {m.text for k in range(60) if (m := one_type("zh", "word-misused", "没有书", k))}
    assert texts <= {"不书", "不有书"}


def test_numbers_are_even_and_differ_by_sentence():
    values = [draws(KEY, k)() * UNIT for k in range(4000)]
    assert abs(sum(values) / len(values) - 0.5) < 0.02
    assert len(set(values)) > 3990
    counts = Counter(Choices("ab", (1, 3)).pick(draws(KEY, k)) for k in range(4000))
    assert abs(counts["b"] / 4000 - 0.75) < 0.03


def test_common_characters_are_the_first_level():
    assert len(set(common_characters())) == 3755


def test_errors_that_undo_one_another_are_not_made():
    """One of equal characters left out and one written twice: the text would be as it was."""
    base = load_profile("zh-default")
    zero = {f"types.{name}": "0" for name in base.types}
    both = {"types.word-missing": "1", "types.word-redundant": "1", "errors": "0,1"}
    corruptor = load_corruptor(with_settings(base, {**zero, **both}), "test", no_shapes)
    corruptors = [corruptor("的的的的的的的", draws(KEY, k)) for k in range(300)]
    assert all(
        corruptor.corrupted is None or corruptor.corrupted.text != "的的的的的的的"
        for corruptor in corruptors
    )
    assert {len(corruptor.corrupted.edits) for corruptor in corruptors if corruptor.corrupted} == {
        1,
        2,
    }
