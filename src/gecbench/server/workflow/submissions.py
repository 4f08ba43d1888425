"""What an answer becomes before it is stored, and what is wrong with it (ANN-9 to ANN-12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from gecbench.server.choices import (
    Decision,
    NotAnnotatableReason,
    Origin,
    ProjectKind,
    Purpose,
    Role,
    SlotEventKind,
    SlotState,
)
from gecbench.server.models import (
    Draft,
    Member,
    Reference,
    Sentence,
    Slot,
    SlotEvent,
    Submission,
    Variant,
)
from gecbench.server.models.base import compiled, compiled_models, insert
from gecbench.server.rules.text import LONGEST, LONGEST_NOTE, CleanText, TextError, clean, digest
from gecbench.server.workflow import audit, drafts, perturbation, sentences, suggestions
from gecbench.server.workflow.answers import (
    MOST_MS,
    Answer,
    CaseAnswer,
    Key,
    ReviewAnswer,
    Ruling,
)
from gecbench.server.workflow.claims import (
    NOT_IN_REVIEW,
    count_submission,
    in_review,
    last_submission,
    may_count_out,
    uncount_submission,
)
from gecbench.server.workflow.errors import (
    ConflictError,
    GoneError,
    NotAllowedError,
    NotYoursError,
    Problem,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.golden import check_consistency
from gecbench.server.workflow.transactions import (
    authorize,
    lock_member,
    lock_project,
    lock_sentence,
    transactional,
)

RULES = ("CON-3", "CON-4", "CON-4-position", "CON-5", "CON-6", "CON-7", "CON-8", "CON-9")
"""Rules of golden sets that annotators are asked about and reviewers held to; ANN-9, 10 and 11 say
the others (CON-1, 2, 10). One annotator's texts need not stand together: the reviewer chooses."""


@dataclass(frozen=True, slots=True)
class PreparedAnswer:
    """An answer after cleaning, as it will be stored.

    Args:
        decision: As given.
        texts: Cleaned, equal ones merged, in order.
        problems: What refuses it, or only warns.
        merged: How many equal boxes were merged (ANN-11).
        removed: How many invisible characters were removed (ANN-12).
        note: Cleaned.
        variant: Of a perturbation project: what is handed in, not stored yet; `texts` are its gaps.
    """

    decision: Decision
    texts: tuple[str, ...]
    problems: tuple[Problem, ...]
    merged: int = 0
    removed: int = 0
    note: str = ""
    variant: Variant | None = None


def prepare(sentence: Sentence, answer: Answer) -> PreparedAnswer:
    """What an answer becomes and what is wrong with it (ANN-9 to 12); writes nothing.

    Codes of problems: ANN-4 too many corrections; ANN-6 no reason; ANN-9 a mixed or empty
    answer; ANN-10 equal to the source; ANN-12 empty, and ANN-12-nul, ANN-12-surrogate,
    ANN-12-too_long with the values of `rules.text.TextError`; CON-3 to CON-9 warn, where
    the project has them on. Of a variant, see `perturbation.prepare`.
    """
    if sentence.project.kind == ProjectKind.PERTURB:
        return _prepare_variant(sentence, answer)
    note = _clean("note", answer.note, LONGEST_NOTE)
    boxes = [_clean(f"reference-{n}", text) for n, text in enumerate(answer.texts)]
    problems = [*_about_decision(answer)]
    problems += [box for box in (note, *boxes) if isinstance(box, Problem)]
    distinct = {n: box for n, box in enumerate(boxes) if not isinstance(box, Problem)}
    numbers: dict[str, int] = {}  # of the box of each distinct text
    for n, box in distinct.items():
        if not box.text:
            problems.append(Problem("ANN-12", f"reference-{n}"))
        elif digest(box.text) == sentence.digest:
            problems.append(Problem("ANN-10", f"reference-{n}"))
        numbers.setdefault(digest(box.text), n)
    texts = tuple(distinct[n].text for n in numbers.values())
    most = sentence.project.max_references
    if len(texts) > most:
        problems.append(Problem("ANN-4", f"reference-{most}", {"most": most}))
    if not any(problem.blocking for problem in problems):
        problems += _warnings(sentence, answer.decision, texts, list(numbers.values()))
    return PreparedAnswer(
        decision=answer.decision,
        texts=texts,
        problems=tuple(problems),
        merged=len(distinct) - len(texts),
        removed=sum(count for box in distinct.values() for _, count in box.removed),
        note="" if isinstance(note, Problem) else note.text,
    )


