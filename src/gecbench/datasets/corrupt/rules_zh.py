"""The types of errors that rules make in Chinese: thirteen of MuCGEC's fourteen.

They have the ids of the guidelines' taxonomy (MuCGEC, Zhang et al. 2022, Table 2). Ambiguity
(`pragmatics-ambiguity`) is the one that no rule here makes: it takes understanding what is meant.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from gecbench.datasets.corrupt.errors import (
    BITS,
    AnyOf,
    Choices,
    Draw,
    Error,
    Rule,
    Spans,
    difference,
    is_free,
)
from gecbench.datasets.corrupt.profile import confusions_of, tables

# Rules over the characters of a Chinese text: what they change, and where they may.


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
            (0, 1, wrong) if len(wrong) == self.length == 1 else difference(confusion.right, wrong)
            for wrong in confusion.wrong
        )
        self.weighted = Choices(self.changes, confusion.weights) if confusion.weights else None

    def at(self, place: int, draw: Draw) -> Error:
        """Return an error at a place where the right text stands."""
        changes = self.changes
        if self.weighted is not None:
            skip, length, wrong = self.weighted.pick(draw)
        elif len(changes) == 1:
            skip, length, wrong = changes[0]
        else:
            skip, length, wrong = changes[draw() * len(changes) >> BITS]
        start = place + skip
        return Error(start, start + length, wrong)


def is_han(text: str) -> bool:
    """Return whether all characters are common Han characters.

    >>> is_han("我们"), is_han("我，")
    (True, False)
    """
    return _HAN(text) is not None


def is_allowed(text: str, others: Spans, error: Error) -> bool:
    """Return whether an error may be made.

    It must touch no other error and no white space, leave something of the text, and not join two
    Latin words or numbers to one.
    """
    start, end, wrong = error
    if others and not is_free(others, start, end):
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

    def __call__(self, view: str, others: Spans, draw: Draw) -> Error | None:
        """Return an error at a random place; None where there is none."""
        if self._known.isdisjoint(view):
            return None
        return (self._evenly if self._even else self._by_rate)(view, others, draw)

    def _evenly(self, view: str, others: Spans, draw: Draw) -> Error | None:
        lengths, length = self._lengths, len(view)
        for _ in range(_TRIES):
            place = draw() * length >> BITS
            entry = self._longest(view, place) if view[place] in lengths else None
            if entry is not None:
                error = entry.at(place, draw)
                if is_allowed(view, others, error):
                    return error
        places = [place for place, character in enumerate(view) if character in lengths]
        while places:
            k = draw() * len(places) >> BITS
            place = places[k]
            entry = self._longest(view, place)
            if entry is not None:
                error = entry.at(place, draw)
                if is_allowed(view, others, error):
                    return error
            places[k] = places[-1]
            places.pop()
        return None

    def _longest(self, view: str, place: int) -> _Entry | None:
        for length in self._lengths[view[place]]:
            entry = self._entries.get(view[place : place + length])
            if entry is not None:
                return entry
        return None

    def _by_rate(self, view: str, others: Spans, draw: Draw) -> Error | None:
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
            k = Choices(range(len(found)), rates).pick(draw)
            place, entry = found[k]
            error = entry.at(place, draw)
            if is_allowed(view, others, error):
                return error
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

    def __init__(self, pieces: Choices[str], away: int = 1) -> None:
        self._pieces = pieces
        self._away = away

    def __call__(self, view: str, others: Spans, draw: Draw) -> Error | None:
        """Return an error at a random place; None where there is none."""
        away = self._away
        last = len(view) - away
        if last < away:
            return None
        begin = draw() * (last + 1 - away) >> BITS
        for step in range(last + 1 - away):
            place = away + (begin + step) % (last + 1 - away)
            if is_han(view[place - away : place + away]) and is_free(others, place, place):
                return Error(place, place, self._pieces.pick(draw))
        return None


class Repetition:
    """Writes a Han character, or several, twice."""

    def __init__(self, lengths: Choices[int]) -> None:
        self._lengths = lengths

    def __call__(self, view: str, others: Spans, draw: Draw) -> Error | None:
        """Return an error at a random place; None where there is none."""
        length = self._lengths.pick(draw)
        start = _span(view, length, others, draw)
        if start is None:
            return None
        return Error(start + length, start + length, view[start : start + length])


class Omission:
    """Leaves out some Han characters.

    Args:
        lengths: How many.
    """

    def __init__(self, lengths: Choices[int]) -> None:
        self._lengths = lengths

    def __call__(self, view: str, others: Spans, draw: Draw) -> Error | None:
        """Return an error at a random place; None where there is none."""
        length = self._lengths.pick(draw)
        start = _span(view, length, others, draw)
        if start is None:
            return None
        error = Error(start, start + length, "")
        return error if is_allowed(view, others, error) else None


class Exchange:
    """Puts two neighbouring stretches of Han characters into each other's place.

    Args:
        lengths: Of the first and the second, with weights.
    """

    def __init__(self, lengths: Choices[tuple[int, int]]) -> None:
        self._lengths = lengths

    def __call__(self, view: str, others: Spans, draw: Draw) -> Error | None:
        """Return an error at a random place; None where there is none."""
        one, two = self._lengths.pick(draw)
        start = _span(view, one + two, others, draw, one)
        if start is None:
            return None
        middle, end = start + one, start + one + two
        return Error(start, end, view[middle:end] + view[start:middle])


def _span(view: str, length: int, others: Spans, draw: Draw, one: int = 0) -> int | None:
    """Return where a free stretch of Han characters begins; None where there is none.

    Args:
        view: The text.
        length: Of the stretch.
        others: What is not free.
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
        if is_free(others, start, end) and not _beside_blank(view, start, end):
            return start
    return None


