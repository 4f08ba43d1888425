"""Variants checked by reviewers: accepted, edited or returned; cases that are done, and made again.

A case is one review task, from the last of its variants on. The reviewer decides about all that
nobody has decided about yet; those that are returned are open for their authors again, and when
they come back the case waits for a reviewer with these alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from gecbench.server.choices import (
    CheckDecision,
    Decision,
    ProjectKind,
    Role,
    SentenceState,
    SlotEventKind,
    SlotState,
    VariantOrigin,
    VariantReason,
)
from gecbench.server.models import (
    Draft,
    Golden,
    GoldenVariant,
    Member,
    Review,
    ReviewTask,
    Sentence,
    Slot,
    SlotEvent,
    Variant,
    VariantCheck,
)
from gecbench.server.models.base import compiled_models
from gecbench.server.rules.text import LONGEST_NOTE, whole
from gecbench.server.workflow import audit, perturbation
from gecbench.server.workflow.answers import CaseAnswer, CheckAnswer, Key
from gecbench.server.workflow.claims import last_submission
from gecbench.server.workflow.drafts import (
    keep_review_aside,
    payload_of_submission,
)
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    Problem,
    RefusedError,
    UnavailableError,
    WorkflowError,
)
from gecbench.server.workflow.golden import make_golden
from gecbench.server.workflow.perturbation import PreparedVariant, current_variants
from gecbench.server.workflow.review_tasks import (
    clean_note,
)
from gecbench.server.workflow.reviews import (
    end_task,
    finishable_task,
    last_reviews,
    lock_for_review,
    lock_last_review,
    open_again,
    refuse_annotator,
    write_review,
)
from gecbench.server.workflow.sentences import (
    change_slot_state,
    change_state,
    close_slot,
    new_slot,
    put_draft,
    record_slot_event,
    send_back,
)
from gecbench.server.workflow.submissions import keep_refused
from gecbench.server.workflow.transactions import (
    authorize,
    lock_sentence,
    require_kind,
    transactional,
)

RETURN_LEASE = timedelta(days=7)
"""How long a returned variant stays with its author, who may be away; then others may get it."""

# What a reviewer sees and decides.


def variants_to_check(sentence: Sentence) -> tuple[Variant, ...]:
    """The variants of a case that wait for a decision, in their places."""
    variants = current_variants(sentence.pk)
    slots = (slot for slot in _slots(sentence.pk) if slot.state == SlotState.SUBMITTED)
    return tuple(variants[slot.no] for slot in slots if slot.no in variants)


def accepted_variants(sentence: Sentence) -> dict[int, Variant]:
    """The variants of a case that stand, by place: of its golden version, or passed since."""
    variants = {}
    if sentence.golden_id is not None:
        entries = GoldenVariant.objects.filter(golden=sentence.golden_id)
        variants = {entry.position: entry.variant for entry in entries.select_related("variant")}
    current = current_variants(sentence.pk)
    for slot in _slots(sentence.pk):
        if slot.state == SlotState.PASSED and slot.no in current:
            variants[slot.no] = current[slot.no]
        else:
            variants.pop(slot.no, None)
    return dict(sorted(variants.items()))


@compiled_models
def _slots(sentence: int) -> QuerySet[Slot]:
    return Slot.objects.filter(sentence=sentence).order_by("no")


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check of a case came to.

    Args:
        review: The act.
        golden: The version that it made; None where variants were returned.
        returned: How many were.
        answered_before: Whether this key had been answered before.
    """

    review: Review
    golden: Golden | None
    returned: int
    answered_before: bool = False


def finalise(
    member: Member, sentence_id: int, *, version: int, client_key: Key, answer: CaseAnswer
) -> CheckResult:
    """Decide about all variants of a case that wait, all or nothing (PER-9).

    Accepted and edited ones pass; returned ones are open for their authors again. With the last
    place that passes the case is golden. What is refused is kept as a draft revision (INV-10).

    Codes of problems: PER-9 a variant without a decision, or a decision without a variant;
    PER-9-reason a return without a reason; PER-4-allow an error has moved and is not allowed to;
    those of `perturbation.prepare` and PER-5-taken for an edited one. Fields are check-N and
    reason-N, N being the place.

    Raises:
        RefusedError: A decision breaks a rule.
        ConflictError: The task's version is another, or somebody else holds it.
        NotYoursError: The member may not review it.
        NotAllowedError: The member is no reviewer now, or the project is closed.
        UnavailableError: This server cannot find the errors of what was edited.
    """
    try:
        edits = _prepare_edits(member, sentence_id, answer)
    except UnavailableError:
        keep_refused(member, sentence_id, answer, Role.REVIEWER)
        raise
    return _finalise(member, sentence_id, version, client_key, answer, edits)


