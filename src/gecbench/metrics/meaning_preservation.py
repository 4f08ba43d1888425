"""meaning-preservation and mp-prime: how many characters of the source stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from gecbench.core.case import Case, Part
from gecbench.core.errors import UsageError
from gecbench.core.score import Score, Signature
from gecbench.scoring.matching import MATCHINGS, Matching
from gecbench.scoring.means import mean, means
from gecbench.scoring.options import check_between, check_choice
from gecbench.scoring.resample import sums
from gecbench.scoring.texts import characters, references

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Draws, Values
    from gecbench.scoring.metric import Metric

    def _are_metrics(
        one: MeaningPreservation, two: MpPrime
    ) -> tuple[Metric[float], Metric[Overlaps]]:
        """Let the type checker hold the classes to the protocol."""
        return one, two


Averaging = Literal["pairs", "sentences"]
Difference = Literal["means", "sentences"]


@dataclass(frozen=True, slots=True)
class Overlaps:
    """How much of a source stays in a hypothesis and in each reference, each in [0, 1]."""

    hypothesis: float
    references: tuple[float, ...]

    @property
    def reference(self) -> float:
        """The mean over the references."""
        return mean(self.references)


def preserved(source: str, text: str, *, matching: Matching, t: float) -> float:
    """Return the paper's S_CM of a text and its source, in [0, 1].

    With m matching characters, P is their share of the text and R their share of the source;
    the value is P * R / (t * P + (1 - t) * R). 0 where nothing matches, 1 where both are empty.

    Args:
        source: What the learner wrote.
        text: What became of it.
        matching: How matching characters are counted.
        t: Towards 1 the value is R, so that deleting costs more than adding; towards 0 it is P.
    """
    one, two = characters(source), characters(text)
    if one == two:
        return 1.0
    matched = MATCHINGS[matching](one, two)
    if not matched:
        return 0.0
    p, r = matched / len(two), matched / len(one)
    return p * r / (t * p + (1 - t) * r)


@dataclass(frozen=True, slots=True)
class MeaningPreservation:
    """The mean over the sentences of how much of the source stays.

    MP of Lin, Lin, Yang and Jiang, 2022 (arXiv 2205.00217); what a matching character is, they
    leave open, and "multiset" is our reading, since formula and weight are those of METEOR. It
    needs no references, and the unchanged source has 1. A sentence that no annotator could
    correct is left out, as everywhere. Of several versions of a hypothesis the first counts.

    Args:
        matching: "multiset": each character as often as both have it, in any order; "lcs": the
            longest common subsequence; "blocks": difflib's matching blocks; "position": the
            same place from the start.
        t: Weight, in [0, 1]; the greater, the more deleting costs.
        context: What the texts come from; goes into the signature.
    """

    name: ClassVar[str] = "meaning-preservation"
    needs: ClassVar[Part] = "texts"
    languages: ClassVar[tuple[str, ...]] = ()
    higher_is_better: ClassVar[bool] = True
    needs_references: ClassVar[bool] = False
    order_invariant: ClassVar[bool] = True
    perfect: ClassVar[float | None] = None

    matching: Matching = "multiset"
    t: float = 0.85
    context: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_choice(f"{self.name}.matching", self.matching, get_args(Matching))
        check_between(f"{self.name}.t", self.t, 0, 1)

    @property
    def signature(self) -> Signature:
        """How scores of this metric are made."""
        parts = {"metric": self.name, **self.context, "matching": self.matching}
        return Signature(parts | {"t": f"{self.t:g}"})

    def stats(self, case: Case) -> float | None:
        """Return how much of the source stays; None where there are references, none of use."""
        if case.references and not references(case):
            return None
        text = case.hypotheses[0].text
        return preserved(case.source, text, matching=self.matching, t=self.t)

    def aggregate(self, stats: Sequence[float]) -> Score:
        """Return the mean, 0 where there is no sentence."""
        return Score(mean(stats), self.signature, len(stats))

    def sentences(self, stats: Sequence[float]) -> Sequence[Mapping[str, object]]:
        """Return the value of each sentence."""
        return [{"value": value} for value in stats]

    def resample(self, stats: Sequence[float], draws: Draws) -> Values:
        """Return the mean of each resample."""
        return means(stats, draws)


@dataclass(frozen=True, slots=True)
class MpPrime:
    """How far a system is from changing as much as people do.

    MP' of Lin, Lin, Yang and Jiang, 2022 (arXiv 2205.00217, formula 10): the distance between
    the mean preservation of the hypotheses and that of the references; 0 is best. It says how
    much is changed, not whether rightly. It depends on the references, so only systems on the
    same data can be compared. Of several versions of a hypothesis the first counts.

    Args:
        matching: As in meaning-preservation.
        t: As in meaning-preservation.
        averaging: Mean of the references over all pairs of sentence and reference ("of all
            answer sentences"), or over the sentences, of which each has its own mean.
        difference: The distance of the two means, or the mean of the distances of each sentence;
            the latter compares with the mean of the sentence's references, so it asks for
            averaging "sentences".
        context: What the texts come from; goes into the signature.
    """

    name: ClassVar[str] = "mp-prime"
    needs: ClassVar[Part] = "texts"
    languages: ClassVar[tuple[str, ...]] = ()
    higher_is_better: ClassVar[bool] = False
    needs_references: ClassVar[bool] = True
    order_invariant: ClassVar[bool] = True
    perfect: ClassVar[float | None] = None

    matching: Matching = "multiset"
    t: float = 0.85
    averaging: Averaging = "pairs"
    difference: Difference = "means"
    context: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse options that mean nothing, alone or together."""
        check_choice(f"{self.name}.matching", self.matching, get_args(Matching))
        check_between(f"{self.name}.t", self.t, 0, 1)
        check_choice(f"{self.name}.averaging", self.averaging, get_args(Averaging))
        check_choice(f"{self.name}.difference", self.difference, get_args(Difference))
        if self.difference == "sentences" and self.averaging == "pairs":
            raise UsageError(
                "mp-prime.difference is 'sentences', which takes each sentence's mean first; "
                "set mp-prime.averaging to 'sentences' as well"
            )

    @property
    def signature(self) -> Signature:
        """How scores of this metric are made."""
        parts = {"metric": self.name, **self.context, "matching": self.matching}
        parts |= {"t": f"{self.t:g}", "averaging": self.averaging, "difference": self.difference}
        return Signature(parts)

    def stats(self, case: Case) -> Overlaps | None:
        """Return how much stays on both sides; None where none can be annotated."""
        texts = (case.hypotheses[0].text, *references(case))
        if len(texts) == 1:
            return None
        hypothesis, *others = (
            preserved(case.source, text, matching=self.matching, t=self.t) for text in texts
        )
        return Overlaps(hypothesis, tuple(others))

    def aggregate(self, stats: Sequence[Overlaps]) -> Score:
        """Return the distance, 0 where there is no sentence; its parts are the two means."""
        system = mean([one.hypothesis for one in stats])
        if self.averaging == "pairs":
            people = mean([each for one in stats for each in one.references])
        else:
            people = mean([one.reference for one in stats])
        value = abs(system - people)
        if self.difference == "sentences":
            value = mean([abs(one.hypothesis - one.reference) for one in stats])
        parts = {"hypotheses": system, "references": people}
        return Score(value, self.signature, len(stats), parts=parts)

    def sentences(self, stats: Sequence[Overlaps]) -> Sequence[Mapping[str, object]]:
        """Return the distance of each sentence from the mean of its references, and all values."""
        return [
            {
                "value": abs(one.hypothesis - one.reference),
                "hypothesis": one.hypothesis,
                "references": list(one.references),
            }
            for one in stats
        ]

    def resample(self, stats: Sequence[Overlaps], draws: Draws) -> Values:
        """Return the distance of each resample."""
        import numpy as np

        rows = [self._row(one) for one in stats]
        added = sums(np.array(rows, dtype=np.float64).reshape(-1, 3), draws)
        system, people, count = added.T
        values: Values = np.abs(system / draws.shape[1] - people / count)
        return values

    def notes(self, stats: Sequence[Overlaps]) -> tuple[str, ...]:
        """Say what the reader of the score should know of these data."""
        return (
            "mp-prime: lower is better, and it depends on the references; compare systems on the "
            "same data only",
        )

    def _row(self, one: Overlaps) -> tuple[float, float, float]:
        """Return what is added up: for the system, for the references, and over how many."""
        if self.difference == "sentences":
            return abs(one.hypothesis - one.reference), 0.0, 1.0
        if self.averaging == "pairs":
            return one.hypothesis, fsum(one.references), float(len(one.references))
        return one.hypothesis, one.reference, 1.0
