"""The first screen of the report page: who leads, in words, and the systems, the best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from gecbench.analysis.significance import Comparison
from gecbench.core.score import best_places, is_tie, ranks
from gecbench.reports import scores as scores_report
from gecbench.reports.report import (
    Column,
    Report,
    Table,
    Value,
    Words,
    count_cells,
    join_texts,
    translate,
)
from gecbench.scoring.results import Result, ScoreReport

NO_EDITS = translate("no edits")
_NAMED = 5
"""More systems than that are counted in the headline instead of named."""

ScoredResults = Mapping[str, Sequence[Result]]
"""The results that are scores, by metric, the best first."""


def build_report(
    scores: ScoreReport,
    comparisons: Sequence[Comparison],
    unchanged: Set[str],
    explored: str | None = None,
) -> Report:
    """Show one table for each metric: its scores and counts, the best system first.

    Several metrics have one more table, in which they stand side by side.

    Args:
        scores: Of one corpus, without subsets.
        comparisons: By each metric; () where nothing was tested.
        unchanged: Names of the systems that make no edits, which are marked and never the best.
        explored: The metric by which the page shows sentences: its counts lead to them.
    """
    by_metric = _by_metric(scores)
    tested = {comparison.metric: comparison for comparison in comparisons}
    tables = [
        _systems(
            "scores" if number == 0 else f"scores-by-{metric}",
            results,
            tested.get(metric),
            scores.beta,
            unchanged,
            linked=metric == explored,
        )
        for number, (metric, results) in enumerate(by_metric.items())
    ]
    report = scores_report.build_report([scores], page=True)
    if len(by_metric) == 1:
        return replace(report, tables=tuple(tables))
    (every,) = report.tables
    return replace(report, tables=(*tables, replace(every, name="all-metrics")))


def headlines(
    scores: ScoreReport, comparisons: Sequence[Comparison], unchanged: Set[str]
) -> tuple[Words, ...]:
    """Say for each metric who leads, and which systems are not distinguishable from the leader.

    Without a test, or with one that could not find a difference, no order is claimed.

    Args:
        scores: As in `build_report`, and so are the others.
        comparisons: See there.
        unchanged: See there.
    """
    by_metric = _by_metric(scores)
    tested = {comparison.metric: comparison for comparison in comparisons}
    lines = []
    for metric, results in by_metric.items():
        name = _score_name(results, scores.beta)
        if len(by_metric) > 1 and name != metric:
            name = f"{metric} {name}"
        line = _headline(results, tested.get(metric), name, unchanged)
        # No blank stands behind a full-width parenthesis.
        lines.append(Words(line.en, line.zh.replace("） ", "）")))
    return tuple(lines)


def mark_systems(report: Report, unchanged: Set[str]) -> Report:
    """Mark the systems that make no edits in all tables that have names of systems in rows."""
    heads = {"system", "A", "B"}
    tables = tuple(
        replace(
            table,
            remarks={
                (row, column): NO_EDITS
                for column, head in enumerate(table.columns)
                if head.name in heads and head.kind == "word"
                for row, values in enumerate(table.rows)
                if values[column] in unchanged
            },
        )
        for table in report.tables
    )
    return replace(report, tables=tables)


def systems_in_order(scores: ScoreReport, unchanged: Set[str]) -> tuple[str, ...]:
    """The systems as a reader looks for them: the best first, those without edits last."""
    results = next(iter(_by_metric(scores).values()), [])
    names = [result.system for result in results]
    return tuple(sorted(names, key=lambda name: name in unchanged))


def _by_metric(scores: ScoreReport) -> ScoredResults:
    by_metric: dict[str, list[Result]] = {}
    for result in scores.results:
        if result.score is not None:
            by_metric.setdefault(result.metric, []).append(result)
    return {metric: _rank(results) for metric, results in by_metric.items()}


def _rank(results: Sequence[Result]) -> list[Result]:
    """The best first, equals in alphabetical order, as in `Comparison.ranked`."""
    results = sorted(results, key=lambda result: result.system)
    places = ranks(_values(results), higher_is_better=results[0].higher_is_better)
    return [results[at] for _, at in sorted((place, at) for at, place in enumerate(places))]


def _values(results: Sequence[Result]) -> list[float]:
    return [result.score.value for result in results if result.score]


def _score_name(results: Sequence[Result], beta: float) -> str:
    """F0.5 and the like where the score is F of the counts; else the name of the metric."""
    counts = [(r.score.value, r.score.counts) for r in results if r.score and r.score.counts]
    if len(counts) == len(results) and all(is_tie(v, c.f(beta)) for v, c in counts):
        return f"F{beta:g}"
    return results[0].metric


# The headline.


def _headline(
    results: Sequence[Result], tested: Comparison | None, name: str, unchanged: Set[str]
) -> Words:
    values = _values(results)
    best, worst = f"{100 * values[0]:.2f}", f"{100 * values[-1]:.2f}"
    if len(results) == 1:
        interval = results[0].score.interval if results[0].score else None
        words = Words(f"{name} {best}", f"{name} {best}")
        if interval:
            ends = f"{100 * interval.low:.2f}–{100 * interval.high:.2f}"
            words = translate("{words} (95%: {interval})", words=words, interval=ends)
        system = _system_words(results[0].system, unchanged)
        return translate("{name}: {value}", name=system, value=words)
    if tested is None or not tested.plan.can_find(len(tested.pairs)):
        return translate(
            "{number} systems with {name} from {low} to {high}; whether they differ was not tested"
            if tested is None
            else "{number} systems with {name} from {low} to {high}; too few resamples to tell "
            "whether they differ",
            number=len(results),
            name=name,
            low=min(worst, best, key=float),
            high=max(worst, best, key=float),
        )
    leaders = [
        result.system
        for result in results
        if is_tie(result.score.value if result.score else 0.0, values[0])
    ]
    others = [result.system for result in results if result.system not in leaders]
    near = [
        other
        for other in others
        if not all(tested.pair(leader, other).significant for leader in leaders)
    ]
    score = f"{name} {best}"
    who = _list_words([_system_words(system, unchanged) for system in leaders])
    if not others:
        return translate("{systems} have the same score, {score}", systems=who, score=score)
    lead = (
        translate("{system} leads with {score}", system=who, score=score)
        if len(leaders) == 1
        else translate("{systems} share the lead with {score}", systems=who, score=score)
    )
    it = Words("it" if len(leaders) == 1 else "them", "其")
    return join_texts([lead, _rest(near, others, it, unchanged)], "; ")


def _rest(near: Sequence[str], others: Sequence[str], it: Words, unchanged: Set[str]) -> Words:
    """What is to be said of the systems that do not lead."""
    if not near:
        if len(others) > 1:
            return translate("all others are significantly behind")
        (other,) = others
        return translate("{system} is significantly behind", system=_system_words(other, unchanged))
    if len(near) > _NAMED:
        if len(near) == len(others):
            return translate("no other system is distinguishable from {it}", it=it)
        return translate(
            "{number} others are not distinguishable from {it}", number=len(near), it=it
        )
    systems = _list_words([_system_words(system, unchanged) for system in near])
    if len(near) == 1:
        return translate("{system} is not distinguishable from {it}", system=systems, it=it)
    return translate("{systems} are not distinguishable from {it}", systems=systems, it=it)


def _system_words(system: str, unchanged: Set[str]) -> Words:
    if system in unchanged:
        return translate("{system} ({remark})", system=system, remark=NO_EDITS)
    return Words(system, system)


def _list_words(names: Sequence[Words]) -> Words:
    """Join names: "A, B and C"."""
    *first, last = names
    en = f"{', '.join(name.en for name in first)} and {last.en}" if first else last.en
    return Words(en, "、".join(name.zh for name in names))


# The table.


def _systems(
    name: str,
    results: Sequence[Result],
    tested: Comparison | None,
    beta: float,
    unchanged: Set[str],
    *,
    linked: bool,
) -> Table:
    """The systems by one metric, with what is known of them."""
    scores = [result.score for result in results if result.score]
    groups = tested.letters if tested and tested.groups else {}
    intervals = all(score.interval for score in scores)
    counted = all(score.counts for score in scores)
    columns = [Column.of("system")]
    columns += [Column.of("groups")] * bool(groups)
    columns.append(Column(_score_name(results, beta), "percent"))
    at = len(columns) - 1
    columns += [Column.of("low", "percent"), Column.of("high", "percent")] * intervals
    first_count = len(columns)
    columns += [Column("P", "percent"), Column("R", "percent")] * counted
    columns += [Column("TP", "count"), Column("FP", "count"), Column("FN", "count")] * counted
    rows: list[tuple[Value, ...]] = []
    for result, score in zip(results, scores, strict=True):
        row: list[Value] = [result.system, *[groups.get(result.system, "")] * bool(groups)]
        row.append(score.value)
        if score.interval and intervals:
            row += [score.interval.low, score.interval.high]
        if counted:
            tp, fp, fn, precision, recall = count_cells(score.counts)
            row += [precision, recall, tp, fp, fn]
        rows.append(tuple(row))
    higher = results[0].higher_is_better
    best_by_column = {at: higher} | ({first_count: True, first_count + 1: True} if counted else {})
    marks = {
        (place, column)
        for column, higher_is_better in best_by_column.items()
        for place in best_places(
            [
                _number(row[column]) if result.system not in unchanged else None
                for result, row in zip(results, rows, strict=True)
            ],
            higher_is_better=higher_is_better,
        )
    }
    metric: str | Words = results[0].metric
    if (score_name := _score_name(results, beta)) != metric:
        metric = Words(f"{score_name} ({metric})", f"{score_name}（{metric}）")
    title = translate("{metric}: systems, best first", metric=metric)
    if groups:
        title = translate(
            "{metric}: systems, best first; those that share a letter do not differ significantly",
            metric=metric,
        )
    return Table(
        name,
        title,
        tuple(columns),
        tuple(rows),
        frozenset(marks),
        remarks={
            (place, 0): NO_EDITS
            for place, result in enumerate(results)
            if result.system in unchanged
        },
        interval_at=at if intervals else None,
        filters={
            (place, first_count + 2 + nth): {"system": result.system, "outcome": outcome}
            for place, result in enumerate(results)
            for nth, outcome in enumerate(("true", "false", "missed"))
            if linked and counted
        },
    )


def _number(value: Value) -> float | None:
    return value if isinstance(value, float) else None