def _prepare_variant(sentence: Sentence, answer: Answer) -> PreparedAnswer:
    note = _clean("note", answer.note, LONGEST_NOTE)
    prepared = perturbation.prepare(
        sentence, answer.texts, asks=answer.ask_reviewer, has_note=bool(answer.note.strip())
    )
    problems = list(prepared.problems)
    if answer.decision != Decision.CORRECTED:
        problems.insert(0, Problem("PER-2", "decision"))
    if isinstance(note, Problem):
        problems.append(note)
    return PreparedAnswer(
        decision=Decision.CORRECTED,
        texts=prepared.gaps,
        problems=tuple(problems),
        removed=prepared.removed,
        note="" if isinstance(note, Problem) else note.text,
        variant=prepared.variant,
    )


def _clean(field: str, text: str, longest: int = LONGEST) -> CleanText | Problem:
    try:
        return clean(text, longest=longest)
    except TextError as error:
        return Problem(f"ANN-12-{error.code}", field, error.values, error.code)


def _about_decision(answer: Answer) -> Iterator[Problem]:
    """Yield what makes an answer not exactly one of the three decisions (ANN-9)."""
    if (answer.decision == Decision.CORRECTED) != bool(answer.texts):
        yield Problem("ANN-9", "decision")
    if answer.decision != Decision.NOT_ANNOTATABLE:
        if answer.reason:
            yield Problem("ANN-9", "reason")
    elif answer.reason not in tuple(NotAnnotatableReason):
        yield Problem("ANN-6", "reason")
    elif answer.reason == NotAnnotatableReason.OTHER and not answer.note.strip():
        yield Problem("ANN-6", "note", kind="ANN-6-note")


def _warnings(
    sentence: Sentence, decision: Decision, texts: tuple[str, ...], numbers: Sequence[int]
) -> Iterator[Problem]:
    """Yield what the rules would say of these texts, refusing nothing; `numbers` of their boxes."""
    fields = [f"reference-{n}" for n in numbers]
    for problem in check_consistency(sentence, decision, texts, fields):
        if problem.code in RULES:
            # Another text is named by its box.
            values = dict(problem.values)
            if "other" in values:
                values["other"] = numbers[int(str(values["other"])) - 1] + 1
            yield replace(problem, values=values, blocking=False)


# What a page refuses before the workflow has seen it is kept all the same (INV-10).


@transactional
def keep_refused(
    member: Member, sentence_id: int, answer: ReviewAnswer | Ruling | CaseAnswer, *roles: Role
) -> None:
    """Keep a review or a ruling as it was received, beside the draft.

    Args:
        member: Who sent it and may read the sentence.
        sentence_id: What it is about.
        answer: As sent.
        roles: One of these they must have.

    Raises:
        NotAllowedError: They may not work now.
    """
    member = authorize(member, *roles)
    drafts.keep_review_aside(lock_sentence(sentence_id, member.project_id), member.person, answer)


# Submitting, in one transaction; taking back; one's own history.


@transactional
def submit(
    member: Member,
    slot_id: int,
    *,
    version: int,
    client_key: Key,
    answer: Answer,
    prepared: PreparedAnswer | None = None,
) -> Submission | WorkflowError:
    """Hand in an answer, all or nothing; the same key twice is the same submission (INV-9).

    The sentence becomes review_ready in the same transaction as its N-th submission (WFL-2), or
    is closed, where all say error free and the project's option says so (WFL-4). Whatever is
    refused is kept as a draft revision (INV-10).

    Args:
        member: Who hands it in.
        slot_id: For which slot.
        version: Of the slot, as the member saw it.
        client_key: New for each answer.
        answer: As it was typed.
        prepared: What `prepare` made of it, if it did: others wait for less.

    Raises:
        RefusedError: The answer breaks a rule; by box.
        ConflictError: The slot was handed in from another window since `version`.
        GoneError: The lease was lost and somebody else has the place; the text is kept.
        NotYoursError: The person never held the slot.
        NotAllowedError: The member is not active.
    """
    gold = Slot.objects.filter(pk=slot_id, sentence__purpose=Purpose.GOLD)
    if member.project.rules.gold_pause_percent and gold.exists():
        lock_project(member.project_id)  # before the member, who may be paused by it
    member = lock_member(member)
    known = _known(member, slot_id, client_key)
    if known is not None:
        _keep_other(known, member, answer)
        return known
    sentence = next(iter(_lock_sentence_of(slot_id, member.project_id)), None)
    slot = next(iter(_slots(slot_id, sentence.pk)), None) if sentence else None
    if sentence is None or slot is None or not sentences.has_held(slot, member.person):
        raise NotYoursError("task {slot_id} is not one of yours", slot_id=slot_id)
    sentence.project = member.project
    try:
        slot = _current_slot(member, slot, sentence, version)
        slot.sentence, slot.project = sentence, member.project
        prepared = prepared or prepare(sentence, answer)
        blocking = [problem for problem in prepared.problems if problem.blocking]
        if prepared.variant is not None and not blocking:
            blocking += perturbation.fit_slot(prepared.variant, slot, proposal=answer.proposal)
        if blocking:
            raise RefusedError(blocking)
    except WorkflowError as error:
        _keep(slot, member, answer, error)
        return error
    return _write(member, slot, sentence, client_key, answer, prepared)


