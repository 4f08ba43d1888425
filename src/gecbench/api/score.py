"""Scoring systems."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

from gecbench import __version__
from gecbench.api.extract import capped_note
from gecbench.api.options import Options, SchemeSpec
from gecbench.api.schemes import (
    AnyScheme,
    corpus_language,
    extractor_for,
    language_notes,
)
from gecbench.backends import SEGMENTERS
from gecbench.core.case import Case, Part
from gecbench.core.errors import (
    CorpusError,
    MissingExtraError,
    UnknownNameError,
    UsageError,
    counted,
    quote,
)
from gecbench.core.registry import resolve
from gecbench.core.sample import GOLD_EDITS, Corpus, SystemOutput, Systems, as_systems
from gecbench.core.scheme import Scheme, Watch, unwatched
from gecbench.core.score import Interval, WarningNote
from gecbench.lang import language_of
from gecbench.lang.zh.parse import parse
from gecbench.metrics import metric_class
from gecbench.scoring.cases import Cases, make_cases, spaced
from gecbench.scoring.metric import Metric
from gecbench.scoring.normalise import Normaliser, change_notes
from gecbench.scoring.results import Result, RunStats, ScoreReport, SentenceResult
from gecbench.scoring.spans import Filter
from gecbench.text.normalise import normalisation

# How systems are scored, and the metrics that the options ask for.


_GENERAL = ("level", "beta", "choice", "chosen", "context")
"""Fields of metrics that options of the same meaning fill for all of them."""


def make_metrics(names: Sequence[str], options: Options, lang: str) -> list[Metric[Any]]:
    """Return the metrics of these names with their options set.

    Metrics over texts take words, and characters in Chinese, unless they are set.

    Raises:
        UsageError: A setting is of a metric that is not asked for, unknown, or wrong.
    """
    for setting in options.settings:
        name, dot, _ = setting.partition(".")
        if not dot or name not in names:
            raise UsageError(
                f"setting {setting!r} is of no metric asked for ({', '.join(names)}); "
                "write METRIC.OPTION=VALUE"
            )
    _check_taken(names, options)
    return [_make(name, options, lang) for name in names]


def _check_taken(names: Sequence[str], options: Options) -> None:
    """Refuse an option that no metric of the run takes."""
    kinds = [metric_class(name) for name in names]
    taken = {one.name for kind in kinds for one in fields(kind)}
    plain = Options()
    changed = (
        ("level", "level", options.level != plain.level),
        ("beta", "beta", options.beta != plain.beta),
        ("choice", "choice", options.choice != plain.choice),
        ("edits", "chosen", options.size != plain.size),
        ("exclude", "chosen", bool(options.exclude)),
    )
    for option, field_, is_changed in changed:
        if is_changed and field_ not in taken:
            raise UsageError(
                f"no metric of {', '.join(names)} has the option {option}; leave it out"
            )
    if options.segmenter and not any(kind.needs == "gold_edits" for kind in kinds):
        raise UsageError(
            f"no metric of {', '.join(names)} divides texts by a segmenter; leave it out"
        )


def _make(name: str, options: Options, lang: str) -> Metric[Any]:
    kind = metric_class(name)
    known = {one.name: one.default for one in fields(kind) if one.init}
    general = {
        "level": options.level,
        "beta": options.beta,
        "choice": options.choice,
        "chosen": Filter(options.size, frozenset(options.exclude)),
    }
    values: dict[str, Any] = {key: value for key, value in general.items() if key in known}
    if "unit" in known:
        values["unit"] = language_of(lang).unit
    for setting, text in options.settings.items():
        if setting.startswith(f"{name}."):
            option = setting.removeprefix(f"{name}.").replace("-", "_")
            own = sorted(name for name in known if name not in _GENERAL)
            if option not in own:
                raise UsageError(
                    f"metric {name} has no option {option!r} of its own; "
                    f"it has: {', '.join(own) or 'none'}"
                )
            values[option] = _value(setting, text, known[option])
    return kind(**values)


def _value(setting: str, text: str, default: object) -> object:
    """Return a text as what its default is; the metric checks what it may be."""
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


# Which sentences are scored, and in which groups.


def places(corpus: Corpus, options: Options) -> tuple[list[int], dict[str, int]]:
    """Return which sentences are wanted, and how many are not, by reason."""
    total = len(corpus.samples)
    wanted = list(range(total))
    if options.part:
        first, last = options.part
        last = total if last is None else last
        if not 0 <= first < last <= total:
            raise UsageError(
                f"range {first}:{last} must be A:B with 0 <= A < B <= {total}, the number of "
                "sentences; it means sentences A+1 to B"
            )
        wanted = wanted[first:last]
    inside = len(wanted)
    if options.references_exactly is not None:
        most, exactly = options.max_references, options.references_exactly
        wanted = [p for p in wanted if len(corpus.samples[p].references[:most]) == exactly]
        if not wanted:
            raise CorpusError(
                f"{corpus.name}: no sentence has exactly {counted(exactly, 'reference')}"
            )
    return wanted, {
        "outside the range": total - inside,
        "other number of references": inside - len(wanted),
    }


def subsets(corpus: Corpus, by: str | None) -> dict[str | None, list[int]]:
    """Return the places of all sentences, then of those that share a value of a field."""
    groups: dict[str | None, list[int]] = {None: list(range(len(corpus.samples)))}
    for place, sample in enumerate(corpus.samples):
        if by is None:
            break
        if by not in sample.meta:
            known = sorted({name for one in corpus.samples for name in one.meta})
            raise CorpusError(
                f"{corpus.name}: sentence {sample.id!r} has no metadata field {by!r}; "
                f"fields are: {', '.join(known) or 'none (add some with --meta)'}"
            )
        groups.setdefault(sample.meta[by], []).append(place)
    return groups


# Texts before they are compared: named changes of them, and their division into tokens.


Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Segmenter:
    """A way to divide texts.

    Args:
        name: With the version of what does it; stands in signatures.
        divide: The tokens of a text.
    """

    name: str
    divide: Callable[[str], tuple[str, ...]]


def characters(text: str) -> Tokens:
    """Return the characters of a text, as the Chinese schemes of edits take it."""
    return parse(text).tokens


_OWN: Mapping[str, Callable[[str], Tokens]] = {"spaces": spaced, "characters": characters}


def segmenter(name: str | None, corpus: Corpus) -> Segmenter:
    """Return the segmenter of that name; None means as the corpus is divided.

    Args:
        name: As "spaces", "characters", "jieba"; with a model after a colon where the program
            has several, as "ltp:FOLDER".
        corpus: Whose tokens show how it is divided: at white space, or else into characters.

    Raises:
        UnknownNameError: There is no such segmenter.
        MissingExtraError: Its program is not installed.
        ResourceError: Its model is not here.
    """
    if name is None:
        return _as_divided(corpus)
    kind, colon, model = name.partition(":")
    if kind in _OWN:
        if colon:
            raise UsageError(f"segmenter {kind} takes no model, as {model!r}; write {kind} alone")
        return Segmenter(kind, _OWN[kind])
    if kind not in SEGMENTERS:
        raise UnknownNameError("segmenter", name, [*_OWN, *SEGMENTERS])
    make = resolve("segmenter", kind, SEGMENTERS)
    return Segmenter(*cast("Callable[[str], tuple[str, Callable[[str], Tokens]]]", make)(model))


def _as_divided(corpus: Corpus) -> Segmenter:
    divided = [sample for sample in corpus.samples if sample.tokens]
    if all(" ".join(sample.tokens) == sample.source for sample in divided):
        return Segmenter("spaces", spaced)
    odd = next((s for s in divided if characters(s.source) != s.tokens), None)
    if odd is None:
        return Segmenter("characters", characters)

    def refuse(_: str) -> Tokens:
        raise UsageError(
            f"{corpus.name}: the tokens of sample {odd.id!r} are neither what white space "
            f"divides nor characters ({quote(' '.join(odd.tokens))}), so texts cannot be "
            "divided alike; choose a segmenter, or give texts with spaces between the tokens"
        )

    # Not refused at once: where edits are given on both sides, no text is divided.
    return Segmenter("as given", refuse)


def unsegmented(outputs: Mapping[str, Sequence[Case]]) -> list[str]:
    """Return notes on systems whose texts are divided otherwise than the sources.

    Args:
        outputs: The cases of each system, with gold edits and tokens.
    """
    notes = []
    for system, cases in outputs.items():
        shares = sorted(
            len(version.tokens) / len(case.tokens)
            for case in cases
            for version in case.hypotheses
            if version.tokens and len(case.tokens) > 1
        )
        share = shares[len(shares) // 2] if shares else 1.0
        if share < 0.5:
            notes.append(
                f"{system}: looks unsegmented: the median text has {share:.2f} tokens for each "
                "of its source; choose --segmenter"
            )
        elif share > 1.4:
            notes.append(
                f"{system}: looks divided finer than the sources: the median text has "
                f"{share:.2f} tokens for each of its source; choose another --segmenter"
            )
    return notes


def divided_otherwise(segmenter: Segmenter, corpus: Corpus) -> list[str]:
    """Return a note if the segmenter does not divide all sources into the corpus's tokens.

    All but "spaces" are asked to divide them as texts come that nothing has divided: without
    the white space between tokens.
    """
    divided = [sample for sample in corpus.samples if sample.tokens]
    asked = (s.source if segmenter.name == "spaces" else "".join(s.tokens) for s in divided)
    found = zip(map(segmenter.divide, asked), divided, strict=True)
    alike = sum(tokens == sample.tokens for tokens, sample in found)
    if alike == len(divided):
        return []
    return [
        f"segmenter {segmenter.name} divides {alike} of {len(divided)} sources as "
        f"{corpus.name} does; in the others, words that a system left alone can count as edits"
    ]


def normalised(
    corpus: Corpus, systems: Sequence[SystemOutput], names: Sequence[str]
) -> tuple[Corpus, Sequence[SystemOutput], Mapping[str, str]]:
    """Return corpus and systems with their texts changed, and what the signature says of it.

    Args:
        corpus: Whose sources and references are changed.
        systems: Whose outputs are.
        names: Of changes, made in this order.

    Raises:
        UnknownNameError: There is no such change.
        MissingExtraError: What it needs is not installed.
        CorpusError: A token would be empty or hold white space, or a text would no longer be
            what its tokens are; names the sample.
    """
    if not names:
        return corpus, systems, {}
    changes = [normalisation(name) for name in names]
    work = Normaliser(changes)
    made = work.corpus(corpus)
    return made, tuple(map(work.system, systems)), {"normalise": work.name}


# What the reader of a score should know of the data behind it.


def check_outputs(corpus: Corpus, systems: Sequence[SystemOutput]) -> None:
    """Refuse outputs that lack a sentence of this corpus."""
    for system in systems:
        ids = [s.id for s in corpus.samples if not system.hypotheses.get(s.id)]
        if ids:
            some = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
            raise CorpusError(
                f"system {system.system}: no output for {counted(len(ids), 'sentence')} of corpus "
                f"{corpus.name!r}: {some}; give one for each"
            )


def edit_notes(cases: Cases, options: Options, *, scheme: AnyScheme) -> list[str]:
    """Return what the reader should know of the edits that take part."""
    notes: list[str] = []
    if cases.edits is None:
        return notes
    made = cases.edits
    if made.warning:
        notes.append(WarningNote(made.warning))
    if made.capped:
        ids = [sample.id for sample in made.corpus.samples if sample.id in made.capped]
        notes.append(WarningNote(capped_note(ids)))
    if made.scheme is not None and made.extracted:
        notes += made.scheme.notes
    elif (isinstance(scheme, SchemeSpec) and scheme.is_chosen) or isinstance(scheme, (Scheme, str)):
        notes.append(
            WarningNote(
                "all edits stand in the files, so the scheme extracted none; --re-extract does"
            )
        )
    edits = [
        edit
        for all_cases in cases.by_system.values()
        for case in all_cases
        for version in (*case.hypotheses, *case.references)
        for edit in version.edits
    ]
    if any(edit.alternatives for edit in edits if edit.replacement is not None):
        notes.append("some edits have alternative corrections; only the first of each counts")
    labels = {edit.label for edit in edits if edit.label}
    unseen = sorted(set(options.exclude) - labels)
    if unseen:
        absent = (
            f"no edit has a type that was to be left out: {', '.join(unseen)}; types here are "
            f"{', '.join(sorted(labels)) or 'none'}"
        )
        notes.append(WarningNote(absent))
    return notes


def oddities(corpus: Corpus, systems: Sequence[SystemOutput]) -> list[str]:
    """Return what looks like a mistake in the systems' files and cannot be refused."""
    notes: list[str] = []
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
    return [WarningNote(note) for note in notes]


