"""The agreement of metrics with people as tables and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

from gecbench.analysis.correlation import Kind
from gecbench.analysis.meta import MetaEvaluation, SentenceLevel, SystemLevel
from gecbench.reports.correlation import (
    COEFFICIENT_COLUMNS,
    NAMES,
    coefficient_cells,
    slugs,
    with_coefficients,
)
from gecbench.reports.report import (
    Column,
    Figure,
    Report,
    Series,
    Table,
    Words,
)

_SHOWN: tuple[Kind, ...] = ("pearson", "spearman")
"""The coefficients of windows, as SEEDA has them."""


def build_report(result: MetaEvaluation) -> Report:
    """Show the agreement of metrics with people."""
    tables = [_systems(result)] if result.systems else []
    tables += [_sentences(result)] if result.sentences else []
    tables += [_windows(result)] if result.windows else []
    return Report(
        name="meta",
        title=Words("Do metrics agree with people?", "指标与人工评价是否一致？"),
        corpus=result.corpus,
        tables=tuple(tables),
        figures=(*_scatters(result), *_window_figures(result), *_sentence_figures(result)),
        data={
            "system_level": [with_coefficients(level) for level in result.systems],
            "sentence_level": result.sentences,
            "windows": [with_coefficients(level) for level in result.windows],
        },
        notes=result.notes,
        signatures=result.signatures,
    )


def _systems(result: MetaEvaluation) -> Table:
    columns = (
        Column("metric", zh="指标"),
        Column("human", zh="人工评价"),
        Column("set", zh="系统集合"),
        Column("systems", "count", zh="系统数"),
        *COEFFICIENT_COLUMNS,
    )
    rows = tuple(
        (o.metric, o.human, o.set, len(o.systems), *coefficient_cells(o.coefficients))
        for o in result.systems
    )
    return Table("systems", Words("System level", "系统层面"), columns, rows)


def _sentences(result: MetaEvaluation) -> Table:
    return Table.of(
        "sentences",
        Words(
            "Sentence level; a tie of the metric: official, the second name is better; fair, half",
            "句子层面；指标平局：官方规则判后一系统更好，公平规则计一半",
        ),
        result.sentences,
        (Column("metric", zh="指标"), lambda o: o.metric),
        (Column("judgments", zh="人工排序"), lambda o: o.judgments),
        (Column("set", zh="系统集合"), lambda o: o.set),
        (Column("pairs", "count", zh="对数"), lambda o: o.pairs),
        (
            Column("metric ties", "count", zh="指标平局"),
            lambda o: o.metric_ties.first + o.metric_ties.second,
        ),
        (
            Column("official accuracy", "percent", zh="官方准确率"),
            lambda o: o.official.accuracy,
        ),
        (
            Column("official kendall", "number", 4, zh="官方 Kendall"),
            lambda o: o.official.kendall,
        ),
        (Column("fair accuracy", "percent", zh="公平准确率"), lambda o: o.fair.accuracy),
        (Column("fair kendall", "number", 4, zh="公平 Kendall"), lambda o: o.fair.kendall),
        (Column("human ties", "count", zh="人工平局"), lambda o: o.human_ties),
    )


def _windows(result: MetaEvaluation) -> Table:
    columns = [Column("metric", zh="指标"), Column("human", zh="人工评价")]
    columns += [Column("from", zh="最好"), Column("to", zh="最差")]
    columns += [Column("systems", "count", zh="系统数"), Column("first", "count", zh="起始名次")]
    columns += [Column(kind, "number", 4) for kind in _SHOWN]
    rows = tuple(
        (
            *(window.metric, window.human, window.systems[0], window.systems[-1]),
            *(len(window.systems), rank),
            *(window.coefficients[kind].value for kind in _SHOWN),
        )
        for rank, window in _rank_windows(result.windows)
    )
    title = Words(
        f"Windows of systems next to one another in people's order, set {result.windows[0].set}",
        f"按人工名次相邻的系统窗口，集合 {result.windows[0].set}",
    )
    return Table("windows", title, tuple(columns), rows)


def _rank_windows(windows: Sequence[SystemLevel]) -> list[tuple[int, SystemLevel]]:
    """Each window with the rank of its best system among its series."""
    seen: Counter[tuple[str, str, int]] = Counter()
    ranks = []
    for window in windows:
        key = window.metric, window.human, len(window.systems)
        seen[key] += 1
        ranks.append((seen[key], window))
    return ranks


def _scatters(result: MetaEvaluation) -> list[Figure]:
    """A scatter of each metric against each way of judging, over all systems."""
    if result.scores is None or not result.human:
        return []
    scores, short = result.scores, slugs((*result.scores.metrics, *result.human))
    figures = []
    for metric, way in product(scores.metrics, result.human):
        people = result.human[way]
        values = dict(zip(scores.systems, scores.metrics[metric], strict=True))
        both = tuple(sorted(name for name in values if name in people))
        r = _pearson([o for o in result.systems if (o.metric, o.human) == (metric, way)])
        figures.append(
            Figure(
                name=f"meta-{short[metric]}-{short[way]}",
                kind="points",
                title=Words(f"{metric} against people ({way})", f"{metric} 与人工评价（{way}）"),
                alt=Words(
                    f"Scatter of {len(both)} systems; {r.en}.",
                    f"{len(both)} 个系统的散点图；{r.zh}。",
                ),
                x_label=Words(f"people's score ({way})", f"人工得分（{way}）"),
                y_label=Words(f"score by {metric}", f"{metric} 得分"),
                series=(
                    Series(
                        Words("systems", "系统"),
                        tuple(people[name] for name in both),
                        tuple(values[name] for name in both),
                        labels=both,
                    ),
                ),
            )
        )
    return figures


def _pearson(levels: Sequence[SystemLevel]) -> Words:
    """Return Pearson's r of each set in words."""
    values = [
        f"{level.set} {value:.3f}"
        for level in levels
        if (value := level.coefficients["pearson"].value) is not None
    ]
    if not values:
        return Words("no correlation can be computed", "无法计算相关系数")
    return Words(
        f"Pearson's r by set of systems: {', '.join(values)}",
        f"各系统集合的 Pearson 相关系数：{'，'.join(values)}",
    )


