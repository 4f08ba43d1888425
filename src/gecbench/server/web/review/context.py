"""What the review page shows: the task, its candidates side by side, and their verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

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
from gecbench.server.rules.text import TextError, clean
from gecbench.server.web.annotation.views import context_address
from gecbench.server.web.errors import MalformedError
from gecbench.server.web.guidelines import (
    Citation,
    citation_problem,
    cite,
    find_section,
    section_names,
)
from gecbench.server.web.messages import (
    review_messages,
)
from gecbench.server.web.review.differences import (
    Row,
    align,
    render_diff,
    render_pieces,
    render_row,
)
from gecbench.server.web.review.forms import (
    ReviewInput,
    RowInput,
    build_answer,
    cited_sections,
    parse_review,
    rows_equal_to_correct,
)
from gecbench.server.workflow import reviews
from gecbench.server.workflow.answers import ReviewAnswer
from gecbench.server.workflow.drafts import payload_of_review
from gecbench.server.workflow.errors import Problem, RefusedError
from gecbench.server.workflow.golden import Candidate, check_consistency
from gecbench.server.workflow.reviews import candidates
from gecbench.server.workflow.submissions import keep_refused

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
    review = parse_review(payload_of_review(done)) if done else sent or _read_draft(draft)
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
        return parse_review(draft.payload) if draft else ReviewInput()
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
