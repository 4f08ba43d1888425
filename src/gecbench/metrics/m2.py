"""m2 and sent-m2: MaxMatch, F over the edits that agree with the annotators' as far as they can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gecbench.core.score import Counts, Score, total
from gecbench.scoring.maxmatch import (
    Candidates,
    MaxMatch,
    candidate_counts,
    details,
    f_of,
    running_rule,
    running_totals,
)
from gecbench.scoring.metric import MeanMetric
from gecbench.scoring.resample import exchange_totals, f_scores

if TYPE_CHECKING:
    from gecbench.scoring.metric import Draws, Swaps, Values


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
    running: ClassVar[bool] = True

    @property
    def f_beta(self) -> float:
        """Weight of recall in F."""
        return self.beta

    def aggregate(self, stats: Sequence[Candidates]) -> Score:
        """F over the chosen candidates of these sentences."""
        chosen = self.choose(stats)
        counts = total(
            Counts(row.matched, row.proposed - row.matched, row.gold - row.matched)
            for row in chosen
        )
        return Score(counts.f(self.beta), self.signature, len(chosen), counts)

    def sentences(self, stats: Sequence[Candidates]) -> Sequence[Mapping[str, object]]:
        """The candidates of each sentence and the edits of the chosen one."""
        return details(stats, self.choose(stats))

    def resample(self, stats: Sequence[Candidates], draws: Draws) -> Values:
        """F of each resample, its annotators chosen again."""
        return self._f(running_totals(stats, draws, self.beta))

    def exchange(
        self, first: Sequence[Candidates], second: Sequence[Candidates], swaps: Swaps
    ) -> tuple[Values, Values]:
        """F of two systems after each permutation, their annotators chosen again."""
        counts = candidate_counts(first), candidate_counts(second)
        totals = exchange_totals(*counts, swaps, running_rule(self.beta))
        return self._f(totals[0]), self._f(totals[1])

    def _f(self, totals: Values) -> Values:
        import numpy as np

        matched, proposed, gold = totals
        counts = np.stack((matched, proposed - matched, gold - matched), axis=-1)
        return f_scores(counts, self.beta)


@dataclass(frozen=True, slots=True)
class SentenceM2(MaxMatch, MeanMetric[Candidates]):
    """F of each sentence against the annotator who makes it greatest, and the mean of these.

    SentM2 of SEEDA (Kobayashi, Mita and Komachi, TACL 2024), computed with m2scorer cb874a7. A
    sentence in which nothing is proposed and nothing gold scores 1. Several versions of a
    hypothesis are further candidates.
    """

    name: ClassVar[str] = "sent-m2"
    running: ClassVar[bool] = False

    def values(self, stats: Sequence[Candidates]) -> list[float]:
        """F of each sentence."""
        return [f_of(row.matched, row.proposed, row.gold, self.beta) for row in self.choose(stats)]

    def sentences(self, stats: Sequence[Candidates]) -> Sequence[Mapping[str, object]]:
        """F and the candidates of each sentence and the edits of the chosen one."""
        rows = zip(self.values(stats), details(stats, self.choose(stats)), strict=True)
        return [{"value": value, **row} for value, row in rows]
