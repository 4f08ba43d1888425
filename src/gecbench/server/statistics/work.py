"""What people did: answers, reviews and refusals, by person and by day (STA-1, STA-4, STA-6).

Real sentences only (INV-12). A submission counts once: the last one of its slot. Texts written
again in self-study are no submissions and never get here (STU-6).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

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
from gecbench.server.statistics.pieces import load_pieces
from gecbench.server.workflow.suggestions import matches_answer

AGES = (1, 3, 7, 14, 30)
"""Ends of the classes of age of study items, in days."""

Counts = Mapping[str, Mapping[str, int]]
"""By what is counted, then by what it is counted for: rows of people, states, reasons, times."""

RETURNED = "return_"
"""Before the name of a reason for which a variant was returned; other answers have others."""

_QUARTER = 15 * 60
"""Times are counted in quarters of an hour, of which days begin with one in all time zones."""


def counts(sentence: str = "sentence__") -> Q:
    """The condition that a row is about a sentence that counts (INV-12).

    Args:
        sentence: Where the sentence is, seen from the row; "" for rows of sentences.
    """
    gone = Q((f"{sentence}state", SentenceState.WITHDRAWN))
    return Q((f"{sentence}purpose", Purpose.REAL)) & ~gone


def looks_real() -> Q:
    """The condition that a submission counts in what its author sees.

    Gold tasks count there like all others: an author must not be able to tell them apart.
    """
    gone = Q(sentence__state=SentenceState.WITHDRAWN)
    return Q(sentence__purpose__in=(Purpose.REAL, Purpose.GOLD)) & ~gone


def load_counts(project: Project, processes: int = 1) -> Counts:
    """Count what was done in a project."""
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for piece in load_pieces(project, "counts", count_sentences, processes):
        for name, numbers in piece.items():
            total[name].update(numbers)
    return total


def load_answers(sentences: Collection[int], *columns: str) -> Collection[Any]:
    """Load columns of the submissions that count, in the order of sentences and slots."""
    rows = Submission.objects.filter(
        counts(), sentence__in=sentences, slot__state__in=SUBMITTED_OR_LATER
    )
    ordered = rows.order_by("sentence_id", "slot__no", "no")
    return {
        row.slot_id: row for row in ordered.values_list("slot_id", *columns, named=True)
    }.values()


def count_sentences(sentences: Collection[int]) -> Counts:
    """Count what was done with some sentences, of which the rows are given."""
    total: dict[str, Counter[str]] = defaultdict(Counter)
    inside = {"sentence__in": sentences, "sentence__purpose": Purpose.REAL}
    real = Sentence.objects.filter(pk__in=sentences, purpose=Purpose.REAL)
    rows = real.values_list("pk", "state", "golden", "golden__kind")
    total["states"].update(state for _, state, _, _ in rows)
    goldens = {sentence: (golden, kind) for sentence, _, golden, kind in rows if golden}
    reviews = {
        review: (str(reviewer), at, active_ms)
        for review, reviewer, at, active_ms in Review.objects.filter(
            reviewer__isnull=False, **inside
        )
        .exclude(kind=ReviewKind.COMPLAINT)  # a ruling is no review
        .values_list("pk", "reviewer", "at", "active_ms")
    }
    first_goldens = Golden.objects.filter(Q(review=None) | Q(review__base_version=0), **inside)
    for name, times in (
        ("submitted", Submission.objects.filter(no=1, **inside).values_list("at", flat=True)),
        ("reviewed", [at for _, at, _ in reviews.values()]),
        ("golden", first_goldens.values_list("at", flat=True)),
    ):
        total[name].update(str(int(at.timestamp()) // _QUARTER) for at in times)
    for reviewer, _, active_ms in reviews.values():
        total["reviews"][reviewer] += 1
        total["review_ms"][reviewer] += active_ms
    reasons = {}
    verdicts = Verdict.objects.filter(review__sentence__in=sentences).order_by("id")
    for review, correct, names, *about in verdicts.annotate(
        text=Cast("reasons", TextField())
    ).values_list("review", "correct", "text", "review__sentence", "decision", "digest"):
        reasons[tuple(about)] = names
        if review in reviews:
            reviewer, *_ = reviews[review]
            total["verdicts"][reviewer] += 1
            total["right"][reviewer] += correct
    _count_answers(sentences, goldens, reasons, total)
    _count_checks(sentences, reviews, total)
    return total


def _count_checks(
    sentences: Collection[int],
    reviews: Mapping[int, tuple[str, datetime, int]],
    total: Mapping[str, Counter[str]],
) -> None:
    """Count the decisions about variants, for who made them and for who wrote the variants.

    As in pay, each variant that was handed in and checked is one answer, accepted if it passed as
    it was.

    Args:
        sentences: Whose variants.
        reviews: Row of a review that counts to its reviewer.
        total: What is counted.
    """
    checks = VariantCheck.objects.filter(review__sentence__in=sentences)
    author_of = "variant__submission__person"
    columns = ("review", "decision", "reasons", author_of, "review__sentence__state")
    for review, decision, names, author, state in checks.values_list(*columns):
        if review not in reviews:
            continue
        accepted = int(decision == CheckDecision.ACCEPTED)
        reviewer, *_ = reviews[review]
        total["verdicts"][reviewer] += 1
        total["right"][reviewer] += accepted
        if author is not None and state != SentenceState.WITHDRAWN:
            total["judged"][str(author)] += 1
            total["accepted"][str(author)] += accepted
            total["reasons"].update(f"{author} {RETURNED}{name}" for name in names)


def _count_answers(
    sentences: Collection[int],
    goldens: Mapping[int, tuple[int, str]],
    reasons: Mapping[tuple[object, ...], str],
    total: Mapping[str, Counter[str]],
) -> None:
    """Count answers by person, how many became golden, and why the others were refused.

    An answer is a text, or a decision without one. What became golden later, as after a
    complaint, is no refusal. One refusal may have several reasons.

    Args:
        sentences: Whose answers.
        goldens: By sentence its golden set now, and the kind of that.
        reasons: JSON of the last verdict on a text or decision of a sentence.
        total: What is counted.
    """
    columns = ("id", "sentence_id", "person_id", "decision", "active_ms", "suggestion_id")
    answers = load_answers(sentences, *columns)
    texts: dict[int, list[tuple[str, str]]] = defaultdict(list)
    references = Reference.objects.filter(submission__sentence__in=sentences)
    for submission, digest, text in references.values_list("submission", "digest", "text"):
        texts[submission].append((digest, text))
    entries = GoldenReference.objects.filter(golden__in=[golden for golden, _ in goldens.values()])
    golden = set(entries.order_by().values_list("golden__sentence", "reference__digest"))
    add_influence = _influence_counter(sentences, total)
    for answer in answers:
        person, sentence, decision = str(answer.person_id), answer.sentence_id, answer.decision
        if decision == Decision.CORRECTED:
            right = {digest: (sentence, digest) in golden for digest, _ in texts[answer.id]}
        else:
            right = {"": sentence in goldens and goldens[sentence][1] == decision}
        judged = len(right) if sentence in goldens else 0
        numbers = {
            "answers": 1,
            "unannotatable": int(decision == Decision.NOT_ANNOTATABLE),
            "active_ms": answer.active_ms,
            "judged": judged,
            "accepted": sum(right.values()),
        }
        for name, number in numbers.items():
            total[name][person] += number
        for digest, accepted in right.items():
            if judged and not accepted:
                names = json.loads(reasons.get((sentence, decision, digest), "[]"))
                total["reasons"].update(f"{person} {name}" for name in names)
        add_influence(answer, [text for _, text in texts[answer.id]], numbers)


def _influence_counter(
    sentences: Collection[int], total: Mapping[str, Counter[str]]
) -> Callable[[Any, Sequence[str], Mapping[str, int]], None]:
    """A function that counts an answer with its texts and numbers, if there is a suggestion.

    Answers are told apart by whether their author took the suggestion over, was only shown it, or
    was not.
    """
    suggestions = Suggestion.objects.filter(sentence__in=sentences).select_related("sentence")
    by_row = {suggestion.pk: suggestion for suggestion in suggestions.order_by("pk")}
    last = {suggestion.sentence_id: suggestion for suggestion in by_row.values()}
    acts = SuggestionEvent.objects.filter(suggestion__in=by_row, kind=SuggestionAct.TAKEN)
    taken = set(acts.values_list("person", "suggestion"))
    if last:
        total["suggestions"]["unseen answers"] += 0  # there are suggestions, seen or not

    def add(answer: Any, texts: Sequence[str], numbers: Mapping[str, int]) -> None:
        suggestion = by_row.get(answer.suggestion_id, last.get(answer.sentence_id))
        if suggestion is None:
            return
        group = "shown" if answer.suggestion_id else "unseen"
        if (answer.person_id, answer.suggestion_id) in taken:
            group = "taken"
        equal = matches_answer(suggestion, suggestion.sentence, answer.decision, texts)
        for name, number in {**numbers, "equal": int(equal)}.items():
            total["suggestions"][f"{group} {name}"] += number

    return add


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
    for name in ("submitted", "reviewed", "golden"):
        by_day[name] = Counter()
        for quarter, number in counts.get(name, {}).items():
            at = datetime.fromtimestamp(int(quarter) * _QUARTER, UTC)
            by_day[name][timezone.localtime(at).date()] += number
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
