"""The annotation page and its history: tasks of texts and of variants, what is saved and sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import wraps
from itertools import zip_longest
from typing import Literal

from django.conf import settings
from django.contrib import messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from pydantic import Field

from gecbench.server.choices import (
    Decision,
    NotAnnotatableReason,
    ProjectKind,
    Role,
    SlotState,
    VariantReason,
    label_of,
)
from gecbench.server.models import (
    Draft,
    Member,
    PerturbationCase,
    ReviewTask,
    Sentence,
    Slot,
    SlotEvent,
    Submission,
    Suggestion,
    VariantCheck,
)
from gecbench.server.models.base import compiled_models
from gecbench.server.rules.diff import diff
from gecbench.server.rules.keys import tables
from gecbench.server.rules.perturbation import Chip, derive
from gecbench.server.rules.text import digest
from gecbench.server.web.http import (
    AnswerPayload,
    Count,
    DraftPayload,
    Payload,
    limited,
    parse_int,
    read_payload,
)
from gecbench.server.web.messages import (
    CHANGED_ELSEWHERE,
    SUBMITTED_ELSEWHERE,
    merge_warning,
    problem_json,
    refusal_message,
    removal_notice,
    task_messages,
    translate,
    variant_messages,
    variant_state,
)
from gecbench.server.web.navigation import goal, standings
from gecbench.server.web.permissions import member, wants_json
from gecbench.server.workflow import claims, drafts, perturbation, submissions, suggestions
from gecbench.server.workflow.claims import Claim, NoTask
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.review_tasks import has_held_slot
from gecbench.server.workflow.sentences import neighbours

PAGE = 50
annotator = member(Role.ANNOTATOR)
active_annotator = member(Role.ANNOTATOR, active=True)


def draft_json(draft: Draft) -> dict[str, object]:
    """A draft as the page takes it."""
    return {"rev": draft.rev, "payload": draft.payload, "at": draft.saved_at.isoformat()}


def suggestion_json(suggestion: Suggestion, sentence: Sentence) -> dict[str, object]:
    """A suggestion as the page takes it."""
    changes = digest(suggestion.text) != sentence.digest
    return {"text": suggestion.text, "model": suggestion.model, "changes": changes}


def task_json(member: Member, slot: Slot, draft: Draft | None) -> dict[str, object]:
    """A task as the page takes it, with the member's draft of it."""
    slug, sentence = member.project.slug, slot.sentence
    source = sentence.source
    return {
        "slot": slot.pk,
        "version": slot.version,
        "number": sentence.number,
        "text": sentence.text,
        "source": source.name if source else "",
        "contextUrl": context_address(slug, sentence),
        "now": timezone.now().isoformat(),
        "draft": draft_json(draft) if draft else None,
        "draftUrl": reverse("draft", args=[slug, slot.pk]),
        "submitUrl": reverse("submit", args=[slug, slot.pk]),
        "skipUrl": reverse("work-skip", args=[slug, slot.pk]),
        **(_variant_task_json(slot) if is_perturbation(member) else _suggestion_json(member, slot)),
    }


def is_perturbation(member: Member) -> bool:
    """Whether a member's project is one of variants."""
    return member.project.kind == ProjectKind.PERTURB


def _suggestion_json(member: Member, slot: Slot) -> dict[str, object]:
    sentence, asks = slot.sentence, member.project.rules.suggestions != "off"
    seen = suggestions.shown_suggestion(sentence.pk, member.person_id) if asks else None
    return {
        "suggestion": asks and suggestions.latest_suggestion(sentence.pk) is not None,
        "shown": suggestion_json(seen, sentence) if seen else None,
        "suggestionUrl": reverse("work-suggestion", args=[member.project.slug, slot.pk]),
    }


