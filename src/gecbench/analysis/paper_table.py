"""A paper's table, filled with our own results: JSON files of other commands, read over runs.

`workflows/tables/*.toml` say where each number stands and what the paper printed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Literal

import msgspec

from gecbench.core.errors import FormatError
from gecbench.core.files import path_of, read_bytes
from gecbench.core.frames import Framed, Frames, Row, flat
from gecbench.formats.validation import read_toml

NOT_RUN = "not run"

_VARIABLE = re.compile(r"\{(\w+)\}")


class _Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the TOML file."""


class PaperColumn(_Spec, frozen=True):
    """A column of numbers.

    Args:
        name: Its head.
        get: Keys to the number in the chosen object, with dots between them.
        where: Values of the object's keys that choose it, beside those of the row.
        kind: Ratios are shown as percent, numbers as they are.
        digits: Decimals.
    """

    name: str
    get: str
    where: dict[str, str] = {}
    kind: Literal["percent", "number"] = "percent"
    digits: int = 2


class PaperRow(_Spec, frozen=True):
    """A row of a table.

    Args:
        name: As in the paper. A variable in braces makes a row for each of its values.
        results: Path of the results. Variables in braces stand for parts of a file's name without
            hyphens; over those that are not in `name` there is a mean.
        where: See `PaperColumn.where`.
        paper: The paper's figures, one for each column, as printed; () where it has none.
        status: What stands instead of figures, as "not built".
    """

    name: str
    results: str = ""
    where: dict[str, str] = {}
    paper: tuple[float | None, ...] = ()
    status: str = ""

    def __post_init__(self) -> None:
        if bool(self.results) == bool(self.status):
            raise ValueError(f"row {self.name}: needs results, or a status instead of them")


class PaperTable(_Spec, frozen=True):
    """A table beside the paper's.

    Args:
        name: Lower-case letters, digits and hyphens.
        title: One line.
        zh: The same in Chinese.
        columns: Of numbers.
        rows: In the paper's order.
        curve: Results of a system before post-training, by biases of KEEP. Then rows stand beside
            this curve at equal numbers of edits, not beside a paper's figures.
    """

    name: str
    title: str
    zh: str
    columns: tuple[PaperColumn, ...]
    rows: tuple[PaperRow, ...]
    curve: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if row.paper and len(row.paper) != len(self.columns):
                raise ValueError(
                    f"row {row.name}: {len(row.paper)} figures for {len(self.columns)} columns"
                )


class PaperLine(_Spec, frozen=True):
    """A line of a figure.

    Args:
        name: In the legend.
        results: See `PaperRow.results`.
        over: The variable whose values are the points.
        y: Keys to the height, a ratio.
        x: Likewise to a number on the other axis; "" takes the variable's value.
        zh: The name in Chinese, where it is another.
    """

    name: str
    results: str
    over: str
    y: str
    x: str = ""
    zh: str = ""


class PaperFigure(_Spec, frozen=True):
    """A plot: its words in English and Chinese, and its lines."""

    name: str
    title: str
    zh: str
    x_label: str
    x_zh: str
    y_label: str
    y_zh: str
    lines: tuple[PaperLine, ...]


