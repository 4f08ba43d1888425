"""Notices when this machine's clock was set, or stood still: then no lease is over yet.

Leases end by the wall clock. Where it is put forward by a day, or the machine slept, all of them
would look over at once, and nobody had a chance to show a sign of life. So the wall clock is held
against one that only runs, and after a jump a while passes before anything expires.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from gecbench.server.choices import (
    MemberStatus,
    ProjectKind,
    ReviewKind,
    Role,
    SentenceState,
    SlotEventKind,
    TaskState,
)
from gecbench.server.models import (
    Member,
    Person,
    Project,
    Reading,
    ReviewTask,
    Sentence,
    Slot,
    SlotEvent,
    Submission,
)
from gecbench.server.models.base import compiled, compiled_models
from gecbench.server.rules.text import LONGEST_NOTE, whole
from gecbench.server.workflow import audit, sentences
from gecbench.server.workflow.errors import ConflictError, Problem, RefusedError
from gecbench.server.workflow.sentences import LIVE, change_state, new_slots
from gecbench.server.workflow.transactions import (
    authorize,
    compare_and_set,
    lock_sentence,
    require_kind,
    transactional,
)

JUMP = 120.0
"""Seconds by which the clocks may differ between two looks; time servers nudge by less."""


class ClockWatch:
    """Compares two clocks from one look to the next."""

    def __init__(
        self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin to watch."""
        self._wall, self._steady = wall, steady
        self._seen = (wall(), steady())
        self._jumped_at: float | None = None

    def jumped_within(self, seconds: float) -> bool:
        """Whether the wall clock jumped, or this process slept, less than that ago."""
        wall, steady = self._wall(), self._steady()
        if abs((wall - self._seen[0]) - (steady - self._seen[1])) > JUMP:
            self._jumped_at = steady
        self._seen = (wall, steady)
        return self._jumped_at is not None and steady - self._jumped_at < seconds


@cache
def clock_watch() -> ClockWatch:
    """The watch of this process."""
    return ClockWatch()


clock_watch()  # from the start: a jump before the first look is one, too


# Who has read what others submitted never annotates that sentence later (ROL-5, INV-11).


_PIECE = 2000
_KNOWN = (SentenceState.GOLDEN,)


def record_reading(sentence_id: int, person_id: int) -> None:
    """Note that a person sees what others submitted for a sentence."""
    record_readings([sentence_id], person_id)


def record_readings(sentence_ids: Iterable[int], person_id: int) -> None:
    """Note it for several sentences; where all is noted already nothing is written."""
    keys = set(sentence_ids)
    known = Reading.objects.filter(person_id=person_id, sentence_id__in=keys)
    keys -= set(known.values_list("sentence_id", flat=True))
    rows = [Reading(sentence_id=key, person_id=person_id) for key in sorted(keys)]
    Reading.objects.bulk_create(rows, batch_size=_PIECE, ignore_conflicts=True)


def record_all_readings(project: Project, person: Person) -> None:
    """Note that a person takes everybody's work out of a project.

    Sentences that are decided are left out: their texts are no secret any more.
    """
    submissions = Submission.objects.filter(sentence=OuterRef("pk"))
    read = Reading.objects.filter(sentence=OuterRef("pk"), person=person)
    unread = Sentence.objects.filter(Exists(submissions), ~Exists(read), project=project)
    keys = list(unread.exclude(state__in=_KNOWN).values_list("pk", flat=True))
    for begin in range(0, len(keys), _PIECE):  # in pieces: nobody who saves waits for all
        record_readings(keys[begin : begin + _PIECE], person.pk)


# The queue of sentences that wait for a reviewer: who may take which, taking, giving back.


FIRST = 60
"""How many tasks from the front of the queue a draw is made among (REV-10)."""

_CHANCE = secrets.SystemRandom()  # a fair draw; nothing is ever recomputed from it


