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

from collections.abc import Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import combinations, count
from math import ceil
from typing import TYPE_CHECKING, Any

from gecbench.analysis.options import Plan, PValueCorrection, Test
from gecbench.core.errors import (
    CorpusError,
    Message,
    MissingExtraError,
    UnknownNameError,
    UsageError,
    count_noun,
)
from gecbench.core.frames import Framed, Frames, flat, interval_columns
from gecbench.core.options import Workers, check_jobs
from gecbench.core.processes import can_travel, cores, map_in_processes
from gecbench.core.scheme import Watch, no_progress
from gecbench.core.score import Interval, WarningNote, ranks
from gecbench.scoring.metric import Metric
from gecbench.scoring.resample import count_blocks, draw_blocks, interval, swaps
from gecbench.scoring.results import RunStats

if TYPE_CHECKING:
    from gecbench.scoring.metric import PreparedStats, Values


# Many comparisons at once: p-values corrected for their number, and systems in groups.


def correct_p_values(values: Sequence[float], correction: PValueCorrection) -> list[float]:
    """Correct p-values for their number, so that each is compared with alpha as if it were alone.

    "holm" bounds the chance of any false finding among them (Holm 1979, step-down Bonferroni);
    "bh" the share of false findings among the findings (Benjamini and Hochberg 1995, by
    `scipy.stats.false_discovery_control`), which holds for independent or positively dependent
    tests; comparisons of all pairs of systems are not all of that kind, so it is approximate.

    >>> correct_p_values([0.01, 0.04, 0.03], "holm")
    [0.03, 0.06, 0.06]

    Args:
        values: In [0, 1].
        correction: Which.

    Raises:
        MissingExtraError: "bh" without scipy.
    """
    if correction == "none" or len(values) < 2:
        return list(values)
    if correction == "bh":
        return _benjamini_hochberg(values)
    order = sorted(range(len(values)), key=values.__getitem__)
    corrected, least = [0.0] * len(values), 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, (len(values) - rank) * values[at]))
        corrected[at] = least
    return corrected


def _benjamini_hochberg(values: Sequence[float]) -> list[float]:
    try:
        from scipy.stats import false_discovery_control
    except ImportError as error:
        raise MissingExtraError("scipy", "statistics") from error
    corrected: list[float] = false_discovery_control(values, method="bh").tolist()
    return corrected


MOST_STEPS = 20_000
"""In the search for groups, of which there can be 3 ** (systems / 3) (Moon and Moser 1965)."""


class TooManyGroups(Exception):  # noqa: N818 - an answer, which callers put into words
    """There are more groups than anybody could read."""


