"""Progress at a glance, and what is stuck and why."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET

from gecbench.server.laws.names import (
    MemberStatus,
    Purpose,
    SentenceState,
    SlotState,
    TaskState,
)
from gecbench.server.models import (
    Complaint,
    GuidelineCase,
    Member,
    Project,
    ReviewTask,
    Sentence,
    Slot,
)
from gecbench.server.site.backup import newest
from gecbench.server.web.manage.pages import looking, page
from gecbench.server.web.manage.words import SENTENCE_STATES, TONES
from gecbench.server.workflow.review_tasks import stuck
from gecbench.server.workflow.slots import WORKABLE
from gecbench.server.workflow.standing import UNDECIDED

BACKUP_AGE = timedelta(hours=26)
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that does not go on by itself.

    Args:
        words: What, and why.
        url: Where something can be done about it.
        act: What the link says.
    """

    words: str
    url: str
    act: str


@looking
@require_GET
def overview(request: HttpRequest, member: Member) -> HttpResponse:
    """Show how many sentences stand where, and what waits for a manager."""
    project = member.project
    counts = states_of(project)
    total = sum(counts.values())
    people = _people(project)
    # Without a reviewer all are stuck, and one line says so.
    idle = stuck(project, most=_SHOWN + 1) if people["reviewers"] else ()
    shown = {
        "states": [
            (name, words, counts.get(name, 0), TONES.get(name, ""))
            for name, words in SENTENCE_STATES.items()
        ],
        "total": total,
        "decided": counts.get(SentenceState.GOLDEN, 0) + counts.get(SentenceState.DISPUTED, 0),
        "waiting": tuple(_waiting(project, counts, people)),
        "stuck": idle[:_SHOWN],
        "more_stuck": len(idle) > _SHOWN,
        "people": people,
        "leases": _leases(project),
        "backup": _backup() if member.person.is_administrator else None,
    }
    return page(request, member, "manage", shown, template="manage/overview.html")


def states_of(project: Project) -> dict[str, int]:
    """Return how many real sentences stand where; answered by the index of states alone."""
    rows = Sentence.objects.filter(project=project, purpose=Purpose.REAL)
    return dict(rows.values_list("state").annotate(n=Count("pk")).order_by())


def _people(project: Project) -> dict[str, int]:
    active = Q(status=MemberStatus.ACTIVE)
    return Member.objects.filter(project=project).aggregate(
        annotators=Count("pk", filter=active & Q(is_annotator=True)),
        reviewers=Count("pk", filter=active & Q(is_reviewer=True)),
        paused=Count("pk", filter=Q(status=MemberStatus.PAUSED)),
    )


def _leases(project: Project) -> dict[str, int]:
    """Return how many are at work now, and how many places are held by somebody who is not."""
    held = Slot.objects.filter(project=project, state=SlotState.OPEN)
    return held.aggregate(
        held=Count("pk"), over=Count("pk", filter=Q(lease_until__lt=timezone.now()))
    )


def _waiting(project: Project, counts: dict[str, int], people: dict[str, int]) -> Iterator[Waiting]:
    slug = project.slug
    to_members = (reverse("manage-members", args=[slug]), gettext("Members"))
    if not sum(counts.values()):
        to_import = reverse("manage-import", args=[slug])
        yield Waiting(gettext("There are no sentences yet."), to_import, gettext("Import"))
    if people["annotators"] < project.annotators and _has_free_places(project):
        words = gettext(
            "Places are free. Each sentence needs %(needed)s annotators, and %(there)s are active: "
            "some may never be finished."
        )
        yield Waiting(
            words % {"needed": project.annotators, "there": people["annotators"]}, *to_members
        )
    ready = ReviewTask.objects.filter(project=project, state=TaskState.FREE)
    if not people["reviewers"] and ready.exists():
        words = gettext("Sentences wait for review, and there is no active reviewer.")
        yield Waiting(words, *to_members)
    yield from _talk(project)


def _has_free_places(project: Project) -> bool:
    free = Slot.objects.filter(project=project, state=SlotState.FREE)
    return free.filter(sentence__state__in=WORKABLE).exists()


def _talk(project: Project) -> Iterator[Waiting]:
    undecided = Complaint.objects.filter(project=project, state__in=UNDECIDED)
    found = undecided.aggregate(all=Count("pk"), last=Count("pk", filter=Q(level=2)))
    to_problems = (reverse("problems", args=[project.slug]), gettext("Complaints"))
    if found["all"]:
        words = ngettext(
            "%(n)s complaint is undecided.", "%(n)s complaints are undecided.", found["all"]
        )
        yield Waiting(words % {"n": found["all"]}, *to_problems)
    if found["last"]:
        words = ngettext(
            "%(n)s complaint waits for a manager's last word.",
            "%(n)s complaints wait for a manager's last word.",
            found["last"],
        )
        yield Waiting(words % {"n": found["last"]}, *to_problems)
    cases = GuidelineCase.objects.filter(project=project, closed_in=None).count()
    if cases:
        words = ngettext(
            "%(n)s case waits for a change of the guideline.",
            "%(n)s cases wait for a change of the guideline.",
            cases,
        )
        to_guideline = reverse("manage-guideline", args=[project.slug])
        yield Waiting(words % {"n": cases}, to_guideline, gettext("Guideline"))


def _backup() -> dict[str, object]:
    """Return when the last backup was made, and whether that is too long ago."""
    made = newest(settings.SITE)
    late = made is None or datetime.now(UTC) - made > BACKUP_AGE
    return {"made": made, "late": late, "folder": shlex.quote(str(settings.SITE.folder))}
