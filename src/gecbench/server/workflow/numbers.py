"""N changes: slots are added to sentences, or taken from untouched ones (WFL-1)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from gecbench.server.laws.names import SentenceState, SlotState
from gecbench.server.models import Project, Sentence, Slot, SlotEvent
from gecbench.server.workflow.acts import act
from gecbench.server.workflow.review_tasks import take_from_queue
from gecbench.server.workflow.sentences import BATCH, PAUSE, new_slots
from gecbench.server.workflow.standing import move

RAISED = (SentenceState.OPEN, SentenceState.ANNOTATING, SentenceState.REVIEW_READY)
"""Sentences in these states get the slots of a higher N.

One that waits for review goes back to annotators; one that a reviewer has begun, or is decided, or
is out of work, stays as it is.
"""


def fit_slots(project_id: int) -> int:
    """Bring the sentences of a project to its N, in short transactions; return how many changed.

    More slots for all that wait (`RAISED`), except those that were decided once: a golden sentence
    stays golden. Fewer only for those that nobody has ever held.
    """
    needed = Project.objects.values_list("annotators", flat=True).get(pk=project_id)
    held = SlotEvent.objects.filter(sentence=OuterRef("pk"))
    too_few = _too_few(needed)
    too_many = Q(~Exists(held), state=SentenceState.OPEN, needed__gt=needed)
    return sum(
        _batch(ids, wanted, change, needed)
        for wanted, change in ((too_few, _raise), (too_many, _lower))
        for ids in _batches(project_id, wanted)
    )


def behind(project: Project) -> int:
    """Return how many sentences have fewer places than N though `fit_slots` would add them.

    Raising N was interrupted; or they were in review or withdrawn then, and are not any more.
    """
    few = Sentence.objects.filter(_too_few(project.annotators), project=project)
    return few.count()


def _too_few(needed: int) -> Q:
    return Q(state__in=RAISED, golden=None, needed__lt=needed)


def _batches(project_id: int, wanted: Q) -> Iterator[Sequence[int]]:
    last = 0
    while True:
        some = Sentence.objects.filter(wanted, project_id=project_id, pk__gt=last).order_by("pk")
        ids = tuple(some.values_list("pk", flat=True)[:BATCH])
        if not ids:
            return
        yield ids
        time.sleep(PAUSE)
        last = ids[-1]


@act
def _batch(
    ids: Sequence[int],
    wanted: Q,
    change: Callable[[Sequence[Sentence], int], None],
    needed: int,
) -> int:
    """Change those of some sentences that still are as wanted, now that they are locked."""
    locked = Sentence.objects.select_for_update(no_key=True).filter(wanted, pk__in=ids)
    sentences = tuple(locked.order_by("pk"))
    change(sentences, needed)
    return len(sentences)


def _raise(sentences: Sequence[Sentence], needed: int) -> None:
    slots: list[Slot] = []
    for sentence in sentences:
        if sentence.state == SentenceState.REVIEW_READY:
            take_from_queue(sentence)
            move(sentence, SentenceState.ANNOTATING)
        before, sentence.needed = sentence.needed, needed
        slots += new_slots(sentence, after=before)
    Slot.objects.bulk_create(slots)
    _write(sentences, needed)


def _lower(sentences: Sequence[Sentence], needed: int) -> None:
    extra = Slot.objects.filter(sentence__in=[one.pk for one in sentences], no__gt=needed)
    extra.filter(state=SlotState.FREE).delete()
    _write(sentences, needed)


def _write(sentences: Sequence[Sentence], needed: int) -> None:
    Sentence.objects.filter(pk__in=[one.pk for one in sentences]).update(
        needed=needed, version=F("version") + 1, updated_at=timezone.now()
    )
