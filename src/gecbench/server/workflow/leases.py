"""Leases end: nobody sits on a task for ever, and nothing typed is lost by it (INV-15)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.utils import timezone

from gecbench.server.laws.names import SlotEventKind, SlotState, TaskState
from gecbench.server.models import Project, ReviewTask, Slot
from gecbench.server.workflow import arrivals
from gecbench.server.workflow.acts import act, locked_sentence
from gecbench.server.workflow.clock import watch
from gecbench.server.workflow.review_tasks import expire_tasks


@act
def give_back(slot: Slot, *, why: str) -> None:
    """Free an open slot of a person who pauses or leaves; the draft is kept.

    Where it had been submitted and was taken back, that submission stands again.
    """
    _end(slot.pk, slot.project_id, SlotEventKind.RELEASE, {"why": why})


def expire(project_id: int, *, most: int = 100) -> int:
    """Free slots and review tasks whose lease (and its grace) is over; return how many.

    The grace is as long as the lease itself. After a jump of this machine's clock nothing expires
    for as long as both together. A slot that had been submitted and was taken back is not freed:
    that submission stands again.
    """
    project = Project.objects.get(pk=project_id)
    lease = timedelta(minutes=project.rules.lease_minutes)
    if watch().jumped_within(2 * lease.total_seconds()):
        return 0
    before = timezone.now() - lease
    over = Slot.objects.filter(
        project_id=project_id, state=SlotState.OPEN, lease_until__lt=before
    ).order_by("lease_until")
    freed = sum(
        _expire_one(slot_id, project_id, before)
        for slot_id in tuple(over.values_list("pk", flat=True)[:most])
    )
    late = ReviewTask.objects.filter(project=project, state=TaskState.OPEN, lease_until__lt=before)
    return freed + (_expire_tasks(project, most) if late.exists() else 0)


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
