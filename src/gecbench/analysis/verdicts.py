"""What span metrics think of each edit: right or wrong, found or missed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gecbench.core.case import Case, Version
from gecbench.core.edit import Edit
from gecbench.core.score import Counts, total
from gecbench.scoring.pairing import Key, Pairing, keys, keys_of
from gecbench.scoring.pairing import pair as counted
from gecbench.scoring.spans import SpanF


@dataclass(frozen=True, slots=True)
class Verdict:
    """An edit, and how much of it the other side has.

    Args:
        edit: As extracted or given. One that stands in several pooled sets is here as often.
        hits: How many of its keys the other side has.
        keys: How many it has: its tokens at level "detection-token", else 1.
    """

    edit: Edit
    hits: int
    keys: int

    @property
    def right(self) -> bool:
        """Whether the other side has all of it: a true edit, or a reference's that was found."""
        return self.hits == self.keys


@dataclass(frozen=True, slots=True)
class Verdicts:
    """One hypothesis against one reference, edit by edit.

    Edits that take no part (left out by the metric's options, or detected only where correction
    counts) are on neither side.

    Args:
        hypothesis: Its edits; those that are not right are false positives.
        reference: Its edits; those that are not right were missed.
        declared: What is counted without an edit, by type: one side says that nobody can
            annotate the sentence.
    """

    hypothesis: tuple[Verdict, ...]
    reference: tuple[Verdict, ...]
    declared: Mapping[str, Counts]

    @property
    def missed(self) -> tuple[Edit, ...]:
        """The edits of the reference that the hypothesis has not."""
        return tuple(verdict.edit for verdict in self.reference if not verdict.right)

    @property
    def counts(self) -> Counts:
        """The counts of the pairing: hits are those of the reference's edits."""
        return total(
            [
                Counts(tp=sum(verdict.hits for verdict in self.reference)),
                Counts(fp=sum(verdict.keys - verdict.hits for verdict in self.hypothesis)),
                Counts(fn=sum(verdict.keys - verdict.hits for verdict in self.reference)),
                *self.declared.values(),
            ]
        )


def verdicts(case: Case, pairing: Pairing, metric: SpanF) -> Verdicts:
    """Return what a span metric thinks of each edit of a chosen pairing.

    The sum of it is the pairing's counts. A hit counts on the side of the reference, as in the
    official scripts: where pooled alternatives put several edits on one key, these numbers differ.

    Args:
        case: With the part "edits".
        pairing: One of those that the metric made of this case.
        metric: Whose level and filter decide what is compared.
    """
    hypothesis = case.hypotheses[pairing.hypothesis]
    reference = case.references[pairing.reference]
    ours = keys(hypothesis, metric.level, metric.chosen, metric.rule)
    theirs = keys(reference, metric.level, metric.chosen, metric.rule)
    return Verdicts(
        _side(hypothesis, theirs, metric),
        _side(reference, ours, metric),
        _declared(hypothesis, reference, ours, theirs),
    )


def _side(version: Version, others: Collection[Key], metric: SpanF) -> tuple[Verdict, ...]:
    if version.unannotatable:
        return ()
    found = []
    for edit in version.edits:
        own = keys_of(edit, metric.level, metric.chosen, metric.rule)
        if own:
            found.append(Verdict(edit, sum(key in others for key in own), len(own)))
    return tuple(found)


def _declared(
    hypothesis: Version,
    reference: Version,
    ours: Mapping[Key, list[str]],
    theirs: Mapping[Key, list[str]],
) -> Mapping[str, Counts]:
    """Return the counts of the keys that stand for a state, not for an edit."""
    if not (hypothesis.unannotatable or reference.unannotatable):
        return {}
    states = [
        side if version.unannotatable or not version.edits else {}
        for version, side in ((hypothesis, ours), (reference, theirs))
    ]
    return counted(*states)[1]
