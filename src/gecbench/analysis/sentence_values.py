"""One number for each sentence, by any metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gecbench.scoring.judged import Judged
from gecbench.scoring.metric import Metric


def sentence_values(metric: Metric[Any], rows: Sequence[Any]) -> list[float]:
    """Return what a metric says of each sentence as one number.

    Where it has one by itself, as GLEU and the means over sentences, that; else the score of a
    corpus of this sentence alone, as for the metrics that add up edits: then each sentence takes
    the reference that is best for it.

    Args:
        metric: Whose rows these are.
        rows: Statistics of each sentence.
    """
    said = metric.sentences(rows)
    own = [each.get("value") for each in said]
    return [
        float(value) if isinstance(value, (int, float)) else metric.aggregate([row]).value
        for value, row in zip(own, rows, strict=True)
    ]


def sentence_scores_of(judged: Judged) -> dict[str, dict[tuple[str, str], float]]:
    """Return scores of sentences of which greater is better: by metric, then source and system.

    Sentences that a metric leaves out are not there.
    """
    ids = [sample.id for sample in judged.corpus.samples]
    found: dict[str, dict[tuple[str, str], float]] = {}
    for name, metric in judged.metrics.items():
        if name in judged.refused:
            continue
        sign = 1 if metric.higher_is_better else -1
        places = judged.scored(name)
        found[name] = {}
        for system in judged.systems:
            values = sentence_values(metric, [judged.rows[system, name][at] for at in places])
            for at, value in zip(places, values, strict=True):
                found[name][ids[at], system] = sign * value
    return found
