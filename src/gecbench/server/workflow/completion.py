"""Submissions counted in and out of their sentence, which moves on with the N-th (WFL-2).

All is called inside a transaction that holds the sentence.
"""

from __future__ import annotations

from django.utils import timezone

from gecbench.server.choices import Purpose, ReviewKind, SentenceState, SlotEventKind
from gecbench.server.models import Sentence, Slot, SlotEvent, Submission
from gecbench.server.workflow import sentences
from gecbench.server.workflow.errors import ConflictError
from gecbench.server.workflow.golden import close_unanimous
from gecbench.server.workflow.review_tasks import queue_for_review, remove_from_queue
from gecbench.server.workflow.sentences import change_state
from gecbench.server.workflow.transactions import compare_and_set


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