def groups(ranked: Sequence[str], different: Set[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """Find the greatest groups of systems of which no two differ significantly.

    Two systems are together in some group just if they do not differ; a system can be in several
    groups. These are the letters of a "compact letter display" (Piepho 2004): the maximal
    cliques of the graph of pairs that do not differ (Bron and Kerbosch 1973, with a pivot).

    >>> groups("ABC", {frozenset("AC")})
    (('A', 'B'), ('B', 'C'))

    Args:
        ranked: Systems, the best first.
        different: The pairs that differ.

    Raises:
        TooManyGroups: They were not found in `MOST_STEPS`.
    """
    pairs = {frozenset(pair) for pair in combinations(ranked, 2)} - different
    near = {
        system: {other for pair in pairs if system in pair for other in pair - {system}}
        for system in ranked
    }
    cliques: list[set[str]] = []
    steps = count()

    def grow(group: set[str], may: set[str], done: set[str]) -> None:
        if next(steps) >= MOST_STEPS:
            raise TooManyGroups
        if not may and not done:
            cliques.append(group)
            return
        pivot = max(may | done, key=lambda system: len(near[system] & may))
        for system in sorted(may - near[pivot]):
            grow(group | {system}, may & near[system], done & near[system])
            may = may - {system}
            done = done | {system}

    if ranked:
        grow(set(), set(ranked), set())
    index = {system: at for at, system in enumerate(ranked)}
    return tuple(
        tuple(ranked[at] for at in members)
        for members in sorted(sorted(index[system] for system in group) for group in cliques)
    )


Names = tuple[str, str]

_EQUAL = 1e-12
"""Differences this close are the same: sums in another order differ in their last digits."""

_FEW = 30
"""Sentences below which the bootstrap is not to be trusted: of simulated pairs without a
difference it finds one at 0.05 in 12% of 8 sentences, 7% of 15, 6% of 30."""


@dataclass(frozen=True, slots=True)
class SystemPair:
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
        significant: Whether the corrected p of the main test is at most alpha.
    """

    first: str
    second: str
    difference: float
    interval: Interval
    first_better: float
    p: Mapping[Test, float]
    corrected: Mapping[Test, float]
    significant: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Framed):
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
    pairs: tuple[SystemPair, ...]
    groups: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()

    def title(self) -> str:
        """What was compared."""
        return f"Comparison by {self.metric} on {self.corpus}"

    def frames(self) -> Frames:
        """A row for each system, the best first, or for each pair of them."""
        return {
            "systems": (
                {"metric": self.metric, "system": name, "value": self.values[name]}
                | interval_columns(self.intervals[name])
                | {"groups": self.letters[name] or None, "sentences": self.sentences}
                | {"signature": self.signature}
                for name in self.ranked
            ),
            "pairs": ({"metric": self.metric} | flat(pair) for pair in self.pairs),
        }

    @property
    def ranked(self) -> tuple[str, ...]:
        """The systems, the best first; equals in alphabetical order."""
        names = sorted(self.values)
        values = [self.values[name] for name in names]
        by_name = ranks(values, higher_is_better=self.higher_is_better)
        return tuple(name for _, name in sorted(zip(by_name, names, strict=True)))

    @property
    def letters(self) -> dict[str, str]:
        """The groups of each system as letters: two that share one do not differ."""
        names: dict[str, str] = dict.fromkeys(self.values, "")
        for index, group in enumerate(self.groups):
            for name in group:
                names[name] += chr(ord("a") + index) if index < 26 else f"({index + 1})"
        return names

    def pair(self, first: str, second: str) -> SystemPair:
        """Find the comparison of two systems, turned round if need be.

        Raises:
            UnknownNameError: They were not compared.
        """
        for pair in self.pairs:
            if (pair.first, pair.second) == (first, second):
                return pair
            if (pair.second, pair.first) == (first, second):
                return _reverse(pair)
        known = [f"{pair.first} - {pair.second}" for pair in self.pairs]
        raise UnknownNameError("pair", f"{first} - {second}", known)


def compare(
    run_stats: RunStats,
    metric: str,
    plan: Plan | None = None,
    *,
    jobs: Workers = 1,
    watch: Watch = no_progress,
) -> Comparison:
    """Compare systems by one metric, and test how far that can be chance.

    By the tests that this module's text describes.

    Args:
        run_stats: At least two systems.
        metric: Name of one of its metrics.
        plan: How; None is the default.
        jobs: Processes for the pairs; None takes one for each processor where that is quicker.
        watch: Wraps the loops over resamples and pairs, to show progress.

    Raises:
        UsageError: Fewer than two systems, or the metric does not apply.
        UnknownNameError: There is no such metric or baseline.
        CorpusError: There is no sentence to score.
    """
    check_jobs(jobs)
    plan = plan or Plan()
    measure, indices = _select(run_stats, metric, plan)
    names = list(run_stats.systems)
    rows = {name: [run_stats.rows[name, metric][at] for at in indices] for name in names}
    scores = {name: measure.aggregate(rows[name]) for name in names}
    values = {name: score.value for name, score in scores.items()}
    prepared = {name: measure.prepare(rows[name]) for name in names}
    resamples = _bootstrap(measure.name, prepared, plan, watch)
    # A network stays where it is.
    can_divide = measure.by_part and can_travel((measure, measure.prepare(rows[names[0]][:1])))
    pairs = _compare_pairs(
        _PairTask(measure, prepared, values, resamples, plan),
        _pairs(names, plan.baseline),
        jobs if can_divide else 1,
        watch,
    )
    result = Comparison(
        corpus=run_stats.corpus.name,
        metric=metric,
        signature=str(scores[names[0]].signature),
        higher_is_better=measure.higher_is_better,
        sentences=len(indices),
        plan=plan,
        values=values,
        intervals={name: _interval(resamples[name], plan) for name in names},
        pairs=tuple(pairs),
        notes=_notes(pairs, plan, metric, len(indices)),
    )
    return result if plan.baseline is not None else _add_groups(result)


def _add_groups(result: Comparison) -> Comparison:
    """Add groups to a comparison of all pairs."""
    apart = {frozenset((pair.first, pair.second)) for pair in result.pairs if pair.significant}
    try:
        return replace(result, groups=groups(result.ranked, apart))
    except TooManyGroups:
        note = f"{result.metric}: too many groups of systems to show; see the pairs"
        return replace(result, notes=(*result.notes, note))


def _select(run_stats: RunStats, name: str, plan: Plan) -> tuple[Metric[Any], list[int]]:
    """Check a run, and return the metric and the indices of the sentences that it scores."""
    correct_p_values((1.0, 1.0), plan.correction)  # what is not installed should be said at once
    if name not in run_stats.metrics:
        raise UnknownNameError("metric of this run", name, run_stats.metrics)
    if name in run_stats.refused:
        raise UsageError(run_stats.refused[name])
    names = list(run_stats.systems)
    if len(names) < 2:
        raise UsageError(f"a comparison takes two systems or more; judged: {', '.join(names)}")
    if plan.baseline is not None and plan.baseline not in names:
        raise UnknownNameError("baseline", plan.baseline, names)
    indices = run_stats.indices_of(name)
    if not indices:
        raise CorpusError(f"{name}: no sentence of {run_stats.corpus.name} can be scored")
    return run_stats.metrics[name], indices


def _pairs(names: Sequence[str], baseline: str | None) -> list[Names]:
    if baseline is None:
        return list(combinations(names, 2))
    return [(name, baseline) for name in names if name != baseline]


def _bootstrap(
    metric: str, rows: Mapping[str, PreparedStats], plan: Plan, watch: Watch
) -> dict[str, Values]:
    """Score each system in the resamples, which are the same for all."""
    import numpy as np

    size = len(next(iter(rows.values())))
    steps = len(rows) * count_blocks(size, resamples=plan.resamples)
    scores: dict[str, list[Values]] = {name: [] for name in rows}
    work = (
        (name, block)
        for block in draw_blocks(size, resamples=plan.resamples, seed=plan.seed)
        for name in rows
    )
    watched = watch(f"{metric}: bootstrap", range(steps))
    for _, (name, block) in zip(watched, work, strict=True):
        scores[name].append(rows[name].resample(block))
    return {name: np.concatenate(values) for name, values in scores.items()}


@dataclass(frozen=True, slots=True)
class _PairTask:
    """Compares two systems, p not yet corrected, in any process.

    Args:
        metric: By which.
        rows: Statistics of the sentences by system.
        values: Score of each system.
        resamples: Scores of each system in the same resamples.
        plan: How.
    """

    metric: Metric[Any]
    rows: Mapping[str, PreparedStats]
    values: Mapping[str, float]
    resamples: Mapping[str, Values]
    plan: Plan

    def __call__(self, pair: Names) -> SystemPair:
        first, second = pair
        plan = self.plan
        observed = self.values[first] - self.values[second]
        resampled = self.resamples[first] - self.resamples[second]
        p: dict[Test, float] = {}
        for test in plan.tests:
            if test == "bootstrap":
                # Of few sentences, all on one side, no resample is like chance: exchanging them is.
                least = 0.5 ** (len(self.rows[first]) - 1)
                p[test] = max(least, _p(resampled - resampled.mean(), observed))
            else:
                permuted = _permute(self.rows[first], self.rows[second], plan)
                p[test] = _p(permuted, observed)
        sign = 1 if self.metric.higher_is_better else -1
        better = float((sign * resampled > _EQUAL).mean() + (abs(resampled) <= _EQUAL).mean() / 2)
        spread = _interval(resampled, plan)
        return SystemPair(first, second, observed, spread, better, p, p)


_PAYS = 100_000_000
"""Sentences times permutations times pairs from which several processes are quicker than one."""


def _compare_pairs(
    task: _PairTask, pairs: Sequence[Names], jobs: Workers, watch: Watch
) -> list[SystemPair]:
    """Compare all pairs, in several processes if need be, and correct p for their number."""
    if not isinstance(jobs, int):  # a cluster is for sentences, not for pairs
        work = len(pairs) * task.plan.resamples * len(task.rows[pairs[0][0]])
        jobs = cores() if "randomisation" in task.plan.tests and work >= _PAYS else 1
    results = map_in_processes(task, pairs, min(jobs, len(pairs)), " and ".join)
    watched = watch(f"{task.metric.name}: pairs", pairs)
    with closing(results):
        compared = [result for _, result in zip(watched, results, strict=True)]
    return _correct(compared, task.plan)


def _permute(first: PreparedStats, second: PreparedStats, plan: Plan) -> Values:
    """The difference after each permutation."""
    import numpy as np

    differences = []
    for block in swaps(len(first), count=plan.resamples, seed=plan.seed):
        first_values, second_values = first.exchange(second, block)
        differences.append(first_values - second_values)
    return np.concatenate(differences)


def _p(differences: Values, observed: float) -> float:
    """The two-sided p of an observed difference among those without any."""
    reached = int((abs(differences) >= abs(observed) - _EQUAL).sum())
    return (1 + reached) / (1 + len(differences))


def _interval(values: Values, plan: Plan) -> Interval:
    percentiles = interval(values, level=plan.confidence)
    return replace(percentiles, resamples=plan.resamples, seed=plan.seed)


def _correct(pairs: Sequence[SystemPair], plan: Plan) -> list[SystemPair]:
    """Correct p for the number of pairs."""
    by_test = [
        correct_p_values([pair.p[test] for pair in pairs], plan.correction) for test in plan.tests
    ]
    result = []
    for pair, values in zip(pairs, zip(*by_test, strict=True), strict=True):
        corrected = dict(zip(plan.tests, values, strict=True))
        significant = corrected[plan.main_test] <= plan.alpha
        result.append(replace(pair, corrected=corrected, significant=significant))
    return result


def _notes(pairs: Sequence[SystemPair], plan: Plan, metric: str, sentences: int) -> tuple[str, ...]:
    """Say what a reader could take the numbers for and they are not."""
    notes: list[str] = []
    if not plan.can_find(len(pairs)):
        least, times = plan.least_p, plan.factor(len(pairs))
        enough = ceil(times / plan.alpha)
        corrected: str = ""
        if times > 1:
            corrected = Message(
                ", which is {p:.2g} for {pairs} pairs", p=times * least, pairs=times
            )
        notes.append(
            WarningNote(
                "{metric}: {resamples} resamples cannot find p below {least:.2g}{corrected}, so "
                "that nothing can be significant at {alpha:g}; take --resamples {enough} or more",
                metric=metric,
                resamples=plan.resamples,
                least=least,
                corrected=corrected,
                alpha=plan.alpha,
                enough=enough,
            )
        )
    if sentences < _FEW:
        notes.append(
            Message(
                "{metric}: {sentences} only: intervals of the bootstrap are too narrow and its p "
                "can be too small; go by randomisation, and by more sentences",
                metric=metric,
                sentences=count_noun(sentences, "sentence"),
                count=sentences,
            )
        )
    equal = [
        f"{pair.first} – {pair.second}"
        for pair in pairs
        if pair.interval.low == pair.interval.high == pair.difference == 0
    ]
    if equal:
        notes.append(
            Message(
                "{metric}: the same score in every resample, which is no test of anything: {pairs}",
                metric=metric,
                pairs=", ".join(equal),
            )
        )
    return tuple(notes)


def _reverse(pair: SystemPair) -> SystemPair:
    spread = replace(pair.interval, low=-pair.interval.high, high=-pair.interval.low)
    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        difference=-pair.difference,
        interval=spread,
        first_better=1 - pair.first_better,
    )


# All metrics of a run.


@dataclass(frozen=True, slots=True, repr=False)
class Comparisons(Framed):
    """Systems compared by some metrics.

    Args:
        corpus: Name of the data.
        metrics: What each metric finds, in the order asked for.
        notes: What the reader should know, a sentence each.
    """

    corpus: str
    metrics: tuple[Comparison, ...]
    notes: tuple[str, ...] = ()

    def frames(self) -> Frames:
        """A row for each system, or for each pair of them, by each metric."""
        return {
            "systems": (row for metric in self.metrics for row in metric.frames()["systems"]),
            "pairs": (row for metric in self.metrics for row in metric.frames()["pairs"]),
        }


def compare_run(
    run_stats: RunStats,
    plan: Plan | None = None,
    *,
    jobs: Workers = 1,
    watch: Watch = no_progress,
) -> Comparisons:
    """Test whether the systems of a run differ, by each metric that applies; see `compare`."""
    names = [name for name in run_stats.metrics if name not in run_stats.refused]
    by_metric = [compare(run_stats, name, plan, jobs=jobs, watch=watch) for name in names]
    notes = [*run_stats.notes]
    notes += [Message("n/a: {why}", why=why) for why in run_stats.refused.values()]
    notes += [
        Message(
            "{sentences} left out: {why}",
            sentences=count_noun(count, "sentence"),
            count=count,
            why=Message(why),
        )
        for why, count in run_stats.left_out.items()
        if count
    ]
    notes += [note for comparison in by_metric for note in comparison.notes]
    return Comparisons(run_stats.corpus.name, tuple(by_metric), tuple(dict.fromkeys(notes)))


def check_number(systems: int) -> None:
    """Refuse fewer systems than can be compared, before anything is read.

    Raises:
        UsageError: There are not two.
    """
    if systems < 2:
        raise UsageError(f"a comparison takes two systems or more, not {systems}")
