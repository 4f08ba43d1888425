"""From verdicts to a golden version, all or nothing (REV-11), and all that follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import uuid4

from django.db.models import F, Max, OuterRef, Subquery
from django.utils import timezone

from gecbench.core.seeding import number
from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    CloseReason,
    Decision,
    NotAnnotatableReason,
    Origin,
    RejectReason,
    ReviewKind,
    Role,
    SentenceState,
    StudyState,
    TaskState,
)
from gecbench.server.models import (
    Golden,
    GoldenReference,
    Member,
    Notice,
    Person,
    Reference,
    Review,
    ReviewTask,
    Sentence,
    Study,
    Submission,
    Verdict,
)
from gecbench.server.rules.consistency import Finding, findings
from gecbench.server.rules.consistency import Golden as Decided
from gecbench.server.rules.text import LONGEST_NOTE, TextError, cleaned, digest, whole
from gecbench.server.workflow import audit, drafts
from gecbench.server.workflow.answers import MOST_MS, Addition, Key, ReviewAnswer, VerdictAnswer
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    Problem,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.review_tasks import has_held_slot, live_task, remove_from_queue
from gecbench.server.workflow.sentences import change_state, resting_state, update_slot_states
from gecbench.server.workflow.transactions import authorize, lock_sentence, transactional

# What a reviewer has to judge: each distinct text and decision once (REV-1).


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
class CandidateRows:
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


def candidate_rows(sentence: Sentence) -> dict[str, CandidateRows]:
    """Return key to what was submitted, and to golden texts of reviewers; first ones first."""
    rows = {one.pk: one for one in current_submissions(sentence)}
    found: dict[str, CandidateRows] = {}

    def add(key: str, text: str, reference: Reference | None, submission: Submission) -> None:
        first = found.get(key, CandidateRows(text, reference, ()))
        found[key] = CandidateRows(first.text, first.reference, (*first.submissions, submission))

    for reference in Reference.objects.filter(submission__in=rows).order_by("pk"):
        if reference.submission_id is not None:
            add(reference.digest, reference.text, reference, rows[reference.submission_id])
    for submission in rows.values():
        if submission.decision != Decision.CORRECTED:
            add(submission.decision, "", None, submission)
    for key, golden in golden_rows(sentence.golden).items():
        found.setdefault(key, CandidateRows("" if golden is None else golden.text, golden, ()))
    return found


def golden_rows(golden: Golden | None) -> dict[str, Reference | None]:
    """Return what a golden set holds: digest to reference, or its decision to None."""
    if golden is None:
        return {}
    if golden.kind != Decision.CORRECTED:
        return {golden.kind: None}
    entries = GoldenReference.objects.filter(golden=golden).select_related("reference")
    return {one.reference.digest: one.reference for one in entries.order_by("position")}


def latest_verdicts(sentence: Sentence) -> dict[str, Verdict]:
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
    golden, judged = golden_rows(sentence.golden), latest_verdicts(sentence)
    named = task.project.rules.reviewer_sees_names
    for key, one in candidate_rows(sentence).items():
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


# What is wrong with a reviewer's answer: every text judged, one golden set, no broken rule.


LONGEST_SECTION = 100

UNCHECKED = "traditional_unchecked"
"""A finding that says a rule could not look: shown, but nobody has to confirm it."""


@dataclass(frozen=True, slots=True)
class Written:
    """A golden text that a reviewer wrote, as it is kept.

    Args:
        text: Cleaned; "" where it cannot be kept.
        digest: Of the text.
        given: As it was handed in.
        error: Why it cannot be kept.
    """

    text: str
    digest: str
    given: Addition
    error: TextError | None = None


@dataclass(frozen=True, slots=True)
class CheckedReview:
    """A review, ready to be stored or refused.

    Args:
        verdicts: Key to the word about it; only those of candidates.
        correct: The candidates judged correct that are texts, in the order shown.
        written: The additions, cleaned.
        problems: What is wrong, blocking ones and warnings.
    """

    verdicts: dict[str, VerdictAnswer]
    correct: tuple[Candidate, ...]
    written: tuple[Written, ...]
    problems: tuple[Problem, ...]

    @property
    def blocking(self) -> tuple[Problem, ...]:
        """What refuses it, however often it is confirmed."""
        return tuple(one for one in self.problems if one.blocking)

    @property
    def to_confirm(self) -> tuple[Problem, ...]:
        """What is kept only if the reviewer says that it was seen."""
        return tuple(
            one
            for one in self.problems
            if not one.blocking and ("code", UNCHECKED) not in one.values
        )


def check_review(
    sentence: Sentence, shown: Sequence[Candidate], answer: ReviewAnswer
) -> CheckedReview:
    """Return a review with all that is wrong with it; writes nothing.

    Args:
        sentence: With its project.
        shown: The candidates in the order that the reviewer saw; fields are numbered by it.
        answer: As handed in.
    """
    places = {one.key: n for n, one in enumerate(shown)}
    given = {one.key: one for one in answer.verdicts if one.key in places}
    correct = tuple(
        one for one in shown if one.text and one.key in given and given[one.key].correct
    )
    written = tuple(_written(one) for one in answer.additions)
    problems = [
        *_about_verdicts(places, given, answer),
        *_about_decision(shown, given, answer),
        *_about_additions(sentence, given, written),
    ]
    judged = all(key in given for key in places)
    if answer.decision == Decision.CORRECTED and judged:
        problems += _not_restored(places, given, answer)
        problems += _inconsistent(sentence, places, correct, written, problems)
    elif answer.decision == Decision.ERROR_FREE:
        problems += check_consistency(sentence, answer.decision, (), ())
    return CheckedReview(given, correct, written, tuple(problems))


def _written(given: Addition) -> Written:
    try:
        text = cleaned(given.text).text
    except TextError as error:
        return Written("", "", given, error)
    return Written(text, digest(text), given)


def _about_verdicts(
    places: dict[str, int], given: dict[str, VerdictAnswer], answer: ReviewAnswer
) -> Iterator[Problem]:
    """Yield what REV-2 and REV-3 say: each judged once, each wrong one with its reasons."""
    for key, n in places.items():
        if key not in given:
            yield Problem("REV-2", f"verdict-{n}", f"text {n + 1} is not judged yet")
    for key, count in Counter(one.key for one in answer.verdicts).items():
        if key not in places:
            yield Problem("REV-2", "", "a verdict is about a text that is not there; load it again")
        elif count > 1:
            yield Problem(
                "REV-2", f"verdict-{places[key]}", f"text {places[key] + 1} is judged twice"
            )
    for key, one in given.items():
        yield from _about_reasons(places[key], one, answer)


def _about_reasons(n: int, one: VerdictAnswer, answer: ReviewAnswer) -> Iterator[Problem]:
    field = f"verdict-{n}"
    yield from section_problems(one.section, field)
    if len(one.note) > LONGEST_NOTE:
        yield Problem("note-too-long", field, f"the note has more than {LONGEST_NOTE} characters")
    # A lost decision says by itself why it is wrong; and texts of what nobody can annotate, too.
    if one.correct or one.key in tuple(Decision) or answer.decision == Decision.NOT_ANNOTATABLE:
        return
    if not one.reasons:
        yield Problem("REV-3", field, f"text {n + 1} is wrong: say why, with at least one reason")
    elif tuple(one.reasons) == (RejectReason.OTHER,) and not one.note.strip():
        yield Problem("REV-3-note", field, f"text {n + 1}: the reason 'other' needs a note")


def section_problems(section: str, field: str) -> Iterator[Problem]:
    """Yield what is wrong with the name of a cited section of the guideline."""
    if len(section) > LONGEST_SECTION:
        message = f"the name of the section has more than {LONGEST_SECTION} characters"
        yield Problem("section-too-long", field, message)


def _about_decision(
    shown: Sequence[Candidate], given: dict[str, VerdictAnswer], answer: ReviewAnswer
) -> Iterator[Problem]:
    """Yield where the decision and the verdicts contradict each other (REV-6, REV-7, CON-1, 2).

    A golden set is of one kind whatever a project's switches say: there is no place for more.
    """
    code = {"error_free": "CON-1", "not_annotatable": "CON-2"}.get(answer.decision, "CON-1")
    whole = answer.decision != Decision.CORRECTED
    for n, one in enumerate(shown):
        right = one.key in given and given[one.key].correct
        field = f"verdict-{n}"
        if right and one.decision != answer.decision:
            said = "text" if one.text else f"decision {one.key}"
            message = f"{said} {n + 1} is judged correct, but the sentence is {answer.decision}"
            yield Problem(code, field, message, (("decision", answer.decision),))
        elif whole and one.key == answer.decision and one.key in given and not right:
            message = f"the sentence is {answer.decision}, but that decision is judged wrong"
            yield Problem(code, field, message, (("decision", answer.decision),))
    if whole and answer.additions:
        message = f"the sentence is {answer.decision}; take the added corrections away"
        yield Problem(code, "addition-0", message, (("decision", answer.decision),))
    if answer.decision == Decision.NOT_ANNOTATABLE:
        yield from _about_reason(answer)
    if len(answer.note) > LONGEST_NOTE:
        yield Problem("note-too-long", "note", f"the note has more than {LONGEST_NOTE} characters")


def _about_reason(answer: ReviewAnswer) -> Iterator[Problem]:
    if answer.reason not in tuple(NotAnnotatableReason):
        yield Problem("REV-7", "reason", "say why the sentence cannot be annotated")
    elif answer.reason == NotAnnotatableReason.OTHER and not answer.note.strip():
        yield Problem("REV-7-note", "note", "the reason 'other' needs a note")


def _about_additions(
    sentence: Sentence, given: dict[str, VerdictAnswer], written: Sequence[Written]
) -> Iterator[Problem]:
    """Yield what makes an added text none: empty, the sentence itself, or there already."""
    seen: set[str] = set()
    for n, one in enumerate(written):
        field = f"addition-{n}"
        if one.error is not None:
            yield Problem("ANN-12", field, str(one.error), one.error.told)
        elif not one.text:
            yield Problem("ANN-12", field, f"added correction {n + 1} is empty")
        elif one.digest == sentence.digest:
            yield Problem("ANN-10", field, f"added correction {n + 1} is the sentence itself")
        elif one.digest in seen or (one.digest in given and given[one.digest].correct):
            yield Problem("CON-10", field, f"added correction {n + 1} is there already")
        elif one.digest in given:
            yield Problem("REV-4", field, f"added correction {n + 1} is a text judged wrong")
        seen.add(one.digest)
        parent = one.given.parent
        if parent and (parent in tuple(Decision) or parent not in given or given[parent].correct):
            message = f"added correction {n + 1} is made from a text that is not judged wrong"
            yield Problem("REV-4-parent", field, message)


def _not_restored(
    places: dict[str, int], given: dict[str, VerdictAnswer], answer: ReviewAnswer
) -> Iterator[Problem]:
    """Yield the texts rejected for over-correction alone from which nothing was made (REV-9)."""
    parents = {one.parent for one in answer.additions}
    for key, one in given.items():
        alone = set(one.reasons) == {RejectReason.OVERCORRECTION}
        if not one.correct and alone and key not in parents:
            n = places[key]
            message = (
                f"text {n + 1} only goes too far: restore that and add the rest as a correction"
            )
            yield Problem("REV-9", f"verdict-{n}", message, blocking=False)


def _inconsistent(
    sentence: Sentence,
    places: dict[str, int],
    correct: Sequence[Candidate],
    written: Sequence[Written],
    problems: Sequence[Problem],
) -> tuple[Problem, ...]:
    """Return what the rules find in the golden set, without the boxes that are wrong already."""
    wrong = {one.field for one in problems}
    golden = [(f"verdict-{places[one.key]}", one.text) for one in correct]
    golden += [(f"addition-{n}", one.text) for n, one in enumerate(written)]
    good = [(field, text) for field, text in golden if field not in wrong]
    if golden and not good:
        return ()
    texts = tuple(text for _, text in good)
    return check_consistency(sentence, Decision.CORRECTED, texts, [field for field, _ in good])


def check_consistency(
    sentence: Sentence, decision: Decision, texts: tuple[str, ...], fields: Sequence[str]
) -> tuple[Problem, ...]:
    """Return what the project's rules find in a golden set (CON-1 to CON-10), by box.

    Args:
        sentence: With its project.
        decision: Kind of the golden set.
        texts: Its references.
        fields: The box of each text.
    """
    decided = Decided(sentence.text, sentence.project.lang, decision, texts)
    found = findings(decided, sentence.project.rules)
    return tuple(_problem(one, fields) for one in found)


def _problem(finding: Finding, fields: Sequence[str]) -> Problem:
    values = tuple((name, str(value)) for name, value in finding.values)
    return Problem(
        finding.rule,
        "decision" if finding.reference is None else fields[finding.reference],
        str(finding),
        (("code", finding.code), *values),
        finding.blocks,
    )


# Study items follow the golden set: what is not golden opens, what has become golden closes.


STUDY_STATE = ("state", "close_reason", "closed_at", "closed_by_id", "golden_id")
"""What a golden version may change of an item."""

_BY_GOLDEN = (CloseReason.GOLDEN_CHANGED, CloseReason.UPHELD)
"""Items that closed because a golden set agreed open again when a later one does not."""


def sync_studies(golden: Golden) -> int:
    """Open and close items for a new golden version (STU-1, 5, 8), with notices; return opened.

    Called inside the transaction that makes the version. What its author mended, or a manager
    waived, stays closed.
    """
    sentence = golden.sentence
    keys = set(golden_rows(golden))
    before = set(golden_rows(sentence.golden))
    opened: Counter[Person] = Counter()
    closed: Counter[Person] = Counter()
    rows = {(one.submission_id, one.reference_id): one for one in sentence.studies.all()}
    for submission, reference, key in submitted_answers(sentence):
        study = rows.get((submission.pk, None if reference is None else reference.pk))
        if key in keys:
            if study is not None and study.state == StudyState.OPEN:
                close_study(study, CloseReason.GOLDEN_CHANGED)
                closed[submission.person] += 1
        elif study is None:
            _open(golden, submission, reference)
            opened[submission.person] += 1
        elif study.close_reason in _BY_GOLDEN and key in before:
            _open_again(study, golden)
            opened[submission.person] += 1
    _tell(sentence, "study_opened", opened)
    _tell(sentence, "study_closed", closed)
    return opened.total()


def submitted_answers(sentence: Sentence) -> Iterator[tuple[Submission, Reference | None, str]]:
    """Yield what each annotator's last submission says: each reference, or the decision."""
    for submission in current_submissions(sentence):
        if submission.decision != Decision.CORRECTED:
            yield submission, None, submission.decision
        for reference in submission.references.order_by("position", "pk"):
            yield submission, reference, reference.digest


