"""Reviewing: a sentence is drawn, judged, finalised, handed on or returned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, TextChoices
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    CloseReason,
    Decision,
    MemberStatus,
    Origin,
    ProjectKind,
    ReviewKind,
    Role,
    SentenceState,
    SlotState,
    TaskState,
)
from gecbench.server.models import (
    Audit,
    Draft,
    Golden,
    Member,
    Notice,
    Reference,
    Review,
    ReviewTask,
    Sentence,
    SlotEvent,
    Study,
    Verdict,
)
from gecbench.server.models.base import compiled_models
from gecbench.server.rules.text import whole
from gecbench.server.workflow import audit
from gecbench.server.workflow.answers import MOST_MS, CaseAnswer, Key, ReviewAnswer
from gecbench.server.workflow.drafts import keep_review_aside, payload_of_review, save_review_draft
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    Problem,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.golden import (
    STUDY_STATE,
    Candidate,
    CheckedReview,
    candidates_for,
    check_review,
    make_golden,
    refuse,
    verdict_columns,
    version_of,
)
from gecbench.server.workflow.review_tasks import (
    claim_random_task,
    claim_task,
    clean_note,
    expire_tasks,
    get_reviewers_task,
    has_held_slot,
    is_expired,
    lease,
    live_task,
    queue_for_review,
    record_reading,
    release_task,
    reviewers_for,
)
from gecbench.server.workflow.sentences import LIVE, change_slot_state, change_state
from gecbench.server.workflow.transactions import (
    authorize,
    compare_and_set,
    has_read_guideline,
    lock_project,
    lock_sentence,
    require_kind,
    transactional,
)


class NoReview(TextChoices):
    """Why there is no sentence to review."""

    ALL_DONE = "all_done", _("Every sentence that had enough submissions has been decided.")
    NONE_FOR_YOU = (
        "none_for_you",
        _(
            "The sentences that wait are not for you: you have annotated them, handed them on, or "
            "another reviewer has them."
        ),
    )
    NOT_ACTIVE = "not_active", _("You are not an active member of this project now.")
    GUIDELINE_FIRST = (
        "guideline_first",
        _("Read the guideline of this project and confirm it. Then your reviews are here."),
    )
    CLOSED = "closed", _("The project is closed.")


@dataclass(frozen=True, slots=True)
class ReviewClaim:
    """A review task for a member, or why there is none."""

    task: ReviewTask | None
    nothing: NoReview | None = None


def current_review(member: Member) -> ReviewClaim:
    """Give the member's open review, or draw one at random among the eligible (REV-10, ROL-2).

    Raises:
        NotAllowedError: The member is no reviewer.
    """
    project = member.project
    if project.archived_at or project.deleted_at:
        return ReviewClaim(None, NoReview.CLOSED)
    if member.status != MemberStatus.ACTIVE:
        return ReviewClaim(None, NoReview.NOT_ACTIVE)
    if not has_read_guideline(member):
        return ReviewClaim(None, NoReview.GUIDELINE_FIRST)
    task = (member.is_reviewer and open_task(member)) or _claim(member)
    if task is not None:
        return ReviewClaim(task)
    waiting = ReviewTask.objects.filter(project=project, state__in=LIVE)
    return ReviewClaim(None, NoReview.NONE_FOR_YOU if waiting.exists() else NoReview.ALL_DONE)


@transactional
def _claim(member: Member) -> ReviewTask | None:
    member = authorize(member, Role.REVIEWER)
    task = open_task(member)
    if task is None:
        expire_tasks(member.project)
        task = claim_random_task(member)
    return task


def open_task(member: Member) -> ReviewTask | None:
    """Find the member's open review; a lease that has ended is renewed: nobody else came."""
    for task in _open_tasks(member.project_id, member.person_id):
        task.project = task.sentence.project = member.project
        if task.lease_until and task.lease_until < timezone.now():
            task.lease_until = timezone.now() + lease(member.project)
            same = ReviewTask.objects.filter(
                pk=task.pk, reviewer=member.person_id, state=TaskState.OPEN
            )
            same.update(lease_until=task.lease_until)
        return task
    return None


@compiled_models
def _open_tasks(project: int, person: int) -> QuerySet[ReviewTask]:
    tasks = ReviewTask.objects.select_related("sentence__golden", "reviewer").order_by("pk")
    return tasks.filter(project=project, reviewer=person, state=TaskState.OPEN)