@annotator
@require_safe
@never_cache
@ensure_csrf_cookie
def current(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the current or the next task; always the same address (section 4.3)."""
    claimed, others = _current_task(request, member)
    after = _undo_data(request, member)
    if claimed.slot is None:
        why = claimed.nothing or NoTask.ALL_DONE
        context = {
            "why": why.label,
            "study_first": why == NoTask.STUDY_FIRST,
            "guideline_first": why == NoTask.GUIDELINE_FIRST,
            **_script_data(request, member, None, after),
        }
        return render(request, "annotation/no_task.html", context)
    draft = drafts.get_draft(member, claimed.slot.pk)
    task = task_json(member, claimed.slot, draft)
    context = {
        "task": task,
        "others": others,
        "may_claim": 0 < len(others) + 1 < member.project.rules.open_tasks,
        "rules": member.project.rules,
        "goal": goal(member.person),
        "reasons": NotAnnotatableReason,
        "text_lang": member.project.language_tag,
        **_script_data(request, member, task, after),
    }
    folder = "perturbation" if is_perturbation(member) else "annotation"
    return render(request, f"{folder}/task.html", context)


def _current_task(request: HttpRequest, member: Member) -> tuple[Claim, list[Slot]]:
    """Choose the task to show; with it come the member's other open tasks."""
    if member.project.rules.open_tasks == 1:
        return claims.current(member), []
    slots = list(claims.open_tasks(member))
    number = request.GET.get("task", "")
    match = next((slot for slot in slots if str(slot.sentence.number) == number), None)
    claimed = Claim(match) if match else claims.current(member)
    return claimed, [slot for slot in slots if claimed.slot and slot.pk != claimed.slot.pk]


def _script_data(
    request: HttpRequest,
    member: Member,
    task: Mapping[str, object] | None,
    after: Mapping[str, object] | None,
) -> dict[str, object]:
    """What the page's scripts read: data, and messages in the person's language."""
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
                **(gaps_json(member) if is_perturbation(member) else {}),
            },
        },
        "words": variant_messages() if is_perturbation(member) else task_messages(),
    }


def _undo_data(request: HttpRequest, member: Member) -> dict[str, object] | None:
    """What the undo bar needs, where the page was opened by submitting something."""
    after = parse_int(request.GET.get("after", ""))
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


@annotator
@require_safe
def history(request: HttpRequest, member: Member) -> HttpResponse:
    """List the member's own submissions, newest first (keyset)."""
    before = parse_int(request.GET.get("before", ""))
    rows = submissions.history(member, before=before, most=PAGE + 1)
    describe = variant_state if is_perturbation(member) else _decision
    answers = [(row, describe(row)) for row in rows[:PAGE]]
    return render(
        request,
        "annotation/history.html",
        {
            "listed": answers,
            "before": rows[PAGE - 1].pk if len(rows) > PAGE else None,
            "kept": len(drafts.orphaned_drafts(member)) if before is None else 0,
        },
    )


def _decision(submission: Submission) -> str:
    return Decision(submission.decision).heading


