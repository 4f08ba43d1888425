"""References: statistics, distribution, score against their number, and how they are shown."""

from __future__ import annotations

import json

import pytest
from messages import expect_error
from score_corpus import COPY, CORPUS, FREE, GOOD, IMPOSSIBLE, texts

from gecbench import references
from gecbench.analysis.options import Sweep
from gecbench.analysis.references import curves
from gecbench.api.options import Options
from gecbench.api.score import collect_stats
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.reports.references import build_report
from gecbench.reports.report import render


def count_references(*systems: SystemOutput, corpus: Corpus = CORPUS, **options: object):
    return references(corpus, systems, scheme="zh-char", **options)


def test_statistics_are_those_of_the_table_of_mucgec():
    (row,) = count_references().statistics
    assert (row.sentences, row.discarded, row.erroneous) == (4, 1, 3)
    assert row.characters == (3 + 2 + 1 + 2) / 4
    assert row.references == (3 + 1 + 1 + 1) / 4
    assert row.edits == (1 + 2 + 1 + 1 + 1) / 5
    assert row.distinct == row.references


def test_references_that_are_alike_are_counted_and_said_to_be_alike():
    corpus = Corpus("x", (Sample("1", "我去", texts("我来", "我 来", "你来")),), "zh")
    (row,) = count_references(corpus=corpus).statistics
    assert (row.references, row.distinct) == (3, 2)


def test_each_value_of_a_field_has_its_own_statistics():
    by_name = {row.name: row for row in count_references(by="origin").statistics}
    assert list(by_name) == ["all", "b", "a"]
    assert (by_name["a"].sentences, by_name["a"].erroneous) == (2, 1)
    assert (by_name["b"].sentences, by_name["b"].discarded) == (2, 1)
    with expect_error(CorpusError, "'1'", "'level'"):
        count_references(by="level")


def test_an_empty_value_of_a_field_is_shown():
    corpus = Corpus("x", (Sample("1", "我去", texts("我来"), {"level": ""}),), "zh")
    assert [row.name for row in count_references(corpus=corpus, by="level").statistics] == [
        "all",
        "(empty)",
    ]


def test_a_corpus_in_which_nothing_is_corrected_has_no_edits_to_average():
    corpus = Corpus("x", (Sample("1", "我去", (FREE,)),), "zh")
    analysis = count_references(corpus=corpus)
    assert analysis.statistics[0].edits is None
    assert analysis.erroneous == {}
    shares = build_report(analysis).figures[0].series[1].y
    assert shares == (0.0,)
    assert build_report(analysis).tables[1].rows == (("1", 1, 1.0, 0, None),)


def test_a_corpus_that_nobody_could_annotate_has_neither():
    corpus = Corpus("x", (Sample("1", "我去", (IMPOSSIBLE,)),), "zh")
    analysis = count_references(corpus=corpus)
    (row,) = analysis.statistics
    assert (row.sentences, row.discarded, row.erroneous) == (0, 1, 0)
    assert (row.characters, row.edits, row.references, row.distinct) == (None,) * 4
    assert build_report(analysis).tables[0].rows[0][4:] == (None,) * 5
    assert json.loads(render(build_report(analysis), "json"))["statistics"][0]["characters"] is None


def test_metrics_over_texts_know_no_edits_but_states():
    analysis = references(CORPUS, options=Options(metrics=("gleu",)))
    assert analysis.statistics[0].edits is None
    assert analysis.statistics[0].erroneous == 3


def test_the_distribution_is_over_references_that_could_be_written():
    analysis = count_references()
    assert analysis.everywhere == {0: 1, 1: 3, 3: 1}
    assert analysis.erroneous == {1: 2, 3: 1}


def test_a_sentence_in_dispute_is_erroneous():
    corpus = Corpus("x", (Sample("1", "我去", (FREE, *texts("我来"))),), "zh")
    analysis = count_references(corpus=corpus)
    assert analysis.erroneous == {2: 1}
    assert analysis.statistics[0].erroneous == 1
    assert analysis.statistics[0].edits == 1.0


def test_without_systems_there_are_no_curves():
    analysis = count_references()
    assert (analysis.curves, analysis.sentences, analysis.signatures) == ((), 0, ())
    assert "curves" not in json.loads(render(build_report(analysis), "json"))
    assert [table.name for table in build_report(analysis).tables] == ["statistics", "distribution"]


def test_a_curve_has_mean_and_ends_over_all_subsets():
    (curve,) = count_references(GOOD).curves
    first, second, third = curve.points
    # With reference 1, 2 or 3 alone, the first sentence (他去了) misses what they have and is wrong
    # in what it has, but for the third; the others are always right.
    assert (first.k, first.subsets, first.of, first.cut) == (1, 3, 3, 1)
    assert first.high == 1.0
    assert first.low < first.mean < first.high
    assert second.low < second.mean < second.high == 1.0
    assert (third.mean, third.low, third.high, third.cut) == (1.0, 1.0, 1.0, 0)


def test_a_reference_that_says_impossible_is_none_and_that_is_said():
    (curve,) = count_references(COPY).curves
    analysis = count_references(COPY)
    assert analysis.sentences == 4
    assert any("impossible to correct and others corrected: 1;" in n for n in analysis.notes)
    # By `score` the unchanged fifth sentence would choose the reference that says so.
    assert curve.points[-1].mean == 0.0


def test_only_sentences_with_enough_references_take_part_where_asked():
    analysis = count_references(GOOD, at_least=2)
    assert analysis.sentences == 1
    assert [point.cut for point in analysis.curves[0].points] == [1, 1, 0]
    assert analysis.curves[0].points[0].mean < count_references(GOOD).curves[0].points[0].mean
    assert any("fewer than 2 references, which take no part: 3" in n for n in analysis.notes)
    assert any("--at-least K takes only" in note for note in count_references(GOOD).notes)


