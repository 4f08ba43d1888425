"""gecbench model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, TypedDict, Unpack

import click

from gecbench.cli.options import FILE, say
from gecbench.core.errors import UsageError


class _Tagger(TypedDict):
    """What is said of a tagger of others."""

    language: Literal["zh", "en"] | None
    encoder: str | None
    labels: Path | None
    tokens: str | None


@click.group()
def model() -> None:
    """Look at models, and take in those of others."""


@model.command()
@click.argument("folder", type=FILE)
def info(folder: Path) -> None:
    """Say what the model in a folder is: its card as JSON."""
    import msgspec

    from gecbench.models.folder import fingerprint, read_card

    card = msgspec.to_builtins(read_card(folder))
    shown = {**card, "fingerprint": fingerprint(folder)}
    click.echo(json.dumps(shown, ensure_ascii=False, indent=2))


@model.command()
@click.argument("place")
@click.option("-o", "--output", type=FILE, required=True, help="The new folder.")
@click.option(
    "--tagger",
    is_flag=True,
    help="PLACE is a tagger of gotutiyan/gector, grammarly/gector or MuCGEC; it becomes ours.",
)
@click.option("--language", type=click.Choice(["zh", "en"]), help="With --tagger: which it is for.")
@click.option(
    "--encoder", metavar="NAME", help="With --tagger: what it was trained from, if unsaid there."
)
@click.option("--labels", type=FILE, help="With --tagger: its labels, one a line, if apart.")
@click.option("--tokens", help="With --tagger: what it reads, as space for tokenised text.")
def convert(place: str, output: Path, tagger: bool, **given: Unpack[_Tagger]) -> None:
    """Take in a checkpoint of others: PLACE is a folder, a file or a name on the hub.

    Pickled weights become safetensors; nothing in them is run, for torch's guard reads tensors
    alone.

    \b
    gecbench model convert fnlp/bart-large-chinese -o models/bart-large-chinese
    gecbench model convert gector-roberta --tagger --language en --tokens space -o models/gector
    """  # noqa: D301 - \b keeps click from joining lines
    if tagger:
        _convert_tagger(place, output, given)
        return
    for name, value in given.items():
        if value:
            raise UsageError(f"--{name} is for --tagger")
    from gecbench.models.converting import convert_checkpoint

    count = convert_checkpoint(place, output)
    say(f"{output}: {count} tensors as safetensors")


def _convert_tagger(place: str, output: Path, given: _Tagger) -> None:
    """Write a tagger of others as one of ours."""
    from gecbench.backends.hf import downloaded, need_torch

    if given["language"] is None:
        raise UsageError("say by --language which language the tagger is for; no checkpoint does")
    need_torch()
    from gecbench.models.tagger.convert import convert_model

    made = convert_model(
        Path(place) if Path(place).exists() else downloaded(place, ("*",)),
        output,
        language=given["language"],
        encoder=given["encoder"] or "",
        labels=given["labels"],
        tokens=given["tokens"] or "",
    )
    for note in made.notes:
        say(f"note: {note}")
    say(f"{output}: a tagger with {made.labels} labels; try gecbench correct {output} SENTENCES")


@model.command()
@click.argument("folder", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="The new folder.")
@click.option("--base", default="", help="The base, where it is not where it was.")
@click.option(
    "--precision",
    type=click.Choice(["fp32", "bf16", "fp16"]),
    default="fp32",
    show_default=True,
    help="Of the weights that are written.",
)
def merge(
    folder: Path, output: Path, base: str, precision: Literal["fp32", "bf16", "fp16"]
) -> None:
    """Merge a LoRA adapter with its base, into a model that needs neither peft nor the base."""
    from gecbench.backends.hf import need_torch

    need_torch()
    from gecbench.models.causal.merging import merge as merge_adapter

    merge_adapter(folder, output, base=base, precision=precision)
    say(f"{output}: a causal model of its own")
