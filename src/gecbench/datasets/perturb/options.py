"""How sentences are perturbed, as Python and the command line take it; light to import."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from gecbench.core.options import Option
from gecbench.text.tokens import TOKEN_KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbOptions:
    """How sentences are perturbed, and what words are taken from.

    Args:
        variants: Of each sentence. One that has fewer different ones is left out and reported.
        operations: Each variant has exactly one of substitute, insert and delete.
        insertion: "random" inserts any word of the vocabulary, "fill" one that a masked language
            model finds likely there.
        each_reference: A case for each reference of a sentence, instead of the first.
        seed: Of all choices.
        filler: "frequency", or "mask:NAME" with a masked language model by name or folder.
        words: A text, or lines of word TAB count, whose words take the place of others; None
            counts the corrected sentences themselves. Of frequency alone.
        pos: Match parts of speech; None does so for frequency.
        spacy_model: The pipeline that knows parts of speech where blanks divide words; None takes
            gecbench's own for English.
        top: How many words a masked language model offers; None means 20.
        device: Where that model runs; "" is a GPU if there is one.
        batch: How many places it fills at a time; None means 64.
        tokens: "zh", "en" or "space"; None finds out.
    """

    variants: Annotated[int, Option("--variants", "Of each sentence.")] = 5
    operations: Annotated[
        tuple[str, ...],
        Option("--operations", "Each variant has exactly one of these.", commas=True),
    ] = ("substitute", "insert", "delete")
    insertion: Annotated[
        Literal["random", "fill"],
        Option("--insert", "Insert any word of the vocabulary, or with mask one that fits."),
    ] = "random"
    each_reference: Annotated[
        bool, Option("--each-reference", "A case for each reference, instead of the first.")
    ] = False
    seed: Annotated[int, Option("--seed", "Of all choices.")] = 1
    filler: Annotated[
        str,
        Option(
            "--filler",
            "frequency, or mask:NAME, a masked language model by name or folder.",
        ),
    ] = "frequency"
    words: Annotated[
        Path | str | None,
        Option(
            "--words",
            "frequency: a text, or lines of word TAB count, to take words from instead of CORPUS.",
        ),
    ] = None
    pos: Annotated[
        bool | None,
        Option(
            "--pos/--no-pos",
            "frequency: put words in the place of the same part of speech, or not (default: do).",
        ),
    ] = None
    spacy_model: Annotated[
        str | Path | None,
        Option(
            "--spacy-model",
            "frequency: the pipeline that knows parts of speech, instead of gecbench's own.",
            metavar="NAME",
        ),
    ] = None
    top: Annotated[
        int | None,
        Option("--top", "mask: choose among so many likeliest words (default: 20)."),
    ] = None
    device: Annotated[
        str, Option("--device", "mask: cpu, cuda, ... (default: a GPU if there is one).")
    ] = ""
    batch: Annotated[
        int | None, Option("--batch", "mask: so many places at a time (default: 64).")
    ] = None
    tokens: Annotated[
        str | None,
        Option(
            "--tokens",
            "Chinese characters, English words, or what blanks divide (default: detected).",
            choices=tuple(TOKEN_KINDS),
        ),
    ] = None

    @property
    def model(self) -> str:
        """The name of the masked language model; "" where there is none."""
        kind, _, name = self.filler.partition(":")
        return name if kind == "mask" else ""
