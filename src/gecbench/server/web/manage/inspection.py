"""Rounds of quality inspection: drawing a sample, how far the judges are, and the report."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from gecbench.analysis.inspection import FEW
from gecbench.reports import inspection as reports
from gecbench.server.choices import RoundState
from gecbench.server.models import InspectionRound, Member, Project
from gecbench.server.rules.keys import MOST_CRITERIA
from gecbench.server.statistics.inspections import measure_round
from gecbench.server.web.http import parse_int
from gecbench.server.web.inspection import criterion_label, differences
from gecbench.server.web.manage.quality import table_context
from gecbench.server.web.manage.shortcuts import act, active_manager, manage_page, manager
from gecbench.server.web.translation import interface_language, translate
from gecbench.server.workflow import inspection
from gecbench.server.workflow.errors import ConflictError, RefusedError
from gecbench.server.workflow.inspection import Criterion

MOST_SIZE = 1_000_000
MOST_SEED = 2**63 - 1
_PARTS = {"key": 40, "en": 500, "zh": 500}
"""Fields of a criterion, with the longest text of each."""


class RoundForm(forms.Form):
    """A new round; what it may be is decided by the workflow."""

    name = forms.CharField(label=_("Name of the round"), max_length=100)
    size = forms.IntegerField(
        label=_("Size of the sample"),
        help_text=_("RobustGEC had 300 items."),
        min_value=1,
        max_value=MOST_SIZE,
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        required=False,
        help_text=_("The same seed draws the same sample again. Leave it empty to take a new one."),
        min_value=0,
        max_value=MOST_SEED,
    )
    judges = forms.TypedMultipleChoiceField(
        label=_("Judges"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Two, who rate the same items and do not see each other's ratings."),
        error_messages={"required": _("Choose two different active members with the role judge.")},
    )

    def __init__(
        self, project: Project, data: QueryDict | None = None, initial: dict[str, Any] | None = None
    ) -> None:
        super().__init__(data, initial=initial, auto_id="%s")
        self.fields["judges"].choices = [  # type: ignore[attr-defined]
            (member.pk, member.person.name) for member in inspection.possible_judges(project)
        ]
        usual = inspection.CRITERIA[project.kind]
        for n in range(MOST_CRITERIA):
            values = usual[n] if n < len(usual) else Criterion("", "", "")
            for part, length in _PARTS.items():
                self.fields[f"{part}_{n}"] = forms.CharField(
                    required=False, max_length=length, initial=getattr(values, part)
                )

    @property
    def criteria(self) -> dict[int, Criterion]:
        """Row to what was written there; empty rows are left out."""
        values = self.cleaned_data
        rows = {
            n: Criterion(*(values[f"{part}_{n}"] for part in _PARTS)) for n in range(MOST_CRITERIA)
        }
        return {n: row for n, row in rows.items() if row != Criterion("", "", "")}

    @property
    def rows(self) -> list[list[forms.BoundField]]:
        """The fields of each criterion."""
        return [[self[f"{part}_{n}"] for part in _PARTS] for n in range(MOST_CRITERIA)]

    def refuse(self, error: RefusedError) -> None:
        """Put what the workflow refuses to its fields."""
        rows = list(self.criteria)  # a field with an error loses its value
        for problem in error.problems:
            field = problem.field if problem.field in self.fields else None
            if problem.field.startswith("criterion-"):
                n = int(problem.field.removeprefix("criterion-"))
                field = f"key_{rows[n]}"
            self.add_error(field, translate(problem.message).text)


@manager
@require_safe
def list_rounds(request: HttpRequest, member: Member) -> HttpResponse:
    """Show all rounds, the newest first, and how far they are."""
    rounds = InspectionRound.objects.filter(project=member.project).order_by("-pk")
    shown = {
        "rounds": [
            {
                "round": inspection_round,
                "state": RoundState(inspection_round.state).label,
                "judges": inspection.count_ratings(inspection_round),
            }
            for inspection_round in rounds
        ],
        "judges": inspection.possible_judges(member.project).count(),
        "population": inspection.candidates(member.project).count(),
    }
    return manage_page(request, member, "manage-inspection", shown)


@active_manager
@require_http_methods(["GET", "HEAD", "POST"])
def begin(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Show the form of a new round, or draw it."""
    project = member.project
    population = inspection.candidates(project).count()
    if request.method != "POST":
        rounds = InspectionRound.objects.filter(project=project).count()
        first = {
            "name": gettext("Round %(n)s") % {"n": rounds + 1},
            "size": min(inspection.SIZE, population) or inspection.SIZE,
        }
        return _form_page(request, member, RoundForm(project, initial=first), population)
    form = RoundForm(project, request.POST)
    if form.is_valid():
        values = {name: form.cleaned_data[name] for name in ("name", "size", "seed", "judges")}
        try:
            criteria = tuple(form.criteria.values())
            begun = inspection.begin(member, criteria=criteria, **values)
        except RefusedError as error:
            form.refuse(error)
        else:
            messages.success(request, gettext("The sample is drawn; the judges have a notice."))
            return redirect("manage-inspection-round", project.slug, begun.pk)
    return _form_page(request, member, form, population, HTTPStatus.UNPROCESSABLE_ENTITY)


