"""What managers do to sentences and members: N, priorities, roles, withdrawals, guideline cases."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from gecbench.server.choices import (
    MemberStatus,
    ProjectKind,
    Purpose,
    ReviewKind,
    Role,
    SentenceState,
    SlotState,
)
from gecbench.server.models import (
    Complaint,
    Guideline,
    GuidelineCase,
    Member,
    Person,
    Project,
    Review,
    ReviewTask,
    Sentence,
    Slot,
    SlotEvent,
)
from gecbench.server.workflow import audit, members
from gecbench.server.workflow.claims import release
from gecbench.server.workflow.errors import ConflictError, NotYoursError, Problem, RefusedError
from gecbench.server.workflow.review_tasks import (
    MOST_ANNOTATORS,
    clean_note,
    queue_for_review,
    remove_from_queue,
    reviewers_for,
)
from gecbench.server.workflow.sentences import (
    BATCH,
    BEGUN,
    LIVE,
    PAUSE,
    UNDECIDED,
    change_state,
    changed_meanwhile,
    derive_state,
    new_slots,
)
from gecbench.server.workflow.transactions import (
    authorize,
    compare_and_set,
    lock_project,
    lock_sentence,
    require_kind,
    transactional,
)

# N changes: slots are added to sentences, or taken from untouched ones (WFL-1).


RAISABLE = (SentenceState.OPEN, SentenceState.ANNOTATING, SentenceState.REVIEW_READY)
"""Sentences in these states get the slots of a higher N.

