"""A slot is taken or let go: the one place where people and slots come together.

Called inside a transaction that holds the sentence (and, where somebody takes it, the member).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from gecbench.server.laws.names import (
    MemberStatus,
    SentenceState,
    SlotEventKind,
    SlotState,
)
from gecbench.server.laws.options import ProjectOptions
from gecbench.server.models import (
    Draft,
    DraftRevision,
    Member,
    Person,
    Project,
    Reading,
    Review,
    ReviewTask,
    Sentence,
    Skip,
    Slot,
    SlotEvent,
)
from gecbench.server.workflow.acts import locked_member, locked_sentence
from gecbench.server.workflow.errors import ConflictError, NotAllowedError
from gecbench.server.workflow.sentences import BEGUN
from gecbench.server.workflow.standing import move

WORKABLE = (SentenceState.OPEN, SentenceState.ANNOTATING)
"""States in which annotators may still begin."""


def closed(project: Project) -> bool:
    """Return whether nobody may work in a project now."""
    return project.archived_at is not None or project.deleted_at is not None


def may_annotate(member: Member) -> bool:
    """Return whether a member is served real tasks at all (ROL-4)."""
    return member.is_annotator and member.status == MemberStatus.ACTIVE


def insist_on_active(member: Member) -> None:
    """Refuse whoever may not annotate now.

    Raises:
        NotAllowedError: They are no active annotator, or the project is closed.
    """
    if closed(member.project):
        raise NotAllowedError(f"the project {member.project.slug} is closed for work")
    if not may_annotate(member):
        raise NotAllowedError("only an active annotator of this project may do that")


def lease(rules: ProjectOptions) -> datetime:
    """Return until when a task that shows a sign of life now stays with its person."""
    return timezone.now() + timedelta(minutes=rules.lease_minutes)


def seen_by(sentence: Any, person: Any) -> tuple[QuerySet[Any, Any], ...]:
    """Return rows each of which says that a person knows a sentence: held it, reviews or read it.

    Such a person does not (or not again) become one of its annotators: texts of others that they
    have read would not let theirs be independent (ROL-5, INV-11).

    Args:
        sentence: An id, or a reference to one in an outer query.
        person: Likewise.
    """
    # By the sentence alone: asked for both, SQLite may walk all that the person has reviewed.
    reviews = Review.objects.filter(sentence=sentence).alias(who=Coalesce("reviewer_id", 0))
    tasks = ReviewTask.objects.filter(sentence=sentence).alias(
        drafted_by=Coalesce("drafts__person_id", 0)
    )
    begun = Q(reviewer=person) | Q(drafted_by=person)
    return (
        SlotEvent.objects.filter(sentence=sentence, person=person),
        reviews.filter(who=person),
        tasks.filter(begun | Q(handed_by=person) | Q(not_for=person)),
        Reading.objects.filter(sentence=sentence, person=person),
    )


def free_place(member: Member, rules: ProjectOptions) -> int | None:
    """Return which of the k open tasks a member may fill; None where all are (INV-2)."""
    taken = set(
        Slot.objects.filter(
            project_id=member.project_id, person_id=member.person_id, state=SlotState.OPEN
        ).values_list("open_no", flat=True)
    )
    if len(taken) >= rules.open_tasks:  # the option may have been lowered since
        return None
    return next(no for no in range(1, rules.open_tasks + 1) if no not in taken)


def take(
    member: Member, sentence: Sentence, slot_id: int, *, open_no: int, back: bool = False
) -> Slot | None:
    """Open a free slot for a member; None where somebody else has it.

    Args:
        member: Locked.
        sentence: Locked, of a workable state.
        slot_id: One of its slots.
        open_no: Which of the member's k tasks it becomes.
        back: Whether they held one of this sentence before.
    """
    now = timezone.now()
    changed = Slot.objects.filter(pk=slot_id, sentence=sentence, state=SlotState.FREE).update(
        state=SlotState.OPEN,
        person_id=member.person_id,
        open_no=open_no,
        lease_until=lease(member.project.rules),
        claimed_at=now,
        version=F("version") + 1,
    )
    if not changed:
        return None
    if sentence.state == SentenceState.OPEN:
        move(sentence, SentenceState.ANNOTATING)
        _prefer(sentence)
    slot = Slot.objects.get(pk=slot_id)
    sentence.project = slot.project = member.project
    slot.sentence = sentence
    note(slot, member.person, SlotEventKind.CLAIM, {"back": True} if back else {})
    return slot


def _prefer(sentence: Sentence) -> None:
    """Put the free slots of a begun sentence before, of an unbegun one among, the others."""
    begun = BEGUN if sentence.state == SentenceState.ANNOTATING else 0
    Slot.objects.filter(sentence=sentence, state=SlotState.FREE).update(
        priority=sentence.priority - begun
    )


def note(
    slot: Slot, person: Person | None, kind: SlotEventKind, data: Mapping[str, object] | None = None
) -> None:
    """Write what happened to a slot, with the version that it made."""
    SlotEvent.objects.create(
        slot=slot,
        sentence_id=slot.sentence_id,
        person=person,
        kind=kind,
        data={"version": slot.version, **(data or {})},
    )


def open_again(slot: Slot, member: Member, open_no: int) -> None:
    """Open a submitted slot for its holder.

    Raises:
        ConflictError: It is not as it was read.
    """
    changed = Slot.objects.filter(
        pk=slot.pk, state=SlotState.SUBMITTED, person_id=member.person_id, version=slot.version
    ).update(
        state=SlotState.OPEN,
        open_no=open_no,
        lease_until=lease(member.project.rules),
        submitted_at=None,
        version=F("version") + 1,
    )
    if changed != 1:
        raise ConflictError(f"slot {slot.pk} has changed meanwhile; look again", slot)
    slot.refresh_from_db()


def let_go(
    slot: Slot, sentence: Sentence, kind: SlotEventKind, data: Mapping[str, object] | None = None
) -> None:
    """Free an open slot; its draft stays.

    Raises:
        ConflictError: It is not as it was read.
    """
    person = slot.person
    changed = Slot.objects.filter(
        pk=slot.pk, state=SlotState.OPEN, person=person, version=slot.version
    ).update(
        state=SlotState.FREE,
        person=None,
        open_no=None,
        lease_until=None,
        claimed_at=None,
        version=F("version") + 1,
        priority=sentence.priority - BEGUN,
    )
    if changed != 1:
        raise ConflictError(f"slot {slot.pk} has changed meanwhile; look again")
    slot.refresh_from_db()
    note(slot, person, kind, data)
    if sentence.state == SentenceState.ANNOTATING and not _is_begun(sentence):
        move(sentence, SentenceState.OPEN)
        _prefer(sentence)


def _is_begun(sentence: Sentence) -> bool:
    held = Slot.objects.filter(sentence=sentence).exclude(state=SlotState.FREE)
    return sentence.golden_id is not None or held.exists()


def resume(member: Member, sentence: Sentence, wanted: int | None = None) -> Slot | None:
    """Open a free slot of a sentence for somebody who had one before, their draft with it.

    Args:
        member: Locked.
        sentence: Locked.
        wanted: The slot it should be; None is any, the one with their draft first.

    Returns:
        None where there is no free slot, no open task left to fill, or no work to be done.
    """
    if closed(member.project) or not may_annotate(member) or sentence.state not in WORKABLE:
        return None
    slots = Slot.objects.filter(sentence=sentence)
    if slots.filter(person_id=member.person_id).exists():
        return None
    open_no = free_place(member, member.project.rules)
    free = slots.filter(state=SlotState.FREE)
    if wanted is not None:
        free = free.filter(pk=wanted)
    drafts = Draft.objects.filter(slot__sentence=sentence, person_id=member.person_id)
    draft = drafts.order_by("-saved_at", "-pk").first()
    ids = list(free.order_by("no").values_list("pk", flat=True))
    if open_no is None or not ids:
        return None
    chosen = draft.slot_id if draft is not None and draft.slot_id in ids else ids[0]
    slot = take(member, sentence, chosen, open_no=open_no, back=True)
    if slot is not None and draft is not None and draft.slot_id != slot.pk:
        put_draft(slot, member.person, draft.payload)
    return slot


def come_back(member: Member, slot: Slot) -> Slot | None:
    """Give a slot back to somebody who lost it by an expired lease, if it is still free (INV-15).

    Returns:
        None where somebody has it, or they put it off or may not work now.
    """
    fresh = locked_member(member)
    sentence = locked_sentence(slot.sentence_id, fresh.project_id)
    if Skip.objects.filter(sentence=sentence, person=fresh.person, recalled_at=None).exists():
        return None
    return resume(fresh, sentence, slot.pk)


def put_draft(slot: Slot, person: Person, payload: object) -> Draft:
    """Make something the person's draft for a slot; what was there stays as a revision."""
    now = timezone.now()
    draft = Draft.objects.filter(slot=slot, person=person).first()
    if draft is not None and draft.payload == payload:
        return draft
    if draft is None:
        draft = Draft(slot=slot, person=person, rev=0)
    draft.rev, draft.payload, draft.saved_at = draft.rev + 1, payload, now
    draft.save()
    DraftRevision.objects.create(
        slot=slot, person=person, rev=draft.rev, payload=payload, at=now, client_at=None
    )
    return draft


def held_by(slot: Slot, person: Person) -> bool:
    """Return whether a person has, or ever had, a slot."""
    return (
        slot.person_id == person.pk or SlotEvent.objects.filter(slot=slot, person=person).exists()
    )
