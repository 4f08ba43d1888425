"""Scores as tables, JSON, CSV or LaTeX; and each sentence's as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace

from gecbench.core.errors import counted
from gecbench.core.score import Counts, Doubt, Score, best_places
from gecbench.reports.report import (
    Column,
    Figure,
    Grid,
    Report,
    Series,
    Table,
    Value,
    Words,
    as_csv,
    as_latex,
    as_markdown,
    as_text,
)
from gecbench.scoring.results import RESULT_SCHEMA, Result, ScoreReport, by_tier

# The tables of scores: one overview of all metrics, and the counts of those that count.


NOT_APPLICABLE = "n/a"

Row = tuple[str, ...]


def subset_name(result: Result) -> str:
    """Return what a table calls the part of the corpus that a result is over."""
    return "(all)" if result.subset is None else result.subset or "(empty)"


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def _spread(score: Score) -> str:
    if score.interval is None:
        return ""
    return f"{_percent(score.interval.low)}-{_percent(score.interval.high)}"


def _cells(counts: Counts, beta: float) -> Row:
    ratios = (counts.precision, counts.recall, counts.f(beta))
    return (str(counts.tp), str(counts.fp), str(counts.fn), *map(_percent, ratios))


def overview(reports: Sequence[ScoreReport]) -> Grid:
    """Return a table with a row for each system and a column for each metric on each corpus.

    Values are in percent; the best of each column is marked.
    """
    results = [(report, result) for report in reports for result in report.results]
    several = len(reports) > 1
    with_subset = any(result.subset is not None for _, result in results)
    with_spread = any(result.score and result.score.interval for _, result in results)
    columns = list(dict.fromkeys((report.corpus, result.metric) for report, result in results))
    keys = list(dict.fromkeys((result.system, subset_name(result)) for _, result in results))
    found = {
        (report.corpus, result.metric, result.system, subset_name(result)): result
        for report, result in results
    }
    rows = []
    for system, subset in keys:
        cells = []
        for corpus, metric in columns:
            result = found.get((corpus, metric, system, subset))
            cells += _value(result, with_spread=with_spread)
        rows.append((system, *[subset] * with_subset, *cells))
    width = 1 + with_spread
    names = [f"{corpus} {metric}" if several else metric for corpus, metric in columns]
    header = [cell for name in names for cell in (name, *["95%"] * with_spread)]
    words = 1 + with_subset
    marks = set()
    for at, (corpus, metric) in enumerate(columns):
        for subset in {subset for _, subset in keys}:
            column = [found.get((corpus, metric, system, subset)) for system, _ in keys]
            places = [row for row, key in enumerate(keys) if key[1] == subset]
            marks |= {
                (place, words + at * width)
                for place in _best([column[place] for place in places], places)
            }
    made = Grid(("system", *["subset"] * with_subset, *header), tuple(rows), words)
    return replace(made, marks=frozenset(marks))


def _value(result: Result | None, *, with_spread: bool) -> list[str]:
    if result is None or result.score is None:
        return ["" if result is None else NOT_APPLICABLE, *[""] * with_spread]
    return [_percent(result.score.value), *[_spread(result.score)] * with_spread]


def _best(
    results: Sequence[Result | None],
    places: Sequence[int],
    value: Callable[[Score], float] = lambda score: score.value,
) -> set[int]:
    """Return the places of the best of several; where all are equal, none is."""
    values = [value(one.score) if one and one.score else None for one in results]
    higher = all(one.higher_is_better for one in results if one and one.score)
    return {places[at] for at in best_places(values, higher_is_better=higher)}


def count_grids(report: ScoreReport, tier: int | None) -> list[Grid]:
    """Return the table of counts, and with a tier the table by type; none where nothing counts."""
    counted = [r for r in report.results if r.score is not None and r.score.counts is not None]
    if not counted:
        return []
    metrics = len({result.metric for result in counted})
    shown = _Shown(
        metrics > 1,
        any(result.subset is not None for result in counted),
        any(result.score and result.score.interval for result in counted),
    )
    names = ["system", *["metric"] * shown.metric, *["subset"] * shown.subset]
    numbers = ["TP", "FP", "FN", "P", "R", f"F{report.beta:g}"]
    rows: list[Row] = []
    typed: list[Row] = []
    for result in counted:
        if result.score is None or result.score.counts is None:
            continue
        words = shown.words(result)
        spread = [_spread(result.score)] * shown.spread
        rows.append((*words, *_cells(result.score.counts, report.beta), *spread))
        for label, counts in by_tier(result.score.by_type or {}, tier or 3).items():
            typed.append((*words, label, *_cells(counts, report.beta)))
    spread = ["95%"] * shown.spread
    marks = _count_marks(counted, len(names))
    grids = [Grid((*names, *numbers, *spread), tuple(rows), len(names), marks)]
    if typed and tier:
        grids.append(Grid((*names, "type", *numbers), tuple(typed), len(names) + 1))
    return grids


class _Shown:
    """Which columns of words a table needs, because not all rows have the same in them."""

    def __init__(self, metric: bool, subset: bool, spread: bool) -> None:
        self.metric, self.subset, self.spread = metric, subset, spread

    def words(self, result: Result) -> Row:
        """Return the words at the left of a row."""
        subset = [subset_name(result)] * self.subset
        return (result.system, *[result.metric] * self.metric, *subset)


def _count_marks(results: Sequence[Result], words: int) -> frozenset[tuple[int, int]]:
    """Return the cells of P, R and F that are the best among the systems."""
    marks: set[tuple[int, int]] = set()
    groups: dict[tuple[str, str | None], list[int]] = {}
    for place, result in enumerate(results):
        groups.setdefault((result.metric, result.subset), []).append(place)
    for places in groups.values():
        some = [results[place] for place in places]
        for at, value in enumerate((_precision, _recall, _f)):
            marks |= {(place, words + 3 + at) for place in _best(some, places, value)}
    return frozenset(marks)


def _precision(score: Score) -> float:
    return score.counts.precision if score.counts else 0.0


def _recall(score: Score) -> float:
    return score.counts.recall if score.counts else 0.0


def _f(score: Score) -> float:
    return score.value


Entry = dict[str, object]


def render(reports: Sequence[ScoreReport], format: str, *, tier: int | None = None) -> str:
    """Return reports as text, json, csv, latex or markdown.

    Args:
        reports: What was found, one for each corpus.
        format: One of these five.
        tier: Also show counts by type, at this tier of the labels; JSON has them always, at
            tier 3 unless one is named.
    """
    if format == "json":
        objects = [_object(report, tier) for report in reports]
        whole = objects[0] if len(objects) == 1 else {"schema": RESULT_SCHEMA, "corpora": objects}
        return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
    if format == "csv":
        return _csv(reports, tier)
    grids = [grid for report in reports for grid in count_grids(report, tier)]
    metrics = {result.metric for report in reports for result in report.results}
    if len(metrics) > 1 or len(reports) > 1 or not grids:
        grids.insert(0, overview(reports))
    about = "".join(map(_about, reports))
    if tier and not any(r.score and r.score.by_type for report in reports for r in report.results):
        about = f"note: none of these metrics counts by type\n{about}"
    doubts = "".join(
        f"note: {note}\n" for r in reports for note in r.notes if isinstance(note, Doubt)
    )
    if format == "latex":
        return "\n".join(as_latex(grid, doubts + about) for grid in grids)
    if format == "markdown":
        notes = "".join(f"- {line}\n" for line in (doubts + about).splitlines())
        return "\n".join([*map(as_markdown, grids), notes])
    return "\n".join([*[doubts] * bool(doubts), *map(as_text, grids), about])


def _about(report: ScoreReport) -> str:
    left_out = ", ".join(f"{count} left out: {why}" for why, count in report.left_out.items())
    lines = [
        f"{report.corpus}: {counted(report.sentences, 'sentence')}, {report.scored} scored"
        + (f" ({left_out})" if left_out else "")
    ]
    lines += [f"note: {note}" for note in report.notes if not isinstance(note, Doubt)]
    refused = dict.fromkeys(r.note for r in report.results if r.note)
    lines += [f"n/a: {note}" for note in refused]
    spreads = [r.score.interval for r in report.results if r.score and r.score.interval]
    lines += dict.fromkeys(
        f"95%: percentile bootstrap, {each.resamples} resamples of sentences, seed {each.seed}"
        for each in spreads
    )
    lines += [f"signature: {signature}" for signature in _signatures(report.results)]
    return "\n".join(lines) + "\n"


def _signatures(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(str(r.score.signature) for r in results if r.score))


def _entry(counts: Counts, beta: float) -> Entry:
    return {
        "precision": counts.precision,
        "recall": counts.recall,
        "f": counts.f(beta),
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
    }


def _result(result: Result, beta: float, tier: int) -> Entry:
    entry: Entry = {"system": result.system, "metric": result.metric}
    if result.subset is not None:
        entry["subset"] = result.subset
    if result.score is None:
        return {**entry, "value": None, "note": result.note}
    return {**entry, **_numbers(result.score, beta, tier)}


def _numbers(score: Score, beta: float, tier: int) -> Entry:
    entry: Entry = {
        "signature": str(score.signature),
        "sentences": score.sentences,
        "value": score.value,
    }
    if score.interval:
        entry["interval"] = {"method": "percentile bootstrap", **asdict(score.interval)}
    if score.counts is not None:
        entry |= _entry(score.counts, beta)
    if score.by_type is not None:
        types = by_tier(score.by_type, tier)
        entry["by_type"] = {label: _entry(counts, beta) for label, counts in types.items()}
    if score.parts:
        entry["parts"] = dict(score.parts)
    return entry


def _object(report: ScoreReport, tier: int | None) -> Entry:
    return {
        "schema": RESULT_SCHEMA,
        "corpus": {
            "name": report.corpus,
            "sentences": report.sentences,
            "scored": report.scored,
            "skipped": dict(report.left_out),
        },
        "notes": list(report.notes),
        "results": [_result(result, report.beta, tier or 3) for result in report.results],
    }


_COUNTS = ("tp", "fp", "fn", "precision", "recall", "f")
_WORDS = ("corpus", "system", "metric", "subset", "type", "sentences", "value")
_SPREAD = ("low", "high", "resamples", "seed")


def _csv(reports: Sequence[ScoreReport], tier: int | None) -> str:
    rows = [
        row
        for report in reports
        for result in report.results
        for row in _rows(report, result, tier)
    ]
    return as_csv((*_WORDS, *_SPREAD, *_COUNTS, "signature"), rows)


def _rows(report: ScoreReport, result: Result, tier: int | None) -> Iterator[tuple[object, ...]]:
    words = (report.corpus, result.system, result.metric, subset_name(result))
    score = result.score
    if score is None:
        yield (*words, "", "", "", *[""] * len(_SPREAD + _COUNTS), result.note)
        return
    typed = {"": score.counts}
    if tier:
        typed |= by_tier(score.by_type or {}, tier)
    for label, counts in typed.items():
        cells = _entry(counts, report.beta) if counts else {}
        value = cells["f"] if label else score.value
        spread = score.interval if not label else None
        ends = [getattr(spread, name, "") for name in _SPREAD]
        places = (cells.get(name, "") for name in _COUNTS)
        yield (*words, label, score.sentences, value, *ends, *places, str(score.signature))


def render_sentences(reports: Sequence[ScoreReport]) -> str:
    """Return one JSON line for each system, metric and sentence, after a header line a corpus.

    What a line says of its sentence is the metric's: for a span metric `chosen`, the place of
    the pairing that counts in `pairings`, and the counts against every reference. A sentence
    that is left out has `chosen` null and no pairings, or null for all else.
    """
    lines: list[str] = []
    for report in reports:
        header = {
            "format": "gecbench-sentences",
            "schema": RESULT_SCHEMA,
            "corpus": report.corpus,
            "signatures": _signatures(report.results),
        }
        lines.append(json.dumps(header, ensure_ascii=False))
        for (system, metric), sentences in report.per_sentence.items():
            for one in sentences:
                entry = {"system": system, "metric": metric, "id": one.id}
                values = {"left_out": True} if one.values is None else one.values
                lines.append(json.dumps({**entry, **values}, ensure_ascii=False))
    return "\n".join(lines) + "\n"


# The scores of a run as a report: what a page shows first.


_SYSTEM = Column("system", zh="系统")
_SYSTEMS = Words("system", "系统")
_RECALL = Words("recall in percent", "召回率（%）")
_PRECISION = Words("precision in percent", "精确率（%）")


def build_report(report: ScoreReport) -> Report:
    """Return the scores of all systems by all metrics, with a figure for each metric.

    Args:
        report: Of the whole corpus, without subsets.
    """
    metrics = tuple(dict.fromkeys(result.metric for result in report.results))
    shown = {metric: _of(report, metric) for metric in metrics}
    scored = {metric: found for metric, found in shown.items() if any(one.score for one in found)}
    tables = [_values(report, shown)]
    tables += [
        _counts(report, metric, found) for metric, found in scored.items() if _counted(found)
    ]
    figures = [_scores(metric, found) for metric, found in scored.items()]
    figures += [_plane(report, name, found) for name, found in scored.items() if _counted(found)]
    return Report(
        name="scores",
        title=Words("Scores", "总分"),
        corpus=report.corpus,
        tables=tuple(tables),
        figures=tuple(figures),
        notes=tuple(_notes(report)),
        signatures=tuple(
            dict.fromkeys(str(one.score.signature) for one in report.results if one.score)
        ),
    )


def _of(report: ScoreReport, metric: str) -> list[Result]:
    return [result for result in report.results if result.metric == metric]


def _counted(results: Sequence[Result]) -> bool:
    return any(result.score and result.score.counts for result in results)


def _notes(report: ScoreReport) -> list[str]:
    notes = [f"n/a: {one.note}" for one in report.results if one.note]
    spreads = [one.score.interval for one in report.results if one.score and one.score.interval]
    notes += [
        f"95% intervals: percentile bootstrap, {each.resamples} resamples of sentences, "
        f"seed {each.seed}"
        for each in spreads
    ]
    return [*report.notes, *dict.fromkeys(notes)]


def _overview_best(results: Sequence[Result], value: Callable[[Score], float | None]) -> set[int]:
    """Return the places of the best; where all are equal, none is."""
    values = [value(one.score) if one.score else None for one in results]
    return best_places(values, higher_is_better=results[0].higher_is_better)


def _values(report: ScoreReport, shown: dict[str, list[Result]]) -> Table:
    """Return a row for each system, with the value of each metric and the ends of its interval."""
    columns, marks = [_SYSTEM], set()
    systems = list(dict.fromkeys(result.system for result in report.results))
    rows: list[list[Value]] = [[name] for name in systems]
    for metric, results in shown.items():
        spread = any(one.score and one.score.interval for one in results)
        marks |= {(at, len(columns)) for at in _overview_best(results, lambda score: score.value)}
        columns.append(Column(metric, "percent"))
        if spread:
            columns += [Column(f"{metric} 95% from", "percent", zh=f"{metric} 95% 下限")]
            columns += [Column(f"{metric} 95% to", "percent", zh=f"{metric} 95% 上限")]
        for row, one in zip(rows, results, strict=True):
            row.append(one.score.value if one.score else None)
            ends = one.score.interval if one.score else None
            row += [ends.low if ends else None, ends.high if ends else None] if spread else []
    title = Words("All metrics, in percent", "所有指标（%）")
    return Table("scores", title, tuple(columns), tuple(map(tuple, rows)), frozenset(marks))


def _counts_of(results: Sequence[Result]) -> list[tuple[str, Counts]]:
    return [(one.system, one.score.counts) for one in results if one.score and one.score.counts]


def _counts(report: ScoreReport, metric: str, results: Sequence[Result]) -> Table:
    """Return the counts behind F."""
    columns = (
        _SYSTEM,
        *(Column(name, "count") for name in ("TP", "FP", "FN")),
        Column("P", "percent"),
        Column("R", "percent"),
        Column(f"F{report.beta:g}", "percent"),
    )
    rows = []
    for system, counts in _counts_of(results):
        ratios = (counts.precision, counts.recall, counts.f(report.beta))
        rows.append((system, counts.tp, counts.fp, counts.fn, *ratios))
    marks = {
        (at, column)
        for column, value in ((4, _overview_precision), (5, _overview_recall), (6, _overview_value))
        for at in _overview_best(results, value)
    }
    title = Words(f"Edits by {metric}", f"{metric} 的编辑计数")
    return Table(f"counts-{metric}", title, columns, tuple(rows), frozenset(marks))


def _overview_precision(score: Score) -> float | None:
    return score.counts.precision if score.counts else None


def _overview_recall(score: Score) -> float | None:
    return score.counts.recall if score.counts else None


def _overview_value(score: Score) -> float:
    return score.value


def _scores(metric: str, results: Sequence[Result]) -> Figure:
    """Return the score of each system with its interval, the best at the top."""
    scored = [(one.system, one.score) for one in results if one.score]
    sign = -1 if results[0].higher_is_better else 1
    scored.sort(key=lambda pair: sign * pair[1].value)
    spread = all(score.interval for _, score in scored)
    (first, best), (last, worst) = scored[0], scored[-1]
    said = f"{first} {100 * best.value:.2f}"
    best_en, best_zh = f"Best: {said}", f"最好：{said}"
    if best.interval:
        ends = f"{100 * best.interval.low:.2f}–{100 * best.interval.high:.2f}"
        best_en, best_zh = f"{best_en} (95%: {ends})", f"{best_zh}（95% 区间：{ends}）"
    if len(scored) > 1:
        best_en += f"; worst: {last} {100 * worst.value:.2f}"
        best_zh += f"；最差：{last} {100 * worst.value:.2f}"
    return Figure(
        name=f"scores-{metric}",
        kind="intervals",
        title=Words(
            f"{metric} with 95% intervals" if spread else metric,
            f"{metric} 及 95% 区间" if spread else metric,
        ),
        alt=Words(f"{best_en}.", f"{best_zh}。"),
        x_label=_SYSTEMS,
        y_label=Words(f"{metric} in percent", f"{metric}（%）"),
        series=(
            Series(
                metric,
                tuple(name for name, _ in scored),
                tuple(100 * score.value for _, score in scored),
                tuple(100 * one.interval.low for _, one in scored if one.interval)
                if spread
                else (),
                tuple(100 * one.interval.high for _, one in scored if one.interval)
                if spread
                else (),
            ),
        ),
    )


def _plane(report: ScoreReport, metric: str, results: Sequence[Result]) -> Figure:
    """Return precision against recall, with lines of equal F."""
    counted = _counts_of(results)
    most = max(counted, key=lambda pair: pair[1].precision)
    widest = max(counted, key=lambda pair: pair[1].recall)
    precision, recall = f"{100 * most[1].precision:.2f}", f"{100 * widest[1].recall:.2f}"
    beta = f"{report.beta:g}"
    return Figure(
        name=f"scores-{metric}-plane",
        kind="points",
        title=Words(f"Precision against recall by {metric}", f"{metric} 的精确率与召回率"),
        alt=Words(
            f"Highest precision: {most[0]} {precision}; highest recall: {widest[0]} {recall}. "
            f"Along a line F{beta} is the same.",
            f"精确率最高：{most[0]} {precision}；召回率最高：{widest[0]} {recall}。"
            f"同一条曲线上的 F{beta} 相等。",
        ),
        x_label=_RECALL,
        y_label=_PRECISION,
        series=(
            Series(
                metric,
                tuple(100 * counts.recall for _, counts in counted),
                tuple(100 * counts.precision for _, counts in counted),
                labels=tuple(name for name, _ in counted),
            ),
        ),
        iso_f=report.beta,
    )
