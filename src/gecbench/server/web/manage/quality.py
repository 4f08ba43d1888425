"""Progress at a glance, and what is stuck and why."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from threading import Lock

from django.conf import settings
from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from gecbench.core.errors import GecbenchError, MissingExtraError
from gecbench.reports import agreement, plots, references
from gecbench.reports.plots import Theme
from gecbench.reports.report import Figure, PageLanguage, Table, Words, text_in
from gecbench.server import statistics
from gecbench.server.choices import MemberStatus, Purpose, SentenceState, SlotState, TaskState
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
from gecbench.server.statistics import report
from gecbench.server.statistics.report import NAMES, Quality, chart_of, charts, signatures
from gecbench.server.web.manage.pages import acting, looking, page
from gecbench.server.web.manage.words import TONES, refusal
from gecbench.server.workflow.review_tasks import stuck_tasks
from gecbench.server.workflow.sentences import UNDECIDED, WORKABLE

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
    idle = stuck_tasks(project, most=_SHOWN + 1) if people["reviewers"] else ()
    shown = {
        "states": [
            (name, words, counts.get(name, 0), TONES.get(name, ""))
            for name, words in SentenceState.choices
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


# Quality: five charts with their data; tables of people, time and Table 4 (section 4.4).


_DRAWING = Lock()
"""matplotlib has one set of settings for the whole process, and a process answers by threads."""
_DRAWN = 64
_MOST_ROWS = 60
"""Longer tables end here in the page; the command line has all of it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table, as text, and whether it is a number."""

    text: str
    number: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A table in the person's language.

    Args:
        name: For anchors.
        title: One line.
        head: Its columns.
        rows: Cells.
        more: How many rows are left off.
    """

    name: str
    title: str
    head: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: int


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its data beside it.

    Args:
        name: For anchors.
        title: One line.
        alt: What it shows, in words.
        light: Address of the picture in light colours.
        dark: Likewise.
        empty: Whether there is nothing to draw yet.
        tables: Its data.
        score: Whether it shows a score, which has a signature.
    """

    name: str
    title: str
    alt: str
    light: str
    dark: str
    empty: bool
    tables: tuple[Shown, ...]
    score: bool


@looking
@never_cache
@require_GET
def shown(request: HttpRequest, member: Member) -> HttpResponse:
    """Show what is known now: counts as they are, scores as they were computed last."""
    found, language = statistics.quality(member.project), _language()
    said_by = {
        "sides": _sides(_charts(found, member.project.slug, language)),
        "tables": [_table(one, language) for one in _tables(found)],
        "at": found.at,
        "stale": found.stale,
        "average": _average(found),
        "averaged": found.scores.averaged if found.scores else 0,
        "left_out": found.scores.left_out if found.scores else 0,
        "signatures": signatures(found),
    }
    return page(request, member, "manage-quality", said_by)


@acting
@require_POST
def compute(request: HttpRequest, member: Member) -> HttpResponse:
    """Compute scores, agreement and Table 4 anew, and keep them."""
    try:
        statistics.refresh(member.project)
    except GecbenchError as error:
        messages.error(request, refusal(error))
    else:
        messages.success(request, gettext("The figures are of this moment now."))
    return redirect("manage-quality", member.project.slug)


@looking
@require_GET
def picture(request: HttpRequest, member: Member, name: str) -> HttpResponse:
    """Draw one chart, in the colours that ?theme= says."""
    theme: Theme = "dark" if request.GET.get("theme") == "dark" else "light"
    if name not in NAMES:
        raise Http404
    try:
        made = plots.apply_theme(_drawn(chart_of(member.project, name), _language()), theme)
    except MissingExtraError as error:
        raise Http404 from error
    answer = HttpResponse(made, content_type="image/svg+xml; charset=utf-8")
    answer["Cache-Control"] = "private, max-age=60"
    answer["Vary"] = "Cookie, Accept-Language"
    return answer


@lru_cache(maxsize=_DRAWN)
def _drawn(figure: Figure, language: PageLanguage) -> str:
    with _DRAWING:
        return plots.svg(figure, language)


def _language() -> PageLanguage:
    return "zh" if (get_language() or "").startswith("zh") else "en"


def _average(found: Quality) -> float | None:
    average = found.scores.average if found.scores else None
    return None if average is None else 100 * average


def _charts(found: Quality, slug: str, language: PageLanguage) -> tuple[Chart, ...]:
    agreed = found.agreement
    data: dict[str, Sequence[Table]] = {
        "progress": (report.states(found), report.days(found)),
        "agreement": (agreement.overall_table(agreed), agreement.annotators_table(agreed))
        if agreed
        else (),
        "volume": (report.people_tables(found),),
        "reasons": (report.reason_table(found), report.reasons_of_people(found)),
        "ages": (report.age_table(found),),
    }
    made = []
    for name, figure in zip(NAMES, charts(found), strict=True):
        url = reverse("manage-quality-picture", args=[slug, name])
        made.append(
            Chart(
                name=name,
                title=figure.title.in_(language),
                alt=figure.alt.in_(language),
                light=f"{url}?theme=light",
                dark=f"{url}?theme=dark",
                empty=not figure.series,
                tables=tuple(_table(one, language) for one in data[name]),
                score=name in ("agreement", "volume"),
            )
        )
    return tuple(made)


def _sides(made: Sequence[Chart]) -> tuple[tuple[Chart, ...], ...]:
    """Return the charts in two columns of like height: the great ones left."""
    great = ("progress", "volume")
    return (
        tuple(one for one in made if one.name in great),
        tuple(one for one in made if one.name not in great),
    )


def _tables(found: Quality) -> list[Table]:
    """Return the tables that belong to no chart."""
    counted = found.table4
    made = list(references.build_report(counted).tables) if counted and counted.statistics else []
    made += report.scored_by(found)
    if found.reviewers:
        made.append(report.reviewer_table(found))
    if found.suggestions:
        made.append(report.suggestion_table(found))
    return made


def _table(table: Table, language: PageLanguage) -> Shown:
    head = []
    for column in table.columns:
        words = Words(column.name, column.zh or column.name).in_(language)
        head.append(Cell(words, column.kind != "word"))
    rows = []
    for row in table.rows[:_MOST_ROWS]:
        cells = zip(table.columns, row, strict=True)
        rows.append(
            tuple(
                Cell(
                    text_in(value, language) if isinstance(value, Words) else column.format(value),
                    column.kind != "word",
                )
                for column, value in cells
            )
        )
    more = max(0, len(table.rows) - _MOST_ROWS)
    return Shown(table.name, table.title.in_(language), tuple(head), tuple(rows), more)
