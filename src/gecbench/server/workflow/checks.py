"""How a broken invariant is told, and in which projects one is looked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from django.db.models import Count, Exists, F, Max, Model, OuterRef, Q, QuerySet, Subquery

from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    CheckDecision,
    Decision,
    ProjectKind,
    Purpose,
    SentenceState,
    SlotEventKind,
    SlotState,
    StudyState,
    TaskState,
    TrialState,
    VariantOrigin,
)
from gecbench.server.models import (
    Audit,
    Complaint,
    Draft,
    DraftRevision,
    Golden,
    GoldenReference,
    GoldenVariant,
    InspectionItem,
    InspectionJudge,
    InspectionRound,
    Project,
    Rating,
    Reference,
    ReleaseItem,
    Resolution,
    Review,
    ReviewTask,
    Sentence,
    Slot,
    SlotEvent,
    Study,
    Submission,
    Trial,
    Variant,
    VariantCheck,
    Verdict,
)
from gecbench.server.rules.perturbation import Chip, derive, normal_form, variant_digest
from gecbench.server.rules.text import digest
from gecbench.server.workflow import audit, inspection
from gecbench.server.workflow.answers import count_right, passes
from gecbench.server.workflow.pay import recompute
from gecbench.server.workflow.sentences import LIVE, UNDECIDED

_M = TypeVar("_M", bound=Model)


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken invariant.

    Args:
        invariant: "INV-4" and so on, or "audit".
        where: Project and sentence, slot or row.
        message: One line: what was found, what was expected.
    """

    invariant: str
    where: str
    message: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What is looked at.

    Args:
        project_id: One project, or None for all.
        most: How many violations of one kind are told.
    """

    project_id: int | None
    most: int

    def of(self, rows: QuerySet[_M, _M], path: str = "project") -> QuerySet[_M, _M]:
        """The rows of the projects that are looked at; `path` leads to the project."""
        return rows if self.project_id is None else rows.filter(**{path: self.project_id})

    def violations(
        self, invariant: str, message: str, rows: Iterable[tuple[Any, ...]]
    ) -> Iterator[Violation]:
        """Yield a violation for each row: slug, task number, then what the message names."""
        for slug, number, *values in islice(rows, self.most):
            yield Violation(invariant, f"{slug} #{number}", message.format(*values))

    def sentences(self) -> QuerySet[Sentence, Sentence]:
        """The sentences of the projects that are looked at."""
        return self.of(Sentence.objects.order_by("pk"))


# Recounts sentences, slots, tasks and what people wrote (INV-1 to 5, 8 to 10).


_SENTENCE = ("project__slug", "number")
_OF_SENTENCE = ("sentence__project__slug", "sentence__number")
_SLOT = (*_OF_SENTENCE, "no", "state")

_STATE_AFTER = {
    SlotEventKind.CLAIM: SlotState.OPEN,
    SlotEventKind.REOPEN: SlotState.OPEN,
    SlotEventKind.SEND_BACK: SlotState.OPEN,
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
    """The submissions that count: the last of each slot that is submitted or later."""
    later = Submission.objects.filter(slot=OuterRef("slot"), no__gt=OuterRef("no"))
    rows = scope.of(Submission.objects.all(), "sentence__project")
    return rows.filter(~Exists(later), slot__state__in=SUBMITTED_OR_LATER).order_by("pk")


def slots(scope: Scope) -> Iterator[Violation]:
    """Yield where N slots of N distinct people are not what there is (INV-1, INV-2)."""
    counted = scope.sentences().annotate(found=Count("slots")).exclude(found=F("needed"))
    message = "has {} slots; it needs {}"
    yield from scope.violations(
        "INV-1", message, counted.values_list(*_SENTENCE, "found", "needed")
    )
    occupied = scope.of(Slot.objects.filter(person__isnull=False))
    twice = occupied.values(*_OF_SENTENCE, "person").annotate(found=Count("pk")).filter(found__gt=1)
    message = "person {} has {} slots of it; one person has one"
    yield from scope.violations(
        "INV-1", message, twice.values_list(*_OF_SENTENCE, "person", "found")
    )
    places = ("project__slug", "person", "open_no")
    full = occupied.filter(state=SlotState.OPEN).values(*places).annotate(found=Count("pk"))
    message = "fills the place {} of open tasks {} times, person and place are unique"
    yield from scope.violations(
        "INV-2", message, full.filter(found__gt=1).values_list(*places, "found")
    )
    held = Q(state=SlotState.FREE, person__isnull=True) | (
        ~Q(state=SlotState.FREE) & Q(person__isnull=False)
    )
    odd = scope.of(Slot.objects.exclude(held))
    message = "slot {} is {}; free ones are nobody's, others somebody's"
    yield from scope.violations("INV-2", message, odd.values_list(*_SLOT))


def reviewers(scope: Scope) -> Iterator[Violation]:
    """Yield reviews by people who ever held a slot of the sentence (INV-3)."""
    held = SlotEvent.objects.filter(sentence=OuterRef("sentence"), person=OuterRef("reviewer"))
    wrong = scope.of(Review.objects.filter(Exists(held)), "sentence__project")
    message = "was reviewed by person {}, who held a slot of it"
    yield from scope.violations("INV-3", message, wrong.values_list(*_OF_SENTENCE, "reviewer"))
    tasks = scope.of(ReviewTask.objects.filter(Exists(held), state=TaskState.OPEN))
    message = "is in review by person {}, who held a slot of it"
    yield from scope.violations("INV-3", message, tasks.values_list(*_OF_SENTENCE, "reviewer"))


def counters(scope: Scope) -> Iterator[Violation]:
    """Yield counters and states of sentences that their slots and tasks contradict (INV-4)."""
    done = Count("slots", filter=Q(slots__state__in=SUBMITTED_OR_LATER))
    begun = Count("slots", filter=~Q(slots__state=SlotState.FREE))
    rows = scope.sentences().annotate(done=done, begun=begun)
    wrong = rows.exclude(done=F("submitted"))
    message = "counts {} submissions; there are {}"
    yield from scope.violations(
        "INV-4", message, wrong.values_list(*_SENTENCE, "submitted", "done")
    )
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
    yield from scope.violations("INV-4", message, odd.values_list(*values))
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
    yield from scope.violations("INV-4", message, odd.values_list(*_SENTENCE, "state"))
    live = scope.of(ReviewTask.objects.filter(state__in=LIVE))
    twice = live.values(*_OF_SENTENCE).annotate(found=Count("pk")).filter(found__gt=1)
    message = "is {} times in the queue of reviews"
    yield from scope.violations("INV-4", message, twice.values_list(*_OF_SENTENCE, "found"))


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
    yield from scope.violations("INV-5", message, odd.values_list(*_SLOT, "last"))
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
    yield from scope.violations("INV-5", message, restless.values_list(*_SLOT))


def submissions(scope: Scope) -> Iterator[Violation]:
    """Yield slots without their submission, and submissions that are not whole (INV-8, ANN-9)."""
    # By the slot alone: asked for slot and person, SQLite may walk all that the person wrote.
    last = Submission.objects.filter(slot=OuterRef("pk")).order_by("-no").values("person")[:1]
    done = scope.of(Slot.objects.filter(state__in=SUBMITTED_OR_LATER)).annotate(
        writer=Subquery(last)
    )
    lost = done.filter(Q(writer__isnull=True) | ~Q(writer=F("person")))
    message = "slot {} is {}, but its person's submission is not there"
    yield from scope.violations("INV-8", message, lost.values_list(*_SLOT))
    rows = scope.of(Submission.objects.order_by("pk"), "sentence__project")
    gaps = rows.values(*_OF_SENTENCE, "slot__no").annotate(found=Count("pk"), last=Max("no"))
    gaps = gaps.exclude(found=F("last")).order_by("slot__no")
    message = "slot {} has {} submissions, the last is number {}"
    values = (*_OF_SENTENCE, "slot__no", "found", "last")
    yield from scope.violations("INV-8", message, gaps.values_list(*values))
    texts = Reference.objects.filter(submission=OuterRef("pk"))
    corrected = Q(decision=Decision.CORRECTED)
    rewriting = ~Q(sentence__project__kind=ProjectKind.PERTURB)
    odd = rows.filter(
        (rewriting & corrected & ~Exists(texts))
        | (~corrected & Exists(texts))
        | (rewriting & Q(variant__isnull=False))
        | (~rewriting & Q(variant__isnull=True))
    )
    message = "submission {} is {}, and its texts say otherwise"
    yield from scope.violations("ANN-9", message, odd.values_list(*_OF_SENTENCE, "pk", "decision"))


def keys(scope: Scope) -> Iterator[Violation]:
    """Yield client keys that were used more than once (INV-9)."""
    for rows in (Submission.objects.all(), Review.objects.all()):
        in_scope = scope.of(rows, "sentence__project")
        twice = in_scope.values(*_OF_SENTENCE, "client_key").annotate(found=Count("pk"))
        message = "the key {} was used {} times; it is one act"
        values = (*_OF_SENTENCE, "client_key", "found")
        yield from scope.violations(
            "INV-9", message, twice.filter(found__gt=1).values_list(*values)
        )


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
        for *values, exists, payload, stored in rows.order_by("pk")
        .values_list(*names, "found", "payload", "kept")
        .iterator(chunk_size=2000)
        if not exists or payload != stored
    )
    yield from scope.violations("INV-10", message, (tuple(row) for row in wrong))


def digests(scope: Scope) -> Iterator[Violation]:
    """Yield texts whose digest is another's (CON-10)."""
    sentences = scope.sentences().values_list(*_SENTENCE, "text", "digest")
    message = "the digest of the sentence is not that of its text"
    wrong = (row[:2] for row in sentences.iterator(chunk_size=5000) if digest(row[2]) != row[3])
    yield from scope.violations("CON-10", message, wrong)
    rows = scope.of(Reference.objects.order_by("pk"), "sentence__project")
    references = rows.values_list(*_OF_SENTENCE, "pk", "text", "digest")
    message = "the digest of reference {} is not that of its text"
    wrong = (row[:3] for row in references.iterator(chunk_size=5000) if digest(row[3]) != row[4])
    yield from scope.violations("CON-10", message, wrong)


