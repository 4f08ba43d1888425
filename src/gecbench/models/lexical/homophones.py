"""Words that sound like what stands in a Chinese text, and how much likelier they make it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gecbench.lang.zh.sounds import Sounds, keys
from gecbench.models.lexical.vocabulary import Division, Vocabulary

SHORTEST, LONGEST = 2, 8
"""Characters of the words that are offered. One alone says nothing of its context."""

COVERED = 2.0
"""Asked for in addition where a word of two characters or more is broken: it may be rare."""

TWICE = 8.0
"""Asked for in addition where two characters that stand together change."""


_NUMERALS = frozenset("〇零一二三四五六七八九十百千万亿两")


class Candidate(NamedTuple):
    """A change that makes a text likelier.

    Args:
        gain: By how much, as a difference of natural logarithms, less what is asked for in
            addition.
        start: First character that changes.
        end: Character after the last.
        replacement: As long as what it replaces.
    """

    gain: float
    start: int
    end: int
    replacement: str


@dataclass(frozen=True, slots=True)
class Homophones:
    """Words by their sound.

    Args:
        sounds: Of characters.
        words: Sound to words that have it, with blanks between them.
        best: Length to the highest logarithm of a word of that length; to stop looking early.
    """

    sounds: Sounds
    words: Mapping[str, str]
    best: Mapping[int, float]


def homophones(
    vocabulary: Vocabulary, sounds: Sounds, but: Collection[str] = frozenset()
) -> Homophones:
    """Return the words of a vocabulary by their sound.

    Args:
        vocabulary: Words with their probabilities.
        sounds: Of characters.
        but: Words that are not offered, as names: their sound does not say how they are written.
    """
    found: dict[str, str] = {}
    logs = vocabulary.logs
    listed = [word for word in logs if SHORTEST <= len(word) <= LONGEST and word not in but]
    # One translation of all words is much faster than one each.
    main = "\n".join(listed).translate(sounds.table).split("\n") if listed else []
    phrases = sounds.phrases
    for word, sound in zip(listed, main, strict=True):
        for key in keys(word, sounds) if word in phrases else (sound,):
            found[key] = f"{found[key]} {word}" if key in found else word
    best = {
        length: max((logs[word] for word in listed if len(word) == length), default=-math.inf)
        for length in range(SHORTEST, LONGEST + 1)
    }
    return Homophones(sounds, found, best)


def candidates(
    text: str, division: Division, vocabulary: Vocabulary, known: Homophones, *, least: float
) -> Iterator[Candidate]:
    """Yield the changes that gain something.

    Exactly one word of a division covers a place, and words that do not are the same before and
    after a change there. So the best division after a change runs through a new word over it,
    between the best divisions of what precedes and what follows: nothing is divided anew.

    Args:
        text: Characters with sounds only.
        division: Of the text.
        vocabulary: That it was divided with.
        known: The words by sound.
        least: Gain below which a candidate is not worth naming.
    """
    sound = text.translate(known.sounds.table)
    before, after, best = division.before, division.after, division.best
    covered = _covered(division)
    for start in range(len(text) - 1):
        for end in range(start + SHORTEST, min(start + LONGEST, len(text)) + 1):
            room = before[start] + after[end] - best
            if room + known.best[end - start] < least:
                continue
            span = text[start:end]
            for word in _alike(span, sound[start:end], known):
                gain = room + vocabulary.logs[word]
                change = _change(span, word, start, gain, covered) if gain >= least else None
                if change and change.gain >= least:
                    yield change


def _alike(span: str, sound: str, known: Homophones) -> Iterator[str]:
    """Yield words that sound like a span, one of whose characters may have another reading."""
    get, others = known.words.get, known.sounds.others
    if words := get(sound):
        yield from words.split(" ")
    for place, character in enumerate(span):
        for syllable in others.get(character, ""):
            if words := get(sound[:place] + syllable + sound[place + 1 :]):
                # The other reading must be what tells them apart.
                yield from (word for word in words.split(" ") if word[place] != character)


def _change(
    span: str, word: str, start: int, gain: float, covered: frozenset[int]
) -> Candidate | None:
    """Return what a word changes in a span; None where that is nothing, or too much."""
    places = [k for k, (a, b) in enumerate(zip(span, word, strict=True)) if a != b]
    if not places or len(places) > 2 or places[-1] - places[0] > 1:
        return None
    if any(span[k] in _NUMERALS and word[k] in _NUMERALS for k in places):
        return None  # another number is no spelling
    first, last = places[0], places[-1] + 1
    if len(places) == 2:
        gain -= TWICE
    if any(start + k in covered for k in places):
        gain -= COVERED
    return Candidate(gain, start + first, start + last, word[first:last])


def _covered(division: Division) -> frozenset[int]:
    """Return the places that words of a best division cover, single characters apart."""
    before, after, best = division.before, division.after, division.best
    return frozenset(
        place
        for start, end, log in division.words
        if before[start] + log + after[end] >= best - 1e-9
        for place in range(start, end)
    )
