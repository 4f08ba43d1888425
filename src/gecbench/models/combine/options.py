"""How systems vote, as Python and the command line take it; light to import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, get_args

from gecbench.core.options import Option, check_choice, pairs

RULES = ("votes", "mucgec-official")

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
            choices=RULES,
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
