"""A grid of cells as aligned text, CSV, LaTeX or Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LATEX = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\~{}", "^": r"\^{}"}
    | {"<": "$<$", ">": "$>$"}
)


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells under a header.

    Args:
        header: Names of the columns.
        rows: As many cells as the header has.
        words: How many columns at the left hold words; the others hold numbers.
        marks: Rows and columns of the cells that are the best of their kind.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int
    marks: frozenset[tuple[int, int]] = frozenset()


def columns_of(text: str) -> int:
    """Return how many columns a terminal needs; Han characters and the like need two."""
    if text.isascii():
        return len(text)
    import unicodedata

    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    marks = sum(unicodedata.combining(character) > 0 for character in text)
    return len(text) + wide - marks


def as_text(grid: Grid) -> str:
    """Return aligned columns, words to the left and numbers to the right; the best with a star."""
    marked = {column for _, column in grid.marks}
    body = [
        tuple(
            cell + ("*" if (at, column) in grid.marks else " " * (column in marked))
            for column, cell in enumerate(row)
        )
        for at, row in enumerate(grid.rows)
    ]
    names = tuple(name + " " * (column in marked) for column, name in enumerate(grid.header))
    table = (names, *body)
    widths = [max(columns_of(row[at]) for row in table) for at in range(len(grid.header))]
    lines = []
    for row in table:
        cells = []
        for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - columns_of(cell))
            cells.append(cell + space if at < grid.words else space + cell)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def as_latex(grid: Grid, note: str) -> str:
    """Return a tabular for booktabs, the best in bold, with a comment that holds the signature."""
    columns = "l" * grid.words + "r" * (len(grid.header) - grid.words)
    lines = [f"% {line}" for line in note.splitlines()]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines += [" & ".join(name.translate(_LATEX) for name in grid.header) + r" \\", r"\midrule"]
    for at, row in enumerate(grid.rows):
        cells = [cell.translate(_LATEX) for cell in row]
        for column, cell in enumerate(cells):
            if (at, column) in grid.marks:
                cells[column] = rf"\textbf{{{cell}}}"
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def as_markdown(grid: Grid) -> str:
    """Return a Markdown table, the best in bold."""
    rules = tuple("---" if at < grid.words else "---:" for at in range(len(grid.header)))
    lines = []
    for at, row in enumerate((grid.header, rules, *grid.rows), -2):
        cells = [cell.replace("|", "\\|") for cell in row]
        for column, cell in enumerate(cells):
            if (at, column) in grid.marks:
                cells[column] = f"**{cell}**"
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def as_csv(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return comma-separated values with a header, quoted where needed, lines ended by LF."""
    import csv
    import io

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()
