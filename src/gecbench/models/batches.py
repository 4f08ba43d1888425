"""Parallel pairs, and batches of sequences that are about equally long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class SentencePair(NamedTuple):
    """What models learn from: a sentence with errors, and the same corrected.

    Args:
        source: The sentence as it was written.
        target: The same, corrected; equal to the source where it has no error.
    """

    source: str
    target: str


class ContextPair(NamedTuple):
    """Two pairs whose corrections are to be the same, as their errors are.

    Args:
        original: As the learner wrote it.
        perturbed: The same errors in a changed context; equal to the original for R-Drop, where
            two passes with dropout are compared instead.
    """

    original: SentencePair
    perturbed: SentencePair


def make_batches(
    lengths: Sequence[int], size: int, tokens: int = 0, *, most_padding: float = 1.0
) -> list[list[int]]:
    """Divide sequences into batches by their lengths.

    Longest first, so that memory that does not suffice fails at once; equal lengths stay in
    their order. The same lengths always give the same batches.

    Args:
        lengths: Positions that each sequence takes.
        size: Sequences in a batch, at most.
        tokens: Positions in a batch, padding included, at most; 0 does not bound them. A
            sequence that is longer alone is a batch of its own.
        most_padding: Share of each batch's positions that may be padding, in [0, 1]. Among few
            sequences lengths differ much, and smaller batches cost less than padding.

    Returns:
        The indices of the sequences in each batch.

    >>> make_batches([3, 9, 4, 8], 2)
    [[1, 3], [2, 0]]
    >>> make_batches([3, 9, 4, 8], 4, tokens=12)
    [[1], [3], [2, 0]]
    """
    groups: list[list[int]] = []
    longest = tokens_in = 0
    for index in sorted(range(len(lengths)), key=lambda index: (-lengths[index], index)):
        number = len(groups[-1]) + 1 if groups else 1
        area = longest * number
        fits = bool(groups) and number <= size and (not tokens or area <= tokens)
        if fits and area - tokens_in - lengths[index] <= most_padding * area:
            groups[-1].append(index)
            tokens_in += lengths[index]
        else:
            groups.append([index])
            longest = tokens_in = lengths[index]
    return groups


def pad_rows(rows: Sequence[Sequence[int]], fill: int) -> NDArray[np.int64]:
    """Stack rows as one array, filled up to the longest."""
    array = np.full((len(rows), max(map(len, rows), default=0)), fill, dtype=np.int64)
    for index, row in enumerate(rows):
        array[index, : len(row)] = row
    return array


def mask_rows(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Build the mask of rows that `pad_rows` stacks: 1 for each place, 0 for what fills them up."""
    return pad_rows([(1,) * len(row) for row in rows], 0)
