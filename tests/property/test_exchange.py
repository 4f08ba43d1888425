"""Exchanging outputs of two systems: a permutation scores what `aggregate` says of it."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from test_every_metric import ALL, TINY, UNEVEN, case, rows_of, version

from gecbench.core.case import Case
from gecbench.metrics.m2 import M2
from gecbench.scoring.resample import draws, drop_dominated, swaps
from gecbench.scoring.spans import SpanF

pytestmark = pytest.mark.usefixtures("stub_networks")

CASES = UNEVEN + TINY + UNEVEN[::-1] + TINY[:2]


def other_system(some: list[Case]) -> list[Case]:
    """The same sentences and references with outputs of another system."""
    dice = random.Random(4)
    outputs = [version("".join(sorted(dice.sample("01234567", dice.randrange(4))))) for _ in some]
    return [replace(case, hypotheses=(output,)) for case, output in zip(some, outputs, strict=True)]


def mixed(here: list, there: list, coins: np.ndarray) -> list:
    return [
        second if coin else first for first, second, coin in zip(here, there, coins, strict=True)
    ]


@pytest.mark.parametrize("metric", ALL)
def test_every_metric_scores_permutations_as_corpora_of_their_own(metric):
    here, there = rows_of(metric, CASES), rows_of(metric, other_system(CASES))
    (swap,) = swaps(len(here), count=40, seed=2)
    first, second = metric.exchange(here, there, swap)
    slow_one = [metric.aggregate(mixed(here, there, coins)).value for coins in swap]
    slow_two = [metric.aggregate(mixed(there, here, coins)).value for coins in swap]
    assert first.tolist() == pytest.approx(slow_one, abs=1e-12)
    assert second.tolist() == pytest.approx(slow_two, abs=1e-12)


@pytest.mark.parametrize(
    "metric", [metric for metric in ALL if isinstance(metric.values[0], (SpanF, M2))]
)
def test_long_greedy_walks_agree_too(metric):
    """Ten sentences hide a wrong total; a few hundred with uneven references do not."""
    dice = random.Random(11)
    some = [
        case(
            str(n),
            version("".join(sorted(dice.sample("01234567", dice.randrange(5))))),
            *(
                version("".join(sorted(dice.sample("01234567", dice.randrange(6)))))
                for _ in range(dice.randrange(1, 5))
            ),
        )
        for n in range(150)
    ]
    here, there = rows_of(metric, some), rows_of(metric, other_system(some))
    (swap,) = swaps(len(here), count=12, seed=5)
    exchanged, _ = metric.exchange(here, there, swap)
    slow = [metric.aggregate(mixed(here, there, coins)).value for coins in swap]
    assert exchanged.tolist() == slow


@pytest.mark.parametrize("metric", ALL)
def test_prepared_statistics_score_as_they_do(metric):
    """Comparisons and intervals bring them into another form once; the numbers stay the same."""
    here, there = rows_of(metric, CASES), rows_of(metric, other_system(CASES))
    prepared = metric.prepare(here), metric.prepare(there)
    assert [len(rows) for rows in prepared] == [len(here), len(there)]
    (swap,) = swaps(len(here), count=20, seed=2)
    exchanged = [values.tolist() for values in prepared[0].exchange(prepared[1], swap)]
    assert exchanged == [values.tolist() for values in metric.exchange(here, there, swap)]
    places = draws(len(here), resamples=20, seed=2)
    assert prepared[0].resample(places).tolist() == metric.resample(here, places).tolist()


@pytest.mark.parametrize("metric", ALL)
def test_exchanging_all_or_nothing_gives_the_two_scores(metric):
    here, there = rows_of(metric, CASES), rows_of(metric, other_system(CASES))
    array = np.array([[False] * len(here), [True] * len(here)])
    first, second = metric.exchange(here, there, array)
    scores = [metric.aggregate(rows).value for rows in (here, there)]
    assert first.tolist() == pytest.approx(scores, abs=1e-12)
    assert second.tolist() == pytest.approx(scores[::-1], abs=1e-12)


def test_coins_are_fair_written_down_and_the_same_however_divided(monkeypatch):
    (whole,) = swaps(70, count=400, seed=0)
    assert whole.shape == (400, 70)
    assert whole[0, :8].tolist() == WRITTEN
    assert 0.48 < whole.mean() < 0.52
    assert (abs(whole.mean(axis=0) - 0.5) < 0.12).all()
    monkeypatch.setattr("gecbench.scoring.resample._SENTENCES_AT_ONCE", 700)
    parts = list(swaps(70, count=400, seed=0))
    assert len(parts) == 40
    assert (np.concatenate(parts) == whole).all()


WRITTEN = [False, False, False, False, True, True, True, True]


def test_only_candidates_that_can_win_stay_and_of_equals_the_first():
    rows = [[1, 2, 3], [1, 2, 4], [2, 2, 5], [1, 2, 3]]
    two = [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    rest = drop_dominated(np.array([rows, two], dtype=float))
    assert rest.tolist() == [
        [[1, 2, 3], [2, 2, 5], [2, 2, 5], [2, 2, 5]],
        [[0, 0, 0]] * 4,
    ]
