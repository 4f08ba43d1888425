"""Breakdowns of the page: types in words, their numbers, and false edits where nothing is wrong."""

from __future__ import annotations

import pytest
from score_corpus import BAD, CORPUS, GOOD

from gecbench.analysis.breakdown import Breakdowns, break_down
from gecbench.analysis.options import BreakdownOptions
from gecbench.api.files import load, load_system, sample
from gecbench.api.options import Options
from gecbench.api.score import collect_stats
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.lang.zh.char import scheme as zh_char
from gecbench.reports.breakdown import build_report


@pytest.fixture(scope="module")
def breakdowns() -> Breakdowns:
    return break_down(collect_stats(CORPUS, (GOOD, BAD), scheme=zh_char(), options=Options()))


def test_types_stand_in_words_beside_their_labels_on_the_page_alone(breakdowns: Breakdowns):
    tables = {table.name: table for table in build_report(breakdowns, page=True).tables}
    types = tables["type-1"]
    assert [column.name for column in types.columns[:3]] == ["operation", "in words", "edits"]
    words = {row[0]: row[1].zh for row in types.rows if row[1]}
    assert words["M"] == "缺失"
    plain = {table.name: table for table in build_report(breakdowns).tables}["type-1"]
    assert [column.name for column in plain.columns[:2]] == ["operation", "edits"]
    shift = {(row, column - 1) for row, column in types.marks}
    assert shift == plain.marks


def test_figures_of_types_have_the_number_of_edits(breakdowns: Breakdowns):
    (figure,) = [
        f for f in build_report(breakdowns, page=True).figures if f.name == "breakdown-type-1"
    ]
    table = {table.name: table for table in build_report(breakdowns).tables}["type-1"]
    assert [x.en for x in figure.series[0].x] == [f"{row[0]} ({row[1]})" for row in table.rows]
    assert figure.x_label.en == "operation (number of edits)"


def test_false_edits_are_counted_where_nothing_is_wrong(breakdowns: Breakdowns):
    (table,) = [t for t in build_report(breakdowns, page=True).tables if t.name == "false-edits"]
    assert table.rows == (("good", 1, 0, 0.0), ("bad", 1, 1, 1.0))
    assert "false-edits" not in [t.name for t in build_report(breakdowns).tables]


@pytest.mark.parametrize("page", [False, True])
def test_f_is_not_drawn_where_nothing_is_wrong_nor_for_systems_without_edits(page: bool):
    copy = SystemOutput("copy", {s.id: (Rewrite(s.source),) for s in CORPUS.samples})
    run_stats = collect_stats(CORPUS, (GOOD, BAD, copy), scheme=zh_char(), options=Options())
    report = build_report(break_down(run_stats), page=page)
    for figure in report.figures:
        assert [series.name for series in figure.series] == ["good", "bad"]
        assert "copy" not in figure.alt.en
    figures = {figure.name: figure for figure in report.figures}
    for name, group in (("breakdown-state", "error-free"), ("breakdown-errors", "0")):
        groups = {getattr(x, "en", x) for series in figures[name].series for x in series.x}
        assert groups
        assert group not in groups
        assert f"at {group}" not in figures[name].alt.en
    if page:
        (table,) = [t for t in report.tables if t.name == "state"]
        place = [row[0].en for row in table.rows].index("error-free")
        assert not [cell for cell in table.marks if cell[0] == place]


@pytest.mark.parametrize("page", [False, True])
def test_texts_of_which_nobody_changes_any_have_no_types(page: bool):
    samples = tuple(Sample(name, name, (Rewrite(name),)) for name in ("好", "很好"))
    copy = SystemOutput("copy", {sample.id: (Rewrite(sample.source),) for sample in samples})
    run_stats = collect_stats(Corpus("right", samples, "zh"), (copy,), scheme=zh_char())
    report = build_report(break_down(run_stats), page=page)
    assert all(not table.rows for table in report.tables if table.name.startswith("type-"))


def test_halves_of_word_order_are_no_categories():
    corpus = load(sample("zh", "corpus.jsonl"))
    systems = [load_system(sample("zh", "eager.txt"), corpus)]
    result = break_down(collect_stats(corpus, systems, scheme=zh_char(), options=Options()))
    kinds = [breakdown.by for breakdown in result.breakdowns]
    assert "type-2" not in kinds
    assert {"type-1", "type-3"} <= {*kinds}
    types = {t.name: t for t in build_report(result, page=True).tables}["type-3"]
    assert all(row[1] for row in types.rows)


def test_edits_without_a_category_are_called_so_in_figures():
    corpus = load(sample("zh", "corpus.jsonl"))
    systems = [load_system(sample("zh", "eager.txt"), corpus)]
    run_stats = collect_stats(corpus, systems, scheme=zh_char(), options=Options())
    result = break_down(run_stats, BreakdownOptions(by=("type-2",)))
    for page, name in ((False, "no category"), (True, "no category (270)")):
        figures = {f.name: f for f in build_report(result, page=page).figures}
        figure = figures["breakdown-type-2"]
        assert figure.series[0].x[0].en == name
        assert "no category" in figure.alt.en
        assert "无类别" in figure.alt.zh
