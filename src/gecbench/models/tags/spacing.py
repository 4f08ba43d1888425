"""Blanks between tokens: how a text writes them, and where a changed one needs them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from gecbench.text.tokens import Token

Spacing = Literal["raw", "tokenised"]
"""As people write, or with a blank between any two tokens, as corpora are often kept."""

_CLOSING = re.compile(r"[,.;:!?%)\]}»”…]+|['’](?:s|m|d|re|ve|ll|t)|n['’]t", re.IGNORECASE)
_OPENING = frozenset("([{«“$£€¥#@")
_BINDING = frozenset("-/‐‑")
_WORD = re.compile("[A-Za-z0-9]")
_NUMBER = re.compile(r"[0-9]+(?:[.,:][0-9]+)*")


def spacing_of(tokens: Sequence[Token], *, language: str) -> Spacing:
    """Return how a text writes its tokens.

    English is tokenised where half of the tokens that belong to the word before them, as commas
    and "'s", stand behind a blank; a text without any is taken to be raw. Other languages write
    no blanks, and are tokenised where half of neighbours have blanks between them, words of
    letters or digits not counted.

    >>> spacing_of([Token("Well", 0, 4), Token(",", 5, 6)], language="en")
    'tokenised'
    """
    apart = near = 0
    for one, two in pairwise(tokens):
        if _CLOSING.fullmatch(two.text) if language == "en" else _dense(one.text, two.text):
            apart += two.start > one.end
            near += two.start == one.end
    return "tokenised" if apart and apart >= near else "raw"


class Blanks(NamedTuple):
    """Where blanks stand in a language, written in a certain way.

    >>> Blanks("en", "raw").wants("home", "."), Blanks("en", "tokenised").wants("home", ".")
    (False, True)
    >>> Blanks("zh", "raw").wants("我", "有"), Blanks("zh", "raw").wants("big", "data")
    (False, True)
    """

    language: str
    spacing: Spacing

    def wants(self, left: str, right: str) -> bool | None:
        """Return whether a blank stands between two words; None where both ways are right."""
        if self.spacing == "tokenised":
            return True
        return _english(left, right) if self.language == "en" else _chinese(left, right)

    def fuses(self, left: str, right: str) -> bool:
        """Say whether two words without a blank would be read as one."""
        if self.language == "en":
            # "5km" is a number and a word; "fivekm" would be one word.
            apart = _NUMBER.fullmatch(left) and not right[0].isdigit()
            return left[-1].isalnum() and right[0].isalnum() and not apart
        return _same_run(left[-1], right[0])


def _english(left: str, right: str) -> bool | None:
    """Return whether a blank stands between two words of English as people write it."""
    if '"' in (left, right):
        return None  # whether it opens or closes is not to be seen from here
    if _CLOSING.fullmatch(right) or left[-1] in _OPENING:
        return False
    return not (left[-1] in _BINDING or right[0] in _BINDING)


def _chinese(left: str, right: str) -> bool | None:
    """Return whether a blank stands between two Chinese tokens; around Latin words it may."""
    if _same_run(left[-1], right[0]):
        return True
    return False if _dense(left, right) else None


def _same_run(left: str, right: str) -> bool:
    """Say whether two characters would be read as one token without a blank."""
    return (
        left.isascii()
        and right.isascii()
        and ((left.isalpha() and right.isalpha()) or (left.isdigit() and right.isdigit()))
    )


def _dense(left: str, right: str) -> bool:
    return not (_WORD.match(left[-1]) or _WORD.match(right[0]))
