"""Tasks of annotators: claimed, put off, given back, expired; submissions counted in and out."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, Min, OuterRef, QuerySet, TextChoices
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from gecbench.server.choices import (
    MemberStatus,
    Purpose,
    ReviewKind,
    SentenceState,
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
    Submission,
)
from gecbench.server.models.base import compiled, compiled_models
from gecbench.server.workflow import sentences
from gecbench.server.workflow.errors import (
    ConflictError,
    GuidelineFirstError,
    NotYoursError,
    Problem,
    RefusedError,
)
from gecbench.server.workflow.golden import close_unanimous
from gecbench.server.workflow.review_tasks import (
    clock_watch,
    expire_tasks,
    queue_for_review,
    remove_from_queue,
)
from gecbench.server.workflow.sentences import UNDECIDED, change_state
from gecbench.server.workflow.transactions import (
    compare_and_set,
    has_read_guideline,
    lock_member,
    lock_sentence,
    transactional,
)

FIRST = 60
"""A task is drawn at random among so many that come first."""

TRIES = 5
ROUNDS = 5
_CHANCE = secrets.SystemRandom()  # a fair draw between people; nothing is ever recomputed from it


class NoTask(TextChoices):
    """Why there is no task."""

    ALL_DONE = "all_done", _("Every sentence has all the answers it needs.")
    NONE_FOR_YOU = (
        "none_for_you",
        _(
            "The sentences that are left are not for you: you have answered or skipped them, or "
            "other people work on them."
        ),
    )
    STUDY_FIRST = (
        "study_first",
        _("Your study items come first. After them there are new sentences."),
    )
    NOT_ACTIVE = (
        "not_active",
        _("You are no active annotator of this project now. A manager can change that."),
    )
    GUIDELINE_FIRST = (
        "guideline_first",
        _("Read the guideline of this project and confirm it. Then your tasks are here."),
    )
    CLOSED = "closed", _("The project is closed for work. Everything can still be read.")


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
    """Give the member's open task, or claim the next one (random among the first 60, WFL-3).

    The member's own batches come first, by their deadlines; before its deadline a batch is offered
    to nobody else. Expired slots met on the way are freed. A person never gets a sentence they
    hold, held or skipped, nor, as annotator, one that they review. One exception, so that nothing
    typed is in vain: what they lost by an expired lease or a pause is offered to them first
    (INV-15).
    """
    tasks = open_tasks(member)
    return Claim(_renew_lease(tasks[0])) if tasks else _next(member)


def claim(member: Member) -> Claim:
    """Claim one more task, if the project's option open_tasks allows it; else the oldest open."""
    tasks = open_tasks(member)
    if len(tasks) >= member.project.rules.open_tasks:
        return Claim(_renew_lease(tasks[0]))
    return _next(member)


def has_task(member: Member) -> bool:
    """Whether a task waits, without claiming it: an open one, or a free one they may have.

    Near enough to show the way: a task whose lease is over counts only once it is free again.
    """
    if open_tasks(member):
        return True
    return _refusal(member) is None and bool(_first_sentences(*_query(member)))


def open_tasks(member: Member) -> tuple[Slot, ...]:
    """List the member's open tasks, oldest first.

    None to whoever is not active (ROL-4), or has yet to read the guideline.
    """
    if member.status != MemberStatus.ACTIVE or not has_read_guideline(member):
        return ()
    tasks = tuple(_open_slots(member.project_id, member.person_id))
    for slot in tasks:
        slot.project = slot.sentence.project = member.project
    return tasks


@compiled_models
def _open_slots(project: int, person: int) -> QuerySet[Slot]:
    slots = Slot.objects.filter(project_id=project, person_id=person, state=SlotState.OPEN)
    return slots.select_related("sentence__source").order_by("claimed_at", "pk")


def _renew_lease(slot: Slot) -> Slot:
    """Lease a task again whose holder comes back to it after the lease, within the grace."""
    if slot.lease_until is not None and slot.lease_until < timezone.now():
        until = sentences.lease(slot.project.rules)
        same = Slot.objects.filter(pk=slot.pk, state=SlotState.OPEN, version=slot.version)
        if same.update(lease_until=until):
            slot.lease_until = until
    return slot


