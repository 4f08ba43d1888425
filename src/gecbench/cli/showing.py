"""How commands that analyse show what they found: in the terminal, in files, in figures."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, TypeVar

import click

from gecbench.cli.options import FILE, say
from gecbench.cli.scoring import check_standard_input, named
from gecbench.core.errors import UsageError
from gecbench.core.files import (
    STDIO,
    check_folder,
    check_target,
    encoded,
    write_files,
    write_text,
)

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


def check_shown(
    given: ShowGiven, *more: tuple[str, Path | None], of_language: bool = False
) -> None:
    """Refuse what could not be shown or written, before any work is done for it.

    Args:
        given: How results are shown.
        more: Further files that the command writes, each after the option that names it.
        of_language: Whether --language is of more here than of --figures.

    Raises:
        UsageError: Options that do not go together or would be ignored, two results for one
            file, a file that is read and written, standard input twice, or matplotlib is missing.
        GecbenchError: A file or folder surely cannot be written.
    """
    if given["table"] and given["form"] == "json":
        raise UsageError("--table is of text, CSV and LaTeX; JSON holds everything")
    _formats(given)
    if given["figures"] is None:
        _check_without_figures(of_language)
    asked = (("--output", given["output"]), ("--figures", given["figures"]), *more)
    written = [(option, path) for option, path in asked if path is not None]
    read = list(_read({option for option, _ in asked}))
    check_standard_input(read)
    _check_apart(written, read)
    for option, path in written:
        if option == "--figures":
            from gecbench.reports.plots import require_matplotlib

            require_matplotlib()
            check_folder(path)
        else:
            check_target(path)


def _formats(given: ShowGiven) -> tuple[str, ...]:
    formats = tuple(name.strip() for name in given["figure_format"].split(","))
    wrong = [name for name in formats if name not in FIGURE_FORMATS]
    if wrong:
        raise UsageError(f"figure format {wrong[0]!r} is none of {', '.join(FIGURE_FORMATS)}")
    return formats


def _check_without_figures(of_language: bool) -> None:
    """Refuse options of figures that nobody asked for."""
    source = click.get_current_context().get_parameter_source
    for option in ("figure_format",) if of_language else ("figure_format", "language"):
        if source(option) is click.core.ParameterSource.COMMANDLINE:
            name = option.replace("_", "-")
            raise UsageError(
                f"--{name} is of --figures; name their folder by --figures, or leave it out"
            )


def _read(writing: set[str]) -> Iterator[Path]:
    """Yield the files that the command line names for reading: all but those of some options."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if not isinstance(parameter.type, click.Path) or writing & set(parameter.opts):
            continue
        value: Path | tuple[Path, ...] | None = context.params.get(parameter.name or "")
        for path in (value,) if isinstance(value, Path) else value or ():
            yield named(path)[1]


def _check_apart(written: Sequence[tuple[str, Path]], read: Sequence[Path]) -> None:
    """Refuse two results for one file, and a result that would take the place of its data."""
    for (one, path), (other, second) in combinations(written, 2):
        if str(path) == str(second) == STDIO:
            raise UsageError(f"{one} and {other} both go to standard output; name a file for one")
        if _same(path, second):
            raise UsageError(f"{one} and {other} both write {path}; name two files")
    for option, path in written:
        if any(_same(path, each) for each in read):
            raise UsageError(f"{option} would write over {path}, which is read; name another file")


def _same(one: Path, other: Path) -> bool:
    """Return whether two paths are one file; devices and pipes can be had twice."""
    if STDIO in (str(one), str(other)) or (one.exists() and not one.is_file()):
        return False
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there yet
        return os.path.realpath(one) == os.path.realpath(other)


def show(exhibit: Exhibit, given: ShowGiven, more: Mapping[Path, str] | None = None) -> None:
    """Write what an analysis shows where the options say, and its figures.

    CSV is one table of bare values; notes and signatures go to standard error beside it.

    Args:
        exhibit: What to show.
        given: How.
        more: Further files with their content, which are written together with the results or
            not at all; "-" is standard output.
    """
    from gecbench.reports.exhibit import render

    text = render(exhibit, given["form"], table=given["table"])
    if given["figures"] is not None:
        from gecbench.reports.plots import write_figures

        written = write_figures(
            exhibit.figures,
            given["figures"],
            formats=_formats(given),
            language=given["language"],
        )
        say(f"{given['figures']}: {', '.join(path.name for path in written) or 'no figures'}")
    if given["form"] == "csv":
        _say_beside_csv(exhibit, given["table"])
    contents = {**(more or {}), given["output"]: text}
    files = [path for path in contents if str(path) != STDIO]
    write_files({path: encoded(path, contents[path]) for path in files})
    for path in contents.keys() - files:
        write_text(path, contents[path])


def _say_beside_csv(exhibit: Exhibit, table: str | None) -> None:
    others = [each.name for each in exhibit.tables[1:]]
    if table is None and others:
        say(f"note: the first table only; others by --table: {', '.join(others)}")
    for note in exhibit.notes:
        say(f"note: {note}")
    for signature in exhibit.signatures:
        say(f"signature: {signature}")
