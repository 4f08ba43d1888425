"""What an experiment came to: the numbers of its tables, of those steps that were run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gecbench.analysis.equal_edits import at_equal_edits
from gecbench.analysis.experiment import (
    NOT_RUN,
    ComparedRow,
    ComparisonFound,
    ExperimentFound,
    FigureFound,
    Head,
    LineFound,
    Mean,
    Pair,
    PointFound,
    RowFound,
    TableFound,
)
from gecbench.api.experiment.marks import Marks
from gecbench.api.experiment.plan import Plan, Task, combinations, shown
from gecbench.api.experiment.recipe import (
    PLACE,
    Comparison,
    FigureRecipe,
    Line,
    Measure,
    Row,
    TableRecipe,
)
from gecbench.api.experiment.run import command_of
from gecbench.api.experiment.values import found_in
from gecbench.core.errors import FormatError
from gecbench.core.files import read_bytes


def results_of(plan: Plan) -> ExperimentFound:
    """Return what the steps that are done came to; nothing is run.

    Raises:
        GecbenchError: A result cannot be read.
    """
    reader = _Reader(plan, Marks(plan))
    recipe = plan.experiment.recipe
    wanted = {task.name: task for task in plan.chosen(())}
    done = {name: command_of(task) for name, task in wanted.items() if reader.done(task)}
    return ExperimentFound(
        plan.experiment.name,
        recipe.about,
        recipe.paper,
        plan.small,
        dict(plan.parameters),
        {name: found.place for name, found in plan.inputs.items()},
        done,
        len(wanted),
        tuple(_table(reader, table) for table in recipe.tables),
        tuple(_figure(reader, figure) for figure in recipe.figures),
        tuple(_comparison(reader, each) for each in recipe.comparisons),
        recipe.notes,
    )


@dataclass
class _Reader:
    """Reads numbers from the results of tasks that are done, each file once."""

    plan: Plan
    marks: Marks
    _read: dict[Path, Any] = field(default_factory=dict)
    _done: dict[str, bool] = field(default_factory=dict)

    def done(self, task: Task) -> bool:
        if task.name not in self._done:
            self._done[task.name] = self.marks.done(task)
        return self._done[task.name]

    def tasks(self, step: str, names: Mapping[str, Any]) -> list[Task]:
        """Return the tasks of a step whose variables have the values of those names."""
        return [
            task
            for task in self.plan.of_step(step)
            if all(shown(value) == shown(names.get(k, value)) for k, value in task.values.items())
        ]

    def number(self, task: Task, get: str, names: Mapping[str, Any]) -> float | None:
        """Return the number at a path in a task's result."""
        if task.makes not in self._read:
            try:
                self._read[task.makes] = json.loads(read_bytes(task.makes))
            except ValueError as error:
                raise FormatError(f"{task.makes}: is not JSON: {error}") from error
        known = {**self.plan.parameters, **names, **task.values}
        path = _filled(get, known, task.name)
        try:
            return found_in(self._read[task.makes], path)
        except FormatError as error:
            raise FormatError(f"{task.makes}: {error}") from error

    def mean(self, step: str, get: str, names: Mapping[str, Any]) -> Mean | None:
        """Return a number over the runs of a step; None where none is done."""
        tasks = [task for task in self.tasks(step, names) if self.done(task)]
        if not tasks:
            return None
        found = [self.number(task, get, names) for task in tasks]
        return Mean(tuple(value for value in found if value is not None))


def _filled(get: str, known: Mapping[str, Any], where: str) -> str:
    """Return a path or a name with the values of its names; these may have names in them, too."""

    def one(name: str, part: str | None) -> str:
        if name not in known:
            raise FormatError(f"{where}: nothing says what {{{name}}} is in {get}")
        value = known[name]
        text = shown(value[part]) if part else shown(value)
        rest = {key: other for key, other in known.items() if key != name}
        return _filled(text, rest, where)

    return PLACE.sub(lambda place: one(place[1], place[2]), get)


