"""MaxMatch: the edits of a hypothesis that agree with gold edits as far as they can."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Literal, NamedTuple

from gecbench.core.edit import Edit
from gecbench.edits.alignment import common_prefix

# The lattice of a sentence pair: every optimal alignment under two edit distances.
#
# Dahlmeier and Ng, NAACL 2012; m2scorer cb874a7 (levenshtein.py). A vertex is a pair of how many
# source and how many hypothesis tokens are behind it; an arc covers the tokens between two.
# Insertion and deletion cost 1; a replacement costs 1 in the first distance and 2 in the second.


Cell = tuple[int, int]

UNCHANGED, INSERT, DELETE, REPLACE = range(4)
"""Kinds of an arc; one that is merged of two different kinds replaces."""

_DIAGONAL, _UP, _LEFT = 1, 2, 4
_STEPS = ((_DIAGONAL, 1, 1), (_UP, 1, 0), (_LEFT, 0, 1))

CODE = 4
"""Bytes of a token code."""


class BaseArc(NamedTuple):
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


class Graph(NamedTuple):
    """The union of the optimal alignments of both distances.

    Args:
        cells: The vertices, sorted; so every arc goes from a lower to a higher number.
        steps: Base arcs out of each vertex, by where they end.
    """

    cells: list[Cell]
    steps: list[list[BaseArc]]


def build_graph(source: bytes, target: bytes) -> Graph:
    """The lattice of two token sequences.

    Args:
        source: Token codes, native 32-bit integers.
        target: The same of the hypothesis.
    """
    a, b = array("I", source), array("I", target)
    single, double = (_optimal_arcs(_table(a, b, replace)) for replace in (1, 2))
    ends = {(0, 0), (len(a), len(b))}
    cells = sorted(ends.union(*single, *double))
    numbers = {cell: n for n, cell in enumerate(cells)}
    steps: list[list[BaseArc]] = [[] for _ in cells]
    for arc in sorted(single | double):
        (i, j), end = arc
        kind = REPLACE
        if end[0] == i:
            kind = INSERT
        elif end[1] == j:
            kind = DELETE
        elif a[i] == b[j]:
            kind = UNCHANGED
        steps[numbers[i, j]].append(BaseArc(numbers[end], kind, (arc in single) + (arc in double)))
    return Graph(cells, steps)


def pairs(graph: Graph, limit: int) -> int:
    """A bound on the number of different arcs, found without making them.

    For each vertex, how many vertices lie between it and the first from which it can be reached
    over no more than `limit` unchanged tokens.
    """
    first = list(range(len(graph.cells)))
    # earliest[u]: with at most u unchanged tokens.
    earliest = [list(first) for _ in range(limit + 1)]
    for v, steps in enumerate(graph.steps):
        for step in steps:
            first[step.end] = min(first[step.end], v)
            cost = step.kind == UNCHANGED
            for u in range(cost, limit + 1):
                earliest[u][step.end] = min(earliest[u][step.end], earliest[u - cost][v])
    return sum(v - min(first[v], earliest[limit][v]) for v in range(len(first)))


def vertices_at(graph: Graph, position: int) -> range:
    """The numbers of the vertices with so many source tokens behind them."""
    return range(
        bisect_left(graph.cells, (position, 0)), bisect_left(graph.cells, (position + 1, 0))
    )


def text_of(graph: Graph, target: bytes, u: int, v: int) -> bytes:
    """The hypothesis tokens between two vertices, as codes."""
    return target[CODE * graph.cells[u][1] : CODE * graph.cells[v][1]]


def _table(a: array[int], b: array[int], replace: int) -> list[bytearray]:
    """All optimal predecessors of each cell, as bits."""
    above = list(range(len(b) + 1))
    predecessors = [bytearray([_LEFT] * len(above))]
    for x, token in enumerate(a, 1):
        row, ops = [x], bytearray([_UP] * len(above))
        for y, other in enumerate(b, 1):
            diagonal = above[y - 1] + (0 if token == other else replace)
            up, left = above[y] + 1, row[-1] + 1
            least = min(diagonal, up, left)
            row.append(least)
            ops[y] = (diagonal == least) * _DIAGONAL | (up == least) * _UP | (left == least) * _LEFT
        above = row
        predecessors.append(ops)
    predecessors[0][0] = 0
    return predecessors


def _optimal_arcs(predecessors: list[bytearray]) -> set[tuple[Cell, Cell]]:
    """The arcs of all optimal alignments, by walking back from the far corner."""
    corner = (len(predecessors) - 1, len(predecessors[0]) - 1)
    visited, stack = {corner}, [corner]
    arcs: set[tuple[Cell, Cell]] = set()
    while stack:
        cell = stack.pop()
        ops = predecessors[cell[0]][cell[1]]
        for op, dx, dy in _STEPS:
            if ops & op:
                before = (cell[0] - dx, cell[1] - dy)
                arcs.add((before, cell))
                if before not in visited:
                    visited.add(before)
                    stack.append(before)
    return arcs


# Which insertions at one place are gold: arcs and gold edits are walked from both ends.


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


# The edits that m2scorer proposes, arc by arc, in readable form.
#
# `_maxmatch.cpp` does the same work fast and is used where it could be compiled; `match` chooses.
# Rules as m2scorer cb874a7 (levenshtein.py), its faults included, for they decide edits: arcs that
# stand twice in the list are charged twice, some merged arcs over unchanged tokens survive their
# removal, and sums of doubles are taken in the order written here, because that decides ties.


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
    """The edits that are proposed for each annotator, from left to right.

    Args:
        source: Token codes, native 32-bit integers.
        target: The same of the hypothesis.
        limit: How many unchanged tokens a merged edit may cover.
        golds: Each annotator's, in the order of the file; spans lie in the source.
        most: Bound on the pairs of vertices that may be joined; None is returned above it.
    """
    graph = build_graph(source, target)
    if pairs(graph, limit) > most:
        return None
    arcs = _merge_arcs(graph, limit)
    plain = arcs.plain_weights()
    spans = []
    for annotator in golds:
        weights = list(plain)
        _reward_golds(arcs, weights, graph, target, annotator)
        spans.append(_best(arcs, weights, graph))
    return spans


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
        """The number of a new arc; it is not listed yet."""
        number = self.into[end][start] = len(self.start)
        self.start.append(start)
        self.end.append(end)
        self.length.append(length)
        self.unchanged.append(unchanged)
        self.kind.append(kind)
        return number

    def plain_weights(self) -> list[float]:
        """What each arc costs where no gold edit asks for it."""
        weights = [float(length) for length in self.length]
        for arc in self.listed:
            if self.kind[arc] != UNCHANGED:
                weights[arc] += _CHARGE
        return weights


def _merge_arcs(graph: Graph, limit: int) -> _Arcs:
    """The base arcs and all that are merged of them.

    m2scorer tries every vertex as pivot k between every i and j. Vertices are numbered so that
    arcs go upwards, so an arc out of k that is not a base arc is made by a later pivot: base
    arcs are all that has to be tried behind k.
    """
    arcs = _Arcs([{} for _ in graph.cells])
    for v, steps in enumerate(graph.steps):
        for step in steps:
            number = arcs.add(v, step.end, 1, step.kind == UNCHANGED, step.kind)
            arcs.listed.extend([number] * step.times)
    for k, steps in enumerate(graph.steps):
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
    """The list without merged arcs over unchanged tokens alone, but for some.

    m2scorer removes from the list that it walks, so the arc behind a removed one is not looked at.
    """
    rest: list[int] = []
    looks = True
    for arc in arcs.listed:
        removes = looks and arcs.kind[arc] == UNCHANGED and arcs.length[arc] > 1
        looks = not removes
        if not removes:
            rest.append(arc)
    return rest


def _reward_golds(
    arcs: _Arcs, weights: list[float], graph: Graph, target: bytes, golds: Sequence[Gold]
) -> None:
    """Lower the weights of the arcs that gold edits ask for."""
    gold = -float(len(arcs.listed))
    insertions: dict[int, list[tuple[bytes, ...]]] = {}
    for start, end, texts in golds:
        if start == end:
            insertions.setdefault(start, []).append(texts)
            continue
        ends = vertices_at(graph, end)
        for u in vertices_at(graph, start):
            for v in ends:
                arc = arcs.into[v].get(u)
                if arc is not None and text_of(graph, target, u, v) in texts:
                    weights[arc] = gold
    for position, choices in insertions.items():
        row = vertices_at(graph, position)
        arcs_here = [arcs.into[v][u] for u in row for v in row if u in arcs.into[v]]
        ways = [arc for arc in arcs_here for _ in range(_times(arcs, graph, arc))]
        gaps = [(arcs.start[arc], arcs.end[arc]) for arc in ways]
        for arc in ways:
            weights[arc] = float(arcs.length[arc])
        for n, hit in walk(gaps, [text_of(graph, target, *gap) for gap in gaps], choices):
            weights[ways[n]] = gold if hit else weights[ways[n]] + _CHARGE


def _times(arcs: _Arcs, graph: Graph, arc: int) -> int:
    """How often an insertion is listed: once if merged, for it has only one length."""
    if arcs.length[arc] > 1:
        return 1
    return next(s.times for s in graph.steps[arcs.start[arc]] if s.kind == INSERT)


def _best(arcs: _Arcs, weights: Sequence[float], graph: Graph) -> list[Span]:
    """The edits on the lightest path; of equal ones, the first that the walk finds.

    Bellman-Ford over the list as it is. m2scorer goes through it once for every vertex; after a
    round without a change nothing changes any more.
    """
    cost = [inf] * len(graph.cells)
    cost[0] = 0.0
    last: list[int | None] = [None] * len(graph.cells)
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
            (i, j), (x, y) = graph.cells[arcs.start[before]], graph.cells[arcs.end[before]]
            spans.append((i, x, j, y))
        before = last[arcs.start[before]]
    return spans[::-1]


# Nearly the edits that m2scorer proposes, in time linear in the base arcs.
#
# For sentences whose lattice is too large to be closed. The path is chosen by most gold arcs, then
# least base length outside them, then fewest edits, compared in this order; m2scorer adds the three
# up as weights, and charges arcs that stand twice in its list twice.


_GOLD, _LENGTH, _EDIT = 1 << 48, 1 << 24, 1  # so far apart that their sums do not meet

Node = tuple[int, int]
"""A vertex, and a state: between two edits, or `_INSIDE` + u in one over u unchanged tokens."""

_BETWEEN, _INSIDE = 0, 1


def approximate(
    source: bytes, target: bytes, limit: int, golds: Sequence[Sequence[Gold]]
) -> list[list[Span]]:
    """The edits that are proposed for each annotator, from left to right.

    Args:
        source: Token codes, native 32-bit integers.
        target: The same of the hypothesis.
        limit: How many unchanged tokens a merged edit may cover.
        golds: Each annotator's, in the order of the file; spans lie in the source.
    """
    graph = build_graph(source, target)
    spans = []
    for annotator in golds:
        joins: dict[int, list[int]] = {}
        for u, v in _gold_arcs(graph, target, limit, annotator):
            joins.setdefault(u, []).append(v)
        spans.append(_spans(graph, _cheapest_paths(graph, limit, joins)))
    return spans


def _gold_arcs(graph: Graph, target: bytes, limit: int, golds: Sequence[Gold]) -> Iterator[Gap]:
    insertions: dict[int, list[tuple[bytes, ...]]] = {}
    for start, end, texts in golds:
        if start == end:
            insertions.setdefault(start, []).append(texts)
            continue
        numbers = {graph.cells[v][1]: v for v in vertices_at(graph, end)}
        for u in vertices_at(graph, start):
            for text in set(texts):
                v = numbers.get(graph.cells[u][1] + len(text) // CODE)
                if v and text_of(graph, target, u, v) == text and _is_arc(graph, limit, u, v):
                    yield u, v
    for position, choices in insertions.items():
        gaps = list(_gaps(graph, vertices_at(graph, position)))
        gap_texts = [text_of(graph, target, *gap) for gap in gaps]
        yield from (gaps[n] for n, hit in walk(gaps, gap_texts, choices) if hit)


def _is_arc(graph: Graph, limit: int, u: int, v: int) -> bool:
    """Whether a base arc or a merged one leads from one vertex to another."""
    if any(step.end == v for step in graph.steps[u]):
        return True
    x, y = graph.cells[v]
    fewest = {u: 0}  # unchanged tokens, by vertex; vertices are met in their order
    diagonal = {u}  # reached over unchanged tokens alone
    for n in range(u, v):
        if n not in fewest:
            continue
        for step in graph.steps[n]:
            if graph.cells[step.end][0] <= x and graph.cells[step.end][1] <= y:
                unchanged = fewest[n] + (step.kind == UNCHANGED)
                fewest[step.end] = min(unchanged, fewest.get(step.end, unchanged))
                if n in diagonal and step.kind == UNCHANGED:
                    diagonal.add(step.end)
    # Merged arcs over unchanged tokens alone are removed.
    return fewest.get(v, limit + 1) <= limit and v not in diagonal


def _gaps(graph: Graph, row: range) -> Iterator[Gap]:
    """Yield the insertions at one place, sorted, as often as they are listed."""
    for u in row:
        v, times = u, 0
        while step := next((s for s in graph.steps[v] if s.kind == INSERT), None):
            times = step.times if v == u else 1
            v = step.end
            yield from [(u, v)] * times


def _cheapest_paths(
    graph: Graph, limit: int, joins: Mapping[int, Sequence[int]]
) -> list[list[Node]]:
    """Return, for each vertex and state, where the cheapest way to it comes from."""
    states = limit + 2
    cost: list[list[float]] = [[inf] * states for _ in graph.cells]
    last: list[list[Node]] = [[(0, _BETWEEN)] * states for _ in graph.cells]
    cost[0][_BETWEEN] = 0

    def reach(node: Node, v: int, state: int, more: int) -> None:
        through = cost[node[0]][node[1]] + more
        if through < cost[v][state]:
            cost[v][state], last[v][state] = through, node

    for v, steps in enumerate(graph.steps):
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


def _spans(graph: Graph, last: Sequence[Sequence[Node]]) -> list[Span]:
    """The edits on the way to the last vertex."""
    spans: list[Span] = []
    end = v = len(graph.cells) - 1
    state = _BETWEEN
    while v:
        before, was = last[v][state]
        if state == _BETWEEN:
            end = v
        if was == _BETWEEN and (state != _BETWEEN or not _is_unchanged(graph, before, v)):
            (i, j), (x, y) = graph.cells[before], graph.cells[end]
            spans.append((i, x, j, y))
        v, state = before, was
    return spans[::-1]


def _is_unchanged(graph: Graph, u: int, v: int) -> bool:
    return any(step.end == v and step.kind == UNCHANGED for step in graph.steps[u])


# The edits of a hypothesis, found so that as many as possible are gold, and what they match.
#
# Dahlmeier and Ng, "Better Evaluation for Grammatical Error Correction", NAACL 2012; m2scorer
# cb874a7 (levenshtein.py), whose counts and edits these are.


try:
    from gecbench.edits import _maxmatch as compiled  # type: ignore[attr-defined,unused-ignore]
except ImportError:  # no compiler at installation: slower, the same numbers
    compiled = None

Level = Literal["exact", "linear"]

MOST_PAIRS = 4_000_000
"""Pairs of vertices up to which the lattice is closed: 52 tokens rewritten into as many others,
which makes two million arcs."""

Text = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matching:
    """What a hypothesis proposes against the gold edits of one annotator.

    Args:
        proposed: Its edits from left to right, as they are compared. They may begin or end with
            unchanged tokens.
        matched: Places of a proposed edit and of the gold edit that it matches. Where an
            annotator wrote an edit twice, one proposal can match both.
        golds: How many gold edits there are.
        level: "linear" where the lattice was too large to be closed; then the counts are nearly
            always, and the edits often, those of the official program.
    """

    proposed: tuple[Edit, ...]
    matched: tuple[tuple[int, int], ...]
    golds: int
    level: Level = "exact"


def match(
    source: Text,
    hypothesis: Text,
    golds: Sequence[Sequence[Edit]],
    *,
    max_unchanged_words: int = 2,
    ignore_whitespace_casing: bool = False,
) -> tuple[Matching, ...]:
    """What a hypothesis proposes and matches, for each annotator.

    Args:
        source: Tokens.
        hypothesis: Tokens.
        golds: The edits of each annotator, in the order of the file, which matters: the official
            program matches an edit only behind those it has matched. Labels are not looked at.
            An edit without a replacement stands for its alternatives, and without these for the
            source's own text.
        max_unchanged_words: How many unchanged tokens one proposed edit may cover.
        ignore_whitespace_casing: Drop proposals that change white space and letter case alone.

    >>> (matching,) = match(("a", "b"), ("a", "c", "b"), [[Edit(1, 1, ("c",))]])
    >>> matching.matched
    ((0, 0),)
    """
    accepted = [[_texts(gold, source) for gold in edits] for edits in golds]
    if source == hypothesis:
        return tuple(Matching((), (), len(edits)) for edits in golds)
    limit = min(max_unchanged_words, len(source))
    spans, level = _propose(source, hypothesis, limit, golds, accepted)
    matchings = []
    for gold, texts, proposals in zip(golds, accepted, spans, strict=True):
        if ignore_whitespace_casing:
            proposals = [span for span in proposals if _differs(source, hypothesis, span)]
        edits = tuple(Edit(i, x, hypothesis[j:y]) for i, x, j, y in proposals)
        matchings.append(Matching(edits, _match_golds(edits, gold, texts), len(gold), level))
    return tuple(matchings)


def kernel_name() -> str:
    """Which kernel runs: "compiled" or "python"."""
    return "python" if compiled is None else "compiled"


def trim(edit: Edit, source: Text) -> Edit:
    """An edit without the tokens that both sides begin or end with, as m2scorer shows it.

    >>> trim(Edit(0, 2, ("a", "gene", ".")), ("gene", ".")).replacement
    ('a',)
    """
    before, after = source[edit.start : edit.end], edit.replacement or ()
    head = common_prefix(before, after)
    tail = common_prefix(before[head:][::-1], after[head:][::-1])
    return Edit(edit.start + head, edit.end - tail, after[head : len(after) - tail])


def _texts(gold: Edit, source: Text) -> tuple[Text, ...]:
    """The texts that a gold edit accepts."""
    if gold.replacement is not None:
        return (gold.replacement, *gold.alternatives)
    return gold.alternatives or (source[gold.start : gold.end],)


def _propose(
    source: Text,
    hypothesis: Text,
    limit: int,
    golds: Sequence[Sequence[Edit]],
    accepted: Sequence[Sequence[tuple[Text, ...]]],
) -> tuple[list[list[Span]], Level]:
    codes = {token: n for n, token in enumerate(dict.fromkeys((*source, *hypothesis)))}
    a, b = _encode(source, codes), _encode(hypothesis, codes)
    encoded_golds = tuple(
        tuple(
            _encode_gold(gold, texts, codes)
            for gold, texts in zip(edits, accepts, strict=True)
            if gold.end <= len(source)  # beyond it, no proposal can match
        )
        for edits, accepts in zip(golds, accepted, strict=True)
    )
    propose = proposals if compiled is None else compiled.proposals
    spans: list[list[Span]] | None = propose(a, b, limit, encoded_golds, MOST_PAIRS)
    if spans is None:
        return approximate(a, b, limit, encoded_golds), "linear"
    return spans, "exact"


def _encode_gold(gold: Edit, texts: Sequence[Text], codes: Mapping[str, int]) -> Gold:
    """A gold edit in codes, without texts that hold tokens which the pair does not have."""
    known = (text for text in texts if all(token in codes for token in text))
    return gold.start, gold.end, tuple(_encode(text, codes) for text in known)


def _encode(text: Text, codes: Mapping[str, int]) -> bytes:
    return array("I", [codes[token] for token in text]).tobytes()


def _differs(source: Text, hypothesis: Text, span: Span) -> bool:
    i, x, j, y = span
    return "".join(source[i:x]).lower() != "".join(hypothesis[j:y]).lower()


def _match_golds(
    edits: Sequence[Edit], golds: Sequence[Edit], accepted: Sequence[tuple[Text, ...]]
) -> tuple[tuple[int, int], ...]:
    """Which proposals match which gold edits: the pointer into the golds never goes back.

    Behind a match the search for the same proposal goes on, so a gold edit that is written twice
    is matched twice.
    """
    pairs: list[tuple[int, int]] = []
    behind = 0
    for n, edit in enumerate(edits):
        for position in range(behind, len(golds)):
            gold = golds[position]
            if (edit.start, edit.end) == (gold.start, gold.end) and (
                edit.replacement in accepted[position]
            ):
                pairs.append((n, position))
                behind = position + 1
    return tuple(pairs)
