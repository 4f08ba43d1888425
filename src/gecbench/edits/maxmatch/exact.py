"""The edits that m2scorer proposes, arc by arc, in readable form.

`_maxmatch.cpp` does the same work fast and is used where it could be compiled; `match` chooses.
Rules as m2scorer cb874a7 (levenshtein.py), its slips included, for they decide edits: arcs that
stand twice in the list are charged twice, some merged arcs over unchanged tokens survive their
removal, and sums of doubles are taken in the order written here, because that decides ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from gecbench.edits.maxmatch.insertions import walk
from gecbench.edits.maxmatch.lattice import (
    INSERT,
    REPLACE,
    UNCHANGED,
    Lattice,
    lattice,
    pairs,
    text_of,
    vertices_at,
)

Span = tuple[int, int, int, int]
"""A proposed edit: half-open spans of source and hypothesis, (start, end, start, end)."""

Gold = tuple[int, int, tuple[bytes, ...]]
"""A gold edit: half-open source span, and the codes of each text that it accepts."""

_CHARGE = 0.001
"""What an edit costs beside the tokens it covers."""


def proposals(
    source: bytes,
    target: bytes,
    limit: int,
    golds: Sequence[Sequence[Gold]],
    most: int,
) -> list[list[Span]] | None:
    """Return the edits that are proposed for each annotator, from left to right.

    Args:
        source: Token codes, native 32-bit integers.
        target: The same of the hypothesis.
        limit: How many unchanged tokens a merged edit may cover.
        golds: Each annotator's, in the order of the file; spans lie in the source.
        most: Bound on the pairs of vertices that may be joined; None is returned above it.
    """
    made = lattice(source, target)
    if pairs(made, limit) > most:
        return None
    arcs = _close(made, limit)
    plain = arcs.plain_weights()
    found = []
    for annotator in golds:
        weights = list(plain)
        _mark(arcs, weights, made, target, annotator)
        found.append(_best(arcs, weights, made))
    return found


@dataclass(slots=True)
class _Arcs:
    """Arcs by their number, and the list in which they are gone through.

    Args:
        into: By vertex: number of the arc from each vertex before it.
        length: Base arcs that it covers, on the shortest way found.
        unchanged: Unchanged tokens that it covers.
        listed: Numbers of arcs; some stand there twice.
    """

    into: list[dict[int, int]]
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    length: list[int] = field(default_factory=list)
    unchanged: list[int] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    listed: list[int] = field(default_factory=list)

    def add(self, start: int, end: int, length: int, unchanged: int, kind: int) -> int:
        """Return the number of a new arc; it is not listed yet."""
        number = self.into[end][start] = len(self.start)
        self.start.append(start)
        self.end.append(end)
        self.length.append(length)
        self.unchanged.append(unchanged)
        self.kind.append(kind)
        return number

    def plain_weights(self) -> list[float]:
        """Return what each arc costs where no gold edit asks for it."""
        weights = [float(length) for length in self.length]
        for arc in self.listed:
            if self.kind[arc] != UNCHANGED:
                weights[arc] += _CHARGE
        return weights


def _close(made: Lattice, limit: int) -> _Arcs:
    """Return the base arcs and all that are merged of them.

    m2scorer tries every vertex as pivot k between every i and j. Vertices are numbered so that
    arcs go upwards, so an arc out of k that is not a base arc is made by a later pivot: base
    arcs are all that has to be tried behind k.
    """
    arcs = _Arcs([{} for _ in made.cells])
    for v, steps in enumerate(made.steps):
        for step in steps:
            number = arcs.add(v, step.end, 1, step.kind == UNCHANGED, step.kind)
            arcs.listed.extend([number] * step.times)
    for k, steps in enumerate(made.steps):
        for i, before in sorted(arcs.into[k].items()):
            for step in steps:
                unchanged = arcs.unchanged[before] + (step.kind == UNCHANGED)
                if unchanged <= limit:
                    kind = step.kind if arcs.kind[before] == step.kind else REPLACE
                    _merge(arcs, i, step.end, arcs.length[before] + 1, unchanged, kind)
    arcs.listed = _without_unchanged(arcs)
    return arcs


def _merge(arcs: _Arcs, i: int, j: int, length: int, unchanged: int, kind: int) -> None:
    known = arcs.into[j].get(i)
    if known is None:
        known = arcs.add(i, j, length, unchanged, kind)
    elif length < arcs.length[known]:
        arcs.length[known], arcs.unchanged[known], arcs.kind[known] = length, unchanged, kind
    else:
        return
    arcs.listed.append(known)


def _without_unchanged(arcs: _Arcs) -> list[int]:
    """Return the list without merged arcs over unchanged tokens alone, but for some.

    m2scorer removes from the list that it walks, so the arc behind a removed one is not looked at.
    """
    kept: list[int] = []
    looks = True
    for arc in arcs.listed:
        removes = looks and arcs.kind[arc] == UNCHANGED and arcs.length[arc] > 1
        looks = not removes
        if not removes:
            kept.append(arc)
    return kept


def _mark(
    arcs: _Arcs, weights: list[float], made: Lattice, target: bytes, golds: Sequence[Gold]
) -> None:
    """Lower the weights of the arcs that gold edits ask for."""
    gold = -float(len(arcs.listed))
    insertions: dict[int, list[tuple[bytes, ...]]] = {}
    for start, end, texts in golds:
        if start == end:
            insertions.setdefault(start, []).append(texts)
            continue
        ends = vertices_at(made, end)
        for u in vertices_at(made, start):
            for v in ends:
                arc = arcs.into[v].get(u)
                if arc is not None and text_of(made, target, u, v) in texts:
                    weights[arc] = gold
    for place, choices in insertions.items():
        row = vertices_at(made, place)
        found = [arcs.into[v][u] for u in row for v in row if u in arcs.into[v]]
        ways = [arc for arc in found for _ in range(_times(arcs, made, arc))]
        gaps = [(arcs.start[arc], arcs.end[arc]) for arc in ways]
        for arc in ways:
            weights[arc] = float(arcs.length[arc])
        for n, hit in walk(gaps, [text_of(made, target, *gap) for gap in gaps], choices):
            weights[ways[n]] = gold if hit else weights[ways[n]] + _CHARGE


def _times(arcs: _Arcs, made: Lattice, arc: int) -> int:
    """Return how often an insertion is listed: once if merged, for it has only one length."""
    if arcs.length[arc] > 1:
        return 1
    return next(s.times for s in made.steps[arcs.start[arc]] if s.kind == INSERT)


def _best(arcs: _Arcs, weights: Sequence[float], made: Lattice) -> list[Span]:
    """Return the edits on the lightest path; of equal ones, the first that the walk finds.

    Bellman-Ford over the list as it is. m2scorer goes through it once for every vertex; after a
    round without a change nothing changes any more.
    """
    cost = [inf] * len(made.cells)
    cost[0] = 0.0
    last: list[int | None] = [None] * len(made.cells)
    changes = True
    while changes:
        changes = False
        for arc in arcs.listed:
            through = cost[arcs.start[arc]] + weights[arc]
            if through < cost[arcs.end[arc]]:
                cost[arcs.end[arc]] = through
                last[arcs.end[arc]] = arc
                changes = True
    spans: list[Span] = []
    before = last[-1]
    while before is not None:
        if arcs.kind[before] != UNCHANGED:
            (i, j), (x, y) = made.cells[arcs.start[before]], made.cells[arcs.end[before]]
            spans.append((i, x, j, y))
        before = last[arcs.start[before]]
    return spans[::-1]
