"""Which insertions at one place are gold: arcs and gold edits are walked from both ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Gap = tuple[int, int]
"""Vertices where an insertion starts and ends."""


def walk(
    gaps: Sequence[Gap], texts: Sequence[bytes], golds: Sequence[tuple[bytes, ...]]
) -> Iterator[tuple[int, bool]]:
    """Yield places in `gaps` in the order they are dealt with, and whether they are gold.

    m2scorer cb874a7 (levenshtein.py, set_weights). Two insertions are both gold only where
    hypothesis and file have them in the same order. A place that is passed by from one end can
    come again from the other.

    Args:
        gaps: The insertions at one place of the source, sorted, as often as they are listed.
        texts: What each inserts.
        golds: What the gold edits of that place accept, in the order of the file.
    """
    left, right, at = 0, len(gaps) - 1, 0
    low, high = 0, len(golds) - 1
    while left <= right:
        here, forwards = at, at == left
        window = range(low, high + 1) if forwards else range(high, low - 1, -1)
        hit = next((n for n in window if texts[here] in golds[n]), None)
        yield here, hit is not None
        if hit is None:
            left, right = left + forwards, right - (not forwards)
            at = right if forwards else left
        elif forwards:
            low, left = hit + 1, left + 1
            while left < len(gaps) and gaps[left][0] != gaps[here][1]:
                yield left, False
                left += 1
            at = left
        else:
            high, right = hit - 1, right - 1
            while right >= 0 and gaps[right][1] != gaps[here][0]:
                yield right, False
                right -= 1
            at = right
