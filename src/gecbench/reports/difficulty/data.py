"""What of difficulty goes into JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gecbench.analysis.difficulty.across import Across, across
from gecbench.analysis.difficulty.ranks import Ranked, ranked
from gecbench.analysis.difficulty.result import Difficulty, SystemScores
from gecbench.analysis.difficulty.scores import Tally
from gecbench.reports.difficulty.tables import ACCURACIES, Measures, beta, f_measures

Entry = dict[str, object]


def data(results: Sequence[Difficulty]) -> Mapping[str, object]:
    """Return JSON values, not rounded."""
    made: Entry = {"results": [_result(result, f_measures(results)) for result in results]}
    if len(results) > 1:
        weight = beta(results)
        made["across"] = {
            "results": [
                {"corpus": result.corpus, "reference": result.reference} for result in results
            ],
            "f": [_across(one) for one in across(results, lambda o: o.weighted.f(weight))],
            "accuracy": [_across(one) for one in across(results, ACCURACIES[0])],
        }
    return made


def _across(one: Across) -> Entry:
    return {
        "system": one.system,
        "values": list(one.values),
        "ranks": list(one.ranks),
        "mean": one.mean,
        "deviation": one.deviation,
    }


def _result(result: Difficulty, by_f: Measures) -> Entry:
    weighting = result.weighting
    return {
        "corpus": result.corpus,
        "reference": result.reference,
        "sentences": len(result.sheet.ids),
        "chunks": result.sheet.size,
        "errors": result.sheet.errors,
        "weights": {
            "a": weighting.a,
            "b": weighting.b,
            "c": weighting.c,
            "systems": result.voters,
            "from": result.origin,
        },
        "beta": result.beta,
        "systems": [_system(one, result.beta) for one in result.scores],
        "ranking": {
            "f": _ranking(result, by_f),
            "accuracy": _ranking(result, ACCURACIES),
        },
        "types": {
            str(level): [
                {
                    "label": one.label,
                    "mean": one.mean,
                    "deviation": one.deviation,
                    "errors": one.count,
                }
                for one in found
            ]
            for level, found in result.types.items()
        },
        "difficulty": _sentences(result),
        "notes": list(result.notes),
        "signature": str(result.signature),
    }


def _system(one: SystemScores, beta: float) -> Entry:
    even = one.break_even
    return {
        "system": one.system,
        "weighted": _tally(one.weighted, beta),
        "plain": _tally(one.plain, beta),
        "corrected": one.corrected,
        "alone": one.alone,
        "break_even": None
        if even is None
        else {"level": even.level, "ahead": even.ahead, "possible": even.possible},
    }


def _tally(tally: Tally, beta: float) -> Entry:
    return {
        "tp": tally.tp,
        "fp": tally.fp,
        "fn": tally.fn,
        "tn": tally.tn,
        "all": tally.all,
        "precision": tally.precision,
        "recall": tally.recall,
        "f": tally.f(beta),
        "accuracy": tally.accuracy,
    }


def _ranking(result: Difficulty, measures: Measures) -> list[Entry]:
    names = [one.system for one in result.scores]
    weighted, plain = ([of(one) for one in result.scores] for of in measures)
    return [_ranked(one) for one in ranked(names, weighted, plain)]


def _ranked(one: Ranked) -> Entry:
    return {
        "system": one.system,
        "value": one.value,
        "rank": one.rank,
        "plain": one.other,
        "plain_rank": one.other_rank,
        "change": one.change,
    }


def _sentences(result: Difficulty) -> list[Entry]:
    """Return the errors of each sentence with their weights, and what is wrongly changed."""
    made: list[Entry] = []
    for at, sentence in enumerate(result.sentences):
        edits = result.sheet.references[at].edits
        made.append(
            {
                "id": sentence.id,
                "value": sentence.value,
                "edits": [
                    {
                        "start": edit.start,
                        "end": edit.end,
                        "correction": None if edit.replacement is None else list(edit.replacement),
                        "type": edit.label,
                        "weight": weight,
                    }
                    for edit, weight in zip(edits, sentence.references[0], strict=True)
                ],
                "changed": [
                    {"start": one.start, "end": one.end, "weight": one.weight}
                    for one in sentence.wrong[0]
                ],
            }
        )
    return made
