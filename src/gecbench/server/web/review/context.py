"""What the review page shows and sends: the task, its candidates and their verdicts; the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Literal
from uuid import uuid4

from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from gecbench.server import models
from gecbench.server.choices import (
    Decision,
    NotAnnotatableReason,
    RejectReason,
    Role,
    SentenceState,
    TaskState,
    label_of,
)
from gecbench.server.models import Draft, Member, ReviewTask
from gecbench.server.rules.keys import tables
from gecbench.server.rules.text import TextError, clean, key
from gecbench.server.web.annotation import context_address
from gecbench.server.web.differences import (
    Row,
    align,
    render_diff,
    render_pieces,
    render_row,
)
from gecbench.server.web.errors import MalformedError
from gecbench.server.web.guidelines import (
    Citation,
    citation_problem,
    cite,
    find_section,
    section_names,
)
from gecbench.server.web.http import validate
from gecbench.server.web.messages import (
    problem_message,
    review_messages,
)
from gecbench.server.workflow import reviews
from gecbench.server.workflow.answers import MOST_MS, Addition, ReviewAnswer, VerdictAnswer
from gecbench.server.workflow.drafts import payload_of_review
from gecbench.server.workflow.errors import (
    Problem,
    RefusedError,
)
from gecbench.server.workflow.golden import Candidate, check_consistency
from gecbench.server.workflow.reviews import candidates
from gecbench.server.workflow.submissions import keep_refused


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
    data: dict[str, object] = {
        name: post[name] for name in ("decision", "reason", "note") if name in post
    }
    additions = [text for text in post.getlist("addition") if text.strip()]
    confirmed = post.get("confirmed") == "yes"
    data |= {"rows": rows, "additions": additions, "confirmed": confirmed}
    return validate(data, ReviewInput)


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


# What the workflow says of a review, made to fit the page.


def final_answer(review: ReviewPage, member: Member) -> ReviewAnswer:
    """Make the answer that is submitted.

    A text rejected for over-correction whose restored form is another text that is judged correct
    is final_answer (REV-9): nobody has to confirm that no text was made of it.

    Raises:
        RefusedError: A section is cited that the guideline has not; the review is kept (INV-10).
    """
    answer = _answer(review)
    if any(_citation_problems(review)):
        sent = build_answer(review.input, review.candidates, review.aligned)
        keep_refused(member, review.task.sentence_id, sent, Role.REVIEWER)
        raise RefusedError(check_review(review))
    if not rows_equal_to_correct(review.input, review.candidates) or answer.confirmed:
        return answer
    return answer if check_review(review) else replace(answer, confirmed=True)


def check_review(review: ReviewPage, *, live: bool = False) -> tuple[Problem, ...]:
    """Say what is wrong with a review.

    Args:
        review: As the page shows it.
        live: Whether rules of consistency are asked even while something is not judged yet.
    """
    answer = _answer(review)
    problems = [*reviews.check_answer(review.task, answer), *_citation_problems(review)]
    if (
        live
        and answer.decision == Decision.CORRECTED
        and any(problem.blocking for problem in problems)
    ):
        codes = {(problem.code, problem.field) for problem in problems}
        problems += [
            problem
            for problem in _consistency_problems(review, answer)
            if (problem.code, problem.field) not in codes
        ]
    return drop_settled(review, problems)


def drop_settled(review: ReviewPage, problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Leave out the warnings about rows that another row's text settles (REV-9)."""
    settled = {f"verdict-{n}" for n in rows_equal_to_correct(review.input, review.candidates)}
    return tuple(
        problem for problem in problems if problem.code != "REV-9" or problem.field not in settled
    )


def _answer(review: ReviewPage) -> ReviewAnswer:
    """Make the answer as the workflow takes it: sections by their ids."""
    answer = build_answer(review.input, review.candidates, review.aligned)
    guideline = review.task.project.guideline
    verdicts = [
        replace(verdict, section=find_section(guideline, verdict.section))
        if verdict.section
        else verdict
        for verdict in answer.verdicts
    ]
    return replace(answer, verdicts=verdicts)


def _citation_problems(review: ReviewPage) -> Iterator[Problem]:
    """Which rows cite what is no section of the guideline."""
    for n, text in cited_sections(review.input, review.candidates):
        problem = citation_problem(review.task.project.guideline, text, f"section-{n}")
        if problem is not None:
            yield problem


