"""Counts of n-grams, and what two texts share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

Grams = Mapping[tuple[str, ...], int]


def count(pieces: Sequence[str], order: int) -> tuple[Grams, ...]:
    """Return how often each n-gram occurs, for n = 1 to `order`.

    >>> dict(count("好好好", 2)[1])
    {('好', '好'): 2}
    """
    shifted = [pieces[first:] for first in range(order)]
    # Not strict: the sequences end one after the other, the shortest with the last n-gram.
    return tuple(Counter(zip(*shifted[:n], strict=False)) for n in range(1, order + 1))


def totals(length: int, order: int) -> tuple[int, ...]:
    """Return how many n-grams a text of `length` pieces has, for n = 1 to `order`."""
    return tuple(max(length + 1 - n, 0) for n in range(1, order + 1))


def shared(one: Grams, two: Grams) -> Grams:
    """Return the n-grams of both, as often as both have them."""
    return {gram: min(one[gram], two[gram]) for gram in one.keys() & two.keys()}


def overlap(one: Grams, two: Grams) -> int:
    """Return how many n-grams two texts share, each as often as both have it."""
    both = one.keys() & two.keys()
    return sum(map(min, map(one.__getitem__, both), map(two.__getitem__, both)))
