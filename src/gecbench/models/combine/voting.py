"""Which of the proposed changes are kept, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple

from gecbench.core.edit import Edit
from gecbench.models.combine.candidates import Candidate
from gecbench.models.combine.rule import Rule

Fate = Literal["kept", "too few votes", "unchanged by most", "overlap"]

FATES: tuple[Fate, ...] = ("kept", "too few votes", "unchanged by most", "overlap")


class Verdict(NamedTuple):
    """What became of a change.

    Args:
        candidate: The change.
        votes: Weights of its backers together.
        fate: "kept", or why not.
    """

    candidate: Candidate
    votes: Fraction
    fate: Fate


class Kept(NamedTuple):
    """An edit that is kept.

    Args:
        edit: What it does.
        share: Of all votes, those for it, in (0, 1].
    """

    edit: Edit
    share: float


@dataclass(slots=True)
class Tally:
    """How many changes were kept and why others were not, by how many systems proposed them."""

    counts: Counter[tuple[int, Fate]] = field(default_factory=Counter)
    changed: int = 0
    sentences: int = 0

    def add(self, fates: Iterable[tuple[int, Fate]]) -> None:
        """Count the changes of one more sentence."""
        listed = list(fates)
        self.counts.update(listed)
        self.sentences += 1
        self.changed += any(fate == "kept" for _, fate in listed)

    def of(self, fate: Fate) -> int:
        """Return how many changes met with a fate."""
        return sum(count for (_, each), count in self.counts.items() if each == fate)


def decide(candidates: Sequence[Candidate], rule: Rule) -> list[Verdict]:
    """Return what becomes of each change of a sentence, in the order of `candidates`.

    Of changes that reach their bar and overlap, the one with more votes is kept; of as many, the
    one that its backers are surer of; then the one that begins first, then the shorter. Two
    insertions at one place overlap; an insertion beside a changed span does not.

    Args:
        candidates: All that the systems propose, of `candidates.candidates`.
        rule: Weights and thresholds.
    """
    votes = [sum((rule.weights[at] for at in each.backers), Fraction()) for each in candidates]
    fates: list[Fate] = ["too few votes"] * len(candidates)
    passed = [at for at, each in enumerate(candidates) if rule.bar(each).reached(votes[at])]
    if passed and rule.veto and _vetoed(candidates, rule):
        for at in passed:
            fates[at] = "unchanged by most"
        passed = []
    passed.sort(key=lambda at: _rank(candidates[at], votes[at]))
    taken: list[Edit] = []
    for at in passed:
        edits = candidates[at].edits
        if any(overlap(one, two) for one in edits for two in taken):
            fates[at] = "overlap"
        else:
            fates[at] = "kept"
            taken += edits
    return [Verdict(*row) for row in zip(candidates, votes, fates, strict=True)]


def kept(verdicts: Iterable[Verdict], total: Fraction) -> list[Kept]:
    """Return the edits of the changes that are kept, in the order of their spans."""
    found = [
        Kept(edit, float(verdict.votes / total))
        for verdict in verdicts
        if verdict.fate == "kept"
        for edit in verdict.candidate.edits
    ]
    return sorted(found, key=lambda each: (each.edit.start, each.edit.end))


def overlap(one: Edit, two: Edit) -> bool:
    """Return whether two edits cannot both be applied, or insert at one place."""
    if one.start == one.end == two.start == two.end:
        return True
    return one.start < two.end and two.start < one.end


def _vetoed(candidates: Sequence[Candidate], rule: Rule) -> bool:
    """Return whether those that change something could not reach the threshold together."""
    changing = frozenset[int]().union(*(each.backers for each in candidates))
    return not rule.ordinary.reached(sum((rule.weights[at] for at in changing), Fraction()))


def _rank(candidate: Candidate, votes: Fraction) -> tuple[object, ...]:
    """Return what sorts the changes that go first to the front; no two are equal."""
    score = -1.0 if candidate.score is None else candidate.score
    return -votes, -score, candidate.key
