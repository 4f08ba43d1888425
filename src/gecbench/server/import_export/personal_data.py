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


def own_data(person: Person) -> Iterator[bytes]:
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


def _kinds(
    person: Person,
) -> Iterator[tuple[str, QuerySet[Any, Any], Callable[[Any], Json]]]:
    texts = Prefetch("references", Reference.objects.order_by("position", "pk"))
    verdicts = Prefetch("verdicts", Verdict._base_manager.order_by("pk"))
    at_slot = ("slot__sentence__project", "task__sentence__project")
    yield "membership", _of(Member, "project", person=person), _membership
    yield "membership_change", _of(MemberEvent, "member__project", member__person=person), _change
    yield "assignment", _of(Assignment, "member__project", member__person=person), _assignment
    yield (
        "acknowledged",
        _of(Acknowledgement, "guideline__project", person=person),
        _acknowledgement,
    )
    yield "place", _of(SlotEvent, "sentence__project", person=person), _event
    yield "put_off", _of(Skip, "sentence__project", person=person), _skip
    yield "draft", _of(Draft, *at_slot, person=person), _draft
    yield "draft_revision", _of(DraftRevision, *at_slot, person=person), _revision
    handed_in = _of(Submission, "sentence__project", "variant", person=person).prefetch_related(
        texts
    )
    yield "submission", handed_in, _submission
    checks = VariantCheck._base_manager.filter(review__reviewer=person)
    checks = checks.select_related("slot", "review__sentence__project").order_by("pk")
    yield "variant_check", checks, _check
    suggestions = _of(SuggestionEvent, "suggestion__sentence__project", person=person)
    yield "suggestion", suggestions, _suggestion
    yield "reading", _of(Reading, "sentence__project", person=person), _reading
    reviews = _of(Review, "sentence__project", reviewer=person)
    yield "review", reviews.prefetch_related(texts, verdicts), _review
    yield "study", _of(Study, "sentence__project", "reference", person=person), _study
    tries = _of(StudyTry, "study__sentence__project", study__person=person)
    yield "study_try", tries, _study_try
    trials = _of(Trial, "member__project", member__person=person).prefetch_related("tasks")
    yield "trial", trials, _trial
    answers = _of(PracticeAnswer, "sentence__project", "task__trial", person=person)
    yield "practice_answer", answers, _practice_answer
    yield "complaint", _of(Complaint, "study__sentence__project", person=person), _complaint
    complaints = _of(Complaint, "study__sentence__project", handler=person)
    yield "ruling", complaints, _ruling
    statements = _of(PayStatement, "period__project", person=person)
    yield "pay_statement", statements.prefetch_related("entries__formula"), _pay_statement
    judged = _of(InspectionJudge, "round__project", member__person=person)
    yield "inspection", judged, _inspection
    at_item = ("item__sentence__project", "item__reference", "item__variant")
    ratings = _of(Rating, *at_item, judge__member__person=person)
    yield "rating", ratings.prefetch_related("answers"), _rating
    resolutions = _of(Resolution, "item__sentence__project", by=person)
    yield "resolution", resolutions, _resolution
    about = ("complaint__study__sentence__project", "sentence__project", "item__sentence__project")
    yield "message", _of(Message, *about, person=person), _message
    yield "guideline", _of(Guideline, "project", by=person), _guideline
    yield "guideline_case", _of(GuidelineCase, "project", by=person), _case
    yield "import", _of(ImportBatch, "project", by=person), _import
    yield "release", _of(Release, "project", by=person), _release
    yield "notice", _of(Notice, "project", person=person), _notice
    yield "token", _of(Token, person=person), _token
    yield "log", _of(Audit, "project", who=person), _log


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


def _slug(row: Any) -> str | None:
    return row.project.slug if row.project else None


def _sentence(row: Any) -> Json:
    return {"project": row.project.slug, "sentence": row.number, "source": row.text}


def _membership(row: Member) -> Json:
    roles = [str(role) for role in row.roles]
    return {"project": _slug(row), "roles": roles, "status": row.status, "since": _time(row.since)}


