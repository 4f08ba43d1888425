"""Scores as JSON, as CSV, and sentence by sentence as JSON lines; not rounded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Self

from msgspec import UNSET, Struct, UnsetType, structs

from gecbench.core.score import Counts
from gecbench.reports.report import Column, Table, Value, Words, as_json, table_csv
from gecbench.reports.scores import signatures_of, subset_name
from gecbench.scoring.results import RESULT_SCHEMA, Result, ScoreReport, by_tier

_COUNTS = ("tp", "fp", "fn", "precision", "recall", "f")
_INTERVAL = ("low", "high", "resamples", "seed")


class _CountsJson(Struct, kw_only=True):
    """Counts with what follows from them."""

    precision: float
    recall: float
    f: float
    tp: int
    fp: int
    fn: int

    @classmethod
    def of(cls, counts: Counts, beta: float) -> Self:
        """Compute F with a weight of recall."""
        return cls(
            precision=counts.precision, recall=counts.recall, f=counts.f(beta), **asdict(counts)
        )


class _IntervalJson(Struct, kw_only=True):
    method: str = "percentile bootstrap"
    low: float
    high: float
    level: float
    resamples: int
    seed: int


class _ResultJson(Struct, kw_only=True):
    """A score, or a note on why there is none."""

    system: str
    metric: str
    subset: str | UnsetType = UNSET
    signature: str | UnsetType = UNSET
    sentences: int | UnsetType = UNSET
    value: float | None
    note: str | UnsetType | None = UNSET
    interval: _IntervalJson | UnsetType = UNSET
    precision: float | UnsetType = UNSET
    recall: float | UnsetType = UNSET
    f: float | UnsetType = UNSET
    tp: int | UnsetType = UNSET
    fp: int | UnsetType = UNSET
    fn: int | UnsetType = UNSET
    by_type: Mapping[str, _CountsJson] | UnsetType = UNSET
    parts: Mapping[str, float] | UnsetType = UNSET

    @classmethod
    def of(cls, result: Result, beta: float, tier: int) -> Self:
        """Count types at a tier of the labels."""
        score = result.score
        json = cls(
            system=result.system,
            metric=result.metric,
            subset=UNSET if result.subset is None else result.subset,
            value=None if score is None else score.value,
        )
        if score is None:
            return structs.replace(json, note=result.note)
        counts = structs.asdict(_CountsJson.of(score.counts, beta)) if score.counts else {}
        types = None if score.by_type is None else by_tier(score.by_type, tier)
        return structs.replace(
            json,
            signature=str(score.signature),
            sentences=score.sentences,
            interval=_IntervalJson(**asdict(score.interval)) if score.interval else UNSET,
            by_type=UNSET
            if types is None
            else {label: _CountsJson.of(counts, beta) for label, counts in types.items()},
            parts=score.parts or UNSET,
            **counts,
        )


class _CorpusJson(Struct, kw_only=True):
    name: str
    sentences: int
    scored: int
    skipped: Mapping[str, int]


class _ScoresJson(Struct, kw_only=True):
    """The scores of one corpus, as they are printed."""

    schema: int = RESULT_SCHEMA
    corpus: _CorpusJson
    notes: Sequence[str]
    results: Sequence[_ResultJson]

    @classmethod
    def of(cls, scores: ScoreReport, tier: int) -> Self:
        """Count types at a tier of the labels."""
        return cls(
            corpus=_CorpusJson(
                name=scores.corpus,
                sentences=scores.sentences,
                scored=scores.scored,
                skipped=scores.left_out,
            ),
            notes=scores.notes,
            results=[_ResultJson.of(result, scores.beta, tier) for result in scores.results],
        )


def scores_json(scores: Sequence[ScoreReport], tier: int | None) -> str:
    """Write the scores of each corpus; counts by type are at a tier of the labels, else at 3."""
    corpora = [_ScoresJson.of(report, tier or 3) for report in scores]
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
        values = structs.asdict(_CountsJson.of(counts, scores.beta)) if counts else {}
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
