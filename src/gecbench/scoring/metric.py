"""What a metric is: statistics of each sentence, then one score of them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from gecbench.core.case import Case
from gecbench.core.score import Score

Stats = TypeVar("Stats")


class Metric(Protocol[Stats]):
    """A way to judge a system.

    Whatever depends on other sentences lives in `aggregate`, so that statistics are taken once
    and resampling, subsets and significance need no second extraction.
    """

    @property
    def name(self) -> str:
        """What tables and signatures call it."""
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
    def perfect(self) -> float:
        """The score of a hypothesis that equals a reference everywhere."""
        ...

    def stats(self, case: Case) -> Stats:
        """Return the statistics of one sentence."""
        ...

    def aggregate(self, stats: Sequence[Stats]) -> Score:
        """Return the score of these sentences together."""
        ...
