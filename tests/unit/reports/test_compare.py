"""What comparisons show: letters, tables, matrices, and words that say the numbers."""

from __future__ import annotations

import json
from dataclasses import replace

from gecbench.reports.compare import build_report
from gecbench.reports.report import render

from ..analysis.test_significance import QUICK, accuracy

OUTCOMES = {"low": "0" * 40, "top": "1" * 40, "near": "1" * 37 + "000"}
COMPARISONS = accuracy(OUTCOMES)


def test_systems_that_share_a_letter_do_not_differ():
    assert COMPARISONS.letters == {"top": "a", "near": "a", "low": "b"}
    many = accuracy({f"s{n:02}": "1" * n + "0" * (40 - n) for n in range(0, 40, 13)})
    for value in many.values:
        for two in many.values:
            shared = set(many.letters[value]) & set(many.letters[two])
            assert value == two or bool(shared) != many.pair(value, two).significant


def test_after_z_come_numbers():
    in_all = replace(COMPARISONS, groups=(("top",),) * 27)
    assert in_all.letters["top"] == "abcdefghijklmnopqrstuvwxyz(27)"


def test_text_has_the_best_first_then_pairs_then_the_matrix():
    lines = render(build_report("made", [COMPARISONS]), "text").splitlines()
    assert lines[1].split() == ["system", "groups", "score", "low", "high"]
    assert [line.split()[:3] for line in lines[2:5]] == [
        ["top", "a", "100.00"],
        ["near", "a", "92.50"],
        ["low", "b", "0.00"],
    ]
    assert lines[-2].startswith(
        "note: bootstrap and randomisation, two-sided, 500 resamples, seed 0; corrected by Holm "
        "for 3 comparisons; significant at 0.05; significance is decided by randomisation"
    )


def test_the_page_has_the_best_pairs_first_and_systems_without_edits_last():
    shown = build_report("made", [COMPARISONS], page=True, unchanged={"near"})
    pairs = {table.name: table for table in shown.tables}["pairs"]
    assert [row[:2] for row in pairs.rows] == [("top", "low"), ("top", "near"), ("low", "near")]
    assert [row[3] > 0 for row in pairs.rows] == [True, True, False]
    assert pairs.filters[0, 3] == {"a": "top", "b": "low"}


def test_the_matrix_says_below_which_p_nothing_can_be():
    (words,) = [f.alt for f in build_report("made", [COMPARISONS]).figures if f.name[-2:] == "-p"]
    assert f"no p is below {3 / 501:.3f}" in words.en
    many = accuracy(OUTCOMES, replace(QUICK, resamples=4000))
    (words,) = [f.alt for f in build_report("made", [many]).figures if f.name[-2:] == "-p"]
    assert "no p is below" not in words.en


def test_columns_of_p_have_names_of_their_own():
    shown = build_report("made", [COMPARISONS])
    names = [column.name for column in shown.tables[1].columns]
    assert len(set(names)) == len(names)
    assert names[-4:] == [
        "bootstrap p",
        "bootstrap p, Holm",
        "randomisation p",
        "randomisation p, Holm",
    ]
    plain = build_report("made", [accuracy(OUTCOMES, replace(QUICK, correction="none"))])
    assert [column.name for column in plain.tables[1].columns][-2:] == [
        "bootstrap p",
        "randomisation p",
    ]


def test_matrices_are_empty_on_the_diagonal_and_turn_signs_across_it():
    shown = build_report("made", [COMPARISONS])
    assert [figure.name for figure in shown.figures] == [
        "compare-sentence-accuracy-p",
        "compare-sentence-accuracy-differences",
        "compare-sentence-accuracy-intervals",
    ]
    p, differences, _ = shown.figures
    for at, series in enumerate(differences.series):
        assert series.y[at] is None
        assert p.series[at].y[at] is None
        for other, column in enumerate(differences.series):
            if other != at:
                assert series.y[other] == -column.y[at]
                assert p.series[at].y[other] == p.series[other].y[at]
    assert "2 of 3 pairs differ significantly at 0.05" in p.alt.en
    assert "groups without significant differences: top, near; low" in p.alt.en
    assert "the widest is 100.00 points, top minus low" in differences.alt.en


def test_intervals_are_in_points_down_the_ranks_and_the_significant_stand_apart():
    figure = build_report("made", [COMPARISONS]).figures[2]
    significant, other = figure.series
    assert (significant.name.en, other.name.en) == ("significant", "not significant")
    assert significant.x == ("top − low", "near − low")
    assert other.x == ("top − near",)
    assert other.y == (100 * COMPARISONS.pair("top", "near").difference,)
    assert "top − near: 7.50 [0.00, 15.00]" in figure.alt.en


def test_two_systems_have_no_matrix():
    shown = build_report("made", [accuracy({"A": "1100", "B": "1010"})])
    assert [table.name for table in shown.tables] == ["systems", "pairs"]
    assert [figure.kind for figure in shown.figures] == ["intervals"]
    assert [column.name for column in shown.tables[1].columns][-2:] == [
        "bootstrap p",
        "randomisation p",
    ]
    assert "corrected" not in shown.notes[-1]


def test_with_a_baseline_there_are_no_groups():
    comparison = accuracy(OUTCOMES, replace(QUICK, baseline="top", tests=("bootstrap",)))
    shown = build_report("made", [comparison])
    assert [table.name for table in shown.tables] == ["systems", "pairs"]
    assert [column.name for column in shown.tables[0].columns] == ["system", "score", "low", "high"]
    assert "decides" not in shown.notes[-1]


def test_json_holds_everything_unrounded():
    data = json.loads(render(build_report("made", [COMPARISONS, COMPARISONS]), "json"))
    (metric, _) = data["metrics"]
    assert metric["groups"] == [["top", "near"], ["low"]]
    assert metric["plan"]["tests"] == ["bootstrap", "randomisation"]
    assert metric["plan"]["deciding"] == "randomisation"
    pair = COMPARISONS.pairs[0]
    assert metric["pairs"][0]["p"] == pair.p
    assert metric["pairs"][0]["difference"] == pair.difference
    assert {row["system"]: row["value"] for row in metric["systems"]} == COMPARISONS.values


def test_several_metrics_have_a_column_of_their_names():
    shown = build_report("made", [COMPARISONS, COMPARISONS])
    assert shown.tables[0].columns[0].name == shown.tables[1].columns[0].name == "metric"
    assert len(shown.tables[1].rows) == 6
