"""gecbench export."""

from __future__ import annotations

from pathlib import Path

import click

from gecbench.cli.options import FILE, say


@click.command()
@click.argument("model", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="The new folder.")
@click.option(
    "--quantise/--no-quantise",
    default=True,
    show_default=True,
    help="Weights of 8 bits, or all 32.",
)
@click.option(
    "--texts", type=FILE, help="Sentences to compare both on (default: the bundled ones)."
)
def export(model: Path, output: Path, quantise: bool, texts: Path | None) -> None:
    """Write a trained model for the runtime that is faster on a CPU.

    A tagger becomes ONNX, an encoder-decoder CTranslate2; neither needs torch then. How far the
    answers of both agree is reported, and kept in the new folder's card.

    \b
    gecbench export runs/tagger/model -o tagger-int8
    gecbench correct tagger-int8 sentences.txt
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.export import export as export_model
    from gecbench.formats.sources import sources

    given = list(sources(texts).texts) if texts else None
    agreement = export_model(model, output, quantise=quantise, texts=given)
    say(f"{output}: {agreement}")
