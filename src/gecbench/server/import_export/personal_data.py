"""All that a site keeps of one person, as a file for them (section 5.3, privacy)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from axes.models import AccessFailureLog
from django.db.models import Model, Prefetch, QuerySet
from django.utils import timezone

from gecbench import __version__
from gecbench.server.import_export.corpora import lines_of
from gecbench.server.models import (
    Acknowledgement,
    Assignment,
    Audit,
    Complaint,
    Draft,
    DraftRevision,
    Guideline,
    GuidelineCase,
    ImportBatch,
    InspectionJudge,
    Member,
    MemberEvent,
    Message,
    Notice,
    PayStatement,
    Person,
    PracticeAnswer,
    Rating,
    Reading,
    Reference,
    Release,
    Resolution,
    Review,
    Skip,
    SlotEvent,
    Study,
    StudyTry,
    Submission,
    SuggestionEvent,
    Token,
    Trial,
    Variant,
    VariantCheck,
    Verdict,
)
from gecbench.server.rules.pay import amount_text

Json = dict[str, object]
FORMAT = "gecbench-own-data"
_SCHEMA = 1
_PIECE = 500


def export_personal_data(person: Person) -> Iterator[bytes]:
    """Yield a header, then a line for each thing that the site keeps of a person, by kind.

    What they wrote and did is in it, with the number and the text of each sentence they worked on.
    What others wrote is not: an annotator who reads their file learns nothing of other answers.
    """
    yield from lines_of([_header(person)])
    for kind, rows, describe in _kinds(person):
        last = 0
        while piece := list(rows.filter(pk__gt=last).order_by("pk")[:_PIECE]):
            yield from lines_of({"kind": kind, **describe(row)} for row in piece)
            last = piece[-1].pk
    yield from lines_of({"kind": "session", **row} for row in _sessions(person))
    yield from lines_of({"kind": "failed_sign_in", **row} for row in _failures(person))


def file_name(person: Person) -> str:
    """What the file is called."""
    return f"gecbench-{person.login}.jsonl"


def _header(person: Person) -> Json:
    return {
        "format": FORMAT,
        "schema": _SCHEMA,
        "gecbench": __version__,
        "login": person.login,
        "name": person.name,
        "email": person.email,
        "language": person.language,
        "time_zone": person.time_zone,
        "theme": person.theme,
        "preferences": person.preferences,
        "administrator": person.is_administrator,
        "active": person.is_active,
        "created_at": _time(person.created_at),
    }


Columns = tuple[str, ...]
"""What is told of a row, each as `name` or as `name=path.to.it`."""

_PROJECT = "project=project.slug"


def _sentence(path: str) -> Columns:
    """The columns of a sentence, which a path leads to."""
    columns = (("project", "project.slug"), ("sentence", "number"), ("source", "text"))
    return tuple(f"{name}={path}.{column}" for name, column in columns)


def _kinds(
    person: Person,
) -> Iterator[tuple[str, QuerySet[Any, Any], Callable[[Any], Json]]]:
    """Yield each kind of line with its rows, and what makes a line of a row."""
    texts = Prefetch("references", Reference.objects.order_by("position", "pk"))
    verdicts = Prefetch("verdicts", Verdict._base_manager.order_by("pk"))
    at_slot = ("slot__sentence__project", "task__sentence__project")
    at_item = ("item__sentence__project", "item__reference", "item__variant")
    about = ("complaint__study__sentence__project", "sentence__project", "item__sentence__project")

    columns: Columns = ("roles", "status", "since")
    yield "membership", _of(Member, "project", person=person), _columns(_PROJECT, *columns)

    rows = _of(MemberEvent, "member__project", member__person=person)
    yield "membership_change", rows, _columns("project=member.project.slug", "old", "new", "at")

    rows = _of(Assignment, "member__project", member__person=person)
    columns = ("role", "quota", "at", "due_at", "ended_at")
    yield "assignment", rows, _columns("project=member.project.slug", *columns)

    rows = _of(Acknowledgement, "guideline__project", person=person)
    columns = ("guideline=guideline.version", "at")
    yield "acknowledged", rows, _columns("project=guideline.project.slug", *columns)

    yield "place", _of(SlotEvent, "sentence__project", person=person), _event

    rows = _of(Skip, "sentence__project", person=person)
    yield "put_off", rows, _columns(*_sentence("sentence"), "at", "recalled_at")

    yield "draft", _of(Draft, *at_slot, person=person), _draft("rev", "payload", "saved_at")

    columns = ("rev", "payload", "conflicting", "at", "client_at")
    yield "draft_revision", _of(DraftRevision, *at_slot, person=person), _draft(*columns)

    rows = _of(Submission, "sentence__project", "variant", person=person)
    yield "submission", rows.prefetch_related(texts), _submission

    rows = VariantCheck._base_manager.filter(review__reviewer=person)
    rows = rows.select_related("slot", "review__sentence__project").order_by("pk")
    yield "variant_check", rows, _check

    rows = _of(SuggestionEvent, "suggestion__sentence__project", person=person)
    columns = ("at", "event=kind", "text=suggestion.text")
    yield "suggestion", rows, _columns(*_sentence("suggestion.sentence"), *columns)

    rows = _of(Reading, "sentence__project", person=person)
    yield "reading", rows, _columns(*_sentence("sentence"), "at")

    rows = _of(Review, "sentence__project", reviewer=person)
    yield "review", rows.prefetch_related(texts, verdicts), _review

    rows = _of(Study, "sentence__project", "reference", person=person)
    columns = ("state", "closed_because=close_reason", "attempts", "opened_at", "closed_at")
    columns = (*_sentence("sentence"), "text=reference.text", *columns)
    yield "study", rows, _columns(*columns)

    rows = _of(StudyTry, "study__sentence__project", study__person=person)
    columns = ("decision", "text", "matched", "counted", "at")
    yield "study_try", rows, _columns(*_sentence("study.sentence"), *columns)

    rows = _of(Trial, "member__project", member__person=person).prefetch_related("tasks")
    columns = ("no", "state", "right=accepted", "size", "percent", "started_at", "ended_at")
    yield "trial", rows, _columns("project=member.project.slug", *columns)

    rows = _of(PracticeAnswer, "sentence__project", "task__trial", person=person)
    yield "practice_answer", rows, _practice_answer

    rows = _of(Complaint, "study__sentence__project", person=person)
    columns = ("level", "state", "opened_at", "decided_at")
    yield "complaint", rows, _columns(*_sentence("study.sentence"), *columns)

    rows = _of(Complaint, "study__sentence__project", handler=person)
    columns = ("state", "note=decision_note", "cites=section", "decided_at")
    yield "ruling", rows, _columns(*_sentence("study.sentence"), *columns)

    rows = _of(PayStatement, "period__project", person=person)
    yield "pay_statement", rows.prefetch_related("entries__formula"), _pay_statement

    rows = _of(InspectionJudge, "round__project", member__person=person)
    columns = ("round=round.name", "size=round.size", "at=round.at")
    yield "inspection", rows, _columns("project=round.project.slug", *columns)

    rows = _of(Rating, *at_item, judge__member__person=person).prefetch_related("answers")
    yield "rating", rows, _rating

    rows = _of(Resolution, "item__sentence__project", by=person)
    columns = ("criterion", "accept", "note", "at")
    yield "resolution", rows, _columns(*_sentence("item.sentence"), *columns)

    yield "message", _of(Message, *about, person=person), _message

    rows = _of(Guideline, "project", by=person)
    yield "guideline", rows, _columns(_PROJECT, "version", "note", "at=published_at")

    yield (
        "guideline_case",
        _of(GuidelineCase, "project", by=person),
        _columns(_PROJECT, "note", "at"),
    )

    rows = _of(ImportBatch, "project", by=person)
    yield "import", rows, _columns(_PROJECT, "file=file_name", "at")

    yield "release", _of(Release, "project", by=person), _columns(_PROJECT, "name", "note", "at")

    rows = _of(Notice, "project", person=person)
    yield "notice", rows, _columns(_PROJECT, "what=kind", "data", "at")

    columns = ("created_at", "last_used_at", "expires_at", "revoked_at")
    yield "token", _of(Token, person=person), _columns("name", "scopes", *columns)

    columns = ("object=object_kind", "id=object_id", "data", "at", "address")
    yield "log", _of(Audit, "project", who=person), _columns(_PROJECT, "what", *columns)


def _sessions(person: Person) -> Iterator[Json]:
    """Yield where somebody is signed in."""
    for row in person.sessions.filter(expire_date__gt=timezone.now()).iterator():
        data = row.get_decoded()
        where = {"address": data.get("address", ""), "browser": data.get("agent", "")}
        began = datetime.fromtimestamp(int(data.get("began", 0)), UTC)
        yield {"began": _time(began), **where, "expires_at": _time(row.expire_date)}


def _failures(person: Person) -> Iterator[Json]:
    """Yield failed tries to sign in under the person's login, which are kept for a month."""
    for row in AccessFailureLog.objects.filter(username=person.login).order_by("pk").iterator():
        yield {"at": _time(row.attempt_time), "address": row.ip_address, "browser": row.user_agent}


