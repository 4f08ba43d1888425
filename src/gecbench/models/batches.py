"""Batches of sequences that are about equally long, so that little is padding."""

from __future__ import annotations

from collections.abc import Sequence


def batches(
    lengths: Sequence[int], size: int, tokens: int = 0, *, most_padding: float = 1.0
) -> list[list[int]]:
    """Return the places of sequences, put into batches by their lengths.

    Longest first, so that memory that does not suffice fails at once; equal lengths stay in
    their order. The same lengths always give the same batches.

    Args:
        lengths: Positions that each sequence takes.
        size: Sequences in a batch, at most.
        tokens: Positions in a batch, padding included, at most; 0 does not bound them. A
            sequence that is longer alone is a batch of its own.
        most_padding: Share of each batch's positions that may be padding, in [0, 1]. Among few
            sequences lengths differ much, and smaller batches cost less than padding.

    >>> batches([3, 9, 4, 8], 2)
    [[1, 3], [2, 0]]
    >>> batches([3, 9, 4, 8], 4, tokens=12)
    [[1], [3], [2, 0]]
    """
    found: list[list[int]] = []
    longest = filled = 0
    for place in sorted(range(len(lengths)), key=lambda each: (-lengths[each], each)):
        number = len(found[-1]) + 1 if found else 1
        taken = longest * number
        fits = bool(found) and number <= size and (not tokens or taken <= tokens)
        if fits and taken - filled - lengths[place] <= most_padding * taken:
            found[-1].append(place)
            filled += lengths[place]
        else:
            found.append([place])
            longest = filled = lengths[place]
    return found


def padding_share(lengths: Sequence[int], batches: Sequence[Sequence[int]]) -> float:
    """Return which share of the positions in batches is padding, in [0, 1); 0 without positions.

    >>> padding_share([2, 4], [[0, 1]])
    0.25
    """
    taken = sum(
        max((lengths[place] for place in batch), default=0) * len(batch) for batch in batches
    )
    filled = sum(lengths[place] for batch in batches for place in batch)
    return 1 - filled / taken if taken else 0.0
