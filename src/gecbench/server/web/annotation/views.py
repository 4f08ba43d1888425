"""The annotation page: save, hand in, take back, put off, take up again; history and kept texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import wraps
from uuid import UUID

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from gecbench.core.errors import GecbenchError
from gecbench.server.choices import Decision, Role, SlotState
from gecbench.server.models import (
    Draft,
    Member,
    Sentence,
    Slot,
    SlotEvent,
    Submission,
    Suggestion,
)
from gecbench.server.rules.keys import tables
from gecbench.server.rules.text import digest
from gecbench.server.web.annotation import words
from gecbench.server.web.annotation.aids import context_address
from gecbench.server.web.navigation import goal, standings
from gecbench.server.web.permissions import member, wants_json
from gecbench.server.web.requests import json_in, limited, number_in
from gecbench.server.workflow import claims, drafts, submissions, suggestions
from gecbench.server.workflow.answers import Answer
from gecbench.server.workflow.claims import Claim, NoTask
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    RefusedError,
    WorkflowError,
)

# What the work screen and the server say to each other: JSON, checked by hand, both ways.


class MalformedError(GecbenchError):
    """A request that no page of ours sends."""


def body(request: HttpRequest, *, known: frozenset[str]) -> Mapping[str, object]:
    """Return the JSON object of a request; a beacon sends it as the field `payload` of a form.

    Raises:
        MalformedError: It is no JSON object, or has a field that nobody knows.
    """
    form = request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data")
    try:
        given = json_in(request.POST.get("payload", "") if form else request.body)
    except ValueError as error:  # not JSON, or not UTF-8
        raise MalformedError(f"the request is not JSON: {error}") from error
    if not isinstance(given, dict):
        raise MalformedError("the request is not a JSON object")
    strange = sorted(set(given) - known)
    if strange:
        raise MalformedError(f"unknown field {strange[0]!r}; known: {', '.join(sorted(known))}")
    return given


def number(given: Mapping[str, object], name: str, *, default: int | None = None) -> int:
    """Return a field that is a whole number from 0 on.

    Raises:
        MalformedError: It is not.
    """
    value = given.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise MalformedError(f"{name} is {value!r}; a whole number was expected")
    return value


def text(given: Mapping[str, object], name: str) -> str:
    """Return a field that is a text, "" where it is absent.

    Raises:
        MalformedError: It is not.
    """
    value = given.get(name, "")
    if not isinstance(value, str):
        raise MalformedError(f"{name} is {value!r}; a text was expected")
    return value


def moment(given: Mapping[str, object], name: str) -> datetime | None:
    """Return a field that is a moment, None where it is absent or means none.

    It is a remark of the client's clock and never decides anything: a strange one is dropped.
    """
    value = given.get(name)
    try:
        found = parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found if found and timezone.is_aware(found) else None


def key(given: Mapping[str, object]) -> UUID:
    """Return the client's key.

    Raises:
        MalformedError: It is no UUID.
    """
    try:
        return UUID(text(given, "client_key"))
    except ValueError as error:
        raise MalformedError("client_key is no UUID") from error


ANSWER = frozenset({"decision", "texts", "reason", "note", "active_ms", "suggestion"})
"""Fields of an answer; `suggestion` means nothing, but pages that were offline may send it."""


def read_answer(given: Mapping[str, object]) -> Answer:
    """Return the answer of a submission.

    Raises:
        MalformedError: A field is of another type.
    """
    decision, texts = text(given, "decision"), given.get("texts", [])
    if decision not in tuple(Decision):
        raise MalformedError(f"decision is {decision!r}; it is one of {', '.join(Decision)}")
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        raise MalformedError("texts is not a list of texts")
    return Answer(
        decision=Decision(decision),
        texts=tuple(texts),
        reason=text(given, "reason"),
        note=text(given, "note"),
        active_ms=number(given, "active_ms", default=0),
    )


def draft_json(draft: Draft) -> dict[str, object]:
    """Return a draft as the page takes it."""
    return {"rev": draft.rev, "payload": draft.payload, "at": draft.saved_at.isoformat()}


def suggestion_json(suggestion: Suggestion, sentence: Sentence) -> dict[str, object]:
    """Return a suggestion as the page takes it."""
    changes = digest(suggestion.text) != sentence.digest
    return {"text": suggestion.text, "model": suggestion.model, "changes": changes}


def task_json(member: Member, slot: Slot, draft: Draft | None) -> dict[str, object]:
    """Return a task as the page takes it, with the member's draft of it."""
    slug, sentence = member.project.slug, slot.sentence
    rules = member.project.rules
    source = sentence.source
    seen = (
        suggestions.shown_suggestion(sentence.pk, member.person_id)
        if rules.suggestions != "off"
        else None
    )
    return {
        "slot": slot.pk,
        "version": slot.version,
        "number": sentence.number,
        "text": sentence.text,
        "source": source.name if source else "",
        "contextUrl": context_address(slug, sentence),
        "now": timezone.now().isoformat(),
        "draft": draft_json(draft) if draft else None,
        "suggestion": rules.suggestions != "off"
        and suggestions.latest_suggestion(sentence.pk) is not None,
        "shown": suggestion_json(seen, sentence) if seen else None,
        "draftUrl": reverse("draft", args=[slug, slot.pk]),
        "submitUrl": reverse("submit", args=[slug, slot.pk]),
        "skipUrl": reverse("work-skip", args=[slug, slot.pk]),
        "suggestionUrl": reverse("work-suggestion", args=[slug, slot.pk]),
    }