# From corpora and options to the statistics of each sentence.


LEFT_OUT = "no annotator could correct it"


def collect_stats(
    corpus: Corpus,
    systems: Systems,
    *,
    scheme: AnyScheme = None,
    options: Options | None = None,
    watch: Watch = unwatched,
) -> RunStats:
    """Return the statistics of all metrics for each sentence of each system.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Their outputs, joined to this corpus.
        scheme: What extracts edits, loaded where edits are missing; None means the default of
            the corpus's language. Edits of files are used as `Extractor` says.
        options: How to score; what is about summing up (intervals, subsets) is not looked at.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    options = options or Options()
    systems = as_systems(systems)
    if options.part:
        first, last = options.part
        options = replace(options, part=(first, len(corpus.samples) if last is None else last))
    names = [system.system for system in systems]
    if len(set(names)) < len(names):
        raise UsageError(
            f"two systems have one name among {', '.join(names)}; name them apart: NAME=FILE"
        )
    check_outputs(corpus, systems)
    wanted, left_out = places(corpus, options)
    later = [*language_notes(corpus), *oddities(corpus, systems)]
    part = replace(corpus, samples=tuple(corpus.samples[place] for place in wanted))
    language = corpus_language(part, scheme)
    lang = language.code
    texts = part, systems
    part, systems, changes = normalised(part, systems, options.normalise)
    if options.normalise:
        later += change_notes(texts, (part, systems))
    metrics = make_metrics(options.metrics or (language.metric,), options, lang)
    refused = {m.name: why for m in metrics if (why := _refusal(m, part, lang))}
    if len(refused) == len(metrics):
        raise UsageError(f"{'; '.join(refused.values())}; no other metric is asked for")
    needs = frozenset(metric.needs for metric in metrics if metric.name not in refused)
    divide = segmenter(options.segmenter, part)
    cases = make_cases(
        part,
        systems,
        needs,
        extractor_for(part, scheme, re_extract=options.re_extract, watch=watch),
        segment=divide.divide,
        max_references=options.max_references,
    )
    notes = [
        *edit_notes(cases, options, scheme=scheme),
        *_text_notes(cases, needs, part, divide, options),
        *later,
    ]
    rows: dict[tuple[str, str], Sequence[Any]] = {}
    judging: dict[str, Metric[Any]] = {}
    for metric in metrics:
        judging[metric.name] = metric
        if metric.name in refused:
            continue
        context = {**changes, **_context(part, cases, divide, options, metric.needs)}
        judging[metric.name] = metric = replace(metric, context=context)
        try:
            rows |= _rows(metric, cases.by_system)
        except MissingExtraError as error:
            if len(metrics) == 1:
                raise
            refused[metric.name] = f"{metric.name}: {error}"
            continue
        notes += _notes_of(metric, cases.by_system, rows)
    return RunStats(
        corpus=part,
        systems={system.system: system for system in systems},
        lang=lang,
        metrics=judging,
        cases=cases.by_system,
        rows=rows,
        refused=refused,
        left_out=left_out,
        notes=tuple(dict.fromkeys((*notes, *_uneven(rows)))),
    )


def _refusal(metric: Metric[Any], corpus: Corpus, lang: str) -> str | None:
    """Return why a metric does not apply, or None."""
    if metric.languages and lang not in metric.languages:
        meant = " and ".join(metric.languages)
        return f"{metric.name} is for language {meant}, {corpus.name} is {lang}"
    return None


def _text_notes(
    cases: Cases, needs: Collection[Part], corpus: Corpus, divide: Segmenter, options: Options
) -> list[str]:
    """Return what the reader should know of texts and of their division into tokens."""
    notes = []
    if "texts" in needs:
        several = {
            system: sum(len(case.hypotheses) > 1 for case in of)
            for system, of in cases.by_system.items()
        }
        counts = ", ".join(f"{system} {count}" for system, count in several.items() if count)
        if counts:
            notes.append(
                "sentences with several versions, of which metrics over texts take the first: "
                f"{counts}"
            )
    if cases.gold_edits_extracted and options.segmenter and cases.edits and cases.edits.scheme:
        raise UsageError(
            f"segmenter {options.segmenter}: edits are not given but found by scheme "
            f"{cases.edits.scheme.name}, which divides texts itself; leave the segmenter out"
        )
    if "gold_edits" in needs and not cases.gold_edits_extracted:
        undivided = unsegmented(cases.by_system)
        if undivided and not options.segmenter:
            raise UsageError("; ".join(undivided))
        notes += undivided
        notes += divided_otherwise(divide, corpus) if options.segmenter else []
    return notes


def _context(
    corpus: Corpus, cases: Cases, divide: Segmenter, options: Options, part: Part
) -> dict[str, str]:
    """Return the part of the signature that says what is compared with what."""
    context: dict[str, str] = {}
    made_by = corpus.provenance.get("scheme")
    as_given = "as given" + (f" ({made_by})" if made_by else "")
    made = cases.edits
    scheme = dict(made.scheme.signature) if made and made.scheme else {}
    if part == "edits" and made:
        if made.from_files:
            context["edits"] = as_given + (" and extracted" if made.extracted else "")
        context |= scheme if made.extracted else {}
    if part == "gold_edits" and cases.gold_edits_extracted:
        context |= {"golds": "extracted", **scheme}
    elif part == "gold_edits":
        context |= {
            "golds": corpus.provenance.get(GOLD_EDITS, as_given),
            "tokens": divide.name,
        }
    references = f"first {options.max_references}" if options.max_references else "all"
    if options.references_exactly:
        references += f", exactly {options.references_exactly}"
    if options.part:
        context["range"] = "{}-{}".format(*options.part)
    return {**context, "references": references, "gecbench": __version__}


def _rows(
    metric: Metric[Any], by_system: Mapping[str, Sequence[Case]]
) -> dict[tuple[str, str], Sequence[Any]]:
    return {
        (system, metric.name): tuple(map(metric.stats, cases))
        for system, cases in by_system.items()
    }


def _notes_of(
    metric: Metric[Any],
    by_system: Mapping[str, Sequence[Case]],
    rows: Mapping[tuple[str, str], Sequence[Any]],
) -> list[str]:
    """Return what the metric itself has to say, with the systems that it is true of."""
    systems: dict[str, list[str]] = {}
    for system, cases in by_system.items():
        for note in _own_notes(metric, cases, rows[system, metric.name]):
            systems.setdefault(note, []).append(system)
    return [
        note if len(of) == len(by_system) else f"{', '.join(of)}: {note}"
        for note, of in systems.items()
    ]


def _own_notes(metric: Metric[Any], cases: Sequence[Case], rows: Sequence[Any]) -> Sequence[str]:
    """Return what the metric itself has to say of these data."""
    scored = [(case.id, row) for case, row in zip(cases, rows, strict=True) if row is not None]
    notes = list(metric.notes([row for _, row in scored]))
    beyond = [name for name, row in scored if metric.is_approximate(row)]
    if beyond:
        notes.append(
            f"{metric.name}: sentences too long for the exact computation, done by one that is "
            f"linear in their length and can differ in single edits: {', '.join(beyond)}"
        )
    return notes


def _uneven(rows: Mapping[tuple[str, str], Sequence[Any]]) -> list[str]:
    """Return a note if metrics leave out different numbers of sentences."""
    left_out = {metric: list(found).count(None) for (_, metric), found in rows.items()}
    if len(set(left_out.values())) < 2:
        return []
    counts = ", ".join(f"{name} {count}" for name, count in left_out.items())
    return [f"metrics leave out different numbers of sentences that nobody could correct: {counts}"]


def score(
    corpus: Corpus,
    systems: Systems,
    *,
    scheme: AnyScheme = None,
    options: Options | None = None,
    watch: Watch = unwatched,
) -> ScoreReport:
    """Return how systems fare on a corpus.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Their outputs, joined to this corpus.
        scheme: What extracts edits, loaded where edits are missing; None means the default of
            the corpus's language. Edits of files are used as `Extractor` says.
        options: How to score.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    options = options or Options()
    return summed(
        collect_stats(corpus, systems, scheme=scheme, options=options, watch=watch), options
    )