def _consistency_problems(review: ReviewPage, answer: ReviewAnswer) -> tuple[Problem, ...]:
    right = {verdict.key for verdict in answer.verdicts if verdict.correct}
    texts = [
        (f"verdict-{n}", candidate.text)
        for n, candidate in enumerate(review.candidates)
        if candidate.text and candidate.key in right
    ]
    texts += [
        (f"addition-{n}", addition.text)
        for n, addition in enumerate(answer.additions)
        if addition.text.strip() and _is_text(addition.text)
    ]
    if not texts:
        return ()
    fields, written = zip(*texts, strict=True)
    return check_consistency(review.task.sentence, Decision.CORRECTED, written, fields)


def _is_text(text: str) -> bool:
    # What is wrong with one that could not be kept is a problem already.
    try:
        clean(text)
    except TextError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Switch:
    """One edit that can be put back to the source (REV-9)."""

    number: int
    on: bool
    html: SafeString


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate as the page shows it.

    Args:
        n: Place, from 0.
        candidate: What was submitted.
        aligned: The aligned text; None for a decision.
        html: The aligned text as HTML; "" for a decision.
        switches: Its edits.
        decision: Name of the decision; "" for a text.
        input: What the reviewer says of it so far.
        reasons: What it can be rejected for, and whether that is chosen.
        annotator_reasons: Reasons and notes that annotators gave.
        golden_html: In a review that is over, the golden text made of it, as a difference.
        citation: Likewise, the section of the guideline that was cited.
    """

    n: int
    candidate: Candidate
    aligned: Row | None
    html: str
    switches: tuple[Switch, ...]
    decision: str
    input: RowInput
    reasons: tuple[tuple[RejectReason, bool], ...]
    annotator_reasons: tuple[tuple[str, str], ...]
    golden_html: str = ""
    citation: Citation | None = None

    @property
    def number(self) -> int:
        """Place as people count."""
        return self.n + 1


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """A review task with all that its page and its answer need."""

    task: ReviewTask
    rows: tuple[CandidateRow, ...]
    source_html: SafeString
    input: ReviewInput
    rev: int
    saved_at: str
    mine: bool
    done: models.Review | None = None

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates in the order shown."""
        return tuple(row.candidate for row in self.rows)

    @property
    def aligned(self) -> Mapping[str, Row]:
        """Key of a text to its aligned row."""
        return {row.candidate.key: row.aligned for row in self.rows if row.aligned is not None}

    @property
    def annotators(self) -> int:
        """How many people submitted; one of them may have written several texts."""
        return self.task.sentence.submitted

    @property
    def texts(self) -> int:
        """How many distinct texts there are."""
        return len(self.aligned)


def is_mine(task: ReviewTask, member: Member) -> bool:
    """Say whether a member holds a task now."""
    return task.state == TaskState.OPEN and task.reviewer_id == member.person_id


def load_review(member: Member, task: ReviewTask, sent: ReviewInput | None = None) -> ReviewPage:
    """Load a task with all that its page shows.

    Args:
        sent: What was just sent; None takes what was decided, or the member's draft.
    """
    over = task.state == TaskState.DONE and sent is None
    done = models.Review.objects.filter(task=task).first() if over else None
    draft = None if sent or done else Draft.objects.filter(task=task, person=member.person).first()
    review = validate(payload_of_review(done), ReviewInput) if done else sent or _read_draft(draft)
    visible = [
        candidate
        for candidate in candidates(task, member)
        if not done or candidate.key in review.rows
    ]
    rules = member.project.rules
    alignment = align(
        task.sentence.text,
        [candidate.text for candidate in visible if candidate.text],
        lang=member.project.lang,
        placeholder=rules.placeholder,
    )
    rows = iter(alignment.rows)
    candidate_rows = tuple(
        _candidate_row(
            n,
            candidate,
            next(rows) if candidate.text else None,
            review.rows.get(candidate.key, RowInput()),
            task,
            done=done is not None,
        )
        for n, candidate in enumerate(visible)
    )
    return ReviewPage(
        task=task,
        rows=candidate_rows,
        source_html=render_row(alignment.source, rules.placeholder),
        input=review,
        rev=draft.rev if draft else 0,
        saved_at=draft.saved_at.isoformat() if draft else "",
        mine=is_mine(task, member),
        done=done,
    )


def _outcome(review: ReviewPage) -> dict[str, object] | None:
    """What the page of a review that is over says of the whole sentence."""
    done = review.done
    if done is None:
        return None
    project, source = review.task.project, review.task.sentence.text
    return {
        "review": done,
        "label": review.input.decision.heading,
        "reason": label_of(NotAnnotatableReason, done.reason),
        "additions": [render_diff(project, source, text) for text in review.input.additions],
    }


def _read_draft(draft: Draft | None) -> ReviewInput:
    # One that an older page wrote may mean nothing now.
    try:
        return validate(draft.payload, ReviewInput) if draft else ReviewInput()
    except MalformedError:
        return ReviewInput()


