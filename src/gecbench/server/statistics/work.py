"""What people did: answers, reviews and refusals, by person and by day (STA-1, STA-4, STA-6).

Real sentences only (INV-12). A submission counts once: the last one of its slot. Texts written
again in self-study are no submissions and never get here (STU-6).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    CheckDecision,
    Decision,
    Purpose,
    ReviewKind,
    SentenceState,
    StudyState,
    SuggestionAct,
)
from gecbench.server.models import (
    Golden,
    GoldenReference,
    Project,
    Reference,
    Review,
    Sentence,
    Skip,
    Study,
    Submission,
    Suggestion,
    SuggestionEvent,
    VariantCheck,
    Verdict,
)
from gecbench.server.models.statements import compiled
from gecbench.server.statistics.pieces import Microseconds, among, load_sum, pack_keys
from gecbench.server.workflow.suggestions import matches_answer

AGES = (1, 3, 7, 14, 30)
"""Ends of the classes of age of study items, in days."""

Counts = Mapping[str, Mapping[str, int]]
"""By what is counted, then by what it is counted for: rows of people, states, reasons, times."""

RETURNED = "return_"
"""Before the name of a reason for which a variant was returned; other answers have others."""

_QUARTER = 15 * 60
"""Times are counted in quarters of an hour, of which days begin with one in all time zones."""

_QUARTER_MICROSECONDS = _QUARTER * 10**6


def counts(sentence: str = "sentence__") -> Q:
    """The condition that a row is about a sentence that counts (INV-12).

    Args:
        sentence: Where the sentence is, seen from the row; "" for rows of sentences.
    """
    withdrawn = Q((f"{sentence}state", SentenceState.WITHDRAWN))
    return Q((f"{sentence}purpose", Purpose.REAL)) & ~withdrawn


def looks_real() -> Q:
    """The condition that a submission counts in what its author sees.

    Gold tasks count there like all others: an author must not be able to tell them apart.
    """
    withdrawn = Q(sentence__state=SentenceState.WITHDRAWN)
    return Q(sentence__purpose__in=(Purpose.REAL, Purpose.GOLD)) & ~withdrawn


def load_counts(project: Project, processes: int = 1) -> Counts:
    """Count what was done in a project."""
    counts: Counts = load_sum(project, "counts", count_sentences, _add, processes)
    return counts


def _add(pieces: Iterable[Counts]) -> Counts:
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for piece in pieces:
        for name, numbers in piece.items():
            total[name].update(numbers)
    return total


class Answer(NamedTuple):
    """The last submission of a place, if it counts; rows are named by their numbers."""

    slot: int
    submission: int
    sentence: int
    person: int
    decision: str
    at: int  # microseconds
    active_ms: int
    suggestion: int | None


def load_answers(keys: str) -> Collection[Answer]:
    """Load the answers that count to some sentences, in the order of sentences and slots."""
    return {row[0]: Answer._make(row) for row in _answers(keys)}.values()


@compiled
def _answers(keys: str) -> QuerySet[Any, Any]:
    rows = Submission.objects.filter(
        counts(), sentence__in=among(keys), slot__state__in=SUBMITTED_OR_LATER
    )
    columns = ("slot_id", "id", "sentence_id", "person_id", "decision", Microseconds("at"))
    ordered = rows.order_by("sentence_id", "slot__no", "no")
    return ordered.values_list(*columns, "active_ms", "suggestion_id")


@compiled
def load_texts(keys: str) -> QuerySet[Any, Any]:
    """Load what was submitted for some sentences: row of the submission, digest, text."""
    rows = Reference.objects.filter(sentence__in=among(keys), submission__isnull=False)
    ordered = rows.order_by("submission_id", "position", "id")
    return ordered.values_list("submission_id", "digest", "text")


def count_sentences(sentences: Collection[int]) -> Counts:
    """Count what was done with some sentences, of which the rows are given."""
    total: dict[str, Counter[str]] = defaultdict(Counter)
    keys = pack_keys(sentences)
    rows = _states(keys)
    total["states"].update(state for _, state, _, _ in rows)
    goldens = {sentence: kind for sentence, _, golden, kind in rows if golden}
    reviews = {review: (str(reviewer), *about) for review, reviewer, *about in _reviews(keys)}
    for name, times in (
        ("submitted", [at for (at,) in _first_submissions(keys)]),
        ("reviewed", [at for _, at, _ in reviews.values()]),
        ("golden", [at for (at,) in _first_goldens(keys)]),
    ):
        quarters = Counter(at // _QUARTER_MICROSECONDS for at in times)
        total[name].update({str(quarter): number for quarter, number in quarters.items()})
    for reviewer, _, active_ms in reviews.values():
        total["reviews"][reviewer] += 1
        total["review_ms"][reviewer] += active_ms
    reasons = {}
    for review, correct, names, *about in _verdicts(keys):
        reasons[tuple(about)] = names
        if review in reviews:
            reviewer, *_ = reviews[review]
            total["verdicts"][reviewer] += 1
            total["right"][reviewer] += correct
    _count_answers(keys, goldens, reasons, total)
    _count_checks(keys, reviews, total)
    return total


@compiled
def _states(keys: str) -> QuerySet[Any, Any]:
    real = Sentence.objects.filter(pk__in=among(keys), purpose=Purpose.REAL)
    return real.values_list("pk", "state", "golden", "golden__kind")


@compiled
def _reviews(keys: str) -> QuerySet[Any, Any]:
    rows = Review.objects.filter(
        reviewer__isnull=False, sentence__in=among(keys), sentence__purpose=Purpose.REAL
    )
    rows = rows.exclude(kind=ReviewKind.COMPLAINT)  # a ruling is no review
    return rows.values_list("pk", "reviewer", Microseconds("at"), "active_ms")


@compiled
def _first_submissions(keys: str) -> QuerySet[Any, Any]:
    inside = {"sentence__in": among(keys), "sentence__purpose": Purpose.REAL}
    return Submission.objects.filter(no=1, **inside).values_list(Microseconds("at"))


@compiled
def _first_goldens(keys: str) -> QuerySet[Any, Any]:
    inside = {"sentence__in": among(keys), "sentence__purpose": Purpose.REAL}
    rows = Golden.objects.filter(Q(review=None) | Q(review__base_version=0), **inside)
    return rows.values_list(Microseconds("at"))


@compiled
def _verdicts(keys: str) -> QuerySet[Any, Any]:
    rows = Verdict.objects.filter(review__sentence__in=among(keys)).order_by("id")
    columns = ("review__sentence", "decision", "digest")
    return rows.values_list("review", "correct", Cast("reasons", TextField()), *columns)


@compiled
def _golden_digests(keys: str) -> QuerySet[Any, Any]:
    rows = GoldenReference.objects.filter(
        golden__in=Sentence.objects.filter(pk__in=among(keys)).values("golden")
    )
    return rows.order_by().values_list("golden__sentence", "reference__digest")


def _count_checks(
    keys: str, reviews: Mapping[int, tuple[str, int, int]], total: Mapping[str, Counter[str]]
) -> None:
    """Count the decisions about variants, for who made them and for who wrote the variants.

    As in pay, each variant that was handed in and checked is one answer, accepted if it passed as
    it was.

    Args:
        keys: Of the sentences.
        reviews: Row of a review that counts to its reviewer.
        total: What is counted.
    """
    for review, decision, names, author, state in _checks(keys):
        if review not in reviews:
            continue
        accepted = int(decision == CheckDecision.ACCEPTED)
        reviewer, *_ = reviews[review]
        total["verdicts"][reviewer] += 1
        total["right"][reviewer] += accepted
        if author is not None and state != SentenceState.WITHDRAWN:
            total["judged"][str(author)] += 1
            total["accepted"][str(author)] += accepted
            total["reasons"].update(f"{author} {RETURNED}{name}" for name in json.loads(names))


@compiled
def _checks(keys: str) -> QuerySet[Any, Any]:
    rows = VariantCheck.objects.filter(review__sentence__in=among(keys))
    names = Cast("reasons", TextField())
    columns = ("variant__submission__person", "review__sentence__state")
    return rows.values_list("review", "decision", names, *columns)


_ANSWER_COLUMNS = ("answers", "unannotatable", "active_ms", "judged", "accepted")


def _count_answers(
    keys: str,
    goldens: Mapping[int, str],
    reasons: Mapping[tuple[object, ...], str],
    total: Mapping[str, Counter[str]],
) -> None:
    """Count answers by person, how many became golden, and why the others were refused.

    An answer is a text, or a decision without one. What became golden later, as after a
    complaint, is no refusal. One refusal may have several reasons.

    Args:
        keys: Of the sentences.
        goldens: By sentence the kind of its golden set now.
        reasons: JSON of the last verdict on a text or decision of a sentence.
        total: What is counted.
    """
    texts: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for submission, digest, text in load_texts(keys):
        texts[submission].append((digest, text))
    golden = set(_golden_digests(keys))
    add_influence = _influence_counter(keys, total)
    by_person: dict[int, list[int]] = defaultdict(lambda: [0] * len(_ANSWER_COLUMNS))
    refused: Counter[tuple[int, str]] = Counter()  # by person and JSON of reasons
    for answer in load_answers(keys):
        _, submission, sentence, person, decision, _, active_ms, _ = answer
        right = {"": goldens.get(sentence) == decision}
        if decision == Decision.CORRECTED:
            right = {digest: (sentence, digest) in golden for digest, _ in texts[submission]}
        judged = len(right) if sentence in goldens else 0
        numbers = (
            *(1, int(decision == Decision.NOT_ANNOTATABLE), active_ms),
            *(judged, sum(right.values())),
        )
        sums = by_person[person]
        for column, number in enumerate(numbers):
            sums[column] += number
        for digest, accepted in right.items() if judged else ():
            if not accepted:
                refused[person, reasons.get((sentence, decision, digest), "[]")] += 1
        if add_influence:
            written = [text for _, text in texts[submission]]
            add_influence(answer, written, dict(zip(_ANSWER_COLUMNS, numbers, strict=True)))
    _add_sums(by_person, refused, total)


def _add_sums(
    by_person: Mapping[int, Sequence[int]],
    refused: Mapping[tuple[int, str], int],
    total: Mapping[str, Counter[str]],
) -> None:
    for (person, names), number in refused.items():
        for name in json.loads(names):
            total["reasons"][f"{person} {name}"] += number
    for person, sums in by_person.items():
        for name, number in zip(_ANSWER_COLUMNS, sums, strict=True):
            total[name][str(person)] += number


def _influence_counter(
    keys: str, total: Mapping[str, Counter[str]]
) -> Callable[[Answer, Sequence[str], Mapping[str, int]], None] | None:
    """A function that counts an answer with its texts and numbers; None without suggestions.

    Answers are told apart by whether their author took the suggestion over, was only shown it, or
    was not.
    """
    rows = [row for (row,) in _suggestions(keys)]
    if not rows:
        return None
    suggestions = Suggestion.objects.filter(pk__in=rows).select_related("sentence")
    by_row = {suggestion.pk: suggestion for suggestion in suggestions.order_by("pk")}
    last = {suggestion.sentence_id: suggestion for suggestion in by_row.values()}
    acts = SuggestionEvent.objects.filter(suggestion__in=by_row, kind=SuggestionAct.TAKEN)
    taken = set(acts.values_list("person", "suggestion"))
    total["suggestions"]["unseen answers"] += 0  # there are suggestions, seen or not

    def add(answer: Answer, texts: Sequence[str], numbers: Mapping[str, int]) -> None:
        shown = answer.suggestion
        suggestion = last.get(answer.sentence) if shown is None else by_row.get(shown)
        if suggestion is None:
            return
        group = "shown" if shown else "unseen"
        if (answer.person, shown) in taken:
            group = "taken"
        equal = matches_answer(suggestion, suggestion.sentence, answer.decision, texts)
        for name, number in {**numbers, "equal": int(equal)}.items():
            total["suggestions"][f"{group} {name}"] += number

    return add


@compiled
def _suggestions(keys: str) -> QuerySet[Any, Any]:
    return Suggestion.objects.filter(sentence__in=among(keys)).values_list("pk")


# What the counts say: how far a project is, what each did, why answers were refused.


@dataclass(frozen=True, slots=True)
class Day:
    """What was done on one day.

    Args:
        day: By the clock of the site.
        submitted: Sentences handed in, each slot once.
        reviewed: Decisions of reviewers; those about complaints are none of them.
        golden: Sentences that got their first golden set.
    """

    day: date
    submitted: int
    reviewed: int
    golden: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a project is; real sentences only.

    Args:
        states: Sentences by state.
        days: From the first day with work to the last; those between without work too.
    """

    states: Mapping[str, int]
    days: tuple[Day, ...]

    @property
    def sentences(self) -> int:
        """How many sentences there are."""
        return sum(self.states.values())


