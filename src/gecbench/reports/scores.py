"""Scores as a table, JSON, CSV or LaTeX; and each sentence's as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gecbench.core.score import Counts
from gecbench.reports.grid import Grid, as_csv, as_latex, as_text
from gecbench.scoring.results import RESULT_SCHEMA, Result, ScoreReport, by_tier

Entry = dict[str, object]


def render(report: ScoreReport, format: str, *, tier: int | None = None) -> str:
    """Return a report as text, json, csv or latex.

    Args:
        report: What was found.
        format: One of these four.
        tier: Also show counts by type, at this tier of the labels; JSON has them always, at
            tier 3 unless one is named.
    """
    if format == "json":
        return json.dumps(_object(report, tier), ensure_ascii=False, indent=1) + "\n"
    if format == "csv":
        return _csv(report, tier)
    grids = _grids(report, tier)
    if format == "latex":
        return "\n".join(as_latex(grid, _about(report)) for grid in grids)
    return "\n".join([*map(as_text, grids), _about(report)])


def _about(report: ScoreReport) -> str:
    left_out = ", ".join(f"{count} left out: {why}" for why, count in report.left_out.items())
    lines = [
        f"{report.corpus}: {report.sentences} sentences, {report.scored} scored"
        + (f" ({left_out})" if left_out else "")
    ]
    lines += [f"note: {note}" for note in report.notes]
    lines += [f"signature: {signature}" for signature in _signatures(report.results)]
    return "\n".join(lines) + "\n"


def _signatures(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(str(result.score.signature) for result in results))


def _subset(result: Result) -> str:
    return "(all)" if result.subset is None else result.subset or "(empty)"


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def _cells(counts: Counts, beta: float) -> tuple[str, ...]:
    ratios = (counts.precision, counts.recall, counts.f(beta))
    return (str(counts.tp), str(counts.fp), str(counts.fn), *map(_percent, ratios))


def _grids(report: ScoreReport, tier: int | None) -> list[Grid]:
    with_metric = len({result.metric for result in report.results}) > 1
    with_subset = any(result.subset is not None for result in report.results)
    names = ["system", *["metric"] * with_metric, *["subset"] * with_subset]
    numbers = ("TP", "FP", "FN", "P", "R", f"F{report.beta:g}")
    rows: list[tuple[str, ...]] = []
    typed: list[tuple[str, ...]] = []
    for result in report.results:
        subset = _subset(result)
        words = (result.system, *[result.metric] * with_metric, *[subset] * with_subset)
        if result.score.counts is None:
            rows.append((*words, "", "", "", "", "", _percent(result.score.value)))
            continue
        rows.append((*words, *_cells(result.score.counts, report.beta)))
        for label, counts in by_tier(result.score.by_type or {}, tier or 3).items():
            typed.append((*words, label, *_cells(counts, report.beta)))
    grids = [Grid((*names, *numbers), tuple(rows), len(names))]
    if tier:
        grids.append(Grid((*names, "type", *numbers), tuple(typed), len(names) + 1))
    return grids


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
    entry["signature"] = str(result.score.signature)
    entry["sentences"] = result.sentences
    entry["value"] = result.score.value
    if result.score.counts is not None:
        entry |= _entry(result.score.counts, beta)
    if result.score.by_type is not None:
        types = by_tier(result.score.by_type, tier)
        entry["by_type"] = {label: _entry(counts, beta) for label, counts in types.items()}
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


def _csv(report: ScoreReport, tier: int | None) -> str:
    numbers = ("tp", "fp", "fn", "precision", "recall", "f")
    header = ("system", "metric", "subset", "type", "sentences", "value", *numbers, "signature")
    rows: list[tuple[object, ...]] = []
    for result in report.results:
        words = (result.system, result.metric, _subset(result))
        signature = str(result.score.signature)
        typed = {"": result.score.counts}
        if tier:
            typed |= by_tier(result.score.by_type or {}, tier)
        for label, counts in typed.items():
            cells = _entry(counts, report.beta) if counts else {}
            value = cells["f"] if label else result.score.value
            places = (cells.get(name, "") for name in numbers)
            rows.append((*words, label, result.sentences, value, *places, signature))
    return as_csv(header, rows)


def render_sentences(report: ScoreReport) -> str:
    """Return one JSON line for each system, metric and sentence, after a header line.

    `chosen` is the place of the pairing that counts in `pairings`, null where the sentence is
    left out; `pairings` has counts against every reference.
    """
    header = {
        "format": "gecbench-sentences",
        "schema": RESULT_SCHEMA,
        "corpus": report.corpus,
        "signatures": _signatures(report.results),
    }
    lines = [json.dumps(header, ensure_ascii=False)]
    for (system, metric), sentences in report.per_sentence.items():
        for sentence in sentences:
            pairings = [
                {
                    "hypothesis": pairing.hypothesis,
                    "reference": pairing.reference,
                    "tp": pairing.counts.tp,
                    "fp": pairing.counts.fp,
                    "fn": pairing.counts.fn,
                    "by_type": {
                        label: [counts.tp, counts.fp, counts.fn]
                        for label, counts in sorted(pairing.by_type.items())
                    },
                }
                for pairing in sentence.pairings
            ]
            chosen = None if sentence.chosen is None else sentence.pairings.index(sentence.chosen)
            entry = {"system": system, "metric": metric, "id": sentence.id}
            lines.append(
                json.dumps({**entry, "chosen": chosen, "pairings": pairings}, ensure_ascii=False)
            )
    return "\n".join(lines) + "\n"
