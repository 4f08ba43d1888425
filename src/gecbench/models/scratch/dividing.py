"""From texts to units: characters, or the words of a segmenter."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

from gecbench.backends import SEGMENTERS
from gecbench.core.errors import UnknownNameError
from gecbench.core.registry import resolve
from gecbench.text.normal import normalisation
from gecbench.text.tokens import tokens_of

BLANK = " "
"""The unit that a run of white space is, where units are characters."""

_OWN = ("en", "space")


class Piece(NamedTuple):
    """A unit with its place.

    Args:
        text: The unit: never empty; `BLANK` for white space.
        start: First character; half-open character span.
        end: Character after the last.
    """

    text: str
    start: int
    end: int


class Divider(NamedTuple):
    """What divides texts.

    Args:
        name: With the version of what decides, where something does; for signatures.
        divide: From a text to its pieces. Words leave white space out.
        joint: From the unit before ("" where there is none or it is unknown) and a unit to how
            they join: "" directly, " " by white space, "?" where they do not say it.
    """

    name: str
    divide: Callable[[str], Sequence[Piece]]
    joint: Callable[[str, str], str]


def characters() -> Divider:
    """Return what divides into characters, white space being one of them.

    >>> [piece.text for piece in characters().divide("我 ok")]
    ['我', ' ', 'o', 'k']
    """
    return Divider("characters", _characters, lambda _before, _unit: "")


def words(segmenter: str, language: str) -> Divider:
    """Return what divides into words.

    Args:
        segmenter: A name of `SEGMENTERS`, what it takes after a colon; "en" for words and
            punctuation; "space" for what stands between spaces; "" decides by the language.
        language: zh or en.

    Raises:
        UnknownNameError: There is no such segmenter.
        GecbenchError: It cannot be used.

    >>> [piece.text for piece in words("", "en").divide("It isn't his.")]
    ['It', "isn't", 'his', '.']
    """
    chosen = segmenter or {"zh": "jieba", "en": "en"}[language]
    if chosen in _OWN:
        joint = _english if chosen == "en" else _spaced
        return Divider(
            chosen, lambda text: [Piece(*each) for each in tokens_of(text, chosen)], joint
        )
    kind, _, model = chosen.partition(":")
    if kind not in SEGMENTERS:
        raise UnknownNameError("segmenter", chosen, [*_OWN, *SEGMENTERS])
    make = cast(
        "Callable[[str], tuple[str, Callable[[str], tuple[str, ...]]]]",
        resolve("segmenter", kind, SEGMENTERS),
    )
    name, remembering = make(model)
    # It keeps all that it ever divided, which is good for scoring, but too much for a corpus.
    cut = inspect.unwrap(remembering)
    return Divider(name, lambda text: _placed(text, cut(text)), lambda _before, _unit: "?")


def simplifier() -> tuple[str, Callable[[str], str]]:
    """Return the name and the making of simplified characters, as many as there were.

    Raises:
        MissingExtraError: OpenCC is not installed.
    """
    found = normalisation("t2s")
    return found.name, lambda text: same_length(text, found.change)


def same_length(text: str, change: Callable[[str], str]) -> str:
    """Return a changed text of the same length, so that places stay what they are.

    OpenCC looks at phrases, and a phrase may come out longer or shorter: then each character is
    changed by itself.

    >>> same_length("ab", lambda text: {"ab": "c"}.get(text, text.upper()))
    'AB'
    """
    whole = change(text)
    if len(whole) == len(text):
        return whole
    changed = [(each, change(each)) for each in text]
    return "".join(new if len(new) == 1 else old for old, new in changed)


def _characters(text: str) -> list[Piece]:
    """Return the characters of a text; a run of white space is one."""
    found: list[Piece] = []
    for place, character in enumerate(text):
        if not character.isspace():
            found.append(Piece(character, place, place + 1))
        elif found and found[-1].text == BLANK:
            found[-1] = found[-1]._replace(end=place + 1)
        else:
            found.append(Piece(BLANK, place, place + 1))
    return found


def _spaced(_before: str, _unit: str) -> str:
    """Return how units join that are whatever stands between spaces."""
    return " "


def _english(before: str, unit: str) -> str:
    """Return how English words join: what closes a clause or a bracket has a blank behind it.

    A full stop only before a capital, as there are names ("www.site.org") and shortened words.

    >>> [_english(*pair) for pair in ((",", "she"), (".", "She"), (".", "org"), ("(", "she"))]
    [' ', ' ', '?', '?']
    """
    if not unit[:1].isalnum():
        return "?"
    if before == ".":
        sentence = unit[0].isupper() and (len(unit) > 1 or unit in ("A", "I"))
        return " " if sentence else "?"
    return " " if before in _CLOSING else "?"


_CLOSING = frozenset(",;:!?)]}%…”")
"""Punctuation of English that a word does not follow without a blank."""


def _placed(text: str, found: Sequence[str]) -> list[Piece]:
    """Return words with their places; they are all that the text has beside white space."""
    there = (place for place, character in enumerate(text) if not character.isspace())
    pieces = []
    for word in found:
        places = [next(there) for _ in word]
        pieces.append(Piece(word, places[0], places[-1] + 1))
    return pieces