@transactional
def open_review(member: Member, sentence_id: int) -> ReviewTask:
    """A sentence's task for reading; claims it where it is free and the member may (REV-12).

    Managers read, too. A reviewer who holds another review only reads.

    Raises:
        NotYoursError: The member may not see it: it does not exist, or they ever held a slot of it.
        NotAllowedError: The member is neither reviewer nor manager, or not active.
    """
    member = authorize(member, Role.REVIEWER, Role.MANAGER)
    sentence = lock_sentence(sentence_id, member.project_id)
    refuse_annotator(member, sentence_id)
    task = live_task(sentence_id) or (
        ReviewTask.objects.filter(sentence=sentence, state=TaskState.DONE).order_by("pk").last()
    )
    if task is None:
        raise NotYoursError("sentence {sentence_id} is not in review", sentence_id=sentence_id)
    if task.state == TaskState.OPEN and is_expired(task, member.project):
        release_task(task, sentence)
        task = live_task(sentence_id) or task
    free_for_them = task.state == TaskState.FREE and (
        task.reviewer_id == member.person_id
        or (task.reviewer_id is None and task.not_for_id != member.person_id)
    )
    if free_for_them and member.is_reviewer and open_task(member) is None:
        return claim_task(member, task.pk, sentence_id) or task
    record_reading(sentence_id, member.person_id)
    return task


def refuse_annotator(member: Member, sentence_id: int) -> None:
    """Refuse whoever ever held a slot of a sentence (ROL-2).

    Raises:
        NotYoursError: They did.
    """
    if has_held_slot(member.person_id, sentence_id):
        raise NotYoursError(
            "there is no sentence {sentence_id} for this reviewer", sentence_id=sentence_id
        )


def candidates(task: ReviewTask, reviewer: Member) -> tuple[Candidate, ...]:
    """List the distinct texts and decisions, in an order of this reviewer's own (ROL-6)."""
    return candidates_for(task.sentence, reviewer.person_id)


def check_answer(task: ReviewTask, answer: ReviewAnswer) -> tuple[Problem, ...]:
    """Find what is wrong with a review, blocking and warnings (REV-2, 3, 8, 9; CON-1 to 10).

    Fields are numbered by the order in which the task's reviewer sees the texts.
    """
    shown = candidates_for(task.sentence, task.reviewer_id or 0)
    return check_review(task.sentence, shown, answer).problems


# Finalising a review: from verdicts to a golden version, all or nothing (REV-11).


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """What a review came to.

    Args:
        golden: The new golden version.
        studies: How many study items opened.
        answered_before: Whether this key had been answered before.
    """

    golden: Golden
    studies: int
    answered_before: bool = False


@transactional
def finalise(
    member: Member, sentence_id: int, *, version: int, client_key: Key, answer: ReviewAnswer
) -> ReviewResult | WorkflowError:
    """Decide a sentence, all or nothing: golden version, verdicts, study items, slots (REV-11).

    Reasons of a text judged correct are not kept. A lease that ended while nobody else came is
    no obstacle. What is refused is kept as a draft revision (INV-10).

    Raises:
        RefusedError: It breaks a rule, or warns and is not confirmed.
        ConflictError: The task's version is another, or somebody else holds it (REV-12).
        NotYoursError: The member may not review it.
        NotAllowedError: The member is no reviewer now, or the project is closed.
    """
    member, sentence = lock_for_review(member, sentence_id, ProjectKind.REWRITE)
    known = Review.objects.filter(client_key=client_key).first()
    if known is not None:
        golden = Golden.objects.filter(review=known).select_related("sentence").first()
        if (known.reviewer_id, known.sentence_id) != (member.person_id, sentence_id) or not golden:
            raise ConflictError("this key was used for something else; load the page again")
        return ReviewResult(
            golden, Study.objects.filter(golden=golden).count(), answered_before=True
        )
    refuse_annotator(member, sentence_id)
    try:
        task = finishable_task(member, sentence_id, version)
        review = check_review(sentence, candidates_for(sentence, member.person_id), answer)
        refuse(review.problems, confirmed=answer.confirmed)
    except WorkflowError as error:
        keep_review_aside(sentence, member.person, answer)
        return error
    end_task(task, member)
    return _write(member, sentence, task, client_key, answer, review)


