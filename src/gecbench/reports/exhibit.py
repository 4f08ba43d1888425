"""What an analysis shows: tables, figures, the data behind them, and what to know about them.

One way to the terminal, to files and to the report page for all analyses: each has a module here
that turns its result into an `Exhibit`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gecbench.core.errors import UsageError
from gecbench.reports.figure import Figure
from gecbench.reports.grid import Grid, as_csv, as_latex, as_text
from gecbench.reports.words import Words

EXHIBIT_SCHEMA = 1
"""Version of the JSON that analyses print; scripts depend on it."""

OUTPUTS = ("text", "json", "csv", "latex")

Value = str | Words | int | float | None
"""Words are shown in the reader's language; in files, and for whoever sorts, in English."""

_ABSENT = "-"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Args:
        name: Its head, also the name in CSV.
        kind: How its values are shown: words as they are, counts as they are, percent as 100
            times the value, numbers and p-values as they are, rounded.
        digits: Decimals of percent, numbers and p-values.
        zh: Its head in Chinese; None where it is the same.
    """

    name: str
    kind: Literal["word", "count", "percent", "number", "p"] = "word"
    digits: int = 2
    zh: str | None = None

    def shown(self, value: Value) -> str:
        """Return a value as a reader sees it."""
        if value is None:
            return _ABSENT
        if isinstance(value, Words):
            return value.en
        if isinstance(value, str) or self.kind in ("word", "count"):
            return str(value)
        if self.kind == "p":
            smallest = 10**-self.digits
            return (
                f"<{smallest:.{self.digits}f}" if value < smallest else f"{value:.{self.digits}f}"
            )
        return f"{100 * value if self.kind == 'percent' else value:.{self.digits}f}"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values under columns.

    Args:
        name: For CSV and anchors: lower-case letters, digits and hyphens; unique in its exhibit.
        title: One line.
        columns: The columns of words first.
        rows: Values, not rounded, as many as columns; None where there is none.
        marks: Rows and columns of the cells that are the best of their kind.
    """

    name: str
    title: Words
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    marks: frozenset[tuple[int, int]] = frozenset()

    @property
    def grid(self) -> Grid:
        """The cells as a reader sees them."""
        rows = tuple(
            tuple(column.shown(value) for column, value in zip(self.columns, row, strict=True))
            for row in self.rows
        )
        words = sum(column.kind == "word" for column in self.columns)
        return Grid(tuple(column.name for column in self.columns), rows, words, self.marks)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What one analysis shows.

    Args:
        name: Of the analysis, as "robustness".
        title: One line.
        corpus: Name of what was analysed.
        tables: The main one first.
        figures: In the order of reading.
        data: What `--format json` prints, beside name, corpus, notes and signatures: JSON
            values, unrounded.
        notes: What the reader should know, a sentence each; a `Doubt` is shown first.
        signatures: How the numbers were made.
    """

    name: str
    title: Words
    corpus: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = ()
    data: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()


def render(exhibit: Exhibit, output: str, *, table: str | None = None) -> str:
    """Return an exhibit as text, JSON, CSV or LaTeX.

    Args:
        exhibit: What to show.
        output: One of `OUTPUTS`.
        table: Name of the only table to show; None means all of them, in CSV the first.

    Raises:
        UsageError: There is no such table.
    """
    if output == "json":
        return _json(exhibit)
    tables = _chosen(exhibit, table)
    if output == "csv":
        return table_csv(tables[0])
    tail = _tail(exhibit)
    if output == "latex":
        return "\n".join(table_latex(one, tail) for one in tables)
    shown = [f"{one.title.en}\n{as_text(one.grid)}" for one in tables if one.rows]
    return "\n".join([*shown, tail]) if tail else "\n".join(shown)


def table_csv(table: Table) -> str:
    """Return a table as CSV, values not rounded."""
    rows = [tuple(map(plain, row)) for row in table.rows]
    return as_csv(tuple(column.name for column in table.columns), rows)


def plain(value: Value) -> str | int | float:
    """Return a value as files have it: nothing where there is none, and words in English."""
    if value is None:
        return ""
    return value.en if isinstance(value, Words) else value


def table_latex(table: Table, note: str) -> str:
    """Return a table as LaTeX with booktabs, under a comment."""
    return as_latex(table.grid, "\n".join([table.title.en, *note.splitlines()]))


def _chosen(exhibit: Exhibit, name: str | None) -> Sequence[Table]:
    if name is None:
        return exhibit.tables
    known = {table.name: table for table in exhibit.tables}
    if name not in known:
        raise UsageError(
            f"{exhibit.name} has no table {name!r} here; it has: {', '.join(known) or 'none'}"
        )
    return (known[name],)


def _tail(exhibit: Exhibit) -> str:
    lines = [f"note: {note}" for note in exhibit.notes]
    lines += [f"signature: {signature}" for signature in exhibit.signatures]
    return "\n".join(lines) + "\n" if lines else ""


def _json(exhibit: Exhibit) -> str:
    made = {
        "schema": EXHIBIT_SCHEMA,
        "analysis": exhibit.name,
        "corpus": exhibit.corpus,
        "notes": list(exhibit.notes),
        "signatures": list(exhibit.signatures),
        **exhibit.data,
    }
    return json.dumps(made, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
