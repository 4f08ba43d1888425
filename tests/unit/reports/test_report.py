"""What an analysis shows: as text, JSON, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import json

import pytest
from messages import expect_error

from gecbench.core.errors import UsageError
from gecbench.reports.report import Column, Report, Table, Words, render, table_csv, text_in

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
    made = render(REPORT, "latex")
    assert made.count(r"\toprule") == made.count(r"\bottomrule") == 3
    assert r"a \& b & 3 & 12.35 & -0.500 & $<$0.001 \\" in made
    assert r"乙 & 10 & \textbf{100.00} & - & 0.050 \\" in made
    assert made.startswith("% What came out\n% note: be careful\n% signature: metric:x|beta:0.5\n")
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
