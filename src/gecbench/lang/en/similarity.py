"""How alike two words are, in the two measures that ERRANT takes from rapidfuzz.

Bit-parallel: a column of the table is one integer, so a word costs one step per character of the
other one. Importing a library for it would cost more than all the types of a corpus.
"""

from __future__ import annotations

from collections.abc import Mapping


def places(word: str) -> Mapping[str, int]:
    """Return, for each character of a word, the places where it stands as bits."""
    bits: dict[str, int] = {}
    for at, character in enumerate(word):
        bits[character] = bits.get(character, 0) | 1 << at
    return bits


def indel_distance(bits: Mapping[str, int], length: int, other: str) -> float:
    """Return the normalised Indel distance of two words, in [0, 1].

    That is the least number of characters to delete and insert, over the sum of both lengths.
    The longest common subsequence behind it is found as in Hyyro (2004).

    Args:
        bits: `places` of the one word.
        length: Its length, at least 1.
        other: The other word.

    >>> indel_distance(places("colour"), 6, "color") == 1 / 11
    True
    """
    open_places = every = (1 << length) - 1
    for character in other:
        met = open_places & bits.get(character, 0)
        open_places = (open_places + met) | (open_places - met)
    common = length - (open_places & every).bit_count()
    both = length + len(other)
    return (both - 2 * common) / both


def indel_similarity(one: str, two: str) -> float:
    """Return 1 minus the normalised Indel distance of two words that are not empty, in [0, 1]."""
    return 1 - indel_distance(places(one), len(one), two)


def levenshtein_similarity(one: str, two: str) -> float:
    """Return 1 minus the Levenshtein distance over the greater length, in [0, 1].

    Neither word is empty. Computed in this form, because ERRANT compares the result with 0.5 and
    0.8 by ==.

    >>> levenshtein_similarity("thing", "think")
    0.8
    """
    return 1 - _levenshtein(one, two) / max(len(one), len(two))


def _levenshtein(one: str, two: str) -> int:
    """Return the edit distance: Myers (1999), in the form of Hyyro (2003)."""
    bits = places(one)
    every, last = (1 << len(one)) - 1, 1 << (len(one) - 1)
    distance, above, below = len(one), every, 0  # where a column goes up and down by one
    for character in two:
        equal = bits.get(character, 0)
        diagonal = (((equal & above) + above) ^ above) | equal | below
        more, less = below | ~(diagonal | above) & every, above & diagonal
        distance += bool(more & last) - bool(less & last)
        more, less = more << 1 | 1, less << 1
        above = (less | ~(diagonal | more)) & every
        below = more & diagonal & every
    return distance
