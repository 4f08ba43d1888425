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
    translate,
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
        title=translate("How far scores depend on the segmenter"),
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
    return Figure.of(
        f"segmentation-{metric}",
        "bars",
        title="{metric} under each segmenter",
        alt="Bars: {metric} in percent of each system under each segmenter. {scores}.",
        x="system",
        y="{metric} (percent)",
        series=series,
        metric=metric,
        scores=join_texts(alt, "; "),
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
    return Figure.of(
        f"segmentation-{metric}-range",
        "intervals",
        title="How far {metric} moves with the segmenter",
        alt=translate(
            "Intervals: least and greatest {metric} in percent under the segmenters, a dot "
            "at {first}: {alt}.",
            metric=metric,
            first=first,
            alt=alt,
        ),
        x="system",
        y="{metric} (percent)",
        series=(Series.of_shares(first, systems, dots, low, high),),
        metric=metric,
    )


def _segmenters(result: Segmentation) -> Table:
    columns = [
        Column.of("segmenter"),
        Column.of("version"),
        Column.of("tokens per source", "number", 1),
        Column.of("gold edits", "count"),
    ]
    if result.golds == "given":
        columns.append(Column.of("sources divided alike", "count"))
    rows: list[tuple[Value, ...]] = []
    for segmenter in result.segmenters:
        alike = (segmenter.alike,) if result.golds == "given" else ()
        rows.append((segmenter.segmenter, segmenter.name, segmenter.tokens, segmenter.gold, *alike))
    return Table("segmenters", translate("Segmenters"), tuple(columns), tuple(rows))


def _scores(result: Segmentation, metric: str, movements: Sequence[Movement]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for movement in movements:
        for segmenter, rank in zip(result.segmenters, movement.ranks, strict=True):
            score = segmenter.scores[metric][movement.system]
            cells = (*count_cells(score.counts), score.value)
            rows.append((movement.system, segmenter.segmenter, *cells, str(rank)))
    return Table(
        metric,
        translate("{metric} under each segmenter", metric=metric),
        (
            Column.of("system"),
            Column.of("segmenter"),
            *COUNT_COLUMNS,
            Column(metric, "percent"),
            Column.of("place|rank", "count"),
        ),
        tuple(rows),
    )


def _movements(metric: str, movements: Sequence[Movement]) -> Table:
    return Table.of(
        f"{metric}-moves",
        translate("How far {metric} moves", metric=metric),
        movements,
        (Column.of("system"), lambda movement: movement.system),
        (Column.of("lowest", "percent"), lambda movement: min(movement.values)),
        (Column.of("highest", "percent"), lambda movement: max(movement.values)),
        (Column.of("moves by", "percent"), lambda movement: movement.width),
        (Column.of("best rank", "count"), lambda movement: min(movement.ranks)),
        (Column.of("worst rank", "count"), lambda movement: max(movement.ranks)),
    )


def _beside(beside: Mapping[str, Mapping[str, Score]]) -> Table:
    systems = next(iter(beside.values()))
    return Table(
        "beside",
        translate("Scores that need no words"),
        (Column.of("system"), *(Column(metric, "percent") for metric in beside)),
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
