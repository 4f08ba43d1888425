"""The review screen: a sentence, all that was submitted for it, and one decision (REV-1 to 12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from gecbench.server.choices import Decision, Role
from gecbench.server.models import Draft, Golden, Member, ReviewTask, Sentence
from gecbench.server.web.annotation import views
from gecbench.server.web.permissions import ProjectView, member, wants_json
from gecbench.server.web.requests import number_in
from gecbench.server.web.review import pages
from gecbench.server.web.review.forms import ReviewGiven, form_given, places, read_given
from gecbench.server.web.review.pages import examined, settled, unsettled
from gecbench.server.web.review.words import (
    DECISIONS,
    malformed,
    no_longer_held,
    nothing_words,
    problem_words,
    tell,
)
from gecbench.server.workflow import drafts, reviews
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    Problem,
    RefusedError,
    WorkflowError,
)

PAGE = 50
_DRAFT = frozenset({"rev", "payload", "client_at"})
_DECISION = frozenset({"version", "client_key", "payload"})
reviewer = member(Role.REVIEWER, active=True)


@reviewer
@require_GET
def current(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the current or the next review; always the same address (section 4.3)."""
    claimed = reviews.current_review(member)
    if claimed.task is None:
        shown = {"words": nothing_words(claimed.nothing), "keys": pages.keys(member)}
        return render(request, "review/no_task.html", {**shown, "undo": _undo(member)})
    return _page(request, member, pages.review_of(member, claimed.task))


