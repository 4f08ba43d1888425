"""The alignment of three sequences, compiled and not, against a table of all cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.edits import threeway

TOKENS = st.lists(st.sampled_from("abc"), max_size=7)


def reference_columns(*sequences: Sequence[str]) -> list[tuple[str | None, ...]]:
    """The same columns from a table of all cells, without any shortcut."""

    def cost(column: Sequence[str | None]) -> int:
        pairs = [(column[0], column[1]), (column[0], column[2]), (column[1], column[2])]
        return sum(0 if x == y else 2 if None in (x, y) else 3 for x, y in pairs)

    def column(cell: Sequence[int], move: int) -> tuple[str | None, ...]:
        return tuple(
            tokens[at - 1] if move >> n & 1 else None
            for n, (tokens, at) in enumerate(zip(sequences, cell, strict=True))
        )

    def before(cell: Sequence[int], move: int) -> tuple[int, ...]:
        return tuple(at - (move >> n & 1) for n, at in enumerate(cell))

    def costs(cell: tuple[int, ...]) -> list[tuple[int, int]]:
        return [
            (table[before(cell, move)] + cost(column(cell, move)), move)
            for move in threeway.MOVES
            if before(cell, move) in table
        ]

    table: dict[tuple[int, ...], int] = {}
    for cell in product(*(range(len(tokens) + 1) for tokens in sequences)):
        table[cell] = min((value for value, _ in costs(cell)), default=0)
    cell = tuple(map(len, sequences))
    columns = []
    while any(cell):
        move = next(move for value, move in costs(cell) if value == table[cell])
        columns.append(column(cell, move))
        cell = before(cell, move)
    return columns[::-1]


FORMS = [None, threeway.compiled] if threeway.compiled else [None]


@pytest.mark.parametrize("compiled", FORMS)
@given(first=TOKENS, second=TOKENS, third=TOKENS)
def test_columns_are_those_of_the_whole_table(compiled, first, second, third):
    with mock.patch.object(threeway, "compiled", compiled):
        assert threeway.align(first, second, third) == reference_columns(first, second, third)