def _next(member: Member) -> Claim:
    """Claim a task: what was lost first, else a random one of those that come first."""
    refusal = _refusal(member)
    if refusal is not None:
        return Claim(None, refusal)
    expire(member.project)
    for sentence_id in _lost_sentences(member):
        claim = _take_back(member, sentence_id)
        if claim is not None:
            return claim
    gold = _draw_gold(member)
    if gold is not None:
        return gold
    for _round in range(ROUNDS):
        batch = _batch_sentences(*_query(member))
        first = batch or _first_sentences(*_query(member))
        if not first:
            refusal = _refusal(Member.objects.select_related("project").get(pk=member.pk))
            if refusal is not None:  # the status has changed since the member was read
                return Claim(None, refusal)
            free = _free_slots(member.project_id).exists()
            return Claim(None, NoTask.NONE_FOR_YOU if free else NoTask.ALL_DONE)
        for (sentence_id,) in batch or _CHANCE.sample(first, min(TRIES, len(first))):
            claim = _take(member, sentence_id)
            if claim is not None:
                return claim
    raise ConflictError("many people ask for tasks at this moment; ask again")


def _refusal(member: Member) -> NoTask | None:
    """Say why a member gets no new task at all; None where they may."""
    if sentences.is_closed(member.project):
        return NoTask.CLOSED
    if not sentences.is_annotating(member):
        return NoTask.NOT_ACTIVE
    if not has_read_guideline(member):
        return NoTask.GUIDELINE_FIRST
    return NoTask.STUDY_FIRST if _must_study(member) else None


def _must_study(member: Member) -> bool:
    """Whether open study items come first (STU-7); not those that others must decide."""
    rules = member.project.rules
    if not rules.study_gate:
        return False
    undecided = Complaint.objects.filter(study=OuterRef("pk"), state__in=UNDECIDED)
    items = Study.objects.filter(
        ~Exists(undecided),
        person_id=member.person_id,
        project_id=member.project_id,
        state=StudyState.OPEN,
    ).aggregate(count=Count("pk"), oldest=Min("opened_at"))
    days = timedelta(days=rules.study_days)
    return items["count"] > rules.study_most or (
        items["oldest"] is not None and items["oldest"] < timezone.now() - days
    )


# Which free slots a member may take.


def _free_slots(project_id: int) -> QuerySet[Slot]:
    """Find the free slots that somebody may take, in their order, read from one index."""
    return Slot.objects.filter(is_workable(), project_id=project_id, state=SlotState.FREE)


def is_workable(*purposes: Purpose) -> Exists:
    """Make the condition that annotators may begin a slot's sentence, a real one if not said."""
    workable = {"state__in": sentences.WORKABLE, "purpose__in": purposes or (Purpose.REAL,)}
    return Exists(Sentence.objects.filter(pk=OuterRef("sentence_id"), **workable))


def free_slots_for(member: Member) -> QuerySet[Slot]:
    """Find the free slots that a member may take now, in their order."""
    return _takeable(_free_slots(member.project_id), *_query(member)[1:])


def _takeable(slots: QuerySet[Slot], person: int, member: int, now: datetime) -> QuerySet[Slot]:
    reserved = sentences.reserved_for_another(member, now)
    slots = slots.filter(_is_active(member), ~reserved, *_unseen(person))
    return slots.order_by("priority", "order_key")


def _is_active(member: int) -> Exists:
    """The condition that a member may have a real task: not on trial, nor in training (TRI-3)."""
    active = {"status": MemberStatus.ACTIVE, "is_annotator": True}
    return Exists(Member.objects.filter(pk=member, **active))


def _unseen(person: int) -> list[Any]:
    return [~Exists(rows) for rows in sentences.seen_by(OuterRef("sentence_id"), person)]


def _query(member: Member) -> tuple[int, int, int, datetime]:
    """What the queries below ask of a member."""
    return member.project_id, member.person_id, member.pk, timezone.now()


@compiled
def _first_sentences(project: int, person: int, member: int, now: datetime) -> QuerySet[Any, Any]:
    slots = _takeable(_free_slots(project), person, member, now)
    return slots.values_list("sentence_id")[:FIRST]


