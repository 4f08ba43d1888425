"""Where a sentence and its slots stand, read from the rows around them; and how they get there.

Each change is a compare-and-set along the paths of section 1.3 (INV-5).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.db.models import F
from django.utils import timezone

from gecbench.server.laws.names import (
    SUBMITTED_OR_LATER,
    ComplaintState,
    SentenceState,
    SlotEventKind,
    SlotState,
    StudyState,
    TaskState,
)
from gecbench.server.models import Complaint, Person, Sentence, Slot, SlotEvent, Study
from gecbench.server.workflow.errors import ConflictError

LIVE = (TaskState.FREE, TaskState.OPEN)
UNDECIDED = (ComplaintState.OPEN, ComplaintState.DISCUSSED)

PATHS: Mapping[SentenceState, tuple[SentenceState, ...]] = MappingProxyType(
    {
        SentenceState.OPEN: (SentenceState.ANNOTATING, SentenceState.WITHDRAWN),
        SentenceState.ANNOTATING: (
            *(SentenceState.OPEN, SentenceState.REVIEW_READY),
            *(SentenceState.GOLDEN, SentenceState.WITHDRAWN),
        ),
        SentenceState.REVIEW_READY: (
            *(SentenceState.ANNOTATING, SentenceState.IN_REVIEW),
            *(SentenceState.GOLDEN, SentenceState.WITHDRAWN),
        ),
        SentenceState.IN_REVIEW: (
            *(SentenceState.REVIEW_READY, SentenceState.ANNOTATING),
            *(SentenceState.GOLDEN, SentenceState.WITHDRAWN),
        ),
        SentenceState.GOLDEN: (
            *(SentenceState.REVIEW_READY, SentenceState.DISPUTED),
            SentenceState.WITHDRAWN,
        ),
        SentenceState.DISPUTED: (
            *(SentenceState.GOLDEN, SentenceState.DISPUTED),
            SentenceState.WITHDRAWN,
        ),
        SentenceState.WITHDRAWN: tuple(SentenceState),
    }
)
"""State of a sentence to those that may follow."""


def move(sentence: Sentence, state: SentenceState, **fields: Any) -> None:
    """Change a sentence's state, if it is still what was read.

    Raises:
        ConflictError: It has changed meanwhile, or no path leads there.
    """
    if state not in PATHS[SentenceState(sentence.state)]:
        raise ConflictError(
            f"sentence {sentence.number} is {sentence.state}; from there it does not become {state}"
        )
    values = {"state": state, "updated_at": timezone.now(), **fields}
    changed = Sentence.objects.filter(
        pk=sentence.pk, state=sentence.state, version=sentence.version
    ).update(version=F("version") + 1, **values)
    if changed != 1:
        raise ConflictError(f"sentence {sentence.number} has changed meanwhile; look again")
    sentence.version += 1
    for name, value in values.items():
        setattr(sentence, name, value)


def settled(sentence: Sentence) -> SentenceState:
    """Return where a sentence with a golden set rests: golden, or disputed."""
    disputed = Complaint.objects.filter(study__sentence=sentence, state__in=UNDECIDED).exists()
    return SentenceState.DISPUTED if disputed else SentenceState.GOLDEN


def stands(sentence: Sentence) -> SentenceState:
    """Return where the rows of a withdrawn sentence say that it stands."""
    if sentence.submitted < sentence.needed:
        begun = sentence.submitted > 0 or sentence.golden_id is not None
        return SentenceState.ANNOTATING if begun else SentenceState.OPEN
    waiting = Slot.objects.filter(sentence=sentence, state=SlotState.SUBMITTED)
    if sentence.golden_id is not None and not waiting.exists():
        return settled(sentence)
    return SentenceState.REVIEW_READY


def slot_rests(slot: Slot) -> SlotState:
    """Return where a judged slot stands: disputed, in study, or passed."""
    studies = Study.objects.filter(submission__slot=slot)
    if Complaint.objects.filter(study__in=studies, state__in=UNDECIDED).exists():
        return SlotState.DISPUTED
    if studies.filter(state=StudyState.OPEN).exists():
        return SlotState.STUDY
    return SlotState.PASSED


_EVENTS: Mapping[SlotState, SlotEventKind] = MappingProxyType(
    {
        SlotState.JUDGED: SlotEventKind.JUDGE,
        SlotState.PASSED: SlotEventKind.PASS,
        SlotState.STUDY: SlotEventKind.STUDY,
        SlotState.DISPUTED: SlotEventKind.DISPUTE,
    }
)


def move_slot(slot: Slot, state: SlotState, *, by: Person | None) -> None:
    """Change a judged slot's state with an event; the same state again is nothing.

    Raises:
        ConflictError: It has changed meanwhile.
    """
    if slot.state == state:
        return
    changed = Slot.objects.filter(pk=slot.pk, state=slot.state, version=slot.version).update(
        state=state, version=F("version") + 1
    )
    if changed != 1:
        raise ConflictError(f"slot {slot.pk} has changed meanwhile; look again")
    slot.state, slot.version = state, slot.version + 1
    SlotEvent.objects.create(
        slot=slot,
        sentence_id=slot.sentence_id,
        person_id=slot.person_id,
        kind=_EVENTS[state],
        data={"version": slot.version} | ({} if by is None else {"by": by.pk}),
    )


def settle_slots(sentence: Sentence, *, by: Person | None) -> None:
    """Bring the slots of a sentence whose golden set, items or complaints changed where they rest.

    Submitted ones are judged on the way.
    """
    slots = Slot.objects.select_for_update(no_key=True).filter(
        sentence=sentence, state__in=SUBMITTED_OR_LATER
    )
    for slot in slots.order_by("pk"):
        if slot.state == SlotState.SUBMITTED:
            move_slot(slot, SlotState.JUDGED, by=by)
        move_slot(slot, slot_rests(slot), by=by)


def settle_slot(slot_id: int, *, by: Person | None) -> None:
    """Bring one judged slot, whose items or complaints changed, where it rests."""
    slot = Slot.objects.select_for_update(no_key=True).get(pk=slot_id)
    if slot.state in (SlotState.PASSED, SlotState.STUDY, SlotState.DISPUTED):
        move_slot(slot, slot_rests(slot), by=by)
