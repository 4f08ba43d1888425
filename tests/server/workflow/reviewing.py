"""Builders of what reviewers do: a sentence ready for review, verdicts on all, finalised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import uuid4

from server.remembering import remembered
from server.workflow.stories import (
    a_project,
    all_submitted,
    correction,
    joined,
    people,
    sentence_of,
)

from gecbench.server.choices import Decision, RejectReason
from gecbench.server.models import Member, Project, ReviewTask, Sentence, Study
from gecbench.server.rules.text import digest
from gecbench.server.workflow import reviews
from gecbench.server.workflow.answers import Addition, Answer, ReviewAnswer, VerdictAnswer
from gecbench.server.workflow.reviews import ReviewResult

GOOD, FAIR, BAD = "我昨天去图书馆借书了。", "我昨天到图书馆借书了。", "我昨天去了图书馆书了。"
"""Rewritings of the first sentence of stories: two that are right and one that is not."""


@remembered
def waiting(
    *answers: Answer, reviewers: Sequence[str] = ("rita",), texts: int = 1, **options: object
) -> Project:
    """A project whose first sentence has these answers of a1, a2, ... and waits for review."""
    answers = answers or (correction(GOOD), correction(FAIR, BAD), correction(GOOD))
    project = a_project(texts, annotators=len(answers), **options)
    for name in reviewers:
        joined(project, name, "reviewer")
    all_submitted(sentence_of(project), people(project, len(answers)), answers)
    return project


def member_of(project: Project, login: str) -> Member:
    return Member.objects.select_related("project", "person").get(
        project=project, person__login=login
    )


def opened(project: Project, login: str = "rita", number: int = 1) -> ReviewTask:
    """The review task of a sentence, taken by a reviewer."""
    return reviews.open_review(member_of(project, login), sentence_of(project, number).pk)


def word(
    key: str, correct: bool, *reasons: str, note: str = "", section: str = ""
) -> VerdictAnswer:
    rejections = tuple(RejectReason(reason) for reason in reasons)
    if not correct and not rejections and key not in tuple(Decision):
        rejections = (RejectReason.ERRONEOUS,)
    return VerdictAnswer(key, correct, rejections, note, section)


def review_answer(
    project: Project,
    right: Sequence[str] = (GOOD, FAIR),
    *,
    login: str = "rita",
    number: int = 1,
    decision: Decision = Decision.CORRECTED,
    additions: Sequence[Addition] = (),
    words: Mapping[str, VerdictAnswer] | None = None,
    **fields: object,
) -> ReviewAnswer:
    """A reviewer's answer that calls some texts right and all others wrong."""
    task = ReviewTask.objects.get(sentence=sentence_of(project, number), state__in=["free", "open"])
    keys = {digest(text) for text in right}
    if decision != Decision.CORRECTED:
        keys = {str(decision)}
    shown = reviews.candidates(task, member_of(project, login))
    verdicts = [
        (words or {}).get(candidate.key) or word(candidate.key, candidate.key in keys)
        for candidate in shown
    ]
    return ReviewAnswer(decision, verdicts, additions, confirmed=True, **fields)


@remembered
def finalised(
    project: Project,
    right: Sequence[str] = (GOOD, FAIR),
    *,
    login: str = "rita",
    number: int = 1,
    answer: ReviewAnswer | None = None,
    **fields: object,
) -> ReviewResult:
    """A sentence that a reviewer takes and decides."""
    task = opened(project, login, number)
    answer = answer or review_answer(project, right, login=login, number=number, **fields)
    return reviews.finalise(
        member_of(project, login),
        task.sentence_id,
        version=task.version,
        client_key=uuid4(),
        answer=answer,
    )


def golden_texts(sentence: Sentence) -> list[str]:
    golden = Sentence.objects.get(pk=sentence.pk).golden
    assert golden is not None
    return [entry.reference.text for entry in golden.entries.select_related("reference")]


def study_of(project: Project, login: str) -> Study:
    """The one open study item of a person."""
    return Study.objects.get(project=project, person__login=login, state="open")


@remembered
def all_waiting(
    texts: int = 4, reviewers: Sequence[str] = ("rita", "rolf"), **options: object
) -> Project:
    """A project whose sentences all wait for review."""
    project = waiting(texts=texts, reviewers=reviewers, **options)
    for number in range(2, texts + 1):
        all_submitted(sentence_of(project, number), people(project, 3))
    return project


def now(task: ReviewTask) -> ReviewTask:
    """The task as the database has it."""
    return ReviewTask.objects.get(pk=task.pk)