@compiled
def _batch_sentences(project: int, person: int, member: int, now: datetime) -> QuerySet[Any, Any]:
    """The first sentences of the member's own batches."""
    del project  # few slots are in a batch, and this way no database walks all the others
    batches = Assignment.objects.filter(member=member, ended_at=None, due_at__gt=now)
    slots = Slot.objects.filter(
        is_workable(),
        _is_active(member),
        *_unseen(person),
        assignment__in=batches,
        state=SlotState.FREE,
    )
    first = slots.order_by("assignment__due_at", "priority", "order_key")
    return first.values_list("sentence_id")[:TRIES]


@compiled
def _slot_of(sentence: int, person: int, member: int, now: datetime) -> QuerySet[Any, Any]:
    """The slot of a sentence that a member takes: of their batch, if one is."""
    # Not by the project: SQLite would walk all its free slots.
    slots = Slot.objects.filter(is_workable(), sentence_id=sentence, state=SlotState.FREE)
    slots = _takeable(slots, person, member, now)
    return slots.order_by(F("assignment").desc(nulls_last=True), "no").values_list("pk")[:1]


def _lost_sentences(member: Member) -> tuple[int, ...]:
    """Find sentences that the member lost and did not put off, and that have a free slot."""
    lost = {sentence for (sentence,) in _lost(member.project_id, member.person_id)}
    if not lost:
        return ()
    reserved = sentences.reserved_for_another(member.pk, timezone.now())
    workable = is_workable(Purpose.REAL, Purpose.GOLD)
    free = Slot.objects.filter(workable, project_id=member.project_id, state=SlotState.FREE)
    free = free.filter(~reserved, sentence_id__in=lost)
    return tuple(
        free.order_by("sentence_id").values_list("sentence_id", flat=True).distinct()[:TRIES]
    )


@compiled
def _lost(project: int, person: int) -> QuerySet[Any, Any]:
    skipped = Skip.objects.filter(person=person, project=project, recalled_at=None)
    held = Slot.objects.filter(person=person, project=project)
    ended = SlotEvent.objects.filter(
        person=person, kind__in=(SlotEventKind.EXPIRE, SlotEventKind.RELEASE), slot__project=project
    )
    ended = ended.exclude(sentence__in=skipped.values("sentence"))
    return ended.exclude(sentence__in=held.values("sentence")).values_list("sentence_id")


def _draw_gold(member: Member) -> Claim | None:
    """Claim a gold task that the member has not seen, as often as the project's share says.

    None where no real task is left, or where the next one is of the member's own batch: it would
    stand out there.
    """
    if _CHANCE.randrange(100) >= member.project.rules.gold_percent:
        return None
    if _batch_sentences(*_query(member)) or not _first_sentences(*_query(member)):
        return None
    slots = _gold_slots(member).values_list("sentence_id", flat=True)
    candidates = list(slots.order_by("order_key", "sentence_id")[:FIRST])
    for sentence_id in _CHANCE.sample(candidates, min(TRIES, len(candidates))):
        claim = _take(member, sentence_id, gold=True)
        if claim is not None:
            return claim
    return None


def _gold_slots(member: Member) -> QuerySet[Slot]:
    """The free places of gold tasks that a member may take."""
    return Slot.objects.filter(
        is_workable(Purpose.GOLD),
        _is_active(member.pk),
        *_unseen(member.person_id),
        project_id=member.project_id,
        state=SlotState.FREE,
    )


@transactional
def _take(member: Member, sentence_id: int, *, gold: bool = False) -> Claim | None:
    """Take a free slot of a sentence, of a gold task or a real one; None where others were first.

    A gold task always has one free place more, so that it is never full: it waits for no reviewer.
    """
    member = lock_member(member)
    refusal = _refusal(member)
    if refusal is not None:
        return Claim(None, refusal)
    open_no = sentences.free_task_number(member, member.project.rules)
    if open_no is None:  # another window of the same person was first
        tasks = open_tasks(member)  # none where its lease has ended between the two looks
        return Claim(tasks[0]) if tasks else None
    sentence = lock_sentence(sentence_id, member.project_id)
    # Looked at again, now that it is locked.
    if gold:
        free = list(_gold_slots(member).filter(sentence=sentence).values_list("pk")[:1])
    else:
        free = _slot_of(sentence_id, *_query(member)[1:])
    slot = sentences.open_slot(member, sentence, free[0][0], open_no=open_no) if free else None
    if slot is not None and gold:
        sentences.keep_one_place_free(sentence)
    return None if slot is None else Claim(slot, fresh=True)