def study_key(study: Study) -> str:
    """Return the key of what an item is about: the text's digest, or the decision."""
    return study.submission.decision if study.reference is None else study.reference.digest


def close_study(study: Study, why: CloseReason, *, by: Person | None = None) -> None:
    """Close an open item.

    Raises:
        ConflictError: It has changed meanwhile.
    """
    _change(
        study,
        StudyState.OPEN,
        {
            "state": StudyState.CLOSED,
            "close_reason": why,
            "closed_at": timezone.now(),
            "closed_by": by,
        },
    )


def _open(golden: Golden, submission: Submission, reference: Reference | None) -> None:
    Study.objects.create(
        project_id=golden.sentence.project_id,
        sentence=golden.sentence,
        submission=submission,
        reference=reference,
        person=submission.person,
        golden=golden,
    )


def _open_again(study: Study, golden: Golden) -> None:
    _change(
        study,
        StudyState.CLOSED,
        {
            "state": StudyState.OPEN,
            "close_reason": "",
            "closed_at": None,
            "closed_by": None,
            "golden": golden,
        },
    )


def _change(study: Study, state: StudyState, values: dict[str, object]) -> None:
    changed = Study.objects.filter(pk=study.pk, state=state, version=study.version).update(
        version=F("version") + 1, **values
    )
    if changed != 1:
        raise ConflictError("the study item has changed meanwhile; look again")
    study.version += 1
    for name, value in values.items():
        setattr(study, name, value)


