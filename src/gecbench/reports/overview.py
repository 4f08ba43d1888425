"""The scores of a run as an exhibit: what a page shows first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gecbench.core.score import Counts, Score
from gecbench.reports.exhibit import Column, Exhibit, Table, Value
from gecbench.reports.figure import Figure, Series
from gecbench.reports.words import Words
from gecbench.scoring.results import Result, ScoreReport

_SYSTEM = Column("system", zh="系统")
_SYSTEMS = Words("system", "系统")
_RECALL = Words("recall in percent", "召回率（%）")
_PRECISION = Words("precision in percent", "精确率（%）")


def exhibit(report: ScoreReport) -> Exhibit:
    """Return the scores of all systems by all metrics, with a figure for each metric.

    Args:
        report: Of the whole corpus, without subsets.
    """
    metrics = tuple(dict.fromkeys(result.metric for result in report.results))
    shown = {metric: _of(report, metric) for metric in metrics}
    scored = {metric: found for metric, found in shown.items() if any(one.score for one in found)}
    tables = [_values(report, shown)]
    tables += [
        _counts(report, metric, found) for metric, found in scored.items() if _counted(found)
    ]
    figures = [_scores(metric, found) for metric, found in scored.items()]
    figures += [_plane(report, name, found) for name, found in scored.items() if _counted(found)]
    return Exhibit(
        name="scores",
        title=Words("Scores", "总分"),
        corpus=report.corpus,
        tables=tuple(tables),
        figures=tuple(figures),
        notes=tuple(_notes(report)),
        signatures=tuple(
            dict.fromkeys(str(one.score.signature) for one in report.results if one.score)
        ),
    )


def _of(report: ScoreReport, metric: str) -> list[Result]:
    return [result for result in report.results if result.metric == metric]


def _counted(results: Sequence[Result]) -> bool:
    return any(result.score and result.score.counts for result in results)


def _notes(report: ScoreReport) -> list[str]:
    notes = [f"n/a: {one.note}" for one in report.results if one.note]
    spreads = [one.score.interval for one in report.results if one.score and one.score.interval]
    notes += [
        f"95% intervals: percentile bootstrap, {each.resamples} resamples of sentences, "
        f"seed {each.seed}"
        for each in spreads
    ]
    return [*report.notes, *dict.fromkeys(notes)]


def _best(results: Sequence[Result], value: Callable[[Score], float | None]) -> set[int]:
    """Return the places of the best; where all are equal, none is."""
    found = {
        at: number
        for at, one in enumerate(results)
        if one.score and (number := value(one.score)) is not None
    }
    if len(set(found.values())) < 2:
        return set()
    best = (max if results[0].higher_is_better else min)(found.values())
    return {at for at, number in found.items() if number == best}


def _values(report: ScoreReport, shown: dict[str, list[Result]]) -> Table:
    """Return a row for each system, with the value of each metric and the ends of its interval."""
    columns, marks = [_SYSTEM], set()
    systems = list(dict.fromkeys(result.system for result in report.results))
    rows: list[list[Value]] = [[name] for name in systems]
    for metric, results in shown.items():
        spread = any(one.score and one.score.interval for one in results)
        marks |= {(at, len(columns)) for at in _best(results, lambda score: score.value)}
        columns.append(Column(metric, "percent"))
        if spread:
            columns += [Column(f"{metric} 95% from", "percent", zh=f"{metric} 95% 下限")]
            columns += [Column(f"{metric} 95% to", "percent", zh=f"{metric} 95% 上限")]
        for row, one in zip(rows, results, strict=True):
            row.append(one.score.value if one.score else None)
            ends = one.score.interval if one.score else None
            row += [ends.low if ends else None, ends.high if ends else None] if spread else []
    title = Words("All metrics, in percent", "所有指标（%）")
    return Table("scores", title, tuple(columns), tuple(map(tuple, rows)), frozenset(marks))


def _counts_of(results: Sequence[Result]) -> list[tuple[str, Counts]]:
    return [(one.system, one.score.counts) for one in results if one.score and one.score.counts]


def _counts(report: ScoreReport, metric: str, results: Sequence[Result]) -> Table:
    """Return the counts behind F."""
    columns = (
        _SYSTEM,
        *(Column(name, "count") for name in ("TP", "FP", "FN")),
        Column("P", "percent"),
        Column("R", "percent"),
        Column(f"F{report.beta:g}", "percent"),
    )
    rows = []
    for system, counts in _counts_of(results):
        ratios = (counts.precision, counts.recall, counts.f(report.beta))
        rows.append((system, counts.tp, counts.fp, counts.fn, *ratios))
    marks = {
        (at, column)
        for column, value in ((4, _precision), (5, _recall), (6, _value))
        for at in _best(results, value)
    }
    title = Words(f"Edits by {metric}", f"{metric} 的编辑计数")
    return Table(f"counts-{metric}", title, columns, tuple(rows), frozenset(marks))


def _precision(score: Score) -> float | None:
    return score.counts.precision if score.counts else None


def _recall(score: Score) -> float | None:
    return score.counts.recall if score.counts else None


def _value(score: Score) -> float:
    return score.value


def _scores(metric: str, results: Sequence[Result]) -> Figure:
    """Return the score of each system with its interval, the best at the top."""
    scored = [(one.system, one.score) for one in results if one.score]
    sign = -1 if results[0].higher_is_better else 1
    scored.sort(key=lambda pair: sign * pair[1].value)
    spread = all(score.interval for _, score in scored)
    (first, best), (last, worst) = scored[0], scored[-1]
    said = f"{first} {100 * best.value:.2f}"
    best_en, best_zh = f"Best: {said}", f"最好：{said}"
    if best.interval:
        ends = f"{100 * best.interval.low:.2f}–{100 * best.interval.high:.2f}"
        best_en, best_zh = f"{best_en} (95%: {ends})", f"{best_zh}（95% 区间：{ends}）"
    if len(scored) > 1:
        best_en += f"; worst: {last} {100 * worst.value:.2f}"
        best_zh += f"；最差：{last} {100 * worst.value:.2f}"
    return Figure(
        name=f"scores-{metric}",
        kind="intervals",
        title=Words(
            f"{metric} with 95% intervals" if spread else metric,
            f"{metric} 及 95% 区间" if spread else metric,
        ),
        alt=Words(f"{best_en}.", f"{best_zh}。"),
        x_label=_SYSTEMS,
        y_label=Words(f"{metric} in percent", f"{metric}（%）"),
        series=(
            Series(
                metric,
                tuple(name for name, _ in scored),
                tuple(100 * score.value for _, score in scored),
                tuple(100 * one.interval.low for _, one in scored if one.interval)
                if spread
                else (),
                tuple(100 * one.interval.high for _, one in scored if one.interval)
                if spread
                else (),
            ),
        ),
    )


def _plane(report: ScoreReport, metric: str, results: Sequence[Result]) -> Figure:
    """Return precision against recall, with lines of equal F."""
    counted = _counts_of(results)
    most = max(counted, key=lambda pair: pair[1].precision)
    widest = max(counted, key=lambda pair: pair[1].recall)
    precision, recall = f"{100 * most[1].precision:.2f}", f"{100 * widest[1].recall:.2f}"
    beta = f"{report.beta:g}"
    return Figure(
        name=f"scores-{metric}-plane",
        kind="points",
        title=Words(f"Precision against recall by {metric}", f"{metric} 的精确率与召回率"),
        alt=Words(
            f"Highest precision: {most[0]} {precision}; highest recall: {widest[0]} {recall}. "
            f"Along a line F{beta} is the same.",
            f"精确率最高：{most[0]} {precision}；召回率最高：{widest[0]} {recall}。"
            f"同一条曲线上的 F{beta} 相等。",
        ),
        x_label=_RECALL,
        y_label=_PRECISION,
        series=(
            Series(
                metric,
                tuple(100 * counts.recall for _, counts in counted),
                tuple(100 * counts.precision for _, counts in counted),
                labels=tuple(name for name, _ in counted),
            ),
        ),
        iso_f=report.beta,
    )
