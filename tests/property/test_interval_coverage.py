"""Intervals and p say how often they are wrong: simulated data whose truth is known."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from gecbench.analysis.options import Plan, Test
from gecbench.analysis.significance import Comparison, compare
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.score import Counts
from gecbench.metrics.edits import Cherrant
from gecbench.metrics.sentence_accuracy import SentenceAccuracy
from gecbench.scoring.resample import draws
from gecbench.scoring.results import RunStats
from gecbench.scoring.spans import Pairing

TRIALS = 300


def compared(metric, one: list, two: list, **plan: object) -> Comparison:
    """Two systems compared whose statistics are simulated."""
    run_stats = RunStats(
        corpus=Corpus("simulated", (), "zh"),
        systems={name: SystemOutput(name, {}) for name in "AB"},
        lang="zh",
        metrics={metric.name: metric},
        cases={},
        rows={("A", metric.name): one, ("B", metric.name): two},
    )
    return compare(run_stats, metric.name, Plan(**plan))


def marks(dice: np.random.Generator, size: int, shift: float) -> tuple[list, list]:
    """Whether two systems are right: both depend on how hard the sentence is."""
    hard = dice.random(size)
    one = dice.random(size) < 0.25 + shift + 0.4 * hard
    two = dice.random(size) < 0.25 + 0.4 * hard
    return one.tolist(), two.tolist()


def test_the_interval_of_a_difference_of_means_covers_the_truth_as_often_as_it_says():
    dice, shift = np.random.Generator(np.random.PCG64(7)), 0.1
    for confidence, low, high in ((0.95, 0.91, 0.985), (0.8, 0.73, 0.87)):
        covered = 0
        for trial in range(TRIALS):
            one, two = marks(dice, 80, shift)
            plan = {"resamples": 400, "seed": trial, "confidence": confidence}
            (pair,) = compared(SentenceAccuracy(), one, two, tests=("bootstrap",), **plan).pairs
            covered += pair.interval.low <= shift <= pair.interval.high
        assert low <= covered / TRIALS <= high


def edits(dice: np.random.Generator, size: int, found: float) -> list:
    """Counts of a system that finds this share of the edits, and makes needless ones."""
    gold, needless = dice.poisson(2.0, size), dice.poisson(0.8, size)
    right = dice.binomial(gold, found)
    triples = zip(right, needless, gold - right, strict=True)
    return [(Pairing(0, 0, Counts(*map(int, three)), {}),) for three in triples]


def test_the_interval_of_a_difference_of_f_covers_the_truth_as_often_as_it_says():
    """F is a ratio of sums; its truth is that of the expected counts."""
    dice, covered = np.random.Generator(np.random.PCG64(3)), 0
    one, two = ((found * 2.0, 0.8, (1 - found) * 2.0) for found in (0.5, 0.4))
    truth = Counts(*one).f(0.5) - Counts(*two).f(0.5)
    for trial in range(TRIALS):
        plan = {"tests": ("bootstrap",), "resamples": 300, "seed": trial}
        (pair,) = compared(Cherrant(), edits(dice, 120, 0.5), edits(dice, 120, 0.4), **plan).pairs
        covered += pair.interval.low <= truth <= pair.interval.high
    assert 0.91 <= covered / TRIALS <= 0.985


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
@pytest.mark.parametrize("size", [30, 80])
def test_where_systems_do_not_differ_a_difference_is_found_no_more_often_than_alpha(
    test: Test, size: int
):
    dice, found = np.random.Generator(np.random.PCG64(5)), {0.05: 0, 0.3: 0}
    for trial in range(TRIALS):
        one, two = marks(dice, size, 0.0)
        (pair,) = compared(
            SentenceAccuracy(), one, two, tests=(test,), resamples=300, seed=trial
        ).pairs
        for alpha in found:
            found[alpha] += pair.p[test] <= alpha
    assert 0.005 <= found[0.05] / TRIALS <= 0.09
    assert 0.2 <= found[0.3] / TRIALS <= 0.37


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_up_to_five_sentences_say_nothing_at_five_percent(size: int):
    """Two of the 2 ** n ways to exchange them go as far as the farthest."""
    every = [list(way) for way in itertools.product((False, True), repeat=size)]
    for one in every:
        for two in every[:: max(1, len(every) // 4)]:
            found = compared(SentenceAccuracy(), one, two, tests=("bootstrap",), resamples=200)
            assert not found.pairs[0].significant
            assert f"{size} sentence" in found.notes[0]


def test_ten_sentences_are_noted_and_thirty_are_not():
    dice = np.random.Generator(np.random.PCG64(4))
    for size, noted in ((10, True), (29, True), (30, False)):
        found = compared(SentenceAccuracy(), *marks(dice, size, 0.1), resamples=200)
        assert any("go by randomisation" in note for note in found.notes) == noted


@pytest.mark.slow
def test_the_figures_of_false_findings_in_the_docs():
    """By both tests, and by the formula of sacrebleu's bootstrap, which docs/analysis compares."""
    dice = np.random.Generator(np.random.PCG64(11))
    found, trials = {"randomisation": 0, "bootstrap": 0, "sacrebleu": 0}, 1000
    places = draws(80, resamples=300, seed=0)
    for _ in range(trials):
        one, two = marks(dice, 80, 0.0)
        (pair,) = compared(SentenceAccuracy(), one, two, resamples=300).pairs
        for test, p in pair.p.items():
            found[test] += p <= 0.05
        metric = SentenceAccuracy()
        absolute = abs(metric.resample(one, places) - metric.resample(two, places))
        reached = (absolute - absolute.mean() > abs(pair.difference)).sum()
        found["sacrebleu"] += (1 + reached) / 301 <= 0.05
    page = (Path(__file__).parents[2] / "docs/analysis/compare.md").read_text("utf-8")
    shown = {test: f"{100 * number / trials:.1f}%" for test, number in found.items()}
    said = (
        f"{shown['randomisation']} by randomisation, in {shown['bootstrap']} by the bootstrap "
        f"here, in {shown['sacrebleu']} by sacrebleu's formula"
    )
    assert said in " ".join(page.split())


def test_where_systems_differ_much_it_is_found():
    dice = np.random.Generator(np.random.PCG64(6))
    one, two = marks(dice, 200, 0.3)
    (pair,) = compared(SentenceAccuracy(), one, two, resamples=500).pairs
    assert pair.significant
    assert set(pair.p.values()) == {1 / 501}
