"""Leases end: nobody sits on a task for ever, and nothing typed is lost by it (INV-15)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache

from django.db import connection
from django.db.models import Count, Exists, F, Min, OuterRef, QuerySet
from django.utils import timezone

from gecbench.server.choices import (
    MemberStatus,
    Purpose,
    SlotEventKind,
    SlotState,
    StudyState,
    TaskState,
)
from gecbench.server.models import (
    Assignment,
    Complaint,
    Member,
    Project,
    ReviewTask,
    Sentence,
    Skip,
    Slot,
    SlotEvent,
    Study,
)
from gecbench.server.rules.options import ProjectOptions
from gecbench.server.workflow import sentences, submissions
from gecbench.server.workflow.errors import (
    ConflictError,
    GuidelineFirstError,
    NotYoursError,
    Problem,
    RefusedError,
)
from gecbench.server.workflow.review_tasks import clock_watch, expire_tasks
from gecbench.server.workflow.sentences import UNDECIDED
from gecbench.server.workflow.transactions import (
    MARK,
    MOMENT,
    Statement,
    has_read_guideline,
    lock_member,
    lock_sentence,
    transactional,
)


@transactional
def release(slot: Slot, *, why: str) -> None:
    """Free an open slot of a person who pauses or leaves; the draft is kept.

    Where it had been submitted and was taken back, that submission stands again.
    """
    _end(slot.pk, slot.project_id, SlotEventKind.RELEASE, {"why": why})


def expire(project: Project, *, most: int = 100) -> int:
    """Free slots and review tasks whose lease (and its grace) is over; return how many.

    The grace is as long as the lease itself. After a jump of this machine's clock nothing expires
    for as long as both together. A slot that had been submitted and was taken back is not freed:
    that submission stands again.
    """
    lease = timedelta(minutes=project.rules.lease_minutes)
    if clock_watch().jumped_within(2 * lease.total_seconds()):
        return 0
    before = timezone.now() - lease
    (late,) = _late(connection.vendor).rows({MARK: project.pk, MOMENT: before})
    freed = 0
    if late[0]:
        over = _slots_over(project.pk, before).order_by("lease_until")
        for slot_id in tuple(over.values_list("pk", flat=True)[:most]):
            freed += _expire_one(slot_id, project.pk, before)
    return freed + (_expire_tasks(project, most) if late[1] else 0)


def _slots_over(project: int | OuterRef, before: datetime) -> QuerySet[Slot]:
    return Slot.objects.filter(project=project, state=SlotState.OPEN, lease_until__lt=before)


@lru_cache(maxsize=2)
def _late(vendor: str) -> Statement:
    """Return what tells whether any slot, and any review task, of a project is over."""
    del vendor  # a part of the key: each kind of database has its own words
    here = OuterRef("pk")
    tasks = ReviewTask.objects.filter(project=here, state=TaskState.OPEN, lease_until__lt=MOMENT)
    late = (Exists(_slots_over(here, MOMENT)), Exists(tasks))
    return Statement.of(Project.objects.filter(pk=MARK).values_list(*late))


@transactional
def _expire_tasks(project: Project, most: int) -> int:
    return expire_tasks(project, most=most)


@transactional
def _expire_one(slot_id: int, project_id: int, before: datetime) -> bool:
    return _end(slot_id, project_id, SlotEventKind.EXPIRE, {}, before=before)


def _end(
    slot_id: int,
    project_id: int,
    kind: SlotEventKind,
    data: Mapping[str, object],
    *,
    before: datetime | None = None,
) -> bool:
    """End a task if it is still open, and its lease over; return whether it was."""
    sentence_id = Slot.objects.values_list("sentence_id", flat=True).get(pk=slot_id)
    sentence = lock_sentence(sentence_id, project_id)
    still = Slot.objects.select_related("person").filter(pk=slot_id, state=SlotState.OPEN)
    if before is not None:
        still = still.filter(lease_until__lt=before)
    slot = still.first()
    if slot is None:
        return False
    submissions.end_task(slot, sentence, kind, dict(data))
    return True


# Tasks are claimed, put off, given back, and expire (section 4.2, the claim algorithm).


FIRST = 60
"""A task is drawn at random among so many that come first."""

TRIES = 5
ROUNDS = 5
_CHANCE = secrets.SystemRandom()  # a fair draw between people; nothing is ever recomputed from it


class NoTask(StrEnum):
    """Why there is no task."""

    ALL_DONE = "all_done"
    NONE_FOR_YOU = "none_for_you"
    STUDY_FIRST = "study_first"
    NOT_ACTIVE = "not_active"
    GUIDELINE_FIRST = "guideline_first"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Claim:
    """A task for a member, or why there is none.

    Args:
        slot: Open and leased to the person, its sentence fetched with it; None where there is none.
        nothing: Why, then.
        fresh: Whether it was claimed just now, not held before.
    """

    slot: Slot | None
    nothing: NoTask | None = None
    fresh: bool = False


def current(member: Member) -> Claim:
    """Return the member's open task, or claim the next one (random among the first 60, WFL-3).

    The member's own batches come first, by their deadlines; before its deadline a batch is offered
    to nobody else. Expired slots met on the way are freed. A person never gets a sentence they
    hold, held or skipped, nor, as annotator, one that they review. One exception, so that nothing
    typed is in vain: what they lost by an expired lease or a pause is offered to them first
    (INV-15).
    """
    held = open_tasks(member)
    return Claim(_renew_lease(held[0])) if held else _next(member)


def claim(member: Member) -> Claim:
    """Claim one more task, if the project's option open_tasks allows it; else the oldest open."""
    held = open_tasks(member)
    if len(held) >= member.project.rules.open_tasks:
        return Claim(_renew_lease(held[0]))
    return _next(member)


