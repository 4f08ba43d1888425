"""Drafts: saved often, never overwritten silently (section 4.9)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from pydantic import BaseModel, ConfigDict, StrictInt, StrictStr, ValidationError

from gecbench.server.choices import Decision, MemberStatus, SlotState, TaskState, VariantOrigin
from gecbench.server.models import (
    Draft,
    DraftRevision,
    Member,
    Person,
    Review,
    ReviewTask,
    Sentence,
    Skip,
    Slot,
    Submission,
    Variant,
    Verdict,
)
from gecbench.server.models.base import compiled_models, insert
from gecbench.server.rules.text import whole
from gecbench.server.workflow import review_tasks, sentences
from gecbench.server.workflow.answers import Answer, CaseAnswer, ReviewAnswer, Ruling
from gecbench.server.workflow.errors import (
    ConflictError,
    GoneError,
    NotYoursError,
    Problem,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.transactions import (
    lock_member,
    lock_sentence,
    transactional,
    write_columns,
)

MOST_BYTES = 200_000
"""A draft's payload is refused beyond this."""

_RENEW_AFTER = timedelta(minutes=1)
_MOST_REV = 2**31 - 2


class _Shape(BaseModel):
    """The payload of a draft, which a script sends."""

    model_config = ConfigDict(extra="forbid")

    decision: Decision | Literal[""] = ""
    texts: list[StrictStr] = []
    reason: StrictStr = ""
    note: StrictStr = ""
    active_ms: StrictInt = 0
    proposal: StrictInt = 0


_KINDS = {"decision": "draft-decision", "texts": "draft-texts"}


@dataclass(frozen=True, slots=True)
class _Received:
    """A draft as it came: made from revision `rev`."""

    rev: int
    payload: dict[str, object]
    client_at: datetime | None = None


def save_draft(
    member: Member,
    slot_id: int,
    *,
    rev: int,
    payload: Mapping[str, object],
    client_at: datetime | None = None,
) -> Draft:
    """Save a draft that was made from revision `rev` (0: none); renews the lease.

    The payload is `{"decision": "corrected"|..., "texts": [...], "reason": "", "note": "",
    "active_ms": 0}`, of a variant with `"proposal": 0`. What is received is kept even where it is
    refused as a conflict, or the lease is over (INV-10, INV-15); a holder whose lease is over gets
    a free slot back silently. NUL and halves of characters, which no database takes, become U+FFFD.

    Raises:
        ConflictError: Another tab wrote meanwhile; `current` is the server's Draft.
        GoneError: The lease is over and the slot taken; the text was kept.
        NotYoursError: The person never held the slot.
        RefusedError: The payload is not of that shape, or too long.
    """
    return _save(member, slot_id, _receive(rev, _shaped(_plain(payload)), client_at))


def _receive(rev: int, payload: dict[str, object], client_at: datetime | None) -> _Received:
    if not 0 <= rev <= _MOST_REV:
        values = {"most": _MOST_REV, "rev": rev}
        raise RefusedError([Problem("draft-shape", "rev", values, "draft-rev")])
    return _Received(rev, payload, client_at)


def _plain(payload: Mapping[str, object]) -> dict[str, object]:
    """A payload as databases take it."""
    try:
        written = json.dumps(payload, default=str, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise RefusedError([Problem("draft-shape", kind="draft-numbers")]) from error
    if len(written.encode(errors="surrogatepass")) > MOST_BYTES:
        raise RefusedError([Problem("draft-too-long", values={"most": MOST_BYTES})])
    return {whole(str(key)): _whole(value) for key, value in payload.items()}


def _whole(value: object) -> object:
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, list | tuple):
        return [_whole(entry) for entry in value]
    if isinstance(value, Mapping):
        return {whole(str(key)): _whole(item) for key, item in value.items()}
    return value


def _shaped(payload: dict[str, object]) -> dict[str, object]:
    try:
        _Shape.model_validate(payload)
    except ValidationError as error:
        key = str(error.errors()[0]["loc"][0])
        values = {"key": key, "keys": ", ".join(_Shape.model_fields)}
        kind = _KINDS.get(key, "draft-key")
        raise RefusedError([Problem("draft-shape", key, values, kind)]) from error
    return payload


