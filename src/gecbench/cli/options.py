"""Options that several commands share, how what they name is loaded, and how commands report."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import click

from gecbench.api.options import PLAIN, Options, Places, SchemeSpec
from gecbench.cli.command import FilePath, explicit_options, named_files, refuse
from gecbench.core.errors import FormatError, NoEffectError, UnknownNameError, UsageError
from gecbench.core.options import Argument, Cluster, Option, Without, Workers, pairs
from gecbench.core.sample import NOT_KEPT, Corpus, SystemOutput
from gecbench.formats import (
    COLUMNS_OPTION,
    CORPUS_FORM,
    FORMATS,
    SYSTEM_FORM,
    written_formats,
)
from gecbench.lang import LANGUAGES, SCHEMES

if TYPE_CHECKING:
    from gecbench.core.case import Part
    from gecbench.scoring.results import RunStats

Item = TypeVar("Item")
Value = TypeVar("Value")

FILE = FilePath(path_type=Path)

AND = "+"
"""Stands between two corpora with their systems."""


def format_option(name: str, about: str) -> Option:
    """Declare an option that names a format of corpora; `--to` names one that is written."""
    complete = written_formats if name == "--to" else tuple(FORMATS)
    return Option(name, about, metavar="FORMAT", complete=complete)


Jobs = Annotated[
    int | None,
    Option("--jobs", "Processes that work at once (default: all cores where that is quicker)."),
]


@dataclass(frozen=True, slots=True)
class Engine:
    """What works: processes of this machine, or a cluster."""

    jobs: Jobs = None
    engine: Annotated[
        Literal["ray"] | None,
        Option("--engine", "ray: work on a Ray cluster, by all its CPUs but one, or --jobs N."),
    ] = None
    cluster: Annotated[Cluster, Without("gpus")] = field(default_factory=Cluster)

    def workers(self) -> Workers:
        """What `jobs` of the Python API takes."""
        return replace(self.cluster, workers=self.jobs) if self.engine else self.jobs


Intervals = Annotated[bool, Option("--ci", "Add 95% bootstrap intervals.")]
Resamples = Annotated[int, Option("--resamples", "Resamples of --ci.", needs=("--ci",))]
Seed = Annotated[int, Option("--seed", "Seed of --ci.", needs=("--ci",))]
RESAMPLES = 1000
"""Resamples of --ci unless others are asked for."""
CorpusFile = Annotated[Path, Argument()]
SystemFiles = Annotated[tuple[Path, ...], Argument("SYSTEM...")]
CorpusFormat = Annotated[
    str | None, format_option("--from", "Format of CORPUS (default: detected).")
]


def _read_columns(texts: Sequence[str], *, of_system: bool = False) -> Mapping[str, Sequence[str]]:
    from gecbench.formats.table import read_columns

    return read_columns(",".join(texts), of_system=of_system) if texts else {}


ColumnNames = Annotated[
    Mapping[str, Sequence[str]] | None,
    Option(
        "--columns",
        "Read CSV, TSV or JSON: the columns of id, source and references; repeatable.",
        metavar=CORPUS_FORM,
        read=_read_columns,
    ),
]
References = Annotated[
    tuple[Path, ...],
    Option(
        "--reference",
        "Parallel text with references, where CORPUS is one of sources; repeatable.",
    ),
]


def lang_option(about: str) -> Option:
    """Declare the option that names the language of texts."""
    return Option("--lang", about, metavar="CODE", complete=tuple(LANGUAGES))


Lang = Annotated[
    str | None,
    lang_option(
        "Language of the texts, such as zh, en or de; xx is any (default: the file's, else "
        "detected)."
    ),
]

CorrectorSettings = Annotated[
    Mapping[str, str] | None,
    Option(
        "--set",
        "An option of the corrector, as threshold=8; repeatable.",
        metavar="OPTION=VALUE",
        read=pairs("--set", "OPTION=VALUE"),
    ),
]

Scoring = Annotated[Options, Without("by")]
"""How systems are scored, for commands that do not score the values of a metadata field."""


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """How a corpus is read."""

    format: CorpusFormat = None
    references: References = ()
    meta: Annotated[Path | None, Option("--meta", "Metadata by id, a tab-separated table.")] = None
    lang: Lang = None
    columns: ColumnNames = None


@dataclass(frozen=True, slots=True)
class Inputs:
    """How a corpus and its systems are read, and how edits are found."""

    corpus: CorpusOptions
    scheme: SchemeSpec
    system_format: Annotated[
        str | None, format_option("--system-from", "Format of the systems' files.")
    ] = None
    system_columns: Annotated[
        Mapping[str, Sequence[str]] | None,
        Option(
            "--system-columns",
            "Read systems' files in CSV, TSV or JSON: the columns of id and text; repeatable.",
            metavar=SYSTEM_FORM,
            read=partial(_read_columns, of_system=True),
        ),
    ] = None
    subset: Annotated[
        bool,
        Option("--subset", "Leave out what systems wrote for sentences that CORPUS has not."),
    ] = False


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def say(message: str) -> None:
    """Write a message to standard error, on a terminal in the place of a count."""
    click.echo(f"\033[K{message}" if _is_terminal() else message, err=True)


def watch(what: str, items: Sequence[Item]) -> Iterator[Item]:
    """Yield items; on a terminal, say after a second how far the work is, until it is done."""
    if not _is_terminal():
        yield from items
        return
    last = 0.0
    started = time.monotonic()
    for number, item in enumerate(items):
        now = time.monotonic()
        if now - started > 1 and now - last > 0.2:
            # The cursor goes back, so that the next message takes the line's place.
            click.echo(f"{what}: {number} of {len(items)}\r", nl=False, err=True)
            last = now
        yield item
    if last:
        click.echo("\033[K", nl=False, err=True)


def show_count(text: str) -> None:
    """Write a count over the last one, on a terminal only; a message of `say` takes its place."""
    if _is_terminal():
        click.echo(f"\033[K{text}\r", nl=False, err=True)


def scheme_of(options: SchemeSpec, *, types: bool = True, uses_places: bool = False) -> SchemeSpec:
    """The scheme of the command line; the environment is for schemes with the option.

    Args:
        options: As they were given.
        types: Whether edits need their types.
        uses_places: Whether the command reads resources even where the scheme does not.
    """
    if options.name == PLAIN:
        raise UnknownNameError("scheme", PLAIN, SCHEMES)
    explicit = explicit_options()
    from_environment = {
        field
        for option, field in (("--spacy-model", "spacy_model"), ("--parse-cache", "parse_cache"))
        if option not in explicit
    }
    spec = replace(
        options, types=types, preferences=frozenset(from_environment), say=say, watch=watch
    )
    if not uses_places and not explicit.isdisjoint(("--folder", "--mirror")):
        from gecbench.api.schemes import reads_data_sets

        if not reads_data_sets(spec):
            refuse(f"scheme {options.name} reads no resources of the data folder", Places)
    return spec


def load_corpus(
    path: Path, options: CorpusOptions, *, scored: bool = False, in_memory: bool = True
) -> Corpus:
    """Load a corpus with its metadata, and say what a user should know of it.

    Args:
        path: The file.
        options: How it is read.
        scored: Whether scores are made of it, whose notes have what there is to say of its
            language.
        in_memory: Whether the sentences of a large corpus are held in memory, too.
    """
    from gecbench.api.files import load
    from gecbench.formats.reading import read_meta, with_meta

    corpus = load(
        path,
        format=options.format,
        references=options.references,
        lang=options.lang,
        columns=options.columns,
        in_memory=in_memory,
    )
    if NOT_KEPT in corpus.provenance:
        note_losses(corpus.name, corpus.provenance)
    if not scored:
        note_language(corpus)
    if options.meta is None:
        return corpus
    return with_meta(corpus, options.meta, read_meta(options.meta))


def note_losses(name: str, provenance: Mapping[str, str]) -> None:
    """Say what of a file was not kept, if anything."""
    if NOT_KEPT in provenance:
        say(f"note: {name}: not kept: {provenance[NOT_KEPT]}")


def note_language(corpus: Corpus) -> None:
    """Say how the language of a corpus was found, as the notes of scores do."""
    from gecbench.scoring.languages import language_notes

    for note in language_notes(corpus):
        say(f"note: {note}")


def load_systems(paths: Sequence[Path], corpus: Corpus, inputs: Inputs) -> list[SystemOutput]:
    """Load the outputs of systems, called as `named_files` says."""
    from gecbench.formats.reading import read_system

    try:
        outputs = [
            read_system(
                file,
                corpus,
                name=name,
                format=inputs.system_format,
                columns=inputs.system_columns,
                subset=inputs.subset,
            )
            for name, file in named_files(paths)
        ]
    except FormatError as error:  # readers know the options of a corpus only
        raise for_systems(error) from error
    if inputs.subset:
        for output in outputs:
            note_losses(output.system, output.provenance)
    return outputs


def for_systems(error: FormatError) -> FormatError:
    """The error with the options of systems' files in the place of those of a corpus."""
    columns = f"--system-columns {SYSTEM_FORM}"
    return error.with_option("--system-from").with_option(columns, COLUMNS_OPTION)