# Recounts golden sets, verdicts, study items and complaints (INV-6, 7, 12; CON, STU, CMP).


_REVIEWED_STATES = (SlotState.JUDGED, SlotState.PASSED, SlotState.STUDY, SlotState.DISPUTED)


def goldens(scope: Scope) -> Iterator[Violation]:
    """Yield sentences whose golden set is not the highest, or contradicts itself (INV-6)."""
    stands = ~Q(goldens__review__task__state=TaskState.RETURNED)
    rows = scope.sentences().annotate(
        last=Max("goldens__version", filter=stands),
        highest=Max("goldens__version"),
        made=Count("goldens"),
    )
    decided = (SentenceState.GOLDEN, SentenceState.DISPUTED)
    odd = rows.filter(
        (Q(golden__isnull=True) & (Q(last__isnull=False) | Q(state__in=decided)))
        | (Q(golden__isnull=False) & ~Q(golden__version=F("last")))
        | ~Q(made=F("highest")) & Q(made__gt=0)
    )
    message = "is {} at golden version {}; the highest of {} is {}"
    values = (*_SENTENCE, "state", "golden__version", "made", "last")
    yield from scope.violations("INV-6", message, odd.values_list(*values))
    strange = scope.sentences().filter(golden__isnull=False).exclude(golden__sentence=F("pk"))
    message = "has the golden set of another sentence"
    yield from scope.violations("INV-6", message, strange.values_list(*_SENTENCE))
    sets = scope.of(Golden.objects.order_by("pk"), "sentence__project")
    corrected = Q(kind=Decision.CORRECTED)
    contexts = GoldenVariant.objects.filter(golden=OuterRef("pk"))
    mixed = sets.annotate(found=Count("entries")).filter(
        (corrected & Q(found=0) & ~Exists(contexts)) | (~corrected & Q(found__gt=0))
    )
    message = "golden version {} is {} with {} references"
    names = (*_OF_SENTENCE, "version", "kind", "found")
    yield from scope.violations("INV-6", message, mixed.values_list(*names))