One that waits for review goes back to annotators; one that a reviewer has begun, or is decided, or
is out of work, stays as it is.
"""


def fit_slots(project_id: int) -> int:
    """Bring the sentences of a project to its N, in short transactions; return how many changed.

    More slots for all that wait (`RAISED`), except those that were decided once: a golden sentence
    stays golden. Fewer only for those that nobody has ever held.
    """
    needed = Project.objects.values_list("annotators", flat=True).get(pk=project_id)
    held = SlotEvent.objects.filter(sentence=OuterRef("pk"))
    too_few = _too_few(needed)
    too_many = Q(~Exists(held), state=SentenceState.OPEN, needed__gt=needed)
    return sum(
        _batch(ids, condition, change, needed)
        for condition, change in ((too_few, _raise), (too_many, _lower))
        for ids in _batches(project_id, condition)
    )


def count_incomplete(project: Project) -> int:
    """How many sentences have fewer places than N though `fit_slots` would add them.

    Raising N was interrupted; or they were in review or withdrawn then, and are not any more.
    """
    few = Sentence.objects.filter(_too_few(project.annotators), project=project)
    return few.count()


def _too_few(needed: int) -> Q:
    return Q(state__in=RAISABLE, golden=None, needed__lt=needed)


def _batches(project_id: int, condition: Q) -> Iterator[Sequence[int]]:
    last = 0
    while True:
        following = Sentence.objects.filter(condition, project_id=project_id, pk__gt=last).order_by(
            "pk"
        )
        ids = tuple(following.values_list("pk", flat=True)[:BATCH])
        if not ids:
            return
        yield ids
        time.sleep(PAUSE)
        last = ids[-1]


@transactional
def _batch(
    ids: Sequence[int], condition: Q, change: Callable[[Sequence[Sentence], int], None], needed: int
) -> int:
    """Change those of some sentences that still are as wanted, now that they are locked."""
    locked = Sentence.objects.select_for_update(no_key=True).filter(condition, pk__in=ids)
    sentences = tuple(locked.order_by("pk"))
    change(sentences, needed)
    return len(sentences)


def _raise(sentences: Sequence[Sentence], needed: int) -> None:
    slots: list[Slot] = []
    for sentence in sentences:
        if sentence.state == SentenceState.REVIEW_READY:
            remove_from_queue(sentence)
            change_state(sentence, SentenceState.ANNOTATING)
        before, sentence.needed = sentence.needed, needed
        slots += new_slots(sentence, after=before)
    Slot.objects.bulk_create(slots)
    _write(sentences, needed)


def _lower(sentences: Sequence[Sentence], needed: int) -> None:
    extra = Slot.objects.filter(sentence__in=[sentence.pk for sentence in sentences], no__gt=needed)
    extra.filter(state=SlotState.FREE).delete()
    _write(sentences, needed)


def _write(sentences: Sequence[Sentence], needed: int) -> None:
    Sentence.objects.filter(pk__in=[sentence.pk for sentence in sentences]).update(
        needed=needed, version=F("version") + 1, updated_at=timezone.now()
    )


# What managers set: N of one sentence, priorities, roles, which guideline cases are settled.


PRIORITIES = (-1_000_000, 1_000_000)


@transactional
def raise_needed(member: Member, sentence_id: int, *, more: int) -> Sentence:
    """Let a manager ask for `more` annotators of one sentence that is not decided (WFL-1).

    One that waits for review goes back to annotators.

    Raises:
        RefusedError: Less than one more, or beyond 20 in all.
        ConflictError: It is with a reviewer, decided, or withdrawn.
        NotYoursError: It is a case: all cases of a project have as many variants.
    """
    member = authorize(member, Role.MANAGER)
    require_kind(member.project, ProjectKind.REWRITE)
    sentence = lock_sentence(sentence_id, member.project_id)
    most = MOST_ANNOTATORS - sentence.needed
    if not 1 <= more <= most:
        raise RefusedError([Problem("WFL-5", "more", {"most": most}, "WFL-5-manager")])
    if sentence.golden_id is not None or sentence.state not in RAISABLE:
        raise ConflictError(
            "sentence {number}: {state}; more annotators are asked for before a review has begun",
            number=sentence.number,
            state=SentenceState(sentence.state),
        )
    if sentence.state == SentenceState.REVIEW_READY:
        remove_from_queue(sentence)
        change_state(sentence, SentenceState.ANNOTATING)
    before = sentence.needed
    compare_and_set(
        sentence,
        sentence.state,
        changed_meanwhile(sentence),
        needed=before + more,
        updated_at=timezone.now(),
    )
    Slot.objects.bulk_create(new_slots(sentence, after=before))
    audit.record_by(
        member,
        "sentence.raised",
        about=("sentence", sentence.pk),
        data={"old": before, "new": sentence.needed},
    )
    return sentence


@transactional
def set_priority(member: Member, sentence_ids: Sequence[int], *, priority: int) -> int:
    """Let a manager say which sentences come first (small ones do); return how many changed.

    Raises:
        RefusedError: The number is out of all bounds.
        NotYoursError: One of the sentences is not in the project; none is changed then.
    """
    member = authorize(member, Role.MANAGER)
    least, most = PRIORITIES
    if not least <= priority <= most:
        raise RefusedError([Problem("priority", "priority")])
    numbers = sorted(set(sentence_ids))
    locked = Sentence.objects.select_for_update(no_key=True).filter(
        project_id=member.project_id, pk__in=numbers
    )
    in_project = list(locked.order_by("pk"))
    if len(in_project) < len(numbers):
        raise NotYoursError("one of these sentences is not in this project")
    to_change = [sentence for sentence in in_project if sentence.priority != priority]
    ids = [sentence.pk for sentence in to_change]
    begun = [sentence.pk for sentence in to_change if sentence.state == SentenceState.ANNOTATING]
    Sentence.objects.filter(pk__in=ids).update(
        priority=priority, version=F("version") + 1, updated_at=timezone.now()
    )
    Slot.objects.filter(sentence_id__in=ids).update(priority=priority)
    Slot.objects.filter(sentence_id__in=begun, state=SlotState.FREE).update(
        priority=priority - BEGUN
    )
    ReviewTask.objects.filter(sentence_id__in=ids, state__in=LIVE).update(priority=priority)
    if ids:
        audit.record_by(
            member,
            "sentence.priority",
            about=("sentence", ids[0] if len(ids) == 1 else ""),
            data={"sentences": ids, "priority": priority},
        )
    return len(ids)


@transactional
def settle_cases(member: Member, case_ids: Sequence[int], *, closed_in: Guideline) -> int:
    """Note which waiting guideline cases a version answers (CMP-4); return how many.

    Raises:
        NotYoursError: The version is another project's.
    """
    member = authorize(member, Role.MANAGER)
    if closed_in.project_id != member.project_id:
        raise NotYoursError("this guideline is not of this project")
    waiting = GuidelineCase.objects.filter(
        project_id=member.project_id, pk__in=list(case_ids), closed_in=None
    )
    ids = list(waiting.order_by("pk").values_list("pk", flat=True))
    GuidelineCase.objects.filter(pk__in=ids, closed_in=None).update(closed_in=closed_in)
    if ids:
        audit.record_by(
            member,
            "guideline.cases_settled",
            about=("guideline", closed_in.pk),
            data={"cases": ids, "version": closed_in.version},
        )
    return len(ids)


def member_fingerprint(member: Member) -> str:
    """Roles and status in one word; a form keeps it, to see it is old."""
    return "-".join((*map(str, member.roles), str(member.status)))


@transactional
def change_member(
    member: Member,
    *,
    seen: str,
    by: Person | None,
    roles: Sequence[Role],
    status: MemberStatus | None,
    note: str,
) -> Member:
    """Change roles and status as `members.change_member` does, if they are still what was seen.

    Args:
        member: Whose.
        seen: The `state_of` that the change was made from.
        by: Who changes them.
        roles: All of them.
        status: None leaves it.
        note: Why.

    Raises:
        RefusedError: As `members.change_member`.
        ConflictError: Somebody changed them meanwhile.
    """
    lock_project(member.project_id)
    if seen != member_fingerprint(Member.objects.get(pk=member.pk)):
        raise ConflictError("roles or status have changed meanwhile; look again")
    return members.change_member(member, by=by, roles=roles, status=status, note=note)


# Managers take sentences out of work, put them back, and have decided ones reviewed again.


@transactional
def reopen_sentence(member: Member, sentence_id: int, *, reason: str) -> ReviewTask:
    """Let a manager have a decided sentence reviewed again; the golden set stays until then.

    Somebody else than the last reviewer is asked, where there is somebody else.

    Raises:
        RefusedError: There is no reason, or a complaint about it is undecided.
        ConflictError: It has no golden set, or is in review already, or is not of the real work.
    """
    member = authorize(member, Role.MANAGER)
    require_kind(member.project, ProjectKind.REWRITE)  # variants: variant_checks.reopen
    sentence = lock_sentence(sentence_id, member.project_id)
    words = clean_note(reason, "reopen-reason", field="reason")
    if sentence.purpose != Purpose.REAL:
        raise ConflictError(
            "sentence {number} has a known answer and is not of the real work; it is not reviewed",
            number=sentence.number,
        )
    if Complaint.objects.filter(study__sentence=sentence, state__in=UNDECIDED).exists():
        raise RefusedError([Problem("reopen-disputed")])
    if sentence.state != SentenceState.GOLDEN:
        raise ConflictError(
            "sentence {number}: {state}; only golden ones are reopened",
            number=sentence.number,
            state=SentenceState(sentence.state),
        )
    change_state(sentence, SentenceState.REVIEW_READY)
    last = Review.objects.filter(sentence=sentence).select_related("reviewer").order_by("pk").last()
    former = None if last is None else last.reviewer
    if former is not None and not reviewers_for(sentence, but=[former.pk]).exists():
        former = None
    task = queue_for_review(sentence, kind=ReviewKind.REOPENED, not_for=former, note=words)
    audit.record_by(
        member, "sentence.reopened", about=("sentence", sentence.pk), data={"reason": words}
    )
    return task


@transactional
def withdraw(member: Member, sentence_ids: Sequence[int], *, reason: str) -> int:
    """Let a manager take sentences out of work, with a reason; return how many changed.

    Open tasks are given back, their drafts kept; the queue of reviews forgets them. What was
    submitted, judged or complained about stays, and may still be studied and decided.

    Raises:
        RefusedError: There is no reason.
        NotYoursError: One of the sentences is not in the project; none is withdrawn then.
    """
    member = authorize(member, Role.MANAGER)
    words = clean_note(reason, "withdraw-reason", field="reason")
    withdrawn = []
    for sentence_id in sorted(set(sentence_ids)):
        sentence = lock_sentence(sentence_id, member.project_id)
        if sentence.state == SentenceState.WITHDRAWN:
            continue
        for slot in Slot.objects.filter(sentence=sentence, state=SlotState.OPEN).order_by("pk"):
            release(slot, why="withdrawn")
        remove_from_queue(sentence)
        sentence.refresh_from_db()
        change_state(sentence, SentenceState.WITHDRAWN, state_note=words)
        withdrawn.append(sentence.pk)
    _log("sentence.withdrawn", member, withdrawn, words)
    return len(withdrawn)


@transactional
def restore(member: Member, sentence_ids: Sequence[int]) -> int:
    """Put withdrawn sentences back to where their submissions say they stand; say how many.

    Raises:
        NotYoursError: One of the sentences is not in the project; none is restored then.
    """
    member = authorize(member, Role.MANAGER)
    restored = []
    for sentence_id in sorted(set(sentence_ids)):
        sentence = lock_sentence(sentence_id, member.project_id)
        if sentence.state != SentenceState.WITHDRAWN:
            continue
        state = derive_state(sentence)
        change_state(sentence, state, state_note="")
        if state == SentenceState.REVIEW_READY:
            last = ReviewTask.objects.filter(sentence=sentence).order_by("pk").last()
            queue_for_review(sentence, kind=ReviewKind(last.kind) if last else ReviewKind.FIRST)
        restored.append(sentence.pk)
    _log("sentence.restored", member, restored, "")
    return len(restored)


def _log(what: str, member: Member, sentence_ids: Sequence[int], reason: str) -> None:
    if sentence_ids:
        audit.record_by(
            member,
            what,
            about=("sentence", sentence_ids[0] if len(sentence_ids) == 1 else ""),
            data={"sentences": list(sentence_ids), "reason": reason},
        )
