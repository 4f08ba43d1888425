"""A new golden version: its references, and all that follows from it, in the caller's act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Max

from gecbench.server.laws.names import Decision, SentenceState
from gecbench.server.models import (
    Golden,
    GoldenReference,
    Person,
    Reference,
    Review,
    Sentence,
)
from gecbench.server.workflow.standing import move, settle_slots, settled
from gecbench.server.workflow.study_items import sync


@dataclass(frozen=True, slots=True)
class GoldenMade:
    """A golden version and how many study items it opened."""

    golden: Golden
    studies: int


def version_of(sentence: Sentence) -> int:
    """Return the highest golden version of a sentence, 0 for none."""
    highest = Golden.objects.filter(sentence=sentence).aggregate(Max("version"))
    return highest["version__max"] or 0


def make_golden(
    sentence: Sentence,
    review: Review,
    references: Sequence[Reference],
    *,
    by: Person | None,
) -> GoldenMade:
    """Make the next golden version by a review: study items, slots and the sentence follow.

    Args:
        sentence: Locked; it becomes golden, or disputed where complaints are open. A withdrawn
            one stays so.
        review: Its decision is the golden kind.
        references: In their order; none unless the kind is corrected.
        by: Who decided; None is the unanimous annotators.
    """
    golden = Golden.objects.create(
        sentence=sentence,
        version=version_of(sentence) + 1,
        kind=review.decision,
        reason=review.reason if review.decision == Decision.NOT_ANNOTATABLE else "",
        review=review,
        guideline=review.guideline,
    )
    GoldenReference.objects.bulk_create(
        GoldenReference(golden=golden, reference=one, position=n)
        for n, one in enumerate(references)
    )
    opened = sync(golden)
    settle_slots(sentence, by=by)
    withdrawn = sentence.state == SentenceState.WITHDRAWN
    move(sentence, SentenceState.WITHDRAWN if withdrawn else settled(sentence), golden=golden)
    return GoldenMade(golden, opened)
