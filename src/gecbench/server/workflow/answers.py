"""What people hand in, as the workflow takes it, and whether it agrees with known answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Q, QuerySet, Subquery, prefetch_related_objects

from gecbench.server.choices import ComplaintState, Decision, RejectReason
from gecbench.server.models import Overruling, PracticeAnswer, Sentence, Trial
from gecbench.server.rules.diff import tokenize
from gecbench.server.rules.text import digest


@dataclass(frozen=True, slots=True)
class Answer:
    """An annotator's decision about a sentence, or a try in self-study.

    Args:
        decision: One of three.
        texts: The corrections, as typed; none unless the decision is corrected. Of a variant the
            gaps around its errors.
        reason: Why it cannot be annotated, a NotAnnotatableReason; else "".
        note: Free words to the reason, or to the reviewer of a variant.
        active_ms: Milliseconds of real work on the page.
        proposal: Of a variant: row of the proposal that it was made from; 0 is none.
        ask_reviewer: Of a variant: leave it to the reviewer that an error has moved (PER-4).
    """

    decision: Decision
    texts: tuple[str, ...] = ()
    reason: str = ""
    note: str = ""
    active_ms: int = 0
    proposal: int = 0
    ask_reviewer: bool = False


@dataclass(frozen=True, slots=True)
class VerdictAnswer:
    """A reviewer's word about one distinct text, or about a decision without text.

    Args:
        key: The text's digest, or "error_free" or "not_annotatable" for such a decision.
        correct: Right or wrong.
        reasons: Why it is wrong; at least one where it is.
        note: Free words.
        section: The guideline's section that is cited, "" for none.
    """

    key: str
    correct: bool
    reasons: tuple[RejectReason, ...] = ()
    note: str = ""
    section: str = ""


@dataclass(frozen=True, slots=True)
class Addition:
    """A golden text that the reviewer wrote.

    Args:
        text: As typed.
        parent: Digest of the rejected text it was made from; "" is a text of its own.
        restored: Whether it came by restoring over-corrected edits (REV-9).
    """

    text: str
    parent: str = ""
    restored: bool = False


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """A reviewer's decision about a sentence.

    The golden set is: the texts judged correct, in the order shown, then the additions; or, by
    decision, error free or not annotatable.

    Args:
        decision: Of the sentence.
        verdicts: One for each distinct text and each decision without text.
        additions: Golden texts that the reviewer wrote.
        reason: Why it cannot be annotated; else "".
        note: Free words about the sentence.
        confirmed: Warnings were seen and are overruled.
        active_ms: Milliseconds of real work on the page.
    """

    decision: Decision
    verdicts: Sequence[VerdictAnswer]
    additions: Sequence[Addition] = ()
    reason: str = ""
    note: str = ""
    confirmed: bool = False
    active_ms: int = 0


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """A reviewer's decision about one variant (PER-9).

    Args:
        position: Of the variant in its case, from 1.
        decision: A CheckDecision.
        gaps: Around the errors, as the reviewer edited them; none unless the decision is edited.
        reasons: Why it is returned, each a VariantReason.
        note: Free words to its author.
        allow_moved: Let it pass although an error has moved.
    """

    position: int
    decision: str
    gaps: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    note: str = ""
    allow_moved: bool = False


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """A reviewer's decisions about all variants of a case that wait for one.

    Args:
        checks: One for each.
        note: Free words, for the record.
        active_ms: Milliseconds of real work on the page.
    """

    checks: tuple[CheckAnswer, ...]
    note: str = ""
    active_ms: int = 0


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision of a complaint (CMP-3).

    Args:
        outcome: upheld, upheld_changed or dismissed.
        note: The reason; required where it is dismissed.
        text: The golden text, where it is upheld with a change.
        section: The guideline's section that is cited.
        confirmed: Warnings were seen and are overruled.
    """

    outcome: ComplaintState
    note: str = ""
    text: str = ""
    section: str = ""
    confirmed: bool = False


MOST_MS = 2**31 - 1
"""More milliseconds do not fit a column; it is 24 days."""

Key = UUID
"""A client's idempotency key: the same key twice is one act with one answer (INV-9)."""


def golden_texts(sentence: Sentence) -> tuple[str, ...]:
    """The known corrections of a sentence, in their order; none where it has none."""
    golden = sentence.golden
    if golden is None:
        return ()
    prefetch_related_objects([golden], "entries__reference")  # nothing where a list has done it
    return tuple(entry.reference.text for entry in golden.entries.all())


def is_right(sentence: Sentence, decision: Decision | str, texts: Sequence[str]) -> bool:
    """Whether an answer agrees with the golden set of a sentence, whose project is with it.

    A decision without text is right if it is that of the golden set; why a sentence cannot be
    annotated is not compared. A text is right if a golden reference is equal to it as the project
    compares texts, or makes the same edits: those of the difference that annotators see, in which
    white space does not count. An answer with several texts is right if all of them are.
    """
    golden = sentence.golden
    if golden is None or decision != golden.kind:
        return False
    if decision != Decision.CORRECTED:
        return True
    known = golden_texts(sentence)
    return bool(texts) and (
        {*map(digest, texts)} <= {*map(digest, known)}
        or _forms(sentence, texts) <= _forms(sentence, known)
    )


def with_rulings(answers: QuerySet[PracticeAnswer]) -> QuerySet[Any]:
    """Answers with `ruled`, the last word of a lead; None where there is none."""
    rulings = Overruling.objects.filter(answer=OuterRef("pk")).order_by("-pk")
    return answers.annotate(ruled=Subquery(rulings.values("right")[:1]))


def count_right(trial: Trial) -> int:
    """How many answers of a trial are right, a lead's word counting before the known answers."""
    answers = with_rulings(PracticeAnswer.objects.filter(task__trial=trial, counted=True))
    return answers.filter(Q(ruled=True) | Q(ruled=None, right=True)).count()


def passes(right: int, size: int, percent: int) -> bool:
    """Whether so many right answers pass; exact, as 18 of 20 are 90 per cent."""
    return right * 100 >= percent * size


def _forms(sentence: Sentence, texts: Iterable[str]) -> set[tuple[str, ...]]:
    """The tokens of texts: of one source, two texts have equal edits if these are equal."""
    project = sentence.project
    placeholder = project.rules.placeholder
    return {
        tuple(token.form for token in tokenize(text, project.lang, placeholder)) for text in texts
    }
