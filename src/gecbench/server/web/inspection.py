"""Quality inspection: judges rate, discuss and resolve; managers begin rounds and read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from pydantic import Field

from gecbench.analysis.inspection import FEW
from gecbench.reports import inspection as reports
from gecbench.server.choices import MemberStatus, Role, RoundState
from gecbench.server.models import InspectionRound, Member, Person, Project, Rating
from gecbench.server.rules.keys import MOST_CRITERIA, tables
from gecbench.server.statistics.inspections import measure_round
from gecbench.server.web.differences import render_diff
from gecbench.server.web.http import Payload, RowField, TextPayload, read_form
from gecbench.server.web.manage.quality import table_context
from gecbench.server.web.manage.shortcuts import act, active_manager, manage_page, manager
from gecbench.server.web.messages import interface_language, problem_message, translate
from gecbench.server.web.permissions import member
from gecbench.server.workflow import inspection
from gecbench.server.workflow.errors import ConflictError, RefusedError
from gecbench.server.workflow.inspection import Criterion, ItemResult, ItemView

CRITERIA: Mapping[str, Promise] = {
    "correctness": _("Correctness"),
    "faithfulness": _("Faithfulness"),
    "grammaticality": _("Grammaticality"),
    "meaning": _("Meaning"),
    "fluency": _("Fluency"),
}
"""Names of the usual criteria; others are called by their keys."""

judge = member(Role.JUDGE)
active_judge = member(Role.JUDGE, active=True)
discussing = member(Role.JUDGE, Role.MANAGER)


def criterion_label(key: str) -> str:
    """What a criterion is called."""
    return str(CRITERIA.get(key, key))


def question(criterion: Criterion) -> str:
    """What is asked, in the person's language where it is written in that."""
    if interface_language() == "zh":
        return criterion.zh or criterion.en
    return criterion.en or criterion.zh


# One item a page.


