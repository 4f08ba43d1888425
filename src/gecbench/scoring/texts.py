"""The texts of a case, and the pieces that metrics over texts count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from gecbench.core.case import Case

Unit = Literal["word", "character", "spaced-character"]
UNITS: tuple[Unit, ...] = ("word", "character", "spaced-character")


def references(case: Case) -> tuple[str, ...]:
    """The texts of the references, without those declared impossible to annotate."""
    return tuple(version.text for version in case.references if not version.unannotatable)


def characters(text: str) -> str:
    """The code points of a text without any white space.

    >>> characters("他 是 学生")
    '他是学生'
    """
    return "".join(text.split())


def pieces(text: str, unit: Unit) -> Sequence[str]:
    """What a text consists of.

    Args:
        text: Any text.
        unit: "word": what white space divides; "character": the code points without white
            space; "spaced-character": all code points, but for white space at the ends.
    """
    if unit == "word":
        return text.split()
    return characters(text) if unit == "character" else text.strip()


def longest_common(source: str, text: str) -> int:
    """The length of the longest common subsequence.

    A row of the usual table as the bits of one number (Hyyro, "Bit-parallel LCS-length
    computation revisited", 2004): a bit is 0 where the row grows.
    """
    bits: dict[str, int] = {}
    for at, character in enumerate(source):
        bits[character] = bits.get(character, 0) | 1 << at
    row = full = (1 << len(source)) - 1
    for character in text:
        hits = row & bits.get(character, 0)
        row = (row + hits | row - hits) & full
    return len(source) - row.bit_count()


# Counts of n-grams, and what two texts share.


Grams = Mapping[tuple[str, ...], int]


def count(pieces: Sequence[str], order: int) -> tuple[Grams, ...]:
    """How often each n-gram occurs, for n = 1 to `order`.

    >>> dict(count("好好好", 2)[1])
    {('好', '好'): 2}
    """
    shifted = [pieces[first:] for first in range(order)]
    # Not strict: the sequences end one after the other, the shortest with the last n-gram.
    return tuple(Counter(zip(*shifted[:n], strict=False)) for n in range(1, order + 1))


def totals(length: int, order: int) -> tuple[int, ...]:
    """How many n-grams a text of `length` pieces has, for n = 1 to `order`."""
    return tuple(max(length + 1 - n, 0) for n in range(1, order + 1))


def intersection(first: Grams, second: Grams) -> Grams:
    """The n-grams of both, as often as both have them."""
    return {gram: min(first[gram], second[gram]) for gram in first.keys() & second.keys()}


def overlap(first: Grams, second: Grams) -> int:
    """How many n-grams two texts share, each as often as both have it."""
    both = first.keys() & second.keys()
    return sum(map(min, map(first.__getitem__, both), map(second.__getitem__, both)))
