"""Tables of numbers: a header line, then a name and a number for each column."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from gecbench.core.errors import FormatError
from gecbench.core.files import name_of, read_lines

_GREATEST = 1e100
"""Beyond it no score lies, and neither tables nor axes of figures can show it."""

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
    if all(map(_is_number, header[1:])):
        raise FormatError(
            f"{path}:{header_line}: {', '.join(map(shortened, header[1:4]))} where the header "
            "should name columns; put a line as system,NAME above"
        )
    found: dict[str, list[float]] = {}
    for number, cells in rows:
        check_width(path, number, cells, header)
        name, *values = cells
        if not name:
            raise FormatError(f"{path}:{number}: the first cell is empty; name the row")
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
        FormatError: There is none, or a line is no CSV.
    """
    lines = [(n, line) for n, line in enumerate(text, 1) if line.strip()]
    if not lines:
        raise FormatError(f"{path}:1: the file is empty; it must be a table with a header")
    if "\t" in lines[0][1]:
        return [(n, [cell.strip() for cell in line.split("\t")]) for n, line in lines]
    return [(n, _cells(path, n, line)) for n, line in lines]


def _cells(path: Path, number: int, line: str) -> list[str]:
    """Return the cells of a line of CSV; strictly, as an open quote would take in the next line."""
    try:
        (row,) = csv.reader([line], strict=True)
    except csv.Error as error:
        raise FormatError(
            f"{path}:{number}: the line is no CSV: {error}; a cell ends in its line, and a quote "
            "in a quoted cell is doubled"
        ) from None
    return list(map(str.strip, row))


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
        FormatError: It is none, or is too great.
    """
    if not _is_number(text):
        raise FormatError(
            f"{where}: column {column!r} has {shortened(text)}, which is no finite number"
        )
    value = float(text)
    if abs(value) > _GREATEST:
        raise FormatError(
            f"{where}: column {column!r} has {shortened(text)}; numbers go to {_GREATEST:g}"
        )
    return value


def _is_number(text: str) -> bool:
    try:
        # Python takes 1_0 for 10.
        return "_" not in text and isfinite(float(text))
    except ValueError:
        return False


def shortened(text: str) -> str:
    """Return a text in quotes as a message can show it."""
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
