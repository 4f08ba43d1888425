"""A sentence and its tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text and the tokens that its language found in it.

    Args:
        text: The text as it was read; it may hold white space that no token has.
        tokens: Surface forms in text order. Every token occurs in `text` after the one before
            it, with nothing but white space between them, so `text.spans` can find the
            character offsets again without their being stored: Chinese scoring makes some
            hundred thousand tokens and asks for the offsets of none.
        codes: The tokens as native 32-bit integers, equal exactly where the tokens are equal;
            what the alignment kernel reads.
    """

    text: str
    tokens: tuple[str, ...]
    codes: bytes