def _change(row: MemberEvent) -> Json:
    return {
        "project": row.member.project.slug,
        "old": row.old,
        "new": row.new,
        "at": _time(row.at),
    }


def _assignment(row: Assignment) -> Json:
    return {
        "project": row.member.project.slug,
        "role": row.role,
        "quota": row.quota,
        "at": _time(row.at),
        "due_at": _time(row.due_at),
        "ended_at": _time(row.ended_at),
    }


def _acknowledgement(row: Acknowledgement) -> Json:
    version = row.guideline.version
    return {"project": row.guideline.project.slug, "guideline": version, "at": _time(row.at)}


def _event(row: SlotEvent) -> Json:
    # Who reviewed it has no name for authors, and no number.
    data = {key: value for key, value in row.data.items() if key not in ("by", "undone")}
    return {**_sentence(row.sentence), "what": row.kind, "data": data, "at": _time(row.at)}


def _skip(row: Skip) -> Json:
    return {**_sentence(row.sentence), "at": _time(row.at), "recalled_at": _time(row.recalled_at)}


def _about(row: Draft | DraftRevision) -> Json:
    place = row.slot or row.task
    if place is None:
        raise AssertionError("a draft has a place")  # pragma: no cover - a constraint
    return {**_sentence(place.sentence), "for": "work" if row.slot else "review"}


def _draft(row: Draft) -> Json:
    return {**_about(row), "rev": row.rev, "payload": row.payload, "saved_at": _time(row.saved_at)}


def _revision(row: DraftRevision) -> Json:
    values = {"rev": row.rev, "payload": row.payload, "conflicting": row.conflicting}
    return {**_about(row), **values, "at": _time(row.at), "client_at": _time(row.client_at)}


def _submission(row: Submission) -> Json:
    return {
        **_sentence(row.sentence),
        "no": row.no,
        "decision": row.decision,
        "texts": [reference.text for reference in row.references.all()],
        "reason": row.reason,
        "note": row.reason_note,
        "active_ms": row.active_ms,
        "at": _time(row.at),
        **_variant(getattr(row, "variant", None)),
    }


def _variant(row: Variant | None) -> Json:
    if row is None:
        return {}
    return {"variant": {"source": row.source, "target": row.target, "origin": row.origin}}


def _check(row: VariantCheck) -> Json:
    edited = getattr(row, "edited", None)
    values = {"decision": row.decision, "reasons": row.reasons, "note": row.note}
    place = {**_sentence(row.review.sentence), "position": row.slot.no}
    return {**place, **values, **_variant(edited), "at": _time(row.review.at)}


def _suggestion(row: SuggestionEvent) -> Json:
    return {
        **_sentence(row.suggestion.sentence),
        "at": _time(row.at),
        "event": row.kind,
        "text": row.suggestion.text,
    }


def _reading(row: Reading) -> Json:
    return {**_sentence(row.sentence), "at": _time(row.at)}


def _review(row: Review) -> Json:
    return {
        **_sentence(row.sentence),
        "decision": row.decision,
        "reason": row.reason,
        "note": row.note,
        "added": [reference.text for reference in row.references.all()],
        "verdicts": [
            {
                "correct": verdict.correct,
                "reasons": verdict.reasons,
                "note": verdict.note,
                "cites": verdict.section,
            }
            for verdict in row.verdicts.all()
        ],
        "active_ms": row.active_ms,
        "at": _time(row.at),
    }


def _study(row: Study) -> Json:
    return {
        **_sentence(row.sentence),
        "text": row.reference.text if row.reference else None,
        "state": row.state,
        "closed_because": row.close_reason,
        "attempts": row.attempts,
        "opened_at": _time(row.opened_at),
        "closed_at": _time(row.closed_at),
    }


def _study_try(row: StudyTry) -> Json:
    values = {"decision": row.decision, "text": row.text, "matched": row.matched}
    at = _time(row.at)
    return {**_sentence(row.study.sentence), **values, "counted": row.counted, "at": at}


