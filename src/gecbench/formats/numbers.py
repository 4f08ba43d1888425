"""Tables of numbers: a header line, then a name and a number for each column."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from gecbench.core.errors import FormatError
from gecbench.core.files import name_of, read_lines

Line = tuple[int, list[str]]
"""The number of a line in its file, and its cells."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Named rows and columns of numbers.

    Args:
        name: Of the table: that of its file.
        rows: Names, in the order of the file.
        columns: For each column its numbers, in the order of the rows.
    """

    name: str
    rows: tuple[str, ...]
    columns: Mapping[str, tuple[float, ...]]


def read_numbers(path: Path) -> Numbers:
    """Return a table of numbers, tab-separated or comma-separated.

    The header names the columns; the first one holds the names of the rows, whatever it is
    called. Tabs divide where the header has one, else commas, and quotes as in CSV. Empty lines
    are nothing.

    Raises:
        FormatError: Names the line: no header, a ragged row, a repeated name, no number.
    """
    return as_numbers(path, divided(path, read_lines(path)))


def as_numbers(path: Path, lines: Sequence[Line]) -> Numbers:
    """Return lines in cells as a table of numbers.

    Raises:
        FormatError: As in `read_numbers`.
    """
    (header_line, header), *rows = lines
    if len(header) < 2 or not all(header[1:]) or len(set(header[1:])) < len(header) - 1:
        raise FormatError(
            f"{path}:{header_line}: the header must name a first column and at least one more, "
            "each different, with tabs or commas between"
        )
    found: dict[str, list[float]] = {}
    for number, cells in rows:
        check_width(path, number, cells, header)
        name, *values = cells
        if name in found:
            raise FormatError(f"{path}:{number}: {name!r} occurs twice; names are unique")
        found[name] = [
            as_number(value, f"{path}:{number}", column)
            for column, value in zip(header[1:], values, strict=True)
        ]
    if not found:
        raise FormatError(f"{path}:{header_line}: no row follows the header")
    columns = zip(header[1:], zip(*found.values(), strict=True), strict=True)
    return Numbers(name_of(path), tuple(found), dict(columns))


def divided(path: Path, text: Sequence[str]) -> list[Line]:
    """Return the lines of a file that hold something, each with its number and its cells.

    Raises:
        FormatError: There is none.
    """
    lines = [(n, line) for n, line in enumerate(text, 1) if line.strip()]
    if not lines:
        raise FormatError(f"{path}:1: the file is empty; it must be a table with a header")
    if "\t" in lines[0][1]:
        return [(n, [cell.strip() for cell in line.split("\t")]) for n, line in lines]
    cells = csv.reader(line for _, line in lines)
    return [(n, list(map(str.strip, row))) for (n, _), row in zip(lines, cells, strict=True)]


def check_width(path: Path, number: int, cells: Sequence[str], header: Sequence[str]) -> None:
    """Refuse a row that has not as many cells as the header.

    Raises:
        FormatError: Names the line and both numbers.
    """
    if len(cells) != len(header):
        raise FormatError(
            f"{path}:{number}: {len(cells)} cells where the header has {len(header)}; "
            "give every row a cell for each column"
        )


def as_number(text: str, where: str, column: str) -> float:
    """Return a cell as a finite number.

    Raises:
        FormatError: It is none.
    """
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise FormatError(f"{where}: column {column!r} has {text!r}, which is no finite number")
    return value
