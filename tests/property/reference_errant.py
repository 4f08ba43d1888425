"""ERRANT's alignment and merging written slowly from the specification, to hold the fast ones to.

Nothing here is shared with gecbench.lang.en.
"""

from __future__ import annotations

from itertools import combinations
from string import punctuation
from typing import NamedTuple

Item = tuple[str, int, int, int, int]


class Token(NamedTuple):
    """What ERRANT reads of a token before it asks for its type."""

    form: str
    lemma: str
    pos: str
    tag: str


def indel(first: str, second: str) -> float:
    """Normalised Indel distance."""
    row = [0] * (len(second) + 1)
    for x in first:
        above, row = row, [0]
        for j, y in enumerate(second):
            row.append(above[j] + 1 if x == y else max(above[j + 1], row[-1]))
    both = len(first) + len(second)
    return (both - 2 * row[-1]) / both


def substitution(o: Token, c: Token) -> float:
    """Cost of one word for another."""
    if o.form.lower() == c.form.lower():
        return 0
    lemma = 0 if o.lemma == c.lemma else 0.499
    classes = {o.pos, c.pos}
    pos = 0 if len(classes) == 1 else 0.25 if classes <= {"ADJ", "ADV", "NOUN", "VERB"} else 0.5
    return lemma + pos + indel(o.form, c.form)


def align(source: list[Token], target: list[Token], *, levenshtein: bool) -> list[Item]:
    """Fill the whole table, then walk back."""
    n, m = len(source), len(target)
    cost = [[float(i + j) for j in range(m + 1)] for i in range(n + 1)]
    ops = [["I" if j else "D" for j in range(m + 1)] for i in range(n + 1)]
    for i in range(n):
        for j in range(m):
            if source[i].form == target[j].form:
                cost[i + 1][j + 1], ops[i + 1][j + 1] = cost[i][j], "M"
                continue
            swap, k = float("inf"), 1
            if not levenshtein:
                swap, k = _swap(source, target, cost, i, j)
            replace = 1 if levenshtein else substitution(source[i], target[j])
            costs = [swap, cost[i][j] + replace, cost[i + 1][j] + 1, cost[i][j + 1] + 1]
            least = costs.index(min(costs))
            cost[i + 1][j + 1] = costs[least]
            ops[i + 1][j + 1] = (f"T{k + 1}", "S", "I", "D")[least]
    steps = []
    i, j = n, m
    while i or j:
        op = ops[i][j]
        width = int(op[1:] or 1)
        x, y = i - width * (op != "I"), j - width * (op != "D")
        steps.append((op, x, i, y, j))
        i, j = x, y
    return steps[::-1]


def _swap(source, target, cost, i: int, j: int) -> tuple[float, int]:
    k = 1
    while min(i, j) >= k and cost[i - k + 1][j - k + 1] != cost[i - k][j - k]:
        sides = (source[i - k : i + 1], target[j - k : j + 1])
        first, second = (sorted(token.form.lower() for token in side) for side in sides)
        if first == second:
            return cost[i - k][j - k] + k, k
        k += 1
    return float("inf"), k


def rules(items: list[Item], source: list[Token], target: list[Token]) -> list[Item]:
    """The merging strategy "rules"."""
    edits: list[Item] = []
    run: list[Item] = []
    for item in [*items, ("M", 0, 0, 0, 0)]:
        if item[0] in "SID":
            run.append(item)
            continue
        edits += process(run, source, target)
        run = []
        if item[0] != "M":
            edits.append(item)
    return edits


def merged(items: list[Item]) -> list[Item]:
    """One item for several."""
    return [("X", items[0][1], items[-1][2], items[0][3], items[-1][4])]


def process(seq: list[Item], source: list[Token], target: list[Token]) -> list[Item]:
    """Merge and split a run, recursively."""
    if len(seq) < 2:
        return seq
    kinds = {item[0] for item in seq}
    if kinds in ({"D"}, {"I"}):
        return merged(seq)
    content = False
    for s, e in sorted(combinations(range(len(seq)), 2), key=lambda pair: pair[0] - pair[1]):
        if all(item[0] != "S" for item in seq[s : e + 1]):
            continue
        o, c = source[seq[s][1] : seq[e][2]], target[seq[s][3] : seq[e][4]]
        rule = _rule(seq, s, e, o, c)
        if rule is not None:
            start, end, makes_one = rule
            middle = merged(seq[start:end]) if makes_one else seq[start:end]
            before = process(seq[:start], source, target)
            return before + middle + process(seq[end:], source, target)
        content = content or any(
            token.pos in ("ADJ", "AUX", "ADV", "NOUN", "VERB") for token in o + c
        )
    return merged(seq) if content else seq


def _rule(seq, s: int, e: int, o: list[Token], c: list[Token]) -> tuple[int, int, bool] | None:
    """The items between, and whether they become one."""
    if s == 0 and "POS" in (o[0].tag, c[0].tag):
        return 0, 1, False
    if "POS" in (o[-1].tag, c[-1].tag):
        return e - 1, e + 1, True
    if o[-1].form.lower() == c[-1].form.lower():
        if s == 0 and len(o) == 1 and c[0].form[0].isupper():
            return s, e + 1, True
        if s == 0 and len(c) == 1 and o[0].form[0].isupper():
            return s, e + 1, True
        if any(len(side) > 1 and _is_mark(side[-2]) for side in (o, c)):
            return e - 1, e + 1, True
    bare = [
        "".join(token.form.lower() for token in side).replace("'", "").replace("-", "")
        for side in (o, c)
    ]
    classes = {token.pos for token in o + c}
    verbal = classes <= {"AUX", "PART", "VERB"}
    if bare[0] == bare[1] or (len(o) != len(c) and (len(classes) == 1 or verbal)):
        return s, e + 1, True
    return _split(seq, s, e, o, c) if e - s == 1 else None


def _split(seq, s: int, e: int, o: list[Token], c: list[Token]) -> tuple[int, int, bool] | None:
    if len(o) == len(c) == 2:
        return e, e, False
    if seq[s][0] == "S" and 1 - indel(o[0].form, c[0].form) > 0.75:
        return e, e, False
    if seq[e][0] == "S" and 1 - indel(o[-1].form, c[-1].form) > 0.75:
        return e, e, False
    if e == len(seq) - 1:
        if seq[e][0] in "DS" and o[-1].pos == "DET":
            return e, e + 1, False
        if seq[e][0] in "IS" and c[-1].pos == "DET":
            return e, e + 1, False
    return None


def _is_mark(token: Token) -> bool:
    return token.pos == "PUNCT" or token.form in punctuation
