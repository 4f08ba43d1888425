"""The lattice of a sentence pair: every optimal alignment under two edit distances.

Dahlmeier and Ng, NAACL 2012; m2scorer cb874a7 (levenshtein.py). A vertex is a pair of how many
source and how many hypothesis tokens are behind it; an arc covers the tokens between two.
Insertion and deletion cost 1; a replacement costs 1 in the first distance and 2 in the second.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import NamedTuple

Cell = tuple[int, int]

UNCHANGED, INSERT, DELETE, REPLACE = range(4)
"""Kinds of an arc; one that is merged of two different kinds replaces."""

_DIAGONAL, _UP, _LEFT = 1, 2, 4
_STEPS = ((_DIAGONAL, 1, 1), (_UP, 1, 0), (_LEFT, 0, 1))

CODE = 4
"""Bytes of a token code."""


class Step(NamedTuple):
    """A base arc: one token of either side or of both.

    Args:
        end: Number of the vertex where it ends.
        kind: What it does.
        times: How often it stands in the list of arcs: 2 if both distances have it. m2scorer's
            union means to leave out what is there, and looks for it among the vertices.
    """

    end: int
    kind: int
    times: int


class Lattice(NamedTuple):
    """The union of the optimal alignments of both distances.

    Args:
        cells: The vertices, sorted; so every arc goes from a lower to a higher number.
        steps: Base arcs out of each vertex, by where they end.
    """

    cells: list[Cell]
    steps: list[list[Step]]


def lattice(source: bytes, target: bytes) -> Lattice:
    """Return the lattice of two token sequences.

    Args:
        source: Token codes, native 32-bit integers.
        target: The same of the hypothesis.
    """
    a, b = array("I", source), array("I", target)
    one, two = (_reached(_table(a, b, replace)) for replace in (1, 2))
    ends = {(0, 0), (len(a), len(b))}
    cells = sorted(ends.union(*one, *two))
    numbers = {cell: n for n, cell in enumerate(cells)}
    steps: list[list[Step]] = [[] for _ in cells]
    for arc in sorted(one | two):
        (i, j), end = arc
        kind = REPLACE
        if end[0] == i:
            kind = INSERT
        elif end[1] == j:
            kind = DELETE
        elif a[i] == b[j]:
            kind = UNCHANGED
        steps[numbers[i, j]].append(Step(numbers[end], kind, (arc in one) + (arc in two)))
    return Lattice(cells, steps)


def pairs(made: Lattice, limit: int) -> int:
    """Return a bound on the number of different arcs, found without making them.

    For each vertex, how many vertices lie between it and the first from which it can be reached
    over no more than `limit` unchanged tokens.
    """
    first = list(range(len(made.cells)))
    # earliest[u]: with at most u unchanged tokens.
    earliest = [list(first) for _ in range(limit + 1)]
    for v, steps in enumerate(made.steps):
        for step in steps:
            first[step.end] = min(first[step.end], v)
            cost = step.kind == UNCHANGED
            for u in range(cost, limit + 1):
                earliest[u][step.end] = min(earliest[u][step.end], earliest[u - cost][v])
    return sum(v - min(first[v], earliest[limit][v]) for v in range(len(first)))


def vertices_at(made: Lattice, place: int) -> range:
    """Return the numbers of the vertices with so many source tokens behind them."""
    return range(bisect_left(made.cells, (place, 0)), bisect_left(made.cells, (place + 1, 0)))


def text_of(made: Lattice, target: bytes, u: int, v: int) -> bytes:
    """Return the hypothesis tokens between two vertices, as codes."""
    return target[CODE * made.cells[u][1] : CODE * made.cells[v][1]]


def _table(a: array[int], b: array[int], replace: int) -> list[bytearray]:
    """Return all optimal predecessors of each cell, as bits."""
    above = list(range(len(b) + 1))
    kept = [bytearray([_LEFT] * len(above))]
    for x, token in enumerate(a, 1):
        row, ops = [x], bytearray([_UP] * len(above))
        for y, other in enumerate(b, 1):
            diagonal = above[y - 1] + (0 if token == other else replace)
            up, left = above[y] + 1, row[-1] + 1
            least = min(diagonal, up, left)
            row.append(least)
            ops[y] = (diagonal == least) * _DIAGONAL | (up == least) * _UP | (left == least) * _LEFT
        above = row
        kept.append(ops)
    kept[0][0] = 0
    return kept


def _reached(kept: list[bytearray]) -> set[tuple[Cell, Cell]]:
    """Return the arcs of all optimal alignments, by walking back from the far corner."""
    corner = (len(kept) - 1, len(kept[0]) - 1)
    seen, stack = {corner}, [corner]
    arcs: set[tuple[Cell, Cell]] = set()
    while stack:
        cell = stack.pop()
        ops = kept[cell[0]][cell[1]]
        for op, dx, dy in _STEPS:
            if ops & op:
                before = (cell[0] - dx, cell[1] - dy)
                arcs.add((before, cell))
                if before not in seen:
                    seen.add(before)
                    stack.append(before)
    return arcs
