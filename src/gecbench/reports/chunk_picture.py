"""The chunks of each sentence as text: source, reference, weight and type, one above the other."""

from __future__ import annotations

from collections.abc import Iterator

from gecbench.analysis.difficulty.result import Difficulty
from gecbench.reports.grid import columns_of

_HEADS = ("orig", "gold", "weight", "cat")


def picture(found: Difficulty) -> str:
    """Return the picture as the official program writes it into a file.

    Cells are centred, a blank too many at the right; weights have two decimals at most. Cells of
    Han characters are as wide as a terminal shows them, those of the program as many characters.
    """
    return "".join(f"{line}\n" for at in range(len(found.sheet.ids)) for line in _block(found, at))


def _block(found: Difficulty, at: int) -> Iterator[str]:
    reference = found.sheet.references[at]
    columns = []
    for chunk, weight in zip(found.sheet.chunks[at], found.weights[at], strict=True):
        source = " ".join(reference.tokens[chunk.start : chunk.end])
        target = source
        if chunk.edit is not None:
            target = " ".join(reference.edits[chunk.edit].replacement or ())
        label = found.sheet.label(at, chunk) or ""
        cells = (source, target, str(round(weight, 2)), label)
        width = max(map(columns_of, cells))
        columns.append([_centred(cell, width) for cell in cells])
    for head, row in zip(_HEADS, zip(*columns, strict=True), strict=True):
        yield f"{head:6}: |{'|'.join(row)}|"
    yield ""


def _centred(cell: str, width: int) -> str:
    space = width - columns_of(cell)
    return " " * (space // 2) + cell + " " * (space - space // 2)
