"""What waits for a person in their projects, counted in one query for menu and home page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    ComplaintState,
    ProjectKind,
    Purpose,
    Role,
    RoundState,
    SentenceState,
    SlotEventKind,
    SlotState,
    StudyState,
    TaskState,
)
from gecbench.server.models import (
    Acknowledgement,
    Complaint,
    Guideline,
    InspectionJudge,
    Member,
    Person,
    Project,
    ReviewTask,
    Sentence,
    Skip,
    Slot,
    SlotEvent,
    Study,
    Submission,
)
from gecbench.server.models.base import compiled
from gecbench.server.statistics.work import looks_real
from gecbench.server.workflow import inspection
from gecbench.server.workflow.practice import CANDIDATES

MOST = 100
"""Reviews are counted up to here; beyond it nobody cares."""

UNDECIDED = (ComplaintState.OPEN, ComplaintState.DISCUSSED)


def today() -> datetime:
    """When this day began."""
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


def goal(person: Person) -> int:
    """How many sentences a person wants to do each day; 0 is no goal."""
    value = person.preferences.get("goal", 0)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def standings(person_id: int, projects: Sequence[int]) -> dict[int, Mapping[str, Any]]:
    """For each project what waits for a person there.

    The keys are `study` (open items), `complaints` (of others, waiting for this person's word),
    `reviews` (that this person may take, up to `MOST`), `returned` (variants that came back),
    `skipped`, `done` (sentences handed
    in today, as they count everywhere),
    `last` (number of the last task submitted, or None), `acknowledged` (whether the guideline in
    force was read), `first` (whether it is the project's first version), and `training` (whether
    there are tasks to train with). Gold tasks are among those done: they look like all others.
    `inspections` are items to rate and disagreements to resolve, asked of those who judge.
    """
    if not projects:
        return {}
    rows = _standings(person_id, today(), *projects)
    named: dict[int, Mapping[str, Any]] = {
        project: _name_columns(counts) for project, *counts in rows
    }
    judged = [project for project, row in named.items() if row["judging"]]
    for project in Project.objects.filter(pk__in=judged) if judged else ():
        waiting = inspection.waiting(person_id, project)
        count = waiting.items + waiting.disagreements
        named[project.pk] = {**named[project.pk], "inspections": count}
    return named


def _name_columns(counts: Sequence[Any]) -> dict[str, Any]:
    """Name the columns of a row, as Python has it: SQLite says 1 for true."""
    row = dict(zip(_COUNTED, counts, strict=True))
    return row | {name: bool(row[name]) for name in _FLAGS} | {"inspections": 0}


_FLAGS = ("acknowledged", "first", "training", "judging")
_COUNTED = ("study", "complaints", "reviews", "returned", "skipped", "done", "last", *_FLAGS)


@compiled
def _standings(person: int, morning: datetime, *projects: int) -> QuerySet[Any, Any]:
    columns = _count_columns(person, morning)
    # A project has columns of some of these names.
    rows = Project.objects.filter(pk__in=projects).annotate(
        **{f"my_{name}": count for name, count in columns.items()}
    )
    return rows.values_list("pk", *(f"my_{name}" for name in _COUNTED))


def _count_columns(person_id: int, morning: datetime) -> dict[str, Any]:
    """What is counted for one person, each a subquery of a project."""
    in_project = {"project": OuterRef("pk")}
    mine = {**in_project, "person": person_id}
    submitted = Submission.objects.filter(
        looks_real(),
        person=person_id,
        at__gte=morning,
        slot__project=OuterRef("pk"),
        slot__state__in=SUBMITTED_OR_LATER,
    )
    read = Acknowledgement.objects.filter(guideline=OuterRef("guideline"), person=person_id)
    versions = Guideline.objects.filter(pk=OuterRef("guideline"), version=1)
    training = Sentence.objects.filter(
        project=OuterRef("pk"), purpose=Purpose.TRAINING, state=SentenceState.GOLDEN
    )
    judging = InspectionJudge.objects.filter(
        round__project=OuterRef("pk"),
        round__state=RoundState.OPEN,
        member__person=person_id,
        member__is_judge=True,
    )
    came_back = SlotEvent.objects.filter(
        slot=OuterRef("pk"), person=person_id, kind=SlotEventKind.SEND_BACK
    )
    returned = Slot.objects.filter(Exists(came_back), **mine, state=SlotState.OPEN)
    return {
        "study": _count(Study.objects.filter(**mine, state=StudyState.OPEN)),
        "complaints": _count(_complaints(person_id)),
        "reviews": _count(_reviews(person_id)),
        "returned": _count(returned),
        "skipped": _count(Skip.objects.filter(**mine, recalled_at=None)),
        "done": _count(submitted, of="slot"),
        "last": Subquery(
            Submission.objects.filter(person=person_id, slot__project=OuterRef("pk"))
            .order_by("-at", "-pk")
            .values("sentence__number")[:1]
        ),
        "acknowledged": Exists(read),
        "first": Exists(versions),
        "training": Exists(training),
        "judging": Exists(judging),
    }


def _complaints(person_id: int) -> QuerySet[Complaint]:
    """The complaints that a person may decide, near enough for a count (see deciders)."""
    held_before = SlotEvent.objects.filter(sentence=OuterRef("study__sentence"), person=person_id)
    me = Member.objects.filter(project=OuterRef("project"), person=person_id)
    first = Q(level=1) & (
        Q(handler=person_id)
        | Q(Exists(me.filter(is_reviewer=True)), handler=None) & ~Q(first_reviewer=person_id)
    )
    last = Q(Exists(me.filter(is_manager=True)), level=2)
    return (
        Complaint.objects.filter(first | last, project=OuterRef("pk"), state__in=UNDECIDED)
        .filter(~Exists(held_before))
        .exclude(person=person_id)
    )


def _reviews(person_id: int) -> QuerySet[ReviewTask]:
    held_before = SlotEvent.objects.filter(sentence=OuterRef("sentence"), person=person_id)
    free = Q(state=TaskState.FREE) & (Q(not_for=None) | ~Q(not_for=person_id))
    mine = Q(state=TaskState.OPEN, reviewer=person_id)
    in_project = {
        "project": OuterRef(OuterRef("pk")),
        "state__in": (TaskState.FREE, TaskState.OPEN),
    }
    # Said twice, or all that was ever decided is looked through: an index has the state first.
    rows = ReviewTask.objects.filter(free | mine, **in_project).filter(~Exists(held_before))
    return ReviewTask.objects.filter(pk__in=rows.values("pk")[:MOST])


def _count(rows: QuerySet[Any], *, of: str = "pk") -> Coalesce:
    """A subquery that counts rows, none being 0."""
    groups = (
        rows.order_by()
        .annotate(_all=F("pk") * 0)
        .values("_all")
        .annotate(n=Count(of, distinct=True))
    )
    return Coalesce(Subquery(groups.values("n"), output_field=IntegerField()), 0)


# The menu of a project: what a member may open, and how much waits there (Fig. 4 and 5).


@dataclass(frozen=True, slots=True)
class Entry:
    """One place of the menu.

    Args:
        id: The name of its address: "work", "review".
        name: In the person's language.
        url: Where it leads.
        count: What waits there; 0 is not shown.
        current: Whether the person is there now.
    """

    id: str
    name: str
    url: str
    count: int = 0
    current: bool = False


def menu(request: HttpRequest, member: Member, standing: Mapping[str, Any]) -> tuple[Entry, ...]:
    """What a member sees of their project, in the order of the work."""
    entries = list(_entries(member, standing))
    inside = [entry for entry in entries if _within(request.path, entry.url)]
    current = max(inside, key=lambda entry: len(entry.url), default=None)
    return tuple(replace(entry, current=entry is current) for entry in entries)


def _entries(member: Member, standing: Mapping[str, Any]) -> Iterator[Entry]:
    slug = member.project.slug
    annotates, reviews = member.has(Role.ANNOTATOR), member.has(Role.REVIEWER)
    manages, rewrites = member.has(Role.MANAGER), member.project.kind == ProjectKind.REWRITE
    candidate = annotates and member.status in CANDIDATES
    places = (
        (
            "work",
            gettext("Annotation") if rewrites else gettext("Variants"),
            standing["returned"],
            annotates and not candidate,
        ),
        ("training", gettext("Training"), 0, candidate or (annotates and standing["training"])),
        ("trial", gettext("Trial"), 0, candidate),
        ("review", gettext("Review"), standing["reviews"], reviews),
        ("judge", gettext("Inspection"), standing["inspections"], member.has(Role.JUDGE)),
        (
            "study",
            gettext("Study"),
            standing["study"],
            rewrites and (annotates or standing["study"]),
        ),
        ("problems", gettext("Problems"), standing["complaints"], rewrites),
        ("guide", gettext("Guideline"), 0, True),
        ("me", gettext("Information"), 0, annotates or reviews),
        ("manage", gettext("Manage"), 0, manages),
    )
    for name, words, count, visible in places:
        if visible:
            yield Entry(name, words, reverse(name, args=[slug]), count)


def _within(path: str, url: str) -> bool:
    return path == url or path.startswith(url.rstrip("/") + "/")


# What every page may show: the member, the project, its menu, and what was newly announced.


def page(request: HttpRequest) -> dict[str, object]:
    """What the layout needs; a fragment for htmx has no layout and asks for nothing."""
    member = getattr(request, "member", None)
    context = {"member": member, "project": member.project if member else None}
    if not isinstance(member, Member) or getattr(request, "htmx", False):
        return context
    project = member.project
    standing = standings(member.person_id, [project.pk])[project.pk]
    return {
        **context,
        "standing": standing,
        "menu": menu(request, member, standing),
        "announcement": None if standing["acknowledged"] else project.guideline,
    }


# A guideline's text as the key of what is made of it: versions never change.


@dataclass(frozen=True, slots=True)
class Content:
    """A version, equal to all versions of the same text; the text itself is read when needed.

    Every request has the project's version at hand, without its text: whoever keeps by it what is
    made of the text asks for the text once.
    """

    sha256: str
    guideline: Guideline = field(compare=False, repr=False)

    @classmethod
    def of(cls, guideline: Guideline) -> Content:
        """The key of a version."""
        return cls(guideline.sha256, guideline)
