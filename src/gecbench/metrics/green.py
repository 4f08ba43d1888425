"""green: F over the n-grams that were inserted, deleted and kept, without an alignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, ClassVar

from gecbench.core.case import Case, Part
from gecbench.core.options import check_between, check_choice
from gecbench.core.score import BETAS, Counts, Score, f_score, total
from gecbench.scoring.metric import Metric
from gecbench.scoring.resample import ratios, sums
from gecbench.scoring.texts import (
    UNITS,
    Grams,
    Unit,
    count,
    intersection,
    overlap,
    pieces,
    references,
)

if TYPE_CHECKING:
    from gecbench.scoring.metric import Draws, Values


OrderCounts = tuple[Counts, ...]
"""Counts of one sentence, for n = 1 to the order."""


@dataclass(frozen=True, slots=True)
class Green(Metric[OrderCounts]):
    """GREEN, an F of multisets of n-grams.

    Koyama, Nagata, Takamura and Okazaki, INLG 2024; met is gec-metrics' "green". Of each n-gram
    the copies that source, hypothesis and reference have say what was done: deleted, inserted
    or kept, rightly (tp), needlessly (fp), or wrongly not done (fn). Precision and recall are
    geometric means over the orders. Each sentence takes the reference with its best F, the
    first of equals. Of several versions of a hypothesis the first counts.

    Args:
        order: The longest n-grams that are counted.
        recall_weight: Weight of recall in F, the beta of the paper.
        unit: What n-grams consist of.
    """

    name: ClassVar[str] = "green"
    needs: ClassVar[Part] = "texts"
    perfect: ClassVar[float] = 1.0

    order: int = 4
    recall_weight: float = 2.0
    unit: Unit = "word"

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_between("green.order", self.order, 1, 20)
        check_between("green.recall_weight", self.recall_weight, *BETAS)
        check_choice("green.unit", self.unit, UNITS)

    def settings(self) -> Mapping[str, str]:
        """Its options, as signatures show them."""
        return {
            "unit": self.unit,
            "order": str(self.order),
            "beta": f"{self.recall_weight:g}",
        }

    def stats(self, case: Case) -> OrderCounts | None:
        """The counts with the best reference; None where none can be annotated."""
        source = count(pieces(case.source, self.unit), self.order)
        hypothesis = count(pieces(case.hypotheses[0].text, self.unit), self.order)
        common = tuple(map(intersection, source, hypothesis))
        rows = [
            tuple(
                map(_counts, common, source, hypothesis, count(pieces(text, self.unit), self.order))
            )
            for text in references(case)
        ]
        return max(rows, key=self._f, default=None)

    def aggregate(self, stats: Sequence[OrderCounts]) -> Score:
        """F of the counts of these sentences together; its parts are its precisions."""
        rows = [total(row[n] for row in stats) for n in range(self.order)]
        parts = {"precision": _mean([c.precision for c in rows])}
        parts |= {"recall": _mean([c.recall for c in rows])}
        return Score(self._f(rows), self.signature, len(stats), parts=parts)

    def sentences(self, stats: Sequence[OrderCounts]) -> Sequence[Mapping[str, object]]:
        """F of each sentence, and its counts for each length of n-grams."""
        return [
            {"value": self._f(row), "tp": [c.tp for c in row], "fp": [c.fp for c in row]}
            | {"fn": [c.fn for c in row]}
            for row in stats
        ]

    def resample(self, stats: Sequence[OrderCounts], draws: Draws) -> Values:
        """F of each resample."""
        import numpy as np

        rows = np.array([[(c.tp, c.fp, c.fn) for c in row] for row in stats], dtype=np.int64)
        counts = sums(rows.reshape(len(stats), 3 * self.order), draws).reshape(
            len(draws), self.order, 3
        )
        with np.errstate(divide="ignore"):
            p, r = (np.exp(np.log(part).mean(axis=1)) for part in ratios(counts))
        square = self.recall_weight**2
        with np.errstate(invalid="ignore"):
            f = (1 + square) * p * r / (square * p + r)
        return np.where(p + r == 0, 0.0, f)

    def _f(self, row: Sequence[Counts]) -> float:
        p, r = (_mean([c.precision for c in row]), _mean([c.recall for c in row]))
        return f_score(p, r, self.recall_weight)


def _counts(common: Grams, source: Grams, hypothesis: Grams, reference: Grams) -> Counts:
    """What was done with the n-grams of one length, copy by copy.

    The paper sums over n-grams, as max(h - max(s, r), 0) for those inserted needlessly; since
    a maximum of two numbers is their sum less their minimum, what texts share is all it takes.

    Args:
        common: What source and hypothesis share.
        source: n-grams of the source.
        hypothesis: n-grams of the hypothesis.
        reference: n-grams of the reference.
    """
    both = sum(common.values())
    expected, right = overlap(source, reference), overlap(hypothesis, reference)
    return Counts(
        tp=sum(source.values()) - both - expected + right + overlap(common, reference),
        fp=sum(hypothesis.values()) + expected - both - right,
        fn=sum(reference.values()) + both - expected - right,
    )


def _mean(values: Sequence[float]) -> float:
    """The geometric mean."""
    return exp(sum(map(log, values)) / len(values)) if all(values) else 0.0
