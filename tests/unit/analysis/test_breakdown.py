"""Scores by parts: groups, differences, deciding sentences, and how they are shown."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from messages import expect_error
from score_corpus import BAD, COPY, CORPUS, GOOD

from gecbench import breakdown
from gecbench.analysis.breakdown import (
    Resampling,
    by_errors,
    by_length,
    by_position,
    by_type,
    contributions,
)
from gecbench.api.options import Options
from gecbench.api.score import collect_stats
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, UnknownNameError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import Counts
from gecbench.metrics.edits import Cherrant
from gecbench.metrics.m2 import M2
from gecbench.reports.breakdown import build_report
from gecbench.reports.report import Words, plain, render
from gecbench.scoring.results import RunStats

SYSTEMS = (COPY, GOOD, BAD)


def break_down(*systems: SystemOutput, metrics: tuple[str, ...] = ("cherrant",), **options: object):
    return breakdown(CORPUS, systems, scheme="zh-char", options=Options(metrics=metrics), **options)


def part(analysis, by: str, metric: str = "cherrant"):
    (only,) = [
        breakdown
        for breakdown in analysis.breakdowns
        if (breakdown.by, breakdown.metric) == (by, metric)
    ]
    return only


def counts(analysis, by: str, name: str) -> dict[str, tuple[int, int, int] | None]:
    breakdown = part(analysis, by)
    return {
        group: (cell.counts.tp, cell.counts.fp, cell.counts.fn) if cell.counts else None
        for group, cell in zip(breakdown.groups, breakdown.cells[name], strict=True)
    }


def test_types_are_counted_where_they_are_found_made_and_missed():
    analysis = break_down(*SYSTEMS)
    assert part(analysis, "type-1").groups == ("M", "R", "S")
    assert part(analysis, "type-1").sizes == (1, 3, 2)
    assert counts(analysis, "type-1", "good") == {
        "M": (1, 0, 0),
        "R": (1, 0, 0),
        "S": (1, 0, 0),
    }
    assert counts(analysis, "type-1", "copy")["M"] == (0, 0, 1)
    assert counts(analysis, "type-1", "bad")["M"] == (1, 1, 0)


def test_a_group_in_which_there_is_nothing_has_no_value():
    cells = dict(
        zip(*[(p := part(break_down(COPY, BAD), "type-1")).groups, p.cells["copy"]], strict=True)
    )
    assert cells["M"].value == 0.0
    assert [cell.value for cell in cells.values() if cell.counts == Counts()] == [None] * sum(
        cell.counts == Counts() for cell in cells.values()
    )


def test_positions_are_fifths_of_the_source():
    tokens = tuple("abcdefghij")
    edits = [
        Edit(0, 1, ("x",), "S"),
        Edit(2, 2, ("x",), "M"),
        Edit(3, 6, ("x",), "S"),
        Edit(7, 8, (), "R"),
        Edit(10, 10, ("x",), "M"),
    ]
    corpus = Corpus(
        "one",
        (Sample("1", "".join(tokens), (Rewrite(edit_sets=(tuple(edits),)),), {}, tokens),),
        "zh",
    )
    output = SystemOutput("none", {"1": (Rewrite(error_free=True),)})
    breakdown = by_position(collect_stats(corpus, [output]), "cherrant")
    assert breakdown.groups == ("0-20%", "20-40%", "40-60%", "60-80%", "80-100%")
    assert breakdown.sizes == (1, 1, 1, 1, 1)
    assert [cell.counts.fn for cell in breakdown.cells["none"]] == [1] * 5


def test_lengths_fall_into_the_bins_that_are_named():
    breakdown = by_length(collect_stats(CORPUS, [COPY], scheme="zh-char"), "cherrant", (1, 2))
    assert (breakdown.groups, breakdown.sizes, breakdown.scale) == (
        ("0-1", "2-2", "3+"),
        (1, 2, 1),
        "characters",
    )
    assert part(break_down(COPY), "length").groups == ("0-20",)


@pytest.mark.parametrize("ends", [(3, 2), (2, 2), (0, 4)])
def test_length_bins_that_do_not_ascend_are_refused(ends):
    with expect_error(UsageError, f"length bins {ends[0]},{ends[1]}", "ascending"):
        break_down(COPY, length_ends=ends)


def test_errors_are_the_mean_over_references_halves_rounded_up():
    sources = {"1": "好好", "2": "我好他", "3": "我去了"}
    sets = {"1": ["好好"], "2": ["了好他", "了好人"], "3": ["我去"]}
    corpus = Corpus(
        "e",
        tuple(Sample(k, sources[k], tuple(map(Rewrite, texts))) for k, texts in sets.items()),
        "zh",
    )
    output = SystemOutput("same", {k: (Rewrite(text),) for k, text in sources.items()})
    breakdown = by_errors(collect_stats(corpus, [output], scheme="zh-char"), "cherrant")
    assert dict(zip(breakdown.groups, breakdown.sizes, strict=True)) == {"0": 1, "1": 1, "2": 1}


def test_of_alternative_edit_sets_the_first_makes_the_size_of_a_group():
    first, second = Edit(0, 1, (), "R"), Edit(1, 2, (), "R")
    sample = Sample(
        "1", "好好", (Rewrite("好", edit_sets=((first,), (second,))),), {}, ("好", "好")
    )
    output = SystemOutput("same", {"1": (Rewrite(error_free=True),)})
    run = collect_stats(Corpus("alternatives", (sample,), "zh"), [output])
    assert by_type(run, "cherrant", 1).sizes == (1,)
    assert by_type(run, "cherrant", 1).cells["same"][0].counts.fn == 2
    assert by_errors(run, "cherrant").groups == ("1",)


def test_what_nobody_could_correct_is_a_group_where_a_metric_scores_it():
    impossible = Rewrite(unannotatable=True)
    corpus = Corpus(
        "e",
        (Sample("1", "口", (impossible, impossible)), Sample("2", "好", (Rewrite("我"),))),
        "zh",
    )
    output = SystemOutput("same", {"1": (Rewrite("口"),), "2": (Rewrite("好"),)})
    run = collect_stats(corpus, [output], scheme="zh-char")
    breakdown = by_errors(run, "cherrant")
    assert dict(zip(breakdown.groups, breakdown.sizes, strict=True)) == {"1": 1, "unannotatable": 1}


def test_all_that_says_something_is_broken_down_by_default():
    kinds = [breakdown.by for breakdown in break_down(*SYSTEMS).breakdowns]
    assert kinds == ["type-1", "position", "length", "errors", "state", "field:origin"]
    texts = [
        breakdown.by
        for breakdown in break_down(*SYSTEMS, metrics=("sentence-accuracy",)).breakdowns
    ]
    assert texts == ["length", "state", "field:origin"]


def test_a_metric_over_gold_edits_has_errors_and_no_types():
    tokens = ("我", "去")
    sample = Sample("1", "我去", (Rewrite(edit_sets=((Edit(0, 1, ("你",), "S"),),)),), {}, tokens)
    corpus = Corpus("m", (sample,), "zh")
    output = SystemOutput("same", {"1": (Rewrite("我去"),)})
    analysis = breakdown(corpus, [output], options=Options(metrics=("m2",)))
    assert [breakdown.by for breakdown in analysis.breakdowns] == ["length", "errors", "state"]
    assert part(analysis, "errors", "m2").groups == ("1",)


def pairs(analysis):
    return {comparison.metric: comparison.between for comparison in analysis.comparisons}


def test_the_best_two_are_set_against_each_other_unless_two_are_named():
    assert pairs(break_down(*SYSTEMS)) == {"cherrant": ("good", "bad")}
    assert pairs(break_down(*SYSTEMS, between=("copy", "good"))) == {"cherrant": ("copy", "good")}
    lower = break_down(*SYSTEMS, metrics=("mp-prime",))
    assert pairs(lower)["mp-prime"][0] in {"good", "bad"}
    assert pairs(break_down(GOOD)) == {}


@pytest.mark.parametrize(
    ("between", "error", "match"),
    [
        (("good", "god"), UnknownNameError, "unknown system 'god'; did you mean good"),
        (("good",), UsageError, "good: name two different systems, as A,B"),
        (("good", "good"), UsageError, "good,good: name two different systems"),
    ],
)
def test_two_systems_have_to_be_named(between, error, match):
    with pytest.raises(error, match=match):
        break_down(*SYSTEMS, between=between)


def test_groups_smaller_than_the_least_are_not_compared():
    differences = break_down(*SYSTEMS, least=2).comparisons[0].differences
    assert differences
    assert all(difference.size >= 2 for difference in differences)
    assert break_down(*SYSTEMS, least=99).comparisons[0].differences == ()


def test_a_group_that_two_tiers_share_is_compared_once():
    differences = break_down(*SYSTEMS, by=("type-1", "type-3"), least=1).comparisons[0].differences
    assert sorted(difference.group for difference in differences) == ["M", "R", "S"]


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"by": ("tpye-1",)}, UsageError, "'tpye-1'.* type-1, type-2, .*, state, or field:NAME"),
        ({"by": ("field:",)}, UsageError, "'field:'.* or field:NAME"),
        ({"by": ("field:level",)}, CorpusError, "no metadata field 'level'; fields are: origin"),
        ({"least": 0}, UsageError, "least is 0; it must be a whole number of at least 1"),
        ({"most": -1}, UsageError, "most is -1; it must be a whole number of at least 0"),
    ],
)
def test_what_cannot_be_grouped_is_refused(options, error, match):
    with pytest.raises(error, match=match):
        break_down(COPY, **options)


def test_a_corpus_without_metadata_says_how_to_add_some():
    bare = Corpus("bare", (Sample("1", "好", (Rewrite("我"),)),), "zh")
    output = SystemOutput("same", {"1": (Rewrite("好"),)})
    with expect_error(CorpusError, "none", "--meta"):
        breakdown(bare, [output], scheme="zh-char", by=("field:origin",))


@pytest.mark.parametrize(
    ("kind", "match"),
    [
        ("type-1", "--by type-1 needs a span metric, as cherrant or errant; here is gleu"),
        ("errors", "--by errors needs a metric that reads edits of the references"),
    ],
)
def test_kinds_that_no_metric_of_the_run_has_are_refused(kind: str, match: str):
    with pytest.raises(UsageError, match=match):
        break_down(COPY, metrics=("gleu",), by=(kind,))


def test_types_of_a_metric_over_texts_are_refused_where_asked_for_by_name():
    run = collect_stats(CORPUS, [COPY], options=Options(metrics=("gleu",)))
    with expect_error(UsageError, "gleu", "no edits", "span metric"):
        by_type(run, "gleu", 1)


def test_a_kind_is_left_out_for_the_metrics_that_have_it_not():
    analysis = break_down(COPY, metrics=("cherrant", "sentence-accuracy"), by=("type-1", "length"))
    assert [(breakdown.metric, breakdown.by) for breakdown in analysis.breakdowns] == [
        ("cherrant", "type-1"),
        ("cherrant", "length"),
        ("sentence-accuracy", "length"),
    ]


def test_fields_of_many_values_are_groups_only_where_asked_for():
    samples = tuple(
        Sample(str(n), "好", (Rewrite("我"),), {"doc": str(n), "level": "" if n else "x"})
        for n in range(21)
    )
    corpus = Corpus("many", samples, "zh")
    output = SystemOutput("same", {str(n): (Rewrite("好"),) for n in range(21)})
    analysis = breakdown(corpus, [output], scheme="zh-char")
    assert [e.by for e in analysis.breakdowns if e.by.startswith("field")] == ["field:level"]
    assert part(analysis, "field:level").groups == ("x", "(empty)")
    by_field = breakdown(corpus, [output], scheme="zh-char", by=("field:doc",))
    assert len(part(by_field, "field:doc").groups) == 21


def test_tables_and_figures_are_named_apart():
    shown = build_report(
        break_down(*SYSTEMS, metrics=("cherrant", "sentence-accuracy")), counts=True
    )
    names = [table.name for table in shown.tables]
    assert names[:2] == ["cherrant-type-1", "cherrant-position"]
    assert names[-1] == "counts"
    assert "sentence-accuracy-sentences" in names
    assert len(set(names)) == len(names)
    assert shown.figures[0].name == "breakdown-cherrant-type-1"
    named = {"类别": "a", "来源": "b", "Le vel": "c"}
    samples = tuple(Sample(str(n), "好", (Rewrite("我"),), named) for n in range(2))
    output = SystemOutput("same", {str(n): (Rewrite("好"),) for n in range(2)})
    fields = tuple(f"field:{name}" for name in named)
    analysis = breakdown(Corpus("x", samples, "zh"), [output], scheme="zh-char", by=fields)
    assert [t.name for t in build_report(analysis).tables] == ["field", "field-2", "field-le-vel"]


def test_the_best_of_a_group_is_marked_unless_all_are_equal():
    table = build_report(break_down(COPY, GOOD), counts=False).tables[0]
    assert table.columns[2].name == "copy"
    assert set(table.marks) == {(0, 3), (1, 3)}
    assert table.rows[2][2] is None
    assert build_report(break_down(COPY)).tables[0].marks == frozenset()
    low = build_report(break_down(*SYSTEMS, metrics=("mp-prime",))).tables[0]
    (marked,) = {column for _, column in low.marks}
    assert low.rows[0][marked] == min(low.rows[0][2:])


def test_figures_say_the_numbers_that_matter_in_both_languages():
    figure = build_report(break_down(COPY, GOOD)).figures[-1]
    assert figure.name == "breakdown-field-origin"
    assert "good: 100.00 in every group." in figure.alt.en
    assert "good：各组均为 100.00" in figure.alt.zh
    assert "Number of sentences: b 2, a 2" in figure.alt.en
    assert [series.name for series in figure.series] == ["good"]
    assert figure.series[0].y == (100.0, 100.0)
    state = next(f for f in build_report(break_down(GOOD)).figures if f.name == "breakdown-state")
    assert [word.zh for word in state.series[0].x] == ["有错误"]


def test_a_system_without_edits_is_in_no_figure_and_a_figure_of_none_is_left_out():
    free = Corpus("free", (Sample("1", "好", (Rewrite(error_free=True),)),), "zh")
    output = SystemOutput("same", {"1": (Rewrite("好"),)})
    analysis = breakdown(free, [output], scheme="zh-char", by=("position",))
    shown = build_report(analysis)
    assert shown.tables[0].rows
    assert shown.figures == ()


def test_counts_have_a_row_for_each_group_and_system():
    table = build_report(
        break_down(GOOD, metrics=("cherrant", "sentence-accuracy"), by=("state",)), counts=True
    ).tables[-1]
    rows = {tuple(map(plain, row[:4])): row[4:] for row in table.rows}
    assert rows["cherrant", "state", "erroneous", "good"] == (3, 3, 0, 0, 1.0, 1.0, 1.0)
    accuracy = rows["sentence-accuracy", "state", "erroneous", "good"]
    assert accuracy == (3, None, None, None, None, None, 1.0)


def test_long_lists_of_differences_are_cut_in_the_table_alone():
    samples = tuple(Sample(str(n), "好", (Rewrite("我"),), {"doc": str(n)}) for n in range(16))
    output = SystemOutput("one", {str(n): (Rewrite("好"),) for n in range(16)})
    two = SystemOutput("two", {str(n): (Rewrite("我"),) for n in range(16)})
    analysis = breakdown(
        Corpus("x", samples, "zh"), [output, two], scheme="zh-char", by=("field:doc",), least=1
    )
    shown = build_report(analysis)
    table = next(t for t in shown.tables if t.name == "differences")
    assert len(table.rows) == 15
    assert table.title.en == "Where two and one differ most (15 of 16 groups)"
    data = json.loads(render(shown, "json"))
    assert len(data["comparisons"][0]["differences"]) == 16


def test_json_has_the_counts_and_the_texts():
    data = json.loads(render(build_report(break_down(BAD, GOOD)), "json"))
    assert data["analysis"] == "breakdown"
    first = data["breakdowns"][0]
    assert (first["by"], first["unit"], first["scale"]) == ("type-1", "edits", None)
    assert first["cells"]["good"][0] == {"value": 1.0, "tp": 1, "fp": 0, "fn": 0}
    sentence = data["comparisons"][0]["sentences"][0]
    assert set(sentence) == {"id", "contribution", "source", "outputs", "references"}


def test_texts_stand_below_the_sentences_that_decide():
    ranked, texts = build_report(break_down(*SYSTEMS)).tables[-2:]
    assert (ranked.name, texts.name) == ("sentences", "texts")
    assert [row[0] for row in ranked.rows] == ["1", "3"]
    assert texts.rows[:4] == (
        ("1", Words("source", "原文"), "我去了"),
        ("1", "good", "他去了"),
        ("1", "bad", "我去来"),
        ("1", Words("reference 1", "参考答案 1"), "我去"),
    )


def test_groups_are_named_in_both_languages():
    shown = build_report(break_down(GOOD, BAD, by=("state", "type-1"), least=1))
    tables = {table.name: table for table in shown.tables}
    assert tables["state"].rows[0][0] == Words("erroneous", "有错误")
    assert Words("type-1", "编辑操作") in {row[0] for row in tables["differences"].rows}


def test_what_is_declared_is_counted_at_no_place():
    impossible = SystemOutput("no", {**COPY.hypotheses, "1": (Rewrite(unannotatable=True),)})
    analysis = break_down(impossible, COPY, by=("position",))
    assert part(analysis, "position").groups[-1] == "no place"
    assert counts(analysis, "position", "no")["no place"] == (0, 1, 0)
    assert counts(analysis, "position", "copy")["no place"] == (0, 0, 0)
    (figure,) = build_report(analysis).figures
    assert figure.series[0].x[-1].zh == "无位置"
    assert "no place" not in part(break_down(COPY), "position").groups


def test_errors_that_nobody_could_correct_are_no_groups():
    """Whatever the metric: it is the references that have no edits."""
    corpus = Corpus("none", (Sample("1", "口", (Rewrite(unannotatable=True),)),), "zh")
    output = SystemOutput("same", {"1": (Rewrite("口"),)})
    with expect_error(CorpusError, "--by errors"):
        breakdown(corpus, [output], scheme="zh-char", by=("errors",))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (
            {"by": ("length", "state", "length")},
            "a kind of groups is named twice in length,state,l",
        ),
        (
            {"by": ("type-1", "state"), "length_ends": (10, 20)},
            "length bins are for groups by length, and --by is type-1,state; add length to it",
        ),
    ],
)
def test_what_would_be_ignored_is_refused(options, match):
    with pytest.raises(UsageError, match=match):
        break_down(COPY, **options)


def test_the_version_that_counts_is_the_one_that_is_shown():
    """With several hypotheses the metric chooses, and the first need not be the best."""
    alternatives = {
        "1": (Rewrite("我去来"), Rewrite("我去")),
        "2": (Rewrite("他来"),),
        "3": (Rewrite("好"),),
        "4": (Rewrite("口口"),),
        "5": (Rewrite("我们"),),
    }
    (first, *_) = break_down(SystemOutput("two", alternatives), COPY).comparisons[0].sentences
    assert (first.id, first.outputs) == ("1", ("我去", "我去了"))
    data = json.loads(
        render(build_report(break_down(SystemOutput("two", alternatives), COPY)), "json")
    )
    assert data["comparisons"][0]["sentences"][0]["outputs"] == ["我去", "我去了"]
    texts = break_down(SystemOutput("two", alternatives), COPY, metrics=("sentence-accuracy",))
    assert texts.comparisons[0].sentences == ()  # these take the first, which is wrong


def test_texts_that_overlapping_edits_cannot_give_are_said_not_to_be_known():
    over = (Edit(1, 2, ("高二",), "S"), Edit(1, 3, ("高三",), "S"))
    tokens = ("我", "高中二", "的")
    first = Sample("1", " ".join(tokens), (Rewrite(edit_sets=(over,)),), {}, tokens)
    other = Sample("2", "他 来", (Rewrite(error_free=True),), {}, ("他", "来"))
    texts = {"one": ("我 高二 的", "他 来"), "two": ("我 高中二 的", "他 来")}
    systems = [
        SystemOutput(name, {"1": (Rewrite(a),), "2": (Rewrite(b),)})
        for name, (a, b) in texts.items()
    ]
    options = Options(metrics=("m2",))
    analysis = breakdown(Corpus("over", (first, other), "zh"), systems, options=options)
    (sentence,) = analysis.comparisons[0].sentences
    assert (sentence.outputs, sentence.references) == (("我 高二 的", "我 高中二 的"), (None,))
    assert any("overlap, which cannot be shown: 1" in note for note in analysis.notes)
    assert build_report(analysis).tables[-1].rows[-1] == (
        "1",
        Words("reference 1", "参考答案 1"),
        Words("(known by edits only)", "（仅知其编辑）"),
    )


def test_of_one_sentence_alone_nothing_decides_and_that_is_said():
    corpus = Corpus("one", (Sample("1", "我去了", (Rewrite("我去"),)),), "zh")
    systems = [SystemOutput(name, {"1": (Rewrite(name),)}) for name in ("我去", "我去了")]
    note_start = "cherrant: one sentence alone is scored; what it decides cannot be told"
    analysis = breakdown(corpus, systems, scheme="zh-char")
    assert [comparison.sentences for comparison in analysis.comparisons] == [()]
    assert any(note.startswith(note_start) for note in analysis.notes)
    for other in (
        breakdown(corpus, systems, scheme="zh-char", most=0),
        breakdown(corpus, systems[:1], scheme="zh-char"),
        break_down(*SYSTEMS),
    ):
        assert not any(note.startswith(note_start) for note in other.notes)


class Unasked(RunStats):
    """A run whose rows nobody may look at."""

    def scored(self, metric: str) -> list[int]:
        raise AssertionError(metric)


def test_where_no_sentence_is_asked_for_none_is_looked_for():
    run = collect_stats(CORPUS, [COPY, GOOD], scheme="zh-char")
    held = Unasked(**{name: getattr(run, name) for name in RunStats.__dataclass_fields__})
    assert contributions(held, "cherrant", "copy", "good", most=0) == ()


@pytest.mark.parametrize("metric", ["cherrant", "m2"])
def test_counts_that_are_summed_are_taken_away_and_not_resampled(metric, monkeypatch):
    """What was resampled for each sentence took the square of the corpus's length."""

    def resample(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(Cherrant, "resample", resample)
    monkeypatch.setattr(M2, "resample", resample)
    assert break_down(*SYSTEMS, metrics=(metric,)).comparisons[0].sentences


def test_deciding_sentences_come_with_their_texts():
    sentences = break_down(*SYSTEMS).comparisons[0].sentences
    assert [sentence.id for sentence in sentences] == ["1", "3"]
    first = sentences[0]
    assert (first.source, first.outputs) == ("我去了", ("他去了", "我去来"))
    assert first.references == ("我去", "你去", "他去了")
    assert all(sentence.contribution > 0 for sentence in sentences)
    assert len(break_down(*SYSTEMS, most=1).comparisons[0].sentences) == 1
    assert break_down(*SYSTEMS, most=0).comparisons[0].sentences == ()


def test_outputs_known_by_edits_are_shown_as_texts():
    tokens = ("我", "去")
    sample = Sample("1", "我去", (Rewrite(edit_sets=((Edit(0, 1, ("你",), "S"),),)),), {}, tokens)
    other = Sample("2", "好", (Rewrite(error_free=True, edit_sets=((),)),), {}, ("好",))
    rewrite = {
        "1": (Rewrite(edit_sets=((Edit(0, 1, ("你",), "S"),),)),),
        "2": (Rewrite(error_free=True),),
    }
    two = {"1": (Rewrite(error_free=True),), "2": (Rewrite(error_free=True),)}
    systems = [
        SystemOutput("one", rewrite, {"1": tokens}),
        SystemOutput("two", two),
    ]
    analysis = breakdown(Corpus("m", (sample, other), "zh"), systems)
    (sentence,) = analysis.comparisons[0].sentences
    assert (sentence.outputs, sentence.references) == (("你去", "我去"), ("你去",))


@pytest.fixture(scope="module")
def large() -> RunStats:
    """Statistics of two thousand sentences of two lengths, a system that corrects half of them."""
    texts = [f"{n}他去了学校去{'了' * (n % 2 * 20)}" for n in range(2000)]
    samples = [Sample(str(n), text, (Rewrite(text[:-1]),)) for n, text in enumerate(texts)]
    outputs = {str(n): (Rewrite(text[: -1 - n % 2]),) for n, text in enumerate(texts)}
    corpus = Corpus("large", tuple(samples), "zh")
    options = Options(metrics=("cherrant", "gleu"))
    return collect_stats(corpus, [SystemOutput("half", outputs)], scheme="zh-char", options=options)


@pytest.mark.parametrize("metric", ["cherrant", "gleu"])
def test_intervals_of_groups_are_drawn_some_at_a_time(large, metric, monkeypatch):
    few = Resampling(30, 1)
    whole = by_length(large, metric, (10,), few), by_type(large, "cherrant", 1, few)
    monkeypatch.setattr("gecbench.scoring.resample._AT_ONCE", 7000)
    assert (by_length(large, metric, (10,), few), by_type(large, "cherrant", 1, few)) == whole


def test_intervals_of_groups_take_no_memory_for_all_resamples(large):
    """Draws of all at once take 178 MB here, with what is made of them."""
    tracemalloc.start()
    try:
        by_length(large, "cherrant", (10,), Resampling(10_000, 1))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60_000_000
