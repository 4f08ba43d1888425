"""What the GLEU metrics over drawn references share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from gecbench.core.case import Case, Part
from gecbench.core.score import Score, Signature
from gecbench.scoring.draws import GENERATORS, Generator
from gecbench.scoring.gleu import Matches, Reward, Scores, matches, sentence_means, sentence_sums
from gecbench.scoring.lottery import Lottery
from gecbench.scoring.options import check_between, check_choice, check_least
from gecbench.scoring.texts import UNITS, Unit

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Draws, Values
    from gecbench.scoring.exchange import Swaps


_WIDTH = 1.959963984540054
"""Deviations from the mean to the ends of a 95% interval of the normal distribution."""


@dataclass(frozen=True, slots=True)
class SampledGleu:
    """The mean of a GLEU over draws of one reference for each sentence.

    Of several versions of a hypothesis the first counts. Sentences with different numbers of
    references each draw from their own: a sentence with k takes the draw that it would get in a
    corpus where all have k. Where all have the same number this is the official procedure.

    A metric of this kind says which matches it rewards, and by what formula sums become a score.

    Args:
        order: The longest n-grams that are counted.
        iterations: How often references are drawn.
        unit: What n-grams consist of.
        draws: Whose random numbers; the official script gives different scores under Python 2
            and 3, and the figures of the JFLEG paper are of Python 2.
        context: What the texts come from; goes into the signature.
    """

    name: ClassVar[str]
    reward: ClassVar[Reward]
    formula: ClassVar[Scores]
    needs: ClassVar[Part] = "texts"
    languages: ClassVar[tuple[str, ...]] = ()
    higher_is_better: ClassVar[bool] = True
    needs_references: ClassVar[bool] = True
    order_invariant: ClassVar[bool] = False
    perfect: ClassVar[float | None] = None

    order: int = 4
    iterations: int = 500
    unit: Unit = "word"
    draws: Generator = "python3"
    context: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_between(f"{self.name}.order", self.order, 1, 20)
        check_least(f"{self.name}.iterations", self.iterations, 1)
        check_choice(f"{self.name}.unit", self.unit, UNITS)
        check_choice(f"{self.name}.draws", self.draws, GENERATORS)

    @property
    def signature(self) -> Signature:
        """How scores of this metric are made."""
        parts = {"metric": self.name, **self.context, "unit": self.unit, "order": str(self.order)}
        return Signature(parts | {"iterations": str(self.iterations), "draws": self.draws})

    def stats(self, case: Case) -> Matches | None:
        """Return n-gram matches with each reference; None where none can be annotated."""
        return matches(case, order=self.order, unit=self.unit, reward=type(self).reward)

    def rounds(self, stats: Sequence[Matches]) -> Values:
        """Return the score of each iteration; one alone where there is nothing to draw."""
        return type(self).formula(self._lottery.sums(stats))

    def aggregate(self, stats: Sequence[Matches]) -> Score:
        """Return the mean over all iterations; 0 where there is no sentence.

        Its parts, where any sentence has more than one reference: the population deviation of
        the iterations, and the ends of mean +- 1.96 deviations.
        """
        values = self.rounds(stats)
        mean, parts = float(values.mean()), {}
        if any(len(one.lengths) > 1 for one in stats):
            deviation = float(values.std())
            parts = {"deviation": deviation}
            parts |= {"low": mean - _WIDTH * deviation, "high": mean + _WIDTH * deviation}
        return Score(mean, self.signature, len(stats), parts=parts)

    def sentence_scores(self, stats: Sequence[Matches]) -> Values:
        """Return the score of each sentence: the mean over its references, without draws."""
        return sentence_means(type(self).formula(sentence_sums(stats, self.order)), stats)

    def sentences(self, stats: Sequence[Matches]) -> Sequence[Mapping[str, object]]:
        """Return the score of each sentence."""
        return [{"value": value} for value in self.sentence_scores(stats).tolist()]

    def resample(self, stats: Sequence[Matches], draws: Draws) -> Values:
        """Return the mean over all iterations for each resample.

        In each iteration a sentence keeps its reference, so this is not quite what the official
        script would draw for the resample as a corpus of its own; it takes a tenth of the time.
        """
        import numpy as np

        blocks = self._lottery.resampled(stats, draws)
        values = [type(self).formula(made) for made in blocks]
        found: Values = np.concatenate(values, axis=-1).mean(axis=-1)
        return found

    def exchange(
        self, first: Sequence[Matches], second: Sequence[Matches], swaps: Swaps
    ) -> tuple[Values, Values]:
        """Return the means over all iterations of two systems after each permutation, exactly."""
        import numpy as np

        formula = type(self).formula
        blocks = self._lottery.exchanged(first, second, swaps)
        values = [(formula(one), formula(two)) for one, two in blocks]
        left, right = (np.concatenate(side, axis=-1) for side in zip(*values, strict=True))
        return left.mean(axis=-1), right.mean(axis=-1)

    def notes(self, stats: Sequence[Matches]) -> tuple[str, ...]:
        """Say what the reader of the score should know of these data."""
        numbers = sorted({len(one.lengths) for one in stats})
        if len(numbers) < 2:
            return ()
        return (
            f"{self.name}: sentences have from {numbers[0]} to {numbers[-1]} references; each "
            "draws from its own, which the official script cannot",
        )

    @property
    def _lottery(self) -> Lottery:
        return Lottery(self.order, self.iterations, self.draws)
