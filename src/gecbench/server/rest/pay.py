"""Pay: formulas for managers, statements for managers and for the person that each is for."""

from __future__ import annotations

from functools import partial

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router

from gecbench.server.choices import Role
from gecbench.server.import_export.corpora import Naming, naming_of
from gecbench.server.models import Member, PayStatement
from gecbench.server.rest.authentication import manager_of, member_of, only
from gecbench.server.rest.projects import After, Limit, first_rows, page_of
from gecbench.server.rest.schemas import (
    Failure,
    PayFormulaOutput,
    PayStatements,
    PayStatementWithLines,
)
from gecbench.server.workflow.pay import formula_in_force

pay_router = Router(tags=["pay"])


@pay_router.get(
    "projects/{slug:slug}/pay/formulas", response={200: list[PayFormulaOutput], 404: Failure}
)
def formulas(request: HttpRequest, slug: str) -> list[dict[str, object]]:
    """Return the versions of the formula, the newest first; for managers."""
    only(request)
    project = manager_of(request, slug).project
    in_force = formula_in_force(project)
    return [
        {
            "version": row.version,
            "rules": row.rules,
            "at": row.at,
            "in_force": in_force is not None and in_force.pk == row.pk,
        }
        for row in project.pay_formulas.order_by("-version")
    ]


@pay_router.get(
    "projects/{slug:slug}/pay/statements", response={200: PayStatements, 404: Failure, 422: Failure}
)
def statements(
    request: HttpRequest, slug: str, after: After = 0, limit: Limit = 50
) -> dict[str, object]:
    """Return statements, oldest first: to managers all under pseudonyms, to others their own."""
    only(request, "after", "limit")
    member = member_of(request, slug)
    describe = partial(_statement, naming=naming_of(member.project))
    return page_of(first_rows(_statements(member), after, limit), limit, describe)


@pay_router.get(
    "projects/{slug:slug}/pay/statements/{int:statement_id}",
    response={200: PayStatementWithLines, 404: Failure},
)
def statement(request: HttpRequest, slug: str, statement_id: int) -> dict[str, object]:
    """Return a statement with its lines; for managers, and for the person that it is for."""
    only(request)
    member = member_of(request, slug)
    row = get_object_or_404(_statements(member), pk=statement_id)
    entries = row.entries.select_related(
        *(
            "formula",
            "submission__sentence",
            "review__sentence",
            "variant_check__review__sentence",
            "rating__item__sentence",
        )
    )
    lines = [
        {
            "number": entry.task[0],
            "kind": entry.kind,
            "reason": entry.reason,
            "amount_minor": entry.amount,
            "formula": entry.formula.version,
            "submission": entry.submission_id,
            "reference": entry.reference_id,
            "review": entry.review_id,
            "variant_check": entry.variant_check_id,
            "rating": entry.rating_id,
            "complaint": entry.complaint_id,
            "detail": entry.detail,
        }
        for entry in entries.order_by("pk")
    ]
    return {**_statement(row, naming_of(member.project)), "lines": lines}


def _statements(member: Member) -> QuerySet[PayStatement]:
    rows = PayStatement.objects.filter(period__project=member.project).select_related("period")
    return rows if member.has(Role.MANAGER) else rows.filter(person=member.person)


def _statement(row: PayStatement, naming: Naming) -> dict[str, object]:
    return {
        "key": row.pk,
        "person": naming.of(row.person_id),
        "begin": row.period.begin,
        "end": row.period.end,
        "first_day": row.period.first_day,
        "last_day": row.period.last_day,
        "total_minor": row.total,
        "currency": row.currency,
        "facts": row.facts,
        "sha256": row.sha256,
    }
