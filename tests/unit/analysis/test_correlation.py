"""Correlations of metrics: scipy's, and what has none."""

from __future__ import annotations

import itertools
import math
import random
import sys
from pathlib import Path

import pytest
from messages import expect_error
from scipy import stats
from score_corpus import BAD, COPY, CORPUS, GOOD

import gecbench
from gecbench.analysis.correlation import (
    COEFFICIENT_KINDS,
    Coefficient,
    SystemScores,
    coefficient,
    constant,
    correlations,
)
from gecbench.api.options import Options
from gecbench.core.errors import MissingExtraError, UnknownNameError, UsageError
from gecbench.core.score import Counts
from gecbench.reports.meta import build_correlation_report, slugs
from gecbench.reports.report import render

ONE, TWO = (1.0, 2.0, 5.0, 3.0), (0.1, 0.3, 0.25, 0.2)
SCORES = SystemScores(
    "made", ("A", "B", "C", "D"), {"x": ONE, "y": TWO, "down": (4.0, 3.0, 2.0, 1.0)},
    lower=frozenset({"down"}),
)  # fmt: skip
OPTIONS = Options(metrics=("sentence-accuracy", "char-bleu", "mp-prime", "errant"))


def test_coefficients_are_scipys():
    dice = random.Random(8)
    first, second = ([dice.random() for _ in range(9)] for _ in "xy")
    for kind, expected in (
        ("pearson", stats.pearsonr(first, second)),
        ("spearman", stats.spearmanr(first, second)),
        ("kendall", stats.kendalltau(first, second)),
    ):
        assert coefficient(kind, first, second) == Coefficient(expected.statistic, expected.pvalue)


@pytest.mark.parametrize("factor", [2.0**1000, 2.0**-1000])
def test_coefficients_of_great_and_small_numbers_are_those_of_others(factor: float):
    great = [value * factor for value in ONE]
    assert not constant(great)
    assert constant([factor, factor])
    for kind in COEFFICIENT_KINDS:
        assert coefficient(kind, great, TWO) == coefficient(kind, ONE, TWO)
        assert coefficient(kind, TWO, great) == coefficient(kind, TWO, ONE)
    # The smaller ones differ, too: ranks know it.
    assert coefficient("spearman", (1e308, 1e-10, 1e-12), (3, 2, 1)).value == 1


def test_ranks_know_ties_that_rounding_hides():
    high, low = Counts(1, 0, 2).f(0.5), Counts(2, 1, 0).f(0.5)
    assert high > low
    for kind in ("spearman", "kendall"):
        assert coefficient(kind, (high, low, 0.5), ONE[:3]) == coefficient(
            kind, (low, low, 0.5), ONE[:3]
        )


def test_p_of_few_ranks_is_exact():
    dice = random.Random(9)
    for size in (3, 4, 6):
        for values in (range(100), range(3)):  # without ties, and with
            first, second = ([1.0 * dice.choice(values) for _ in range(size)] for _ in "xy")
            first[:3], second[:3] = [0, 1, 2], [0, 2, 1]
            expected = stats.permutation_test(
                (first,),
                lambda order, two=second: stats.spearmanr(order, two).statistic,
                permutation_type="pairings",
                n_resamples=math.inf,
            )
            assert coefficient("spearman", first, second).p == pytest.approx(expected.pvalue)
    assert coefficient("spearman", (1, 2, 3), (2, 5, 9)) == Coefficient(1.0, pytest.approx(1 / 3))


def test_what_is_constant_or_short_has_no_coefficient_and_no_nan():
    for kind in COEFFICIENT_KINDS:
        assert coefficient(kind, ONE, (2.0,) * 4) == Coefficient(None, None)
        assert coefficient(kind, (0.1 + 0.2, 0.3, 0.3), (1, 2, 3)) == Coefficient(None, None)
        assert coefficient(kind, (1, 2), (1, 2)) == Coefficient(None, None)
    assert constant(())
    assert constant((0.0, 0.0))
    assert not constant((0.0, 1e-9))


def test_without_scipy_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with expect_error(MissingExtraError, "scipy", "gecbench[statistics]"):
        coefficient("pearson", ONE, TWO)


def test_signs_are_as_scores_are_unless_turned():
    plain, oriented = correlations(SCORES), correlations(SCORES, oriented=True)
    for kind in COEFFICIENT_KINDS:
        assert oriented.of("x", "down").coefficients[kind].value == pytest.approx(
            -plain.of("down", "x").coefficients[kind].value
        )
        assert oriented.of("x", "y") == plain.of("x", "y")
    assert "lower is better: down; signs are as scores are" in plain.notes[0]
    assert oriented.notes == ("lower is better, so the sign was turned: down",)
    assert correlations(SystemScores("m", SCORES.systems, {"x": ONE, "y": TWO})).notes == ()
    none = SystemScores("m", SCORES.systems, {"x": ONE, "y": TWO})
    assert correlations(none, oriented=True).notes == ()


