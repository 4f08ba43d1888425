"""What judges do: rate one item after another, discuss where they differ, and resolve it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.server.choices import MemberStatus, Role, RoundState
from gecbench.server.models import InspectionRound, Member, Person, Rating
from gecbench.server.rules.keys import tables
from gecbench.server.web.permissions import member
from gecbench.server.web.review.differences import render_diff
from gecbench.server.web.review.messages import problem_message
from gecbench.server.web.study import form_key
from gecbench.server.web.translation import interface_language
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
    note = request.POST.get("note", "")
    try:
        inspection.rate(member, item_id, client_key=form_key(request), answers=answers, note=note)
    except RefusedError as error:
        problems = {problem.field: problem_message(problem) for problem in error.problems}
        typed = _Typed(answers, note, problems)
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
    text = request.POST.get("text", "")
    try:
        inspection.add_message(member, item_id, text=text, client_key=form_key(request))
    except RefusedError as error:
        problems = {"text": problem_message(error.problems[0])}
        view = inspection.view_item(member, item_id)
        return _item_page(request, member, view, status=error.status, said=text, problems=problems)
    except ConflictError:
        messages.error(request, str(_CLOSED))
    return redirect("judge-item", member.project.slug, item_id)


_CLOSED = _("The round is closed; everything can still be read.")


@member(Role.JUDGE, Role.MANAGER, active=True)
@require_POST
def resolve(request: HttpRequest, member: Member, item_id: int) -> HttpResponseBase:
    """Write down what the judges settled on."""
    accept = request.POST.get("accept", "")
    try:
        if accept not in ("yes", "no"):
            messages.error(request, gettext("Choose whether it is accepted."))
        else:
            inspection.resolve(
                member,
                item_id,
                criterion=request.POST.get("criterion", ""),
                accept=accept == "yes",
                note=request.POST.get("note", ""),
            )
            messages.success(request, gettext("Resolved. Both ratings stay as they are."))
    except RefusedError as error:
        messages.error(request, problem_message(error.problems[0]))
    except ConflictError:
        messages.error(request, str(_CLOSED))
    return redirect("judge-item", member.project.slug, item_id)
