"""Sentence accuracy by hand."""

from __future__ import annotations

import numpy as np
import pytest
from text_cases import IMPOSSIBLE, case, score, stats, values

from gecbench.core.errors import UsageError
from gecbench.metrics.sentence_accuracy import SentenceAccuracy

CASES = (
    case("他来", "他来了", "他来", "他来了"),
    case("好", "很好", "好"),
    case("好", "好", "好"),
    case("口口", "口口", IMPOSSIBLE),
)


def test_a_sentence_is_right_if_it_equals_any_reference():
    actual_score = score(SentenceAccuracy(), *CASES)
    assert (actual_score.value, actual_score.parts, actual_score.sentences) == (
        2 / 3,
        {"right": 2},
        3,
    )
    assert values(SentenceAccuracy(), *CASES) == [1, 0, 1]


def test_white_space_is_nothing_or_divides_words():
    joined = case("", "I have alot", "I have a lot")
    assert score(SentenceAccuracy(), joined).value == 1
    assert score(SentenceAccuracy(unit="word"), joined).value == 0
    assert score(SentenceAccuracy(unit="word"), case("", "a  b", " a b ")).value == 1


def test_the_first_version_counts():
    two = type(CASES[0])("1", CASES[1].hypotheses + CASES[2].hypotheses, CASES[2].references, "好")
    assert SentenceAccuracy().stats(two) is False


def test_no_sentence_at_all_has_0():
    assert SentenceAccuracy().aggregate([]).value == 0


def test_a_resample_is_the_score_of_these_sentences():
    rows = stats(SentenceAccuracy(), *CASES)
    places = np.array([[0, 1, 2], [1, 1, 1], [0, 0, 2]])
    assert SentenceAccuracy().resample(rows, places).tolist() == [2 / 3, 0, 1]


def test_the_signature_says_how():
    assert str(SentenceAccuracy().signature) == "metric:sentence-accuracy|unit:character"


def test_an_unknown_unit_is_refused():
    message = r"^sentence-accuracy\.unit is 'letter'; it is one of character, word$"
    with pytest.raises(UsageError, match=message):
        SentenceAccuracy(unit="letter")
