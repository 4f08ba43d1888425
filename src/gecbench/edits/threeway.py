"""The alignment of three token sequences with the least sum of costs over pairs.

Felice and Briscoe, "Towards a standard evaluation method for grammatical error detection and
correction", NAACL 2015; mfelice/imeasure fc79fdf (align.py), whose alignments these are.
`_threeway.cpp` does the same work fast and is used where it could be compiled.

Equal tokens cost 0, different ones 3, a token beside a gap 2, two gaps 0. A column holds a token
of at least one sequence. The way is traced back from the end, and of moves that explain a value
the first is taken in the order of `MOVES`, because that decides counts.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

try:
    from gecbench.edits import _threeway as compiled  # type: ignore[attr-defined,unused-ignore]
except ImportError:  # no compiler at installation: slower, the same columns
    compiled = None

GAP, MISMATCH = 2, 3
MOVES = (7, 3, 5, 6, 1, 2, 4)
"""Bits of the sequences that take a token: 1 the first, 2 the second, 4 the third."""

Column = tuple[str | None, str | None, str | None]
"""A token of each sequence, None for a gap."""


def kernel_name() -> str:
    """Which form aligns: "compiled" or "python"."""
    return "python" if compiled is None else "compiled"


def align(first: Sequence[str], second: Sequence[str], third: Sequence[str]) -> list[Column]:
    """Align three sequences.

    >>> align(["a", "b"], ["a"], ["a", "c"])
    [('a', 'a', 'a'), ('b', None, 'c')]
    """
    sequences = (first, second, third)
    end = 0
    # Equal last tokens are aligned first of all, at no cost.
    while end < min(map(len, sequences)) and len({tokens[-1 - end] for tokens in sequences}) == 1:
        end += 1
    codes: dict[str, int] = {}
    packed = [
        array("I", [codes.setdefault(t, len(codes)) for t in tokens[: len(tokens) - end]])
        for tokens in sequences
    ]
    find = _moves if compiled is None else compiled.moves
    a, b, c = (numbers.tobytes() for numbers in packed)
    moves = [*find(a, b, c), *[7] * end]
    readers = [iter(tokens) for tokens in sequences]
    return [
        tuple(next(reader) if move >> at & 1 else None for at, reader in enumerate(readers))  # type: ignore[misc]
        for move in moves
    ]


def _band(a: Sequence[int], b: Sequence[int], c: Sequence[int]) -> int:
    """How far apart the places of the first and another sequence can be on a best way.

    A way that is x places apart costs at least 8 x, less twice the differences in length: the
    gaps lie in two of the three pairs, and are made up for later. Aligning two of the sequences
    with the third one by one costs at most twice the two distances, as costs obey the triangle
    inequality.
    """
    first, second, _ = sorted((_distance(a, b), _distance(a, c), _distance(b, c)))
    lengths = abs(len(a) - len(b)) + abs(len(a) - len(c)) + abs(len(b) - len(c))
    return (2 * (first + second) + 2 * lengths) // 8


def _distance(a: Sequence[int], b: Sequence[int]) -> int:
    """The least cost of aligning two sequences."""
    row = [GAP * y for y in range(len(b) + 1)]
    for x, token in enumerate(a, 1):
        diagonal, row[0] = row[0], GAP * x
        for y, other in enumerate(b, 1):
            least = min(diagonal + MISMATCH * (token != other), row[y] + GAP, row[y - 1] + GAP)
            diagonal, row[y] = row[y], least
    return row[-1]


def _moves(first: bytes, second: bytes, third: bytes) -> bytes:
    """The moves of the best way, first to last."""
    a, b, c = (array("I", data) for data in (first, second, third))
    band = max(_band(a, b, c), abs(len(a) - len(b)), abs(len(a) - len(c)))
    table = {(0, 0, 0): 0}

    def steps(i: int, j: int, k: int) -> list[tuple[int, int]]:
        choices = []
        for move in MOVES:
            x, y, z = move & 1, move >> 1 & 1, move >> 2
            before = table.get((i - x, j - y, k - z))
            if before is not None:
                tokens = (x and a[i - 1], y and b[j - 1], z and c[k - 1])
                choices.append((before + _cost((x, y, z), tokens), move))
        return choices

    for i in range(len(a) + 1):
        low = max(0, i - band)
        for j in range(low, min(len(b), i + band) + 1):
            for k in range(low, min(len(c), i + band) + 1):
                if choices := steps(i, j, k):
                    table[i, j, k] = min(choices)[0]
    i, j, k = len(a), len(b), len(c)
    moves = bytearray()
    while i or j or k:
        move = next(move for value, move in steps(i, j, k) if value == table[i, j, k])
        moves.append(move)
        i, j, k = i - (move & 1), j - (move >> 1 & 1), k - (move >> 2)
    return bytes(reversed(moves))


def _cost(taken: tuple[int, int, int], tokens: tuple[int, int, int]) -> int:
    return sum(
        MISMATCH * (tokens[first] != tokens[other])
        if taken[first] and taken[other]
        else GAP * (taken[first] or taken[other])
        for first, other in ((0, 1), (0, 2), (1, 2))
    )
