"""sent-gleu: the mean of GLEU over sentences, each against all its references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from gecbench.core.case import Case, Part
from gecbench.core.score import Score, Signature
from gecbench.scoring.gleu import (
    Matches,
    matches,
    official_reward,
    official_scores,
    sentence_means,
    sentence_sums,
    smoothed,
)
from gecbench.scoring.means import mean, means
from gecbench.scoring.options import check_between, check_choice
from gecbench.scoring.texts import UNITS, Unit

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Draws, Values
    from gecbench.scoring.metric import Metric

    def _is_a_metric(metric: SentenceGleu) -> Metric[Matches]:
        """Let the type checker hold the class to the protocol."""
        return metric


@dataclass(frozen=True, slots=True)
class SentenceGleu:
    """GLEU of each sentence, the mean over its references, and the mean of these.

    The option --sent of jfleg/eval/gleu.py (ee06ff8): every 0 among the sums of a sentence
    becomes 1, and nothing is drawn. Of several versions of a hypothesis the first counts.

    Args:
        order: The longest n-grams that are counted; the root is the fourth whatever it is.
        unit: What n-grams consist of.
        context: What the texts come from; goes into the signature.
    """

    name: ClassVar[str] = "sent-gleu"
    needs: ClassVar[Part] = "texts"
    languages: ClassVar[tuple[str, ...]] = ()
    higher_is_better: ClassVar[bool] = True
    needs_references: ClassVar[bool] = True
    order_invariant: ClassVar[bool] = True
    perfect: ClassVar[float | None] = None

    order: int = 4
    unit: Unit = "word"
    context: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_between(f"{self.name}.order", self.order, 1, 20)
        check_choice(f"{self.name}.unit", self.unit, UNITS)

    @property
    def signature(self) -> Signature:
        """How scores of this metric are made."""
        parts = {"metric": self.name, **self.context, "unit": self.unit, "order": str(self.order)}
        return Signature(parts)

    def stats(self, case: Case) -> Matches | None:
        """Return n-gram matches with each reference; None where none can be annotated."""
        return matches(case, order=self.order, unit=self.unit, reward=official_reward)

    def values(self, stats: Sequence[Matches]) -> list[float]:
        """Return the score of each sentence."""
        made = smoothed(sentence_sums(stats, self.order))
        values: list[float] = sentence_means(official_scores(made), stats).tolist()
        return values

    def aggregate(self, stats: Sequence[Matches]) -> Score:
        """Return the mean over the sentences; 0 where there is none."""
        return Score(mean(self.values(stats)), self.signature, len(stats))

    def sentences(self, stats: Sequence[Matches]) -> Sequence[Mapping[str, object]]:
        """Return the score of each sentence."""
        return [{"value": value} for value in self.values(stats)]

    def resample(self, stats: Sequence[Matches], draws: Draws) -> Values:
        """Return the mean of each resample."""
        return means(self.values(stats), draws)
