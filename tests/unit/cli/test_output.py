"""How commands that analyse show what they found, and how they are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click
import pytest
from click.testing import CliRunner
from messages import assert_is_line, missing_facts

from gecbench.cli import gecbench, main
from gecbench.cli.analyse import ANALYSES
from gecbench.cli.command import command
from gecbench.cli.output import Output, show
from gecbench.core.errors import GecbenchError
from gecbench.core.options import Argument, Option
from gecbench.reports.report import Column, Figure, Report, Series, Table, Words

LABEL = Words("score", "得分")
TABLES = tuple(
    Table(name, Words(name, "表"), (Column("system"), Column("n", "count")), (("a", 1),))
    for name in ("main", "other")
)
FIGURE = Figure(
    "trial-bars", "bars", LABEL, LABEL, LABEL, LABEL, (Series("a", ("x", "y"), (1.0, 2.0)),)
)
REPORT = Report("trial", LABEL, "samples", TABLES, (FIGURE,), {"n": 1})
NOTED = replace(REPORT, notes=("one system is idle",), signatures=("metric|v:1",))


@command
def trial(
    output: Output,
    data: Annotated[tuple[Path, ...], Argument()] = (),
    extra: Annotated[Path | None, Option("--extra", "Another file to write.", writes=("",))] = None,
) -> None:
    del data, extra
    show(REPORT, output)


def tried(*words: object):
    return CliRunner().invoke(trial, list(map(str, words)), catch_exceptions=False)


def test_the_terminal_gets_all_tables():
    shown = tried()
    assert shown.stdout == "main\nsystem  n\na       1\n\nother\nsystem  n\na       1\n"
    assert shown.stderr == ""


def test_csv_is_one_table_and_the_others_are_named():
    assert tried("--format", "csv").stderr == (
        "note: only the first table was written; --table writes another: other\n"
    )
    chosen = tried("--format", "csv", "--table", "other")
    assert (chosen.stdout, chosen.stderr) == ("system,n\na,1\n", "")


def test_notes_and_signatures_stand_beside_csv(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(globals(), "REPORT", NOTED)
    shown = tried("--format", "csv", "--table", "main")
    assert shown.stdout == "system,n\na,1\n"
    assert shown.stderr == "note: one system is idle\nsignature: metric|v:1\n"
    assert tried("--format", "json").stderr == ""


def test_a_file_is_written_instead_of_the_terminal(tmp_path: Path):
    assert tried("--format", "json", "-o", tmp_path / "made.json").stdout == ""
    assert '"analysis": "trial"' in (tmp_path / "made.json").read_text("utf-8")


@pytest.mark.usefixtures("chinese_font")
def test_figures_are_written_with_their_data(tmp_path: Path):
    folder = tmp_path / "figures"
    shown = tried("--figures", folder, "--figure-format", "svg, png", "--language", "zh")
    written = sorted(path.name for path in folder.iterdir())
    assert written == ["trial-bars.csv", "trial-bars.png", "trial-bars.svg"]
    assert all(name in shown.stderr for name in written)
    assert "得分" in (folder / "trial-bars.svg").read_text("utf-8")


def failure(*words: object) -> Exception | None:
    return CliRunner().invoke(trial, list(map(str, words))).exception


def test_what_cannot_be_shown_is_refused():
    message = str(failure("--figures", "f", "--figure-format", "svg,gif"))
    assert missing_facts(message, ("'gif'", "svg, pdf, png")) == []
    message = str(failure("--format", "json", "--table", "main"))
    assert missing_facts(message, ("--table", "JSON")) == []


def test_options_of_figures_without_figures_are_refused():
    for words in (("--figure-format", "png"), ("--language", "zh")):
        assert missing_facts(str(failure(*words)), (words[0], "--figures")) == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("-o", "none/x"), r"none/x: the folder none does not exist; make it first"),
        (("--extra", "."), r"\.: is a folder"),
        (("--figures", "old/f"), r"old/f: the folder cannot be made: old is no folder"),
        (("-o", "x", "--extra", "./x"), r"--output and --extra both write x; name two files"),
        (("-o", "f", "--figures", "f"), r"--output and --figures both write f; name two files"),
        (("--extra", "-"), r"--output and --extra both go to standard output; name a file"),
        (("old", "-o", "old"), r"--output would write over old, which is read; name another"),
        (("a=old", "-o", "link"), r"--output would write over link, which is read"),
        (("old", "--extra", "hard"), r"--extra would write over hard, which is read"),
        (("-", "a=-"), r"standard input can be read once only; '-' stands twice"),
    ],
)
def test_what_cannot_be_written_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...], why: str
):
    monkeypatch.chdir(tmp_path)
    old = tmp_path / "old"
    old.write_text("data", "utf-8")
    (tmp_path / "link").symlink_to(old)
    (tmp_path / "hard").hardlink_to(old)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(GecbenchError, match=why):
        raise failure(*words) or AssertionError("nothing was refused")
    assert old.read_text("utf-8") == "data"
    assert sorted(tmp_path.iterdir()) == before


def test_without_matplotlib_figures_are_refused_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("gecbench.reports.plots.find_spec", lambda _name: None)
    assert str(failure("--figures", "f")).startswith(
        "matplotlib, which draws figures, is not installed; run: pip install 'gecbench[report]'"
    )


def test_a_device_may_be_written_twice_and_read():
    assert tried("/dev/null", "-o", "/dev/null", "--extra", "/dev/null").exit_code == 0


COMMANDS = ("compare", *(f"analyse {name}" for name in ANALYSES))
FILES = {"analyse human": ("absent", "s1"), "analyse agreement": ("absent",)}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_before_it_reads(
    run, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    words = [*command.split(), *FILES.get(command, ("absent", "s1", "s2"))]
    assert run(*words, "-o", "none/x") == (
        *(1, ""),
        "gecbench: none/x: the folder none does not exist; make it first\n",
    )
    code, out, err = run(*words, "--language", "zh")
    assert (code, out) == (2, "")
    assert err.startswith("gecbench: --language has no effect without --figures")
    (tmp_path / "absent").touch()
    code, out, err = run(*words, "-o", "./absent")
    assert (code, out) == (2, "")
    assert_is_line(err, "--output", "absent")


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