def _tell(sentence: Sentence, kind: str, counts: Counter[Person]) -> None:
    for person, count in counts.items():
        Notice.objects.create(
            person=person,
            project_id=sentence.project_id,
            kind=kind,
            data={"sentence": sentence.pk, "number": sentence.number, "count": count},
        )


# A new golden version: its references, and all that follows from it, in the caller's act.


@dataclass(frozen=True, slots=True)
class GoldenMade:
    """A golden version and how many study items it opened."""

    golden: Golden
    studies: int


def version_of(sentence: Sentence) -> int:
    """Return the number of the golden version that counts, 0 for none."""
    return sentence.golden.version if sentence.golden else 0


def make_golden(
    sentence: Sentence,
    review: Review,
    references: Sequence[Reference],
    *,
    by: Person | None,
) -> GoldenMade:
    """Make the next golden version by a review: study items, slots and the sentence follow.

    Args:
        sentence: Locked; it becomes golden, or disputed where complaints are open. A withdrawn
            one stays so.
        review: Its decision is the golden kind.
        references: In their order; none unless the kind is corrected.
        by: Who decided; None is the unanimous annotators.
    """
    highest = Golden._base_manager.filter(sentence=sentence).aggregate(Max("version"))
    golden = Golden.objects.create(
        sentence=sentence,
        version=(highest["version__max"] or 0) + 1,
        kind=review.decision,
        reason=review.reason if review.decision == Decision.NOT_ANNOTATABLE else "",
        review=review,
        guideline=review.guideline,
    )
    GoldenReference.objects.bulk_create(
        GoldenReference(golden=golden, reference=one, position=n)
        for n, one in enumerate(references)
    )
    opened = sync_studies(golden)
    update_slot_states(sentence, by=by)
    withdrawn = sentence.state == SentenceState.WITHDRAWN
    change_state(
        sentence, SentenceState.WITHDRAWN if withdrawn else resting_state(sentence), golden=golden
    )
    return GoldenMade(golden, opened)


