"""Builders for pay: a project that pays, and periods that end now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from django.utils import timezone

from gecbench.server.models import PayEntry, PayFormula, PayPeriod, PayStatement, Project
from gecbench.server.rules.pay import Formula
from gecbench.server.workflow import pay

PLAIN = Formula(
    annotation=Decimal("0.50"),
    extra_reference=Decimal("0.25"),
    review=Decimal("0.60"),
    ruling=Decimal("0.70"),
)


def nobody_measures(project: Project, sentences: Mapping[int, object]) -> Mapping[int, float]:
    raise AssertionError("F0.5 is not asked for")


def paying(project: Project, formula: Formula = PLAIN) -> PayFormula:
    """Put a formula in force."""
    return pay.activate(project, pay.save_formula(project, formula, by=None).version, by=None)


def soon() -> datetime:
    """A moment after all that was done."""
    return timezone.now() + timedelta(milliseconds=1)


def closed(project: Project, end: datetime | None = None, measure=nobody_measures) -> PayPeriod:
    """A period that ends now: a test that does so has set `pay.SETTLED` to less than nothing."""
    return pay.close_period(project, end or soon(), measure, by=None)


def totals(period: PayPeriod) -> dict[str, int]:
    rows = PayStatement.objects.filter(period=period).order_by("person__login")
    return dict(rows.values_list("person__login", "total"))


def entries(period: PayPeriod, login: str) -> list[tuple[str, str, int]]:
    rows = PayEntry.objects.filter(statement__period=period, statement__person__login=login)
    return list(rows.order_by("pk").values_list("kind", "reason", "amount"))