def _of(model: type[Model], *with_them: str, **filters: object) -> QuerySet[Any, Any]:
    rows = model._base_manager.filter(**filters)
    return rows.select_related(*with_them) if with_them else rows


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat()


def _columns(*columns: str) -> Callable[[Any], Json]:
    """What makes a line of a row by its columns."""
    return lambda row: _read(row, *columns)


def _read(row: Any, *columns: str) -> Json:
    line: Json = {}
    for column in columns:
        name, _, path = column.partition("=")
        value = row
        for step in (path or name).split("."):
            value = None if value is None else getattr(value, step)
        line[name] = _time(value) if isinstance(value, datetime) else value
    return line


def _event(row: SlotEvent) -> Json:
    # Who reviewed it has no name for authors, and no number.
    data = {key: value for key, value in row.data.items() if key not in ("by", "undone")}
    return {**_read(row, *_sentence("sentence"), "what=kind"), "data": data, "at": _time(row.at)}


def _draft(*columns: str) -> Callable[[Any], Json]:
    """What makes a line of a draft, or of a revision of one."""

    def line(row: Draft | DraftRevision) -> Json:
        place = "slot" if row.slot else "task"
        about = _read(row, *_sentence(f"{place}.sentence"))
        return {**about, "for": "work" if row.slot else "review", **_read(row, *columns)}

    return line


