"""Scores as tables, JSON, CSV or LaTeX; and each sentence's as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from gecbench.core.score import Counts, Score
from gecbench.reports.grid import as_csv, as_latex, as_text
from gecbench.reports.tables import count_grids, overview, subset_name
from gecbench.scoring.results import RESULT_SCHEMA, Result, ScoreReport, by_tier

Entry = dict[str, object]


def render(reports: Sequence[ScoreReport], format: str, *, tier: int | None = None) -> str:
    """Return reports as text, json, csv or latex.

    Args:
        reports: What was found, one for each corpus.
        format: One of these four.
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
    if format == "latex":
        return "\n".join(as_latex(grid, about) for grid in grids)
    return "\n".join([*map(as_text, grids), about])


def _about(report: ScoreReport) -> str:
    left_out = ", ".join(f"{count} left out: {why}" for why, count in report.left_out.items())
    lines = [
        f"{report.corpus}: {report.sentences} sentences, {report.scored} scored"
        + (f" ({left_out})" if left_out else "")
    ]
    lines += [f"note: {note}" for note in report.notes]
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
