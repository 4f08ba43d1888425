"""What people handed in, by day, and how much of it became golden (STA-4)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TypeVar

from django.db.models import (
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    TextField,
)
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.lang.zh.parse import PLACEHOLDER
from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    Decision,
    Purpose,
    ReviewKind,
    SentenceState,
    StudyState,
    SuggestionAct,
)
from gecbench.server.import_export.corpora import (
    Look,
    Naming,
    decided_now,
    latest_submissions,
    look_of,
    real,
    samples,
    submitted,
    texts_of,
)
from gecbench.server.models import (
    Golden,
    GoldenReference,
    Project,
    Reference,
    Review,
    Sentence,
    Skip,
    Source,
    Study,
    Submission,
    Suggestion,
    SuggestionEvent,
    Verdict,
)
from gecbench.server.workflow.suggestions import matches_answer

# What people handed in, as rows and as corpora; real sentences only (INV-12).
#
# A submission counts once: the last one of its slot. Texts redone in self-study are no submissions
# and never get here (STU-6).


SOURCE = "source"
NO_SOURCE = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Whose a submission is.

    Args:
        person: Who handed it in.
        at: When.
        source: Name of where the sentence comes from; "" is unknown.
    """

    person: int
    at: datetime
    source: str


@dataclass(frozen=True, slots=True)
class Handed:
    """Some decided sentences with what was handed in for them.

    Args:
        golden: The sentences with their golden references.
        submissions: The same sentences; each reference is what was handed in, its annotator the
            number of the submission.
        facts: By that number.
        left_out: Submissions that say nobody can annotate the sentence; they are not scored.
    """

    golden: Corpus
    submissions: Corpus
    facts: Mapping[str, Facts]
    left_out: int


def counts(sentence: str = "sentence__") -> Q:
    """Return the condition that a row is about a sentence that counts (INV-12).

    Args:
        sentence: Where the sentence is, seen from the row; "" for rows of sentences.
    """
    gone = Q((f"{sentence}state", SentenceState.WITHDRAWN))
    return Q((f"{sentence}purpose", Purpose.REAL)) & ~gone


def look(project: Project) -> Look:
    """Return texts as the scorer reads them: its own placeholder for the project's."""
    return look_of(project, alias=PLACEHOLDER if project.lang == "zh" else "")


def counted(project: Project) -> QuerySet[Submission]:
    """Return the submissions that count: real sentences, the last one of each slot."""
    later = Submission.objects.filter(slot=OuterRef("slot"), no__gt=OuterRef("no"))
    return Submission.objects.filter(
        ~Exists(later),
        counts(),
        slot__project=project,
        slot__state__in=[str(one) for one in SUBMITTED_OR_LATER],
    )


def handed(project: Project, person: int | None = None) -> Iterator[Handed]:
    """Yield decided sentences that can be annotated, with what was handed in for them, in pieces.

    Args:
        project: Whose.
        person: Only what this person handed in, and only those sentences.
    """
    names = dict(Source.objects.filter(project=project).values_list("id", "name"))
    seen = look(project)
    for decided in decided_now(project, annotatable=True):
        keys = [one.sentence for one in decided]
        if person is not None:
            own = Submission.objects.filter(person=person, sentence_id__in=keys)
            wanted = set(own.values_list("sentence_id", flat=True))
            decided = [one for one in decided if one.sentence in wanted]
            keys = [one.sentence for one in decided]
        if not keys:
            continue
        golden = Corpus(project.slug, tuple(samples(decided, seen)), project.lang)
        by_id = dict(zip(keys, golden.samples, strict=True))
        sources = dict(real(project).filter(id__in=keys).values_list("id", "source_id"))
        origin = {key: names.get(row or 0, NO_SOURCE) for key, row in sources.items()}
        latest = [
            one for one in latest_submissions(keys) if person is None or one.person_id == person
        ]
        yield _handed(golden, by_id, origin, latest, seen)


