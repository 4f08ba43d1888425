"""Scores as reports: as `gecbench score` prints them, and as the report page has them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict

from gecbench.core.errors import count_noun
from gecbench.core.score import Counts, Score, WarningNote, best_places
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
    joined,
)
from gecbench.scoring.results import RESULT_SCHEMA, Result, ScoreReport, by_tier

NOT_APPLICABLE = "n/a"

_SYSTEM = Column("system", zh="系统")
_UNTITLED = Words("", "")


def scores_report(scores: Sequence[ScoreReport], *, tier: int | None = None) -> Report:
    """Show scores of one or more corpora: what `gecbench score` prints.

    An overview where there are several metrics or corpora, then the counts of each corpus.

    Args:
        scores: One for each corpus.
        tier: Also show counts by type, at this tier of the labels; JSON has them always, at
            tier 3 unless one is named.
    """
    results = [result for one in scores for result in one.results]
    tables = [table for one in scores for table in _count_tables(one, tier)]
    if len({result.metric for result in results}) > 1 or len(scores) > 1 or not tables:
        tables.insert(0, _overview(scores))
    summary = [line for one in scores for line in _summary(one)]
    if tier and not any(result.score and result.score.by_type for result in results):
        summary.insert(0, "note: none of these metrics counts by type")
    corpora = [_json_values(one, tier or 3) for one in scores]
    return Report(
        name="scores",
        title=_UNTITLED,
        corpus=", ".join(one.corpus for one in scores),
        tables=tuple(tables),
        data=corpora[0] if len(corpora) == 1 else {"schema": RESULT_SCHEMA, "corpora": corpora},
        notes=tuple(note for one in scores for note in one.notes if isinstance(note, WarningNote)),
        summary=tuple(summary),
        records=_records(scores, tier),
    )


def subset_name(result: Result) -> str:
    """What a table calls the part of the corpus that a result is over."""
    return "(all)" if result.subset is None else result.subset or "(empty)"


def _overview(scores: Sequence[ScoreReport]) -> Table:
    """A row for each system and subset, a column for each metric on each corpus."""
    by_place = {
        (one.corpus, result.metric, result.system, subset_name(result)): result
        for one in scores
        for result in one.results
    }
    metrics = list(dict.fromkeys(place[:2] for place in by_place))
    names = list(dict.fromkeys(place[2:] for place in by_place))
    subsets = any(result.subset is not None for result in by_place.values())
    spread = any(result.score and result.score.interval for result in by_place.values())
    columns = [_SYSTEM, *[Column("subset")] * subsets]
    rows: list[list[Value]] = [[system, *[subset] * subsets] for system, subset in names]
    marks: set[tuple[int, int]] = set()
    for corpus, metric in metrics:
        results = [by_place.get((corpus, metric, *name)) for name in names]
        for subset in {subset for _, subset in names}:
            group = {row: results[row] for row, name in enumerate(names) if name[1] == subset}
            marks |= {(row, len(columns)) for row in _best_rows(group)}
        head = Column(f"{corpus} {metric}" if len(scores) > 1 else metric, "percent")
        columns += [head, *[Column("95%", "percent")] * spread]
        for row, result in zip(rows, results, strict=True):
            row += [_value(result), *[_interval(result)] * spread]
    return Table("overview", _UNTITLED, tuple(columns), tuple(map(tuple, rows)), frozenset(marks))


def _value(result: Result | None) -> Value:
    if result is None:
        return ""
    return result.score.value if result.score else NOT_APPLICABLE


def _interval(result: Result | None) -> str:
    interval = result.score.interval if result and result.score else None
    return f"{100 * interval.low:.2f}-{100 * interval.high:.2f}" if interval else ""


def _best_rows(
    results: Mapping[int, Result | None],
    value: Callable[[Score], float | None] = lambda score: score.value,
) -> Iterator[int]:
    """Yield the rows of the best results, which are given by row; where all are equal, none is."""
    scored = {row: (result, result.score) for row, result in results.items() if result}
    values = [value(score) if score else None for _, score in scored.values()]
    higher = all(result.higher_is_better for result, score in scored.values() if score)
    rows = list(scored)
    return (rows[at] for at in best_places(values, higher_is_better=higher))


_MEASURES: tuple[Callable[[Score], float | None], ...] = (
    lambda score: score.counts.precision if score.counts else None,
    lambda score: score.counts.recall if score.counts else None,
    lambda score: score.value,
)
"""The last three of the columns of counts: P, R and F."""


def _count_columns(beta: float) -> tuple[Column, ...]:
    return (*COUNT_COLUMNS, Column(f"F{beta:g}", "percent"))


def _count_values(counts: Counts, beta: float) -> tuple[Value, ...]:
    return (*count_cells(counts), counts.f(beta))


def _count_marks(results: Mapping[int, Result], first: int) -> set[tuple[int, int]]:
    """The best P, R and F of results by row, where the columns of counts begin at `first`."""
    return {
        (row, first + 3 + at)
        for at, measure in enumerate(_MEASURES)
        for row in _best_rows(results, measure)
    }


def _count_tables(scores: ScoreReport, tier: int | None) -> list[Table]:
    """The table of counts, and with a tier the table by type; none where nothing counts."""
    counting = [
        (result, result.score, result.score.counts)
        for result in scores.results
        if result.score and result.score.counts
    ]
    if not counting:
        return []
    several = len({result.metric for result, _, _ in counting}) > 1
    subsets = any(result.subset is not None for result, _, _ in counting)
    spread = any(score.interval for _, score, _ in counting)
    names = (_SYSTEM, *[Column("metric")] * several, *[Column("subset")] * subsets)
    rows: list[tuple[Value, ...]] = []
    by_type: list[tuple[Value, ...]] = []
    groups: dict[tuple[str, str | None], dict[int, Result]] = {}
    for row, (result, score, counts) in enumerate(counting):
        groups.setdefault((result.metric, result.subset), {})[row] = result
        words = (result.system, *[result.metric] * several, *[subset_name(result)] * subsets)
        values = _count_values(counts, scores.beta)
        rows.append((*words, *values, *[_interval(result)] * spread))
        for label, part in by_tier(score.by_type or {}, tier or 3).items():
            by_type.append((*words, label, *_count_values(part, scores.beta)))
    marks = set().union(*(_count_marks(group, len(names)) for group in groups.values()))
    columns = _count_columns(scores.beta)
    heads = (*names, *columns, *[Column("95%", "percent")] * spread)
    tables = [Table("counts", _UNTITLED, heads, tuple(rows), frozenset(marks))]
    if by_type and tier:
        heads = (*names, Column("type"), *columns)
        tables.append(Table("types", _UNTITLED, heads, tuple(by_type)))
    return tables


def _summary(scores: ScoreReport) -> Iterator[str]:
    """Yield what stands below the tables about one corpus."""
    left_out = ", ".join(f"{count} left out: {why}" for why, count in scores.left_out.items())
    yield (
        f"{scores.corpus}: {count_noun(scores.sentences, 'sentence')}, {scores.scored} scored"
        + (f" ({left_out})" if left_out else "")
    )
    yield from (f"note: {note}" for note in scores.notes if not isinstance(note, WarningNote))
    yield from _refusals(scores)
    yield from _resamples(scores, "95%")
    yield from (f"signature: {signature}" for signature in _signatures(scores.results))


def _refusals(scores: ScoreReport) -> list[str]:
    return list(dict.fromkeys(f"n/a: {one.note}" for one in scores.results if one.note))


def _resamples(scores: ScoreReport, name: str) -> list[str]:
    """How intervals were made, under a name."""
    intervals = [one.score.interval for one in scores.results if one.score and one.score.interval]
    return list(
        dict.fromkeys(
            f"{name}: percentile bootstrap, {interval.resamples} resamples of sentences, "
            f"seed {interval.seed}"
            for interval in intervals
        )
    )


def _signatures(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(str(result.score.signature) for result in results if result.score))


# JSON and CSV, not rounded.


_COUNTS = ("tp", "fp", "fn", "precision", "recall", "f")
_INTERVAL = ("low", "high", "resamples", "seed")


def _json_values(scores: ScoreReport, tier: int) -> dict[str, object]:
    return {
        "schema": RESULT_SCHEMA,
        "corpus": {
            "name": scores.corpus,
            "sentences": scores.sentences,
            "scored": scores.scored,
            "skipped": dict(scores.left_out),
        },
        "notes": list(scores.notes),
        "results": [_json_result(result, scores.beta, tier) for result in scores.results],
    }


def _json_result(result: Result, beta: float, tier: int) -> dict[str, object]:
    entry: dict[str, object] = {"system": result.system, "metric": result.metric}
    if result.subset is not None:
        entry["subset"] = result.subset
    score = result.score
    if score is None:
        return {**entry, "value": None, "note": result.note}
    entry |= {
        "signature": str(score.signature),
        "sentences": score.sentences,
        "value": score.value,
    }
    if score.interval:
        entry["interval"] = {"method": "percentile bootstrap", **asdict(score.interval)}
    if score.counts is not None:
        entry |= _json_counts(score.counts, beta)
    if score.by_type is not None:
        types = by_tier(score.by_type, tier)
        entry["by_type"] = {label: _json_counts(counts, beta) for label, counts in types.items()}
    if score.parts:
        entry["parts"] = dict(score.parts)
    return entry


def _json_counts(counts: Counts, beta: float) -> dict[str, float]:
    return {
        "precision": counts.precision,
        "recall": counts.recall,
        "f": counts.f(beta),
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
    }


def _records(scores: Sequence[ScoreReport], tier: int | None) -> Table:
    """A row for each number, as CSV has them."""
    names = ("corpus", "system", "metric", "subset", "type", "sentences", "value")
    columns = map(Column, (*names, *_INTERVAL, *_COUNTS, "signature"))
    rows = [row for one in scores for result in one.results for row in _rows(one, result, tier)]
    return Table("records", _UNTITLED, tuple(columns), tuple(rows))


def _rows(scores: ScoreReport, result: Result, tier: int | None) -> Iterator[tuple[Value, ...]]:
    words = (scores.corpus, result.system, result.metric, subset_name(result))
    score = result.score
    if score is None:
        yield (*words, *[None] * (3 + len(_INTERVAL + _COUNTS)), result.note)
        return
    by_type = {"": score.counts} | (by_tier(score.by_type or {}, tier) if tier else {})
    for label, counts in by_type.items():
        values = _json_counts(counts, scores.beta) if counts else {}
        value = values["f"] if label else score.value
        ends = [getattr(score.interval, name, None) if not label else None for name in _INTERVAL]
        numbers = (values.get(name) for name in _COUNTS)
        yield (*words, label, score.sentences, value, *ends, *numbers, str(score.signature))


def render_sentences(scores: Sequence[ScoreReport]) -> str:
    """Write one JSON line for each system, metric and sentence, after a header line a corpus.

    What a line says of its sentence is the metric's: for a span metric `chosen`, the place of
    the pairing that counts in `pairings`, and the counts against every reference. A sentence
    that is left out has `chosen` null and no pairings, or null for all else.
    """
    entries: list[dict[str, object]] = []
    for one in scores:
        header = {
            "format": "gecbench-sentences",
            "schema": RESULT_SCHEMA,
            "corpus": one.corpus,
            "signatures": _signatures(one.results),
        }
        entries.append(header)
        for (system, metric), sentences in one.per_sentence.items():
            for sentence in sentences:
                values = {"left_out": True} if sentence.values is None else sentence.values
                entries.append({"system": system, "metric": metric, "id": sentence.id, **values})
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


# What the report page shows first.


def build_report(scores: ScoreReport) -> Report:
    """Show the scores of all systems by all metrics, with a figure for each metric.

    Args:
        scores: Of the whole corpus, without subsets.
    """
    by_metric: dict[str, list[Result]] = {}
    for result in scores.results:
        by_metric.setdefault(result.metric, []).append(result)
    scored = {name: some for name, some in by_metric.items() if any(one.score for one in some)}
    counting = {name: counts for name, some in scored.items() if (counts := _counts_of(some))}
    return Report(
        name="scores",
        title=Words("Scores", "总分"),
        corpus=scores.corpus,
        tables=(
            _all_metrics(by_metric),
            *(_edit_counts(name, scored[name], scores.beta) for name in counting),
        ),
        figures=(
            *(_values_figure(name, results) for name, results in scored.items()),
            *(_plane_figure(name, counts, scores.beta) for name, counts in counting.items()),
        ),
        notes=(*scores.notes, *_refusals(scores), *_resamples(scores, "95% intervals")),
        signatures=tuple(_signatures(scores.results)),
    )


def _counts_of(results: Sequence[Result]) -> list[tuple[str, Counts]]:
    return [(one.system, one.score.counts) for one in results if one.score and one.score.counts]


def _all_metrics(by_metric: Mapping[str, Sequence[Result]]) -> Table:
    """A row for each system, with the value of each metric and the ends of its interval."""
    columns: list[Column] = [_SYSTEM]
    marks: set[tuple[int, int]] = set()
    systems = dict.fromkeys(one.system for results in by_metric.values() for one in results)
    rows: list[list[Value]] = [[name] for name in systems]
    for metric, results in by_metric.items():
        marks |= {(row, len(columns)) for row in _best_rows(dict(enumerate(results)))}
        columns.append(Column(metric, "percent"))
        spread = any(one.score and one.score.interval for one in results)
        if spread:
            columns += [Column(f"{metric} 95% from", "percent", zh=f"{metric} 95% 下限")]
            columns += [Column(f"{metric} 95% to", "percent", zh=f"{metric} 95% 上限")]
        for row, one in zip(rows, results, strict=True):
            ends = one.score.interval if one.score else None
            row.append(one.score.value if one.score else None)
            row += [ends.low if ends else None, ends.high if ends else None] if spread else []
    title = Words("All metrics, in percent", "所有指标（%）")
    return Table("scores", title, tuple(columns), tuple(map(tuple, rows)), frozenset(marks))


def _edit_counts(metric: str, results: Sequence[Result], beta: float) -> Table:
    """The counts behind F."""
    title = Words(f"Edits by {metric}", f"{metric} 的编辑计数")
    rows = [(system, *_count_values(counts, beta)) for system, counts in _counts_of(results)]
    marks = _count_marks(dict(enumerate(results)), 1)
    columns = (_SYSTEM, *_count_columns(beta))
    return Table(f"counts-{metric}", title, columns, tuple(rows), frozenset(marks))


def _values_figure(metric: str, results: Sequence[Result]) -> Figure:
    """The score of each system with its interval, the best at the top."""
    scored = [(one.system, one.score) for one in results if one.score]
    scored.sort(key=lambda pair: pair[1].value, reverse=results[0].higher_is_better)
    (first, best), (last, worst) = scored[0], scored[-1]
    words = Words(f"{first} {100 * best.value:.2f}", f"{first} {100 * best.value:.2f}")
    if best.interval:
        ends = f"{100 * best.interval.low:.2f}–{100 * best.interval.high:.2f}"
        words = Words(f"{words.en} (95%: {ends})", f"{words.zh}（95% 区间：{ends}）")
    alt = [Words(f"Best: {words.en}", f"最好：{words.zh}")]
    if len(scored) > 1:
        lowest = f"{last} {100 * worst.value:.2f}"
        alt.append(Words(f"worst: {lowest}", f"最差：{lowest}"))
    sentence = joined(alt, "; ")
    intervals = [score.interval for _, score in scored if score.interval]
    if len(intervals) < len(scored):
        intervals = []
    return Figure(
        name=f"scores-{metric}",
        kind="intervals",
        title=Words(f"{metric} with 95% intervals", f"{metric} 及 95% 区间")
        if intervals
        else Words(metric, metric),
        alt=Words(f"{sentence.en}.", f"{sentence.zh}。"),
        x_label=Words("system", "系统"),
        y_label=Words(f"{metric} in percent", f"{metric}（%）"),
        series=(
            Series.of_shares(
                metric,
                (name for name, _ in scored),
                (score.value for _, score in scored),
                (interval.low for interval in intervals),
                (interval.high for interval in intervals),
            ),
        ),
    )


def _plane_figure(metric: str, counts: Sequence[tuple[str, Counts]], beta: float) -> Figure:
    """Precision against recall, with lines of equal F."""
    precise, most_precise = max(counts, key=lambda pair: pair[1].precision)
    broad, most_recall = max(counts, key=lambda pair: pair[1].recall)
    precision = f"{precise} {100 * most_precise.precision:.2f}"
    recall = f"{broad} {100 * most_recall.recall:.2f}"
    return Figure(
        name=f"scores-{metric}-plane",
        kind="points",
        title=Words(f"Precision against recall by {metric}", f"{metric} 的精确率与召回率"),
        alt=Words(
            f"Highest precision: {precision}; highest recall: {recall}. "
            f"Along a line F{beta:g} is the same.",
            f"精确率最高：{precision}；召回率最高：{recall}。同一条曲线上的 F{beta:g} 相等。",
        ),
        x_label=Words("recall in percent", "召回率（%）"),
        y_label=Words("precision in percent", "精确率（%）"),
        series=(
            Series.of_shares(
                metric,
                (100 * one.recall for _, one in counts),
                (one.precision for _, one in counts),
                labels=(name for name, _ in counts),
            ),
        ),
        iso_f=beta,
    )