@transactional
def _take_back(member: Member, sentence_id: int) -> Claim | None:
    """Take what was lost; None where no slot of it is free any more."""
    member = lock_member(member)
    slot = sentences.resume(member, lock_sentence(sentence_id, member.project_id))
    return None if slot is None else Claim(slot, fresh=True)


# Tasks are put off, and taken up again.


@transactional
def skip(member: Member, slot_id: int, *, version: int) -> None:
    """Put a task off: the slot is free again, the draft is kept (ANN-14).

    Raises:
        RefusedError: Too many are put off already.
        ConflictError: The slot has changed meanwhile.
        NotYoursError: It is not the member's open slot.
        GuidelineFirstError: They have not read the guideline, and the project asks for it.
    """
    member = lock_member(member)
    slots = sentences.open_slots(member, slot_id)
    sentence_id = slots.values_list("sentence_id", flat=True).first()
    sentence = sentence_id and lock_sentence(sentence_id, member.project_id)
    slot = slots.select_related("person").first()  # as it is now that the sentence is locked
    if not sentence or slot is None:
        raise NotYoursError("task {slot_id} is not one of yours that is open", slot_id=slot_id)
    if not has_read_guideline(member):
        raise GuidelineFirstError
    if slot.version != version:
        raise ConflictError("this task has changed in another window; look again", slot)
    most = member.project.rules.open_skips
    if _skips(member).exclude(sentence=sentence).count() >= most:
        raise RefusedError([Problem("ANN-14", values={"most": most})])
    sentences.free_slot(slot, sentence, SlotEventKind.SKIP)
    Skip.objects.update_or_create(
        sentence=sentence,
        person_id=member.person_id,
        defaults={"project_id": member.project_id, "at": timezone.now(), "recalled_at": None},
    )


def _skips(member: Member) -> QuerySet[Skip]:
    skips = Skip.objects.filter(
        project_id=member.project_id,
        person_id=member.person_id,
        recalled_at=None,
        sentence__state__in=sentences.WORKABLE,
    )
    done = sentences.later_answers(
        member.project_id, member.person_id, OuterRef("at"), past=sentences.WORKABLE
    )
    return skips.exclude(Exists(done), sentence__purpose=Purpose.GOLD)


def skipped_sentences(member: Member) -> tuple[Sentence, ...]:
    """List what the member has put off and not asked for again, while it can still be done."""
    return tuple(skip.sentence for skip in _skips(member).select_related("sentence").order_by("at"))


@transactional
def recall(member: Member, sentence_id: int) -> Claim:
    """Take up a skipped sentence again: claims a free slot of it where there is one.

    Raises:
        NotYoursError: The member has not put it off.
        RefusedError: They have as many open tasks as they may.
    """
    member = lock_member(member)
    skips = _skips(member).filter(sentence_id=min(sentence_id, 2**63 - 1))  # more is no row's id
    if not skips.exists():
        raise NotYoursError(
            "sentence {sentence_id} is not one that you have put off", sentence_id=sentence_id
        )
    refusal = _refusal(member)
    if refusal is not None:
        return Claim(None, refusal)
    if sentences.free_task_number(member, member.project.rules) is None:
        raise RefusedError([Problem("open-tasks")])
    slot = sentences.resume(member, lock_sentence(sentence_id, member.project_id))
    if slot is None:
        return Claim(None, NoTask.NONE_FOR_YOU)
    skips.update(recalled_at=timezone.now())
    return Claim(slot, fresh=True)


# Leases end: nobody sits on a task for ever, and nothing typed is lost by it (INV-15).


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
    ((late_slots, late_tasks),) = _late(project.pk, before)
    freed = 0
    if late_slots:
        slots = _late_slots(project.pk, before).order_by("lease_until")
        for slot_id in tuple(slots.values_list("pk", flat=True)[:most]):
            freed += _expire_slot(slot_id, project.pk, before)
    return freed + (_expire_tasks(project, most) if late_tasks else 0)


def _late_slots(project: int | OuterRef, before: datetime) -> QuerySet[Slot]:
    return Slot.objects.filter(project=project, state=SlotState.OPEN, lease_until__lt=before)


