"""Acts on many sentences: shown first, then confirmed by typing how many they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from gecbench.core.errors import GecbenchError
from gecbench.server.laws.names import SentenceState, SlotState
from gecbench.server.models import Member, Sentence, Slot
from gecbench.server.web.manage.listing import filters_of, matching
from gecbench.server.web.manage.pages import acting, page, whole, words_of
from gecbench.server.web.manage.words import SENTENCE_STATES, refusal
from gecbench.server.workflow import managing, withdrawals
from gecbench.server.workflow.errors import NotYoursError

MOST = 1000
"""Sentences of one act: nobody waits longer than it takes."""

ACTS: Mapping[str, object] = {
    "withdraw": _("Withdraw"),
    "restore": _("Restore"),
    "priority": _("Change the priority"),
}
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Chosen:
    """Sentences that an act is about.

    Args:
        ids: Their rows, in the order of their numbers.
        left: How many more match, beyond what one act does.
    """

    ids: tuple[int, ...]
    left: int = 0


@acting
@require_POST
def preview(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Show what an act would do to the chosen sentences; nothing is changed."""
    act = request.POST.get("act", "")
    chosen = _chosen(request, member)
    if act not in ACTS or not chosen.ids:
        messages.error(request, gettext("Choose some sentences, and what to do with them."))
        return redirect("manage-sentences", member.project.slug)
    return _page(request, member, act, chosen)


def _chosen(request: HttpRequest, member: Member) -> Chosen:
    if request.POST.get("scope") == "all":
        wanted = filters_of(request.POST.dict())
        found = matching(member.project, wanted).order_by("number").values_list("pk", flat=True)
        ids = tuple(found[:MOST])
        left = found.count() - len(ids) if len(ids) == MOST else 0
        return Chosen(ids, left)
    given = {whole(one) for one in request.POST.getlist("sentence")}
    return Chosen(_own(member, {one for one in given if one is not None}))


def _own(member: Member, given: set[int]) -> tuple[int, ...]:
    """Return those of some rows that are of the project."""
    some = sorted(given)[:MOST]
    here = Sentence.objects.filter(project=member.project, pk__in=some)
    return tuple(here.order_by("number").values_list("pk", flat=True))


def _page(
    request: HttpRequest, member: Member, act: str, chosen: Chosen, problem: str = ""
) -> HttpResponse:
    rows = Sentence.objects.filter(pk__in=chosen.ids).order_by("number")
    states = Counter(rows.values_list("state", flat=True))
    changing = _changing(act, states)
    shown = {
        "act": act,
        "title": ACTS[act],
        "ids": ",".join(str(one) for one in chosen.ids),
        "count": len(chosen.ids),
        "left": chosen.left,
        "most": MOST,
        "changing": changing,
        "states": [(SENTENCE_STATES[name], count) for name, count in states.most_common()],
        "examples": rows[:_SHOWN],
        "more": max(0, len(chosen.ids) - _SHOWN),
        "in_work": Slot.objects.filter(sentence__in=chosen.ids, state=SlotState.OPEN).count()
        if act == "withdraw"
        else 0,
        "given": {one: request.POST.get(one, "") for one in ("reason", "priority")},
        "problem": problem,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return page(
        request, member, "manage-sentences", shown, template="manage/bulk.html", status=status
    )


def _changing(act: str, states: Mapping[str, int]) -> int:
    """Return how many an act would change: the others are as wanted already."""
    withdrawn = states.get(SentenceState.WITHDRAWN, 0)
    if act == "restore":
        return withdrawn
    return sum(states.values()) - (withdrawn if act == "withdraw" else 0)


@acting
@require_POST
def do(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Do it, if the number that was typed is the number of sentences."""
    act = request.POST.get("act", "")
    given = {whole(one) for one in request.POST.get("ids", "").split(",")[:MOST]}
    chosen = Chosen(_own(member, {one for one in given if one is not None}))
    if act not in ACTS or not chosen.ids or len(chosen.ids) != len(given):
        raise NotYoursError("one of these sentences is not in this project")
    if whole(request.POST.get("typed")) != len(chosen.ids):
        wrong = gettext("Type %(n)s to confirm.") % {"n": len(chosen.ids)}
        return _page(request, member, act, chosen, wrong)
    try:
        done = _done(request, member, act, chosen)
    except GecbenchError as error:
        return _page(request, member, act, chosen, refusal(error))
    said = ngettext("%(n)s sentence was changed.", "%(n)s sentences were changed.", done)
    messages.success(request, said % {"n": done})
    return redirect("manage-sentences", member.project.slug)


def _done(request: HttpRequest, member: Member, act: str, chosen: Chosen) -> int:
    if act == "withdraw":
        reason = words_of(request, "reason", most=5000)
        return withdrawals.withdraw(member, chosen.ids, reason=reason)
    if act == "restore":
        return withdrawals.restore(member, chosen.ids)
    priority = whole(request.POST.get("priority"))
    outside = managing.PRIORITIES[1] + 1  # what is no number is refused like one out of bounds
    return managing.set_priority(
        member, chosen.ids, priority=outside if priority is None else priority
    )