@annotator
@require_safe
@ensure_csrf_cookie
def submission(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Show one of the member's own submissions: to read, or to take back while that may be."""
    mine = (
        Submission.objects.filter(
            person=member.person_id, sentence__project=member.project_id, sentence__number=number
        )
        .select_related("sentence", "slot", "person", "sentence__source")
        .prefetch_related("references")
        .order_by("-no", "-pk")
    )
    versions = list(mine)
    if not versions:
        raise Http404
    last = versions[0]
    others = Submission.objects.filter(
        person=member.person_id, sentence__project=member.project_id
    ).exclude(sentence=last.sentence)
    numbers = others.values_list("sentence__number", flat=True)
    folder = "perturbation" if is_perturbation(member) else "annotation"
    return render(
        request,
        f"{folder}/submission.html",
        {
            "last": last,
            "decision": _decision(last),
            "reason": label_of(NotAnnotatableReason, last.reason),
            "earlier": [(row, _decision(row)) for row in versions[1:]],
            **(variants_context(versions) if is_perturbation(member) else {}),
            "may_reopen": submissions.may_reopen(last),
            "previous": numbers.filter(pk__lt=last.pk).order_by("-pk").first(),
            "following": numbers.filter(pk__gt=last.pk).order_by("pk").first(),
            **_script_data(request, member, None, None),
        },
    )


@annotator
@require_safe
def list_skipped(request: HttpRequest, member: Member) -> HttpResponse:
    """List what the member has put off."""
    return render(
        request, "annotation/skipped.html", {"sentences": claims.skipped_sentences(member)}
    )


@annotator
@require_safe
def list_drafts(request: HttpRequest, member: Member) -> HttpResponse:
    """List texts whose task went to somebody else (INV-15): never lost, to be copied."""
    read = _variant_draft_texts if is_perturbation(member) else _draft_texts
    listed = [
        (draft.slot.sentence, draft.saved_at, read(draft))
        for draft in drafts.orphaned_drafts(member)
        if draft.slot is not None
    ]
    return render(request, "annotation/drafts.html", {"listed": listed})


def _draft_texts(draft: Draft) -> list[str]:
    return list(draft.payload.get("texts", []))


# What the scripts of the page ask; each answer is JSON.


View = Callable[..., HttpResponseBase]


def json_errors(view: View) -> View:
    """Answer what the workflow refuses as JSON, in the person's language, with its status."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except RefusedError as error:
            problems = [problem_json(problem) for problem in error.problems]
            message = " ".join(str(problem["message"]) for problem in problems)
            body = {"error": "refused", "message": message, "problems": problems}
            return JsonResponse(body, status=error.status)
        except WorkflowError as error:
            body = {"error": type(error).__name__, "message": refusal_message(error)}
            return JsonResponse(body, status=error.status)

    return guarded


@active_annotator
@require_http_methods(["PUT", "POST"])
@limited("draft")
@json_errors
def save_draft(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Save a draft (section 4.9); by POST a page that goes away sends it as a form."""
    sent = read_payload(request, DraftPayload)
    try:
        saved = drafts.save_draft(
            member, slot_id, rev=sent.rev, payload=sent.payload, client_at=sent.client_at
        )
    except ConflictError as error:
        slot = Slot.objects.filter(pk=slot_id, person=member.person_id)
        if slot.exclude(state=SlotState.OPEN).exists():
            body = {"error": "gone", "message": str(SUBMITTED_ELSEWHERE)}
            return JsonResponse(body, status=410)
        current = draft_json(error.current) if isinstance(error.current, Draft) else {}
        return JsonResponse(
            {"error": "conflict", "message": refusal_message(error), **current}, status=409
        )
    at = saved.saved_at.isoformat()
    version = saved.slot.version if saved.slot else None
    return JsonResponse({"rev": saved.rev, "at": at, "version": version})


@active_annotator
@require_POST
@limited("submit")
@json_errors
def submit(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Hand in, and answer with the next task in the same round trip."""
    sent = read_payload(request, AnswerPayload)
    slot = next(iter(_slots_held(slot_id, member.project_id, member.person_id)), None)
    if slot is None:
        raise NotYoursError("task {slot} was never yours", slot=slot_id)
    slot.sentence.project = member.project
    prepared = submissions.prepare(slot.sentence, sent.answer)
    blocked = any(problem.blocking for problem in prepared.problems)
    if not sent.confirmed and not blocked and (prepared.problems or prepared.merged):
        return _ask_to_confirm(prepared)
    try:
        done = submissions.submit(
            member,
            slot_id,
            version=sent.version,
            client_key=sent.client_key,
            answer=sent.answer,
            prepared=prepared,
        )
    except ConflictError:
        held = Slot.objects.filter(pk=slot_id, person=member.person_id)
        open_slot = held.filter(state=SlotState.OPEN).first()
        message = CHANGED_ELSEWHERE if open_slot else SUBMITTED_ELSEWHERE
        body = {"error": "conflict", "version": open_slot.version if open_slot else None}
        return JsonResponse(body | {"message": str(message)}, status=409)
    return JsonResponse(
        _next_task(member, claims.current(member)) | _submission_json(member, done, prepared)
    )


@compiled_models
def _slots_held(key: int, project: int, person: int) -> QuerySet[Slot]:
    """A slot that somebody holds or has held, with its sentence."""
    held_before = SlotEvent.objects.filter(slot=OuterRef("pk"), person=person)
    slots = Slot.objects.select_related("sentence")
    return slots.filter(Exists(held_before), pk=key, project=project)


def _ask_to_confirm(prepared: submissions.PreparedAnswer) -> HttpResponse:
    """Answer that something should be looked at first; submitting again confirms it."""
    problems = [problem_json(problem) for problem in prepared.problems]
    body: dict[str, object] = {"error": "confirm", "problems": problems, "confirm": True}
    if prepared.merged:
        body["texts"] = prepared.texts
        problems.append(merge_warning(prepared.merged))
    return JsonResponse(body, status=422)


def _next_task(member: Member, claimed: Claim) -> dict[str, object]:
    """What comes next: a task, or the page that says why there is none."""
    slot = claimed.slot
    draft = drafts.get_draft(member, slot.pk) if slot else None
    return {
        "next": task_json(member, slot, draft) if slot else None,
        "url": reverse("work", args=[member.project.slug]),
    }


def _submission_json(
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
            "notice": removal_notice(prepared.removed),
        },
    }


class VersionPayload(Payload):
    """The version of the task that the page shows."""

    version: Count


@active_annotator
@require_POST
@json_errors
def skip(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Put a task off, and answer with the next one (ANN-14)."""
    claims.skip(member, slot_id, version=read_payload(request, VersionPayload).version)
    return JsonResponse(_next_task(member, claims.current(member)))


@active_annotator
@require_POST
def reopen(request: HttpRequest, member: Member, slot_id: int) -> HttpResponseBase:
    """Take a submission back (ANN-13): from the bar as JSON, from the history as a form."""
    at_once = wants_json(request)
    return _claim_answer(request, member, lambda: Claim(_reopen(member, slot_id, at_once=at_once)))


def _reopen(member: Member, slot_id: int, *, at_once: bool) -> Slot:
    """Reopen a submission.

    Args:
        at_once: It was just handed in: a task that came after it makes room even where something
            was written for it; the draft stays, and the task is offered again afterwards.
    """
    try:
        return submissions.reopen(member, slot_id)
    except ConflictError:
        open_slots = claims.open_tasks(member)
        last = Submission.objects.filter(slot=slot_id, person=member.person_id).order_by("-no")
        latest = last.select_related("slot", "sentence").first()
        if not (at_once and open_slots and latest and submissions.may_reopen(latest)):
            raise
    claims.release(open_slots[-1], why="reopen")
    return submissions.reopen(member, slot_id)


@active_annotator
@require_POST
def recall(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponseBase:
    """Take up a sentence that was put off."""
    return _claim_answer(request, member, lambda: claims.recall(member, sentence_id))


@active_annotator
@require_POST
def claim(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Take one more task, where the project lets people hold several."""
    return _claim_answer(request, member, lambda: claims.claim(member))


def _claim_answer(
    request: HttpRequest, member: Member, claim: Callable[[], Claim]
) -> HttpResponseBase:
    """Answer a script with the task as JSON, a form with the task's page or why there is none."""
    slug = member.project.slug
    if wants_json(request):
        return json_errors(lambda _request: JsonResponse(_next_task(member, claim())))(request)
    try:
        claimed = claim()
    except RefusedError as error:
        messages.error(request, translate(error).text)
    except WorkflowError as error:
        messages.error(request, refusal_message(error))
    else:
        if claimed.slot is not None:
            return redirect(f"{reverse('work', args=[slug])}?task={claimed.slot.sentence.number}")
        messages.warning(request, str((claimed.nothing or NoTask.ALL_DONE).label))
    return redirect(
        "work-skipped" if request.POST.get("back") == "skipped" else "work-history", slug
    )


class SuggestionPayload(Payload):
    """What becomes of a suggestion."""

    act: Literal["show", "take"]


@active_annotator
@require_POST
@json_errors
def suggestion(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Show the suggestion for a task, or take it over; either is kept."""
    act = read_payload(request, SuggestionPayload).act
    show = suggestions.show if act == "show" else suggestions.take_over
    suggestion = show(member, slot_id)
    return JsonResponse(suggestion_json(suggestion, suggestion.sentence))


class HintPayload(Payload):
    """The gaps of a variant as they are now."""

    gaps: list[str] = Field(max_length=1000)


@active_annotator
@require_POST
@limited("submit")
@json_errors
def hint(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Say what the site's corrector would change in a variant; nothing is stored."""
    advice = perturbation.hint(member, slot_id, read_payload(request, HintPayload).gaps)
    pieces = diff(advice.target, advice.text, lang=member.project.lang, placeholder="").pieces
    return JsonResponse({**asdict(advice), "pieces": [asdict(piece) for piece in pieces]})


# The neighbours of a sentence in its document.


def context_address(slug: str, sentence: Sentence) -> str:
    """Where the neighbours of a sentence are; "" where it is from no document."""
    return "" if sentence.document is None else reverse("context", args=[slug, sentence.pk])


@member(Role.ANNOTATOR, Role.REVIEWER, Role.MANAGER)
@require_safe
def context(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Show the sentences around one, to whoever works on it: source texts alone."""
    sentence = Sentence.objects.filter(pk=sentence_id, project=member.project_id).first()
    if sentence is None or not _may_see(member, sentence):
        raise Http404
    before, after = neighbours(sentence)
    lang = member.project.language_tag
    context = {"sentence": sentence, "before": before, "after": after, "text_lang": lang}
    return render(request, "annotation/context.html", context)


def _may_see(member: Member, sentence: Sentence) -> bool:
    if member.has(Role.MANAGER) or has_held_slot(member.person_id, sentence.pk):
        return True
    return member.has(Role.REVIEWER) and ReviewTask.objects.filter(sentence=sentence).exists()


def _variant_task_json(slot: Slot) -> dict[str, object]:
    """What the page of a task takes beside what all tasks have."""
    task, project = perturbation.task_of(slot), slot.sentence.project
    has_hints = project.rules.hints and settings.HINT_CORRECTORS[project.lang]
    return {
        "gaps": list(task.gaps),
        "chips": [chip_json(chip) for chip in task.chips],
        "proposal": {
            "id": task.proposal.pk,
            "gaps": task.proposal.gaps,
            "who": task.proposal.model,
        }
        if task.proposal
        else None,
        "returned": {
            "reasons": [label_of(VariantReason, reason) for reason in task.returned.reasons],
            "note": task.returned.note,
        }
        if task.returned
        else None,
        "hintUrl": reverse("work-hint", args=[project.slug, slot.pk]) if has_hints else "",
    }


def chip_json(chip: Chip) -> dict[str, str]:
    """An error as the editor of gaps takes it."""
    return {"source": chip.source, "target": chip.target, "type": chip.type}


def gaps_json(member: Member) -> dict[str, object]:
    """What the editor of gaps knows of the project."""
    rules = member.project.rules
    return {
        "lang": member.project.lang,
        "edits": rules.perturb_edits,
        "share": rules.perturb_percent,
    }


@dataclass(frozen=True, slots=True)
class Part:
    """A gap of a variant, and the error behind it; none behind the last."""

    gap: str
    chip: Chip | None

    @property
    def kind(self) -> str:
        """Whether the error replaces, inserts or deletes something."""
        if self.chip is None or not self.chip.source:
            return "insert"
        return "replace" if self.chip.target else "delete"


def parts(case: PerturbationCase, gaps: Sequence[str] | None) -> tuple[Part, ...]:
    """The gaps and errors of a text in order; none where a variant from a file has no gaps."""
    if gaps is None:
        return ()
    chips = [Chip(**chip) for chip in case.chips]
    return tuple(Part(gap, chip) for gap, chip in zip_longest(gaps, chips))


def case_parts(sentence: Sentence) -> tuple[Part, ...]:
    """The gaps and errors of an original; none of a sentence that is no case."""
    case = PerturbationCase.objects.filter(sentence=sentence).first()
    return parts(case, case.gaps) if case else ()


def _variant_draft_texts(draft: Draft) -> list[str]:
    """What a draft makes of its sentence, to be read and copied."""
    texts = draft.payload.get("texts", [])
    sentence = draft.slot.sentence if draft.slot else None
    case = PerturbationCase.objects.filter(sentence=sentence).first() if sentence else None
    if case is None or sentence is None or len(texts) != len(case.chips) + 1:
        return list(texts)
    return [derive(texts, [Chip(**chip) for chip in case.chips], sentence.project.lang)[0]]


def variants_context(submissions: Sequence[Submission]) -> dict[str, object]:
    """A person's own variants of a case, the newest first, and what a reviewer made of each."""
    case = PerturbationCase.objects.get(sentence=submissions[0].sentence_id)
    variants = [submission.variant for submission in submissions]
    checks = VariantCheck.objects.filter(variant__in=variants).select_related("edited")
    # Of several checks of one variant the last holds, as pay counts it.
    by_variant = {check.variant_id: check for check in checks.order_by("pk")}
    return {
        "original": parts(case, case.gaps),
        "variants": [
            {
                "variant": variant,
                "parts": parts(case, variant.gaps),
                "check": by_variant.get(variant.pk),
            }
            for variant in variants
        ],
        "state": variant_state(submissions[0]),
    }
