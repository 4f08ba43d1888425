"""The export with everything: what was handed in, judged, decided, studied and complained about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import TypeVar

from django.db.models import Prefetch, QuerySet

from gecbench import __version__
from gecbench.formats.records import FULL
from gecbench.server.choices import SUBMITTED_OR_LATER, Origin, SuggestionAct
from gecbench.server.import_export.corpora import Look, Naming, by_number, lines_of, real_sentences
from gecbench.server.models import (
    Complaint,
    Golden,
    GoldenReference,
    Guideline,
    Message,
    Project,
    Reference,
    Review,
    Sentence,
    Study,
    StudyTry,
    Submission,
    Suggestion,
    SuggestionEvent,
    Verdict,
)
from gecbench.server.workflow.suggestions import matches_answer

_SCHEMA = 1
_Row = TypeVar("_Row", Submission, Review, Golden, Study, Message, Reference, Verdict, Suggestion)
_SENTENCE = attrgetter("sentence_id")
Json = dict[str, object]
"""An object, as JSON has it."""


def export_annotations(project: Project, look: Look, naming: Naming) -> Iterator[bytes]:
    """Yield a header line, then an object for each sentence with all that happened to it.

    Texts are as they were written: the placeholder is the project's own, not its alias.
    """
    yield from lines_of([_header(project, naming)])
    for rows in by_number(
        real_sentences(project), lambda piece: annotation_objects(piece, look, naming)
    ):
        yield from lines_of(rows)


def annotation_objects(sentences: Sequence[Sentence], look: Look, naming: Naming) -> list[Json]:
    """All that happened to some sentences of one project."""
    around = _Around.of(sentences, look, naming)
    return [around.sentence_object(sentence) for sentence in sentences]


def _header(project: Project, naming: Naming) -> Json:
    guideline = project.guideline
    return {
        "format": FULL,
        "schema": _SCHEMA,
        "project": project.slug,
        "name": project.name,
        "lang": project.lang,
        "annotators": project.annotators,
        "max_references": project.max_references,
        "options": {key: project.options[key] for key in sorted(project.options)},
        "guideline": guideline.version if guideline else None,
        "people": "pseudonyms" if naming.names is None else "names",
        "gecbench": __version__,
    }


@dataclass(frozen=True, slots=True)
class _Around:
    """All rows around some sentences, by row of the sentence.

    Texts are by row of the submission or of the review, verdicts by that of the review, versions
    of guidelines by that of the guideline. `suggestions` is None where the project has none at all:
    then nothing is said of them.
    """

    look: Look
    naming: Naming
    submissions: Mapping[int, Sequence[Submission]]
    reviews: Mapping[int, Sequence[Review]]
    goldens: Mapping[int, Sequence[Golden]]
    studies: Mapping[int, Sequence[Study]]
    talk: Mapping[int, Sequence[Message]]
    kept: Mapping[int, Sequence[Reference]]
    submitted: Mapping[int, Sequence[Reference]]
    added: Mapping[int, Sequence[Reference]]
    verdicts: Mapping[int, Sequence[Verdict]]
    guidelines: Mapping[int, int]
    suggestions: Mapping[int, Sequence[Suggestion]] | None

    @classmethod
    def of(cls, sentences: Sequence[Sentence], look: Look, naming: Naming) -> _Around:
        """Fetch them, a query for each table."""
        keys = [sentence.pk for sentence in sentences]
        texts = list(Reference.objects.filter(sentence_id__in=keys).order_by("position", "id"))
        verdicts = Verdict.objects.filter(review__sentence_id__in=keys).order_by("id")
        talk = Message.objects.filter(sentence_id__in=keys).order_by("id")
        references = Reference.objects.filter(
            sentence_id__in=keys, origin=Origin.IMPORT, golden_entries=None
        ).order_by("position", "id")
        return cls(
            look,
            naming,
            _by(_SENTENCE, _submissions(keys)),
            _by(_SENTENCE, Review.objects.filter(sentence_id__in=keys).order_by("id")),
            _by(_SENTENCE, _goldens(keys)),
            _by(_SENTENCE, _studies(keys)),
            _by(_SENTENCE, talk),
            _by(_SENTENCE, references),
            _by(attrgetter("submission_id"), texts),
            _by(attrgetter("review_id"), texts),
            _by(attrgetter("review_id"), verdicts),
            dict(_guidelines(keys).values_list("pk", "version")),
            _suggestions(keys),
        )

    def sentence_object(self, sentence: Sentence) -> Json:
        """All that is known of a sentence."""
        key = sentence.pk
        references = [
            *(text for row in self.submissions.get(key, ()) for text in self._texts(row)),
            *(text for row in self.reviews.get(key, ()) for text in self.added.get(row.pk, ())),
        ]
        texts = {reference.digest: reference.text for reference in references}
        numbers = {row.pk: n for n, row in enumerate(self.reviews.get(key, ()), 1)}
        suggested: Json = {}
        if self.suggestions is not None:
            rows = self.suggestions.get(key, ())
            suggested["suggestions"] = [self._suggestion(row) for row in rows]
        return {
            "id": sentence.external_id,
            "number": sentence.number,
            "text": sentence.text,
            "source": "" if sentence.source_id is None else self.look.sources[sentence.source_id],
            "meta": {name: sentence.meta[name] for name in sorted(sentence.meta)},
            "state": sentence.state,
            "state_note": sentence.state_note,
            "needed": sentence.needed,
            "imported_references": [
                {"text": row.text, "dimension": row.dimension} for row in self.kept.get(key, ())
            ],
            "submissions": [
                self._submission(row, sentence) for row in self.submissions.get(key, ())
            ],
            "reviews": [
                self._review(row, texts, numbers[row.pk]) for row in self.reviews.get(key, ())
            ],
            "goldens": [self._golden(row, numbers) for row in self.goldens.get(key, ())],
            "studies": [self._study(row) for row in self.studies.get(key, ())],
            "talk": [self._message(row) for row in self.talk.get(key, ())],
            **suggested,
        }

    def _version(self, guideline: int | None) -> int | None:
        return None if guideline is None else self.guidelines[guideline]

    def _texts(self, row: Submission) -> Sequence[Reference]:
        return self.submitted.get(row.pk, ())

    def _submission(self, row: Submission, sentence: Sentence) -> Json:
        suggested: Json = {}
        if self.suggestions is not None:
            suggested["suggestion"] = self._influence(row, sentence)
        return {
            "annotator": self.naming.of(row.person_id),
            "slot": row.slot.no,
            "no": row.no,
            "stands": row.slot.state in SUBMITTED_OR_LATER,
            "at": _time(row.at),
            "decision": row.decision,
            "reason": row.reason,
            "reason_note": row.reason_note,
            "texts": [
                {"text": reference.text, "dimension": reference.dimension}
                for reference in self._texts(row)
            ],
            "guideline": self._version(row.guideline_id),
            "active_ms": row.active_ms,
            "suggested": row.suggestion_id is not None,
            **suggested,
        }

    def _suggestion(self, row: Suggestion) -> Json:
        taken_at = {
            event.person_id: event.at
            for event in row.events.all()
            if event.kind == SuggestionAct.TAKEN
        }
        return {
            "corrector": row.model,
            "version": row.model_version,
            "text": row.text,
            "score": row.score,
            "at": _time(row.at),
            "shown": [
                {
                    "annotator": self.naming.of(event.person_id),
                    "slot": event.slot.no,
                    "at": _time(event.at),
                    "taken_at": _time(taken_at.get(event.person_id)),
                }
                for event in row.events.all()
                if event.kind == SuggestionAct.SHOWN
            ],
        }

    def _influence(self, row: Submission, sentence: Sentence) -> Json | None:
        """Which suggestion was shown before a submission, and what it came to."""
        rows = (self.suggestions or {}).get(sentence.pk, ())
        suggestion = next((item for item in rows if item.pk == row.suggestion_id), None)
        if suggestion is None:
            return None
        events = {
            event.kind: event.at
            for event in suggestion.events.all()
            if event.person_id == row.person_id and event.at <= row.at
        }
        texts = [reference.text for reference in self._texts(row)]
        return {
            "suggestion": rows.index(suggestion) + 1,
            "shown_at": _time(events.get(SuggestionAct.SHOWN)),
            "taken_at": _time(events.get(SuggestionAct.TAKEN)),
            "equal": matches_answer(suggestion, sentence, row.decision, texts),
        }

    def _review(self, row: Review, texts: Mapping[str, str], number: int) -> Json:
        return {
            "review": number,
            "reviewer": self.naming.of(row.reviewer_id),
            "kind": row.kind,
            "at": _time(row.at),
            "base_version": row.base_version,
            "decision": row.decision,
            "reason": row.reason,
            "note": row.note,
            "guideline": self._version(row.guideline_id),
            "active_ms": row.active_ms,
            "verdicts": [
                {
                    "decision": verdict.decision,
                    "text": texts.get(verdict.digest, "") if verdict.digest else "",
                    "correct": verdict.correct,
                    "reasons": list(verdict.reasons),
                    "note": verdict.note,
                    "section": verdict.section,
                }
                for verdict in self.verdicts.get(row.pk, ())
            ],
        }

    def _golden(self, row: Golden, numbers: Mapping[int, int]) -> Json:
        return {
            "version": row.version,
            "decision": row.kind,
            "reason": row.reason,
            "review": None if row.review_id is None else numbers.get(row.review_id),
            "at": _time(row.at),
            "guideline": self._version(row.guideline_id),
            "references": [self._reference(entry.reference) for entry in row.entries.all()],
        }

    def _reference(self, row: Reference) -> Json:
        by = row.submission.person_id if row.submission else None
        return {
            "text": row.text,
            "origin": row.origin,
            "annotator": None if by is None else self.naming.of(by),
            "made_from": row.parent.text if row.parent else None,
        }

    def _study(self, row: Study) -> Json:
        return {
            "annotator": self.naming.of(row.person_id),
            "about": row.reference.text if row.reference else "",
            "decision": row.submission.decision,
            "state": row.state,
            "close_reason": row.close_reason,
            "opened_at": _time(row.opened_at),
            "closed_at": _time(row.closed_at),
            "tries": [
                {
                    "at": _time(attempt.at),
                    "decision": attempt.decision,
                    "text": attempt.text,
                    "matched": attempt.matched,
                    "counted": attempt.counted,
                }
                for attempt in row.tries.all()
            ],
            "complaints": [self._complaint(complaint) for complaint in row.complaints.all()],
        }

    def _complaint(self, row: Complaint) -> Json:
        return {
            "by": self.naming.of(row.person_id),
            "level": row.level,
            "state": row.state,
            "handler": None if row.handler_id is None else self.naming.of(row.handler_id),
            "decision_note": row.decision_note,
            "section": row.section,
            "opened_at": _time(row.opened_at),
            "decided_at": _time(row.decided_at),
            "messages": [self._message(message) for message in row.messages.all()],
        }

    def _message(self, row: Message) -> Json:
        return {"by": self.naming.of(row.person_id), "at": _time(row.at), "text": row.text}


def _guidelines(keys: Sequence[int]) -> QuerySet[Guideline]:
    return Guideline.objects.filter(project__sentences__in=keys[:1])


def _submissions(keys: Sequence[int]) -> QuerySet[Submission]:
    rows = Submission.objects.filter(sentence_id__in=keys).select_related("slot")
    return rows.order_by("slot__no", "no")


def _suggestions(keys: Sequence[int]) -> dict[int, list[Suggestion]] | None:
    if not Suggestion.objects.filter(sentence__project__sentences__in=keys[:1]).exists():
        return None
    events = SuggestionEvent.objects.select_related("slot").order_by("id")
    rows = Suggestion.objects.filter(sentence_id__in=keys).order_by("id")
    return _by(_SENTENCE, rows.prefetch_related(Prefetch("events", events)))


def _goldens(keys: Sequence[int]) -> QuerySet[Golden]:
    entries = GoldenReference.objects.select_related("reference__submission", "reference__parent")
    return (
        Golden.objects.filter(sentence_id__in=keys)
        .prefetch_related(Prefetch("entries", entries.order_by("position")))
        .order_by("version")
    )


def _studies(keys: Sequence[int]) -> QuerySet[Study]:
    messages = Prefetch("messages", Message.objects.order_by("id"))
    complaints = Complaint.objects.order_by("id").prefetch_related(messages)
    return (
        Study.objects.filter(sentence_id__in=keys)
        .select_related("reference", "submission")
        .prefetch_related(
            Prefetch("tries", StudyTry.objects.order_by("id")),
            Prefetch("complaints", complaints),
        )
        .order_by("id")
    )


def _by(key: Callable[[_Row], int | None], rows: Iterable[_Row]) -> dict[int, list[_Row]]:
    """Rows by a row that they belong to, without those that belong to none."""
    groups: dict[int | None, list[_Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return {key: members for key, members in groups.items() if key is not None}


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat(timespec="milliseconds")
