"""What a reviewer has to judge: each distinct text and decision once (REV-1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from gecbench.core.seeding import number
from gecbench.server.laws.names import SUBMITTED_OR_LATER, Decision
from gecbench.server.models import (
    Golden,
    GoldenReference,
    Reference,
    ReviewTask,
    Sentence,
    Submission,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One distinct text or decision that was submitted, however many submitted it (REV-1).

    Args:
        key: The digest, or "error_free" or "not_annotatable".
        text: As the first of them wrote it; "" for decisions.
        count: How many annotators; 0 where only an earlier review wrote it.
        names: Who, where the project shows names; else ().
        reasons: Of those who said not annotatable: reason and note.
        golden: Whether it is in the golden set now (reopened sentences).
        verdict: What an earlier review said of it: correct, wrong; None where none did.
    """

    key: str
    text: str
    count: int
    names: tuple[str, ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()
    golden: bool = False
    verdict: bool | None = None

    @property
    def decision(self) -> Decision:
        """Corrected for a text; else the decision itself."""
        return Decision.CORRECTED if self.text else Decision(self.key)


@dataclass(frozen=True, slots=True)
class Submitted:
    """What stands behind a candidate.

    Args:
        text: As the first of them wrote it; "" for decisions.
        reference: The first row that holds the text; None for decisions.
        submissions: Of those who submitted it, first ones first.
    """

    text: str
    reference: Reference | None
    submissions: tuple[Submission, ...]


def current_submissions(sentence: Sentence) -> tuple[Submission, ...]:
    """Return the last submission of each slot that is submitted or later."""
    last = Submission.objects.filter(slot=OuterRef("slot")).order_by("-no").values("pk")[:1]
    found = Submission.objects.filter(
        sentence=sentence, slot__state__in=SUBMITTED_OR_LATER, pk=Subquery(last)
    )
    return tuple(found.select_related("person", "slot").order_by("pk"))


def submitted(sentence: Sentence) -> dict[str, Submitted]:
    """Return key to what was submitted, and to golden texts of reviewers; first ones first."""
    rows = {one.pk: one for one in current_submissions(sentence)}
    found: dict[str, Submitted] = {}

    def add(key: str, text: str, reference: Reference | None, submission: Submission) -> None:
        first = found.get(key, Submitted(text, reference, ()))
        found[key] = Submitted(first.text, first.reference, (*first.submissions, submission))

    for reference in Reference.objects.filter(submission__in=rows).order_by("pk"):
        if reference.submission_id is not None:
            add(reference.digest, reference.text, reference, rows[reference.submission_id])
    for submission in rows.values():
        if submission.decision != Decision.CORRECTED:
            add(submission.decision, "", None, submission)
    for key, golden in golden_rows(sentence.golden).items():
        found.setdefault(key, Submitted("" if golden is None else golden.text, golden, ()))
    return found


def golden_rows(golden: Golden | None) -> dict[str, Reference | None]:
    """Return what a golden set holds: digest to reference, or its decision to None."""
    if golden is None:
        return {}
    if golden.kind != Decision.CORRECTED:
        return {golden.kind: None}
    entries = GoldenReference.objects.filter(golden=golden).select_related("reference")
    return {one.reference.digest: one.reference for one in entries.order_by("position")}


def verdicts(sentence: Sentence) -> dict[str, Verdict]:
    """Return key to the latest verdict of any review of a sentence."""
    found = Verdict.objects.filter(review__sentence=sentence).select_related("review")
    return {one.digest or one.decision: one for one in found.order_by("pk")}


def candidates_for(task: ReviewTask, person_id: int) -> tuple[Candidate, ...]:
    """Return the distinct texts and decisions, in an order of this person's own (ROL-6)."""
    return tuple(sorted(_candidates(task), key=lambda one: _place(task, person_id, one)))


def _place(task: ReviewTask, person_id: int, one: Candidate) -> tuple[bool, int]:
    # Texts come first, then decisions; nobody sees from the order who wrote what.
    return not one.text, number(person_id, f"candidates:{task.sentence_id}:{one.key}")


def _candidates(task: ReviewTask) -> Iterator[Candidate]:
    sentence = task.sentence
    golden, judged = golden_rows(sentence.golden), verdicts(sentence)
    named = task.project.rules.reviewer_sees_names
    for key, one in submitted(sentence).items():
        unclear = key == Decision.NOT_ANNOTATABLE
        yield Candidate(
            key,
            one.text,
            len(one.submissions),
            tuple(who.person.name for who in one.submissions) if named else (),
            tuple((who.reason, who.reason_note) for who in one.submissions) if unclear else (),
            key in golden,
            judged[key].correct if key in judged else None,
        )