# Finalising a review: from verdicts to a golden version, all or nothing (REV-11).


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """What a review made.

    Args:
        golden: The new golden version.
        studies: How many study items opened.
        answered_before: Whether this key had been answered before.
    """

    golden: Golden
    studies: int
    answered_before: bool = False


def finalise(
    member: Member, sentence_id: int, *, version: int, client_key: Key, answer: ReviewAnswer
) -> ReviewResult:
    """Decide a sentence, all or nothing: golden version, verdicts, study items, slots (REV-11).

    Reasons of a text judged correct are not kept. A lease that ended while nobody else came is
    no obstacle. What is refused is kept as a draft revision (INV-10).

    Raises:
        RefusedError: It breaks a rule, or warns and is not confirmed.
        ConflictError: The task's version is another, or somebody else holds it (REV-12).
        NotYoursError: The member may not review it.
        NotAllowedError: The member is no reviewer now, or the project is closed.
    """
    outcome = _finalise(member, sentence_id, version, client_key, answer)
    if isinstance(outcome, WorkflowError):  # raised only now that what was kept is committed
        raise outcome
    return outcome


@transactional
def _finalise(
    member: Member, sentence_id: int, version: int, client_key: Key, answer: ReviewAnswer
) -> ReviewResult | WorkflowError:
    member = authorize(member, Role.REVIEWER)
    sentence = lock_sentence(sentence_id, member.project_id)
    before = Review.objects.filter(client_key=client_key).first()
    if before is not None:
        return _again(before, member, sentence)
    if has_held_slot(member.person_id, sentence_id):
        raise NotYoursError(
            "there is no sentence {sentence_id} for this reviewer", sentence_id=sentence_id
        )
    try:
        task = _held(member, sentence, version)
        weighed = check_review(sentence, candidates_for(task, member.person_id), answer)
        if weighed.blocking or (weighed.to_confirm and not answer.confirmed):
            raise RefusedError(weighed.problems)
    except WorkflowError as error:
        drafts.keep_review_aside(sentence, member.person, answer)
        return error
    return _write(member, sentence, task, client_key, answer, weighed)


