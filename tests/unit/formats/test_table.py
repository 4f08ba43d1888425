"""table: rows with named columns, of CSV, TSV and JSON, as a corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from messages import expect_error

import gecbench
from gecbench.core.errors import CorpusError, FormatError, UnknownNameError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats import load_writer
from gecbench.formats.table import read_columns

COLUMNS = "id=ID,source=wrong,references=right;better"
ROWS = [
    {"ID": "a", "wrong": "He go , .", "right": "He goes , .", "better": "", "level": "B1"},
    {"ID": "b", "wrong": "Fine .", "right": "Fine .", "better": "Good .", "level": ""},
]
SAMPLES = (
    Sample("a", "He go , .", (Rewrite(text="He goes , ."),), {"level": "B1"}),
    Sample("b", "Fine .", (Rewrite(text="Fine ."), Rewrite(text="Good ."))),
)


def cells(mark: str) -> str:
    quote = '"' if mark != "\t" else ""
    rows = [list(ROWS[0]), *(list(row.values()) for row in ROWS)]
    return "".join(mark.join(f"{quote}{cell}{quote}" for cell in row) + "\n" for row in rows)


def load(tmp_path: Path, text: str, columns: str = COLUMNS, name: str = "x.txt") -> tuple:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return gecbench.load(path, columns=read_columns(columns)).samples


@pytest.mark.parametrize(
    "text",
    [
        cells(","),
        cells(";"),
        cells("\t"),
        json.dumps(ROWS, indent=1),
        "".join(json.dumps(row) + "\n" for row in ROWS),
    ],
)
def test_a_table_is_the_same_corpus_in_every_notation(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, text) == SAMPLES


def test_lists_and_objects_of_json_are_references_and_columns(tmp_path: Path) -> None:
    row = {"translation": {"src": "a b", "refs": ["x", "y"]}, "n": 7}
    (sample,) = load(
        tmp_path, json.dumps(row), "source=translation.src,references=translation.refs"
    )
    assert sample == Sample("1", "a b", (Rewrite(text="x"), Rewrite(text="y")), {"n": "7"})


def test_without_a_column_of_ids_rows_are_numbered(tmp_path: Path) -> None:
    samples = load(tmp_path, "a,b\nx,y\nz,w\n", "source=a,references=b")
    assert [sample.id for sample in samples] == ["1", "2"]


def test_an_object_with_two_lists_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text('{"train": [{"source": "a"}], "dev": []}', "utf-8")
    with expect_error(FormatError, f"{path}:1", "train", "dev"):
        gecbench.load(path, format="table")


def test_usual_names_need_not_be_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,source,references\n7,x,y\n", "utf-8")
    assert gecbench.load(path, format="table").samples == (Sample("7", "x", (Rewrite(text="y"),)),)


@pytest.mark.parametrize(
    ("text", "columns", "line", "facts"),
    [
        ("a,b\nx,y\n", "source=c", 2, ("'c'", "a, b")),
        ("a,b\nx,y\n", "source=a,references=c", 1, ("'c'", "a, b")),
        ('[{"a": "x"}]', "source=a,references=c", 1, ("'c'", "a")),
        ("a,b\nx\n", "source=a", 2, ("1", "2")),
        ("id,a\n,x\n", "source=a", 2, ("id",)),
        ("a,b\n ,y\n", "source=a", 2, ("source",)),
        ("a,b\n", "source=a", 1, ("no row",)),
        ("id,a\n1,x\n1,y\n", "source=a", 3, ("'1'",)),
        ('{"a": "x"}\n{"a": 5}\n', "source=a", 2, ("'a'", "5")),
    ],
)
def test_what_does_not_fit_is_refused_with_its_line(
    tmp_path: Path, text: str, columns: str, line: int, facts: tuple[str, ...]
) -> None:
    with expect_error(FormatError, f"{tmp_path / 'x.txt'}:{line}", *facts):
        load(tmp_path, text, columns)


@pytest.mark.parametrize("option", ["source", "source=", "source=a,source=b", ""])
def test_columns_are_named_by_pairs(option: str) -> None:
    with expect_error(UsageError, "--columns"):
        read_columns(option)


@pytest.mark.parametrize("option", ["source=a,references=b;b", "source=a,references=a"])
def test_a_column_is_one_text_of_a_sentence(option: str) -> None:
    named = "b" if "b" in option else "a"
    with expect_error(UsageError, f"column '{named}'", "twice"):
        read_columns(option)


def test_what_a_column_holds_is_known() -> None:
    with expect_error(UnknownNameError, "'sorce'", "source"):
        read_columns("sorce=a")
    assert read_columns('"source=a, b",references=c;d') == {
        "source": ["a, b"],
        "references": ["c", "d"],
    }


def test_columns_are_those_of_one_table(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("source\nx\n", "utf-8")
    with expect_error(UsageError, "lines"):
        gecbench.load(path, format="lines", columns={"source": "source"})
    with expect_error(UsageError, "columns"):
        gecbench.load(path, references=[path], columns={"source": "source"})


def test_a_table_is_not_written() -> None:
    with expect_error(UsageError, "table", "jsonl"):
        load_writer("table")


@pytest.mark.parametrize("content", ['{"text": "x"}\n', "{\n", '[{"text": "x"}]\n'])
def test_json_of_others_is_refused_with_what_reads_it(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, "utf-8")
    with expect_error(FormatError, f"{path}:1", "--columns", "mucgec, m2"):
        gecbench.load(path)


# What systems wrote.


def load_output(tmp_path: Path, text: str, columns: dict[str, str]) -> dict:
    (tmp_path / "c.csv").write_text(cells(","), "utf-8")
    corpus = gecbench.load(tmp_path / "c.csv", columns=read_columns(COLUMNS))
    (tmp_path / "s").write_text(text, "utf-8")
    output = gecbench.load_system(tmp_path / "s", corpus, columns=columns)
    return {key: [r.text for r in rewrites] for key, rewrites in output.hypotheses.items()}


@pytest.mark.parametrize(
    ("text", "columns", "hypotheses"),
    [
        ("n,out\nb,B\na,A\n", {"id": "n", "text": "out"}, {"a": ["A"], "b": ["B"]}),
        ("id,out\nb,B\na,A\n", {"text": "out"}, {"a": ["A"], "b": ["B"]}),
        ("out,n\nA,7\nB,8\n", {"text": "out"}, {"a": ["A"], "b": ["B"]}),
        ("out,n\nA,7\n,8\n", {"text": "out"}, {"a": ["A"], "b": [""]}),
        ('[{"o": ["A", "C"]}, {"o": "B"}]', {"text": "o"}, {"a": ["A", "C"], "b": ["B"]}),
        (
            "src\tout\nHe go , .\tA\nFine .\tB\n",
            {"source": "src", "text": "out"},
            {"a": ["A"], "b": ["B"]},
        ),
    ],
)
def test_predictions_are_joined_by_id_where_there_are_ids(
    tmp_path: Path, text: str, columns: dict[str, str], hypotheses: dict[str, list[str]]
) -> None:
    assert load_output(tmp_path, text, columns) == hypotheses


@pytest.mark.parametrize(
    ("text", "columns", "error", "facts"),
    [
        ("id,out\na,A\n", {"id": "id"}, UsageError, ("text=NAME",)),
        ("id,out\na,A\n", {"text": "out", "references": "x"}, UnknownNameError, ("references",)),
        ("id,out\na,A\nb\n", {"text": "out"}, FormatError, ("s:3", "1", "2")),
        ("id,out\na,A\nb,B\n", {"text": "uot"}, FormatError, ("s:2", "uot", "id", "out")),
        ("id,out\na,A\na,B\n", {"text": "out"}, FormatError, ("s:3", "a", "2")),
        ('{"id": "a", "o": "A"}\n{"id": "b", "o": null}\n', {"text": "o"}, CorpusError, ("s:2",)),
        (
            "src\tout\nHe go , .\tA\nFire .\tB\n",
            {"source": "src", "text": "out"},
            CorpusError,
            ("s:3", "Fire", "Fine"),
        ),
    ],
)
def test_tables_of_predictions_that_are_refused(
    tmp_path: Path, text: str, columns: dict[str, str], error: type, facts: tuple[str, ...]
) -> None:
    with expect_error(error, *facts):
        load_output(tmp_path, text, columns)


@pytest.mark.parametrize("columns", ["source=text", "source=source"])
def test_columns_are_not_for_a_corpus_of_gecbench(tmp_path: Path, columns: str) -> None:
    path = tmp_path / "ours.jsonl"
    gecbench.save(Corpus("x", SAMPLES), path, format="jsonl")
    with expect_error(UsageError, f"{path}", "is a corpus of gecbench", "leave the columns out"):
        gecbench.load(path, columns=read_columns(columns))
