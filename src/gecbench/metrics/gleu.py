"""gleu: n-gram precision that punishes errors left standing, over references drawn by lot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gecbench.scoring.gleu import (
    Matches,
    Reward,
    Scores,
    official_reward,
    official_scores,
    sentence_means,
    sentence_sums,
    smoothed,
)
from gecbench.scoring.sampled import SampledGleu

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Values
    from gecbench.scoring.metric import Metric

    def _is_a_metric(metric: Gleu) -> Metric[Matches]:
        """Let the type checker hold the class to the protocol."""
        return metric


@dataclass(frozen=True, slots=True)
class Gleu(SampledGleu):
    """GLEU as the official script computes it, draw for draw.

    Napoles, Sakaguchi, Post and Tetreault, ACL 2015, and "GLEU without tuning", 2016;
    jfleg/eval/gleu.py (ee06ff8). The mean is over the logarithms of the precisions divided by 4
    whatever the order, as there; an order of 2 gives greater scores for that reason alone.
    Sentence by sentence it is the script's --sent, which is the metric `sent-gleu`.
    """

    name: ClassVar[str] = "gleu"
    reward: ClassVar[Reward] = official_reward
    formula: ClassVar[Scores] = official_scores

    def sentence_scores(self, stats: Sequence[Matches]) -> Values:
        """Return the score of each sentence, 1 standing for every 0 among its sums."""
        made = smoothed(sentence_sums(stats, self.order))
        return sentence_means(official_scores(made), stats)
