"""Scoring and comparing systems."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from gecbench import __version__
from gecbench.analysis.options import Plan
from gecbench.analysis.significance import Comparison
from gecbench.analysis.significance import compare as compare_by_metric
from gecbench.api.files import in_language
from gecbench.api.options import AnyScheme, Options, SchemeSpec
from gecbench.api.schemes import extractor_for
from gecbench.core.case import Part
from gecbench.core.errors import NoEffectError, UsageError, count_noun
from gecbench.core.language import Language
from gecbench.core.sample import Corpus, Systems, as_systems
from gecbench.core.scheme import Watch, no_progress
from gecbench.lang.detection import detect
from gecbench.metrics import make_metric, metric_class
from gecbench.scoring.cases import Cases, make_cases
from gecbench.scoring.languages import corpus_language, language_notes, normaliser_notes
from gecbench.scoring.metric import Metric
from gecbench.scoring.normalise import change_notes, normalise
from gecbench.scoring.results import RunStats, ScoreReport
from gecbench.scoring.run import (
    check_outputs,
    edit_notes,
    output_notes,
    run_metrics,
    select_samples,
    signature_context,
    summarise,
    text_notes,
)
from gecbench.scoring.segmenters import SPACES, segmenter
from gecbench.scoring.spans import Filter


def score(
    corpus: Corpus,
    systems: Systems,
    *,
    scheme: AnyScheme = None,
    options: Options | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
) -> ScoreReport:
    """Score systems on a corpus.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Their outputs, joined to this corpus.
        scheme: What extracts edits, loaded where edits are missing; None means the default of
            the corpus's language. Edits of files are used as `Extractor` says.
        options: How to score.
        lang: Code of the language of the texts; None takes that of the corpus.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    options = options or Options()
    corpus = in_language(corpus, lang)
    return summarise(
        collect_stats(corpus, systems, scheme=scheme, options=options, watch=watch),
        by=options.by,
        beta=options.beta,
        resamples=options.resamples,
        seed=options.seed,
        per_sentence=options.per_sentence,
    )


def collect_stats(
    corpus: Corpus,
    systems: Systems,
    *,
    scheme: AnyScheme = None,
    options: Options | None = None,
    watch: Watch = no_progress,
) -> RunStats:
    """Compute the statistics of all metrics for each sentence of each system.

    Args:
        corpus: As in `score`, and so are the others.
        systems: See there.
        scheme: See there.
        options: What is about summing up (intervals, subsets) is not looked at.
        watch: See there.

    Raises:
        GecbenchError: Something does not fit together.
    """
    options = options or Options()
    spec = SchemeSpec.of(scheme)
    systems = as_systems(systems)
    check_outputs(corpus, systems)
    part, left_out = select_samples(
        corpus,
        options.part,
        max_references=options.max_references,
        references_exactly=options.references_exactly,
    )
    notes = [*language_notes(corpus), *output_notes(corpus, systems)]
    if spec.name is None:
        part = _with_language_of_metrics(part, options.metrics)
    language = corpus_language(part, spec.name)
    changes: Mapping[str, str] = {}
    if options.normalise:
        texts = part, systems
        part, systems, changes = normalise(part, systems, options.normalise)
        notes += normaliser_notes(part, language, options.normalise)
        notes += change_notes(texts, (part, systems))
    metrics = make_metrics(options.metrics or (language.metric,), options, language)
    refused = {
        metric.name: f"{metric.name} is for language {' and '.join(metric.languages)}, "
        f"corpus {part.name!r} is in {language.code}"
        for metric in metrics
        if metric.languages and language.code not in metric.languages
    }
    if len(refused) == len(metrics):
        or_lang = "" if part.lang else ", or name the language by --lang if it is another"
        another = "edits" if language.metric in refused else language.metric
        raise UsageError(f"{'; '.join(refused.values())}; take --metric {another}{or_lang}")
    needs = frozenset(metric.needs for metric in metrics if metric.name not in refused)
    division = SPACES
    if options.segmenter or "gold_edits" in needs:
        division = segmenter(options.segmenter, part)
    cases = make_cases(
        part,
        systems,
        needs,
        extractor_for(part, spec, re_extract=options.re_extract, watch=watch),
        segment=division.divide,
        max_references=options.max_references,
    )
    _check_used(cases, part.name, [m.name for m in metrics], needs, options, spec)
    notes = [
        *edit_notes(cases, options.exclude, scheme_chosen=spec.is_chosen),
        *text_notes(cases, needs, part, division, options.segmenter),
        *notes,
    ]
    selection = {}
    if options.part:
        first, last = options.part
        selection["range"] = f"{first}-{len(corpus.samples) if last is None else last}"
    references = f"first {options.max_references}" if options.max_references else "all"
    if options.references_exactly:
        references += f", exactly {options.references_exactly}"
    selection |= {"references": references, "gecbench": __version__}
    metrics = [
        metric
        if metric.name in refused
        else replace(
            metric,
            context={
                **changes,
                **signature_context(metric.needs, part, cases, division.name),
                **selection,
            },
        )
        for metric in metrics
    ]
    rows, refused, metric_notes = run_metrics(metrics, cases.by_system, refused)
    return RunStats(
        corpus=part,
        systems={system.system: system for system in systems},
        lang=language.code,
        metrics={metric.name: metric for metric in metrics},
        cases=cases.by_system,
        rows=rows,
        refused=refused,
        left_out=left_out,
        notes=tuple(dict.fromkeys((*notes, *metric_notes))),
        joiner=((cases.edits and cases.edits.scheme) or language).joiner,
    )


