"""Rules over the words of a Chinese text, which a segmenter finds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from gecbench.datasets.corrupt.chance import BITS, Draw
from gecbench.datasets.corrupt.characters import allowed, is_han
from gecbench.datasets.corrupt.slips import Slip, Taken

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
    """A rule that has one slip for a place, and tries the places from a random one on."""

    def __init__(self, words: Division) -> None:
        self._words = words

    def __call__(self, view: str, taken: Taken, draw: Draw) -> Slip | None:
        """Return a slip at a random place; None where there is none."""
        slips = self._slips(view)
        begin = draw() * len(slips) >> BITS
        for step in range(len(slips)):
            slip = slips[(begin + step) % len(slips)]
            if allowed(view, taken, slip):
                return slip
        return None

    @abstractmethod
    def _slips(self, view: str) -> list[Slip]:
        """Return the slip of each place."""


class WordOmission(_Words):
    """Leaves out a word."""

    def _slips(self, view: str) -> list[Slip]:
        return [Slip(start, end, "") for start, end in self._words.spans(view)]


class WordRepetition(_Words):
    """Writes a word twice."""

    def _slips(self, view: str) -> list[Slip]:
        return [Slip(end, end, view[start:end]) for start, end in self._words.spans(view)]


class WordOrder(_Words):
    """Puts two neighbouring characters of a word into each other's place."""

    def _slips(self, view: str) -> list[Slip]:
        return [
            Slip(at, at + 2, view[at + 1] + view[at])
            for start, end in self._words.spans(view)
            for at in range(start, end - 1)
            if view[at] != view[at + 1]
        ]


class WordExchange(_Words):
    """Puts two neighbouring words into each other's place."""

    def _slips(self, view: str) -> list[Slip]:
        slips = []
        for (one, middle), (two, end) in pairwise(self._words.spans(view)):
            exchanged = view[middle:end] + view[one:middle]
            if middle == two and exchanged != view[one:end]:
                slips.append(Slip(one, end, exchanged))
        return slips