def test_the_first_k_and_up_to():
    analysis = count_references(GOOD, taking="first", up_to=2)
    assert [(p.k, p.subsets, p.of) for p in analysis.curves[0].points] == [(1, 1, 1), (2, 1, 1)]
    assert analysis.curves[0].points[0].mean < 1.0


def test_more_subsets_than_the_most_are_drawn_by_lot_and_that_is_said():
    wide = tuple(texts(*"一二三四五六")[:6])
    corpus = Corpus("x", (Sample("1", "我去", wide),), "zh")
    output = SystemOutput("s", {"1": texts("一")})
    analysis = count_references(output, corpus=corpus, most=4, seed=7)
    assert [(p.subsets, p.of) for p in analysis.curves[0].points] == [
        *((4, 6), (4, 15), (4, 20), (4, 15), (4, 6), (1, 1))
    ]
    assert (
        "curves: of more than 4 subsets of one size, 4 are drawn at random (seed 7)"
        in analysis.notes
    )


def test_all_sentences_with_one_reference_give_one_point():
    corpus = Corpus("x", (Sample("1", "我去", texts("我来")),), "zh")
    output = SystemOutput("s", {"1": texts("我来")})
    analysis = count_references(output, corpus=corpus)
    (point,) = analysis.curves[0].points
    assert (point.k, point.mean, point.of, point.cut) == (1, 1.0, 1, 0)
    assert analysis.notes == ()
    shown = build_report(analysis)
    assert shown.figures[1].series[0].low == ()
    assert "lowest" not in [column.name for column in shown.tables[2].columns]


@pytest.mark.parametrize("options", [{"up_to": 4}, {"at_least": 4}])
def test_more_references_than_any_sentence_has_are_refused(options):
    with expect_error(CorpusError, "dev", "4 references", "3"):
        count_references(GOOD, **options)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"taking": "some"}, "taking is 'some'; it is one of subsets, first"),
        ({"at_least": 0}, "at-least is 0; it must be a whole number of at least 1"),
        ({"up_to": 0}, "up-to is 0"),
        ({"most": 0}, "subsets is 0"),
    ],
)
def test_a_sweep_that_means_nothing_is_refused(options, match):
    with pytest.raises(UsageError, match=match):
        count_references(GOOD, **options)


def test_metrics_that_read_no_references_have_no_curve_and_that_is_said():
    options = Options(metrics=("meaning-preservation", "sentence-accuracy"))
    analysis = references(CORPUS, [GOOD], options=options)
    assert [curve.metric for curve in analysis.curves] == ["sentence-accuracy"]
    assert "curves: meaning-preservation reads no references" in analysis.notes
    assert len(analysis.signatures) == 1


def test_metrics_over_gold_edits_have_curves_too():
    tokens = ("我", "去")
    both = (
        Rewrite(edit_sets=((Edit(0, 1, ("你",), "S"),),)),
        Rewrite(edit_sets=((Edit(1, 2, ("来",), "S"),),)),
    )
    corpus = Corpus("m", (Sample("1", "我去", both, {}, tokens),), "zh")
    run = collect_stats(
        corpus, [SystemOutput("s", {"1": texts("我来")})], options=Options(metrics=("m2",))
    )
    (curve,) = curves(run, Sweep())
    assert [(p.low, p.mean, p.high) for p in curve.points] == [(0.0, 0.5, 1.0), (1.0, 1.0, 1.0)]


def test_figures_are_those_of_mucgec_in_words():
    shown = build_report(count_references(COPY, GOOD))
    assert [figure.name for figure in shown.figures] == [
        "references-distribution",
        "references-cherrant",
    ]
    assert "all sentences: 1: 75.0%, 3: 25.0%" in shown.figures[0].alt.en
    assert "有错误的句子：1: 66.7%，3: 33.3%" in shown.figures[0].alt.zh
    lines = shown.figures[1]
    assert "good " in lines.alt.en
    assert "100.00 with 3" in lines.alt.en
    assert lines.series[1].x == (1, 2, 3)
    assert lines.series[1].high[0] == 100.0


def test_tables_and_json_hold_the_points():
    shown = build_report(count_references(GOOD))
    table = shown.tables[2]
    assert table.name == "cherrant"
    assert table.rows[-1] == ("good", "3", 1.0, 1.0, 1.0, 1, 1, 0)
    data = json.loads(render(shown, "json"))
    assert data["sweep"]["taking"] == "subsets"
    assert data["sweep"]["sentences"] == 4
    assert data["distribution"][0] == {"references": 0, "sentences": 1, "erroneous": 0}
    assert data["curves"][0]["points"][2]["mean"] == 1.0


def test_references_without_a_text_are_told_apart_by_their_edits():
    over = (Edit(0, 2, ("他",), "S"), Edit(1, 3, (), "R"))
    other = (Edit(0, 2, ("你",), "S"), Edit(1, 3, (), "R"))
    sets = [(over,), (over,), (other,)]
    rewrites = (*(Rewrite(edit_sets=edits) for edits in sets), Rewrite(error_free=True))
    corpus = Corpus("over", (Sample("1", "a b c", rewrites, {}, ("a", "b", "c")),), "zh")
    analysis = references(corpus, options=Options(metrics=("m2",)))
    (row,) = analysis.statistics
    assert (row.references, row.distinct) == (4, 3)
    assert any("have no text: 3;" in note for note in analysis.notes)
    assert count_references().notes == ()