def summed(run_stats: RunStats, options: Options) -> ScoreReport:
    """Return the scores of a run, with the subsets and intervals of the options.

    Raises:
        CorpusError: A sentence lacks the metadata field of the subsets.
        MissingExtraError: What a metric needs is not installed, and no other is asked for.
    """
    groups = subsets(run_stats.corpus, options.by)
    run = _Summing(run_stats, options, groups)
    uncorrectable = max((list(rows).count(None) for rows in run_stats.rows.values()), default=0)
    left_out = {LEFT_OUT: uncorrectable, **run_stats.left_out}
    results = tuple(run.results())
    return ScoreReport(
        corpus=run_stats.corpus.name,
        sentences=len(run_stats.corpus.samples) + sum(run_stats.left_out.values()),
        left_out={reason: count for reason, count in left_out.items() if count},
        beta=options.beta,
        results=results,
        per_sentence=run.sentences() if options.per_sentence else {},
        notes=run_stats.notes,
    )


@dataclass(slots=True)
class _Summing:
    """The statistics of a run, summed up by metric and system."""

    run_stats: RunStats
    options: Options
    groups: Mapping[str | None, list[int]]
    places: dict[int, Any] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def results(self) -> list[Result]:
        """Return the scores, metric by metric and system by system."""
        found: list[Result] = []
        for name, metric in self.run_stats.metrics.items():
            why = self.run_stats.refused.get(name)
            try:
                own = [] if why else self._by_system(metric)
            except MissingExtraError as error:
                if len(self.run_stats.metrics) == 1:
                    raise
                own, why = [], f"{name}: {error}"
                self.missing[name] = why
            found += own or [Result(system, name, None, None, why) for system in self._systems]
        return found

    def sentences(self) -> dict[tuple[str, str], tuple[SentenceResult, ...]]:
        """Return what each metric says of each sentence, metric by metric."""
        return {
            (system, name): _sentences(metric, self.run_stats.cases[system], rows)
            for name, metric in self.run_stats.metrics.items()
            for (system, of), rows in self.run_stats.rows.items()
            if of == name and name not in self.missing
        }

    @property
    def _systems(self) -> Sequence[str]:
        return list(self.run_stats.systems)

    def _by_system(self, metric: Metric[Any]) -> list[Result]:
        rows = self.run_stats.rows
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