@reviewer
@require_GET
def sentence(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Show one sentence's review: to work on, or to read where somebody else has it (REV-12)."""
    task = reviews.open_review(member, sentence_id)
    return _page(request, member, pages.review_of(member, task))


def _page(
    request: HttpRequest,
    member: Member,
    review: pages.Review,
    problems: list[dict[str, object]] | None = None,
    status: int = 200,
    **more: object,
) -> HttpResponse:
    shown = {**pages.context(review, member), "undo": _undo(member), "problems": problems or []}
    return render(request, "review/review.html", {**shown, **more}, status=status)


def _undo(member: Member) -> dict[str, object] | None:
    """Return what the bar needs that takes the last decision back; None when it is too late."""
    review = reviews.last_decision(member)
    if review is None or review.sentence.golden is None:
        return None
    gone = (timezone.now() - review.at).total_seconds()
    return {
        "sentence": review.sentence_id,
        "words": _done_words(review.sentence, review.sentence.golden),
        "seconds": max(0.0, member.project.rules.undo_seconds - gone),
    }


@reviewer
@require_http_methods(["PUT", "POST"])
def draft(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Keep what a reviewer has done so far; a beacon comes as a form (section 4.9)."""
    sentence = Sentence.objects.filter(pk=sentence_id, project=member.project_id).first()
    if sentence is None:
        raise NotYoursError(f"no sentence {sentence_id}")
    try:
        body = views.body(request, known=_DRAFT)
        rev, payload, at = (
            views.number(body, "rev"),
            body["payload"],
            views.moment(body, "client_at"),
        )
        read_given(payload)
    except (views.MalformedError, RefusedError, KeyError):
        return JsonResponse({"error": malformed()}, status=400)
    try:
        saved = drafts.save_review_draft(
            member, sentence, rev=rev, payload=cast("Mapping[str, object]", payload), client_at=at
        )
    except ConflictError as error:
        theirs = error.current
        known = views.draft_json(theirs) if isinstance(theirs, Draft) else {}
        return JsonResponse({"error": gettext("Another window has saved."), **known}, status=409)
    except RefusedError as error:
        words = " ".join(problem_words(one) for one in error.problems)
        return JsonResponse({"error": "refused", "message": words}, status=error.status)
    except WorkflowError as error:
        said = {"error": type(error).__name__, "message": no_longer_held()}
        return JsonResponse(said, status=error.status)
    return JsonResponse({"rev": saved.rev, "at": saved.saved_at.isoformat()})


@reviewer
@require_POST
def examine(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Say what the rules make of a review as it stands (CON-1 to 10); nothing is kept."""
    task = reviews.open_review(member, sentence_id)
    if not pages.is_mine(task, member):
        return JsonResponse({"error": gettext("You no longer hold this review.")}, status=409)
    try:
        given = read_given(views.body(request, known=frozenset({"payload"})).get("payload"))
    except (views.MalformedError, RefusedError):
        return JsonResponse({"error": malformed()}, status=400)
    review = pages.review_of(member, task, given)
    problems = examined(review, live=True)
    where = places(review.given, review.candidates)
    count = len(where.golden) if given.decision == Decision.CORRECTED else 0
    told = [tell(one, where) for one in problems]
    return JsonResponse({"problems": told, "checks": _checks(problems), "golden": count})


def _told(problems: Sequence[Problem], review: pages.Review) -> list[dict[str, object]]:
    where = places(review.given, review.candidates)
    return [tell(one, where) for one in problems]


_GROUPS = {
    "placeholder": ("CON-3", "CON-4"),
    "distinct": ("CON-10",),
    "decision": ("CON-1", "CON-2"),
}


def _checks(problems: Sequence[Problem]) -> dict[str, bool]:
    """Return which of the rules that every golden set keeps are kept now."""
    broken = {one.code for one in problems if one.blocking}
    return {name: broken.isdisjoint(rules) for name, rules in _GROUPS.items()}


@reviewer
@require_POST
def finalise(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Decide the sentence; what is refused or too late comes back with everything kept."""
    task = reviews.open_review(member, sentence_id)
    as_json = wants_json(request)
    try:
        given, version, key = _sent(request) if as_json else _form(request, task, member)
    except (views.MalformedError, RefusedError, ValueError):
        return JsonResponse({"error": malformed()}, status=400)
    review = pages.review_of(member, task, given)
    try:
        done = reviews.finalise(
            member, sentence_id, version=version, client_key=key, answer=settled(review, member)
        )
    except RefusedError as error:
        return _refused(request, member, review, _told(unsettled(review, error.problems), review))
    except ConflictError as error:
        return _late(request, member, sentence_id, given, error)
    if reviews.last_decision(member) is None:  # else the bar that takes it back says so
        messages.success(request, _done_words(task.sentence, done.golden))
    following = pages.next_address(member)
    return JsonResponse({"next": following}) if as_json else redirect(following)


def _sent(request: HttpRequest) -> tuple[ReviewGiven, int, UUID]:
    body = views.body(request, known=_DECISION)
    return read_given(body.get("payload")), views.number(body, "version"), views.key(body)


def _form(request: HttpRequest, task: ReviewTask, member: Member) -> tuple[ReviewGiven, int, UUID]:
    """Return what a page without scripts sends.

    Raises:
        ValueError: No page of ours sent it.
    """
    keys = [one.key for one in reviews.candidates(task, member)]
    version, key = number_in(request.POST.get("version", "")), request.POST.get("client_key", "")
    if version is None:
        raise ValueError("the version is no number")
    return form_given(request.POST, keys), version, UUID(key)


def _refused(
    request: HttpRequest, member: Member, review: pages.Review, problems: list[dict[str, object]]
) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"problems": problems}, status=422)
    return _page(request, member, review, problems, status=422)


def _late(
    request: HttpRequest,
    member: Member,
    sentence_id: int,
    given: ReviewGiven,
    error: ConflictError,
) -> HttpResponse:
    """Answer a decision that came too late: 409, and what was written stays (REV-12)."""
    task = reviews.open_review(member, sentence_id)
    words = late_words(task, member)
    if wants_json(request):
        return JsonResponse({"error": words, "detail": str(error)}, status=409)
    messages.error(request, words)
    return _page(request, member, pages.review_of(member, task, given), status=409)


def late_words(task: ReviewTask, member: Member) -> str:
    """Return why a decision is too late, and that nothing is lost."""
    holder = task.reviewer
    if holder is not None and holder.pk != member.person_id:
        return gettext(
            "%(name)s has this sentence now. Nothing was decided; your work stays in this page."
        ) % {"name": holder.name}
    return gettext(
        "This sentence has changed meanwhile. Nothing was decided; your work stays in this page."
    )


def _done_words(sentence: Sentence, golden: Golden) -> str:
    kind = Decision(golden.kind)
    if kind != Decision.CORRECTED:
        return gettext("#%(number)s is decided: %(decision)s.") % {
            "number": sentence.number,
            "decision": DECISIONS[kind],
        }
    count = golden.entries.count()
    words = ngettext(
        "#%(number)s is decided: %(count)s golden text.",
        "#%(number)s is decided: %(count)s golden texts.",
        count,
    )
    return words % {"number": sentence.number, "count": count}


@reviewer
@require_POST
def undo(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Take the last decision back: the review is open again, as it was handed in."""
    try:
        reviews.undo(member, sentence_id)
    except ConflictError:
        words = gettext("This can no longer be taken back: the time is over, or it was built upon.")
        messages.error(request, words)
    else:
        messages.success(request, gettext("Your decision is taken back; the review is open again."))
    return redirect("review", member.project.slug)


def _hands_over(act: Callable[[HttpRequest, Member, int, int], str]) -> ProjectView:
    """Make a view of an act that gives the sentence away; `act` returns what is then said."""

    @reviewer
    @require_POST
    def view(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
        version = request.POST.get("version", "")
        try:
            words = act(request, member, sentence_id, number_in(version) or 0)
        except RefusedError as error:
            words = " ".join(problem_words(one) for one in error.problems)
            return _kept(request, member, sentence_id, words, error.status)
        except ConflictError as error:
            words = late_words(reviews.open_review(member, sentence_id), member)
            return _kept(request, member, sentence_id, words, error.status)
        messages.success(request, words)
        return redirect("review", member.project.slug)

    return view


def _kept(
    request: HttpRequest, member: Member, sentence_id: int, words: str, status: int
) -> HttpResponse:
    """Show the review again, with the note that was refused where it was typed."""
    review = pages.review_of(member, reviews.open_review(member, sentence_id))
    typed = {"act": request.path.rpartition("/")[2], "note": request.POST.get("note", "")}
    typed |= {"more": request.POST.get("more", ""), "problem": words}
    return _page(request, member, review, status=status, typed=typed)


def _note(request: HttpRequest) -> str:
    return request.POST.get("note", "").strip()


def _hand(request: HttpRequest, member: Member, sentence_id: int, version: int) -> str:
    reviews.hand_on(member, sentence_id, version=version, note=_note(request))
    return gettext("The review went to another reviewer.")


def _second(request: HttpRequest, member: Member, sentence_id: int, version: int) -> str:
    reviews.second_opinion(member, sentence_id, version=version, note=_note(request))
    return gettext("Another reviewer is asked for a second opinion.")


def _more(request: HttpRequest, member: Member, sentence_id: int, version: int) -> str:
    more = number_in(request.POST.get("more", ""), digits=3) or 0
    reviews.return_for_more(member, sentence_id, version=version, more=more, note=_note(request))
    words = ngettext(
        "The sentence waits for %(count)s more annotator.",
        "The sentence waits for %(count)s more annotators.",
        more,
    )
    return words % {"count": more}


hand = _hands_over(_hand)
second = _hands_over(_second)
more = _hands_over(_more)


@reviewer
@require_GET
def history(request: HttpRequest, member: Member) -> HttpResponse:
    """List the member's own reviews, newest first (keyset)."""
    before = number_in(request.GET.get("before", ""))
    found = reviews.list_reviews(member, before=before, most=PAGE + 1)
    shown = found[:PAGE]
    last = shown[-1].pk if len(found) > PAGE else None
    listed = [(one, DECISIONS[Decision(one.decision)]) for one in shown]
    return render(request, "review/history.html", {"reviews": listed, "before": last})
