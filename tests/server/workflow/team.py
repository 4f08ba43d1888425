"""A small independent model of a project, kept beside the real one by the state machine.

It knows who holds what, who has handed in what, and how many golden versions there are: from
what the services answered, never from the tables.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from gecbench.server.choices import SUBMITTED_OR_LATER
from gecbench.server.models import (
    DraftRevision,
    Golden,
    Reference,
    Review,
    ReviewTask,
    Sentence,
    Slot,
    Submission,
)

Place = tuple[str, int]
"""A login and the number of a sentence."""


@dataclass
class Model:
    """What must be true of the tables.

    Args:
        open: Who has which task open; the value says whether it was taken back.
        handed: Who has handed in what.
        ever: Who ever held which.
        reviewing: Which sentence a reviewer decides.
        golden: How many golden versions a sentence has.
        needed: N of a sentence.
        keys: Client key to the submission it made.
        drafts: Slot, revision and text that were acknowledged.
        withdrawn: Sentences out of work.
    """

    open: dict[Place, bool] = field(default_factory=dict)
    handed: set[Place] = field(default_factory=set)
    ever: set[Place] = field(default_factory=set)
    reviewing: dict[str, int] = field(default_factory=dict)
    golden: Counter[int] = field(default_factory=Counter)
    needed: dict[int, int] = field(default_factory=dict)
    keys: dict[object, tuple[int, str, int, tuple[str, ...]]] = field(default_factory=dict)
    drafts: list[tuple[int, str, int, str]] = field(default_factory=list)
    withdrawn: set[int] = field(default_factory=set)

    def take(self, login: str, number: int) -> None:
        """Somebody has got a task that nobody else holds, and never a second one."""
        assert not any(who == login for who, _ in self.open), "two tasks at once"
        assert (login, number) not in self.handed
        assert self.count(number) < self.needed[number]
        assert number not in self.withdrawn
        assert number not in [self.reviewing.get(login)]
        self.open[login, number] = False
        self.ever.add((login, number))

    def count(self, number: int) -> int:
        """How many places of a sentence are taken."""
        return sum(place[1] == number for place in (*self.open, *self.handed))

    def hand_in(self, login: str, number: int) -> None:
        """An open task becomes a submission."""
        del self.open[login, number]
        self.handed.add((login, number))

    def end(self, place: Place) -> None:
        """A task ends without a word: what had been taken back stands again."""
        if self.open.pop(place):
            self.handed.add(place)

    def end_all(self, *, login: str = "", number: int = 0) -> None:
        """All tasks of a person, or of a sentence, or (neither named) of everybody end."""
        for place in [*self.open]:
            if (not login or place[0] == login) and (not number or place[1] == number):
                self.end(place)

    def agree(self) -> None:
        """The tables say the same."""
        assert self._slots("open") == set(self.open)
        assert self._slots(*SUBMITTED_OR_LATER) == self.handed
        tasks = ReviewTask.objects.filter(state="open")
        reviewing = dict(tasks.values_list("reviewer__login", "sentence__number"))
        assert reviewing == self.reviewing
        golden = Counter(Golden.objects.values_list("sentence__number", flat=True))
        assert golden == self.golden
        assert dict(Sentence.objects.values_list("number", "needed")) == self.needed
        out = Sentence.objects.filter(state="withdrawn").values_list("number", flat=True)
        assert set(out) == self.withdrawn
        reviewed = Review.objects.filter(reviewer__isnull=False)
        for place in reviewed.values_list("reviewer__login", "sentence__number"):
            assert place not in self.ever, "who held a slot has reviewed"
        self._nothing_is_lost()

    def _slots(self, *states: str) -> set[Place]:
        rows = Slot.objects.filter(state__in=states)
        return set(rows.values_list("person__login", "sentence__number"))

    def _nothing_is_lost(self) -> None:
        texts: dict[int, tuple[str, ...]] = {}
        rows = Reference.objects.filter(submission__isnull=False).order_by("position")
        for submission, text in rows.values_list("submission", "text"):
            texts[submission] = (*texts.get(submission, ()), text)
        submissions_ = {
            key: (pk, login, number, texts.get(pk, ()))
            for key, pk, login, number in Submission.objects.values_list(
                "client_key", "pk", "person__login", "sentence__number"
            )
        }
        assert submissions_ == self.keys
        revisions = DraftRevision.objects.filter(slot__isnull=False)
        stored_revisions = {
            (slot, login, rev, payload["texts"][0])
            for slot, login, rev, payload in revisions.values_list(
                "slot", "person__login", "rev", "payload"
            )
            if payload["texts"]
        }
        assert set(self.drafts) <= stored_revisions
