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


class _Way(NamedTuple):
    """A walk from the end back to a cell: unsettled segments, then settled edits."""

    i: int
    j: int
    tail: tuple[Segment, ...]
    done: tuple[Segment, ...]


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
    seen: dict[tuple[Segment, ...], None] = {}
    for edits in _walk(lattice, n, m, window):
        seen[edits] = None
        if len(seen) > limit:
            return EditSegments((next(iter(seen)),), capped=True)
    return EditSegments(tuple(seen), capped=False)


def _walk(lattice: Lattice, n: int, m: int, window: Window) -> Iterator[tuple[Segment, ...]]:
    stack = [_Way(n, m, (), ())]
    visited: set[_Way] = set()
    while stack:
        way = stack.pop()
        if way in visited:
            continue
        visited.add(way)
        i, j, tail, done = way
        if not i and not j:
            yield merge_windows(tail, window) + done
            continue
        arcs = lattice.arcs(i, j, bool(tail) and tail[0][0] in _RUNS)
        for kind, x, y in reversed(arcs):
            segment = (kind, x, i, y, j)
            stack.append(_Way(x, y, *_prepend(segment, tail, done, window)))


def _prepend(
    segment: Segment, tail: tuple[Segment, ...], done: tuple[Segment, ...], window: Window
) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """Put a segment before the others and settle what no window can reach any more.

    A window is a run, then a match or transposition, then a run. So nothing spans two
    neighbouring segments of which neither is a run; and where a run starts no window itself,
    what follows it can only be merged from inside.
    """
    if not tail:
        return (segment,), done
    if segment[0] in _RUNS:
        reaches = len(tail) > 1 and window(segment, tail[0], tail[1]) is not None
    else:
        reaches = tail[0][0] in _RUNS
    if reaches:
        return (segment, *tail), done
    return (segment,), merge_windows(tail, window) + done
