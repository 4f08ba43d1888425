"""The study screen: an own text that is not golden, mended by its author (STU-1 to STU-8)."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from gecbench.server.choices import Decision
from gecbench.server.models import Member, Study
from gecbench.server.web.annotation import views
from gecbench.server.web.permissions import member, wants_json
from gecbench.server.web.requests import number_in
from gecbench.server.web.review.words import malformed, problem_words
from gecbench.server.web.study import pages
from gecbench.server.workflow import complaints, studies
from gecbench.server.workflow.answers import Answer
from gecbench.server.workflow.errors import ConflictError, Problem, RefusedError

MOST_CLOSED = 100
_TRY = frozenset({"version", "client_key", "decision", "texts", "reason", "note", "active_ms"})


@member()
@require_GET
def listed(request: HttpRequest, member: Member) -> HttpResponse:
    """List the own open items, oldest first; with ?state=closed those that are done."""
    state = "closed" if request.GET.get("state") == "closed" else "open"
    found = studies.list_items(member, state=state, most=200)
    shown = pages.listed(member, found if state == "open" else found[::-1][:MOST_CLOSED])
    return render(request, "study/list.html", {"items": shown, "state": state})


@member()
@require_GET
def item(request: HttpRequest, member: Member, study_id: int) -> HttpResponse:
    """Show one own item."""
    return _page(request, member, study_id)


def _page(
    request: HttpRequest,
    member: Member,
    study_id: int,
    *,
    status: int = 200,
    **more: object,
) -> HttpResponse:
    lesson = studies.lesson(member, study_id)
    shown = pages.context(member, lesson, following=_following(member, lesson.study))
    return render(request, "study/item.html", {**shown, **more}, status=status)


def _following(member: Member, study: Study) -> Study | None:
    """Return the next open item: the one after this, else the first."""
    waiting = [one for one in studies.list_items(member) if one.pk != study.pk]
    place = (study.opened_at, study.pk)
    later = (one for one in waiting if (one.opened_at, one.pk) > place)
    return next(later, waiting[0] if waiting else None)


@member()
@require_POST
def attempt(request: HttpRequest, member: Member, study_id: int) -> HttpResponse:
    """Try a text or a decision: it closes the item, or says how far it is (STU-3)."""
    as_json = wants_json(request)
    try:
        version, key, answer = _sent(request) if as_json else _form(request)
    except (views.MalformedError, ValueError):
        return JsonResponse({"error": malformed()}, status=400)
    try:
        tried = studies.attempt(member, study_id, version=version, client_key=key, answer=answer)
    except RefusedError as error:
        told = [_told(one) for one in error.problems]
        if as_json:
            return JsonResponse({"problems": told}, status=422)
        typed = {"text": answer.texts[0] if answer.texts else ""}
        return _page(request, member, study_id, status=422, problems=told, **typed)
    except ConflictError:
        return _late(request, member, study_id, answer)
    if as_json:
        return JsonResponse(_outcome(tried))
    if not tried.matched:
        messages.warning(request, pages.nearest_words(tried.nearest))
    return redirect("study-item", member.project.slug, study_id)


def _sent(request: HttpRequest) -> tuple[int, UUID, Answer]:
    given = views.body(request, known=_TRY)
    return views.number(given, "version"), views.key(given), views.read_answer(given)


def _form(request: HttpRequest) -> tuple[int, UUID, Answer]:
    """Return what a form without scripts sends.

    Raises:
        ValueError: The page did not send it.
    """
    decision = Decision(request.POST.get("decision", Decision.CORRECTED))
    texts = (request.POST.get("text", ""),) if decision == Decision.CORRECTED else ()
    version = number_in(request.POST.get("version", ""))
    if version is None:
        raise ValueError("the version is no number")
    return (
        version,
        UUID(request.POST.get("client_key", "")),
        Answer(decision, texts),
    )


def _told(problem: Problem) -> dict[str, object]:
    return {"code": problem.code, "field": problem.field, "words": problem_words(problem)}


def _outcome(tried: studies.AttemptResult) -> dict[str, object]:
    study = tried.attempt.study
    return {
        "matched": tried.matched,
        "revealed": tried.revealed,
        "version": study.version,
        "words": "" if tried.matched else pages.nearest_words(tried.nearest),
    }


def _late(request: HttpRequest, member: Member, study_id: int, answer: Answer) -> HttpResponse:
    words = gettext("This item has changed meanwhile. Your text is kept; load the page again.")
    if wants_json(request):
        return JsonResponse({"error": words}, status=409)
    messages.error(request, words)
    typed = {"text": answer.texts[0]} if answer.texts else {}
    return _page(request, member, study_id, status=409, **typed)


@member()
@require_POST
def complain(request: HttpRequest, member: Member, study_id: int) -> HttpResponse:
    """Open a complaint about the own text, or bring one to a manager (CMP-1, CMP-3)."""
    argument = request.POST.get("argument", "")
    try:
        key = UUID(request.POST.get("client_key", ""))
    except ValueError:
        key = uuid4()
    try:
        made = complaints.complain(member, study_id, argument=argument, client_key=key)
    except RefusedError as error:
        told = [_told(one) for one in error.problems]
        return _page(
            request, member, study_id, status=422, complaint_problems=told, argument=argument
        )
    except ConflictError:
        words = gettext("The sentence is being reviewed anew; see first what comes of that.")
        return _page(
            request,
            member,
            study_id,
            status=409,
            complaint_problems=[{"words": words}],
            argument=argument,
        )
    messages.success(request, gettext("Your complaint is on its way."))
    return redirect(reverse("problem", args=(member.project.slug, made.pk)))
