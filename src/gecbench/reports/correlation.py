"""The correlations of metrics as a table, matrices and scatter plots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gecbench.analysis.correlation import KINDS, Coefficient, Correlations, Kind, MetricPair
from gecbench.analysis.meta import SystemLevel
from gecbench.reports.report import (
    Column,
    Figure,
    Report,
    Series,
    Table,
    Value,
    Words,
    data_of,
)

NAMES: dict[Kind, Words] = {
    "pearson": Words("Pearson's r", "Pearson 相关系数"),
    "spearman": Words("Spearman's rho", "Spearman 秩相关系数"),
    "kendall": Words("Kendall's tau-b", "Kendall τ-b 系数"),
}


def build_report(result: Correlations) -> Report:
    """Show the correlations of metrics."""
    scores = result.scores
    return Report(
        name="correlation",
        title=Words("Do metrics agree over systems?", "各指标对系统的评价是否一致？"),
        corpus=scores.corpus,
        tables=(_coefficients(result), _scores(result)),
        figures=(
            *(_matrix(result, kind) for kind in KINDS),
            *(_scatter(result, pair) for pair in result.pairs),
        ),
        data={
            "systems": scores.systems,
            "oriented": result.oriented,
            "metrics": [
                {"metric": name, "lower_is_better": name in scores.lower, "values": values}
                for name, values in scores.metrics.items()
            ],
            "pairs": [with_coefficients(pair) for pair in result.pairs],
        },
        notes=(*result.notes, f"over {len(scores.systems)} systems; p is two-sided"),
        signatures=scores.signatures,
    )


COEFFICIENT_COLUMNS = tuple(
    column
    for kind in KINDS
    for column in (Column(kind, "number", 4), Column(f"{kind} p", "p", 4, zh=f"{kind} p 值"))
)


def coefficient_cells(coefficients: Mapping[Kind, Coefficient]) -> list[Value]:
    """The cells of `COEFFICIENT_COLUMNS`."""
    return [value for kind in KINDS for value in (coefficients[kind].value, coefficients[kind].p)]


def with_coefficients(result: MetricPair | SystemLevel) -> dict[str, object]:
    """The fields of a result, with each coefficient as one of them."""
    return data_of(result, "coefficients") | {**result.coefficients}


def _coefficients(result: Correlations) -> Table:
    return Table(
        "coefficients",
        Words("Correlations of metrics over systems", "各指标在系统层面的相关性"),
        (Column("A", zh="指标甲"), Column("B", zh="指标乙"), *COEFFICIENT_COLUMNS),
        tuple(
            (pair.first, pair.second, *coefficient_cells(pair.coefficients))
            for pair in result.pairs
        ),
    )


def _scores(result: Correlations) -> Table:
    scores = result.scores
    columns = (Column("system", zh="系统"), *(Column(name, "number", 4) for name in scores.metrics))
    rows = zip(scores.systems, *scores.metrics.values(), strict=True)
    return Table("scores", Words("Scores", "得分"), columns, tuple(rows))


def _matrix(result: Correlations, kind: Kind) -> Figure:
    names = tuple(result.scores.metrics)
    values = [
        f"{pair.first} – {pair.second} {value:.3f}"
        for pair in result.pairs
        if (value := pair.coefficients[kind].value) is not None
    ]
    size = len(result.scores.systems)
    return Figure(
        name=f"correlation-{kind}",
        kind="matrix",
        title=Words(
            f"{NAMES[kind].en} between metrics over {size} systems",
            f"{size} 个系统上各指标之间的 {NAMES[kind].zh}",
        ),
        alt=Words(
            f"Matrix of {NAMES[kind].en}: {'; '.join(values) or 'no pair has one'}.",
            f"{NAMES[kind].zh}矩阵：{'；'.join(values) or '没有可计算的指标对'}。",
        ),
        x_label=Words("metric", "指标"),
        y_label=Words("metric", "指标"),
        series=tuple(Series(metric, names, _row(result, kind, metric)) for metric in names),
    )


def _row(result: Correlations, kind: Kind, metric: str) -> tuple[float | None, ...]:
    return tuple(
        None if metric == other else result.of(metric, other).coefficients[kind].value
        for other in result.scores.metrics
    )


def _scatter(result: Correlations, pair: MetricPair) -> Figure:
    scores, pearson = result.scores, pair.coefficients["pearson"]
    words = Words("no correlation can be computed", "无法计算相关系数")
    if pearson.value is not None and pearson.p is not None:
        numbers = f"r = {pearson.value:.3f} (p = {pearson.p:.4f})"
        words = Words(f"Pearson's {numbers}", f"Pearson {numbers}")
    x, y = scores.metrics[pair.first], scores.metrics[pair.second]
    short = slugs(scores.metrics)
    return Figure(
        name=f"correlation-{short[pair.first]}-{short[pair.second]}",
        kind="points",
        title=Words(f"{pair.second} against {pair.first}", f"{pair.second} 与 {pair.first}"),
        alt=Words(
            f"Scatter of {len(x)} systems by two metrics: {words.en}.",
            f"{len(x)} 个系统在两个指标上的散点图：{words.zh}。",
        ),
        x_label=Words(pair.first, pair.first),
        y_label=Words(pair.second, pair.second),
        series=(Series(Words("systems", "系统"), x, y, labels=scores.systems),),
    )


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Make names as files and anchors have them, each its own: a-z, digits, hyphens.

    >>> slugs(["Acc_sen", "acc sen", "准确率"])
    {'Acc_sen': 'acc-sen', 'acc sen': 'acc-sen-2', '准确率': '3'}
    """
    slugs: dict[str, str] = {}
    for number, name in enumerate(names, 1):
        short = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
        slugs[name] = f"{short}-{number}".strip("-") if short in {"", *slugs.values()} else short
    return slugs
