"""Members: who they are, what they did, their roles and status; and links that invite more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar

from django.contrib import messages
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from gecbench.core.errors import GecbenchError
from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    CloseReason,
    MemberStatus,
    Role,
    SlotState,
)
from gecbench.server.models import (
    Invitation,
    Member,
    MemberEvent,
    Project,
    Sentence,
    Slot,
    Study,
)
from gecbench.server.statistics.scoring import SCORES, kept, scores_of
from gecbench.server.statistics.work import counts
from gecbench.server.web.manage.pages import acting, insist_on_active, looking, page, words_of
from gecbench.server.web.manage.words import ROLES, STATUSES, refusal
from gecbench.server.workflow import management, members
from gecbench.server.workflow.errors import ConflictError

_Found = TypeVar("_Found", Member, Invitation)
_LAST = 50
_STATUSES = (MemberStatus.ACTIVE, MemberStatus.PAUSED, MemberStatus.LEFT)


@dataclass(frozen=True, slots=True)
class Row:
    """A member with their figures.

    Args:
        member: Who.
        roles: In words.
        status: In words.
        submitted: Sentences handed in.
        accepted: Of the judged ones, the share with nothing to study, in [0, 1]; None without any.
        score: F0.5, in [0, 1]; None where it cannot be said.
    """

    member: Member
    roles: tuple[str, ...]
    status: str
    submitted: int
    accepted: float | None
    score: float | None

    @property
    def accepted_percent(self) -> str:
        """The share as the table shows it."""
        return _percent(self.accepted)

    @property
    def score_percent(self) -> str:
        """The score as the table shows it."""
        return _percent(self.score, digits=2)


def _percent(share: float | None, digits: int = 0) -> str:
    return "–" if share is None else f"{share * 100:.{digits}f}"


_KEYS: Mapping[str, Callable[[Row], tuple[object, ...]]] = {
    "name": lambda row: (row.member.person.name.casefold(), row.member.pk),
    "submitted": lambda row: (-row.submitted, row.member.pk),
    "accepted": lambda row: (row.accepted is None, -(row.accepted or 0), row.member.pk),
    "score": lambda row: (row.score is None, -(row.score or 0), row.member.pk),
    "since": lambda row: (row.member.since, row.member.pk),
}


@looking
@require_GET
def listed(request: HttpRequest, member: Member) -> HttpResponse:
    """List the members, sorted by ?sort= (ROL-3), and the invitations that are open."""
    return _list(request, member)


def _list(
    request: HttpRequest,
    member: Member,
    *,
    link: str = "",
    problem: str = "",
) -> HttpResponse:
    wanted = request.GET.get("sort", "")
    order = wanted if wanted in _KEYS else "name"
    left = Invitation.objects.filter(
        project=member.project, used_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
    shown = {
        "rows": sorted(_rows(member.project), key=_KEYS[order]),
        "order": order,
        "invitations": [
            (one, tuple(ROLES[role] for role in one.roles))
            for one in left.select_related("by").order_by("-pk")[:_LAST]
        ],
        "roles": [
            (str(role), ROLES[role]) for role in (Role.ANNOTATOR, Role.REVIEWER, Role.MANAGER)
        ],
        "checked": request.POST.getlist("roles") or [str(Role.ANNOTATOR)],
        "note": request.POST.get("note", "") if problem else "",
        "link": link,
        "problem": problem,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return page(request, member, "manage-members", shown, status=status)


def _rows(project: Project) -> list[Row]:
    rows = list(_members(project))
    done, judged = _slots(project, [one.person_id for one in rows])
    scores = _scores(project)
    return [
        Row(
            one,
            tuple(str(ROLES[role]) for role in one.roles),
            str(STATUSES[one.status]),
            done.get(one.person_id, 0),
            _share(judged.get(one.person_id, 0), one.lessons),
            scores.get(one.person_id),
        )
        for one in rows
    ]


def _members(project: Project) -> QuerySet[Any]:
    """Return the members; `lessons` is how many of their submissions had something to study."""
    wrong = Study.objects.filter(counts(), project=project, person=OuterRef("person")).exclude(
        close_reason__in=(CloseReason.UPHELD, CloseReason.GOLDEN_CHANGED)
    )
    counted = (
        wrong.order_by().values("person").annotate(n=Count("submission", distinct=True)).values("n")
    )
    rows = Member.objects.filter(project=project).select_related("person")
    return rows.annotate(lessons=Coalesce(Subquery(counted), 0))


def _slots(project: Project, people: Sequence[int]) -> tuple[Counter[int], Counter[int]]:
    """Return for each person how many sentences they handed in, and how many were judged."""
    reached = Slot.objects.filter(project=project, state__in=SUBMITTED_OR_LATER)
    # The index of people's slots counts all of them alone, twenty times as fast as with a look at
    # each sentence. Few do not count; those are taken off.
    no_matter = Sentence.objects.filter(~counts(""), project=project)
    theirs, others = (
        rows.values_list("person_id", "state").annotate(n=Count("pk") * sign).order_by()
        for rows, sign in (
            (reached.filter(person__in=people), 1),
            (reached.filter(sentence__in=no_matter), -1),
        )
    )
    done, judged = Counter[int](), Counter[int]()
    for person, state, count in theirs.union(others, all=True):
        done[person] += count
        if state != SlotState.SUBMITTED:
            judged[person] += count
    return done, judged


def _scores(project: Project) -> Mapping[int, float]:
    """Return the F0.5 of each person, as it was computed last (see the page Quality)."""
    was = kept(project, SCORES, "")
    found = scores_of(was.data).people if was else {}
    return {int(person): cell.value for person, cell in found.items()}


def _share(judged: int, wrong: int) -> float | None:
    return max(0.0, 1 - wrong / judged) if judged else None


@acting
@never_cache
@require_POST
def invite(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Make an invitation; its link is shown this once."""
    given = request.POST.getlist("roles")
    try:
        _, secret = members.invite(
            member.project,
            roles=[role for role in Role if str(role) in given],
            by=member.person,
            note=words_of(request, "note", most=200),
        )
    except GecbenchError:
        return _list(request, member, problem=gettext("Choose at least one role."))
    link = request.build_absolute_uri(reverse("invitation", args=[secret]))
    return _list(request, member, link=link)


