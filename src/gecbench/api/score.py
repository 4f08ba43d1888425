"""Scoring systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, cast

from gecbench import __version__
from gecbench.api.edits import Watch, capped_note, default_scheme, load_scheme, unwatched
from gecbench.core.case import Case
from gecbench.core.errors import CorpusError, UnknownNameError, UsageError
from gecbench.core.registry import resolve
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.metrics import METRICS
from gecbench.metrics.spanf import SpanF
from gecbench.scoring.cases import Cases
from gecbench.scoring.choose import CHOICES, Choice
from gecbench.scoring.pairing import LEVELS, Filter, Level, Pairing
from gecbench.scoring.results import Result, ScoreReport, SentenceResult


@dataclass(frozen=True, slots=True)
class Options:
    """How systems are scored.

    Args:
        metrics: Names of metrics.
        level: What has to agree for an edit to count.
        beta: Weight of recall in F, from 0.001 to 1000.
        choice: How the reference of a sentence is chosen.
        size: Edits that take part by the source tokens they span: any, single, multi.
        exclude: Edit labels that take no part.
        max_references: Only the first this many references of each sentence.
        references_exactly: Only sentences with this many references, after `max_references`.
        part: Only the sentences from the first place (from 0) to before the second.
        by: A metadata field; each of its values is scored as a subset, too.

    Raises:
        UsageError: Names the option, its value and what it may be.
    """

    metrics: tuple[str, ...] = ("cherrant",)
    level: Level = "correction"
    beta: float = 0.5
    choice: Choice = "corpus-greedy"
    size: Literal["any", "single", "multi"] = "any"
    exclude: tuple[str, ...] = ()
    max_references: int | None = None
    references_exactly: int | None = None
    part: tuple[int, int] | None = None
    by: str | None = None

    def __post_init__(self) -> None:
        """Refuse values that would give numbers without meaning."""
        for option, value, allowed in (
            ("level", self.level, LEVELS),
            ("choice", self.choice, CHOICES),
            ("size", self.size, ("any", "single", "multi")),
        ):
            if value not in allowed:
                raise UsageError(f"{option} {value!r} is unknown; one of: {', '.join(allowed)}")
        for name in self.metrics:
            if name not in METRICS:
                raise UnknownNameError("metric", name, METRICS)
        if len(set(self.metrics)) < len(self.metrics):
            raise UsageError(f"a metric is named twice in {','.join(self.metrics)}; name it once")
        if not 0.001 <= self.beta <= 1000:
            raise UsageError(f"beta {self.beta:g} must be a number from 0.001 to 1000")
        for option, number in (
            ("max-references", self.max_references),
            ("references-exactly", self.references_exactly),
        ):
            if number is not None and number < 1:
                raise UsageError(f"{option} {number} must be at least 1")
        self._check_labels()

    def _check_labels(self) -> None:
        for label in self.exclude:
            if "|" in label:
                raise UsageError(f"{label!r} is no type of edit: types have no bars")
            if label.lower() in ("noop", "na", ""):
                raise UsageError(
                    f"{label!r} is no type of edit and cannot be excluded; types are as in the "
                    "labels that --by-type 3 shows"
                )


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
    _check_outputs(corpus, systems)
    places, left_out = _places(corpus, options)
    oddities = _oddities(corpus, systems)
    corpus = replace(corpus, samples=tuple(corpus.samples[place] for place in places))
    maker = _Maker(corpus, scheme)
    cases = Cases(maker, anew=isinstance(scheme, (Scheme, str)))
    cases.prepare(
        corpus,
        max_references=options.max_references,
        watch=partial(watch, "references"),
    )
    outputs = {
        system.system: list(cases.of(system, partial(watch, system.system))) for system in systems
    }
    context = _context(cases, maker, options)
    notes = (*_notes(cases, outputs, options), *oddities)
    return _report(corpus, outputs, options, context, left_out, notes)


@dataclass(slots=True)
class _Maker:
    """Gives the scheme when it is first asked for."""

    corpus: Corpus
    wanted: Scheme | str | Callable[[], Scheme] | None
    made: Scheme | None = field(default=None)

    def __call__(self) -> Scheme:
        if self.made is None:
            if self.wanted is None or isinstance(self.wanted, str):
                self.made = load_scheme(self.wanted or default_scheme(self.corpus))
            else:
                self.made = self.wanted if isinstance(self.wanted, Scheme) else self.wanted()
            if self.corpus.lang not in (None, self.made.lang):
                raise UsageError(
                    f"{self.corpus.name}: scheme {self.made.name} is for language "
                    f"{self.made.lang!r}, the corpus is {self.corpus.lang!r}; "
                    "choose another by --scheme"
                )
        return self.made


def _places(corpus: Corpus, options: Options) -> tuple[list[int], dict[str, int]]:
    """Return which sentences are wanted, and how many are not, by reason."""
    total = len(corpus.samples)
    places = list(range(total))
    if options.part:
        first, last = options.part
        if not 0 <= first < last <= total:
            raise UsageError(
                f"range {first}:{last} must be A:B with 0 <= A < B <= {total}, the number of "
                "sentences; it means sentences A+1 to B"
            )
        places = places[first:last]
    inside = len(places)
    if options.references_exactly is not None:
        most, wanted = options.max_references, options.references_exactly
        places = [p for p in places if len(corpus.samples[p].references[:most]) == wanted]
        if not places:
            raise CorpusError(f"{corpus.name}: no sentence has exactly {wanted} references")
    return places, {
        "outside the range": total - inside,
        "other number of references": inside - len(places),
    }


def _check_outputs(corpus: Corpus, systems: Sequence[SystemOutput]) -> None:
    """Refuse outputs that lack a sentence of this corpus."""
    for system in systems:
        ids = [s.id for s in corpus.samples if not system.hypotheses.get(s.id)]
        if ids:
            some = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
            raise CorpusError(
                f"system {system.system}: no output for {len(ids)} sentences of corpus "
                f"{corpus.name!r}: {some}; give one for each"
            )


def _context(cases: Cases, maker: _Maker, options: Options) -> dict[str, str]:
    """Return the part of the signature that says what edits and references are used."""
    context: dict[str, str] = {}
    if cases.given:
        made = maker.corpus.provenance.get("scheme")
        context["edits"] = "as given" + (f" ({made})" if made else "")
        context["edits"] += " and extracted" if cases.extracted else ""
    if cases.extracted and maker.made:
        context |= maker.made.signature
    references = f"first {options.max_references}" if options.max_references else "all"
    if options.references_exactly:
        references += f", exactly {options.references_exactly}"
    part = {"range": "{}-{}".format(*options.part)} if options.part else {}
    return {**context, **part, "references": references, "gecbench": __version__}


def _notes(made: Cases, outputs: Mapping[str, Sequence[Case]], options: Options) -> tuple[str, ...]:
    cases = [case for all_cases in outputs.values() for case in all_cases]
    notes = []
    ids = [name for name in dict.fromkeys(case.id for case in cases) if name in made.capped]
    if ids:
        notes.append(capped_note(ids))
    if made.given and made.extracted:
        notes.append(
            "some edits were given in files and others found here; they can be compared only if "
            "one scheme made them all; --scheme finds all of them anew"
        )
    edits = [e for case in cases for v in (*case.hypotheses, *case.references) for e in v.edits]
    if any(edit.alternatives for edit in edits if edit.replacement is not None):
        notes.append("some edits have alternative corrections; only the first of each counts")
    labels = {edit.label for edit in edits if edit.label}
    unseen = sorted(set(options.exclude) - labels)
    if unseen:
        notes.append(
            f"no edit has a type that was to be left out: {', '.join(unseen)}; types here are "
            f"{', '.join(sorted(labels)) or 'none'}"
        )
    return tuple(notes)


def _oddities(corpus: Corpus, systems: Sequence[SystemOutput]) -> list[str]:
    """Return what looks like a mistake in the systems' files and cannot be refused."""
    notes = []
    ids = {sample.id for sample in corpus.samples}
    for system in systems:
        unknown = len(system.hypotheses.keys() - ids)
        if unknown:
            notes.append(f"{system.system}: outputs for sentences not in the corpus: {unknown}")
        empty: list[str] = []
        strange: list[str] = []
        for sample in corpus.samples:
            for rewrite in system.hypotheses[sample.id]:
                if rewrite.text is None or not sample.source:
                    continue
                if not rewrite.text.strip():
                    empty.append(sample.id)
                elif not 4 * len(set(rewrite.text) & set(sample.source)) >= len(set(rewrite.text)):
                    strange.append(sample.id)
        if empty:
            notes.append(f"{system.system}: empty outputs: {len(empty)} (first: {empty[0]})")
        if 5 * len(strange) > len(corpus.samples):  # a few may be so; many are lines that slipped
            notes.append(
                f"{system.system}: outputs that share almost nothing with their source: "
                f"{len(strange)} (first: {strange[0]}); are they in the order of the corpus?"
            )
    return notes


