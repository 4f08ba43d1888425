"""sent-m2: the mean over sentences of MaxMatch's F against the best annotator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gecbench.core.score import Score
from gecbench.scoring.maxmatch import Candidate, MaxMatch, Row, choose, details, f_of
from gecbench.scoring.means import mean, means

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Draws, Values
    from gecbench.scoring.metric import Metric

    def _is_a_metric(metric: SentenceM2) -> Metric[Row]:
        """Let the type checker hold the class to the protocol."""
        return metric


@dataclass(frozen=True, slots=True)
class SentenceM2(MaxMatch):
    """F of each sentence against the annotator who makes it greatest, and the mean of these.

    SentM2 of SEEDA (Kobayashi, Mita and Komachi, TACL 2024), computed with m2scorer cb874a7. A
    sentence in which nothing is proposed and nothing gold scores 1. Several versions of a
    hypothesis are further candidates.
    """

    name: ClassVar[str] = "sent-m2"
    order_invariant: ClassVar[bool] = True

    def choose(self, stats: Sequence[Row]) -> tuple[Candidate, ...]:
        """Return the candidate that counts for each sentence."""
        return choose(stats, self.beta, running=False)

    def values(self, stats: Sequence[Row]) -> list[float]:
        """Return F of each sentence."""
        return [
            f_of(each.matched, each.proposed, each.gold, self.beta) for each in self.choose(stats)
        ]

    def aggregate(self, stats: Sequence[Row]) -> Score:
        """Return the mean over the sentences, 0 where there is none."""
        return Score(mean(self.values(stats)), self.signature, len(stats))

    def sentences(self, stats: Sequence[Row]) -> Sequence[Mapping[str, object]]:
        """Return F and the candidates of each sentence and the edits of the chosen one."""
        rows = zip(self.values(stats), details(stats, self.choose(stats)), strict=True)
        return [{"value": value, **row} for value, row in rows]

    def resample(self, stats: Sequence[Row], draws: Draws) -> Values:
        """Return the mean of each resample."""
        return means(self.values(stats), draws)
