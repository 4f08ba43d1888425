"""gecbench model, and gecbench export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import click

from gecbench.cli.command import command, refuse
from gecbench.cli.options import lang_option, say
from gecbench.cli.output import NewFolder, OutputFile, format_by_ending
from gecbench.core.errors import FormatError, UsageError
from gecbench.core.files import STDIO, write_text
from gecbench.core.options import Argument, Option
from gecbench.lang import LANGUAGES

_TAGGER = ("--tagger",)


@click.group()
def model() -> None:
    """Show, convert and merge models."""


@command
def info(folder: Annotated[Path, Argument()], output: OutputFile = Path(STDIO)) -> None:
    """Show the card of the model in a folder, as JSON."""
    import msgspec

    from gecbench.models.folder import fingerprint, read_card

    format_by_ending(output, {".json": "json"}, "json")
    card = {**msgspec.to_builtins(read_card(folder)), "fingerprint": fingerprint(folder)}
    write_text(output, json.dumps(card, ensure_ascii=False, indent=2) + "\n")


@command
def convert(
    place: Annotated[str, Argument()],
    output: NewFolder,
    tagger: Annotated[
        bool,
        Option(
            "--tagger",
            "PLACE is a tagger of gotutiyan/gector, grammarly/gector or MuCGEC; it becomes ours.",
        ),
    ] = False,
    language: Annotated[
        str | None,
        Option(
            "--language",
            "With --tagger: code of the language that it is for.",
            metavar="CODE",
            complete=tuple(LANGUAGES),
            needs=_TAGGER,
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        Option(
            "--encoder",
            "With --tagger: what it was trained from, where the checkpoint does not say.",
            metavar="NAME",
            needs=_TAGGER,
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        Option("--labels", "With --tagger: its labels, one a line, if apart.", needs=_TAGGER),
    ] = None,
    tokens: Annotated[
        str | None,
        Option(
            "--tokens",
            "With --tagger: what it reads, as space for tokenised text.",
            needs=_TAGGER,
        ),
    ] = None,
) -> None:
    """Convert a checkpoint that another program made.

    PLACE is a folder, a file or a name on the hub. Pickled weights become safetensors; nothing in
    them is run, for torch's guard reads tensors alone.

    \b
    gecbench model convert fnlp/bart-large-chinese -o models/bart-large-chinese
    gecbench model convert gector-roberta --tagger --language en --tokens space -o models/gector
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.backends.transformers import download, need_torch

    if not tagger:
        need_torch()
        from gecbench.models.weights import convert_checkpoint

        count = convert_checkpoint(place, output)
        say(f"{output}: {count} tensors as safetensors")
        return
    if language is None:
        raise UsageError("name by --language which language the tagger is for; no checkpoint does")
    need_torch()
    from gecbench.models.tagger.conversion import convert_tagger

    labels_count, notes = convert_tagger(
        Path(place) if Path(place).exists() else download(place, ("*",)),
        output,
        language=language,
        encoder=encoder or "",
        labels=labels,
        tokens=tokens or "",
    )
    for note in notes:
        say(f"note: {note}")
    say(f"{output}: a tagger with {labels_count} labels; try gecbench correct {output} SENTENCES")


@command
def merge(
    folder: Annotated[Path, Argument()],
    output: NewFolder,
    base: Annotated[str, Option("--base", "The base, where it is not where it was.")] = "",
    precision: Annotated[
        Literal["fp32", "bf16", "fp16"],
        Option("--precision", "Of the weights that are written."),
    ] = "fp32",
) -> None:
    """Merge a LoRA adapter with its base into one model.

    What is written needs neither peft nor the base.
    """
    from gecbench.backends.transformers import need_torch

    need_torch()
    from gecbench.models.causal.loading import merge as merge_adapter

    merge_adapter(folder, output, base=base, precision=precision)
    say(f"{output}: a causal model of its own")


for _command in (info, convert, merge):
    model.add_command(_command)


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
    lang: Annotated[
        str | None,
        lang_option("Language of the bundled sentences, instead of the model's first."),
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
    from gecbench.formats.texts import advise_conversion

    if texts:
        refuse("--texts are compared on, not the bundled sentences", "--lang")
    try:
        sentences = list(sources(texts).texts) if texts else None
    except FormatError as error:
        raise advise_conversion(error) from error
    agreement = export_model(model, output, quantise=quantise, texts=sentences, lang=lang)
    say(f"{output}: {agreement}")