def _candidate_row(
    n: int,
    candidate: Candidate,
    aligned: Row | None,
    row: RowInput,
    task: ReviewTask,
    *,
    done: bool,
) -> CandidateRow:
    project, placeholder = task.project, task.project.rules.placeholder
    reasons = tuple((reason, reason in row.reasons) for reason in RejectReason)
    return CandidateRow(
        n,
        candidate,
        aligned,
        render_row(aligned, placeholder) if aligned else "",
        _switches(aligned, row, placeholder) if aligned else (),
        "" if aligned else Decision(candidate.key).heading,
        row,
        reasons,
        tuple((label_of(NotAnnotatableReason, name), note) for name, note in candidate.reasons),
        render_diff(project, task.sentence.text, row.modified) if done and row.modified else "",
        cite(project.guideline, row.section) if done else None,
    )


def _switches(aligned: Row, row: RowInput, placeholder: str) -> tuple[Switch, ...]:
    return tuple(
        Switch(number, number not in row.off, render_pieces((m.piece for m in marks), placeholder))
        for number, marks in enumerate(aligned.switches, 1)
    )


def context(review: ReviewPage, member: Member) -> dict[str, object]:
    """The context of the template."""
    task = review.task
    kind = "mine" if review.mine else state_of(task)
    return {
        "review": review,
        "task": task,
        "sentence": task.sentence,
        "context": context_address(member.project.slug, task.sentence),
        "kind": kind,
        "reviews": member.has(Role.REVIEWER),
        "decided": _outcome(review),
        "not_annotatable": [
            (reason, reason == review.input.reason) for reason in NotAnnotatableReason
        ],
        "sections": section_names(member.project.guideline),
        "data": _script_data(review, member),
        "words": review_messages(),
        "client_key": uuid4(),
        "addresses": addresses(member, task.sentence_id),
    }


def state_of(task: ReviewTask) -> str:
    """What the page of a review says of a task that is not the reader's."""
    if task.sentence.state == SentenceState.WITHDRAWN:
        return "withdrawn"
    if task.state == TaskState.OPEN and task.lease_until and task.lease_until > timezone.now():
        return "held"
    return "done" if task.state in {TaskState.DONE, TaskState.RETURNED} else "free"


def keys(member: Member) -> dict[str, object]:
    """Which keys do what on the review page, by the member's own choice."""
    return asdict(tables(member.person.preferences.get("keys"), screen="review"))


def next_address(member: Member) -> str:
    """Where the next review is."""
    return reverse("review", args=(member.project.slug,))


def addresses(member: Member, sentence_id: int) -> dict[str, str]:
    """Where the page of a review sends what."""
    slug = member.project.slug
    return {
        name: reverse(f"review-{name}", args=(slug, sentence_id))
        for name in ("sentence", "draft", "examine", "finalise", "hand", "second", "more")
    } | {"next": next_address(member), "login": reverse("login")}


def _script_data(review: ReviewPage, member: Member) -> dict[str, object]:
    rules = member.project.rules
    return {
        "source": review.task.sentence.text,
        "lang": member.project.lang,
        "placeholder": rules.placeholder,
        "keys": keys(member),
        "version": review.task.version,
        "task": review.task.pk,
        "rev": review.rev,
        "at": review.saved_at,
        "person": member.person_id,
        "activeMs": review.input.active_ms,
        "urls": addresses(member, review.task.sentence_id),
        "rows": [_row_data(row) for row in review.rows],
    }


def _row_data(row: CandidateRow) -> dict[str, object]:
    marks = row.aligned.marks if row.aligned else ()
    return {
        "key": row.candidate.key,
        "text": row.candidate.text,
        "pieces": [
            {"source": mark.piece.source, "target": mark.piece.target, "switch": mark.switch}
            for mark in marks
        ],
        "off": list(row.input.off),
    }


def part_label(place: str) -> str:
    """What the page calls a part that holds a text: "text 2", "added text 1"."""
    kind, _, n = place.partition("-")
    number = {"number": int(n) + 1}
    if kind == "row":
        return gettext("text %(number)s") % number
    if kind == "modified":
        return gettext("the text made from text %(number)s") % number
    return gettext("added text %(number)s") % number


def review_problem_json(problem: Problem, locate_fields: Locations) -> dict[str, object]:
    """A problem as the page takes it."""
    return {
        "code": problem.code,
        "place": locate_fields.fields.get(problem.field, "review"),
        "words": problem_message(problem, [part_label(part) for part in locate_fields.golden]),
        "blocking": problem.blocking,
    }