def _trial(row: Trial) -> Json:
    times = {"started_at": _time(row.started_at), "ended_at": _time(row.ended_at)}
    result = {"state": row.state, "right": row.accepted, "size": row.size, "percent": row.percent}
    return {"project": row.member.project.slug, "no": row.no, **result, **times}


def _practice_answer(row: PracticeAnswer) -> Json:
    trial_is_open = row.task is not None and row.task.trial.ended_at is None
    right = None if trial_is_open else row.right  # nobody learns it before the end
    answer = {"decision": row.decision, "text": row.text, "right": right}
    place = {"trial": row.task.trial.no if row.task else None, "counted": row.counted}
    return {**_sentence(row.sentence), **answer, **place, "at": _time(row.at)}


def _complaint(row: Complaint) -> Json:
    times = {"opened_at": _time(row.opened_at), "decided_at": _time(row.decided_at)}
    return {**_sentence(row.study.sentence), "level": row.level, "state": row.state, **times}


def _ruling(row: Complaint) -> Json:
    values = {"note": row.decision_note, "cites": row.section, "decided_at": _time(row.decided_at)}
    return {**_sentence(row.study.sentence), "state": row.state, **values}


def _pay_statement(row: PayStatement) -> Json:
    times = {"from": _time(row.period.begin), "to": _time(row.period.end)}
    lines = [
        {
            "kind": entry.kind,
            "reason": entry.reason,
            "amount": amount_text(entry.amount, row.currency),
            "formula": entry.formula.version,
            **entry.detail,
        }
        for entry in sorted(row.entries.all(), key=lambda entry: entry.pk)
    ]
    total = amount_text(row.total, row.currency)
    amount = {"total": total, "currency": row.currency, "sha256": row.sha256}
    return {"project": row.period.project.slug, **times, **amount, **row.facts, "lines": lines}


def _inspection(row: InspectionJudge) -> Json:
    values = {"round": row.round.name, "size": row.round.size, "at": _time(row.round.at)}
    return {"project": row.round.project.slug, **values}


def _rating(row: Rating) -> Json:
    return {
        **_sentence(row.item.sentence),
        "text": row.item.target,
        "no": row.no,
        "undone": row.undone,
        "accept": {answer.criterion: answer.accept for answer in row.answers.all()},
        "note": row.note,
        "at": _time(row.at),
    }


def _resolution(row: Resolution) -> Json:
    values = {"criterion": row.criterion, "accept": row.accept, "note": row.note}
    return {**_sentence(row.item.sentence), **values, "at": _time(row.at)}


def _message(row: Message) -> Json:
    place = row.complaint.study if row.complaint else row.item
    sentence = place.sentence if place else row.sentence
    return {**_sentence(sentence), "text": row.text, "at": _time(row.at)}


def _guideline(row: Guideline) -> Json:
    at = _time(row.published_at)
    return {"project": _slug(row), "version": row.version, "note": row.note, "at": at}


def _case(row: GuidelineCase) -> Json:
    return {"project": _slug(row), "note": row.note, "at": _time(row.at)}


def _import(row: ImportBatch) -> Json:
    return {"project": _slug(row), "file": row.file_name, "at": _time(row.at)}


def _release(row: Release) -> Json:
    return {"project": _slug(row), "name": row.name, "note": row.note, "at": _time(row.at)}


def _notice(row: Notice) -> Json:
    return {"project": _slug(row), "what": row.kind, "data": row.data, "at": _time(row.at)}


def _token(row: Token) -> Json:
    times = {"created_at": _time(row.created_at), "last_used_at": _time(row.last_used_at)}
    ends = {"expires_at": _time(row.expires_at), "revoked_at": _time(row.revoked_at)}
    return {"name": row.name, "scopes": row.scopes, **times, **ends}


def _log(row: Audit) -> Json:
    thing = {"object": row.object_kind, "id": row.object_id, "data": row.data}
    at = {"at": _time(row.at), "address": row.address}
    return {"project": _slug(row), "what": row.what, **thing, **at}
