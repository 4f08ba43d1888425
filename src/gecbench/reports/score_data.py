"""Scores as JSON, as CSV, and sentence by sentence as JSON lines; not rounded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from gecbench.core.score import Counts
from gecbench.reports.report import Column, Table, Value, Words, as_json, table_csv
from gecbench.reports.scores import signatures_of, subset_name
from gecbench.scoring.results import RESULT_SCHEMA, Result, ScoreReport, by_tier

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


def scores_json(scores: Sequence[ScoreReport], tier: int | None) -> str:
    """Write the scores of each corpus; counts by type are at a tier of the labels, else at 3."""
    corpora = [_report_json(report, tier or 3) for report in scores]
    single = len(corpora) == 1
    return as_json(corpora[0] if single else {"schema": RESULT_SCHEMA, "corpora": corpora})


def scores_csv(scores: Sequence[ScoreReport], tier: int | None) -> str:
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
