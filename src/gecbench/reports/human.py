"""Annotators against final references, as a table and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gecbench.analysis.human import AnnotatorMean, Human
from gecbench.core.score import Counts, Score, best_places
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
    translate,
)

_NAMELESS = "(no name)"


def build_report(result: Human) -> Report:
    """Show the table of annotators, and score against volume for each metric."""
    return Report(
        name="human",
        title=translate("Annotators against the final references"),
        corpus=result.corpus,
        tables=(_table(result),),
        figures=tuple(_figure(result, metric) for metric in result.together),
        data=_data(result),
        notes=result.notes,
        signatures=result.signatures,
    )


def _figure(result: Human, metric: str) -> Figure:
    """The score of each annotator against how much they did, MuCGEC's figure 2."""
    annotators = [a for a in result.annotators if a.name is not None and metric in a.scores]
    points = join_texts(
        f"{annotator.name} {100 * annotator.scores[metric].value:.2f} ({annotator.submissions})"
        for annotator in annotators
    )
    mean = result.means.get(metric)
    average = Words("", "")
    if mean:
        average = translate(" Mean {mean:.2f}.", mean=100 * mean.value)
    return Figure.of(
        f"human-{metric}",
        "points",
        title="{metric} and number of submissions of annotators",
        alt="Points: {metric} in percent, and number of submissions in brackets, of each "
        "annotator: {points}.{average}",
        x="submissions",
        y="{metric} (percent)",
        series=(
            Series.of_shares(
                translate("annotators"),
                (annotator.submissions for annotator in annotators),
                (annotator.scores[metric].value for annotator in annotators),
                labels=(annotator.name or "" for annotator in annotators),
            ),
        ),
        metric=metric,
        points=points,
        average=average,
    )


def _table(result: Human) -> Table:
    counted = {metric: score.counts is not None for metric, score in result.together.items()}
    columns = [
        Column.of("annotator"),
        Column.of("submissions", "count"),
        Column.of("scored", "count"),
        Column.of("kept as they are", "count"),
    ]
    for metric, has_counts in counted.items():
        columns += [Column(f"{metric} {part}", "percent") for part in ("P", "R") if has_counts]
        columns.append(Column(metric, "percent"))
    rows: list[tuple[Value, ...]] = [
        (
            *(annotator.name or _NAMELESS, annotator.submissions, annotator.scored, annotator.kept),
            *_cells(annotator.scores, counted),
        )
        for annotator in result.annotators
    ]
    marks = _best(rows, columns, result)
    if result.means:
        count = max(mean.annotators for mean in result.means.values())
        rows.append((f"mean of {count}", None, None, None, *_cells(result.means, counted)))
    numbers = zip(*((o.submissions, o.scored, o.kept) for o in result.annotators), strict=True)
    rows.append(("all together", *map(sum, numbers), *_cells(result.together, counted)))
    title = translate("Annotators against the final references")
    if result.options.against == "others":
        title = translate("Annotators against the final references of others")
    return Table("annotators", title, tuple(columns), tuple(rows), marks)


def _cells(scores: Mapping[str, Score | AnnotatorMean], counted: Mapping[str, bool]) -> list[Value]:
    cells: list[Value] = []
    for metric, has_counts in counted.items():
        score = scores.get(metric)
        if has_counts:
            shares: Counts | AnnotatorMean | None = (
                score.counts if isinstance(score, Score) else score
            )
            cells += [shares.precision, shares.recall] if shares else [None, None]
        cells.append(score.value if score else None)
    return cells


def _best(
    rows: Sequence[tuple[Value, ...]], columns: Sequence[Column], result: Human
) -> frozenset[tuple[int, int]]:
    """The cells of the best annotators who did enough; where all are equal, none is."""
    enough = [
        annotator.name is not None and annotator.scored >= result.options.least
        for annotator in result.annotators
    ]
    marks: set[tuple[int, int]] = set()
    for index, column in enumerate(columns):
        if column.name in result.higher_is_better:
            cells = (row[index] if n else None for row, n in zip(rows, enough, strict=True))
            values = [cell if isinstance(cell, float) else None for cell in cells]
            best = best_places(values, higher_is_better=result.higher_is_better[column.name])
            marks |= {(n, index) for n in best}
    return frozenset(marks)


def _data(result: Human) -> dict[str, object]:
    def values(scores: Mapping[str, Score]) -> dict[str, object]:
        return {metric: _score_values(score) for metric, score in scores.items()}

    return {
        "against": result.options.against,
        "least": result.options.least,
        "annotators": [
            {"annotator": annotator.name}
            | data_of(annotator, "name")
            | {"scores": values(annotator.scores)}
            for annotator in result.annotators
        ],
        "means": result.means,
        "together": values(result.together),
    }


def _score_values(score: Score) -> dict[str, object]:
    values = {"value": score.value, "sentences": score.sentences, **data_of(score.counts)}
    if score.counts is not None:
        values |= {"precision": score.counts.precision, "recall": score.counts.recall}
    return values