def references(scope: Scope) -> Iterator[Violation]:
    """Yield golden references that are of another sentence or there twice (INV-6, CON-10)."""
    entries = scope.of(GoldenReference.objects.order_by(), "golden__sentence__project")
    names = ("golden__sentence__project__slug", "golden__sentence__number", "golden__version")
    strange = entries.exclude(reference__sentence=F("golden__sentence"))
    message = "golden version {} has a reference of another sentence"
    yield from scope.violations("INV-6", message, strange.values_list(*names))
    twice = entries.values(*names, "reference__digest").annotate(found=Count("pk"))
    message = "golden version {} has one text {} times"
    values = (*names, "found")
    yield from scope.violations("CON-10", message, twice.filter(found__gt=1).values_list(*values))


def placeholders(scope: Scope) -> Iterator[Violation]:
    """Yield golden sets in which not all references have as many placeholders (CON-3, CON-4).

    Those made since the project's options last changed: rules of before may have been others.
    """
    projects = Project.objects.order_by("pk")
    if scope.project_id is not None:
        projects = projects.filter(pk=scope.project_id)
    for project in projects:
        rules = project.rules
        rows = _placeholders(project, rules.placeholder) if rules.placeholder else {}
        for (number, version), counts in rows.items():
            where = f"{project.slug} #{number}"
            missing_in_some = 0 in counts
            rule = "CON-3" if missing_in_some else "CON-4"
            several = missing_in_some or len(set(counts)) > 1
            if several and rules.level(rule) == "block":
                counted = f"golden version {version} has {rules.placeholder} so often: {counts}"
                yield Violation(rule, where, f"{counted}; all references have as many")


