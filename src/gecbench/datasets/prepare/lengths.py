"""Pairs that are too long, divided where both sides end a sentence at the same place."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import accumulate

from gecbench.edits.align import lattice
from gecbench.text.splitting import split

Texts = tuple[str, str]

_MOST_CELLS = 25_000_000
"""Characters of both sides, multiplied: an alignment takes nine bytes of memory for each."""


def distance(source: str, target: str) -> int:
    """Return how many characters must be put in, taken out or replaced, at the least.

    >>> distance("我今天很高心。", "今天我很高兴。")
    3
    """
    left, right = _unlike(source, target)
    if not left or not right:
        return len(left) + len(right)
    steps = lattice(_packed(left), _packed(right), None).steps()
    return len(steps) - steps.count("M")


def is_alignable(source: str, target: str) -> bool:
    """Return whether what differs of two texts is short enough for the memory: 5,000 characters."""
    left, right = _unlike(source, target)
    return len(left) * len(right) <= _MOST_CELLS


def _unlike(source: str, target: str) -> Texts:
    """Return two texts without what they begin and end with alike."""
    start = _alike(source, target)
    end = _alike(source[start:][::-1], target[start:][::-1])
    return source[start : len(source) - end], target[start : len(target) - end]


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))  # the shorter one may be the other's beginning
    return next((k for k, (a, b) in pairs if a != b), min(len(one), len(other)))


def _packed(text: str) -> bytes:
    return text.encode(f"utf-32-{'le' if sys.byteorder == 'little' else 'be'}")


def pieces(source: str, target: str) -> tuple[Texts, ...] | None:
    """Return a pair sentence by sentence; None where the two sides do not correspond.

    They do where both are short enough to be aligned (some 5,000 characters), have as many
    sentences, a least alignment of the texts goes through all the places where they end (the
    distances of the sentences add up to that of the texts), and of no sentence more than half is
    changed. Blanks round a sentence are left out.
    """
    left, right = split(source), split(target)
    if len(left) != len(right) or not is_alignable(source, target):
        return None
    found = list(zip(left, right, strict=True))
    apart = [distance(*pair) for pair in found]
    if sum(apart) != distance(source, target):
        return None
    if any(2 * n > max(map(len, pair)) for n, pair in zip(apart, found, strict=True)):
        return None
    stripped = [(one.strip(), other.strip()) for one, other in found]
    return tuple(pair for pair in stripped if pair != ("", ""))


def leading(source: str, target: str, longest: int) -> Texts | None:
    """Return the first sentences of a pair, as many as fit; None where not even one does.

    The two sides must end at places that a least alignment of the texts goes through, with no
    more than half changed before them.

    Args:
        source: Longer than `longest`, or its target is.
        target: Of the source.
        longest: Characters of each side.
    """
    if not is_alignable(source, target):
        return None
    places = _fitting(split(source), split(target), longest)
    whole = distance(source, target) if places else 0
    for i, j in reversed(places):
        before = distance(source[:i], target[:j])
        if 2 * before <= max(i, j) and before + distance(source[i:], target[j:]) == whole:
            return source[:i].strip(), target[:j].strip()
    return None


def _fitting(left: Sequence[str], right: Sequence[str], longest: int) -> list[tuple[int, int]]:
    """Return where the k-th sentences of both sides end, while both fit."""
    ends = zip(accumulate(map(len, left)), accumulate(map(len, right)), strict=False)  # to the less
    return [(i, j) for i, j in ends if max(i, j) <= longest]
