"""Pay: one's own statements; for managers formulas, periods, and the statements of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Count, QuerySet, Sum
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.core.errors import GecbenchError
from gecbench.server.choices import PayKind, PayQuality, PayReason, ProjectKind
from gecbench.server.import_export.corpora import Naming, naming_of
from gecbench.server.import_export.pay_files import FILES, pay_file
from gecbench.server.models import Member, PayEntry, PayPeriod, PayStatement, Project
from gecbench.server.rules.options import limits
from gecbench.server.rules.pay import PAID, TEMPLATES, Formula, Step, amount_text
from gecbench.server.statistics.scoring import SCORES, f05_by_person, load_figures, parse_scores
from gecbench.server.web.http import attachment, form_status
from gecbench.server.web.manage.projects import number_field
from gecbench.server.web.manage.shortcuts import (
    act,
    active_manager,
    manage_page,
    manager,
    refusal_message,
    require_active,
    translate_error,
)
from gecbench.server.web.permissions import member
from gecbench.server.workflow import audit, pay
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
def own_statement(request: HttpRequest, member: Member, statement_id: int) -> HttpResponse:
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


# The formula as a form.

_MOST_STEPS = 20
_STEP_WRONG = _("Line %(line)s is “%(text)s”: write a number, a colon and a number, as 30: 130.")


class StepsField(forms.Field):
    """Steps, one a line: the least value, a colon, per cent."""

    widget = forms.Textarea(attrs={"rows": 6, "class": "steps"})

    def prepare_value(self, value: Any) -> Any:
        """Steps as lines."""
        if not isinstance(value, tuple):
            return value
        return "\n".join(f"{step.at_least}: {step.percent}" for step in value)

    def to_python(self, value: Any) -> tuple[Step, ...]:
        """The steps of all lines that are not empty."""
        lines = [line for line in (value or "").splitlines() if line.strip()]
        steps = tuple(_step(number, line) for number, line in enumerate(lines, 1))
        if len(steps) > _MOST_STEPS:
            raise forms.ValidationError(gettext("At most 20 lines."))
        if not steps or steps[0].at_least:
            raise forms.ValidationError(gettext("The first line begins with 0."))
        values = [step.at_least for step in steps]
        if values != sorted(set(values)):
            message = gettext("Each line begins with a greater number than the one above it.")
            raise forms.ValidationError(message)
        return steps


def _step(number: int, line: str) -> Step:
    least, colon, percent = line.replace("：", ":").replace("%", "").partition(":")
    try:
        if colon:
            return Step(at_least=int(least), percent=int(percent))
    except ValueError:  # pydantic's error is one
        pass
    values = {"line": number, "text": line.strip()[:40]}
    raise forms.ValidationError(_STEP_WRONG % values)


def _words(name: str) -> tuple[str, str]:
    """What a field of a formula is called, and what it means."""
    field = Formula.model_fields[name]
    return gettext(field.title), gettext(field.description)  # type: ignore[arg-type]  # all have both


class FormulaForm(forms.Form):
    """A formula, with what is paid in projects of a kind."""

    use_required_attribute = False

    def __init__(self, project: Project, formula: Formula, data: Any = None) -> None:
        """Show what was sent, else a formula."""
        super().__init__(data, initial=dict(formula), auto_id="%s")
        self.kinds = PAID[ProjectKind(project.kind)]
        hidden = set(PayKind) - set(self.kinds)
        rewrites = project.kind == ProjectKind.REWRITE
        for name, about in Formula.model_fields.items():
            if name in hidden:
                continue
            title, description = _words(name)
            words: Any = {"label": title, "help_text": description}
            if name in ("lengths", "factors"):
                field: forms.Field = StepsField(**words)
            elif name == "currency":
                wrong = gettext("Three capital letters, as CNY.")
                field = forms.RegexField(
                    "^[A-Z]{3}$",
                    widget=forms.TextInput(attrs={"class": "short", "maxlength": 3}),
                    error_messages=dict.fromkeys(("required", "invalid"), wrong),
                    **words,
                )
            elif name == "quality":
                choices = [
                    choice
                    for choice in PayQuality.choices
                    if rewrites or choice[0] != PayQuality.F05
                ]
                field = forms.ChoiceField(choices=choices, **words)
            elif about.annotation is int:
                field = number_field(*limits(about), **words)
            else:
                wrong = gettext(
                    "An amount from 0 to 100000, with at most four digits behind the point."
                )
                field = forms.DecimalField(
                    min_value=Decimal(0),
                    max_value=Decimal(100_000),
                    decimal_places=4,
                    widget=forms.TextInput(attrs={"class": "short", "inputmode": "decimal"}),
                    error_messages=dict.fromkeys(_WRONG, wrong),
                    **words,
                )
            self.fields[name] = field

    @property
    def groups(self) -> Iterable[tuple[str, list[forms.BoundField]]]:
        """The fields, as the page shows them."""
        names: Mapping[str, tuple[str, ...]] = {
            gettext("Rates"): ("currency", *self.kinds),
            gettext("Length"): ("lengths",),
            gettext("Quality"): ("quality", "window", "least", "factors"),
        }
        return [(title, [self[name] for name in some]) for title, some in names.items()]

    @property
    def formula(self) -> Formula:
        """The formula of a form that is valid; what is not paid here has no rate."""
        return Formula(**self.cleaned_data)


_WRONG = ("required", "invalid", "min_value", "max_value", "max_decimal_places", "max_digits")


@manager
@require_http_methods(["GET", "HEAD", "POST"])
def formula(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Show a formula to change, or keep it as a new version."""
    project = member.project
    if request.method == "POST":
        require_active(member)
        form = FormulaForm(project, _start(project, ""), request.POST)
        if form.is_valid():
            row = pay.save_formula(project, form.formula, by=member.person)
            return redirect("manage-pay-version", project.slug, row.version)
    else:
        form = FormulaForm(project, _start(project, request.GET.get("from", "")))
    context = {
        "form": form,
        "templates": [
            (name, gettext(template.title), gettext(template.about))
            for name, template in TEMPLATES.items()
            if name != "f05" or project.kind == ProjectKind.REWRITE
        ],
    }
    return _page(request, member, "formula", context, status=form_status(form.errors))