def _placeholders(project: Project, placeholder: str) -> dict[tuple[int, int], list[int]]:
    """The counts of placeholders in each golden set that counts and has any."""
    entries = GoldenReference.objects.filter(
        golden__sentence__project=project, golden__sentence__golden=F("golden")
    )
    changes = Audit.objects.filter(project=project, what="project.changed")
    changed_at = changes.order_by("-seq").values_list("at", flat=True).first()
    if changed_at is not None:
        entries = entries.filter(golden__at__gte=changed_at)
    having = entries.filter(reference__text__contains=placeholder)
    names = ("golden__sentence__number", "golden__version", "reference__text")
    rows = entries.filter(golden__in=having.values("golden")).order_by("golden", "position")
    counts: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, version, text in rows.values_list(*names):
        counts[number, version].append(text.count(placeholder))
    return counts


def verdicts(scope: Scope) -> Iterator[Violation]:
    """Yield what was judged without a verdict (INV-7)."""
    submissions = last_submissions(scope).filter(slot__state__in=_REVIEWED_STATES)
    judgements = Verdict.objects.filter(review__sentence=OuterRef("sentence"))
    texts = Reference.objects.filter(submission__in=submissions).filter(
        ~Exists(judgements.filter(digest=OuterRef("digest")))
    )
    message = "reference {} is judged without a verdict"
    yield from scope.violations("INV-7", message, texts.values_list(*_OF_SENTENCE, "pk"))
    decisions = submissions.exclude(decision=Decision.CORRECTED).filter(
        ~Exists(judgements.filter(decision=OuterRef("decision")))
    )
    message = "submission {} ({}) is judged without a verdict"
    names = (*_OF_SENTENCE, "pk", "decision")
    yield from scope.violations("INV-7", message, decisions.values_list(*names))


