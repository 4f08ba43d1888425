"""A sentence in tokens, and its edits: a span of the tokens and what stands in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from gecbench.core.errors import EditError


@dataclass(frozen=True, slots=True)
class TokenAttributes:
    """What a pipeline says of each token of a sentence; the tuples are as long as its tokens.

    Args:
        lemmas: Base forms, as the pipeline writes them.
        pos: Coarse parts of speech of Universal Dependencies, as "NOUN".
        tags: Fine tags, as "NNS"; of the Penn Treebank in English.
        deps: Dependency labels, as "nsubj"; () where the sentence was not parsed.
        heads: Place of each token's head, its own at a root; () where not parsed.
    """

    lemmas: tuple[str, ...]
    pos: tuple[str, ...]
    tags: tuple[str, ...]
    deps: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text and the tokens that its language found in it.

    Args:
        text: The text as it was read; it may hold white space that no token has.
        tokens: Surface forms in text order. Every token occurs in `text` after the one before
            it, with nothing but white space between them, so `text.tokens.spans` can find the
            character offsets again without their being stored: Chinese scoring makes some
            hundred thousand tokens and asks for the offsets of none.
        codes: The tokens as native 32-bit integers, equal exactly where the tokens are equal;
            what the Chinese alignment kernel reads. Empty where the scheme does not need it.
        words: What a pipeline says of the tokens, where the scheme asks one.
    """

    text: str
    tokens: tuple[str, ...]
    codes: bytes = b""
    words: TokenAttributes | None = None


Op = Literal["M", "R", "S"]

DETECTED = frozenset({"UNK", "Um"})
"""Types of M2 that mark an error without correcting it: ERRANT's, and NUCLE's for what is unclear.

A text that a file gives beside such a type is a proposal, not a correction; see `Edit`.
"""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a source sentence.

    No change is the absence of edits: there is no "noop" edit. Scoring compares explicit keys,
    never `==`.

    Args:
        start: First token of the source that is replaced; half-open token span.
        end: Token after the last that is replaced; equal to `start` for an insertion.
        replacement: Tokens that stand instead; () deletes; None means detected, not corrected.
        label: Type name, as "M" or "W:R"; None means not classified.
        alternatives: Other replacements that the annotator accepts for the same span; without a
            replacement, texts that a file gives although nothing counts as corrected.

    Raises:
        EditError: The span is reversed or negative.

    Examples:
        >>> Edit(2, 2, ("了",), "M").op
        'M'
    """

    start: int
    end: int
    replacement: tuple[str, ...] | None
    label: str | None = None
    alternatives: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        """Refuse a span that no sentence can have."""
        if not 0 <= self.start <= self.end:
            raise EditError(
                "edit span {start} {end} is reversed or negative; a span is start end with "
                "0 <= start <= end",
                start=self.start,
                end=self.end,
            )

    @property
    def op(self) -> Op:
        """M (missing), R (redundant) or S (substitution), from the shape of the edit alone."""
        if self.start == self.end:
            return "M"
        return "R" if self.replacement == () else "S"


def check(edits: Sequence[Edit], length: int) -> None:
    """Refuse edits that cannot be applied together to a source of `length` tokens.

    Edits may touch, and several insertions may stand at one place: they are applied in the order
    in which they are listed. What was detected and not corrected may overlap anything.

    Raises:
        EditError: Names the first edit that is out of range or overlaps another.
    """
    for edit in edits:
        if edit.end > length:
            raise EditError(
                "edit span {start} {end} ends after the source, which has {length} tokens",
                start=edit.start,
                end=edit.end,
                length=length,
            )
    corrections = [edit for edit in edits if edit.replacement is not None]
    corrections.sort(key=lambda edit: (edit.start, edit.end))
    for previous, edit in pairwise(corrections):
        if edit.start < previous.end:
            raise EditError(
                "edit span {start} {end} overlaps edit span {other_start} {other_end}",
                start=edit.start,
                end=edit.end,
                other_start=previous.start,
                other_end=previous.end,
            )


def apply(edits: Sequence[Edit], source: Sequence[str]) -> tuple[str, ...]:
    """Apply edits to the tokens of a source.

    Edits without a replacement (detected, not corrected) leave their span as it is. Several
    insertions at one place come in the order in which they are listed.

    Raises:
        EditError: Names the first edit that is out of range or overlaps another.

    >>> apply([Edit(1, 2, ("went",)), Edit(3, 3, (".",))], ["I", "goed", "home"])
    ('I', 'went', 'home', '.')
    """
    check(edits, len(source))
    tokens: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.replacement is not None:
            tokens += [*source[at : edit.start], *edit.replacement]
            at = edit.end
    tokens.extend(source[at:])
    return tuple(tokens)
