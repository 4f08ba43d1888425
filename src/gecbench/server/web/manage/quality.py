"""Progress at a glance, and what is stuck and why."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from threading import Lock

from django.conf import settings
from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from gecbench.core.errors import GecbenchError, MissingExtraError
from gecbench.reports import PageLanguage, agreement, plots, references
from gecbench.reports.plots import Theme
from gecbench.reports.report import Figure, Table, Words, text_in
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
from gecbench.server.statistics.pieces import Progress
from gecbench.server.statistics.report import (
    COUNTED,
    NAMES,
    Quality,
    chart_of,
    charts,
    signatures,
)
from gecbench.server.statistics.work import store_counts
from gecbench.server.web.manage.shortcuts import (
    TONES,
    active_manager,
    manage_page,
    manager,
    refusal_message,
)
from gecbench.server.web.messages import interface_language
from gecbench.server.workflow.review_tasks import stuck_tasks
from gecbench.server.workflow.sentences import UNDECIDED, WORKABLE

BACKUP_AGE = timedelta(hours=26)
_SHOWN = 20


@manager
@require_safe
def overview(request: HttpRequest, member: Member) -> HttpResponse:
    """Show how many sentences stand where, and what waits for a manager."""
    project = member.project
    counts = count_states(project)
    total = sum(counts.values())
    people = _people(project)
    # Without a reviewer all are stuck, and one line says so.
    idle = stuck_tasks(project, most=_SHOWN + 1) if people["reviewers"] else ()
    context = {
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
    return manage_page(request, member, "manage", context, template="manage/overview.html")


def count_states(project: Project) -> dict[str, int]:
    """How many real sentences stand where; answered by the index of states alone."""
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
    """How many are at work now, and how many places are held by somebody who is not."""
    slots = Slot.objects.filter(
        project=project, state=SlotState.OPEN, sentence__purpose=Purpose.REAL
    )
    return slots.aggregate(
        held=Count("pk"), over=Count("pk", filter=Q(lease_until__lt=timezone.now()))
    )


def _waiting(
    project: Project, counts: dict[str, int], people: dict[str, int]
) -> Iterator[dict[str, str]]:
    """What waits for a manager, each with the page where it is done."""

    def entry(message: str, view: str, label: str) -> dict[str, str]:
        return {"message": message, "url": reverse(view, args=[project.slug]), "label": label}

    if not sum(counts.values()):
        yield entry(gettext("There are no sentences yet."), "manage-import", gettext("Import"))
    members = ("manage-members", gettext("Members"))
    free = Slot.objects.filter(project=project, state=SlotState.FREE)
    workable = free.filter(sentence__state__in=WORKABLE, sentence__purpose=Purpose.REAL)
    if people["annotators"] < project.annotators and workable.exists():
        template = gettext(
            "Places are free. Each sentence needs %(needed)s annotators, and %(there)s are active: "
            "some may never be finished."
        )
        values = {"needed": project.annotators, "there": people["annotators"]}
        yield entry(template % values, *members)
    ready = ReviewTask.objects.filter(project=project, state=TaskState.FREE)
    if not people["reviewers"] and ready.exists():
        message = gettext("Sentences wait for review, and there is no active reviewer.")
        yield entry(message, *members)
    undecided = Complaint.objects.filter(project=project, state__in=UNDECIDED)
    complaints = undecided.aggregate(
        first=Count("pk", filter=Q(level=1)), last=Count("pk", filter=Q(level=2))
    )
    if n := complaints["first"]:
        template = ngettext("%(n)s complaint is undecided.", "%(n)s complaints are undecided.", n)
        yield entry(template % {"n": n}, "problems", gettext("Complaints"))
    if n := complaints["last"]:
        template = ngettext(
            "%(n)s complaint waits for a manager's last word.",
            "%(n)s complaints wait for a manager's last word.",
            n,
        )
        yield entry(template % {"n": n}, "problems", gettext("Complaints"))
    if n := GuidelineCase.objects.filter(project=project, closed_in=None).count():
        template = ngettext(
            "%(n)s case waits for a change of the guideline.",
            "%(n)s cases wait for a change of the guideline.",
            n,
        )
        yield entry(template % {"n": n}, "manage-guideline", gettext("Guideline"))


def _backup() -> dict[str, object]:
    """When the last backup was made, and whether that is too long ago."""
    last = newest(settings.SITE)
    late = last is None or datetime.now(UTC) - last > BACKUP_AGE
    return {"made": last, "late": late, "folder": shlex.quote(str(settings.SITE.folder))}


# Quality: five charts with their data; tables of people, time and Table 4 (section 4.4).


_DRAWING = Lock()
"""matplotlib has one set of settings for the whole process, and a process answers by threads."""
_MOST_CHARTS = 64
_SECONDS = 0.4
"""So long a request counts or compares sentences; the page asks again until all are."""
_MOST_ROWS = 60
"""Longer tables end here in the page; the command line has all of it."""


@manager
@never_cache
@require_safe
def quality(request: HttpRequest, member: Member) -> HttpResponse:
    """Show what is known now: counts as they are, scores as they were computed last.

    What is still being counted or compared is a line, which asks for its successor until the last
    one has the page loaded again.
    """
    if "HX-Request" in request.headers:
        progress = store_counts(_SECONDS, member.project)
        return _go_on(request, member, progress, computing=False)
    figures, language = statistics.quality(member.project, seconds=_SECONDS), interface_language()
    pictures = _charts(figures, member.project.slug, language)
    scores = figures.scores
    average = scores.average if scores else None
    active, archived = member.status == MemberStatus.ACTIVE, member.project.archived_at is not None
    may_compute = figures.compares and active and not archived
    tall = [chart for chart in pictures if chart["name"] in ("progress", "volume")]
    context = {
        "sides": (tall, [chart for chart in pictures if chart not in tall]),  # of like height
        "tables": [table_context(table, language) for table in _tables(figures)],
        "compares": figures.compares,
        "at": figures.at,
        "stale": figures.stale,
        "average": 100 * average if average is not None else None,
        "averaged": scores.averaged if scores else 0,
        "left_out": scores.left_out if scores else 0,
        "signatures": signatures(figures),
        "progress": figures.progress,
        "may_compute": may_compute,
        "computing": may_compute and "computing" in request.GET,
    }
    return manage_page(request, member, "manage-quality", context)


@active_manager
@require_POST
def compute(request: HttpRequest, member: Member) -> HttpResponse:
    """Compute scores, agreement and Table 4 again, and keep them."""
    try:
        progress = statistics.refresh(member.project, seconds=_SECONDS)
    except GecbenchError as error:
        messages.error(request, refusal_message(error))
        progress = Progress(0, 0)
    else:
        if not progress.remaining:
            messages.success(request, gettext("The figures are up to date."))
    if "HX-Request" in request.headers:
        return _go_on(request, member, progress, computing=True)
    page = reverse("manage-quality", args=[member.project.slug])
    return redirect(f"{page}?computing" if progress.remaining else page)


def _go_on(
    request: HttpRequest, member: Member, progress: Progress, *, computing: bool
) -> HttpResponse:
    """The line that says how far it is; the page again where nothing remains."""
    if not progress.remaining:
        page = reverse("manage-quality", args=[member.project.slug])
        return HttpResponse(headers={"HX-Redirect": page})
    context = {"project": member.project, "progress": progress, "computing": computing}
    return render(request, "manage/quality_progress.html", context)


@manager
@require_safe
def chart(request: HttpRequest, member: Member, name: str) -> HttpResponse:
    """Draw one chart, in the colours that ?theme= says; ?narrow=1 is for phones.

    There is none before all sentences are counted that it shows.
    """
    theme: Theme = "dark" if request.GET.get("theme") == "dark" else "light"
    if name not in NAMES:
        raise Http404
    try:
        figure = chart_of(member.project, name, _SECONDS)
        if figure is None:
            raise Http404
        picture = _render_svg(figure, interface_language(), "narrow" in request.GET)
        svg = plots.apply_theme(picture, theme)
    except MissingExtraError as error:
        raise Http404 from error
    answer = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    answer["Cache-Control"] = "private, max-age=60"
    answer["Vary"] = "Cookie, Accept-Language"
    return answer


@lru_cache(maxsize=_MOST_CHARTS)
def _render_svg(figure: Figure, language: PageLanguage, narrow: bool) -> str:
    with _DRAWING:
        return plots.svg(figure, language, narrow=narrow)


def _charts(quality: Quality, slug: str, language: PageLanguage) -> list[dict[str, object]]:
    overall = quality.agreement
    data: dict[str, Sequence[Table]] = {
        "progress": (report.states(quality), report.days(quality)),
        "agreement": (agreement.overall_table(overall), agreement.annotators_table(overall))
        if overall
        else (),
        "volume": (report.people_tables(quality),),
        "reasons": (report.reason_table(quality), report.reasons_of_people(quality)),
        "ages": (report.age_table(quality),),
    }
    pictures: list[dict[str, object]] = []
    for name, figure in charts(quality).items():
        url = reverse("manage-quality-picture", args=[slug, name])
        pictures.append(
            {
                "name": name,
                "title": figure.title.in_(language),
                "alt": figure.alt.in_(language),
                "light": f"{url}?theme=light",
                "dark": f"{url}?theme=dark",
                "empty": not figure.series,
                "waits": quality.progress.remaining > 0 and name in COUNTED,
                "tables": [table_context(table, language) for table in data[name]],
                "score": name in ("agreement", "volume"),  # which has a signature
            }
        )
    return pictures


def _tables(quality: Quality) -> list[Table]:
    """The tables that belong to no chart."""
    table4 = quality.table4
    tables = list(references.build_report(table4).tables) if table4 and table4.statistics else []
    if not quality.compares:
        tables.append(report.people_tables(quality))  # else it is the data of a chart
    tables += report.score_tables(quality)
    if quality.reviewers:
        tables.append(report.reviewer_table(quality))
    if quality.suggestions:
        tables.append(report.suggestion_table(quality))
    if quality.gold:
        tables.append(report.gold_table(quality))
    return tables


def table_context(table: Table, language: PageLanguage) -> dict[str, object]:
    """A table as text in the person's language, at most `_MOST_ROWS` rows of it."""
    numeric = [column.kind != "word" for column in table.columns]
    head = [Words(column.name, column.zh or column.name).in_(language) for column in table.columns]
    rows = [
        [
            text_in(value, language) if isinstance(value, Words) else column.format(value)
            for column, value in zip(table.columns, row, strict=True)
        ]
        for row in table.rows[:_MOST_ROWS]
    ]
    return {
        "name": table.name,
        "title": table.title.in_(language),
        "head": list(zip(head, numeric, strict=True)),
        "rows": [list(zip(row, numeric, strict=True)) for row in rows],
        "more": max(0, len(table.rows) - _MOST_ROWS),
    }
