"""What an experiment shows: its tables beside the paper's; a number that was run, or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gecbench.analysis.experiment import (
    NOT_RUN,
    ComparedRow,
    ComparisonFound,
    ExperimentFound,
    FigureFound,
    Head,
    Mean,
    RowFound,
    TableFound,
)
from gecbench.core.doubt import Doubt
from gecbench.reports.exhibit import Column, Exhibit, Table, Value
from gecbench.reports.figure import Figure, Series
from gecbench.reports.grid import Grid
from gecbench.reports.words import Words

SMALL = Words(
    "small form: tiny models, samples; these numbers mean nothing",
    "小型演示：微型模型与示例数据，数字没有意义",
)
_HERE, _SPREAD = Words("here", "本次"), Words("sd", "标准差")
_PAPER, _DIFFERENCE = Words("paper", "论文"), Words("difference", "差值")
_STATUSES = {
    NOT_RUN: Words(NOT_RUN, "未运行"),
    "not built": Words("not built", "未实现"),
    "of others": Words("of others", "他人系统"),
    "people": Words("people", "人工"),
}


def exhibit(found: ExperimentFound) -> Exhibit:
    """Return the tables, figures and data of an experiment."""
    tables = [_table(table, small=found.small) for table in found.tables]
    tables += [_comparison(each, small=found.small) for each in found.comparisons if each.rows]
    figures = [
        _figure(found, each) for each in found.figures if any(line.points for line in each.lines)
    ]
    return Exhibit(
        name=found.name,
        title=Words(found.about, found.about),
        corpus=found.paper or found.name,
        tables=tuple(tables),
        figures=tuple(figures),
        data=_data(found),
        notes=_notes(found),
    )


def _titled(en: str, zh: str, *, small: bool) -> Words:
    return Words(f"{en} ({SMALL.en})", f"{zh}（{SMALL.zh}）") if small else Words(en, zh)


def _notes(found: ExperimentFound) -> tuple[str, ...]:
    said: list[str] = []
    if found.small:
        said.append(Doubt(SMALL.en))
    waiting = found.tasks - len(found.done)
    if waiting:
        said.append(f"{waiting} of {found.tasks} steps were not run; their cells say so")
    said.append(
        "here: the mean over the runs whose number stands beside; sd: their standard deviation; "
        "difference: here minus paper"
    )
    said += list(_fewer(found))
    said += [note for table in found.tables for note in table.notes]
    said += found.notes
    if found.comparisons:
        said.append(
            "at equal numbers of edits: run by run on the line between the two nearest points of "
            "the same seed's curve of KEEP biases; runs beyond its ends are counted as outside"
        )
    told = ", ".join(f"{name} {_told(value)}" for name, value in found.parameters.items())
    said.append(f"parameters: {told}" if told else "no parameters")
    return tuple(said)


def _fewer(found: ExperimentFound) -> Iterator[str]:
    """Yield which means are over fewer runs than stand beside, as a precision without edits."""
    cells = [
        f"{row.name}, {head.name}: {len(cell.values)} of {row.runs}"
        for table in found.tables
        for row in table.rows
        for head, cell in zip(table.heads, row.cells, strict=True)
        if cell is not None and len(cell.values) != row.runs
    ]
    if cells:
        yield f"runs that have such a number at all, where not all have: {'; '.join(cells)}"


def _told(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(_told, value))
    return str(value["name"]) if isinstance(value, Mapping) else str(value)


def _table(table: TableFound, *, small: bool) -> Table:
    columns = (
        Column("system", zh="系统"),
        Column("figures of", zh="数据来源"),
        Column("runs", zh="次数"),
        *(Column(head.name, head.shape, head.digits) for head in table.heads),
    )
    rows = [line for row in table.rows for line in _lines(row, table.heads, small=small)]
    return Table(table.name, _titled(table.title, table.zh, small=small), columns, tuple(rows))


def _lines(row: RowFound, heads: tuple[Head, ...], *, small: bool) -> Iterator[tuple[Value, ...]]:
    """Yield what was found of a system, its spread, the paper's figures, and the difference."""
    if row.status:
        status = _STATUSES.get(row.status, row.status)
        yield (row.name, _HERE, "0", *(status for _ in heads))
    else:
        runs = str(row.runs) if row.runs == row.of else f"{row.runs} of {row.of}"
        yield (row.name, _HERE, runs, *map(_shown, row.cells))
        if any(cell and cell.sd is not None for cell in row.cells):
            yield (row.name, _SPREAD, "", *(cell.sd if cell else None for cell in row.cells))
    if row.paper:
        paper = [_ratio(value, head) for value, head in zip(row.paper, heads, strict=True)]
        yield (row.name, _PAPER, "", *paper)
        if not row.status and not small:  # what a tiny model lacks is no difference to a paper
            pairs = zip(row.cells, paper, strict=True)
            yield (row.name, _DIFFERENCE, "", *(_minus(cell, value) for cell, value in pairs))


def _shown(cell: Mean | None) -> Value:
    return _STATUSES[NOT_RUN] if cell is None else cell.mean


def _ratio(value: float | None, head: Head) -> float | None:
    """Return a paper's figure in the unit of ours: papers print percent."""
    return value / 100 if value is not None and head.shape == "percent" else value


def _minus(cell: Mean | None, value: float | None) -> float | None:
    here = cell.mean if cell else None
    return None if here is None or value is None else here - value


