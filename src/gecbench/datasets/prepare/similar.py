"""Sentences that are nearly the same: an exact search by Jaccard similarity of n-grams.

The prefix filter of set similarity joins (Bayardo et al. 2007; Chaudhuri et al. 2006), used from
one side only: of the sentences that are looked among, only the rarest n-grams are indexed, as
many as are needed so that nothing at least so similar can avoid them all. Unlike MinHash it
misses nothing, and at a high threshold it is faster: no sentence that is asked about is hashed
a hundred times.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

_SLACK = 1e-9
"""Keeps what is at the threshold in spite of rounding; similarities are compared exactly."""


class Near(NamedTuple):
    """The sentence that is most similar to another.

    Args:
        text: As it was indexed.
        similarity: Jaccard's, in (0, 1].
    """

    text: str
    similarity: float


def shingles(text: str, length: int) -> frozenset[str]:
    """Return the distinct character n-grams of a text; a shorter text is one itself.

    >>> sorted(shingles("我们我们", 2))
    ['们我', '我们']
    """
    return frozenset([text[i : i + length] for i in range(max(1, len(text) - length + 1))])


class NearIndex:
    """Sentences to look among.

    Args:
        texts: What is indexed; repetitions do not matter.
        threshold: Least Jaccard similarity, in (0, 1].
        length: Of the n-grams.
    """

    def __init__(self, texts: Iterable[str], *, threshold: float, length: int) -> None:
        self._threshold = threshold
        self._length = length
        self._texts = list(dict.fromkeys(texts))
        self._sets = [shingles(text, length) for text in self._texts]
        counts = Counter(shingle for each in self._sets for shingle in each)
        index: defaultdict[str, list[int]] = defaultdict(list)
        for k, each in enumerate(self._sets):
            rarest = sorted(each, key=lambda shingle: (counts[shingle], shingle))
            # Similar sets share at least threshold * len(each) n-grams, so no more than the
            # others of `each` can be missing: one more than those cannot all be.
            shared = math.ceil(threshold * len(each) - _SLACK)
            for shingle in rarest[: len(each) - shared + 1]:
                index[shingle].append(k)
        self._index = dict(index)
        self._keys = self._index.keys()

    def nearest(self, text: str) -> Near | None:
        """Return the most similar of the sentences; None where all are below the threshold.

        Of several the one that was indexed first.
        """
        mine = shingles(text, self._length)
        found: set[int] = set()
        for shingle in self._keys & mine:
            found.update(self._index[shingle])
        size = len(mine)
        least = self._threshold * size - _SLACK
        most = size / self._threshold + _SLACK
        best: tuple[float, int] | None = None
        for k in found:
            other = self._sets[k]
            if least <= len(other) <= most:
                shared = len(mine & other)
                similarity = shared / (size + len(other) - shared)
                if similarity >= self._threshold and (best is None or (-similarity, k) < best):
                    best = -similarity, k
        return None if best is None else Near(self._texts[best[1]], -best[0])
