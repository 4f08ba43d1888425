"""What runs the network of a tagger; needs neither torch nor an inference library itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gecbench.models.tagger.encoding import Positions

LABELS = "labels.json"
"""The file of a model's labels."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float32]

Encoded = tuple[Positions, ...]
"""A sentence as each member of an ensemble reads it; one for a single tagger."""


class Biases(NamedTuple):
    """What is added to probabilities before the most probable label is taken.

    Args:
        keep: To that of keeping a token.
        delete: To that of deleting it.
    """

    keep: float = 0.0
    delete: float = 0.0


class Judged(NamedTuple):
    """What a network says of a batch; rows are longer than their sentences where it was padded.

    Args:
        labels: (sentences, tokens), $START first: the most probable label with the biases.
        probabilities: The same shape: the label's, its bias included.
        errors: The same shape: the probability that something is wrong at the token.
    """

    labels: Integers
    probabilities: Floats
    errors: Floats


class Runtime(Protocol):
    """A network, or several that vote by the mean of their probabilities."""

    @property
    def signature(self) -> dict[str, str]:
        """What its output depends on beside the folder, as versions and precision."""
        ...

    @property
    def batch_size(self) -> int:
        """Sentences a batch where nobody has said it."""
        ...

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Encoded]:
        """Return what it reads of sentences, each of them tokens without $START."""
        ...

    def judge(self, batches: Iterable[Sequence[Encoded]], biases: Biases) -> Iterator[Judged]:
        """Yield what it says of each batch, in their order."""
        ...

    def close(self) -> None:
        """Let go of threads and memory."""
        ...


def read_of(encoded: Encoded) -> int:
    """Return how many tokens are read by all members, $START included."""
    return min(len(member.firsts) for member in encoded)


def length_of(encoded: Encoded) -> int:
    """Return how many positions a sentence takes."""
    return max(len(member.ids) for member in encoded)


class Arrays(NamedTuple):
    """A batch as a network takes it.

    Args:
        ids: (sentences, positions).
        mask: The same shape; 1 where a position is no padding.
        firsts: (sentences, tokens); 0 in padding.
    """

    ids: Integers
    mask: Integers
    firsts: Integers


def arrays_of(batch: Sequence[Positions], pad: int) -> Arrays:
    """Return a batch, padded to its longest sentence."""
    return Arrays(
        padded([each.ids for each in batch], pad),
        padded([(1,) * len(each.ids) for each in batch], 0),
        padded([each.firsts for each in batch], 0),
    )


def padded(rows: Sequence[Sequence[int]], fill: int) -> Integers:
    """Return rows as one array, filled up to the longest."""
    width = max((len(row) for row in rows), default=0)
    array = np.full((len(rows), width), fill, dtype=np.int64)
    for place, row in enumerate(rows):
        array[place, : len(row)] = row
    return array
