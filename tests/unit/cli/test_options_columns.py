"""Commands that read a corpus take the names of columns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from messages import assert_is_line

TABLE = "ID,text,one,two\na,He go home .,He goes home .,\nb,Fine day,Fine day .,A fine day .\n"
ROWS = "a\tHe go home .\tHe goes home .\nb\tFine day\tFine day .\tA fine day .\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.csv").write_text(TABLE, "utf-8")


@pytest.mark.parametrize(
    "columns",
    [
        ["id=ID,source=text,references=one;two"],
        ["id=ID", "--columns", "source=text", "--columns", "references=one;two"],
    ],
)
def test_columns_are_named_at_once_or_one_by_one(run, columns: list[str]) -> None:
    code, out, err = run("convert", "c.csv", "--columns", *columns, "--to", "mucgec")
    assert (code, out) == (0, ROWS), err


def test_a_table_is_scored_with_a_system_of_usual_names(run) -> None:
    Path("s.csv").write_text(
        "id,source,references\nb,Fine day,Fine day .\na,He go home .,He goes home .\n", "utf-8"
    )
    columns = ("--columns", "id=ID,source=text,references=one;two", "--lang", "en")
    code, out, err = run(
        "score", "c.csv", "s.csv", "--system-from", "table", *columns, "--scheme", "xx-word"
    )
    assert code == 0, err
    assert "100.00" in out


SCORE = ("score", "c.csv", "--columns", "id=ID,source=text,references=one;two")
OPTIONS = ("--lang", "en", "--scheme", "xx-word")
PREDICTIONS = [
    ("s.jsonl", '{"ID": "b", "out": "Fine day ."}\n{"ID": "a", "out": "He goes home ."}\n'),
    ("s.csv", "ID,out\nb,Fine day .\na,He goes home .\n"),
    ("s.tsv", "ID\tout\nb\tFine day .\na\tHe goes home .\n"),
    ("s.json", '{"b": {"out": "Fine day ."}, "a": {"out": "He goes home ."}}'),
]


@pytest.mark.parametrize(("name", "content"), PREDICTIONS)
def test_predictions_in_a_table_are_scored(run, name: str, content: str) -> None:
    Path(name).write_text(content, "utf-8")
    columns = "text=out" if name == "s.json" else "id=ID,text=out"  # keys of objects are ids
    code, out, err = run(*SCORE[:2], name, *SCORE[2:], "--system-columns", columns, *OPTIONS)
    assert code == 0, err
    assert "100.00" in out


def test_predictions_for_more_than_the_corpus_want_to_be_told(run) -> None:
    Path("s.csv").write_text("ID,out\nz,No .\nb,Fine day .\na,He goes home .\n", "utf-8")
    command = (*SCORE[:2], "s.csv", *SCORE[2:], "--system-columns", "id=ID,text=out", *OPTIONS)
    code, out, err = run(*command)
    assert (code, out) == (1, "")
    assert_is_line(err, "s.csv", "1", "'z'", "--subset")
    code, out, err = run(*command, "--subset")
    assert code == 0, err
    assert "100.00" in out
    assert "1 sentence that corpus 'c' has not" in err


def test_a_table_of_predictions_without_columns_names_their_option(run) -> None:
    Path("s.csv").write_text("ID,text\na,He goes home .\n", "utf-8")
    code, out, err = run(*SCORE[:2], "s.csv", *SCORE[2:], *OPTIONS)
    assert (code, out) == (1, "")
    assert_is_line(err, "s.csv:1", "--system-columns", "--system-from")


def test_texts_of_a_table_are_corrupted(run) -> None:
    columns = ("--columns", "id=ID,source=text,references=one")
    code, out, err = run("corrupt", "c.csv", *columns, "--lang", "en", "--to", "pairs")
    assert code == 0, err
    assert {line.split("\t")[1] for line in out.splitlines()} <= {"He goes home .", "Fine day ."}


def test_tables_become_training_data(run) -> None:
    prepare = ("data", "prepare", "--corpus", "mine=c.csv", "--lang", "en", "-o", "o.jsonl")
    code, _, err = run(*prepare, "--columns", "mine=id=ID,source=text,references=one;two")
    assert code == 0, err
    rows = [json.loads(line) for line in Path("o.jsonl").read_text("utf-8").splitlines()[1:]]
    assert sorted((row["source"], row["references"][0]["text"]) for row in rows) == [
        ("Fine day", "A fine day ."),
        ("Fine day", "Fine day ."),
        ("He go home .", "He goes home ."),
    ]
    code, _, err = run(*prepare, "--overwrite")
    assert code == 1
    assert_is_line(err, "c.csv:1", "--columns", "mine=id")
    code, _, err = run(
        *prepare, "--overwrite", "--columns", "mine=source=text", "--from", "mine=m2"
    )
    assert code == 2
    assert_is_line(err, "mine")


def test_a_table_that_is_corrected_becomes_jsonl(run) -> None:
    code, out, _ = run("correct", "copying", "c.csv", "--columns", "id=ID,source=text")
    assert code == 0
    assert out.startswith('{"format": "gecbench-corpus"')


def test_what_cannot_be_read_or_written_is_one_line(run) -> None:
    code, out, err = run("convert", "c.csv", "--columns", "source=txt", "--to", "mucgec")
    assert (code, out) == (1, "")
    assert "'txt'" in err
    code, out, err = run("convert", "c.csv", "--columns", "source=text", "--to", "table")
    assert (code, out) == (2, "")
    assert "mucgec" in err


def test_where_no_columns_can_be_named_the_way_is_a_conversion(run) -> None:
    Path("t.txt").write_text("1\tHe go home .\tHe goes home .\n", "utf-8")
    for command in (
        ("analyse", "human", "t.txt", "c.csv", "--lang", "en", "--scheme", "xx-word"),
        ("data", "prepare", "--corpus", "a=t.txt", "--filter", "c.csv", "-o", "o.jsonl"),
    ):
        code, _, err = run(*command)
        assert code == 1
        assert_is_line(err, "c.csv:1", "gecbench convert", "--columns", "--to")
