"""Two judges and their figures: by hand, by the package krippendorff, and as RobustGEC has them."""

import numpy as np
import pytest

from gecbench.analysis.inspection import ItemRating, alpha, inspect, measure
from gecbench.reports.inspection import build_report, main_table
from gecbench.reports.report import render

krippendorff = pytest.importorskip("krippendorff")

HAND = [
    *[ItemRating(True, True)] * 20,
    *[ItemRating(True, False)] * 5,
    *[ItemRating(False, True)] * 10,
    *[ItemRating(False, False)] * 15,
]
"""The example of Cohen's kappa in textbooks: 0.7 observed, 0.5 by chance."""


def paper(equal: int, accepted: int, items: int = 900) -> list[ItemRating]:
    """Ratings with so many equal decisions and, after discussion, so many accepted items."""
    settled = [ItemRating(True, False, resolution=True)] * (items - equal)
    agreed = [
        ItemRating(right, right) for right in (n < accepted for n in range(len(settled), items))
    ]
    return [*agreed, *settled]


def test_jud_2_figures_are_those_worked_out_by_hand():
    figures = measure(HAND, "meaning", seed=1)
    assert (figures.both, figures.only_first, figures.only_second, figures.neither) == (
        *(20, 5, 10, 15),
    )
    assert figures.equal.value == 0.7
    assert figures.kappa.value == pytest.approx(0.4)
    # 50 units, 55 accepts and 45 rejects, 15 units apart: 1 - 99 * 15 / (55 * 45).
    assert figures.alpha.value == pytest.approx(0.4)
    assert (figures.accept.value, figures.accept.of, figures.unresolved) == (20 / 35, 35, 15)
    for estimate in figures.estimates.values():
        assert estimate.interval.low < estimate.value < estimate.interval.high
        assert (estimate.interval.resamples, estimate.interval.seed) == (1000, 1)


def test_alpha_is_that_of_the_package_krippendorff():
    rng = np.random.default_rng(3)
    for _ in range(20):
        first, second = rng.random(40) < 0.8, rng.random(40) < 0.7
        table = [
            (first & second).sum(),
            (first & ~second).sum(),
            (~first & second).sum(),
            (~first & ~second).sum(),
        ]
        expected = krippendorff.alpha(
            [first.astype(int), second.astype(int)], level_of_measurement="nominal"
        )
        counts = np.array(table, dtype=float)[:, None]
        assert alpha(counts)[0] == pytest.approx(expected)


def test_jud_2_the_report_is_table_3_of_the_paper():
    """97.3 / 2.7 / 95.6 and 99.3 / 0.7 / 96.3 are reached by decisions after discussion alone."""
    ratings = {"correctness": paper(860, 876), "faithfulness": paper(867, 894)}
    result = inspect(
        ratings, corpus="robust", round_name="final", size=900, population=24980, seed=7
    )
    rows = [tuple(row) for row in main_table(result).grid.rows]
    assert rows == [("correctness", "97.3", "2.7", "95.6"), ("faithfulness", "99.3", "0.7", "96.3")]
    assert result.notes == ()
    assert "24980 items drawn, seed 7" in render(build_report(result), "text")


def test_where_all_is_accepted_chance_explains_it_all_and_the_report_says_so():
    result = inspect(
        {"meaning": [ItemRating(True, True)] * 40}, corpus="c", round_name="r", size=41,
        population=50, seed=0,
    )  # fmt: skip
    (figures,) = result.criteria
    assert (figures.accept.value, figures.equal.value) == (1.0, 1.0)
    assert figures.kappa.value is None
    assert figures.alpha.value is None
    assert any("chance" in note for note in result.notes)
    assert any("40 of 41" in note for note in result.notes)


def test_without_ratings_there_are_no_figures():
    result = inspect({"x": []}, corpus="c", round_name="r", size=2, population=2, seed=0)
    assert {estimate.value for estimate in result.criteria[0].estimates.values()} == {None}
    assert render(build_report(result), "csv").splitlines()[1] == "x,,,"