def variants(scope: Scope) -> Iterator[Violation]:
    """Yield variants that are not what their gaps make, or stand unchecked (PER-3, 5, 8, 9)."""
    rows = scope.of(Variant.objects.order_by("pk"), "sentence__project")
    names = ("gaps", "source", "target", "digest", "sentence__case__chips")
    read = rows.values_list(*_OF_SENTENCE, "pk", "sentence__project__lang", *names)
    wrong = (row[:3] for row in read.iterator(chunk_size=2000) if not _is_derived(*row[3:]))
    yield from scope.violations("PER-3", "variant {} is not what its gaps make", wrong)
    entries = scope.of(GoldenVariant.objects.order_by("pk"), "golden__sentence__project")
    strange = entries.exclude(variant__sentence=F("golden__sentence"))
    place = ("golden__sentence__project__slug", "golden__sentence__number")
    message = "golden version {} has the variant of another sentence"
    yield from scope.violations("PER-8", message, strange.values_list(*place, "golden__version"))
    written = entries.exclude(variant__origin=VariantOrigin.IMPORT)
    same = GoldenVariant.objects.filter(
        golden=OuterRef("golden"), variant__digest=OuterRef("variant__digest")
    ).exclude(pk=OuterRef("pk"))
    message = "variant {} of golden version {} is there twice"
    values = (*place, "position", "golden__version")
    yield from scope.violations("PER-5", message, written.filter(Exists(same)).values_list(*values))
    passing = (CheckDecision.ACCEPTED, CheckDecision.EDITED)
    checks = VariantCheck.objects.filter(slot=OuterRef("pk"), decision__in=passing)
    slots = scope.of(Slot.objects.filter(sentence__project__kind=ProjectKind.PERTURB))
    odd = slots.filter(~Exists(checks), state=SlotState.PASSED)
    yield from scope.violations(
        "PER-9", "slot {} is {} without a check", odd.order_by("pk").values_list(*_SLOT)
    )
    moved = written.exclude(variant__moved=[]).filter(variant__submission__isnull=False)
    allowed = VariantCheck.objects.filter(variant=OuterRef("variant"), allows_moved=True)
    message = "variant {} of golden version {} moved an error that nobody has allowed"
    yield from scope.violations(
        "PER-4", message, moved.filter(~Exists(allowed)).values_list(*values)
    )


def _is_derived(
    lang: str,
    gaps: Sequence[str] | None,
    source: str,
    target: str,
    digest: str,
    chips: Sequence[Mapping[str, Any]],
) -> bool:
    if variant_digest(source, lang) != digest:
        return False
    if gaps is None:
        return True
    variants = derive(gaps, [Chip(**chip) for chip in chips], lang)
    # Those of files keep their own white space.
    return tuple(normal_form(text, lang) for text in variants) == (
        normal_form(source, lang),
        normal_form(target, lang),
    )


def releases(scope: Scope) -> Iterator[Violation]:
    """Yield released sentences that are not real ones, or not with their own set (INV-12)."""
    items = scope.of(ReleaseItem.objects.order_by("pk"), "sentence__project")
    odd = items.exclude(sentence__purpose=Purpose.REAL, golden__sentence=F("sentence"))
    message = "is in the release {!r}, where it may not be like this"
    yield from scope.violations("INV-12", message, odd.values_list(*_OF_SENTENCE, "release__name"))


def practice(scope: Scope) -> Iterator[Violation]:
    """Yield submissions for training and trials (INV-12), and trials that are counted wrongly."""
    apart = (Purpose.TRAINING, Purpose.TRIAL)
    rows = scope.of(Submission.objects.order_by("pk"), "sentence__project")
    odd = rows.filter(sentence__purpose__in=apart).values_list(*_OF_SENTENCE, "pk")
    yield from scope.violations("INV-12", "has submission {}, though it is not for real work", odd)
    trials = scope.of(Trial.objects.order_by("pk"), "member__project")
    for trial in trials.exclude(state=TrialState.OPEN).select_related("member__project"):
        right = count_right(trial)
        passed = passes(right, trial.size, trial.percent)
        state = TrialState.PASSED if passed else TrialState.FAILED
        if right != trial.accepted or trial.state not in (state, TrialState.STOPPED):
            where = f"{trial.member.project.slug} trial {trial.pk}"
            message = f"is {trial.state} with {trial.accepted}; {right} of {trial.size} are right"
            yield Violation("TRI-2", where, message)


