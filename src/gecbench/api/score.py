"""Scoring systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from gecbench import __version__
from gecbench.api.edits import Watch, unwatched
from gecbench.api.oddities import check_outputs, edit_notes, oddities
from gecbench.api.options import Options, make_metrics
from gecbench.api.parts import places, subsets
from gecbench.api.schemes import check_language, default_scheme, language, load_scheme
from gecbench.api.texts import (
    Segmenter,
    divided_otherwise,
    normalised,
    segmenter,
    unsegmented,
)
from gecbench.core.case import Case, Part
from gecbench.core.errors import MissingExtraError, UsageError
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.core.score import Interval
from gecbench.scoring.cases import Cases
from gecbench.scoring.metric import Metric
from gecbench.scoring.normalising import change_notes
from gecbench.scoring.results import Result, ScoreReport, SentenceResult

_SPAN_METRICS = {"zh": "cherrant", "en": "errant"}
_LEFT_OUT = "no annotator could correct it"


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
    names = [system.system for system in systems]
    if len(set(names)) < len(names):
        raise UsageError(
            f"two systems have one name among {', '.join(names)}; name them apart: NAME=FILE"
        )
    check_outputs(corpus, systems)
    wanted, left_out = places(corpus, options)
    notes = oddities(corpus, systems)
    kept = replace(corpus, samples=tuple(corpus.samples[place] for place in wanted))
    lang = language(kept)
    texts = kept, systems
    kept, systems, changes = normalised(kept, systems, options.normalise)
    if options.normalise:
        notes += change_notes(texts, (kept, systems))
    asked = options.metrics or (_SPAN_METRICS.get(lang, "errant"),)
    metrics = make_metrics(asked, options, lang)
    run = _Run(kept, lang, options, _Maker(kept, scheme), changes, watch)
    return run.report(metrics, systems, left_out, notes)


@dataclass(slots=True)
class _Maker:
    """Gives the scheme when it is first asked for."""

    corpus: Corpus
    wanted: Scheme | str | Callable[[], Scheme] | None
    made: Scheme | None = field(default=None)

    @property
    def anew(self) -> bool:
        """Whether edits are found also where they are given."""
        return isinstance(self.wanted, (Scheme, str))

    def __call__(self) -> Scheme:
        if self.made is None:
            if self.wanted is None or isinstance(self.wanted, str):
                self.made = load_scheme(self.wanted or default_scheme(self.corpus))
            else:
                self.made = self.wanted if isinstance(self.wanted, Scheme) else self.wanted()
            check_language(self.corpus, self.made)
        return self.made


@dataclass(frozen=True, slots=True)
class _Made:
    """The cases of all systems, and how texts were divided for them."""

    cases: Cases
    outputs: Mapping[str, Sequence[Case]]
    divide: Segmenter


@dataclass(slots=True)
class _Found:
    """What metrics found so far; `left_out` counts sentences by metric."""

    results: list[Result] = field(default_factory=list)
    per_sentence: dict[tuple[str, str], tuple[SentenceResult, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Run:
    """One corpus, scored."""

    corpus: Corpus
    lang: str
    options: Options
    maker: _Maker
    changes: Mapping[str, str]
    watch: Watch
    places: dict[int, Any] = field(default_factory=dict)

    def report(
        self,
        metrics: Sequence[Metric[Any]],
        systems: Sequence[SystemOutput],
        left_out: Mapping[str, int],
        notes: Sequence[str],
    ) -> ScoreReport:
        """Return the scores by all metrics of all systems."""
        refusals = [self._refusal(metric) for metric in metrics]
        if all(refusals):
            raise UsageError(f"{'; '.join(filter(None, refusals))}; no other metric is asked for")
        made = self._made(metrics, systems)
        found = _Found(notes=[*self._notes(made), *notes])
        for metric in metrics:
            why = self._refusal(metric)
            if why:
                refused = [Result(s.system, metric.name, None, None, why) for s in systems]
                found.results += refused
            else:
                context = self._context(made, metric.needs)
                try:
                    self._judge(replace(cast("Any", metric), context=context), made, found)
                except MissingExtraError as error:
                    if len(metrics) == 1:
                        raise
                    why = f"{metric.name}: {error}"
                    found.results += [
                        Result(s.system, metric.name, None, None, why) for s in systems
                    ]
        found.notes += _uneven(found.left_out)
        uncorrectable = max(found.left_out.values(), default=0)
        left_out = {_LEFT_OUT: uncorrectable, **left_out}
        return ScoreReport(
            corpus=self.corpus.name,
            sentences=len(self.corpus.samples) + sum(left_out.values()) - uncorrectable,
            left_out={reason: count for reason, count in left_out.items() if count},
            beta=self.options.beta,
            results=tuple(found.results),
            per_sentence=found.per_sentence,
            notes=tuple(dict.fromkeys(found.notes)),
        )

    def _made(self, metrics: Sequence[Metric[Any]], systems: Sequence[SystemOutput]) -> _Made:
        """Return the cases of all systems, with the parts that the metrics need."""
        divide = segmenter(self.options.segmenter, self.corpus)
        cases = Cases(
            self.maker,
            needs=frozenset(metric.needs for metric in metrics if not self._refusal(metric)),
            segment=divide.divide,
            anew=self.maker.anew,
        )
        cases.prepare(
            self.corpus,
            systems,
            max_references=self.options.max_references,
            watch=partial(self.watch, "references"),
        )
        outputs = {s.system: list(cases.of(s, partial(self.watch, s.system))) for s in systems}
        return _Made(cases, outputs, divide)

    def _notes(self, made: _Made) -> list[str]:
        notes = list(edit_notes(made.cases, made.outputs, self.options))
        if self.options.segmenter and made.cases.golds_extracted:
            raise UsageError(
                f"segmenter {self.options.segmenter}: edits are not given but found by scheme "
                f"{self.maker().name}, which divides texts itself; leave the segmenter out"
            )
        notes += _versions(made)
        if "golds" in made.cases.needs and not made.cases.golds_extracted:
            undivided = unsegmented(made.outputs)
            if undivided and not self.options.segmenter:
                raise UsageError("; ".join(undivided))
            notes += undivided
            notes += divided_otherwise(made.divide, self.corpus) if self.options.segmenter else []
        return notes

    def _judge(self, metric: Metric[Any], made: _Made, found: _Found) -> None:
        """Add what a metric finds."""
        groups = subsets(self.corpus, self.options.by)
        said: dict[str, list[str]] = {}
        for system, cases in made.outputs.items():
            rows = [metric.stats(case) for case in cases]
            found.left_out[metric.name] = rows.count(None)
            found.results += self._results(metric, system, rows, groups)
            for note in _own_notes(metric, cases, rows):
                said.setdefault(note, []).append(system)
            if self.options.per_sentence:
                found.per_sentence[system, metric.name] = _sentences(metric, cases, rows)
        found.notes += [
            note if len(of) == len(made.outputs) else f"{', '.join(of)}: {note}"
            for note, of in said.items()
        ]

    def _refusal(self, metric: Metric[Any]) -> str | None:
        """Return why a metric does not apply, or None."""
        if metric.languages and self.lang not in metric.languages:
            meant = " and ".join(metric.languages)
            return f"{metric.name} is for language {meant}, {self.corpus.name} is {self.lang}"
        return None

    def _results(
        self,
        metric: Metric[Any],
        system: str,
        rows: Sequence[Any],
        groups: Mapping[str | None, list[int]],
    ) -> list[Result]:
        results = []
        for subset, members in groups.items():
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

    def _context(self, of: _Made, part: Part) -> dict[str, str]:
        """Return the part of the signature that says what is compared with what."""
        cases, made, options = of.cases, self.maker.made, self.options
        context = dict(self.changes)
        given = "as given" + (f" ({was})" if (was := self.corpus.provenance.get("scheme")) else "")
        if part == "edits":
            if cases.given:
                context["edits"] = given + (" and extracted" if cases.extracted else "")
            if cases.extracted and made:
                context |= made.signature
        if part == "golds":
            context["golds"] = "extracted" if cases.golds_extracted else given
            if cases.golds_extracted and made:
                context |= made.signature
            else:
                context["tokens"] = of.divide.name
        references = f"first {options.max_references}" if options.max_references else "all"
        if options.references_exactly:
            references += f", exactly {options.references_exactly}"
        if options.part:
            context["range"] = "{}-{}".format(*options.part)
        return {**context, "references": references, "gecbench": __version__}


def _own_notes(metric: Metric[Any], cases: Sequence[Case], rows: Sequence[Any]) -> Sequence[str]:
    """Return what the metric itself has to say of these data."""
    scored = [(case.id, row) for case, row in zip(cases, rows, strict=True) if row is not None]
    notes: Callable[[Sequence[Any]], Sequence[str]] | None = getattr(metric, "notes", None)
    said = list(notes([row for _, row in scored])) if notes else []
    approximate: Callable[[Any], bool] | None = getattr(metric, "approximate", None)
    beyond = [name for name, row in scored if approximate and approximate(row)]
    if beyond:
        said.append(
            f"{metric.name}: sentences too long for the exact computation, done by one that is "
            f"linear in their length and can differ in single edits: {', '.join(beyond)}"
        )
    return said


def _versions(made: _Made) -> list[str]:
    """Return a note if texts of a system are overlooked."""
    if "texts" not in made.cases.needs:
        return []
    several = {
        system: sum(len(case.hypotheses) > 1 for case in cases)
        for system, cases in made.outputs.items()
    }
    counts = ", ".join(f"{system} {count}" for system, count in several.items() if count)
    if not counts:
        return []
    return [
        f"sentences with several versions, of which metrics over texts take the first: {counts}"
    ]


def _uneven(left_out: Mapping[str, int]) -> list[str]:
    """Return a note if metrics leave out different numbers of sentences."""
    if len(set(left_out.values())) < 2:
        return []
    counts = ", ".join(f"{name} {count}" for name, count in left_out.items())
    return [f"metrics leave out different numbers of sentences that nobody could correct: {counts}"]


def _sentences(
    metric: Metric[Any], cases: Sequence[Case], rows: Sequence[Any]
) -> tuple[SentenceResult, ...]:
    values = iter(metric.sentences([row for row in rows if row is not None]))
    return tuple(
        SentenceResult(case.id, None if row is None else next(values))
        for case, row in zip(cases, rows, strict=True)
    )
