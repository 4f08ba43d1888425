"""The distinct edit sets of all least-cost alignments, without listing the alignments.

The number of co-optimal alignments is exponential; the number of edit sets that differ seldom
is. Three facts make the sets come out one by one, in the order in which ChERRANT's depth-first
listing first meets them:

1. All ways through one run of substitutions, insertions and deletions become one segment, so the
   walk goes over whole segments (`Lattice.arcs`).
2. Merging by windows never looks across a place where a window could not lie: once the segments
   to the right of such a place are known, their edits are final, whatever comes to the left.
3. Two ways to one cell with the same final edits and the same unsettled segments have the same
   continuations. The second is dropped: all it can give, the first has given before.

So the work is bounded by cells times sets that differ, never by alignments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gecbench.edits.align import Lattice
from gecbench.edits.kernel import Segment
from gecbench.edits.merge import Window, merge_windows

SET_LIMIT = 1000
"""More different edit sets than this between two texts are not listed; the first is kept."""

_RUNS = ("S", "I", "D")


class EditSegments(NamedTuple):
    """Distinct lists of merged segments, in order; only the first where there were too many."""

    sets: tuple[tuple[Segment, ...], ...]
    capped: bool


class _Lists:
    """Lists of settled edits that share their endings; equal lists have equal numbers."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Segment, int], int] = {}
        self._nodes: list[tuple[Segment, int]] = []  # list k + 1 is this segment, then that list

    def prepend(self, segments: tuple[Segment, ...], rest: int) -> int:
        """Return the number of the list of these segments, then those of list `rest`."""
        for segment in reversed(segments):
            node = (segment, rest)
            rest = self._numbers.setdefault(node, len(self._nodes) + 1)
            if rest > len(self._nodes):
                self._nodes.append(node)
        return rest

    def of(self, number: int) -> tuple[Segment, ...]:
        """Return the list of a number."""
        segments = []
        while number:
            segment, number = self._nodes[number - 1]
            segments.append(segment)
        return tuple(segments)


class _Way(NamedTuple):
    """A walk from the end back to a cell: unsettled segments, and the list of settled edits."""

    i: int
    j: int
    tail: tuple[Segment, ...]
    done: int


def edit_sets(
    lattice: Lattice, n: int, m: int, *, window: Window, first: bool, limit: int = SET_LIMIT
) -> EditSegments:
    """Return the distinct edit sets of an alignment lattice.

    Args:
        lattice: Between `n` source and `m` target tokens.
        n: Number of source tokens.
        m: Number of target tokens.
        window: The scheme's merging rule.
        first: Only the set of the first alignment.
        limit: Above this number of different sets only the first is returned.
    """
    chain = lattice.chain(first)
    if chain is not None:
        return EditSegments((merge_windows(chain, window),), capped=False)
    lists = _Lists()
    seen: dict[int, None] = {}
    for number in _walk(lattice, n, m, window, lists):
        seen[number] = None
        if len(seen) > limit:
            return EditSegments((lists.of(next(iter(seen))),), capped=True)
    return EditSegments(tuple(map(lists.of, seen)), capped=False)


def _walk(lattice: Lattice, n: int, m: int, window: Window, lists: _Lists) -> Iterator[int]:
    stack = [_Way(n, m, (), 0)]
    visited: set[_Way] = set()
    while stack:
        way = stack.pop()
        if way in visited:
            continue
        visited.add(way)
        i, j, tail, done = way
        if not i and not j:
            yield lists.prepend(merge_windows(tail, window), done)
            continue
        for kind, x, y in reversed(lattice.arcs(i, j, bool(tail) and tail[0][0] in _RUNS)):
            segment = (kind, x, i, y, j)
            if _reaches(segment, tail, window):
                stack.append(_Way(x, y, (segment, *tail), done))
            else:
                settled = lists.prepend(merge_windows(tail, window), done)
                stack.append(_Way(x, y, (segment,), settled))


def _reaches(segment: Segment, tail: tuple[Segment, ...], window: Window) -> bool:
    """Say whether a window may yet lie across a segment and the unsettled ones behind it.

    A window is a run, then a match or transposition, then a run. So nothing spans two
    neighbouring segments of which neither is a run; and where a run starts no window itself,
    what follows it can only be merged from inside.
    """
    if segment[0] in _RUNS:
        return len(tail) > 1 and window(segment, tail[0], tail[1]) is not None
    return bool(tail) and tail[0][0] in _RUNS
