"""Study items follow the golden set: what is not golden opens, what has become golden closes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.db.models import F
from django.utils import timezone

from gecbench.server.laws.names import CloseReason, Decision, StudyState
from gecbench.server.models import Golden, Notice, Person, Reference, Sentence, Study, Submission
from gecbench.server.workflow.candidates import current_submissions, golden_rows
from gecbench.server.workflow.errors import ConflictError

_BY_GOLDEN = (CloseReason.GOLDEN_CHANGED, CloseReason.UPHELD)
"""Items that closed because a golden set agreed open again when a later one does not."""


def sync(golden: Golden) -> int:
    """Open and close items for a new golden version (STU-1, 5, 8), with notices; return opened.

    Called inside the transaction that makes the version. What its author mended, or a manager
    waived, stays closed.
    """
    sentence = golden.sentence
    keys = set(golden_rows(golden))
    before = set(golden_rows(sentence.goldens.filter(version=golden.version - 1).first()))
    opened: Counter[Person] = Counter()
    closed: Counter[Person] = Counter()
    rows = {(one.submission_id, one.reference_id): one for one in sentence.studies.all()}
    for submission, reference, key in claims_of(sentence):
        study = rows.get((submission.pk, None if reference is None else reference.pk))
        if key in keys:
            if study is not None and study.state == StudyState.OPEN:
                close(study, CloseReason.GOLDEN_CHANGED)
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


def claims_of(sentence: Sentence) -> Iterator[tuple[Submission, Reference | None, str]]:
    """Yield what each annotator's last submission says: each reference, or the decision."""
    for submission in current_submissions(sentence):
        if submission.decision != Decision.CORRECTED:
            yield submission, None, submission.decision
        for reference in submission.references.order_by("position", "pk"):
            yield submission, reference, reference.digest


def key_of(study: Study) -> str:
    """Return the key of what an item is about: the text's digest, or the decision."""
    return study.submission.decision if study.reference is None else study.reference.digest


def close(study: Study, why: CloseReason, *, by: Person | None = None) -> None:
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
