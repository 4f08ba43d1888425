"""Annotators, as tables and figures: how far they agree, and how they fare against references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gecbench.analysis.agreement import Agreement, Why
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

WHY: Mapping[Why, Words] = {
    "alone": translate("nobody shares a sentence with anybody"),
    "one-decision": translate("everybody always decided the same, which chance alone would give"),
    "no-text": translate("no two answers have edits to compare"),
}
"""Why a value is undefined, for people."""

_SHOWN = 20
"""Annotators in the figure: more would not be legible."""


def build_report(result: Agreement) -> Report:
    """Show the whole, each annotator against the others, and all pairs."""
    return Report(
        name="agreement",
        title=translate("Agreement of annotators"),
        corpus=result.corpus,
        tables=(overall_table(result), annotators_table(result), pairs_table(result)),
        figures=(figure(result),),
        data=data_of(result),
        notes=result.notes,
        signatures=result.signatures,
    )


def figure(result: Agreement) -> Figure:
    """How well each annotator's edits agree with those of the others, both ways."""
    known = [annotator for annotator in result.each if annotator.made.value is not None][:_SHOWN]
    names = [annotator.name for annotator in known]
    theirs = translate("their edits against the others'")
    others = translate("the others' edits against theirs")
    scores = join_texts(f"{a.name} {100 * (a.made.value or 0):.1f}" for a in known)
    alpha = WHY[result.alpha.why or "alone"]
    if result.alpha.value is not None:
        alpha = join_texts([f"{result.alpha.value:.3f}"])
    return Figure.of(
        "agreement-edits",
        "bars",
        title="Agreement of edits between annotators",
        alt="Bars: F0.5 in percent of each annotator against the others: {scores}. "
        "Krippendorff's alpha of decisions: {alpha}.",
        x="annotators",
        y="F0.5 (percent)",
        series=(
            Series.of_shares(theirs, names, [annotator.made.value for annotator in known]),
            Series.of_shares(others, names, [annotator.met.value for annotator in known]),
        ),
        scores=scores,
        alpha=alpha,
    )


def overall_table(result: Agreement) -> Table:
    """The few numbers of the whole; what is undefined says why."""
    rates = (
        (translate("decisions: Krippendorff's alpha"), result.alpha),
        (translate("decisions: alike"), result.decisions),
        (translate("answers: just the same"), result.exact),
        (translate("answers: one in common"), result.common),
        (translate("edits: F0.5, both ways"), result.edits),
    )
    return Table.of(
        "agreement",
        translate("Agreement of annotators"),
        rates,
        (Column.of("agreement"), lambda row: row[0]),
        (Column.of("value", "number", 4), lambda row: row[1].value),
        (Column.of("over", "count"), lambda row: row[1].of),
        (
            Column.of("undefined because"),
            lambda row: WHY[row[1].why] if row[1].why else Words("", ""),
        ),
    )


def annotators_table(result: Agreement) -> Table:
    """Each annotator against the others."""
    return Table.of(
        "annotators",
        translate("Each annotator against the others"),
        result.each,
        (Column.of("annotator"), lambda row: row.name),
        (Column.of("sentences", "count"), lambda row: row.sentences),
        (Column.of("decisions alike", "percent"), lambda row: row.decisions.value),
        (Column.of("just the same", "percent"), lambda row: row.exact.value),
        (Column.of("F0.5 against others", "percent"), lambda row: row.made.value),
        (Column.of("F0.5 of others", "percent"), lambda row: row.met.value),
    )


def pairs_table(result: Agreement) -> Table:
    """All pairs of annotators with enough sentences in common."""
    return Table.of(
        "pairs",
        translate("Pairs of annotators"),
        result.pairs,
        (Column.of("one"), lambda pair: pair.one),
        (Column.of("other"), lambda pair: pair.other),
        (Column.of("pair|sentences", "count"), lambda pair: pair.sentences),
        (Column.of("decisions alike", "percent"), lambda pair: pair.decisions.value),
        (Column.of("just the same", "percent"), lambda pair: pair.exact.value),
        (Column.of("F0.5 one to other", "percent"), lambda pair: pair.forth.value),
        (Column.of("F0.5 other to one", "percent"), lambda pair: pair.back.value),
    )


# Annotators against final references.

_NAMELESS = "(no name)"


def build_human_report(result: Human) -> Report:
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
