"""Golden sets: what may become golden, what is wrong with a review, and what a version changes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import uuid4

from django.db.models import Max, OuterRef, Prefetch, QuerySet, Subquery, prefetch_related_objects
from django.utils import timezone

from gecbench.core.seeding import number
from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    CloseReason,
    Decision,
    NotAnnotatableReason,
    RejectReason,
    ReviewKind,
    SentenceState,
    StudyState,
)
from gecbench.server.models import (
    Golden,
    GoldenReference,
    Notice,
    Person,
    Reference,
    Review,
    Sentence,
    Study,
    Submission,
    Verdict,
)
from gecbench.server.models.base import compiled_models
from gecbench.server.rules.consistency import Golden as GoldenSet
from gecbench.server.rules.consistency import findings
from gecbench.server.rules.text import LONGEST_NOTE, TextError, clean, digest
from gecbench.server.workflow.answers import Addition, ReviewAnswer, VerdictAnswer
from gecbench.server.workflow.errors import ConflictError, Problem, RefusedError
from gecbench.server.workflow.review_tasks import remove_from_queue
from gecbench.server.workflow.sentences import change_state, resting_state, update_slot_states
from gecbench.server.workflow.transactions import compare_and_set

# What a reviewer has to judge: each distinct text and decision once (REV-1).


@dataclass(frozen=True, slots=True)
class Candidate:
    """One distinct text or decision that was submitted, however many submitted it (REV-1).

    Args:
        key: The digest, or "error_free" or "not_annotatable".
        reference: The first row that holds the text; None for decisions.
        submissions: Of those who submitted it, first ones first; none where only an earlier review
            wrote it.
        names: Whose, where the project shows names; else ().
        golden: Whether it is in the golden set now (reopened sentences).
        verdict: What an earlier review said of it: correct, wrong; None where none did.
    """

    key: str
    reference: Reference | None
    submissions: tuple[Submission, ...]
    names: tuple[str, ...] = ()
    golden: bool = False
    verdict: bool | None = None

    @property
    def text(self) -> str:
        """As the first of them wrote it; "" for decisions."""
        return self.reference.text if self.reference else ""

    @property
    def decision(self) -> Decision:
        """Corrected for a text; else the decision itself."""
        return Decision.CORRECTED if self.text else Decision(self.key)

    @property
    def count(self) -> int:
        """How many annotators."""
        return len(self.submissions)

    @property
    def reasons(self) -> tuple[tuple[str, str], ...]:
        """Reason and note of those who said not annotatable."""
        if self.key != Decision.NOT_ANNOTATABLE:
            return ()
        return tuple((submission.reason, submission.reason_note) for submission in self.submissions)


def current_submissions(sentence: Sentence) -> tuple[Submission, ...]:
    """List the last submission of each slot that is submitted or later, with person and texts."""
    submissions = _last_submissions(sentence.pk)
    references = Prefetch("references", Reference.objects.order_by("position", "pk"))
    prefetch_related_objects(submissions, references)
    return tuple(submissions)


@compiled_models
def _last_submissions(sentence: int) -> QuerySet[Submission]:
    last = Submission.objects.filter(slot=OuterRef("slot")).order_by("-no").values("pk")[:1]
    submissions = Submission.objects.filter(
        sentence=sentence, slot__state__in=SUBMITTED_OR_LATER, pk=Subquery(last)
    )
    return submissions.select_related("person").order_by("pk")


def submitted_answers(
    submissions: Iterable[Submission],
) -> Iterator[tuple[Submission, Reference | None, str]]:
    """Yield each text with its digest, and each decision without text."""
    for submission in submissions:
        if submission.decision != Decision.CORRECTED:
            yield submission, None, submission.decision
        for reference in submission.references.all():
            yield submission, reference, reference.digest


def candidates_of(sentence: Sentence) -> dict[str, Candidate]:
    """Find what was submitted, and golden texts of reviewers, by key; first ones first."""
    references: dict[str, Reference | None] = {}
    submissions = defaultdict(list)
    for submission, reference, key in submitted_answers(current_submissions(sentence)):
        references.setdefault(key, reference)
        submissions[key].append(submission)
    golden, verdicts = golden_rows(sentence.golden), latest_verdicts(sentence)
    named = sentence.project.rules.reviewer_sees_names
    return {
        key: Candidate(
            key,
            reference,
            tuple(submissions[key]),
            tuple(submission.person.name for submission in submissions[key]) if named else (),
            key in golden,
            verdicts[key].correct if key in verdicts else None,
        )
        for key, reference in {**golden, **references}.items()
    }


def candidates_for(sentence: Sentence, person_id: int) -> tuple[Candidate, ...]:
    """List the distinct texts and decisions, in an order of this person's own (ROL-6).

    Texts come first, then decisions; nobody sees from the order who wrote what.
    """

    def place(candidate: Candidate) -> tuple[bool, int]:
        seed = f"candidates:{sentence.pk}:{candidate.key}"
        return not candidate.text, number(person_id, seed)

    return tuple(sorted(candidates_of(sentence).values(), key=place))


def golden_rows(golden: Golden | None) -> dict[str, Reference | None]:
    """What a golden set holds: digest to reference, or its decision to None."""
    if golden is None:
        return {}
    if golden.kind != Decision.CORRECTED:
        return {golden.kind: None}
    return {entry.reference.digest: entry.reference for entry in _entries(golden.pk)}


@compiled_models
def _entries(golden: int) -> QuerySet[GoldenReference]:
    entries = GoldenReference.objects.filter(golden=golden)
    return entries.select_related("reference").order_by("position")


def latest_verdicts(sentence: Sentence) -> dict[str, Verdict]:
    """Key to the latest verdict of any review of a sentence."""
    return {verdict.digest or verdict.decision: verdict for verdict in _verdicts(sentence.pk)}


@compiled_models
def _verdicts(sentence: int) -> QuerySet[Verdict]:
    verdicts = Verdict.objects.filter(review__sentence=sentence)
    return verdicts.select_related("review").order_by("pk")


# What is wrong with a reviewer's answer: every text judged, one golden set, no broken rule.


LONGEST_SECTION = 100

UNCHECKED = "traditional_unchecked"
"""A finding that says a rule could not look: shown, but nobody has to confirm it."""


@dataclass(frozen=True, slots=True)
class CleanAddition:
    """A golden text that a reviewer wrote, as it is kept.

    Args:
        addition: As it was handed in.
        parent: The rejected text that it was made from, where there is one.
        text: Cleaned; "" where it cannot be kept.
        error: Why it cannot be kept.
    """

    addition: Addition
    parent: Reference | None
    text: str
    error: TextError | None = None

    @property
    def digest(self) -> str:
        """Of the text."""
        return digest(self.text)


@dataclass(frozen=True, slots=True)
class CheckedReview:
    """A review, ready to be stored or refused.

    Args:
        verdicts: Key to the word about it; only those of candidates.
        correct: The candidates judged correct that are texts, in the order shown.
        additions: Cleaned.
        problems: What is wrong, blocking ones and warnings.
    """

    verdicts: dict[str, VerdictAnswer]
    correct: tuple[Candidate, ...]
    additions: tuple[CleanAddition, ...]
    problems: tuple[Problem, ...]


def clean_text(text: str, sentence: Sentence, field: str) -> str:
    """One text as it is kept, which is not the sentence itself.

    Raises:
        RefusedError: It cannot be kept, is empty, or is the sentence.
    """
    try:
        result = clean(text).text
    except TextError as error:
        raise RefusedError([Problem("ANN-12", field, error.values, error.code)]) from error
    if not result:
        raise RefusedError([Problem("ANN-12", field, kind="empty")])
    if digest(result) == sentence.digest:
        raise RefusedError([Problem("ANN-10", field, kind="equals_source")])
    return result


def verdict_columns(key: str) -> dict[str, str]:
    """The columns that say what a verdict is about."""
    if key in tuple(Decision):
        return {"decision": key, "digest": ""}
    return {"decision": Decision.CORRECTED, "digest": key}


def refuse(problems: Sequence[Problem], *, confirmed: bool) -> None:
    """Refuse what has a problem that blocks, or a warning that nobody confirmed.

    Raises:
        RefusedError: With all problems.
    """
    blocking = any(problem.blocking for problem in problems)
    warnings = [problem for problem in problems if problem.kind != UNCHECKED]
    if blocking or (warnings and not confirmed):
        raise RefusedError(problems)


def check_review(
    sentence: Sentence, candidates: Sequence[Candidate], answer: ReviewAnswer
) -> CheckedReview:
    """Find all that is wrong with a review; writes nothing.

    Args:
        sentence: With its project.
        candidates: In the order that the reviewer saw; fields are numbered by it.
        answer: As handed in.
    """
    places = {candidate.key: n for n, candidate in enumerate(candidates)}
    verdicts = {verdict.key: verdict for verdict in answer.verdicts if verdict.key in places}
    correct = tuple(
        candidate
        for candidate in candidates
        if candidate.text and candidate.key in verdicts and verdicts[candidate.key].correct
    )
    references = {candidate.key: candidate.reference for candidate in candidates}
    additions = tuple(
        _clean_addition(addition, references.get(addition.parent)) for addition in answer.additions
    )
    problems = [
        *_check_verdicts(places, verdicts, answer),
        *_check_decision(candidates, verdicts, answer),
        *_check_additions(sentence, verdicts, additions),
    ]
    if answer.decision == Decision.CORRECTED and len(verdicts) == len(places):
        problems += _check_restored(places, verdicts, answer)
        # Without the boxes that are wrong already.
        wrong = {problem.field for problem in problems}
        golden = [(f"verdict-{places[candidate.key]}", candidate.text) for candidate in correct]
        golden += [(f"addition-{n}", addition.text) for n, addition in enumerate(additions)]
        good = {field: text for field, text in golden if field not in wrong}
        if good or not golden:
            problems += check_consistency(
                sentence, Decision.CORRECTED, tuple(good.values()), tuple(good)
            )
    elif answer.decision == Decision.ERROR_FREE:
        problems += check_consistency(sentence, answer.decision, (), ())
    return CheckedReview(verdicts, correct, additions, tuple(problems))


def _clean_addition(addition: Addition, parent: Reference | None) -> CleanAddition:
    try:
        return CleanAddition(addition, parent, clean(addition.text).text)
    except TextError as error:
        return CleanAddition(addition, parent, "", error)


def _check_verdicts(
    places: dict[str, int], verdicts: dict[str, VerdictAnswer], answer: ReviewAnswer
) -> Iterator[Problem]:
    """Yield what REV-2 and REV-3 say: each judged once, each wrong one with its reasons."""
    for key, n in places.items():
        if key not in verdicts:
            yield Problem("REV-2", f"verdict-{n}")
    for key, count in Counter(verdict.key for verdict in answer.verdicts).items():
        if key not in places:
            yield Problem("REV-2", kind="REV-2-strange")
        elif count > 1:
            yield Problem("REV-2", f"verdict-{places[key]}", kind="REV-2-twice")
    for key, verdict in verdicts.items():
        yield from _check_reasons(places[key], verdict, answer)


def _check_reasons(n: int, verdict: VerdictAnswer, answer: ReviewAnswer) -> Iterator[Problem]:
    field = f"verdict-{n}"
    yield from section_problems(verdict.section, field)
    if len(verdict.note) > LONGEST_NOTE:
        yield Problem("note-too-long", field)
    # A lost decision says by itself why it is wrong; and texts of what nobody can annotate, too.
    if (
        verdict.correct
        or verdict.key in tuple(Decision)
        or answer.decision == Decision.NOT_ANNOTATABLE
    ):
        return
    if not verdict.reasons:
        yield Problem("REV-3", field)
    elif tuple(verdict.reasons) == (RejectReason.OTHER,) and not verdict.note.strip():
        yield Problem("REV-3-note", field)


def section_problems(section: str, field: str) -> Iterator[Problem]:
    """Yield what is wrong with the name of a cited section of the guideline."""
    if len(section) > LONGEST_SECTION:
        yield Problem("section-too-long", field, {"most": LONGEST_SECTION})


def _check_decision(
    candidates: Sequence[Candidate], verdicts: dict[str, VerdictAnswer], answer: ReviewAnswer
) -> Iterator[Problem]:
    """Yield where the decision and the verdicts contradict each other (REV-6, REV-7, CON-1, 2).

    A golden set is of one kind whatever a project's switches say: there is no place for more.
    """
    code = "CON-2" if answer.decision == Decision.NOT_ANNOTATABLE else "CON-1"
    kind = f"decision-{answer.decision}"
    no_texts = answer.decision != Decision.CORRECTED
    for n, candidate in enumerate(candidates):
        verdict = verdicts.get(candidate.key)
        if verdict is None:
            continue
        rejected = no_texts and candidate.key == answer.decision and not verdict.correct
        if rejected or (verdict.correct and candidate.decision != answer.decision):
            yield Problem(code, f"verdict-{n}", kind=kind)
    if no_texts and answer.additions:
        yield Problem(code, "addition-0", kind=kind)
    if answer.decision == Decision.NOT_ANNOTATABLE:
        if answer.reason not in tuple(NotAnnotatableReason):
            yield Problem("REV-7", "reason")
        elif answer.reason == NotAnnotatableReason.OTHER and not answer.note.strip():
            yield Problem("REV-7-note", "note")
    if len(answer.note) > LONGEST_NOTE:
        yield Problem("note-too-long", "note")


def _check_additions(
    sentence: Sentence, verdicts: dict[str, VerdictAnswer], additions: Sequence[CleanAddition]
) -> Iterator[Problem]:
    """Yield what makes an added text none: empty, the sentence itself, or there already."""
    wrong = {verdict.key for verdict in verdicts.values() if not verdict.correct}
    there = set(verdicts) - wrong
    for n, addition in enumerate(additions):
        field = f"addition-{n}"
        if addition.error is not None:
            yield Problem("ANN-12", field, addition.error.values, addition.error.code)
        elif not addition.text:
            yield Problem("ANN-12", field, kind="empty")
        elif addition.digest == sentence.digest:
            yield Problem("ANN-10", field, kind="equals_source")
        elif addition.digest in there:
            yield Problem("CON-10", field)
        elif addition.digest in wrong:
            yield Problem("REV-4", field)
        there.add(addition.digest)
        parent = addition.addition.parent
        if parent and (parent in tuple(Decision) or parent not in wrong):
            yield Problem("REV-4-parent", field)


def _check_restored(
    places: dict[str, int], verdicts: dict[str, VerdictAnswer], answer: ReviewAnswer
) -> Iterator[Problem]:
    """Yield the texts rejected for over-correction alone from which nothing was made (REV-9)."""
    parents = {addition.parent for addition in answer.additions}
    for key, verdict in verdicts.items():
        alone = set(verdict.reasons) == {RejectReason.OVERCORRECTION}
        if not verdict.correct and alone and key not in parents:
            yield Problem("REV-9", f"verdict-{places[key]}", blocking=False)


def check_consistency(
    sentence: Sentence, decision: Decision, texts: tuple[str, ...], fields: Sequence[str]
) -> tuple[Problem, ...]:
    """Find what breaks the project's rules in a golden set (CON-1 to CON-10), by box.

    Args:
        sentence: With its project.
        decision: Kind of the golden set.
        texts: Its references.
        fields: The box of each text.
    """
    project = sentence.project
    golden_set = GoldenSet(sentence.text, project.lang, decision, texts)
    return tuple(
        Problem(
            finding.rule,
            "decision" if finding.reference is None else fields[finding.reference],
            dict(finding.values),
            finding.code,
            finding.blocks,
        )
        for finding in findings(golden_set, project.rules)
    )


# Study items follow the golden set: what is not golden opens, what has become golden closes.


STUDY_STATE = ("state", "close_reason", "closed_at", "closed_by_id", "golden_id")
"""What a golden version may change of an item."""

_BY_GOLDEN = (CloseReason.GOLDEN_CHANGED, CloseReason.UPHELD)
"""Items that closed because a golden set agreed open again when a later one does not."""


def sync_studies(golden: Golden) -> int:
    """Open and close items for a new golden version (STU-1, 5, 8), with notices; return opened.

    Called inside the transaction that makes the version. What its author corrected, or a manager
    waived, stays closed.
    """
    sentence = golden.sentence
    keys, keys_before = set(golden_rows(golden)), set(golden_rows(sentence.golden))
    opened: Counter[Person] = Counter()
    closed: Counter[Person] = Counter()
    studies = {(study.submission_id, study.reference_id): study for study in sentence.studies.all()}
    for submission, reference, key in submitted_answers(current_submissions(sentence)):
        study = studies.get((submission.pk, reference.pk if reference else None))
        if key in keys:
            if study is not None and study.state == StudyState.OPEN:
                close_study(study, CloseReason.GOLDEN_CHANGED)
                closed[submission.person] += 1
            continue
        if study is None:
            Study.objects.create(
                project_id=sentence.project_id,
                sentence=sentence,
                submission=submission,
                reference=reference,
                person=submission.person,
                golden=golden,
            )
        elif study.close_reason in _BY_GOLDEN and key in keys_before:
            compare_and_set(
                study,
                StudyState.CLOSED,
                _study_changed(),
                state=StudyState.OPEN,
                close_reason="",
                closed_at=None,
                closed_by=None,
                golden=golden,
            )
        else:
            continue
        opened[submission.person] += 1
    Notice.objects.bulk_create(
        Notice(
            person=person,
            project_id=sentence.project_id,
            kind=kind,
            data={"sentence": sentence.pk, "number": sentence.number, "count": count},
        )
        for kind, counts in (("study_opened", opened), ("study_closed", closed))
        for person, count in counts.items()
    )
    return opened.total()


def study_key(study: Study) -> str:
    """The key of what an item is about: the text's digest, or the decision."""
    return study.submission.decision if study.reference is None else study.reference.digest


