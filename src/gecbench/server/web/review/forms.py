"""What a reviewer's page sends and keeps as a draft, and the answer that is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from django.http import QueryDict
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, ValidationError

from gecbench.server.choices import Decision, NotAnnotatableReason, RejectReason
from gecbench.server.rules.text import key
from gecbench.server.web.errors import MalformedError
from gecbench.server.web.review.differences import Row
from gecbench.server.workflow.answers import MOST_MS, Addition, ReviewAnswer, VerdictAnswer
from gecbench.server.workflow.golden import Candidate


class RowInput(BaseModel):
    """What was said of one candidate.

    `correct` is None while nothing was said. `section` cites the guideline, `modified` is the box
    with the modified text, None where it is not open, `off` are the numbers of the edits that were
    put back to the source.
    """

    model_config = ConfigDict(frozen=True)

    correct: StrictBool | None = None
    reasons: tuple[RejectReason, ...] = ()
    note: str = ""
    section: str = ""
    modified: str | None = None
    off: tuple[StrictInt, ...] = ()


class ReviewInput(BaseModel):
    """All that the page holds.

    `rows` are by the key of the candidate, `additions` the boxes with further texts, `reason` is
    why it cannot be annotated, `note` about the sentence, `confirmed` that warnings were seen.
    """

    model_config = ConfigDict(frozen=True)

    decision: Decision = Decision.CORRECTED
    rows: dict[str, RowInput] = {}
    additions: Annotated[tuple[str, ...], Field(max_length=50)] = ()
    reason: NotAnnotatableReason | Literal[""] = ""
    note: str = ""
    confirmed: StrictBool | None = None
    active_ms: Annotated[StrictInt, Field(ge=0)] = 0


def parse_review(data: object) -> ReviewInput:
    """Validate JSON of the page.

    Raises:
        MalformedError: It is not of that shape.
    """
    try:
        return ReviewInput.model_validate(data)
    except ValidationError as error:
        raise MalformedError("no page sends such a review") from error


def parse_form(post: QueryDict, keys: Sequence[str]) -> ReviewInput:
    """Read a form that was sent without scripts; its fields are numbered by the candidates."""
    verdicts = {"correct": True, "wrong": False}
    rows = {
        key: {
            "correct": verdicts.get(post.get(f"verdict-{n}", "")),
            "reasons": post.getlist(f"reasons-{n}"),
            "note": post.get(f"note-{n}", ""),
            "section": post.get(f"section-{n}", ""),
            "modified": post.get(f"modified-{n}", "").strip() or None,
        }
        for n, key in enumerate(keys)
    }
    data = {name: post[name] for name in ("decision", "reason", "note") if name in post}
    additions = [text for text in post.getlist("addition") if text.strip()]
    confirmed = post.get("confirmed") == "yes"
    return parse_review({**data, "rows": rows, "additions": additions, "confirmed": confirmed})


def build_answer(
    review: ReviewInput, candidates: Sequence[Candidate], rows: Mapping[str, Row]
) -> ReviewAnswer:
    """Make the answer that the workflow takes.

    Args:
        review: What the page holds.
        candidates: In the order of the page.
        rows: Key of a text to its aligned row, which knows what restoring gives.
    """
    verdicts = [
        VerdictAnswer(
            candidate.key,
            row.correct,
            () if row.correct else tuple(dict.fromkeys(row.reasons)),
            row.note,
            "" if row.correct else row.section,
        )
        for candidate, row in _candidate_inputs(review, candidates)
        if row.correct is not None
    ]
    modified = [
        Addition(row.modified or "", candidate.key, _is_restored(row, rows.get(candidate.key)))
        for _, candidate, row in _modified_rows(review, candidates)
    ]
    return ReviewAnswer(
        review.decision,
        verdicts,
        [*modified, *(Addition(text) for text in review.additions)],
        review.reason if review.decision == Decision.NOT_ANNOTATABLE else "",
        review.note,
        bool(review.confirmed),
        min(review.active_ms, MOST_MS),
    )


def _candidate_inputs(
    review: ReviewInput, candidates: Sequence[Candidate]
) -> Iterator[tuple[Candidate, RowInput]]:
    for candidate in candidates:
        yield candidate, review.rows.get(candidate.key, RowInput())


def cited_sections(
    review: ReviewInput, candidates: Sequence[Candidate]
) -> Iterator[tuple[int, str]]:
    """The place of each row that is judged wrong, and the section that it cites as typed."""
    for n, (_, row) in enumerate(_candidate_inputs(review, candidates)):
        if row.correct is False:
            yield n, row.section


def _open_boxes(
    review: ReviewInput, candidates: Sequence[Candidate]
) -> Iterator[tuple[int, Candidate, RowInput]]:
    for n, (candidate, row) in enumerate(_candidate_inputs(review, candidates)):
        if row.correct is False and row.modified is not None:
            yield n, candidate, row


def _modified_rows(
    review: ReviewInput, candidates: Sequence[Candidate]
) -> Iterator[tuple[int, Candidate, RowInput]]:
    """The boxes that hold a text of their own.

    One that is judged correct anyway is there already, and the rejected text itself is none: a box
    begins with it, and opens by itself when the reason is over-correction.
    """
    repeated = rows_equal_to_correct(review, candidates)
    for n, candidate, row in _open_boxes(review, candidates):
        if n not in repeated and key(row.modified or "") != key(candidate.text):
            yield n, candidate, row


def rows_equal_to_correct(review: ReviewInput, candidates: Sequence[Candidate]) -> dict[int, int]:
    """Map rows whose modified text is another row's text that is judged correct to that row.

    Such a box derives a golden text (REV-9), and adds none: it is there already.
    """
    right = {
        key(candidate.text): n
        for n, (candidate, row) in enumerate(_candidate_inputs(review, candidates))
        if candidate.text and row.correct
    }
    equal = {n: right.get(key(row.modified or "")) for n, _, row in _open_boxes(review, candidates)}
    return {n: other for n, other in equal.items() if other is not None}


def _is_restored(row: RowInput, aligned: Row | None) -> bool:
    """Say whether a modified text is the rejected one with some edits put back, and no more."""
    if aligned is None or row.modified is None or not row.off:
        return False
    return key(aligned.restored(row.off)) == key(row.modified)


@dataclass(frozen=True, slots=True)
class Locations:
    """Where on the page the fields of a Problem are.

    Args:
        fields: Field of a Problem to the id of a part of the page.
        golden: The parts that hold the golden texts, in the order of the golden set.
    """

    fields: Mapping[str, str]
    golden: tuple[str, ...]


def locate_fields(review: ReviewInput, candidates: Sequence[Candidate]) -> Locations:
    """Find where problems are shown; the workflow counts additions, the page counts boxes."""
    boxes = [
        *(f"modified-{n}" for n, _, _ in _modified_rows(review, candidates)),
        *(f"addition-{n}" for n in range(len(review.additions))),
    ]
    fields = {name: name for name in ("decision", "reason", "note")}
    fields |= {f"verdict-{n}": f"row-{n}" for n in range(len(candidates))}
    fields |= {f"section-{n}": f"section-{n}" for n in range(len(candidates))}
    fields |= {f"addition-{n}": box for n, box in enumerate(boxes)}
    right = [
        f"row-{n}"
        for n, (candidate, row) in enumerate(_candidate_inputs(review, candidates))
        if candidate.text and row.correct
    ]
    return Locations(fields, (*right, *boxes))
