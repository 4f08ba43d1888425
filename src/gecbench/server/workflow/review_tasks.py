"""The queue of sentences that wait for a reviewer: who may take which, taking, giving back."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from gecbench.server.laws.names import MemberStatus, ReviewKind, SentenceState, TaskState
from gecbench.server.models import Member, Person, Project, ReviewTask, Sentence, SlotEvent
from gecbench.server.workflow.clock import watch
from gecbench.server.workflow.errors import ConflictError
from gecbench.server.workflow.readings import note_reading
from gecbench.server.workflow.standing import LIVE, move

FIRST = 60
"""How many tasks from the front of the queue a draw is made among (REV-10)."""

_CHANCE = secrets.SystemRandom()  # a fair draw; nothing is ever recomputed from it


def make_ready(
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
    earlier = ReviewTask.objects.filter(sentence=sentence)
    before = earlier.aggregate(Max("version"))
    last = earlier.order_by("pk").last()
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
        version=(before["version__max"] or 0) + 1,
        priority=sentence.priority,
        order_key=sentence.order_key,
    )


def take_from_queue(sentence: Sentence) -> None:
    """End the task of a sentence that goes back to annotators, or out of work."""
    ReviewTask.objects.filter(sentence=sentence, state__in=LIVE).update(
        state=TaskState.RETURNED, lease_until=None, done_at=timezone.now(), version=F("version") + 1
    )


def live_task(sentence_id: int) -> ReviewTask | None:
    """Return the task of a sentence that waits for a reviewer or is with one."""
    return (
        ReviewTask.objects.select_related("reviewer")
        .filter(sentence=sentence_id, state__in=LIVE)
        .first()
    )


def ever_held(person_id: int, sentence_id: int) -> bool:
    """Return whether a person ever held a slot of a sentence (ROL-2, INV-3)."""
    return SlotEvent.objects.filter(person=person_id, sentence=sentence_id).exists()


def reviewers_for(sentence: Sentence, *, but: Iterable[int | None] = ()) -> QuerySet[Member]:
    """Return the active reviewers who never held a slot of a sentence, without some people."""
    held = SlotEvent.objects.filter(sentence=sentence, person=OuterRef("person"))
    return Member.objects.filter(
        ~Exists(held),
        project=sentence.project_id,
        is_reviewer=True,
        status=MemberStatus.ACTIVE,
        person__is_active=True,
    ).exclude(person__in=[one for one in but if one is not None])


def waiting_for(member: Member) -> QuerySet[ReviewTask]:
    """Return the free tasks that a reviewer may take, first ones first."""
    held = SlotEvent.objects.filter(sentence=OuterRef("sentence"), person=member.person_id)
    mine = Q(reviewer=member.person_id)  # a manager's word; it overrules not_for
    anybodys = Q(reviewer=None) & (Q(not_for=None) | ~Q(not_for=member.person_id))
    return ReviewTask.objects.filter(
        mine | anybodys, ~Exists(held), project=member.project_id, state=TaskState.FREE
    ).order_by("priority", "order_key", "pk")


def draw(member: Member) -> ReviewTask | None:
    """Take a random one of the first tasks that wait for a reviewer; None where none is left.

    What a manager has assigned comes first.
    """
    for _ in range(5):
        waiting = waiting_for(member)
        assigned = waiting.filter(reviewer=member.person_id)[:1]
        found = [*assigned.values_list("pk", "sentence_id")] or [
            *waiting.values_list("pk", "sentence_id")[:FIRST]
        ]
        if not found:
            return None
        task_id, sentence_id = _CHANCE.choice(found)
        taken = take(member, task_id, sentence_id)
        if taken is not None:
            return taken
    raise ConflictError("others took each task first; ask again")


def take(member: Member, task_id: int, sentence_id: int) -> ReviewTask | None:
    """Take a free task for a reviewer; None where somebody else was first."""
    # Locked in this order everywhere: the sentence, then what belongs to it.
    sentence = Sentence.objects.select_for_update(no_key=True).get(pk=sentence_id)
    now = timezone.now()
    taken = ReviewTask.objects.filter(pk=task_id, state=TaskState.FREE).update(
        state=TaskState.OPEN,
        reviewer=member.person_id,
        lease_until=now + lease(member.project),
        claimed_at=now,
        version=F("version") + 1,
    )
    if taken != 1:
        return None
    move(sentence, SentenceState.IN_REVIEW)
    note_reading(sentence_id, member.person_id)
    return ReviewTask.objects.select_related("sentence", "reviewer").get(pk=task_id)


def lease(project: Project) -> timedelta:
    """Return how long a task stays with a person who does nothing on it."""
    return timedelta(minutes=project.rules.lease_minutes)


def over(project: Project) -> datetime:
    """Return the moment before which a lease must have ended to be over.

    The grace is one lease more, so that a clock set forward by a little ends none.
    """
    return timezone.now() - lease(project)


def is_over(task: ReviewTask, project: Project) -> bool:
    """Return whether a task's lease and its grace are over, and no clock has jumped lately."""
    if task.lease_until is None or task.lease_until >= over(project):
        return False
    return not watch().jumped_within(2 * lease(project).total_seconds())


def expire_tasks(project: Project, *, most: int = 100) -> int:
    """Free the review tasks whose lease and its grace are over; return how many.

    Called inside a transaction. After a jump of the clock nothing expires for that long.
    """
    if watch().jumped_within(2 * lease(project).total_seconds()):
        return 0
    late = ReviewTask.objects.filter(
        project=project, state=TaskState.OPEN, lease_until__lt=over(project)
    )
    freed = 0
    for task_id, sentence_id in late.order_by("pk").values_list("pk", "sentence_id")[:most]:
        sentence = Sentence.objects.select_for_update(no_key=True).get(pk=sentence_id)
        task = late.filter(pk=task_id).first()  # looked at again, now that it is locked
        if task is not None:
            free(task, sentence)
            freed += 1
    return freed


def free(
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
    fields: dict[str, object] = {}
    if not_for is not None:
        fields |= {"not_for": not_for, "handed_by": not_for}
    if note is not None:
        fields["note"] = note
    if kind is not None:
        fields["kind"] = kind
    changed = ReviewTask.objects.filter(
        pk=task.pk, state=TaskState.OPEN, version=task.version
    ).update(
        state=TaskState.FREE, reviewer=None, lease_until=None, version=F("version") + 1, **fields
    )
    if changed != 1:
        raise ConflictError("the review has changed meanwhile; look again")
    move(sentence, SentenceState.REVIEW_READY)


def free_tasks_of(member: Member) -> int:
    """Free the review tasks of a reviewer who pauses, leaves or is none any more; say how many.

    What a manager had assigned to them is anybody's again. Called inside a transaction.
    """
    theirs = ReviewTask.objects.filter(project=member.project_id, reviewer=member.person_id)
    theirs.filter(state=TaskState.FREE).update(reviewer=None, version=F("version") + 1)
    freed = 0
    for task in theirs.filter(state=TaskState.OPEN).order_by("sentence"):
        sentence = Sentence.objects.select_for_update(no_key=True).get(pk=task.sentence_id)
        free(task, sentence)
        freed += 1
    return freed


def stuck(project: Project, *, most: int = 100) -> tuple[ReviewTask, ...]:
    """Return the free tasks that no active reviewer may take now; a manager assigns them.

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
    found = waiting.annotate(barred=Coalesce("not_for", 0)).filter(nobody | not_they)
    return tuple(found.select_related("sentence").order_by("priority", "order_key", "pk")[:most])
