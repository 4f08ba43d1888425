"""More people than places: exactly N submissions for each sentence come out (INV-3, INV-4)."""

from __future__ import annotations

from collections import Counter

from server.survival.clients import Crowd
from server.survival.scenes import nothing_lost, scene

from gecbench.server.models import Submission

PEOPLE, SENTENCES, NEEDED = 50, 5, 3


def test_fifty_people_and_five_sentences_give_fifteen_submissions(loaded):
    """Section 5.2; all fifty begin at once, and leave when there is nothing for them."""
    people, _ = scene(loaded, SENTENCES, annotators=PEOPLE, needed=NEEDED)
    crowd = Crowd(loaded)
    with crowd.working(people):
        for thread in crowd.threads:
            thread.join(240)
    assert len(crowd.record.submissions) == SENTENCES * NEEDED
    nothing_lost(loaded, crowd.record)
    with loaded.rows():
        pairs = Counter(Submission.objects.values_list("sentence", "person"))
        counts = Counter(Submission.objects.values_list("sentence", flat=True))
    assert set(pairs.values()) == {1}
    assert sorted(counts.values()) == [NEEDED] * SENTENCES
