"""Commands that read a corpus take the names of columns."""

from __future__ import annotations

from pathlib import Path

import pytest

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
