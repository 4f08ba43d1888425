"""A scheme: one named way to find the edits between a source and a rewriting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

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
    """

    name: str
    lang: str
    parse_source: Callable[[str], Sentence]
    parse_target: Callable[[str], Sentence]
    extract: Callable[[Sentence, Sentence], Extraction]
    join: Callable[[tuple[str, ...]], str]
    signature: Mapping[str, str] = field(default_factory=dict)
