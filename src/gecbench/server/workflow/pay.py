"""Pay: versions of the formula, previews, and the ledger of closed periods (PAY-1 to PAY-6).

Amounts come into being when a period is closed, of the history up to its end, and never inside a
submission or a review. So preview, statement and recomputation are one function, and what is
judged late or otherwise by a complaint is a line of the next statement.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Prefetch
from django.utils import timezone

from gecbench.server.choices import PayKind, PayQuality, PayReason
from gecbench.server.models import (
    Notice,
    PayActivation,
    PayEntry,
    PayFormula,
    PayPeriod,
    PayStatement,
    Person,
    Project,
)
from gecbench.server.rules.pay import (
    Formula,
    Line,
    Quality,
    ReviewedTask,
    Unit,
    Version,
    apply_lines,
    formula_json,
    latest,
    pay_lines,
)
from gecbench.server.workflow import audit
from gecbench.server.workflow.errors import ConflictError, Problem, RefusedError
from gecbench.server.workflow.pay_history import Facts, History, facts_at, history_of
from gecbench.server.workflow.transactions import lock_project, transactional

SETTLED = timedelta(minutes=10)
"""After so long a decision cannot be undone any more: the longest `undo_seconds`."""

F05 = Callable[[Project, Mapping[int, Collection[int]]], Mapping[int, float]]
"""Makes F0.5 of people of the sentences that they did; statistics have it."""

_COLUMN: Mapping[PayKind, str] = {
    PayKind.ANNOTATION: "submission_id",
    PayKind.EXTRA_REFERENCE: "submission_id",
    PayKind.REVIEW: "review_id",
    PayKind.RULING: "review_id",
    PayKind.PERTURBATION: "submission_id",
    PayKind.CHECK: "variant_check_id",
    PayKind.RATING: "rating_id",
}
"""Column of an entry that points to what is paid."""

DECISIONS = (PayKind.REVIEW, PayKind.RULING, PayKind.CHECK, PayKind.RATING)
"""What is paid to who decides; all else to who writes."""


# Versions of the formula, and which of them is in force.


@transactional
def save_formula(project: Project, formula: Formula, *, by: Person | None) -> PayFormula:
    """Keep a formula as a new version; one that says the same as the newest is that one."""
    lock_project(project.pk)
    newest = project.pay_formulas.order_by("-version").first()
    if newest is not None and newest.formula == formula:
        return newest
    version = 1 if newest is None else newest.version + 1
    row = PayFormula.objects.create(
        project=project, version=version, rules=formula_json(formula), by=by
    )
    audit.record(
        "pay.formula_saved",
        who=by,
        project=project,
        about=("pay_formula", row.pk),
        data={"version": version},
    )
    return row


def formula_in_force(project: Project) -> PayFormula | None:
    """The formula for what is handed in now."""
    rows = PayActivation.objects.filter(formula__project=project).select_related("formula")
    last = rows.order_by("-pk").first()
    return last.formula if last else None


@transactional
def activate(project: Project, version: int, *, by: Person | None) -> PayFormula:
    """Put a version of the formula in force, for what is handed in from now on.

    Raises:
        RefusedError: There is no such version, it is in force, or it has another currency.
    """
    lock_project(project.pk)
    row = project.pay_formulas.filter(version=version).first()
    if row is None:
        raise RefusedError([Problem("PAY-version", "version", {"version": version})])
    now = formula_in_force(project)
    if now is not None and now.pk == row.pk:
        raise RefusedError([Problem("PAY-in-force", "version", {"version": version})])
    if now is not None and now.formula.currency != row.formula.currency:
        values = {"now": now.formula.currency, "new": row.formula.currency}
        raise RefusedError([Problem("PAY-currency", "currency", values)])
    PayActivation.objects.create(formula=row, by=by)
    audit.record(
        "pay.formula_activated",
        who=by,
        project=project,
        about=("pay_formula", row.pk),
        data={"version": version},
    )
    return row


def _versions(project: Project) -> list[Version]:
    rows = PayActivation.objects.filter(formula__project=project).select_related("formula")
    return [
        Version(row.formula_id, row.at, row.formula.formula) for row in rows.order_by("at", "pk")
    ]


# Quality of people, as formulas ask for it.


Qualities = Mapping[tuple[int, int], Quality]
"""By person and row of the formula."""


_F05Of = Callable[[Version, Mapping[int, Collection[int]]], Mapping[int, float]]


def _qualities(
    reviewed_tasks: Sequence[ReviewedTask], versions: Sequence[Version], f05_of: _F05Of
) -> Qualities:
    qualities = {}
    for version in {version.row: version for version in versions}.values():
        windows = latest(reviewed_tasks, version.formula.window)
        f05: Mapping[int, float] = {}
        if version.formula.quality == PayQuality.F05:
            sentences = {
                person: [task.sentence for task in tasks] for person, tasks in windows.items()
            }
            f05 = f05_of(version, sentences)
        for person, tasks in windows.items():
            qualities[person, version.row] = Quality(
                len(tasks),
                sum(task.answers for task in tasks),
                sum(task.accepted for task in tasks),
                f05.get(person),
            )
    return qualities


def _percents(qualities: Qualities, versions: Iterable[Version]) -> dict[tuple[int, int], int]:
    formulas = {version.row: version.formula for version in versions}
    return {
        (person, row): quality.percent(formulas[row])
        for (person, row), quality in qualities.items()
    }


# What people earn: in a preview, and in a statement.


@dataclass(frozen=True, slots=True)
class Earnings:
    """What one person earns, with how much and how well they worked beside it (PAY-4, PAY-5).

    Args:
        person: Row of the person.
        currency: Of the amounts.
        total: In its smallest unit.
        tasks: Reviewed tasks of theirs.
        answers: Answers in them.
        accepted: Of these, those that were accepted.
        quality: Of the latest tasks, as the formula looks at them.
        percent: The quality factor.
        decisions: Decisions of theirs about sentences, complaints and variants.
        active_ms: Milliseconds of active work on all of that; no amount rests on them.
    """

    person: int
    currency: str
    total: int
    tasks: int
    answers: int
    accepted: int
    quality: Quality
    percent: int
    decisions: int
    active_ms: int

    @property
    def share(self) -> float | None:
        """Share of the answers that were accepted, in [0, 1]; None without any."""
        return self.accepted / self.answers if self.answers else None

    @property
    def hourly(self) -> int | None:
        """Implied pay of an hour, in the smallest unit; None where no time was counted."""
        return round(self.total * 3_600_000 / self.active_ms) if self.active_ms else None


def _earnings(
    history: History,
    facts: Facts,
    lines: Iterable[Line],
    reviewed_tasks: Sequence[ReviewedTask],
    units: Collection[Unit],
    version: Version,
    qualities: Qualities,
) -> list[Earnings]:
    """What people earn by lines, the first ones first.

    Args:
        history: For active time.
        facts: Who did the units.
        lines: Of any people.
        reviewed_tasks: The reviewed tasks that are counted.
        units: The decisions that are counted.
        version: Whose quality and factor are shown.
        qualities: All that are known.
    """
    totals: dict[int, int] = defaultdict(int)
    active: dict[int, int] = defaultdict(int)
    decisions: dict[int, int] = defaultdict(int)
    tasks: dict[int, list[ReviewedTask]] = defaultdict(list)
    answer_ms = {answer.row: answer.active_ms for answer in history.answers}
    decision_ms = {("review_id", review.row): review.active_ms for review in history.reviews}
    decision_ms |= {("variant_check_id", check.row): check.active_ms for check in history.checks}
    for line in lines:
        totals[line.person] += line.amount
    for task in reviewed_tasks:
        tasks[task.person].append(task)
        active[task.person] += answer_ms[task.submission]
    for work in facts.works:
        if work.unit in units and work.unit[0] in DECISIONS:
            decisions[work.person] += 1
            active[work.person] += decision_ms.get((_COLUMN[work.unit[0]], work.unit[1]), 0)
    return [
        Earnings(
            person,
            version.formula.currency,
            totals[person],
            len(tasks[person]),
            sum(task.answers for task in tasks[person]),
            sum(task.accepted for task in tasks[person]),
            quality := qualities.get((person, version.row), Quality()),
            quality.percent(version.formula),
            decisions[person],
            active[person],
        )
        for person in sorted({*totals, *tasks, *decisions})
    ]


def preview(
    project: Project,
    formula: Formula,
    measure: F05,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[Earnings]:
    """What everybody would have earned by a formula for what they handed in between two moments.

    What was paid for it by another formula is not looked at (PAY-4).
    """
    end = until or timezone.now()
    history = history_of(project)
    facts = facts_at(history, end)
    begun = {answer.row for answer in history.answers if since is None or answer.at >= since}
    works = [work for work in facts.works if since is None or work.at >= since]
    reviewed_tasks = [task for task in facts.reviewed_tasks if task.submission in begun]
    version = Version(0, end, formula)
    qualities = _qualities(
        facts.reviewed_tasks, [version], lambda _, sentences: measure(project, sentences)
    )
    lines = pay_lines(works, {}, [version], _percents(qualities, [version]))
    units = {work.unit for work in works}
    return _earnings(history, facts, lines, reviewed_tasks, units, version, qualities)


# The ledger: periods are closed one after the other.


def last_period(project: Project) -> PayPeriod | None:
    """The last closed period."""
    return project.pay_periods.order_by("-end").first()


def begin_of(day: date) -> datetime:
    """When a day begins, by the clock of the site."""
    return datetime.combine(day, time(), timezone.get_default_timezone())


def end_of(day: date) -> datetime:
    """When a day ends, by the clock of the site; the last one that there is begins then."""
    return begin_of(min(day, date.max - timedelta(days=1)) + timedelta(days=1))


def _check_end(project: Project, end: datetime) -> datetime | None:
    last = last_period(project)
    problem = None
    if formula_in_force(project) is None:
        problem = Problem("PAY-no-formula", "through")
    elif end > timezone.now() - SETTLED:
        problem = Problem("PAY-too-early", "through")
    elif last is not None and end <= last.end:
        problem = Problem("PAY-closed", "through", {"day": str(last.last_day)})
    if problem:
        raise RefusedError([problem])
    return last.end if last else None


def _paid_lines(entries: Iterable[PayEntry]) -> list[Line]:
    return [_line_of(entry, entry.statement.person_id) for entry in entries]


def _line_of(entry: PayEntry, person: int) -> Line:
    kind = PayKind(entry.kind)
    row = getattr(entry, _COLUMN[kind])
    return Line(
        (kind, row, entry.reference_id or 0),
        person,
        PayReason(entry.reason),
        entry.amount,
        entry.formula_id,
        entry.complaint_id or 0,
        entry.detail,
    )


@dataclass(frozen=True, slots=True)
class _Closing:
    """What a period would be closed with."""

    lines: Sequence[Line]
    earnings: Sequence[Earnings]
    qualities: Qualities
    formula: int


def _closing(project: Project, begin: datetime | None, end: datetime, measure: F05) -> _Closing:
    history, versions = history_of(project), _versions(project)
    facts = facts_at(history, end)
    entries = PayEntry.objects.filter(statement__period__project=project)
    paid = apply_lines({}, _paid_lines(entries.select_related("statement").order_by("pk")))
    qualities = _qualities(
        facts.reviewed_tasks, versions, lambda _, sentences: measure(project, sentences)
    )
    lines = pay_lines(facts.works, paid, versions, _percents(qualities, versions))
    before = facts_at(history, begin) if begin else Facts((), ())
    known = {task.submission for task in before.reviewed_tasks}
    reviewed_tasks = [task for task in facts.reviewed_tasks if task.submission not in known]
    units = {work.unit for work in facts.works} - {work.unit for work in before.works}
    earnings = _earnings(history, facts, lines, reviewed_tasks, units, versions[-1], qualities)
    return _Closing(lines, earnings, qualities, versions[-1].row)


def next_statements(project: Project, end: datetime, measure: F05) -> Sequence[Earnings]:
    """What closing a period at a moment would give everybody.

    Raises:
        RefusedError: It cannot be closed then; the code of the problem says why.
    """
    return _closing(project, _check_end(project, end), end, measure).earnings


def close_period(project: Project, end: datetime, measure: F05, *, by: Person | None) -> PayPeriod:
    """Close the period that ends at a moment: a statement for each person, for ever.

    What was done before that moment changes no more, so it is counted, and F0.5 measured, before
    anything is locked.

    Raises:
        RefusedError: It cannot be closed then; the code of the problem says why.
        ConflictError: Another period, or another formula, came between.
    """
    begin = _check_end(project, end)
    return _write_period(project, begin, end, _closing(project, begin, end, measure), by)


@transactional
def _write_period(
    project: Project, begin: datetime | None, end: datetime, closing: _Closing, by: Person | None
) -> PayPeriod:
    project = lock_project(project.pk)
    if _check_end(project, end) != begin or _versions(project)[-1].row != closing.formula:
        raise ConflictError("periods or formula have changed meanwhile; look again")
    period = PayPeriod.objects.create(project=project, begin=begin, end=end, by=by)
    by_person: dict[int, list[Line]] = defaultdict(list)
    for line in closing.lines:
        by_person[line.person].append(line)
    entries: list[PayEntry] = []
    for earnings in closing.earnings:
        lines = by_person[earnings.person]
        entries += _write_statement(period, earnings, lines, closing.qualities, closing.formula)
    PayEntry.objects.bulk_create(entries, batch_size=500)
    Notice.objects.bulk_create(
        Notice(person_id=statement.person_id, project=project, kind="pay_statement",
               data={"statement": statement.pk})
        for statement in period.statements.all()
    )  # fmt: skip
    audit.record(
        "pay.closed",
        who=by,
        project=project,
        about=("pay_period", period.pk),
        data={"end": end.isoformat(), "statements": len(closing.earnings), "lines": len(entries)},
    )
    return period


def _write_statement(
    period: PayPeriod,
    earnings: Earnings,
    lines: Sequence[Line],
    qualities: Qualities,
    formula: int,
) -> list[PayEntry]:
    """Write a statement with the quality by a formula; return its entries, not yet written."""
    facts = {
        name: value
        for name, value in asdict(earnings).items()
        if name not in ("person", "currency", "total", "quality")
    }
    facts["formula"] = formula
    facts["quality"] = {
        str(row): asdict(quality)
        for (person, row), quality in qualities.items()
        if person == earnings.person
    }
    statement = PayStatement(
        period=period,
        person_id=earnings.person,
        total=earnings.total,
        currency=earnings.currency,
        facts=json.loads(json.dumps(facts)),
    )
    statement.sha256 = fingerprint(statement, lines)
    statement.save()
    return [
        PayEntry(
            statement=statement,
            kind=line.unit[0],
            reason=line.reason,
            amount=line.amount,
            formula_id=line.version,
            reference_id=line.unit[2] or None,
            complaint_id=line.complaint or None,
            detail=dict(line.detail),
            **{_COLUMN[line.unit[0]]: line.unit[1]},
        )
        for line in lines
    ]


def fingerprint(statement: PayStatement, lines: Sequence[Line]) -> str:
    """The SHA-256 of all that a statement says."""
    period = statement.period
    content = {
        "project": period.project_id,
        "person": statement.person_id,
        "begin": period.begin and period.begin.timestamp(),
        "end": period.end.timestamp(),
        "total": statement.total,
        "currency": statement.currency,
        "facts": statement.facts,
        "lines": sorted(([*line.unit, *line[1:]] for line in lines), key=str),
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def earnings_of(statement: PayStatement) -> Earnings:
    """What a statement says, as previews do."""
    facts: dict[str, Any] = dict(statement.facts)
    values = facts.pop("quality").get(str(facts.pop("formula")), {})
    quality = Quality(**values)
    return Earnings(
        statement.person_id, statement.currency, statement.total, quality=quality, **facts
    )


# Recomputation: the same cents from history, or a line that says where not (INV-13).


def recompute(project: Project) -> Iterator[str]:
    """Make all statements again from the history, and yield where the ledger says otherwise.

    F0.5 is taken as the statement has it: another version of the scheme may find other edits.
    """
    entries = Prefetch("entries", PayEntry.objects.order_by("pk"))
    whole = Prefetch("statements", PayStatement.objects.prefetch_related(entries))
    periods = list(project.pay_periods.order_by("end", "pk").prefetch_related(whole))
    if not periods:
        return
    history, versions = history_of(project), _versions(project)
    paid: dict[Unit, Line] = {}
    before: datetime | None = None
    for period in periods:
        if period.begin != before:
            yield f"the period up to {period.end:%Y-%m-%d} does not follow the one before it"
        before = period.end
        statements = {statement.person_id: statement for statement in period.statements.all()}
        lines = _lines_again(history, versions, paid, period.end, statements)
        paid = apply_lines(paid, lines)
        yield from _differences(period, statements, lines)


def _lines_again(
    history: History,
    versions: Sequence[Version],
    paid: Mapping[Unit, Line],
    end: datetime,
    statements: Mapping[int, PayStatement],
) -> Sequence[Line]:
    def f05_of(version: Version, people: Mapping[int, object]) -> dict[int, float]:
        known = {
            person: statement.facts.get("quality", {}).get(str(version.row), {}).get("f05")
            for person, statement in statements.items()
            if person in people
        }
        return {person: value for person, value in known.items() if value is not None}

    facts = facts_at(history, end)
    qualities = _qualities(facts.reviewed_tasks, versions, f05_of)
    return pay_lines(facts.works, paid, versions, _percents(qualities, versions))


def _differences(
    period: PayPeriod, statements: Mapping[int, PayStatement], lines: Iterable[Line]
) -> Iterator[str]:
    expected: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        expected[line.person].append(line)
    for person in sorted({*expected, *statements}):
        where = f"period up to {timezone.localtime(period.end):%Y-%m-%d %H:%M}, person {person}"
        statement = statements.get(person)
        if statement is None:
            yield f"{where}: has no statement, and earned {len(expected[person])} lines"
            continue
        entries = [_line_of(entry, person) for entry in statement.entries.all()]
        total = sum(line.amount for line in entries)
        if total != statement.total:
            yield f"{where}: the statement says {statement.total}, its entries are {total}"
        if fingerprint(statement, entries) != statement.sha256:
            yield f"{where}: the statement was changed after it was written"
        again = sum(line.amount for line in expected[person])
        if _comparable(entries) != _comparable(expected[person]):
            yield f"{where}: the ledger has {total} in {len(entries)} lines, history gives {again}"


def _comparable(lines: Iterable[Line]) -> list[tuple[object, ...]]:
    return sorted((*line.unit, line.reason, line.amount, line.version) for line in lines)
