"""Files that a command reads and writes, by the declarations of its options."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import click

from gecbench.core.errors import UsageError
from gecbench.core.files import STDIO, check_folder, check_target, name_of
from gecbench.core.options import Option


def check_files(context: click.Context, declarations: Mapping[str, Option]) -> None:
    """Refuse what a command could not write, before any work is done for it.

    Args:
        context: The command line.
        declarations: By the name of the option's value.

    Raises:
        UsageError: Two results for one file, a file that is read and written, or standard input
            twice.
        GecbenchError: A file or folder surely cannot be written.
    """
    # What results go to is named first in a message.
    options = sorted(declarations.items(), key=lambda item: item[1].name != "--output")
    files = [
        (option.name, Path(f"{context.params[name]}{ending}"))
        for name, option in options
        for ending in (option.writes if context.params[name] is not None else ())
    ]
    folders = [
        (option.name, Path(context.params[name]))
        for name, option in options
        if option.makes and context.params[name] is not None
    ]
    if not files and not folders:
        return
    writing = {name for name, option in declarations.items() if option.writes or option.makes}
    read = list(_paths_read(context, writing))
    check_standard_input(read)
    _check_distinct([*files, *folders], read)
    for _, path in files:
        check_target(path)
    for _, folder in folders:
        check_folder(folder)


def _paths_read(context: click.Context, writing: set[str]) -> Iterator[Path]:
    """Yield the files that the command line names for reading: all but those of some options."""
    for parameter in context.command.params:
        if not isinstance(parameter.type, click.Path) or parameter.name in writing:
            continue
        value: Path | tuple[Path, ...] | None = context.params.get(parameter.name or "")
        for path in (value,) if isinstance(value, Path) else value or ():
            yield split_name(path)[1]


def _check_distinct(targets: Sequence[tuple[str, Path]], read: Sequence[Path]) -> None:
    """Refuse two results for one file, and a result that would take the place of its data."""
    for (option, path), (other, second) in combinations(targets, 2):
        if str(path) == str(second) == STDIO:
            raise UsageError(
                f"{option} and {other} both go to standard output; name a file for one"
            )
        if _same(path, second):
            raise UsageError(f"{option} and {other} both write {path}; name two files")
    for option, path in targets:
        if any(_same(path, file) for file in read):
            raise UsageError(f"{option} would write over {path}, which is read; name another file")


def _same(path: Path, other: Path) -> bool:
    """Say whether two paths are one file; devices and pipes can be had twice."""
    if STDIO in (str(path), str(other)) or (path.exists() and not path.is_file()):
        return False
    try:
        return path.samefile(other)
    except OSError:  # one of them is not there yet
        return os.path.realpath(path) == os.path.realpath(other)


def check_standard_input(paths: Sequence[Path]) -> None:
    """Refuse files of which two are standard input."""
    if [str(split_name(path)[1]) for path in paths].count("-") > 1:
        raise UsageError("standard input can be read once only; '-' stands twice")


def split_name(path: Path) -> tuple[str | None, Path]:
    """Divide NAME=FILE, unless there is a file of that very name."""
    name, equals, file = str(path).partition("=")
    if equals and name and not path.exists():
        return name, Path(file)
    return None, path


def named_files(paths: Sequence[Path]) -> list[tuple[str | None, Path]]:
    """The files of systems, each with a name where its own does not do: NAME=FILE.

    Files whose names differ in their endings alone keep these in the names of the systems.
    """
    files = list(map(split_name, paths))
    stems = [name or name_of(file) for name, file in files]
    full = [f"{stem}{file.suffix}" for stem, (_, file) in zip(stems, files, strict=True)]
    return [
        (whole if name is None and stems.count(stem) > full.count(whole) else name, file)
        for stem, whole, (name, file) in zip(stems, full, files, strict=True)
    ]
