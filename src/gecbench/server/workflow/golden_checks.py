"""Recounts golden sets, verdicts, study items and complaints (INV-6, 7, 12; CON, STU, CMP)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from django.db.models import Count, Exists, F, Max, OuterRef, Q

from gecbench.server.laws.names import Decision, Purpose, SentenceState, SlotState, StudyState
from gecbench.server.models import (
    Audit,
    Complaint,
    Golden,
    GoldenReference,
    Project,
    Reference,
    ReleaseItem,
    Study,
    Verdict,
)
from gecbench.server.workflow.recounts import last_submissions
from gecbench.server.workflow.standing import UNDECIDED
from gecbench.server.workflow.violations import Scope, Violation

_SENTENCE = ("project__slug", "number")
_OF_SENTENCE = ("sentence__project__slug", "sentence__number")
_JUDGED = (SlotState.JUDGED, SlotState.PASSED, SlotState.STUDY, SlotState.DISPUTED)


def goldens(scope: Scope) -> Iterator[Violation]:
    """Yield sentences whose golden set is not the highest, or contradicts itself (INV-6)."""
    rows = scope.sentences().annotate(last=Max("goldens__version"), made=Count("goldens"))
    decided = (SentenceState.GOLDEN, SentenceState.DISPUTED)
    odd = rows.filter(
        (Q(golden__isnull=True) & (Q(made__gt=0) | Q(state__in=decided)))
        | (Q(golden__isnull=False) & ~Q(golden__version=F("last")))
        | ~Q(made=F("last")) & Q(made__gt=0)
    )
    message = "is {} at golden version {}; the highest of {} is {}"
    values = (*_SENTENCE, "state", "golden__version", "made", "last")
    yield from scope.told("INV-6", message, odd.values_list(*values))
    strange = scope.sentences().filter(golden__isnull=False).exclude(golden__sentence=F("pk"))
    message = "has the golden set of another sentence"
    yield from scope.told("INV-6", message, strange.values_list(*_SENTENCE))
    sets = scope.of(Golden.objects.order_by("pk"), "sentence__project")
    corrected = Q(kind=Decision.CORRECTED)
    mixed = sets.annotate(found=Count("entries")).filter(
        (corrected & Q(found=0)) | (~corrected & Q(found__gt=0))
    )
    message = "golden version {} is {} with {} references"
    names = (*_OF_SENTENCE, "version", "kind", "found")
    yield from scope.told("INV-6", message, mixed.values_list(*names))


def references(scope: Scope) -> Iterator[Violation]:
    """Yield golden references that are of another sentence or there twice (INV-6, CON-10)."""
    entries = scope.of(GoldenReference.objects.order_by(), "golden__sentence__project")
    names = ("golden__sentence__project__slug", "golden__sentence__number", "golden__version")
    strange = entries.exclude(reference__sentence=F("golden__sentence"))
    message = "golden version {} has a reference of another sentence"
    yield from scope.told("INV-6", message, strange.values_list(*names))
    twice = entries.values(*names, "reference__digest").annotate(found=Count("pk"))
    message = "golden version {} has one text {} times"
    values = (*names, "found")
    yield from scope.told("CON-10", message, twice.filter(found__gt=1).values_list(*values))


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
            some = 0 in counts
            rule = "CON-3" if some else "CON-4"
            several = some or len(set(counts)) > 1
            if several and rules.level(rule) == "block":
                said = f"golden version {version} has {rules.placeholder} so often: {counts}"
                yield Violation(rule, where, f"{said}; all references have as many")


def _placeholders(project: Project, placeholder: str) -> dict[tuple[int, int], list[int]]:
    """Return the counts of placeholders in each golden set that counts and has any."""
    entries = GoldenReference.objects.filter(
        golden__sentence__project=project, golden__sentence__golden=F("golden")
    )
    changes = Audit.objects.filter(project=project, what="project.changed")
    changed = changes.order_by("-seq").values_list("at", flat=True).first()
    if changed is not None:
        entries = entries.filter(golden__at__gte=changed)
    having = entries.filter(reference__text__contains=placeholder)
    names = ("golden__sentence__number", "golden__version", "reference__text")
    found = entries.filter(golden__in=having.values("golden")).order_by("golden", "position")
    counts: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, version, text in found.values_list(*names):
        counts[number, version].append(text.count(placeholder))
    return counts


def verdicts(scope: Scope) -> Iterator[Violation]:
    """Yield what was judged without a verdict (INV-7)."""
    judged = last_submissions(scope).filter(slot__state__in=_JUDGED)
    said = Verdict.objects.filter(review__sentence=OuterRef("sentence"))
    texts = Reference.objects.filter(submission__in=judged).filter(
        ~Exists(said.filter(digest=OuterRef("digest")))
    )
    message = "reference {} is judged without a verdict"
    yield from scope.told("INV-7", message, texts.values_list(*_OF_SENTENCE, "pk"))
    decisions = judged.exclude(decision=Decision.CORRECTED).filter(
        ~Exists(said.filter(decision=OuterRef("decision")))
    )
    message = "submission {} ({}) is judged without a verdict"
    names = (*_OF_SENTENCE, "pk", "decision")
    yield from scope.told("INV-7", message, decisions.values_list(*names))


def releases(scope: Scope) -> Iterator[Violation]:
    """Yield released sentences that are not real ones, or not with their own set (INV-12)."""
    items = scope.of(ReleaseItem.objects.order_by("pk"), "sentence__project")
    odd = items.exclude(sentence__purpose=Purpose.REAL, golden__sentence=F("sentence"))
    message = "is in the release {!r}, where it may not be like this"
    yield from scope.told("INV-12", message, odd.values_list(*_OF_SENTENCE, "release__name"))


def studies(scope: Scope) -> Iterator[Violation]:
    """Yield study items that are missing, or open without a reason (STU-1, 5, 8)."""
    judged = last_submissions(scope).filter(slot__state__in=_JUDGED, sentence__golden__isnull=False)
    golden = GoldenReference.objects.filter(
        golden=OuterRef("sentence__golden"), reference__digest=OuterRef("digest")
    )
    missing = Reference.objects.filter(submission__in=judged).filter(
        ~Exists(golden), ~Exists(Study.objects.filter(reference=OuterRef("pk")))
    )
    message = "reference {} is not golden, and has no study item"
    yield from scope.told("STU-1", message, missing.values_list(*_OF_SENTENCE, "pk"))
    item = Study.objects.filter(submission=OuterRef("pk"), reference__isnull=True)
    lost = judged.exclude(decision=Decision.CORRECTED).exclude(decision=F("sentence__golden__kind"))
    message = "submission {} ({}) lost, and has no study item"
    names = (*_OF_SENTENCE, "pk", "decision")
    yield from scope.told("STU-5", message, lost.filter(~Exists(item)).values_list(*names))
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
    yield from scope.told("STU-8", message, values)


def complaints(scope: Scope) -> Iterator[Violation]:
    """Yield sentences that are disputed without a complaint, or the other way round (CMP-1)."""
    undecided = Complaint.objects.filter(study__sentence=OuterRef("pk"), state__in=UNDECIDED)
    disputed = Q(state=SentenceState.DISPUTED)
    elsewhere = ~disputed & ~Q(state=SentenceState.WITHDRAWN)
    odd = scope.sentences().filter(
        (disputed & ~Exists(undecided)) | (elsewhere & Exists(undecided))
    )
    message = "is {}, which its complaints contradict"
    yield from scope.told("CMP-1", message, odd.values_list(*_SENTENCE, "state"))