@compiled_models
def _lock_sentence_of(slot: int, project: int) -> QuerySet[Sentence]:
    sentences = Sentence.objects.select_for_update(of=("self",), no_key=True)
    return sentences.filter(slots=slot, project=project)


@compiled_models
def _slots(key: int, sentence: int) -> QuerySet[Slot]:
    return Slot.objects.filter(pk=key, sentence=sentence)


def _known(member: Member, slot_id: int, client_key: Key) -> Submission | None:
    """What was submitted with a key before.

    Raises:
        ConflictError: The key was somebody else's, or for something else.
    """
    known = next(iter(_by_key(client_key)), None)
    if known is not None and (known.person_id, known.slot_id) != (member.person_id, slot_id):
        raise ConflictError("this key was used for another submission; make a new one")
    return known


@compiled_models
def _by_key(client_key: Key) -> QuerySet[Submission]:
    return Submission.objects.filter(client_key=client_key)


def _keep_other(known: Submission, member: Member, answer: Answer) -> None:
    """Keep what came under a key that was answered, where it is not what was handed in (INV-10)."""
    sentence = known.sentence
    sentence.project = member.project
    prepared, stored = prepare(sentence, answer), drafts.payload_of_submission(known)
    answered = (prepared.decision, list(prepared.texts), answer.reason, prepared.note)
    if answered != (stored["decision"], stored["texts"], stored["reason"], stored["note"]):
        drafts.keep_aside(known.slot, member.person, drafts.payload_of(answer))


def _current_slot(member: Member, slot: Slot, sentence: Sentence, version: int) -> Slot:
    """Find the open slot of a member, taken back if the lease was lost and nobody has it.

    Raises:
        NotAllowedError: They may not work now.
        ConflictError: It was handed in meanwhile.
        GoneError: Somebody else has it.
    """
    sentences.require_active(member)
    if slot.person_id != member.person_id:
        back = sentences.resume_lost(member, slot)
        if back is None:
            raise GoneError("this task is no longer yours; what you wrote was kept as a draft")
        sentence.refresh_from_db(fields=["state", "version"])
        slot = back
    if slot.state != SlotState.OPEN or _has_newer_submission(slot, member, version):
        raise ConflictError("this task was handed in from another window", slot)
    if sentence.state not in sentences.WORKABLE:
        raise GoneError("this sentence was taken out of work; what you wrote was kept as a draft")
    return slot


