"""A metric of one's own that derives from one of ours keeps what it overrides."""

import numpy as np
import pytest

import gecbench
from gecbench.analysis.options import Plan
from gecbench.analysis.significance import compare
from gecbench.api.score import collect_stats
from gecbench.metrics.edits import Edits
from gecbench.metrics.m2 import M2
from gecbench.scoring.run import summarise


def resample_slowly(self, stats, draws):
    return np.array([self.aggregate([stats[at] for at in row]).value for row in draws])


def exchange_slowly(self, first, second, swaps):
    sides = [
        [
            self.aggregate([b if coin else a for a, b, coin in zip(x, y, coins, strict=True)]).value
            for coins in swaps
        ]
        for x, y in ((first, second), (second, first))
    ]
    return np.array(sides[0]), np.array(sides[1])


class M2Resample(M2):
    resample = resample_slowly


class M2Exchange(M2):
    exchange = exchange_slowly


class EditsResample(Edits):
    resample = resample_slowly


class EditsExchange(Edits):
    exchange = exchange_slowly


class EditsResampleLess(Edits):
    def resample(self, stats, draws):
        return Edits.resample(self, list(stats), draws) - 1


@pytest.fixture(scope="module")
def data():
    corpus = gecbench.load(gecbench.sample("zh", "corpus.jsonl"))
    names = ("cautious", "eager")
    systems = [gecbench.load_system(gecbench.sample("zh", f"{n}.txt"), corpus) for n in names]
    return corpus, systems


def run_of(data, metric, monkeypatch):
    monkeypatch.setitem(collect_stats.__globals__, "make_metrics", lambda *_, **__: [metric])
    return collect_stats(*data, scheme="zh-char")


@pytest.mark.parametrize(
    ("metric", "ours"),
    [
        (M2Resample(), M2()),
        (M2Exchange(), M2()),
        (EditsResample(), Edits()),
        (EditsExchange(), Edits()),
        (EditsResample(choice="sentence-best"), Edits(choice="sentence-best")),
    ],
)
def test_resamples_and_permutations_of_a_derived_metric_are_its_own(
    data, metric, ours, monkeypatch
):
    run_stats, expected = (run_of(data, m, monkeypatch) for m in (metric, ours))
    assert summarise(run_stats, resamples=100) == summarise(expected, resamples=100)
    plan = Plan(resamples=100)
    for jobs in (1, 2):
        comparison = compare(run_stats, metric.name, plan, jobs=jobs)
        assert comparison == compare(expected, ours.name, plan)


def test_what_a_derived_metric_makes_of_a_resample_is_in_its_intervals(data, monkeypatch):
    run_stats, ours = (run_of(data, m, monkeypatch) for m in (EditsResampleLess(), Edits()))
    for here, there in zip(
        summarise(run_stats, resamples=100).results,
        summarise(ours, resamples=100).results,
        strict=True,
    ):
        assert here.score.value == there.score.value
        assert here.score.interval.high == pytest.approx(there.score.interval.high - 1)
