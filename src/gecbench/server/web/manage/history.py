"""Everything that happened to a sentence, in the order of time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from gecbench.server.laws.names import Decision, SlotEventKind
from gecbench.server.models import (
    Complaint,
    Golden,
    Message,
    Reference,
    Review,
    ReviewTask,
    Sentence,
    SlotEvent,
    Study,
    Submission,
    Verdict,
)
from gecbench.server.web.manage.words import (
    CLOSE_REASONS,
    DECISIONS,
    ORIGINS,
    REVIEW_KINDS,
    SLOT_EVENTS,
    nobody,
)
from gecbench.server.web.review.drawing import Drawn, drawn_diff
from gecbench.server.web.review.words import not_annotatable_reasons, reject_reasons
from gecbench.server.web.study.threads import STATES

_QUIET = (SlotEventKind.RENEW, SlotEventKind.SUBMIT, SlotEventKind.JUDGE)
"""A renewal is no news; submissions and verdicts are shown themselves."""


@dataclass(frozen=True, slots=True)
class Line:
    """A text of an entry.

    Args:
        drawn: How it differs from the sentence; () where there is only a note.
        note: Words beside it.
        tone: "good", "bad" or "".
    """

    drawn: tuple[Drawn, ...] = ()
    note: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that happened.

    Args:
        at: When.
        rank: Of what happened at the same moment, small ones come first.
        title: What, in words.
        who: A name.
        kind: "golden", "review", ... for the mark beside it.
        lines: Texts.
        note: What somebody said.
        link: Row of a complaint that has a page of its own; None else.
    """

    at: datetime
    rank: int
    title: str
    who: str
    kind: str
    lines: tuple[Line, ...] = ()
    note: str = ""
    link: int | None = None


def history(sentence: Sentence) -> tuple[Entry, ...]:
    """Return all entries of a sentence, oldest first."""
    texts = _Texts(sentence)
    made = [
        _arrival(sentence),
        *_events(sentence),
        *_submissions(sentence, texts),
        *_tasks(sentence),
        *_reviews(sentence, texts),
        *_goldens(sentence, texts),
        *_studies(sentence, texts),
        *_complaints(sentence),
        *_messages(sentence),
    ]
    return tuple(sorted(made, key=lambda one: (one.at, one.rank)))


class _Texts:
    """References of a sentence and how each differs from it, drawn once."""

    def __init__(self, sentence: Sentence) -> None:
        self._sentence = sentence
        self._drawn: dict[str, tuple[Drawn, ...]] = {}
        rows = Reference.objects.filter(sentence=sentence).order_by("pk")
        self.rows = tuple(rows)
        self.by_digest = {one.digest: one.text for one in self.rows}

    def line(self, text: str, note: str = "", tone: str = "") -> Line:
        """Return a text as a line."""
        if text not in self._drawn:
            self._drawn[text] = drawn_diff(self._sentence.project, self._sentence.text, text)
        return Line(self._drawn[text], note, tone)

    def of(self, submission: int) -> Iterator[Line]:
        """Yield the texts of a submission."""
        for one in self.rows:
            if one.submission_id == submission:
                yield self.line(one.text)


def _arrival(sentence: Sentence) -> Entry:
    batch = sentence.batch
    who = batch.by.name if batch is not None and batch.by is not None else nobody()
    note = batch.file_name if batch is not None else ""
    return Entry(sentence.created_at, 0, gettext("came in"), who, "in", note=note)


def _events(sentence: Sentence) -> Iterator[Entry]:
    rows = SlotEvent.objects.filter(sentence=sentence).exclude(kind__in=_QUIET)
    for one in rows.select_related("person", "slot").order_by("pk"):
        words = str(SLOT_EVENTS[one.kind])
        title = gettext("place %(no)s: %(what)s") % {"no": one.slot.no, "what": words}
        yield Entry(one.at, 1, title, _name(one.person), "place")


def _submissions(sentence: Sentence, texts: _Texts) -> Iterator[Entry]:
    reasons = {one.name: one.words for one in not_annotatable_reasons()}
    rows = Submission.objects.filter(sentence=sentence).select_related("person", "slot")
    for one in rows.order_by("pk"):
        title = gettext("place %(no)s: submitted, %(what)s") % {
            "no": one.slot.no,
            "what": DECISIONS[one.decision],
        }
        said = (reasons.get(one.reason, one.reason), one.reason_note)
        note = ": ".join(part for part in said if part)
        yield Entry(one.at, 2, title, one.person.name, "text", tuple(texts.of(one.pk)), note)