def _handed(
    golden: Corpus,
    by_id: Mapping[int, Sample],
    origin: Mapping[int, str],
    latest: list[Submission],
    seen: Look,
) -> Handed:
    texts = texts_of(latest)
    pks = [one.pk for one in latest]
    times = dict(Submission.objects.filter(id__in=pks).values_list("id", "at"))
    given: dict[int, list[Rewrite]] = {}
    facts: dict[str, Facts] = {}
    left_out = 0
    for one in latest:
        if one.decision == Decision.NOT_ANNOTATABLE:
            left_out += 1
            continue
        name = str(one.pk)
        facts[name] = Facts(one.person_id, times[one.pk], origin[one.sentence_id])
        rewrites = [Rewrite(seen.text(text), annotator=name) for text, _ in texts[one.pk]]
        if one.decision == Decision.ERROR_FREE:
            rewrites = [Rewrite(error_free=True, annotator=name)]
        given.setdefault(one.sentence_id, []).extend(rewrites)
    kept = tuple(
        replace(sample, references=tuple(given[key]))
        for key, sample in by_id.items()
        if key in given
    )
    return Handed(golden, Corpus("submissions", kept, golden.lang), facts, left_out)


def golden_corpus(project: Project) -> Corpus:
    """Return all golden sets, each sentence with its source (STA-1); "" where it is unknown."""
    seen = look(project)
    found = [one for piece in decided_now(project) for one in samples(piece, seen)]
    sourced = [replace(one, meta={SOURCE: one.meta.get(SOURCE, NO_SOURCE)}) for one in found]
    return Corpus(project.slug, tuple(sourced), project.lang)


def submissions_corpora(project: Project) -> Iterator[Corpus]:
    """Yield what stands handed in, in pieces, annotators by the numbers of their rows (STA-5)."""
    naming = Naming(project.pk, _Numbers())
    for piece in submitted(project, look(project), naming):
        if piece:
            yield Corpus(project.slug, tuple(piece), project.lang)


class _Numbers(dict[int, str]):
    """Calls each person by the number of their row."""

    def get(self, key: int, default: object = None) -> str:
        """Return the number as a text."""
        del default
        return str(key)


# Volumes by day, where sentences stand, how old open study items are, what was put off.


AGES = (1, 3, 7, 14, 30)
"""Ends of the classes of age of study items, in days."""

Row = TypeVar("Row", Study, Skip, Submission)

_HOUR, _MINUTE = len("2026-11-21 19"), len("2026-11-21 19:08")


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


def progress(project: Project) -> Progress:
    """Return how far a project is, by day and by state."""
    real = Sentence.objects.filter(project=project, purpose=Purpose.REAL)
    states = dict(real.order_by().values_list("state").annotate(count=Count("id")))
    inside = {"sentence__project": project, "sentence__purpose": Purpose.REAL}
    first = Submission.objects.filter(no=1, **inside)
    people = Review.objects.filter(reviewer__isnull=False, **inside).exclude(
        kind=ReviewKind.COMPLAINT  # a ruling is no review, as in the table of reviewers
    )
    golden = Golden.objects.filter(Q(review=None) | Q(review__base_version=0), **inside)
    handed, reviewed, decided = (_by_day(one) for one in (first, people, golden))
    worked = sorted(handed.keys() | reviewed.keys() | decided.keys())
    days = []
    if worked:
        for n in range((worked[-1] - worked[0]).days + 1):
            day = worked[0] + timedelta(days=n)
            days.append(Day(day, handed[day], reviewed[day], decided[day]))
    return Progress(states, tuple(days))


def _by_day(rows: QuerySet[Submission] | QuerySet[Review] | QuerySet[Golden]) -> Counter[date]:
    """Count rows by day of the clock of whoever asks.

    The database counts by hour, in UTC: on SQLite a time zone would cost a call of Python for
    each row.
    """
    length = _HOUR if _whole_hours() else _MINUTE
    begun = Substr(Cast("at", TextField()), 1, length)
    found: Counter[date] = Counter()
    for said, count in rows.order_by().values_list(begun).annotate(count=Count("id")):
        at = datetime.fromisoformat(said).replace(tzinfo=UTC)
        found[timezone.localtime(at).date()] += count
    return found