def _subsets(corpus: Corpus, by: str | None) -> dict[str | None, list[int]]:
    """Return the places of all sentences, then of those that share a value of a field."""
    subsets: dict[str | None, list[int]] = {None: list(range(len(corpus.samples)))}
    for place, sample in enumerate(corpus.samples):
        if by is None:
            break
        if by not in sample.meta:
            known = sorted({name for one in corpus.samples for name in one.meta})
            raise CorpusError(
                f"{corpus.name}: sentence {sample.id!r} has no metadata field {by!r}; "
                f"fields are: {', '.join(known) or 'none (add some with --meta)'}"
            )
        subsets.setdefault(sample.meta[by], []).append(place)
    return subsets


def _report(
    corpus: Corpus,
    outputs: Mapping[str, Sequence[Case]],
    options: Options,
    context: Mapping[str, str],
    left_out: Mapping[str, int],
    notes: tuple[str, ...],
) -> ScoreReport:
    subsets = _subsets(corpus, options.by)
    results: list[Result] = []
    per_sentence: dict[tuple[str, str], tuple[SentenceResult, ...]] = {}
    uncorrectable = 0
    for name in options.metrics:
        metric = _metric(name, options, context)
        for system, cases in outputs.items():
            rows = [metric.stats(case) for case in cases]
            uncorrectable = rows.count(())
            chosen = metric.choose(rows)
            for subset, places in subsets.items():
                part = [rows[at] for at in places]
                # A choice that goes through the corpus starts anew in each subset.
                kept = chosen if subset is None else metric.choose(part)
                results.append(_result(metric, system, subset, kept))
            per_sentence[system, name] = tuple(
                SentenceResult(sample.id, one, row)
                for sample, one, row in zip(corpus.samples, chosen, rows, strict=True)
            )
    left_out = {"no annotator could correct it": uncorrectable, **left_out}
    return ScoreReport(
        corpus=corpus.name,
        sentences=len(corpus.samples) + sum(left_out.values()) - uncorrectable,
        left_out={reason: count for reason, count in left_out.items() if count},
        beta=options.beta,
        results=tuple(results),
        per_sentence=per_sentence,
        notes=notes,
    )


def _metric(name: str, options: Options, context: Mapping[str, str]) -> SpanF:
    make = cast("type[SpanF]", resolve("metric", name, METRICS))
    return make(
        level=options.level,
        beta=options.beta,
        choice=options.choice,
        chosen=Filter(options.size, frozenset(options.exclude)),
        context=context,
    )


def _result(
    metric: SpanF, system: str, subset: str | None, chosen: Sequence[Pairing | None]
) -> Result:
    scored = [pairing for pairing in chosen if pairing]
    return Result(system, metric.name, subset, len(scored), metric.score(scored))