def lock_for_review(member: Member, sentence_id: int, kind: ProjectKind) -> tuple[Member, Sentence]:
    """Lock a reviewer of a project of a kind, and a sentence of it; return both as they are now."""
    member = authorize(member, Role.REVIEWER)
    require_kind(member.project, kind)
    sentence = lock_sentence(sentence_id, member.project_id)
    sentence.project = member.project
    return member, sentence


def finishable_task(member: Member, sentence_id: int, version: int) -> ReviewTask:
    """Find the live task if it is with the member, or was until its lease ended.

    Raises:
        ConflictError: It is not; `current` is the task that the sentence has now.
    """
    task = live_task(sentence_id)
    if task is None:
        raise ConflictError("the sentence is not in review any more; your text is kept in the page")
    is_holder = task.state == TaskState.OPEN and task.reviewer_id == member.person_id
    # Giving back to the queue was the one step since the page was made.
    ended = task.state == TaskState.FREE and task.version == version + 1
    ended = ended and task.reviewer_id is None and task.not_for_id != member.person_id
    if is_holder and task.version != version:
        raise ConflictError(
            "another tab of yours has this review now; your text is kept in the page", task
        )
    if not (is_holder or ended):
        raise ConflictError(
            "somebody else has this review now; your text is kept in the page", task
        )
    return task


def end_task(task: ReviewTask, member: Member) -> None:
    """Make a task done by a member.

    Raises:
        ConflictError: It has changed meanwhile.
    """
    compare_and_set(
        task,
        task.state,
        ConflictError("somebody else was first; your text is kept in the page", task),
        state=TaskState.DONE,
        reviewer=member.person,
        lease_until=None,
        done_at=timezone.now(),
    )


def _write(
    member: Member,
    sentence: Sentence,
    task: ReviewTask,
    client_key: Key,
    answer: ReviewAnswer,
    checked: CheckedReview,
) -> ReviewResult:
    unclear = answer.decision == Decision.NOT_ANNOTATABLE
    decided = {"decision": answer.decision, "reason": answer.reason if unclear else ""}
    review = write_review(member, sentence, task, client_key, answer, **decided)
    Verdict.objects.bulk_create(
        Verdict(
            review=review,
            **verdict_columns(key),
            correct=verdict.correct,
            reasons=[] if verdict.correct else [str(reason) for reason in verdict.reasons],
            note=whole(verdict.note.strip()),
            section=whole(verdict.section),
        )
        for key, verdict in checked.verdicts.items()
    )
    before: dict[str, object] = {}
    if sentence.golden_id is not None:  # so that it can be undone
        slots = sentence.slots.filter(state__in=SUBMITTED_OR_LATER).values_list("pk", "state")
        studies = sentence.studies.values("pk", *STUDY_STATE)
        before = {"old": {"slots": dict(slots), "studies": list(studies)}}
    references = _golden_references(sentence, review, checked)
    golden, studies_opened = make_golden(sentence, review, references, by=member.person)
    audit.record_by(
        member,
        "review.finalised",
        about=("sentence", sentence.pk),
        data={"golden": golden.version, "kind": golden.kind, "studies": studies_opened} | before,
    )
    return ReviewResult(golden, studies_opened)


def write_review(
    member: Member,
    sentence: Sentence,
    task: ReviewTask,
    client_key: Key,
    answer: ReviewAnswer | CaseAnswer,
    **decided: str,
) -> Review:
    """Write the row of a review, in the caller's transaction."""
    return Review.objects.create(
        sentence=sentence,
        task=task,
        reviewer=member.person,
        kind=task.kind,
        base_version=version_of(sentence),
        note=whole(answer.note.strip()),
        guideline_id=member.project.guideline_id,
        active_ms=min(max(answer.active_ms, 0), MOST_MS),
        client_key=client_key,
        **decided,
    )


def _golden_references(
    sentence: Sentence, review: Review, checked: CheckedReview
) -> list[Reference]:
    """Collect the rows of texts judged correct, and write new rows for additions.

    The row is that of the first submission, so that its author can be traced.
    """
    references = [
        candidate.reference for candidate in checked.correct if candidate.reference is not None
    ]
    for n, clean in enumerate(checked.additions):
        origin = Origin.ADDED
        if clean.parent is not None:
            origin = Origin.RESTORED if clean.addition.restored else Origin.MODIFIED
        references.append(
            Reference.objects.create(
                sentence=sentence,
                review=review,
                position=n,
                text=clean.text,
                digest=clean.digest,
                origin=origin,
                parent=clean.parent,
            )
        )
    return references


