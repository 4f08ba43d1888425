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
from functools import cache
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
from gecbench.server.models.base import compiled
from gecbench.server.statistics.pieces import (
    Microseconds,
    Progress,
    among,
    load_sum,
    pack_keys,
    store_pieces,
)
from gecbench.server.workflow.suggestions import matches_answer

COUNTS = "counts"
"""Kind of the pieces in which counts are stored, and of their sum."""

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
    counts, _ = count_within(None, project, processes)
    return counts


def count_within(
    seconds: float | None, project: Project, processes: int = 1
) -> tuple[Counts, Progress]:
    """Count for so long what was done in a project; the counts are of as many sentences."""
    return load_sum(project, COUNTS, count_sentences, _add, processes, seconds)


def store_counts(seconds: float, project: Project) -> Progress:
    """Count for so long what was done in a project, and store it; nothing is added up.

    Raises:
        OperationalError: It cannot be stored.
    """

    def compute(sentences: Collection[int], _: Collection[str]) -> Mapping[str, Counts]:
        return {COUNTS: count_sentences(sentences)}

    return store_pieces(project, [COUNTS], compute, seconds=seconds)


def _add(pieces: Iterable[Counts]) -> Counts:
    total: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for piece in pieces:
        for name, numbers in piece.items():
            sums = total[name]
            for key, number in numbers.items():  # half a million; Counter.update takes longer
                sums[key] += number
    return {name: dict(sums) for name, sums in total.items()}


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


Text = tuple[str, str]
"""Digest and text of a reference."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows about some sentences, read once for figures of several kinds; real sentences only.

    Args:
        keys: The sentences, for `among`.
        sentences: In the order of their numbers, those that are withdrawn too.
        firsts: When each place was first handed in, in microseconds.
        answers: Those that count, in the order of sentences and slots.
        texts: By row of the submission what was handed in.
        goldens: By row of the sentence the golden references that hold.
    """

    keys: str
    sentences: Mapping[int, SentenceRow]
    firsts: Sequence[int]
    answers: Sequence[Answer]
    texts: Mapping[int, Sequence[Text]]
    goldens: Mapping[int, Sequence[Text]]


class SentenceRow(NamedTuple):
    """A sentence, as far as figures ask for it."""

    pk: int
    number: int
    text: str
    source: int | None
    state: str
    golden: int | None
    kind: str | None


def load_rows(sentences: Collection[int]) -> Rows:
    """Read what is about some sentences, of which the rows are given."""
    keys = pack_keys(sentences)
    by_key = {row[0]: SentenceRow._make(row) for row in _sentences(keys)}
    firsts, answers = [], {}
    for no, slot_state, *row in _submissions(keys):
        answer = Answer._make(row)
        if (sentence := by_key.get(answer.sentence)) is None:
            continue
        if no == 1:
            firsts.append(answer.at)
        if slot_state in _SUBMITTED_STATES and sentence.state != SentenceState.WITHDRAWN:
            answers[answer.slot] = answer
    texts, by_reference = defaultdict(list), {}
    for reference, submission, digest, text in _references(keys):
        by_reference[reference] = (digest, text)
        if submission is not None:
            texts[submission].append((digest, text))
    goldens = defaultdict(list)
    of_golden = {row.golden: row.pk for row in by_key.values() if row.golden is not None}
    for golden, reference in _golden_references(pack_keys(of_golden)):
        goldens[of_golden[golden]].append(by_reference[reference])
    return Rows(keys, by_key, firsts, list(answers.values()), texts, goldens)


_SUBMITTED_STATES = frozenset(map(str, SUBMITTED_OR_LATER))


@compiled
def _sentences(keys: str) -> QuerySet[Any, Any]:
    rows = Sentence.objects.filter(pk__in=among(keys), purpose=Purpose.REAL).order_by("number")
    columns = ("pk", "number", "text", "source_id", "state", "golden_id", "golden__kind")
    return rows.values_list(*columns)


@compiled
def _submissions(keys: str) -> QuerySet[Any, Any]:
    rows = Submission.objects.filter(sentence__in=among(keys))
    columns = ("slot_id", "id", "sentence_id", "person_id", "decision", Microseconds("at"))
    ordered = rows.order_by("sentence_id", "slot__no", "no")
    return ordered.values_list("no", "slot__state", *columns, "active_ms", "suggestion_id")


