"""Submitting, in one transaction; taking back; one's own history."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from gecbench.server.laws.names import Origin, SlotEventKind, SlotState
from gecbench.server.laws.text import digest
from gecbench.server.models import Draft, Member, Reference, Sentence, Slot, SlotEvent, Submission
from gecbench.server.workflow import arrivals, audits, drafts, slots
from gecbench.server.workflow.acts import act, locked_member, locked_sentence
from gecbench.server.workflow.answers import MOST_MS, Answer, Key
from gecbench.server.workflow.errors import (
    ConflictError,
    GoneError,
    NotAllowedError,
    NotYoursError,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.preparing import Prepared, prepare

__all__ = ["Prepared", "history", "may_reopen", "prepare", "reopen", "submit"]


def submit(
    member: Member, slot_id: int, *, version: int, client_key: Key, answer: Answer
) -> Submission:
    """Hand in an answer, all or nothing; the same key twice is the same submission (INV-9).

    The sentence becomes review_ready in the same transaction as its N-th submission (WFL-2), or
    is closed, where all say error free and the project's option says so (WFL-4). Whatever is
    refused is kept as a draft revision (INV-10).

    Raises:
        RefusedError: The answer breaks a rule; by box.
        ConflictError: The slot was handed in from another window since `version`.
        GoneError: The lease was lost and somebody else has the place; the text is kept.
        NotYoursError: The person never held the slot.
        NotAllowedError: The member is not active.
    """
    outcome = _submit(member, slot_id, version, client_key, answer)
    if isinstance(outcome, WorkflowError):  # raised only now that what was kept is committed
        raise outcome
    return outcome


@act
def _submit(
    member: Member, slot_id: int, version: int, client_key: Key, answer: Answer
) -> Submission | WorkflowError:
    fresh = locked_member(member)
    known = _known(fresh, slot_id, client_key)
    if known is not None:
        _keep_other(known, fresh, answer)
        return known
    slot = Slot.objects.filter(pk=slot_id, project_id=fresh.project_id).first()
    if slot is None or not slots.held_by(slot, fresh.person):
        raise NotYoursError(f"task {slot_id} is not one of yours")
    sentence = locked_sentence(slot.sentence_id, fresh.project_id)
    sentence.project = fresh.project
    try:
        slot = _held(fresh, slot, sentence, version)
        prepared = prepare(sentence, answer)
        wrong = [one for one in prepared.problems if one.blocking]
        if wrong:
            raise RefusedError(wrong)
    except WorkflowError as error:
        _keep(slot, fresh, answer, error)
        return error
    return _write(fresh, slot, sentence, client_key, answer, prepared)


def _known(member: Member, slot_id: int, client_key: Key) -> Submission | None:
    """Return what was submitted with a key before.

    Raises:
        ConflictError: The key was somebody else's, or for something else.
    """
    known = Submission.objects.filter(client_key=client_key).first()
    if known is not None and (known.person_id, known.slot_id) != (member.person_id, slot_id):
        raise ConflictError("this key was used for another submission; make a new one")
    return known


def _keep_other(known: Submission, member: Member, answer: Answer) -> None:
    """Keep what came under a key that was answered, where it is not what was handed in (INV-10)."""
    sentence = known.sentence
    sentence.project = member.project
    prepared, stored = prepare(sentence, answer), drafts.payload_of_submission(known)
    said = (prepared.decision, list(prepared.texts), answer.reason, prepared.note)
    if said != (stored["decision"], stored["texts"], stored["reason"], stored["note"]):
        drafts.keep_aside(known.slot, member.person, drafts.payload_of(answer))


def _held(member: Member, slot: Slot, sentence: Sentence, version: int) -> Slot:
    """Return the open slot of a member, taken back if the lease was lost and nobody has it.

    Raises:
        NotAllowedError: They may not work now.
        ConflictError: It was handed in meanwhile.
        GoneError: Somebody else has it.
    """
    slots.insist_on_active(member)
    slot = Slot.objects.get(pk=slot.pk)  # as it is now that the sentence is locked
    if slot.person_id != member.person_id:
        back = slots.come_back(member, slot)
        if back is None:
            raise GoneError("this task is no longer yours; what you wrote was kept as a draft")
        sentence.refresh_from_db(fields=["state", "version"])
        slot = back
    if slot.state != SlotState.OPEN or _handed_in_since(slot, member, version):
        raise ConflictError("this task was handed in from another window", slot)
    if sentence.state not in slots.WORKABLE:
        raise GoneError("this sentence was taken out of work; what you wrote was kept as a draft")
    return slot


def _handed_in_since(slot: Slot, member: Member, version: int) -> bool:
    """Return whether a page is stale: its slot was handed in, and perhaps reopened, since.

    Versions that an expired lease made do not count: the holder came back and lost nothing.
    """
    if slot.version == version:
        return False
    events = SlotEvent.objects.filter(
        slot=slot, person_id=member.person_id, kind=SlotEventKind.SUBMIT
    )
    return version > slot.version or any(
        data["version"] > version for data in events.values_list("data", flat=True)
    )


def _keep(slot: Slot, member: Member, answer: Answer, error: WorkflowError) -> None:
    """Keep the text of an answer that was refused (INV-10)."""
    payload = drafts.payload_of(answer)
    if isinstance(error, GoneError | NotAllowedError):
        # The page has nowhere to save to any more: this is the text that they find again.
        slots.put_draft(slot, member.person, payload)
    else:
        drafts.keep_aside(slot, member.person, payload)


def _write(
    member: Member,
    slot: Slot,
    sentence: Sentence,
    client_key: Key,
    answer: Answer,
    prepared: Prepared,
) -> Submission:
    last = Submission.objects.filter(slot=slot).order_by("-no").values_list("no", flat=True).first()
    submission = Submission.objects.create(
        slot=slot,
        sentence=sentence,
        person_id=member.person_id,
        no=(last or 0) + 1,
        decision=prepared.decision,
        reason=answer.reason,
        reason_note=prepared.note,
        guideline_id=member.project.guideline_id,
        active_ms=min(max(answer.active_ms, 0), MOST_MS),
        client_key=client_key,
        suggestion_id=answer.suggestion,
    )
    digests = [digest(text) for text in prepared.texts]
    Reference.objects.bulk_create(
        Reference(
            sentence=sentence,
            submission=submission,
            position=position,
            text=text,
            digest=digests[position],
            origin=Origin.ANNOTATOR,
        )
        for position, text in enumerate(prepared.texts)
    )
    arrivals.close_slot(slot)
    data = {"submission": submission.pk, "no": submission.no}
    slots.note(slot, member.person, SlotEventKind.SUBMIT, data)
    arrivals.count_in(sentence)
    audits.record(
        "submission.made",
        who=member.person,
        project=member.project,
        about=("submission", submission.pk),
        data={"decision": str(prepared.decision), "no": submission.no, "digests": digests},
    )
    return submission


@act
def reopen(member: Member, slot_id: int) -> Slot:
    """Take the last submission back while no reviewer has begun (ANN-13): the slot is open again.

    What was submitted becomes the draft. A task that was claimed since and not begun makes room,
    and is offered again afterwards; so the last submission can be taken back although the next
    task is there already.

    Raises:
        ConflictError: The sentence is in review already, or an open task stands in the way.
        NotYoursError: It is not the member's submitted slot.
        NotAllowedError: The member is not active.
    """
    fresh = locked_member(member)
    mine = Slot.objects.filter(
        pk=slot_id, project_id=fresh.project_id, person_id=fresh.person_id
    ).exclude(state=SlotState.OPEN)
    sentence_id = mine.values_list("sentence_id", flat=True).first()
    if sentence_id is None:
        raise NotYoursError(f"task {slot_id} is not one that you have handed in")
    slots.insist_on_active(fresh)
    sentence = locked_sentence(sentence_id, fresh.project_id)
    slot = mine.get()
    submission = arrivals.last_submission(slot)
    if slot.state != SlotState.SUBMITTED or submission is None:
        raise ConflictError(f"sentence {sentence.number} was reviewed already", sentence)
    arrivals.count_out(sentence)
    open_no = slots.free_place(fresh, fresh.project.rules) or _make_room(fresh)
    slots.open_again(slot, fresh, open_no)
    slots.note(slot, fresh.person, SlotEventKind.REOPEN, {"submission": submission.pk})
    slots.put_draft(slot, fresh.person, drafts.payload_of_submission(submission))
    sentence.project = slot.project = fresh.project
    slot.sentence = sentence
    return slot


def _make_room(member: Member) -> int:
    """Give back the newest open task that was not begun; return which place it leaves.

    Raises:
        ConflictError: All were begun.
    """
    held = Slot.objects.filter(
        ~Exists(Draft.objects.filter(slot=OuterRef("pk"), person_id=member.person_id)),
        ~Exists(Submission.objects.filter(slot=OuterRef("pk"), person_id=member.person_id)),
        project_id=member.project_id,
        person_id=member.person_id,
        state=SlotState.OPEN,
    )
    slot = held.select_related("person").order_by("-claimed_at", "-pk").first()
    if slot is None or slot.open_no is None:
        raise ConflictError("finish or put off the open task first")
    place = slot.open_no
    sentence = locked_sentence(slot.sentence_id, member.project_id)
    slots.let_go(slot, sentence, SlotEventKind.RELEASE, {"why": "reopen"})
    return place


def history(member: Member, *, before: int | None = None, most: int = 50) -> tuple[Submission, ...]:
    """Return the member's latest submission of each slot, newest first, keyset by id `before`."""
    later = Submission.objects.filter(
        slot=OuterRef("slot"), person=OuterRef("person"), no__gt=OuterRef("no")
    )
    found = Submission.objects.filter(
        ~Exists(later), person_id=member.person_id, slot__project_id=member.project_id
    )
    if before is not None:
        found = found.filter(pk__lt=before)
    found = found.select_related("slot", "sentence").prefetch_related("references")
    return tuple(found.order_by("-pk")[:most])


def may_reopen(submission: Submission) -> bool:
    """Return whether its author may still take it back."""
    slot = submission.slot
    return (
        slot.state == SlotState.SUBMITTED
        and slot.person_id == submission.person_id
        and arrivals.may_count_out(submission.sentence)
    )
