"""Leases end: nobody sits on a task for ever, and nothing typed is lost by it (INV-15)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from gecbench.server.laws.names import SlotEventKind, SlotState, TaskState
from gecbench.server.models import Project, ReviewTask, Slot
from gecbench.server.workflow import arrivals
from gecbench.server.workflow.acts import act, locked_sentence
from gecbench.server.workflow.clock import watch
from gecbench.server.workflow.review_tasks import expire_tasks
from gecbench.server.workflow.statements import MARK, MOMENT, Statement


@act
def give_back(slot: Slot, *, why: str) -> None:
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
    if watch().jumped_within(2 * lease.total_seconds()):
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


@act
def _expire_tasks(project: Project, most: int) -> int:
    return expire_tasks(project, most=most)


@act
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
    sentence = locked_sentence(sentence_id, project_id)
    still = Slot.objects.select_related("person").filter(pk=slot_id, state=SlotState.OPEN)
    if before is not None:
        still = still.filter(lease_until__lt=before)
    slot = still.first()
    if slot is None:
        return False
    arrivals.end(slot, sentence, kind, dict(data))
    return True
