"""n-grams: how often each occurs, and what texts share."""

from __future__ import annotations

import pytest
from text_cases import IMPOSSIBLE, case

from gecbench.scoring.texts import (
    characters,
    count,
    intersection,
    overlap,
    pieces,
    references,
    totals,
)


def test_every_length_is_counted_apart():
    assert [dict(grams) for grams in count("abab", 3)] == [
        {("a",): 2, ("b",): 2},
        {("a", "b"): 2, ("b", "a"): 1},
        {("a", "b", "a"): 1, ("b", "a", "b"): 1},
    ]


def test_a_short_text_has_no_long_ngrams():
    assert [dict(grams) for grams in count("a", 3)] == [{("a",): 1}, {}, {}]
    assert [dict(grams) for grams in count("", 2)] == [{}, {}]


@pytest.mark.parametrize("length", range(7))
def test_totals_are_the_numbers_of_ngrams(length: int):
    counted = [sum(grams.values()) for grams in count("abcdef"[:length], 4)]
    assert list(totals(length, 4)) == counted


def test_what_is_shared_counts_as_often_as_both_have_it():
    first, second = count("aaab", 1)[0], count("aac", 1)[0]
    assert overlap(first, second) == 2
    assert intersection(first, second) == {("a",): 2}


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("word", ["I", "am", "好"]),
        ("character", list("Iam好")),
        ("spaced-character", list("I  am 好")),
    ],
)
def test_pieces_of_a_text(unit: str, expected: list[str]):
    assert list(pieces(" I  am 好 ", unit)) == expected


def test_no_white_space_is_a_character():
    assert characters("\u3000他 是\t学\u00a0生\n") == "他是学生"


def test_impossible_references_have_no_text():
    assert references(case("a", "b", "c", IMPOSSIBLE, "")) == ("c", "")