@dataclass(frozen=True, slots=True)
class Shares:
    """How often somebody handed in, put off, or gave up.

    Args:
        submitted: Sentences handed in.
        skipped: Sentences put off, those fetched back later too.
        unannotatable: Of those handed in: said to be not annotatable.
        active_ms: Milliseconds of real work, by the pages' own count.
    """

    submitted: int = 0
    skipped: int = 0
    unannotatable: int = 0
    active_ms: int = 0


@dataclass(frozen=True, slots=True)
class Acceptance:
    """How many answers were reviewed, and how many of them are golden now.

    An answer is a text, or a decision without one.
    """

    judged: int = 0
    accepted: int = 0

    @property
    def share(self) -> float | None:
        """Share in [0, 1]; None where nothing was reviewed."""
        return self.accepted / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class Influence:
    """Answers to sentences that have a suggestion, as far as it was seen alike.

    Args:
        answers: How many.
        equal: How many say what the suggestion says: the one shown, else the one not shown.
        accepted: How much of them became golden.
    """

    answers: int
    equal: int
    accepted: Acceptance


def progress(counts: Counts) -> Progress:
    """Tell how far a project is, by state and by day of the clock of whoever asks."""
    by_day: dict[str, Counter[date]] = {}
    zone = timezone.get_current_timezone()
    for name in ("submitted", "reviewed", "golden"):
        by_day[name] = Counter()
        for quarter, number in counts.get(name, {}).items():
            by_day[name][datetime.fromtimestamp(int(quarter) * _QUARTER, zone).date()] += number
    worked = sorted(set().union(*by_day.values()))
    length = (worked[-1] - worked[0]).days + 1 if worked else 0
    days = [worked[0] + timedelta(days=n) for n in range(length)]
    return Progress(
        dict(counts.get("states", {})),
        tuple(Day(day, *(by_day[name][day] for name in by_day)) for day in days),
    )


