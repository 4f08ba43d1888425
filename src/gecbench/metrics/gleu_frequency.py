"""gleu-frequency: GLEU that minds how often the reference dropped an n-gram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gecbench.scoring.gleu import Matches, Reward, Scores, Sums, scores
from gecbench.scoring.ngrams import Grams, overlap
from gecbench.scoring.sampled import SampledGleu

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Values
    from gecbench.scoring.metric import Metric

    def _is_a_metric(metric: GleuFrequency) -> Metric[Matches]:
        """Let the type checker hold the class to the protocol."""
        return metric


def _reward(hypothesis: Grams, kept: Grams, reference: Grams) -> int:
    """Return the matches with the reference less each copy that the reference dropped."""
    dropped = sum(kept.values()) - overlap(kept, reference)
    return overlap(hypothesis, reference) - dropped


def _scores(made: Sums) -> Values:
    """Return the score of each sum, in [0, 1]; 0 where a precision is 0 or less."""
    import numpy as np

    empty = made.total == 0
    right, total = (np.where(empty, 1.0, part) for part in (made.found, made.total))
    return scores(made._replace(total=total), right=right, root=total.shape[-1])


@dataclass(frozen=True, slots=True)
class GleuFrequency(SampledGleu):
    """GLEU whose penalty counts copies, as gec-metrics names "gleu".

    The reading of Koyama, Nagata, Takamura and Okazaki (INLG 2024) in gec-metrics, whose scores
    it meets. Differs from `gleu` in five things: an n-gram that the source has twice and the
    reference once is penalised once, not forgiven; matches of a sentence may fall below 0; the
    root is the order's, not always the fourth; an order without n-grams, or without any wrong
    one, has precision 1; single sentences are not smoothed.
    """

    name: ClassVar[str] = "gleu-frequency"
    reward: ClassVar[Reward] = _reward
    formula: ClassVar[Scores] = _scores
