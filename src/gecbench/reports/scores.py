"""Scores as a report: what `gecbench score` prints, and the report page shows first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial

from gecbench.core.errors import Message, count_noun
from gecbench.core.score import Counts, Interval, WarningNote, best_places
from gecbench.reports import ReportFormat
from gecbench.reports.report import (
    COUNT_COLUMNS,
    Column,
    Figure,
    Report,
    Series,
    Table,
    Value,
    Words,
    as_json,
    count_cells,
    join_texts,
    render,
    table_csv,
    translate,
)
from gecbench.scoring.results import RESULT_SCHEMA, Result, ScoreReport, by_tier

NOT_APPLICABLE = "n/a"

_SYSTEM = Column.of("system")


def build_report(
    scores: Sequence[ScoreReport], *, tier: int | None = None, page: bool = False
) -> Report:
    """Show scores of one or more corpora.

    An overview where there are several metrics or corpora, then the counts of each corpus.

    Args:
        scores: One for each corpus.
        tier: Also show counts by type, at this tier of the labels.
        page: As the report page has them, of one corpus: the overview alone, with the ends of
            intervals as numbers, and figures.
    """
    results = [result for report in scores for result in report.results]
    tables = [table for report in scores for table in _count_tables(report, tier)] * (not page)
    if page or len({result.metric for result in results}) > 1 or len(scores) > 1 or not tables:
        columns_of = partial(_text_columns, intervals=any(_intervals(results)))
        tables.insert(0, _overview(scores, _number_columns if page else columns_of))
    summary = [line for report in scores for line in _summary(report)]
    return Report(
        name="scores",
        title=translate("page|Scores"),
        corpus=", ".join(report.corpus for report in scores),
        tables=tuple(tables),
        figures=tuple(_figures(scores[0])) if page else (),
        notes=tuple(
            note
            for report in scores
            for note in (*report.notes, *_result_notes(report, "95% intervals"))
        ),
        signatures=tuple(signatures_of(results)),
        summary=tuple(summary),
    )


def render_scores(
    scores: Sequence[ScoreReport], output: ReportFormat, *, tier: int | None = None
) -> str:
    """Write scores as text, LaTeX or Markdown, or all numbers as JSON or CSV.

    Args:
        scores: One for each corpus.
        output: The format.
        tier: As in `build_report`; JSON has counts by type always, at tier 3 unless one is named.
    """
    if output == "json":
        return _scores_json(scores, tier)
    if output == "csv":
        return _scores_csv(scores, tier)
    return render(build_report(scores, tier=tier), output)


def subset_name(result: Result) -> str:
    """What a table calls the part of the corpus that a result is over."""
    return "(all)" if result.subset is None else result.subset or "(empty)"


# The tables, column by column.


Columns = list[tuple[Column, Sequence[Value]]]
"""Columns with their values from the first row on."""


def _table(
    name: str, title: Words, columns: Columns, marks: Iterable[tuple[int, int]] = ()
) -> Table:
    rows = zip(*(values for _, values in columns), strict=True)
    return Table(name, title, tuple(head for head, _ in columns), tuple(rows), frozenset(marks))


def _overview(scores: Sequence[ScoreReport], columns_of: Callable[..., Columns]) -> Table:
    """A row for each system and subset; `columns_of` shows a metric on a corpus, values first."""
    by_place = {
        (report.corpus, result.metric, result.system, subset_name(result)): result
        for report in scores
        for result in report.results
    }
    names = list(dict.fromkeys(place[2:] for place in by_place))
    columns: Columns = [(_SYSTEM, [system for system, _ in names])]
    if any(result.subset is not None for result in by_place.values()):
        columns.append((Column("subset"), [subset for _, subset in names]))
    marks: set[tuple[int, int]] = set()
    for corpus, metric in dict.fromkeys(place[:2] for place in by_place):
        results = [by_place.get((corpus, metric, *name)) for name in names]
        marks |= {(row, len(columns)) for row in _best_rows(results, _values(results))}
        columns += columns_of(f"{corpus} {metric}" if len(scores) > 1 else metric, results)
    return _table("scores", translate("All metrics, in percent"), columns, marks)


def _text_columns(metric: str, results: Sequence[Result | None], *, intervals: bool) -> Columns:
    """The values, and the intervals as text."""
    values = [
        "" if result is None else result.score.value if result.score else NOT_APPLICABLE
        for result in results
    ]
    return [(Column(metric, "percent"), values), *[_interval_column(results)] * intervals]


def _interval_column(results: Sequence[Result | None]) -> tuple[Column, list[str]]:
    texts = [f"{100 * i.low:.2f}-{100 * i.high:.2f}" if i else "" for i in _intervals(results)]
    return Column("95%", "percent"), texts


def _number_columns(metric: str, results: Sequence[Result | None]) -> Columns:
    """The values, and the ends of the intervals where there are any, all as numbers."""
    columns: Columns = [(Column(metric, "percent"), _values(results))]
    intervals = _intervals(results)
    if any(intervals):
        low = Column.of("{metric} 95% from", "percent", metric=metric)
        high = Column.of("{metric} 95% to", "percent", metric=metric)
        columns.append((low, [i.low if i else None for i in intervals]))
        columns.append((high, [i.high if i else None for i in intervals]))
    return columns


def _values(results: Sequence[Result | None]) -> list[float | None]:
    return [result.score.value if result and result.score else None for result in results]


def _intervals(results: Sequence[Result | None]) -> list[Interval | None]:
    return [result.score.interval if result and result.score else None for result in results]


def _count_tables(scores: ScoreReport, tier: int | None) -> Iterator[Table]:
    """Yield the counts of all metrics behind F, and with a tier those by type."""
    counted = _counts_of(scores.results)
    if not counted:
        return
    results, counts = zip(*counted, strict=True)
    names: Columns = [(_SYSTEM, [result.system for result in results])]
    if len({result.metric for result in results}) > 1:
        names.append((Column("metric"), [result.metric for result in results]))
    if any(result.subset is not None for result in results):
        names.append((Column("subset"), [subset_name(result) for result in results]))
    columns = [*names, *_count_columns(counts, scores.beta)]
    if any(_intervals(results)):
        columns.append(_interval_column(results))
    marks: set[tuple[int, int]] = set()
    if len(results) > 1:
        precision, recall = [c.precision for c in counts], [c.recall for c in counts]
        for at, values in enumerate((precision, recall, _values(results)), len(names) + 3):
            marks |= {(row, at) for row in _best_rows(results, values)}
    metrics = ", ".join(dict.fromkeys(result.metric for result in results))
    yield _table("counts", translate("Edits by {metric}", metric=metrics), columns, marks)
    by_type = [
        (row, label, counts)
        for row, result in enumerate(results)
        if tier and result.score and result.score.by_type
        for label, counts in by_tier(result.score.by_type, tier).items()
    ]
    if by_type:
        rows, labels, parts = zip(*by_type, strict=True)
        repeated = [(head, [values[row] for row in rows]) for head, values in names]
        columns = [*repeated, (Column("type"), labels), *_count_columns(parts, scores.beta)]
        yield _table("types", Words("", ""), columns)


def _counts_of(results: Sequence[Result]) -> list[tuple[Result, Counts]]:
    return [(r, r.score.counts) for r in results if r.score and r.score.counts]


def _count_columns(counts: Sequence[Counts], beta: float) -> Columns:
    heads = (*COUNT_COLUMNS, Column(f"F{beta:g}", "percent"))
    rows = ((*count_cells(part), part.f(beta)) for part in counts)
    return list(zip(heads, zip(*rows, strict=True), strict=True))


def _best_rows(results: Sequence[Result | None], values: Sequence[float | None]) -> Iterator[int]:
    """Yield the rows of the best of each metric and subset; where all are equal, none is."""
    groups: dict[tuple[str, str | None, bool], dict[int, float | None]] = {}
    for row, (result, value) in enumerate(zip(results, values, strict=True)):
        if result:
            group = result.metric, result.subset, result.higher_is_better
            groups.setdefault(group, {})[row] = value
    for (*_, higher_is_better), group_values in groups.items():
        best = best_places([*group_values.values()], higher_is_better=higher_is_better)
        yield from (row for place, row in enumerate(group_values) if place in best)


# What stands below them.


def _summary(scores: ScoreReport) -> Iterator[str]:
    """Yield what stands below the tables about one corpus."""
    left_out = ", ".join(f"{count} left out: {why}" for why, count in scores.left_out.items())
    yield (
        f"{scores.corpus}: {count_noun(scores.sentences, 'sentence')}, {scores.scored} scored"
        + (f" ({left_out})" if left_out else "")
    )
    yield from (f"note: {note}" for note in scores.notes if not isinstance(note, WarningNote))
    yield from _result_notes(scores, "95%")
    yield from (f"signature: {signature}" for signature in signatures_of(scores.results))


def _result_notes(scores: ScoreReport, intervals: str) -> list[str]:
    """Why there are no scores, and how intervals were made, which are called so."""
    notes = [Message("n/a: {why}", why=result.note) for result in scores.results if result.note]
    notes += [
        Message(
            "{name}: percentile bootstrap, {resamples} resamples of sentences, seed {seed}",
            name=Message(intervals),
            resamples=interval.resamples,
            seed=interval.seed,
        )
        for interval in _intervals(scores.results)
        if interval
    ]
    return list(dict.fromkeys(notes))


def signatures_of(results: Sequence[Result]) -> list[str]:
    """The signatures of results, each once."""
    return list(dict.fromkeys(str(result.score.signature) for result in results if result.score))


# As JSON, as CSV, and sentence by sentence as JSON lines; not rounded.


_COUNTS = ("tp", "fp", "fn", "precision", "recall", "f")
_INTERVAL = ("low", "high", "resamples", "seed")


def _counts_json(counts: Counts, beta: float) -> dict[str, float]:
    """Counts behind what follows from them."""
    ratios = {"precision": counts.precision, "recall": counts.recall, "f": counts.f(beta)}
    return ratios | asdict(counts)


def _result_json(result: Result, beta: float, tier: int) -> dict[str, object]:
    """A score, or a note on why there is none; types are counted at a tier of the labels."""
    values: dict[str, object] = {"system": result.system, "metric": result.metric}
    if result.subset is not None:
        values["subset"] = result.subset
    score = result.score
    if score is None:
        return values | {"value": None, "note": result.note}
    values |= {"signature": str(score.signature), "sentences": score.sentences}
    values["value"] = score.value
    if score.interval:
        values["interval"] = {"method": "percentile bootstrap", **asdict(score.interval)}
    if score.counts:
        values |= _counts_json(score.counts, beta)
    if score.by_type is not None:
        types = by_tier(score.by_type, tier)
        values["by_type"] = {label: _counts_json(types[label], beta) for label in types}
    return values | ({"parts": score.parts} if score.parts else {})


def _report_json(scores: ScoreReport, tier: int) -> dict[str, object]:
    """The scores of one corpus."""
    return {
        "schema": RESULT_SCHEMA,
        "corpus": {
            "name": scores.corpus,
            "sentences": scores.sentences,
            "scored": scores.scored,
            "skipped": scores.left_out,
        },
        "notes": scores.notes,
        "results": [_result_json(result, scores.beta, tier) for result in scores.results],
    }


def _scores_json(scores: Sequence[ScoreReport], tier: int | None) -> str:
    """Write the scores of each corpus; counts by type are at a tier of the labels, else at 3."""
    corpora = [_report_json(report, tier or 3) for report in scores]
    single = len(corpora) == 1
    return as_json(corpora[0] if single else {"schema": RESULT_SCHEMA, "corpora": corpora})


def _scores_csv(scores: Sequence[ScoreReport], tier: int | None) -> str:
    """Write a row for each number."""
    names = ("corpus", "system", "metric", "subset", "type", "sentences", "value")
    columns = map(Column, (*names, *_INTERVAL, *_COUNTS, "signature"))
    rows = [row for report in scores for r in report.results for row in _rows(report, r, tier)]
    return table_csv(Table("records", Words("", ""), tuple(columns), tuple(rows)))


def _rows(scores: ScoreReport, result: Result, tier: int | None) -> Iterator[tuple[Value, ...]]:
    words = (scores.corpus, result.system, result.metric, subset_name(result))
    score = result.score
    if score is None:
        yield (*words, *[None] * (3 + len(_INTERVAL + _COUNTS)), result.note)
        return
    by_type = {"": score.counts} | (by_tier(score.by_type or {}, tier) if tier else {})
    for label, counts in by_type.items():
        values = _counts_json(counts, scores.beta) if counts else {}
        value = values["f"] if label else score.value
        interval = [
            getattr(score.interval, name, None) if not label else None for name in _INTERVAL
        ]
        numbers = (values.get(name) for name in _COUNTS)
        yield (*words, label, score.sentences, value, *interval, *numbers, str(score.signature))


def render_sentences(scores: Sequence[ScoreReport]) -> str:
    """Write one JSON line for each system, metric and sentence, after a header line a corpus.

    What a line says of its sentence is the metric's: for a span metric `chosen`, the place of
    the pairing that counts in `pairings`, and the counts against every reference. A sentence
    that is left out has `chosen` null and no pairings, or null for all else.
    """
    entries: list[dict[str, object]] = []
    for report in scores:
        header = {
            "format": "gecbench-sentences",
            "schema": RESULT_SCHEMA,
            "corpus": report.corpus,
            "signatures": signatures_of(report.results),
        }
        entries.append(header)
        for (system, metric), sentences in report.per_sentence.items():
            for sentence in sentences:
                values = {"left_out": True} if sentence.values is None else sentence.values
                entries.append({"system": system, "metric": metric, "id": sentence.id, **values})
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


# Figures of the report page.


def _figures(scores: ScoreReport) -> Iterator[Figure]:
    """Yield the scores of each metric, then precision against recall where edits are counted."""
    by_metric: dict[str, list[Result]] = {}
    for result in scores.results:
        if result.score:
            by_metric.setdefault(result.metric, []).append(result)
    for metric, results in by_metric.items():
        yield _values_figure(metric, results)
    for metric, results in by_metric.items():
        if _counts_of(results):
            yield _plane_figure(metric, results, scores.beta)


def _values_figure(metric: str, results: Sequence[Result]) -> Figure:
    """The score of each system with its interval, the best at the top."""
    scored = [(result.system, result.score) for result in results if result.score]
    scored.sort(key=lambda pair: pair[1].value, reverse=results[0].higher_is_better)
    (first, best), (last, worst) = scored[0], scored[-1]
    words = Words(f"{first} {100 * best.value:.2f}", f"{first} {100 * best.value:.2f}")
    if best.interval:
        interval = f"{100 * best.interval.low:.2f}–{100 * best.interval.high:.2f}"
        words = translate("{words} (95%: {interval})", words=words, interval=interval)
    alt = [translate("Best: {words}", words=words)]
    if len(scored) > 1:
        lowest = f"{last} {100 * worst.value:.2f}"
        alt.append(translate("worst: {lowest}", lowest=lowest))
    sentence = join_texts(alt, "; ")
    intervals = [score.interval for _, score in scored if score.interval]
    if len(intervals) < len(scored):
        intervals = []
    return Figure.of(
        f"scores-{metric}",
        "intervals",
        title=translate("{metric} with 95% intervals", metric=metric)
        if intervals
        else Words(metric, metric),
        alt="{sentence}.",
        x="system",
        y="{metric} in percent",
        series=(
            Series.of_shares(
                metric,
                (name for name, _ in scored),
                (score.value for _, score in scored),
                (interval.low for interval in intervals),
                (interval.high for interval in intervals),
            ),
        ),
        sentence=sentence,
        metric=metric,
    )


def _plane_figure(metric: str, results: Sequence[Result], beta: float) -> Figure:
    """Precision against recall, with lines of equal F."""
    counts = [(result.system, counts) for result, counts in _counts_of(results)]
    # Without edits precision is 1 by definition, which says nothing and makes the plane wide.
    counts = [(system, part) for system, part in counts if part.tp + part.fp] or counts
    precise, most_precise = max(counts, key=lambda pair: pair[1].precision)
    broad, most_recall = max(counts, key=lambda pair: pair[1].recall)
    precision = f"{precise} {100 * most_precise.precision:.2f}"
    recall = f"{broad} {100 * most_recall.recall:.2f}"
    return Figure.of(
        f"scores-{metric}-plane",
        "points",
        title="Precision against recall by {metric}",
        alt="Highest precision: {precision}; highest recall: {recall}. Along a line "
        "F{beta:g} is the same.",
        x="recall in percent",
        y="precision in percent",
        series=(
            Series.of_shares(
                metric,
                (100 * part.recall for _, part in counts),
                (part.precision for _, part in counts),
                labels=(name for name, _ in counts),
            ),
        ),
        iso_f=beta,
        metric=metric,
        precision=precision,
        recall=recall,
        beta=beta,
    )
