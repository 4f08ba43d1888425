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