def _tasks(sentence: Sentence) -> Iterator[Entry]:
    rows = ReviewTask.objects.filter(sentence=sentence).select_related("reviewer", "handed_by")
    for one in rows.order_by("pk"):
        title = gettext("into the queue: %(what)s") % {"what": REVIEW_KINDS[one.kind]}
        note = one.note
        if one.reviewer is not None:
            taken = gettext("with %(name)s") % {"name": one.reviewer.name}
            note = f"{taken} · {note}" if note else taken
        yield Entry(one.created_at, 3, title, _name(one.handed_by), "queue", note=note)


def _reviews(sentence: Sentence, texts: _Texts) -> Iterator[Entry]:
    rows = Review.objects.filter(sentence=sentence).select_related("reviewer")
    verdicts = list(Verdict.objects.filter(review__sentence=sentence).order_by("pk"))
    for one in rows.order_by("pk"):
        title = f"{REVIEW_KINDS[one.kind]}: {DECISIONS[one.decision]}"
        lines = _judged([verdict for verdict in verdicts if verdict.review_id == one.pk], texts)
        yield Entry(one.at, 4, title, _name(one.reviewer), "review", tuple(lines), one.note)


def _judged(verdicts: Iterable[Verdict], texts: _Texts) -> Iterator[Line]:
    known = {one.name: one.words for one in reject_reasons()}
    for one in verdicts:
        words = [gettext("correct") if one.correct else gettext("wrong")]
        words += [known.get(reason, reason) for reason in one.reasons]
        words += [one.note] if one.note else []
        note, tone = " · ".join(words), "good" if one.correct else "bad"
        text = texts.by_digest.get(one.digest)
        if text is None:
            yield Line((), f"{DECISIONS[one.decision]}: {note}", tone)
        else:
            yield texts.line(text, note, tone)


def _goldens(sentence: Sentence, texts: _Texts) -> Iterator[Entry]:
    rows = Golden.objects.filter(sentence=sentence).prefetch_related("entries__reference")
    for one in rows.order_by("version"):
        title = gettext("golden version %(version)s: %(what)s") % {
            "version": one.version,
            "what": DECISIONS[one.kind],
        }
        entries = sorted(one.entries.all(), key=lambda entry: entry.position)
        lines = (
            texts.line(entry.reference.text, str(ORIGINS[entry.reference.origin]))
            for entry in entries
        )
        yield Entry(one.at, 5, title, "", "golden", tuple(lines))


def _studies(sentence: Sentence, texts: _Texts) -> Iterator[Entry]:
    rows = Study.objects.filter(sentence=sentence).select_related("person", "reference")
    for one in rows.order_by("pk"):
        what = DECISIONS[Decision.CORRECTED]
        lines: Sequence[Line] = ()
        if one.reference is not None:
            lines = (texts.line(one.reference.text),)
        else:
            what = gettext("a decision")
        opened = gettext("self-study begins: %(what)s") % {"what": what}
        yield Entry(one.opened_at, 6, opened, one.person.name, "study", tuple(lines))
        if one.closed_at is not None:
            words = {"what": CLOSE_REASONS[one.close_reason], "tries": one.attempts}
            closed = gettext("self-study ends: %(what)s, tries: %(tries)s") % words
            yield Entry(one.closed_at, 7, closed, one.person.name, "study")


def _complaints(sentence: Sentence) -> Iterator[Entry]:
    rows = Complaint.objects.filter(study__sentence=sentence).select_related("person", "handler")
    for one in rows.order_by("pk"):
        yield Entry(
            one.opened_at, 8, gettext("complaint"), one.person.name, "complaint", link=one.pk
        )
        if one.decided_at is not None:
            title = gettext("complaint: %(what)s") % {"what": STATES[one.state]}
            name = _name(one.handler)
            yield Entry(one.decided_at, 9, title, name, "complaint", (), one.decision_note, one.pk)


def _messages(sentence: Sentence) -> Iterator[Entry]:
    rows = Message.objects.filter(complaint__study__sentence=sentence).select_related("person")
    for one in rows.order_by("pk"):
        yield Entry(one.at, 10, gettext("said"), one.person.name, "said", (), one.text)


def _name(person: object) -> str:
    return str(person) if person is not None else nobody()
