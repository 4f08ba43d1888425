"""The first screen of the page: its headlines go by the tests, its table has the best first."""

from __future__ import annotations

from dataclasses import replace

from gecbench.analysis.significance import Comparison
from gecbench.core.score import Counts, Score, Signature
from gecbench.reports.overview import build_report, headlines
from gecbench.scoring.results import Result, ScoreReport

from ..analysis.test_significance import QUICK, accuracy

TOP, NEAR, LOW = "1" * 40, "1" * 37 + "000", "0" * 40
METRIC = "sentence-accuracy"


def report(values: dict[str, float], metric: str = METRIC) -> ScoreReport:
    results = tuple(
        Result(name, metric, None, Score(value, Signature({"metric": metric}), 40))
        for name, value in values.items()
    )
    return ScoreReport("made", 40, {}, 0.5, results, {}, ())


def headline(outcomes: dict[str, str], *unchanged: str, plan=QUICK) -> tuple[str, str]:
    comparison = accuracy(outcomes, plan)
    (words,) = headlines(report(dict(comparison.values)), [comparison], set(unchanged))
    return words.en, words.zh


def test_a_headline_names_who_leads_and_who_is_not_distinguishable():
    assert headline({"low": LOW, "top": TOP, "near": NEAR}) == (
        f"top leads with {METRIC} 100.00; near is not distinguishable from it",
        f"top 得分最高（{METRIC} 100.00）；near 与其无显著差异",
    )
    several = headline({"low": LOW, "top": TOP, "near": NEAR, "next": NEAR})
    assert several[0].endswith("; near and next are not distinguishable from it")
    assert several[1].endswith("；near、next 与其均无显著差异")


def test_where_all_differ_it_says_so():
    assert headline({"top": TOP, "low": LOW})[0].endswith("; low is significantly behind")
    half = "1" * 20 + "0" * 20
    outcomes = {"top": TOP, "half": half, "low": LOW}
    assert headline(outcomes)[0].endswith("; all others are significantly behind")


def test_equal_scores_share_the_lead():
    assert headline({"a": TOP, "b": TOP})[0] == f"a and b have the same score, {METRIC} 100.00"
    shared = headline({"a": TOP, "b": TOP, "c": LOW})[0]
    assert shared == f"a and b share the lead with {METRIC} 100.00; c is significantly behind"


def test_many_names_are_a_number():
    outcomes = {f"s{n}": NEAR for n in range(6)}
    assert headline({"top": TOP, **outcomes}, plan=replace(QUICK, resamples=1000))[0].endswith(
        "; no other system is distinguishable from it"
    )


def test_systems_without_edits_are_marked():
    assert headline({"top": TOP, "INPUT": LOW}, "INPUT") == (
        f"top leads with {METRIC} 100.00; INPUT (no edits) is significantly behind",
        f"top 得分最高（{METRIC} 100.00）；INPUT（未作修改）显著落后",
    )


def test_no_order_is_claimed_without_a_test_that_can_find_one():
    values = {"a": 0.5, "b": 0.25}
    (words,) = headlines(report(values), (), set())
    assert words.en == (
        f"2 systems with {METRIC} from 25.00 to 50.00; whether they differ was not tested"
    )
    few = accuracy({"a": TOP, "b": LOW}, replace(QUICK, resamples=100, alpha=0.001))
    (words,) = headlines(report(dict(few.values)), [few], set())
    assert words.en.endswith("; too few resamples to tell whether they differ")


def test_one_system_has_just_its_score():
    (words,) = headlines(report({"a": 0.5}), (), set())
    assert (words.en, words.zh) == (f"a: {METRIC} 50.00", f"a：{METRIC} 50.00")


def test_each_metric_has_a_headline_and_a_table_and_then_all_are_side_by_side():
    single_report, other = report({"a": 0.5}), report({"a": 0.25}, "gleu")
    both = replace(single_report, results=single_report.results + other.results)
    assert [words.en for words in headlines(both, (), set())] == [
        f"a: {METRIC} 50.00",
        "a: gleu 25.00",
    ]
    names = [table.name for table in build_report(both, (), set()).tables]
    assert names == ["scores", "scores-by-gleu", "all-metrics"]


def test_the_table_has_the_best_first_with_groups_and_counts():
    comparison: Comparison = accuracy({"low": LOW, "top": TOP, "near": NEAR})
    counts = {"low": Counts(0, 0, 4), "top": Counts(3, 1, 1), "near": Counts(2, 1, 2)}
    scores = report(dict(comparison.values))
    scores = replace(
        scores,
        results=tuple(
            replace(r, score=replace(r.score, counts=counts[r.system])) for r in scores.results
        ),
    )
    (table,) = build_report(scores, [comparison], {"low"}).tables
    assert [column.name for column in table.columns] == [
        *("system", "groups", METRIC, "P", "R", "TP", "FP", "FN")
    ]
    assert [row[:2] for row in table.rows] == [("top", "a"), ("near", "a"), ("low", "b")]
    assert table.rows[0][3:] == (0.75, 0.75, 3, 1, 1)
    assert table.remarks.keys() == {(2, 0)}
    assert table.marks == {(0, 2), (0, 3), (0, 4)}  # not the P of 1 of what makes no edits


def test_f_is_called_f_where_the_score_is_f_of_the_counts():
    scores = report({"a": Counts(3, 1, 1).f(0.5)}, "errant")
    (result,) = scores.results
    counted = replace(result, score=replace(result.score, counts=Counts(3, 1, 1)))
    (words,) = headlines(replace(scores, results=(counted,)), (), set())
    assert words.en == "a: F0.5 75.00"
