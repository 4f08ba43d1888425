"""Comparing systems: from files and options to tests of significance."""

from __future__ import annotations

from dataclasses import dataclass

from gecbench.analysis.options import Plan
from gecbench.analysis.significance import Comparison
from gecbench.analysis.significance import Watch as WatchPairs
from gecbench.analysis.significance import compare as compared
from gecbench.analysis.significance import unwatched as unwatched_pairs
from gecbench.api.extract import Watch, unwatched
from gecbench.api.options import Options
from gecbench.api.schemes import AnyScheme
from gecbench.api.score import collect_stats
from gecbench.core.errors import UsageError, counted
from gecbench.core.sample import Corpus, Systems, as_systems
from gecbench.scoring.results import RunStats


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Systems compared by some metrics.

    Args:
        corpus: Name of the data.
        metrics: What each metric finds, in the order asked for.
        notes: What the reader should know, a sentence each.
    """

    corpus: str
    metrics: tuple[Comparison, ...]
    notes: tuple[str, ...] = ()


def compare(
    corpus: Corpus,
    systems: Systems,
    *,
    scheme: AnyScheme = None,
    options: Options | None = None,
    plan: Plan | None = None,
    watch: Watch = unwatched,
    watch_pairs: WatchPairs = unwatched_pairs,
) -> Comparisons:
    """Return whether systems differ significantly, metric by metric.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Two or more, joined to this corpus.
        scheme: As in `gecbench.score`.
        options: How to score; its resamples and subsets are not looked at, the plan has its own.
        plan: How to compare; None is the default.
        watch: Wraps loops over sentences, to show progress.
        watch_pairs: Wraps loops over pairs of systems, likewise.

    Raises:
        GecbenchError: Something does not fit together, or fewer than two systems are given.
    """
    systems = as_systems(systems)
    check_number(len(systems))
    run_stats = collect_stats(corpus, systems, scheme=scheme, options=options, watch=watch)
    return compare_run(run_stats, plan, watch=watch_pairs)


def compare_run(
    run_stats: RunStats, plan: Plan | None = None, *, watch: WatchPairs = unwatched_pairs
) -> Comparisons:
    """Return whether systems differ by each metric that applies to them."""
    names = [name for name in run_stats.metrics if name not in run_stats.refused]
    made = [compared(run_stats, name, plan, watch=watch) for name in names]
    notes = [*run_stats.notes, *(f"n/a: {why}" for why in run_stats.refused.values())]
    notes += [
        f"{counted(count, 'sentence')} left out: {why}"
        for why, count in run_stats.left_out.items()
        if count
    ]
    notes += [note for one in made for note in one.notes]
    return Comparisons(run_stats.corpus.name, tuple(made), tuple(dict.fromkeys(notes)))


def check_number(systems: int) -> None:
    """Refuse fewer systems than can be compared, before anything is read.

    Raises:
        UsageError: There are not two.
    """
    if systems < 2:
        raise UsageError(f"a comparison takes two systems or more; given: {systems}")
