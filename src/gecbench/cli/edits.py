"""gecbench edits."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from gecbench.cli.options import (
    FILE,
    CorpusGiven,
    SchemeGiven,
    corpus_options,
    load_corpus,
    say,
    scheme_maker,
    scheme_options,
    watch,
)
from gecbench.core.errors import UsageError


class _Given(CorpusGiven, SchemeGiven):
    """The options of the command, by the names of their parameters."""

    keep_edits: bool
    minimise: bool
    relabel: bool
    target_format: str
    output: Path


@click.command()
@click.argument("corpus", type=FILE)
@corpus_options
@scheme_options
@click.option(
    "--keep-edits",
    is_flag=True,
    help="en-errant: keep the spans of given edits, and give them ERRANT's types.",
)
@click.option(
    "--minimise/--no-minimise",
    default=True,
    help="With --keep-edits: drop tokens that both sides share at the ends (default), or not.",
)
@click.option(
    "--relabel/--no-relabel",
    default=True,
    help="With --keep-edits: give ERRANT's types (default), or leave the given ones.",
)
@click.option(
    "--to",
    "target_format",
    type=click.Choice(["m2", "jsonl"]),
    default="m2",
    show_default=True,
    help="Format to write.",
)
@click.option(
    "-o", "--output", type=FILE, default=Path("-"), help="File to write, instead of the terminal."
)
def edits(corpus: Path, **given: Unpack[_Given]) -> None:
    """Find the edits between sources and references, and write them as M2 or JSONL.

    Give a system's outputs as the references to see the edits of a system.

    \b
    gecbench edits dev.tsv -o dev.m2
    gecbench edits source.txt --reference output.txt --scheme zh-char
    gecbench edits conll14.m2 --keep-edits -o conll14.errant.m2
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.edits import capped_note, extract
    from gecbench.api.files import save

    loaded = load_corpus(corpus, given)
    keep = given["keep_edits"]
    if not (keep or (given["minimise"] and given["relabel"])):
        raise UsageError("--no-minimise and --no-relabel are for --keep-edits")
    scheme = scheme_maker(loaded, given)()
    extracted = extract(
        loaded,
        scheme,
        keep=keep,
        minimise=given["minimise"],
        relabel=given["relabel"],
        watch=watch,
    )
    for note in scheme.notes:
        say(f"note: {note}")
    capped = [s.id for s in extracted.samples if any(r.capped for r in s.references)]
    losses = save(extracted, given["output"], format=given["target_format"])
    if losses:
        say(f"note: {'; '.join(losses)}")
    if capped:
        say(f"note: {capped_note(capped)}")
