"""What the review pages show: the task, its candidates side by side, and what was said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone

from gecbench.server.laws.keys import tables
from gecbench.server.laws.names import Decision, SentenceState, TaskState
from gecbench.server.models import Draft, Member, ReviewTask
from gecbench.server.web.review.alignment import Row, align
from gecbench.server.web.review.citing import section_names
from gecbench.server.web.review.drawing import Drawn, drawn
from gecbench.server.web.review.given import ReviewGiven, RowGiven, read_given
from gecbench.server.web.review.words import (
    DECISIONS,
    not_annotatable_reasons,
    page_words,
    reject_reasons,
)
from gecbench.server.workflow.errors import RefusedError
from gecbench.server.workflow.reviews import Candidate, candidates


@dataclass(frozen=True, slots=True)
class Choice:
    """One reason and whether it is chosen."""

    name: str
    words: str
    section: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class ShownCell:
    """One cell of an aligned text, ready for the template."""

    region: int | None
    changed: bool
    split: bool
    drawn: tuple[Drawn, ...]


@dataclass(frozen=True, slots=True)
class Switch:
    """One edit that can be put back to the source (REV-9)."""

    number: int
    on: bool
    drawn: tuple[Drawn, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """One candidate as the page shows it.

    Args:
        n: Place, from 0.
        candidate: What was submitted.
        row: The aligned text; None for a decision.
        cells: What is drawn of it.
        switches: Its edits.
        decision: Name of the decision; "" for a text.
        given: What was said of it so far.
        reasons: What it can be rejected for.
        said: Reasons that annotators gave, in words.
    """

    n: int
    candidate: Candidate
    row: Row | None
    cells: tuple[ShownCell, ...]
    switches: tuple[Switch, ...]
    decision: str
    given: RowGiven
    reasons: tuple[Choice, ...]
    said: tuple[tuple[str, str], ...]

    @property
    def number(self) -> int:
        """Place as people count."""
        return self.n + 1


@dataclass(frozen=True, slots=True)
class Review:
    """A review task with all that its page and its answer need."""

    task: ReviewTask
    shown: tuple[Shown, ...]
    source_cells: tuple[ShownCell, ...]
    given: ReviewGiven
    rev: int
    saved_at: str
    mine: bool

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates in the order shown."""
        return tuple(one.candidate for one in self.shown)

    @property
    def rows(self) -> Mapping[str, Row]:
        """Key of a text to its aligned row."""
        return {one.candidate.key: one.row for one in self.shown if one.row is not None}

    @property
    def annotators(self) -> int:
        """How many people submitted; one of them may have written several texts."""
        return self.task.sentence.submitted

    @property
    def texts(self) -> int:
        """How many distinct texts there are."""
        return len(self.rows)


def is_mine(task: ReviewTask, member: Member) -> bool:
    """Return whether a member holds a task now."""
    return task.state == TaskState.OPEN and task.reviewer_id == member.person_id


def review_of(member: Member, task: ReviewTask, given: ReviewGiven | None = None) -> Review:
    """Return a task as its page shows it.

    Args:
        given: What was just sent; None takes the member's draft.
    """
    found = candidates(task, member)
    rules = member.project.rules
    alignment = align(
        task.sentence.text,
        [one.text for one in found if one.text],
        lang=member.project.lang,
        placeholder=rules.placeholder,
    )
    draft = None if given else Draft.objects.filter(task=task, person=member.person).first()
    held = given or _drafted(draft)
    rows = iter(alignment.rows)
    shown = tuple(
        _shown(
            n,
            one,
            next(rows) if one.text else None,
            held.rows.get(one.key, RowGiven()),
            rules.placeholder,
        )
        for n, one in enumerate(found)
    )
    return Review(
        task=task,
        shown=shown,
        source_cells=cells_of(alignment.source, rules.placeholder),
        given=held,
        rev=draft.rev if draft else 0,
        saved_at=draft.saved_at.isoformat() if draft else "",
        mine=is_mine(task, member),
    )


