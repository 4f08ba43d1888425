"""Self-study: texts that did not become golden, corrected by their author (STU-1 to STU-8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from gecbench.server.choices import (
    CloseReason,
    Decision,
    NotAnnotatableReason,
    RejectReason,
    StudyState,
    label_of,
)
from gecbench.server.models import Golden, Member, Study, StudyTry
from gecbench.server.rules.keys import tables
from gecbench.server.rules.text import key
from gecbench.server.web.differences import align, render_diff, render_row
from gecbench.server.web.guidelines import cite
from gecbench.server.web.http import AnswerPayload, Count, TextPayload, read_form, read_payload
from gecbench.server.web.messages import (
    diff_messages,
    problem_message,
)
from gecbench.server.web.permissions import member, wants_json
from gecbench.server.workflow import complaints, studies
from gecbench.server.workflow.errors import ConflictError, Problem, RefusedError

MOST_CLOSED = 100


@member()
@require_safe
def list_items(request: HttpRequest, member: Member) -> HttpResponse:
    """List the member's open items, oldest first; with ?state=closed those that are done."""
    state = "closed" if request.GET.get("state") == "closed" else "open"
    rows = studies.list_items(member, state=state, most=200)
    now = timezone.now()
    items = [
        {
            "study": study,
            "decision": decision_label(study),
            "html": author_html(member, study),
            "days": (now - study.opened_at) // timedelta(days=1),
            "closed": label_of(CloseReason, study.close_reason),
        }
        for study in (rows if state == "open" else rows[::-1][:MOST_CLOSED])
    ]
    return render(request, "study/list.html", {"items": items, "state": state})


@member()
@require_safe
def item(request: HttpRequest, member: Member, study_id: int) -> HttpResponse:
    """Show one of the member's items."""
    return _page(request, member, study_id)


def _page(
    request: HttpRequest,
    member: Member,
    study_id: int,
    *,
    status: int = 200,
    **more: object,
) -> HttpResponse:
    context = _context(member, studies.lesson(member, study_id))
    return render(request, "study/item.html", {**context, **more}, status=status)


def _next_item(member: Member, study: Study) -> Study | None:
    """The next open item: the one after this, else the first."""
    items = [item for item in studies.list_items(member) if item.pk != study.pk]
    place = (study.opened_at, study.pk)
    later = (item for item in items if (item.opened_at, item.pk) > place)
    return next(later, items[0] if items else None)


@member()
@require_POST
def attempt(request: HttpRequest, member: Member, study_id: int) -> HttpResponse:
    """Try a text or a decision: it closes the item, or says how far it is (STU-3)."""
    as_json = wants_json(request)
    sent = read_payload(request, AnswerPayload) if as_json else read_answer(request)
    typed = {"text": sent.texts[0]} if sent.texts else {}
    try:
        tried = studies.attempt(
            member,
            study_id,
            version=sent.version,
            client_key=sent.client_key,
            answer=sent.answer,
        )
    except RefusedError as error:
        problems = [_problem_json(problem) for problem in error.problems]
        if as_json:
            return JsonResponse({"problems": problems}, status=422)
        typed = typed or {"text": ""}
        words = [problem["words"] for problem in problems]
        return _page(request, member, study_id, status=422, problems=words, **typed)
    except ConflictError:
        message = gettext(
            "This item has changed meanwhile. Your text is kept; load the page again."
        )
        if as_json:
            return JsonResponse({"error": message}, status=409)
        messages.error(request, message)
        return _page(request, member, study_id, status=409, **typed)
    message = "" if tried.matched else _distance_message(tried.nearest)
    if as_json:
        body = {
            "matched": tried.matched,
            "revealed": tried.revealed,
            "version": tried.attempt.study.version,
            "words": message,
        }
        return JsonResponse(body)
    if message:
        messages.warning(request, message)
    return redirect("study-item", member.project.slug, study_id)


class AnswerForm(TextPayload):
    """A text, or a decision, as a form without scripts sends it."""

    version: Count
    client_key: UUID
    decision: Decision = Decision.CORRECTED


def read_answer(request: HttpRequest) -> AnswerPayload:
    """Read an answer that a form without scripts sends.

    Raises:
        MalformedError: The page did not send it.
    """
    sent = read_form(request, AnswerForm)
    texts = [sent.text] if sent.decision == Decision.CORRECTED else []
    return AnswerPayload(
        version=sent.version, client_key=sent.client_key, decision=sent.decision, texts=texts
    )


def _problem_json(problem: Problem) -> dict[str, object]:
    return {"code": problem.code, "field": problem.field, "words": problem_message(problem)}


class ComplaintPayload(TextPayload):
    """Why the own text is right."""

    argument: str = ""


@member()
@require_POST
def complain(request: HttpRequest, member: Member, study_id: int) -> HttpResponse:
    """Open a complaint about the own text, or bring one to a manager (CMP-1, CMP-3)."""
    sent = read_form(request, ComplaintPayload)
    try:
        complaint = complaints.complain(
            member, study_id, argument=sent.argument, client_key=sent.client_key
        )
    except RefusedError as error:
        problems, status = [_problem_json(problem) for problem in error.problems], 422
    except ConflictError:
        message = gettext("The sentence is being reviewed again; see first what comes of that.")
        problems, status = [{"words": message}], 409
    else:
        messages.success(request, gettext("Your complaint is sent."))
        return redirect("problem", member.project.slug, complaint.pk)
    context = {"complaint_problems": problems, "argument": sent.argument}
    return _page(request, member, study_id, status=status, **context)


# What the page of an item shows.


