"""Sentences come in, each with its N free slots, in an order that is mixed but reproducible."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from django.db import connection
from django.db.models import F, OuterRef, Subquery

from gecbench.core import seeding
from gecbench.core.errors import UsageError
from gecbench.server.laws.names import Decision, Origin, Purpose, SentenceState, SlotState
from gecbench.server.laws.text import digest
from gecbench.server.models import (
    Golden,
    GoldenReference,
    ImportBatch,
    Project,
    Reference,
    Sentence,
    Slot,
    Source,
)
from gecbench.server.workflow.acts import act, locked_project

BATCH = 500
"""Sentences of one transaction: work pages wait no longer than one takes."""

PAUSE = 0.05
"""Seconds between two of them. SQLite has no queue: who waits for it only looks now and then, and
would find it taken again."""

BEGUN = 1
"""By so much do the free slots of a begun sentence come before others of its priority."""

_BOTTOM = 2**63  # a seed has 64 bits, a column 63 and a sign


@dataclass(frozen=True, slots=True)
class NewGolden:
    """A golden set that comes with its sentence.

    Args:
        kind: Corrected, error free, or not annotatable.
        texts: The references, distinct; none unless the kind is corrected.
        reason: Why it cannot be annotated, a NotAnnotatableReason; else "".
    """

    kind: Decision
    texts: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NewSentence:
    """A sentence to be added.

    Args:
        external_id: Its name in the file, once in a project; "" is its task number.
        text: As it is to be kept: cleaned by laws.text.
        source: Name of the source, as NLPCC18; "" is none.
        meta: Whatever else the file said.
        purpose: Real, or for training or trial.
        priority: Small ones come first.
        golden: Makes it golden at once; it is not annotated then.
    """

    external_id: str
    text: str
    source: str = ""
    meta: Mapping[str, object] = field(default_factory=dict)
    purpose: Purpose = Purpose.REAL
    priority: int = 100
    golden: NewGolden | None = None


def add_sentences(
    project: Project, rows: Iterable[NewSentence], *, batch: ImportBatch | None = None
) -> int:
    """Add sentences in transactions of BATCH each (or in the caller's one); return how many.

    N is the project's at the moment each batch is written. Sentences with a golden set get no
    slots and are golden at once, version 1.

    Raises:
        UsageError: An id that is there already, an empty text, or a golden set that contradicts
            itself; that batch and those after it are not added.
    """
    sources: dict[str, int] = {}
    left = iter(rows)
    count = 0
    while some := tuple(islice(left, BATCH)):
        _check(some)
        for name in {row.source for row in some} - sources.keys() - {""}:
            sources[name] = Source.objects.get_or_create(project=project, name=name)[0].pk
        if count and not connection.in_atomic_block:
            time.sleep(PAUSE)
        count += _add(project.pk, some, sources, batch)
    return count


def order_key(project: Project, number: int) -> int:
    """Return where a sentence stands among those of its priority: mixed, the same everywhere."""
    return seeding.number(0, f"order {project.slug} {number}") - _BOTTOM


def _check(rows: Sequence[NewSentence]) -> None:
    for row in rows:
        golden = row.golden
        if not row.text.strip():
            raise UsageError(f"sentence {row.external_id!r} is empty")
        if golden is None:
            continue
        if bool(golden.texts) != (golden.kind == Decision.CORRECTED):
            raise UsageError(
                f"sentence {row.external_id!r}: a golden set is corrections, or a decision "
                f"without any; it is {golden.kind} with {len(golden.texts)}"
            )
        if len({digest(text) for text in golden.texts}) < len(golden.texts):
            raise UsageError(f"sentence {row.external_id!r}: two golden references are the same")


@act
def _add(
    project_id: int,
    rows: Sequence[NewSentence],
    sources: Mapping[str, int],
    batch: ImportBatch | None,
) -> int:
    """Write one batch."""
    project = locked_project(project_id)
    first = project.next_number
    Project.objects.filter(pk=project_id).update(next_number=F("next_number") + len(rows))
    made = [
        Sentence(
            project=project,
            source_id=sources.get(row.source),
            batch=batch,
            number=first + n,
            external_id=row.external_id or str(first + n),
            text=row.text,
            digest=digest(row.text),
            meta=dict(row.meta),
            purpose=row.purpose,
            state=SentenceState.OPEN if row.golden is None else SentenceState.GOLDEN,
            priority=row.priority,
            order_key=order_key(project, first + n),
            needed=project.annotators if row.golden is None else 0,
        )
        for n, row in enumerate(rows)
    ]
    _refuse_known_ids(project_id, made)
    Sentence.objects.bulk_create(made)
    _add_slots(project, first)
    _add_goldens([(one, row.golden) for one, row in zip(made, rows, strict=True) if row.golden])
    return len(made)


_NEW_SLOTS = """
INSERT INTO slot (project_id, sentence_id, no, state, version, priority, order_key)
SELECT project_id, id, %s, %s, 1, priority, order_key
FROM sentence WHERE project_id = %s AND number >= %s AND needed >= %s
"""


def _add_slots(project: Project, first: int) -> None:
    """Give the sentences from a number on their N free slots.

    The database makes them of its own rows: through models it would take four times as long, and
    everybody who saves something waits for it.
    """
    with connection.cursor() as cursor:
        for no in range(1, project.annotators + 1):
            cursor.execute(_NEW_SLOTS, [no, SlotState.FREE, project.pk, first, no])


def new_slots(sentence: Sentence, *, after: int = 0) -> Iterator[Slot]:
    """Yield the free slots with numbers after one, up to N of the sentence."""
    begun = BEGUN if sentence.state == SentenceState.ANNOTATING else 0
    for no in range(after + 1, sentence.needed + 1):
        yield Slot(
            project_id=sentence.project_id,
            sentence=sentence,
            no=no,
            priority=sentence.priority - begun,
            order_key=sentence.order_key,
        )


def _refuse_known_ids(project_id: int, made: Sequence[Sentence]) -> None:
    names = [one.external_id for one in made]
    known = set(
        Sentence.objects.filter(project_id=project_id, external_id__in=names).values_list(
            "external_id", flat=True
        )
    )
    known |= {name for name, count in Counter(names).items() if count > 1}
    if known:
        shown = ", ".join(sorted(known)[:10])
        raise UsageError(f"{len(known)} sentence ids are there already: {shown}; give others")


def _add_goldens(rows: Sequence[tuple[Sentence, NewGolden]]) -> None:
    if not rows:
        return
    goldens = Golden.objects.bulk_create(
        Golden(sentence=sentence, version=1, kind=new.kind, reason=new.reason)
        for sentence, new in rows
    )
    references = Reference.objects.bulk_create(
        Reference(
            sentence=sentence,
            position=position,
            text=text,
            digest=digest(text),
            origin=Origin.IMPORT,
        )
        for sentence, new in rows
        for position, text in enumerate(new.texts)
    )
    of = {golden.sentence_id: golden for golden in goldens}
    GoldenReference.objects.bulk_create(
        GoldenReference(golden=of[one.sentence_id], reference=one, position=one.position)
        for one in references
    )
    current = Golden.objects.filter(sentence=OuterRef("pk"), version=1).values("pk")
    Sentence.objects.filter(pk__in=list(of)).update(golden_id=Subquery(current))
