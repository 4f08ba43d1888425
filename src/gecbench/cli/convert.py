"""gecbench convert."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from gecbench.cli.command import command
from gecbench.cli.options import CorpusFile, CorpusOptions, format_option, load_corpus, say
from gecbench.core.errors import GecbenchError
from gecbench.core.files import STDIO
from gecbench.core.options import Option
from gecbench.formats import load_writer


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
