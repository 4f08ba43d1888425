"""Metrics, one file for each family.

A new metric is a class that derives from `Metric`, and a line in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

from gecbench.core.errors import UsageError
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
    """The class of a metric.

    Raises:
        UnknownNameError: There is no metric of that name.
    """
    return cast("type[Metric[Any]]", resolve("metric", name, METRICS))


_SHARED = ("level", "beta", "choice", "chosen", "context")
"""Options that metrics have in common; they are not set as one metric's own."""


def make_metric(
    name: str, shared: Mapping[str, object], settings: Mapping[str, str]
) -> Metric[Any]:
    """Make a metric with its options set.

    Args:
        name: As in `METRICS`.
        shared: Values of fields, for metrics that have them.
        settings: Texts by "metric.option"; those of other metrics are left alone.

    Raises:
        UsageError: The metric has no such option of its own, or the value is wrong.
    """
    kind = metric_class(name)
    known = {field.name: field.default for field in fields(kind) if field.init}
    values: dict[str, Any] = {key: value for key, value in shared.items() if key in known}
    for setting, text in settings.items():
        metric, _, option = setting.partition(".")
        if metric != name:
            continue
        option = option.replace("-", "_")
        options = sorted(known.keys() - set(_SHARED))
        if option not in options:
            raise UsageError(
                f"metric {name} has no option {option!r} of its own; "
                f"it has: {', '.join(options) or 'none'}"
            )
        values[option] = _value(setting, text, known[option])
    return kind(**values)


def _value(setting: str, text: str, default: object) -> object:
    """A text as what its default is; the metric checks what it may be."""
    if isinstance(default, bool):
        if text.lower() not in ("yes", "no", "true", "false"):
            raise UsageError(f"{setting} is {text!r}; yes or no")
        return text.lower() in ("yes", "true")
    if isinstance(default, (int, float)):
        try:
            return type(default)(text)
        except ValueError:
            raise UsageError(f"{setting} is {text!r}; it takes a number") from None
    return text