def _write(
    member: Member,
    sentence: Sentence,
    task: ReviewTask,
    client_key: Key,
    answer: ReviewAnswer,
    weighed: CheckedReview,
) -> ReviewResult:
    _end(task, member)
    review = _review(member, sentence, task, client_key, answer)
    _store_verdicts(review, weighed)
    before = _before(sentence)
    made = make_golden(sentence, review, _golden(sentence, review, weighed), by=member.person)
    audit.record(
        "review.finalised",
        who=member.person,
        project=member.project,
        about=("sentence", sentence.pk),
        data={"golden": made.golden.version, "kind": made.golden.kind, "studies": made.studies}
        | before,
    )
    return ReviewResult(made.golden, made.studies)


def _before(sentence: Sentence) -> dict[str, object]:
    """Return where slots and study items of a golden sentence stand, so that it can be undone."""
    if sentence.golden_id is None:
        return {}
    slots = sentence.slots.filter(state__in=SUBMITTED_OR_LATER)
    items = sentence.studies.values("pk", *STUDY_STATE)
    return {"old": {"slots": dict(slots.values_list("pk", "state")), "studies": list(items)}}


def _again(review: Review, member: Member, sentence: Sentence) -> ReviewResult:
    golden = Golden.objects.filter(review=review).select_related("sentence").first()
    if (review.reviewer_id, review.sentence_id) != (member.person_id, sentence.pk) or not golden:
        raise ConflictError("this key was used for something else; load the page again")
    return ReviewResult(golden, Study.objects.filter(golden=golden).count(), answered_before=True)


