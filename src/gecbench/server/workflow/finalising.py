"""Finalising a review: from verdicts to a golden version, all or nothing (REV-11)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

from django.db.models import F
from django.utils import timezone

from gecbench.core.seeding import number
from gecbench.server.laws.names import (
    Decision,
    Origin,
    ReviewKind,
    Role,
    TaskState,
)
from gecbench.server.laws.text import whole
from gecbench.server.models import (
    Golden,
    Member,
    Reference,
    Review,
    ReviewTask,
    Sentence,
    Study,
    Verdict,
)
from gecbench.server.workflow import audits, drafts
from gecbench.server.workflow.acting import acting
from gecbench.server.workflow.acts import act, locked_sentence
from gecbench.server.workflow.answers import MOST_MS, Key, ReviewAnswer
from gecbench.server.workflow.candidates import candidates_for, current_submissions, submitted
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.goldens import make_golden, version_of
from gecbench.server.workflow.review_tasks import ever_held, live_task, take_from_queue
from gecbench.server.workflow.verdicts import Weighed, weigh


@dataclass(frozen=True, slots=True)
class Finalised:
    """What a review made.

    Args:
        golden: The new golden version.
        studies: How many study items opened.
        answered_before: Whether this key had been answered before.
    """

    golden: Golden
    studies: int
    answered_before: bool = False


def finalise(
    member: Member, sentence_id: int, *, version: int, client_key: Key, answer: ReviewAnswer
) -> Finalised:
    """Decide a sentence, all or nothing: golden version, verdicts, study items, slots (REV-11).

    Reasons of a text judged correct are not kept. A lease that ended while nobody else came is
    no obstacle. What is refused is kept as a draft revision (INV-10).

    Raises:
        RefusedError: It breaks a rule, or warns and is not confirmed.
        ConflictError: The task's version is another, or somebody else holds it (REV-12).
        NotYoursError: The member may not review it.
        NotAllowedError: The member is no reviewer now, or the project is closed.
    """
    outcome = _finalise(member, sentence_id, version, client_key, answer)
    if isinstance(outcome, WorkflowError):  # raised only now that what was kept is committed
        raise outcome
    return outcome


@act
def _finalise(
    member: Member, sentence_id: int, version: int, client_key: Key, answer: ReviewAnswer
) -> Finalised | WorkflowError:
    member = acting(member, Role.REVIEWER)
    sentence = locked_sentence(sentence_id, member.project_id)
    before = Review.objects.filter(client_key=client_key).first()
    if before is not None:
        return _again(before, member, sentence)
    if ever_held(member.person_id, sentence_id):
        raise NotYoursError(f"there is no sentence {sentence_id} for this reviewer")
    try:
        task = _held(member, sentence, version)
        weighed = weigh(sentence, candidates_for(task, member.person_id), answer)
        if weighed.blocking or (weighed.to_confirm and not answer.confirmed):
            raise RefusedError(weighed.problems)
    except WorkflowError as error:
        drafts.keep_review_aside(sentence, member.person, answer)
        return error
    return _write(member, sentence, task, client_key, answer, weighed)


def _write(
    member: Member,
    sentence: Sentence,
    task: ReviewTask,
    client_key: Key,
    answer: ReviewAnswer,
    weighed: Weighed,
) -> Finalised:
    _end(task, member)
    review = _review(member, sentence, task, client_key, answer)
    _store_verdicts(review, weighed)
    made = make_golden(sentence, review, _golden(sentence, review, weighed), by=member.person)
    audits.record(
        "review.finalised",
        who=member.person,
        project=member.project,
        about=("sentence", sentence.pk),
        data={"golden": made.golden.version, "kind": made.golden.kind, "studies": made.studies},
    )
    return Finalised(made.golden, made.studies)


def _again(review: Review, member: Member, sentence: Sentence) -> Finalised:
    golden = Golden.objects.filter(review=review).select_related("sentence").first()
    if (review.reviewer_id, review.sentence_id) != (member.person_id, sentence.pk) or not golden:
        raise ConflictError("this key was used for something else; load the page anew")
    return Finalised(golden, Study.objects.filter(golden=golden).count(), answered_before=True)


def _held(member: Member, sentence: Sentence, version: int) -> ReviewTask:
    """Return the live task if it is with the member, or was until its lease ended.

    Raises:
        ConflictError: It is not; `current` is the task that the sentence has now.
    """
    task = live_task(sentence.pk)
    if task is None:
        raise ConflictError("the sentence is not in review any more; your text is kept in the page")
    mine = task.state == TaskState.OPEN and task.reviewer_id == member.person_id
    # Giving back to the queue was the one step since the page was made.
    ended = task.state == TaskState.FREE and task.version == version + 1
    ended = ended and task.reviewer_id is None and task.not_for_id != member.person_id
    if not (ended or (mine and task.version == version)):
        who = "another tab of yours" if mine else "somebody else"
        raise ConflictError(f"{who} has this review now; your text is kept in the page", task)
    return task


def _end(task: ReviewTask, member: Member) -> None:
    ended = ReviewTask.objects.filter(pk=task.pk, state=task.state, version=task.version).update(
        state=TaskState.DONE,
        reviewer=member.person_id,
        lease_until=None,
        done_at=timezone.now(),
        version=F("version") + 1,
    )
    if ended != 1:
        raise ConflictError("somebody else was first; your text is kept in the page", task)


def _review(
    member: Member, sentence: Sentence, task: ReviewTask, client_key: Key, answer: ReviewAnswer
) -> Review:
    unclear = answer.decision == Decision.NOT_ANNOTATABLE
    return Review.objects.create(
        sentence=sentence,
        task=task,
        reviewer=member.person,
        kind=task.kind,
        base_version=version_of(sentence),
        decision=answer.decision,
        reason=answer.reason if unclear else "",
        note=whole(answer.note.strip()),
        guideline_id=member.project.guideline_id,
        active_ms=min(max(answer.active_ms, 0), MOST_MS),
        client_key=client_key,
    )


def _store_verdicts(review: Review, weighed: Weighed) -> None:
    Verdict.objects.bulk_create(
        Verdict(
            review=review,
            decision=key if key in tuple(Decision) else Decision.CORRECTED,
            digest="" if key in tuple(Decision) else key,
            correct=one.correct,
            reasons=[] if one.correct else [str(reason) for reason in one.reasons],
            note=whole(one.note.strip()),
            section=whole(one.section),
        )
        for key, one in weighed.verdicts.items()
    )


def _golden(sentence: Sentence, review: Review, weighed: Weighed) -> tuple[Reference, ...]:
    """Return the golden references: the rows of texts judged correct, new rows for additions.

    The row is that of the first submission, so that its author can be traced.
    """
    rows = submitted(sentence)
    kept = [rows[one.key].reference for one in weighed.correct]
    return (*(one for one in kept if one is not None), *_additions(sentence, review, weighed))


def _additions(sentence: Sentence, review: Review, weighed: Weighed) -> Iterator[Reference]:
    rows = submitted(sentence)
    for n, one in enumerate(weighed.written):
        parent = rows[one.given.parent].reference if one.given.parent else None
        origin = Origin.ADDED
        if parent is not None:
            origin = Origin.RESTORED if one.given.restored else Origin.MODIFIED
        yield Reference.objects.create(
            sentence=sentence,
            review=review,
            position=n,
            text=one.text,
            digest=one.digest,
            origin=origin,
            parent=parent,
        )


def close_unanimous(sentence: Sentence) -> Golden | None:
    """Close a sentence that all annotators call error free, if the project closes such (WFL-4).

    Called by the last submission, inside its transaction. A share of the sentences is drawn for
    a spot check, always the same ones; those and all others are left for review.

    Returns:
        The golden version; None where the sentence is for a reviewer.
    """
    sentence = Sentence.objects.select_for_update(no_key=True).get(pk=sentence.pk)
    rules = sentence.project.rules
    rows = current_submissions(sentence)
    agreed = len(rows) == sentence.needed and all(
        one.decision == Decision.ERROR_FREE for one in rows
    )
    if rules.unanimous_error_free != "close" or not agreed or sentence.golden_id is not None:
        return None
    if number(0, f"spot check {sentence.digest}") % 100 < rules.spot_check_percent:
        return None
    take_from_queue(sentence)
    review = Review.objects.create(
        sentence=sentence,
        kind=ReviewKind.UNANIMOUS,
        decision=Decision.ERROR_FREE,
        guideline_id=sentence.project.guideline_id,
        client_key=uuid4(),
    )
    Verdict.objects.create(review=review, decision=Decision.ERROR_FREE, correct=True)
    return make_golden(sentence, review, (), by=None).golden
