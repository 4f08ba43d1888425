"""Managers give members work by a date: quotas, and batches that are kept for one person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import floor
from typing import Any

from django.db.models import Case, Count, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    MemberStatus,
    Purpose,
    ReviewKind,
    Role,
    SlotState,
)
from gecbench.server.models import Assignment, Member, Review, Sentence, Slot, Submission
from gecbench.server.workflow import audit
from gecbench.server.workflow.claims import free_slots_for, is_workable
from gecbench.server.workflow.errors import NotYoursError, Problem, RefusedError
from gecbench.server.workflow.transactions import authorize, lock_member, transactional

MAX_BATCH = 1000
"""Sentences of one batch."""

MAX_QUOTA = 100_000


@dataclass(frozen=True, slots=True)
class Standing:
    """How far an assignment is.

    Args:
        assignment: Which, its member and project fetched with it.
        done: Sentences that the member has handed in, or reviewed.
        total: How many it is: the quota; of a batch, those done and those that can still be.
        now: The moment.
    """

    assignment: Assignment
    done: int
    total: int
    now: datetime

    @property
    def late(self) -> bool:
        """Whether the deadline is over and something is left."""
        return self.done < self.total and self.now >= self.assignment.due_at

    @property
    def behind(self) -> int:
        """How many more would be done by now at an even pace from the beginning to the deadline."""
        begun, due = self.assignment.at, self.assignment.due_at
        share = min(1.0, (self.now - begun) / (due - begun)) if due > begun else 1.0
        return max(0, floor(self.total * share) - self.done)


def standings(rows: QuerySet[Assignment]) -> list[Standing]:
    """How far assignments are that have not ended, by deadline.

    Those that are done, and whose deadline is over, are left out.
    """
    now = timezone.now()
    person, begun = OuterRef("member__person"), OuterRef("at")
    batch = Slot.objects.filter(assignment=OuterRef("pk"))
    by_person = Q(person=person)
    free = Q(state=SlotState.FREE) | (by_person & Q(state=SlotState.OPEN))
    project = OuterRef("member__project")
    submissions = Submission.objects.filter(
        no=1,
        person=person,
        at__gte=begun,
        slot__project=project,
        slot__state__in=SUBMITTED_OR_LATER,
        sentence__purpose__in=(Purpose.REAL, Purpose.GOLD),  # nobody can tell gold tasks
    ).exclude(slot__assignment__member=OuterRef("member"))  # a batch counts for itself alone
    reviews = Review.objects.filter(
        reviewer=person, at__gte=begun, sentence__project=project, sentence__purpose=Purpose.REAL
    ).exclude(kind=ReviewKind.COMPLAINT)
    done = Case(
        When(
            quota=None,
            then=_count(batch.filter(by_person, state__in=SUBMITTED_OR_LATER), "assignment"),
        ),
        When(role=Role.REVIEWER, then=_count(reviews, "reviewer")),
        default=_count(submissions, "person"),
    )
    left = _count(batch.filter(free, is_workable()), "assignment")
    assignments = (
        rows.filter(ended_at=None)
        .select_related("member__project", "member__person")
        .annotate(done=done, left=Case(When(quota=None, then=left), default=0))
        .order_by("due_at", "pk")
    )
    return [
        Standing(
            assignment,
            assignment.done,
            assignment.done + assignment.left if assignment.quota is None else assignment.quota,
            now,
        )
        for assignment in assignments
        if now < assignment.due_at
        or assignment.done < (assignment.quota or assignment.done + assignment.left)
    ]


def _count(rows: QuerySet[Any, Any], by: str) -> Coalesce:
    counted = rows.order_by().values(by).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)


@transactional
def give_quota(
    manager: Member, member: Member, *, number: int, due_at: datetime, role: Role = Role.ANNOTATOR
) -> Assignment:
    """Let a manager ask a member for a number of sentences by a date; it replaces the one before.

    Raises:
        RefusedError: The number or the date is out of bounds, or they do not work in that role.
    """
    if not 1 <= number <= MAX_QUOTA:
        raise RefusedError([Problem("quota", "number", {"most": MAX_QUOTA})])
    manager, member = _lock_both(manager, member, due_at, role)
    _end(Assignment.objects.filter(member=member, role=role, quota__isnull=False))
    assignment = _create(manager, member, due_at, role=role, quota=number)
    _log("assignment.made", manager, assignment, {"roles": [str(role)], "quota": number})
    return assignment


@transactional
def give_batch(
    manager: Member,
    member: Member,
    *,
    due_at: datetime,
    number: int = MAX_BATCH,
    sentences: Sequence[int] | None = None,
) -> tuple[Assignment, int]:
    """Let a manager keep sentences for an annotator until a date; return how many they are.

    Of each, one free slot is kept. Left out are sentences that the member knows already, and those
    whose free slots are all in the batches of others.

    Args:
        manager: Who does it.
        member: Whose they become.
        due_at: The deadline.
        number: At most so many.
        sentences: Of these; None is those that come first.

    Raises:
        RefusedError: There is no such sentence, or the date is over, or they do not annotate.
    """
    if not 1 <= number <= MAX_BATCH:
        raise RefusedError([Problem("batch", "number", {"most": MAX_BATCH})])
    manager, member = _lock_both(manager, member, due_at, Role.ANNOTATOR)
    slots = _slots_for(member, number, sentences)
    if not slots:
        raise RefusedError([Problem("batch-empty", "number", {"name": member.person.name})])
    assignment = _create(manager, member, due_at, role=Role.ANNOTATOR)
    Slot.objects.filter(pk__in=slots.values()).update(assignment=assignment)
    _log("assignment.made", manager, assignment, {"sentences": sorted(slots)})
    return assignment, len(slots)


def _slots_for(member: Member, number: int, sentences: Sequence[int] | None) -> dict[int, int]:
    """Lock the sentences of a new batch; return each with the slot that is kept.

    Sentences are locked in order within a round, not from round to round: two batches given at once
    may deadlock on PostgreSQL, and `transactional` then does one of them again.
    """
    live = Q(assignment__ended_at=None, assignment__due_at__gt=timezone.now())
    in_batches = Slot.objects.filter(live, assignment__member=member).values("sentence")
    free = free_slots_for(member).exclude(sentence__in=in_batches)
    if sentences is not None:
        free = free.filter(sentence__in=sentences)
    kept: dict[int, int] = {}
    while len(kept) < number:
        others = free.exclude(sentence__in=list(kept)).values_list("sentence_id", flat=True)
        chosen: dict[int, None] = {}
        for sentence in others.iterator():
            chosen[sentence] = None
            if len(kept) + len(chosen) == number:
                break
        if not chosen:
            break
        rows = Sentence.objects.select_for_update(no_key=True).filter(pk__in=chosen)
        list(rows.order_by("pk").values_list("pk"))
        # Others may have taken some meanwhile: the next round looks for as many again.
        still = free.filter(sentence__in=chosen).order_by("-no")
        kept.update(still.values_list("sentence_id", "pk"))
    return kept


@transactional
def set_deadline(manager: Member, assignment_id: int, *, due_at: datetime) -> Assignment:
    """Let a manager give an assignment another deadline.

    Raises:
        NotYoursError: The project has none such that has not ended.
        RefusedError: The date is over.
    """
    manager = authorize(manager, Role.MANAGER)
    assignment = _get_assignment(manager, assignment_id)
    _refuse_past(due_at)
    assignment.due_at = due_at
    assignment.save(update_fields=["due_at"])
    _log("assignment.moved", manager, assignment, {})
    return assignment


@transactional
def end_assignment(manager: Member, assignment_id: int) -> Assignment:
    """Let a manager end an assignment; what was kept is open to all, what is in work goes on.

    Raises:
        NotYoursError: The project has none such that has not ended.
    """
    manager = authorize(manager, Role.MANAGER)
    assignment = _get_assignment(manager, assignment_id)
    _end(Assignment.objects.filter(pk=assignment.pk))
    _log("assignment.ended", manager, assignment, {})
    return assignment


def end_assignments(member: Member, *roles: Role) -> None:
    """End what a member was given in these roles, inside the caller's act."""
    _end(Assignment.objects.filter(member=member, role__in=roles))


