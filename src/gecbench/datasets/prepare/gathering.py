"""The first pass: every corpus is read, every pair taken through the steps, and all counted."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gecbench.datasets.prepare.reading import Sentence, reading
from gecbench.datasets.prepare.recipe import Ingredient, Recipe
from gecbench.datasets.prepare.spool import Kept, Spool
from gecbench.datasets.prepare.steps import Steps, Verdict, group_of

Progress = Callable[[str, int], None]
"""Told the name of a corpus and how many of its sentences were read, now and then."""

COUNTED = (
    *("sentences", "without_reference", "unannotatable", "inapplicable", "pairs"),
    *("split", "pieces", "cut", "kept"),
)
"""What is counted of a corpus beside the reasons for which pairs are dropped."""

_EXAMPLES = 20
_EVERY = 5000
_EVENTS = {"split": "split", "piece": "pieces", "cut": "cut"}


class Tally:
    """What is counted of one corpus.

    Args:
        name: Of the corpus.
        notes: What its reader could not keep.

    Attributes:
        counts: By field of `CorpusCounts`.
        dropped: By reason, a key of `DROPPED`.
        near: The first pairs that were dropped because they are like an evaluation sentence.
    """

    def __init__(self, name: str, notes: tuple[str, ...]) -> None:
        self.name = name
        self.notes = notes
        self.counts: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.near: list[Verdict] = []

    def count_sentence(self, sentence: Sentence) -> None:
        """Count a sentence and its references."""
        self.counts["sentences"] += 1
        self.counts["without_reference"] += not sentence.targets
        self.counts["unannotatable"] += sentence.unannotatable
        self.counts["inapplicable"] += sentence.inapplicable
        self.counts["pairs"] += len(sentence.targets)

    def count_verdict(self, verdict: Verdict) -> None:
        """Count what became of a pair or of a piece of one."""
        if verdict.event:
            self.counts[_EVENTS[verdict.event]] += 1
        if not verdict.dropped:
            self.counts["kept"] += 1
            return
        self.dropped[verdict.dropped] += 1
        if verdict.found and verdict.found.near and len(self.near) < _EXAMPLES:
            self.near.append(verdict)


class Gathered(NamedTuple):
    """What came of the first pass.

    Args:
        tallies: One for each corpus.
        groups: For each pair of the spool, 64 bits that are equal where sources compare equal;
            empty where no sentences are put aside.
    """

    tallies: tuple[Tally, ...]
    groups: array[int]


def gather(recipe: Recipe, steps: Steps, spool: Spool, progress: Progress) -> Gathered:
    """Add the pairs that stay to a spool, and return what was counted.

    Raises:
        GecbenchError: A corpus cannot be read, or the disk is full.
    """
    tallies = []
    groups = array("Q")
    for k, one in enumerate(recipe.corpus):
        corpus = reading(one)
        tally = Tally(one.name, corpus.notes)
        for sentence in _told(corpus.sentences, one, progress):
            tally.count_sentence(sentence)
            for target in sentence.targets:
                for verdict in steps.verdicts(sentence.source, target):
                    tally.count_verdict(verdict)
                    if not verdict.dropped:
                        spool.add(Kept(k, verdict.source, verdict.target))
                        if recipe.dev:
                            groups.append(group_of(recipe.seed, verdict.source))
        tallies.append(tally)
    spool.close()
    return Gathered(tuple(tallies), groups)


def _told(sentences: Iterator[Sentence], one: Ingredient, progress: Progress) -> Iterator[Sentence]:
    n = 0
    for n, sentence in enumerate(sentences, 1):
        if n % _EVERY == 0:
            progress(one.name, n)
        yield sentence
    progress(one.name, n)
