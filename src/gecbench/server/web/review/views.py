"""The review page: a sentence, all that was submitted for it, and one decision (REV-1 to 12)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.server.choices import Decision, Role
from gecbench.server.models import Draft, Golden, Member, Review, ReviewTask, Sentence
from gecbench.server.web.annotation import draft_json, is_perturbation
from gecbench.server.web.http import (
    Count,
    DraftPayload,
    Payload,
    Version,
    parse_int,
    read_form,
    read_payload,
    validate,
)
from gecbench.server.web.messages import (
    NO_LONGER_HELD,
    problem_json,
    translate,
)
from gecbench.server.web.permissions import ProjectView, member, wants_json
from gecbench.server.web.review import variants
from gecbench.server.web.review.context import (
    ReviewInput,
    ReviewPage,
    check_review,
    context,
    drop_settled,
    final_answer,
    is_mine,
    keys,
    load_review,
    locate_fields,
    next_address,
    parse_form,
    review_problem_json,
)
from gecbench.server.workflow import drafts, review_tasks, reviews, variant_checks
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    Problem,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.reviews import NoReview

PAGE = 50
reviewer = member(Role.REVIEWER, active=True)


@reviewer
@require_safe
def current(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the current or the next review; always the same address (section 4.3)."""
    claimed = reviews.current_review(member)
    if claimed.task is None:
        why = (claimed.nothing or NoReview.ALL_DONE).label
        values = {
            "why": why,
            "guideline_first": claimed.nothing == NoReview.GUIDELINE_FIRST,
            "keys": keys(member),
            "undo": _undo_data(member),
        }
        return render(request, "review/no_task.html", values)
    return _page(request, member, claimed.task)


