"""A Chinese vocabulary as a unigram model: how likely the best division into words is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gecbench.backends.dictionaries import WordList

Edge = tuple[int, int, float]
"""A word in a text: first character, character after the last, logarithm of its probability."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words with logarithms of their probabilities.

    Args:
        logs: By word.
        longest: First two characters to the length of the longest word that begins with them,
            where that is three or more.
        unseen: Of a character that is no word: that of a count of one.
    """

    logs: Mapping[str, float]
    longest: Mapping[str, int]
    unseen: float


@dataclass(frozen=True, slots=True)
class Division:
    """The best divisions of a text into words.

    Args:
        before: Logarithm of the probability of the best division of the first k characters.
        after: The same of what follows them.
        words: Every word of two characters or more that stands in the text.
    """

    before: Sequence[float]
    after: Sequence[float]
    words: Sequence[Edge]

    @property
    def best(self) -> float:
        """Of the whole text."""
        return self.before[-1]


def vocabulary(words: WordList, own: Sequence[str] = ()) -> Vocabulary:
    """Return a vocabulary.

    Args:
        words: With counts.
        own: Words of the user's; each counts as `OWN` occurrences, if it did not before.
    """
    counts = dict(zip(words.words, words.counts, strict=True))
    for word in own:
        counts[word] = max(OWN, counts.get(word, 0))
    total = math.log(sum(counts.values()))
    # Counts repeat, so few logarithms are taken.
    known = {count: math.log(count) - total for count in set(counts.values())}
    longest: dict[str, int] = {}
    for word in counts:
        length = len(word)
        if length > 2:
            start = word[:2]
            if longest.get(start, 0) < length:
                longest[start] = length
    return Vocabulary({word: known[n] for word, n in counts.items()}, longest, -total)


OWN = 1000
"""Occurrences that a word of the user's counts as: those of a usual word of jieba's list."""


def divide(text: str, words: Vocabulary) -> Division:
    """Return the best divisions of a text without blanks and marks."""
    edges = _edges(text, words)
    length = len(text)
    before = [-math.inf] * (length + 1)
    before[0] = 0.0
    for start, end, log in edges:
        if (reached := before[start] + log) > before[end]:
            before[end] = reached
    after = [-math.inf] * (length + 1)
    after[length] = 0.0
    for start, end, log in reversed(edges):
        if (reached := after[end] + log) > after[start]:
            after[start] = reached
    return Division(before, after, [edge for edge in edges if edge[1] - edge[0] > 1])


def _edges(text: str, words: Vocabulary) -> list[Edge]:
    """Return every word and every single character of a text, by their starts."""
    get, longest, unseen = words.logs.get, words.longest.get, words.unseen
    length = len(text)
    edges: list[Edge] = []
    for start, character in enumerate(text):
        edges.append((start, start + 1, get(character, unseen)))
        pair = text[start : start + 2]
        log = get(pair)
        if log is not None and len(pair) == 2:
            edges.append((start, start + 2, log))
        for end in range(start + 3, min(start + longest(pair, 0), length) + 1):
            log = get(text[start:end])
            if log is not None:
                edges.append((start, end, log))
    return edges
