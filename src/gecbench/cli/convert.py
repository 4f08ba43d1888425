"""gecbench convert."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from gecbench.cli.options import FILE, CorpusGiven, corpus_options, load_corpus, say
from gecbench.core.errors import GecbenchError
from gecbench.formats import FORMATS, load_format


class _Given(CorpusGiven):
    """The options of the command, by the names of their parameters."""

    target_format: str
    output: Path
    strict: bool


@click.command()
@click.argument("corpus", type=FILE)
@corpus_options
@click.option(
    "--to", "target_format", type=click.Choice(list(FORMATS)), required=True, help="New format."
)
@click.option(
    "-o",
    "--output",
    type=FILE,
    default=Path("-"),
    help="File to write, instead of the terminal; format lines adds .src, .ref0, ... to it.",
)
@click.option("--strict", is_flag=True, help="Fail, and write nothing, if anything would be lost.")
def convert(corpus: Path, **given: Unpack[_Given]) -> None:
    """Turn a corpus from one format into another, and say what the new one cannot hold.

    \b
    gecbench convert dev.tsv --to jsonl --meta origin.tsv -o dev.jsonl
    gecbench convert dev.jsonl --to lines -o dev
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import save

    loaded = load_corpus(corpus, given)
    if given["strict"]:
        losses = load_format(given["target_format"]).losses(loaded)
        if losses:
            raise GecbenchError(f"nothing written, because of --strict: {'; '.join(losses)}")
    for loss in save(loaded, given["output"], format=given["target_format"]):
        say(f"note: {loss}")
