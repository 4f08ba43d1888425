"""What a reviewer's page sends, and keeps as a draft: read with care, and made into an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from django.http import QueryDict

from gecbench.server.choices import Decision, NotAnnotatableReason, RejectReason
from gecbench.server.rules.text import key
from gecbench.server.web.review.differences import Row
from gecbench.server.workflow.answers import Addition, ReviewAnswer, VerdictGiven
from gecbench.server.workflow.errors import Problem, RefusedError
from gecbench.server.workflow.reviews import Candidate

MOST_ADDITIONS = 50
_LONGEST_DAY = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class RowGiven:
    """What was said of one candidate.

    Args:
        correct: Right, wrong, or None while nothing was said.
        reasons: Names of RejectReason.
        note: Free words.
        section: The guideline's section that is cited.
        modified: The box with the mended text; None where it is not open.
        off: Numbers of the edits that were put back to the source.
    """

    correct: bool | None = None
    reasons: tuple[str, ...] = ()
    note: str = ""
    section: str = ""
    modified: str | None = None
    off: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewGiven:
    """All that the page holds.

    Args:
        decision: Of the sentence.
        rows: Key of a candidate to what was said of it.
        additions: The boxes with further texts.
        reason: Why it cannot be annotated.
        note: Words about the sentence.
        confirmed: Warnings were seen.
        active_ms: Milliseconds of real work.
    """

    decision: str = Decision.CORRECTED.value
    rows: Mapping[str, RowGiven] = field(default_factory=dict)
    additions: tuple[str, ...] = ()
    reason: str = ""
    note: str = ""
    confirmed: bool = False
    active_ms: int = 0


class _Reader:
    """Takes values out of JSON and says which one is of the wrong kind."""

    def __init__(self, data: object, what: str) -> None:
        if not isinstance(data, Mapping):
            raise _malformed(what, data)
        self.data, self.what = data, what

    def text(self, name: str) -> str:
        value = self.data.get(name, "")
        return value if isinstance(value, str) else self._wrong(name)

    def optional_text(self, name: str) -> str | None:
        return None if self.data.get(name) is None else self.text(name)

    def truth(self, name: str) -> bool | None:
        value = self.data.get(name)
        return value if value is None or isinstance(value, bool) else self._wrong(name)

    def number(self, name: str) -> int:
        value = self.data.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            return self._wrong(name)
        return min(value, _LONGEST_DAY)

    def texts(self, name: str, most: int = MOST_ADDITIONS) -> tuple[str, ...]:
        value = self.data.get(name, [])
        if isinstance(value, list) and len(value) <= most:
            return tuple(one if isinstance(one, str) else self._wrong(name) for one in value)
        return self._wrong(name)

    def one_of(self, name: str, known: Iterable[str], default: str) -> str:
        value = self.data.get(name, default)
        return value if isinstance(value, str) and value in set(known) else self._wrong(name)

    def _wrong(self, name: str) -> NoReturn:
        raise _malformed(f"{self.what}.{name}", self.data.get(name))


def _malformed(what: str, value: object) -> RefusedError:
    message = f"{what} is {value!r:.60}, which the page never sends; load the page anew"
    return RefusedError([Problem("form", "", message)])


def read_given(data: object) -> ReviewGiven:
    """Return what JSON of the page holds.

    Raises:
        RefusedError: It is not of that shape; the problem says where.
    """
    reader = _Reader(data, "review")
    rows = _Reader(reader.data.get("rows", {}), "review.rows").data
    return ReviewGiven(
        decision=reader.one_of("decision", Decision, Decision.CORRECTED),
        rows={str(name): _row(one, str(name)) for name, one in rows.items()},
        additions=reader.texts("additions"),
        reason=reader.one_of("reason", ("", *NotAnnotatableReason), ""),
        note=reader.text("note"),
        confirmed=bool(reader.truth("confirmed")),
        active_ms=reader.number("active_ms"),
    )


def _row(data: object, name: str) -> RowGiven:
    reader = _Reader(data, f"review.rows.{name[:12]}")
    reasons = reader.texts("reasons")
    unknown = [one for one in reasons if one not in set(RejectReason)]
    if unknown:
        raise _malformed(f"{reader.what}.reasons", unknown[0])
    off = reader.data.get("off", [])
    if not isinstance(off, list) or not all(type(one) is int for one in off):
        raise _malformed(f"{reader.what}.off", off)
    return RowGiven(
        correct=reader.truth("correct"),
        reasons=tuple(dict.fromkeys(reasons)),
        note=reader.text("note"),
        section=reader.text("section"),
        modified=reader.optional_text("modified"),
        off=tuple(off),
    )


def form_given(post: QueryDict, keys: Sequence[str]) -> ReviewGiven:
    """Return what a form without scripts holds; its fields are numbered by the candidates."""
    rows = {}
    for n, name in enumerate(keys):
        verdict = post.get(f"verdict-{n}")
        rows[name] = {
            "correct": None if verdict not in {"correct", "wrong"} else verdict == "correct",
            "reasons": post.getlist(f"reasons-{n}"),
            "note": post.get(f"note-{n}", ""),
            "section": post.get(f"section-{n}", ""),
            "modified": post.get(f"modified-{n}", "").strip() or None,
        }
    data = {
        "decision": post.get("decision", Decision.CORRECTED),
        "rows": rows,
        "additions": [text for text in post.getlist("addition") if text.strip()],
        "reason": post.get("reason", ""),
        "note": post.get("note", ""),
        "confirmed": post.get("confirmed") == "yes",
    }
    return read_given(data)


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
        VerdictGiven(
            one.key,
            row.correct,
            () if row.correct else tuple(RejectReason(name) for name in row.reasons),
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
        Decision(given.decision),
        verdicts,
        [*mended, *(Addition(text) for text in given.additions)],
        given.reason if given.decision == Decision.NOT_ANNOTATABLE else "",
        given.note,
        given.confirmed,
        given.active_ms,
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