def has_task(member: Member) -> bool:
    """Return whether a task waits, without claiming it: an open one, or a free one they may have.

    Near enough to show the way: a task whose lease is over counts only once it is free again.
    """
    if open_tasks(member):
        return True
    return _refusal(member) is None and bool(_first(connection.vendor).rows(_marked(member)))


def _renew_lease(slot: Slot) -> Slot:
    """Lease a task anew whose holder comes back to it after the lease, within the grace."""
    if slot.lease_until is not None and slot.lease_until < timezone.now():
        until = sentences.lease(slot.project.rules)
        mine = Slot.objects.filter(pk=slot.pk, state=SlotState.OPEN, version=slot.version)
        if mine.update(lease_until=until):
            slot.lease_until = until
    return slot


def open_tasks(member: Member) -> tuple[Slot, ...]:
    """Return the member's open tasks, oldest first.

    None to whoever is not active (ROL-4), or has yet to read the guideline.
    """
    if member.status != MemberStatus.ACTIVE or not has_read_guideline(member):
        return ()
    held = Slot.objects.filter(
        project_id=member.project_id, person_id=member.person_id, state=SlotState.OPEN
    )
    return tuple(held.select_related("sentence__source", "project").order_by("claimed_at", "pk"))


def _next(member: Member) -> Claim:
    """Claim a task: what was lost first, else a random one of those that come first."""
    refused = _refusal(member)
    if refused is not None:
        return Claim(None, refused)
    expire(member.project)
    for sentence_id in _lost(member):
        claimed = _take_back(member, sentence_id)
        if claimed is not None:
            return claimed
    for _ in range(ROUNDS):
        batch = _batch(connection.vendor).rows(_marked(member))
        found = batch or _first(connection.vendor).rows(_marked(member))
        if not found:
            return Claim(None, _why_none(member))
        for (sentence_id,) in batch or _CHANCE.sample(found, min(TRIES, len(found))):
            claimed = _take(member, sentence_id)
            if claimed is not None:
                return claimed
    raise ConflictError("many people ask for tasks at this moment; ask again")


def _refusal(member: Member) -> NoTask | None:
    """Return why a member gets no new task at all; None where they may."""
    if sentences.is_closed(member.project):
        return NoTask.CLOSED
    if not sentences.is_annotating(member):
        return NoTask.NOT_ACTIVE
    if not has_read_guideline(member):
        return NoTask.GUIDELINE_FIRST
    rules = member.project.rules
    return NoTask.STUDY_FIRST if rules.study_gate and _must_study(member, rules) else None


def _must_study(member: Member, rules: ProjectOptions) -> bool:
    """Return whether open study items come first (STU-7); not those that others must decide."""
    undecided = Complaint.objects.filter(study=OuterRef("pk"), state__in=UNDECIDED)
    waiting = Study.objects.filter(
        ~Exists(undecided),
        person_id=member.person_id,
        project_id=member.project_id,
        state=StudyState.OPEN,
    ).aggregate(count=Count("pk"), oldest=Min("opened_at"))
    if waiting["count"] > rules.study_most:
        return True
    oldest = waiting["oldest"]
    return oldest is not None and oldest < timezone.now() - timedelta(days=rules.study_days)


