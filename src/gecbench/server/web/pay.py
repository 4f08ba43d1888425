"""One's own statements of pay: each person sees theirs, and nobody else's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from gecbench.server.choices import PayKind, PayReason
from gecbench.server.import_export.corpora import Naming, naming_of
from gecbench.server.import_export.pay_files import FILES, pay_file
from gecbench.server.models import Member, PayEntry, PayStatement
from gecbench.server.rules.pay import amount_text
from gecbench.server.web.http import attachment
from gecbench.server.web.permissions import member
from gecbench.server.workflow.pay import Earnings, earnings_of

_MOST_LINES = 2000
"""Longer statements end here in the page; the files have all lines."""


@dataclass(frozen=True, slots=True)
class EarningsRow:
    """What somebody earns, as tables show it.

    Args:
        name: Of the person.
        earnings: The numbers.
        f05: In per cent, as the statistics have it; None where there is none.
        now: By the formula in force; "" where nothing is compared.
        statement: Row of the statement; None in a preview.
    """

    name: str
    earnings: Earnings
    f05: float | None = None
    now: str = ""
    statement: int | None = None

    @property
    def total(self) -> str:
        """The amount."""
        return amount_text(self.earnings.total, self.earnings.currency)

    @property
    def hourly(self) -> str:
        """Implied pay of an hour; "" where no time was counted."""
        hourly = self.earnings.hourly
        return "" if hourly is None else amount_text(hourly, self.earnings.currency)

    @property
    def accepted(self) -> str:
        """Share of accepted answers, in per cent."""
        share = self.earnings.share
        return "–" if share is None else f"{100 * share:.1f} %"

    @property
    def hours(self) -> float:
        """Hours of active work."""
        return self.earnings.active_ms / 3_600_000


def statement_context(statement: PayStatement, naming: Naming) -> dict[str, object]:
    """A statement with its lines, for its person and for managers."""
    entries = statement.entries.select_related(
        *(
            "formula",
            "submission__sentence",
            "review__sentence",
            "variant_check__review__sentence",
            "rating__item__sentence",
        ),
        "complaint",
    )
    lines = [_line(entry, statement.currency) for entry in entries.order_by("pk")[:_MOST_LINES]]
    return {
        "statement": statement,
        "row": EarningsRow(naming.of(statement.person_id), earnings_of(statement)),
        "lines": lines,
        "more": max(0, statement.entries.count() - _MOST_LINES),
    }


def _line(entry: PayEntry, currency: str) -> dict[str, object]:
    number, at = entry.task
    return {
        "number": number,
        "at": at,
        "kind": PayKind(entry.kind).label,
        "reason": PayReason(entry.reason).label,
        "entry": entry,
        "amount": amount_text(entry.amount, currency),
    }


def statement_rows(statements: Sequence[PayStatement], naming: Naming) -> list[EarningsRow]:
    """Statements as rows of a table."""
    return [
        EarningsRow(naming.of(statement.person_id), earnings_of(statement), statement=statement.pk)
        for statement in statements
    ]


def download(name: str, statements: QuerySet[PayStatement], naming: Naming) -> HttpResponseBase:
    """Answer with one of the files of some statements."""
    if name not in FILES:
        raise Http404
    file = pay_file(name, statements, naming)
    return attachment(file.name, file.media, file.content)


def _mine(member: Member) -> QuerySet[PayStatement]:
    rows = PayStatement.objects.filter(period__project=member.project, person=member.person)
    return rows.select_related("period__project").order_by("-period__end")


def person_is_paid(member: Member) -> bool:
    """Whether there is a statement of theirs."""
    return _mine(member).exists()


@member()
@require_safe
def list_statements(request: HttpRequest, member: Member) -> HttpResponse:
    """List the member's own statements, the newest first."""
    statements = list(_mine(member))
    naming = naming_of(member.project, show=True)
    rows = zip(statements, statement_rows(statements, naming), strict=True)
    return render(request, "pay/statements.html", {"rows": list(rows)})


@member()
@require_safe
def statement(request: HttpRequest, member: Member, statement_id: int) -> HttpResponse:
    """Show one of the member's own statements."""
    row = get_object_or_404(_mine(member), pk=statement_id)
    naming = naming_of(member.project, show=True)
    return render(request, "pay/statement.html", statement_context(row, naming))


@member()
@require_safe
def save_statement(
    _request: HttpRequest, member: Member, statement_id: int, table: str
) -> HttpResponseBase:
    """Save one of the member's own statements."""
    row = get_object_or_404(_mine(member), pk=statement_id)
    rows = PayStatement.objects.filter(pk=row.pk)
    return download(table, rows, naming_of(member.project, show=True))
