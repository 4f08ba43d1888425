"""What fills a place in a sentence: words of similar frequency, or a masked language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gecbench.datasets.perturb.words import Word


@dataclass(frozen=True, slots=True)
class Blank:
    """A place to be filled.

    Args:
        before: The corrected sentence up to it.
        after: And from there on.
        word: What stood there; None where a word is inserted.
        size: How many characters are missing where a filler gives one after another, as in
            Chinese; 0 wants a whole word.
    """

    before: str
    after: str
    word: Word | None
    size: int = 0

    @property
    def original(self) -> str:
        """What must not come back: the word, or its first missing character."""
        if self.word is None:
            return ""
        return self.word.text[-self.size] if self.size else self.word.text


@dataclass(frozen=True, slots=True)
class Offer:
    """What may fill a place.

    Args:
        words: Any number; where they are one, it is not `barred`.
        weights: Of each, positive; () means that all are equally likely.
        barred: One that must not be taken, if it is among them.
    """

    words: Sequence[str]
    weights: Sequence[float] = ()
    barred: str = ""


class Filler(Protocol):
    """Offers words for places."""

    @property
    def name(self) -> str:
        """What the offers depend on, with a fingerprint of it."""
        ...

    @property
    def by_character(self) -> bool:
        """Whether it gives the characters of a Chinese word one after another."""
        ...

    @property
    def vocabulary(self) -> Sequence[str]:
        """All words that it knows, each once, in an order of their own; not empty."""
        ...

    def offers(self, blanks: Sequence[Blank], /) -> Sequence[Offer]:
        """Return what may fill each place."""
        ...