def _free(project_id: int) -> QuerySet[Slot]:
    """Return the free slots that somebody may take, in their order, read from one index."""
    return Slot.objects.filter(is_workable(), project_id=project_id, state=SlotState.FREE)


def is_workable() -> Exists:
    """Return the condition that annotators may begin a slot's sentence."""
    wanted = {"state__in": sentences.WORKABLE, "purpose": Purpose.REAL}
    return Exists(Sentence.objects.filter(pk=OuterRef("sentence_id"), **wanted))


_PROJECT, _PERSON, _MEMBER, _SENTENCE = MARK, MARK + 1, MARK + 2, MARK + 3
_MARKS = (_PROJECT, _PERSON, _MEMBER, MOMENT)


def _marked(member: Member) -> dict[int | datetime, int | datetime]:
    return dict(zip(_MARKS, whose(member), strict=True))


def whose(member: Member) -> tuple[int, int, int, datetime]:
    """Return what `free_for` asks of a member, at this moment."""
    return member.project_id, member.person_id, member.pk, timezone.now()


def free_slots_for(project: int, person: int, member: int, now: datetime) -> QuerySet[Slot]:
    """Return the free slots that a member may take, in their order."""
    seen = sentences.seen_by(OuterRef("sentence_id"), person)
    kept = sentences.reserved_for_another(member, now)
    free = _free(project).filter(~kept, *(~Exists(one) for one in seen))
    return free.order_by("priority", "order_key")


@lru_cache(maxsize=2)
def _first(vendor: str) -> Statement:
    """Return what finds the sentences of the first `FIRST` of them."""
    del vendor  # a part of the key: each kind of database has its own words
    return Statement.of(free_slots_for(*_MARKS).values_list("sentence_id")[:FIRST])


@lru_cache(maxsize=2)
def _batch(vendor: str) -> Statement:
    """Return what finds the first sentences of the member's own batches."""
    del vendor
    own = Assignment.objects.filter(member=_MEMBER, ended_at=None, due_at__gt=MOMENT)
    seen = sentences.seen_by(OuterRef("sentence_id"), _PERSON)
    # Not by the project: few slots are in a batch, and this way no database walks all the others.
    slots = Slot.objects.filter(
        is_workable(), *(~Exists(one) for one in seen), assignment__in=own, state=SlotState.FREE
    )
    first = slots.order_by("assignment__due_at", "priority", "order_key")
    return Statement.of(first.values_list("sentence_id")[:TRIES])


@lru_cache(maxsize=2)
def _still(vendor: str) -> Statement:
    """Return what finds the slot of a sentence that a member takes: of their batch, if one is."""
    del vendor
    here = free_slots_for(*_MARKS).filter(sentence=_SENTENCE)
    return Statement.of(
        here.order_by(F("assignment").desc(nulls_last=True), "no").values_list("pk")[:1]
    )


def _lost(member: Member) -> tuple[int, ...]:
    """Return sentences that the member lost and did not put off, and that have a free slot."""
    mine = {"person_id": member.person_id, "project_id": member.project_id}
    ended = (
        SlotEvent.objects.filter(
            person_id=member.person_id,
            kind__in=(SlotEventKind.EXPIRE, SlotEventKind.RELEASE),
            slot__project_id=member.project_id,
        )
        .exclude(sentence_id__in=Skip.objects.filter(**mine, recalled_at=None).values("sentence"))
        .exclude(sentence_id__in=Slot.objects.filter(**mine).values("sentence"))
    )
    lost = set(ended.values_list("sentence_id", flat=True))
    if not lost:
        return ()
    kept = sentences.reserved_for_another(member.pk, timezone.now())
    free = _free(member.project_id).filter(~kept, sentence_id__in=lost).order_by("sentence_id")
    return tuple(free.values_list("sentence_id", flat=True).distinct()[:TRIES])


def _why_none(member: Member) -> NoTask:
    return NoTask.NONE_FOR_YOU if _free(member.project_id).exists() else NoTask.ALL_DONE