def _window_figures(result: MetaEvaluation) -> list[Figure]:
    """A figure for each way of judging, size and coefficient, a line for each metric."""
    windows = _rank_windows(result.windows)
    ways = list(dict.fromkeys(window.human for window in result.windows))
    short, sizes = slugs(ways), sorted({len(window.systems) for window in result.windows})
    return [
        _window_figure(
            kind,
            (f"meta-window{size}-{short[way]}-{kind}", way, size),
            [(rank, o) for rank, o in windows if (o.human, len(o.systems)) == (way, size)],
        )
        for way, size, kind in product(ways, sizes, _SHOWN)
    ]


def _window_figure(
    kind: Kind, about: tuple[str, str, int], windows: Sequence[tuple[int, SystemLevel]]
) -> Figure:
    name, way, size = about
    lines: dict[str, list[tuple[int, float | None]]] = {}
    for rank, window in windows:
        lines.setdefault(window.metric, []).append((rank, window.coefficients[kind].value))
    spans = [
        f"{metric} {min(known):.3f}–{max(known):.3f}"
        for metric, points in lines.items()
        if (known := [value for _, value in points if value is not None])
    ]
    ranges = ", ".join(spans) or "-"
    return Figure(
        name=name,
        kind="lines",
        title=Words(
            f"{NAMES[kind].en} in windows of {size} systems ({way})",
            f"{size} 个系统的窗口内的 {NAMES[kind].zh}（{way}）",
        ),
        alt=Words(
            f"{NAMES[kind].en} in windows of {size} systems, lowest to highest: {ranges}.",
            f"{size} 个系统的窗口内的 {NAMES[kind].zh}，最低至最高：{ranges}。",
        ),
        x_label=Words("rank of the window's best system", "窗口中最好系统的人工名次"),
        y_label=NAMES[kind],
        series=tuple(
            Series(metric, tuple(x for x, _ in points), tuple(y for _, y in points))
            for metric, points in lines.items()
        ),
    )


def _sentence_figures(result: MetaEvaluation) -> list[Figure]:
    """The accuracies by metric for each file of rankings and set."""
    groups = dict.fromkeys((level.judgments, level.set) for level in result.sentences)
    short = slugs(f"{judgments} {group}" for judgments, group in groups)
    return [
        _sentence_figure(
            f"meta-sentences-{short[f'{judgments} {group}']}",
            [o for o in result.sentences if (o.judgments, o.set) == (judgments, group)],
        )
        for judgments, group in groups
    ]


def _sentence_figure(name: str, rows: Sequence[SentenceLevel]) -> Figure:
    first = rows[0]
    metrics = tuple(level.metric for level in rows)
    fair = [level.fair.accuracy for level in rows]
    official = [level.official.accuracy for level in rows]
    values = ", ".join(
        f"{metric} {100 * value:.1f}" for metric, value in zip(metrics, fair, strict=True) if value
    )
    about = f"{first.judgments}, {first.set}"
    return Figure(
        name=name,
        kind="bars",
        title=Words(f"Accuracy over pairs of sentences ({about})", f"句对偏好的准确率（{about}）"),
        alt=Words(
            f"Bars of accuracy in percent, ties counting half: {values or '-'}.",
            f"准确率柱状图（百分比，平局计一半）：{values or '-'}。",
        ),
        x_label=Words("metric", "指标"),
        y_label=Words("accuracy in percent", "准确率（%）"),
        series=(
            Series.of_shares(
                Words('official: ties are "the second"', "官方：平局判后者"), metrics, official
            ),
            Series.of_shares(Words("fair: ties are half", "公平：平局计一半"), metrics, fair),
        ),
    )