# The work screen and what lies around it: history, one task, put off tasks, kept texts.


PAGE = 50
annotator = member(Role.ANNOTATOR)


@annotator
@require_GET
@never_cache
@ensure_csrf_cookie
def now(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the current or the next task; always the same address (section 4.3)."""
    claimed, others = _claimed(request, member)
    after = _after(request, member)
    if claimed.slot is None:
        return _nothing(request, member, claimed.nothing or NoTask.ALL_DONE, after)
    draft = drafts.get_draft(member, claimed.slot.pk)
    task = task_json(member, claimed.slot, draft)
    shown = {
        "task": task,
        "others": others,
        "may_claim": 0 < len(others) + 1 < member.project.rules.open_tasks,
        "rules": member.project.rules,
        "goal": goal(member.person),
        "reasons": words.reasons(),
        **_scripts(request, member, task, after),
    }
    return render(request, "annotation/task.html", shown)


def _claimed(request: HttpRequest, member: Member) -> tuple[Claim, list[Slot]]:
    """Return the task to show, and the member's other open tasks."""
    if member.project.rules.open_tasks == 1:
        return claims.current(member), []
    held = list(claims.open_tasks(member))
    wanted = request.GET.get("task", "")
    chosen = next((one for one in held if str(one.sentence.number) == wanted), None)
    claimed = Claim(chosen) if chosen else claims.current(member)
    return claimed, [one for one in held if claimed.slot and one.pk != claimed.slot.pk]


def _scripts(
    request: HttpRequest,
    member: Member,
    task: Mapping[str, object] | None,
    after: Mapping[str, object] | None,
) -> dict[str, object]:
    """Return what the page's scripts read: one value for the page, one for its words."""
    project, person = member.project, member.person
    keys = tables(person.preferences.get("keys"), screen="work")
    return {
        "page": {
            "person": person.pk,
            "token": get_token(request),
            "login": reverse("login"),
            "task": task,
            "after": after,
            "keys": {"keys": dict(keys.keys), "mac": dict(keys.mac)},
            "enterSubmits": bool(person.preferences.get("enter_submits")),
            "project": {
                "lang": project.lang,
                "placeholder": project.rules.placeholder,
                "aliases": project.rules.placeholder_aliases,
                "most": project.max_references,
                "suggestions": project.rules.suggestions,
            },
        },
        "words": words.of_page(),
    }


def _after(request: HttpRequest, member: Member) -> dict[str, object] | None:
    """Return what the undo bar needs, where the page was opened by handing something in."""
    after = number_in(request.GET.get("after", ""))
    if after is None:
        return None
    slug = member.project.slug
    last = (
        Submission.objects.filter(
            slot=after, person=member.person_id, slot__project=member.project_id
        )
        .select_related("sentence", "slot")
        .order_by("-no")
        .first()
    )
    if last is None:
        return None
    seconds = member.project.rules.undo_seconds - (timezone.now() - last.at).total_seconds()
    if seconds <= 0 or not submissions.may_reopen(last):
        return None
    return {
        "number": last.sentence.number,
        "seconds": seconds,
        "url": reverse("work-task", args=[slug, last.sentence.number]),
        "reopenUrl": reverse("work-reopen", args=[slug, last.slot_id]),
    }


def _nothing(
    request: HttpRequest, member: Member, why: NoTask, after: Mapping[str, object] | None
) -> HttpResponse:
    shown = {
        "why": words.nothing(why),
        "study_first": why == NoTask.STUDY_FIRST,
        "guideline_first": why == NoTask.GUIDELINE_FIRST,
        **_scripts(request, member, None, after),
    }
    return render(request, "annotation/no_task.html", shown)


@annotator
@require_GET
def history(request: HttpRequest, member: Member) -> HttpResponse:
    """List the member's own submissions, newest first (keyset)."""
    before = number_in(request.GET.get("before", ""))
    found = submissions.history(member, before=before, most=PAGE + 1)
    listed = [(one, words.DECISIONS[Decision(one.decision)]) for one in found[:PAGE]]
    return render(
        request,
        "annotation/history.html",
        {
            "listed": listed,
            "before": found[PAGE - 1].pk if len(found) > PAGE else None,
            "kept": len(drafts.orphaned_drafts(member)) if before is None else 0,
        },
    )


@annotator
@require_GET
@ensure_csrf_cookie
def task(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Show one of the member's own submissions: to read, or to take back while that may be."""
    mine = (
        Submission.objects.filter(
            person=member.person_id, sentence__project=member.project_id, sentence__number=number
        )
        .select_related("sentence", "slot", "person", "sentence__source")
        .prefetch_related("references")
        .order_by("-no", "-pk")
    )
    made = list(mine)
    if not made:
        raise Http404
    others = Submission.objects.filter(
        person=member.person_id, sentence__project=member.project_id
    ).exclude(sentence=made[0].sentence)
    return render(
        request,
        "annotation/submission.html",
        {
            "last": made[0],
            "decision": words.DECISIONS[Decision(made[0].decision)],
            "reason": dict(words.reasons()).get(made[0].reason, made[0].reason),
            "earlier": [(one, words.DECISIONS[Decision(one.decision)]) for one in made[1:]],
            "may_reopen": submissions.may_reopen(made[0]),
            "previous": _number(others.filter(pk__lt=made[0].pk).order_by("-pk")),
            "following": _number(others.filter(pk__gt=made[0].pk).order_by("pk")),
            **_scripts(request, member, None, None),
        },
    )


def _number(found: object) -> int | None:
    return found.values_list("sentence__number", flat=True).first()  # type: ignore[attr-defined,no-any-return]


@annotator
@require_GET
def skipped(request: HttpRequest, member: Member) -> HttpResponse:
    """List what the member has put off."""
    shown = {"sentences": claims.skipped_sentences(member)}
    return render(request, "annotation/skipped.html", shown)


@annotator
@require_GET
def kept(request: HttpRequest, member: Member) -> HttpResponse:
    """List texts whose task went to somebody else (INV-15): never lost, to be copied."""
    listed = [
        (one.slot.sentence, one.saved_at, list(one.payload.get("texts", [])))
        for one in drafts.orphaned_drafts(member)
        if one.slot is not None
    ]
    return render(request, "annotation/drafts.html", {"listed": listed})


# What the work screen does: save, hand in, take back, put off, take up again.


Act = Callable[..., HttpResponseBase]

active_annotator = member(Role.ANNOTATOR, active=True)
DRAFT = frozenset({"rev", "payload", "client_at"})
SUBMISSION = ANSWER | {"version", "client_key", "confirmed"}


def answered(act: Act) -> Act:
    """Answer what the workflow refuses as JSON, in the person's language, with its status."""

    @wraps(act)
    def view(request: HttpRequest, *args: object, **given: object) -> HttpResponseBase:
        return _as_json(lambda: act(request, *args, **given))

    return view


def _as_json(act: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    try:
        return act()
    except MalformedError as error:
        return JsonResponse({"error": "malformed", "message": str(error)}, status=400)
    except RefusedError as error:
        told = [words.told(one) for one in error.problems]
        message = " ".join(str(one["message"]) for one in told)
        said = {"error": "refused", "message": message, "problems": told}
        return JsonResponse(said, status=error.status)
    except WorkflowError as error:
        said = {"error": type(error).__name__, "message": words.refusal(error)}
        return JsonResponse(said, status=error.status)


@active_annotator
@require_http_methods(["PUT", "POST"])
@limited("draft")
@answered
def draft(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Save a draft (section 4.9); by POST a page that goes away sends it as a form."""
    given = body(request, known=DRAFT)
    payload = given.get("payload")
    if not isinstance(payload, dict):
        raise MalformedError("payload is not a JSON object")
    try:
        saved = drafts.save_draft(
            member,
            slot_id,
            rev=number(given, "rev"),
            payload=payload,
            client_at=moment(given, "client_at"),
        )
    except ConflictError as error:
        own = Slot.objects.filter(pk=slot_id, person=member.person_id)
        if own.exclude(state=SlotState.OPEN).exists():
            return JsonResponse({"error": "gone", "message": words.handed_in()}, status=410)
        current = error.current if isinstance(error.current, Draft) else None
        said = {"error": "conflict", "message": words.refusal(error)}
        return JsonResponse(said | (draft_json(current) if current else {}), status=409)
    at = saved.saved_at.isoformat()
    version = saved.slot.version if saved.slot else None
    return JsonResponse({"rev": saved.rev, "at": at, "version": version})


@active_annotator
@require_POST
@limited("submit")
@answered
def submit(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Hand in, and answer with the next task in the same round trip."""
    given = body(request, known=SUBMISSION)
    answer = read_answer(given)
    ever_held = SlotEvent.objects.filter(slot=OuterRef("pk"), person=member.person_id)
    slot = (
        Slot.objects.select_related("sentence")
        .filter(Exists(ever_held), pk=slot_id, project=member.project_id)
        .first()
    )
    if slot is None:
        raise NotYoursError(f"task {slot_id} was never yours")
    slot.sentence.project = member.project
    prepared = submissions.prepare(slot.sentence, answer)
    warns = [one for one in prepared.problems if not one.blocking]
    blocked = len(warns) < len(prepared.problems)
    if not given.get("confirmed") and not blocked and (warns or prepared.merged):
        return _ask(prepared)
    try:
        done = submissions.submit(
            member,
            slot_id,
            version=number(given, "version"),
            client_key=key(given),
            answer=answer,
            prepared=prepared,
        )
    except ConflictError:
        return _stale(member, slot_id)
    return JsonResponse(
        _follow(member, claims.current(member)) | _handed_in(member, done, prepared)
    )


def _ask(prepared: submissions.PreparedAnswer) -> HttpResponse:
    """Answer that something should be looked at first; handing in again confirms it."""
    told = [words.told(one) for one in prepared.problems]
    said: dict[str, object] = {"error": "confirm", "problems": told, "confirm": True}
    if prepared.merged:
        said["texts"] = prepared.texts
        told.append(words.merged(prepared.merged))
    return JsonResponse(said, status=422)


def _stale(member: Member, slot_id: int) -> HttpResponse:
    """Answer that the task changed; where it is still the person's, with its version now."""
    own = Slot.objects.filter(pk=slot_id, person=member.person_id, state=SlotState.OPEN).first()
    said = {"error": "conflict", "version": own.version if own else None}
    message = words.changed() if own else words.handed_in()
    return JsonResponse(said | {"message": message}, status=409)


def _follow(member: Member, claimed: Claim) -> dict[str, object]:
    """Return what comes next: a task, or the page that says why there is none."""
    slot = claimed.slot
    found = drafts.get_draft(member, slot.pk) if slot else None
    return {
        "next": task_json(member, slot, found) if slot else None,
        "url": reverse("work", args=[member.project.slug]),
    }


def _handed_in(
    member: Member, done: Submission, prepared: submissions.PreparedAnswer
) -> dict[str, object]:
    slug, number = member.project.slug, done.sentence.number
    standing = standings(member.person_id, [member.project_id])[member.project_id]
    after = f"{reverse('work', args=[slug])}?after={done.slot_id}"
    return {
        "url": after,
        "done": standing["done"],
        "submitted": {
            "number": number,
            "seconds": member.project.rules.undo_seconds,
            "url": reverse("work-task", args=[slug, number]),
            "reopenUrl": reverse("work-reopen", args=[slug, done.slot_id]),
            "notice": words.removed(prepared.removed),
        },
    }


@active_annotator
@require_POST
@answered
def skip(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Put a task off, and answer with the next one (ANN-14)."""
    given = body(request, known=frozenset({"version"}))
    claims.skip(member, slot_id, version=number(given, "version"))
    return JsonResponse(_follow(member, claims.current(member)))


@active_annotator
@require_POST
def reopen(request: HttpRequest, member: Member, slot_id: int) -> HttpResponseBase:
    """Take a submission back (ANN-13): from the bar as JSON, from the history as a form."""
    at_once = wants_json(request)
    return _as_asked(request, member, lambda: Claim(_reopened(member, slot_id, at_once=at_once)))


def _reopened(member: Member, slot_id: int, *, at_once: bool) -> Slot:
    """Reopen a submission.

    Args:
        at_once: It was just handed in: a task that came after it makes room even where something
            was written for it; the draft stays, and the task is offered again afterwards.
    """
    try:
        return submissions.reopen(member, slot_id)
    except ConflictError:
        held = claims.open_tasks(member)
        last = Submission.objects.filter(slot=slot_id, person=member.person_id).order_by("-no")
        made = last.select_related("slot", "sentence").first()
        if not (at_once and held and made and submissions.may_reopen(made)):
            raise
    claims.release(held[-1], why="reopen")
    return submissions.reopen(member, slot_id)


@active_annotator
@require_POST
def recall(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponseBase:
    """Take up a sentence that was put off."""
    return _as_asked(request, member, lambda: claims.recall(member, sentence_id))


@active_annotator
@require_POST
def claim(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Take one more task, where the project lets people hold several."""
    return _as_asked(request, member, lambda: claims.claim(member))


def _as_asked(request: HttpRequest, member: Member, act: Callable[[], Claim]) -> HttpResponseBase:
    """Answer a script with the task as JSON, a form with the work page or words why not."""
    slug = member.project.slug
    if wants_json(request):
        return _as_json(lambda: JsonResponse(_follow(member, act())))
    try:
        claimed = act()
    except RefusedError as error:
        messages.error(request, " ".join(str(words.told(one)["message"]) for one in error.problems))
    except WorkflowError as error:
        messages.error(request, words.refusal(error))
    else:
        if claimed.slot is not None:
            return redirect(f"{reverse('work', args=[slug])}?task={claimed.slot.sentence.number}")
        messages.warning(request, words.nothing(claimed.nothing or claims.NoTask.ALL_DONE))
    return redirect(
        "work-skipped" if request.POST.get("back") == "skipped" else "work-history", slug
    )


@active_annotator
@require_POST
@answered
def suggestion(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Show the suggestion for a task, or take it over; either is kept."""
    wanted = text(body(request, known=frozenset({"act"})), "act")
    acts = {"show": suggestions.show, "take": suggestions.take_over}
    if wanted not in acts:
        raise MalformedError(f"act is {wanted!r}; it is one of {', '.join(acts)}")
    found = acts[wanted](member, slot_id)
    return JsonResponse(suggestion_json(found, found.sentence))