def close_study(study: Study, why: CloseReason, *, by: Person | None = None) -> None:
    """Close an open item.

    Raises:
        ConflictError: It has changed meanwhile.
    """
    compare_and_set(
        study,
        StudyState.OPEN,
        _study_changed(),
        state=StudyState.CLOSED,
        close_reason=why,
        closed_at=timezone.now(),
        closed_by=by,
    )


def _study_changed() -> ConflictError:
    return ConflictError("the study item has changed meanwhile; look again")


# A new golden version: its references, and all that follows from it, in the caller's transaction.


def version_of(sentence: Sentence) -> int:
    """The number of the golden version that counts, 0 for none."""
    return sentence.golden.version if sentence.golden else 0


def make_golden(
    sentence: Sentence, review: Review, references: Sequence[Reference], *, by: Person | None
) -> tuple[Golden, int]:
    """Make the next golden version by a review: study items, slots and the sentence follow.

    Args:
        sentence: Locked; it becomes golden, or disputed where complaints are open. A withdrawn
            one stays so.
        review: Its decision is the golden kind.
        references: In their order; none unless the kind is corrected.
        by: Who decided; None is the unanimous annotators.

    Returns:
        The version, and how many study items it opened.
    """
    highest = Golden._base_manager.filter(sentence=sentence).aggregate(Max("version"))
    golden = Golden.objects.create(
        sentence=sentence,
        version=(highest["version__max"] or 0) + 1,
        kind=review.decision,
        reason=review.reason if review.decision == Decision.NOT_ANNOTATABLE else "",
        review=review,
        guideline_id=review.guideline_id,
    )
    GoldenReference.objects.bulk_create(
        GoldenReference(golden=golden, reference=reference, position=n)
        for n, reference in enumerate(references)
    )
    opened = sync_studies(golden)
    update_slot_states(sentence, by=by)
    withdrawn = sentence.state == SentenceState.WITHDRAWN
    state = SentenceState.WITHDRAWN if withdrawn else resting_state(sentence)
    change_state(sentence, state, golden=golden)
    return golden, opened


def close_unanimous(sentence: Sentence) -> Golden | None:
    """Close a sentence that all annotators call error free, if the project closes such (WFL-4).

    Called by the last submission, inside its transaction. A share of the sentences is drawn for
    a spot check, always the same ones; those and all others are left for review.

    Returns:
        The golden version; None where the sentence is for a reviewer.
    """
    rules = sentence.project.rules
    if rules.unanimous_error_free != "close" or sentence.golden_id is not None:
        return None
    decisions = [submission.decision for submission in current_submissions(sentence)]
    if decisions != [Decision.ERROR_FREE] * sentence.needed:
        return None
    if number(0, f"spot check {sentence.digest}") % 100 < rules.spot_check_percent:
        return None
    remove_from_queue(sentence)
    review = Review.objects.create(
        sentence=sentence,
        kind=ReviewKind.UNANIMOUS,
        decision=Decision.ERROR_FREE,
        guideline_id=sentence.project.guideline_id,
        client_key=uuid4(),
    )
    Verdict.objects.create(review=review, decision=Decision.ERROR_FREE, correct=True)
    golden, _ = make_golden(sentence, review, (), by=None)
    return golden
