"""Whether a task waits for somebody, without taking it."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from gecbench.server.laws.names import Purpose, SlotState
from gecbench.server.models import Member, Sentence, Slot
from gecbench.server.workflow import slots
from gecbench.server.workflow.claims import open_tasks


def task_waits(member: Member) -> bool:
    """Return whether an annotator has an open task, or one is free that they do not know yet.

    Near enough to show the way: a task whose lease is over counts only once it is free again.
    """
    if open_tasks(member):
        return True
    seen = slots.seen_by(OuterRef("sentence_id"), member.person_id)
    workable = Sentence.objects.filter(
        pk=OuterRef("sentence_id"), state__in=slots.WORKABLE, purpose=Purpose.REAL
    )
    free = Slot.objects.filter(project_id=member.project_id, state=SlotState.FREE)
    return free.filter(Exists(workable), *(~Exists(one) for one in seen)).exists()