# A review is passed on, or given to somebody by a manager.


@transactional
def hand_on(member: Member, sentence_id: int, *, version: int, note: str) -> None:
    """Give a review to another reviewer, with a note (REV-10).

    Raises:
        RefusedError: There is no note, or nobody else who could review the sentence.
        ConflictError: The review has changed, or is not with the member.
    """
    _pass_on(member, sentence_id, version, note, None)


@transactional
def second_opinion(member: Member, sentence_id: int, *, version: int, note: str) -> None:
    """Ask another reviewer to decide, after one's own draft, with a note (REV-10).

    Raises as `hand_on`.
    """
    _pass_on(member, sentence_id, version, note, ReviewKind.SECOND)


def _pass_on(
    member: Member, sentence_id: int, version: int, note: str, kind: ReviewKind | None
) -> None:
    member = authorize(member, Role.REVIEWER)
    sentence = lock_sentence(sentence_id, member.project_id)
    task = get_reviewers_task(member, sentence, version)
    words = clean_note(note, "REV-10")
    if not reviewers_for(sentence, but=[member.person_id]).exists():
        raise RefusedError([Problem("REV-10-nobody")])
    release_task(task, sentence, not_for=member.person, note=words, kind=kind)
    audit.record_by(
        member,
        "review.second_opinion" if kind else "review.handed_on",
        about=("sentence", sentence.pk),
    )


@transactional
def assign(manager: Member, sentence_id: int, *, to: Member, note: str = "") -> ReviewTask:
    """Let a manager say who reviews a sentence that waits; it comes first for them.

    It overrules "not for": so a project with one reviewer never blocks for ever. What nobody
    overrules is that who held a slot does not review (ROL-2).

    Raises:
        RefusedError: They are no active reviewer, or held a slot of the sentence; or the note is
            too long.
        ConflictError: The sentence does not wait for a reviewer.
    """
    manager = authorize(manager, Role.MANAGER)
    sentence = lock_sentence(sentence_id, manager.project_id)
    task = live_task(sentence_id)
    if task is None or task.state != TaskState.FREE:
        raise ConflictError(
            "sentence {number} does not wait for a reviewer", task, number=sentence.number
        )
    if not reviewers_for(sentence).filter(pk=to.pk).exists():
        raise RefusedError([Problem("ROL-2", "reviewer")])
    ReviewTask.objects.filter(pk=task.pk, state=TaskState.FREE, version=task.version).update(
        reviewer=to.person_id,
        note=clean_note(note) or task.note,
        version=F("version") + 1,
    )
    audit.record_by(
        manager, "review.assigned", about=("sentence", sentence.pk), data={"to": to.person_id}
    )
    return ReviewTask.objects.select_related("sentence", "reviewer").get(pk=task.pk)


# A decision is taken back within a few seconds, while nothing was built upon it.


def last_decision(member: Member) -> Review | None:
    """What the member decided last, if they may take it back now."""
    since = timezone.now() - timedelta(seconds=member.project.rules.undo_seconds)
    review = next(iter(last_reviews(member.person_id, member.project_id, since)), None)
    return None if review is None or _is_built_upon(review) else review


@compiled_models
def last_reviews(person: int, project: int, since: datetime) -> QuerySet[Review]:
    """Return the last review of a task that somebody decided since."""
    reviews = Review.objects.filter(
        task__isnull=False, reviewer=person, sentence__project=project, at__gt=since
    )
    return reviews.select_related("sentence__golden", "task").order_by("-pk")[:1]


def _is_built_upon(review: Review) -> bool:
    """Whether a release, a study, a complaint or a manager has gone on from a review."""
    sentence, since = review.sentence, review.at
    golden = sentence.golden
    if sentence.state != SentenceState.GOLDEN or golden is None or golden.review_id != review.pk:
        return True
    waived = Q(close_reason=CloseReason.WAIVED, closed_at__gte=since)
    talked = Q(complaints__opened_at__gte=since) | Q(complaints__decided_at__gte=since)
    return (
        golden.released.exists()
        or sentence.studies.filter(waived | talked | Q(tries__at__gte=since)).exists()
    )