def _drafted(draft: Draft | None) -> ReviewGiven:
    """Return what a draft holds; one that an older page wrote may mean nothing now."""
    try:
        return read_given(draft.payload) if draft else ReviewGiven()
    except RefusedError:
        return ReviewGiven()


def _shown(
    n: int, candidate: Candidate, row: Row | None, given: RowGiven, placeholder: str
) -> Shown:
    reasons = tuple(
        Choice(one.name, one.words, one.section, one.name in given.reasons)
        for one in reject_reasons()
    )
    known = {one.name: one.words for one in not_annotatable_reasons()}
    return Shown(
        n,
        candidate,
        row,
        cells_of(row, placeholder) if row else (),
        _switches(row, given, placeholder) if row else (),
        "" if row else str(DECISIONS[Decision(candidate.key)]),
        given,
        reasons,
        tuple((known.get(name, name), note) for name, note in candidate.reasons),
    )


def cells_of(row: Row, placeholder: str) -> tuple[ShownCell, ...]:
    """Return the cells of an aligned text, ready for the template."""
    return tuple(
        ShownCell(
            one.region,
            one.changed,
            one.split,
            drawn((mark.piece for mark in one.marks), placeholder),
        )
        for one in row.cells
    )


def _switches(row: Row, given: RowGiven, placeholder: str) -> tuple[Switch, ...]:
    return tuple(
        Switch(number, number not in given.off, drawn((m.piece for m in marks), placeholder))
        for number, marks in enumerate(row.switches, 1)
    )


def context(review: Review, member: Member) -> dict[str, object]:
    """Return what the template of a review needs."""
    task = review.task
    kind = "mine" if review.mine else _why_not(task)
    return {
        "review": review,
        "task": task,
        "sentence": task.sentence,
        "kind": kind,
        "not_annotatable": [
            (one, one.name == review.given.reason) for one in not_annotatable_reasons()
        ],
        "sections": section_names(member.project.guideline),
        "data": _data(review, member),
        "words": page_words(),
        "client_key": uuid4(),
        "addresses": _addresses(member, task.sentence_id),
    }


def _why_not(task: ReviewTask) -> str:
    if task.sentence.state == SentenceState.WITHDRAWN:
        return "withdrawn"
    if task.state == TaskState.OPEN and task.lease_until and task.lease_until > timezone.now():
        return "held"
    return "done" if task.state in {TaskState.DONE, TaskState.RETURNED} else "free"


def next_address(member: Member) -> str:
    """Return where the next review is."""
    return reverse("review", args=(member.project.slug,))


def _addresses(member: Member, sentence_id: int) -> dict[str, str]:
    slug = member.project.slug
    return {
        name: reverse(f"review-{name}", args=(slug, sentence_id))
        for name in ("sentence", "draft", "examine", "finalise", "hand", "second", "more")
    } | {"next": next_address(member), "login": reverse("login")}


def _data(review: Review, member: Member) -> dict[str, object]:
    """Return what the page's script needs."""
    rules = member.project.rules
    return {
        "source": review.task.sentence.text,
        "lang": member.project.lang,
        "placeholder": rules.placeholder,
        "keys": asdict(tables(member.person.preferences.get("keys"), screen="review")),
        "version": review.task.version,
        "task": review.task.pk,
        "rev": review.rev,
        "at": review.saved_at,
        "person": member.person_id,
        "activeMs": review.given.active_ms,
        "urls": _addresses(member, review.task.sentence_id),
        "rows": [_row_data(one) for one in review.shown],
    }


def _row_data(shown: Shown) -> dict[str, object]:
    marks = shown.row.marks if shown.row else ()
    return {
        "key": shown.candidate.key,
        "text": shown.candidate.text,
        "pieces": [
            {"source": mark.piece.source, "target": mark.piece.target, "switch": mark.switch}
            for mark in marks
        ],
        "off": list(shown.given.off),
    }
