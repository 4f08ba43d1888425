"""Recounts sentences, slots, tasks and what people wrote (INV-1 to 5, 8 to 10)."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery

from gecbench.server.laws.names import (
    SUBMITTED_OR_LATER,
    Decision,
    SentenceState,
    SlotEventKind,
    SlotState,
    StudyState,
    TaskState,
)
from gecbench.server.laws.text import digest
from gecbench.server.models import (
    Complaint,
    Draft,
    DraftRevision,
    Reference,
    Review,
    ReviewTask,
    Slot,
    SlotEvent,
    Study,
    Submission,
)
from gecbench.server.workflow.standing import LIVE, UNDECIDED
from gecbench.server.workflow.violations import Scope, Violation

_SENTENCE = ("project__slug", "number")
_OF_SENTENCE = ("sentence__project__slug", "sentence__number")
_SLOT = (*_OF_SENTENCE, "no", "state")

_STATE_AFTER = {
    SlotEventKind.CLAIM: SlotState.OPEN,
    SlotEventKind.REOPEN: SlotState.OPEN,
    SlotEventKind.RELEASE: SlotState.FREE,
    SlotEventKind.EXPIRE: SlotState.FREE,
    SlotEventKind.SKIP: SlotState.FREE,
    SlotEventKind.RETURN: SlotState.FREE,
    SlotEventKind.SUBMIT: SlotState.SUBMITTED,
    SlotEventKind.JUDGE: SlotState.JUDGED,
    SlotEventKind.PASS: SlotState.PASSED,
    SlotEventKind.STUDY: SlotState.STUDY,
    SlotEventKind.DISPUTE: SlotState.DISPUTED,
}
"""Kind of the last event of a slot, but for renewals, to the state that it left the slot in."""


def last_submissions(scope: Scope) -> QuerySet[Submission, Submission]:
    """Return the submissions that count: the last of each slot that is submitted or later."""
    later = Submission.objects.filter(slot=OuterRef("slot"), no__gt=OuterRef("no"))
    rows = scope.of(Submission.objects.all(), "sentence__project")
    return rows.filter(~Exists(later), slot__state__in=SUBMITTED_OR_LATER).order_by("pk")


def slots(scope: Scope) -> Iterator[Violation]:
    """Yield where N slots of N distinct people are not what there is (INV-1, INV-2)."""
    counted = scope.sentences().annotate(found=Count("slots")).exclude(found=F("needed"))
    message = "has {} slots; it needs {}"
    yield from scope.told("INV-1", message, counted.values_list(*_SENTENCE, "found", "needed"))
    taken = scope.of(Slot.objects.filter(person__isnull=False))
    twice = taken.values(*_OF_SENTENCE, "person").annotate(found=Count("pk")).filter(found__gt=1)
    message = "person {} has {} slots of it; one person has one"
    yield from scope.told("INV-1", message, twice.values_list(*_OF_SENTENCE, "person", "found"))
    places = ("project__slug", "person", "open_no")
    full = taken.filter(state=SlotState.OPEN).values(*places).annotate(found=Count("pk"))
    message = "fills the place {} of open tasks {} times, person and place are unique"
    yield from scope.told("INV-2", message, full.filter(found__gt=1).values_list(*places, "found"))
    held = Q(state=SlotState.FREE, person__isnull=True) | (
        ~Q(state=SlotState.FREE) & Q(person__isnull=False)
    )
    odd = scope.of(Slot.objects.exclude(held))
    message = "slot {} is {}; free ones are nobody's, others somebody's"
    yield from scope.told("INV-2", message, odd.values_list(*_SLOT))


def reviewers(scope: Scope) -> Iterator[Violation]:
    """Yield reviews by people who ever held a slot of the sentence (INV-3)."""
    held = SlotEvent.objects.filter(sentence=OuterRef("sentence"), person=OuterRef("reviewer"))
    wrong = scope.of(Review.objects.filter(Exists(held)), "sentence__project")
    message = "was reviewed by person {}, who held a slot of it"
    yield from scope.told("INV-3", message, wrong.values_list(*_OF_SENTENCE, "reviewer"))
    tasks = scope.of(ReviewTask.objects.filter(Exists(held), state=TaskState.OPEN))
    message = "is in review by person {}, who held a slot of it"
    yield from scope.told("INV-3", message, tasks.values_list(*_OF_SENTENCE, "reviewer"))


def counters(scope: Scope) -> Iterator[Violation]:
    """Yield counters and states of sentences that their slots and tasks contradict (INV-4)."""
    done = Count("slots", filter=Q(slots__state__in=SUBMITTED_OR_LATER))
    begun = Count("slots", filter=~Q(slots__state=SlotState.FREE))
    rows = scope.sentences().annotate(done=done, begun=begun)
    wrong = rows.exclude(done=F("submitted"))
    message = "counts {} submissions; there are {}"
    yield from scope.told("INV-4", message, wrong.values_list(*_SENTENCE, "submitted", "done"))
    ready = (SentenceState.REVIEW_READY, SentenceState.IN_REVIEW)
    working = (SentenceState.OPEN, SentenceState.ANNOTATING)
    odd = rows.filter(
        Q(state__in=ready) & ~Q(submitted=F("needed"))
        | Q(state__in=working, submitted__gte=F("needed"))
        | Q(state=SentenceState.OPEN, begun__gt=0)
        | Q(state=SentenceState.ANNOTATING, begun=0, golden__isnull=True)
    )
    message = "is {} with {} of {} submissions"
    values = (*_SENTENCE, "state", "submitted", "needed")
    yield from scope.told("INV-4", message, odd.values_list(*values))
    yield from _queue(scope)


def _queue(scope: Scope) -> Iterator[Violation]:
    tasks = ReviewTask.objects.filter(sentence=OuterRef("pk"))
    is_free, is_open = tasks.filter(state=TaskState.FREE), tasks.filter(state=TaskState.OPEN)
    ready, reviewed = Q(state=SentenceState.REVIEW_READY), Q(state=SentenceState.IN_REVIEW)
    odd = scope.sentences().filter(
        (ready & ~Exists(is_free))
        | (reviewed & ~Exists(is_open))
        | (~ready & Exists(is_free))
        | (~reviewed & Exists(is_open))
    )
    message = "is {}, which the queue of reviews contradicts"
    yield from scope.told("INV-4", message, odd.values_list(*_SENTENCE, "state"))
    live = scope.of(ReviewTask.objects.filter(state__in=LIVE))
    twice = live.values(*_OF_SENTENCE).annotate(found=Count("pk")).filter(found__gt=1)
    message = "is {} times in the queue of reviews"
    yield from scope.told("INV-4", message, twice.values_list(*_OF_SENTENCE, "found"))


def states(scope: Scope) -> Iterator[Violation]:
    """Yield slots whose state their last event, items or complaints contradict (INV-5)."""
    last = (
        SlotEvent.objects.filter(slot=OuterRef("pk"))
        .exclude(kind=SlotEventKind.RENEW)
        .order_by("-pk")
        .values("kind")[:1]
    )
    fits = Q(last__isnull=True, state=SlotState.FREE)
    # Where a submission was taken back and the task then ended, the submission stands again.
    ended = (SlotEventKind.RELEASE, SlotEventKind.EXPIRE)
    fits |= Q(last__in=ended, state=SlotState.SUBMITTED)
    for kind, state in _STATE_AFTER.items():
        fits |= Q(last=kind, state=state)
    rows = scope.of(Slot.objects.order_by("pk"))
    odd = rows.annotate(last=Subquery(last)).exclude(fits)
    message = "slot {} is {}, but its last event is {}"
    yield from scope.told("INV-5", message, odd.values_list(*_SLOT, "last"))
    studies = Study.objects.filter(submission__slot=OuterRef("pk"), state=StudyState.OPEN)
    disputes = Complaint.objects.filter(study__submission__slot=OuterRef("pk"), state__in=UNDECIDED)
    rests = (
        Q(Exists(disputes), state=SlotState.DISPUTED)
        | Q(~Exists(disputes), Exists(studies), state=SlotState.STUDY)
        | Q(~Exists(disputes), ~Exists(studies), state=SlotState.PASSED)
    )
    after = (SlotState.JUDGED, SlotState.PASSED, SlotState.STUDY, SlotState.DISPUTED)
    restless = rows.filter(state__in=after).exclude(rests)
    message = "slot {} is {}, which its study items and complaints contradict"
    yield from scope.told("INV-5", message, restless.values_list(*_SLOT))


def submissions(scope: Scope) -> Iterator[Violation]:
    """Yield slots without their submission, and submissions that are not whole (INV-8, ANN-9)."""
    # By the slot alone: asked for slot and person, SQLite may walk all that the person wrote.
    last = Submission.objects.filter(slot=OuterRef("pk")).order_by("-no").values("person")[:1]
    done = scope.of(Slot.objects.filter(state__in=SUBMITTED_OR_LATER)).annotate(
        writer=Subquery(last)
    )
    lost = done.filter(Q(writer__isnull=True) | ~Q(writer=F("person")))
    message = "slot {} is {}, but its person's submission is not there"
    yield from scope.told("INV-8", message, lost.values_list(*_SLOT))
    rows = scope.of(Submission.objects.order_by("pk"), "sentence__project")
    gaps = rows.values(*_OF_SENTENCE, "slot__no").annotate(found=Count("pk"), last=Max("no"))
    gaps = gaps.exclude(found=F("last")).order_by("slot__no")
    message = "slot {} has {} submissions, the last is number {}"
    values = (*_OF_SENTENCE, "slot__no", "found", "last")
    yield from scope.told("INV-8", message, gaps.values_list(*values))
    texts = Reference.objects.filter(submission=OuterRef("pk"))
    corrected = Q(decision=Decision.CORRECTED)
    odd = rows.filter((corrected & ~Exists(texts)) | (~corrected & Exists(texts)))
    message = "submission {} is {}, and its texts say otherwise"
    yield from scope.told("ANN-9", message, odd.values_list(*_OF_SENTENCE, "pk", "decision"))


def keys(scope: Scope) -> Iterator[Violation]:
    """Yield client keys that were used more than once (INV-9)."""
    for rows in (Submission.objects.all(), Review.objects.all()):
        mine = scope.of(rows, "sentence__project")
        twice = mine.values(*_OF_SENTENCE, "client_key").annotate(found=Count("pk"))
        message = "the key {} was used {} times; it is one act"
        values = (*_OF_SENTENCE, "client_key", "found")
        yield from scope.told("INV-9", message, twice.filter(found__gt=1).values_list(*values))


def drafts(scope: Scope) -> Iterator[Violation]:
    """Yield drafts of slots whose text is not among their revisions (INV-10)."""
    same = DraftRevision.objects.filter(
        slot=OuterRef("slot"), person=OuterRef("person"), rev=OuterRef("rev"), conflicting=False
    )
    rows = scope.of(Draft.objects.filter(slot__isnull=False), "slot__project").annotate(
        kept=Subquery(same.values("payload")[:1]), found=Exists(same)
    )
    names = ("slot__project__slug", "slot__sentence__number", "slot__no", "rev")
    message = "slot {}: revision {} of the draft was not kept as it is"
    wrong = (
        values
        for *values, found, payload, kept in rows.order_by("pk")
        .values_list(*names, "found", "payload", "kept")
        .iterator(chunk_size=2000)
        if not found or payload != kept
    )
    yield from scope.told("INV-10", message, (tuple(one) for one in wrong))


def digests(scope: Scope) -> Iterator[Violation]:
    """Yield texts whose digest is another's (CON-10)."""
    sentences = scope.sentences().values_list(*_SENTENCE, "text", "digest")
    message = "the digest of the sentence is not that of its text"
    wrong = (row[:2] for row in sentences.iterator(chunk_size=5000) if digest(row[2]) != row[3])
    yield from scope.told("CON-10", message, wrong)
    rows = scope.of(Reference.objects.order_by("pk"), "sentence__project")
    references = rows.values_list(*_OF_SENTENCE, "pk", "text", "digest")
    message = "the digest of reference {} is not that of its text"
    wrong = (row[:3] for row in references.iterator(chunk_size=5000) if digest(row[3]) != row[4])
    yield from scope.told("CON-10", message, wrong)
