"""Rows to the core's types, in pieces read by key: memory stays small however many there are.

Every reader begins at `real`: sentences for training and trials never leave the site (INV-12).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet

from gecbench.core.sample import Rewrite, Sample
from gecbench.server.exchange.paging import by_number
from gecbench.server.exchange.pseudonyms import Naming
from gecbench.server.laws.names import SUBMITTED_OR_LATER, Decision, Purpose, SentenceState
from gecbench.server.models import (
    Golden,
    GoldenReference,
    Project,
    Reference,
    Release,
    ReleaseItem,
    Sentence,
    Source,
    Submission,
)

PIECE = 500
"""Sentences that are in memory at once."""

DECIDED = (SentenceState.GOLDEN, SentenceState.DISPUTED)
"""States of sentences whose golden set is exported; one under complaint has the set it had."""

SOURCE = "source"
"""Key of metadata that names where a sentence comes from."""


@dataclass(frozen=True, slots=True)
class Look:
    """How texts and facts leave the site.

    Args:
        placeholder: The project's token for what is missing.
        alias: What is written instead; "" is the token itself.
        sources: Row of a source to its name.
    """

    placeholder: str
    alias: str = ""
    sources: Mapping[int, str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """Return a reference with the placeholder as exports write it."""
        return text.replace(self.placeholder, self.alias) if self.alias else text

    def meta(self, kept: Mapping[str, object], source: int | None) -> dict[str, str]:
        """Return the facts about a sentence as texts, in an order of their own.

        Databases differ in the order in which they give back the keys of an object.
        """
        made = {key: _said(kept[key]) for key in sorted(kept)}
        if source is not None:
            made[SOURCE] = self.sources[source]
        return made


@dataclass(frozen=True, slots=True)
class Decided:
    """A sentence with a golden version.

    Args:
        sentence: Row of the sentence.
        golden: Row of the golden version.
    """

    sentence: int
    golden: int


def real(project: Project) -> QuerySet[Sentence]:
    """Return the sentences of a project that may leave it (INV-12)."""
    return Sentence.objects.filter(project=project, purpose=Purpose.REAL)


def look_of(project: Project, *, alias: str | None = None) -> Look:
    """Return how a project's texts leave it now.

    Args:
        project: The project.
        alias: For the placeholder; None is what the project's option says.
    """
    options = project.rules
    names = dict(Source.objects.filter(project=project).values_list("id", "name"))
    return Look(options.placeholder, options.placeholder_export if alias is None else alias, names)


def decided_now(
    project: Project,
    states: Sequence[SentenceState] = DECIDED,
    *,
    annotatable: bool = False,
) -> Iterator[list[Decided]]:
    """Yield what is golden now, in the order of task numbers.

    Args:
        project: Whose sentences.
        states: Of sentences that are taken.
        annotatable: Leave those out that are decided to be not annotatable.
    """
    last = 0
    wanted = real(project).filter(state__in=states, golden__isnull=False)
    if annotatable:
        wanted = wanted.exclude(golden__kind=Decision.NOT_ANNOTATABLE)
    while True:
        rows = list(
            wanted.filter(number__gt=last)
            .order_by("number")
            .values_list("number", "id", "golden_id")[:PIECE]
        )
        if not rows:
            return
        last = rows[-1][0]
        yield [Decided(sentence, golden) for _, sentence, golden in rows if golden is not None]


def decided_in(release: Release) -> Iterator[list[Decided]]:
    """Yield what a release froze, in its order."""
    last = -1
    while True:
        rows = list(
            ReleaseItem.objects.filter(release=release, position__gt=last)
            .order_by("position")
            .values_list("position", "sentence_id", "golden_id")[:PIECE]
        )
        if not rows:
            return
        last = rows[-1][0]
        yield [Decided(sentence, golden) for _, sentence, golden in rows]


def samples(decided: Sequence[Decided], look: Look) -> list[Sample]:
    """Return sentences with their golden references, in the order given."""
    facts = {
        row[0]: row
        for row in Sentence.objects.filter(id__in=[one.sentence for one in decided]).values_list(
            "id", "external_id", "text", "meta", "source_id"
        )
    }
    goldens = [one.golden for one in decided]
    texts: dict[int, list[str]] = defaultdict(list)
    for golden, text in (
        GoldenReference.objects.filter(golden_id__in=goldens)
        .order_by("golden_id", "position")
        .values_list("golden_id", "reference__text")
    ):
        texts[golden].append(text)
    kinds = dict(Golden.objects.filter(id__in=goldens).values_list("id", "kind"))
    made = []
    for one in decided:
        _, name, source, meta, origin = facts[one.sentence]
        rewrites = _golden(kinds[one.golden], texts[one.golden], look)
        made.append(Sample(name, source, rewrites, look.meta(meta, origin)))
    return made


def _golden(kind: str, texts: Sequence[str], look: Look) -> tuple[Rewrite, ...]:
    if kind == Decision.ERROR_FREE:
        return (Rewrite(error_free=True),)
    if kind == Decision.NOT_ANNOTATABLE:
        return (Rewrite(unannotatable=True),)
    return tuple(Rewrite(text=look.text(text)) for text in texts)


def submitted(project: Project, look: Look, naming: Naming) -> Iterator[list[Sample]]:
    """Yield sentences with all that annotators handed in for them, each with its annotator.

    The last submission of each slot counts; one that was taken back does not. Sentences without
    any are left out.
    """

    def made(piece: Sequence[Sentence]) -> list[Sample]:
        given = handed_in([one.pk for one in piece], look, naming)
        return [
            Sample(
                one.external_id,
                one.text,
                tuple(given[one.pk]),
                look.meta(one.meta, one.source_id),
            )
            for one in piece
            if one.pk in given
        ]

    wanted = real(project).exclude(state=SentenceState.WITHDRAWN)
    return by_number(wanted.only("number", "external_id", "text", "meta", "source"), made)


def latest_submissions(sentences: Sequence[int]) -> list[Submission]:
    """Return the last submission of each slot that stands handed in, by sentence and slot."""
    latest: dict[int, Submission] = {}
    for one in (
        Submission.objects.filter(
            sentence_id__in=sentences, slot__state__in=[str(s) for s in SUBMITTED_OR_LATER]
        )
        .order_by("sentence_id", "slot__no", "no")
        .only("id", "slot_id", "sentence_id", "person_id", "decision")
    ):
        latest[one.slot_id] = one
    return list(latest.values())


def texts_of(submissions: Sequence[Submission]) -> Mapping[int, list[tuple[str, str]]]:
    """Return the texts of submissions with their dimension, by row of the submission, in order."""
    texts: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for submission, text, dimension in (
        Reference.objects.filter(submission_id__in=[one.pk for one in submissions])
        .order_by("submission_id", "position", "id")
        .values_list("submission_id", "text", "dimension")
    ):
        texts[submission].append((text, dimension))
    return texts


def handed_in(sentences: Sequence[int], look: Look, naming: Naming) -> Mapping[int, list[Rewrite]]:
    """Return, by row of the sentence, what stands handed in for it now."""
    latest = latest_submissions(sentences)
    texts = texts_of(latest)
    given: dict[int, list[Rewrite]] = defaultdict(list)
    for one in latest:
        who = naming.of(one.person_id)
        if one.decision == Decision.CORRECTED:
            given[one.sentence_id] += [
                Rewrite(text=look.text(text), annotator=who) for text, _ in texts[one.pk]
            ]
        else:
            given[one.sentence_id].append(
                Rewrite(
                    error_free=one.decision == Decision.ERROR_FREE,
                    unannotatable=one.decision == Decision.NOT_ANNOTATABLE,
                    annotator=who,
                )
            )
    return given


def _said(value: object) -> str:
    return (
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    )
