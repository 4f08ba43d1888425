"""One sentence: its whole history, and what a manager can do about it."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from gecbench.server.laws.names import SentenceState, StudyState, TaskState
from gecbench.server.models import Member, Release, Sentence, Slot, Study
from gecbench.server.web.manage.history import history
from gecbench.server.web.manage.pages import acting, looking, page, told, whole, words_of
from gecbench.server.web.manage.words import PURPOSES, SENTENCE_STATES, SLOT_STATES, TONES
from gecbench.server.workflow import managing, reviews, studies, withdrawals
from gecbench.server.workflow.numbers import RAISED
from gecbench.server.workflow.opinions import MOST_ANNOTATORS
from gecbench.server.workflow.readings import note_reading
from gecbench.server.workflow.review_tasks import live_task, reviewers_for

_DECIDED = (SentenceState.GOLDEN,)


def _sentence(member: Member, number: int) -> Sentence:
    found = None
    if number < 2**31:
        rows = Sentence.objects.select_related("project", "source", "batch__by", "golden")
        found = rows.filter(project=member.project, number=number).first()
    if found is None:
        raise Http404
    return found


@looking
@require_GET
def story(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Show a sentence with all that happened to it."""
    found = _sentence(member, number)
    note_reading(found.pk, member.person_id)
    slots = Slot.objects.filter(sentence=found).select_related("person").order_by("no")
    task = live_task(found.pk)
    waits = task is not None and task.state == TaskState.FREE
    lessons = Study.objects.filter(sentence=found, state=StudyState.OPEN).select_related("person")
    state = SentenceState(found.state)
    shown = {
        "one": found,
        "state": SENTENCE_STATES[state],
        "tone": TONES.get(state, ""),
        "purpose": PURPOSES[found.purpose],
        "slots": [(slot, SLOT_STATES[slot.state]) for slot in slots],
        "task": task,
        "entries": history(found),
        "releases": Release.objects.filter(items__sentence=found).order_by("pk"),
        "lessons": lessons.order_by("pk"),
        "may_reopen": state in _DECIDED,
        "may_withdraw": state != SentenceState.WITHDRAWN,
        "may_restore": state == SentenceState.WITHDRAWN,
        "may_raise": state in RAISED and found.golden_id is None,
        "most": MOST_ANNOTATORS - found.needed,
        "reviewers": reviewers_for(found).select_related("person").order_by("person__name")
        if waits
        else (),
        "waits": waits,
    }
    return page(request, member, "manage-sentences", shown, template="manage/sentence.html")


def _back(member: Member, number: int) -> HttpResponse:
    return redirect("manage-sentence", slug=member.project.slug, number=number)


@acting
@require_POST
@told("manage-sentence")
def reopen(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Have a decided sentence reviewed anew."""
    reason = words_of(request, "reason", most=5000)
    reviews_anew = _sentence(member, number)
    withdrawals.reopen_sentence(member, reviews_anew.pk, reason=reason)
    messages.success(request, gettext("It waits for a reviewer again; the golden set stays."))
    return _back(member, number)


@acting
@require_POST
@told("manage-sentence")
def withdraw(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Take a sentence out of work."""
    reason = words_of(request, "reason", most=5000)
    withdrawals.withdraw(member, [_sentence(member, number).pk], reason=reason)
    messages.success(request, gettext("The sentence is withdrawn. You can restore it any time."))
    return _back(member, number)


@acting
@require_POST
@told("manage-sentence")
def restore(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Put a withdrawn sentence back."""
    withdrawals.restore(member, [_sentence(member, number).pk])
    messages.success(request, gettext("The sentence is back where its submissions say it stands."))
    return _back(member, number)


@acting
@require_POST
@told("manage-sentence")
def raise_needed(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Ask for more annotators of a sentence."""
    more = whole(request.POST.get("more")) or 0
    found = managing.raise_needed(member, _sentence(member, number).pk, more=more)
    said = gettext("%(needed)s annotators are asked for now.") % {"needed": found.needed}
    messages.success(request, said)
    return _back(member, number)


@acting
@require_POST
@told("manage-sentence")
def assign(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Say who reviews a sentence."""
    wanted = whole(request.POST.get("reviewer")) or 0
    to = Member.objects.filter(project=member.project, pk=wanted).select_related("person").first()
    if to is None:
        raise Http404
    note = words_of(request, "note", most=5000)
    reviews.assign(member, _sentence(member, number).pk, to=to, note=note)
    said = gettext("%(name)s reviews it next.") % {"name": to.person.name}
    messages.success(request, said)
    return _back(member, number)


@acting
@require_POST
@told("manage-sentence")
def waive(request: HttpRequest, member: Member, number: int, study: int) -> HttpResponseBase:
    """Close a study item of a sentence."""
    found = Study.objects.filter(sentence=_sentence(member, number), pk=study).first()
    if found is None:
        raise Http404
    studies.waive(member, found.pk, note=words_of(request, "note", most=5000))
    messages.success(request, gettext("The study item is closed; its author is told why."))
    return _back(member, number)
