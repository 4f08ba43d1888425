"""The figures beside ours are those that the papers printed."""

from __future__ import annotations

import re

import pytest

from gecbench.analysis.paper_table import Paper
from gecbench.formats.validation import read_toml

from .conftest import WORKFLOWS


def tables(name: str, *names: str) -> list:
    """Return some tables of a workflow; all of them by default."""
    paper = read_toml(WORKFLOWS / "tables" / f"{name}.toml", Paper)
    return [table for table in paper.tables if not names or table.name in names]


def stored(name: str, *names: str) -> list[list[float]]:
    """Return a paper's figures, row by row."""
    rows = [row for table in tables(name, *names) for row in table.rows]
    return [list(row.paper) for row in rows if row.paper]


def numbers(text: str) -> list[float]:
    """Return the numbers of a line of the papers' tables, without what stands in brackets."""
    return [float(match) for match in re.findall(r"-?\d+\.\d+", re.sub(r"\(.*?\)", "", text))]


def lines_under(text: str, head: str) -> list[str]:
    """Return the lines of the first block of code after a heading."""
    return text.split(head, 1)[1].split("```", 2)[1].strip().splitlines()


@pytest.fixture(scope="module")
def paper(shared) -> str:
    return (shared / "specs" / "paper_tables.md").read_text("utf-8")


@pytest.mark.golden
def test_the_figures_of_mucgec_are_the_papers(paper: str) -> None:
    five = [n for line in lines_under(paper, "Table 5, original") if (n := numbers(line))]
    assert stored("mucgec-table-5") == five
    six = [numbers(line) for line in lines_under(paper, "Table 6, MuCGEC")]
    assert stored("mucgec-table-6", "table-6") == [row[:9] for row in six]
    assert stored("mucgec-table-6", "table-6-all") == [row[9:] for row in six]
    seven = [numbers(line) for line in lines_under(paper, "Table 7, F0.5")]
    assert [list(row) for row in zip(*stored("mucgec-table-7"), strict=True)] == seven


@pytest.mark.golden
def test_the_figures_of_robustgec_are_the_papers(paper: str) -> None:
    four = [n for line in lines_under(paper, "Table 4 (Original") if (n := numbers(line))]
    assert stored("robustgec-table-4") == four
    five = [numbers(line) for line in lines_under(paper, "Table 5, test split")]
    assert stored("robustgec-table-5") == five


@pytest.mark.golden
def test_the_figures_of_the_chinese_metrics_paper_are_the_papers(paper: str) -> None:
    lines = lines_under(paper, "Table 3 with the columns")
    (three,) = tables("cgec-table-3")
    assert [row.name for row in three.rows] == [line.split("\t")[0] for line in lines]
    assert stored("cgec-table-3") == [[float(n) for n in line.split("\t")[1:]] for line in lines]
    printed = paper.split("Table 4, Pearson (p): ", 1)[1].split("\n")[0]
    pairs = re.findall(r"(\S+?)-(\S+) ([\d.]+) \(([\d.]+)\)", printed)
    assert stored("cgec-table-4") == [[float(r), float(p)] for _, _, r, p in pairs]
    (four,) = tables("cgec-table-4")
    assert [row.name for row in four.rows] == [
        f"{first} - {second}" for first, second, _, _ in pairs
    ]