@compiled
def _late(project: int, before: datetime) -> QuerySet[Any, Any]:
    """Whether any slot, and any review task, of a project is over."""
    here = OuterRef("pk")
    tasks = ReviewTask.objects.filter(project=here, state=TaskState.OPEN, lease_until__lt=before)
    late = (Exists(_late_slots(here, before)), Exists(tasks))
    return Project.objects.filter(pk=project).values_list(*late)


@transactional
def _expire_tasks(project: Project, most: int) -> int:
    return expire_tasks(project, most=most)


@transactional
def _expire_slot(slot_id: int, project_id: int, before: datetime) -> bool:
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
    slots = Slot.objects.select_related("person").filter(pk=slot_id, state=SlotState.OPEN)
    if before is not None:
        slots = slots.filter(lease_until__lt=before)
    slot = slots.first()
    if slot is None:
        return False
    end_task(slot, sentence, kind, dict(data))
    return True


def count_submission(sentence: Sentence) -> None:
    """Count one submission more; the N-th makes the sentence ready for review, or closes it.

    One that is out of work is only counted, and a gold task waits for no reviewer.
    """
    _count(sentence, sentence.submitted + 1)
    if sentence.purpose == Purpose.GOLD:
        # Whoever took a task that was put off back has filled the place that was kept free.
        sentences.keep_one_place_free(sentence)
        return
    if sentence.state not in sentences.WORKABLE or sentence.submitted < sentence.needed:
        return
    if sentence.golden_id is None and close_unanimous(sentence) is not None:
        return
    kind = ReviewKind.FIRST if sentence.golden_id is None else ReviewKind.REOPENED
    change_state(sentence, SentenceState.REVIEW_READY)
    queue_for_review(sentence, kind=kind)


def uncount_submission(sentence: Sentence) -> None:
    """Count one submission less; a sentence that was ready for review waits for it again.

    Raises:
        ConflictError: A reviewer has begun.
    """
    if not may_count_out(sentence):
        raise in_review(sentence)
    if sentence.state == SentenceState.REVIEW_READY:
        remove_from_queue(sentence)
        change_state(sentence, SentenceState.ANNOTATING)
    _count(sentence, sentence.submitted - 1)


NOT_IN_REVIEW = (SentenceState.ANNOTATING, SentenceState.REVIEW_READY)
"""States of a sentence that no reviewer has begun with."""


def may_count_out(sentence: Sentence) -> bool:
    """Whether no reviewer has begun with a sentence."""
    return sentence.state in NOT_IN_REVIEW


def in_review(sentence: Sentence) -> ConflictError:
    """What refuses to change a sentence that a reviewer has begun with."""
    return ConflictError("sentence {number} is in review already", sentence, number=sentence.number)


def _count(sentence: Sentence, submitted: int) -> None:
    compare_and_set(
        sentence,
        sentence.state,
        sentences.changed_meanwhile(sentence),
        submitted=submitted,
        updated_at=timezone.now(),
    )


def last_submission(slot: Slot) -> Submission | None:
    """What the holder of a slot has handed in for it last."""
    if slot.person_id is None:
        return None
    return Submission.objects.filter(slot=slot, person_id=slot.person_id).order_by("-no").first()


def end_task(slot: Slot, sentence: Sentence, kind: SlotEventKind, data: dict[str, object]) -> None:
    """End a task that its person leaves without a word.

    The slot is free again and the draft stays. But where they had submitted and taken it back,
    that submission stands again: forgetting to hand in again loses nothing. Not so where they had
    put the task off in between: then they gave the place up, and others may have had it since.
    """
    before = last_submission(slot) if _was_reopened(slot) else None
    if before is None:
        sentences.free_slot(slot, sentence, kind, data)
        return
    sentences.close_slot(slot)
    sentences.record_slot_event(slot, slot.person, kind, {**data, "stands": before.pk})
    count_submission(sentence)


def _was_reopened(slot: Slot) -> bool:
    """Whether a slot is open because its holder took a submission back."""
    openings = (SlotEventKind.CLAIM, SlotEventKind.REOPEN, SlotEventKind.SEND_BACK)
    opened = SlotEvent.objects.filter(slot=slot, kind__in=openings)
    return opened.order_by("-pk").values_list("kind", flat=True).first() == SlotEventKind.REOPEN
