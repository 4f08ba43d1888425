"""`gecbench data`: what data sets there are, fetch them, and say where they lie."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from gecbench.cli.divide import divide
from gecbench.cli.options import FILE, say
from gecbench.cli.prepare import prepare
from gecbench.core.errors import ResourceError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from gecbench.datasets.catalog import DataFile, DataSet


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A line of the list's JSON: `path` is None where the file is not here, or not whole."""

    name: str
    size: int
    sha256: str
    path: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A data set as it is listed; what gecbench wrote itself has no homepage and no citation."""

    name: str
    title: str
    homepage: str | None
    licence: str
    note: str
    citation: str | None
    bundled: bool
    files: tuple[FileEntry, ...]


def _places(command: Callable[..., None]) -> Callable[..., None]:
    """Add the two options that say where data sets lie."""
    folder = click.option(
        "--folder",
        type=FILE,
        envvar="GECBENCH_DATA",
        show_envvar=True,
        help="Keep data sets in this folder instead of the user's data folder.",
    )
    mirror = click.option(
        "--mirror",
        type=FILE,
        envvar="GECBENCH_DATA_MIRROR",
        show_envvar=True,
        help="A folder that has data sets, each in a folder of its name.",
    )
    return folder(mirror(command))


@click.group()
def data() -> None:
    """List, fetch and find data sets, prepare training data, divide perturbed cases."""


data.add_command(prepare)
data.add_command(divide)


@data.command("list")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@_places
def list_(form: Literal["text", "json"], folder: Path | None, mirror: Path | None) -> None:
    """List the data sets that gecbench knows."""
    from gecbench.datasets import catalog, store

    known = catalog.catalogue().values()
    place = folder or store.data_folder()
    entries = [_samples_entry(), *(_entry(data_set, place, mirror) for data_set in known)]
    if form == "json":
        import json

        table = {"schema": 1, "data_sets": [asdict(entry) for entry in entries]}
        click.echo(json.dumps(table, ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(_table(entries)))


@data.command()
@click.argument("names", metavar="NAME...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Fetch every data set.")
@click.option("--force", is_flag=True, help="Fetch also what is here already.")
@_places
def get(
    names: tuple[str, ...],
    everything: bool,
    force: bool,
    folder: Path | None,
    mirror: Path | None,
) -> None:
    """Fetch data sets and print the folder of each.

    Every file is checked against the sha256 of the catalogue. A download that was cut continues
    where it stopped. With --mirror, files are copied from there and nothing is downloaded.
    """
    from gecbench.datasets import fetch, store

    if everything == bool(names):
        raise UsageError("data get wants either names or --all; see: gecbench data list")
    wanted = dict.fromkeys(_known() if everything else names)
    sets = [_named(name) for name in wanted]  # all names are checked before anything is fetched
    for data_set in sets:
        if data_set is None:
            say("samples: bundled with gecbench, nothing to fetch")
            click.echo(store.samples_folder())
        else:
            paths = fetch.get(
                data_set,
                folder=folder or store.data_folder(),
                mirror=mirror,
                force=force,
                say=say,
                progress=_show_progress,
            )
            click.echo(paths[0].parent)


@data.command()
@click.argument("name")
@click.argument("file", required=False)
@_places
def where(name: str, file: str | None, folder: Path | None, mirror: Path | None) -> None:
    """Print where a data set, or one FILE of it, lies."""
    from gecbench.datasets import store

    data_set = _named(name)
    if data_set is None:
        click.echo(store.samples_folder() if file is None else store.locate_sample(file))
        return
    folder = folder or store.data_folder()
    if file is None:
        click.echo(store.home(data_set, folder=folder, mirror=mirror))
    else:
        click.echo(store.locate(data_set, file, folder=folder, mirror=mirror))


def _known() -> tuple[str, ...]:
    """Return the names of all data sets, the bundled samples first."""
    from gecbench.datasets import catalog, store

    return (store.SAMPLES, *catalog.catalogue())


def _named(name: str) -> DataSet | None:
    """Return the data set of that name; None means the bundled samples."""
    from gecbench.datasets import catalog, store

    if name not in _known():
        raise UnknownNameError("data set", name, _known())
    return None if name == store.SAMPLES else catalog.data_set(name)


def _show_progress(file: DataFile, done: int) -> None:
    """Rewrite one line of a terminal; a log file is spared."""
    if sys.stderr.isatty():
        click.echo(f"\r{file.name}: {done / file.size:4.0%}", nl=done == file.size, err=True)


def _samples_entry() -> Entry:
    from gecbench.datasets import store

    paths = [(name, store.locate_sample(name)) for name in store.sample_files()]
    return Entry(
        name=store.SAMPLES,
        title="Small Chinese and English corpora, written for gecbench",
        homepage=None,
        licence="Apache-2.0",
        note="",
        citation=None,
        bundled=True,
        files=tuple(
            FileEntry(name, path.stat().st_size, store.sha256_of(path), str(path))
            for name, path in paths
        ),
    )


def _entry(data_set: DataSet, folder: Path, mirror: Path | None) -> Entry:
    return Entry(
        name=data_set.name,
        title=data_set.title,
        homepage=data_set.homepage,
        licence=data_set.licence,
        note=data_set.note,
        citation=data_set.citation,
        bundled=False,
        files=tuple(_file_entry(data_set, file, folder, mirror) for file in data_set.files),
    )


def _file_entry(data_set: DataSet, file: DataFile, folder: Path, mirror: Path | None) -> FileEntry:
    from gecbench.datasets import store

    try:
        path = str(store.locate(data_set, file.name, folder=folder, mirror=mirror))
    except ResourceError:
        return FileEntry(file.name, file.size, file.sha256, None)
    return FileEntry(file.name, file.size, file.sha256, path)


def _table(entries: Sequence[Entry]) -> list[str]:
    """Return the lines of a table with columns as wide as their content."""
    rows = [("NAME", "FILES", "SIZE", "LICENCE", "HERE"), *map(_row, entries)]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    notes = [f"* {entry.name}: {entry.note}" for entry in entries if entry.note]
    return [*lines, *notes]


def _row(entry: Entry) -> tuple[str, str, str, str, str]:
    size = sum(file.size for file in entry.files)
    licence = entry.licence + ("*" if entry.note else "")
    return entry.name, str(len(entry.files)), f"{size / 1e6:.2f} MB", licence, _here(entry)


def _here(entry: Entry) -> str:
    """Say in a few words where the files of a data set are."""
    if entry.bundled:
        return "bundled with gecbench"
    paths = [Path(file.path) for file in entry.files if file.path is not None]
    if not paths:
        return f"no; run: gecbench data get {entry.name}"
    folders = " and ".join(sorted({str(path.parent) for path in paths}))
    missing = len(entry.files) - len(paths)
    return f"{missing} of {len(entry.files)} missing in {folders}" if missing else folders
