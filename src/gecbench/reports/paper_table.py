"""A paper's tables beside ours: a number that was run, or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gecbench.analysis.paper_table import (
    NOT_RUN,
    ComparedRow,
    FigurePoint,
    FigureResult,
    Mean,
    PaperColumn,
    PaperResult,
    RowResult,
    TableResult,
)
from gecbench.core.score import WarningNote
from gecbench.reports.report import Column, Figure, Report, Series, Table, Value, Words, translate

SMALL = translate("small form: tiny models, samples; these numbers mean nothing")
_HERE, _SPREAD = translate("here"), translate("sd")
_PAPER, _DIFFERENCE = translate("paper"), translate("difference")
_STATUSES = {name: translate(name) for name in (NOT_RUN, "not built", "of others", "people")}


def build_report(name: str, result: PaperResult, *, small: bool = False) -> Report:
    """Show the tables and figures of a paper, filled.

    Args:
        name: Of the workflow.
        result: What was read.
        small: Whether it is of tiny models, so that the numbers mean nothing.
    """
    paper = result.paper
    return Report(
        name=name,
        title=Words(paper.about, paper.about),
        corpus=paper.paper,
        tables=tuple(_table(table, small=small) for table in result.tables),
        figures=tuple(
            _figure(name, figure, small=small) for figure in result.figures if any(figure.points)
        ),
        data={
            "small": small,
            "files": result.files,
            "tables": [
                {
                    "name": table.table.name,
                    "columns": [column.name for column in table.table.columns],
                    "rows": table.rows,
                }
                for table in result.tables
            ],
        },
        notes=tuple(_notes(result, small=small)),
    )


def _title(en: str, zh: str, *, small: bool) -> Words:
    title = Words(en, zh)
    return translate("{title} ({small})", title=title, small=SMALL) if small else title


def _notes(result: PaperResult, *, small: bool) -> Iterator[str]:
    if small:
        yield WarningNote(SMALL.en)
    yield (
        "here: the mean over the runs whose number stands beside; sd: their standard deviation; "
        "difference: here minus paper"
    )
    fewer = [
        f"{row.name}, {column.name}: {len(cell.values)} of {row.runs}"
        for table in result.tables
        for row in table.rows
        if isinstance(row, RowResult) and row.cells
        for column, cell in zip(table.table.columns, row.cells, strict=True)
        if 0 < len(cell.values) < row.runs
    ]
    if fewer:
        yield f"runs that have such a number at all, where not all have: {'; '.join(fewer)}"
    yield from result.paper.notes
    if any(table.table.curve for table in result.tables):
        yield (
            "at equal numbers of edits: run by run on the line between the two nearest points of "
            "the same seed's curve of KEEP biases; runs beyond its ends are counted as outside"
        )


def _table(result: TableResult, *, small: bool) -> Table:
    table = result.table
    columns = [Column.of("system")]
    if table.curve:
        columns += [Column.of("runs"), Column.of("outside"), Column.of("number|edits", "number", 1)]
    else:
        columns += [Column.of("figures of"), Column.of("runs")]
    for column in table.columns:
        columns.append(Column(column.name, column.kind, column.digits))
        if table.curve:
            columns += [
                Column.of("{name}, KEEP bias", column.kind, column.digits, name=column.name),
                Column.of("difference", column.kind, column.digits),
                Column.of("sd", column.kind, column.digits),
            ]
    rows: list[tuple[Value, ...]] = []
    for row in result.rows:
        if isinstance(row, ComparedRow):
            rows.append(_comparison_cells(row))
        else:
            rows += _lines(row, table.columns, small=small)
    title = _title(table.title, table.zh, small=small)
    return Table(table.name, title, tuple(columns), tuple(rows))


def _lines(
    row: RowResult, columns: Sequence[PaperColumn], *, small: bool
) -> Iterator[tuple[Value, ...]]:
    """Yield what was run, its spread, the paper's figures, and the difference."""
    if row.status:
        yield (row.name, _HERE, "0", *[_STATUSES.get(row.status, row.status)] * len(columns))
    else:
        yield (row.name, _HERE, str(row.runs), *(cell.mean for cell in row.cells))
        if any(cell.sd is not None for cell in row.cells):
            yield (row.name, _SPREAD, "", *(cell.sd for cell in row.cells))
    if row.paper:
        paper = [
            value / 100 if value is not None and column.kind == "percent" else value
            for value, column in zip(row.paper, columns, strict=True)
        ]
        yield (row.name, _PAPER, "", *paper)
        if not row.status and not small:  # what a tiny model lacks is no difference to a paper
            pairs = zip(row.cells, paper, strict=True)
            yield (row.name, _DIFFERENCE, "", *(_minus(cell.mean, value) for cell, value in pairs))


def _minus(here: float | None, paper: float | None) -> float | None:
    return None if here is None or paper is None else here - paper


def _comparison_cells(row: ComparedRow) -> tuple[Value, ...]:
    runs = str(len(row.edits.values))
    values: list[Value] = [row.name, runs, str(row.outside), row.edits.mean]
    for system, curve, difference in zip(row.system, row.curve, row.difference, strict=True):
        values += [system.mean, curve.mean, difference.mean, difference.sd]
    return tuple(values)


def _figure(name: str, result: FigureResult, *, small: bool) -> Figure:
    figure = result.figure
    lines = [
        (line, points) for line, points in zip(figure.lines, result.points, strict=True) if points
    ]
    texts = [
        ", ".join(f"{p.label} {_percent(p.y.mean):.2f}" for p in points) for _, points in lines
    ]
    en = "; ".join(f"{line.name}: {text}" for (line, _), text in zip(lines, texts, strict=True))
    zh = "；".join(
        f"{line.zh or line.name}：{text}" for (line, _), text in zip(lines, texts, strict=True)
    )
    return Figure.of(
        f"{name}-{figure.name}",
        "lines",
        title=_title(figure.title, figure.zh, small=small),
        alt=translate("{title}. {en}.", title=figure.title, en=en, figure=figure, zh=zh),
        x=Words(figure.x_label, figure.x_zh),
        y=Words(figure.y_label, figure.y_zh),
        series=tuple(_series(Words(line.name, line.zh or line.name), p) for line, p in lines),
    )


def _series(name: Words, points: Sequence[FigurePoint]) -> Series:
    """A line in percent, with whiskers of one standard deviation where there is any."""
    means = [point.y for point in points]
    spread = any(mean.sd is not None for mean in means)
    return Series(
        name,
        tuple(point.x for point in points),
        tuple(_percent(mean.mean) for mean in means),
        low=tuple(_end(mean, -1) for mean in means) if spread else (),
        high=tuple(_end(mean, 1) for mean in means) if spread else (),
        labels=tuple(point.label for point in points),
    )


def _end(mean: Mean, sign: int) -> float:
    return _percent(mean.mean) + sign * _percent(mean.sd)


def _percent(ratio: float | None) -> float:
    return 100 * (ratio or 0)
