"""sentence-accuracy: how many sentences became exactly what an annotator wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

from gecbench.core.case import Case, Part
from gecbench.core.options import check_choice
from gecbench.core.score import Score
from gecbench.scoring.metric import MeanMetric
from gecbench.scoring.texts import pieces, references

AccuracyUnit = Literal["character", "word"]


@dataclass(frozen=True, slots=True)
class SentenceAccuracy(MeanMetric[bool]):
    """The share of sentences whose hypothesis equals one of the references.

    The sentence-level accuracy of Lin, Lin, Yang and Jiang, 2022 (arXiv 2205.00217, formula 2).
    A sentence without errors counts as right when left alone. Of several versions of a
    hypothesis the first counts.

    Args:
        unit: "character": white space is nothing, so segmentation makes no difference; "word":
            texts are equal if the words are that white space divides.
    """

    name: ClassVar[str] = "sentence-accuracy"
    needs: ClassVar[Part] = "texts"
    perfect: ClassVar[float] = 1.0

    unit: AccuracyUnit = "character"

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_choice("sentence-accuracy.unit", self.unit, get_args(AccuracyUnit))

    def stats(self, case: Case) -> bool | None:
        """Whether the sentence is right; None where none can be annotated."""
        texts = references(case)
        if not texts:
            return None
        hypothesis = pieces(case.hypotheses[0].text, self.unit)
        return any(pieces(text, self.unit) == hypothesis for text in texts)

    def values(self, stats: Sequence[bool]) -> Sequence[float]:
        """1 for each right sentence, else 0."""
        return list(map(float, stats))

    def aggregate(self, stats: Sequence[bool]) -> Score:
        """The share of right sentences; its part is how many there are."""
        score = MeanMetric.aggregate(self, stats)
        return replace(score, parts={"right": float(sum(stats))})