def load_inputs(
    corpus: Path,
    systems: Sequence[Path],
    inputs: Inputs,
    options: Options | None = None,
    *,
    types: bool = True,
    in_memory: bool = True,
) -> tuple[Corpus, list[SystemOutput], SchemeSpec]:
    """Load a corpus and its systems, and say which scheme finds edits.

    Args:
        corpus: The file.
        systems: Their files.
        inputs: How they are read.
        options: How they are scored: options of schemes are refused where no metric needs edits.
        types: Whether edits need their types although these options do not.
        in_memory: Whether the sentences of a large corpus are held in memory, too.
    """
    if options and options.metrics and all(part == "texts" for part in needs_of(options.metrics)):
        refuse(
            f"{', '.join(options.metrics)} use{'s' * (len(options.metrics) == 1)} no edits",
            SchemeSpec,
            Places,
            "--re-extract",
        )
    data = load_corpus(corpus, inputs.corpus, scored=True, in_memory=in_memory)
    outputs = load_systems(systems, data, inputs)
    if options and (options.exclude or options.level == "correction-type"):
        types = True
    return data, outputs, scheme_of(inputs.scheme, types=types)


def load_run_stats(
    corpus: Path,
    systems: Sequence[Path],
    inputs: Inputs,
    options: Options,
    *,
    keep_cases: bool = True,
) -> RunStats:
    """Judge the systems in files on a corpus, for analyses of what metrics say."""
    from gecbench.api.score import collect_stats

    data, outputs, scheme = load_inputs(corpus, systems, inputs, options, in_memory=keep_cases)
    return collect_stats(
        data, outputs, scheme=scheme, options=options, keep_cases=keep_cases, watch=watch
    )