def test_another_order_of_systems_changes_no_coefficient():
    dice, actual_correlations = random.Random(2), correlations(SCORES)
    for _ in range(5):
        order = dice.sample(range(4), 4)
        turned = SystemScores(
            "made",
            tuple(SCORES.systems[at] for at in order),
            {name: tuple(v[at] for at in order) for name, v in SCORES.metrics.items()},
        )
        for pair, other in zip(actual_correlations.pairs, correlations(turned).pairs, strict=True):
            for kind in COEFFICIENT_KINDS:
                assert other.coefficients[kind].value == pytest.approx(
                    pair.coefficients[kind].value
                )
                assert other.coefficients[kind].p == pytest.approx(pair.coefficients[kind].p)


def test_too_few_systems_or_metrics_are_refused():
    two = SystemScores("made", ("A", "B"), {"x": (1, 2), "y": (1, 3)})
    with expect_error(UsageError, "three", "A, B"):
        correlations(two)
    with expect_error(UsageError, "three", "none"):
        correlations(SystemScores("made", (), {}))
    with expect_error(UsageError, "two", "x"):
        correlations(SystemScores("made", SCORES.systems, {"x": ONE}))


def test_a_metric_that_says_one_thing_of_all_is_named_and_shown_as_absent():
    scores = SystemScores("made", SCORES.systems, {"x": ONE, "flat": (1.0,) * 4})
    actual_correlations = correlations(scores)
    assert actual_correlations.notes == ("the same score for all systems, so no correlation: flat",)
    shown = build_correlation_report(actual_correlations)
    assert "x  flat        -          -" in render(shown, "text")
    assert '"value": null' in render(shown, "json")
    assert shown.figures[0].alt.en == ("Matrix of Pearson's r: no pair has one.")
    assert "no correlation can be computed" in shown.figures[-1].alt.en


def test_systems_are_scored_here_and_metrics_that_do_not_apply_are_named():
    correlation = gecbench.correlation(CORPUS, [COPY, GOOD, BAD], options=OPTIONS)
    scored = gecbench.score(CORPUS, [COPY, GOOD, BAD], options=OPTIONS)
    for name, values in correlation.scores.metrics.items():
        own_values = [r.score.value for r in scored.results if r.metric == name]
        assert list(values) == own_values
    assert list(correlation.scores.metrics) == ["sentence-accuracy", "char-bleu", "mp-prime"]
    assert correlation.scores.lower == {"mp-prime"}
    assert "n/a: errant is for language en, corpus 'dev' is in zh" in correlation.notes
    ranged = Options(metrics=("sentence-accuracy", "char-bleu"), part=(0, 3))
    some = gecbench.correlation(CORPUS, [COPY, GOOD, BAD], options=ranged)
    assert "2 sentences left out: outside the range" in some.notes


def test_a_table_is_read_and_takes_no_other_options(tmp_path: Path):
    table = tmp_path / "t.csv"
    table.write_text("system,x,y\nA,1,2\nB,2,3\nC,3,1\n", "utf-8")
    correlation = gecbench.correlation(str(table), lower=["y"])
    assert correlation.scores.corpus == "t"
    assert correlation.scores.lower == {"y"}
    with expect_error(UnknownNameError, "t.csv", "'z'"):
        gecbench.correlation(table, lower=["z"])
    with expect_error(UsageError, "has the scores"):
        gecbench.correlation(table, options=Options())
    with expect_error(UsageError, "lower", "of a table"):
        gecbench.correlation(CORPUS, [GOOD], lower=["x"])


def test_what_is_shown():
    shown = build_correlation_report(correlations(SCORES))
    assert [table.name for table in shown.tables] == ["coefficients", "scores"]
    assert [figure.name for figure in shown.figures] == [
        *(f"correlation-{kind}" for kind in COEFFICIENT_KINDS),
        *("correlation-x-y", "correlation-x-down", "correlation-y-down"),
    ]
    matrix = shown.figures[0]
    values = {
        (series.name, x): y
        for series in matrix.series
        for x, y in zip(series.x, series.y, strict=True)
    }
    for first, second in itertools.combinations("xy", 2):
        assert values[first, second] == values[second, first]
        assert values[first, first] is None
    assert "x – y 0.486" in matrix.alt.en
    assert "Pearson's r = 0.486 (p = 0.514" in shown.figures[3].alt.en
    assert shown.notes[-1] == "over 4 systems; p is two-sided"


def test_names_of_files_are_each_their_own():
    assert slugs(["a b", "a_b", "准确率", "3"]) == {
        "a b": "a-b",
        "a_b": "a-b-2",
        "准确率": "3",
        "3": "3-4",
    }
