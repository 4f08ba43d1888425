"""What an analysis shows: as text, JSON, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from messages import expect_error

from gecbench.analysis.correlation import Coefficient, MetricPair
from gecbench.core.errors import UsageError
from gecbench.core.score import WarningNote
from gecbench.reports.plots import COLOURS, properties
from gecbench.reports.report import (
    Column,
    Figure,
    Report,
    Series,
    Table,
    Words,
    figure_csv,
    render,
    table_csv,
    text_in,
)

MAIN = Table(
    "main",
    Words("What came out", "结果"),
    (
        Column("system"),
        Column("edits", "count"),
        Column("F0.5", "percent"),
        Column("r", "number", 3),
        Column("p", "p", 3),
    ),
    (("a & b", 3, 0.123456, -0.5, 0.00001), ("乙", 10, 1.0, None, 0.05)),
    frozenset({(1, 2)}),
)
OTHER = Table("other", Words("More", "其他"), (Column("type"), Column("n", "count")), (("M", 1),))
EMPTY = Table("empty", Words("Nothing", "无"), (Column("type"),), ())
REPORT = Report(
    "trial",
    Words("A trial", "试验"),
    "samples",
    (MAIN, OTHER, EMPTY),
    data={"systems": [{"system": "a & b", "f": 0.123456}]},
    notes=("be careful",),
    signatures=("metric:x|beta:0.5",),
)


def test_text_has_each_table_under_its_title_then_notes_and_signatures():
    assert render(REPORT, "text") == (
        "What came out\n"
        "system  edits    F0.5        r       p\n"
        "a & b       3   12.35   -0.500  <0.001\n"
        "乙         10  100.00*       -   0.050\n"
        "\n"
        "More\n"
        "type  n\n"
        "M     1\n"
        "\n"
        "note: be careful\n"
        "signature: metric:x|beta:0.5\n"
    )


def test_json_has_results_by_their_fields():
    notes = (WarningNote("a: empty outputs: 3"),)
    result = MetricPair("a", "b", {"pearson": Coefficient(0.25, None)})
    report = replace(REPORT, data={"pairs": [result], "of": {2: notes}})
    assert json.loads(render(report, "json")) == {
        "schema": 1,
        "analysis": "trial",
        "corpus": "samples",
        "notes": ["be careful"],
        "signatures": ["metric:x|beta:0.5"],
        "pairs": [
            {"first": "a", "second": "b", "coefficients": {"pearson": {"value": 0.25, "p": None}}}
        ],
        "of": {"2": ["a: empty outputs: 3"]},
    }


def test_json_of_what_is_no_value_is_refused():
    with pytest.raises(NotImplementedError, match="object"):
        render(replace(REPORT, data={"value": object()}), "json")


def test_without_notes_there_is_no_tail():
    bare = Report("trial", Words("A", "甲"), "samples", (OTHER,))
    assert render(bare, "text") == "More\ntype  n\nM     1\n"


def test_json_has_the_data_unrounded_and_what_they_are_of():
    assert json.loads(render(REPORT, "json")) == {
        "schema": 1,
        "analysis": "trial",
        "corpus": "samples",
        "notes": ["be careful"],
        "signatures": ["metric:x|beta:0.5"],
        "systems": [{"system": "a & b", "f": 0.123456}],
    }


def test_json_never_holds_what_json_cannot():
    with pytest.raises(ValueError, match="not JSON compliant"):
        render(Report("x", Words("", ""), "c", (), data={"p": float("nan")}), "json")


def test_csv_is_the_first_table_unrounded_or_the_one_asked_for():
    rows = list(csv.reader(io.StringIO(render(REPORT, "csv"))))
    assert rows[0] == ["system", "edits", "F0.5", "r", "p"]
    assert rows[1:] == [
        ["a & b", "3", "0.123456", "-0.5", "1e-05"],
        ["乙", "10", "1.0", "", "0.05"],
    ]
    assert render(REPORT, "csv", table="other") == table_csv(OTHER) == "type,n\nM,1\n"


def test_latex_has_every_table_with_the_best_in_bold():
    html = render(REPORT, "latex")
    assert html.count(r"\toprule") == html.count(r"\bottomrule") == 3
    assert r"a \& b & 3 & 12.35 & -0.500 & $<$0.001 \\" in html
    assert r"乙 & 10 & \textbf{100.00} & - & 0.050 \\" in html
    assert html.startswith("% What came out\n% note: be careful\n% signature: metric:x|beta:0.5\n")
    assert render(REPORT, "latex", table="other").count(r"\toprule") == 1


def test_words_are_english_in_files_and_texts():
    rows = ((Words("free", "无错误"), 3),)
    table = Table("t", Words("T", "表"), (Column("state"), Column("n", "count")), rows)
    shown = Report("x", Words("X", "甲"), "c", (table,))
    assert table_csv(table) == "state,n\nfree,3\n"
    assert "free   3" in render(shown, "text")
    assert r"free & 3 \\" in render(shown, "latex")


def test_a_table_that_is_not_there_is_refused_with_those_that_are():
    with expect_error(UsageError, "trial", "'mian'", "main, other"):
        render(REPORT, "text", table="mian")
    with expect_error(UsageError, "'x'", "none"):
        render(Report("trial", Words("", ""), "c", ()), "text", table="x")


def test_texts_are_said_in_a_language_and_names_are_the_same_in_all():
    words = Words("score", "得分")
    assert [text_in(words, "en"), text_in(words, "zh"), text_in("T5", "zh")] == [
        "score",
        "得分",
        "T5",
    ]


LABEL = Words("value", "值")


def figure(*series: Series) -> Figure:
    return Figure("trial-one", "lines", LABEL, LABEL, LABEL, LABEL, series)


def test_the_data_of_a_figure_are_a_row_for_each_point_unrounded():
    series = Series("a", (1, 2), (0.123456789, None), (0.1, None), (0.2, None), ("x", "y"))
    two = Series(Words("all", "全部"), (Words("essays", "作文"), "chats"), (1.0, 2.0))
    assert figure_csv(figure(series, two)) == (
        "series,x,y,low,high,label\n"
        "a,1,0.123456789,0.1,0.2,x\n"
        "a,2,,,,y\n"
        "all,essays,1.0,,,\n"
        "all,chats,2.0,,,\n"
    )


def test_a_series_with_more_places_than_values_is_a_mistake():
    with pytest.raises(ValueError, match="zip"):
        figure_csv(figure(Series("a", (1, 2), (0.1,))))


def test_both_themes_name_the_same_colours():
    assert list(COLOURS["light"]) == list(COLOURS["dark"])
    assert properties("dark").count("\n") == len(COLOURS["dark"]) - 1


def luminance(colour: str) -> float:
    """Relative luminance of a colour, as WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "surface"])
def test_text_stands_out_by_4_5_and_series_by_3(theme: str, ground: str):
    colours = COLOURS[theme]
    for name in ("ink", "muted", "accent", "true", "false", "missed"):
        assert contrast(colours[name], colours[ground]) >= 4.5, name
    for name in colours:
        if name.startswith("series-"):
            assert contrast(colours[name], colours[ground]) >= 3, name
