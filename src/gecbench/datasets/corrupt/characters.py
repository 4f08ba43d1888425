"""Rules over the characters of a Chinese text: what they change, and where they may."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from gecbench.datasets.corrupt.chance import BITS, Draw, Weighted
from gecbench.datasets.corrupt.slips import Slip, Taken, free, trimmed

_TRIES = 8
"""Places drawn at random before all of them are listed; both ways each is equally likely."""

_HAN = re.compile("[\u4e00-\u9fff]*").fullmatch


class Confusion(NamedTuple):
    """What is written instead of something.

    Args:
        right: In the correct text; not empty.
        wrong: What is written instead, each different; "" leaves it out.
        weights: How often each; () where all are alike.
        rate: How likely this place is against others.
    """

    right: str
    wrong: tuple[str, ...]
    weights: tuple[float, ...] = ()
    rate: float = 1.0


class _Entry:
    """A confusion as it is looked up: differences instead of wholes."""

    __slots__ = ("changes", "length", "rate", "right", "weighted")

    def __init__(self, confusion: Confusion) -> None:
        self.right = confusion.right
        self.length = len(confusion.right)
        self.rate = confusion.rate
        self.changes = tuple(
            (0, 1, wrong) if len(wrong) == self.length == 1 else trimmed(confusion.right, wrong)
            for wrong in confusion.wrong
        )
        self.weighted = Weighted(self.changes, confusion.weights) if confusion.weights else None

    def at(self, place: int, draw: Draw) -> Slip:
        """Return a slip at a place where the right text stands."""
        changes = self.changes
        if self.weighted is not None:
            skip, length, wrong = self.weighted.pick(draw)
        elif len(changes) == 1:
            skip, length, wrong = changes[0]
        else:
            skip, length, wrong = changes[draw() * len(changes) >> BITS]
        start = place + skip
        return Slip(start, start + length, wrong)


def is_han(text: str) -> bool:
    """Return whether all characters are common Han characters.

    >>> is_han("我们"), is_han("我，")
    (True, False)
    """
    return _HAN(text) is not None


def allowed(text: str, taken: Taken, slip: Slip) -> bool:
    """Return whether a slip may be made.

    It must touch no other slip and no white space, leave something of the text, and not join two
    Latin words or numbers to one.
    """
    start, end, wrong = slip
    if taken and not free(taken, start, end):
        return False
    left = text[start - 1] if start else ""
    right = text[end] if end < len(text) else ""
    if left.isspace() or right.isspace():
        return False
    if wrong:
        return True
    if not left and not right:
        return False
    return not (left.isascii() and right.isascii() and left.isalnum() and right.isalnum())


class Confusions:
    """Writes something else for what stands in a table.

    Where all rates are alike, each place of the text is as likely as any other, and the longest
    right text that stands there counts; else each right text is as likely as its rate says.

    Args:
        confusions: The table; no right text stands in it twice.
    """

    def __init__(self, confusions: Iterable[Confusion]) -> None:
        entries = [_Entry(confusion) for confusion in confusions]
        self._entries = {entry.right: entry for entry in entries}
        found: dict[str, set[int]] = {}
        for entry in entries:
            found.setdefault(entry.right[0], set()).add(entry.length)
        self._lengths = {key: tuple(sorted(held, reverse=True)) for key, held in found.items()}
        self._known = frozenset(found)
        self._even = len({entry.rate for entry in entries}) < 2

    def __call__(self, view: str, taken: Taken, draw: Draw) -> Slip | None:
        """Return a slip at a random place; None where there is none."""
        if self._known.isdisjoint(view):
            return None
        return (self._evenly if self._even else self._by_rate)(view, taken, draw)

    def _evenly(self, view: str, taken: Taken, draw: Draw) -> Slip | None:
        lengths, length = self._lengths, len(view)
        for _ in range(_TRIES):
            place = draw() * length >> BITS
            entry = self._longest(view, place) if view[place] in lengths else None
            if entry is not None:
                slip = entry.at(place, draw)
                if allowed(view, taken, slip):
                    return slip
        places = [place for place, character in enumerate(view) if character in lengths]
        while places:
            k = draw() * len(places) >> BITS
            place = places[k]
            entry = self._longest(view, place)
            if entry is not None:
                slip = entry.at(place, draw)
                if allowed(view, taken, slip):
                    return slip
            places[k] = places[-1]
            places.pop()
        return None

    def _longest(self, view: str, place: int) -> _Entry | None:
        for length in self._lengths[view[place]]:
            entry = self._entries.get(view[place : place + length])
            if entry is not None:
                return entry
        return None

    def _by_rate(self, view: str, taken: Taken, draw: Draw) -> Slip | None:
        lengths, entries = self._lengths, self._entries
        found = [
            (place, entry)
            for place, character in enumerate(view)
            if character in lengths
            for length in lengths[character]
            if (entry := entries.get(view[place : place + length])) is not None
        ]
        rates = [entry.rate for _, entry in found]
        while found:
            k = Weighted(range(len(found)), rates).pick(draw)
            place, entry = found[k]
            slip = entry.at(place, draw)
            if allowed(view, taken, slip):
                return slip
            found[k], rates[k] = found[-1], rates[-1]
            found.pop()
            rates.pop()
        return None


class Insertions:
    """Writes something between two Han characters.

    Args:
        pieces: What may be written, with weights.
        away: Characters that must lie between the place and a mark or the text's ends.
    """

    def __init__(self, pieces: Weighted[str], away: int = 1) -> None:
        self._pieces = pieces
        self._away = away

    def __call__(self, view: str, taken: Taken, draw: Draw) -> Slip | None:
        """Return a slip at a random place; None where there is none."""
        away = self._away
        last = len(view) - away
        if last < away:
            return None
        begin = draw() * (last + 1 - away) >> BITS
        for step in range(last + 1 - away):
            place = away + (begin + step) % (last + 1 - away)
            if is_han(view[place - away : place + away]) and free(taken, place, place):
                return Slip(place, place, self._pieces.pick(draw))
        return None


class Repetition:
    """Writes a Han character, or several, twice."""

    def __init__(self, lengths: Weighted[int]) -> None:
        self._lengths = lengths

    def __call__(self, view: str, taken: Taken, draw: Draw) -> Slip | None:
        """Return a slip at a random place; None where there is none."""
        length = self._lengths.pick(draw)
        start = _span(view, length, taken, draw)
        if start is None:
            return None
        return Slip(start + length, start + length, view[start : start + length])


class Omission:
    """Leaves out some Han characters.

    Args:
        lengths: How many.
    """

    def __init__(self, lengths: Weighted[int]) -> None:
        self._lengths = lengths

    def __call__(self, view: str, taken: Taken, draw: Draw) -> Slip | None:
        """Return a slip at a random place; None where there is none."""
        length = self._lengths.pick(draw)
        start = _span(view, length, taken, draw)
        if start is None:
            return None
        slip = Slip(start, start + length, "")
        return slip if allowed(view, taken, slip) else None


class Exchange:
    """Puts two neighbouring stretches of Han characters into each other's place.

    Args:
        lengths: Of the first and the second, with weights.
    """

    def __init__(self, lengths: Weighted[tuple[int, int]]) -> None:
        self._lengths = lengths

    def __call__(self, view: str, taken: Taken, draw: Draw) -> Slip | None:
        """Return a slip at a random place; None where there is none."""
        one, two = self._lengths.pick(draw)
        start = _span(view, one + two, taken, draw, one)
        if start is None:
            return None
        middle, end = start + one, start + one + two
        return Slip(start, end, view[middle:end] + view[start:middle])


def _span(view: str, length: int, taken: Taken, draw: Draw, one: int = 0) -> int | None:
    """Return where a free stretch of Han characters begins; None where there is none.

    Args:
        view: The text.
        length: Of the stretch.
        taken: What is not free.
        draw: Random numbers.
        one: Where it is not 0: exchanging so many first characters with the rest must change it.
    """
    places = len(view) - length + 1
    if places < 1:
        return None
    begin = draw() * places >> BITS
    for step in range(places):
        start = (begin + step) % places
        end = start + length
        span = view[start:end]
        if not is_han(span) or (one and span[one:] + span[:one] == span):
            continue
        if free(taken, start, end) and not _beside_blank(view, start, end):
            return start
    return None


def _beside_blank(view: str, start: int, end: int) -> bool:
    before = view[start - 1] if start else ""
    after = view[end] if end < len(view) else ""
    return before.isspace() or after.isspace()