@dataclass(frozen=True, slots=True)
class Line:
    """A text in the comparison: whose it is, its aligned HTML, and whether it is right."""

    title: str
    html: SafeString
    golden: bool
    right: bool | None


def decision_label(study: Study) -> str:
    """The author's decision; "" where the item is about a text."""
    return "" if study.reference else Decision(study.submission.decision).heading


def author_reason(study: Study) -> str:
    """The author's reason why the sentence cannot be annotated, and their note."""
    submission = study.submission
    reason = label_of(NotAnnotatableReason, submission.reason)
    return ": ".join(filter(None, (reason, submission.reason_note)))


def golden_label(kind: str, golden: Golden | None) -> str:
    """A golden decision; "" where there are texts to show, or nothing may be shown."""
    if kind in {"", Decision.CORRECTED}:
        return ""
    reason = label_of(NotAnnotatableReason, golden.reason) if golden else ""
    return ": ".join(filter(None, (Decision(kind).heading, reason)))


def author_html(member: Member, study: Study) -> str:
    """The author's text as a difference; "" for a decision."""
    if study.reference is None:
        return ""
    return render_diff(member.project, study.sentence.text, study.reference.text)


def _context(member: Member, lesson: studies.Lesson) -> dict[str, object]:
    study, verdict = lesson.study, lesson.verdict
    guideline = member.project.guideline
    names = verdict.reasons if verdict else []
    reasons = [reason for reason in RejectReason if reason in names]
    cited = [cite(guideline, verdict.section)] if verdict else []
    explained = [cite(guideline, reason.section) for reason in reasons]
    texts = [attempt.text for attempt in lesson.tries if attempt.text]
    author_text = study.reference.text if study.reference else study.sentence.text
    return {
        "lesson": lesson,
        "study": study,
        "sentence": study.sentence,
        "open": study.state == StudyState.OPEN,
        "closed": label_of(CloseReason, study.close_reason),
        "own": author_html(member, study),
        "own_decision": decision_label(study),
        "own_reason": author_reason(study),
        "reasons": reasons,
        "cited": list(filter(None, cited)),
        "explained": list(filter(None, explained)),
        "tries": [
            (attempt, _attempt_label(attempt), _attempt_html(member, study, attempt))
            for attempt in lesson.tries
        ],
        "lines": _lines(member, lesson),
        "decided": golden_label(lesson.decision, study.sentence.golden),
        "text": texts[-1] if texts else author_text,
        "following": _next_item(member, study),
        "client_key": uuid4(),
        "data": _script_data(member, study),
        "words": _script_messages(),
    }


def _attempt_label(attempt: StudyTry) -> str:
    decision = Decision(attempt.decision)
    return "" if decision == Decision.CORRECTED else decision.heading


def _attempt_html(member: Member, study: Study, attempt: StudyTry) -> str:
    return render_diff(member.project, study.sentence.text, attempt.text) if attempt.text else ""


def _lines(member: Member, lesson: studies.Lesson) -> tuple[Line, ...]:
    study = lesson.study
    texts = [(gettext("Yours"), study.reference.text)] if study.reference else []
    last = [attempt.text for attempt in lesson.tries if attempt.text]
    texts += [(gettext("Your last try"), last[-1])] if last else []
    golden = [reference.text for reference in lesson.revealed]
    return compare_with_golden(member, study.sentence.text, texts, golden)


def compare_with_golden(
    member: Member, source: str, texts: Sequence[tuple[str, str]], golden: Sequence[str]
) -> tuple[Line, ...]:
    """Align texts with the golden ones; no lines before golden ones may be shown.

    Args:
        member: Who reads them.
        source: The sentence.
        texts: Title and text of those that are not golden.
        golden: The golden texts that may be shown.
    """
    if not golden:
        return ()
    titled = [
        (gettext("Golden %(number)s") % {"number": n}, text) for n, text in enumerate(golden, 1)
    ]
    titles, aligned = zip(*texts, *titled, strict=True)
    placeholder = member.project.rules.placeholder
    alignment = align(source, aligned, lang=member.project.lang, placeholder=placeholder)
    rows = (alignment.source, *alignment.rows)
    keys = {key(text) for text in golden}
    return tuple(
        Line(
            title,
            render_row(row, placeholder),
            n > len(texts),
            key(row.text) in keys if n else None,
        )
        for n, (title, row) in enumerate(zip((gettext("Original"), *titles), rows, strict=True))
    )


def _script_data(member: Member, study: Study) -> dict[str, object]:
    slug = member.project.slug
    return {
        "study": study.pk,
        "version": study.version,
        "person": member.person_id,
        "source": study.sentence.text,
        "lang": member.project.lang,
        "placeholder": member.project.rules.placeholder,
        "original": study.reference.text if study.reference else study.sentence.text,
        "keys": asdict(tables(member.person.preferences.get("keys"), screen="study")),
        "urls": {
            "attempt": reverse("study-try", args=(slug, study.pk)),
            "login": reverse("login"),
        },
    }


def _distance_message(nearest: int) -> str:
    """How far a try is from the nearest golden text, without giving that away."""
    if nearest < 0:
        return gettext("Not right yet. No text is right here; think of the decision.")
    template = ngettext(
        "Not right yet: %(count)s edit away from the nearest golden text.",
        "Not right yet: %(count)s edits away from the nearest golden text.",
        nearest,
    )
    return template % {"count": nearest}


def _script_messages() -> dict[str, object]:
    return {
        "diff": diff_messages(),
        "unreached": gettext("The server was not reached. Nothing is lost; try again."),
        "kept": gettext("What you had typed before stands in the box again."),
        "source": gettext("This is the original."),
    }
