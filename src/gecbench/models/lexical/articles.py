"""Whether an English word wants "a" or "an" before it: by its sound, not by its letter."""

from __future__ import annotations

import re
from typing import Literal

_YOU = re.compile(
    r"uni(?!n|m|d|ron|ssu|llu)|unidirec|unanim[io]|unary|us(?:e|a|u|ing)|ut(?:e|i|o|ah)|ubiq"
    r"|ur(?:a|i|o|e[amt]|ugu)|uk(?:ul|rai)|ufo|ugand|uvul|eu(?!ler)|ewe|u-|one(?!r)|once|ouija",
    re.IGNORECASE,
)
"""Words that begin with a vowel letter and with the sound of "you" or "won"."""
_SILENT = re.compile(r"hour|honest|honou?r|heir|hors$", re.IGNORECASE)
_EITHER = re.compile(r"herb|histori|hotel|habitu|hyst|hered|homage", re.IGNORECASE)
_NAMED = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel."""
_FOLLOWS = frozenset(
    (
        *("a", "am", "an", "and", "any", "are", "as", "at", "i", "if", "in", "into", "is", "it"),
        *("its", "of", "on", "or", "our", "out", "over", "under", "until", "up", "upon", "us"),
    )
)
"""Words before which "a" is no article, but a letter, as in "vitamin A is"."""


def article(word: str) -> Literal["a", "an"] | None:
    """Return the article that a word wants; None where both are right or nobody can say.

    >>> [article(word) for word in ("hour", "university", "uninteresting", "MBA", "8th", "NATO")]
    ['an', 'a', 'an', 'an', 'an', None]
    """
    if word.lower() in _FOLLOWS and word != "I" and not word.isupper():
        return None
    head = word.split("-")[0]
    if re.match(r"1[18]\d\d(?!\d)", word):  # 1865 is a number or a year
        return None
    if word[0].isdigit():
        return "an" if re.match(r"8|1[18](?!\d)", word) else "a"
    if not head.isascii() or not head[0].isalpha():
        return None
    if len(head) == 1 or (head.isupper() and len(head) > 1):
        return _spelled(head.upper())
    if _EITHER.match(head):
        return None
    if head[0].lower() in "aeiou":
        return "a" if _YOU.match(word) else "an"
    return "an" if _SILENT.match(head) else "a"


def _spelled(letters: str) -> Literal["a", "an"] | None:
    """Return the article of an abbreviation, which is read by its letters or as a word."""
    if letters == "SQL":  # read both ways
        return None
    if len(letters) > 2 and letters[0] not in "AEIOU" and letters[1] in "AEIOU":
        # NATO and SARS are words; MIT and LED might be either.
        return "a" if letters[0] not in _NAMED else None
    return "an" if letters[0] in _NAMED else "a"
