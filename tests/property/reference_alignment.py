"""Alignment and edit sets, slow and obvious: lists every co-optimal path, as ChERRANT does.

Written from the specification, sections 5 to 7, with no thought of speed and no code shared with
what it tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Step = tuple[str, int, int, int, int]


def table(a: Sequence[int], b: Sequence[int], cost: Callable[[int, int], float], swaps: bool):
    """Return costs and kept operations of every cell."""
    costs = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    paths_of: list[list[list[tuple[str, int]]]] = [[[] for _ in costs[0]] for _ in costs]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            if i == 0 or j == 0:
                costs[i][j] = float(i + j)
                paths_of[i][j] = [("D" if i else "I", 1)] if i + j else []
                continue
            if a[i - 1] == b[j - 1]:
                costs[i][j] = costs[i - 1][j - 1]
                paths_of[i][j] = [("M", 1)]
                continue
            ways = []
            k = 1
            while (
                swaps
                and i - 1 - k >= 0
                and j - 1 - k >= 0
                and costs[i - k][j - k] != costs[i - k - 1][j - k - 1]
            ):
                if sorted(a[i - 1 - k : i]) == sorted(b[j - 1 - k : j]):
                    ways.append((costs[i - 1 - k][j - 1 - k] + k, "T", k + 1))
                    break
                k += 1
            ways.append((costs[i - 1][j - 1] + cost(a[i - 1], b[j - 1]), "S", 1))
            ways.append((costs[i][j - 1] + 1, "I", 1))
            ways.append((costs[i - 1][j] + 1, "D", 1))
            least = min(value for value, _, _ in ways)
            costs[i][j] = least
            paths_of[i][j] = [(op, width) for value, op, width in ways if value == least]
    return costs, paths_of


def paths(a: Sequence[int], b: Sequence[int], cost, *, swaps: bool = True, first: bool = False):
    """Yield every least-cost path, the first as the depth-first listing from the end has it."""
    _, paths_of = table(a, b, cost, swaps)

    def back(i: int, j: int, path: tuple[Step, ...]):
        if i == 0 and j == 0:
            yield path
            return
        for op, width in paths_of[i][j][:1] if first else paths_of[i][j]:
            x = i - (0 if op == "I" else width)
            y = j - (0 if op == "D" else width)
            yield from back(x, y, ((op, x, i, y, j), *path))

    yield from back(len(a), len(b), ())


def segments(path: tuple[Step, ...]) -> list[Step]:
    """Cut a path into runs of M, single T, and runs of the others merged by their kinds."""
    cut: list[list[Step]] = []
    for step in path:
        kind = "M" if step[0] == "M" else "T" if step[0] == "T" else "X"
        last = cut[-1][-1][0] if cut else ""
        last_kind = last if last in ("M", "T", "") else "X"
        if kind != "T" and kind == last_kind:
            cut[-1].append(step)
        else:
            cut.append([step])
    merged = []
    for run in cut:
        kinds = {step[0] for step in run}
        kind = kinds.pop() if len(kinds) == 1 else "S"
        merged.append((kind, run[0][1], run[-1][2], run[0][3], run[-1][4]))
    return merged


def distance(first: str, second: str) -> int:
    """Return the edit distance of two strings."""
    row = list(range(len(second) + 1))
    for i, x in enumerate(first, 1):
        above, row = row, [i]
        for j, y in enumerate(second, 1):
            row.append(min(above[j - 1] + (x != y), above[j] + 1, row[-1] + 1))
    return row[-1]


def merge(parts: list[Step], source: str, target: str, punctuation: str) -> tuple[Step, ...]:
    """Merge by windows of three, as section 7.2 says."""
    edits = []
    at = 0
    while at < len(parts):
        if at + 2 < len(parts) and _window(parts[at : at + 3], source, target, punctuation):
            first, _, second = parts[at : at + 3]
            edits.append(("T", first[1], second[2], first[3], second[4]))
            at += 3
            continue
        if parts[at][0] != "M":
            edits.append(parts[at])
        at += 1
    return tuple(edits)


def _window(third: list[Step], source: str, target: str, punctuation: str) -> bool:
    first, middle, second = third
    kinds = first[0] + middle[0] + second[0]
    w1, w2 = source[first[1] : first[2]], target[first[3] : first[4]]
    w3, w4 = source[second[1] : second[2]], target[second[3] : second[4]]
    if kinds == "SMS":
        if min(map(len, (w1, w2, w3, w4))) == 1:
            return w1 == w4 and w2 == w3
        return distance(w1, w4) <= 1 and distance(w2, w3) <= 1
    if kinds in ("DMI", "DTI"):
        a, b = w1, w4
    elif kinds in ("IMD", "ITD"):
        a, b = w3, w2
    else:
        return False
    if len(a) < len(b):
        a, b = b, a
    if a in punctuation or b in punctuation or len(a) - len(b) > 1:
        return False
    if len(b) == 1:
        return a == b
    if distance(a, b) <= 1:
        return True
    return len(a) == len(b) and any(a[k:] + a[:k] == b for k in range(len(a)))


def edit_sets(source: str, target: str, cost, punctuation: str, *, first: bool = False):
    """Return the distinct edit sets in order of first appearance."""
    a, b = [ord(c) for c in source], [ord(c) for c in target]
    only_first = first or abs(len(a) - len(b)) > 10
    seen: dict[tuple[Step, ...], None] = {}
    for path in paths(a, b, cost, first=only_first):
        seen[merge(segments(path), source, target, punctuation)] = None
    return list(seen)
