"""The export with everything: what was handed in, judged, decided, studied and complained about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import F, Prefetch, prefetch_related_objects

from gecbench import __version__
from gecbench.formats.records import FULL
from gecbench.server.choices import SUBMITTED_OR_LATER, Origin, SuggestionAct
from gecbench.server.import_export.corpora import Look, Naming, by_number, lines_of, real_sentences
from gecbench.server.models import (
    Complaint,
    Golden,
    GoldenReference,
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
    """All that happened to some sentences of one project, read by a query for each table."""
    project = sentences[0].project_id
    suggests = Suggestion.objects.filter(sentence__project=project).exists()
    prefetch_related_objects(sentences, *_rows_around(), *(_suggestions() if suggests else ()))
    around = _Around(look, naming, suggests)
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


def _rows_around() -> Iterator[Prefetch[Any]]:
    """Yield what is fetched around sentences, in the order in which it is told."""
    version = {"guideline_version": F("guideline__version")}
    texts = Prefetch("references", Reference.objects.order_by("position", "pk"))
    submissions = Submission.objects.annotate(**version).select_related("slot")
    yield Prefetch("submissions", submissions.order_by("slot__no", "no").prefetch_related(texts))
    verdicts = Prefetch("verdicts", Verdict.objects.order_by("pk"))
    reviews = Review.objects.annotate(**version).order_by("pk")
    yield Prefetch("reviews", reviews.prefetch_related(texts, verdicts))
    entries = GoldenReference.objects.select_related("reference__submission", "reference__parent")
    goldens = Golden.objects.annotate(**version).order_by("version")
    yield Prefetch(
        "goldens", goldens.prefetch_related(Prefetch("entries", entries.order_by("position")))
    )
    messages = Prefetch("messages", Message.objects.order_by("pk"))
    complaints = Complaint.objects.order_by("pk").prefetch_related(messages)
    studies = Study.objects.select_related("reference", "submission").order_by("pk")
    yield Prefetch(
        "studies",
        studies.prefetch_related(
            Prefetch("tries", StudyTry.objects.order_by("pk")), Prefetch("complaints", complaints)
        ),
    )
    yield messages
    imported = Reference.objects.filter(origin=Origin.IMPORT, golden_entries=None)
    yield Prefetch("references", imported.order_by("position", "pk"), to_attr="imported")


def _suggestions() -> Iterator[Prefetch[Any]]:
    events = SuggestionEvent.objects.select_related("slot").order_by("pk")
    rows = Suggestion.objects.order_by("pk").prefetch_related(Prefetch("events", events))
    yield Prefetch("suggestions", rows)


@dataclass(frozen=True, slots=True)
class _Around:
    """Tells what was fetched around sentences.

    Args:
        look: How texts and facts leave the site.
        naming: How people are called.
        suggests: Whether the project has suggestions; else nothing is said of them.
    """

    look: Look
    naming: Naming
    suggests: bool

    def sentence_object(self, sentence: Any) -> Json:
        """All that is known of a sentence, whose rows are fetched with it."""
        submissions, reviews = sentence.submissions.all(), sentence.reviews.all()
        references = (text for row in (*submissions, *reviews) for text in row.references.all())
        texts = {reference.digest: reference.text for reference in references}
        numbers = {row.pk: n for n, row in enumerate(reviews, 1)}
        suggested: Json = {}
        if self.suggests:
            suggested["suggestions"] = [self._suggestion(row) for row in sentence.suggestions.all()]
        return {
            "id": sentence.external_id,
            "number": sentence.number,
            "text": sentence.text,
            "source": "" if sentence.source_id is None else self.look.sources[sentence.source_id],
            "meta": {name: sentence.meta[name] for name in sorted(sentence.meta)},
            "state": sentence.state,
            "state_note": sentence.state_note,
            "needed": sentence.needed,
            "imported_references": _texts(sentence.imported),
            "submissions": [self._submission(row, sentence) for row in submissions],
            "reviews": [self._review(row, texts, numbers[row.pk]) for row in reviews],
            "goldens": [self._golden(row, numbers) for row in sentence.goldens.all()],
            "studies": [self._study(row) for row in sentence.studies.all()],
            "talk": [self._message(row) for row in sentence.messages.all()],
            **suggested,
        }

    def _submission(self, row: Any, sentence: Any) -> Json:
        suggested: Json = {}
        if self.suggests:
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
            "texts": _texts(row.references.all()),
            "guideline": row.guideline_version,
            "active_ms": row.active_ms,
            "suggested": row.suggestion_id is not None,
            **suggested,
        }

    def _suggestion(self, row: Suggestion) -> Json:
        times = {
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
                    "taken_at": _time(times.get(event.person_id)),
                }
                for event in row.events.all()
                if event.kind == SuggestionAct.SHOWN
            ],
        }

    def _influence(self, row: Submission, sentence: Any) -> Json | None:
        """Which suggestion was shown before a submission, and what it came to."""
        rows = list(sentence.suggestions.all())
        suggestion = next((item for item in rows if item.pk == row.suggestion_id), None)
        if suggestion is None:
            return None
        events = {
            event.kind: event.at
            for event in suggestion.events.all()
            if event.person_id == row.person_id and event.at <= row.at
        }
        texts = [reference.text for reference in row.references.all()]
        return {
            "suggestion": rows.index(suggestion) + 1,
            "shown_at": _time(events.get(SuggestionAct.SHOWN)),
            "taken_at": _time(events.get(SuggestionAct.TAKEN)),
            "equal": matches_answer(suggestion, sentence, row.decision, texts),
        }

    def _review(self, row: Any, texts: Mapping[str, str], number: int) -> Json:
        return {
            "review": number,
            "reviewer": self.naming.of(row.reviewer_id),
            "kind": row.kind,
            "at": _time(row.at),
            "base_version": row.base_version,
            "decision": row.decision,
            "reason": row.reason,
            "note": row.note,
            "guideline": row.guideline_version,
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
                for verdict in row.verdicts.all()
            ],
        }

    def _golden(self, row: Any, numbers: Mapping[int, int]) -> Json:
        return {
            "version": row.version,
            "decision": row.kind,
            "reason": row.reason,
            "review": None if row.review_id is None else numbers.get(row.review_id),
            "at": _time(row.at),
            "guideline": row.guideline_version,
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


def _texts(rows: Iterable[Reference]) -> list[Json]:
    return [{"text": row.text, "dimension": row.dimension} for row in rows]


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat(timespec="milliseconds")