def shares(counts: Counts, skipped: Mapping[int, int]) -> Mapping[int, Shares]:
    """Tell, by row of the person, how often they handed in, put off, gave up."""
    answers = counts.get("answers", {})
    return {
        person: Shares(
            answers.get(str(person), 0),
            skipped.get(person, 0),
            *(counts.get(name, {}).get(str(person), 0) for name in ("unannotatable", "active_ms")),
        )
        for person in {**skipped, **dict.fromkeys(map(int, answers))}
    }


def acceptance(counts: Counts) -> Mapping[int, Acceptance]:
    """Tell, by row of the person, how much of their work was accepted."""
    return {
        int(person): Acceptance(judged, counts["accepted"][person])
        for person, judged in counts.get("judged", {}).items()
        if judged
    }


def reasons(counts: Counts) -> Mapping[int, Counter[str]]:
    """Tell, by row of the person, why answers were refused, by name of the reason."""
    by_person: dict[int, Counter[str]] = defaultdict(Counter)
    for key, number in counts.get("reasons", {}).items():
        person, _, reason = key.partition(" ")
        by_person[int(person)][reason] += number
    return by_person


def influence(counts: Counts) -> Mapping[str, Influence]:
    """Tell of answers whose author took the suggestion over, was only shown it, or was not.

    The keys are `taken`, `shown` and `unseen`; nothing where the project has no suggestions.
    """
    numbers = counts.get("suggestions", {})
    if not numbers:
        return {}
    return {
        group: Influence(
            numbers.get(f"{group} answers", 0),
            numbers.get(f"{group} equal", 0),
            Acceptance(numbers.get(f"{group} judged", 0), numbers.get(f"{group} accepted", 0)),
        )
        for group in ("taken", "shown", "unseen")
    }