def _held(member: Member, sentence: Sentence, version: int) -> ReviewTask:
    """Return the live task if it is with the member, or was until its lease ended.

    Raises:
        ConflictError: It is not; `current` is the task that the sentence has now.
    """
    task = live_task(sentence.pk)
    if task is None:
        raise ConflictError("the sentence is not in review any more; your text is kept in the page")
    mine = task.state == TaskState.OPEN and task.reviewer_id == member.person_id
    # Giving back to the queue was the one step since the page was made.
    ended = task.state == TaskState.FREE and task.version == version + 1
    ended = ended and task.reviewer_id is None and task.not_for_id != member.person_id
    if not (ended or (mine and task.version == version)):
        if mine:
            raise ConflictError(
                "another tab of yours has this review now; your text is kept in the page", task
            )
        raise ConflictError(
            "somebody else has this review now; your text is kept in the page", task
        )
    return task


def _end(task: ReviewTask, member: Member) -> None:
    ended = ReviewTask.objects.filter(pk=task.pk, state=task.state, version=task.version).update(
        state=TaskState.DONE,
        reviewer=member.person_id,
        lease_until=None,
        done_at=timezone.now(),
        version=F("version") + 1,
    )
    if ended != 1:
        raise ConflictError("somebody else was first; your text is kept in the page", task)


def _review(
    member: Member, sentence: Sentence, task: ReviewTask, client_key: Key, answer: ReviewAnswer
) -> Review:
    unclear = answer.decision == Decision.NOT_ANNOTATABLE
    return Review.objects.create(
        sentence=sentence,
        task=task,
        reviewer=member.person,
        kind=task.kind,
        base_version=version_of(sentence),
        decision=answer.decision,
        reason=answer.reason if unclear else "",
        note=whole(answer.note.strip()),
        guideline_id=member.project.guideline_id,
        active_ms=min(max(answer.active_ms, 0), MOST_MS),
        client_key=client_key,
    )


def _store_verdicts(review: Review, weighed: CheckedReview) -> None:
    Verdict.objects.bulk_create(
        Verdict(
            review=review,
            decision=key if key in tuple(Decision) else Decision.CORRECTED,
            digest="" if key in tuple(Decision) else key,
            correct=one.correct,
            reasons=[] if one.correct else [str(reason) for reason in one.reasons],
            note=whole(one.note.strip()),
            section=whole(one.section),
        )
        for key, one in weighed.verdicts.items()
    )


def _golden(sentence: Sentence, review: Review, weighed: CheckedReview) -> tuple[Reference, ...]:
    """Return the golden references: the rows of texts judged correct, new rows for additions.

    The row is that of the first submission, so that its author can be traced.
    """
    rows = candidate_rows(sentence)
    kept = [rows[one.key].reference for one in weighed.correct]
    return (*(one for one in kept if one is not None), *_additions(sentence, review, weighed))


def _additions(sentence: Sentence, review: Review, weighed: CheckedReview) -> Iterator[Reference]:
    rows = candidate_rows(sentence)
    for n, one in enumerate(weighed.written):
        parent = rows[one.given.parent].reference if one.given.parent else None
        origin = Origin.ADDED
        if parent is not None:
            origin = Origin.RESTORED if one.given.restored else Origin.MODIFIED
        yield Reference.objects.create(
            sentence=sentence,
            review=review,
            position=n,
            text=one.text,
            digest=one.digest,
            origin=origin,
            parent=parent,
        )


def close_unanimous(sentence: Sentence) -> Golden | None:
    """Close a sentence that all annotators call error free, if the project closes such (WFL-4).

    Called by the last submission, inside its transaction. A share of the sentences is drawn for
    a spot check, always the same ones; those and all others are left for review.

    Returns:
        The golden version; None where the sentence is for a reviewer.
    """
    sentence = Sentence.objects.select_for_update(no_key=True).get(pk=sentence.pk)
    rules = sentence.project.rules
    rows = current_submissions(sentence)
    agreed = len(rows) == sentence.needed and all(
        one.decision == Decision.ERROR_FREE for one in rows
    )
    if rules.unanimous_error_free != "close" or not agreed or sentence.golden_id is not None:
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
    return make_golden(sentence, review, (), by=None).golden