class Paper(_Spec, frozen=True):
    """What a file in `workflows/tables` says.

    Args:
        about: What is shown, in a line.
        paper: Whose tables they are.
        objects: The key of the list in a result from which one object is chosen.
        where: Values that choose it, for all columns.
        tables: In the order of reading.
        figures: Plots.
        notes: What differs from the paper, and what to know.
    """

    about: str
    paper: str
    objects: str
    tables: tuple[PaperTable, ...]
    where: dict[str, str] = {}
    figures: tuple[PaperFigure, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mean:
    """A number over several runs.

    Args:
        values: Of each run that has one.
        mean: None without a value.
        sd: The standard deviation of a sample; None below two values.
    """

    values: tuple[float, ...]
    mean: float | None
    sd: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """The mean of values; there may be none."""
        return cls(
            tuple(values),
            fmean(values) if values else None,
            stdev(values) if len(values) > 1 else None,
        )


@dataclass(frozen=True, slots=True)
class RowResult:
    """A row with its numbers.

    Args:
        name: As it is shown.
        status: "" where something was run; else NOT_RUN or what the file says.
        runs: How many results were read.
        cells: A number for each column; () where nothing was run.
        paper: The paper's, as printed; () for none.
    """

    name: str
    status: str
    runs: int
    cells: tuple[Mean, ...]
    paper: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A system beside the curve of KEEP biases, at as many edits.

    Args:
        name: Of the system.
        edits: That it makes.
        outside: Runs that make more or fewer edits than any point of the curve.
        system: Its numbers, for each column; of runs that are not outside.
        curve: Those of the curve.
        difference: Run by run.
    """

    name: str
    edits: Mean
    outside: int
    system: tuple[Mean, ...]
    curve: tuple[Mean, ...]
    difference: tuple[Mean, ...]


@dataclass(frozen=True, slots=True)
class TableResult:
    """A table with its rows: compared ones where it has a curve."""

    table: PaperTable
    rows: tuple[RowResult | ComparedRow, ...]


@dataclass(frozen=True, slots=True)
class FigurePoint:
    """A point of a line: what it stands for, and where it lies, over the runs."""

    label: str
    x: float
    y: Mean


@dataclass(frozen=True, slots=True)
class FigureResult:
    """A figure with the points of each line; one of which nothing was run has none."""

    figure: PaperFigure
    points: tuple[tuple[FigurePoint, ...], ...]


@dataclass(frozen=True, slots=True, repr=False)
class PaperResult(Framed):
    """All tables and figures of a file.

    Args:
        paper: What the file says.
        files: Of results that were read.
        tables: In the file's order, and so the others.
        figures: Plots.
    """

    paper: Paper
    files: tuple[str, ...]
    tables: tuple[TableResult, ...]
    figures: tuple[FigureResult, ...]

    def title(self) -> str:
        """Which tables."""
        return f"{type(self).__name__} of {self.paper.paper}"

    def frames(self) -> Frames:
        """A row for each number of a table, beside the paper's, or for each point of a figure."""
        return {
            "numbers": (number for table in self.tables for number in _number_rows(table)),
            "points": (
                {"figure": result.figure.name, "line": line.name} | flat(point)
                for result in self.figures
                for line, points in zip(result.figure.lines, result.points, strict=True)
                for point in points
            ),
        }


def _number_rows(result: TableResult) -> Iterator[Row]:
    """Each number of a table: a mean over runs; ratios in [0, 1], the paper's too."""
    for row in result.rows:
        names: Row = {"table": result.table.name, "row": row.name}
        for at, column in enumerate(result.table.columns):
            if isinstance(row, ComparedRow):
                parts = {"": row.system, "curve": row.curve, "difference": row.difference}
                values = [
                    (f"{part}_{name}".strip("_"), value)
                    for part, means in parts.items()
                    for name, value in flat(means[at]).items()
                ]
                yield names | {"column": column.name} | dict(values)
            else:
                paper = row.paper[at] if row.paper else None
                yield names | {
                    "column": column.name,
                    "status": row.status or None,
                    "runs": row.runs,
                    **(flat(row.cells[at]) if row.cells else {"mean": None, "sd": None}),
                    "paper": paper / 100 if paper and column.kind == "percent" else paper,
                }


def paper_table(file: Path | str, results: Sequence[Path | str] = ()) -> PaperResult:
    """Read a paper's tables and fill them with results.

    Args:
        file: One of `workflows/tables`.
        results: JSON that `score` and analyses wrote; each belongs to the rows whose path fits.

    Raises:
        FormatError: The file breaks a rule, or a number is not where it says.
    """
    paths = [path_of(path) for path in results]
    paper = read_toml(path_of(file), Paper)
    reader = _Reader(paper, paths)
    return PaperResult(
        paper,
        tuple(map(str, paths)),
        tuple(TableResult(table, tuple(_rows(reader, table))) for table in paper.tables),
        tuple(
            FigureResult(figure, tuple(_points(reader, line) for line in figure.lines))
            for figure in paper.figures
        ),
    )


@dataclass(frozen=True, slots=True)
class _ResultFile:
    """One result: its file, and the values of the variables in its path."""

    path: Path
    values: Mapping[str, str]


class _Reader:
    """Finds results by their paths and numbers in them; reads each file once."""

    def __init__(self, paper: Paper, results: Sequence[Path]) -> None:
        self._paper, self._results = paper, results
        self._json: dict[Path, Any] = {}

    def runs(self, pattern: str) -> list[_ResultFile]:
        """Find the results whose path ends as a pattern says."""
        parts = _VARIABLE.split(pattern)
        regex = "".join(
            f"(?P<{part}>[^/-]+)" if at % 2 else re.escape(part) for at, part in enumerate(parts)
        )
        matches = [(path, re.fullmatch(f"(?:.*/)?{regex}", str(path))) for path in self._results]
        return [_ResultFile(path, match.groupdict()) for path, match in matches if match]

    def number(
        self, run: _ResultFile, get: str, where: Mapping[str, str] | None = None
    ) -> float | None:
        """The number that a column shows of a result; None where it has none."""
        if run.path not in self._json:
            try:
                self._json[run.path] = json.loads(read_bytes(run.path))
            except ValueError as error:
                raise FormatError(f"{run.path}: is not JSON: {error}") from error
        try:
            objects = self._json[run.path][self._paper.objects]
            return number_in(objects, get, {**self._paper.where, **(where or {})})
        except (KeyError, TypeError):
            raise FormatError(f"{run.path}: holds no list {self._paper.objects!r}") from None
        except FormatError as error:
            raise FormatError(f"{run.path}: {error}") from error

    def mean(
        self, runs: Sequence[_ResultFile], get: str, where: Mapping[str, str] | None = None
    ) -> Mean:
        """The mean over the runs that have a number."""
        values = [self.number(run, get, where) for run in runs]
        return Mean.of([value for value in values if value is not None])


def number_in(
    objects: Sequence[Mapping[str, Any]], get: str, where: Mapping[str, str]
) -> float | None:
    """Find a number of the one object in a list that has certain values.

    Among several, the one without a subset is meant: it is of all sentences.

    >>> results = [{"system": "a", "f": 0.5}, {"system": "a", "subset": "x", "f": 1}]
    >>> number_in(results, "f", {"system": "a"})
    0.5

    Args:
        objects: As JSON has them.
        get: Keys with dots between them.
        where: Values of keys.

    Returns:
        None where there is no such object, or it has no such number.

    Raises:
        FormatError: Several objects have these values, or there is something else than a number.
    """
    chosen = [o for o in objects if all(str(o.get(key)) == value for key, value in where.items())]
    if len(chosen) > 1:
        chosen = [match for match in chosen if match.get("subset") is None]
    if len(chosen) > 1:
        raise FormatError(f"{len(chosen)} objects have {dict(where)}; choose one")
    value: Any = chosen[0] if chosen else None
    for key in get.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise FormatError(f"{get}: {str(value)[:40]!r} is no number")
    return value


def _rows(reader: _Reader, table: PaperTable) -> Iterator[RowResult | ComparedRow]:
    for row in table.rows:
        if row.status:
            yield RowResult(row.name, row.status, 0, (), row.paper)
        for name, runs in _groups(row.name, reader.runs(row.results)) if row.results else ():
            if table.curve and runs:
                yield _compare_with_curve(reader, table, name, runs)
            elif not table.curve:
                yield _row(reader, table, row, name, runs)


def _groups(name: str, runs: Sequence[_ResultFile]) -> Iterator[tuple[str, list[_ResultFile]]]:
    """Yield runs by the name that they give to a row; the row's own name and none without any."""
    groups: dict[str, list[_ResultFile]] = {} if runs else {name: []}
    for run in runs:
        filled = _VARIABLE.sub(lambda variable: run.values[variable[1]], name)  # noqa: B023
        groups.setdefault(filled, []).append(run)
    yield from groups.items()


def _row(
    reader: _Reader, table: PaperTable, row: PaperRow, name: str, runs: Sequence[_ResultFile]
) -> RowResult:
    if not runs:
        return RowResult(name, NOT_RUN, 0, (), row.paper)
    cells = tuple(
        reader.mean(runs, column.get, {**column.where, **row.where}) for column in table.columns
    )
    return RowResult(name, "", len(runs), cells, row.paper)


_EDITS = "edits_made"


def _compare_with_curve(
    reader: _Reader, table: PaperTable, name: str, runs: Sequence[_ResultFile]
) -> ComparedRow:
    """Set each run of a system beside the curve of the same seed."""
    edits: list[float] = []
    pairs: list[list[tuple[float, float]]] = [[] for _ in table.columns]
    outside = 0
    for run in runs:
        edits_made = reader.number(run, _EDITS)
        if edits_made is None:
            continue
        edits.append(edits_made)
        beside = [_beside(reader, table.curve, column, run, edits_made) for column in table.columns]
        outside += any(value is None for value in beside)
        for column, pair, other in zip(table.columns, pairs, beside, strict=True):
            value = reader.number(run, column.get, column.where)
            if other is not None and value is not None:
                pair.append((value, other))
    return ComparedRow(
        name,
        Mean.of(edits),
        outside,
        tuple(Mean.of([system for system, _ in pair]) for pair in pairs),
        tuple(Mean.of([curve for _, curve in pair]) for pair in pairs),
        tuple(Mean.of([system - curve for system, curve in pair]) for pair in pairs),
    )


def _beside(
    reader: _Reader, curve: str, column: PaperColumn, run: _ResultFile, edits: float
) -> float | None:
    """A column of the curve of the same seed, at a number of edits."""
    points = []
    for other in reader.runs(curve):
        shared = other.values.keys() & run.values.keys()
        if all(other.values[name] == run.values[name] for name in shared):
            count = reader.number(other, _EDITS)
            value = reader.number(other, column.get, column.where)
            if count is not None and value is not None:
                points.append((count, value))
    return at_equal_edits(points, edits)


def at_equal_edits(points: Sequence[tuple[float, float]], edits: float) -> float | None:
    """Interpolate a curve where its system makes so many edits.

    A system that corrects less is more consistent, whatever it has learnt, so that CRS is compared
    at equal numbers of edits: on the line between the two nearest points of the curve that one
    gets from the system before that training by biases of KEEP.

    Args:
        points: Edits and value, in any order; of points with as many edits the mean counts.
        edits: Of the system that is compared.

    Returns:
        None where the curve has no point with as few edits, or none with as many: nothing is
        guessed beyond its ends.

    >>> at_equal_edits([(100, 0.4), (50, 0.6)], 75)
    0.5
    >>> at_equal_edits([(100, 0.4), (50, 0.6)], 101) is None
    True
    """
    by_edits: dict[float, list[float]] = {}
    for count, value in points:
        by_edits.setdefault(count, []).append(value)
    curve = sorted((count, sum(values) / len(values)) for count, values in by_edits.items())
    for count, value in curve:
        if count == edits:
            return value
    for (low, before), (high, after) in pairwise(curve):
        if low < edits < high:
            return before + (after - before) * (edits - low) / (high - low)
    return None


def _points(reader: _Reader, line: PaperLine) -> tuple[FigurePoint, ...]:
    points = []
    for value, runs in _groups(f"{{{line.over}}}", reader.runs(line.results)):
        y = reader.mean(runs, line.y)
        x = reader.mean(runs, line.x).mean if line.x else float(value) if runs else None
        if x is not None and y.values:
            points.append(FigurePoint(f"{line.over} {value}", x, y))
    return tuple(points)