def queue_for_review(
    sentence: Sentence,
    *,
    kind: ReviewKind = ReviewKind.FIRST,
    not_for: Person | None = None,
    note: str = "",
) -> ReviewTask:
    """Put a sentence that is review_ready into the queue.

    Its versions go on where those of earlier tasks ended: a page from before is always stale. What
    a task said that went out of the queue undecided is said again, unless there is something new:
    a second opinion is still asked for when one more annotator has handed in.
    """
    earlier = _tasks(sentence.pk)
    last = earlier[-1] if earlier else None
    handed_by = None
    if last is not None and last.state == TaskState.RETURNED and not (note or not_for):
        kind = ReviewKind(last.kind) if kind == ReviewKind.FIRST else kind
        note, not_for, handed_by = last.note, last.not_for, last.handed_by
    return ReviewTask.objects.create(
        project_id=sentence.project_id,
        sentence=sentence,
        kind=kind,
        not_for=not_for,
        handed_by=handed_by,
        note=note,
        version=max((task.version for task in earlier), default=0) + 1,
        priority=sentence.priority,
        order_key=sentence.order_key,
    )


@compiled_models
def _tasks(sentence: int) -> QuerySet[ReviewTask]:
    return ReviewTask.objects.filter(sentence=sentence).order_by("pk")


def remove_from_queue(sentence: Sentence) -> None:
    """End the task of a sentence that goes back to annotators, or out of work."""
    ReviewTask.objects.filter(sentence=sentence, state__in=LIVE).update(
        state=TaskState.RETURNED, lease_until=None, done_at=timezone.now(), version=F("version") + 1
    )


def live_task(sentence_id: int) -> ReviewTask | None:
    """The task of a sentence that waits for a reviewer or is with one."""
    return next(iter(_live_tasks(sentence_id)), None)


@compiled_models
def _live_tasks(sentence: int) -> QuerySet[ReviewTask]:
    tasks = ReviewTask.objects.select_related("reviewer").order_by("pk")
    return tasks.filter(sentence=sentence, state__in=LIVE)


def has_held_slot(person_id: int, sentence_id: int) -> bool:
    """Whether a person ever held a slot of a sentence (ROL-2, INV-3)."""
    return SlotEvent.objects.filter(person=person_id, sentence=sentence_id).exists()


def reviewers_for(sentence: Sentence, *, but: Iterable[int | None] = ()) -> QuerySet[Member]:
    """The active reviewers who never held a slot of a sentence, without some people."""
    held = SlotEvent.objects.filter(sentence=sentence, person=OuterRef("person"))
    return Member.objects.filter(
        ~Exists(held),
        project=sentence.project_id,
        is_reviewer=True,
        status=MemberStatus.ACTIVE,
        person__is_active=True,
    ).exclude(person__in=[person for person in but if person is not None])


def waiting_tasks(member: Member) -> QuerySet[ReviewTask]:
    """The free tasks that a reviewer may take, first ones first."""
    return _waiting(member.project_id, member.person_id)


def _waiting(project: int, person: int) -> QuerySet[ReviewTask]:
    held = SlotEvent.objects.filter(sentence=OuterRef("sentence"), person=person)
    assigned = Q(reviewer=person)  # a manager's word; it overrules not_for
    anybodys = Q(reviewer=None) & (Q(not_for=None) | ~Q(not_for=person))
    return ReviewTask.objects.filter(
        assigned | anybodys, ~Exists(held), project=project, state=TaskState.FREE
    ).order_by("priority", "order_key", "pk")


@compiled
def _assigned_tasks(project: int, person: int) -> QuerySet[Any, Any]:
    return _waiting(project, person).filter(reviewer=person).values_list("pk", "sentence_id")[:1]


@compiled
def _first_tasks(project: int, person: int) -> QuerySet[Any, Any]:
    return _waiting(project, person).values_list("pk", "sentence_id")[:FIRST]


def claim_random_task(member: Member) -> ReviewTask | None:
    """Take a random one of the first tasks that wait for a reviewer; None where none is left.

    What a manager has assigned comes first.
    """
    for _ in range(5):
        who = member.project_id, member.person_id
        tasks = _assigned_tasks(*who) or _first_tasks(*who)
        if not tasks:
            return None
        task_id, sentence_id = _CHANCE.choice(tasks)
        task = claim_task(member, task_id, sentence_id)
        if task is not None:
            return task
    raise ConflictError("others took each task first; ask again")


