"""What a metric is: statistics of each sentence, then one score of them all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar

from gecbench.core.case import Case, Part
from gecbench.core.scheme import LabelCounts
from gecbench.core.score import Score, Signature
from gecbench.scoring.resample import mean, means

if TYPE_CHECKING:
    from gecbench.scoring.spans import SpanF


Stats = TypeVar("Stats")
StatsOfCounts = Callable[[Sequence[LabelCounts], Sequence[str | None]], Stats | None]
"""From the counts of each hypothesis with each reference, hypothesis by hypothesis, as
`Scheme.count_matches` has them, and the texts of the references (None for what is unannotatable) to
the statistics that `Metric.stats` has of the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric(ABC, Generic[Stats]):
    """A way to judge a system: a frozen dataclass whose fields are its options, with defaults.

    Whatever depends on other sentences lives in `aggregate`, so that statistics are taken once
    and resampling, subsets and significance need no second extraction. A new metric derives from
    this class; what most metrics have in common is here.

    Six names of fields are filled for a metric that has them. `level`, `beta`, `choice` and
    `chosen` come from options that all metrics share, `context` from how the input was made;
    `--set` refuses these five. `unit` is that of the language, "word" or "character", so a metric
    with this field must know both; `--set` may change it.

    Args:
        context: What its input was made by; goes into the signature.
    """

    name: ClassVar[str]
    """What tables and signatures call it."""
    needs: ClassVar[Part]
    """Which part of the cases it reads."""
    languages: ClassVar[tuple[str, ...]] = ()
    """Codes of the languages that it is defined for; () means any."""
    higher_is_better: ClassVar[bool] = True
    """Whether a greater score is a better system."""
    needs_references: ClassVar[bool] = True
    """Whether it compares with references."""
    perfect: ClassVar[float | None] = None
    """The score of a hypothesis that equals a reference everywhere; None: it has no such."""

    experimental: ClassVar[str] = ""
    """What of it could not be checked against the authors' program; "": nothing."""
    by_part: ClassVar[bool] = True
    """Whether parts of a corpus may come one by one, to several processes; no for a network."""
    has_types: ClassVar[bool] = False
    """Whether its scores have counts by type (`Score.by_type`)."""
    approximation: ClassVar[str] = ""
    """What was done to sentences of which `is_approximate` is true."""

    context: Mapping[str, str] = field(default_factory=dict)

    @property
    def span_metric(self) -> SpanF | None:
        """Itself, if it compares edits by place and replacement; None for all others."""
        return None

    @property
    def f_beta(self) -> float | None:
        """Weight of recall, where the score is F of the summed counts of sentences; else None."""
        return None

    def settings(self) -> Mapping[str, str]:
        """Its options, as signatures show them: its fields in their order."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "context"}
        return {name: _show(value) for name, value in values.items()}

    @property
    def signature(self) -> Signature:
        """How scores of this metric are made."""
        status = {"status": "experimental"} if self.experimental else {}
        return Signature({"metric": self.name, **status, **self.context, **self.settings()})

    @abstractmethod
    def stats(self, case: Case) -> Stats | None:
        """The statistics of one sentence; None where the metric leaves it out."""

    def stats_of(self, cases: Sequence[Case]) -> Sequence[Stats | None]:
        """The statistics of many sentences; where a network reads them, in batches."""
        return tuple(map(self.stats, cases))

    @property
    def stats_of_counts(self) -> StatsOfCounts[Stats] | None:
        """Makes the statistics of a sentence of counts alone; None: the metric needs a case."""
        return None

    @abstractmethod
    def aggregate(self, stats: Sequence[Stats]) -> Score:
        """The score of these sentences together."""

    @abstractmethod
    def sentences(self, stats: Sequence[Stats]) -> Sequence[Mapping[str, object]]:
        """What there is to say of each sentence, as JSON values by name."""

    def prepare(self, stats: Sequence[Stats]) -> PreparedStats:
        """The statistics, to be resampled and exchanged many times.

        A metric may bring them into a form in which that is quicker, with the same numbers. It
        does so only where a class derived from it has not its own `resample` or `exchange`.
        """
        return _PlainStats(self, stats)

    @abstractmethod
    def resample(self, stats: Sequence[Stats], draws: Draws) -> Values:
        """The value of each resample.

        Args:
            stats: Of each sentence.
            draws: Places in `stats`, of shape (resamples, sentences); each row is one corpus,
                in the order in which it is to be gone through.
        """

    def exchange(
        self, first: Sequence[Stats], second: Sequence[Stats], swaps: Swaps
    ) -> tuple[Values, Values]:
        """The scores of two systems after each permutation.

        The statistics of the two are put one after the other, and a permutation is a draw of one
        of the two for each sentence, in the order of the corpus. That is exact if `resample`
        gives what `aggregate` gives of the statistics drawn; rules that go through the corpus,
        as the greedy choice of references, are run again in each permutation.

        Args:
            first: Of each sentence of one system.
            second: Of the other.
            swaps: Whether a sentence is exchanged, of shape (permutations, sentences).
        """
        import numpy as np

        size = np.int32(len(first))
        here = np.arange(size, dtype=np.int32)
        draws: Draws = np.concatenate([here + size * swaps, here + size * ~swaps])
        values = self.resample([*first, *second], draws)
        return values[: len(swaps)], values[len(swaps) :]

    def choose(self, stats: Sequence[Stats]) -> Sequence[Any] | None:
        """The pairing of hypothesis and reference that counts for each sentence.

        Statistics are then sequences of such pairings. None: the metric does not choose.
        """
        return None

    def fix_references(self, stats: Sequence[Stats]) -> Sequence[Any]:
        """The statistics with nothing left to choose among references."""
        chosen = self.choose(stats)
        return stats if chosen is None else [(pairing,) for pairing in chosen]

    def is_approximate(self, stats: Stats) -> bool:
        """Whether the exact computation would have taken too long; see `approximation`."""
        return False

    def notes(self, stats: Sequence[Stats]) -> Sequence[str]:
        """What the reader of the score should know of these data."""
        return ()


class PreparedStats(Protocol):
    """The statistics of one system, in the form in which they are scored most quickly."""

    def __len__(self) -> int:
        """The number of sentences."""

    def resample(self, draws: Draws) -> Values:
        """As `Metric.resample`."""

    def exchange(self, other: Self, swaps: Swaps) -> tuple[Values, Values]:
        """As `Metric.exchange`, with the statistics that the same metric prepared of another."""


@dataclass(frozen=True, slots=True)
class _PlainStats(Generic[Stats]):
    """Statistics as they are, scored by the metric's own methods."""

    metric: Metric[Stats]
    stats: Sequence[Stats]

    def __len__(self) -> int:
        return len(self.stats)

    def resample(self, draws: Draws) -> Values:
        return self.metric.resample(self.stats, draws)

    def exchange(self, other: Self, swaps: Swaps) -> tuple[Values, Values]:
        return self.metric.exchange(self.stats, other.stats, swaps)


def _show(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanMetric(Metric[Stats]):
    """A metric that is the mean of what it says of each sentence, 0 where there is none."""

    @abstractmethod
    def values(self, stats: Sequence[Stats]) -> Sequence[float]:
        """The value of each sentence."""

    def aggregate(self, stats: Sequence[Stats]) -> Score:
        """The mean over the sentences."""
        return Score(mean(self.values(stats)), self.signature, len(stats))

    def sentences(self, stats: Sequence[Stats]) -> Sequence[Mapping[str, object]]:
        """The value of each sentence."""
        return [{"value": value} for value in self.values(stats)]

    def resample(self, stats: Sequence[Stats], draws: Draws) -> Values:
        """The mean of each resample."""
        return means(self.values(stats), draws)


# Names of array types, for annotations alone: at run time numpy is imported where it is used.


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Draws = NDArray[np.signedinteger[Any]]
    """Places of sentences, of shape (resamples, sentences)."""
    Swaps = NDArray[np.bool_]
    """Whether a sentence is exchanged, of shape (permutations, sentences)."""
    Values = NDArray[np.float64]
    Integers = NDArray[np.signedinteger[Any]]
