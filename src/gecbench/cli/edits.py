"""gecbench edits and convert: a corpus with edits, or in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from gecbench.api.options import SchemeSpec
from gecbench.cli.command import command
from gecbench.cli.options import (
    CorpusFile,
    CorpusOptions,
    Engine,
    format_option,
    load_corpus,
    say,
    scheme_of,
    watch,
)
from gecbench.cli.output import OutputFile, format_by_ending
from gecbench.core.errors import GecbenchError
from gecbench.core.files import STDIO
from gecbench.core.options import Option
from gecbench.formats import load_writer

_ENDINGS = {".m2": "m2", ".jsonl": "jsonl"}


@command
def edits(
    corpus: CorpusFile,
    reading: CorpusOptions,
    scheme: SchemeSpec,
    engine: Engine,
    keep: Annotated[
        bool,
        Option(
            "--keep-edits",
            "en-errant: keep the spans of given edits, and give them ERRANT's types.",
        ),
    ] = False,
    minimise: Annotated[
        bool,
        Option(
            "--minimise/--no-minimise",
            "With --keep-edits: drop tokens that both sides share at the ends, or not.",
            needs=("--keep-edits",),
        ),
    ] = True,
    relabel: Annotated[
        bool,
        Option(
            "--relabel/--no-relabel",
            "With --keep-edits: give ERRANT's types, or leave the given ones.",
            needs=("--keep-edits",),
        ),
    ] = True,
    chosen_format: Annotated[
        Literal["m2", "jsonl"] | None,
        Option("--to", "Format to write.", show_default="by the ending of --output, else m2"),
    ] = None,
    output: OutputFile = Path(STDIO),
) -> None:
    """Find the edits between sources and references, and write them as M2 or JSONL.

    Give a system's outputs as the references to see the edits of a system.

    \b
    gecbench edits dev.tsv -o dev.m2
    gecbench edits source.txt --reference output.txt --scheme zh-char
    gecbench edits conll14.m2 --keep-edits -o conll14.errant.m2
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import write
    from gecbench.api.schemes import extract

    target_format: str = chosen_format or format_by_ending(output, _ENDINGS, "m2")
    data = load_corpus(corpus, reading, in_memory=False)
    extracted = extract(
        data,
        scheme_of(scheme),
        keep=keep,
        minimise=minimise,
        relabel=relabel,
        jobs=engine.workers(),
        watch=watch,
    )
    # What M2 never holds is known, and `convert` says it; here edits are asked for.
    write(extracted, output, format=target_format)


@command
def convert(
    corpus: CorpusFile,
    reading: CorpusOptions,
    target_format: Annotated[str, format_option("--to", "New format.")],
    output: Annotated[
        Path,
        Option(
            "--output",
            "File, instead of the terminal; format lines adds .src, .ref0, ... to it.",
            short="-o",
            writes=("",),
        ),
    ] = Path(STDIO),
    strict: Annotated[
        bool, Option("--strict", "Fail, and write nothing, if anything would be lost.")
    ] = False,
) -> None:
    """Convert a corpus to another format, and report what is lost.

    \b
    gecbench convert dev.tsv --to jsonl --meta origin.tsv -o dev.jsonl
    gecbench convert dev.jsonl --to lines -o dev
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import save

    target = load_writer(target_format)  # before a long corpus is read
    data = load_corpus(corpus, reading)
    if strict:
        losses = target.losses(data)
        if losses:
            raise GecbenchError(f"nothing written, because of --strict: {'; '.join(losses)}")
    for loss in save(data, output, format=target_format):
        say(f"note: {loss}")
