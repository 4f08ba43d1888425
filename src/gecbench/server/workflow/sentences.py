"""Sentences and their N slots: how they come in, where they stand, who takes a slot."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from itertools import count, islice, pairwise
from typing import Any

from django.db import connection
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from gecbench.core import seeding
from gecbench.core.errors import UsageError
from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    ComplaintState,
    Decision,
    MemberStatus,
    Origin,
    Purpose,
    SentenceState,
    SlotEventKind,
    SlotState,
    StudyState,
    TaskState,
    VariantOrigin,
)
from gecbench.server.models import (
    Assignment,
    Complaint,
    Draft,
    DraftRevision,
    Golden,
    GoldenReference,
    GoldenVariant,
    ImportBatch,
    Member,
    Person,
    PerturbationCase,
    Project,
    Reading,
    Reference,
    Review,
    ReviewTask,
    Sentence,
    Skip,
    Slot,
    SlotEvent,
    Source,
    Study,
    Submission,
    Variant,
)
from gecbench.server.models.base import compiled, compiled_models, insert
from gecbench.server.rules.options import ProjectOptions
from gecbench.server.rules.perturbation import Division, Move, Subtlety, variant_digest
from gecbench.server.rules.text import digest, place_in_document
from gecbench.server.workflow.errors import ConflictError, GuidelineFirstError, NotAllowedError
from gecbench.server.workflow.transactions import (
    compare_and_set,
    has_read_guideline,
    lock_member,
    lock_project,
    lock_sentence,
    transactional,
)

# Where a sentence and its slots stand, read from the rows around them; and how they get there.
#
# Each change is a compare-and-set along the paths of section 1.3 (INV-5).


LIVE = (TaskState.FREE, TaskState.OPEN)
UNDECIDED = (ComplaintState.OPEN, ComplaintState.DISCUSSED)

_DECIDED = (SentenceState.GOLDEN, SentenceState.WITHDRAWN)
PATHS: Mapping[SentenceState, tuple[SentenceState, ...]] = {
    SentenceState.OPEN: (SentenceState.ANNOTATING, SentenceState.WITHDRAWN),
    SentenceState.ANNOTATING: (SentenceState.OPEN, SentenceState.REVIEW_READY, *_DECIDED),
    SentenceState.REVIEW_READY: (SentenceState.ANNOTATING, SentenceState.IN_REVIEW, *_DECIDED),
    SentenceState.IN_REVIEW: (SentenceState.REVIEW_READY, SentenceState.ANNOTATING, *_DECIDED),
    SentenceState.GOLDEN: (
        SentenceState.REVIEW_READY,
        SentenceState.ANNOTATING,  # variants of a case that are made again
        SentenceState.DISPUTED,
        SentenceState.WITHDRAWN,
    ),
    SentenceState.DISPUTED: (SentenceState.DISPUTED, *_DECIDED),
    SentenceState.WITHDRAWN: tuple(SentenceState),
}
"""State of a sentence to those that may follow."""


def change_state(sentence: Sentence, state: SentenceState, **fields: Any) -> None:
    """Change a sentence's state, if it is still what was read.

    Raises:
        ConflictError: It has changed meanwhile, or no path leads there.
    """
    if state not in PATHS[SentenceState(sentence.state)]:
        raise ConflictError(
            "sentence {number}: {state}; from there it does not become {target}",
            number=sentence.number,
            state=SentenceState(sentence.state),
            target=SentenceState(state),
        )
    compare_and_set(
        sentence,
        sentence.state,
        changed_meanwhile(sentence),
        state=state,
        updated_at=timezone.now(),
        **fields,
    )


def changed_meanwhile(sentence: Sentence) -> ConflictError:
    """Say that somebody else changed a sentence first."""
    return ConflictError(
        "sentence {number} has changed meanwhile; look again", number=sentence.number
    )


def resting_state(sentence: Sentence) -> SentenceState:
    """Where a sentence with a golden set rests: golden, or disputed."""
    disputed = Complaint.objects.filter(study__sentence=sentence, state__in=UNDECIDED).exists()
    return SentenceState.DISPUTED if disputed else SentenceState.GOLDEN


def derive_state(sentence: Sentence) -> SentenceState:
    """Where the rows of a withdrawn sentence say that it stands."""
    if sentence.submitted < sentence.needed:
        begun = sentence.submitted > 0 or sentence.golden_id is not None
        return SentenceState.ANNOTATING if begun else SentenceState.OPEN
    waiting = Slot.objects.filter(sentence=sentence, state=SlotState.SUBMITTED)
    if sentence.golden_id is not None and not waiting.exists():
        return resting_state(sentence)
    return SentenceState.REVIEW_READY


_EVENTS = {
    SlotState.SUBMITTED: SlotEventKind.SUBMIT,
    SlotState.JUDGED: SlotEventKind.JUDGE,
    SlotState.PASSED: SlotEventKind.PASS,
    SlotState.STUDY: SlotEventKind.STUDY,
    SlotState.DISPUTED: SlotEventKind.DISPUTE,
}


def change_slot_state(slot: Slot, *path: SlotState, by: Person | None) -> None:
    """Change the state of a slot that was handed in, step by step; an event for each change.

    Raises:
        ConflictError: It has changed meanwhile.
    """
    steps = [new for old, new in pairwise((SlotState(slot.state), *path)) if new != old]
    if not steps:
        return
    version = slot.version
    compare_and_set(slot, slot.state, _slot_changed(slot), steps=len(steps), state=steps[-1])
    SlotEvent.objects.bulk_create(
        SlotEvent(
            slot=slot,
            sentence_id=slot.sentence_id,
            person_id=slot.person_id,
            kind=_EVENTS[state],
            data={"version": version + n} | ({} if by is None else {"by": by.pk}),
        )
        for n, state in enumerate(steps, 1)
    )


def _slot_changed(slot: Slot) -> ConflictError:
    return ConflictError("slot {slot} has changed meanwhile; look again", slot, slot=slot.pk)


def update_slot_states(sentence: Sentence, *, by: Person | None) -> None:
    """Bring the slots of a sentence whose golden set, items or complaints changed where they rest.

    Submitted ones are judged on the way.
    """
    slots = Slot.objects.select_for_update(no_key=True).filter(
        sentence=sentence, state__in=SUBMITTED_OR_LATER
    )
    _rest(slots.order_by("pk"), by)


def update_slot_state(slot_id: int, *, by: Person | None) -> None:
    """Bring one judged slot, whose items or complaints changed, where it rests."""
    judged = (SlotState.PASSED, SlotState.STUDY, SlotState.DISPUTED)
    slots = Slot.objects.select_for_update(no_key=True).filter(pk=slot_id, state__in=judged)
    _rest(slots, by)


def _rest(slots: Iterable[Slot], by: Person | None) -> None:
    """Bring slots to disputed, in study, or passed."""
    slots = list(slots)
    complaints = Complaint.objects.filter(study__submission__slot__in=slots, state__in=UNDECIDED)
    disputed = set(complaints.values_list("study__submission__slot", flat=True))
    studies = Study.objects.filter(submission__slot__in=slots, state=StudyState.OPEN)
    studied = set(studies.values_list("submission__slot", flat=True))
    for slot in slots:
        state = SlotState.PASSED
        if slot.pk in disputed:
            state = SlotState.DISPUTED
        elif slot.pk in studied:
            state = SlotState.STUDY
        first = (SlotState.JUDGED,) if slot.state == SlotState.SUBMITTED else ()
        change_slot_state(slot, *first, state, by=by)


# Sentences come in, each with its N free slots, in an order that is mixed but reproducible.


BATCH = 500
"""Sentences of one transaction: work pages wait no longer than one takes."""

PAUSE = 0.05
"""Seconds between two of them. SQLite has no queue: who waits for it only looks now and then, and
would find it taken again."""

BEGUN = 1
"""By so much do the free slots of a begun sentence come before others of its priority."""

NEIGHBOURS = 3
"""Sentences of its document that are shown before one, and after it."""

_BOTTOM = 2**63  # a seed has 64 bits, a column 63 and a sign


@dataclass(frozen=True, slots=True)
class NewGolden:
    """A golden set that comes with its sentence.

    Args:
        kind: Corrected, error free, or not annotatable.
        texts: The references, distinct; none unless the kind is corrected.
        reason: Why it cannot be annotated, a NotAnnotatableReason; else "".
    """

    kind: Decision
    texts: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NewVariant:
    """A variant that comes with its case.

    Args:
        source: As the file has it.
        target: Likewise.
        gaps: Around its errors; None where these are not those of the original.
        moves: The errors that are not where they were.
        subtlety: How much it changes.
    """

    source: str
    target: str
    gaps: tuple[str, ...] | None
    moves: tuple[Move, ...]
    subtlety: Subtlety


@dataclass(frozen=True, slots=True)
class NewCase:
    """What a sentence of a perturbation project has beside its text.

    Args:
        target: The sentence corrected; may be empty, as a few published ones are.
        division: Its gaps and errors.
        scheme: What found the errors.
        signature: Of the scheme.
        variants: Those of a case that is done, in their places; none where people write them.
    """

    target: str
    division: Division
    scheme: str
    signature: str
    variants: tuple[NewVariant, ...] = ()


@dataclass(frozen=True, slots=True)
class NewSentence:
    """A sentence to be added.

    Args:
        external_id: Its name in the file, once in a project; "" is its task number.
        text: As it is to be kept: cleaned by rules.text.
        source: Name of the source, as NLPCC18; "" is none.
        meta: Whatever else the file said; `document` and `position` say where it stands there.
        purpose: What it is for. A gold task has a golden set, and always a free place.
        priority: Small ones come first.
        golden: Makes it golden at once; it is not annotated then, if it is no gold task.
        case: Makes it a case of a perturbation project; one with variants is golden at once.
    """

    external_id: str
    text: str
    source: str = ""
    meta: Mapping[str, object] = field(default_factory=dict)
    purpose: Purpose = Purpose.REAL
    priority: int = 100
    golden: NewGolden | None = None
    case: NewCase | None = None

    @property
    def is_done(self) -> bool:
        """Whether nobody works on it, unless it is a gold task."""
        return self.golden is not None or bool(self.case and self.case.variants)


def add_sentences(
    project: Project, rows: Iterable[NewSentence], *, batch: ImportBatch | None = None
) -> int:
    """Add sentences in transactions of BATCH each (or in the caller's one); return how many.

    N is the project's at the moment each batch is written. Sentences with a golden set get no
    slots and are golden at once, version 1.

    Raises:
        UsageError: An id that is there already, an empty text, or a golden set that contradicts
            itself; that batch and those after it are not added.
    """
    sources: dict[str, int] = {}
    left = iter(rows)
    count = 0
    while chunk := tuple(islice(left, BATCH)):
        _check(chunk)
        for name in {row.source for row in chunk} - sources.keys() - {""}:
            sources[name] = Source.objects.get_or_create(project=project, name=name)[0].pk
        if count and not connection.in_atomic_block:
            time.sleep(PAUSE)
        count += _add(project.pk, chunk, sources, batch)
    return count


def order_key(project: Project, number: int) -> int:
    """Where a sentence stands among those of its priority: mixed, the same everywhere."""
    return seeding.number(0, f"order {project.slug} {number}") - _BOTTOM


def _check(rows: Sequence[NewSentence]) -> None:
    for row in rows:
        golden = row.golden
        if not row.text.strip():
            raise UsageError("sentence {name!r} is empty", name=row.external_id)
        if golden is None:
            continue
        if bool(golden.texts) != (golden.kind == Decision.CORRECTED):
            raise UsageError(
                "sentence {name!r}: a golden set is corrections, or a decision without any; it is "
                "{kind} with {count}",
                name=row.external_id,
                kind=golden.kind,
                count=len(golden.texts),
            )
        if len({digest(text) for text in golden.texts}) < len(golden.texts):
            raise UsageError(
                "sentence {name!r}: two golden references are the same", name=row.external_id
            )


@transactional
def _add(
    project_id: int,
    rows: Sequence[NewSentence],
    sources: Mapping[str, int],
    batch: ImportBatch | None,
) -> int:
    """Write one batch."""
    project = lock_project(project_id)
    first = project.next_number
    Project.objects.filter(pk=project_id).update(next_number=F("next_number") + len(rows))
    sentences = [
        Sentence(
            project=project,
            source_id=sources.get(row.source),
            batch=batch,
            number=first + n,
            external_id=row.external_id or str(first + n),
            text=row.text,
            digest=digest(row.text),
            target=row.case.target if row.case else None,
            meta=dict(row.meta),
            **place_in_document(row.meta, first + n),
            purpose=row.purpose,
            state=_first_state(row),
            priority=row.priority,
            order_key=order_key(project, first + n),
            needed=_first_needed(row, project),
        )
        for n, row in enumerate(rows)
    ]
    _refuse_known_ids(project_id, sentences)
    Sentence.objects.bulk_create(sentences)
    _add_slots(project, first)
    _add_goldens(
        [
            (sentence, row.golden)
            for sentence, row in zip(sentences, rows, strict=True)
            if row.golden
        ]
    )
    _add_cases(
        [(sentence, row.case) for sentence, row in zip(sentences, rows, strict=True) if row.case]
    )
    return len(sentences)


def _first_state(row: NewSentence) -> SentenceState:
    if not row.is_done:
        return SentenceState.OPEN
    return SentenceState.ANNOTATING if row.purpose == Purpose.GOLD else SentenceState.GOLDEN


def _first_needed(row: NewSentence, project: Project) -> int:
    if not row.is_done:
        return project.annotators
    return 1 if row.purpose == Purpose.GOLD else 0


_NEW_SLOTS = """
INSERT INTO slot (project_id, sentence_id, no, state, version, priority, order_key)
SELECT project_id, id, %s, %s, 1, priority, order_key
FROM sentence WHERE project_id = %s AND number >= %s AND needed >= %s
"""


def _add_slots(project: Project, first: int) -> None:
    """Give the sentences from a number on their N free slots.

    The database makes them of its own rows: through models it would take four times as long, and
    everybody who saves something waits for it.
    """
    with connection.cursor() as cursor:
        for no in range(1, project.annotators + 1):
            cursor.execute(_NEW_SLOTS, [no, SlotState.FREE, project.pk, first, no])


def new_slot(sentence: Sentence, no: int) -> Slot:
    """A free slot with a number; it is not written yet."""
    begun = BEGUN if sentence.state == SentenceState.ANNOTATING else 0
    return Slot(
        project_id=sentence.project_id,
        sentence=sentence,
        no=no,
        priority=sentence.priority - begun,
        order_key=sentence.order_key,
    )


def new_slots(sentence: Sentence, *, after: int = 0) -> list[Slot]:
    """The free slots with numbers after one, up to N of the sentence."""
    return [new_slot(sentence, no) for no in range(after + 1, sentence.needed + 1)]


def keep_one_place_free(sentence: Sentence) -> None:
    """Give a locked gold task one more place where none is free."""
    if Slot.objects.filter(sentence=sentence, state=SlotState.FREE).exists():
        return
    needed = sentence.needed
    compare_and_set(sentence, sentence.state, changed_meanwhile(sentence), needed=needed + 1)
    Slot.objects.bulk_create(new_slots(sentence, after=needed))


def _refuse_known_ids(project_id: int, sentences: Sequence[Sentence]) -> None:
    names = [sentence.external_id for sentence in sentences]
    known = set(
        Sentence.objects.filter(project_id=project_id, external_id__in=names).values_list(
            "external_id", flat=True
        )
    )
    known |= {name for name, count in Counter(names).items() if count > 1}
    if known:
        shown = ", ".join(sorted(known)[:10])
        raise UsageError(
            "{count} sentence ids are there already: {shown}; give others",
            count=len(known),
            shown=shown,
        )


def _add_goldens(rows: Sequence[tuple[Sentence, NewGolden]]) -> None:
    if not rows:
        return
    goldens = Golden.objects.bulk_create(
        Golden(sentence=sentence, version=1, kind=new.kind, reason=new.reason)
        for sentence, new in rows
    )
    references = Reference.objects.bulk_create(
        Reference(
            sentence=sentence,
            position=position,
            text=text,
            digest=digest(text),
            origin=Origin.IMPORT,
        )
        for sentence, new in rows
        for position, text in enumerate(new.texts)
    )
    of = {golden.sentence_id: golden for golden in goldens}
    GoldenReference.objects.bulk_create(
        GoldenReference(
            golden=of[reference.sentence_id], reference=reference, position=reference.position
        )
        for reference in references
    )
    _make_current(of)


def _make_current(sentences: Iterable[int]) -> None:
    """Let the first golden version of some sentences be the one that counts."""
    first = Golden.objects.filter(sentence=OuterRef("pk"), version=1).values("pk")
    Sentence.objects.filter(pk__in=list(sentences)).update(golden_id=Subquery(first))


def _add_cases(rows: Sequence[tuple[Sentence, NewCase]]) -> None:
    PerturbationCase.objects.bulk_create(
        PerturbationCase(
            sentence=sentence,
            gaps=list(case.division.gaps),
            chips=case.division.chips_json,
            scheme=case.scheme,
            signature=case.signature,
        )
        for sentence, case in rows
    )
    done = [(sentence, case.variants) for sentence, case in rows if case.variants]
    if not done:
        return
    goldens = Golden.objects.bulk_create(
        Golden(sentence=sentence, version=1, kind=Decision.CORRECTED) for sentence, _ in done
    )
    variants = Variant.objects.bulk_create(
        Variant(
            sentence=sentence,
            position=position,
            gaps=None if new.gaps is None else list(new.gaps),
            source=new.source,
            target=new.target,
            digest=variant_digest(new.source, sentence.project.lang),
            moved=[asdict(move) for move in new.moves],
            edits=new.subtlety.edits,
            changed=new.subtlety.changed,
            tokens=new.subtlety.tokens,
            origin=VariantOrigin.IMPORT,
        )
        for sentence, variants in done
        for position, new in enumerate(variants, 1)
    )
    of = {golden.sentence_id: golden for golden in goldens}
    GoldenVariant.objects.bulk_create(
        GoldenVariant(golden=of[variant.sentence_id], variant=variant, position=variant.position)
        for variant in variants
    )
    _make_current(of)


def neighbours(sentence: Sentence) -> tuple[list[str], list[str]]:
    """The texts before and after a sentence in its document, in the order of the document.

    They are source texts alone; what was withdrawn is not shown.
    """
    if sentence.document is None:
        return [], []
    place, number = sentence.position, sentence.number
    here = Sentence.objects.filter(
        project=sentence.project_id, document=sentence.document, purpose=sentence.purpose
    ).exclude(state=SentenceState.WITHDRAWN)
    before = here.filter(Q(position__lt=place) | Q(position=place, number__lt=number))
    after = here.filter(Q(position__gt=place) | Q(position=place, number__gt=number))
    before, after = before.order_by("-position", "-number"), after.order_by("position", "number")
    texts = [list(rows.values_list("text", flat=True)[:NEIGHBOURS]) for rows in (before, after)]
    return texts[0][::-1], texts[1]


# A slot is taken or let go: the one place where people and slots come together.
#
# Called inside a transaction that holds the sentence (and, where somebody takes it, the member).


WORKABLE = (SentenceState.OPEN, SentenceState.ANNOTATING)
"""States in which annotators may still begin."""


def is_closed(project: Project) -> bool:
    """Whether nobody may work in a project now."""
    return project.archived_at is not None or project.deleted_at is not None


def may_annotate(member: Member) -> bool:
    """Whether a member is served real tasks at all (ROL-4)."""
    return is_annotating(member) and has_read_guideline(member)


def is_annotating(member: Member) -> bool:
    """Whether a member's role and status let them annotate."""
    return member.is_annotator and member.status == MemberStatus.ACTIVE


def require_active(member: Member) -> None:
    """Refuse whoever may not annotate now.

    Raises:
        NotAllowedError: They are no active annotator, or the project is closed.
        GuidelineFirstError: They have not read the guideline, and the project asks for it.
    """
    if is_closed(member.project):
        raise NotAllowedError(
            "the project {project} is closed for work", project=member.project.slug
        )
    if not is_annotating(member):
        raise NotAllowedError("only an active annotator of this project may do that")
    if not has_read_guideline(member):
        raise GuidelineFirstError


def lease(rules: ProjectOptions) -> datetime:
    """Until when a task that shows a sign of life now stays with its person."""
    return timezone.now() + timedelta(minutes=rules.lease_minutes)


def seen_by(sentence: Any, person: Any) -> tuple[QuerySet[Any, Any], ...]:
    """Rows each of which says that a person knows a sentence: held it, reviews or read it.

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


def reserved_for_another(member: Any, now: Any) -> Exists:
    """The condition that a free slot is in another member's batch, before its deadline.

    Args:
        member: An id.
        now: The moment.
    """
    batch = Assignment.objects.filter(pk=OuterRef("assignment"), ended_at=None, due_at__gt=now)
    return Exists(batch.exclude(member=member))


def later_answers(
    project: int, person: int, since: Any, *, past: Sequence[SentenceState]
) -> QuerySet[Submission]:
    """Real answers that a person handed in after a moment, whose sentences have left some states.

    A gold task is never full and waits for no reviewer. So that it cannot be told from others, it
    ends for its annotator when there is such an answer: then a real task might have ended as well.
    """
    answers = Submission.objects.filter(
        person=person,
        at__gt=since,
        slot__project=project,
        slot__state__in=SUBMITTED_OR_LATER,
        sentence__purpose=Purpose.REAL,
    )
    return answers.exclude(sentence__state__in=past)


def free_task_number(member: Member, rules: ProjectOptions) -> int | None:
    """Which of the k open tasks a member may fill; None where all are (INV-2)."""
    numbers = {number for (number,) in _open_numbers(member.project_id, member.person_id)}
    if len(numbers) >= rules.open_tasks:  # the option may have been lowered since
        return None
    return next(no for no in range(1, rules.open_tasks + 1) if no not in numbers)


@compiled
def _open_numbers(project: int, person: int) -> QuerySet[Any, Any]:
    slots = Slot.objects.filter(project=project, person=person, state=SlotState.OPEN)
    return slots.values_list("open_no")


def open_slot(
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
    (slot,) = _slots(slot_id)
    if slot.sentence_id != sentence.pk or slot.state != SlotState.FREE:
        return None
    compare_and_set(
        slot,
        SlotState.FREE,
        _slot_changed(slot),
        state=SlotState.OPEN,
        person_id=member.person_id,
        open_no=open_no,
        lease_until=lease(member.project.rules),
        claimed_at=timezone.now(),
    )
    if sentence.state == SentenceState.OPEN:
        change_state(sentence, SentenceState.ANNOTATING)
        _prefer(sentence)
    sentence.project = slot.project = member.project
    slot.sentence = sentence
    record_slot_event(slot, member.person, SlotEventKind.CLAIM, {"back": True} if back else {})
    return slot


@compiled_models
def _slots(key: int) -> QuerySet[Slot]:
    return Slot.objects.filter(pk=key)


def _prefer(sentence: Sentence) -> None:
    """Put the free slots of a begun sentence before, of an unbegun one among, the others."""
    begun = BEGUN if sentence.state == SentenceState.ANNOTATING else 0
    Slot.objects.filter(sentence=sentence, state=SlotState.FREE).update(
        priority=sentence.priority - begun
    )


def record_slot_event(
    slot: Slot, person: Person | None, kind: SlotEventKind, data: Mapping[str, object] | None = None
) -> None:
    """Write what happened to a slot, with the version that it made."""
    insert(
        SlotEvent(
            slot=slot,
            sentence_id=slot.sentence_id,
            person=person,
            kind=kind,
            data={"version": slot.version, **(data or {})},
        )
    )


def reopen_slot(slot: Slot, member: Member, open_no: int) -> None:
    """Open a submitted slot for its holder.

    Raises:
        ConflictError: It is not as it was read.
    """
    compare_and_set(
        slot,
        SlotState.SUBMITTED,
        _slot_changed(slot),
        state=SlotState.OPEN,
        open_no=open_no,
        lease_until=lease(member.project.rules),
        submitted_at=None,
    )


def send_back(
    slot: Slot, sentence: Sentence, *, lease_until: datetime, data: Mapping[str, object]
) -> None:
    """Open a slot that was handed in, or passed, again for its holder.

    It comes on top of the tasks that they may hold at once. Where they do not annotate any more,
    the slot is free for somebody else; their draft stays.

    Args:
        slot: Handed in.
        sentence: Of it, locked, of a workable state.
        lease_until: Until when it stays with them though they do nothing.
        data: Of the event: who, and why.

    Raises:
        ConflictError: It is not as it was read.
    """
    person = slot.person
    holder = Member.objects.filter(project=slot.project_id, person=person).first()
    numbers = {number for (number,) in _open_numbers(slot.project_id, slot.person_id)}
    compare_and_set(
        slot,
        (SlotState.SUBMITTED, SlotState.PASSED),
        _slot_changed(slot),
        state=SlotState.OPEN,
        open_no=next(no for no in count(1) if no not in numbers),
        lease_until=lease_until,
        submitted_at=None,
    )
    record_slot_event(slot, person, SlotEventKind.SEND_BACK, data)
    if holder is None or not is_annotating(holder):
        free_slot(slot, sentence, SlotEventKind.RELEASE, {"why": "returned"})


def close_slot(slot: Slot) -> None:
    """Make an open slot submitted; it is still to be counted.

    Raises:
        ConflictError: It is not as it was read.
    """
    compare_and_set(
        slot,
        SlotState.OPEN,
        _slot_changed(slot),
        state=SlotState.SUBMITTED,
        open_no=None,
        lease_until=None,
        submitted_at=timezone.now(),
    )


def free_slot(
    slot: Slot, sentence: Sentence, kind: SlotEventKind, data: Mapping[str, object] | None = None
) -> None:
    """Free an open slot; its draft stays.

    Raises:
        ConflictError: It is not as it was read.
    """
    person = slot.person
    compare_and_set(
        slot,
        SlotState.OPEN,
        _slot_changed(slot),
        state=SlotState.FREE,
        person=None,
        open_no=None,
        lease_until=None,
        claimed_at=None,
        priority=sentence.priority - BEGUN,
    )
    record_slot_event(slot, person, kind, data)
    if sentence.state == SentenceState.ANNOTATING and not _is_begun(sentence):
        change_state(sentence, SentenceState.OPEN)
        _prefer(sentence)


def _is_begun(sentence: Sentence) -> bool:
    held = Slot.objects.filter(sentence=sentence).exclude(state=SlotState.FREE)
    return sentence.golden_id is not None or held.exists()


def resume(member: Member, sentence: Sentence, slot_id: int | None = None) -> Slot | None:
    """Open a free slot of a sentence for somebody who had one before, their draft with it.

    Args:
        member: Locked.
        sentence: Locked.
        wanted: The slot it should be; None is any, the one with their draft first.

    Returns:
        None where there is no free slot, no open task left to fill, or no work to be done.
    """
    if is_closed(member.project) or not may_annotate(member) or sentence.state not in WORKABLE:
        return None
    slots = Slot.objects.filter(sentence=sentence)
    if slots.filter(person_id=member.person_id).exists():
        return None
    open_no = free_task_number(member, member.project.rules)
    reserved = reserved_for_another(member.pk, timezone.now())
    free = slots.filter(~reserved, state=SlotState.FREE)
    if slot_id is not None:
        free = free.filter(pk=slot_id)
    drafts = Draft.objects.filter(slot__sentence=sentence, person_id=member.person_id)
    draft = drafts.order_by("-saved_at", "-pk").first()
    ids = list(free.order_by("no").values_list("pk", flat=True))
    if open_no is None or not ids:
        return None
    chosen = draft.slot_id if draft is not None and draft.slot_id in ids else ids[0]
    slot = open_slot(member, sentence, chosen, open_no=open_no, back=True)
    if slot is not None and draft is not None and draft.slot_id != slot.pk:
        put_draft(slot, member.person, draft.payload)
    return slot


def resume_lost(member: Member, slot: Slot) -> Slot | None:
    """Give a slot back to somebody who lost it by an expired lease, if it is still free (INV-15).

    Returns:
        None where somebody has it, or they put it off or may not work now.
    """
    member = lock_member(member)
    sentence = lock_sentence(slot.sentence_id, member.project_id)
    if Skip.objects.filter(sentence=sentence, person=member.person, recalled_at=None).exists():
        return None
    return resume(member, sentence, slot.pk)


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


def open_slots(member: Member, slot_id: int) -> QuerySet[Slot]:
    """The slot with a number, if it is open and the member's."""
    return Slot.objects.filter(
        pk=slot_id, project=member.project_id, person=member.person_id, state=SlotState.OPEN
    )


def has_held(slot: Slot, person: Person) -> bool:
    """Whether a person has, or ever had, a slot."""
    return (
        slot.person_id == person.pk or SlotEvent.objects.filter(slot=slot, person=person).exists()
    )
