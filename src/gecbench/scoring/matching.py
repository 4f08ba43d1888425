"""How many characters of two texts match: the readings of a word that its paper leaves open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from typing import Literal

Matching = Literal["multiset", "lcs", "blocks", "position"]


def multiset(one: str, two: str) -> int:
    """Return how many characters both have, each as often as both have it; order is nothing."""
    often = Counter(two)
    return sum(min(n, often[character]) for character, n in Counter(one).items())


def lcs(one: str, two: str) -> int:
    """Return the length of the longest common subsequence.

    A row of the usual table as the bits of one number (Hyyro, "Bit-parallel LCS-length
    computation revisited", 2004): a bit is 0 where the row grows.
    """
    places: dict[str, int] = {}
    for at, character in enumerate(one):
        places[character] = places.get(character, 0) | 1 << at
    every = (1 << len(one)) - 1
    row = every
    for character in two:
        met = row & places.get(character, 0)
        row = (row + met | row - met) & every
    return len(one) - row.bit_count()


def blocks(source: str, text: str) -> int:
    """Return the size of difflib's matching blocks: the longest first, then left and right.

    Among blocks of one length difflib takes the first in the text, so the two cannot be
    exchanged.
    """
    matcher = SequenceMatcher(None, text, source, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())


def position(one: str, two: str) -> int:
    """Return how many characters stand at the same place from the start."""
    # Not strict: what is longer has nothing to be compared with at its end.
    return sum(a == b for a, b in zip(one, two, strict=False))


MATCHINGS: Mapping[Matching, Callable[[str, str], int]] = {
    "multiset": multiset,
    "lcs": lcs,
    "blocks": blocks,
    "position": position,
}
