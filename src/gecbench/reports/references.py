"""References as tables and figures."""

from __future__ import annotations

from gecbench.analysis.references import Curve, References
from gecbench.reports.report import (
    Column,
    Figure,
    Report,
    Series,
    Table,
    Value,
    Words,
    data_of,
    join_texts,
)


def build_report(result: References) -> Report:
    """Show statistics, distribution and curves."""
    tables = [_statistics(result), _distribution(result)]
    figures = [distribution_figure(result)]
    for metric in dict.fromkeys(curve.metric for curve in result.curves):
        curves = [curve for curve in result.curves if curve.metric == metric]
        tables.append(_curves(metric, curves))
        figures.append(curve_figure(metric, curves))
    return Report(
        name="references",
        title=Words(
            "What the references are, and what their number changes", "参考答案及其数量的影响"
        ),
        corpus=result.corpus,
        tables=tuple(tables),
        figures=tuple(figures),
        data=_data(result),
        notes=result.notes,
        signatures=result.signatures,
    )


def distribution_figure(result: References) -> Figure:
    """The share of sentences with each number of references, MuCGEC's figure 1."""
    numbers = [k for k in result.everywhere if k]
    series, alt = [], []
    for name, counts in (
        (Words("all sentences", "全部句子"), result.everywhere),
        (Words("sentences with errors", "有错误的句子"), result.erroneous),
    ):
        whole = sum(count for k, count in counts.items() if k)
        shares = tuple(100 * counts.get(k, 0) / whole if whole else 0.0 for k in numbers)
        series.append(Series(name, tuple(map(str, numbers)), shares))
        pairs = join_texts(f"{k}: {share:.1f}%" for k, share in zip(numbers, shares, strict=True))
        alt.append(Words(f"{name.en}: {pairs.en}", f"{name.zh}：{pairs.zh}"))
    values = join_texts(alt, "; ")
    return Figure(
        name="references-distribution",
        kind="bars",
        title=Words("References per sentence", "每句的参考答案数"),
        alt=Words(
            f"Bars: share of sentences by their number of references. {values.en}.",
            f"柱状图：按参考答案数统计的句子比例。{values.zh}。",
        ),
        x_label=Words("references", "参考答案数"),
        y_label=Words("sentences (percent)", "句子比例（%）"),
        series=tuple(series),
    )


def curve_figure(metric: str, curves: list[Curve]) -> Figure:
    """Score against the number of references, MuCGEC's figure 3.

    Args:
        metric: Name of the metric.
        curves: Of this metric, a system each.
    """
    series, alt = [], []
    for curve in curves:
        points = curve.points
        spread = any(point.low < point.high for point in points)
        low = [point.low for point in points] if spread else []
        high = [point.high for point in points] if spread else []
        means = [point.mean for point in points]
        series.append(Series.of_shares(curve.system, [p.k for p in points], means, low, high))
        first, last = points[0], points[-1]
        start, end = f"{100 * first.mean:.2f}", f"{100 * last.mean:.2f}"
        alt.append(
            Words(
                f"{curve.system} {start} with {first.k}, {end} with {last.k}",
                f"{curve.system} {first.k} 个时 {start}，{last.k} 个时 {end}",
            )
        )
    values = join_texts(alt, "; ")
    return Figure(
        name=f"references-{metric}",
        kind="lines",
        title=Words(f"{metric} against the number of references", f"{metric} 随参考答案数的变化"),
        alt=Words(
            f"Lines: {metric} in percent against the greatest number of references a sentence "
            f"has. {values.en}.",
            f"折线图：{metric}（%）随每句参考答案数上限的变化。{values.zh}。",
        ),
        x_label=Words("references of a sentence, at most", "每句参考答案数上限"),
        y_label=Words(f"{metric} (percent)", f"{metric}（%）"),
        series=tuple(series),
    )


def _statistics(result: References) -> Table:
    return Table.of(
        "statistics",
        Words("Sentences and references", "句子与参考答案统计"),
        result.statistics,
        (Column("sentences of", zh="部分"), lambda part: part.name),
        (Column("sentences", "count", zh="句数"), lambda part: part.sentences),
        (Column("discarded", "count", zh="弃用句数"), lambda part: part.discarded),
        (Column("erroneous", "count", zh="有错误句数"), lambda part: part.erroneous),
        (
            Column("erroneous (%)", "percent", 1, zh="有错误比例（%）"),
            lambda part: part.erroneous / part.sentences if part.sentences else None,
        ),
        (Column("characters", "number", 1, zh="平均字数"), lambda part: part.characters),
        (
            Column("edits per reference", "number", 1, zh="每个参考答案的编辑数"),
            lambda part: part.edits,
        ),
        (Column("references", "number", 1, zh="每句参考答案数"), lambda part: part.references),
        (Column("different", "number", 1, zh="其中不同者"), lambda part: part.distinct),
    )


def _distribution(result: References) -> Table:
    whole = sum(count for k, count in result.everywhere.items() if k)
    erroneous = sum(result.erroneous.values())
    rows: list[tuple[Value, ...]] = []
    for k, count in result.everywhere.items():
        wrong = result.erroneous.get(k, 0)
        shares = (count / whole, wrong / erroneous if erroneous else None) if k else (None, None)
        rows.append((str(k), count, shares[0], wrong, shares[1]))
    return Table(
        "distribution",
        Words("References per sentence", "每句的参考答案数"),
        (
            Column("references", zh="参考答案数"),
            Column("sentences", "count", zh="句数"),
            Column("of all (%)", "percent", 1, zh="占全部（%）"),
            Column("erroneous", "count", zh="有错误句数"),
            Column("of erroneous (%)", "percent", 1, zh="占有错误句（%）"),
        ),
        tuple(rows),
    )


def _curves(metric: str, curves: list[Curve]) -> Table:
    spread = any(p.low < p.high for curve in curves for p in curve.points)
    bounds = (
        Column("lowest", "percent", zh="最低"),
        Column("highest", "percent", zh="最高"),
    )
    rows: list[tuple[Value, ...]] = []
    for curve in curves:
        for point in curve.points:
            values = (point.mean, point.low, point.high) if spread else (point.mean,)
            sizes = (point.subsets, point.of, point.cut)
            rows.append((curve.system, str(point.k), *values, *sizes))
    return Table(
        metric,
        Words(f"{metric} by number of references", f"不同参考答案数下的 {metric}"),
        (
            Column("system", zh="系统"),
            Column("at most", zh="上限"),
            Column(metric, "percent"),
            *(bounds if spread else ()),
            Column("subsets", "count", zh="子集数"),
            Column("of", "count", zh="子集总数"),
            Column("sentences with more", "count", zh="超过上限的句数"),
        ),
        tuple(rows),
    )


def _data(result: References) -> dict[str, object]:
    data: dict[str, object] = {
        "statistics": result.statistics,
        "distribution": [
            {"references": k, "sentences": count, "erroneous": result.erroneous.get(k, 0)}
            for k, count in result.everywhere.items()
        ],
    }
    if result.curves:
        data["sweep"] = data_of(result.sweep) | {"sentences": result.sentences}
        data["curves"] = result.curves
    return data