def _beside_blank(view: str, start: int, end: int) -> bool:
    before = view[start - 1] if start else ""
    after = view[end] if end < len(view) else ""
    return before.isspace() or after.isspace()


# Rules over the words of a Chinese text, which a segmenter finds.


Divide = Callable[[str], Sequence[str]]
"""From a text to its words, which are all of its characters but white space."""


class Division:
    """The spans of the words of the text that was asked for last."""

    def __init__(self, divide: Divide) -> None:
        self._divide = divide
        self._text = ""
        self._spans: list[tuple[int, int]] = []

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of the words that are Han characters only."""
        if text != self._text:
            self._spans = list(self._found(text))
            self._text = text
        return self._spans

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        at = 0
        for word in self._divide(text):
            while text[at].isspace():
                at += 1
            if is_han(word):
                yield at, at + len(word)
            at += len(word)


class _Words(ABC):
    """A rule that has one error for a place, and tries the places from a random one on."""

    def __init__(self, words: Division) -> None:
        self._words = words

    def __call__(self, view: str, others: Spans, draw: Draw) -> Error | None:
        """Return an error at a random place; None where there is none."""
        errors = self._errors(view)
        begin = draw() * len(errors) >> BITS
        for step in range(len(errors)):
            error = errors[(begin + step) % len(errors)]
            if is_allowed(view, others, error):
                return error
        return None

    @abstractmethod
    def _errors(self, view: str) -> list[Error]:
        """Return the error of each place."""


class WordOmission(_Words):
    """Leaves out a word."""

    def _errors(self, view: str) -> list[Error]:
        return [Error(start, end, "") for start, end in self._words.spans(view)]


class WordRepetition(_Words):
    """Writes a word twice."""

    def _errors(self, view: str) -> list[Error]:
        return [Error(end, end, view[start:end]) for start, end in self._words.spans(view)]


class WordOrder(_Words):
    """Puts two neighbouring characters of a word into each other's place."""

    def _errors(self, view: str) -> list[Error]:
        return [
            Error(at, at + 2, view[at + 1] + view[at])
            for start, end in self._words.spans(view)
            for at in range(start, end - 1)
            if view[at] != view[at + 1]
        ]


class WordExchange(_Words):
    """Puts two neighbouring words into each other's place."""

    def _errors(self, view: str) -> list[Error]:
        errors = []
        for (one, middle), (two, end) in pairwise(self._words.spans(view)):
            exchanged = view[middle:end] + view[one:middle]
            if middle == two and exchanged != view[one:end]:
                errors.append(Error(one, end, exchanged))
        return errors


Sounding = Callable[[], Mapping[str, Mapping[str, float]]]
"""Gives the characters that sound like each, with weights."""

Looking = Mapping[str, tuple[str, ...]]
"""The characters that look like each."""

_NAME_VARIANTS = 6

_BY_TABLE = (
    *("punctuation-missing", "punctuation-misused", "word-misused", "syntax-blend"),
    "pragmatics-logic",
)


