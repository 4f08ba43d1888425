"""How commands that analyse show what they found, and how they are named."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click
import pytest
from click.testing import CliRunner

from gecbench.cli import gecbench, main
from gecbench.cli.showing import ShowGiven, show, show_options
from gecbench.reports.exhibit import Column, Exhibit, Table
from gecbench.reports.figure import Figure, Series
from gecbench.reports.words import Words

LABEL = Words("score", "得分")
TABLES = tuple(
    Table(name, Words(name, "表"), (Column("system"), Column("n", "count")), (("a", 1),))
    for name in ("main", "other")
)
FIGURE = Figure(
    "trial-bars", "bars", LABEL, LABEL, LABEL, LABEL, (Series("a", ("x", "y"), (1.0, 2.0)),)
)
EXHIBIT = Exhibit("trial", LABEL, "samples", TABLES, (FIGURE,), {"n": 1})


@click.command()
@show_options
def trial(**given: Unpack[ShowGiven]) -> None:
    show(EXHIBIT, given)


def run(*words: object):
    return CliRunner().invoke(trial, list(map(str, words)), catch_exceptions=False)


def test_the_terminal_gets_all_tables():
    shown = run()
    assert shown.stdout == "main\nsystem  n\na       1\n\nother\nsystem  n\na       1\n"
    assert shown.stderr == ""


def test_csv_is_one_table_and_the_others_are_named():
    assert run("--format", "csv").stderr == (
        "note: the first table only; others by --table: other\n"
    )
    chosen = run("--format", "csv", "--table", "other")
    assert (chosen.stdout, chosen.stderr) == ("system,n\na,1\n", "")


def test_a_file_is_written_instead_of_the_terminal(tmp_path: Path):
    assert run("--format", "json", "-o", tmp_path / "made.json").stdout == ""
    assert '"analysis": "trial"' in (tmp_path / "made.json").read_text("utf-8")


def test_figures_are_written_with_their_data(tmp_path: Path):
    folder = tmp_path / "figures"
    shown = run("--figures", folder, "--figure-format", "svg, png", "--language", "zh")
    written = sorted(path.name for path in folder.iterdir())
    assert written == ["trial-bars.csv", "trial-bars.png", "trial-bars.svg"]
    assert all(name in shown.stderr for name in written)
    assert "得分" in (folder / "trial-bars.svg").read_text("utf-8")


def failure(*words: object) -> Exception | None:
    return CliRunner().invoke(trial, list(map(str, words))).exception


def test_what_cannot_be_shown_is_refused():
    assert str(failure("--figure-format", "svg,gif")) == (
        "figure format 'gif' is none of svg, pdf, png"
    )
    assert str(failure("--format", "json", "--table", "main")) == (
        "--table is of text, CSV and LaTeX; JSON holds everything"
    )


def test_every_analysis_is_listed_and_can_be_imported():
    group = gecbench.get_command(click.Context(gecbench), "analyse")
    assert isinstance(group, click.Group)
    names = group.list_commands(click.Context(group))
    assert "robustness" in names
    for name in names:
        command = group.get_command(click.Context(group), name)
        assert command is not None
        assert command.name == name


def test_an_unknown_analysis_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(["analyse", "dificulty"])
    assert ended.value.code == 2
    assert "unknown analysis 'dificulty'; did you mean difficulty?" in capsys.readouterr().err