def _whole_hours() -> bool:
    """Return whether days of this clock begin at whole hours of UTC, summer and winter."""
    zone, year = timezone.get_current_timezone(), timezone.now().year
    shifts = [zone.utcoffset(datetime(year, month, 1)) for month in (1, 7)]  # noqa: DTZ001
    return all(one is not None and not one % timedelta(hours=1) for one in shifts)


def ages(project: Project, now: datetime | None = None) -> tuple[int, ...]:
    """Return how many open study items are younger than each of AGES, and how many are older."""
    now = now or timezone.now()
    ends = [now - timedelta(days=age) for age in AGES]
    younger = {f"n{n}": Count("id", filter=Q(opened_at__gt=end)) for n, end in enumerate(ends)}
    rows = _open(project).aggregate(everything=Count("id"), **younger)
    reached = [*(rows[f"n{n}"] for n in range(len(ends))), rows["everything"]]
    return tuple(b - a for a, b in zip([0, *reached], reached, strict=False))


def open_items(project: Project, person: int | None = None) -> Mapping[int, int]:
    """Return how many study items are open, by row of the person; of all, or of one."""
    rows = _of(_open(project), person).order_by().values_list("person")
    return dict(rows.annotate(count=Count("id")))


def _open(project: Project) -> QuerySet[Study]:
    return Study.objects.filter(
        project=project, state=StudyState.OPEN, sentence__purpose=Purpose.REAL
    )


def _of(rows: QuerySet[Row], person: int | None) -> QuerySet[Row]:
    return rows if person is None else rows.filter(person=person)


def shares(project: Project, person: int | None = None) -> Mapping[int, Shares]:
    """Return, by row of the person, how often they handed in, put off, gave up."""
    put_off = Skip.objects.filter(project=project, sentence__purpose=Purpose.REAL)
    put_off_by = _of(put_off, person).order_by().values_list("person")
    skipped = dict(put_off_by.annotate(count=Count("id")))
    done = _of(counted(project), person).order_by().values_list("person")
    rows = done.annotate(
        count=Count("id"),
        none=Count("id", filter=Q(decision=Decision.NOT_ANNOTATABLE)),
        worked=Sum("active_ms"),
    )
    found = {who: Shares(n, skipped.get(who, 0), none, ms) for who, n, none, ms in rows}
    return {**{who: Shares(skipped=n) for who, n in skipped.items()}, **found}


# How much of what people handed in became golden, and why the rest did not (STA-4).


@dataclass(frozen=True, slots=True)
class Accepted:
    """How many answers were reviewed, and how many of them are golden now.

    An answer is a text, or a decision without one.
    """

    judged: int = 0
    accepted: int = 0

    @property
    def share(self) -> float | None:
        """Share in [0, 1]; None where nothing was reviewed."""
        return self.accepted / self.judged if self.judged else None


def acceptance(project: Project, person: int | None = None) -> Mapping[int, Accepted]:
    """Return, by row of the person, how much of their work was accepted."""
    answers, texts = _judged(project, person)
    rows = [
        *texts.values(who=F("submission__person")).annotate(
            judged=Count("id"), accepted=Count("id", filter=Q(_golden()))
        ),
        *answers.values(who=F("person")).annotate(
            judged=Count("id"), accepted=Count("id", filter=Q(sentence__golden__kind=F("decision")))
        ),
    ]
    found: dict[int, Accepted] = {}
    for row in rows:
        was = found.get(row["who"], Accepted())
        found[row["who"]] = Accepted(was.judged + row["judged"], was.accepted + row["accepted"])
    return found


