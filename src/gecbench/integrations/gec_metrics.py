"""The metrics of gecbench as a metric of gec-metrics (Goto, Sakai and Watanabe, 2025)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gecbench.analysis.meta import sentence_values
from gecbench.api.files import in_language
from gecbench.api.options import AnyScheme, Options
from gecbench.api.score import collect_stats, corpus_of_texts
from gecbench.core.errors import UsageError, count_noun
from gecbench.scoring.metric import Metric

_Base: Any = (
    import_module("gec_metrics.metrics").MetricBaseForReferenceBased
    if find_spec("gec_metrics")
    else object
)


class GecbenchMetric(_Base):  # type: ignore[misc]  # it may not be there
    """A metric of gecbench with the methods of gec-metrics' `MetricBaseForReferenceBased`.

    It is one where gec-metrics is installed; without, only TrueSkill is missing. References are
    given as there: a list for each annotator, with a text for each sentence.

    >>> metric = GecbenchMetric(GecbenchMetric.Config(metric="green"))
    >>> metric.score_corpus(["He go ."], ["He goes ."], [["He went ."], ["He goes ."]])
    1.0
    """

    @dataclass
    class Config:
        """What is scored, and how.

        Args:
            metric: Name of the metric.
            language: Code of the language of the texts; None detects it.
            scheme: As in `gecbench.score`.
            options: See there; its metrics are not looked at.
        """

        metric: str = "errant"
        language: str | None = "en"
        scheme: AnyScheme = None
        options: Options | None = None

    def __init__(self, config: Config | None = None) -> None:
        """Take the configuration, or its defaults."""
        super().__init__()
        self.config = config or self.Config()

    def score_corpus(
        self, sources: list[str], hypotheses: list[str], references: list[list[str]]
    ) -> float:
        """Score a system, in [0, 1]."""
        return self.rank_systems(sources, [hypotheses], references)[0]

    def score_sentence(
        self, sources: list[str], hypotheses: list[str], references: list[list[str]]
    ) -> list[float]:
        """Score each sentence by itself, as GLEU does, or by the reference that is best for it."""
        return self._sentence_scores(sources, [hypotheses], references)[0]

    def score_pairwise(
        self, sources: list[str], hypotheses: list[list[str]], references: list[list[str]]
    ) -> list[list[list[int]]]:
        """Compare systems on each sentence: 1 where the first is better, -1 where the second.

        Returns:
            Shape (sentences, systems, systems).
        """
        by_system = self._sentence_scores(sources, hypotheses, references)
        return [
            [[(first > second) - (first < second) for second in scores] for first in scores]
            for scores in zip(*by_system, strict=True)
        ]

    def rank_systems(
        self,
        sources: list[str],
        hypotheses: list[list[str]],
        references: list[list[str]],
        aggregation: str = "default",
    ) -> list[float]:
        """Score each system; what sources and references are read for is shared.

        Args:
            sources: A text for each sentence.
            hypotheses: The texts of each system.
            references: The texts of each annotator.
            aggregation: "default", or "trueskill", which makes scores of all comparisons.

        Raises:
            UsageError: TrueSkill is asked for, and gec-metrics is not installed.
        """
        if aggregation == "default":
            metric, rows = self._stats(sources, hypotheses, references)
            return [metric.aggregate(stats).value for stats in rows]
        if _Base is object:
            raise UsageError(
                f"aggregation is {aggregation!r}, which needs gec-metrics; run: pip install "
                "gec-metrics"
            )
        scores: list[float] = super().rank_systems(
            sources, hypotheses, references, aggregation=aggregation
        )
        return scores

    def _sentence_scores(
        self, sources: list[str], hypotheses: list[list[str]], references: list[list[str]]
    ) -> list[list[float]]:
        metric, rows = self._stats(sources, hypotheses, references)
        by_system = [sentence_values(metric, stats) for stats in rows]
        for values in by_system:
            if None in values:
                raise UsageError(
                    f"{self.config.metric} has no value for sentence {values.index(None) + 1}; "
                    "gec-metrics takes metrics that have one for each"
                )
        return [[value for value in values if value is not None] for values in by_system]

    def _stats(
        self, sources: list[str], hypotheses: list[list[str]], references: list[list[str]]
    ) -> tuple[Metric[Any], list[Sequence[Any]]]:
        """The metric, and for each system the statistics of its sentences.

        Raises:
            UsageError: Small scores are good ones, which gec-metrics cannot know; or the metric is
                not for this language.
        """
        name = self.config.metric
        for at, texts in enumerate(references):
            if len(texts) != len(sources):
                raise UsageError(
                    f"references[{at}] has {count_noun(len(texts), 'item')}, sources "
                    f"{len(sources)}; give a list for each annotator, with a text for each sentence"
                )
        systems = {str(number): texts for number, texts in enumerate(hypotheses)}
        by_sentence = list(zip(*references, strict=True))
        corpus, outputs = corpus_of_texts(sources, systems, by_sentence)
        run = collect_stats(
            in_language(corpus, self.config.language),
            outputs,
            scheme=self.config.scheme,
            options=replace(self.config.options or Options(), metrics=(name,)),
        )
        metric = run.metrics[name]
        if not metric.higher_is_better:
            raise UsageError(f"less is better in {name}; gec-metrics takes metrics where more is")
        if name in run.refused:
            raise UsageError(run.refused[name])
        return metric, [run.rows[system, name] for system in systems]
