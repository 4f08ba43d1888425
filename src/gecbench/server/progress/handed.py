"""What people handed in, as rows and as corpora; real sentences only (INV-12).

A submission counts once: the last one of its slot. Texts redone in self-study are no submissions
and never get here (STU-6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.lang.zh.parse import PLACEHOLDER
from gecbench.server.exchange.bridge import (
    Look,
    decided_now,
    latest_submissions,
    look_of,
    real,
    samples,
    submitted,
    texts_of,
)
from gecbench.server.exchange.pseudonyms import Naming
from gecbench.server.laws.names import SUBMITTED_OR_LATER, Decision, Purpose, SentenceState
from gecbench.server.models import Project, Source, Submission

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


def handed(project: Project, person: int | None = None) -> list[Handed]:
    """Return all decided sentences that can be annotated, with what was handed in for them.

    Args:
        project: Whose.
        person: Only what this person handed in, and only those sentences.
    """
    names = dict(Source.objects.filter(project=project).values_list("id", "name"))
    seen = look(project)
    made = []
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
        made.append(_handed(golden, by_id, origin, latest, seen))
    return made


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


def submissions_corpus(project: Project) -> Corpus:
    """Return all that stands handed in, its annotators by the numbers of their rows (STA-5)."""
    naming = Naming(project.pk, _Numbers())
    found = [one for piece in submitted(project, look(project), naming) for one in piece]
    return Corpus(project.slug, tuple(found), project.lang)


class _Numbers(dict[int, str]):
    """Calls each person by the number of their row."""

    def get(self, key: int, default: object = None) -> str:
        """Return the number as a text."""
        del default
        return str(key)