_Edits = Mapping[int, PreparedVariant]
"""What a reviewer's gaps become, by place."""


def _prepare_edits(member: Member, sentence_id: int, answer: CaseAnswer) -> _Edits:
    """Find the errors of what was edited, which takes long: before others wait for it."""
    if all(check.decision != CheckDecision.EDITED for check in answer.checks):
        return {}
    sentences = Sentence.objects.filter(project=member.project_id, case__isnull=False)
    sentence = sentences.select_related("project").filter(pk=sentence_id).first()
    if sentence is None:
        return {}
    return {
        check.position: perturbation.prepare(
            sentence, check.gaps, asks=check.allow_moved, has_note=True
        )
        for check in answer.checks
        if check.decision == CheckDecision.EDITED
    }


@transactional
def _finalise(
    member: Member,
    sentence_id: int,
    version: int,
    client_key: Key,
    answer: CaseAnswer,
    prepared: _Edits,
) -> CheckResult | WorkflowError:
    member, sentence = lock_for_review(member, sentence_id, ProjectKind.PERTURB)
    known = Review.objects.filter(client_key=client_key).first()
    if known is not None:
        return _known(known, member, sentence_id)
    refuse_annotator(member, sentence_id)
    try:
        task = finishable_task(member, sentence_id, version)
        variants = {variant.position: variant for variant in variants_to_check(sentence)}
        edits = _check(variants, answer, prepared)
    except WorkflowError as error:
        keep_review_aside(sentence, member.person, answer)
        return error
    end_task(task, member)
    return _write(member, sentence, task, client_key, answer, variants, edits)


def _known(review: Review, member: Member, sentence_id: int) -> CheckResult:
    if (review.reviewer_id, review.sentence_id) != (member.person_id, sentence_id):
        raise ConflictError("this key was used for something else; load the page again")
    returned = review.variant_checks.filter(decision=CheckDecision.RETURNED).count()
    golden = Golden.objects.filter(review=review).first()
    return CheckResult(review, golden, returned, answered_before=True)


def _check(
    variants: Mapping[int, Variant], answer: CaseAnswer, prepared: _Edits
) -> Mapping[int, Variant]:
    """Decide on the variants that wait, by place: they are accepted, edited or returned.

    Raises:
        RefusedError: Decisions break a rule.
    """
    waiting = dict(variants)
    decided = {check.position for check in answer.checks}
    problems = [
        Problem("PER-9", f"check-{position}") for position in waiting if position not in decided
    ]
    edits: dict[int, Variant] = {}
    for check in answer.checks:
        variant = waiting.pop(check.position, None)
        if variant is None or check.decision not in CheckDecision.values:
            problems.append(Problem("PER-9", f"check-{check.position}"))
        elif check.decision == CheckDecision.EDITED:
            edited, wrong = _edit(variant, check.position, prepared[check.position])
            problems += wrong
            if edited is not None:
                edits[check.position] = edited
        else:
            problems += _decision_problems(variant, check)
    problems += _repeated(edits)
    if len(answer.note) > LONGEST_NOTE:
        problems.append(Problem("note-too-long", "note"))
    if problems:
        raise RefusedError(problems)
    return edits


def _decision_problems(variant: Variant, check: CheckAnswer) -> list[Problem]:
    n = check.position
    problems = []
    if len(check.note) > LONGEST_NOTE:
        problems.append(Problem("note-too-long", f"reason-{n}"))
    if check.decision == CheckDecision.ACCEPTED:
        if variant.moved and not check.allow_moved:
            problems.append(Problem("PER-4-allow", f"check-{n}"))
        return problems
    unknown = any(reason not in VariantReason.values for reason in check.reasons)
    bare = VariantReason.OTHER in check.reasons and not check.note.strip()
    if unknown or bare or not check.reasons:
        problems.append(Problem("PER-9-reason", f"reason-{n}"))
    return problems


