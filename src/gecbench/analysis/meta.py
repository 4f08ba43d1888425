"""Whether metrics agree with human judgements: of systems, and of single sentences.

Kobayashi, Mita and Komachi, "Revisiting Meta-evaluation for Grammatical Error Correction", TACL
2024 (SEEDA); met are its scripts (tmu-nlp/SEEDA 0c6c07f, utils).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from gecbench.analysis.coefficients import KINDS, Coefficient, Kind, coefficient
from gecbench.analysis.correlation import SystemScores
from gecbench.formats.judgments import SEEDA, Judgments

Human = Mapping[str, Mapping[str, float]]
"""People's scores: by way of judging, then by system."""

SentenceScores = Mapping[str, Mapping[tuple[str, str], float]]
"""Metrics' scores of sentences, greater is better: by metric, then by source and system."""


@dataclass(frozen=True, slots=True)
class SystemSet:
    """Which systems take part.

    Args:
        name: What it is called.
        only: Systems that take part; () means all but those left out.
        without: Systems that do not.
    """

    name: str
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def of(self, systems: Sequence[str]) -> tuple[str, ...]:
        """Return those of some systems that take part, in alphabetical order."""
        kept = [name for name in systems if not self.only or name in self.only]
        return tuple(sorted(name for name in kept if name not in self.without))


ALL = SystemSet("all")
SEEDA_SETS = (
    SystemSet("base", without=("GPT-3.5", "INPUT", "REF-F")),
    SystemSet("+INPUT", without=("GPT-3.5", "REF-F")),
    SystemSet("+REF-F_GPT-3.5", without=("INPUT",)),
    ALL,
)
"""SEEDA's four sets of its 15 systems, by what they leave out."""


@dataclass(frozen=True, slots=True)
class SystemLevel:
    """One metric against one way of judging, over the systems of a set or of a window of it.

    Args:
        metric: Name.
        human: Name of the way of judging.
        group: Name of the set.
        systems: Those of the set that have both; of a window from the best to the worst by
            human score, else in alphabetical order.
        coefficients: By kind.
    """

    metric: str
    human: str
    group: str
    systems: tuple[str, ...]
    coefficients: Mapping[Kind, Coefficient]


@dataclass(frozen=True, slots=True)
class SentenceLevel:
    """One metric against rankings, over pairs of systems on the same source.

    Args:
        metric: Name.
        judgments: Name of the rankings.
        group: Name of the set.
        systems: Those of the set that have both.
        agree: Pairs of which metric and people prefer the same.
        disagree: Pairs of which they prefer different ones.
        tied_first: Pairs to which the metric gives one score, while people prefer the system
            whose name comes first in the alphabet.
        tied_second: The same, while they prefer the other.
        human_ties: Pairs that people rank equal, which are not judged.
        unscored: Pairs that people judged and the metric did not.
    """

    metric: str
    judgments: str
    group: str
    systems: tuple[str, ...]
    agree: int
    disagree: int
    tied_first: int
    tied_second: int
    human_ties: int
    unscored: int

    @property
    def tied(self) -> int:
        """Pairs to which the metric gives one score."""
        return self.tied_first + self.tied_second

    @property
    def judged(self) -> int:
        """Pairs of which people prefer one, and the metric has both scores."""
        return self.agree + self.disagree + self.tied

    @property
    def official_accuracy(self) -> float | None:
        """Share of pairs judged alike, a tie of the metric counting as "the second is better".

        SEEDA's rule, first and second being the order of the alphabet.
        """
        return (self.agree + self.tied_second) / self.judged if self.judged else None

    @property
    def official_kendall(self) -> float | None:
        """Pairs judged alike less those judged otherwise, by all pairs, under the same rule."""
        if not self.judged:
            return None
        alike = self.agree + self.tied_second
        return (alike - (self.disagree + self.tied_first)) / self.judged

    @property
    def fair_accuracy(self) -> float | None:
        """Share of pairs judged alike, a tie of the metric counting half whatever the names."""
        return (self.agree + self.tied / 2) / self.judged if self.judged else None

    @property
    def fair_kendall(self) -> float | None:
        """Pairs judged alike less those judged otherwise, by all pairs; ties count for neither."""
        return (self.agree - self.disagree) / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """Metrics against human judgements.

    Args:
        corpus: Name of the data.
        systems: For each metric, way of judging and set.
        windows: For each of these, over windows of the first set; by size, then from the best.
        sentences: For each metric, file of rankings and set.
        scores: The metrics' scores of systems, greater is better; None where none are known.
        human: People's scores of systems.
        notes: What the reader should know, a sentence each.
        signatures: How scores were made, where that is known.
    """

    corpus: str
    systems: tuple[SystemLevel, ...] = ()
    windows: tuple[SystemLevel, ...] = ()
    sentences: tuple[SentenceLevel, ...] = ()
    scores: SystemScores | None = None
    human: Human | None = None
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()


