"""What the bots did and were told, kept by themselves: the independent count is made of this."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from threading import Lock

from server.team.sentences import Edits, Known

CORRECTED, ERROR_FREE, NOT_ANNOTATABLE = "corrected", "error_free", "not_annotatable"


@dataclass(frozen=True, slots=True)
class Handed:
    """A submission that was acknowledged.

    Args:
        who: Login of the bot.
        known: The sentence.
        decision: What it said.
        edits: Of each text.
    """

    who: str
    known: Known
    decision: str
    edits: tuple[Edits, ...] = ()


@dataclass(slots=True)
class Log:
    """Everything that happened.

    Args:
        handed: Submissions.
        kinds: Number of the sentence to its golden kind.
        golden: Number of the sentence to the edits of its golden texts.
        reviewed: Number of the sentence to who decided it.
        events: How often what happened.
    """

    handed: list[Handed] = field(default_factory=list)
    kinds: dict[int, str] = field(default_factory=dict)
    golden: dict[int, set[Edits]] = field(default_factory=dict)
    reviewed: dict[int, str] = field(default_factory=dict)
    events: Counter[str] = field(default_factory=Counter)
    lock: Lock = field(default_factory=Lock)

    def happened(self, what: str) -> bool:
        """Count an event; whether it is the first of its kind."""
        with self.lock:
            self.events[what] += 1
            return self.events[what] == 1


@dataclass(slots=True)
class Row:
    """A row of Table 4, counted by hand."""

    sentences: int = 0
    discarded: int = 0
    erroneous: int = 0
    characters: int = 0
    references: int = 0
    edited: int = 0
    edits: int = 0


def table4(log: Log, sentences: list[Known]) -> Row:
    """Count sentences, references and edits of the golden sets."""
    row = Row()
    for sentence in sentences:
        kind, golden = log.kinds[sentence.number], log.golden[sentence.number]
        if kind == NOT_ANNOTATABLE:
            row.discarded += 1
            continue
        row.sentences += 1
        row.characters += sum(not mark.isspace() for mark in sentence.source)
        row.erroneous += kind == CORRECTED
        row.references += len(golden) or 1  # the sentence itself where it is free of errors
        row.edited += len(golden)
        row.edits += sum(map(len, golden))
    return row


def distribution(log: Log) -> dict[int, int]:
    """How many erroneous sentences have how many references."""
    return dict(Counter(len(texts) for texts in log.golden.values() if texts))


@dataclass(slots=True)
class Tally:
    """How somebody fares; `given_up` is rightly "not annotatable", which is not scored."""

    scored: int = 0
    kept: int = 0
    given_up: int = 0
    tp: int = 0
    fp: int = 0
    fn: int = 0

    @property
    def f05(self) -> float:
        """By the formula of the textbook."""
        precision = self.tp / (self.tp + self.fp)
        recall = self.tp / (self.tp + self.fn)
        return 1.25 * precision * recall / (0.25 * precision + recall)


def tallies(log: Log) -> dict[str, Tally]:
    """Compare every text that was handed in with the nearest golden text.

    All golden texts of a sentence have as many edits, so the nearest is the one that shares most.
    """
    tallies_: dict[str, Tally] = {}
    for submission in log.handed:
        kind = log.kinds[submission.known.number]
        mine = tallies_.setdefault(submission.who, Tally())
        if NOT_ANNOTATABLE in (kind, submission.decision):
            mine.given_up += kind == submission.decision
            continue
        golden = log.golden[submission.known.number] or {frozenset()}
        assert len(set(map(len, golden))) == 1
        for edits in submission.edits or (frozenset(),):
            common = max(len(edits & other) for other in golden)
            mine.scored += 1
            mine.kept += edits in golden
            mine.tp += common
            mine.fp += len(edits) - common
            mine.fn += len(next(iter(golden))) - common
    return tallies_
