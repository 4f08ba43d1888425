"""Managers take sentences out of work, put them back, and have decided ones reviewed anew."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.server.laws.names import ReviewKind, Role, SentenceState, SlotState
from gecbench.server.models import Complaint, Member, Review, ReviewTask, Slot
from gecbench.server.workflow import audits
from gecbench.server.workflow.acting import acting
from gecbench.server.workflow.acts import act, locked_sentence
from gecbench.server.workflow.claims import give_back
from gecbench.server.workflow.errors import ConflictError, Problem, RefusedError
from gecbench.server.workflow.opinions import checked_note
from gecbench.server.workflow.review_tasks import make_ready, reviewers_for, take_from_queue
from gecbench.server.workflow.standing import UNDECIDED, move, stands


@act
def reopen_sentence(member: Member, sentence_id: int, *, reason: str) -> ReviewTask:
    """Let a manager have a decided sentence reviewed anew; the golden set stays until then.

    Somebody else than the last reviewer is asked, where there is somebody else.

    Raises:
        RefusedError: There is no reason, or a complaint about it is undecided.
        ConflictError: It has no golden set, or is in review already.
    """
    member = acting(member, Role.MANAGER)
    sentence = locked_sentence(sentence_id, member.project_id)
    words = checked_note(reason, "reopen-reason", field="reason")
    if Complaint.objects.filter(study__sentence=sentence, state__in=UNDECIDED).exists():
        message = f"sentence {sentence.number} has an undecided complaint; decide that first"
        raise RefusedError([Problem("reopen-disputed", "", message)])
    if sentence.state != SentenceState.GOLDEN:
        message = f"sentence {sentence.number} is {sentence.state}; only golden ones are reopened"
        raise ConflictError(message)
    move(sentence, SentenceState.REVIEW_READY)
    last = Review.objects.filter(sentence=sentence).select_related("reviewer").order_by("pk").last()
    former = None if last is None else last.reviewer
    if former is not None and not reviewers_for(sentence, but=[former.pk]).exists():
        former = None
    task = make_ready(sentence, kind=ReviewKind.REOPENED, not_for=former, note=words)
    audits.record(
        "sentence.reopened",
        who=member.person,
        project=member.project,
        about=("sentence", sentence.pk),
        data={"reason": words},
    )
    return task


@act
def withdraw(member: Member, sentence_ids: Sequence[int], *, reason: str) -> int:
    """Let a manager take sentences out of work, with a reason; return how many changed.

    Open tasks are given back, their drafts kept; the queue of reviews forgets them. What was
    submitted, judged or complained about stays, and may still be studied and decided.

    Raises:
        RefusedError: There is no reason.
        NotYoursError: One of the sentences is not in the project; none is withdrawn then.
    """
    member = acting(member, Role.MANAGER)
    words = checked_note(reason, "withdraw-reason", field="reason")
    changed = []
    for sentence_id in sorted(set(sentence_ids)):
        sentence = locked_sentence(sentence_id, member.project_id)
        if sentence.state == SentenceState.WITHDRAWN:
            continue
        for slot in Slot.objects.filter(sentence=sentence, state=SlotState.OPEN).order_by("pk"):
            give_back(slot, why="withdrawn")
        take_from_queue(sentence)
        sentence.refresh_from_db()
        move(sentence, SentenceState.WITHDRAWN, state_note=words)
        changed.append(sentence.pk)
    _log("sentence.withdrawn", member, changed, words)
    return len(changed)


@act
def restore(member: Member, sentence_ids: Sequence[int]) -> int:
    """Put withdrawn sentences back to where their submissions say they stand; say how many.

    Raises:
        NotYoursError: One of the sentences is not in the project; none is restored then.
    """
    member = acting(member, Role.MANAGER)
    changed = []
    for sentence_id in sorted(set(sentence_ids)):
        sentence = locked_sentence(sentence_id, member.project_id)
        if sentence.state != SentenceState.WITHDRAWN:
            continue
        state = stands(sentence)
        move(sentence, state, state_note="")
        if state == SentenceState.REVIEW_READY:
            last = ReviewTask.objects.filter(sentence=sentence).order_by("pk").last()
            make_ready(sentence, kind=ReviewKind(last.kind) if last else ReviewKind.FIRST)
        changed.append(sentence.pk)
    _log("sentence.restored", member, changed, "")
    return len(changed)


def _log(what: str, member: Member, changed: Sequence[int], reason: str) -> None:
    if changed:
        audits.record(
            what,
            who=member.person,
            project=member.project,
            about=("sentence", changed[0] if len(changed) == 1 else ""),
            data={"sentences": list(changed), "reason": reason},
        )
