"""Options of single verbs, apart from those of scoring: difficulty, combine and perturb."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, get_args

from gecbench.analysis.options import ABSENT, Absent, Weighting
from gecbench.api.options import BETA, NORMALISE, RANGE, RE_EXTRACT
from gecbench.core.errors import UsageError
from gecbench.core.options import Option, check_choice, pairs
from gecbench.text.tokens import TOKEN_KINDS

# Difficulty.


Which = int | Literal["each", "chosen"]


def read_reference(text: str) -> int | str:
    """Read the number of a reference, or what stands for one."""
    return int(text) if text.isdecimal() else text


@dataclass(frozen=True, slots=True)
class DifficultyOptions:
    """How difficulty is measured.

    Args:
        weighting: From numbers of systems to weights.
        beta: Weight of recall in F.
        reference: The number of a reference, from 1 (`analysis.difficulty.reference_by_number`);
            "each" by itself; or "chosen": for each sentence the one that systems come nearest to.
        absent: What of the sentences that have no such reference: they are left out, or are
            taken as free of errors ("unchanged"), as the official program takes them.
        weights: A weight file; None makes weights of these systems.
        part: Only the sentences from the first place (from 0) to before the second.
        normalise: Named changes of all texts before anything else, in their order.

    Raises:
        UsageError: A value that has no meaning.
    """

    weighting: Weighting = field(default_factory=Weighting)
    beta: Annotated[float, BETA] = 0.5
    reference: Annotated[
        Which,
        Option(
            "--reference-number",
            "Which reference counts, from 1; or each by itself; or chosen: the one systems come "
            "nearest to, sentence by sentence.",
            metavar="K",
            default="1",
            read=read_reference,
        ),
    ] = 1
    absent: Annotated[
        Absent,
        Option(
            "--absent",
            "Sentences without that reference: left out, or taken as free of errors.",
        ),
    ] = "left-out"
    weights: Path | str | None = None
    part: Annotated[tuple[int, int | None] | None, RANGE] = None
    normalise: Annotated[tuple[str, ...], NORMALISE] = ()
    re_extract: Annotated[bool | None, RE_EXTRACT] = None

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if isinstance(self.reference, str) and self.reference not in ("each", "chosen"):
            raise UsageError(
                f"reference number {self.reference!r} must be a number from 1, each, or chosen"
            )
        check_choice("absent", self.absent, ABSENT)
        if self.weights is not None and self.reference == "each":
            raise UsageError("a weight file fits one reference; choose it, not each")


# Voting.


VOTING_RULES = ("votes", "mucgec-official")

Spelling = Literal["similar", "sound"]
"""How spelling errors are told in Chinese: by ChERRANT's table of characters, or by sound alone."""


@dataclass(frozen=True, slots=True)
class Voting:
    """How systems vote.

    Args:
        rule: "votes", or "mucgec-official", which has no option but the threshold.
        threshold: Votes that an edit needs; None is more than half of all.
        weights: Votes of systems by name; all others have 1.
        relaxed: Of word order and spelling: "none", "code", "paper" or a number of votes.
        thresholds: Votes that edits of a type need, by type; also of `order` and `spelling`.
        veto: Keep sentences that too many systems leave as they are.
        spelling: How Chinese spelling errors are told, where it matters.
    """

    rule: Annotated[
        str,
        Option(
            "--rule",
            "How votes are counted: ours, or MuCGEC's program with its faults.",
            choices=VOTING_RULES,
        ),
    ] = "votes"
    threshold: Annotated[
        float | str | None,
        Option(
            "--threshold",
            "Votes that an edit needs (default: more than half of all).",
            metavar="T",
        ),
    ] = None
    weights: Annotated[
        Mapping[str, float | str],
        Option(
            "--weight",
            "Votes of a system; else 1.",
            metavar="NAME=W",
            read=pairs("--weight", "NAME=W", last=True),
        ),
    ] = field(default_factory=dict)
    relaxed: Annotated[
        float | str,
        Option(
            "--relaxed",
            "What word order and spelling need: T - 1 (code), N/2 - 1 (paper), or a number.",
            metavar="none|code|paper|T",
        ),
    ] = "none"
    thresholds: Annotated[
        Mapping[str, float | str],
        Option(
            "--threshold-for",
            "Votes that edits of a type need, as R=3, order=2 or spelling=1; repeatable.",
            metavar="TYPE=T",
            read=pairs("--threshold-for", "TYPE=T", last=True),
        ),
    ] = field(default_factory=dict)
    veto: Annotated[
        bool,
        Option("--veto/--no-veto", "Leave sentences alone that too many systems leave alone."),
    ] = False
    spelling: Annotated[
        Spelling,
        Option(
            "--spelling",
            "Chinese spelling errors: ChERRANT's table of shapes and sounds, or sound alone.",
        ),
    ] = "similar"

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        check_choice("spelling", self.spelling, get_args(Spelling))


# Changing the context of errors.


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbOptions:
    """How sentences are perturbed, and what words are taken from.

    Args:
        variants: Of each sentence. One that has fewer different ones is left out and reported.
        operations: Each variant has exactly one of substitute, insert and delete.
        insertion: "random" inserts any word of the vocabulary, "fill" one that a masked language
            model finds likely there; None is "random" where words are inserted.
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
        Literal["random", "fill"] | None,
        Option(
            "--insert",
            "Insert any word of the vocabulary (default: random), or with mask one that fits.",
        ),
    ] = None
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