@compiled
def _references(keys: str) -> QuerySet[Any, Any]:
    rows = Reference.objects.filter(sentence__in=among(keys))
    ordered = rows.order_by("submission_id", "position", "id")
    return ordered.values_list("id", "submission_id", "digest", "text")


@compiled
def _golden_references(keys: str) -> QuerySet[Any, Any]:
    rows = GoldenReference.objects.filter(golden__in=among(keys))
    return rows.order_by("golden_id", "position").values_list("golden_id", "reference_id")


def count_sentences(sentences: Collection[int]) -> Counts:
    """Count what was done with some sentences, of which the rows are given."""
    return count_rows(load_rows(sentences))


def count_rows(rows: Rows) -> Counts:
    """Count what was done with some sentences."""
    total: dict[str, Counter[str]] = defaultdict(Counter)
    sentences = rows.sentences
    total["states"].update([row.state for row in sentences.values()])
    of_review, base_version = {}, {}
    reviews: dict[int, tuple[str, int, int]] = {}
    for review, sentence, reviewer, kind, base, at, active_ms in _reviews(rows.keys):
        of_review[review], base_version[review] = sentence, base
        # A ruling is no review.
        if reviewer is not None and kind != ReviewKind.COMPLAINT and sentence in sentences:
            reviews[review] = (str(reviewer), at, active_ms)
    goldens = [
        at
        for sentence, review, at in _goldens(rows.keys)
        if sentence in sentences and (review is None or base_version.get(review) == 0)
    ]
    for name, times in (
        ("submitted", rows.firsts),
        ("reviewed", [at for _, at, _ in reviews.values()]),
        ("golden", goldens),
    ):
        quarters = Counter([at // _QUARTER_MICROSECONDS for at in times])
        total[name].update({str(quarter): number for quarter, number in quarters.items()})
    for reviewer, _, active_ms in reviews.values():
        total["reviews"][reviewer] += 1
        total["review_ms"][reviewer] += active_ms
    reasons, review_keys = {}, pack_keys(of_review)
    for review, correct, names, decision, digest in _verdicts(review_keys):
        reasons[of_review[review], decision, digest] = names
        if review in reviews:
            reviewer, *_ = reviews[review]
            total["verdicts"][reviewer] += 1
            total["right"][reviewer] += correct
    _count_answers(rows, reasons, total)
    states = {review: sentences[of_review[review]].state for review in reviews}
    _count_checks(review_keys, reviews, states, total)
    return total


@compiled
def _reviews(keys: str) -> QuerySet[Any, Any]:
    rows = Review.objects.filter(sentence__in=among(keys))
    columns = ("pk", "sentence_id", "reviewer_id", "kind", "base_version")
    return rows.values_list(*columns, Microseconds("at"), "active_ms")


@compiled
def _goldens(keys: str) -> QuerySet[Any, Any]:
    """Golden sets, those of a review that was taken back too."""
    rows = Golden._base_manager.filter(sentence__in=among(keys))
    return rows.values_list("sentence_id", "review_id", Microseconds("at"))


@compiled
def _verdicts(reviews: str) -> QuerySet[Any, Any]:
    rows = Verdict._base_manager.filter(review__in=among(reviews)).order_by("id")
    return rows.values_list(
        "review_id", "correct", Cast("reasons", TextField()), "decision", "digest"
    )


def _count_checks(
    review_keys: str,
    reviews: Mapping[int, tuple[str, int, int]],
    states: Mapping[int, str],
    total: Mapping[str, Counter[str]],
) -> None:
    """Count the decisions about variants, for who made them and for who wrote the variants.

    As in pay, each variant that was handed in and checked is one answer, accepted if it passed as
    it was.

    Args:
        review_keys: Of all reviews of the sentences.
        reviews: Row of a review that counts to its reviewer.
        states: Row of such a review to the state of its sentence.
        total: What is counted.
    """
    for review, decision, names, author in _checks(review_keys):
        if review not in reviews:
            continue
        accepted = int(decision == CheckDecision.ACCEPTED)
        reviewer, *_ = reviews[review]
        total["verdicts"][reviewer] += 1
        total["right"][reviewer] += accepted
        if author is not None and states[review] != SentenceState.WITHDRAWN:
            total["judged"][str(author)] += 1
            total["accepted"][str(author)] += accepted
            total["reasons"].update(f"{author} {RETURNED}{name}" for name in json.loads(names))


@compiled
def _checks(reviews: str) -> QuerySet[Any, Any]:
    rows = VariantCheck._base_manager.filter(review__in=among(reviews))
    names = Cast("reasons", TextField())
    return rows.values_list("review_id", "decision", names, "variant__submission__person")


_ANSWER_COLUMNS = ("answers", "unannotatable", "active_ms", "judged", "accepted")


def _count_answers(
    rows: Rows,
    reasons: Mapping[tuple[int, str, str], str],
    total: Mapping[str, Counter[str]],
) -> None:
    """Count answers by person, how many became golden, and why the others were refused.

    An answer is a text, or a decision without one. What became golden later, as after a
    complaint, is no refusal. One refusal may have several reasons.

    Args:
        rows: Of the sentences.
        reasons: JSON of the last verdict on a text or decision of a sentence.
        total: What is counted.
    """
    kinds = {pk: row.kind for pk, row in rows.sentences.items() if row.golden is not None}
    golden = {pk: {digest for digest, _ in texts} for pk, texts in rows.goldens.items()}
    corrected, not_annotatable = str(Decision.CORRECTED), str(Decision.NOT_ANNOTATABLE)
    add_influence = _influence_counter(rows.keys, total)
    by_person: dict[int, list[int]] = defaultdict(lambda: [0] * len(_ANSWER_COLUMNS))
    refused: Counter[tuple[int, str]] = Counter()  # by person and JSON of reasons
    for answer in rows.answers:
        _, submission, sentence, person, decision, _, active_ms, _ = answer
        judged = accepted = 0
        if sentence in kinds:
            if decision == corrected:
                right = golden.get(sentence, ())
                digests = dict.fromkeys([digest for digest, _ in rows.texts.get(submission, ())])
                judged, wrong = len(digests), [digest for digest in digests if digest not in right]
            else:  # a decision without a text
                judged, wrong = 1, [""] if decision != kinds[sentence] else []
            accepted = judged - len(wrong)
            for digest in wrong:
                refused[person, reasons.get((sentence, decision, digest), "[]")] += 1
        sums = by_person[person]
        sums[0] += 1
        sums[1] += decision == not_annotatable
        sums[2] += active_ms
        sums[3] += judged
        sums[4] += accepted
        if add_influence:
            written = [text for _, text in rows.texts.get(submission, ())]
            numbers = (1, int(decision == not_annotatable), active_ms, judged, accepted)
            add_influence(answer, written, dict(zip(_ANSWER_COLUMNS, numbers, strict=True)))
    _add_sums(by_person, refused, total)


def _add_sums(
    by_person: Mapping[int, Sequence[int]],
    refused: Mapping[tuple[int, str], int],
    total: Mapping[str, Counter[str]],
) -> None:
    parse = cache(json.loads)
    for (person, names), number in refused.items():
        for name in parse(names):
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
    adoptions = set(acts.values_list("person", "suggestion"))
    total["suggestions"]["unseen answers"] += 0  # there are suggestions, seen or not

    def add_answer(answer: Answer, texts: Sequence[str], numbers: Mapping[str, int]) -> None:
        shown = answer.suggestion
        suggestion = last.get(answer.sentence) if shown is None else by_row.get(shown)
        if suggestion is None:
            return
        group = "shown" if shown else "unseen"
        if (answer.person, shown) in adoptions:
            group = "taken"
        equal = matches_answer(suggestion, suggestion.sentence, answer.decision, texts)
        for name, number in {**numbers, "equal": int(equal)}.items():
            total["suggestions"][f"{group} {name}"] += number

    return add_answer


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
class WorkTotals:
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


def add_up_work(counts: Counts) -> WorkTotals:
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
    return WorkTotals(
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

    The keys are `adoptions`, `shown` and `unseen`; nothing where the project has no suggestions.
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
    # By person, for which there is an index of what is open; without it SQLite looks at all.
    groups = _open_studies(project).order_by().values("person")
    groups = groups.annotate(**younger, everything=Count("id"))
    rows = groups.values_list(*younger, "everything")
    reached = [sum(column) for column in zip([0] * (len(ends) + 1), *rows, strict=True)]
    return tuple(b - a for a, b in zip([0, *reached], reached, strict=False))


def open_items(project: Project, **person: int) -> Mapping[int, int]:
    """Count the study items that are open, by row of the person."""
    rows = _open_studies(project).filter(**person).order_by().values_list("person")
    return dict(rows.annotate(count=Count("id")))


def _open_studies(project: Project) -> QuerySet[Study]:
    return Study.objects.filter(
        project=project, state=StudyState.OPEN, sentence__purpose=Purpose.REAL
    )
