"""Slips: what is made wrong in a correct text, and the text and edits that come of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar

from gecbench.datasets.corrupt.chance import Draw

View_contra = TypeVar("View_contra", contravariant=True)


class Slip(NamedTuple):
    """A change of the correct text, in its units: characters in Chinese, tokens in English.

    Args:
        start: First unit that is replaced; half-open span.
        end: Unit after the last; equal to `start` where something is inserted.
        wrong: Units that stand there instead: a string in Chinese, one of tokens in English.
    """

    start: int
    end: int
    wrong: Sequence[str]


Taken = Sequence[tuple[int, int]]
"""Spans of the slips that a sentence has already."""


class Rule(Protocol[View_contra]):
    """A way to make one kind of error: all of its places are tried before it gives up."""

    def __call__(self, view: View_contra, taken: Taken, draw: Draw) -> Slip | None:
        """Return a slip at a random place that touches no other; None where there is none."""
        ...


def free(taken: Taken, start: int, end: int) -> bool:
    """Return whether a span neither overlaps nor touches one that is taken.

    Something is kept between any two slips, so that each of them is an edit of its own.
    """
    for begun, ended in taken:  # noqa: SIM110 - all() makes a generator for each place
        if begun <= end and start <= ended:
            return False
    return True


def trimmed(right: Sequence[str], wrong: Sequence[str]) -> tuple[int, int, Sequence[str]]:
    """Return where two sequences differ: skipped units, replaced units, what stands instead.

    >>> trimmed("目的是", "目的是为了")
    (3, 0, '为了')
    >>> trimmed("的", "地")
    (0, 1, '地')
    """
    head = 0
    least = min(len(right), len(wrong))
    while head < least and right[head] == wrong[head]:
        head += 1
    tail = 0
    while tail < least - head and right[-1 - tail] == wrong[-1 - tail]:
        tail += 1
    return head, len(right) - head - tail, wrong[head : len(wrong) - tail]
