"""Systems judged by metrics, before anything is summed up: what scoring and analyses start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gecbench.core.case import Case
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.scoring.metric import Metric


@dataclass(frozen=True, slots=True)
class Judged:
    """What metrics say of each sentence of each system.

    Args:
        corpus: The sentences that take part, their texts normalised if that was asked for.
        systems: Their outputs, by name, in the order given; normalised likewise.
        lang: Language code.
        metrics: By name, in the order asked for, each with its context, so that its scores
            carry whole signatures.
        cases: By system, in corpus order, with the parts that the metrics need.
        rows: By system and metric, in corpus order: `Metric.stats` of each sentence, None where
            the metric leaves it out.
        refused: Why a metric does not apply, by its name; it has no rows.
        left_out: How many sentences of the file take no part, by reason.
        notes: What the reader of the numbers should know, a sentence each.
    """

    corpus: Corpus
    systems: Mapping[str, SystemOutput]
    lang: str
    metrics: Mapping[str, Metric[Any]]
    cases: Mapping[str, Sequence[Case]]
    rows: Mapping[tuple[str, str], Sequence[Any]]
    refused: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def scored(self, metric: str) -> list[int]:
        """Return the places of the sentences that a metric does not leave out.

        These are the same for all systems: whether a sentence can be scored depends on its
        references alone.
        """
        first = next(iter(self.systems))
        return [at for at, row in enumerate(self.rows[first, metric]) if row is not None]