def _rows(reader: _Reader, row: Row) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a row, or each that it stands for: its name, and the values of its names."""
    for values in combinations(row.each, reader.plan.parameters):
        names = {**row.where, **values}
        yield _filled(row.name, {**reader.plan.parameters, **names}, row.name), names


def _table(reader: _Reader, table: TableRecipe) -> TableFound:
    rows = [
        _row(reader, table, row, name, names)
        for row in table.rows
        for name, names in _rows(reader, row)
    ]
    return TableFound(
        table.name, table.title, table.zh, _heads(table.columns), tuple(rows), table.notes
    )


def _heads(columns: tuple[Measure, ...]) -> tuple[Head, ...]:
    return tuple(Head(column.name, column.kind, column.digits) for column in columns)


def _row(
    reader: _Reader, table: TableRecipe, row: Row, name: str, names: Mapping[str, Any]
) -> RowFound:
    if row.status:
        return RowFound(name, row.status, 0, 0, (None,) * len(table.columns), row.paper)
    tasks = reader.tasks(row.step, names)
    runs = sum(map(reader.done, tasks))
    cells = tuple(
        reader.mean(column.step or row.step, column.get, names) for column in table.columns
    )
    status = "" if any(cells) else NOT_RUN
    return RowFound(name, status, runs, len(tasks), cells, row.paper)


def _figure(reader: _Reader, figure: FigureRecipe) -> FigureFound:
    return FigureFound(
        figure.name,
        figure.title,
        figure.zh,
        figure.x_label,
        figure.x_zh,
        figure.y_label,
        figure.y_zh,
        tuple(
            LineFound(line.name, line.zh or line.name, line.kind, _points(reader, line))
            for line in figure.lines
        ),
    )


def _points(reader: _Reader, line: Line) -> tuple[PointFound, ...]:
    found = []
    for values in combinations(line.over, reader.plan.parameters):
        names = {**line.where, **values}
        y = reader.mean(line.step, line.y, names)
        x: Mean | None = None
        if line.x:
            x = reader.mean(line.step, line.x, names)
        elif all(isinstance(value, int | float) for value in values.values()):
            x = Mean((float(next(iter(values.values()))),))
        if y and y.values and x and x.mean is not None:
            label = ", ".join(f"{name} {shown(value)}" for name, value in values.items())
            found.append(PointFound(label.replace("_", " "), x.mean, y))
    return tuple(found)


def _comparison(reader: _Reader, comparison: Comparison) -> ComparisonFound:
    rows = [
        _compared(reader, comparison, row, name, names)
        for row in comparison.rows
        for name, names in _rows(reader, row)
    ]
    return ComparisonFound(
        comparison.name,
        comparison.title,
        comparison.zh,
        _heads(comparison.columns),
        tuple(row for row in rows if row.edits.values),
    )


def _compared(
    reader: _Reader, comparison: Comparison, row: Row, name: str, names: Mapping[str, Any]
) -> ComparedRow:
    """Set each run of a system beside the curve of the same seed."""
    edits: list[float] = []
    pairs: list[list[tuple[float, float]]] = [[] for _ in comparison.columns]
    outside = 0
    for task in filter(reader.done, reader.tasks(row.step, names)):
        own = reader.number(task, comparison.edits, names)
        if own is None:
            continue
        edits.append(own)
        inside = True
        for column, found in zip(comparison.columns, pairs, strict=True):
            other = at_equal_edits(_curve(reader, comparison, column, task), own)
            value = reader.number(task, column.get, names)
            inside = inside and other is not None
            if other is not None and value is not None:
                found.append((value, other))
        outside += not inside
    return ComparedRow(name, Mean(tuple(edits)), outside, tuple(map(_pair, pairs)))


def _pair(found: list[tuple[float, float]]) -> Pair:
    return Pair(
        Mean(tuple(one for one, _ in found)),
        Mean(tuple(two for _, two in found)),
        Mean(tuple(one - two for one, two in found)),
    )


def _curve(
    reader: _Reader, comparison: Comparison, column: Measure, beside: Task
) -> list[tuple[float, float]]:
    """Return edits and values along the curve of the run that a task belongs to."""
    points = []
    for values in combinations(comparison.over, reader.plan.parameters):
        names = {**beside.values, **comparison.where, **values}
        for task in filter(reader.done, reader.tasks(comparison.step, names)):
            edits = reader.number(task, comparison.edits, names)
            value = reader.number(task, column.get, names)
            if edits is not None and value is not None:
                points.append((edits, value))
    return points
