"""Counts, their ratios, and signatures."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from gecbench.core.score import Counts, Signature, best_places, f_score, is_tie, ranks, total

NUMBERS = list(itertools.product(range(4), repeat=3))


@pytest.mark.parametrize(
    ("counts", "p", "r", "f"),
    [
        (Counts(0, 0, 0), 1.0, 1.0, 1.0),
        (Counts(0, 1, 0), 0.0, 1.0, 0.0),
        (Counts(0, 0, 1), 1.0, 0.0, 0.0),
        (Counts(0, 1, 1), 0.0, 0.0, 0.0),
        (Counts(2, 0, 0), 1.0, 1.0, 1.0),
    ],
)
def test_nothing_out_of_nothing_is_as_the_official_script_has_it(counts, p, r, f):
    assert (counts.precision, counts.recall, counts.f(0.5)) == (p, r, f)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_f_is_that_of_exact_fractions(beta: float):
    for tp, fp, fn in NUMBERS:
        p = Fraction(tp, tp + fp) if fp else Fraction(1)
        r = Fraction(tp, tp + fn) if fn else Fraction(1)
        square = Fraction(beta) ** 2
        want = (1 + square) * p * r / (square * p + r) if p + r else 0
        assert math.isclose(Counts(tp, fp, fn).f(beta), want)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0, 0.3])
def test_exact_f_is_f_and_knows_every_tie(beta: float):
    for number in NUMBERS:
        assert Counts(*number).f(beta) == pytest.approx(
            float(Counts(*number).exact_f(beta)), abs=1e-15
        )
    for number, second in itertools.combinations((Counts(*three) for three in NUMBERS), 2):
        assert is_tie(number.f(beta), second.f(beta)) == (
            number.exact_f(beta) == second.exact_f(beta)
        )


FIVE_SEVENTHS = Counts(2, 1, 0).f(0.5), Counts(1, 0, 2).f(0.5)


def test_scores_that_differ_in_their_last_bit_share_a_rank_and_are_both_the_best():
    assert FIVE_SEVENTHS[0] != FIVE_SEVENTHS[1]
    values = [0.5, *FIVE_SEVENTHS, 0.1]
    assert ranks(values) == [3, 1, 1, 4]
    assert ranks(values, higher_is_better=False) == [2, 3, 3, 1]
    assert best_places([None, *values]) == {2, 3}
    assert best_places(values, higher_is_better=False) == {3}
    assert best_places([*FIVE_SEVENTHS, None]) == best_places([]) == set()


def test_small_scores_are_not_tied_for_being_small():
    assert ranks([1e-20, 2e-20]) == [2, 1]


def test_a_small_beta_leans_to_precision():
    assert math.isclose(f_score(0.9, 0.3, 1e-6), 0.9, rel_tol=1e-6)
    assert math.isclose(f_score(0.9, 0.3, 1e6), 0.3, rel_tol=1e-6)


def test_f_of_nothing_is_nothing():
    assert f_score(0.0, 0.0, 0.5) == 0.0


def test_counts_add_up():
    all_of_them = [Counts(*three) for three in NUMBERS]
    assert total(all_of_them) == sum(all_of_them, Counts()) == Counts(96, 96, 96)
    assert total([]) == Counts(0, 0, 0)


def test_a_signature_keeps_its_order():
    assert str(Signature({"b": "2", "a": "1"})) == "b:2|a:1"
    assert str(Signature({})) == ""
