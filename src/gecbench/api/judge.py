"""Judging systems: from files and options to what metrics say of each sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from gecbench import __version__
from gecbench.api.edits import Watch, unwatched
from gecbench.api.oddities import check_outputs, edit_notes, oddities
from gecbench.api.options import Options, make_metrics
from gecbench.api.parts import places
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
from gecbench.core.sample import GOLDS, Corpus, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.scoring.cases import Cases
from gecbench.scoring.judged import Judged
from gecbench.scoring.metric import Metric
from gecbench.scoring.normalising import change_notes

SPAN_METRICS = {"zh": "cherrant", "en": "errant"}
"""The span metric of each language, which is asked for where nothing else is."""

LEFT_OUT = "no annotator could correct it"


def judge(
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    *,
    scheme: Scheme | str | Callable[[], Scheme] | None = None,
    options: Options | None = None,
    watch: Watch = unwatched,
) -> Judged:
    """Return what metrics say of each sentence of each system.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Their outputs, joined to this corpus.
        scheme: A scheme, or the name of one, that finds all edits, anew where texts are known
            with edits; or a function that gives a scheme, asked only where edits are not given;
            None means the default of the corpus's language, likewise.
        options: How to score; what is about summing up (intervals, subsets) is not looked at.
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
    asked = options.metrics or (SPAN_METRICS.get(lang, "errant"),)
    metrics = make_metrics(asked, options, lang)
    run = _Run(kept, lang, options, _Maker(kept, scheme), changes, watch)
    return run.judged(metrics, systems, left_out, notes)


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
class _Run:
    """One corpus, judged."""

    corpus: Corpus
    lang: str
    options: Options
    maker: _Maker
    changes: Mapping[str, str]
    watch: Watch

    def judged(
        self,
        metrics: Sequence[Metric[Any]],
        systems: Sequence[SystemOutput],
        left_out: Mapping[str, int],
        notes: Sequence[str],
    ) -> Judged:
        """Return what all metrics say of all systems."""
        refused = {m.name: why for m in metrics if (why := self._refusal(m))}
        if len(refused) == len(metrics):
            raise UsageError(f"{'; '.join(refused.values())}; no other metric is asked for")
        made = self._made(metrics, systems, refused)
        said = [*self._notes(made), *notes]
        rows: dict[tuple[str, str], Sequence[Any]] = {}
        known: dict[str, Metric[Any]] = {}
        for metric in metrics:
            known[metric.name] = metric
            if metric.name in refused:
                continue
            context = self._context(made, metric.needs)
            known[metric.name] = replace(cast("Any", metric), context=context)
            try:
                rows |= _rows(known[metric.name], made)
            except MissingExtraError as error:
                if len(metrics) == 1:
                    raise
                refused[metric.name] = f"{metric.name}: {error}"
                continue
            said += _notes_of(known[metric.name], made, rows)
        said += _uneven(rows)
        return Judged(
            corpus=self.corpus,
            systems={system.system: system for system in systems},
            lang=self.lang,
            metrics=known,
            cases=made.outputs,
            rows=rows,
            refused=refused,
            left_out=left_out,
            notes=tuple(dict.fromkeys(said)),
        )

    def _made(
        self,
        metrics: Sequence[Metric[Any]],
        systems: Sequence[SystemOutput],
        refused: Mapping[str, str],
    ) -> _Made:
        """Return the cases of all systems, with the parts that the metrics need."""
        divide = segmenter(self.options.segmenter, self.corpus)
        cases = Cases(
            self.maker,
            needs=frozenset(metric.needs for metric in metrics if metric.name not in refused),
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

    def _refusal(self, metric: Metric[Any]) -> str | None:
        """Return why a metric does not apply, or None."""
        if metric.languages and self.lang not in metric.languages:
            meant = " and ".join(metric.languages)
            return f"{metric.name} is for language {meant}, {self.corpus.name} is {self.lang}"
        return None

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
            made_here = self.corpus.provenance.get(GOLDS, given)
            context["golds"] = "extracted" if cases.golds_extracted else made_here
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


def _rows(metric: Metric[Any], made: _Made) -> dict[tuple[str, str], Sequence[Any]]:
    return {
        (system, metric.name): tuple(metric.stats(case) for case in cases)
        for system, cases in made.outputs.items()
    }


def _notes_of(
    metric: Metric[Any], made: _Made, rows: Mapping[tuple[str, str], Sequence[Any]]
) -> list[str]:
    """Return what the metric itself has to say, with the systems that it is true of."""
    said: dict[str, list[str]] = {}
    for system, cases in made.outputs.items():
        for note in _own_notes(metric, cases, rows[system, metric.name]):
            said.setdefault(note, []).append(system)
    return [
        note if len(of) == len(made.outputs) else f"{', '.join(of)}: {note}"
        for note, of in said.items()
    ]


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


def _uneven(rows: Mapping[tuple[str, str], Sequence[Any]]) -> list[str]:
    """Return a note if metrics leave out different numbers of sentences."""
    left_out = {metric: list(found).count(None) for (_, metric), found in rows.items()}
    if len(set(left_out.values())) < 2:
        return []
    counts = ", ".join(f"{name} {count}" for name, count in left_out.items())
    return [f"metrics leave out different numbers of sentences that nobody could correct: {counts}"]