@transactional
def _take(member: Member, sentence_id: int) -> Claim | None:
    """Take a free slot of a sentence; None where others were first."""
    fresh = lock_member(member)
    refused = _refusal(fresh)
    if refused is not None:
        return Claim(None, refused)
    open_no = sentences.free_task_number(fresh, fresh.project.rules)
    if open_no is None:  # another window of the same person was first
        held = open_tasks(fresh)  # none where its lease has ended between the two looks
        return Claim(held[0]) if held else None
    sentence = lock_sentence(sentence_id, fresh.project_id)
    # Looked at again, now that it is locked.
    still = _still(connection.vendor).rows({**_marked(fresh), _SENTENCE: sentence_id})
    slot = sentences.open_slot(fresh, sentence, still[0][0], open_no=open_no) if still else None
    return None if slot is None else Claim(slot, fresh=True)


@transactional
def _take_back(member: Member, sentence_id: int) -> Claim | None:
    """Take what was lost; None where no slot of it is free any more."""
    fresh = lock_member(member)
    slot = sentences.resume(fresh, lock_sentence(sentence_id, fresh.project_id))
    return None if slot is None else Claim(slot, fresh=True)


@transactional
def skip(member: Member, slot_id: int, *, version: int) -> None:
    """Put a task off: the slot is free again, the draft is kept (ANN-14).

    Raises:
        RefusedError: Too many are put off already.
        ConflictError: The slot has changed meanwhile.
        NotYoursError: It is not the member's open slot.
        GuidelineFirstError: They have not read the guideline, and the project asks for it.
    """
    fresh = lock_member(member)
    slot, sentence = _own_open(fresh, slot_id)
    if not has_read_guideline(fresh):
        raise GuidelineFirstError
    if slot.version != version:
        raise ConflictError("this task has changed in another window; look again", slot)
    most = fresh.project.rules.open_skips
    if _skips(fresh).exclude(sentence=sentence).count() >= most:
        message = f"at most {most} tasks can be put off; take one of them up first"
        raise RefusedError([Problem("ANN-14", "", message, (("most", str(most)),))])
    sentences.free_slot(slot, sentence, SlotEventKind.SKIP)
    Skip.objects.update_or_create(
        sentence=sentence,
        person_id=fresh.person_id,
        defaults={"project_id": fresh.project_id, "at": timezone.now(), "recalled_at": None},
    )


def _own_open(member: Member, slot_id: int) -> tuple[Slot, Sentence]:
    """Return a member's open slot and its sentence, both locked by the sentence.

    Raises:
        NotYoursError: It is not theirs, or not open.
    """
    mine = Slot.objects.filter(
        pk=slot_id,
        project_id=member.project_id,
        person_id=member.person_id,
        state=SlotState.OPEN,
    )
    sentence_id = mine.values_list("sentence_id", flat=True).first()
    sentence = sentence_id and lock_sentence(sentence_id, member.project_id)
    slot = mine.select_related("person").first()  # as it is now that the sentence is locked
    if not sentence or slot is None:
        raise NotYoursError("task {slot_id} is not one of yours that is open", slot_id=slot_id)
    return slot, sentence


def _skips(member: Member) -> QuerySet[Skip]:
    return Skip.objects.filter(
        project_id=member.project_id,
        person_id=member.person_id,
        recalled_at=None,
        sentence__state__in=sentences.WORKABLE,
    )


def skipped_sentences(member: Member) -> tuple[Sentence, ...]:
    """Return what the member has put off and not asked for again, while it can still be done."""
    return tuple(one.sentence for one in _skips(member).select_related("sentence").order_by("at"))


@transactional
def recall(member: Member, sentence_id: int) -> Claim:
    """Take up a skipped sentence again: claims a free slot of it where there is one.

    Raises:
        NotYoursError: The member has not put it off.
        RefusedError: They have as many open tasks as they may.
    """
    fresh = lock_member(member)
    mine = _skips(fresh).filter(sentence_id=min(sentence_id, 2**63 - 1))  # more is no row's id
    if not mine.exists():
        raise NotYoursError(
            "sentence {sentence_id} is not one that you have put off", sentence_id=sentence_id
        )
    refused = _refusal(fresh)
    if refused is not None:
        return Claim(None, refused)
    if sentences.free_task_number(fresh, fresh.project.rules) is None:
        message = "finish or put off the open task first"
        raise RefusedError([Problem("open-tasks", "", message)])
    slot = sentences.resume(fresh, lock_sentence(sentence_id, fresh.project_id))
    if slot is None:
        return Claim(None, NoTask.NONE_FOR_YOU)
    mine.update(recalled_at=timezone.now())
    return Claim(slot, fresh=True)
