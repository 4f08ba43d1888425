"""The metrics of gecbench as a metric of Hugging Face evaluate.

evaluate copies this file and imports the copy, so that it cannot import its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import datasets
import evaluate

import gecbench

_DESCRIPTION = """
Metrics of grammatical error correction: ERRANT, ChERRANT, GLEU, GREEN, CLEME and others, with the
numbers of their official scorers.
"""

_INPUTS = """
Args:
    sources: what learners wrote, a text for each sentence.
    predictions: what a system made of them.
    references: for each sentence a list of corrections, or its only one.
    metrics: names of metrics; else the one that was named to load, else that of the language.
    lang: code of the language of the texts; it is detected if it is not given.
    scheme, options: as in gecbench.score_texts.

Returns:
    A dict with the value of each metric by its name, in [0, 1], and with NAME_signature, which
    says how it was made. Metrics that count edits have NAME_precision, NAME_recall, NAME_tp,
    NAME_fp and NAME_fn, too.
"""

_CITATION = "The papers of the metrics are named in CITATION.cff of gecbench."


class GecbenchScore(evaluate.Metric):  # type: ignore[misc]  # evaluate is not typed
    """Scores of one system by any metrics of gecbench."""

    def _info(self) -> Any:
        text = datasets.Value("string")
        columns = {"sources": text, "predictions": text}
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=[
                datasets.Features({**columns, "references": datasets.Sequence(text)}),
                datasets.Features({**columns, "references": text}),
            ],
        )

    def _compute(
        self,
        sources: Sequence[str],
        predictions: Sequence[str],
        references: Sequence[Sequence[str]] | Sequence[str],
        metrics: Sequence[str] = (),
        lang: str | None = None,
        scheme: Any = None,
        options: gecbench.Options | None = None,
    ) -> dict[str, Any]:
        if not metrics and self.config_name != "default":
            metrics = (self.config_name,)
        report = gecbench.score_texts(
            sources,
            predictions,
            references,
            lang=lang,
            metrics=metrics,
            scheme=scheme,
            options=options,
        )
        return dict(pair for result in report.results for pair in _values(result))


def _values(result: Any) -> Iterator[tuple[str, Any]]:
    """The value of a metric by its name, and what else is known of it."""
    name, score = result.metric, result.score
    if score is None:
        yield from ((name, None), (f"{name}_note", result.note))
        return
    yield name, score.value
    if score.counts:
        for count in ("precision", "recall", "tp", "fp", "fn"):
            yield f"{name}_{count}", getattr(score.counts, count)
    yield f"{name}_signature", str(score.signature)