def ledger(scope: Scope) -> Iterator[Violation]:
    """Yield statements that their entries or the history contradict (INV-13)."""
    projects = Project.objects.filter(pay_periods__isnull=False).distinct().order_by("pk")
    if scope.project_id is not None:
        projects = projects.filter(pk=scope.project_id)
    for project in projects:
        for line in recompute(project):
            yield Violation("INV-13", f"{project.slug} pay", line)


def inspections(scope: Scope) -> Iterator[Violation]:
    """Yield samples, judges, ratings and resolutions that may not be like this (JUD-1, JUD-3)."""
    names = ("project__slug", "name")
    rounds = scope.of(InspectionRound.objects.order_by("pk"))
    judges = InspectionJudge.objects.filter(round=OuterRef("pk")).order_by().values("round")
    counted = rounds.annotate(
        drawn=Count("items"),
        found=Subquery(judges.annotate(n=Count("no", distinct=True)).values("n")),
    )
    odd = counted.exclude(drawn=F("size"), found=2).values_list(*names, "drawn", "size", "found")
    yield from _of_rounds(scope, "has {} of {} items and {} judges; it has two", odd)
    path = "item__round__project"
    items = scope.of(InspectionItem.objects.order_by("pk"), "round__project")
    strange = items.exclude(
        sentence__purpose=Purpose.REAL,
        sentence__project=F("round__project"),
    )
    other = ~Q(reference__sentence=F("sentence")) & ~Q(variant__sentence=F("sentence"))
    strange = strange | items.filter(other)
    message = "is item {} of a round, where it may not be"
    yield from scope.violations("JUD-1", message, strange.values_list(*_OF_SENTENCE, "pk"))
    at_item = ("item__sentence__project__slug", "item__sentence__number")
    ratings = scope.of(Rating.objects.order_by("pk"), path)
    before = {"sentence": OuterRef("item__sentence"), "at__lt": OuterRef("at")}
    held = SlotEvent.objects.filter(**before, person=OuterRef("judge__member__person"))
    reviewed = Review._base_manager.filter(**before, reviewer=OuterRef("judge__member__person"))
    unchecked = ratings.filter(
        Q(Exists(held)) | Q(Exists(reviewed)) | ~Q(judge__round=F("item__round"))
    )
    message = "was rated by a judge who had worked on it, or is none of its round: rating {}"
    yield from scope.violations("JUD-1", message, unchecked.values_list(*at_item, "pk"))
    yield from _undecided(scope, rounds)


def _of_rounds(scope: Scope, message: str, rows: Iterable[tuple[Any, ...]]) -> Iterator[Violation]:
    for slug, name, *values in islice(rows, scope.most):
        yield Violation("JUD-1", f"{slug} round {name}", message.format(*values))


def _undecided(
    scope: Scope, rounds: QuerySet[InspectionRound, InspectionRound]
) -> Iterator[Violation]:
    """Yield ratings without all criteria, and resolutions where the judges do not differ."""
    resolved = scope.of(Resolution.objects.order_by("pk"), "item__round__project")
    for round_ in rounds.select_related("project"):
        keys = sorted(criterion.key for criterion in inspection.criteria_of(round_))
        ratings = Rating.objects.filter(item__round=round_).prefetch_related("answers", "item")
        for rating in ratings.select_related("item__sentence").order_by("pk"):
            criteria = sorted(inspection.answers_of(rating))
            if criteria != ([] if rating.undone else keys):
                where = f"{round_.project.slug} #{rating.item.sentence.number}"
                message = f"rating {rating.pk} is by {criteria}; the round asks {keys}"
                yield Violation("JUD-1", where, message)
        differing = {
            (result.item.pk, key)
            for result in inspection.load_items(round_)
            for key in result.differing
        }
        for row in resolved.filter(item__round=round_).select_related("item__sentence"):
            if (row.item_id, row.criterion) not in differing:
                where = f"{round_.project.slug} #{row.item.sentence.number}"
                message = f"resolution {row.pk} is of {row.criterion}, where no ratings differ"
                yield Violation("JUD-3", where, message)