def _page(
    request: HttpRequest,
    member: Member,
    name: str,
    context: Mapping[str, object],
    *,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    template = f"manage/pay_{name}.html"
    return manage_page(request, member, "manage-pay", context, template=template, status=status)


def _start(project: Project, name: str) -> Formula:
    """The formula to begin with: a template, a version, else the newest one there is."""
    if name in TEMPLATES:
        return TEMPLATES[name].formula
    rows = project.pay_formulas.order_by("-version")
    if name.isascii() and name.isdigit() and len(name) < 10:
        rows = rows.filter(version=int(name))
    newest = rows.first()
    return newest.formula if newest else TEMPLATES["acceptance"].formula


# A version: what it says, and who would earn what by it, before it is put in force.


class SinceForm(forms.Form):
    """From which day on past work is looked at."""

    use_required_attribute = False
    since = forms.DateField(
        label=_("Work since"),
        required=False,
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        error_messages={"invalid": _("Choose a day.")},
    )


@manager
@require_safe
def version(request: HttpRequest, member: Member, version: int) -> HttpResponse:
    """Show a version, and who would have earned what by it for real past work (PAY-4)."""
    project = member.project
    row = get_object_or_404(project.pay_formulas.select_related("by"), version=version)
    form = SinceForm(request.GET or None, auto_id="%s")
    since = form.cleaned_data["since"] if form.is_bound and form.is_valid() else None
    begin = since and pay.begin_of(since)
    in_force = pay.formula_in_force(project)
    context: dict[str, object] = {
        "version": row,
        "in_force": in_force,
        "is_in_force": in_force is not None and in_force.pk == row.pk,
        "facts": _facts(project, row.formula),
        "currency": row.formula.currency,
        "form": form,
    }
    try:
        new = pay.preview(project, row.formula, f05_by_person, since=begin)
        old = {}
        if in_force is not None and in_force.pk != row.pk:
            before = pay.preview(project, in_force.formula, f05_by_person, since=begin)
            currency = in_force.formula.currency
            old = {earning.person: amount_text(earning.total, currency) for earning in before}
        context["rows"] = _rows(project, new, old)
        context["total"] = amount_text(sum(earning.total for earning in new), row.formula.currency)
        context["compares"] = bool(old)
    except GecbenchError as error:
        context["problem"] = translate_error(error)
    return _page(request, member, "version", context)


def _facts(project: Project, formula: Formula) -> list[tuple[str, str]]:
    """A formula in words."""
    facts = [
        (
            _words(kind)[0],
            f"{formula.rate(kind).normalize():f} {formula.currency}",
        )
        for kind in PAID[ProjectKind(project.kind)]
    ]
    facts.append((_words("lengths")[0], _steps(formula.lengths)))
    facts.append((_words("quality")[0], str(PayQuality(formula.quality).label)))
    if formula.quality != PayQuality.NONE:
        facts += [
            (_words("factors")[0], _steps(formula.factors)),
            (_words("window")[0], str(formula.window)),
            (_words("least")[0], str(formula.least)),
        ]
    return facts


def _steps(steps: Iterable[Step]) -> str:
    return " · ".join(f"≥ {step.at_least}: {step.percent} %" for step in steps)


def _rows(
    project: Project, earnings: Iterable[pay.Earnings], old: Mapping[int, str]
) -> list[EarningsRow]:
    """Rows of a preview, those who earn most first, with F0.5 as the statistics have it."""
    stored = load_figures(project, SCORES, "")
    scores = parse_scores(stored.data).people if stored else {}
    naming = naming_of(project, show=True)
    return [
        EarningsRow(
            naming.of(earning.person),
            earning,
            f05=100 * scores[str(earning.person)].value if str(earning.person) in scores else None,
            now=old.get(earning.person, ""),
        )
        for earning in sorted(earnings, key=lambda earning: -earning.total)
    ]


@act("manage-pay-version", "version")
def activate(member: Member, version: int) -> str:
    """Put a version in force."""
    get_object_or_404(member.project.pay_formulas, version=version)
    pay.activate(member.project, version, by=member.person)
    return gettext("Version %(version)s is in force.") % {"version": version}


# Periods: previewed, closed, and read for ever.


def _yesterday() -> date:
    return timezone.localdate(timezone=timezone.get_default_timezone()) - timedelta(days=1)


class ThroughForm(forms.Form):
    """The last day of a period."""

    use_required_attribute = False
    through = forms.DateField(
        label=_("Last day"),
        help_text=_("The period begins where the last one ended, and ends with this day."),
        initial=_yesterday,
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        error_messages=dict.fromkeys(("required", "invalid"), _("Choose a day.")),
    )


@manager
@require_safe
def list_periods(request: HttpRequest, member: Member) -> HttpResponse:
    """Show formulas and periods; with `through`, what closing the next period would give."""
    project = member.project
    form = ThroughForm(request.GET if "through" in request.GET else None, auto_id="%s")
    in_force = pay.formula_in_force(project)
    context: dict[str, object] = {
        "form": form,
        "in_force": in_force,
        "versions": project.pay_formulas.select_related("by").order_by("-version"),
        "periods": [
            (
                period,
                amount_text(period.total or 0, currency) if period.statement_count else "–",
                currency,
            )
            for period in _periods(project)
            for currency in [in_force.formula.currency if in_force else ""]
        ],
        "last_period": pay.last_period(project),
    }
    if in_force is not None and form.is_bound and form.is_valid():
        try:
            earnings = pay.next_statements(
                project, pay.end_of(form.cleaned_data["through"]), f05_by_person
            )
            currency = in_force.formula.currency
            context["rows"] = _rows(project, earnings, {})
            context["currency"] = currency
            context["total"] = amount_text(sum(earning.total for earning in earnings), currency)
            context["through"] = form.cleaned_data["through"]
        except GecbenchError as error:
            form.add_error("through", refusal_message(error))
    return manage_page(request, member, "manage-pay", context, status=form_status(form.errors))


def _periods(project: Project) -> Iterable[Any]:
    rows = project.pay_periods.select_related("by").order_by("-end")
    return rows.annotate(statement_count=Count("statements"), total=Sum("statements__total"))


@active_manager
@require_POST
def close(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Close the period that ends with a day."""
    form = ThroughForm(request.POST)
    if not form.is_valid():
        messages.error(request, gettext("Choose a day."))
        return redirect("manage-pay", member.project.slug)
    try:
        end = pay.end_of(form.cleaned_data["through"])
        period = pay.close_period(member.project, end, f05_by_person, by=member.person)
    except GecbenchError as error:
        messages.error(request, refusal_message(error))
        return redirect("manage-pay", member.project.slug)
    messages.success(request, gettext("The period is closed; its statements never change."))
    return redirect("manage-pay-period", member.project.slug, period.pk)


def _period(member: Member, period_id: int) -> PayPeriod:
    return get_object_or_404(member.project.pay_periods.select_related("by"), pk=period_id)


@manager
@require_safe
def period(request: HttpRequest, member: Member, period_id: int) -> HttpResponse:
    """Show the statements of a closed period, with quality and hours beside them."""
    pay_period = _period(member, period_id)
    statements = list(pay_period.statements.order_by("-total", "pk"))
    currency = statements[0].currency if statements else ""
    context = {
        "period": pay_period,
        "rows": statement_rows(statements, naming_of(member.project, show=True)),
        "currency": currency,
        "total": amount_text(sum(statement.total for statement in statements), currency),
    }
    return _page(request, member, "period", context)


@active_manager
@require_POST
def save_period(
    _request: HttpRequest, member: Member, period_id: int, table: str
) -> HttpResponseBase:
    """Save all statements of a period, with people's names; the log says who did."""
    pay_period = _period(member, period_id)
    rows = PayStatement.objects.filter(period=pay_period).order_by("-total", "pk")
    answer = download(table, rows, naming_of(member.project, show=True))
    data = {"file": table}
    audit.record_by(member, "pay.exported", about=("pay_period", pay_period.pk), data=data)
    return answer


@manager
@require_safe
def statement(request: HttpRequest, member: Member, statement_id: int) -> HttpResponse:
    """Show one statement with its lines."""
    rows = PayStatement.objects.filter(period__project=member.project).select_related("period")
    row = get_object_or_404(rows, pk=statement_id)
    naming = naming_of(member.project, show=True)
    return _page(request, member, "statement", statement_context(row, naming))
