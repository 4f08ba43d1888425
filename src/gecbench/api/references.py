"""What there is to say of a corpus's references, and what their number does to scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gecbench.analysis.curves import Sweep, Taking
from gecbench.analysis.references import References, of_judged
from gecbench.api.edits import Watch, unwatched
from gecbench.api.judge import judge
from gecbench.api.options import Options
from gecbench.core.sample import Corpus, Rewrite, SystemOutput
from gecbench.core.scheme import Scheme


def references(
    corpus: Corpus,
    systems: Sequence[SystemOutput] = (),
    *,
    by: str | None = None,
    taking: Taking = "subsets",
    at_least: int = 1,
    up_to: int | None = None,
    most: int = 20,
    seed: int = 0,
    scheme: Scheme | str | Callable[[], Scheme] | None = None,
    options: Options | None = None,
    watch: Watch = unwatched,
) -> References:
    """Return statistics and distribution of references; with systems, score against their number.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Outputs, joined to this corpus; none for statistics alone.
        by: A metadata field; each of its values gets its own statistics.
        taking: "subsets": systems are scored with all subsets of k references; "first": the first
            k.
        at_least: Only sentences with at least this many references are scored.
        up_to: The greatest k; None means the most that any sentence has.
        most: Of more subsets of a size than this, so many are drawn by lot.
        seed: Of the draws.
        scheme: As for `score`.
        options: How to score.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    sweep = Sweep(taking, at_least, up_to, most, seed)
    judged = judge(
        corpus, systems or [_silent(corpus)], scheme=scheme, options=options, watch=watch
    )
    return of_judged(judged, by=by, sweep=sweep if systems else None)


def _silent(corpus: Corpus) -> SystemOutput:
    """Return a system without corrections, for runs that need one and show none."""
    nothing = (Rewrite(error_free=True),)
    return SystemOutput("source", {sample.id: nothing for sample in corpus.samples})
