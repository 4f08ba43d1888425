"""m2: MaxMatch, F over the edits that agree with the annotators' as far as they can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gecbench.core.score import Counts, Score, total
from gecbench.scoring.greedy import exchanged_totals
from gecbench.scoring.maxmatch import (
    Candidate,
    MaxMatch,
    Row,
    candidate_counts,
    choose,
    details,
    running_rule,
    running_totals,
)
from gecbench.scoring.resample import f_scores

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Draws, Values
    from gecbench.scoring.exchange import Swaps
    from gecbench.scoring.metric import Metric

    def _is_a_metric(metric: M2) -> Metric[Row]:
        """Let the type checker hold the class to the protocol."""
        return metric


@dataclass(frozen=True, slots=True)
class M2(MaxMatch):
    """Precision, recall and F of the MaxMatch scorer.

    Dahlmeier and Ng, "Better Evaluation for Grammatical Error Correction", NAACL 2012; m2scorer
    cb874a7, whose counts it meets exactly. The annotator of a sentence is the one who makes F of
    the corpus so far greatest, so the score depends on the order of the sentences. Several
    versions of a hypothesis are further candidates, one version after the other. Where an
    annotator wrote an edit twice, precision can exceed 1: then false positives are negative.
    """

    name: ClassVar[str] = "m2"
    order_invariant: ClassVar[bool] = False

    def choose(self, stats: Sequence[Row]) -> tuple[Candidate, ...]:
        """Return the candidate that counts for each sentence."""
        return choose(stats, self.beta, running=True)

    def aggregate(self, stats: Sequence[Row]) -> Score:
        """Return F over the chosen candidates of these sentences."""
        chosen = self.choose(stats)
        counts = total(
            Counts(each.matched, each.proposed - each.matched, each.gold - each.matched)
            for each in chosen
        )
        return Score(counts.f(self.beta), self.signature, len(chosen), counts)

    def sentences(self, stats: Sequence[Row]) -> Sequence[Mapping[str, object]]:
        """Return the candidates of each sentence and the edits of the chosen one."""
        return details(stats, self.choose(stats))

    def resample(self, stats: Sequence[Row], draws: Draws) -> Values:
        """Return F of each resample, its annotators chosen anew."""
        return self._f(running_totals(stats, draws, self.beta))

    def exchange(
        self, first: Sequence[Row], second: Sequence[Row], swaps: Swaps
    ) -> tuple[Values, Values]:
        """Return F of two systems after each permutation, their annotators chosen anew."""
        here, there = candidate_counts(first), candidate_counts(second)
        one, two = exchanged_totals(here, there, swaps, running_rule(self.beta))
        return self._f(one), self._f(two)

    def _f(self, totals: Values) -> Values:
        import numpy as np

        matched, proposed, gold = totals
        counts = np.stack((matched, proposed - matched, gold - matched), axis=-1)
        return f_scores(counts, self.beta)
