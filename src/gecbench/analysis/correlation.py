"""Whether metrics agree with one another over systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from gecbench.analysis.coefficients import KINDS, Coefficient, Kind, coefficient, constant
from gecbench.core.errors import UsageError
from gecbench.formats.losses import counted
from gecbench.scoring.judged import Judged


@dataclass(frozen=True, slots=True)
class SystemScores:
    """Scores of systems by metrics.

    Args:
        corpus: Name of the data that they are scores on, or of the table that they are from.
        systems: Names.
        metrics: For each metric the scores of the systems, in their order.
        lower: Metrics of which a lower score is a better system.
        signatures: How scores were made, where that is known.
        notes: What the reader should know, a sentence each.
    """

    corpus: str
    systems: tuple[str, ...]
    metrics: Mapping[str, tuple[float, ...]]
    lower: frozenset[str] = frozenset()
    signatures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two metrics compared.

    Args:
        first: One metric.
        second: The other.
        coefficients: By kind.
    """

    first: str
    second: str
    coefficients: Mapping[Kind, Coefficient]


@dataclass(frozen=True, slots=True)
class Correlations:
    """Metrics compared over systems.

    Args:
        scores: What was compared; where `oriented`, those of metrics of which lower is better
            with the other sign.
        oriented: Whether signs were turned so that greater is better everywhere.
        pairs: Of metrics, in the order given.
        notes: What the reader should know, a sentence each.
    """

    scores: SystemScores
    oriented: bool
    pairs: tuple[Agreement, ...]
    notes: tuple[str, ...] = field(default=())

    def of(self, first: str, second: str) -> Agreement:
        """Return the comparison of two metrics, in either order."""
        wanted = {first, second}
        return next(pair for pair in self.pairs if {pair.first, pair.second} == wanted)


def correlations(scores: SystemScores, *, oriented: bool = False) -> Correlations:
    """Return how far metrics agree over systems: Pearson, Spearman and Kendall with p.

    As table 4 of Lin, Lin, Yang and Jiang, 2022 (arXiv 2205.00217), where signs are as scores
    are: a metric of which lower is better agrees with another if their coefficient is negative.

    Args:
        scores: Of at least three systems by at least two metrics.
        oriented: Turn the sign of metrics of which lower is better.

    Raises:
        UsageError: Fewer systems or metrics.
        MissingExtraError: scipy is not installed.
    """
    check_number(scores.systems)
    if len(scores.metrics) < 2:
        named = ", ".join(scores.metrics) or "none"
        raise UsageError(f"a correlation is between two metrics or more; here: {named}")
    scores, notes = turned(scores) if oriented else (scores, _signs(scores))
    pairs = tuple(
        Agreement(one, two, {k: coefficient(k, columns[0], columns[1]) for k in KINDS})
        for one, two in combinations(scores.metrics, 2)
        if (columns := (scores.metrics[one], scores.metrics[two]))
    )
    return Correlations(scores, oriented, pairs, (*scores.notes, *notes, *constant_notes(scores)))


def check_number(systems: Sequence[str]) -> None:
    """Refuse fewer systems than have a correlation.

    Raises:
        UsageError: There are not three.
    """
    if len(systems) < 3:
        named = ", ".join(systems) or "none"
        raise UsageError(f"a correlation over systems takes three or more; here: {named}")


def turned(scores: SystemScores) -> tuple[SystemScores, tuple[str, ...]]:
    """Return scores of which greater is better everywhere, and what to know about it."""
    metrics = {
        name: tuple(-value for value in values) if name in scores.lower else values
        for name, values in scores.metrics.items()
    }
    made = SystemScores(
        scores.corpus, scores.systems, metrics, scores.lower, scores.signatures, scores.notes
    )
    names = [name for name in metrics if name in scores.lower]
    if not names:
        return made, ()
    return made, (f"lower is better, so the sign was turned: {', '.join(names)}",)


def _signs(scores: SystemScores) -> tuple[str, ...]:
    names = [name for name in scores.metrics if name in scores.lower]
    if not names:
        return ()
    return (
        f"lower is better: {', '.join(names)}; signs are as scores are, so a negative "
        "coefficient with a metric of which greater is better means agreement",
    )


def constant_notes(scores: SystemScores) -> tuple[str, ...]:
    """Say which metrics give all systems one score, which has no correlation with anything."""
    same = [name for name, values in scores.metrics.items() if constant(values)]
    if not same:
        return ()
    return (f"the same score for all systems, so no correlation: {', '.join(same)}",)


def scores_of(judged: Judged) -> SystemScores:
    """Return the scores of what was judged, by the metrics that apply and can be computed."""
    metrics: dict[str, tuple[float, ...]] = {}
    signatures, lower, left_out = [], set(), []
    for name, metric in judged.metrics.items():
        if name in judged.refused:
            continue
        places = judged.scored(name)
        scores = [
            metric.aggregate([judged.rows[system, name][at] for at in places])
            for system in judged.systems
        ]
        metrics[name] = tuple(score.value for score in scores)
        signatures.append(str(scores[0].signature))
        if not metric.higher_is_better:
            lower.add(name)
    left_out = [
        f"{counted(count, 'sentence')} left out: {why}"
        for why, count in judged.left_out.items()
        if count
    ]
    return SystemScores(
        corpus=judged.corpus.name,
        systems=tuple(judged.systems),
        metrics=metrics,
        lower=frozenset(lower),
        signatures=tuple(signatures),
        notes=(*judged.notes, *(f"n/a: {why}" for why in judged.refused.values()), *left_out),
    )
