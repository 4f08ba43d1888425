"""A scheme: one named way to find the edits between a source and a rewriting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gecbench.core.sample import EditSet
from gecbench.core.sentence import Sentence


@dataclass(frozen=True, slots=True)
class Extraction:
    """The edits between a source and a target.

    Args:
        edit_sets: At least one; the first is what strategy "first" keeps. An empty set means
            that source and target are the same.
        capped: True where more different sets exist than a scheme lists; then only the first
            is here.
    """

    edit_sets: tuple[EditSet, ...]
    capped: bool = False


@dataclass(frozen=True, slots=True)
class GivenEdits:
    """What a scheme can do with edits that somebody gave.

    Args:
        text: The text that edits make of tokens, where edits that only detect change nothing.
        mix: Given edits and those found between source and text -> the found ones, with what
            was only detected among them.
        keep: Edits with their source tokens -> edits of the same spans with the scheme's types.
            `minimise` drops tokens that both sides share at the ends; without `relabel` the
            given types stay.
    """

    text: Callable[[EditSet, tuple[str, ...]], str]
    mix: Callable[[EditSet, EditSet, tuple[str, ...]], EditSet]
    keep: KeepEdits


class KeepEdits(Protocol):
    """See `GivenEdits.keep`."""

    def __call__(
        self,
        given: Sequence[tuple[EditSet, tuple[str, ...]]],
        *,
        minimise: bool,
        relabel: bool,
    ) -> Sequence[EditSet]:
        """Return the edits of each set."""
        ...


@dataclass(frozen=True, slots=True)
class Scheme:
    """A language's way from two texts to edits: a value, not a base class.

    Args:
        name: As "zh-cherrant".
        lang: Language code.
        parse_source: Tokens of a source text.
        parse_target: Tokens of a reference or hypothesis, after the scheme's normalising.
        extract: Edits from source to target.
        join: Text of a token sequence.
        signature: Options and resource versions, for the signature of every score.
        batch: Edits of many pairs of source and target text, in their order, for schemes to
            which that is much cheaper than one pair after another; None for all others.
        given: What it can do with edits that are given; None where only texts matter.
        notes: What the reader of a score by this scheme should know, a sentence each.
    """

    name: str
    lang: str
    parse_source: Callable[[str], Sentence]
    parse_target: Callable[[str], Sentence]
    extract: Callable[[Sentence, Sentence], Extraction]
    join: Callable[[tuple[str, ...]], str]
    signature: Mapping[str, str] = field(default_factory=dict)
    batch: Callable[[Sequence[tuple[str, str]]], Sequence[Extraction]] | None = None
    given: GivenEdits | None = None
    notes: tuple[str, ...] = ()