def _edit(
    variant: Variant, position: int, prepared: PreparedVariant
) -> tuple[Variant | None, list[Problem]]:
    """What a reviewer's gaps become, and what is wrong with them."""
    problems = [problem for problem in prepared.problems if problem.blocking]
    edited = prepared.variant
    if edited is not None and not problems and variant.submission is not None:
        edited.position, edited.origin = variant.position, VariantOrigin.REVIEWER
        edited.proposal_id = variant.proposal_id
        problems += perturbation.find_same_variant(edited, variant.submission.slot)
    if edited is not None and edited.digest == variant.digest:
        problems.append(Problem("PER-9"))
    return edited, [replace(problem, field=f"check-{position}") for problem in problems]


def _repeated(edits: Mapping[int, Variant]) -> list[Problem]:
    """The problems of edits that are the same as one another."""
    digests = [variant.digest for variant in edits.values()]
    return [
        Problem("PER-5-taken", f"check-{position}")
        for position, variant in edits.items()
        if digests.count(variant.digest) > 1
    ]


def _write(
    member: Member,
    sentence: Sentence,
    task: ReviewTask,
    client_key: Key,
    answer: CaseAnswer,
    variants: Mapping[int, Variant],
    edits: Mapping[int, Variant],
) -> CheckResult:
    decision = Decision.CORRECTED
    review = write_review(member, sentence, task, client_key, answer, decision=decision)
    slots = {slot.no: slot for slot in _slots(sentence.pk)}
    returned = []
    for check in sorted(answer.checks, key=lambda check: check.position):
        slot = slots[check.position]
        row = VariantCheck.objects.create(
            review=review,
            slot=slot,
            variant=variants[check.position],
            decision=check.decision,
            reasons=list(check.reasons) if check.decision == CheckDecision.RETURNED else [],
            note=whole(check.note.strip()),
            allows_moved=check.allow_moved and check.decision != CheckDecision.RETURNED,
        )
        if check.position in edits:
            edits[check.position].edit_of = row
            edits[check.position].save()
        if check.decision == CheckDecision.RETURNED:
            returned.append(row)
        else:
            change_slot_state(slot, SlotState.JUDGED, SlotState.PASSED, by=member.person)
    golden = None
    if returned:
        left = sentence.submitted - len(returned)
        change_state(sentence, SentenceState.ANNOTATING, submitted=left)
        for row in returned:
            data = {"by": member.person_id, "reasons": row.reasons, "note": row.note}
            _return(row.slot, sentence, data)
    else:
        golden = _make_golden(sentence, review, member)
    audit.record_by(
        member,
        "variants.checked",
        about=("sentence", sentence.pk),
        data={
            "decisions": {str(check.position): check.decision for check in answer.checks},
            "golden": golden.version if golden else None,
        },
    )
    return CheckResult(review, golden, len(returned))


def _return(slot: Slot, sentence: Sentence, data: Mapping[str, object]) -> None:
    """Send a variant back to its author, with what they handed in as their draft."""
    submission = last_submission(slot)
    if slot.person is None or submission is None:
        raise NotYoursError("task {slot_id} is not one of yours", slot_id=slot.pk)
    draft = put_draft(slot, slot.person, payload_of_submission(submission))
    data = {**data, "draft": draft.rev}
    send_back(slot, sentence, lease_until=timezone.now() + RETURN_LEASE, data=data)


def _make_golden(sentence: Sentence, review: Review, member: Member) -> Golden:
    variants = accepted_variants(sentence)
    golden, _ = make_golden(sentence, review, (), by=member.person)
    GoldenVariant.objects.bulk_create(
        GoldenVariant(golden=golden, variant=variant, position=position)
        for position, variant in variants.items()
    )
    return golden


# A check is taken back within a few seconds, while nothing was built upon it.


def last_check(member: Member) -> Review | None:
    """What the member decided last, if they may take it back now."""
    since = timezone.now() - timedelta(seconds=member.project.rules.undo_seconds)
    review = next(iter(last_reviews(member.person_id, member.project_id, since)), None)
    return None if review is None or _is_built_upon(review) else review