def reasons(project: Project, person: int | None = None) -> Mapping[int, Counter[str]]:
    """Return, by row of the person, why answers were refused, by name of the reason.

    What became golden later, as after a complaint, is no refusal; of several verdicts the last
    counts. One refusal may have several reasons.
    """
    answers, texts = _judged(project, person)
    found: dict[int, Counter[str]] = {}
    lost = texts.exclude(_golden()).annotate(
        who=F("submission__person"), said=_last(OuterRef("sentence"), digest=OuterRef("digest"))
    )
    wrong = answers.exclude(sentence__golden__kind=F("decision")).annotate(
        who=F("person"), said=_last(OuterRef("sentence"), digest="", decision=OuterRef("decision"))
    )
    for rows in (lost, wrong):
        for who, said, count in rows.values_list("who", "said").annotate(count=Count("id")):
            for reason in json.loads(said or "[]"):
                found.setdefault(who, Counter())[reason] += count
    return found


def _judged(
    project: Project, person: int | None
) -> tuple[QuerySet[Submission], QuerySet[Reference]]:
    """Return what was reviewed: decisions without a text, and texts."""
    done = counted(project).filter(sentence__golden__isnull=False)
    if person is not None:
        done = done.filter(person=person)
    texts = Reference.objects.filter(submission__in=done)
    return done.exclude(decision=Decision.CORRECTED), texts


def _golden() -> Exists:
    """Return the condition that a text is in its sentence's golden set."""
    return Exists(
        GoldenReference.objects.filter(
            golden=OuterRef("sentence__golden"), reference__digest=OuterRef("digest")
        )
    )


def _last(sentence: OuterRef, **about: object) -> Subquery:
    """Return the reasons of the last verdict about an answer; none if it was right."""
    verdicts = Verdict.objects.filter(review__sentence=sentence, **about).order_by("-id")
    wrong = verdicts.annotate(text=Cast("reasons", TextField()))
    return Subquery(wrong.values("text")[:1])


# What suggestions of a corrector did to answers.


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
    accepted: Accepted


def influence(project: Project) -> Mapping[str, Influence]:
    """Return answers whose author took the suggestion over, was only shown it, or was not.

    The keys are `taken`, `shown` and `unseen`; nothing where the project has no suggestions.
    """
    proposed = Suggestion.objects.filter(sentence__project=project)
    of = dict(proposed.order_by("pk").values_list("sentence_id", "text"))  # the last one stays
    if not of:
        return {}
    here = {name: OuterRef(name) for name in ("person", "suggestion")}
    took = Exists(SuggestionEvent.objects.filter(**here, kind=SuggestionAct.TAKEN))
    with_one = counted(project).filter(sentence__in=proposed.values("sentence"))
    groups = {
        "taken": with_one.filter(took),
        "shown": with_one.filter(~took, suggestion__isnull=False),
        "unseen": with_one.filter(suggestion=None),
    }
    return {name: _influence(rows, of) for name, rows in groups.items()}


def _influence(rows: QuerySet[Submission], of: Mapping[int, str]) -> Influence:
    texts: dict[int, list[str]] = {}
    written = Reference.objects.filter(submission__in=rows)
    for submission, text in written.values_list("submission_id", "text"):
        texts.setdefault(submission, []).append(text)
    found = list(rows.select_related("sentence", "suggestion"))
    equal = 0
    for one in found:
        suggestion = one.suggestion or Suggestion(text=of[one.sentence_id])
        equal += matches_answer(suggestion, one.sentence, one.decision, texts.get(one.pk, ()))
    done = rows.filter(sentence__golden__isnull=False)
    decided = done.exclude(decision=Decision.CORRECTED)
    right = decided.filter(sentence__golden__kind=F("decision"))
    judged = Reference.objects.filter(submission__in=done)
    return Influence(
        len(found),
        equal,
        Accepted(
            judged.count() + decided.count(), judged.filter(_golden()).count() + right.count()
        ),
    )
