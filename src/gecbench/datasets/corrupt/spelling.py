"""Slips of the pen in English words: letters, and capitals."""

from __future__ import annotations

from itertools import pairwise

from gecbench.datasets.corrupt.chance import BITS, UNIT, Draw

_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_VOWELS = {"a": "e", "e": "ai", "i": "ey", "o": "ua", "u": "o"}
_SHORTEST = 4


def _neighbours() -> dict[str, str]:
    found = dict.fromkeys("".join(_KEYS), "")
    for row in _KEYS:
        for one, two in pairwise(row):
            found[one] += two
            found[two] += one
    return found


_BESIDE = _neighbours()


def misspelled(word: str, draw: Draw) -> str | None:
    """Return a word with one slip of the pen; None where it is short or not of letters alone.

    Letters are exchanged, left out or doubled, a vowel is taken for another, a double letter is
    written once, or the key beside is hit; the first letter stays.
    """
    if len(word) < _SHORTEST or not word.isascii() or not word.isalpha() or word.isupper():
        return None
    at = 1 + (draw() * (len(word) - 1) >> BITS)
    chance = draw() * UNIT
    if chance < 0.25 and at + 1 < len(word) and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if chance < 0.5:
        return word[:at] + word[at + 1 :]
    if chance < 0.65:
        return word[:at] + word[at] + word[at:]
    if chance < 0.9 and word[at] in _VOWELS:
        return word[:at] + _one(_VOWELS[word[at]], draw) + word[at + 1 :]
    beside = _BESIDE.get(word[at])
    return word[:at] + _one(beside, draw) + word[at + 1 :] if beside else None


def other_case(word: str, draw: Draw) -> str | None:
    """Return a word with a capital that is missing or, seldom, too much; None for no letters."""
    if not word[:1].isalpha():
        return None
    if word[0].isupper():
        made = word.lower()
    elif len(word) >= _SHORTEST and draw() * UNIT < 0.05:
        made = word.capitalize()
    else:
        return None
    return made if len(made) == len(word) else None  # some capitals become two characters


def _one(letters: str, draw: Draw) -> str:
    return letters[draw() * len(letters) >> BITS]
