"""gecbench export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from gecbench.cli.command import command
from gecbench.cli.options import say
from gecbench.cli.output import NewFolder
from gecbench.core.options import Argument, Option


@command
def export(
    model: Annotated[Path, Argument()],
    output: NewFolder,
    quantise: Annotated[
        bool, Option("--quantise/--no-quantise", "Weights of 8 bits, or all 32.")
    ] = True,
    texts: Annotated[
        Path | None,
        Option("--texts", "Sentences to compare both on (default: the bundled ones)."),
    ] = None,
) -> None:
    """Write a trained model for the runtime that is faster on a CPU.

    A tagger becomes ONNX, an encoder-decoder CTranslate2; neither needs torch then. How far the
    answers of both agree is reported, and kept in the new folder's card.

    \b
    gecbench export runs/tagger/model -o tagger-int8
    gecbench correct tagger-int8 sentences.txt
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.train import export as export_model
    from gecbench.formats.reading import sources

    sentences = list(sources(texts).texts) if texts else None
    agreement = export_model(model, output, quantise=quantise, texts=sentences)
    say(f"{output}: {agreement}")
