"""Table 4 of the Chinese metrics paper, from the ten systems of its table 3."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gecbench

pytestmark = pytest.mark.golden


@pytest.fixture(scope="module")
def paper(shared: Path) -> str:
    """What the specification quotes of the paper."""
    text = (shared / "specs/paper_tables.md").read_text("utf-8")
    return text[text.index("## Segmentation-free metrics for Chinese") :]


def test_six_coefficients_and_their_p_are_the_printed_ones(paper: str, tmp_path: Path):
    heads = re.search(r"system, P, R, F0.5 \(percent\), (.*):", paper)
    rows = paper.split("```")[1].strip()
    assert heads
    assert len(rows.splitlines()) == 10
    names = heads[1].split(", ")
    table = tmp_path / "table.tsv"
    header = "\t".join(["system", "P", "R", "F0.5", *names])
    table.write_text(f"{header}\n{rows}\n", "utf-8")
    correlation = gecbench.correlation(table, lower=["MP'"])
    match = re.search(r"Table 4, Pearson \(p\): (.*)\.\n", paper)
    assert match
    printed = re.findall(r"(\S+?)-(\S+) ([\d.]+) \(([\d.]+)\)", match[1])
    assert len(printed) == 6
    for first, second, value, p in printed:
        pearson = correlation.of(first, second).coefficients["pearson"]
        assert (f"{pearson.value:.4f}", f"{pearson.p:.4f}") == (value, p)