@acting
@require_POST
def revoke(request: HttpRequest, member: Member, invitation: int) -> HttpResponseBase:
    """Make a link useless."""
    found = _found(Invitation.objects.filter(project=member.project), invitation)
    members.revoke(found, by=member.person)
    messages.success(request, gettext("The invitation is withdrawn; its link is useless now."))
    return redirect("manage-members", member.project.slug)


@looking
@require_http_methods(["GET", "HEAD", "POST"])
def one(request: HttpRequest, member: Member, member_id: int) -> HttpResponseBase:
    """Show a member with the history of roles and status, or change these."""
    here = Member.objects.filter(project=member.project).select_related("person")
    found = _found(here, member_id)
    if request.method == "POST":
        return _change(request, member, found)
    return _member(request, member, found)


def _member(
    request: HttpRequest, member: Member, found: Member, problem: str = "", *, stale: bool = False
) -> HttpResponse:
    """Show a member; after a problem with the form as it came."""
    post = request.POST
    has = post.getlist("roles") if problem else [str(role) for role in found.roles]
    status = MemberStatus(found.status)
    chosen = post.get("status", "") if problem else str(status)
    events = MemberEvent.objects.filter(member=found).select_related("by").order_by("-pk")
    shown = {
        "one": found,
        "roles": [(str(one), ROLES[one], str(one) in has) for one in Role if one != Role.JUDGE],
        "statuses": [
            (str(one), STATUSES[one], str(one) == chosen)
            for one in dict.fromkeys((status, *_STATUSES))
        ],
        "seen": post.get("seen", "") if problem and not stale else management.state_of(found),
        "events": [(event, _standing(event.old), _standing(event.new)) for event in events[:_LAST]],
        "problem": problem,
        "note": post.get("note", "") if problem else "",
    }
    answer = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return page(
        request,
        member,
        "manage-members",
        shown,
        template="manage/member.html",
        status=HTTPStatus.CONFLICT if stale else answer,
    )


def _standing(said: Mapping[str, object]) -> tuple[str, ...]:
    """Return roles and status of an event in words."""
    roles = said.get("roles")
    named = [str(ROLES.get(role, role)) for role in roles] if isinstance(roles, list) else []
    status = said.get("status")
    return (*named, *([str(STATUSES.get(str(status), status))] if status else []))


def _change(request: HttpRequest, member: Member, found: Member) -> HttpResponseBase:
    insist_on_active(member)
    given = request.POST.getlist("roles")
    status = request.POST.get("status", "")
    kept = [Role.JUDGE] if found.is_judge else []  # judges have a page of their own later
    try:
        management.change_member(
            found,
            seen=request.POST.get("seen", ""),
            by=member.person,
            roles=[*(role for role in Role if str(role) in given), *kept],
            status=MemberStatus(status) if status in (found.status, *_STATUSES) else None,
            note=words_of(request, "note", most=2000),
        )
    except ConflictError:
        return _stale(request, member, found)
    except GecbenchError as error:
        return _member(request, member, found, problem=refusal(error))
    messages.success(request, gettext("Kept. Open tasks that they may no longer do went back."))
    return redirect("manage-members", member.project.slug)


def _stale(request: HttpRequest, member: Member, found: Member) -> HttpResponse:
    found.refresh_from_db()
    now = (*(str(ROLES[role]) for role in found.roles), str(STATUSES[found.status]))
    said = gettext(
        "Roles or status were changed after you opened this page. They are now: %(now)s. Nothing "
        "was overwritten, and what you chose stands below; press Keep again if it is still right."
    )
    return _member(request, member, found, said % {"now": ", ".join(now)}, stale=True)


def _found(rows: QuerySet[_Found], key: int) -> _Found:
    found = rows.filter(pk=key).first() if key < 2**63 else None
    if found is None:
        raise Http404
    return found
