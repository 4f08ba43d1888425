"""What a reviewer's page sends, and keeps as a draft: read with care, and made into an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from django.http import QueryDict
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, ValidationError

from gecbench.server.choices import Decision, NotAnnotatableReason, RejectReason
from gecbench.server.rules.text import key
from gecbench.server.web.review.differences import Row
from gecbench.server.workflow.answers import MOST_MS, Addition, ReviewAnswer, VerdictAnswer
from gecbench.server.workflow.errors import Problem, RefusedError
from gecbench.server.workflow.golden import Candidate


class RowGiven(BaseModel):
    """What was said of one candidate.

    `correct` is None while nothing was said. `section` cites the guideline, `modified` is the box
    with the mended text, None where it is not open, `off` are the numbers of the edits that were
    put back to the source.
    """

    model_config = ConfigDict(frozen=True)

    correct: StrictBool | None = None
    reasons: tuple[RejectReason, ...] = ()
    note: str = ""
    section: str = ""
    modified: str | None = None
    off: tuple[StrictInt, ...] = ()


class ReviewGiven(BaseModel):
    """All that the page holds.

    `rows` are by the key of the candidate, `additions` the boxes with further texts, `reason` is
    why it cannot be annotated, `note` about the sentence, `confirmed` that warnings were seen.
    """

    model_config = ConfigDict(frozen=True)

    decision: Decision = Decision.CORRECTED
    rows: dict[str, RowGiven] = {}
    additions: Annotated[tuple[str, ...], Field(max_length=50)] = ()
    reason: NotAnnotatableReason | Literal[""] = ""
    note: str = ""
    confirmed: StrictBool | None = None
    active_ms: Annotated[StrictInt, Field(ge=0)] = 0


def read_given(data: object) -> ReviewGiven:
    """Return what JSON of the page holds.

    Raises:
        RefusedError: It is not of that shape; the problem says where.
    """
    try:
        return ReviewGiven.model_validate(data)
    except ValidationError as error:
        message = f"the page never sends this; load it anew: {error}"
        raise RefusedError([Problem("form", "", message)]) from error


def form_given(post: QueryDict, keys: Sequence[str]) -> ReviewGiven:
    """Return what a form without scripts holds; its fields are numbered by the candidates."""
    verdicts = {"correct": True, "wrong": False}
    rows = {
        name: {
            "correct": verdicts.get(post.get(f"verdict-{n}", "")),
            "reasons": post.getlist(f"reasons-{n}"),
            "note": post.get(f"note-{n}", ""),
            "section": post.get(f"section-{n}", ""),
            "modified": post.get(f"modified-{n}", "").strip() or None,
        }
        for n, name in enumerate(keys)
    }
    data = {name: post[name] for name in ("decision", "reason", "note") if name in post}
    additions = [text for text in post.getlist("addition") if text.strip()]
    confirmed = post.get("confirmed") == "yes"
    return read_given({**data, "rows": rows, "additions": additions, "confirmed": confirmed})


def answer_of(
    given: ReviewGiven, shown: Sequence[Candidate], rows: Mapping[str, Row]
) -> ReviewAnswer:
    """Return the answer that the workflow takes.

    Args:
        given: What the page holds.
        shown: The candidates, in the order of the page.
        rows: Key of a text to its aligned row, which knows what restoring gives.
    """
    verdicts = [
        VerdictAnswer(
            one.key,
            row.correct,
            () if row.correct else tuple(dict.fromkeys(row.reasons)),
            row.note,
            "" if row.correct else row.section,
        )
        for one, row in _said(given, shown)
        if row.correct is not None
    ]
    mended = [
        Addition(row.modified or "", one.key, _restored(row, rows.get(one.key)))
        for _, one, row in _mended(given, shown)
    ]
    return ReviewAnswer(
        given.decision,
        verdicts,
        [*mended, *(Addition(text) for text in given.additions)],
        given.reason if given.decision == Decision.NOT_ANNOTATABLE else "",
        given.note,
        bool(given.confirmed),
        min(given.active_ms, MOST_MS),
    )


def _said(given: ReviewGiven, shown: Sequence[Candidate]) -> Iterator[tuple[Candidate, RowGiven]]:
    for one in shown:
        yield one, given.rows.get(one.key, RowGiven())


def cited_sections(given: ReviewGiven, shown: Sequence[Candidate]) -> Iterator[tuple[int, str]]:
    """Yield the place of each row that is judged wrong, and the section that it cites as typed."""
    for n, (_, row) in enumerate(_said(given, shown)):
        if row.correct is False:
            yield n, row.section


def _open_boxes(
    given: ReviewGiven, shown: Sequence[Candidate]
) -> Iterator[tuple[int, Candidate, RowGiven]]:
    for n, (one, row) in enumerate(_said(given, shown)):
        if row.correct is False and row.modified is not None:
            yield n, one, row


def _mended(
    given: ReviewGiven, shown: Sequence[Candidate]
) -> Iterator[tuple[int, Candidate, RowGiven]]:
    """Yield the boxes that hold a text of their own.

    One that is judged correct anyway is there already, and the rejected text itself is none: a box
    begins with it, and opens by itself when the reason is over-correction.
    """
    twins = set(same_as_correct(given, shown))
    for n, one, row in _open_boxes(given, shown):
        if n not in twins and key(row.modified or "") != key(one.text):
            yield n, one, row


def same_as_correct(given: ReviewGiven, shown: Sequence[Candidate]) -> dict[int, int]:
    """Return which rows' mended texts equal which row's text that is judged correct.

    Such a box derives a golden text (REV-9), and adds none: it is there already.
    """
    right = {
        key(one.text): n
        for n, (one, row) in enumerate(_said(given, shown))
        if one.text and row.correct
    }
    found = {n: right.get(key(row.modified or "")) for n, _, row in _open_boxes(given, shown)}
    return {n: other for n, other in found.items() if other is not None}


def _restored(row: RowGiven, aligned: Row | None) -> bool:
    """Return whether a mended text is the rejected one with some edits put back, and no more."""
    if aligned is None or row.modified is None or not row.off:
        return False
    return key(aligned.restored(row.off)) == key(row.modified)


@dataclass(frozen=True, slots=True)
class Places:
    """Where on the page the fields of a Problem are.

    Args:
        fields: Field of a Problem to the id of a part of the page.
        golden: The parts that hold the golden texts, in the order of the golden set.
    """

    fields: Mapping[str, str]
    golden: tuple[str, ...]


def places(given: ReviewGiven, shown: Sequence[Candidate]) -> Places:
    """Return where problems are shown; the workflow counts additions, the page counts boxes."""
    boxes = [
        *(f"modified-{n}" for n, _, _ in _mended(given, shown)),
        *(f"addition-{n}" for n in range(len(given.additions))),
    ]
    fields = {name: name for name in ("decision", "reason", "note")}
    fields |= {f"verdict-{n}": f"row-{n}" for n in range(len(shown))}
    fields |= {f"section-{n}": f"section-{n}" for n in range(len(shown))}
    fields |= {f"addition-{n}": box for n, box in enumerate(boxes)}
    right = [
        f"row-{n}" for n, (one, row) in enumerate(_said(given, shown)) if one.text and row.correct
    ]
    return Places(fields, (*right, *boxes))