def _form_page(
    request: HttpRequest,
    member: Member,
    form: RoundForm,
    population: int,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    shown = {"form": form, "population": population}
    return manage_page(
        request,
        member,
        "manage-inspection",
        shown,
        template="manage/new_inspection.html",
        status=status,
    )


@manager
@require_safe
def report(request: HttpRequest, member: Member, round_id: int) -> HttpResponse:
    """Show what the judges found, in the layout of RobustGEC's table 3."""
    inspection_round = inspection.get_round(member.project, round_id)
    items = inspection.load_items(inspection_round)
    result = measure_round(inspection_round, items)
    language = interface_language()
    criteria = inspection.criteria_of(inspection_round)
    tables = (reports.figures_table(result), reports.decisions_table(result))
    shown = {
        "round": inspection_round,
        "state": RoundState(inspection_round.state).label,
        "open": inspection_round.state == RoundState.OPEN,
        "judges": inspection.count_ratings(inspection_round),
        "former": inspection.former_judges(inspection_round),
        "successors": inspection.possible_successors(inspection_round),
        "result": result,
        "main": table_context(reports.main_table(result), language),
        "tables": [table_context(table, language) for table in tables],
        "few": 0 < result.rated < FEW,
        "unresolved": sum(bool(item_result.unresolved) for item_result in items),
        "undefined": [
            criterion_label(figures.criterion)
            for figures in result.criteria
            if result.rated and figures.kappa.value is None
        ],
        "questions": [(criterion_label(row.key), row) for row in criteria],
        "disagreements": [
            {
                "judged": item_result,
                "differences": [row for row in differences(criteria, item_result) if row["differ"]],
                "talk": item_result.item.messages.count(),
            }
            for item_result in items
            if item_result.differing
        ],
    }
    return manage_page(
        request, member, "manage-inspection", shown, template="manage/inspection_report.html"
    )


@act("manage-inspection-round", "round_id", refused=(ConflictError, RefusedError))
def replace_judge(request: HttpRequest, member: Member, round_id: int) -> str:
    """Name another judge for what one has not rated."""
    no, successor = (parse_int(request.POST.get(name, "")) or 0 for name in ("no", "successor"))
    inspection.replace_judge(member, round_id, no=no, successor=successor)
    return gettext("Another judge is named, and has a notice.")


@act("manage-inspection-round", "round_id", refused=(ConflictError,))
def close(_request: HttpRequest, member: Member, round_id: int) -> str:
    """End a round."""
    inspection.close(member, round_id)
    return gettext("The round is closed; its report stays.")