def _comparison(found: ComparisonFound, *, small: bool) -> Table:
    columns = [
        Column("system", zh="系统"),
        Column("runs", zh="次数"),
        Column("outside", zh="曲线之外"),
        Column("edits", "number", 1, zh="编辑数"),
    ]
    for head in found.heads:
        columns += [
            Column(head.name, head.shape, head.digits),
            Column(
                f"{head.name}, KEEP bias", head.shape, head.digits, zh=f"{head.name}，KEEP 偏置"
            ),
            Column("difference", head.shape, head.digits, zh="差值"),
            Column("sd", head.shape, head.digits, zh="标准差"),
        ]
    rows = [_compared(row) for row in found.rows]
    return Table(
        found.name, _titled(found.title, found.zh, small=small), tuple(columns), tuple(rows)
    )


def _compared(row: ComparedRow) -> tuple[Value, ...]:
    values: list[Value] = [
        row.name,
        str(len(row.edits.values)),
        str(row.outside),
        row.edits.mean,
    ]
    for pair in row.pairs:
        values += [pair.system.mean, pair.curve.mean, pair.difference.mean, pair.difference.sd]
    return tuple(values)


def _figure(found: ExperimentFound, figure: FigureFound) -> Figure:
    series = tuple(
        Series(
            Words(line.name, line.zh),
            tuple(point.x for point in line.points),
            tuple(_drawn(point.y.mean, line.shape) for point in line.points),
            *_whiskers([point.y for point in line.points], line.shape),
            labels=tuple(point.label for point in line.points),
        )
        for line in figure.lines
        if line.points
    )
    drawn = [line for line in figure.lines if line.points]
    points = [
        ", ".join(
            f"{point.label} {_drawn(point.y.mean, line.shape) or 0:.2f}" for point in line.points
        )
        for line in drawn
    ]
    en = "; ".join(f"{line.name}: {told}" for line, told in zip(drawn, points, strict=True))
    zh = "；".join(f"{line.zh}：{told}" for line, told in zip(drawn, points, strict=True))
    return Figure(
        name=f"{found.name}-{figure.name}",
        kind="lines",
        title=_titled(figure.title, figure.zh, small=found.small),
        alt=Words(f"{figure.title}. {en}.", f"{figure.zh}。{zh}。"),
        x_label=Words(figure.x_label, figure.x_zh),
        y_label=Words(figure.y_label, figure.y_zh),
        series=series,
    )


def _drawn(value: float | None, shape: str) -> float | None:
    return None if value is None else value * (100 if shape == "percent" else 1)


def _whiskers(
    means: list[Mean], shape: str
) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """Return one standard deviation below and above each mean; () where no point has any."""
    if all(mean.sd is None for mean in means):
        return (), ()
    ends: list[tuple[float | None, ...]] = []
    for sign in (-1, 1):
        ends.append(
            tuple(_drawn((mean.mean or 0) + sign * (mean.sd or 0), shape) for mean in means)
        )
    return ends[0], ends[1]


def _data(found: ExperimentFound) -> Mapping[str, object]:
    return {
        "about": found.about,
        "paper": found.paper,
        "small": found.small,
        "parameters": dict(found.parameters),
        "inputs": dict(found.inputs),
        "done": dict(found.done),
        "tasks": found.tasks,
        "tables": [
            {
                "name": table.name,
                "columns": [head.name for head in table.heads],
                "rows": [_of_row(row, table.heads) for row in table.rows],
            }
            for table in found.tables
        ],
        "figures": [
            {
                "name": figure.name,
                "lines": [
                    {
                        "name": line.name,
                        "points": [
                            {"label": point.label, "x": point.x, **_of_mean(point.y)}
                            for point in line.points
                        ],
                    }
                    for line in figure.lines
                ],
            }
            for figure in found.figures
        ],
        "comparisons": [
            {
                "name": each.name,
                "rows": [_of_compared(row, each.heads) for row in each.rows],
            }
            for each in found.comparisons
        ],
    }


def _of_row(row: RowFound, heads: tuple[Head, ...]) -> Mapping[str, object]:
    paper = row.paper or (None,) * len(heads)
    cells = [
        {"column": head.name, **(_of_mean(cell) if cell else {"values": None}), "paper": printed}
        for head, cell, printed in zip(heads, row.cells, paper, strict=True)
    ]
    return {
        "system": row.name,
        "status": row.status or "run",
        "runs": row.runs,
        "of": row.of,
        "cells": cells,
    }


def _of_mean(found: Mean) -> Mapping[str, object]:
    return {"values": list(found.values), "mean": found.mean, "sd": found.sd}


def _of_compared(row: ComparedRow, heads: tuple[Head, ...]) -> Mapping[str, object]:
    return {
        "system": row.name,
        "edits": _of_mean(row.edits),
        "outside": row.outside,
        "columns": [
            {
                "column": head.name,
                "system": _of_mean(pair.system),
                "curve": _of_mean(pair.curve),
                "difference": _of_mean(pair.difference),
            }
            for head, pair in zip(heads, row.pairs, strict=True)
        ],
    }


def markdown(shown: Exhibit) -> str:
    """Return an exhibit as Markdown, with its notes below."""
    parts = [f"# {shown.title.en}", f"{shown.corpus}"]
    doubts = [note for note in shown.notes if isinstance(note, Doubt)]
    parts += [f"**{note}**" for note in doubts]
    parts += [f"## {table.title.en}\n\n{_grid(table.grid)}" for table in shown.tables]
    parts += ["\n".join(f"- {note}" for note in shown.notes if note not in doubts)]
    return "\n\n".join(parts) + "\n"


def _grid(grid: Grid) -> str:
    def line(cells: tuple[str, ...]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rules = tuple("---" if at < grid.words else "---:" for at in range(len(grid.header)))
    return "\n".join(map(line, (grid.header, rules, *grid.rows)))
