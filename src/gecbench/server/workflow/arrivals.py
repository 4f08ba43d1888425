"""Submissions are counted in and out of their sentence, which moves on with the N-th (WFL-2).

Called inside a transaction that holds the sentence.
"""

from __future__ import annotations

from django.db.models import F
from django.utils import timezone

from gecbench.server.laws.names import (
    ReviewKind,
    SentenceState,
    SlotEventKind,
    SlotState,
)
from gecbench.server.models import Sentence, Slot, SlotEvent, Submission
from gecbench.server.workflow import slots
from gecbench.server.workflow.errors import ConflictError
from gecbench.server.workflow.finalising import close_unanimous
from gecbench.server.workflow.review_tasks import make_ready, take_from_queue
from gecbench.server.workflow.standing import move


def count_in(sentence: Sentence) -> None:
    """Count one submission more; the N-th makes the sentence ready for review, or closes it.

    One that is out of work is only counted.
    """
    _count(sentence, sentence.submitted + 1)
    if sentence.state not in slots.WORKABLE or sentence.submitted < sentence.needed:
        return
    if sentence.golden_id is None and close_unanimous(sentence) is not None:
        return
    kind = ReviewKind.FIRST if sentence.golden_id is None else ReviewKind.REOPENED
    move(sentence, SentenceState.REVIEW_READY)
    make_ready(sentence, kind=kind)


def count_out(sentence: Sentence) -> None:
    """Count one submission less; a sentence that was ready for review waits for it again.

    Raises:
        ConflictError: A reviewer has begun.
    """
    if not may_count_out(sentence):
        raise ConflictError(f"sentence {sentence.number} is in review already", sentence)
    if sentence.state == SentenceState.REVIEW_READY:
        take_from_queue(sentence)
        move(sentence, SentenceState.ANNOTATING)
    _count(sentence, sentence.submitted - 1)


def may_count_out(sentence: Sentence) -> bool:
    """Return whether no reviewer has begun with a sentence."""
    return sentence.state in (SentenceState.ANNOTATING, SentenceState.REVIEW_READY)


def _count(sentence: Sentence, submitted: int) -> None:
    changed = Sentence.objects.filter(pk=sentence.pk, version=sentence.version).update(
        submitted=submitted, version=F("version") + 1, updated_at=timezone.now()
    )
    if changed != 1:
        raise ConflictError(f"sentence {sentence.number} has changed meanwhile; look again")
    sentence.submitted, sentence.version = submitted, sentence.version + 1


def close_slot(slot: Slot) -> None:
    """Make an open slot submitted; it is still to be counted in.

    Raises:
        ConflictError: It is not as it was read.
    """
    changed = Slot.objects.filter(pk=slot.pk, state=SlotState.OPEN, version=slot.version).update(
        state=SlotState.SUBMITTED,
        open_no=None,
        lease_until=None,
        submitted_at=timezone.now(),
        version=F("version") + 1,
    )
    if changed != 1:
        raise ConflictError(f"slot {slot.pk} has changed meanwhile; look again", slot)
    slot.version += 1


def last_submission(slot: Slot) -> Submission | None:
    """Return what the holder of a slot has handed in for it last."""
    if slot.person_id is None:
        return None
    return Submission.objects.filter(slot=slot, person_id=slot.person_id).order_by("-no").first()


def end(slot: Slot, sentence: Sentence, kind: SlotEventKind, data: dict[str, object]) -> None:
    """End a task that its person leaves without a word.

    The slot is free again and the draft stays. But where they had submitted and taken it back,
    that submission stands again: forgetting to hand in anew loses nothing. Not so where they had
    put the task off in between: then they gave the place up, and others may have had it since.
    """
    before = last_submission(slot) if _taken_back(slot) else None
    if before is None:
        slots.let_go(slot, sentence, kind, data)
        return
    close_slot(slot)
    slots.note(slot, slot.person, kind, {**data, "stands": before.pk})
    count_in(sentence)


def _taken_back(slot: Slot) -> bool:
    """Return whether a slot is open because its holder took a submission back."""
    opened = SlotEvent.objects.filter(
        slot=slot, kind__in=(SlotEventKind.CLAIM, SlotEventKind.REOPEN)
    )
    return opened.order_by("-pk").values_list("kind", flat=True).first() == SlotEventKind.REOPEN
