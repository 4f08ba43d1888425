"""Commands take the format of what they write from the ending of its file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gecbench.api.files import sample
from gecbench.core.files import read_lines
from gecbench.formats import FORMATS, load_format

SCHEME = ("--scheme", "zh-char")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(sample("zh", "corpus.jsonl"), "c.jsonl")
    shutil.copy(sample("zh", "eager.txt"), "s.txt")


def format_in(path: str) -> str:
    lines = read_lines(Path(path))
    formats = map(load_format, FORMATS)
    return next((f.name for f in formats if f.matches(lines)), "lines")


@pytest.mark.parametrize(
    ("words", "format"),
    [
        ("edits c.jsonl --scheme zh-char -o e.jsonl", "jsonl"),
        ("edits c.jsonl --scheme zh-char -o e.M2", "m2"),
        ("edits c.jsonl --scheme zh-char -o e", "m2"),
        ("edits c.jsonl --scheme zh-char -o e.jsonl.gz", "jsonl"),
        ("combine c.jsonl s.txt --scheme zh-char -o e.tsv.gz", "mucgec"),
        ("correct copying c.jsonl -o e.tsv.gz", "mucgec"),
        ("corrupt s.txt -o e.jsonl.gz", "jsonl"),
        ("convert c.jsonl --to mucgec -o e.gz", "mucgec"),
        ("edits c.jsonl --scheme zh-char -o e.m2 --to jsonl", "jsonl"),
        ("combine c.jsonl s.txt --scheme zh-char -o e.m2", "m2"),
        ("combine c.jsonl s.txt --scheme zh-char -o e.tsv", "mucgec"),
        ("combine c.jsonl s.txt --scheme zh-char -o e.txt", "lines"),
        ("combine c.jsonl s.txt --scheme zh-char -o e.m2 --to lines", "lines"),
        ("correct copying s.txt -o e.jsonl", "jsonl"),
        ("corrupt s.txt -o e.jsonl", "jsonl"),
        ("correct copying s.txt -o e.out", "lines"),
        ("correct copying c.jsonl -o e.txt", "lines"),
        ("correct copying c.jsonl -o e.tsv", "mucgec"),
        ("correct copying c.jsonl -o e.tsv --to jsonl", "jsonl"),
    ],
)
def test_the_ending_says_the_format(run, words: str, format: str):
    code, out, err = run(*words.split())
    assert (code, out) == (0, ""), err
    assert format_in(words.split()[words.split().index("-o") + 1]) == format


@pytest.mark.parametrize(
    ("words", "formats"),
    [
        ("edits c.jsonl --scheme zh-char -o e.json", ".m2, .jsonl"),
        ("combine c.jsonl s.txt --scheme zh-char -o e.pdf", ".m2, .jsonl, .parquet or .tsv"),
        ("correct copying c.jsonl -o e.csv", ".m2, .jsonl, .parquet, .tsv"),
        ("score c.jsonl s.txt --scheme zh-char -o e.html", ".json, .csv, .tex or .md"),
        ("score c.jsonl s.txt --scheme zh-char -o e.XLSX", ".json, .csv, .tex or .md"),
        ("compare c.jsonl s.txt b=s.txt --scheme zh-char -o e.pdf", ".json, .csv, .tex or .md"),
        ("data list -o e.jsonl", ".json, .csv, .tex or .md"),
        ("report c.jsonl s.txt --scheme zh-char -o e.pdf", ".html"),
        ("score c.jsonl s.txt --scheme zh-char -o e.docx", ".json, .csv, .tex or .md"),
        ("score c.jsonl s.txt --scheme zh-char -o e.json.gz", ".json, .csv, .tex or .md"),
        ("edits c.jsonl --scheme zh-char -o e.zip", ".m2, .jsonl"),
        ("doctor -o e.pdf", ".json, .csv, .tex or .md"),
        ("model info nowhere -o e.csv", ".json"),
        ("perturb c.jsonl --no-pos -o e.tsv", ".jsonl"),
        ("corrupt s.txt -o e.m2", ".jsonl, .parquet or .tsv"),
        ("corrupt --fit c.jsonl --scheme zh-char -o e.json", ".toml"),
        ("data prepare --corpus c=c.jsonl -o e.tsv", ".jsonl"),
    ],
)
def test_a_format_that_a_command_cannot_write_is_refused(run, words: str, formats: str):
    code, out, err = run(*words.split())
    assert (code, out) == (2, "")
    assert formats in err
    assert not list(Path().glob("e.*"))
