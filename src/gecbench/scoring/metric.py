"""What a metric is: statistics of each sentence, then one score of them all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from gecbench.core.case import Case, Part
from gecbench.core.score import Score

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Draws, Values


Stats = TypeVar("Stats")


class Metric(Protocol[Stats]):
    """A way to judge a system.

    A metric is a frozen dataclass whose fields are its options, with defaults; `context` is
    what its input was made by, and goes into its signature. Whatever depends on other sentences
    lives in `aggregate`, so that statistics are taken once and resampling, subsets and
    significance need no second extraction.
    """

    @property
    def name(self) -> str:
        """What tables and signatures call it."""
        ...

    @property
    def needs(self) -> Part:
        """Which part of the cases it reads."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that it is defined for; () means any."""
        ...

    @property
    def higher_is_better(self) -> bool:
        """Whether a greater score is a better system."""
        ...

    @property
    def needs_references(self) -> bool:
        """Whether it compares with references."""
        ...

    @property
    def order_invariant(self) -> bool:
        """Whether the order of the sentences makes no difference to the score."""
        ...

    @property
    def perfect(self) -> float | None:
        """The score of a hypothesis that equals a reference everywhere; None: it has no such."""
        ...

    def stats(self, case: Case) -> Stats | None:
        """Return the statistics of one sentence; None where the metric leaves it out."""
        ...

    def aggregate(self, stats: Sequence[Stats]) -> Score:
        """Return the score of these sentences together."""
        ...

    def sentences(self, stats: Sequence[Stats]) -> Sequence[Mapping[str, object]]:
        """Return what there is to say of each sentence, as JSON values by name."""
        ...

    def resample(self, stats: Sequence[Stats], draws: Draws) -> Values:
        """Return the value of each resample.

        Args:
            stats: Of each sentence.
            draws: Places in `stats`, of shape (resamples, sentences); each row is one corpus,
                in the order in which it is to be gone through.
        """
        ...