def with_intervals(options: Options, resamples: int, seed: int) -> Options:
    """The options with intervals; refuse those of no resamples."""
    if not resamples:
        raise UsageError("--resamples 0 makes no intervals; leave --ci out, or name 100 or more")
    return replace(options, resamples=resamples, seed=seed)


def needs_of(metrics: Sequence[str]) -> list[Part]:
    """What metrics compare: edits, gold edits or texts."""
    from gecbench.metrics import metric_class

    return [metric_class(name).needs for name in metrics]


def corpus_groups(
    paths: Sequence[Path], *, least: int = 1, other: str = ""
) -> Iterator[list[Path]]:
    """Yield each corpus with its systems; a "+" divides them.

    Args:
        paths: Arguments of the command line.
        least: How many systems each corpus needs.
        other: Another way to give systems, for people, as "or by --option".

    Raises:
        UsageError: Something is missing beside a "+".
    """
    group: list[Path] = []
    for path in [*paths, Path(AND)]:
        if str(path) != AND:
            group.append(path)
            continue
        if len(group) < 1 + least and AND not in map(str, paths):
            ways = f", {other}" if other else ""
            raise UsageError(f"no system is given; name the file of one after the corpus{ways}")
        if len(group) < 1 + least:
            raise UsageError(f"between two {AND} stand a corpus and at least one system")
        yield group
        group = []


def measure_groups(
    groups: Sequence[Sequence[Path]],
    inputs: Inputs,
    measure: Callable[[int, Corpus, list[SystemOutput], SchemeSpec], Value],
    options: Options | None = None,
    *,
    types: bool = True,
    in_memory: bool = True,
) -> list[Value]:
    """Measure each corpus with its systems.

    Args:
        groups: Each corpus with its systems; one of a name that was there before is numbered.
        inputs: How they are read.
        measure: Takes the place of the corpus from 0 on, the corpus, its systems and the scheme.
        options: As in `load_inputs`.
        types: See there.
        in_memory: See there.

    Raises:
        NoEffectError: An option of how edits are found has no effect on any of the corpora.
    """
    names: list[str] = []
    values: dict[int, Value] = {}
    unused: dict[int, tuple[NoEffectError, Corpus, list[SystemOutput], SchemeSpec]] = {}
    for at, (path, *systems) in enumerate(groups):
        corpus, outputs, scheme = load_inputs(
            path, systems, inputs, options, types=types, in_memory=in_memory
        )
        names.append(corpus.name)
        if (count := names.count(corpus.name)) > 1:
            corpus = replace(corpus, name=f"{corpus.name} ({count})")
        try:
            values[at] = measure(at, corpus, outputs, scheme)
        except NoEffectError as error:
            unused[at] = error, corpus, outputs, scheme
    errors = [error for error, *_ in unused.values()]
    if errors and not values and frozenset.intersection(*(error.options for error in errors)):
        raise errors[0]
    for at, (_, corpus, outputs, scheme) in unused.items():  # nothing was extracted of them yet
        values[at] = measure(at, corpus, outputs, replace(scheme, may_be_unused=True))
    return [values[at] for at in range(len(groups))]
