"""The alignment dynamic programme, in readable form.

`_kernel.cpp` does the same work fast and is used where it could be compiled; `align` chooses.
Costs: insertion and deletion 1; substitution as the scheme says; transposition of k + 1 tokens
k. Rules as ChERRANT's `alignment.py` (MuCGEC 3922193), which differ from a plain edit distance:

- Where the two tokens are equal, only a match is kept; nothing else is considered.
- Otherwise transposition, substitution, insertion and deletion are considered in this order, and
  each whose cost equals the least, by ==, is kept. Sums are taken in double arithmetic, in the
  order written here, because that decides ties.
- A transposition covers the last k + 1 tokens of both sides, which must be the same multiset, for
  the smallest such k; the search stops at the first diagonal step that cost nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import accumulate
from typing import Protocol

Arc = tuple[str, int, int]
"""Kind of a segment and the cell where it starts."""

Segment = tuple[str, int, int, int, int]
"""Kind, then half-open spans of source and target: (kind, start, end, start, end)."""


class GradedCost(Protocol):
    """A substitution cost that depends on the tokens."""

    @property
    def lowest(self) -> float:
        """No substitution costs less; above 0."""
        ...

    def row(self, code: int) -> Mapping[int, float]:
        """The cost of each other code in the place of this one."""
        ...


_MATCH, _SWAP, _SUBSTITUTE, _INSERT, _DELETE = 1, 2, 4, 8, 16


class Lattice:
    """All least-cost alignments of two token sequences.

    Args:
        source: Token codes, native 32-bit integers.
        target: The same of the other side.
        cost: Cost of substituting one code by another different one, above 0 and below 2; None
            means that each costs 1 and that there are no transpositions (edit distance).
    """

    def __init__(self, source: bytes, target: bytes, cost: GradedCost | None) -> None:
        """Fill the table."""
        self._a = array("I", source)
        self._b = array("I", target)
        n, m = len(self._a), len(self._b)
        # Equal last tokens allow only a match, so a common ending needs no table.
        while n and m and self._a[n - 1] == self._b[m - 1]:
            n, m = n - 1, m - 1
        prefix = 0
        while prefix < min(n, m) and self._a[prefix] == self._b[prefix]:
            prefix += 1
        self._prefix = prefix
        self._table: list[bytearray] = []
        self._swaps: dict[tuple[int, int], int] = {}
        self._fill(self._a[prefix:n], self._b[prefix:m], cost)

    # One loop on purpose: a call for each cell would cost a third more.
    def _fill(  # noqa: C901
        self, a: array[int], b: array[int], cost: GradedCost | None
    ) -> None:
        lowest = cost.lowest if cost else 1.0
        windows = _Windows(a, b, self._swaps)
        last_rows = [0] * (len(b) + 1)  # row where b's token last stood in a
        table: list[list[float]] = [[float(y) for y in range(len(b) + 1)]]
        self._table.append(bytearray(len(b) + 1))
        for x, token in enumerate(a, 1):
            above, row, row_ops = table[-1], [float(x)], bytearray(len(b) + 1)
            table.append(row)
            costs = cost.row(token) if cost else None
            last = 0  # column where a's token last stood in b
            for y, other in enumerate(b, 1):
                diagonal = above[y - 1]
                if token == other:
                    row.append(diagonal)
                    row_ops[y] = _MATCH
                    last, last_rows[y] = y, x
                    continue
                insert, delete = row[-1] + 1, above[y] + 1
                least = insert if insert < delete else delete
                ops = 0
                # Only tokens that both sides have met can have changed places.
                if last and costs is not None and last_rows[y]:
                    width = windows.width(table, x, y, max(y - last, x - last_rows[y]))
                    if width:
                        swap = table[x - width][y - width] + (width - 1)
                        if swap <= least:
                            least, ops = swap, _SWAP
                            self._swaps[x, y] = width
                if diagonal + lowest <= least:
                    replace = diagonal + (1 if costs is None else costs[other])
                    if replace < least:
                        least, ops = replace, _SUBSTITUTE
                    elif replace == least:
                        ops |= _SUBSTITUTE
                if insert == least:
                    ops |= _INSERT
                if delete == least:
                    ops |= _DELETE
                row.append(least)
                row_ops[y] = ops
            self._table.append(row_ops)

    def _ops(self, i: int, j: int) -> int:
        if i and j and self._a[i - 1] == self._b[j - 1]:
            return _MATCH
        # Beside the common prefix one side is a prefix of the other, so only deletions or
        # insertions cost as little as the difference of the lengths (every substitution and
        # transposition costs more than 0).
        if i <= self._prefix or j <= self._prefix:
            return _DELETE if i > j else _INSERT
        return self._table[i - self._prefix][j - self._prefix]

    def chain(self, first: bool) -> list[Segment] | None:
        """All segments from start to end, if there is no choice; else None.

        Args:
            first: There is no choice: only the first alignment counts.
        """
        chain: list[Segment] = []
        i, j = len(self._a), len(self._b)
        in_run = False
        while i or j:
            arcs = self._arcs(i, j, in_run, first)
            if len(arcs) != 1:
                return None
            ((kind, x, y),) = arcs
            chain.append((kind, x, i, y, j))
            i, j, in_run = x, y, kind not in "MT"
        return chain[::-1]

    def arcs(self, i: int, j: int, in_run: bool) -> list[Arc]:
        """The segments that may end before source token `i` and target token `j`.

        A segment is a whole run of matches ("M"), one transposition ("T"), or a whole run of
        substitutions, insertions and deletions ("I" or "D" where all are, else "S"); all ways
        through such a run are one segment. Each comes as kind and the cell where it starts, in
        the order in which a depth-first walk back over all alignments (transposition,
        substitution, insertion, deletion) first meets them.

        Args:
            i: Source tokens before the cell.
            j: Target tokens before the cell.
            in_run: The segment behind is a run, so another run may not follow.
        """
        return self._arcs(i, j, in_run, first=False)

    def _arcs(self, i: int, j: int, in_run: bool, first: bool) -> list[Arc]:
        if not i and not j:
            return []
        ops = self._ops(i, j)
        if ops == _MATCH:
            x, y = i, j
            while x and y and self._a[x - 1] == self._b[y - 1]:
                x, y = x - 1, y - 1
            return [("M", x, y)]
        arcs: list[Arc] = []
        if ops & _SWAP:
            width = self._swaps[i - self._prefix, j - self._prefix]
            arcs.append(("T", i - width, j - width))
        if ops & ~_SWAP and not in_run and not (first and arcs):
            for x, y in self._run_ends(i, j, first):
                arcs.append(("I" if x == i else "D" if y == j else "S", x, y))
        return arcs

    def _run_ends(self, i: int, j: int, first: bool) -> list[tuple[int, int]]:
        # A depth-first walk meets each cell first on the least path to it in its own order, so
        # visiting each cell once keeps the order of the ends, in time linear in the cells.
        ends: list[tuple[int, int]] = []
        visited: set[tuple[int, int]] = set()
        stack = [(i, j)]
        while stack:
            cell = stack.pop()
            if cell in visited:
                continue
            visited.add(cell)
            if cell == (0, 0):
                ends.append(cell)
                continue
            x, y = cell
            ops = self._ops(x, y)
            if ops & (_MATCH | _SWAP) and cell != (i, j):
                ends.append(cell)
                if first or ops & _MATCH:
                    continue
            steps = [
                (x - dx, y - dy)
                for op, dx, dy in ((_DELETE, 1, 0), (_INSERT, 0, 1), (_SUBSTITUTE, 1, 1))
                if ops & op
            ]
            stack.extend(steps[-1:] if first else steps)
        return ends

    def steps(self) -> str:
        """The first alignment as letters M, S, I, D; for tables without transpositions."""
        i, j = len(self._a), len(self._b)
        letters: list[str] = []
        while i or j:
            ops = self._ops(i, j)
            letter = "M" if ops & _MATCH else "S" if ops & _SUBSTITUTE else ""
            letter = letter or ("I" if ops & _INSERT else "D")
            letters.append(letter)
            i -= letter != "I"
            j -= letter != "D"
        return "".join(reversed(letters))


class _Windows:
    """Finds windows of both sides, before one cell, that hold the same tokens in any order."""

    def __init__(self, a: array[int], b: array[int], swaps: Mapping[tuple[int, int], int]) -> None:
        self._a, self._b, self._swaps = a, b, swaps
        self._hash_a, self._hash_b = _running_hash(a), _running_hash(b)

    def width(self, table: list[list[float]], x: int, y: int, nearest: int) -> int:
        """K + 1 for the smallest transposition that ends at (x, y), or 0.

        Below k = `nearest` one side lacks the other's last token.
        """
        ha, hb = self._hash_a, self._hash_b
        for k in range(1, min(x, y)):
            if table[x - k][y - k] == table[x - k - 1][y - k - 1]:
                return 0
            equal = ha[x] - ha[x - 1 - k] == hb[y] - hb[y - 1 - k]
            if k >= nearest and equal and self._same_tokens(x, y, k):
                return k + 1
        return 0

    def _same_tokens(self, x: int, y: int, k: int) -> bool:
        """Prove what equal hashes suggest; what a window inside has proved is not proved again."""
        a, b = self._a, self._b
        outer = a[x - 1 - k] == b[y - 1] and a[x - 1] == b[y - 1 - k]
        if outer and (k == 1 or self._swaps.get((x - 1, y - 1)) == k - 1):
            return True
        return sorted(a[x - 1 - k : x]) == sorted(b[y - 1 - k : y])


def _running_hash(tokens: array[int]) -> list[int]:
    return [0, *accumulate(hash((token, token)) for token in tokens)]
