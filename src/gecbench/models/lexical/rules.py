"""Rules for English that need no word list: repeated words, a and an, capitals.

Each takes the tokens of a sentence and gives changes by the place of the token.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gecbench.models.lexical.articles import article


class Change(NamedTuple):
    """What becomes of a token.

    Args:
        text: What stands instead; "" deletes it and the white space before it.
        score: In [0, 1].
        label: Which rule it is.
    """

    text: str
    score: float
    label: str


SURE = 0.9
"""Score of every rule. It measures nothing but that rules are rarely wrong."""

_TWICE = frozenset(
    (
        *("aye", "blah", "boo", "bye", "cha", "choo", "chop", "do", "ha", "had", "hear", "her"),
        *("ho", "hush", "knock", "la", "long", "many", "much", "never", "night", "no", "now", "oh"),
        *("please", "really", "so", "tap", "that", "tsk", "tut", "very", "well", "yada", "yeah"),
        "yes",
    )
)
"""Words that people repeat on purpose, or that follow themselves by the grammar."""

_OPENING = frozenset("\"'“‘(")
_ROMAN = re.compile(r"[)\].:/&]|-|[0-9]|ii|iii|iv|v")


def repeated(words: Sequence[str]) -> dict[int, Change]:
    """Return deletions of words that stand there twice, one after the other.

    >>> sorted(repeated("we saw the The house that that man had had".split()))
    [3]
    """
    return {
        place: Change("", SURE, "repeated word")
        for place in range(1, len(words))
        if _twice(words[place - 1], words[place])
    }


def _twice(one: str, two: str) -> bool:
    """Return whether a word stands there once too often; names may double, as Duran Duran."""
    lower = two.lower()
    if one.lower() != lower or lower in _TWICE or not lower.isalpha() or not lower.isascii():
        return False
    if two[0].isupper() and lower not in ("i", "the"):
        return False
    return len(lower) > 1 or lower in "ai"


def articles(words: Sequence[str]) -> dict[int, Change]:
    """Return "an" for "a" and "a" for "an" where the next word wants it.

    >>> articles("it took a hour".split())
    {2: Change(text='an', score=0.9, label='a or an')}
    """
    found = {}
    for place, word in enumerate(words[:-1]):
        if word not in ("a", "an", "An") and not (word == "A" and place == 0):
            continue
        following = words[place + 1]
        if following in _OPENING and place + 2 < len(words):
            following = words[place + 2]
        wanted = article(following) if following[0].isalnum() else None
        if wanted and wanted != word.lower():
            text = wanted.capitalize() if word[0].isupper() else wanted
            found[place] = Change(text, SURE, "a or an")
    return found


def capitals(words: Sequence[str], *, begins: bool = True) -> dict[int, Change]:
    """Return capitals for the first word of a sentence and for I.

    Args:
        words: Of the sentence.
        begins: Whether a sentence surely begins here.

    >>> [change.text for change in capitals("yesterday i saw what i 'd lost .".split()).values()]
    ['I', 'I', 'Yesterday']
    """
    found = {}
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else ""
        pronoun = word == "i" and not _ROMAN.fullmatch(following)
        if pronoun or re.fullmatch(r"i['’](?:m|d|ve|ll)", word):
            found[place] = Change("I" + word[1:], SURE, "capital")
    if begins and len(words) > 2 and _begins(words[0]) and 0 not in found:
        found[0] = Change(words[0][0].upper() + words[0][1:], SURE, "capital")
    return found


def _begins(word: str) -> bool:
    """Return whether a word is written small that a sentence may begin with."""
    return word.isascii() and word.replace("'", "").replace("-", "").isalpha() and word.islower()


def merged(first: Mapping[int, Change], second: Mapping[int, Change]) -> dict[int, Change]:
    """Return changes of which the second were made after the first, on what these had left."""
    both = {
        place: Change(
            change.text,
            min(change.score, first[place].score),
            f"{first[place].label}, {change.label}",
        )
        for place, change in second.items()
        if place in first
    }
    return {**first, **second, **both}
