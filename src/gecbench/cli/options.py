"""Options that several commands share, and how they talk while they work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypedDict, TypeVar

import click

from gecbench.core.errors import UnknownNameError
from gecbench.core.sample import NOT_KEPT, Corpus
from gecbench.core.scheme import Scheme

Command = TypeVar("Command", bound=Callable[..., object])
Item = TypeVar("Item")
Value = TypeVar("Value")

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
    spacy_model: str | None
    merging: Literal["rules", "all-split", "all-merge", "all-equal"] | None
    levenshtein: bool | None
    parse_cache: Path | None
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


_SCHEME_OPTIONS = (
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
        "--parse-cache",
        type=FILE,
        envvar="GECBENCH_PARSE_CACHE",
        show_envvar=True,
        help="en-errant: keep in this folder what the pipeline said of sentences.",
    ),
    click.option(
        "--lev",
        "levenshtein",
        is_flag=True,
        default=None,
        help="en-errant: align by plain edit distance.",
    ),
    click.option(
        "--merging",
        type=click.Choice(["rules", "all-split", "all-merge", "all-equal"]),
        help="en-errant: how steps of the alignment become edits (default: rules).",
    ),
    click.option(
        "--spacy-model",
        metavar="NAME",
        envvar="GECBENCH_SPACY_MODEL",
        show_envvar=True,
        help="en-errant: an installed spaCy pipeline or a folder with one.",
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
    click.option(
        "--scheme",
        "scheme_name",
        help="How edits are found: zh-cherrant, zh-char, en-errant.",
    ),
)


def scheme_options(command: Command) -> Command:
    """Add the options that choose the scheme of edits and where its resources lie."""
    for option in _SCHEME_OPTIONS:
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


def scheme_maker(corpus: Corpus, given: SchemeGiven, *, types: bool = True) -> Callable[[], Scheme]:
    """Return a function that makes the scheme, for those who may not need one."""
    from gecbench.api.schemes import Places, default_scheme, load_scheme
    from gecbench.lang import SCHEMES

    name = given["scheme_name"]
    if name is not None and name not in SCHEMES:
        raise UnknownNameError("scheme", name, SCHEMES)

    def make() -> Scheme:
        wanted = name or default_scheme(corpus)
        return load_scheme(
            wanted,
            strategy=given["strategy"],
            simplify=given["simplify"],
            spacy_model=_meant(given["spacy_model"], "spacy_model", wanted),
            merging=given["merging"],
            levenshtein=given["levenshtein"],
            parse_cache=_meant(given["parse_cache"], "parse_cache", wanted),
            types=types,
            places=Places(folder=given["folder"], mirror=given["mirror"]),
            say=say,
            progress=watch,
        )

    return make


def _meant(value: Value | None, option: str, scheme: str) -> Value | None:
    """Return the value, but not where the environment set it for schemes that have the option."""
    source = click.get_current_context().get_parameter_source(option)
    by_hand = source is click.core.ParameterSource.COMMANDLINE
    return value if by_hand or scheme == "en-errant" else None


def watch(what: str, items: Sequence[Item]) -> Iterator[Item]:
    """Yield items; on a terminal, say after a second how far the work is, until it is done."""
    if not sys.stderr.isatty():
        yield from items
        return
    shown = 0.0
    started = time.monotonic()
    for number, item in enumerate(items):
        now = time.monotonic()
        if now - started > 1 and now - shown > 0.2:
            # The cursor goes back, so that whatever is said next takes the line's place.
            click.echo(f"{what}: {number} of {len(items)}\r", nl=False, err=True)
            shown = now
        yield item
    if shown:
        click.echo("\033[K", nl=False, err=True)
