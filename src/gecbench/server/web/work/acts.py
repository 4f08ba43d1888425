"""What the work screen does: save, hand in, take back, put off, take up again."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from gecbench.server.laws.names import Role, SlotState
from gecbench.server.models import (
    Draft,
    Member,
    Sentence,
    Slot,
    SlotEvent,
    Submission,
    Suggestion,
)
from gecbench.server.web.limits import limited
from gecbench.server.web.policy import member, wants_json
from gecbench.server.web.standing import standings
from gecbench.server.web.work import wire, words
from gecbench.server.workflow import claims, drafts, submissions
from gecbench.server.workflow.claims import Claimed
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    RefusedError,
    WorkflowError,
)

Act = Callable[..., HttpResponseBase]

annotator = member(Role.ANNOTATOR, active=True)
DRAFT = frozenset({"rev", "payload", "client_at"})
SUBMISSION = wire.ANSWER | {"version", "client_key", "confirmed"}


def answered(act: Act) -> Act:
    """Answer what the workflow refuses as JSON, in the person's language, with its status."""

    @wraps(act)
    def view(request: HttpRequest, *args: object, **given: object) -> HttpResponseBase:
        return _as_json(lambda: act(request, *args, **given))

    return view


def _as_json(act: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    try:
        return act()
    except wire.MalformedError as error:
        return JsonResponse({"error": "malformed", "message": str(error)}, status=400)
    except RefusedError as error:
        told = [words.told(one) for one in error.problems]
        message = " ".join(str(one["message"]) for one in told)
        said = {"error": "refused", "message": message, "problems": told}
        return JsonResponse(said, status=error.status)
    except WorkflowError as error:
        said = {"error": type(error).__name__, "message": words.refusal(error)}
        return JsonResponse(said, status=error.status)


@annotator
@limited("draft")
@require_http_methods(["PUT", "POST"])
@answered
def draft(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Save a draft (section 4.9); by POST a page that goes away sends it as a form."""
    given = wire.body(request, known=DRAFT)
    payload = given.get("payload")
    if not isinstance(payload, dict):
        raise wire.MalformedError("payload is not a JSON object")
    try:
        saved = drafts.save_draft(
            member,
            slot_id,
            rev=wire.number(given, "rev"),
            payload=payload,
            client_at=wire.moment(given, "client_at"),
        )
    except ConflictError as error:
        own = Slot.objects.filter(pk=slot_id, person=member.person_id)
        if own.exclude(state=SlotState.OPEN).exists():
            return JsonResponse({"error": "gone", "message": words.handed_in()}, status=410)
        current = error.current if isinstance(error.current, Draft) else None
        said = {"error": "conflict", "message": words.refusal(error)}
        return JsonResponse(said | (wire.draft_json(current) if current else {}), status=409)
    at = saved.saved_at.isoformat()
    version = saved.slot.version if saved.slot else None
    return JsonResponse({"rev": saved.rev, "at": at, "version": version})


@annotator
@limited("submit")
@require_POST
@answered
def submit(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Hand in, and answer with the next task in the same round trip."""
    given = wire.body(request, known=SUBMISSION)
    answer = wire.answer(given)
    ever_held = SlotEvent.objects.filter(slot=OuterRef("pk"), person=member.person_id)
    slot = (
        Slot.objects.select_related("sentence__project")
        .filter(Exists(ever_held), pk=slot_id, project=member.project_id)
        .first()
    )
    if slot is None:
        raise NotYoursError(f"task {slot_id} was never yours")
    prepared = submissions.prepare(slot.sentence, answer)
    warns = [one for one in prepared.problems if not one.blocking]
    blocked = len(warns) < len(prepared.problems)
    if not given.get("confirmed") and not blocked and (warns or prepared.merged):
        return _ask(prepared)
    try:
        done = submissions.submit(
            member,
            slot_id,
            version=wire.number(given, "version"),
            client_key=wire.key(given),
            answer=answer,
        )
    except ConflictError:
        return _stale(member, slot_id)
    return JsonResponse(
        _follow(member, claims.current(member)) | _handed_in(member, done, prepared)
    )


def _ask(prepared: submissions.Prepared) -> HttpResponse:
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


def _follow(member: Member, claimed: Claimed) -> dict[str, object]:
    """Return what comes next: a task, or the page that says why there is none."""
    slot = claimed.slot
    found = drafts.draft_of(member, slot.pk) if slot else None
    return {
        "next": wire.task_json(member, slot, found) if slot else None,
        "url": reverse("work", args=[member.project.slug]),
    }


def _handed_in(
    member: Member, done: Submission, prepared: submissions.Prepared
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


@annotator
@require_POST
@answered
def skip(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Put a task off, and answer with the next one (ANN-14)."""
    given = wire.body(request, known=frozenset({"version"}))
    claims.skip(member, slot_id, version=wire.number(given, "version"))
    return JsonResponse(_follow(member, claims.current(member)))


@annotator
@require_POST
def reopen(request: HttpRequest, member: Member, slot_id: int) -> HttpResponseBase:
    """Take a submission back (ANN-13): from the bar as JSON, from the history as a form."""
    at_once = wants_json(request)
    return _as_asked(request, member, lambda: Claimed(_reopened(member, slot_id, at_once=at_once)))


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
    claims.give_back(held[-1], why="reopen")
    return submissions.reopen(member, slot_id)


@annotator
@require_POST
def recall(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponseBase:
    """Take up a sentence that was put off."""
    return _as_asked(request, member, lambda: claims.recall(member, sentence_id))


@annotator
@require_POST
def claim(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Take one more task, where the project lets people hold several."""
    return _as_asked(request, member, lambda: claims.claim(member))


def _as_asked(request: HttpRequest, member: Member, act: Callable[[], Claimed]) -> HttpResponseBase:
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
        messages.warning(request, words.nothing(claimed.nothing or claims.Nothing.ALL_DONE))
    return redirect(
        "work-skipped" if request.POST.get("back") == "skipped" else "work-history", slug
    )


@annotator
@require_GET
@answered
def suggestion(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Show what a corrector makes of the sentence, where the project lets it (off by default)."""
    del request
    if member.project.rules.suggestions == "off":
        raise Http404
    mine = Slot.objects.filter(
        pk=slot_id, project=member.project_id, person=member.person_id, state=SlotState.OPEN
    )
    sentences = Sentence.objects.filter(pk__in=mine.values("sentence"))
    found = Suggestion.objects.filter(sentence__in=sentences).order_by("-score", "-pk").first()
    if found is None:
        raise Http404
    model = f"{found.model} {found.model_version}".strip()
    return JsonResponse({"id": found.pk, "text": found.text, "model": model})