@transactional
def _save(member: Member, slot_id: int, received: _Received) -> Draft | WorkflowError:
    slot = next(iter(_slots(slot_id, member.project_id)), None)
    if slot is None or not sentences.has_held(slot, member.person):
        raise NotYoursError("task {slot_id} is not one of yours", slot_id=slot_id)
    if slot.person_id == member.person_id and slot.state != SlotState.OPEN:
        keep_aside(slot, member.person, received.payload)
        return ConflictError(
            "this task was handed in already; what you typed since was kept",
            get_draft(member, slot_id),
        )
    current = slot if slot.person_id == member.person_id else sentences.resume_lost(member, slot)
    outcome = _write(_place(member.person, slot=slot), received)
    if current is None:
        return GoneError("this task is no longer yours; what you typed was kept as a draft")
    until = sentences.lease(member.project.rules)
    if current.lease_until is None or until - current.lease_until > _RENEW_AFTER:
        slots = Slot.objects.filter(pk=slot_id, state=SlotState.OPEN, person_id=member.person_id)
        slots.update(lease_until=until)
    if isinstance(outcome, Draft) and current.pk == slot_id:
        outcome.slot = current  # with its version now, which the page needs
    return outcome


@compiled_models
def _slots(key: int, project: int) -> QuerySet[Slot]:
    return Slot.objects.filter(pk=key, project_id=project)


def keep_aside(slot: Slot, person: Person, payload: dict[str, object]) -> None:
    """Keep a text beside the draft, which stays; nothing where it is the draft already."""
    draft = Draft.objects.filter(slot=slot, person=person).first()
    if draft is None or draft.payload != payload:
        _aside(_place(person, slot=slot), _Received(draft.rev if draft else 0, payload))


def keep_review_aside(
    sentence: Sentence, person: Person, answer: ReviewAnswer | CaseAnswer | Ruling
) -> None:
    """Keep a review or ruling that was refused, beside the draft; nothing where none was begun."""
    tasks = ReviewTask.objects.filter(sentence=sentence).order_by("-pk")
    task = tasks.filter(drafts__person=person).first() or tasks.first()
    if task is not None:
        draft = Draft.objects.filter(task=task, person=person).first()
        payload = {key: _whole(value) for key, value in asdict(answer).items()}
        _aside(_place(person, task=task), _Received(draft.rev if draft else 0, payload))


def payload_of(answer: Answer) -> dict[str, object]:
    """An answer as a draft."""
    received = {
        "decision": str(answer.decision),
        "texts": list(answer.texts),
        "reason": answer.reason,
        "note": answer.note,
        "active_ms": answer.active_ms,
    }
    if answer.proposal:
        received["proposal"] = answer.proposal
    return {key: _whole(value) for key, value in received.items()}


def payload_of_submission(submission: Submission) -> dict[str, object]:
    """What was handed in as a draft."""
    variant = Variant.objects.filter(submission=submission).first()
    texts = variant.gaps if variant else None
    if texts is None:
        texts = submission.references.order_by("position").values_list("text", flat=True)
    proposed = variant is not None and variant.origin != VariantOrigin.PERSON
    return {
        "decision": str(submission.decision),
        "texts": list(texts),
        "reason": submission.reason,
        "note": submission.reason_note,
        "active_ms": submission.active_ms,
        **({"proposal": variant.proposal_id} if variant and proposed else {}),
    }


def payload_of_review(review: Review) -> dict[str, object]:
    """What was decided as a draft of the page, whether it stands or was taken back."""
    rows: dict[str, dict[str, object]] = {
        verdict.digest or verdict.decision: {
            "correct": verdict.correct,
            "reasons": list(verdict.reasons),
            "note": verdict.note,
            "section": verdict.section,
        }
        for verdict in Verdict._base_manager.filter(review=review).order_by("pk")
    }
    additions = []
    for reference in review.references.select_related("parent").order_by("position"):
        row = rows.get(reference.parent.digest, {}) if reference.parent else {}
        if row and "modified" not in row:
            row["modified"] = reference.text
        else:
            additions.append(reference.text)
    return {
        "decision": str(review.decision),
        "rows": rows,
        "additions": additions,
        "reason": review.reason,
        "note": review.note,
        "active_ms": review.active_ms,
    }


def _place(
    person: Person, *, slot: Slot | None = None, task: ReviewTask | None = None
) -> dict[str, Any]:
    """The columns that say whose a draft is, and for what: a slot or a review task."""
    return {"slot": slot, "task": task, "person": person}


def _write(place: Mapping[str, Any], received: _Received) -> Draft | WorkflowError:
    """Make a received text the draft, if it was made from the one that is there."""
    draft = _lock_draft(place)
    if draft is not None and draft.payload == received.payload:
        return draft  # sent twice, because the answer was lost
    if draft is not None and draft.rev != received.rev:
        _aside(place, received)
        return ConflictError("another window has saved a newer draft", draft)
    now = timezone.now()
    columns = {"payload": received.payload, "rev": received.rev + 1, "saved_at": now}
    if draft is None:
        draft = insert(Draft(**place, **columns))
    else:
        write_columns(draft, **columns)
    revision = DraftRevision(
        **place, rev=draft.rev, payload=received.payload, at=now, client_at=received.client_at
    )
    insert(revision)
    return draft


