"""gecbench annotate pay: who would earn what, closing a period, statements as files."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from gecbench.cli.annotate.project import open_project
from gecbench.cli.annotate.site import DataFolder
from gecbench.cli.command import command
from gecbench.cli.options import say
from gecbench.cli.output import Output, show
from gecbench.core.errors import FormatError, UnknownNameError, UsageError, count_noun
from gecbench.core.files import read_bytes, write_stream
from gecbench.core.options import Argument, Option
from gecbench.reports.report import Column, Report, Table, Words
from gecbench.server.site.folder import DEFAULT

if TYPE_CHECKING:
    from gecbench.server.models import Project
    from gecbench.server.rules.pay import Formula
    from gecbench.server.workflow.pay import Earnings

ProjectSlug = Annotated[str, Argument("PROJECT")]
Day = Annotated[str, Option("--through", "Last day of the period.", metavar="YYYY-MM-DD")]


@click.group()
def pay() -> None:
    """Preview pay, close periods, and write statements for whoever pays."""


@command
def preview(
    project: ProjectSlug,
    output: Output,
    data: DataFolder = DEFAULT,
    formula: Annotated[
        Path | None,
        Option("--formula", "JSON with a formula to try; else the one in force.", metavar="FILE"),
    ] = None,
    since: Annotated[
        str, Option("--since", "Only work handed in from this day on.", metavar="YYYY-MM-DD")
    ] = "",
) -> None:
    """Show who would earn what for real past work.

    \b
    gecbench annotate pay preview mucgec
    gecbench annotate pay preview mucgec --formula dearer.json --since 2026-11-01
    """  # noqa: D301 - \b keeps click from joining lines
    row = open_project(data, project)
    from gecbench.server.statistics.scoring import f05_by_person
    from gecbench.server.workflow import pay as ledger

    begin = ledger.begin_of(_day(since, "--since")) if since else None
    chosen = _formula(row, formula)
    earnings = ledger.preview(row, chosen, f05_by_person, since=begin)
    show(_report(row, earnings), output)


@command
def close(project: ProjectSlug, through: Day, data: DataFolder = DEFAULT) -> None:
    """Close a period: a statement for each person, for ever."""
    row = open_project(data, project)
    from gecbench.server.rules.pay import amount_text
    from gecbench.server.statistics.scoring import f05_by_person
    from gecbench.server.workflow import pay as ledger

    end = ledger.end_of(_day(through, "--through"))
    period = ledger.close_period(row, end, f05_by_person, by=None)
    statements = list(period.statements.all())
    total = ""
    if statements:
        currency = statements[0].currency
        amount = amount_text(sum(statement.total for statement in statements), currency)
        total = f", {amount} {currency}"
    say(f"closed up to {through}: {count_noun(len(statements), 'statement')}{total}")


@command
def export(
    project: ProjectSlug,
    output: Annotated[Path, Option("--output", "File, .csv or .xlsx.", short="-o")],
    data: DataFolder = DEFAULT,
    through: Annotated[
        str,
        Option("--through", "Last day of the period; else the last one.", metavar="YYYY-MM-DD"),
    ] = "",
    lines: Annotated[
        bool, Option("--lines", "CSV of all lines; else of statements. XLSX has both.")
    ] = False,
) -> None:
    """Write the statements of a closed period, with people's names."""
    row = open_project(data, project)
    from gecbench.server.import_export.corpora import naming_of
    from gecbench.server.import_export.pay_files import pay_file
    from gecbench.server.models import PayStatement
    from gecbench.server.workflow import pay as ledger

    ending = output.suffix.lower()
    if ending not in (".csv", ".xlsx"):
        raise UsageError(
            "{path} ends with {ending!r}; statements are written as .csv or .xlsx",
            path=output,
            ending=ending,
        )
    periods = row.pay_periods.order_by("-end")
    if through:
        periods = periods.filter(end=ledger.end_of(_day(through, "--through")))
    period = periods.first()
    if period is None:
        known = [str(closed.last_day) for closed in row.pay_periods.all()]
        raise UnknownNameError("closed period", through or "any", sorted(known))
    name = "pay.xlsx" if ending == ".xlsx" else "lines.csv" if lines else "statements.csv"
    statements = PayStatement.objects.filter(period=period).order_by("-total", "pk")
    write_stream(output, pay_file(name, statements, naming_of(row, show=True)).content)
    say(f"wrote {count_noun(statements.count(), 'statement')} to {output}")


def _day(text: str, option: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            "{option} is {text!r}; write a day as 2026-11-30", option=option, text=text
        ) from error


def _formula(project: Project, path: Path | None) -> Formula:
    from gecbench.server.rules.pay import formula_of
    from gecbench.server.workflow.pay import formula_in_force

    if path is not None:
        try:
            stored = json.loads(read_bytes(path))
        except ValueError as error:
            raise FormatError("no JSON: {error}", at=path, error=error) from error
        if not isinstance(stored, dict):
            raise FormatError("a formula is an object, as the REST API shows it", at=path)
        return formula_of(stored)
    row = formula_in_force(project)
    if row is None:
        raise UsageError("no formula is in force; try one with --formula FILE")
    return row.formula


def _report(project: Project, earnings: list[Earnings]) -> Report:
    from gecbench.server.import_export.corpora import naming_of
    from gecbench.server.rules.pay import amount_text

    naming = naming_of(project, show=True)
    currency = earnings[0].currency if earnings else ""
    rows = tuple(
        (
            naming.of(one.person),
            amount_text(one.total, one.currency),
            *(one.tasks, one.answers, one.accepted, one.share, one.quality.f05, one.percent),
            *(one.decisions, one.active_ms / 3_600_000),
            None if one.hourly is None else amount_text(one.hourly, one.currency),
        )
        for one in sorted(earnings, key=lambda one: -one.total)
    )
    table = Table(
        "pay",
        Words(f"Pay in {currency}", f"报酬（{currency}）"),
        (
            Column("name", zh="姓名"),
            Column("amount", zh="金额"),
            Column("reviewed tasks", "count", zh="已审核题数"),
            Column("answers", "count", zh="答案数"),
            Column("accepted", "count", zh="采纳数"),
            Column("accepted (%)", "percent", 1, zh="采纳（%）"),
            Column("F0.5", "percent", 2),
            Column("quality factor (%)", "count", zh="质量系数（%）"),
            Column("decisions", "count", zh="裁定次数"),
            Column("hours", "number", 1, zh="小时"),
            Column("per hour", zh="每小时"),
        ),
        rows,
    )
    names = [column.name for column in table.columns]
    people = [dict(zip(names, row, strict=True)) for row in rows]
    note = "hours are active time, for comparison alone: no amount depends on them"
    return Report(
        "pay",
        Words("Pay", "报酬"),
        project.slug,
        (table,),
        data={"currency": currency, "people": people},
        notes=(note,),
    )


for _command in (preview, close, export):
    pay.add_command(_command)
