"""The analyses that a report shows of judged systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from gecbench.analysis.curves import Sweep
from gecbench.analysis.difficulty.references import chosen
from gecbench.analysis.difficulty.result import Difficulty, Named, analysed
from gecbench.analysis.difficulty.sheet import sheet
from gecbench.analysis.difficulty.weights import Weighting
from gecbench.analysis.dissection import dissect
from gecbench.analysis.references import of_judged
from gecbench.analysis.significance import Plan
from gecbench.api.compare import Comparisons, compare_judged
from gecbench.api.options import Options
from gecbench.core.case import Case, Version
from gecbench.reports import breakdown, compare, difficulty, overview, references
from gecbench.reports.exhibit import Exhibit
from gecbench.scoring.judged import Judged
from gecbench.scoring.results import ScoreReport

_SUBSETS = 5
"""Subsets of references that are scored for each number of them: a page need not have all."""
_FOR_EACH_PAIR = 20
"""Resamples for each pair of systems: with fewer, none could be significant at 0.05 (Holm)."""
_INTERVALS = 45
"""A figure of more is too long to read: the pairs of ten systems."""


def tested(judged: Judged, options: Options) -> Comparisons | None:
    """Return which systems differ significantly; None for one system or without resamples.

    By the paired bootstrap, which needs one set of resamples for all pairs and also gives the
    intervals. With many pairs it takes more resamples than were asked for, because the smallest
    p that n of them can give is 1 / (1 + n), and correction multiplies it by the number of pairs.
    """
    number = len(judged.systems)
    if number < 2 or not options.resamples:
        return None
    resamples = max(options.resamples, _FOR_EACH_PAIR * (number * (number - 1) // 2))
    plan = Plan(tests=("bootstrap",), resamples=resamples, seed=options.seed)
    return compare_judged(judged, plan)


def exhibits(
    judged: Judged,
    scores: ScoreReport,
    compared: Comparisons | None,
    options: Options,
    metric: str | None,
) -> Sequence[Exhibit]:
    """Return what can be shown of these systems, in the order of reading.

    Scores and significance are of all metrics; breakdowns, references and difficulty of the one
    that compares edits.

    Args:
        judged: The systems.
        scores: Their scores.
        compared: Their differences, if there are any.
        options: How they were scored.
        metric: Name of the metric that compares edits; None where there is none.
    """
    found = [overview.exhibit(scores)]
    if compared is not None:
        found.append(_legible(compare.exhibit(compared.corpus, compared.metrics, compared.notes)))
    alone = only(judged, metric)
    found.append(breakdown.exhibit(dissect(alone)))
    several = max(len(sample.references) for sample in judged.corpus.samples) > 1
    sweep = Sweep(most=_SUBSETS, seed=options.seed) if several else None
    found.append(references.exhibit(of_judged(alone, sweep=sweep)))
    if metric is not None:
        found.append(difficulty.exhibit([difficulty_of(alone, options.beta)]))
    return found


def _legible(exhibit: Exhibit) -> Exhibit:
    """Return an exhibit without figures of too many intervals; its tables have them."""
    figures = tuple(
        figure
        for figure in exhibit.figures
        if figure.kind != "intervals" or sum(len(one.x) for one in figure.series) <= _INTERVALS
    )
    return replace(exhibit, figures=figures)


def only(judged: Judged, metric: str | None) -> Judged:
    """Return what one metric says; None is all of them."""
    if metric is None:
        return judged
    return replace(
        judged,
        metrics={metric: judged.metrics[metric]},
        rows={key: rows for key, rows in judged.rows.items() if key[1] == metric},
        refused={},
    )


def difficulty_of(judged: Judged, beta: float) -> Difficulty:
    """Return the difficulty of errors under the references that the systems come nearest to.

    Of alternative edit sets the first counts, as in `gecbench analyse difficulty`.

    Args:
        judged: By one metric that compares edits.
        beta: Weight of recall in F.

    Raises:
        CorpusError: Nobody could correct any sentence.
    """
    cases = {name: tuple(map(_first_sets, row)) for name, row in judged.cases.items()}
    reference = chosen(judged.corpus.samples, cases, beta)
    (metric,) = judged.metrics.values()
    context: Mapping[str, str] = cast("Any", metric).context
    named = Named(
        judged.corpus.name,
        reference.name,
        (*judged.notes, *reference.notes),
        {name: value for name, value in context.items() if name != "references"},
    )
    return analysed(sheet(cases, reference.picks), Weighting(), beta, None, named)


def _first_sets(case: Case) -> Case:
    return replace(
        case,
        hypotheses=tuple(map(_first_set, case.hypotheses[:1])),
        references=tuple(map(_first_set, case.references)),
    )


def _first_set(version: Version) -> Version:
    return replace(version, edits=version.first, sizes=())
