"""Results that show themselves: a `repr` of ten lines, tables in notebooks, pandas data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gecbench.core.errors import UsageError, count_noun
from gecbench.core.options import check_choice

if TYPE_CHECKING:
    from gecbench.core.score import Interval

Row = dict[str, object]
"""A row of a frame: texts and numbers by column, None where there is none."""

Frames = Mapping[str, Iterable[Row]]
"""The frames of a result by name, the one that it shows first; made when they are gone through."""

_LINES = 10
_WIDTH = 100
_CELL = 30
_TABLE = 60
"""Lines, columns, and columns of a cell of a `repr`; rows of a table in a notebook, as pandas."""


class Framed:
    """A dataclass that is shown as the first of its frames that has rows."""

    __slots__ = ()

    corpus: str

    def frames(self) -> Frames:
        """What `to_frame` makes data frames of."""
        raise NotImplementedError

    def title(self) -> str:
        """What this is, on one line."""
        return f"{type(self).__name__} on {self.corpus}"

    def to_frame(self, of: str | None = None) -> Any:
        """A data frame of pandas; numbers are not rounded.

        For polars: `polars.from_dataframe(result.to_frame())`.

        Args:
            of: Which; None is the first. The `repr` of the result lists them.

        Raises:
            UsageError: pandas is not installed, or there is no such frame.
        """
        frames = self.frames()
        if of is not None:
            check_choice("argument 'of'", of, tuple(frames))
        try:
            pandas = import_module("pandas")
        except ModuleNotFoundError as error:
            raise UsageError(
                "to_frame makes a data frame of pandas, which is not installed; run: pip install "
                "pandas"
            ) from error
        frame = pandas.DataFrame(frames[of or next(iter(frames))])
        # A column without any value is one of numbers: interchange has no type for nothing at all.
        return frame.astype({name: float for name in frame if frame[name].isna().all()})

    def __repr__(self) -> str:
        """The beginning of the first frame, in ten lines at most."""
        names, rows = self._shown()
        listed = ", ".join(repr(name) for name in self.frames())
        lines = [f"<{_on_one_line(self.title())}; to_frame() of {listed}>"]
        if rows:
            most = _LINES - 2
            most = len(rows) if len(rows) <= most else most - 1
            lines += _aligned(names, rows[:most])
            if more := len(rows) - most:
                lines.append(f"... and {count_noun(more, 'row')} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The first frame as a table, as notebooks show it."""
        from html import escape  # only notebooks need it

        names, rows = self._shown()
        title = self.title()
        if len(rows) > _TABLE:
            title += f": {_TABLE} of {len(rows)} rows; to_frame() has all"
        lines = ["".join(f"<th>{escape(name)}</th>" for name in names)]
        lines += [
            "".join(f"<td>{escape(_cell(row.get(name)))}</td>" for name in names)
            for row in rows[:_TABLE]
        ]
        body = "".join(f"<tr>{line}</tr>" for line in lines if line)
        return f"<table><caption>{escape(title)}</caption>{body}</table>"

    def _shown(self) -> tuple[list[str], list[Row]]:
        """The first frame with rows: its columns that say something, and the rows."""
        for frame in self.frames().values():
            if rows := list(frame):
                names = dict.fromkeys(name for row in rows for name in row)
                return [n for n in names if any(row.get(n) is not None for row in rows)], rows
        return [], []


def flat(value: object) -> Row:
    """The fields of a dataclass as columns.

    Those of a dataclass or a mapping in it are joined to its name by "_", but for `value`, which
    takes the name as it is. Sequences are left out.

    >>> from gecbench.core.score import Interval
    >>> flat({"f": Interval(0.1, 0.3)})["f_low"]
    0.1
    """
    if is_dataclass(value):
        items = {field.name: getattr(value, field.name) for field in fields(value)}
    else:
        items = dict(value)  # type: ignore[call-overload]
    row: Row = {}
    for name, item in items.items():
        if is_dataclass(item) or isinstance(item, Mapping):
            row |= {name if n == "value" else f"{name}_{n}": v for n, v in flat(item).items()}
        elif item is None or isinstance(item, str | int | float):
            row[str(name)] = item
    return row


def interval_columns(interval: Interval | None) -> Row:
    """The ends of an interval, or nothing in their place."""
    ends = (interval.low, interval.high) if interval else (None, None)
    return dict(zip(("low", "high"), ends, strict=True))


def columns_of(text: str) -> int:
    """Count the columns that a terminal needs; Han characters and the like need two."""
    if text.isascii():
        return len(text)
    import unicodedata

    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    marks = sum(unicodedata.combining(character) > 0 for character in text)
    return len(text) + wide - marks


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _on_one_line(text: str) -> str:
    """A text without what moves a terminal's cursor: these characters as Python writes them."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _shorten(text: str) -> str:
    """A text on one line, with an ellipsis where it needs more columns than a cell has."""
    text = _on_one_line(text)
    if columns_of(text) <= _CELL:
        return text
    end = min(len(text), _CELL)
    while columns_of(text[:end]) >= _CELL:
        end -= 1
    return text[:end] + "…"


def _aligned(names: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Columns side by side, texts to the left and numbers to the right, as many as a line holds.

    The first ratio is always among them: it is what the result was asked for.
    """
    cells = {n: [_shorten(n), *(_shorten(_cell(row.get(n))) for row in rows)] for n in names}
    widths = {name: max(map(columns_of, column)) for name, column in cells.items()}
    ratios = [n for n in names if any(isinstance(row.get(n), float) for row in rows)]
    shown = {names[0], *ratios[:1]}
    for name in names:
        if sum(widths[n] + 2 for n in shown | {name}) - 2 > _WIDTH:
            break
        shown.add(name)
    lines = [""] * (1 + len(rows))
    for name in filter(shown.__contains__, names):
        left = any(isinstance(row.get(name), str) for row in rows)
        for at, cell in enumerate(cells[name]):
            space = " " * (widths[name] - columns_of(cell))
            lines[at] += "  " * bool(lines[at]) + (cell + space if left else space + cell)
    if len(shown) < len(names):
        lines[0] += "  ..."
    return [line.rstrip() for line in lines]