def _submission(row: Submission) -> Json:
    return {
        **_read(row, *_sentence("sentence"), "no", "decision"),
        "texts": [reference.text for reference in row.references.all()],
        **_read(row, "reason", "note=reason_note", "active_ms", "at"),
        **_variant(getattr(row, "variant", None)),
    }


def _variant(row: Variant | None) -> Json:
    return {} if row is None else {"variant": _read(row, "source", "target", "origin")}


def _check(row: VariantCheck) -> Json:
    columns = (*_sentence("review.sentence"), "position=slot.no", "decision", "reasons", "note")
    edited = _variant(getattr(row, "edited", None))
    return {**_read(row, *columns), **edited, "at": _time(row.review.at)}


def _review(row: Review) -> Json:
    return {
        **_read(row, *_sentence("sentence"), "decision", "reason", "note"),
        "added": [reference.text for reference in row.references.all()],
        "verdicts": [
            _read(verdict, "correct", "reasons", "note", "cites=section")
            for verdict in row.verdicts.all()
        ],
        **_read(row, "active_ms", "at"),
    }


def _practice_answer(row: PracticeAnswer) -> Json:
    columns = (*_sentence("sentence"), "decision", "text", "right", "trial=task.trial.no")
    line = _read(row, *columns, "counted", "at")
    if row.task is not None and row.task.trial.ended_at is None:
        line["right"] = None  # nobody learns it before the end
    return line


def _pay_statement(row: PayStatement) -> Json:
    lines = [
        {
            **_read(entry, "kind", "reason"),
            "amount": amount_text(entry.amount, row.currency),
            "formula": entry.formula.version,
            **entry.detail,
        }
        for entry in sorted(row.entries.all(), key=lambda entry: entry.pk)
    ]
    return {
        **_read(row, "project=period.project.slug", "from=period.begin", "to=period.end"),
        "total": amount_text(row.total, row.currency),
        **_read(row, "currency", "sha256"),
        **row.facts,
        "lines": lines,
    }


def _rating(row: Rating) -> Json:
    return {
        **_read(row, *_sentence("item.sentence"), "text=item.target", "no", "undone"),
        "accept": {answer.criterion: answer.accept for answer in row.answers.all()},
        **_read(row, "note", "at"),
    }


def _message(row: Message) -> Json:
    path = "complaint.study.sentence" if row.complaint else "item.sentence"
    return _read(row, *_sentence(path if row.complaint or row.item else "sentence"), "text", "at")
