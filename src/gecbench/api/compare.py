"""Comparing systems."""

from __future__ import annotations

from gecbench.analysis.options import Plan
from gecbench.analysis.significance import Comparisons, check_number, compare_run
from gecbench.api.files import in_language
from gecbench.api.options import AnyScheme, Options
from gecbench.api.score import collect_stats
from gecbench.core.sample import Corpus, Systems, as_systems
from gecbench.core.scheme import Watch, no_progress


def compare(
    corpus: Corpus,
    systems: Systems,
    *,
    scheme: AnyScheme = None,
    options: Options | None = None,
    plan: Plan | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
    watch_pairs: Watch = no_progress,
) -> Comparisons:
    """Test whether systems differ significantly, metric by metric.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Two or more, joined to this corpus.
        scheme: As in `gecbench.score`.
        options: How to score; its resamples and subsets are not looked at, the plan has its own.
        plan: How to compare; None is the default.
        lang: Code of the language of the texts; None takes that of the corpus.
        watch: Wraps loops over sentences, to show progress.
        watch_pairs: Wraps loops over pairs of systems, likewise.

    Raises:
        GecbenchError: Something does not fit together, or fewer than two systems are given.
    """
    systems = as_systems(systems)
    check_number(len(systems))
    corpus = in_language(corpus, lang)
    run_stats = collect_stats(
        corpus, systems, scheme=scheme, options=options, keep_cases=False, watch=watch
    )
    jobs = options.jobs if options else 1
    return compare_run(run_stats, plan, jobs=jobs, watch=watch_pairs)
