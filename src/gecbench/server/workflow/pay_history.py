"""What was done in a project, with its times; as it stood at any moment, for pay.

All of it is in rows that are written once, so that the facts of a moment can be told for ever.
Only `history_of` asks the database, in a fixed number of queries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from gecbench.server.choices import (
    CheckDecision,
    ComplaintState,
    Decision,
    PayKind,
    ProjectKind,
    Purpose,
    ReviewKind,
)
from gecbench.server.models import (
    Complaint,
    GoldResult,
    Overruling,
    Project,
    Rating,
    Reference,
    Review,
    Submission,
    VariantCheck,
    Verdict,
)
from gecbench.server.rules.pay import ReviewedTask, Work, edits_key, length_of

_REAL = Purpose.REAL
_PAID = (Purpose.REAL, Purpose.GOLD)

GOLD_DELAY = timedelta(days=30)
"""A gold task is judged at once, others when they are reviewed. It is paid when a later task of the
same person was reviewed, or after so long: else the statement would tell that it was gold."""


class Text(NamedTuple):
    """A reference as it was handed in; texts with the same key make the same edits."""

    row: int
    digest: str
    key: tuple[str, ...]


class Submitted(NamedTuple):
    """A submission."""

    row: int
    slot: int
    sentence: int
    person: int
    at: datetime
    decision: str
    active_ms: int
    texts: tuple[Text, ...] = ()


class Judgement(NamedTuple):
    """A verdict on a text or a decision, and the complaints that its review upheld."""

    at: datetime
    correct: bool
    complaints: Mapping[int, int]


class _Review(NamedTuple):
    row: int
    reviewer: int
    at: datetime
    kind: str
    sentence: int
    active_ms: int


class _Check(NamedTuple):
    """A decision about the variant of a submission."""

    row: int
    submission: int | None
    reviewer: int
    at: datetime
    decision: str
    sentence: int
    active_ms: int


class _Rating(NamedTuple):
    """What a judge said of an item; the last one of a judge and an item counts."""

    row: int
    item: int
    judge: int
    person: int
    at: datetime
    undone: bool
    sentence: int


class Source(NamedTuple):
    """A sentence: its length, and what its own text is compared by."""

    length: int
    key: tuple[str, ...]


_About = tuple[int, str, str]
"""What a verdict is about: sentence, decision and digest."""


@dataclass(frozen=True, slots=True)
class History:
    """All that was done with the sentences of a project, but for training and trials (INV-12).

    Args:
        answers: Submissions, the first ones first.
        verdicts: Likewise, by what they are about.
        gold: Row of a submission for a gold task to what was said of it: by the known answers,
            then by managers.
        reviews: Decisions of people about whole sentences, likewise.
        checks: Their decisions about single variants, likewise.
        ratings: Of judges, likewise.
        sources: By row of the sentence.
    """

    answers: Sequence[Submitted]
    verdicts: Mapping[_About, Sequence[Judgement]]
    gold: Mapping[int, Sequence[Judgement]]
    reviews: Sequence[_Review]
    checks: Sequence[_Check]
    ratings: Sequence[_Rating]
    sources: Mapping[int, Source]


def history_of(project: Project) -> History:
    """Load what was done; self-study, training and trials are no part of it.

    A submission that was taken back stands until it is handed in again.
    """
    rows = Submission.objects.filter(sentence__project=project, sentence__purpose__in=_PAID)
    texts: dict[int, list[tuple[int, str, str]]] = defaultdict(list)
    references = Reference.objects.filter(submission__in=rows.order_by()).order_by("position", "pk")
    for submission, row, digest, text in references.values_list(
        "submission", "pk", "digest", "text"
    ):
        texts[submission or 0].append((row, digest, text))
    columns = ("pk", "slot", "sentence", "person", "at", "decision", "active_ms")
    answers = [
        Submitted(*answer)._replace(texts=_texts(texts[answer[0]], project.lang))
        for answer in rows.order_by("pk").values_list(*columns)
    ]
    sentences = project.sentences.filter(purpose__in=_PAID).values_list("pk", "text")
    perturbs = project.kind == ProjectKind.PERTURB
    return History(
        answers,
        {} if perturbs else _verdicts(project),
        {} if perturbs else _gold(project),
        [] if perturbs else _reviews_of(project),
        _checks_of(project) if perturbs else [],
        _ratings_of(project),
        {
            sentence: Source(length_of(text, project.lang), edits_key(text, project.lang))
            for sentence, text in sentences
        },
    )


def _reviews_of(project: Project) -> list[_Review]:
    rows = Review.objects.filter(sentence__project=project, sentence__purpose=_REAL)
    columns = ("pk", "reviewer", "at", "kind", "sentence", "active_ms")
    by_person = rows.filter(reviewer__isnull=False).order_by("pk")
    return [_Review(*row) for row in by_person.values_list(*columns)]


def _checks_of(project: Project) -> list[_Check]:
    rows = VariantCheck.objects.filter(
        review__sentence__project=project,
        review__sentence__purpose=_REAL,
        review__reviewer__isnull=False,
    )
    columns = (
        *("pk", "variant__submission", "review__reviewer", "review__at", "decision"),
        *("review__sentence", "review__active_ms", "review"),
    )
    checks: list[_Check] = []
    timed: set[int] = set()
    for *check, review in rows.order_by("pk").values_list(*columns):
        # The active time of a case is counted once, at its first variant.
        row = _Check(*check)
        checks.append(row._replace(active_ms=0) if review in timed else row)
        timed.add(review)
    return checks


def _ratings_of(project: Project) -> list[_Rating]:
    rows = Rating.objects.filter(item__sentence__project=project, item__sentence__purpose=_REAL)
    columns = ("pk", "item", "judge", "judge__member__person", "at", "undone", "item__sentence")
    return [_Rating(*row) for row in rows.order_by("pk").values_list(*columns)]


def _texts(rows: Sequence[tuple[int, str, str]], lang: str) -> tuple[Text, ...]:
    # Of one text nothing has to be compared.
    several = len(rows) > 1
    return tuple(
        Text(row, digest, edits_key(text, lang) if several else ()) for row, digest, text in rows
    )


def _verdicts(project: Project) -> Mapping[_About, Sequence[Judgement]]:
    upheld = (ComplaintState.UPHELD, ComplaintState.UPHELD_CHANGED)
    complaints: dict[int, dict[int, int]] = defaultdict(dict)
    decided = Complaint.objects.filter(project=project, state__in=upheld, review__isnull=False)
    for review, person, complaint in decided.order_by("-pk").values_list("review", "person", "pk"):
        complaints[review or 0][person] = complaint
    verdicts = defaultdict(list)
    rows = Verdict.objects.filter(
        review__sentence__project=project, review__sentence__purpose=_REAL
    )
    columns = ("review__sentence", "decision", "digest", "review", "review__at", "correct")
    for sentence, decision, digest, review, at, correct in rows.order_by("pk").values_list(
        *columns
    ):
        judgement = Judgement(at, correct, complaints.get(review, {}))
        verdicts[sentence, decision, digest].append(judgement)
    return verdicts


def _gold(project: Project) -> Mapping[int, Sequence[Judgement]]:
    results = GoldResult.objects.filter(submission__sentence__project=project)
    judgements = defaultdict(list)
    for submission, at, right in results.values_list("submission", "at", "right"):
        judgements[submission].append(Judgement(at, right, {}))
    rulings = Overruling.objects.filter(gold_result__in=results).order_by("pk")
    columns = ("gold_result__submission", "at", "right")
    for submission, at, right in rulings.values_list(*columns):
        judgements[submission].append(Judgement(at, right, {}))
    return judgements


class Facts(NamedTuple):
    """What stood at a moment.

    Args:
        works: All that may be paid.
        reviewed_tasks: The reviewed tasks of annotators.
    """

    works: tuple[Work, ...]
    reviewed_tasks: tuple[ReviewedTask, ...]


def facts_at(history: History, end: datetime) -> Facts:
    """What was done before a moment, and what reviews and complaints had said of it by then."""
    works = list(_decisions(history, end))
    reviewed_tasks = []
    last = {answer.slot: answer for answer in history.answers if answer.at < end}
    by_verdict = [_judge(history, answer, end) for answer in sorted(last.values())]
    reviewed = [task for task in by_verdict if task and task[0].submission not in history.gold]
    latest = {task.person: task.submission for task, _ in reviewed}

    def may_show(task: ReviewedTask) -> bool:
        judgements = history.gold.get(task.submission)
        later = task.submission < latest.get(task.person, 0)
        return not judgements or later or judgements[0].at + GOLD_DELAY < end

    shown = (task for task in by_verdict if task and may_show(task[0]))
    for task, units in (*shown, *_checked(history, end)):
        reviewed_tasks.append(task)
        works += units
    return Facts(tuple(works), tuple(reviewed_tasks))


def _decisions(history: History, end: datetime) -> Iterator[Work]:
    """Yield what reviewers and judges decided: sentences, complaints, variants, items."""
    for review in history.reviews:
        if review.at < end:
            kind = PayKind.RULING if review.kind == ReviewKind.COMPLAINT else PayKind.REVIEW
            length = history.sources[review.sentence].length
            yield Work((kind, review.row, 0), review.reviewer, review.at, length, due=True)
    for check in history.checks:
        if check.at < end:
            length = history.sources[check.sentence].length
            unit = (PayKind.CHECK, check.row, 0)
            yield Work(unit, check.reviewer, check.at, length, due=True)
    last = {(rating.item, rating.judge): rating for rating in history.ratings if rating.at < end}
    for rating in last.values():
        length = history.sources[rating.sentence].length
        unit = (PayKind.RATING, rating.row, 0)
        yield Work(unit, rating.person, rating.at, length, due=not rating.undone)


_Task = tuple[ReviewedTask, tuple[Work, ...]]
"""A reviewed task, and what of it may be paid."""


def _judge(history: History, answer: Submitted, end: datetime) -> _Task | None:
    """A submission by the verdicts on its texts; None where there are none.

    The known answers to a gold task say one thing of all its texts.
    """
    gold = history.gold.get(answer.row)
    judgements = [
        (text, judgement)
        for text, about in _abouts(answer)
        if (judgement := _last_judgement(gold or history.verdicts.get(about, ()), end))
    ]
    if not judgements:
        return None
    accepted = [pair for pair in judgements if pair[1].correct]
    counts = len(judgements), len(accepted)
    task = ReviewedTask(answer.person, answer.row, answer.sentence, *counts)
    return task, tuple(_units(answer, history.sources[answer.sentence], accepted))


def _checked(history: History, end: datetime) -> Iterator[_Task]:
    """Yield the submissions of variants that were checked; the last one of a place is paid.

    It is the last that passed: who has a place made again does not take back what was earned
    there until another variant passes. One that the reviewer had to edit is paid, and lowers the
    quality of its author.
    """
    checks = {check.submission: check for check in history.checks if check.at < end}
    checked = [(answer, check) for answer in history.answers if (check := checks.get(answer.row))]
    last = {
        answer.slot: answer
        for answer, check in checked
        if check.decision in (CheckDecision.ACCEPTED, CheckDecision.EDITED)
    }
    for answer, check in checked:
        accepted = check.decision == CheckDecision.ACCEPTED
        task = ReviewedTask(answer.person, answer.row, answer.sentence, 1, int(accepted))
        due = last.get(answer.slot) is answer
        length = history.sources[answer.sentence].length
        unit = (PayKind.PERTURBATION, answer.row, 0)
        yield task, (Work(unit, answer.person, answer.at, length, due),)


def _abouts(answer: Submitted) -> Iterator[tuple[Text | None, _About]]:
    """Yield what verdicts on an answer are about: its texts, or its decision without any."""
    if answer.decision != Decision.CORRECTED:
        yield None, (answer.sentence, answer.decision, "")
    for text in answer.texts:
        yield text, (answer.sentence, answer.decision, text.digest)


def _last_judgement(judgements: Sequence[Judgement], end: datetime) -> Judgement | None:
    """The last verdict before a moment."""
    return next((judgement for judgement in reversed(judgements) if judgement.at < end), None)


def _units(
    answer: Submitted, source: Source, accepted: Sequence[tuple[Text | None, Judgement]]
) -> Iterator[Work]:
    """Yield a reviewed task, and each of its further accepted references with edits of its own."""
    first = accepted[0][1] if accepted else None
    facts = answer.person, answer.at, source.length
    task = (PayKind.ANNOTATION, answer.row, 0)
    yield Work(task, *facts, first is not None, _complaint(first, answer.person))
    keys = {source.key}
    for n, (text, judgement) in enumerate(accepted):
        if text is None:
            continue
        if n and text.key not in keys:
            extra = (PayKind.EXTRA_REFERENCE, answer.row, text.row)
            yield Work(extra, *facts, True, _complaint(judgement, answer.person))
        keys.add(text.key)


def _complaint(judgement: Judgement | None, person: int) -> int:
    """The complaint by which something became right: this person's own, or that of another."""
    if judgement is None or not judgement.complaints:
        return 0
    return judgement.complaints.get(person) or min(judgement.complaints.values())
