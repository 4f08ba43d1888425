"""Scores under several segmenters, as tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gecbench.analysis.segmentation import Division, Movement, Segmentation
from gecbench.core.score import Score
from gecbench.reports.exhibit import Column, Exhibit, Table, Value
from gecbench.reports.figure import Figure, Series
from gecbench.reports.words import Words


def exhibit(result: Segmentation) -> Exhibit:
    """Return scores and ranks under each segmenter, what moved, and scores that need no words."""
    tables = [_divisions(result)]
    figures: list[Figure] = []
    for metric, moved in result.movements.items():
        tables += [_scores(result, metric, moved), _movements(metric, moved)]
        figures += [bars(result, metric, moved), ranges(result, metric, moved)]
    if result.beside:
        tables.append(_beside(result.beside))
    return Exhibit(
        name="segmentation",
        title=Words("How far scores depend on the segmenter", "分词对分数的影响"),
        corpus=result.corpus,
        tables=tuple(tables),
        figures=tuple(figures),
        data=_data(result),
        notes=(*_golds_notes(result), *_skips(result), *_swap_notes(result), *result.notes),
        signatures=result.signatures,
    )


def bars(result: Segmentation, metric: str, moved: Sequence[Movement]) -> Figure:
    """Return the score of each system under each segmenter as grouped bars.

    Args:
        result: Everything.
        metric: Over words.
        moved: Its movements.
    """
    systems = tuple(one.system for one in moved)
    series, said = [], []
    for at, each in enumerate(result.divisions):
        values = tuple(100 * one.values[at] for one in moved)
        series.append(Series(each.segmenter, systems, values))
        pairs = zip(systems, values, strict=True)
        said.append(f"{each.segmenter}: {', '.join(f'{name} {v:.2f}' for name, v in pairs)}")
    return Figure(
        name=f"segmentation-{metric}",
        kind="bars",
        title=Words(f"{metric} under each segmenter", f"各分词器下的 {metric}"),
        alt=Words(
            f"Bars: {metric} in percent of each system under each segmenter. {'; '.join(said)}.",
            f"柱状图：各系统在各分词器下的 {metric}（%）。{'；'.join(said)}。",
        ),
        x_label=Words("system", "系统"),
        y_label=Words(f"{metric} (percent)", f"{metric}（%）"),
        series=tuple(series),
    )


def ranges(result: Segmentation, metric: str, moved: Sequence[Movement]) -> Figure:
    """Return from where to where each system's score moves; the dot is the first segmenter.

    Args:
        result: Everything.
        metric: Over words.
        moved: Its movements.
    """
    first = result.divisions[0].segmenter
    low = tuple(100 * min(one.values) for one in moved)
    high = tuple(100 * max(one.values) for one in moved)
    said = [
        f"{one.system} {least:.2f} to {most:.2f}"
        for one, least, most in zip(moved, low, high, strict=True)
    ]
    said_zh = [text.replace(" to ", " 到 ") for text in said]
    return Figure(
        name=f"segmentation-{metric}-range",
        kind="intervals",
        title=Words(f"How far {metric} moves with the segmenter", f"{metric} 随分词器变动的范围"),
        alt=Words(
            f"Intervals: least and greatest {metric} in percent under the segmenters, a dot at "
            f"{first}: {', '.join(said)}.",
            f"区间图：各分词器下 {metric}（%）的最小值与最大值，圆点为 {first}："
            f"{'，'.join(said_zh)}。",
        ),
        x_label=Words("system", "系统"),
        y_label=Words(f"{metric} (percent)", f"{metric}（%）"),
        series=(
            Series(
                first,
                tuple(one.system for one in moved),
                tuple(100 * one.values[0] for one in moved),
                low,
                high,
            ),
        ),
    )


def _divisions(result: Segmentation) -> Table:
    columns = [
        Column("segmenter", zh="分词器"),
        Column("version", zh="版本"),
        Column("tokens per source", "number", 1, zh="每句词数"),
        Column("gold edits", "count", zh="参考编辑数"),
    ]
    if result.golds == "given":
        columns.append(Column("sources divided alike", "count", zh="切分与语料一致的句数"))
    rows: list[tuple[Value, ...]] = []
    for each in result.divisions:
        alike = (each.alike,) if result.golds == "given" else ()
        rows.append((each.segmenter, each.name, each.tokens, each.gold, *alike))
    return Table("segmenters", Words("Segmenters", "分词器"), tuple(columns), tuple(rows))


def _scores(result: Segmentation, metric: str, moved: Sequence[Movement]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for one in moved:
        for at, each in enumerate(result.divisions):
            cells = _cells(each, metric, one.system)
            rows.append((one.system, each.segmenter, *cells, str(one.ranks[at])))
    return Table(
        metric,
        Words(f"{metric} under each segmenter", f"各分词器下的 {metric}"),
        (
            Column("system", zh="系统"),
            Column("segmenter", zh="分词器"),
            Column("TP", "count"),
            Column("FP", "count"),
            Column("FN", "count"),
            Column("P", "percent"),
            Column("R", "percent"),
            Column(metric, "percent"),
            Column("rank", "count", zh="名次"),
        ),
        tuple(rows),
    )


def _cells(each: Division, metric: str, system: str) -> tuple[Value, ...]:
    score = each.scores[metric][system]
    counts = score.counts
    if counts is None:
        return (None, None, None, None, None, score.value)
    return (counts.tp, counts.fp, counts.fn, counts.precision, counts.recall, score.value)


def _movements(metric: str, moved: Sequence[Movement]) -> Table:
    rows = tuple(
        (one.system, min(one.values), max(one.values), one.width, min(one.ranks), max(one.ranks))
        for one in moved
    )
    return Table(
        f"{metric}-moves",
        Words(f"How far {metric} moves", f"{metric} 的变动"),
        (
            Column("system", zh="系统"),
            Column("lowest", "percent", zh="最低"),
            Column("highest", "percent", zh="最高"),
            Column("moves by", "percent", zh="变动"),
            Column("best rank", "count", zh="最好名次"),
            Column("worst rank", "count", zh="最差名次"),
        ),
        rows,
    )


def _beside(beside: Mapping[str, Mapping[str, Score]]) -> Table:
    systems = next(iter(beside.values()))
    return Table(
        "beside",
        Words("Scores that need no words", "与分词无关的分数"),
        (Column("system", zh="系统"), *(Column(metric, "percent") for metric in beside)),
        tuple((name, *(scores[name].value for scores in beside.values())) for name in systems),
    )


def _golds_notes(result: Segmentation) -> list[str]:
    if result.golds == "given":
        return ["gold edits are as given; segmenters divide the systems' texts, without spaces"]
    return [
        "sources, references and systems' texts are divided by each segmenter, without spaces; "
        "gold edits are the changes between words, neighbours as one"
    ]


def _skips(result: Segmentation) -> list[str]:
    return [f"left out: {name}: {why}" for name, why in result.skipped.items()]


def _swap_notes(result: Segmentation) -> list[str]:
    if len(result.divisions) < 2 or not result.pairs:
        return []
    return [
        f"{metric}: of {result.pairs} pairs of systems, {count} change their order with the "
        "segmenter"
        for metric, count in result.swaps.items()
    ]


def _data(result: Segmentation) -> dict[str, object]:
    return {
        "golds": result.golds,
        "sentences": result.sentences,
        "segmenters": [
            {
                "segmenter": each.segmenter,
                "name": each.name,
                "tokens": each.tokens,
                "alike": each.alike,
                "gold": each.gold,
                "scores": _scores_data(each.scores),
            }
            for each in result.divisions
        ],
        "movements": {
            metric: [
                {"system": one.system, "values": list(one.values), "ranks": list(one.ranks)}
                for one in moved
            ]
            for metric, moved in result.movements.items()
        },
        "swaps": dict(result.swaps),
        "pairs": result.pairs,
        "beside": _scores_data(result.beside),
        "skipped": dict(result.skipped),
    }


def _scores_data(found: Mapping[str, Mapping[str, Score]]) -> dict[str, object]:
    return {
        metric: {system: _score(score) for system, score in scores.items()}
        for metric, scores in found.items()
    }


def _score(score: Score) -> dict[str, object]:
    made: dict[str, object] = {"value": score.value}
    if score.counts is not None:
        made |= {"tp": score.counts.tp, "fp": score.counts.fp, "fn": score.counts.fn}
    return made
