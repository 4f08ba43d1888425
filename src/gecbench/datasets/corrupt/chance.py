"""Random numbers of a sentence, which depend on the seed and its number alone.

They are blocks of a hash in counter mode: equal on every machine, whatever was made before, and
cheaper to begin anew for each sentence than a generator that has a state to fill.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate
from struct import Struct
from typing import Generic, TypeVar

from gecbench.core import seeding

Draw = Callable[[], int]
"""Gives the next random number of 32 bits."""

Thing = TypeVar("Thing")

BITS = 32
UNIT = 2.0**-BITS
"""Brings a number of 32 bits to [0, 1)."""

_WORDS = Struct("<16I").unpack
_PLACE = Struct("<QQ").pack


def key_of(seed: int, name: str) -> bytes:
    """Return the key that the numbers of a run hang on."""
    return seeding.number(seed, name).to_bytes(8, "little")


def draws(key: bytes, sentence: int) -> Draw:
    """Return the numbers of a sentence, one after another and without an end.

    >>> one, again = draws(key_of(0, "x"), 7), draws(key_of(0, "x"), 7)
    >>> [one() for _ in range(20)] == [again() for _ in range(20)]
    True
    """
    return _numbers(key, sentence).__next__


def _numbers(key: bytes, sentence: int) -> Iterator[int]:
    block = 0
    while True:
        yield from _WORDS(blake2b(_PLACE(sentence, block), key=key).digest())
        block += 1


class Weighted(Generic[Thing]):
    """Things to choose from, each as likely as its weight says.

    Args:
        things: At least one.
        weights: One for each, none below 0, not all 0.
    """

    __slots__ = ("cumulative", "things")

    def __init__(self, things: Iterable[Thing], weights: Iterable[float]) -> None:
        self.things: Sequence[Thing] = tuple(things)
        self.cumulative: Sequence[float] = tuple(accumulate(weights))

    def pick(self, draw: Draw) -> Thing:
        """Return one of the things."""
        reach = self.cumulative
        return self.things[bisect_right(reach, draw() * UNIT * reach[-1])]
