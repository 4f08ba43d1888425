"""meaning-preservation and mp-prime: how many characters of the source stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from math import fsum
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from gecbench.core.case import Case, Part
from gecbench.core.errors import Message, UsageError
from gecbench.core.options import check_between, check_choice
from gecbench.core.score import Score
from gecbench.scoring.metric import MeanMetric, Metric
from gecbench.scoring.resample import mean, sums
from gecbench.scoring.texts import characters, longest_common, references

# How many characters of two texts match: the readings of a word that its paper leaves open.


Matching = Literal["multiset", "lcs", "blocks", "position"]


def multiset(source: str, text: str) -> int:
    """How many characters both have, each as often as both have it; order is nothing."""
    return (Counter(source) & Counter(text)).total()


def blocks(source: str, text: str) -> int:
    """The size of difflib's matching blocks: the longest first, then left and right.

    Among blocks of one length difflib takes the first in the text, so the two cannot be
    exchanged.
    """
    matcher = SequenceMatcher(None, text, source, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())


def position(source: str, text: str) -> int:
    """How many characters stand at the same place from the start."""
    # Not strict: what is longer has nothing to be compared with at its end.
    return sum(a == b for a, b in zip(source, text, strict=False))


MATCHINGS: Mapping[Matching, Callable[[str, str], int]] = {
    "multiset": multiset,
    "lcs": longest_common,
    "blocks": blocks,
    "position": position,
}


if TYPE_CHECKING:
    from gecbench.scoring.metric import Draws, Values


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

    @property
    def distance(self) -> float:
        """How far the hypothesis is from that mean."""
        return abs(self.hypothesis - self.reference)


def preservation(source: str, text: str, *, matching: Matching, t: float) -> float:
    """The paper's S_CM of a text and its source, in [0, 1].

    With m matching characters, P is their share of the text and R their share of the source;
    the value is P * R / (t * P + (1 - t) * R). 0 where nothing matches, 1 where both are empty.

    Args:
        source: What the learner wrote.
        text: What became of it.
        matching: How matching characters are counted.
        t: Towards 1 the value is R, so that deleting costs more than adding; towards 0 it is P.
    """
    source, text = characters(source), characters(text)
    if source == text:
        return 1.0
    matches = MATCHINGS[matching](source, text)
    if not matches:
        return 0.0
    p, r = matches / len(text), matches / len(source)
    return p * r / (t * p + (1 - t) * r)


@dataclass(frozen=True, slots=True)
class MeaningPreservation(MeanMetric[float]):
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
    """

    name: ClassVar[str] = "meaning-preservation"
    needs: ClassVar[Part] = "texts"
    needs_references: ClassVar[bool] = False

    matching: Matching = "multiset"
    t: float = 0.85

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_choice(f"{self.name}.matching", self.matching, get_args(Matching))
        check_between(f"{self.name}.t", self.t, 0, 1)

    def stats(self, case: Case) -> float | None:
        """How much of the source stays; None where there are references, none of use."""
        if case.references and not references(case):
            return None
        text = case.hypotheses[0].text
        return preservation(case.source, text, matching=self.matching, t=self.t)

    def values(self, stats: Sequence[float]) -> Sequence[float]:
        """How much of each source stays."""
        return stats


@dataclass(frozen=True, slots=True)
class MpPrime(Metric[Overlaps]):
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
    """

    name: ClassVar[str] = "mp-prime"
    needs: ClassVar[Part] = "texts"
    higher_is_better: ClassVar[bool] = False

    matching: Matching = "multiset"
    t: float = 0.85
    averaging: Averaging = "pairs"
    difference: Difference = "means"

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

    def stats(self, case: Case) -> Overlaps | None:
        """How much stays on both sides; None where none can be annotated."""
        texts = (case.hypotheses[0].text, *references(case))
        if len(texts) == 1:
            return None
        hypothesis, *others = (
            preservation(case.source, text, matching=self.matching, t=self.t) for text in texts
        )
        return Overlaps(hypothesis, tuple(others))

    def aggregate(self, stats: Sequence[Overlaps]) -> Score:
        """The distance, 0 where there is no sentence; its parts are the two means."""
        system = mean([overlaps.hypothesis for overlaps in stats])
        if self.averaging == "pairs":
            people = mean([value for overlaps in stats for value in overlaps.references])
        else:
            people = mean([overlaps.reference for overlaps in stats])
        value = abs(system - people)
        if self.difference == "sentences":
            value = mean([overlaps.distance for overlaps in stats])
        parts = {"hypotheses": system, "references": people}
        return Score(value, self.signature, len(stats), parts=parts)

    def sentences(self, stats: Sequence[Overlaps]) -> Sequence[Mapping[str, object]]:
        """The distance of each sentence from the mean of its references, and all values."""
        return [
            {
                "value": overlaps.distance,
                "hypothesis": overlaps.hypothesis,
                "references": list(overlaps.references),
            }
            for overlaps in stats
        ]

    def resample(self, stats: Sequence[Overlaps], draws: Draws) -> Values:
        """The distance of each resample."""
        import numpy as np

        rows = [self._row(overlaps) for overlaps in stats]
        totals = sums(np.array(rows, dtype=np.float64).reshape(-1, 3), draws)
        system, people, count = totals.T
        values: Values = np.abs(system / draws.shape[1] - people / count)
        return values

    def notes(self, stats: Sequence[Overlaps]) -> tuple[str, ...]:
        """Say what the reader of the score should know of these data."""
        return (
            Message(
                "mp-prime: lower is better, and it depends on the references; compare systems on "
                "the same data only"
            ),
        )

    def _row(self, overlaps: Overlaps) -> tuple[float, float, float]:
        """What is added up: for the system, for the references, and over how many."""
        if self.difference == "sentences":
            return overlaps.distance, 0.0, 1.0
        if self.averaging == "pairs":
            references = overlaps.references
            return overlaps.hypothesis, fsum(references), float(len(references))
        return overlaps.hypothesis, overlaps.reference, 1.0
