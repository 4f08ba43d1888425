"""MaxMatch, slow and literal: every step of m2scorer, over strings and pairs of numbers.

Nothing is shared with the fast code and nothing is skipped: every vertex is tried as pivot
between every two others, and the list of arcs is gone through once for every vertex.
"""

from __future__ import annotations

from math import inf

Vertex = tuple[int, int]
Gold = tuple[int, int, list[str]]


def table(a, b, replace):
    """For each cell its optimal predecessors with the kind of step."""
    cost = {(0, 0): 0}
    before = {(0, 0): []}
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            ways = []
            if i and j:
                same = a[i - 1] == b[j - 1]
                kind = "unchanged" if same else "replace"
                ways.append((cost[i - 1, j - 1] + (0 if same else replace), (i - 1, j - 1), kind))
            if i:
                ways.append((cost[i - 1, j] + 1, (i - 1, j), "delete"))
            if j:
                ways.append((cost[i, j - 1] + 1, (i, j - 1), "insert"))
            if ways:
                cost[i, j] = min(way[0] for way in ways)
                before[i, j] = [way[1:] for way in ways if way[0] == cost[i, j]]
    return before


def graph(a, b, replace):
    """Vertices and arcs of all optimal alignments under one distance."""
    before = table(a, b, replace)
    vertices, arcs, queue = [], {}, [(len(a), len(b))]
    while queue:
        vertex = queue.pop(0)
        if vertex in vertices:
            continue
        vertices.append(vertex)
        for start, kind in before[vertex]:
            arcs[start, vertex] = (1, int(kind == "unchanged"), kind)
            queue.append(start)
    return vertices, arcs


def union(a, b):
    """Both graphs together; arcs that both have are listed twice."""
    first, arcs_one = graph(a, b, 1)
    two, arcs_two = graph(a, b, 2)
    listed = sorted([*arcs_one, *arcs_two])
    return sorted({*first, *two}), listed, arcs_one | arcs_two


def close(vertices, listed, arcs, limit):
    """Merged arcs, then the removal of those over unchanged tokens alone, with its mistake."""
    for k in vertices:
        for i in vertices:
            if (i, k) not in arcs:
                continue
            for j in vertices:
                if (k, j) not in arcs:
                    continue
                first, second = arcs[i, k], arcs[k, j]
                length, unchanged = first[0] + second[0], first[1] + second[1]
                kind = first[2] if first[2] == second[2] else "replace"
                if length < arcs.get((i, j), (inf,))[0] and unchanged <= limit:
                    arcs[i, j] = (length, unchanged, kind)
                    listed.append((i, j))
    at = 0
    while at < len(listed):
        length, _, kind = arcs[listed[at]]
        if kind == "unchanged" and length > 1:
            del listed[at]
        at += 1


def weigh(listed, arcs, b, golds: list[Gold]):
    """The weight of each arc for one annotator."""
    weights = {arc: float(arcs[arc][0]) for arc in listed}
    for span in {(i[0], j[0]) for i, j in listed}:
        ways = sorted(arc for arc in listed if (arc[0][0], arc[1][0]) == span)
        sequences = [texts for start, end, texts in golds if (start, end) == span]
        texts = [" ".join(b[i[1] : j[1]]) for i, j in ways]
        if span[0] == span[1]:
            insertions(ways, texts, sequences, weights, -float(len(listed)))
            continue
        for arc, text in zip(ways, texts, strict=True):
            if any(text in sequence for sequence in sequences):
                weights[arc] = -float(len(listed))
            elif arcs[arc][2] != "unchanged":
                weights[arc] += 0.001
    return weights


def insertions(ways, texts, golds, weights, gold_weight):
    """The walk from both ends over the insertions at one place."""
    left, right, low, high, turn = 0, len(ways) - 1, 0, len(golds) - 1, "left"
    while left <= right:
        turn = "left" if left == right else turn
        at = left if turn == "left" else right
        window = list(range(low, high + 1))
        hits = [n for n in (window if turn == "left" else window[::-1]) if texts[at] in golds[n]]
        if not hits:
            weights[ways[at]] += 0.001
            if turn == "left":
                left, turn = left + 1, "right"
            else:
                right, turn = right - 1, "left"
            continue
        weights[ways[at]] = gold_weight
        if turn == "left":
            low, left = hits[0] + 1, left + 1
            while left < len(ways) and ways[left][0] != ways[at][1]:
                weights[ways[left]] += 0.001
                left += 1
        else:
            high, right = hits[0] - 1, right - 1
            while right >= 0 and ways[right][1] != ways[at][0]:
                weights[ways[right]] += 0.001
                right -= 1


def proposals(a, b, golds: list[Gold], limit: int):
    """The edits (start, end, start, end) proposed for one annotator."""
    vertices, listed, arcs = union(a, b)
    close(vertices, listed, arcs, limit)
    weights = weigh(listed, arcs, b, golds)
    cost, path = dict.fromkeys(vertices, inf), {}
    cost[0, 0] = 0
    for _ in range(len(vertices) - 1):
        for start, end in listed:
            if cost[start] + weights[start, end] < cost[end]:
                cost[end] = cost[start] + weights[start, end]
                path[end] = start
    edits, at = [], vertices[-1]
    while at in path:
        if arcs[path[at], at][2] != "unchanged":
            edits.append((path[at][0], at[0], path[at][1], at[1]))
        at = path[at]
    return edits[::-1]


def matches(a, b, edits, golds: list[Gold]):
    """Places of matched proposals and golds, as m2scorer counts them."""
    places, behind = [], 0
    for n, (i, x, j, y) in enumerate(edits):
        for place in range(behind, len(golds)):
            start, end, texts = golds[place]
            if (start, end) == (i, x) and " ".join(b[j:y]) in texts:
                places.append((n, place))
                behind = place + 1
    return places
