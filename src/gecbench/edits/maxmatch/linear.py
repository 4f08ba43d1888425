"""Nearly the edits that m2scorer proposes, in time linear in the base arcs.

For sentences whose lattice is too large to be closed. The path is chosen by most gold arcs, then
least base length outside them, then fewest edits, compared in this order; m2scorer adds the three
up as weights, and charges arcs that stand twice in its list twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf

from gecbench.edits.maxmatch.exact import Gold, Span
from gecbench.edits.maxmatch.insertions import Gap, walk
from gecbench.edits.maxmatch.lattice import (
    CODE,
    INSERT,
    UNCHANGED,
    Lattice,
    lattice,
    text_of,
    vertices_at,
)

_GOLD, _LENGTH, _EDIT = 1 << 48, 1 << 24, 1  # so far apart that their sums do not meet

Node = tuple[int, int]
"""A vertex, and a state: between two edits, or `_INSIDE` + u in one over u unchanged tokens."""

_BETWEEN, _INSIDE = 0, 1


def approximate(
    source: bytes, target: bytes, limit: int, golds: Sequence[Sequence[Gold]]
) -> list[list[Span]]:
    """Return the edits that are proposed for each annotator, from left to right.

    Args:
        source: Token codes, native 32-bit integers.
        target: The same of the hypothesis.
        limit: How many unchanged tokens a merged edit may cover.
        golds: Each annotator's, in the order of the file; spans lie in the source.
    """
    made = lattice(source, target)
    found = []
    for annotator in golds:
        joins: dict[int, list[int]] = {}
        for u, v in _gold_arcs(made, target, limit, annotator):
            joins.setdefault(u, []).append(v)
        found.append(_spans(made, _cheapest(made, limit, joins)))
    return found


def _gold_arcs(made: Lattice, target: bytes, limit: int, golds: Sequence[Gold]) -> Iterator[Gap]:
    insertions: dict[int, list[tuple[bytes, ...]]] = {}
    for start, end, texts in golds:
        if start == end:
            insertions.setdefault(start, []).append(texts)
            continue
        numbers = {made.cells[v][1]: v for v in vertices_at(made, end)}
        for u in vertices_at(made, start):
            for text in set(texts):
                v = numbers.get(made.cells[u][1] + len(text) // CODE)
                if v and text_of(made, target, u, v) == text and _is_arc(made, limit, u, v):
                    yield u, v
    for place, choices in insertions.items():
        gaps = list(_gaps(made, vertices_at(made, place)))
        made_of = [text_of(made, target, *gap) for gap in gaps]
        yield from (gaps[n] for n, hit in walk(gaps, made_of, choices) if hit)


def _is_arc(made: Lattice, limit: int, u: int, v: int) -> bool:
    """Return whether a base arc or a merged one leads from one vertex to another."""
    if any(step.end == v for step in made.steps[u]):
        return True
    x, y = made.cells[v]
    fewest = {u: 0}  # unchanged tokens, by vertex; vertices are met in their order
    diagonal = {u}  # reached over unchanged tokens alone
    for n in range(u, v):
        if n not in fewest:
            continue
        for step in made.steps[n]:
            if made.cells[step.end][0] <= x and made.cells[step.end][1] <= y:
                unchanged = fewest[n] + (step.kind == UNCHANGED)
                fewest[step.end] = min(unchanged, fewest.get(step.end, unchanged))
                if n in diagonal and step.kind == UNCHANGED:
                    diagonal.add(step.end)
    # Merged arcs over unchanged tokens alone are removed.
    return fewest.get(v, limit + 1) <= limit and v not in diagonal


def _gaps(made: Lattice, row: range) -> Iterator[Gap]:
    """Yield the insertions at one place, sorted, as often as they are listed."""
    for u in row:
        v, times = u, 0
        while step := next((s for s in made.steps[v] if s.kind == INSERT), None):
            times = step.times if v == u else 1
            v = step.end
            yield from [(u, v)] * times


def _cheapest(made: Lattice, limit: int, joins: Mapping[int, Sequence[int]]) -> list[list[Node]]:
    """Return, for each vertex and state, where the cheapest way to it comes from."""
    states = limit + 2
    cost: list[list[float]] = [[inf] * states for _ in made.cells]
    last: list[list[Node]] = [[(0, _BETWEEN)] * states for _ in made.cells]
    cost[0][_BETWEEN] = 0

    def reach(node: Node, v: int, state: int, more: int) -> None:
        through = cost[node[0]][node[1]] + more
        if through < cost[v][state]:
            cost[v][state], last[v][state] = through, node

    for v, steps in enumerate(made.steps):
        for state in range(_INSIDE, states):
            reach((v, state), v, _BETWEEN, 0)
        for w in joins.get(v, ()):
            reach((v, _BETWEEN), w, _BETWEEN, -_GOLD)
        for step in steps:
            unchanged = step.kind == UNCHANGED
            if unchanged:
                reach((v, _BETWEEN), step.end, _BETWEEN, _LENGTH)
            else:
                reach((v, _BETWEEN), step.end, _INSIDE, _LENGTH + _EDIT)
            for state in range(_INSIDE, states - unchanged):
                reach((v, state), step.end, state + unchanged, _LENGTH)
    return last


def _spans(made: Lattice, last: Sequence[Sequence[Node]]) -> list[Span]:
    """Return the edits on the way to the last vertex."""
    spans: list[Span] = []
    end = v = len(made.cells) - 1
    state = _BETWEEN
    while v:
        before, was = last[v][state]
        if state == _BETWEEN:
            end = v
        if was == _BETWEEN and (state != _BETWEEN or not _is_unchanged(made, before, v)):
            (i, j), (x, y) = made.cells[before], made.cells[end]
            spans.append((i, x, j, y))
        v, state = before, was
    return spans[::-1]


def _is_unchanged(made: Lattice, u: int, v: int) -> bool:
    return any(step.end == v and step.kind == UNCHANGED for step in made.steps[u])