@transactional
def undo(member: Member, sentence_id: int) -> ReviewTask:
    """Take the last decision back: the review is open again, with all that was written in it.

    Slots, study items, notices and the golden set are as they were before. The review and its
    golden version stay stored, and count no more. A review that the member took since is given
    back to the queue; its draft stays.

    Raises:
        ConflictError: The time is over, it is not their last one, or something was built upon it.
    """
    member, sentence, review = lock_last_review(
        member, sentence_id, ProjectKind.REWRITE, last_decision
    )
    _restore(sentence, review)
    draft = Draft.objects.filter(task=review.task_id, person=member.person_id).first()
    return open_again(member, sentence, review, _with_draft(payload_of_review(review), draft))


def lock_last_review(
    member: Member, sentence_id: int, kind: ProjectKind, last: Callable[[Member], Review | None]
) -> tuple[Member, Sentence, Review]:
    """Lock what is about to be taken back: the member's last review, of this sentence.

    Raises:
        ConflictError: It cannot be taken back any more.
    """
    lock_project(member.project_id)  # no release is made meanwhile
    member, sentence = lock_for_review(member, sentence_id, kind)
    review = last(member)
    if review is None or review.sentence_id != sentence_id or review.task is None:
        raise ConflictError(
            "the decision about sentence {number} can no longer be taken back",
            number=sentence.number,
        )
    return member, sentence, review


def open_again(
    member: Member,
    sentence: Sentence,
    review: Review,
    payload: Mapping[str, object],
    **columns: object,
) -> ReviewTask:
    """Open the task of a review again that is taken back, with what was decided as its draft.

    Args:
        member: The reviewer, locked. A task that they took since goes back to the queue.
        sentence: Locked; its golden set is again the one before.
        review: Theirs.
        payload: The draft.
        columns: More columns of the sentence.

    Raises:
        ConflictError: It has changed meanwhile.
    """
    error = ConflictError("the review has changed meanwhile; look again")
    compare_and_set(review.task, TaskState.DONE, error, state=TaskState.RETURNED)
    held = open_task(member)
    if held is not None:
        release_task(held, lock_sentence(held.sentence_id, member.project_id))
    before = Golden.objects.filter(sentence=sentence).order_by("-version").first()
    change_state(sentence, SentenceState.REVIEW_READY, golden=before, **columns)
    task = claim_task(member, queue_for_review(sentence).pk, sentence.pk)
    if task is None:
        raise error
    save_review_draft(member, sentence, rev=0, payload=payload)
    audit.record_by(member, "review.undone", about=("sentence", sentence.pk))
    return task


def _restore(sentence: Sentence, review: Review) -> None:
    """Bring slots, study items and notices back to where they were before a review."""
    audits = Audit.objects.filter(
        project=sentence.project_id, what="review.finalised", object_id=str(sentence.pk)
    )
    data = audits.order_by("-seq").values_list("data", flat=True).first() or {}
    slots = data.get("old", {}).get("slots", {})
    studies = {study.pop("pk"): study for study in data.get("old", {}).get("studies", ())}
    for slot in sentence.slots.filter(state__in=SUBMITTED_OR_LATER).order_by("pk"):
        state = SlotState(slots.get(str(slot.pk), SlotState.SUBMITTED))
        change_slot_state(slot, state, by=review.reviewer)
    sentence.studies.exclude(pk__in=studies).delete()
    for key, values in studies.items():
        studies_to_restore = sentence.studies.filter(pk=key).exclude(
            state=values["state"], golden=values["golden_id"]
        )
        studies_to_restore.update(**values, version=F("version") + 1)
    Notice.objects.filter(
        project=sentence.project_id,
        kind__in=("study_opened", "study_closed"),
        data__sentence=sentence.pk,
        at__gte=review.at,
    ).delete()


def _with_draft(payload: dict[str, Any], draft: Draft | None) -> dict[str, Any]:
    """What was decided with what only the draft knows: open boxes, edits switched off."""
    typed = draft.payload.get("rows", {}) if draft else {}
    rows = {key: {**typed.get(key, {}), **row} for key, row in payload["rows"].items()}
    return {**payload, "rows": rows}


def list_reviews(
    member: Member, *, before: int | None = None, most: int = 50
) -> tuple[Review, ...]:
    """The member's own reviews, newest first, keyset by id `before`."""
    held = SlotEvent.objects.filter(sentence=OuterRef("sentence"), person=member.person_id)
    reviews = Review.objects.filter(
        ~Exists(held), reviewer=member.person_id, sentence__project=member.project_id
    )
    if before is not None:
        reviews = reviews.filter(pk__lt=before)
    return tuple(reviews.select_related("sentence").order_by("-pk")[:most])
