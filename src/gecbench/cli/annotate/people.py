"""gecbench annotate user and pay: people of the whole site, and what they earn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from gecbench.cli.annotate.site import DataFolder, base_url
from gecbench.cli.command import CommandGroup, command
from gecbench.core.errors import GecbenchError
from gecbench.core.files import STDIO, check_target, write_stream
from gecbench.core.options import Argument, Option
from gecbench.server.site import folder
from gecbench.server.site.folder import DEFAULT

if TYPE_CHECKING:
    from gecbench.server.models import Person
    from gecbench.server.site.folder import Site
import json
from datetime import date
from typing import TYPE_CHECKING

from gecbench.cli.annotate.project import open_project
from gecbench.cli.options import say
from gecbench.cli.output import ListOutput, Output, OutputFile, show, show_list
from gecbench.core.errors import FormatError, UnknownNameError, UsageError, count_noun
from gecbench.core.files import read_bytes
from gecbench.reports.report import Column, Grid, Report, Table, Words

if TYPE_CHECKING:
    from gecbench.server.models import Project
    from gecbench.server.rules.pay import Formula
    from gecbench.server.workflow.pay import Earnings

Login = Annotated[str, Argument()]
Url = Annotated[str, Option("--url", "What links begin with; else by site.toml.")]


@click.group(cls=CommandGroup)
def user() -> None:
    """Add, list and change people; make links by which they choose a password.

    \b
    gecbench annotate user add li.wei --name "Li Wei"
    gecbench annotate user link li.wei
    """  # noqa: D301 - \b keeps click from joining lines


def _show_link(site: Site, url: str, person: Person) -> None:
    from gecbench.server.workflow import accounts

    secret = accounts.password_link(person)
    click.echo(f"{url.rstrip('/') or base_url(site)}/password/{secret}")
    click.echo(f"gecbench: give this link to {person.login}; it holds once, for 24 hours", err=True)


@command
def add(
    login: Login,
    data: DataFolder = DEFAULT,
    name: Annotated[str, Option("--name", "The name that others see.")] = "",
    administrator: Annotated[
        bool, Option("--administrator", "May do everything on the whole site.")
    ] = False,
    url: Url = "",
) -> None:
    """Make somebody, and print the link to choose a password."""
    site = folder.open_site(data)
    from gecbench.server.workflow import accounts

    _show_link(site, url, accounts.add_person(login, name=name, administrator=administrator))


@command
def link(login: Login, data: DataFolder = DEFAULT, url: Url = "") -> None:
    """Print a link by which a person chooses a new password, once."""
    site = folder.open_site(data)
    from gecbench.server.workflow import accounts

    _show_link(site, url, accounts.get_person(login))


@command
def unlock(login: Login, data: DataFolder = DEFAULT) -> None:
    """Let a person sign in at once who is locked after failed tries."""
    folder.open_site(data)
    from gecbench.server.workflow import accounts

    locked = accounts.unlock(accounts.get_person(login))
    state = "can try to sign in again" if locked else "was not locked"
    click.echo(f"gecbench: {login} {state}", err=True)


@command
def list_(output: ListOutput, data: DataFolder = DEFAULT) -> None:
    """List everybody: login, name, what they are, their projects."""
    folder.open_site(data)
    from gecbench.server.workflow import accounts

    rows = accounts.list_people()
    widths = [max((len(row[n]) for row in rows), default=0) for n in range(3)]
    text = ""
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row[:3], widths, strict=True)]
        text += "  ".join([*cells, row[3]]).rstrip() + "\n"
    header = ("login", "name", "standing", "projects")
    people = [dict(zip(header, row, strict=True)) for row in rows]
    show_list(output, Grid(header, tuple(rows), 4), {"people": people}, text=text)


@command
def deactivate(login: Login, data: DataFolder = DEFAULT) -> None:
    """Let a person sign in no more; what they have written stays."""
    folder.open_site(data)
    from gecbench.server.workflow import accounts

    accounts.deactivate(accounts.get_person(login))
    click.echo(f"gecbench: {login} cannot sign in any more", err=True)


@command
def activate(login: Login, data: DataFolder = DEFAULT) -> None:
    """Let a person sign in again."""
    folder.open_site(data)
    from gecbench.server.workflow import accounts

    accounts.activate(accounts.get_person(login))
    click.echo(f"gecbench: {login} can sign in again", err=True)


@command
def forget(
    login: Login,
    data: DataFolder = DEFAULT,
    yes: Annotated[bool, Option("--yes", "Do not ask; this cannot be undone.")] = False,
) -> None:
    """Forget who a person is, for ever; what they wrote stays.

    Their login, name and settings are taken away.
    """
    folder.open_site(data)
    from gecbench.server.workflow import accounts

    person = accounts.get_person(login)
    if not yes and not click.confirm(f"Forget who {login} is? This cannot be undone", err=True):
        raise GecbenchError(f"nothing was done: {login} stays who they are")
    pseudonym = accounts.forget(person).login
    click.echo(f"gecbench: {login} is {pseudonym} now; backups from before still know", err=True)


@command
def data(login: Login, data: DataFolder = DEFAULT, output: OutputFile = Path(STDIO)) -> None:
    """Write what the site keeps of a person, as JSON lines."""
    folder.open_site(data)
    from gecbench.server.import_export.personal_data import export_personal_data
    from gecbench.server.workflow import accounts

    person = accounts.get_person(login)
    check_target(output)
    write_stream(output, export_personal_data(person))


@command
def promote(
    login: Login,
    data: DataFolder = DEFAULT,
    no_more: Annotated[bool, Option("--no-more", "Make them an administrator no longer.")] = False,
) -> None:
    """Make a person an administrator of the whole site."""
    folder.open_site(data)
    from gecbench.server.workflow import accounts

    accounts.promote(accounts.get_person(login), administrator=not no_more)
    state = "is no administrator any more" if no_more else "is an administrator"
    click.echo(f"gecbench: {login} {state}", err=True)


for _command in (add, link, unlock, list_, deactivate, activate, forget, data, promote):
    user.add_command(_command)


ProjectSlug = Annotated[str, Argument("PROJECT")]
Day = Annotated[str, Option("--through", "Last day of the period.", metavar="YYYY-MM-DD")]


@click.group(cls=CommandGroup)
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
            naming.of(earning.person),
            amount_text(earning.total, earning.currency),
            *(
                earning.tasks,
                earning.answers,
                earning.accepted,
                earning.share,
                earning.quality.f05,
                earning.percent,
            ),
            *(earning.decisions, earning.active_ms / 3_600_000),
            None if earning.hourly is None else amount_text(earning.hourly, earning.currency),
        )
        for earning in sorted(earnings, key=lambda earning: -earning.total)
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