@judge
@require_safe
def current(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the next item to rate; always the same address."""
    active = member.status == MemberStatus.ACTIVE and not member.project.archived_at
    item = inspection.next_item(member) if active else None
    if item is not None:
        return _item_page(request, member, inspection.view_item(member, item.pk))
    rounds = [_round_state(member, round_) for round_ in inspection.rounds_of(member)]
    shown = {
        "active": active,
        "rounds": rounds,
        "disagreements": inspection.waiting(member.person_id, member.project).disagreements,
        **_script(member),
    }
    return render(request, "inspection/no_item.html", shown)


def _round_state(member: Member, inspection_round: InspectionRound) -> dict[str, object]:
    done = {judge.member_id: count for judge, count in inspection.count_ratings(inspection_round)}
    return {
        "round": inspection_round,
        "done": done[member.pk],
        "open": inspection_round.state == RoundState.OPEN,
    }


class RatingPayload(Payload):
    """What a judge writes about an item, beside the answer by each criterion."""

    client_key: UUID = Field(default_factory=uuid4)
    note: str = ""


@discussing
@require_http_methods(["GET", "HEAD", "POST"])
def item(request: HttpRequest, member: Member, item_id: int) -> HttpResponseBase:
    """Show an item, to rate or to discuss; or take a rating."""
    view = inspection.view_item(member, item_id)
    if request.method != "POST":
        return _item_page(request, member, view)
    answers = {
        key: request.POST[f"accept-{key}"] == "yes"
        for key in view.criteria
        if request.POST.get(f"accept-{key}") in ("yes", "no")
    }
    sent = read_form(request, RatingPayload)
    try:
        inspection.rate(
            member, item_id, client_key=sent.client_key, answers=answers, note=sent.note
        )
    except RefusedError as error:
        problems = {problem.field: problem_message(problem) for problem in error.problems}
        typed = _Typed(answers, sent.note, problems)
        return _item_page(request, member, view, status=error.status, typed=typed)
    except ConflictError:
        messages.error(request, str(_TOO_LATE))
        return redirect("judge-item", member.project.slug, item_id)
    return redirect("judge", member.project.slug)


_TOO_LATE = _("This was not taken: the item is rated already, or the round is closed.")


def _item_page(
    request: HttpRequest,
    member: Member,
    view: ItemView,
    *,
    status: int = 200,
    typed: _Typed | None = None,
    **more: object,
) -> HttpResponse:
    item, project = view.item, member.project
    shown = {
        "view": view,
        "item": item,
        "round": view.inspection,
        "html": render_diff(project, item.source, item.target),
        "context": render_diff(project, item.sentence.text, item.source) if item.variant else "",
        "open": view.inspection.state == RoundState.OPEN,
        "client_key": uuid4(),
        **_script(member, item.pk),
    }
    if view.result.settled:
        shown |= _discussion(member, view)
        return render(request, "inspection/discussion.html", {**shown, **more}, status=status)
    done = {judge.member_id: count for judge, count in inspection.count_ratings(view.inspection)}
    rating = typed or _Typed(
        inspection.answers_of(view.previous) if view.previous else {},
        view.previous.note if view.previous else "",
    )
    shown |= {"done": done[member.pk], "typed": rating, "questions": _questions(view, rating)}
    return render(request, "inspection/item.html", shown, status=status)


@dataclass(frozen=True, slots=True)
class _Typed:
    """A rating as it stands on the page, and what is wrong with it, by field."""

    answers: Mapping[str, bool]
    note: str
    problems: Mapping[str, str] = field(default_factory=dict)


def _questions(view: ItemView, typed: _Typed) -> list[dict[str, object]]:
    """The criteria as the page of an item asks them, each with its number for the keys."""
    return [
        {
            "n": n,
            "key": criterion.key,
            "label": criterion_label(criterion.key),
            "text": question(criterion),
            "accept": typed.answers.get(criterion.key),
            "problem": typed.problems.get(criterion.key, ""),
        }
        for n, criterion in enumerate(inspection.criteria_of(view.inspection), 1)
    ]


def _script(member: Member, item_id: int | None = None) -> dict[str, object]:
    """What the script of a judge's page needs, and the bar that takes the last rating back."""
    last = inspection.last_rating(member)
    keys = tables(member.person.preferences.get("keys"), screen="judge")
    data = {
        "item": item_id,
        "done": last.item_id if last else None,
        "person": member.person_id,
        "keys": asdict(keys),
    }
    return {"data": data, "undo": _undo_bar(last), "words": {"kept": str(_SAVED_IN_BROWSER)}}


_SAVED_IN_BROWSER = _("Kept in this browser")


def _undo_bar(last: Rating | None) -> dict[str, object] | None:
    if last is None:
        return None
    seconds = last.item.round.undo_seconds - (timezone.now() - last.at).total_seconds()
    message = gettext("Item %(n)s is rated.") % {"n": last.item.position}
    return {"item": last.item_id, "message": message, "seconds": max(0.0, seconds)}


@active_judge
@require_POST
def undo(request: HttpRequest, member: Member, item_id: int) -> HttpResponseBase:
    """Take a rating back; the item is there again, with what was chosen."""
    try:
        inspection.undo(member, item_id)
    except ConflictError:
        messages.error(request, str(_UNDO_TOO_LATE))
    else:
        messages.success(request, gettext("Your rating is taken back; rate the item again."))
    return redirect("judge-item", member.project.slug, item_id)


_UNDO_TOO_LATE = _("This can no longer be taken back: both judges have rated it.")


# Where the judges differ.


def differences(criteria: Sequence[Criterion], result: ItemResult) -> list[dict[str, object]]:
    """What the judges say of an item, criterion by criterion, and what they settled on."""
    return [
        {
            "key": criterion.key,
            "label": criterion_label(criterion.key),
            "text": question(criterion),
            "accepts": result.decisions[criterion.key],
            "differ": criterion.key in result.differing,
            "resolution": result.resolutions.get(criterion.key),
        }
        for criterion in criteria
    ]


def _discussion(member: Member, view: ItemView) -> dict[str, object]:
    result = view.result
    people = [rating.judge.member.person for rating in result.ratings]
    waiting = _neighbours(view)
    return {
        "judges": [_speaker(member, person) for person in people],
        "differences": differences(inspection.criteria_of(view.inspection), result),
        "notes": [
            (_speaker(member, rating.judge.member.person), rating.note)
            for rating in result.ratings
            if rating.note
        ],
        "discussion": [
            {
                "message": row,
                "speaker": _speaker(member, row.person),
                "mine": row.person_id == member.person_id,
            }
            for row in view.item.messages.select_related("person").order_by("pk")
        ],
        "previous": waiting[0],
        "next": waiting[1],
    }


def _neighbours(view: ItemView) -> tuple[int | None, int | None]:
    """The disagreements before and after an item, resolved or not."""
    differing = [
        (result.item.position, result.item.pk)
        for result in inspection.load_items(view.inspection)
        if result.differing
    ]
    place = view.item.position
    before = [pk for position, pk in differing if position < place]
    after = [pk for position, pk in differing if position > place]
    return (before[-1] if before else None, after[0] if after else None)


def _speaker(member: Member, person: Person) -> str:
    return gettext("You") if person.pk == member.person_id else person.name


@judge
@require_safe
def disagreements(request: HttpRequest, member: Member) -> HttpResponse:
    """List where the member differs from the other judge, those without a resolution first."""
    rounds = []
    for round_ in inspection.rounds_of(member):
        rows = [
            {
                "judged": result,
                "unresolved": bool(result.unresolved),
                "labels": [criterion_label(key) for key in result.differing],
            }
            for result in inspection.load_items(round_)
            if result.differing
        ]
        rows.sort(key=lambda row: not row["unresolved"])
        rounds.append({"round": round_, "rows": rows})
    shown = {"rounds": rounds, **_script(member)}
    return render(request, "inspection/disagreements.html", shown)


@member(Role.JUDGE, Role.MANAGER, active=True)
@require_POST
def say(request: HttpRequest, member: Member, item_id: int) -> HttpResponseBase:
    """Add a message to the discussion of an item."""
    sent = read_form(request, TextPayload)
    try:
        inspection.add_message(member, item_id, text=sent.text, client_key=sent.client_key)
    except RefusedError as error:
        problems = {"text": problem_message(error.problems[0])}
        view = inspection.view_item(member, item_id)
        return _item_page(
            request, member, view, status=error.status, said=sent.text, problems=problems
        )
    except ConflictError:
        messages.error(request, str(_CLOSED))
    return redirect("judge-item", member.project.slug, item_id)


_CLOSED = _("The round is closed; everything can still be read.")


class ResolutionPayload(Payload):
    """What judges settled on by one criterion; None where nothing was chosen."""

    accept: bool | None = None
    criterion: str = ""
    note: str = ""


@member(Role.JUDGE, Role.MANAGER, active=True)
@require_POST
def resolve(request: HttpRequest, member: Member, item_id: int) -> HttpResponseBase:
    """Write down what the judges settled on."""
    sent = read_form(request, ResolutionPayload)
    try:
        if sent.accept is None:
            messages.error(request, gettext("Choose whether it is accepted."))
        else:
            inspection.resolve(
                member, item_id, criterion=sent.criterion, accept=sent.accept, note=sent.note
            )
            messages.success(request, gettext("Resolved. Both ratings stay as they are."))
    except RefusedError as error:
        messages.error(request, problem_message(error.problems[0]))
    except ConflictError:
        messages.error(request, str(_CLOSED))
    return redirect("judge-item", member.project.slug, item_id)


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


class SuccessorForm(forms.Form):
    """Which judge of a round is replaced, and by whom."""

    no = RowField()
    successor = RowField()


@act(
    "manage-inspection-round", "round_id",
    form=SuccessorForm, refused=(ConflictError, RefusedError),
)  # fmt: skip
def replace_judge(member: Member, round_id: int, no: int | None, successor: int | None) -> str:
    """Name another judge for what one has not rated."""
    inspection.replace_judge(member, round_id, no=no or 0, successor=successor or 0)
    return gettext("Another judge is named, and has a notice.")


@act("manage-inspection-round", "round_id", refused=(ConflictError,))
def close(member: Member, round_id: int) -> str:
    """End a round."""
    inspection.close(member, round_id)
    return gettext("The round is closed; its report stays.")
