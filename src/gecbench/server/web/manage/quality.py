"""Quality: five charts with their data; tables of people, time and Table 4 (section 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from gecbench.core.errors import GecbenchError, MissingExtraError
from gecbench.reports import agreement, plots, references
from gecbench.reports.plots import Theme
from gecbench.reports.report import Figure, PageLanguage, Table, Words, text_in
from gecbench.server import progress
from gecbench.server.models import Member
from gecbench.server.progress import tables
from gecbench.server.progress.charts import NAMES, chart_of, charts
from gecbench.server.progress.showing import signatures
from gecbench.server.progress.whole import Quality
from gecbench.server.web.manage.pages import acting, looking, page
from gecbench.server.web.manage.words import refusal

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
    found, language = progress.quality(member.project), _language()
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
        progress.refresh(member.project)
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
        "progress": (tables.states(found), tables.days(found)),
        "agreement": (agreement.overall_table(agreed), agreement.annotators_table(agreed))
        if agreed
        else (),
        "volume": (tables.people(found),),
        "reasons": (tables.reasons(found), tables.reasons_of_people(found)),
        "ages": (tables.ages(found),),
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
    made += tables.scored_by(found)
    if found.reviewers:
        made.append(tables.reviewers(found))
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
