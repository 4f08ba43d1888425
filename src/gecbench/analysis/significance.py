"""Whether systems differ by more than the chance of which sentences were taken.

Two tests of the difference of a score between two systems on the same sentences, for any metric.

Bootstrap (Koehn 2004, "Statistical Significance Tests for Machine Translation Evaluation"):
sentences are drawn with replacement, the same for all systems, and the differences of the
resamples give the interval. For p they are shifted to the mean 0 that they would have
without a difference (Noreen 1989, the shift method):
p = (1 + number of |d - mean d| >= |observed|) / (1 + resamples), of n sentences at least
2 / 2^n, the least that exchanging them can give. Differs from sacrebleu 2.6,
which takes absolute values before it shifts and so finds far too small a p where systems
are close.

Randomisation (Noreen 1989; Riezler and Maxwell 2005, "On Some Pitfalls in Automatic
Evaluation and Significance Testing for MT"): if systems do not differ, their outputs can be
exchanged; each sentence's are, by a fair coin, the same coins for all pairs.
p = (1 + number of |d| >= |observed|) / (1 + permutations), as in sacrebleu.

Both are two-sided. The 1 counts the observed data among the permutations, which keeps the
test from finding more than it may (Phipson and Smyth 2010). Equal differences count, so that
equal outputs have p = 1; sacrebleu counts only greater ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

from gecbench.analysis.multiplicity import (
    CORRECTIONS,
    Correction,
    TooManyGroups,
    adjusted,
    groups,
)
from gecbench.core.errors import CorpusError, UnknownNameError, UsageError
from gecbench.core.score import Interval
from gecbench.formats.losses import counted
from gecbench.scoring.exchange import exchanged, swaps
from gecbench.scoring.judged import Judged
from gecbench.scoring.metric import Metric
from gecbench.scoring.resample import draw_blocks, interval

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Values

Test = Literal["bootstrap", "randomisation"]
TESTS: tuple[Test, ...] = ("bootstrap", "randomisation")

Names = tuple[str, str]
Watch = Callable[[str, Sequence[Names]], Iterable[Names]]


def unwatched(_what: str, pairs: Sequence[Names]) -> Iterable[Names]:
    """Return what it is given."""
    return pairs


_EQUAL = 1e-12
"""Differences this close are the same: sums in another order differ in their last digits."""

_FEW = 30
"""Sentences below which the bootstrap is not to be trusted: of simulated pairs without a
difference it finds one at 0.05 in 12% of 8 sentences, 7% of 15, 6% of 30."""

_MOST = 1_000_000
"""Resamples: more would run for days, and change no p by as much as 0.001."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How systems are compared.

    Args:
        tests: Which tests; where there are both, randomisation decides what is significant.
        resamples: How many resamples and how many permutations, from 100 to 1,000,000.
        seed: Of both.
        correction: For the number of pairs, in each metric and test apart.
        alpha: Level of significance, in (0, 0.5].
        confidence: Of the intervals, in (0, 1).
        baseline: Compare this system with each other one, and no others; None compares all.

    Raises:
        UsageError: Names the value and what it may be.
    """

    tests: tuple[Test, ...] = TESTS
    resamples: int = 10_000
    seed: int = 0
    correction: Correction = "holm"
    alpha: float = 0.05
    confidence: float = 0.95
    baseline: str | None = None

    def __post_init__(self) -> None:
        """Refuse values that would give numbers without meaning."""
        if not self.tests or not set(self.tests) <= set(TESTS):
            raise UsageError(f"tests {self.tests!r} must be one or both of {', '.join(TESTS)}")
        if self.correction not in CORRECTIONS:
            raise UnknownNameError("correction", self.correction, CORRECTIONS)
        if self.resamples < 100:
            raise UsageError(f"resamples {self.resamples} must be at least 100")
        if self.resamples > _MOST:
            raise UsageError(f"resamples {self.resamples} must be at most {_MOST}")
        if not 0 < self.alpha <= 0.5:
            raise UsageError(f"alpha {self.alpha:g} must be above 0 and at most 0.5")
        if not 0 < self.confidence < 1:
            raise UsageError(f"confidence {self.confidence:g} must be between 0 and 1")

    @property
    def deciding(self) -> Test:
        """The test that decides what is significant."""
        return "randomisation" if "randomisation" in self.tests else "bootstrap"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems compared.

    Args:
        first: One system.
        second: The other.
        difference: Score of the first less that of the second, not rounded.
        interval: Of the difference: percentiles of the paired bootstrap.
        first_better: Share of resamples in which the first is the better, in [0, 1]; where
            equal, half. Koehn's (2004) confidence.
        p: By test, two-sided, not corrected.
        corrected: By test, for the number of pairs.
        significant: Whether the corrected p of the deciding test is at most alpha.
    """

    first: str
    second: str
    difference: float
    interval: Interval
    first_better: float
    p: Mapping[Test, float]
    corrected: Mapping[Test, float]
    significant: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems compared by one metric.

    Args:
        corpus: Name of the data.
        metric: Name.
        signature: How scores were made.
        higher_is_better: Whether a greater score is a better system.
        sentences: How many were scored.
        plan: How systems were compared.
        values: Score of each system, in the order given.
        intervals: Of each score, by the same resamples.
        pairs: All of them, or those with the baseline, in the order given.
        groups: The greatest sets of systems of which no two differ significantly, the best
            system first, in them and among them; () where not all pairs were compared, or there
            are too many groups to read, which a note says.
        notes: What the reader should know, a sentence each.
    """

    corpus: str
    metric: str
    signature: str
    higher_is_better: bool
    sentences: int
    plan: Plan
    values: Mapping[str, float]
    intervals: Mapping[str, Interval]
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def ranked(self) -> tuple[str, ...]:
        """The systems, the best first; equals in alphabetical order."""
        sign = -1 if self.higher_is_better else 1
        return tuple(sorted(self.values, key=lambda name: (sign * self.values[name], name)))

    def pair(self, first: str, second: str) -> Pair:
        """Return the comparison of two systems, turned round if need be.

        Raises:
            UnknownNameError: They were not compared.
        """
        for one in self.pairs:
            if (one.first, one.second) == (first, second):
                return one
            if (one.second, one.first) == (first, second):
                return _turned(one)
        known = [f"{one.first} - {one.second}" for one in self.pairs]
        raise UnknownNameError("pair", f"{first} - {second}", known)


def compare(
    judged: Judged, metric: str, plan: Plan | None = None, *, watch: Watch = unwatched
) -> Comparison:
    """Return how systems differ by one metric, and how far that can be chance.

    By the tests that this module's text describes.

    Args:
        judged: At least two systems.
        metric: Name of one of its metrics.
        plan: How; None is the default.
        watch: Wraps the loop over pairs, to show progress.

    Raises:
        UsageError: Fewer than two systems, or the metric does not apply.
        UnknownNameError: There is no such metric or baseline.
        CorpusError: There is no sentence to score.
    """
    plan = plan or Plan()
    made, places = _checked(judged, metric, plan)
    names = list(judged.systems)
    rows = {name: [judged.rows[name, metric][at] for at in places] for name in names}
    scores = {name: made.aggregate(rows[name]) for name in names}
    values = {name: score.value for name, score in scores.items()}
    drawn = _bootstrap(made, rows, plan)
    wanted = watch(f"{metric}: pairs", _pairs(names, plan.baseline))
    pairs = _corrected([_pair(made, rows, values, drawn, pair, plan) for pair in wanted], plan)
    result = Comparison(
        corpus=judged.corpus.name,
        metric=metric,
        signature=str(scores[names[0]].signature),
        higher_is_better=made.higher_is_better,
        sentences=len(places),
        plan=plan,
        values=values,
        intervals={name: _interval(drawn[name], plan) for name in names},
        pairs=tuple(pairs),
        notes=_notes(pairs, plan, metric, len(places)),
    )
    return result if plan.baseline is not None else _grouped(result)


def _grouped(result: Comparison) -> Comparison:
    """Return a comparison of all pairs with its groups."""
    apart = {frozenset((pair.first, pair.second)) for pair in result.pairs if pair.significant}
    try:
        return replace(result, groups=groups(result.ranked, apart))
    except TooManyGroups:
        note = f"{result.metric}: too many groups of systems to show; see the pairs"
        return replace(result, notes=(*result.notes, note))


def _checked(judged: Judged, name: str, plan: Plan) -> tuple[Metric[Any], list[int]]:
    """Return the metric and the places of the sentences that it scores, if all fits together."""
    adjusted((1.0, 1.0), plan.correction)  # what is not installed should be said at once
    if name not in judged.metrics:
        raise UnknownNameError("metric of this run", name, judged.metrics)
    if name in judged.refused:
        raise UsageError(judged.refused[name])
    names = list(judged.systems)
    if len(names) < 2:
        raise UsageError(f"a comparison takes two systems or more; judged: {', '.join(names)}")
    if plan.baseline is not None and plan.baseline not in names:
        raise UnknownNameError("baseline", plan.baseline, names)
    places = judged.scored(name)
    if not places:
        raise CorpusError(f"{name}: no sentence of {judged.corpus.name} can be scored")
    return judged.metrics[name], places


def _pairs(names: Sequence[str], baseline: str | None) -> list[Names]:
    if baseline is None:
        return list(combinations(names, 2))
    return [(name, baseline) for name in names if name != baseline]


def _bootstrap(
    metric: Metric[Any], rows: Mapping[str, Sequence[Any]], plan: Plan
) -> dict[str, Values]:
    """Return the scores of each system in the resamples, which are the same for all."""
    import numpy as np

    size = len(next(iter(rows.values())))
    made: dict[str, list[Values]] = {name: [] for name in rows}
    for block in draw_blocks(size, resamples=plan.resamples, seed=plan.seed):
        for name, own in rows.items():
            made[name].append(metric.resample(own, block))
    return {name: np.concatenate(values) for name, values in made.items()}


def _pair(
    metric: Metric[Any],
    rows: Mapping[str, Sequence[Any]],
    values: Mapping[str, float],
    drawn: Mapping[str, Values],
    pair: Names,
    plan: Plan,
) -> Pair:
    """Return two systems compared, p not yet corrected."""
    first, second = pair
    observed = values[first] - values[second]
    resampled = drawn[first] - drawn[second]
    p: dict[Test, float] = {}
    for test in plan.tests:
        if test == "bootstrap":
            # Of few sentences, all on one side, no resample is like chance: exchanging them is.
            least = 0.5 ** (len(rows[first]) - 1)
            p[test] = max(least, _p(resampled - resampled.mean(), observed))
        else:
            permuted = _permuted(metric, rows[first], rows[second], plan)
            p[test] = _p(permuted, observed)
    sign = 1 if metric.higher_is_better else -1
    better = float((sign * resampled > _EQUAL).mean() + (abs(resampled) <= _EQUAL).mean() / 2)
    spread = _interval(resampled, plan)
    return Pair(first, second, observed, spread, better, p, p)


def _permuted(
    metric: Metric[Any], first: Sequence[Any], second: Sequence[Any], plan: Plan
) -> Values:
    """Return the difference after each permutation."""
    import numpy as np

    made = []
    for some in swaps(len(first), count=plan.resamples, seed=plan.seed):
        one, two = exchanged(metric, first, second, some)
        made.append(one - two)
    return np.concatenate(made)


def _p(differences: Values, observed: float) -> float:
    """Return the two-sided p of an observed difference among those without any."""
    reached = int((abs(differences) >= abs(observed) - _EQUAL).sum())
    return (1 + reached) / (1 + len(differences))


def _interval(values: Values, plan: Plan) -> Interval:
    found = interval(values, level=plan.confidence)
    return replace(found, resamples=plan.resamples, seed=plan.seed)


def _corrected(pairs: Sequence[Pair], plan: Plan) -> list[Pair]:
    """Return the pairs with their p corrected for the number of pairs."""
    made: dict[Test, list[float]] = {
        test: adjusted([pair.p[test] for pair in pairs], plan.correction) for test in plan.tests
    }
    result = []
    for at, pair in enumerate(pairs):
        corrected = {test: made[test][at] for test in plan.tests}
        significant = corrected[plan.deciding] <= plan.alpha
        result.append(replace(pair, corrected=corrected, significant=significant))
    return result


def _notes(pairs: Sequence[Pair], plan: Plan, metric: str, sentences: int) -> tuple[str, ...]:
    """Say what a reader could take the numbers for and they are not."""
    said = []
    least = 1 / (1 + plan.resamples)
    # Holm multiplies the least by the number of pairs; BH leaves it alone where all are as small.
    times = len(pairs) if plan.correction == "holm" else 1
    if times * least > plan.alpha:
        enough = ceil(times / plan.alpha)
        corrected = f", which is {times * least:.2g} for {times} pairs" if times > 1 else ""
        said.append(
            f"{metric}: {plan.resamples} resamples cannot find p below {least:.2g}{corrected}, so "
            f"that nothing can be significant at {plan.alpha:g}; take --resamples {enough} or more"
        )
    if sentences < _FEW:
        said.append(
            f"{metric}: {counted(sentences, 'sentence')} only: intervals of the bootstrap are too "
            "narrow and its p can be too small; go by randomisation, and by more sentences"
        )
    equal = [f"{pair.first} and {pair.second}" for pair in pairs if _indistinct(pair)]
    if equal:
        said.append(
            f"{metric}: the same score in every resample, which is no test of anything: "
            f"{', '.join(equal)}"
        )
    return tuple(said)


def _indistinct(pair: Pair) -> bool:
    return pair.interval.low == pair.interval.high == pair.difference == 0


def _turned(pair: Pair) -> Pair:
    spread = replace(pair.interval, low=-pair.interval.high, high=-pair.interval.low)
    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        difference=-pair.difference,
        interval=spread,
        first_better=1 - pair.first_better,
    )
