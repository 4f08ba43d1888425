"""Finds placeholders that are not spelled as the project spells them, and offers the repair.

Guidelines have changed the spelling over the years ([Noun], [实体], [缺失成分], [MC]), and hands
slip: other brackets, a space inside, a wrong character, a bracket forgotten. `hints.js` finds the
same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_OPEN = "[［【〔〖{｛「『(（<《〈"
_CLOSE = "]］】〕〗}｝」』)）>》〉"
_BRACKETED = re.compile(
    f"[{re.escape(_OPEN)}]([^{re.escape(_OPEN + _CLOSE)}]{{1,40}})[{re.escape(_CLOSE)}]"
)
_EVER_USED = ("缺失成分", "缺失成份", "MC", "Noun", "Verb", "实体", "名词", "动词", "缺失")
_ANY_BRACKET = 4
"""Names of this length on are taken for the placeholder in any brackets, or with one missing."""


@dataclass(frozen=True, slots=True)
class Misspelling:
    """A stretch that was meant to be the placeholder.

    Args:
        start: Its first character; half-open character span.
        end: The character after its last.
        text: What stands there.
    """

    start: int
    end: int
    text: str


def misspellings(
    text: str, source: str, placeholder: str, aliases: Sequence[str]
) -> tuple[Misspelling, ...]:
    """Return the stretches of a text that should be the placeholder and are not.

    What the source has itself is the writer's, not a placeholder.

    >>> [one.text for one in misspellings("我【缺失成分】你", "我你", "[缺失成分]", ())]
    ['【缺失成分】']
    """
    if not placeholder:
        return ()
    blank = " " * len(placeholder)  # places stay; what is right is not looked at again
    rest = text.replace(placeholder, blank)
    found = [one for one in _candidates(rest, placeholder, aliases) if one.text not in source]
    found.sort(key=lambda one: (one.start, -one.end))
    kept: list[Misspelling] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept)


def _candidates(text: str, placeholder: str, aliases: Sequence[str]) -> Iterator[Misspelling]:
    name = _folded(placeholder)
    names = {name, *map(_folded, aliases), *map(_folded, _EVER_USED)}
    for match in _BRACKETED.finditer(text):
        inner = _folded(match.group(1))
        square = match.group()[0] in "[［【"
        meant = inner in names if square else inner == name and len(name) >= _ANY_BRACKET
        if meant or (square and _nearly(inner, name)):
            yield Misspelling(match.start(), match.end(), match.group())
    for alias in aliases:
        if alias and alias != placeholder:
            yield from _occurrences(text, alias)
    if len(name) >= _ANY_BRACKET:
        yield from _half_bracketed(text, placeholder)


def _occurrences(text: str, wanted: str) -> Iterator[Misspelling]:
    at = text.find(wanted)
    while at >= 0:
        yield Misspelling(at, at + len(wanted), wanted)
        at = text.find(wanted, at + len(wanted))


def _half_bracketed(text: str, placeholder: str) -> Iterator[Misspelling]:
    """Yield the placeholder's own words where a bracket, or both, were forgotten."""
    for one in _occurrences(text, placeholder.strip(_OPEN + _CLOSE)):
        start = one.start - (one.start > 0 and text[one.start - 1] in _OPEN)
        end = one.end + (one.end < len(text) and text[one.end] in _CLOSE)
        yield Misspelling(start, end, text[start:end])


def _folded(text: str) -> str:
    """Return the words of a placeholder: no brackets, no white space, no case."""
    return "".join(text.split()).strip(_OPEN + _CLOSE).lower()


def _nearly(one: str, two: str) -> bool:
    """Say whether two names of some length differ by one character at most."""
    return len(two) >= _ANY_BRACKET and distance(one, two, most=1) <= 1


def distance(one: str, two: str, *, most: int) -> int:
    """Return the edit distance of two words, or `most + 1` where it is greater.

    >>> distance("compter", "computer", most=2), distance("dog", "house", most=2)
    (1, 3)
    """
    if abs(len(one) - len(two)) > most:
        return most + 1
    row = list(range(len(two) + 1))
    for x, letter in enumerate(one, 1):
        before, row = row, [x]
        for y, other in enumerate(two, 1):
            row.append(min(before[y - 1] + (letter != other), before[y] + 1, row[-1] + 1))
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
