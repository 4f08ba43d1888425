"""How commands that analyse show what they found: in the terminal, in files, in figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, TypeVar

import click

from gecbench.cli.options import FILE, say
from gecbench.core.errors import UsageError
from gecbench.core.files import write_text

if TYPE_CHECKING:
    from gecbench.reports.exhibit import Exhibit

Command = TypeVar("Command", bound=Callable[..., object])

FIGURE_FORMATS = ("svg", "pdf", "png")


class ShowGiven(TypedDict):
    """What `show_options` adds."""

    form: Literal["text", "json", "csv", "latex"]
    output: Path
    table: str | None
    figures: Path | None
    figure_format: str
    language: Literal["en", "zh"]


_OPTIONS = (
    click.option(
        "--language",
        type=click.Choice(["en", "zh"]),
        default="en",
        show_default=True,
        help="Language of figures and pages.",
    ),
    click.option(
        "--figure-format",
        default="svg",
        show_default=True,
        metavar="FORMATS",
        help="svg, pdf, png; several with commas.",
    ),
    click.option(
        "--figures", type=FILE, metavar="FOLDER", help="Write the figures, and their data as CSV."
    ),
    click.option("--table", metavar="NAME", help="Show one table only."),
    click.option(
        "-o", "--output", type=FILE, default=Path("-"), help="File, instead of the terminal."
    ),
    click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json", "csv", "latex"]),
        default="text",
        show_default=True,
        help="How results are written; CSV holds one table, the first unless --table says.",
    ),
)


def show_options(command: Command) -> Command:
    """Add the options that say how results are shown."""
    for option in _OPTIONS:
        command = option(command)
    return command


def show(exhibit: Exhibit, given: ShowGiven) -> None:
    """Write what an analysis shows where the options say, and its figures."""
    from gecbench.reports.exhibit import render

    if given["table"] and given["form"] == "json":
        raise UsageError("--table is of text, CSV and LaTeX; JSON holds everything")
    formats = tuple(name.strip() for name in given["figure_format"].split(","))
    wrong = [name for name in formats if name not in FIGURE_FORMATS]
    if wrong:
        raise UsageError(f"figure format {wrong[0]!r} is none of {', '.join(FIGURE_FORMATS)}")
    text = render(exhibit, given["form"], table=given["table"])
    if given["figures"] is not None:
        from gecbench.reports.plots import write_figures

        written = write_figures(
            exhibit.figures, given["figures"], formats=formats, language=given["language"]
        )
        say(f"{given['figures']}: {', '.join(path.name for path in written) or 'no figures'}")
    others = [table.name for table in exhibit.tables[1:]]
    if given["form"] == "csv" and given["table"] is None and others:
        say(f"note: the first table only; others by --table: {', '.join(others)}")
    write_text(given["output"], text)
