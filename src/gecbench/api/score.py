"""Scoring systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gecbench.api.edits import Watch, unwatched
from gecbench.api.judge import LEFT_OUT, judge
from gecbench.api.options import Options
from gecbench.api.parts import subsets
from gecbench.core.case import Case
from gecbench.core.errors import MissingExtraError
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.core.score import Interval
from gecbench.scoring.judged import Judged
from gecbench.scoring.metric import Metric
from gecbench.scoring.results import Result, ScoreReport, SentenceResult


def score(
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    *,
    scheme: Scheme | str | Callable[[], Scheme] | None = None,
    options: Options | None = None,
    watch: Watch = unwatched,
) -> ScoreReport:
    """Return how systems fare on a corpus.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Their outputs, joined to this corpus.
        scheme: A scheme, or the name of one, that finds all edits, anew where texts are known
            with edits; or a function that gives a scheme, asked only where edits are not given;
            None means the default of the corpus's language, likewise.
        options: How to score.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    options = options or Options()
    return summed(judge(corpus, systems, scheme=scheme, options=options, watch=watch), options)


def summed(judged: Judged, options: Options) -> ScoreReport:
    """Return the scores of what was judged, with the subsets and intervals of the options.

    Raises:
        CorpusError: A sentence lacks the metadata field of the subsets.
        MissingExtraError: What a metric needs is not installed, and no other is asked for.
    """
    groups = subsets(judged.corpus, options.by)
    run = _Summing(judged, options, groups)
    uncorrectable = max((list(rows).count(None) for rows in judged.rows.values()), default=0)
    left_out = {LEFT_OUT: uncorrectable, **judged.left_out}
    results = tuple(run.results())
    return ScoreReport(
        corpus=judged.corpus.name,
        sentences=len(judged.corpus.samples) + sum(judged.left_out.values()),
        left_out={reason: count for reason, count in left_out.items() if count},
        beta=options.beta,
        results=results,
        per_sentence=run.sentences() if options.per_sentence else {},
        notes=judged.notes,
    )


@dataclass(slots=True)
class _Summing:
    """What was judged, summed up by metric and system."""

    judged: Judged
    options: Options
    groups: Mapping[str | None, list[int]]
    places: dict[int, Any] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def results(self) -> list[Result]:
        """Return the scores, metric by metric and system by system."""
        found: list[Result] = []
        for name, metric in self.judged.metrics.items():
            why = self.judged.refused.get(name)
            try:
                own = [] if why else self._by_system(metric)
            except MissingExtraError as error:
                if len(self.judged.metrics) == 1:
                    raise
                own, why = [], f"{name}: {error}"
                self.missing[name] = why
            found += own or [Result(system, name, None, None, why) for system in self._systems]
        return found

    def sentences(self) -> dict[tuple[str, str], tuple[SentenceResult, ...]]:
        """Return what each metric says of each sentence, metric by metric."""
        return {
            (system, name): _sentences(metric, self.judged.cases[system], rows)
            for name, metric in self.judged.metrics.items()
            for (system, of), rows in self.judged.rows.items()
            if of == name and name not in self.missing
        }

    @property
    def _systems(self) -> Sequence[str]:
        return list(self.judged.systems)

    def _by_system(self, metric: Metric[Any]) -> list[Result]:
        rows = self.judged.rows
        return [
            result
            for system in self._systems
            for result in self._results(metric, system, rows[system, metric.name])
        ]

    def _results(self, metric: Metric[Any], system: str, rows: Sequence[Any]) -> list[Result]:
        results = []
        for subset, members in self.groups.items():
            # Whatever goes through the corpus starts anew in each subset.
            part = [rows[at] for at in members if rows[at] is not None]
            if not part:
                why = f"{metric.name}: no sentence to score"
                why += f" in subset {subset!r}" if subset is not None else ""
                results.append(Result(system, metric.name, subset, None, why))
                continue
            made = metric.aggregate(part)
            if self.options.resamples:
                made = replace(made, interval=self._interval(metric, part))
            better = metric.higher_is_better
            results.append(Result(system, metric.name, subset, made, None, better))
        return results

    def _interval(self, metric: Metric[Any], rows: Sequence[Any]) -> Interval:
        from gecbench.scoring.resample import draws, interval

        count, seed = self.options.resamples, self.options.seed
        if len(rows) not in self.places:
            self.places = {len(rows): draws(len(rows), resamples=count, seed=seed)}
        found = interval(metric.resample(rows, self.places[len(rows)]))
        return replace(found, resamples=count, seed=seed)


def _sentences(
    metric: Metric[Any], cases: Sequence[Case], rows: Sequence[Any]
) -> tuple[SentenceResult, ...]:
    values = iter(metric.sentences([row for row in rows if row is not None]))
    return tuple(
        SentenceResult(case.id, None if row is None else next(values))
        for case, row in zip(cases, rows, strict=True)
    )