# What changes without the sentences: study items that are open, sentences put off.


def skips(project: Project, **person: int) -> Mapping[int, int]:
    """Count the sentences put off, by row of the person."""
    rows = Skip.objects.filter(project=project, sentence__purpose=Purpose.REAL, **person)
    return dict(rows.order_by().values_list("person").annotate(count=Count("id")))


def ages(project: Project, now: datetime | None = None) -> tuple[int, ...]:
    """Count the open study items younger than each of AGES, and those that are older."""
    now = now or timezone.now()
    ends = [now - timedelta(days=age) for age in AGES]
    younger = {f"n{n}": Count("id", filter=Q(opened_at__gt=end)) for n, end in enumerate(ends)}
    rows = _open_studies(project).aggregate(everything=Count("id"), **younger)
    reached = [*(rows[f"n{n}"] for n in range(len(ends))), rows["everything"]]
    return tuple(b - a for a, b in zip([0, *reached], reached, strict=False))


def open_items(project: Project, **person: int) -> Mapping[int, int]:
    """Count the study items that are open, by row of the person."""
    rows = _open_studies(project).filter(**person).order_by().values_list("person")
    return dict(rows.annotate(count=Count("id")))


def _open_studies(project: Project) -> QuerySet[Study]:
    return Study.objects.filter(
        project=project, state=StudyState.OPEN, sentence__purpose=Purpose.REAL
    )