def chinese_types(
    sounds: Sounding, shapes: Looking | None, divide: Divide | None
) -> dict[str, Callable[[], Rule[str]]]:
    """Return what makes each type; a rule is made when it is asked for.

    Args:
        sounds: Characters that sound alike.
        shapes: Characters that look alike; None takes the packaged table.
        divide: A segmenter; None is none, and characters stand for words.
    """
    homophones = cache(sounds)
    made: dict[str, Callable[[], Rule[str]]] = {name: _table_maker(name) for name in _BY_TABLE}
    made |= {
        "punctuation-redundant": _redundant_marks,
        "spelling-sound": lambda: Confusions(_weighted(homophones())),
        "spelling-shape": lambda: (
            Confusions(_confusions(shapes)) if shapes else _table("spelling-shape")
        ),
        "spelling-name": lambda: _names(homophones()),
    }
    if divide is None:
        return made | {
            "spelling-order": lambda: Exchange(Choices([(1, 1)], [1])),
            "word-missing": lambda: _table("word-missing"),
            "word-redundant": _redundant_words,
            "syntax-order": _order,
        }
    words = Division(divide)
    return made | {
        "spelling-order": lambda: WordOrder(words),
        "word-missing": lambda: AnyOf((_table("word-missing"), WordOmission(words)), (0.6, 0.4)),
        "word-redundant": lambda: AnyOf((_redundant_words(), WordRepetition(words)), (0.8, 0.2)),
        "syntax-order": lambda: AnyOf((_moving(), WordExchange(words)), (0.4, 0.6)),
    }


def _table_maker(name: str) -> Callable[[], Rule[str]]:
    return lambda: _table(name)


def _table(name: str) -> Confusions:
    return Confusions(_confusions(confusions_of("zh", name)))


def _confusions(table: Mapping[str, tuple[str, ...]]) -> Iterable[Confusion]:
    return (Confusion(right, wrong) for right, wrong in table.items())


def _weighted(table: Mapping[str, Mapping[str, float]]) -> Iterable[Confusion]:
    return (Confusion(r, tuple(wrong), tuple(wrong.values())) for r, wrong in table.items())


def _redundant_marks() -> Rule[str]:
    """Return a comma between characters, or a second mark."""
    commas = Insertions(Choices(["，", "、"], [9, 1]), away=2)
    return AnyOf((commas, _table("punctuation-redundant")), (0.8, 0.2))


def _redundant_words() -> Rule[str]:
    pieces = tables("zh")["redundant"]
    anywhere = Insertions(Choices(pieces, [1] * len(pieces)))
    again = Repetition(Choices([1, 2], [2, 1]))
    return AnyOf((_table("word-redundant"), anywhere, again), (0.5, 0.35, 0.15))


def _moving() -> Rule[str]:
    """Return adverbs exchanged with what stands before or behind them."""
    table: dict[str, tuple[str, ...]] = {}
    rows = tables("zh")
    for adverb in rows["moving"]:
        for subject in rows["subjects"]:
            table[subject + adverb] = (adverb + subject,)
            table[adverb + subject] = (subject + adverb,)
        for verb in rows["verbs"]:
            if verb != adverb:
                table[adverb + verb] = (verb + adverb,)
    return Confusions(_confusions(table))


def _order() -> Rule[str]:
    lengths = ((1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3))
    stretches = Exchange(Choices(lengths, (1, 3, 3, 5, 2, 2, 2, 2, 1)))
    return AnyOf((_moving(), stretches), (0.5, 0.5))


def _names(alike: Mapping[str, Mapping[str, float]]) -> Rule[str]:
    """Return names that everybody knows, with one character written as another of its sound."""
    table = {}
    for name in tables("zh")["names"]:
        wrong: dict[str, None] = {}
        for place, character in enumerate(name):
            usual = sorted(alike.get(character, {}).items(), key=lambda one: (-one[1], one[0]))
            for other, _ in usual[:_NAME_VARIANTS]:
                wrong[name[:place] + other + name[place + 1 :]] = None
        if wrong:
            table[name] = tuple(wrong)
    return Confusions(_confusions(table))


def general_chinese() -> Mapping[str, Callable[[Mapping[tuple[int, int], float]], Rule[str]]]:
    """Return rules that know nothing but lengths, by what they are called in fitted profiles.

    Each takes (units in the error, units in the correction) to how many.
    """
    return {
        "omission": lambda lengths: Omission(_of(lengths, 1)),
        "repetition": lambda lengths: Repetition(_of(lengths, 0)),
        "exchange": lambda lengths: Exchange(Choices(tuple(lengths), tuple(lengths.values()))),
    }


def _of(lengths: Mapping[tuple[int, int], float], side: int) -> Choices[int]:
    counts: dict[int, float] = {}
    for pair, count in lengths.items():
        if pair[side]:
            counts[pair[side]] = counts.get(pair[side], 0) + count
    return Choices(tuple(counts) or (1,), tuple(counts.values()) or (1,))