def claim_task(member: Member, task_id: int, sentence_id: int) -> ReviewTask | None:
    """Take a free task for a reviewer; None where somebody else was first."""
    # Locked in this order everywhere: the sentence, then what belongs to it.
    sentence = lock_sentence(sentence_id, member.project_id)
    now = timezone.now()
    updated = ReviewTask.objects.filter(pk=task_id, state=TaskState.FREE).update(
        state=TaskState.OPEN,
        reviewer=member.person_id,
        lease_until=now + lease(member.project),
        claimed_at=now,
        version=F("version") + 1,
    )
    if updated != 1:
        return None
    change_state(sentence, SentenceState.IN_REVIEW)
    record_reading(sentence_id, member.person_id)
    (task,) = _tasks_by_key(task_id)
    return task


@compiled_models
def _tasks_by_key(key: int) -> QuerySet[ReviewTask]:
    return ReviewTask.objects.select_related("sentence", "reviewer").filter(pk=key)


def lease(project: Project) -> timedelta:
    """How long a task stays with a person who does nothing on it."""
    return timedelta(minutes=project.rules.lease_minutes)


def lease_cutoff(project: Project) -> datetime:
    """The moment before which a lease must have ended to be over.

    The grace is one lease more, so that a clock set forward by a little ends none.
    """
    return timezone.now() - lease(project)


def is_expired(task: ReviewTask, project: Project) -> bool:
    """Whether a task's lease and its grace are over, and no clock has jumped lately."""
    if task.lease_until is None or task.lease_until >= lease_cutoff(project):
        return False
    return not clock_watch().jumped_within(2 * lease(project).total_seconds())


def expire_tasks(project: Project, *, most: int = 100) -> int:
    """Free the review tasks whose lease and its grace are over; return how many.

    Called inside a transaction. After a jump of the clock nothing expires for that long.
    """
    if clock_watch().jumped_within(2 * lease(project).total_seconds()):
        return 0
    late = ReviewTask.objects.filter(
        project=project, state=TaskState.OPEN, lease_until__lt=lease_cutoff(project)
    )
    freed = 0
    for task_id, sentence_id in late.order_by("pk").values_list("pk", "sentence_id")[:most]:
        sentence = Sentence.objects.select_for_update(no_key=True).get(pk=sentence_id)
        task = late.filter(pk=task_id).first()  # looked at again, now that it is locked
        if task is not None:
            release_task(task, sentence)
            freed += 1
    return freed


def release_task(
    task: ReviewTask,
    sentence: Sentence,
    *,
    not_for: Person | None = None,
    note: str | None = None,
    kind: ReviewKind | None = None,
) -> None:
    """Give an open task back to the queue; the draft is kept.

    Args:
        task: Open, as it was read.
        sentence: Of the task, locked.
        not_for: Who handed it on; None leaves what the task says.
        note: To the next reviewer; None leaves what the task says.
        kind: What the next review is; None leaves what the task says.

    Raises:
        ConflictError: It has changed meanwhile.
    """
    fields: dict[str, Any] = {}
    if not_for is not None:
        fields |= {"not_for": not_for, "handed_by": not_for}
    if note is not None:
        fields["note"] = note
    if kind is not None:
        fields["kind"] = kind
    error = ConflictError("the review has changed meanwhile; look again")
    compare_and_set(
        task, TaskState.OPEN, error, state=TaskState.FREE, reviewer=None, lease_until=None, **fields
    )
    change_state(sentence, SentenceState.REVIEW_READY)


def release_tasks_of(member: Member) -> int:
    """Free the review tasks of a reviewer who pauses, leaves or is none any more; say how many.

    What a manager had assigned to them is anybody's again. Called inside a transaction.
    """
    tasks = ReviewTask.objects.filter(project=member.project_id, reviewer=member.person_id)
    tasks.filter(state=TaskState.FREE).update(reviewer=None, version=F("version") + 1)
    freed = 0
    for task in tasks.filter(state=TaskState.OPEN).order_by("sentence"):
        sentence = Sentence.objects.select_for_update(no_key=True).get(pk=task.sentence_id)
        release_task(task, sentence)
        freed += 1
    return freed


