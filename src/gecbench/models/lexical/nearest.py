"""The words nearest to a misspelled one: within two edits, likelier ones first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FARTHEST = 2
_FIRST = ord("a")
_VOWELS = frozenset("aeiouy")

PER_EDIT = 6.0
"""By how much an edit of cost 1 makes a word less likely, in natural logarithms."""

UNLISTED = -20.0
"""Logarithm of the probability of a right word that the list lacks, as a name or a term."""

NEGLIGIBLE = 6.0
"""What is less likely by this much, in natural logarithms, is not looked at."""

CHEAPEST = 0.5
"""The least cost of an edit."""

KEPT = 100_000
"""Words that are remembered at most; a text repeats its errors."""


class Nearest(NamedTuple):
    """What a word is thought to be meant for.

    Args:
        word: From the list; two words with a blank between where a blank was left out.
        score: Its probability, in [0, 1], among all that are near enough, and none of them.
    """

    word: str
    score: float


class _Index(NamedTuple):
    """The words of a list for a quick first look.

    Args:
        words: In the order of the columns.
        logs: Natural logarithms of their probabilities.
        lengths: In letters.
        letters: How often each has each letter; shape (26, words).
    """

    words: tuple[str, ...]
    logs: NDArray[np.float64]
    lengths: NDArray[np.int8]
    letters: NDArray[np.int8]


Look = Callable[[str], Nearest | None]


def speller(counts: Mapping[str, int], pairs: Callable[[], Mapping[str, int]]) -> Look:
    """Return what finds the likeliest word within two edits of an unknown one in lower case.

    Nothing is indexed before the first unknown word, and little then. SymSpell's own index of
    deletions takes seconds to build, more than the whole of most runs, whatever it saves then:
    unknown words are few and repeat.

    Args:
        counts: By word.
        pairs: By two words with a blank between; asked for once, if at all.
    """
    total = math.log(sum(counts.values()))
    index = cache(lambda: _index(counts, total))
    joined = cache(lambda: {pair.replace(" ", ""): pair for pair in pairs()})

    @lru_cache(maxsize=KEPT)
    def nearest(word: str) -> Nearest | None:
        found = dict(_near(word, index()))
        if pair := joined().get(word):
            found[pair] = math.log(pairs()[pair]) - total - PER_EDIT
        if not found:
            return None
        best = max(found, key=lambda near: (found[near], near))
        chance = sum(math.exp(log) for log in found.values()) + math.exp(UNLISTED)
        return Nearest(best, math.exp(found[best]) / chance)

    return nearest


def _index(counts: Mapping[str, int], total: float) -> _Index:
    import numpy as np

    words = tuple(counts)
    codes = np.frombuffer("\n".join(words).encode("ascii", "replace"), np.uint8)
    column = np.cumsum(codes == ord("\n"))
    letters = np.zeros((26, len(words)), np.int8)
    for k in range(26):
        letters[k] = np.bincount(column[codes == _FIRST + k], minlength=len(words))
    logs = np.log(np.fromiter(counts.values(), float, len(words))) - total
    return _Index(words, logs, letters.sum(axis=0, dtype=np.int8), letters)


def _near(word: str, index: _Index) -> Iterator[tuple[str, float]]:
    """Yield words within two edits, with logarithms of what speaks for them.

    An edit changes how often letters occur by two at most, so words whose letters differ by more
    than four cannot be near, and how they differ says how likely they are at most: the likeliest
    are compared in full first, and those that could not matter never.
    """
    import numpy as np

    apart = index.lengths.copy()
    for letter in set(word):
        if "a" <= letter <= "z":
            row = index.letters[ord(letter) - _FIRST]
            apart += np.abs(row - np.int8(word.count(letter))) - row
    farthest = 1 if len(word) <= 3 else FARTHEST
    columns = np.flatnonzero(apart <= 2 * farthest)
    most = index.logs[columns] - PER_EDIT * CHEAPEST * ((apart[columns] + 1) // 2)
    least = UNLISTED - NEGLIGIBLE
    for place in np.argsort(-most, kind="stable"):
        if most[place] < least:
            return
        near = index.words[columns[place]]
        if abs(len(near) - len(word)) > farthest:
            continue
        log = float(index.logs[columns[place]]) - PER_EDIT * distance(word, near, farthest)
        if log > -math.inf:
            least = max(least, log - NEGLIGIBLE)
            yield near, log


def distance(wrong: str, right: str, edits: int) -> float:
    """Return what the cheapest edits from one word to another cost; infinity if there are none.

    An edit inserts, deletes or exchanges a letter, or swaps two neighbours (optimal string
    alignment). One costs 1, less where it is a usual slip, more at the first letter, and more
    where it takes an ending away: "tims" is meant for "times" rather than "time".

    Args:
        wrong: As written.
        right: As in the list.
        edits: How many at most; few, for all are tried from the first difference on.

    >>> distance("becuase", "because", 2), distance("untill", "until", 2)
    (0.6, 0.5)
    """
    cost = _rest(wrong, right, 0, 0, edits)
    lost = any(wrong.endswith(end) and not right.endswith(end) for end in _ENDINGS)
    return cost + LOST * lost


LOST = 0.5
_ENDINGS = ("s", "d", "ing", "ly")


def _rest(wrong: str, right: str, i: int, j: int, edits: int) -> float:
    """Return the cost of what follows two places.

    Equal letters are passed over together: that never needs more edits than another way.
    """
    while i < len(wrong) and j < len(right) and wrong[i] == right[j]:
        i += 1
        j += 1
    if i == len(wrong) and j == len(right):
        return 0.0
    if not edits or abs((len(wrong) - i) - (len(right) - j)) > edits:
        return math.inf
    ways = []
    if i < len(wrong):
        ways.append(_gap(wrong, i) + _rest(wrong, right, i + 1, j, edits - 1))
    if j < len(right):
        ways.append(_gap(right, j) + _rest(wrong, right, i, j + 1, edits - 1))
    if i < len(wrong) and j < len(right):
        exchange = _exchange(wrong[i], right[j]) + (i == j == 0)
        ways.append(exchange + _rest(wrong, right, i + 1, j + 1, edits - 1))
        if wrong[i : i + 2] == right[j : j + 2][::-1]:
            ways.append(0.6 + _rest(wrong, right, i + 2, j + 2, edits - 1))
    return min(ways)


def _exchange(one: str, two: str) -> float:
    return 0.6 if one in _VOWELS and two in _VOWELS else 1.0


def _gap(word: str, place: int) -> float:
    """Return the cost of a letter too many or too few."""
    letter = word[place]
    if not place:
        return 2.0
    if letter == "'" or word[place - 1] == letter:
        return 0.5
    if letter == "h" and word[place - 1] in "cgprstw":
        return 0.6
    return 0.7 if letter == "e" and place == len(word) - 1 else 1.0