def _with_language_of_metrics(corpus: Corpus, metrics: Sequence[str]) -> Corpus:
    """Put a corpus whose texts do not show their language into that of the metrics.

    Args:
        corpus: Returned as it is where anything says its language.
        metrics: Names of metrics; they decide if all that are for certain languages are for one.
    """
    languages = {kind.languages for kind in map(metric_class, metrics) if kind.languages}
    if corpus.lang or len(languages) != 1 or detect(sample.source for sample in corpus.samples):
        return corpus
    ((code, *others),) = languages
    return corpus if others else replace(corpus, lang=code)


def _check_used(
    cases: Cases,
    name: str,
    metrics: Sequence[str],
    needs: Collection[Part],
    options: Options,
    spec: SchemeSpec,
) -> None:
    """Refuse options of how edits are found where all that metrics compare are those of files.

    Raises:
        NoEffectError: Names the options, and what to do.
    """
    if spec.may_be_unused:
        return
    if options.re_extract and "edits" not in needs and not cases.gold_edits_extracted:
        raise NoEffectError(
            f"no metric of {', '.join(metrics)} compares edits that --re-extract extracts "
            "again; leave it out",
            ("re_extract", *spec.chosen_fields),
            name,
        )
    if not spec.chosen_fields or needs == {"texts"}:
        return
    if not (cases.gold_edits_extracted or (cases.edits and cases.edits.extracted)):
        chosen = " and ".join(spec.chosen_options)
        in_place = " in place of --no-re-extract" if options.re_extract is False else ""
        add = f"add --re-extract{in_place}, or " if "edits" in needs else ""
        raise NoEffectError(
            f"all edits stand in the files and are used as they are, so that {chosen} "
            f"has no effect; {add}leave {chosen} out",
            spec.chosen_fields,
            name,
        )


def make_metrics(names: Sequence[str], options: Options, language: Language) -> list[Metric[Any]]:
    """Make metrics with their options set.

    Metrics over texts take words, and characters in Chinese, unless they are set.

    Raises:
        UsageError: A setting is of a metric that is not asked for, unknown, or wrong; or no metric
            takes an option.
    """
    for setting in options.settings:
        name, dot, _ = setting.partition(".")
        if not dot or name not in names:
            raise UsageError(
                f"setting {setting!r} is of no metric asked for ({', '.join(names)}); "
                "write METRIC.OPTION=VALUE"
            )
    kinds = [metric_class(name) for name in names]
    known = {field.name for kind in kinds for field in fields(kind)}
    plain = Options()
    for option, field, value in (
        ("level", "level", options.level),
        ("beta", "beta", options.beta),
        ("choice", "choice", options.choice),
        ("size", "chosen", options.size),
        ("exclude", "chosen", options.exclude),
    ):
        if value != getattr(plain, option) and field not in known:
            raise UsageError(
                f"no metric of {', '.join(names)} has the option "
                f"{'edits' if option == 'size' else option}; leave it out"
            )
    if options.segmenter and not any(kind.needs == "gold_edits" for kind in kinds):
        raise UsageError(
            f"no metric of {', '.join(names)} divides texts by a segmenter; leave it out"
        )
    shared: dict[str, object] = {
        "level": options.level,
        "beta": options.beta,
        "choice": options.choice,
        "chosen": Filter(options.size, frozenset(options.exclude)),
        "unit": language.unit,
    }
    return [make_metric(name, shared, options.settings) for name in names]


# Significance.


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Systems compared by some metrics.

    Args:
        corpus: Name of the data.
        metrics: What each metric finds, in the order asked for.
        notes: What the reader should know, a sentence each.
    """

    corpus: str
    metrics: tuple[Comparison, ...]
    notes: tuple[str, ...] = ()


def compare(
    corpus: Corpus,
    systems: Systems,
    *,
    scheme: AnyScheme = None,
    options: Options | None = None,
    plan: Plan | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
    watch_pairs: Watch = no_progress,
) -> Comparisons:
    """Test whether systems differ significantly, metric by metric.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Two or more, joined to this corpus.
        scheme: As in `gecbench.score`.
        options: How to score; its resamples and subsets are not looked at, the plan has its own.
        plan: How to compare; None is the default.
        lang: Code of the language of the texts; None takes that of the corpus.
        watch: Wraps loops over sentences, to show progress.
        watch_pairs: Wraps loops over pairs of systems, likewise.

    Raises:
        GecbenchError: Something does not fit together, or fewer than two systems are given.
    """
    systems = as_systems(systems)
    check_number(len(systems))
    corpus = in_language(corpus, lang)
    run_stats = collect_stats(corpus, systems, scheme=scheme, options=options, watch=watch)
    return compare_run(run_stats, plan, watch=watch_pairs)


def compare_run(
    run_stats: RunStats, plan: Plan | None = None, *, watch: Watch = no_progress
) -> Comparisons:
    """Test whether the systems of a run differ, by each metric that applies to them."""
    names = [name for name in run_stats.metrics if name not in run_stats.refused]
    by_metric = [compare_by_metric(run_stats, name, plan, watch=watch) for name in names]
    notes = [*run_stats.notes, *(f"n/a: {why}" for why in run_stats.refused.values())]
    notes += [
        f"{count_noun(count, 'sentence')} left out: {why}"
        for why, count in run_stats.left_out.items()
        if count
    ]
    notes += [note for comparison in by_metric for note in comparison.notes]
    return Comparisons(run_stats.corpus.name, tuple(by_metric), tuple(dict.fromkeys(notes)))


def check_number(systems: int) -> None:
    """Refuse fewer systems than can be compared, before anything is read.

    Raises:
        UsageError: There are not two.
    """
    if systems < 2:
        raise UsageError(f"a comparison takes two systems or more; given: {systems}")
