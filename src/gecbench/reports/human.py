"""Annotators against final references, as a table and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gecbench.analysis.human import Annotator, Human, Mean
from gecbench.core.score import Score
from gecbench.reports.exhibit import Column, Exhibit, Table, Value
from gecbench.reports.figure import Figure, Series
from gecbench.reports.words import Words

_NAMELESS = "(no name)"


def exhibit(result: Human) -> Exhibit:
    """Return the table of annotators, and score against volume for each metric."""
    return Exhibit(
        name="human",
        title=Words("Annotators against the final references", "标注者与最终参考答案的比较"),
        corpus=result.corpus,
        tables=(_table(result),),
        figures=tuple(figure(result, metric) for metric in result.together),
        data=_data(result),
        notes=result.notes,
        signatures=result.signatures,
    )


def figure(result: Human, metric: str) -> Figure:
    """Return the score of each annotator against how much they did, MuCGEC's figure 2."""
    shown = [one for one in result.annotators if one.name is not None and metric in one.scores]
    values = [100 * one.scores[metric].value for one in shown]
    said = [
        f"{one.name} {value:.2f} ({one.submissions})"
        for one, value in zip(shown, values, strict=True)
    ]
    mean = result.means.get(metric)
    middle = f" Mean {100 * mean.value:.2f}." if mean else ""
    middle_zh = f"平均 {100 * mean.value:.2f}。" if mean else ""
    return Figure(
        name=f"human-{metric}",
        kind="points",
        title=Words(
            f"{metric} and number of submissions of annotators", f"标注者的 {metric} 与提交数"
        ),
        alt=Words(
            f"Points: {metric} in percent, and number of submissions in brackets, of each "
            f"annotator: {', '.join(said)}.{middle}",
            f"散点图：各标注者的 {metric}（%），括号内为提交数：{'，'.join(said)}。{middle_zh}",
        ),
        x_label=Words("submissions", "提交数"),
        y_label=Words(f"{metric} (percent)", f"{metric}（%）"),
        series=(
            Series(
                Words("annotators", "标注者"),
                tuple(one.submissions for one in shown),
                tuple(values),
                labels=tuple(one.name or "" for one in shown),
            ),
        ),
    )


def _table(result: Human) -> Table:
    counted = {metric: score.counts is not None for metric, score in result.together.items()}
    columns = [
        Column("annotator", zh="标注者"),
        Column("submissions", "count", zh="提交数"),
        Column("scored", "count", zh="评分数"),
        Column("kept as they are", "count", zh="原样采用数"),
    ]
    for metric, has_counts in counted.items():
        columns += [Column(f"{metric} {part}", "percent") for part in ("P", "R") if has_counts]
        columns.append(Column(metric, "percent"))
    rows: list[tuple[Value, ...]] = [
        (*_words(one), *_cells(one.scores, counted)) for one in result.annotators
    ]
    marks = _best(rows, columns, result)
    if result.means:
        count = max(mean.annotators for mean in result.means.values())
        rows.append((f"mean of {count}", None, None, None, *_mean_cells(result.means, counted)))
    submitted, scored, kept = (
        sum(getattr(one, name) for one in result.annotators)
        for name in ("submissions", "scored", "kept")
    )
    rows.append(("all together", submitted, scored, kept, *_cells(result.together, counted)))
    title = Words("Annotators against the final references", "标注者与最终参考答案的比较")
    if result.asked.against == "others":
        title = Words(
            "Annotators against the final references of others", "标注者与他人最终参考答案的比较"
        )
    return Table("annotators", title, tuple(columns), tuple(rows), marks)


def _words(one: Annotator) -> tuple[Value, ...]:
    return one.name or _NAMELESS, one.submissions, one.scored, one.kept


def _cells(scores: Mapping[str, Score], counted: Mapping[str, bool]) -> list[Value]:
    cells: list[Value] = []
    for metric, has_counts in counted.items():
        score = scores.get(metric)
        counts = score.counts if score else None
        if has_counts:
            cells += [counts.precision, counts.recall] if counts else [None, None]
        cells.append(score.value if score else None)
    return cells


def _mean_cells(means: Mapping[str, Mean], counted: Mapping[str, bool]) -> list[Value]:
    cells: list[Value] = []
    for metric, has_counts in counted.items():
        mean = means.get(metric)
        if has_counts:
            cells += [mean.precision, mean.recall] if mean else [None, None]
        cells.append(mean.value if mean else None)
    return cells


def _best(
    rows: Sequence[tuple[Value, ...]], columns: Sequence[Column], result: Human
) -> frozenset[tuple[int, int]]:
    """Return the cells of the best annotators who did enough; where all are equal, none is."""
    enough = [
        one.name is not None and one.scored >= result.asked.least for one in result.annotators
    ]
    marks: set[tuple[int, int]] = set()
    for at, column in enumerate(columns):
        if column.name not in result.higher_is_better:
            continue
        values = [row[at] if n else None for row, n in zip(rows, enough, strict=True)]
        known = [value for value in values if isinstance(value, float)]
        if len(set(known)) > 1:
            best = (max if result.higher_is_better[column.name] else min)(known)
            marks |= {(n, at) for n, value in enumerate(values) if value == best}
    return frozenset(marks)


def _data(result: Human) -> dict[str, object]:
    return {
        "against": result.asked.against,
        "least": result.asked.least,
        "annotators": [
            {
                "annotator": one.name,
                "submissions": one.submissions,
                "scored": one.scored,
                "kept": one.kept,
                "scores": {metric: _score(score) for metric, score in one.scores.items()},
            }
            for one in result.annotators
        ],
        "means": {
            metric: {
                "value": mean.value,
                "precision": mean.precision,
                "recall": mean.recall,
                "annotators": mean.annotators,
            }
            for metric, mean in result.means.items()
        },
        "together": {metric: _score(score) for metric, score in result.together.items()},
    }


def _score(score: Score) -> dict[str, object]:
    made: dict[str, object] = {"value": score.value, "sentences": score.sentences}
    counts = score.counts
    if counts is not None:
        made |= {"tp": counts.tp, "fp": counts.fp, "fn": counts.fn}
        made |= {"precision": counts.precision, "recall": counts.recall}
    return made
