"""What the workflow says of a review, made to fit the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gecbench.server.laws.names import Decision, Role
from gecbench.server.laws.text import TextError, cleaned
from gecbench.server.models import Member
from gecbench.server.web.review.citing import citation_problem, section_of
from gecbench.server.web.review.given import answer_of, cited_sections, same_as_correct
from gecbench.server.web.review.pages import Review
from gecbench.server.workflow import reviews
from gecbench.server.workflow.answers import ReviewAnswer
from gecbench.server.workflow.errors import Problem, RefusedError
from gecbench.server.workflow.refusals import keep_refused
from gecbench.server.workflow.verdicts import consistency


def settled(review: Review, member: Member) -> ReviewAnswer:
    """Return the answer that is handed in.

    A text rejected for over-correction whose restored form is another text that is judged correct
    is settled (REV-9): nobody has to confirm that no text was made of it.

    Raises:
        RefusedError: A section is cited that the guideline has not; the review is kept (INV-10).
    """
    answer = _answer(review)
    if any(_miscited(review)):
        sent = answer_of(review.given, review.candidates, review.rows)
        keep_refused(member, review.task.sentence_id, sent, Role.REVIEWER)
        raise RefusedError(examined(review))
    if not same_as_correct(review.given, review.candidates) or answer.confirmed:
        return answer
    return answer if examined(review) else replace(answer, confirmed=True)


def examined(review: Review, *, live: bool = False) -> tuple[Problem, ...]:
    """Return what is wrong with a review.

    Args:
        review: As the page shows it.
        live: Whether rules of consistency are asked even while something is not judged yet.
    """
    answer = _answer(review)
    found = (*reviews.examine(review.task, answer), *_miscited(review))
    if live and answer.decision == Decision.CORRECTED and any(one.blocking for one in found):
        codes = {(one.code, one.field) for one in found}
        more = (one for one in _consistency(review, answer) if (one.code, one.field) not in codes)
        found = (*found, *more)
    return unsettled(review, found)


def unsettled(review: Review, found: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return problems without the warnings about rows that another row's text settles (REV-9)."""
    twins = {f"verdict-{n}" for n in same_as_correct(review.given, review.candidates)}
    return tuple(one for one in found if one.code != "REV-9" or one.field not in twins)


def _answer(review: Review) -> ReviewAnswer:
    """Return the answer as the workflow takes it: sections by their ids."""
    answer = answer_of(review.given, review.candidates, review.rows)
    guideline = review.task.project.guideline
    verdicts = [
        replace(one, section=section_of(guideline, one.section)) if one.section else one
        for one in answer.verdicts
    ]
    return replace(answer, verdicts=verdicts)


def _miscited(review: Review) -> Iterator[Problem]:
    """Yield which rows cite what is no section of the guideline."""
    for n, typed in cited_sections(review.given, review.candidates):
        found = citation_problem(review.task.project.guideline, typed, f"section-{n}")
        if found is not None:
            yield found


def _consistency(review: Review, answer: ReviewAnswer) -> tuple[Problem, ...]:
    right = {one.key for one in answer.verdicts if one.correct}
    texts = [
        (f"verdict-{n}", one.text)
        for n, one in enumerate(review.candidates)
        if one.text and one.key in right
    ]
    texts += [
        (f"addition-{n}", one.text)
        for n, one in enumerate(answer.additions)
        if one.text.strip() and _is_text(one.text)
    ]
    if not texts:
        return ()
    fields, written = zip(*texts, strict=True)
    return consistency(review.task.sentence, Decision.CORRECTED, written, fields)


def _is_text(text: str) -> bool:
    """Return whether it could be kept; what is wrong with it otherwise is told already."""
    try:
        cleaned(text)
    except TextError:
        return False
    return True
