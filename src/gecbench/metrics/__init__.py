"""Metrics, one file for each family.

A new metric is a class that derives from `Metric`, and a line in the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

from gecbench.core.errors import UsageError
from gecbench.core.registry import resolve

if TYPE_CHECKING:
    from gecbench.scoring.metric import Metric

METRICS: Mapping[str, str] = {
    "char-bleu": "gecbench.metrics.char_bleu:CharBleu",
    "cherrant": "gecbench.metrics.edits:Cherrant",
    "cleme": "gecbench.metrics.cleme:Cleme",
    "cleme2": "gecbench.metrics.cleme:Cleme2",
    "edits": "gecbench.metrics.edits:Edits",
    "errant": "gecbench.metrics.edits:Errant",
    "gleu": "gecbench.metrics.gleu:Gleu",
    "gleu-frequency": "gecbench.metrics.gleu:GleuFrequency",
    "green": "gecbench.metrics.green:Green",
    "i-measure": "gecbench.metrics.i_measure:IMeasure",
    "impara": "gecbench.metrics.reference_free:Impara",
    "llm-judge": "gecbench.metrics.llm_judge:LlmJudge",
    "m2": "gecbench.metrics.m2:M2",
    "meaning-preservation": "gecbench.metrics.meaning_preservation:MeaningPreservation",
    "mp-prime": "gecbench.metrics.meaning_preservation:MpPrime",
    "pt-errant": "gecbench.metrics.pt_errant:PtErrant",
    "scribendi": "gecbench.metrics.reference_free:Scribendi",
    "sent-cleme": "gecbench.metrics.cleme:SentenceCleme",
    "sent-cleme2": "gecbench.metrics.cleme:SentenceCleme2",
    "sent-gleu": "gecbench.metrics.gleu:SentenceGleu",
    "sent-m2": "gecbench.metrics.m2:SentenceM2",
    "sentence-accuracy": "gecbench.metrics.sentence_accuracy:SentenceAccuracy",
    "some": "gecbench.metrics.reference_free:Some",
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


def make_metrics(
    names: Sequence[str],
    shared: Mapping[str, object],
    settings: Mapping[str, str],
    *,
    chosen: Mapping[str, str],
    segmenter: bool = False,
) -> list[Metric[Any]]:
    """Make metrics with their options set.

    Args:
        names: As in `METRICS`.
        shared: Values of fields, for metrics that have them.
        settings: Texts by "metric.option".
        chosen: Options that somebody set for all metrics, by name: the field that each fills.
        segmenter: Whether somebody chose one.

    Raises:
        UsageError: A setting is of a metric that is not asked for, unknown, or wrong; or no metric
            takes an option.
    """
    for setting in settings:
        name, dot, _ = setting.partition(".")
        if not dot or name not in names:
            raise UsageError(
                f"setting {setting!r} is of no metric asked for ({', '.join(names)}); "
                "write METRIC.OPTION=VALUE"
            )
    kinds = {name: metric_class(name) for name in names}
    known = {field.name for kind in kinds.values() for field in fields(kind)}
    for option, field in chosen.items():
        if field not in known:
            raise UsageError(
                f"no metric of {', '.join(names)} has the option {option}; leave it out"
            )
    if segmenter and not any(kind.needs == "gold_edits" for kind in kinds.values()):
        raise UsageError(
            f"no metric of {', '.join(names)} divides texts by a segmenter; leave it out"
        )
    metrics = []
    for name, kind in kinds.items():
        defaults = {field.name: field.default for field in fields(kind) if field.init}
        values: dict[str, Any] = {key: value for key, value in shared.items() if key in defaults}
        if settings:
            values |= _read_settings(name, settings, defaults)
        metrics.append(kind(**values))
    return metrics


def _read_settings(
    name: str, settings: Mapping[str, str], known: Mapping[str, object]
) -> dict[str, object]:
    """The settings of one metric, by its fields."""
    values: dict[str, object] = {}
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
    return values


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