@member(Role.REVIEWER, Role.MANAGER, active=True)
@require_safe
def sentence(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Show one sentence's review: to work on, or to read where it is not one's own (REV-12)."""
    task = reviews.open_review(member, sentence_id)
    return _page(request, member, task)


def _page(
    request: HttpRequest,
    member: Member,
    task: ReviewTask,
    review: ReviewPage | None = None,
    problems: list[dict[str, object]] | None = None,
    status: int = 200,
    **more: object,
) -> HttpResponse:
    """Show a review as it stands in the database, or as it was just sent."""
    more["undo"] = _undo_data(member)
    if is_perturbation(member):
        return render(
            request,
            "perturbation/review.html",
            variants.context(member, task) | more,
            status=status,
        )
    review = review or load_review(member, task)
    page = {**context(review, member), "problems": problems or []}
    return render(request, "review/review.html", {**page, **more}, status=status)


def _undo_data(member: Member) -> dict[str, object] | None:
    """What the bar needs that takes the last decision back; None when it is too late."""
    if is_perturbation(member):
        review = variant_checks.last_check(member)
        message = variants.decision_message(review) if review else ""
    else:
        review = reviews.last_decision(member)
        golden = review.sentence.golden if review else None
        message = _decision_message(review.sentence, golden) if review and golden else ""
    if review is None or not message:
        return None
    elapsed = (timezone.now() - review.at).total_seconds()
    return {
        "sentence": review.sentence_id,
        "message": message,
        "seconds": max(0.0, member.project.rules.undo_seconds - elapsed),
    }


@reviewer
@require_http_methods(["PUT", "POST"])
def save_draft(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Keep what a reviewer has done so far; a beacon comes as a form (section 4.9)."""
    sentence = Sentence.objects.filter(pk=sentence_id, project=member.project_id).first()
    if sentence is None:
        raise NotYoursError("no sentence {number}", number=sentence_id)
    sent = read_payload(request, DraftPayload)
    validate(sent.payload, variants.ChecksInput if is_perturbation(member) else ReviewInput)
    try:
        saved = drafts.save_review_draft(
            member, sentence, rev=sent.rev, payload=sent.payload, client_at=sent.client_at
        )
    except ConflictError as error:
        other = draft_json(error.current) if isinstance(error.current, Draft) else {}
        return JsonResponse({"error": gettext("Another window has saved."), **other}, status=409)
    except RefusedError as error:
        body = {"error": "refused", "message": translate(error).text}
        return JsonResponse(body, status=error.status)
    except WorkflowError as error:
        body = {"error": type(error).__name__, "message": str(NO_LONGER_HELD)}
        return JsonResponse(body, status=error.status)
    return JsonResponse({"rev": saved.rev, "at": saved.saved_at.isoformat()})


class ReviewPayload(Payload):
    """A review as it stands on the page."""

    payload: ReviewInput


@reviewer
@require_POST
def examine(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Say what the rules make of a review as it stands (CON-1 to 10); nothing is kept."""
    task = reviews.open_review(member, sentence_id)
    if not is_mine(task, member):
        return JsonResponse({"error": gettext("You no longer hold this review.")}, status=409)
    review = load_review(member, task, read_payload(request, ReviewPayload).payload)
    problems = check_review(review, live=True)
    golden = locate_fields(review.input, review.candidates).golden
    body = {
        "problems": _problems_json(problems, review),
        "checks": _checks(problems),
        "golden": len(golden) if review.input.decision == Decision.CORRECTED else 0,
    }
    return JsonResponse(body)


def _problems_json(problems: Sequence[Problem], review: ReviewPage) -> list[dict[str, object]]:
    locations = locate_fields(review.input, review.candidates)
    return [review_problem_json(problem, locations) for problem in problems]


_GROUPS = {
    "placeholder": ("CON-3", "CON-4"),
    "distinct": ("CON-10",),
    "decision": ("CON-1", "CON-2"),
}


def _checks(problems: Sequence[Problem]) -> dict[str, bool]:
    """Which of the rules that every golden set keeps are kept now."""
    broken = {problem.code for problem in problems if problem.blocking}
    return {name: broken.isdisjoint(rules) for name, rules in _GROUPS.items()}


class FormPayload(Payload):
    """Which version of a review is submitted; sending it twice with one key is one act."""

    version: Count
    client_key: UUID


class DecisionPayload(FormPayload):
    """A review that is submitted."""

    payload: ReviewInput


@reviewer
@require_POST
def finalise(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Decide the sentence; what is refused or too late comes back with everything kept."""
    if is_perturbation(member):
        return _finalise_checks(request, member, sentence_id)
    task = reviews.open_review(member, sentence_id)
    as_json = wants_json(request)
    sent = read_payload(request, DecisionPayload) if as_json else _read_form(request, task, member)
    review = load_review(member, task, sent.payload)
    try:
        done = reviews.finalise(
            member,
            sentence_id,
            version=sent.version,
            client_key=sent.client_key,
            answer=final_answer(review, member),
        )
    except RefusedError as error:
        problems = _problems_json(drop_settled(review, error.problems), review)
        if as_json:
            return JsonResponse({"problems": problems}, status=422)
        return _page(request, member, task, review, problems, status=422)
    except ConflictError:
        # Too late; what was written stays (REV-12).
        task = reviews.open_review(member, sentence_id)
        message = _conflict_message(task, member)
        if as_json:
            return JsonResponse({"error": message}, status=409)
        messages.error(request, message)
        review = load_review(member, task, sent.payload)
        return _page(request, member, task, review, status=409)
    if reviews.last_decision(member) is None:  # else the bar that takes it back says so
        messages.success(request, _decision_message(task.sentence, done.golden))
    following = next_address(member)
    return JsonResponse({"next": following}) if as_json else redirect(following)


def _finalise_checks(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Decide on the variants of a case; what is refused or too late stays on the page."""
    try:
        review = variants.finalise(request, member, sentence_id)
    except RefusedError as error:
        problems = [problem_json(problem) for problem in error.problems]
        return JsonResponse({"problems": problems}, status=422)
    except ConflictError:
        task = reviews.open_review(member, sentence_id)
        return JsonResponse({"error": _conflict_message(task, member)}, status=409)
    if variant_checks.last_check(member) is None:  # else the bar that takes it back says so
        messages.success(request, variants.decision_message(review))
    return JsonResponse({"next": next_address(member)})


def _read_form(request: HttpRequest, task: ReviewTask, member: Member) -> DecisionPayload:
    """Read what a page without scripts sends.

    Raises:
        MalformedError: No page of ours sent it.
    """
    keys = [candidate.key for candidate in reviews.candidates(task, member)]
    payload = parse_form(request.POST, keys)
    sent = read_form(request, FormPayload)
    return DecisionPayload(version=sent.version, client_key=sent.client_key, payload=payload)


def _conflict_message(task: ReviewTask, member: Member) -> str:
    """Why a decision is too late, and that nothing is lost."""
    holder = task.reviewer
    if holder is not None and holder.pk != member.person_id:
        return gettext(
            "%(name)s has this sentence now. Nothing was decided; your work stays in this page."
        ) % {"name": holder.name}
    return gettext(
        "This sentence has changed meanwhile. Nothing was decided; your work stays in this page."
    )


def _decision_message(sentence: Sentence, golden: Golden) -> str:
    kind = Decision(golden.kind)
    if kind != Decision.CORRECTED:
        return gettext("#%(number)s is decided: %(decision)s.") % {
            "number": sentence.number,
            "decision": kind.heading,
        }
    count = golden.entries.count()
    template = ngettext(
        "#%(number)s is decided: %(count)s golden text.",
        "#%(number)s is decided: %(count)s golden texts.",
        count,
    )
    return template % {"number": sentence.number, "count": count}


@reviewer
@require_POST
def undo(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Take the last decision back: the review is open again, as it was handed in."""
    try:
        undo = variant_checks.undo if is_perturbation(member) else reviews.undo
        undo(member, sentence_id)
    except ConflictError:
        messages.error(
            request,
            gettext("This can no longer be taken back: the time is over, or it was built upon."),
        )
    else:
        messages.success(request, gettext("Your decision is taken back; the review is open again."))
    return redirect("review", member.project.slug)


class AwayPayload(Payload):
    """Why a review is given away, and how many more annotators are asked for."""

    version: Version
    note: str = ""
    more: str = ""


def _give_away(act: Callable[[Member, int, AwayPayload], str]) -> ProjectView:
    """Make a view of an act that gives the sentence away; `act` returns the message."""

    @reviewer
    @require_POST
    def view(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
        sent = read_form(request, AwayPayload)
        try:
            message = act(member, sentence_id, sent)
        except (RefusedError, ConflictError) as error:
            # The review again, with the note that was refused where it was typed.
            task = reviews.open_review(member, sentence_id)
            typed = {
                "act": request.path.rpartition("/")[2],
                "note": sent.note,
                "more": sent.more,
                "problem": translate(error).text
                if isinstance(error, RefusedError)
                else _conflict_message(task, member),
            }
            return _page(request, member, task, status=error.status, typed=typed)
        messages.success(request, message)
        return redirect("review", member.project.slug)

    return view


def _hand_on(member: Member, sentence_id: int, sent: AwayPayload) -> str:
    reviews.hand_on(member, sentence_id, version=sent.version, note=sent.note)
    return gettext("The review went to another reviewer.")


def _second_opinion(member: Member, sentence_id: int, sent: AwayPayload) -> str:
    reviews.second_opinion(member, sentence_id, version=sent.version, note=sent.note)
    return gettext("Another reviewer is asked for a second opinion.")


def _return_for_more(member: Member, sentence_id: int, sent: AwayPayload) -> str:
    more = parse_int(sent.more, digits=3) or 0
    review_tasks.return_for_more(
        member, sentence_id, version=sent.version, more=more, note=sent.note
    )
    return ngettext(
        "The sentence waits for %(count)s more annotator.",
        "The sentence waits for %(count)s more annotators.",
        more,
    ) % {"count": more}


hand_on = _give_away(_hand_on)
second_opinion = _give_away(_second_opinion)
return_for_more = _give_away(_return_for_more)


@reviewer
@require_safe
def history(request: HttpRequest, member: Member) -> HttpResponse:
    """List the member's own reviews, newest first (keyset)."""
    before = parse_int(request.GET.get("before", ""))
    rows = reviews.list_reviews(member, before=before, most=PAGE + 1)
    describe = variants.decision_message if is_perturbation(member) else _decision
    page = [(review, describe(review)) for review in rows[:PAGE]]
    last = rows[PAGE - 1].pk if len(rows) > PAGE else None
    return render(request, "review/history.html", {"reviews": page, "before": last})


def _decision(review: Review) -> str:
    return Decision(review.decision).heading
