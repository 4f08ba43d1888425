"""Scores under several segmenters, as tables and figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gecbench.analysis.segmentation import Movement, Segmentation
from gecbench.core.errors import count_noun
from gecbench.core.score import Score
from gecbench.reports.report import (
    COUNT_COLUMNS,
    Column,
    Figure,
    Report,
    Series,
    Table,
    Value,
    Words,
    count_cells,
    data_of,
    join_texts,
)


def build_report(result: Segmentation) -> Report:
    """Show scores and ranks under each segmenter, what moved, and scores that need no words."""
    tables = [_segmenters(result)]
    figures: list[Figure] = []
    for metric, movements in result.movements.items():
        tables += [_scores(result, metric, movements), _movements(metric, movements)]
        figures += [_bars(result, metric, movements), _ranges(result, metric, movements)]
    if result.beside:
        tables.append(_beside(result.beside))
    return Report(
        name="segmentation",
        title=Words("How far scores depend on the segmenter", "分词对分数的影响"),
        corpus=result.corpus,
        tables=tuple(tables),
        figures=tuple(figures),
        data=_data(result),
        notes=tuple(_notes(result)),
        signatures=result.signatures,
    )


def _bars(result: Segmentation, metric: str, movements: Sequence[Movement]) -> Figure:
    """The score of each system under each segmenter as grouped bars."""
    systems = tuple(movement.system for movement in movements)
    series, alt = [], []
    for index, segmenter in enumerate(result.segmenters):
        values = [movement.values[index] for movement in movements]
        series.append(Series.of_shares(segmenter.segmenter, systems, values))
        scores = [f"{name} {100 * v:.2f}" for name, v in zip(systems, values, strict=True)]
        alt.append(f"{segmenter.segmenter}: {', '.join(scores)}")
    return Figure(
        name=f"segmentation-{metric}",
        kind="bars",
        title=Words(f"{metric} under each segmenter", f"各分词器下的 {metric}"),
        alt=Words(
            f"Bars: {metric} in percent of each system under each segmenter. {'; '.join(alt)}.",
            f"柱状图：各系统在各分词器下的 {metric}（%）。{'；'.join(alt)}。",
        ),
        x_label=Words("system", "系统"),
        y_label=Words(f"{metric} (percent)", f"{metric}（%）"),
        series=tuple(series),
    )


def _ranges(result: Segmentation, metric: str, movements: Sequence[Movement]) -> Figure:
    """From where to where each system's score moves; the dot is the first segmenter."""
    first = result.segmenters[0].segmenter
    systems = tuple(movement.system for movement in movements)
    dots = [movement.values[0] for movement in movements]
    low = [min(movement.values) for movement in movements]
    high = [max(movement.values) for movement in movements]
    ranges = [
        f"{name} {100 * least:.2f} to {100 * most:.2f}"
        for name, least, most in zip(systems, low, high, strict=True)
    ]
    alt = join_texts(Words(text, text.replace(" to ", " 到 ")) for text in ranges)
    return Figure(
        name=f"segmentation-{metric}-range",
        kind="intervals",
        title=Words(f"How far {metric} moves with the segmenter", f"{metric} 随分词器变动的范围"),
        alt=Words(
            f"Intervals: least and greatest {metric} in percent under the segmenters, a dot at "
            f"{first}: {alt.en}.",
            f"区间图：各分词器下 {metric}（%）的最小值与最大值，圆点为 {first}：{alt.zh}。",
        ),
        x_label=Words("system", "系统"),
        y_label=Words(f"{metric} (percent)", f"{metric}（%）"),
        series=(Series.of_shares(first, systems, dots, low, high),),
    )


def _segmenters(result: Segmentation) -> Table:
    columns = [
        Column("segmenter", zh="分词器"),
        Column("version", zh="版本"),
        Column("tokens per source", "number", 1, zh="每句词数"),
        Column("gold edits", "count", zh="参考编辑数"),
    ]
    if result.golds == "given":
        columns.append(Column("sources divided alike", "count", zh="切分与语料一致的句数"))
    rows: list[tuple[Value, ...]] = []
    for segmenter in result.segmenters:
        alike = (segmenter.alike,) if result.golds == "given" else ()
        rows.append((segmenter.segmenter, segmenter.name, segmenter.tokens, segmenter.gold, *alike))
    return Table("segmenters", Words("Segmenters", "分词器"), tuple(columns), tuple(rows))


def _scores(result: Segmentation, metric: str, movements: Sequence[Movement]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for movement in movements:
        for segmenter, rank in zip(result.segmenters, movement.ranks, strict=True):
            score = segmenter.scores[metric][movement.system]
            cells = (*count_cells(score.counts), score.value)
            rows.append((movement.system, segmenter.segmenter, *cells, str(rank)))
    return Table(
        metric,
        Words(f"{metric} under each segmenter", f"各分词器下的 {metric}"),
        (
            Column("system", zh="系统"),
            Column("segmenter", zh="分词器"),
            *COUNT_COLUMNS,
            Column(metric, "percent"),
            Column("rank", "count", zh="名次"),
        ),
        tuple(rows),
    )


def _movements(metric: str, movements: Sequence[Movement]) -> Table:
    return Table.of(
        f"{metric}-moves",
        Words(f"How far {metric} moves", f"{metric} 的变动"),
        movements,
        (Column("system", zh="系统"), lambda movement: movement.system),
        (Column("lowest", "percent", zh="最低"), lambda movement: min(movement.values)),
        (Column("highest", "percent", zh="最高"), lambda movement: max(movement.values)),
        (Column("moves by", "percent", zh="变动"), lambda movement: movement.width),
        (Column("best rank", "count", zh="最好名次"), lambda movement: min(movement.ranks)),
        (Column("worst rank", "count", zh="最差名次"), lambda movement: max(movement.ranks)),
    )


def _beside(beside: Mapping[str, Mapping[str, Score]]) -> Table:
    systems = next(iter(beside.values()))
    return Table(
        "beside",
        Words("Scores that need no words", "与分词无关的分数"),
        (Column("system", zh="系统"), *(Column(metric, "percent") for metric in beside)),
        tuple((name, *(scores[name].value for scores in beside.values())) for name in systems),
    )


def _notes(result: Segmentation) -> Iterator[str]:
    if result.golds == "given":
        yield "gold edits are as given; segmenters divide the systems' texts, without spaces"
    else:
        yield (
            "sources, references and systems' texts are divided by each segmenter, without spaces; "
            "gold edits are the changes between words, neighbours as one"
        )
    yield from (f"left out: {name}: {why}" for name, why in result.skipped.items())
    if len(result.segmenters) > 1 and result.pairs:
        for metric, count in result.swaps.items():
            yield (
                f"{metric}: of {count_noun(result.pairs, 'pair')} of systems, {count} change their "
                "order with the segmenter"
            )
    yield from result.notes


def _data(result: Segmentation) -> dict[str, object]:
    def values(scores: Mapping[str, Mapping[str, Score]]) -> dict[str, object]:
        return {
            metric: {
                system: {"value": score.value, **data_of(score.counts)}
                for system, score in by_system.items()
            }
            for metric, by_system in scores.items()
        }

    return data_of(result) | {
        "segmenters": [
            data_of(segmenter) | {"scores": values(segmenter.scores)}
            for segmenter in result.segmenters
        ],
        "beside": values(result.beside),
    }
