"""Self-study: items open, are tried, and close (STU-1 to STU-8)."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from django.db.models import QuerySet

from gecbench.server.choices import CloseReason, Decision, Role, StudyState
from gecbench.server.models import (
    Golden,
    Member,
    Notice,
    Reference,
    Sentence,
    Study,
    StudyTry,
    Verdict,
)
from gecbench.server.rules.diff import diff
from gecbench.server.rules.text import digest, whole
from gecbench.server.workflow import audit
from gecbench.server.workflow.answers import Answer, Key
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    Problem,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.golden import (
    clean_text,
    close_study,
    golden_rows,
    latest_verdicts,
    study_key,
)
from gecbench.server.workflow.review_tasks import clean_note
from gecbench.server.workflow.sentences import update_slot_state
from gecbench.server.workflow.transactions import (
    STUDYING,
    authorize,
    compare_and_set,
    lock_sentence,
    transactional,
)


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """What a try came to.

    Args:
        attempt: The row; its `study` has the version for the next try.
        matched: Whether it closed the item.
        revealed: Whether golden references may be shown now (STU-4).
        nearest: Golden texts are not given; this says how many edits the nearest one is away. In
            an error-free sentence that is the sentence itself; -1 where no text is right.
    """

    attempt: StudyTry
    matched: bool
    revealed: bool
    nearest: int


@dataclass(frozen=True, slots=True)
class Lesson:
    """All that the study screen shows of an item (STU-2).

    Args:
        study: The item, its submission, reference and sentence fetched with it.
        verdict: What the deciding review said of the text; None where a later version dropped it.
        review_note: The reviewer's words, where they are not those of the verdict.
        tries: Earlier tries, oldest first.
        revealed: Golden references, once they may be shown; else ().
        decision: The golden kind, once it may be shown; else "".
        complaint: Row of the latest complaint, None where none was made.
    """

    study: Study
    verdict: Verdict | None
    review_note: str
    tries: tuple[StudyTry, ...]
    revealed: tuple[Reference, ...]
    decision: str
    complaint: int | None


def list_items(member: Member, *, state: str = "open", most: int = 200) -> tuple[Study, ...]:
    """The member's own items, oldest first; any state where it is ""."""
    studies = _studies_of(member)
    if state:
        studies = studies.filter(state=state)
    return tuple(studies.order_by("opened_at", "pk")[:most])


def _studies_of(member: Member) -> QuerySet[Study]:
    return Study.objects.filter(person=member.person_id, project=member.project_id).select_related(
        "sentence__project", "sentence__golden", "submission", "reference", "golden"
    )


def _study_of(member: Member, study_id: int) -> Study:
    study = _studies_of(member).filter(pk=study_id).first()
    if study is None:
        raise NotYoursError("there is no study item {study_id} for this person", study_id=study_id)
    return study


def lesson(member: Member, study_id: int) -> Lesson:
    """What the member may see of an own item.

    Raises:
        NotYoursError: It is not theirs.
    """
    study = _study_of(member, study_id)
    verdict = latest_verdicts(study.sentence).get(study_key(study))
    if verdict is not None and verdict.correct:
        verdict = None
    golden = _golden(study)
    revealed = _is_revealed(study)
    rows = golden_rows(golden) if revealed else {}
    review = verdict.review if verdict is not None else golden.review
    return Lesson(
        study,
        verdict,
        "" if review is None or (verdict and review.note == verdict.note) else review.note,
        tuple(study.tries.order_by("pk")),
        tuple(row for row in rows.values() if row is not None),
        golden.kind if revealed else "",
        study.complaints.order_by("-pk").values_list("pk", flat=True).first(),
    )


def _golden(study: Study) -> Golden:
    """The golden version that counts now; the item's own, where it is the first."""
    return study.sentence.golden or study.golden


def _is_revealed(study: Study) -> bool:
    """Whether golden references may be shown (STU-4).

    A closed item shows them, unless they would answer another one of the same sentence.
    """
    after = study.sentence.project.rules.reveal_after
    if after is None:
        return False
    if study.attempts >= after:
        return True
    others = Study.objects.filter(
        person=study.person_id,
        sentence=study.sentence_id,
        state=StudyState.OPEN,
        attempts__lt=after,
    )
    return study.state == StudyState.CLOSED and not others.exists()