def _end(rows: QuerySet[Assignment]) -> None:
    rows.filter(ended_at=None).update(ended_at=timezone.now())


def _get_assignment(manager: Member, assignment_id: int) -> Assignment:
    here = Assignment.objects.filter(member__project=manager.project_id, ended_at=None)
    assignments = here.select_related("member").select_for_update(of=("self",), no_key=True)
    assignment = assignments.filter(pk=assignment_id).first()
    if assignment is None:
        raise NotYoursError("there is no such assignment")
    return assignment


def _lock_both(
    manager: Member, member: Member, due_at: datetime, role: Role
) -> tuple[Member, Member]:
    """Lock who gives and who gets work.

    Raises:
        RefusedError: The member does not work in that role, or the date is over.
    """
    manager = authorize(manager, Role.MANAGER)
    if member.project_id != manager.project_id:
        raise NotYoursError("there is no such member in this project")
    member = lock_member(member)
    if not (member.has(role) and member.status == MemberStatus.ACTIVE):
        raise RefusedError([Problem("assignment-role", "members", {"name": member.person.name})])
    _refuse_past(due_at)
    return manager, member


def _refuse_past(due_at: datetime) -> None:
    if due_at <= timezone.now():
        raise RefusedError([Problem("due-over", "due")])


def _create(manager: Member, member: Member, due_at: datetime, **fields: Any) -> Assignment:
    return Assignment.objects.create(member=member, due_at=due_at, by=manager.person, **fields)


def _log(what: str, manager: Member, assignment: Assignment, data: dict[str, object]) -> None:
    due = timezone.localtime(assignment.due_at)
    audit.record_by(
        manager,
        what,
        about=("member", assignment.member_id),
        data={**data, "due": due.isoformat(" ", "minutes")},
    )
