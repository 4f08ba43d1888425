"""sentence-accuracy: how many sentences became exactly what an annotator wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from gecbench.core.case import Case, Part
from gecbench.core.score import Score, Signature
from gecbench.scoring.means import mean, means
from gecbench.scoring.options import check_choice
from gecbench.scoring.texts import pieces, references

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Draws, Values
    from gecbench.scoring.metric import Metric

    def _is_a_metric(metric: SentenceAccuracy) -> Metric[bool]:
        """Let the type checker hold the class to the protocol."""
        return metric


AccuracyUnit = Literal["character", "word"]


@dataclass(frozen=True, slots=True)
class SentenceAccuracy:
    """The share of sentences whose hypothesis equals one of the references.

    The sentence-level accuracy of Lin, Lin, Yang and Jiang, 2022 (arXiv 2205.00217, formula 2).
    A sentence without errors counts as right when left alone. Of several versions of a
    hypothesis the first counts.

    Args:
        unit: "character": white space is nothing, so segmentation makes no difference; "word":
            texts are equal if the words are that white space divides.
        context: What the texts come from; goes into the signature.
    """

    name: ClassVar[str] = "sentence-accuracy"
    needs: ClassVar[Part] = "texts"
    languages: ClassVar[tuple[str, ...]] = ()
    higher_is_better: ClassVar[bool] = True
    needs_references: ClassVar[bool] = True
    order_invariant: ClassVar[bool] = True
    perfect: ClassVar[float] = 1.0

    unit: AccuracyUnit = "character"
    context: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_choice("sentence-accuracy.unit", self.unit, get_args(AccuracyUnit))

    @property
    def signature(self) -> Signature:
        """How scores of this metric are made."""
        return Signature({"metric": self.name, **self.context, "unit": self.unit})

    def stats(self, case: Case) -> bool | None:
        """Return whether the sentence is right; None where none can be annotated."""
        texts = references(case)
        if not texts:
            return None
        hypothesis = pieces(case.hypotheses[0].text, self.unit)
        return any(pieces(text, self.unit) == hypothesis for text in texts)

    def aggregate(self, stats: Sequence[bool]) -> Score:
        """Return the share of right sentences, 0 where there is none; its part is how many."""
        parts = {"right": float(sum(stats))}
        return Score(mean(stats), self.signature, len(stats), parts=parts)

    def sentences(self, stats: Sequence[bool]) -> Sequence[Mapping[str, object]]:
        """Return 1 for each right sentence, else 0."""
        return [{"value": float(right)} for right in stats]

    def resample(self, stats: Sequence[bool], draws: Draws) -> Values:
        """Return the share of each resample."""
        return means(stats, draws)