def _is_built_upon(review: Review) -> bool:
    """Whether an author, a release or a manager has gone on from a check."""
    sentence, golden = review.sentence, review.sentence.golden
    if sentence.state == SentenceState.GOLDEN:
        return golden is None or golden.review_id != review.pk or golden.released.exists()
    if sentence.state != SentenceState.ANNOTATING:
        return True
    returned = list(review.variant_checks.filter(decision=CheckDecision.RETURNED))
    if sentence.submitted + len(returned) < sentence.needed:  # a manager asked for more
        return True
    return not all(_is_untouched(check.slot) for check in returned)


def _is_untouched(slot: Slot) -> bool:
    """Whether a variant that was returned is as it was then."""
    last = SlotEvent.objects.filter(slot=slot).order_by("-pk").first()
    if last is None or last.kind != SlotEventKind.SEND_BACK or slot.state != SlotState.OPEN:
        return False
    draft = Draft.objects.filter(slot=slot, person=slot.person_id).first()
    return draft is not None and draft.rev == last.data["draft"]


@transactional
def undo(member: Member, sentence_id: int) -> ReviewTask:
    """Take the last check of a case back: the review is open again, with all that was decided.

    Raises:
        ConflictError: The time is over, it is not their last one, or something was built upon it.
    """
    member, sentence, review = lock_last_review(
        member, sentence_id, ProjectKind.PERTURB, last_check
    )
    payload = payload_of_check(review)
    returned = 0
    for check in review.variant_checks.select_related("slot"):
        if check.decision == CheckDecision.RETURNED:
            close_slot(check.slot)
            data = {"by": member.person_id, "undone": review.pk}
            record_slot_event(check.slot, check.slot.person, SlotEventKind.SUBMIT, data)
            returned += 1
        else:
            change_slot_state(check.slot, SlotState.SUBMITTED, by=member.person)
    submitted = sentence.submitted + returned
    return open_again(member, sentence, review, payload, submitted=submitted)


def payload_of_check(review: Review) -> dict[str, object]:
    """What was decided about a case as a draft of the page."""
    checks = []
    rows = VariantCheck._base_manager.filter(review=review).select_related("slot")
    for row in rows.order_by("slot__no"):
        edited = Variant.objects.filter(edit_of=row).first()
        check = CheckAnswer(
            row.slot.no,
            row.decision,
            gaps=tuple(edited.gaps or ()) if edited else (),
            reasons=tuple(row.reasons),
            note=row.note,
            allow_moved=row.allows_moved,
        )
        checks.append(asdict(check))
    return {"checks": checks, "note": review.note, "active_ms": review.active_ms}


# A case that is done is opened again, for some of its places.


@transactional
def reopen(
    manager: Member, sentence_id: int, *, positions: Sequence[int], note: str
) -> tuple[Slot, ...]:
    """Have variants of a case that is done made again; the golden version stays until then.

    Those of people go back to their authors, with the note; imported ones become free places.

    Raises:
        RefusedError: There is no note, or no such place.
        ConflictError: The case is not done.
    """
    manager = authorize(manager, Role.MANAGER)
    require_kind(manager.project, ProjectKind.PERTURB)
    sentence = lock_sentence(sentence_id, manager.project_id)
    sentence.project = manager.project
    words = clean_note(note, "reopen-reason", field="reason")
    if sentence.state != SentenceState.GOLDEN:
        raise ConflictError(
            "sentence {number}: {state}; only golden ones are reopened",
            number=sentence.number,
            state=SentenceState(sentence.state),
        )
    variants = accepted_variants(sentence)
    places = sorted(set(positions))
    unknown = [position for position in places if position not in variants]
    if unknown or not places:
        raise RefusedError([Problem("reopen-places", "positions")])
    slots = {slot.no: slot for slot in Slot.objects.filter(sentence=sentence)}
    new = [position for position in places if position not in slots]
    old = [slots[position] for position in places if position in slots]
    change_state(
        sentence,
        SentenceState.ANNOTATING,
        needed=sentence.needed + len(new),
        submitted=sentence.submitted - len(old),
    )
    data = {"by": manager.person_id, "note": words}
    for slot in old:
        _return(slot, sentence, data)
    added = Slot.objects.bulk_create([new_slot(sentence, position) for position in new])
    for slot in added:
        record_slot_event(slot, None, SlotEventKind.RETURN, data)
    audit.record_by(
        manager,
        "sentence.reopened",
        about=("sentence", sentence.pk),
        data={"reason": words, "positions": places},
    )
    return (*old, *added)
