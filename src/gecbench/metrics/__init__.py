"""Metrics, one file each.

A new metric is one file with its class and one line in the table.
"""

from __future__ import annotations

from collections.abc import Mapping

METRICS: Mapping[str, str] = {
    "char-bleu": "gecbench.metrics.char_bleu:CharBleu",
    "cherrant": "gecbench.metrics.cherrant:Cherrant",
    "errant": "gecbench.metrics.errant:Errant",
    "gleu": "gecbench.metrics.gleu:Gleu",
    "gleu-frequency": "gecbench.metrics.gleu_frequency:GleuFrequency",
    "green": "gecbench.metrics.green:Green",
    "m2": "gecbench.metrics.m2:M2",
    "meaning-preservation": "gecbench.metrics.meaning_preservation:MeaningPreservation",
    "mp-prime": "gecbench.metrics.meaning_preservation:MpPrime",
    "sent-gleu": "gecbench.metrics.sent_gleu:SentenceGleu",
    "sent-m2": "gecbench.metrics.sent_m2:SentenceM2",
    "sentence-accuracy": "gecbench.metrics.sentence_accuracy:SentenceAccuracy",
}
"""Name to the class of the metric."""
