"""Metrics, one file for each family.

A new metric is a class that derives from `Metric`, and a line in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from gecbench.core.registry import resolve

if TYPE_CHECKING:
    from gecbench.scoring.metric import Metric

METRICS: Mapping[str, str] = {
    "char-bleu": "gecbench.metrics.char_bleu:CharBleu",
    "cherrant": "gecbench.metrics.edits:Cherrant",
    "edits": "gecbench.metrics.edits:Edits",
    "errant": "gecbench.metrics.edits:Errant",
    "gleu": "gecbench.metrics.gleu:Gleu",
    "gleu-frequency": "gecbench.metrics.gleu:GleuFrequency",
    "green": "gecbench.metrics.green:Green",
    "m2": "gecbench.metrics.m2:M2",
    "meaning-preservation": "gecbench.metrics.meaning_preservation:MeaningPreservation",
    "mp-prime": "gecbench.metrics.meaning_preservation:MpPrime",
    "sent-gleu": "gecbench.metrics.gleu:SentenceGleu",
    "sent-m2": "gecbench.metrics.m2:SentenceM2",
    "sentence-accuracy": "gecbench.metrics.sentence_accuracy:SentenceAccuracy",
}
"""Name to the class of the metric."""


def metric_class(name: str) -> type[Metric[Any]]:
    """Return the class of a metric.

    Raises:
        UnknownNameError: There is no metric of that name.
    """
    return cast("type[Metric[Any]]", resolve("metric", name, METRICS))