def default_sets(systems: Sequence[str]) -> tuple[SystemSet, ...]:
    """Return SEEDA's sets where all systems are SEEDA's, else one with all."""
    return SEEDA_SETS if set(systems) <= set(SEEDA) else (ALL,)


def system_level(
    scores: SystemScores, human: Human, sets: Sequence[SystemSet]
) -> tuple[SystemLevel, ...]:
    """Return the correlation of each metric with each way of judging, over each set.

    Args:
        scores: Greater is better.
        human: People's scores; systems that only one side has take no part.
        sets: Which systems.
    """
    return tuple(
        _level(metric, way, group.name, group.of(_both(scores, judged)), scores, judged)
        for metric in scores.metrics
        for way, judged in human.items()
        for group in sets
    )


def windows(
    scores: SystemScores, human: Human, group: SystemSet, sizes: Sequence[int]
) -> tuple[SystemLevel, ...]:
    """Return the correlations over each window of consecutive systems in people's order.

    From the best to the worst; of systems with equal human scores the last of the alphabet
    first, as SEEDA's reversed ascending sort has it.

    Args:
        scores: Greater is better.
        human: People's scores.
        group: Which systems are put in order.
        sizes: How many systems a window has.
    """
    made = []
    for metric in scores.metrics:
        for way, judged in human.items():
            ordered = sorted(group.of(_both(scores, judged)), key=judged.__getitem__)[::-1]
            for size in sizes:
                for first in range(len(ordered) - size + 1):
                    some = tuple(ordered[first : first + size])
                    made.append(_level(metric, way, group.name, some, scores, judged))
    return tuple(made)


def sentence_level(
    scores: SentenceScores,
    judgments: Judgments,
    sets: Sequence[SystemSet],
    sources: Mapping[str, str] | None = None,
) -> tuple[SentenceLevel, ...]:
    """Return how often metrics prefer what people prefer, of two outputs for one source.

    Every item counts, also where a source has several.

    Args:
        scores: Greater is better.
        judgments: The rankings.
        sets: Which systems.
        sources: What the scores call the sources of the rankings; None means the same.
    """
    return tuple(
        _against(metric, values, judgments, group, sources)
        for metric, values in scores.items()
        for group in sets
    )


def _both(scores: SystemScores, judged: Mapping[str, float]) -> list[str]:
    return [name for name in scores.systems if name in judged]


def _level(
    metric: str,
    way: str,
    group: str,
    systems: tuple[str, ...],
    scores: SystemScores,
    judged: Mapping[str, float],
) -> SystemLevel:
    values = dict(zip(scores.systems, scores.metrics[metric], strict=True))
    one = [values[name] for name in systems]
    two = [judged[name] for name in systems]
    made = {kind: coefficient(kind, two, one) for kind in KINDS}
    return SystemLevel(metric, way, group, systems, made)


def _against(
    metric: str,
    values: Mapping[tuple[str, str], float],
    judgments: Judgments,
    group: SystemSet,
    sources: Mapping[str, str] | None,
) -> SentenceLevel:
    scored = {system for _, system in values}
    wanted = group.of([name for name in judgments.systems if name in scored])
    count = dict.fromkeys(("agree", "disagree", "tied_first", "tied_second"), 0)
    human_ties = unscored = 0
    for item in judgments.items:
        source = item.source if sources is None else sources[item.source]
        for one, two in combinations([name for name in wanted if name in item.ranks], 2):
            preferred = item.ranks[two] - item.ranks[one]  # above 0: people prefer the first
            pair = values.get((source, one)), values.get((source, two))
            if preferred == 0:
                human_ties += 1
            elif pair[0] is None or pair[1] is None:
                unscored += 1
            else:
                count[_verdict(preferred, pair[0], pair[1])] += 1
    return SentenceLevel(
        metric,
        judgments.name,
        group.name,
        wanted,
        **count,
        human_ties=human_ties,
        unscored=unscored,
    )


def _verdict(preferred: int, one: float, two: float) -> str:
    """Return which count a pair belongs to."""
    if one == two:
        return "tied_first" if preferred > 0 else "tied_second"
    return "agree" if (one > two) == (preferred > 0) else "disagree"
