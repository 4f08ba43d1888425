"""Resampling: seeded, exact sums, and Python's own rounding inside the choice of references."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from gecbench.core.score import Counts
from gecbench.core.seeding import number
from gecbench.scoring import resample
from gecbench.scoring.resample import (
    CandidateCounts,
    ErrantRule,
    draw_blocks,
    draws,
    f_scores,
    interval,
    mean,
    means,
    sums,
)


def test_draws_are_the_same_for_one_seed_and_others_for_another():
    drawn = draws(50, resamples=20, seed=1)
    assert drawn.shape == (20, 50)
    assert (drawn == draws(50, resamples=20, seed=1)).all()
    assert (drawn != draws(50, resamples=20, seed=2)).any()
    assert (np.diff(drawn, axis=1) >= 0).all(), "a resample keeps the order of the corpus"
    assert {int(drawn.min()), int(drawn.max())} <= set(range(50))


def test_draws_are_written_down():
    """A later NumPy that draws otherwise would change published intervals: it has to be seen."""
    assert draws(9, resamples=2, seed=0).tolist() == WRITTEN


WRITTEN = [[1, 3, 3, 4, 5, 6, 6, 6, 7], [0, 1, 1, 1, 1, 2, 4, 6, 6]]


def test_draws_are_the_same_some_at_a_time():
    whole = draws(50, resamples=20, seed=1)
    for at_once in (1, 7, 20, 30):
        blocks = list(draw_blocks(50, resamples=20, seed=1, at_once=at_once))
        assert len(blocks) == -(-20 // at_once)
        assert (np.concatenate(blocks) == whole).all()
    (draw,) = draw_blocks(50, resamples=20, seed=1)
    assert (draw == whole).all()


def test_a_name_has_a_seed_of_its_own():
    assert number(0, "bootstrap") != number(0, "other") != number(1, "other")


def test_sums_are_those_of_each_resample():
    rows = np.array([[1, 10], [2, 20], [4, 40]])
    assert sums(rows, np.array([[0, 0, 2], [1, 1, 1]])).tolist() == [[6, 60], [6, 60]]


def test_sums_in_blocks_are_the_same(monkeypatch):
    rows = np.arange(40).reshape(20, 2)
    places = draws(20, resamples=30, seed=3)
    whole = sums(rows, places)
    monkeypatch.setattr(resample, "_COUNTED_AT_ONCE", 60)
    assert (sums(rows, places) == whole).all()


def test_f_is_that_of_counts():
    for three in itertools.product(range(3), repeat=3):
        for beta in (0.5, 1.0, 2.0):
            assert f_scores(np.array([three], dtype=float), beta)[0] == Counts(*three).f(beta)


def test_rounding_inside_the_choice_is_pythons():
    dice = random.Random(5)
    values = [dice.randrange(0, 20_001) / 20_000 for _ in range(3_000)]
    values += [1 / 3, 2 / 3, 0.12345, 0.00005, 0.99995, 0.0, 1.0]
    rounded = resample.round_decimals(np.array(values))
    assert rounded.tolist() == [round(value, 4) for value in values]


def test_one_candidate_needs_no_choice():
    candidates = CandidateCounts(np.array([[[1.0, 0, 0]], [[0, 2.0, 1]]]), ErrantRule(0.5))
    places = np.array([[0, 1], [1, 1]])
    totals = [Counts(1, 2, 1), Counts(0, 4, 2)]
    assert candidates.resample(places).tolist() == [counts.f(0.5) for counts in totals]


def test_the_interval_is_of_percentiles():
    actual_interval = interval(np.arange(1001) / 1000)
    assert (actual_interval.low, actual_interval.high, actual_interval.level) == pytest.approx(
        (0.025, 0.975, 0.95)
    )


def test_the_order_makes_no_difference():
    values = [0.1] * 10 + [1e16, -1e16]
    assert mean(values) == mean(values[::-1]) == 1 / 12


def test_nothing_has_the_mean_0():
    assert mean([]) == 0


def test_each_resample_has_its_mean():
    places = np.array([[0, 0], [0, 1], [1, 2]])
    assert means([0.5, 1.0, 0.0], places) == pytest.approx([0.5, 0.75, 0.5])


@pytest.mark.parametrize("largest", [7, 2**21, 2**40])
def test_sums_of_integers_are_exact_whatever_their_width(largest: int):
    rows = np.random.default_rng(2).integers(-largest, largest, size=(300, 3))
    places = draws(300, resamples=40, seed=3)
    assert sums(rows, places).tolist() == rows[places].sum(axis=1).tolist()


def test_a_sentence_may_stand_in_a_resample_more_than_255_times():
    rows = np.array([[1], [1000]])
    assert sums(rows, np.zeros((2, 300), dtype=np.int64)).tolist() == [[300], [300]]


FOUR = np.zeros(12).tobytes()
WRONG = [
    (
        "resample_totals",
        (FOUR, 2, 2, np.array([0, 2], np.int32), 1, 2, "errant", 1.0),
        "no sentence",
    ),
    (
        "resample_totals",
        (FOUR, 2, 2, np.array([0, -1], np.int32), 1, 2, "errant", 1.0),
        "no sentence",
    ),
    ("resample_totals", (FOUR, 2, 2, np.zeros(2, np.int32), 2, 2, "errant", 1.0), "sizes"),
    ("resample_totals", (FOUR, 4, 0, np.zeros(2, np.int32), 1, 2, "errant", 1.0), "sizes"),
    ("resample_totals", (FOUR, 2, 2, np.zeros(2, np.int32), 1, 2, "other", 1.0), "no such rule"),
    ("exchange_totals", (FOUR, 2, FOUR, 2, np.zeros(3, np.bool_), 1, 2, "errant", 1.0), "sizes"),
    ("exchange_totals", (FOUR, 2, FOUR, 4, np.zeros(2, np.bool_), 1, 2, "errant", 1.0), "sizes"),
    (
        "exchange_totals",
        (FOUR, 2, FOUR, 2, np.zeros(2, np.bool_), 1, 2, "other", 1.0),
        "no such rule",
    ),
    # Products of these sizes are 0 or small in 64 bits.
    ("resample_totals", (b"", 2**62, 4, b"", 1, 0, "errant", 1.0), "sizes"),
    ("resample_totals", (b"", 4, 2**62, b"", 1, 0, "errant", 1.0), "sizes"),
    ("resample_totals", (FOUR, 2, 2, b"", 2**32, 2**32, "errant", 1.0), "sizes"),
    ("exchange_totals", (b"", 4, b"", 4, b"", 4, 2**62, "errant", 1.0), "sizes"),
    ("exchange_totals", (b"", 1, b"", 1, b"", 2**62, 4, "errant", 1.0), "sizes"),
]


@pytest.mark.parametrize(("function", "arguments", "message"), WRONG)
def test_the_compiled_kernel_refuses_what_does_not_fit(function, arguments, message: str):
    if resample.compiled is None:
        pytest.skip("the compiled kernel could not be built")
    with pytest.raises(ValueError, match=message):
        getattr(resample.compiled, function)(*arguments)


@pytest.mark.parametrize("size", [2**56, 2**60, 2**61, 2**63 - 1])
def test_more_totals_than_memory_holds_are_a_memory_error(size: int):
    if resample.compiled is None:
        pytest.skip("the compiled kernel could not be built")
    with pytest.raises(MemoryError):
        resample.compiled.resample_totals(b"", 0, 1, b"", size, 0, "errant", 1.0)
    with pytest.raises(MemoryError):
        resample.compiled.exchange_totals(b"", 1, b"", 1, b"", size, 0, "errant", 1.0)