def studies(scope: Scope) -> Iterator[Violation]:
    """Yield study items that are missing, or open without a reason (STU-1, 5, 8)."""
    submissions = last_submissions(scope).filter(
        slot__state__in=_REVIEWED_STATES, sentence__golden__isnull=False
    )
    golden = GoldenReference.objects.filter(
        golden=OuterRef("sentence__golden"), reference__digest=OuterRef("digest")
    )
    missing = Reference.objects.filter(submission__in=submissions).filter(
        ~Exists(golden), ~Exists(Study.objects.filter(reference=OuterRef("pk")))
    )
    message = "reference {} is not golden, and has no study item"
    yield from scope.violations("STU-1", message, missing.values_list(*_OF_SENTENCE, "pk"))
    item = Study.objects.filter(submission=OuterRef("pk"), reference__isnull=True)
    lost = submissions.exclude(decision=Decision.CORRECTED).exclude(
        decision=F("sentence__golden__kind")
    )
    message = "submission {} ({}) lost, and has no study item"
    names = (*_OF_SENTENCE, "pk", "decision")
    yield from scope.violations("STU-5", message, lost.filter(~Exists(item)).values_list(*names))
    yield from _groundless(scope)


def _groundless(scope: Scope) -> Iterator[Violation]:
    golden = GoldenReference.objects.filter(
        golden=OuterRef("sentence__golden"), reference__digest=OuterRef("reference__digest")
    )
    by_text = Q(reference__isnull=False) & Exists(golden)
    by_decision = Q(reference__isnull=True, submission__decision=F("sentence__golden__kind"))
    rows = scope.of(Study.objects.filter(state=StudyState.OPEN).order_by("pk"))
    message = "study item {} is open, although what it is about is golden"
    values = rows.filter(by_text | by_decision).values_list(*_OF_SENTENCE, "pk")
    yield from scope.violations("STU-8", message, values)


def complaints(scope: Scope) -> Iterator[Violation]:
    """Yield sentences that are disputed without a complaint, or the other way round (CMP-1)."""
    undecided = Complaint.objects.filter(study__sentence=OuterRef("pk"), state__in=UNDECIDED)
    disputed = Q(state=SentenceState.DISPUTED)
    elsewhere = ~disputed & ~Q(state=SentenceState.WITHDRAWN)
    odd = scope.sentences().filter(
        (disputed & ~Exists(undecided)) | (elsewhere & Exists(undecided))
    )
    message = "is {}, which its complaints contradict"
    yield from scope.violations("CMP-1", message, odd.values_list(*_SENTENCE, "state"))


# All invariants, recounted from the rows (section 4.2; `gecbench annotate check`).


CHECKS: tuple[Callable[[Scope], Iterator[Violation]], ...] = (
    *(slots, reviewers, counters, states),
    *(submissions, keys, drafts, digests),
    *(goldens, references, placeholders),
    *(verdicts, studies, complaints),
    *(variants, releases, practice, ledger, inspections),
)
"""What recounts an invariant each; releases' files are verified by exchange (INV-14)."""


def check(project_id: int | None = None, *, most: int = 1000) -> tuple[Violation, ...]:
    """What is broken in one project or all, at most so many of each invariant.

    The log of who did what is one chain for all projects, and always looked at whole.
    """
    scope = Scope(project_id, most)
    violations = [violation for look in CHECKS for violation in islice(look(scope), most)]
    violations += [Violation("audit", "audit", line) for line in islice(audit.verify(), most)]
    return tuple(violations)
