"""Rows as lines of bytes: JSON, one object a line, and tables that spreadsheets open safely."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

_FORMULA = (*"=+-@＝＋－＠", "\t", "\r", "\n")
"""What a formula begins with; spreadsheets of East Asia take full-width signs for it, too."""


def lines_of(rows: Iterable[Mapping[str, object]]) -> Iterator[bytes]:
    """Yield all rows as one piece of JSON lines; nothing where there is none."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    text = "".join(f"{encode(row)}\n" for row in rows)
    if text:
        yield text.encode()


def table(
    header: Sequence[str], pieces: Iterable[Iterable[Sequence[str | int | float | None]]]
) -> Iterator[bytes]:
    """Yield a table as CSV, for spreadsheets: with a byte-order mark, formulas made harmless."""
    yield b"\xef\xbb\xbf" + _rows([header])
    for piece in pieces:
        yield _rows([[cell(value) for value in row] for row in piece])


def cell(value: str | int | float | None) -> str | int | float:
    """Return a cell that no spreadsheet takes for a formula.

    >>> cell("=1+1"), cell(-3), cell("是"), cell(None)
    ("'=1+1", -3, '是', '')
    """
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _rows(rows: Iterable[Sequence[str | int | float]]) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerows(rows)
    return buffer.getvalue().encode()
