"""Options that several commands share, and how they talk while they work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypedDict, TypeVar

import click

from gecbench.core.errors import UnknownNameError
from gecbench.core.sample import NOT_KEPT, Corpus, Sample
from gecbench.core.scheme import Scheme

Command = TypeVar("Command", bound=Callable[..., object])

FILE = click.Path(path_type=Path)
"""A path that is not looked at before it is read, so that one place words the failure."""


class CorpusGiven(TypedDict):
    """What `corpus_options` adds."""

    references: tuple[Path, ...]
    corpus_format: str | None
    meta: Path | None


class SchemeGiven(TypedDict):
    """What `scheme_options` adds."""

    scheme_name: str | None
    strategy: Literal["all", "first"] | None
    simplify: bool | None
    folder: Path | None
    mirror: Path | None


def say(message: str) -> None:
    """Write a message to standard error."""
    click.echo(message, err=True)


def corpus_options(command: Command) -> Command:
    """Add the options that say how the corpus is read."""
    for option in (
        click.option("--meta", type=FILE, help="Metadata by id, a tab-separated table."),
        click.option(
            "--reference",
            "references",
            type=FILE,
            multiple=True,
            help="Parallel text with references, where CORPUS is one of sources; repeatable.",
        ),
        click.option(
            "--from", "corpus_format", metavar="FORMAT", help="Format of CORPUS, else found out."
        ),
    ):
        command = option(command)
    return command


def scheme_options(command: Command) -> Command:
    """Add the options that choose the scheme of edits and where its resources lie."""
    for option in (
        click.option(
            "--folder",
            type=FILE,
            envvar="GECBENCH_DATA",
            show_envvar=True,
            help="Data folder, instead of the user's.",
        ),
        click.option(
            "--mirror",
            type=FILE,
            envvar="GECBENCH_DATA_MIRROR",
            show_envvar=True,
            help="Folder with data sets, looked at first.",
        ),
        click.option(
            "--simplify/--no-simplify",
            default=None,
            help="zh-cherrant: turn targets into simplified characters, or not.",
        ),
        click.option(
            "--strategy",
            type=click.Choice(["all", "first"]),
            help="zh-cherrant: all distinct edit sets (default) or the first.",
        ),
        click.option("--scheme", "scheme_name", help="How edits are found: zh-cherrant, zh-char."),
    ):
        command = option(command)
    return command


def load_corpus(path: Path, given: CorpusGiven) -> Corpus:
    """Return the corpus that the arguments name, with its metadata."""
    from gecbench.api.files import load
    from gecbench.formats.meta import read_meta, with_meta

    corpus = load(path, format=given["corpus_format"], references=given["references"])
    if NOT_KEPT in corpus.provenance:
        say(f"note: {corpus.name}: not kept: {corpus.provenance[NOT_KEPT]}")
    if given["meta"] is None:
        return corpus
    return with_meta(corpus, given["meta"], read_meta(given["meta"]))


def scheme_maker(corpus: Corpus, given: SchemeGiven) -> Callable[[], Scheme]:
    """Return a function that makes the scheme, for those who may not need one."""
    from gecbench.api.edits import Places, default_scheme, load_scheme
    from gecbench.lang import SCHEMES

    name = given["scheme_name"]
    if name is not None and name not in SCHEMES:
        raise UnknownNameError("scheme", name, SCHEMES)
    return lambda: load_scheme(
        given["scheme_name"] or default_scheme(corpus),
        strategy=given["strategy"],
        simplify=given["simplify"],
        places=Places(folder=given["folder"], mirror=given["mirror"]),
        say=say,
    )


def watch(what: str, samples: Sequence[Sample]) -> Iterator[Sample]:
    """Yield samples; on a terminal, say after a second how far the work is, until it is done."""
    if not sys.stderr.isatty():
        yield from samples
        return
    shown = 0.0
    started = time.monotonic()
    for number, sample in enumerate(samples):
        now = time.monotonic()
        if now - started > 1 and now - shown > 0.2:
            # The cursor goes back, so that whatever is said next takes the line's place.
            click.echo(f"{what}: {number} of {len(samples)}\r", nl=False, err=True)
            shown = now
        yield sample
    if shown:
        click.echo("\033[K", nl=False, err=True)
