"""The home page, its notices, the daily goal, one's own statistics, and the site's health."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import DatabaseError, connection
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy, pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from gecbench.core.errors import GecbenchError
from gecbench.server.choices import ComplaintState, MemberStatus, Role, StudyState
from gecbench.server.models import Assignment, Member, Notice, Person, Project, Study
from gecbench.server.site.migration import missing_migrations
from gecbench.server.site.serving import is_ending
from gecbench.server.statistics import member_figures
from gecbench.server.statistics.report import reason_label
from gecbench.server.web.account import MOST_GOAL, GoalForm
from gecbench.server.web.http import Payload, RowNumber, read_form
from gecbench.server.web.manage.shortcuts import ROLES
from gecbench.server.web.navigation import Entry, goal, menu, standings
from gecbench.server.web.pay import person_is_paid
from gecbench.server.web.permissions import anyone, member, signed_in
from gecbench.server.workflow.assignments import Standing
from gecbench.server.workflow.assignments import standings as work_of
from gecbench.server.workflow.claims import has_task
from gecbench.server.workflow.practice import CANDIDATES

_NOTICES: Mapping[str, tuple[Promise, str, str]] = {
    "guideline": (_("The guideline has a new version: %(version)s."), "guide", ""),
    "member_added": (_("You were made a member of this project: %(roles)s."), "project", ""),
    "study_opened": (
        ngettext_lazy(
            "Task #%(number)s was reviewed: %(count)s study item is open.",
            "Task #%(number)s was reviewed: %(count)s study items are open.",
            "count",
        ),
        "study",
        "",
    ),
    "study_closed": (
        ngettext_lazy(
            "The golden answers of task #%(number)s have changed: %(count)s study item of yours is "
            "closed.",
            "The golden answers of task #%(number)s have changed: %(count)s study items of yours "
            "are closed.",
            "count",
        ),
        "study",
        "",
    ),
    "study_waived": (
        _("A manager has closed your study item of task #%(number)s."),
        "study",
        "",
    ),
    "complaint_message": (
        _("There is a new message in the complaint about task #%(number)s."),
        "problem",
        "complaint",
    ),
    "trial_passed": (
        _("%(name)s has passed the trial: %(right)s of %(size)s."),
        "manage-trial",
        "trial",
    ),
    "trial_failed": (
        _("%(name)s has not passed the trial: %(right)s of %(size)s."),
        "manage-trial",
        "trial",
    ),
    "my_trial_passed": (
        _("You have passed the trial: %(right)s of %(size)s answers are right."),
        "trial",
        "",
    ),
    "my_trial_failed": (
        _("You have not passed the trial: %(right)s of %(size)s answers are right."),
        "trial",
        "",
    ),
    "my_trial_overruled": (
        _("A manager has judged your trial again: %(right)s of %(size)s answers are right."),
        "trial",
        "",
    ),
    "gold_paused": (
        _("%(name)s is paused: %(right)s of the last %(size)s gold tasks were right."),
        "manage-gold",
        "member",
    ),
    "pay_statement": (_("There is a new statement of your pay."), "pay-statement", "statement"),
    "inspection_begun": (
        _("You are a judge of %(name)s: %(size)s items wait for your rating."),
        "judge",
        "",
    ),
    "inspection_message": (
        _("There is a new message about item %(number)s of %(name)s."),
        "judge-item",
        "item",
    ),
    "paused": (_("You are paused in this project. A manager will tell you more."), "project", ""),
    "complaint_decided": (
        _("Your complaint about task #%(number)s was decided."),
        "problem",
        "complaint",
    ),
}
"""Kind of a notice to its message, the name of an address, and the value that the address needs."""

_OUTCOMES: Mapping[str, Promise] = {
    ComplaintState.UPHELD: _("Your complaint about task #%(number)s was upheld."),
    ComplaintState.UPHELD_CHANGED: _(
        "Your complaint about task #%(number)s was upheld with a change."
    ),
    ComplaintState.DISMISSED: _("Your complaint about task #%(number)s was dismissed."),
}


def _notice_context(notice: Notice) -> dict[str, object]:
    """A notice as it is shown; one of an unknown kind says that something happened."""
    data = notice.data
    unknown = (_("Something new"), "project", "")
    template, view, key = _NOTICES.get(notice.kind, unknown)
    if notice.kind == "complaint_decided":
        template = _OUTCOMES.get(str(data.get("outcome")), template)
    roles, count = data.get("roles"), data.get("count")
    values = {
        **{name: data.get(name, "") for name in ("name", "right", "size")},
        "version": data.get("version", ""),
        "number": data.get("number", ""),
        "count": count if isinstance(count, int) else 1,
        "roles": pgettext("list", ", ").join(str(ROLES.get(role, role)) for role in roles)
        if isinstance(roles, list)
        else "",
    }
    url = ""
    if notice.project is not None:
        arguments = [notice.project.slug, data.get(key)]
        try:
            url = reverse(view, args=[argument for argument in arguments if argument is not None])
        except NoReverseMatch:
            url = reverse("project", args=[notice.project.slug])
    return {
        "pk": notice.pk,
        "message": template % values,
        "url": url,
        "project": notice.project.name if notice.project else "",
        "at": notice.at,
        "more": str(data.get("note", "")),
    }


# My day: projects, what waits there, news, and the day's goal; and one's own figures.


NOTICES = 50
NEWS = 5
"""Notices that are shown at once; the others can be opened."""
_IN_TURN = ("review", "judge", "study", "problems")
"""Where something can wait for somebody who has no task to annotate."""


@dataclass(frozen=True, slots=True)
class MyProject:
    """One project of a person as the home page shows it.

    Args:
        member: Who they are there.
        entries: What waits: only places with something in them.
        first: Where Continue leads; None for a project that is closed.
        done: Sentences submitted there today.
        work: What a manager asked them to do by a date.
    """

    member: Member
    entries: tuple[Entry, ...]
    first: Entry | None
    done: int
    work: tuple[Standing, ...]


@signed_in
@require_safe
def home(request: HttpRequest, person: Person) -> HttpResponse:
    """Show what a person can do today, the most urgent first."""
    projects = _projects(request, person)
    unread = _unread(person)
    notices = _news(person, unread)
    done = sum(project.done for project in projects)
    target = goal(person)
    context = {
        "projects": projects,
        "news": notices[:NEWS],
        "older": notices[NEWS:],
        "upto": unread[0].pk if notices else 0,
        "done": done,
        "goal": target,
        "reached": bool(target) and done >= target,
        "most_goal": MOST_GOAL,
    }
    return render(request, "home/home.html", context)


def _unread(person: Person) -> QuerySet[Notice]:
    return Notice.objects.filter(person=person, read_at=None).order_by("-at", "-pk")


def _news(person: Person, unread: QuerySet[Notice]) -> list[dict[str, object]]:
    """The newest notices; none about study items of a task that are all closed by now."""
    mine = Study.objects.filter(person=person).values_list("project_id", "sentence__number")
    done = set(mine.exclude(state=StudyState.OPEN)) - set(mine.filter(state=StudyState.OPEN))
    return [
        _notice_context(notice)
        for notice in unread.select_related("project")[:NOTICES]
        if notice.kind != "study_opened"
        or (notice.project_id, notice.data.get("number")) not in done
    ]


def _projects(request: HttpRequest, person: Person) -> tuple[MyProject, ...]:
    members = list(
        Member.objects.select_related("project", "project__guideline")
        .defer("project__guideline__markdown")
        .filter(person=person, project__deleted_at=None)
        .exclude(status__in=(MemberStatus.LEFT, MemberStatus.INVITED))
        .order_by("project__archived_at", "project__name")
    )
    members += _as_administrator(person, [member.project_id for member in members])
    counts = standings(person.pk, [member.project_id for member in members])
    work = work_of(
        Assignment.objects.filter(member__in=[member for member in members if member.pk])
    )
    mine = [_mine(request, member, counts[member.project_id], work) for member in members]
    return tuple(sorted(mine, key=_idleness))


def _idleness(mine: MyProject) -> tuple[bool, bool]:
    """What is at work comes before what is archived, and what waits for the person is first."""
    return mine.member.project.archived_at is not None, not (mine.entries or mine.work)


def _as_administrator(person: Person, project_ids: Sequence[int]) -> list[Member]:
    """Memberships as a manager in all other projects, for administrators."""
    if not person.is_administrator:
        return []
    others = Project.objects.filter(deleted_at=None).exclude(pk__in=project_ids).order_by("name")
    return [Member(project=project, person=person, is_manager=True) for project in others]


def _mine(
    request: HttpRequest, member: Member, standing: Mapping[str, Any], work: Sequence[Standing]
) -> MyProject:
    entries = menu(request, member, standing)
    busy = tuple(entry for entry in entries if entry.count)
    closed = member.project.archived_at is not None
    return MyProject(
        member,
        busy,
        None if closed else _first(member, entries),
        standing["done"],
        tuple(item for item in work if item.assignment.member_id == member.pk and not closed),
    )


def _first(member: Member, entries: Sequence[Entry]) -> Entry | None:
    """Where somebody goes on: their own work, where there is some; else what waits."""
    by_id = {entry.id: entry for entry in entries}
    if member.status in CANDIDATES:
        return by_id.get("trial" if member.status == MemberStatus.TRIAL else "training")
    if member.status != MemberStatus.ACTIVE:
        return None
    busy = [by_id[name] for name in _IN_TURN if name in by_id and by_id[name].count]
    if "work" in by_id and (not busy or has_task(member)):
        return by_id["work"]
    usual = [by_id[name] for name in ("review", "judge", "manage") if name in by_id]
    return next(iter((*busy, *usual)), None)


@member()
@require_safe
def project(request: HttpRequest, member: Member) -> HttpResponse:
    """Open a project where the member's own work is (section 4.3)."""
    del request
    slug = member.project.slug
    if member.has(Role.ANNOTATOR) and member.status in CANDIDATES:
        return redirect("trial" if member.status == MemberStatus.TRIAL else "training", slug)
    if member.has(Role.ANNOTATOR):
        return redirect("work", slug)
    if member.has(Role.REVIEWER):
        return redirect("review", slug)
    if member.has(Role.JUDGE) and not member.has(Role.MANAGER):
        return redirect("judge", slug)
    return redirect("manage" if member.has(Role.MANAGER) else "guide", slug)


