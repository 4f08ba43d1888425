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


def compared(metric, first: list, second: list, **plan: object) -> Comparison:
    """Two systems compared whose statistics are simulated."""
    run_stats = RunStats(
        corpus=Corpus("simulated", (), "zh"),
        systems={name: SystemOutput(name, {}) for name in "AB"},
        lang="zh",
        metrics={metric.name: metric},
        cases={},
        rows={("A", metric.name): first, ("B", metric.name): second},
    )
    return compare(run_stats, metric.name, Plan(**plan))


def draw_outcomes(dice: np.random.Generator, size: int, shift: float) -> tuple[list, list]:
    """Whether two systems are right: both depend on how hard the sentence is."""
    hard = dice.random(size)
    first = dice.random(size) < 0.25 + shift + 0.4 * hard
    two = dice.random(size) < 0.25 + 0.4 * hard
    return first.tolist(), two.tolist()


def test_the_interval_of_a_difference_of_means_covers_the_truth_as_often_as_it_says():
    dice, shift = np.random.Generator(np.random.PCG64(7)), 0.1
    for confidence, low, high in ((0.95, 0.91, 0.985), (0.8, 0.73, 0.87)):
        covered = 0
        for trial in range(TRIALS):
            first, second = draw_outcomes(dice, 80, shift)
            plan = {"resamples": 400, "seed": trial, "confidence": confidence}
            (pair,) = compared(
                SentenceAccuracy(), first, second, tests=("bootstrap",), **plan
            ).pairs
            covered += pair.interval.low <= shift <= pair.interval.high
        assert low <= covered / TRIALS <= high


def edits(dice: np.random.Generator, size: int, share: float) -> list:
    """Counts of a system that finds this share of the edits, and makes needless ones."""
    gold, needless = dice.poisson(2.0, size), dice.poisson(0.8, size)
    right = dice.binomial(gold, share)
    triples = zip(right, needless, gold - right, strict=True)
    return [(Pairing(0, 0, Counts(*map(int, three)), {}),) for three in triples]


def test_the_interval_of_a_difference_of_f_covers_the_truth_as_often_as_it_says():
    """F is a ratio of sums; its truth is that of the expected counts."""
    dice, covered = np.random.Generator(np.random.PCG64(3)), 0
    first, second = ((share * 2.0, 0.8, (1 - share) * 2.0) for share in (0.5, 0.4))
    truth = Counts(*first).f(0.5) - Counts(*second).f(0.5)
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
    dice, findings = np.random.Generator(np.random.PCG64(5)), {0.05: 0, 0.3: 0}
    for trial in range(TRIALS):
        first, second = draw_outcomes(dice, size, 0.0)
        (pair,) = compared(
            SentenceAccuracy(), first, second, tests=(test,), resamples=300, seed=trial
        ).pairs
        for alpha in findings:
            findings[alpha] += pair.p[test] <= alpha
    assert 0.005 <= findings[0.05] / TRIALS <= 0.09
    assert 0.2 <= findings[0.3] / TRIALS <= 0.37


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_up_to_five_sentences_say_nothing_at_five_percent(size: int):
    """Two of the 2 ** n ways to exchange them go as far as the farthest."""
    every = [list(way) for way in itertools.product((False, True), repeat=size)]
    for one_outcomes in every:
        for two in every[:: max(1, len(every) // 4)]:
            comparison = compared(
                SentenceAccuracy(), one_outcomes, two, tests=("bootstrap",), resamples=200
            )
            assert not comparison.pairs[0].significant
            assert f"{size} sentence" in comparison.notes[0]


def test_ten_sentences_are_noted_and_thirty_are_not():
    dice = np.random.Generator(np.random.PCG64(4))
    for size, noted in ((10, True), (29, True), (30, False)):
        comparison = compared(SentenceAccuracy(), *draw_outcomes(dice, size, 0.1), resamples=200)
        assert any("go by randomisation" in note for note in comparison.notes) == noted


@pytest.mark.slow
def test_the_figures_of_false_findings_in_the_docs():
    """By both tests, and by the formula of sacrebleu's bootstrap, which docs/analysis compares."""
    dice = np.random.Generator(np.random.PCG64(11))
    findings, trials = {"randomisation": 0, "bootstrap": 0, "sacrebleu": 0}, 1000
    places = draws(80, resamples=300, seed=0)
    for _ in range(trials):
        first, second = draw_outcomes(dice, 80, 0.0)
        (pair,) = compared(SentenceAccuracy(), first, second, resamples=300).pairs
        for test, p in pair.p.items():
            findings[test] += p <= 0.05
        metric = SentenceAccuracy()
        absolute = abs(metric.resample(first, places) - metric.resample(second, places))
        reached = (absolute - absolute.mean() > abs(pair.difference)).sum()
        findings["sacrebleu"] += (1 + reached) / 301 <= 0.05
    page = (Path(__file__).parents[2] / "docs/analysis/compare.md").read_text("utf-8")
    shown = {test: f"{100 * number / trials:.1f}%" for test, number in findings.items()}
    text = (
        f"{shown['randomisation']} by randomisation, in {shown['bootstrap']} by the bootstrap "
        f"here, in {shown['sacrebleu']} by sacrebleu's formula"
    )
    assert text in " ".join(page.split())


def test_where_systems_differ_much_it_is_found():
    dice = np.random.Generator(np.random.PCG64(6))
    first, second = draw_outcomes(dice, 200, 0.3)
    (pair,) = compared(SentenceAccuracy(), first, second, resamples=500).pairs
    assert pair.significant
    assert set(pair.p.values()) == {1 / 501}
