"""Statements of pay as files, for whoever pays: CSV and XLSX (PAY-6)."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime

from django.db.models import QuerySet
from django.utils import timezone

from gecbench.core.errors import MissingExtraError, UsageError
from gecbench.server.import_export.corpora import Naming, table
from gecbench.server.import_export.exports import ExportFile
from gecbench.server.models import PayEntry, PayStatement
from gecbench.server.rules.pay import digits_of
from gecbench.server.workflow.pay import earnings_of

Cell = str | int | float | None
FILES: Mapping[str, str] = {
    "statements.csv": "text/csv; charset=utf-8",
    "lines.csv": "text/csv; charset=utf-8",
    "pay.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
"""Name of a file to its media type; the workbook has both tables, a sheet each."""

_STATEMENTS = (
    *("name", "from", "to", "total", "currency", "reviewed_tasks", "answers", "accepted"),
    *("acceptance_percent", "f05_percent", "quality_percent", "decisions", "active_hours"),
    *("per_hour", "sha256"),
)
_LINES = (
    *("name", "to", "task", "kind", "reason", "amount", "currency", "formula", "rate", "length"),
    *("length_percent", "quality_percent", "handed_in"),
)
_AT_ONCE = 500
_MOST_ROWS = 1_048_575
"""What a sheet holds below its header; the library leaves further rows out without a word."""


def pay_file(name: str, statements: QuerySet[PayStatement], naming: Naming) -> ExportFile:
    """Write statements as one of `FILES`.

    Raises:
        MissingExtraError: XLSX, and the library is not there.
        UsageError: XLSX, and there are more lines than a sheet holds.
    """
    tables = {
        "statements": (_STATEMENTS, _statement_rows(statements, naming)),
        "lines": (_LINES, _line_rows(statements, naming)),
    }
    ending = name[name.rindex(".") :]
    content = _workbook(tables) if ending == ".xlsx" else table(*_pieces(tables, name))
    return ExportFile(name, ending, FILES[name], content)


_Tables = Mapping[str, tuple[Sequence[str], Iterable[Sequence[Cell]]]]


def _pieces(tables: _Tables, name: str) -> tuple[Sequence[str], Iterator[Sequence[Sequence[Cell]]]]:
    header, rows = tables[name.removesuffix(".csv")]
    return header, ([row] for row in rows)


def _amount(minor: int | None, currency: str) -> int | float | None:
    """An amount as a number, exact in spreadsheets up to 15 digits."""
    digits = digits_of(currency)
    return minor if minor is None or not digits else minor / 10**digits


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 2)


def _time(at: datetime | None) -> str:
    """A moment by the clock of the site, as periods end: the file is everybody's."""
    if at is None:
        return ""
    return f"{timezone.localtime(at, timezone.get_default_timezone()):%Y-%m-%d %H:%M}"


def _day(day: date | None) -> str:
    """The first or last day of a period, as pages name it; both are in it."""
    return "" if day is None else day.isoformat()


def _statement_rows(statements: QuerySet[PayStatement], naming: Naming) -> Iterator[Sequence[Cell]]:
    for statement in statements.select_related("period").iterator(_AT_ONCE):
        earnings, currency = earnings_of(statement), statement.currency
        yield (
            naming.of(statement.person_id),
            _day(statement.period.first_day),
            _day(statement.period.last_day),
            _amount(statement.total, currency),
            currency,
            earnings.tasks,
            earnings.answers,
            earnings.accepted,
            _percent(earnings.share),
            _percent(earnings.quality.f05),
            earnings.percent,
            earnings.decisions,
            round(earnings.active_ms / 3_600_000, 2),
            _amount(earnings.hourly, currency),
            statement.sha256,
        )


def _line_rows(statements: QuerySet[PayStatement], naming: Naming) -> Iterator[Sequence[Cell]]:
    entries = PayEntry.objects.filter(statement__in=statements.order_by())
    entries = entries.select_related(
        *("statement__period", "formula", "submission__sentence", "review__sentence"),
        "variant_check__review__sentence",
        "rating__item__sentence",
    )
    for entry in entries.order_by("statement__person__name", "pk").iterator(_AT_ONCE):
        number, at = entry.task
        detail, currency = entry.detail, entry.statement.currency
        yield (
            naming.of(entry.statement.person_id),
            _day(entry.statement.period.last_day),
            number,
            entry.kind,
            entry.reason,
            _amount(entry.amount, currency),
            currency,
            entry.formula.version,
            float(detail["rate"]),
            *(detail[name] for name in ("length", "length_percent", "quality_percent")),
            _time(at),
        )


def _workbook(tables: _Tables) -> Iterator[bytes]:
    try:
        import xlsxwriter
    except ImportError as error:
        raise MissingExtraError("xlsxwriter (for .xlsx)", "annotate") from error
    buffer = io.BytesIO()
    # Rows go to a temporary file one by one. A text is written as a text, never as a formula.
    with xlsxwriter.Workbook(buffer, {"constant_memory": True}) as book:
        bold = book.add_format({"bold": True})
        for name, (header, rows) in tables.items():
            worksheet = book.add_worksheet(name)
            worksheet.freeze_panes(1, 0)
            for column, title in enumerate(header):
                worksheet.write_string(0, column, title, bold)
            for number, row in enumerate(rows, 1):
                if number > _MOST_ROWS:
                    raise UsageError(
                        "a workbook holds {most} lines; save {name}.csv, which holds all",
                        most=_MOST_ROWS,
                        name=name,
                    )
                for column, value in enumerate(row):
                    if isinstance(value, str):
                        worksheet.write_string(number, column, value)
                    elif value is not None:
                        worksheet.write_number(number, column, value)
    return iter([buffer.getvalue()])
