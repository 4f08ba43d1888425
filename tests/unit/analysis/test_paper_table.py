"""A paper's table says what was run, and nothing else; curves are read between their points."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import expect_error

from gecbench.analysis.paper_table import Mean, at_equal_edits, number_in, paper_table
from gecbench.cli import main
from gecbench.core.errors import FormatError
from gecbench.reports.paper_table import SMALL, build_report
from gecbench.reports.report import render

COUNTS = st.integers(0, 30)
POINTS = st.lists(st.tuples(COUNTS, st.integers(0, 100)), max_size=8)

PAPER = """
about = "A tagger and its biases"
paper = "nobody's table"
objects = "systems"
where = { system = "one" }
notes = ["a note of the file"]
[[tables]]
name = "main"
title = "Taggers"
zh = "标注器"
columns = [
    { name = "P", get = "original.precision" },
    { name = "BEA", get = "original.precision", where = { subset = "bea19" } },
    { name = "edits", get = "edits_made", kind = "number", digits = 1 },
]
rows = [
    { name = "tagger", results = "r/bias-0.0-{seed}.json", paper = [50.0, 40.0, 8] },
    { name = "bias {bias}", results = "r/bias-{bias}-{seed}.json" },
    { name = "BART", results = "r/bart.json", paper = [60.0, 1.0, 1] },
    { name = "SynGEC", status = "not built", paper = [61.0, 1.0, 1] },
]
[[tables]]
name = "equal"
title = "At equal edits"
zh = "相同编辑数"
curve = "r/bias-{bias}-{seed}.json"
columns = [{ name = "CRS", get = "crs" }]
rows = [{ name = "CPR", results = "r/cpr-{seed}.json" }, { name = "none", results = "r/x.json" }]
[[figures]]
name = "curve"
title = "CRS"
zh = "CRS"
x_label = "edits"
x_zh = "编辑数"
y_label = "CRS (%)"
y_zh = "CRS（%）"
lines = [
    { name = "bias", results = "r/bias-{bias}-{seed}.json", over = "bias", y = "crs" },
    { name = "CPR", results = "r/cpr-{seed}.json", over = "seed", y = "crs", x = "edits_made" },
    { name = "none", results = "r/x-{seed}.json", over = "seed", y = "crs" },
]
"""


def result(precision: float | None, edits: int, crs: float) -> str:
    row = {"system": "one", "subset": None, "edits_made": edits, "crs": crs}
    bea = {"system": "one", "subset": "bea19", "original": {"precision": 0.25}}
    return json.dumps({"systems": [{**row, "original": {"precision": precision}}, bea]})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A paper's file, and results of two seeds, two biases and a post-trained model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paper.toml").write_text(PAPER, "utf-8")
    (tmp_path / "r").mkdir()
    for name, content in {
        "bias-0.0-1": result(0.5, 10, 0.4),
        "bias-0.0-2": result(0.75, 20, 0.5),
        "bias-0.3-1": result(0.5, 2, 0.8),
        "bias-0.3-2": result(None, 10, 0.7),
        "bias-0.0-other-1": result(0.0, 90, 0.1),  # of no row: a value has no hyphen
        "cpr-1": result(0.5, 6, 0.7),
        "cpr-2": result(0.5, 5, 0.9),
    }.items():
        (tmp_path / "r" / f"{name}.json").write_text(content, "utf-8")
    return tmp_path


def tables(folder: Path, **options: bool) -> list[dict]:
    """Return rows by name and source, of each table."""
    paper = paper_table(folder / "paper.toml", sorted((folder / "r").glob("*.json")))
    shown = build_report("paper", paper, **options)
    rows = [
        {(row[0], str(getattr(row[1], "en", row[1]))): row[2:] for row in table.rows}
        for table in shown.tables
    ]
    return [*rows, {"report": shown}]


def test_rows_are_means_over_runs_beside_the_papers_figures(folder) -> None:
    main_table, _, _ = tables(folder)
    assert main_table["tagger", "here"] == ("2", 0.625, 0.25, 15.0)
    assert main_table["tagger", "sd"][1:] == (
        pytest.approx(0.125 * 2**0.5),
        0,
        pytest.approx(50**0.5),
    )
    assert main_table["tagger", "paper"] == ("", 0.5, 0.4, 8)
    assert main_table["tagger", "difference"] == ("", 0.125, pytest.approx(-0.15), 7.0)
    assert main_table["bias 0.0", "here"] == main_table["tagger", "here"]
    assert main_table["bias 0.3", "here"] == ("2", 0.5, 0.25, 6.0)


def test_what_was_not_run_says_so_and_shows_no_number(folder) -> None:
    main_table, equal, _ = tables(folder)
    for name, status in (("BART", "not run"), ("SynGEC", "not built")):
        assert main_table[name, "here"][0] == "0"
        assert {value.en for value in main_table[name, "here"][1:]} == {status}
        assert (name, "difference") not in main_table
    assert not any(name == "none" for name, _ in equal)
    shown = render(build_report("paper", paper_table(folder / "paper.toml", [])), "text")
    assert "bias {bias}" in shown


def test_a_mean_over_fewer_runs_is_told(folder) -> None:
    shown = tables(folder)[2]["report"]
    assert any("bias 0.3, P: 1 of 2" in note for note in shown.notes)


def test_a_run_is_compared_with_the_curve_of_its_seed(folder) -> None:
    _, equal, _ = tables(folder)
    # Seed 1: 6 edits lie between (2, 0.8) and (10, 0.4); seed 2: 5 edits lie outside.
    row = equal["CPR", "2"]
    assert row == ("1", 5.5, 0.7, pytest.approx(0.6), pytest.approx(0.1), None)


def test_figures_have_the_points_of_lines_that_were_run(folder) -> None:
    (figure,) = tables(folder)[2]["report"].figures
    assert [series.name.en for series in figure.series] == ["bias", "CPR"]
    bias, cpr = figure.series
    assert bias.x == (0.0, 0.3)
    assert bias.y == (pytest.approx(45), pytest.approx(75))
    assert cpr.x == (6, 5)


def test_the_small_form_says_that_its_numbers_mean_nothing(folder) -> None:
    main_table, _, shown = tables(folder, small=True)
    assert ("tagger", "difference") not in main_table
    for form in ("text", "latex", "json"):
        assert SMALL.en in render(shown["report"], form)


def test_the_command_prints_the_tables(folder, capsys) -> None:
    main(["analyse", "paper-table", "paper.toml", "r/bias-0.0-1.json", "--format", "csv"])
    assert "tagger,here,1,0.5,0.25,10" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("paper = [50.0, 40.0, 8]", "paper = [50.0]", "1 figures for 3 columns"),
        ('results = "r/bart.json"', 'status = ""', "needs results, or a status"),
        ("about", "abuot", "abuot"),
        ('objects = "systems"', 'objects = "pairs"', "holds no list 'pairs'"),
        ("edits_made", "system", "'one' is no number"),
    ],
)
def test_a_wrong_file_is_refused(folder, old: str, new: str, why: str) -> None:
    (folder / "paper.toml").write_text(PAPER.replace(old, new), "utf-8")
    results = sorted((folder / "r").glob("*.json"))
    with pytest.raises(FormatError, match=why):
        paper_table(folder / "paper.toml", results)


def test_a_result_that_is_no_json_is_refused(folder) -> None:
    (folder / "r" / "bart.json").write_text("no", "utf-8")
    with expect_error(FormatError, "bart.json"):
        tables(folder)


def test_several_objects_are_refused() -> None:
    objects = [{"system": "a", "subset": "x", "f": 1}, {"system": "a", "subset": "y", "f": 2}]
    assert number_in(objects, "f", {"subset": "y"}) == 2
    assert number_in(objects, "f", {"subset": "z"}) is None
    with pytest.raises(FormatError, match="2 objects"):
        number_in([{"f": 1}, {"f": 2}], "f", {})


def test_a_mean_of_nothing_is_nothing() -> None:
    assert Mean.of([]) == Mean((), None, None)
    assert Mean.of([2.0]) == Mean((2.0,), 2.0, None)
    assert Mean.of([1.0, 3.0]) == Mean((1.0, 3.0), 2.0, pytest.approx(2**0.5))


def slow(points: list[tuple[int, int]], edits: int) -> Fraction | None:
    """Reference implementation: the nearest points on both sides make the line."""
    there = [value for count, value in points if count == edits]
    if there:
        return Fraction(sum(there), len(there))
    below = max((count for count, _ in points if count < edits), default=None)
    above = min((count for count, _ in points if count > edits), default=None)
    if below is None or above is None:
        return None
    low, high = slow(points, below), slow(points, above)
    return low + (high - low) * Fraction(edits - below, above - below)


@given(POINTS, COUNTS)
def test_curves_equal_the_reference_implementation_in_any_order(points, edits) -> None:
    value, expected = at_equal_edits(points, edits), slow(points, edits)
    assert (value is None) == (expected is None)
    if expected is not None:
        assert value == pytest.approx(float(expected), abs=1e-9)
    assert at_equal_edits(points[::-1], edits) == value