def _has_newer_submission(slot: Slot, member: Member, version: int) -> bool:
    """Whether a page is stale: its slot was handed in, and perhaps reopened, since.

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
        sentences.put_draft(slot, member.person, payload)
    else:
        drafts.keep_aside(slot, member.person, payload)


def _write(
    member: Member,
    slot: Slot,
    sentence: Sentence,
    client_key: Key,
    answer: Answer,
    prepared: PreparedAnswer,
) -> Submission:
    submission = insert(
        Submission(
            slot=slot,
            sentence=sentence,
            person_id=member.person_id,
            no=1 + max((no for (no,) in _numbers(slot.pk)), default=0),
            decision=prepared.decision,
            reason=answer.reason,
            reason_note=prepared.note,
            guideline_id=member.project.guideline_id,
            active_ms=min(max(answer.active_ms, 0), MOST_MS),
            client_key=client_key,
            suggestion_id=suggestions.shown_suggestion_id(sentence.pk, member.person_id),
        )
    )
    if prepared.variant is not None:
        prepared.variant.submission = submission
        prepared.variant.save()
        digests = [prepared.variant.digest]
    else:
        digests = _write_references(sentence, submission, prepared.texts)
    sentences.close_slot(slot)
    data = {"submission": submission.pk, "no": submission.no}
    sentences.record_slot_event(slot, member.person, SlotEventKind.SUBMIT, data)
    count_submission(sentence)
    audit.record_by(
        member,
        "submission.made",
        about=("submission", submission.pk),
        data={"decision": str(prepared.decision), "no": submission.no, "digests": digests},
    )
    if sentence.purpose == Purpose.GOLD:
        from gecbench.server.workflow import practice  # which stands on this module

        practice.judge_gold(member, submission, prepared.texts)
    return submission


def _write_references(
    sentence: Sentence, submission: Submission, texts: Sequence[str]
) -> list[str]:
    """Store the corrections of a submission; return their digests."""
    digests = [digest(text) for text in texts]
    for position, text in enumerate(texts):
        insert(
            Reference(
                sentence=sentence,
                submission=submission,
                position=position,
                text=text,
                digest=digests[position],
                origin=Origin.ANNOTATOR,
            )
        )
    return digests


@compiled
def _numbers(slot: int) -> QuerySet[Any, Any]:
    return Submission.objects.filter(slot=slot).values_list("no")


@transactional
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
    member = lock_member(member)
    slots = Slot.objects.filter(
        pk=slot_id, project_id=member.project_id, person_id=member.person_id
    ).exclude(state=SlotState.OPEN)
    sentence_id = slots.values_list("sentence_id", flat=True).first()
    if sentence_id is None:
        raise NotYoursError("task {slot_id} is not one that you have handed in", slot_id=slot_id)
    sentences.require_active(member)
    sentence = lock_sentence(sentence_id, member.project_id)
    slot = slots.get()
    submission = last_submission(slot)
    if slot.state != SlotState.SUBMITTED or submission is None:
        raise ConflictError(
            "sentence {number} was reviewed already", sentence, number=sentence.number
        )
    if _is_over(submission, sentence):
        raise in_review(sentence)
    uncount_submission(sentence)
    open_no = sentences.free_task_number(member, member.project.rules) or _free_a_place(member)
    sentences.reopen_slot(slot, member, open_no)
    sentences.record_slot_event(
        slot, member.person, SlotEventKind.REOPEN, {"submission": submission.pk}
    )
    sentences.put_draft(slot, member.person, drafts.payload_of_submission(submission))
    sentence.project = slot.project = member.project
    slot.sentence = sentence
    return slot


def _free_a_place(member: Member) -> int:
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
    sentence = lock_sentence(slot.sentence_id, member.project_id)
    sentences.free_slot(slot, sentence, SlotEventKind.RELEASE, {"why": "reopen"})
    return place


def history(member: Member, *, before: int | None = None, most: int = 50) -> tuple[Submission, ...]:
    """The member's latest submission of each slot, newest first, keyset by id `before`."""
    later = Submission.objects.filter(
        slot=OuterRef("slot"), person=OuterRef("person"), no__gt=OuterRef("no")
    )
    submissions = Submission.objects.filter(
        ~Exists(later), person_id=member.person_id, slot__project_id=member.project_id
    )
    if before is not None:
        submissions = submissions.filter(pk__lt=before)
    submissions = submissions.select_related("slot", "sentence").prefetch_related("references")
    return tuple(submissions.order_by("-pk")[:most])


def may_reopen(submission: Submission) -> bool:
    """Whether its author may still take it back."""
    slot = submission.slot
    return (
        slot.state == SlotState.SUBMITTED
        and slot.person_id == submission.person_id
        and may_count_out(submission.sentence)
        and not _is_over(submission, submission.sentence)
    )


def _is_over(submission: Submission, sentence: Sentence) -> bool:
    """Whether a submission is for a gold task that has ended for its author."""
    if sentence.purpose != Purpose.GOLD:
        return False
    return sentences.later_answers(
        sentence.project_id, submission.person_id, submission.at, past=NOT_IN_REVIEW
    ).exists()
