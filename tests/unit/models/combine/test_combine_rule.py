"""Weights and thresholds: exact numbers, and one line where they are wrong."""

from __future__ import annotations

from fractions import Fraction

import pytest
from messages import expect_error

from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.models.combine.voting import (
    Rule,
    Threshold,
    parse_relaxed,
    parse_votes,
    parse_weights,
)


def test_numbers_are_what_was_written():
    assert (
        parse_votes(0.1, "it") + parse_votes("0.2", "it")
        == parse_votes(0.3, "it")
        == Fraction(3, 10)
    )
    assert parse_votes(2, "it") == parse_votes(Fraction(2), "it") == 2


@pytest.mark.parametrize(
    "value", [0, -1, "0", "-1", "", "x", "1e9", "nan", "1/2", True, float("nan"), float("inf")]
)
def test_what_is_no_number_above_0_is_refused(value):
    with expect_error(UsageError, "weight", "0"):
        parse_votes(value, "the weight")


def test_relaxed_is_a_name_or_a_number():
    assert [parse_relaxed(each) for each in ("none", "code", "2.5", 2)] == [
        *("none", "code"),
        *(Fraction(5, 2), Fraction(2)),
    ]
    with expect_error(UsageError, "relaxed", "'lax'"):
        parse_relaxed("lax")


def test_weights_are_of_systems_that_take_part():
    assert parse_weights(["a", "b"], {"b": "0.5"}) == (1, Fraction(1, 2))
    with expect_error(UnknownNameError, "'eagre'", "eager"):
        parse_weights(["eager", "cautious"], {"eagre": 2})


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"threshold": Fraction(4)}, "the threshold is 4, but all systems together have 3 votes"),
        ({"relaxed": Fraction(4)}, "the relaxed threshold is 4, but all"),
        ({"by_type": {"R": Fraction(4)}}, "the threshold of R is 4, but all"),
    ],
)
def test_a_threshold_above_all_votes_is_refused(more, message):
    with pytest.raises(UsageError, match=message):
        Rule((Fraction(1),) * 3, **more)
    Rule((Fraction(1), Fraction(3)), **more)


def test_no_system_is_refused():
    with expect_error(UsageError, "no system"):
        Rule(())


def test_bars_are_reached_from_below_or_passed():
    half = Threshold(Fraction(3, 2), exclusive=True)
    assert not half.admits(Fraction(3, 2))
    assert half.admits(Fraction(2))
    assert Threshold(Fraction(3, 2)).admits(Fraction(3, 2))
    assert str(half) == "more than 1.5"


def test_it_says_itself_in_words():
    rule = Rule((Fraction(1),) * 6, relaxed="paper", by_type={"R": Fraction(3)}, veto=True)
    assert rule.describe() == (
        "more than 3 of 6 votes; word order and spelling at least 2 (paper); R at least 3; "
        "veto of unchanged"
    )
    numbered = Rule((Fraction(1),) * 2, Fraction(2), Fraction(1))
    assert numbered.describe() == (
        "at least 2 of 2 votes; word order and spelling at least 1 (by number)"
    )
