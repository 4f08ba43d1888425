"""How results are written: to the terminal or a file, in several formats, with their figures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated

import click

from gecbench.cli.options import check_standard_input, say, split_name
from gecbench.core.errors import UsageError
from gecbench.core.files import (
    STDIO,
    check_folder,
    check_target,
    encoded,
    write_files,
    write_text,
)
from gecbench.core.options import Option
from gecbench.reports.report import Figure, Format, PageLanguage, Report

ENDINGS: Mapping[str, Format] = {
    ".json": "json",
    ".csv": "csv",
    ".tex": "latex",
    ".md": "markdown",
}
"""Formats by the ending of the file."""

_NAMED = 20
"""More files than that are counted instead of named."""

FIGURE_FORMATS = ("svg", "pdf", "png")

OutputFile = Annotated[Path, Option("--output", "File, instead of the terminal.", short="-o")]
NewFolder = Annotated[Path, Option("--output", "The new folder.", short="-o")]
OutputFormat = Annotated[
    Format | None,
    Option(
        "--format",
        "How results are written; CSV holds one table, the first unless --table says.",
        show_default="text, or by the ending of --output: .json, .csv, .tex, .md",
    ),
]


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """Where figures are written, and how."""

    folder: Annotated[
        Path | None,
        Option("--figures", "Write the figures, and their data as CSV.", metavar="FOLDER"),
    ] = None
    formats: Annotated[
        tuple[str, ...],
        Option(
            "--figure-format",
            "svg, pdf, png; several with commas.",
            metavar="FORMATS",
            commas=True,
            complete=FIGURE_FORMATS,
            needs=("--figures",),
        ),
    ] = ("svg",)

    def __post_init__(self) -> None:
        """Refuse formats that do not exist."""
        wrong = [name for name in self.formats if name not in FIGURE_FORMATS]
        if wrong:
            raise UsageError(f"figure format {wrong[0]!r} is none of {', '.join(FIGURE_FORMATS)}")


@dataclass(frozen=True, slots=True)
class Output:
    """Where and how an analysis is written."""

    path: OutputFile = Path(STDIO)
    chosen_format: OutputFormat = None
    table: Annotated[str | None, Option("--table", "Show one table only.", metavar="NAME")] = None
    figures: FigureOptions = FigureOptions()
    language: Annotated[
        PageLanguage,
        Option(
            "--language",
            "Language of figures and pages.",
            needs=("--figures", "--heat-map"),
        ),
    ] = "en"

    def __post_init__(self) -> None:
        """Refuse a table of JSON."""
        if self.table and self.format == "json":
            raise UsageError("--table is of text, CSV, LaTeX and Markdown; JSON holds everything")

    @property
    def format(self) -> Format:
        """The format of --format, else by the ending of the file."""
        return self.chosen_format or format_of(self.path)


def format_of(path: Path) -> Format:
    """The format that the ending of a file means; text for all others."""
    return ENDINGS.get(path.suffix.lower(), "text")


def check_output(output: Output, *more: tuple[str, Path | None]) -> None:
    """Refuse what could not be written, before any work is done for it.

    Args:
        output: Where results are written.
        more: Further files that the command writes, each after the option that names it.

    Raises:
        UsageError: Two results for one file, a file that is read and written, standard input
            twice, or matplotlib is missing.
        GecbenchError: A file or folder surely cannot be written.
    """
    check_written(("--output", output.path), *more, figures=output.figures.folder)


def check_written(*files: tuple[str, Path | None], figures: Path | None = None) -> None:
    """Refuse files that could not be written, as `check_output` does.

    Args:
        files: Each after the option that names it.
        figures: A folder for figures.
    """
    written = [(option, path) for option, path in files if path is not None]
    folders = [] if figures is None else [("--figures", figures)]
    read = list(_paths_read({"--figures", *(option for option, _ in files)}))
    check_standard_input(read)
    _check_distinct([*written, *folders], read)
    for _, path in written:
        check_target(path)
    for _, folder in folders:
        from gecbench.reports.plots import require_matplotlib

        require_matplotlib()
        check_folder(folder)


def _paths_read(writing: set[str]) -> Iterator[Path]:
    """Yield the files that the command line names for reading: all but those of some options."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if not isinstance(parameter.type, click.Path) or writing & set(parameter.opts):
            continue
        value: Path | tuple[Path, ...] | None = context.params.get(parameter.name or "")
        for path in (value,) if isinstance(value, Path) else value or ():
            yield split_name(path)[1]


def _check_distinct(written: Sequence[tuple[str, Path]], read: Sequence[Path]) -> None:
    """Refuse two results for one file, and a result that would take the place of its data."""
    for (option, path), (other, second) in combinations(written, 2):
        if str(path) == str(second) == STDIO:
            raise UsageError(
                f"{option} and {other} both go to standard output; name a file for one"
            )
        if _same(path, second):
            raise UsageError(f"{option} and {other} both write {path}; name two files")
    for option, path in written:
        if any(_same(path, file) for file in read):
            raise UsageError(f"{option} would write over {path}, which is read; name another file")


def _same(one: Path, other: Path) -> bool:
    """Say whether two paths are one file; devices and pipes can be had twice."""
    if STDIO in (str(one), str(other)) or (one.exists() and not one.is_file()):
        return False
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there yet
        return os.path.realpath(one) == os.path.realpath(other)


def show(report: Report, output: Output, more: Mapping[Path, str] | None = None) -> None:
    """Write what an analysis shows where the options say, and its figures.

    CSV is one table of bare values; notes and signatures go to standard error beside it.

    Args:
        report: What to show.
        output: Where and how.
        more: Further files with their content, which are written together with the results or
            not at all; "-" is standard output.
    """
    from gecbench.reports.report import render

    text = render(report, output.format, table=output.table)
    write_plots(report.figures, output.figures, output.language)
    if output.format == "csv":
        _say_beside_csv(report, output.table)
    write_results({**(more or {}), output.path: text})


def write_results(contents: Mapping[Path, str]) -> None:
    """Write files, all of them or none, and then what goes to standard output."""
    files = [path for path in contents if str(path) != STDIO]
    write_files({path: encoded(path, contents[path]) for path in files})
    for path in contents.keys() - files:
        write_text(path, contents[path])


def write_plots(figures: Sequence[Figure], options: FigureOptions, language: PageLanguage) -> None:
    """Write figures if a folder is named for them, and say which."""
    if options.folder is None:
        return
    from gecbench.reports.plots import write_figures

    written = write_figures(figures, options.folder, formats=options.formats, language=language)
    names = ", ".join(path.name for path in written) or "no figures"
    say(f"{options.folder}: {names if len(written) <= _NAMED else f'{len(written)} files'}")


def _say_beside_csv(report: Report, table: str | None) -> None:
    others = [other.name for other in report.tables[1:]]
    if table is None and others:
        say(f"note: the first table only; others by --table: {', '.join(others)}")
    for note in report.notes:
        say(f"note: {note}")
    for signature in report.signatures:
        say(f"signature: {signature}")
