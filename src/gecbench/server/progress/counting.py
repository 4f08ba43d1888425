"""Volumes by day, where sentences stand, how old open study items are, what was put off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TypeVar

from django.db.models import Count, Q, QuerySet, Sum, TextField
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from gecbench.server.laws.names import Decision, Purpose, ReviewKind, StudyState
from gecbench.server.models import Golden, Project, Review, Sentence, Skip, Study, Submission
from gecbench.server.progress.handed import counted

AGES = (1, 3, 7, 14, 30)
"""Ends of the classes of age of study items, in days."""

Row = TypeVar("Row", Study, Skip, Submission)

_HOUR, _MINUTE = len("2026-11-21 19"), len("2026-11-21 19:08")


@dataclass(frozen=True, slots=True)
class Day:
    """What was done on one day.

    Args:
        day: By the clock of the site.
        submitted: Sentences handed in, each slot once.
        reviewed: Decisions of reviewers; those about complaints are none of them.
        golden: Sentences that got their first golden set.
    """

    day: date
    submitted: int
    reviewed: int
    golden: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a project is; real sentences only.

    Args:
        states: Sentences by state.
        days: From the first day with work to the last; those between without work too.
    """

    states: Mapping[str, int]
    days: tuple[Day, ...]

    @property
    def sentences(self) -> int:
        """How many sentences there are."""
        return sum(self.states.values())


@dataclass(frozen=True, slots=True)
class Shares:
    """How often somebody handed in, put off, or gave up.

    Args:
        submitted: Sentences handed in.
        skipped: Sentences put off, those fetched back later too.
        unannotatable: Of those handed in: said to be not annotatable.
        active_ms: Milliseconds of real work, by the pages' own count.
    """

    submitted: int = 0
    skipped: int = 0
    unannotatable: int = 0
    active_ms: int = 0


def progress(project: Project) -> Progress:
    """Return how far a project is, by day and by state."""
    real = Sentence.objects.filter(project=project, purpose=Purpose.REAL)
    states = dict(real.order_by().values_list("state").annotate(count=Count("id")))
    inside = {"sentence__project": project, "sentence__purpose": Purpose.REAL}
    first = Submission.objects.filter(no=1, **inside)
    people = Review.objects.filter(reviewer__isnull=False, **inside).exclude(
        kind=ReviewKind.COMPLAINT  # a ruling is no review, as in the table of reviewers
    )
    golden = Golden.objects.filter(version=1, **inside)
    handed, reviewed, decided = (_by_day(one) for one in (first, people, golden))
    worked = sorted(handed.keys() | reviewed.keys() | decided.keys())
    days = []
    if worked:
        for n in range((worked[-1] - worked[0]).days + 1):
            day = worked[0] + timedelta(days=n)
            days.append(Day(day, handed[day], reviewed[day], decided[day]))
    return Progress(states, tuple(days))


def _by_day(rows: QuerySet[Submission] | QuerySet[Review] | QuerySet[Golden]) -> Counter[date]:
    """Count rows by day of the site's own clock.

    The database counts by hour, in UTC: on SQLite a time zone would cost a call of Python for
    each row.
    """
    length = _HOUR if _whole_hours() else _MINUTE
    begun = Substr(Cast("at", TextField()), 1, length)
    found: Counter[date] = Counter()
    for said, count in rows.order_by().values_list(begun).annotate(count=Count("id")):
        at = datetime.fromisoformat(said).replace(tzinfo=UTC)
        found[timezone.localtime(at).date()] += count
    return found


def _whole_hours() -> bool:
    """Return whether days of the site's clock begin at whole hours of UTC, summer and winter."""
    zone, year = timezone.get_current_timezone(), timezone.now().year
    shifts = [zone.utcoffset(datetime(year, month, 1)) for month in (1, 7)]  # noqa: DTZ001
    return all(one is not None and not one % timedelta(hours=1) for one in shifts)


def ages(project: Project, now: datetime | None = None) -> tuple[int, ...]:
    """Return how many open study items are younger than each of AGES, and how many are older."""
    now = now or timezone.now()
    ends = [now - timedelta(days=age) for age in AGES]
    younger = {f"n{n}": Count("id", filter=Q(opened_at__gt=end)) for n, end in enumerate(ends)}
    rows = _open(project).aggregate(everything=Count("id"), **younger)
    reached = [*(rows[f"n{n}"] for n in range(len(ends))), rows["everything"]]
    return tuple(b - a for a, b in zip([0, *reached], reached, strict=False))


def open_items(project: Project, person: int | None = None) -> Mapping[int, int]:
    """Return how many study items are open, by row of the person; of all, or of one."""
    rows = _of(_open(project), person).order_by().values_list("person")
    return dict(rows.annotate(count=Count("id")))


def _open(project: Project) -> QuerySet[Study]:
    return Study.objects.filter(
        project=project, state=StudyState.OPEN, sentence__purpose=Purpose.REAL
    )


def _of(rows: QuerySet[Row], person: int | None) -> QuerySet[Row]:
    return rows if person is None else rows.filter(person=person)


def shares(project: Project, person: int | None = None) -> Mapping[int, Shares]:
    """Return, by row of the person, how often they handed in, put off, gave up."""
    put_off = Skip.objects.filter(project=project, sentence__purpose=Purpose.REAL)
    put_off_by = _of(put_off, person).order_by().values_list("person")
    skipped = dict(put_off_by.annotate(count=Count("id")))
    done = _of(counted(project), person).order_by().values_list("person")
    rows = done.annotate(
        count=Count("id"),
        none=Count("id", filter=Q(decision=Decision.NOT_ANNOTATABLE)),
        worked=Sum("active_ms"),
    )
    found = {who: Shares(n, skipped.get(who, 0), none, ms) for who, n, none, ms in rows}
    return {**{who: Shares(skipped=n) for who, n in skipped.items()}, **found}
