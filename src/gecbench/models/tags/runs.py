"""Runs of target tokens for source tokens: the least total of character edit distances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from gecbench.models.tags.distances import distance
from gecbench.models.tags.labels import KEEP, MERGE_HYPHEN, MERGE_SPACE
from gecbench.models.tags.transforms import Transforms

Numbers = npt.NDArray[np.int64]
Assigned = tuple[str, tuple[str, ...], str | None]
"""A token, its run, and its label where it is part of a merge."""

_UNIT = 1 << 20
"""Cost of one changed character; what only decides between equals is less in all."""

_FEW = 6
"""Up to so many target tokens each run is compared by itself; both ways give the same numbers."""


def assigned(
    source: Sequence[str], target: Sequence[str], transforms: Transforms
) -> list[Assigned]:
    """Return for each source token the run of target tokens that it becomes.

    Every run is contiguous, maybe empty; together they are the target. A run costs the edit
    distance, in characters, between the token and the run without blanks, and nothing where a
    transform makes it; source tokens that joined are one target token cost nothing. Of equal
    totals the one with the shorter runs is taken.
    """
    costs = _costs(source, target, transforms)
    merges = list(_merges(source, target, transforms))
    totals = [np.full(len(target) + 1, np.iinfo(np.int64).max // 4)]
    totals[0][0] = 0
    origins: list[Numbers] = []
    joined: dict[tuple[int, int], tuple[int, str]] = {}
    for i, cost in enumerate(costs):
        sums = totals[-1][:, None] + cost
        origin = sums.argmin(axis=0)
        total = sums[origin, np.arange(len(target) + 1)]
        for start, end, at, label in merges:
            if end == i + 1 and totals[start][at] < total[at + 1]:
                total[at + 1] = totals[start][at]
                joined[end, at + 1] = start, label
        totals.append(total)
        origins.append(origin)
    return list(_walked(source, target, origins, joined))[::-1]


def _walked(
    source: Sequence[str],
    target: Sequence[str],
    origins: Sequence[Numbers],
    joined: dict[tuple[int, int], tuple[int, str]],
) -> Iterator[Assigned]:
    """Yield what the best way gives to each token, from the last to the first."""
    i, j = len(source), len(target)
    while i:
        if (i, j) in joined:
            start, label = joined[i, j]
            yield source[i - 1], (), KEEP
            yield from ((source[at], (), label) for at in range(i - 2, start - 1, -1))
            i, j = start, j - 1
            continue
        origin = int(origins[i - 1][j])
        yield source[i - 1], tuple(target[origin:j]), None
        i, j = i - 1, origin


def _costs(source: Sequence[str], target: Sequence[str], transforms: Transforms) -> list[Numbers]:
    """Return for each source token what runs cost; shape (first target token, end of run)."""
    lengths = np.arange(len(target) + 1) - np.arange(len(target) + 1)[:, None]
    long = np.minimum(np.where(lengths > 1, (lengths - 1) ** 2, 0), _UNIT // (4 * len(source)))
    beside = np.where(lengths < 0, np.int64(1) << 50, long)
    far = _far_one_by_one if len(target) <= _FEW else _far_at_once
    found = []
    for token, letters in zip(source, far(source, target), strict=True):
        cost = letters * _UNIT + beside
        _free(cost, token, target, transforms)
        found.append(cost)
    return found


def _far_one_by_one(source: Sequence[str], target: Sequence[str]) -> Iterator[Numbers]:
    """Yield for each source token its edit distance to each run; 0 where no run is."""
    ends = range(len(target) + 1)
    runs = [["".join(target[start:end]) for end in ends] for start in ends]
    for token in source:
        yield np.array([[distance(token, run) for run in row] for row in runs])


def _far_at_once(source: Sequence[str], target: Sequence[str]) -> Iterator[Numbers]:
    """Yield the same, row by row for all runs: less work for many of them."""
    ends = np.array([0, *accumulate(map(len, target))])
    letters = _letters("".join(target))
    columns = np.arange(len(letters) + 1)
    # Before any letter of the token a run costs its letters; before its first token there is none.
    empty = np.where(columns >= ends[:, None], columns - ends[:, None], len(letters) * 4 + 4096)
    for token in source:
        row = empty
        for letter in _letters(token):
            step = row + 1
            step[:, 1:] = np.minimum(step[:, 1:], row[:, :-1] + (letters != letter))
            row = np.minimum.accumulate(step - columns, axis=1) + columns
        yield row[:, ends]


def _free(cost: Numbers, token: str, target: Sequence[str], transforms: Transforms) -> None:
    """Write 0 where a token is equal to a run or a transform makes it."""
    for at, other in enumerate(target):
        if token == other or transforms.explain(token, other):
            cost[at, at + 1] = 0
    pieces = tuple(token.split("-"))
    if len(pieces) > 1:
        for at in range(len(target) - len(pieces) + 1):
            run = target[at : at + len(pieces)]
            if tuple(run) == pieces and transforms.explain(token, " ".join(run)):
                cost[at, at + len(pieces)] = 0


def _merges(
    source: Sequence[str], target: Sequence[str], transforms: Transforms
) -> Iterator[tuple[int, int, int, str]]:
    """Yield source tokens that joined are one target token: start, end, target token, label."""
    for label, hyphen in ((MERGE_SPACE, ""), (MERGE_HYPHEN, "-")):
        if label not in transforms.merges:
            continue
        for at, other in enumerate(target):
            for start, token in enumerate(source):
                built = token
                for end in range(start + 1, len(source)):
                    if len(built) >= len(other) or not other.startswith(built):
                        break
                    built += hyphen + source[end]
                    if built == other:
                        yield start, end + 1, at, label


def _letters(text: str) -> Numbers:
    return np.fromiter(map(ord, text), np.int64, len(text))