@transactional
def attempt(
    member: Member, study_id: int, *, version: int, client_key: Key, answer: Answer
) -> AttemptResult | WorkflowError:
    """Try to fix an item; it closes when the text equals a current golden reference (STU-3).

    A lost decision is mended by the right one, or by a golden text; a text, too, by the right
    decision (STU-5). What is written here never becomes golden (STU-6). A text that is refused is
    kept as a try that does not count (INV-10).

    Raises:
        RefusedError: The text is empty or equals the source, and so on, by box.
        ConflictError: The item has changed meanwhile.
        NotYoursError: It is not theirs.
    """
    member = authorize(member, statuses=STUDYING)
    study = _study_of(member, study_id)
    before = StudyTry.objects.filter(client_key=client_key).select_related("study").first()
    if before is not None:
        return _again(before, study)
    sentence = lock_sentence(study.sentence_id, member.project_id)
    try:
        text = single_text(sentence, answer)
        study = _open(member, study_id, version)  # as it is now that the sentence is locked
    except (RefusedError, ConflictError) as error:
        _keep(study, answer)
        return error
    rows = golden_rows(sentence.golden)
    key = digest(text) if answer.decision == Decision.CORRECTED else str(answer.decision)
    study_try = StudyTry.objects.create(
        study=study,
        decision=answer.decision,
        text=text,
        matched=key in rows,
        reference=rows.get(key),
        client_key=client_key,
    )
    if study_try.matched:
        close_study(study, CloseReason.MATCHED, by=member.person)
        update_slot_state(study.submission.slot_id, by=member.person)
    else:
        _count_try(study)
    return _tried(study_try, study)


def _open(member: Member, study_id: int, version: int) -> Study:
    """An open item.

    Raises:
        ConflictError: It was closed or tried since `version`.
    """
    study = _study_of(member, study_id)
    if study.state != StudyState.OPEN or study.version != version:
        raise ConflictError("the item has changed meanwhile; your text is kept", study)
    return study


def _keep(study: Study, answer: Answer) -> None:
    """Keep what was refused, under a key of its own: the client's may come again, mended."""
    for text in filter(str.strip, map(whole, answer.texts)):
        StudyTry.objects.create(
            study=study, text=text, matched=False, counted=False, client_key=uuid4()
        )


def _again(before: StudyTry, study: Study) -> AttemptResult:
    if before.study_id != study.pk:
        raise ConflictError("this key was used for something else; load the page again")
    return _tried(before, study)


def single_text(sentence: Sentence, answer: Answer) -> str:
    """The one text of a try as it is kept; "" for decisions.

    Raises:
        RefusedError: There is none, or too many, or it cannot be right.
    """
    if answer.decision != Decision.CORRECTED:
        if answer.texts:
            raise RefusedError([Problem("ANN-9", "decision", kind="one-text")])
        return ""
    if len(answer.texts) != 1:
        raise RefusedError([Problem("ANN-9", "reference-0", kind="one-text")])
    return clean_text(answer.texts[0], sentence, "reference-0")


def _count_try(study: Study) -> None:
    error = ConflictError("the item has changed meanwhile; your text is kept in the page", study)
    compare_and_set(study, StudyState.OPEN, error, attempts=study.attempts + 1)


def _tried(study_try: StudyTry, study: Study) -> AttemptResult:
    study_try.study = study
    nearest = 0 if study_try.matched else _nearest(study_try, study)
    return AttemptResult(study_try, study_try.matched, _is_revealed(study), nearest)


def _nearest(study_try: StudyTry, study: Study) -> int:
    """How many edits lie between a try and the nearest golden text."""
    sentence = study.sentence
    golden = _golden(study)
    goals = [row.text for row in golden_rows(golden).values() if row is not None]
    if golden.kind == Decision.ERROR_FREE:
        goals = [sentence.text]
    text = study_try.text or sentence.text
    project = sentence.project
    placeholder = project.rules.placeholder
    return min(
        (
            diff(text, goal_text, lang=project.lang, placeholder=placeholder).edits
            for goal_text in goals
        ),
        default=-1,
    )


@transactional
def waive(member: Member, study_id: int, *, note: str) -> Study:
    """Let a manager close an item.

    Raises:
        RefusedError: There is no note.
        ConflictError: It is closed already.
        NotYoursError: It is not of the manager's project.
    """
    member = authorize(member, Role.MANAGER)
    words = clean_note(note, "waive-note")
    studies = Study.objects.filter(pk=study_id, project=member.project_id)
    study = studies.select_related("sentence", "submission", "person").first()
    if study is None:
        raise NotYoursError("there is no study item {study_id} in this project", study_id=study_id)
    lock_sentence(study.sentence_id, member.project_id)
    close_study(study, CloseReason.WAIVED, by=member.person)
    update_slot_state(study.submission.slot_id, by=member.person)
    data = {"study": study.pk, "number": study.sentence.number, "note": words}
    Notice.objects.tell([study.person_id], member.project_id, "study_waived", data)
    audit.record_by(member, "study.waived", about=("study", study.pk), data={"note": words})
    return study
