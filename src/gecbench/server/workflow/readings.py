"""Who has read what others submitted never annotates that sentence later (ROL-5, INV-11)."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef

from gecbench.server.laws.names import SentenceState
from gecbench.server.models import Person, Project, Reading, Sentence, Submission

_PIECE = 2000
_KNOWN = (SentenceState.GOLDEN,)


def note_reading(sentence_id: int, person_id: int) -> None:
    """Note that a person sees what others submitted for a sentence."""
    note_readings([sentence_id], person_id)


def note_readings(sentence_ids: Iterable[int], person_id: int) -> None:
    """Note it for several sentences; where all is noted already nothing is written."""
    keys = set(sentence_ids)
    known = Reading.objects.filter(person_id=person_id, sentence_id__in=keys)
    keys -= set(known.values_list("sentence_id", flat=True))
    rows = [Reading(sentence_id=one, person_id=person_id) for one in sorted(keys)]
    Reading.objects.bulk_create(rows, batch_size=_PIECE, ignore_conflicts=True)


def note_all(project: Project, person: Person) -> None:
    """Note that a person takes everybody's work out of a project.

    Sentences that are decided are left out: their texts are no secret any more.
    """
    handed_in = Submission.objects.filter(sentence=OuterRef("pk"))
    read = Reading.objects.filter(sentence=OuterRef("pk"), person=person)
    found = Sentence.objects.filter(Exists(handed_in), ~Exists(read), project=project)
    keys = list(found.exclude(state__in=_KNOWN).values_list("pk", flat=True))
    for begin in range(0, len(keys), _PIECE):  # in pieces: nobody who saves waits for all
        note_readings(keys[begin : begin + _PIECE], person.pk)