def _lock_draft(place: Mapping[str, Any]) -> Draft | None:
    slot, task, person = place["slot"], place["task"], place["person"]
    drafts = _lock_drafts(slot.pk, person.pk) if slot else _lock_review_drafts(task.pk, person.pk)
    return next(iter(drafts), None)


@compiled_models
def _lock_drafts(slot: int, person: int) -> QuerySet[Draft]:
    return Draft.objects.select_for_update(no_key=True).filter(slot=slot, person=person)


@compiled_models
def _lock_review_drafts(task: int, person: int) -> QuerySet[Draft]:
    return Draft.objects.select_for_update(no_key=True).filter(task=task, person=person)


def _aside(place: Mapping[str, Any], received: _Received) -> None:
    """Keep a text that does not become the draft; the same one again is kept once."""
    columns = {**place, "conflicting": True}
    last = DraftRevision.objects.filter(**columns).order_by("-pk").first()
    if last is None or last.payload != received.payload:
        DraftRevision.objects.create(
            **columns, rev=received.rev + 1, payload=received.payload, client_at=received.client_at
        )


def get_draft(member: Member, slot_id: int) -> Draft | None:
    """The member's draft for a slot."""
    return next(iter(_drafts(slot_id, member.project_id, member.person_id)), None)


@compiled_models
def _drafts(slot: int, project: int, person: int) -> QuerySet[Draft]:
    return Draft.objects.filter(slot_id=slot, slot__project_id=project, person_id=person)


def orphaned_drafts(member: Member) -> tuple[Draft, ...]:
    """Drafts whose slot the member lost, newest first, never submitted (INV-15).

    What they have put off themselves is not lost, nor what they hold another slot of.
    """
    here = {"sentence_id": OuterRef("slot__sentence_id"), "person_id": member.person_id}
    drafts = Draft.objects.filter(
        ~Exists(Slot.objects.filter(**here)),
        ~Exists(Submission.objects.filter(**here)),
        ~Exists(Skip.objects.filter(**here, recalled_at=None)),
        slot__project_id=member.project_id,
        person_id=member.person_id,
    )
    return tuple(drafts.select_related("slot__sentence").order_by("-saved_at", "-pk"))


def save_review_draft(
    member: Member,
    sentence: Sentence,
    *,
    rev: int,
    payload: Mapping[str, object],
    client_at: datetime | None = None,
) -> Draft:
    """Save what a reviewer has typed so far, for the open review task of a sentence.

    The payload is free JSON of the page (verdicts, additions, note); raises as `save_draft`.
    """
    return _save_review(member, sentence.pk, _receive(rev, _plain(payload), client_at))


@transactional
def _save_review(member: Member, sentence_id: int, received: _Received) -> Draft | WorkflowError:
    task = review_tasks.live_task(sentence_id)
    if task is None or task.project_id != member.project_id or not _is_mine(task, member):
        return _save_late_review(member, sentence_id, received)
    outcome = _write(_place(member.person, task=task), received)
    ReviewTask.objects.filter(
        pk=task.pk, state=TaskState.OPEN, reviewer_id=member.person_id
    ).update(lease_until=sentences.lease(member.project.rules))
    return outcome


def _is_mine(task: ReviewTask, member: Member) -> bool:
    return task.state == TaskState.OPEN and task.reviewer_id == member.person_id


def _save_late_review(
    member: Member, sentence_id: int, received: _Received
) -> Draft | WorkflowError:
    """Keep what a reviewer sends whose lease is over; a free task is theirs again silently."""
    member = lock_member(member)
    sentence = lock_sentence(sentence_id, member.project_id)
    tasks = ReviewTask.objects.filter(sentence=sentence).order_by("-pk")
    task = tasks.filter(drafts__person_id=member.person_id).first() or tasks.first()
    held = review_tasks.has_held_slot(member.person_id, sentence_id)
    if task is None or held or not (member.is_reviewer or member.is_manager):
        raise NotYoursError(
            "sentence {sentence_id} is not one that you review", sentence_id=sentence_id
        )
    resumed = _review_again(member, task, sentence)
    outcome = _write(_place(member.person, task=task), received)
    if resumed:
        return outcome
    return GoneError("this review is no longer yours; what you typed was kept as a draft")


def _review_again(member: Member, task: ReviewTask, sentence: Sentence) -> bool:
    """Take a free task that a reviewer comes back to; return whether it is theirs."""
    open_ones = ReviewTask.objects.filter(
        project_id=member.project_id, reviewer_id=member.person_id, state=TaskState.OPEN
    )
    if sentences.is_closed(member.project) or member.status != MemberStatus.ACTIVE:
        return False
    if not member.is_reviewer or open_ones.exists():
        return False
    waiting = review_tasks.waiting_tasks(member).filter(pk=task.pk)
    return waiting.exists() and review_tasks.claim_task(member, task.pk, sentence.pk) is not None
