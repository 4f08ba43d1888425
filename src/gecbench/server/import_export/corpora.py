"""Rows by key, piece by piece: never by offset, never all at once, each piece of one moment."""

from __future__ import annotations

import base64
import csv
import gc
import hashlib
import hmac
import io
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet

from gecbench.core.sample import Rewrite, Sample
from gecbench.server.choices import SUBMITTED_OR_LATER, Decision, Purpose, SentenceState
from gecbench.server.models import (
    Golden,
    GoldenReference,
    Member,
    Person,
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

_PieceT = TypeVar("_PieceT")


def by_number(
    sentences: QuerySet[Sentence], make: Callable[[list[Sentence]], _PieceT]
) -> Iterator[_PieceT]:
    """Yield what is made of sentences of one project, in the order of their task numbers.

    All that `make` reads about a piece is of the moment at which the piece was read: people who
    work meanwhile are not held up, and no sentence is half before and half after what they do.
    """
    last = 0
    while True:
        with read_snapshot():
            piece = list(sentences.filter(number__gt=last).order_by("number")[:PIECE])
            if not piece:
                return
            result = make(piece)
        last = piece[-1].number
        yield result
        del piece, result
        # Rows that know their parents are in circles: without this, hundreds of megabytes wait.
        gc.collect(1)


@contextmanager
def read_snapshot() -> Iterator[None]:
    """Let all that is read inside be of one moment; nothing may be written inside.

    A reader of SQLite begins without IMMEDIATE, or it would hold up everybody who writes.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ROLLBACK")


# Who people are in an export: stable pseudonyms, or their names where somebody asks for them.


_LENGTH = 10


@dataclass(frozen=True, slots=True)
class Naming:
    """How people of one project are called.

    The same person has the same pseudonym in every export of a project, and another one in
    another project: without the site's secret nobody can tell who it is.

    Args:
        project: Row of the project.
        names: Person to name, where names are shown; None means pseudonyms.
    """

    project: int
    names: Mapping[int, str] | None = field(default=None, repr=False)

    def of(self, person: int | None) -> str:
        """What a person is called; nobody (an import, the platform) is "nobody"."""
        if person is None:
            return "nobody"
        if self.names is not None:
            return self.names.get(person) or f"person {person}"
        return _pseudonym(settings.SECRET_KEY, self.project, person)


@lru_cache(maxsize=4096)
def _pseudonym(secret: str, project: int, person: int) -> str:
    """What a person is called in a project; a large export asks a million times."""
    message = f"pseudonym {project} {person}".encode()
    code = hmac.new(secret.encode(), message, hashlib.sha256).digest()
    return "P" + base64.b32encode(code).decode()[:_LENGTH].lower()


def naming_of(project: Project, *, show: bool = False) -> Naming:
    """Pseudonyms for a project's people, or their names."""
    if not show:
        return Naming(project.pk)
    people = Member.objects.filter(project=project).values_list("person_id", flat=True)
    names = Person.objects.filter(id__in=list(people)).values_list("id", "name", "login")
    twice = _duplicates([name for _, name, _ in names])
    return Naming(
        project.pk,
        {key: f"{name} ({login})" if name in twice else name for key, name, login in names},
    )


def _duplicates(names: list[str]) -> set[str]:
    return {name for name in names if names.count(name) > 1}


# Rows as lines of bytes: JSON, one object a line, and tables that spreadsheets open safely.


_FORMULA = (*"=+-@＝＋－＠", "\t", "\r", "\n")
"""What a formula begins with; spreadsheets of East Asia take full-width signs for it, too."""


def lines_of(rows: Iterable[Mapping[str, object]]) -> Iterator[bytes]:
    """Yield all rows as one piece of JSON lines; nothing where there is none."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    text = "".join(f"{encode(row)}\n" for row in rows)
    if text:
        yield text.encode()


def table(
    header: Sequence[str], pieces: Iterable[Iterable[Sequence[str | int | float | None]]]
) -> Iterator[bytes]:
    """Yield a table as CSV, for spreadsheets: with a byte-order mark, formulas made harmless."""
    yield b"\xef\xbb\xbf" + _rows([header])
    for piece in pieces:
        yield _rows([[cell(value) for value in row] for row in piece])


def cell(value: str | int | float | None) -> str | int | float:
    """A cell that no spreadsheet takes for a formula.

    >>> cell("=1+1"), cell(-3), cell("是"), cell(None)
    ("'=1+1", -3, '是', '')
    """
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _rows(rows: Iterable[Sequence[str | int | float]]) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerows(rows)
    return buffer.getvalue().encode()


# Rows to the core's types, in pieces read by key: memory stays small however many there are.
#
# Every reader begins at `real`: sentences for training and trials never leave the site (INV-12).


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
        """A reference with the placeholder as exports write it."""
        return text.replace(self.placeholder, self.alias) if self.alias else text

    def meta(self, facts: Mapping[str, object], source: int | None) -> dict[str, str]:
        """The facts about a sentence as texts, in an order of their own.

        Databases differ in the order in which they give back the keys of an object.
        """
        texts = {key: _as_text(facts[key]) for key in sorted(facts)}
        if source is not None:
            texts[SOURCE] = self.sources[source]
        return texts


@dataclass(frozen=True, slots=True)
class GoldenRow:
    """A sentence with a golden version.

    Args:
        sentence: Row of the sentence.
        golden: Row of the golden version.
    """

    sentence: int
    golden: int


def real_sentences(project: Project) -> QuerySet[Sentence]:
    """The sentences of a project that may leave it (INV-12)."""
    return Sentence.objects.filter(project=project, purpose=Purpose.REAL)


def look_of(project: Project, *, alias: str | None = None) -> Look:
    """How a project's texts leave it now.

    Args:
        project: The project.
        alias: For the placeholder; None is what the project's option says.
    """
    options = project.rules
    names = dict(Source.objects.filter(project=project).values_list("id", "name"))
    return Look(options.placeholder, options.placeholder_export if alias is None else alias, names)


def current_golden(
    project: Project,
    states: Sequence[SentenceState] = DECIDED,
    *,
    annotatable: bool = False,
) -> Iterator[list[GoldenRow]]:
    """Yield what is golden now, in the order of task numbers.

    Args:
        project: Whose sentences.
        states: Of sentences that are taken.
        annotatable: Leave those out that are decided to be not annotatable.
    """
    last = 0
    sentences = real_sentences(project).filter(state__in=states, golden__isnull=False)
    if annotatable:
        sentences = sentences.exclude(golden__kind=Decision.NOT_ANNOTATABLE)
    while True:
        rows = list(
            sentences.filter(number__gt=last)
            .order_by("number")
            .values_list("number", "id", "golden_id")[:PIECE]
        )
        if not rows:
            return
        last = rows[-1][0]
        yield [GoldenRow(sentence, golden) for _, sentence, golden in rows if golden is not None]


def released_golden(release: Release) -> Iterator[list[GoldenRow]]:
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
        yield [GoldenRow(sentence, golden) for _, sentence, golden in rows]


def samples(rows: Sequence[GoldenRow], look: Look) -> list[Sample]:
    """Sentences with their golden references, in the order given."""
    facts = {
        row[0]: row
        for row in Sentence.objects.filter(
            id__in=[golden_row.sentence for golden_row in rows]
        ).values_list("id", "external_id", "text", "meta", "source_id")
    }
    goldens = [golden_row.golden for golden_row in rows]
    texts: dict[int, list[str]] = defaultdict(list)
    for golden, text in (
        GoldenReference.objects.filter(golden_id__in=goldens)
        .order_by("golden_id", "position")
        .values_list("golden_id", "reference__text")
    ):
        texts[golden].append(text)
    kinds = dict(Golden._base_manager.filter(id__in=goldens).values_list("id", "kind"))
    result = []
    for row in rows:
        _, name, source, meta, origin = facts[row.sentence]
        rewrites = _golden(kinds[row.golden], texts[row.golden], look)
        result.append(Sample(name, source, rewrites, look.meta(meta, origin)))
    return result


def _golden(kind: str, texts: Sequence[str], look: Look) -> tuple[Rewrite, ...]:
    if kind == Decision.ERROR_FREE:
        return (Rewrite(error_free=True),)
    if kind == Decision.NOT_ANNOTATABLE:
        return (Rewrite(unannotatable=True),)
    return tuple(Rewrite(text=look.text(text)) for text in texts)


def submission_samples(project: Project, look: Look, naming: Naming) -> Iterator[list[Sample]]:
    """Yield sentences with all that annotators handed in for them, each with its annotator.

    The last submission of each slot counts; one that was taken back does not. Sentences without
    any are left out.
    """

    def sample_piece(piece: Sequence[Sentence]) -> list[Sample]:
        rewrites = submitted_rewrites([sentence.pk for sentence in piece], look, naming)
        return [
            Sample(
                sentence.external_id,
                sentence.text,
                tuple(rewrites[sentence.pk]),
                look.meta(sentence.meta, sentence.source_id),
            )
            for sentence in piece
            if sentence.pk in rewrites
        ]

    sentences = real_sentences(project).exclude(state=SentenceState.WITHDRAWN)
    return by_number(
        sentences.only("number", "external_id", "text", "meta", "source"), sample_piece
    )


def latest_submissions(sentences: Sequence[int]) -> list[Submission]:
    """The last submission of each slot that stands handed in, by sentence and slot."""
    latest: dict[int, Submission] = {}
    for submission in (
        Submission.objects.filter(
            sentence_id__in=sentences, slot__state__in=[str(s) for s in SUBMITTED_OR_LATER]
        )
        .order_by("sentence_id", "slot__no", "no")
        .only("id", "slot_id", "sentence_id", "person_id", "decision")
    ):
        latest[submission.slot_id] = submission
    return list(latest.values())


def texts_of(submissions: Sequence[Submission]) -> Mapping[int, list[tuple[str, str]]]:
    """The texts of submissions with their dimension, by row of the submission, in order."""
    texts: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for submission, text, dimension in (
        Reference.objects.filter(submission_id__in=[submission_.pk for submission_ in submissions])
        .order_by("submission_id", "position", "id")
        .values_list("submission_id", "text", "dimension")
    ):
        texts[submission].append((text, dimension))
    return texts


def submitted_rewrites(
    sentences: Sequence[int], look: Look, naming: Naming
) -> Mapping[int, list[Rewrite]]:
    """Return, by row of the sentence, what stands handed in for it now."""
    latest = latest_submissions(sentences)
    texts = texts_of(latest)
    rewrites: dict[int, list[Rewrite]] = defaultdict(list)
    for submission in latest:
        who = naming.of(submission.person_id)
        if submission.decision == Decision.CORRECTED:
            rewrites[submission.sentence_id] += [
                Rewrite(text=look.text(text), annotator=who) for text, _ in texts[submission.pk]
            ]
        else:
            rewrites[submission.sentence_id].append(
                Rewrite(
                    error_free=submission.decision == Decision.ERROR_FREE,
                    unannotatable=submission.decision == Decision.NOT_ANNOTATABLE,
                    annotator=who,
                )
            )
    return rewrites


def _as_text(value: object) -> str:
    return (
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    )