def stuck_tasks(project: Project, *, most: int = 100) -> tuple[ReviewTask, ...]:
    """The free tasks that no active reviewer may take now; a manager assigns them.

    They were handed on, or questioned, and everybody else has left or held a slot.
    """
    held = SlotEvent.objects.filter(
        sentence=OuterRef(OuterRef("sentence")), person=OuterRef("person")
    )
    able = Member.objects.filter(
        ~Exists(held),
        project=OuterRef("project"),
        is_reviewer=True,
        status=MemberStatus.ACTIVE,
        person__is_active=True,
    )
    nobody = Q(reviewer=None) & ~Exists(able.filter(~Q(person=OuterRef("barred"))))
    not_they = Q(reviewer__isnull=False) & ~Exists(able.filter(person=OuterRef("reviewer")))
    waiting = ReviewTask.objects.filter(project=project, state=TaskState.FREE)
    tasks = waiting.annotate(barred=Coalesce("not_for", 0)).filter(nobody | not_they)
    return tuple(tasks.select_related("sentence").order_by("priority", "order_key", "pk")[:most])


# A review is passed on: its task, its note, and more annotators for the sentence.


MOST_ANNOTATORS = 20


def get_reviewers_task(member: Member, sentence: Sentence, version: int) -> ReviewTask:
    """The open task of a sentence if it is the member's and of this version.

    Raises:
        ConflictError: It is not.
    """
    task = live_task(sentence.pk)
    if (
        task is None
        or task.state != TaskState.OPEN
        or (task.reviewer_id, task.version) != (member.person_id, version)
    ):
        raise ConflictError("the review has changed, or is not yours any more; look again", task)
    return task


def clean_note(note: str, code: str = "", *, field: str = "note") -> str:
    """A note without the space around it.

    Args:
        note: As it was written.
        code: Of the problem where it is empty; "" where it may be.
        field: Where problems belong.

    Raises:
        RefusedError: It is empty, or too long.
    """
    words = whole(note.strip())
    if code and not words:
        raise RefusedError([Problem(code, field)])
    if len(words) > LONGEST_NOTE:
        raise RefusedError([Problem("note-too-long", field)])
    return words


@transactional
def return_for_more(
    member: Member, sentence_id: int, *, version: int, more: int, note: str = ""
) -> Sentence:
    """Ask for `more` further annotators: N of the sentence rises (WFL-5).

    Raises:
        RefusedError: More than there are annotators who have not worked on it, or beyond 20; or
            the note is too long.
        ConflictError: The review has changed, or is not with the member.
    """
    member = authorize(member, Role.REVIEWER)
    require_kind(member.project, ProjectKind.REWRITE)
    sentence = lock_sentence(sentence_id, member.project_id)
    task = get_reviewers_task(member, sentence, version)
    _check_more(member, sentence, more)
    words = clean_note(note)
    fields: dict[str, Any] = {"note": words, "handed_by": member.person} if words else {}
    compare_and_set(
        task,
        TaskState.OPEN,
        ConflictError("the review has changed meanwhile; look again"),
        state=TaskState.RETURNED,
        lease_until=None,
        done_at=timezone.now(),
        **fields,
    )
    change_state(sentence, SentenceState.ANNOTATING, needed=sentence.needed + more)
    slots = Slot.objects.bulk_create(new_slots(sentence, after=sentence.needed - more))
    data = {"by": member.person_id}
    SlotEvent.objects.bulk_create(
        SlotEvent(slot=slot, sentence=sentence, kind=SlotEventKind.RETURN, data=data)
        for slot in slots
    )
    audit.record_by(
        member,
        "review.returned",
        about=("sentence", sentence.pk),
        data={"more": more, "needed": sentence.needed},
    )
    return sentence


def _check_more(member: Member, sentence: Sentence, more: int) -> None:
    most = MOST_ANNOTATORS - sentence.needed
    if not 1 <= more <= most:
        raise RefusedError([Problem("WFL-5", "more", {"most": most})])
    seen = sentences.seen_by(sentence.pk, OuterRef("person"))
    left = Member.objects.filter(
        *(~Exists(rows) for rows in seen),
        project=sentence.project_id,
        is_annotator=True,
        status=MemberStatus.ACTIVE,
    )
    count = left.exclude(person=member.person_id).count()
    if count < more:
        raise RefusedError([Problem("WFL-5-nobody", "more", {"left": count})])