class NoticesPayload(Payload):
    """Which notices were read: one, or all up to one; all where neither is said."""

    notice: RowNumber | None = None
    upto: RowNumber | None = None


@signed_in
@require_POST
def read_notices(request: HttpRequest, person: Person) -> HttpResponse:
    """Mark one notice (`notice`), or all that were shown, as read."""
    sent = read_form(request, NoticesPayload)
    unread = _unread(person)
    if sent.notice is not None:
        unread = unread.filter(pk=sent.notice)
    if sent.upto is not None:
        unread = unread.filter(pk__lte=sent.upto)  # what came since was not seen yet
    unread.order_by().update(read_at=timezone.now())
    return redirect("day")


@signed_in
@require_POST
def set_goal(request: HttpRequest, person: Person) -> HttpResponse:
    """Set how many sentences a person wants to do each day; 0 is no goal."""
    form = GoalForm(request.POST)
    if form.is_valid():
        person.preferences = {**person.preferences, "goal": form.cleaned_data["goal"] or 0}
        person.save(update_fields=["preferences"])
    else:
        messages.error(request, " ".join(map(str, form.errors["goal"])))
    return redirect("day")


@member()
@require_safe
def my_statistics(request: HttpRequest, member: Member) -> HttpResponse:
    """Show a member's own figures (Information); nobody else's."""
    figures = member_figures(member)
    context = {
        "figures": figures,
        "accepted_percent": None if figures.acceptance is None else 100 * figures.acceptance,
        "f05_percent": None if figures.f05 is None else 100 * figures.f05,
        "reasons": [(reason_label(name), count) for name, count in figures.reasons],
        "is_paid": person_is_paid(member),
    }
    return render(request, "home/my_statistics.html", context)


# Whether the site lives, and whether it can work; for whoever watches it.


@anyone
@never_cache
@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """Answer that a process is here."""
    del request
    return HttpResponse("ok\n", content_type="text/plain")


@anyone
@never_cache
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Answer 200 if the database answers and is up to date, else 503 and why in a word.

    A server that was told to end says no, too, so that a proxy sends nobody here any more.
    """
    del request
    if is_ending():
        response = HttpResponse("ending\n", status=503, content_type="text/plain")
        response._has_been_logged = True  # type: ignore[attr-defined]  # it is no failure
        return response
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        missing = missing_migrations()
    except (DatabaseError, GecbenchError):
        return HttpResponse("no database\n", status=503, content_type="text/plain")
    if missing:
        return HttpResponse("not migrated\n", status=503, content_type="text/plain")
    return HttpResponse("ready\n", content_type="text/plain")
