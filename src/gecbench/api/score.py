"""Scoring systems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any

from gecbench import __version__
from gecbench.api.files import in_language
from gecbench.api.options import AnyScheme, Options, SchemeSpec, chosen_for_metrics
from gecbench.api.schemes import loader_elsewhere, scheme_for
from gecbench.core.errors import Message, UsageError, count_noun
from gecbench.core.options import check_list
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput, Systems, as_systems
from gecbench.core.scheme import Watch, no_progress
from gecbench.metrics import make_metrics, metric_class
from gecbench.scoring.cases import SPACES, decide_gold_edits, segmenter
from gecbench.scoring.extractor import Extractor
from gecbench.scoring.languages import (
    corpus_language,
    language_notes,
    metrics_of_other_languages,
    normaliser_notes,
    with_language_of_metrics,
)
from gecbench.scoring.parts import StatsTask, measure, take_stats
from gecbench.scoring.results import RunStats, ScoreReport
from gecbench.scoring.run import (
    check_extraction,
    check_outputs,
    edit_notes,
    first_references,
    metric_notes,
    select_samples,
    signature_context,
    summarise,
    text_notes,
    version_notes,
)
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
        corpus: With at least one reference for every sentence, if a metric needs any.
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
        collect_stats(
            corpus, systems, scheme=scheme, options=options, keep_cases=False, watch=watch
        ),
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
    keep_cases: bool = True,
    watch: Watch = no_progress,
) -> RunStats:
    """Compute the statistics of all metrics for each sentence of each system.

    Args:
        corpus: As in `score`, and so are the others.
        systems: See there.
        scheme: See there.
        options: What is about summing up (intervals, subsets) is not looked at.
        keep_cases: Whether the result has the cases, which need most of the memory.
        watch: See there.

    Raises:
        GecbenchError: Something does not fit together.
    """
    options = options or Options()
    spec = SchemeSpec.of(scheme)
    systems = as_systems(systems)
    odd = check_outputs(corpus, systems)
    part, left_out = select_samples(
        corpus,
        options.part,
        max_references=options.max_references,
        references_exactly=options.references_exactly,
    )
    notes = [*language_notes(corpus), *odd]
    if spec.name is None:
        part = with_language_of_metrics(part, map(metric_class, options.metrics))
    language = corpus_language(part, spec.name)
    changes: Mapping[str, str] = {}
    if options.normalise:
        from gecbench.scoring.texts import change_notes, normalise

        texts = part, systems
        part, systems, changes = normalise(part, systems, options.normalise)
        notes += normaliser_notes(part, language, options.normalise)
        notes += change_notes(texts, (part, systems))
    metrics = make_metrics(
        options.metrics or (language.metric,),
        {
            "level": options.level,
            "beta": options.beta,
            "choice": options.choice,
            "chosen": Filter(options.size, frozenset(options.exclude)),
            "unit": language.unit,
        },
        options.settings,
        chosen=chosen_for_metrics(options),
        segmenter=bool(options.segmenter),
    )
    refused = metrics_of_other_languages(metrics, part, language)
    applicable = [metric for metric in metrics if metric.name not in refused]
    needs = frozenset(metric.needs for metric in applicable)
    division = SPACES
    if options.segmenter or "gold_edits" in needs:
        division = segmenter(options.segmenter, part)
    scored = first_references(
        part,
        options.max_references,
        required=any(metric.needs_references for metric in applicable),
    )
    extractor = Extractor(partial(scheme_for, part, spec), options.re_extract)
    decision = (
        extractor.decide(scored, systems)
        if "edits" in needs
        else decide_gold_edits(scored, extractor)
        if "gold_edits" in needs
        else None
    )
    by_part = [metric for metric in applicable if metric.by_part]
    at_once = [metric for metric in applicable if not metric.by_part]
    stats = measure(
        StatsTask(
            metrics=by_part,
            needs=needs,
            decision=decision,
            segment=division.divide,
            keep_cases=keep_cases or bool(at_once),
            watch=watch,
        ),
        scored,
        systems,
        load=loader_elsewhere(spec, language),
        jobs=options.jobs,
        watch=watch,
    )
    facts = stats.facts
    if not spec.may_be_unused:
        check_extraction(
            facts,
            part.name,
            [metric.name for metric in metrics],
            needs,
            re_extract=options.re_extract,
            options=spec.chosen,
        )
    if needs != {"edits"}:
        of_texts = text_notes(facts, needs, part, decision, division, options.segmenter)
        notes = [*of_texts, *notes]
    notes = [
        *version_notes(facts, needs),
        *edit_notes(
            facts, scored, decision, options.exclude, scheme_chosen=bool(spec.name or spec.chosen)
        ),
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
                **signature_context(metric.needs, part, facts, decision, division.name),
                **selection,
            },
        )
        for metric in metrics
    ]
    # Networks and servers cost most: they are asked when nothing is left that could be refused.
    rows, missing = take_stats(at_once, stats.cases)
    rows, missing = {**stats.rows, **rows}, {**stats.refused, **missing}
    if len(metrics) == 1 and missing:
        raise missing[metrics[0].name]
    refused |= {
        name: Message("{name}: {value}", name=name, value=error.message)
        for name, error in missing.items()
    }
    return RunStats(
        corpus=part,
        systems={system.system: system for system in systems},
        lang=language.code,
        metrics={metric.name: metric for metric in metrics},
        cases=stats.cases if keep_cases else {},
        rows=rows,
        refused=refused,
        left_out=left_out,
        notes=tuple(dict.fromkeys((*notes, *metric_notes(metrics, part, rows)))),
        joiner=((decision and decision.scheme) or language).joiner,
    )


_HALF_PAIR = re.compile("[\ud800-\udfff]")

References = Iterable[str | Iterable[str]]
"""A list of references for each sentence; where there is only one, the text will do."""


def score_texts(
    sources: str | Iterable[str],
    hypotheses: str | Iterable[str] | Mapping[str, str | Iterable[str]],
    references: str | References,
    *,
    lang: str | None = None,
    metrics: str | Sequence[str] = (),
    scheme: AnyScheme = None,
    options: Options | None = None,
    watch: Watch = no_progress,
) -> ScoreReport:
    """Score systems on texts that are in memory; item k of each is of sentence k.

    Args:
        sources: What learners wrote: a list, a tuple, a column of pandas or of datasets. One text
            is one sentence; then each system has one text, too, and references are its own.
        hypotheses: What a system made of them; or those of several systems, by their names.
        references: For each sentence a list of references, or its only one.
        lang: Code of the language of the texts; None detects it.
        metrics: Name of a metric, or names; () means those of the options, else the language's own.
        scheme: As in `gecbench.score`, and so are the others.
        options: See there.
        watch: See there.

    Raises:
        UsageError: Something is no text, or not there for each sentence; names the item.
        GecbenchError: As `gecbench.score` raises it.

    Examples:
        >>> references = [["He goes home ."]]
        >>> report = score_texts(
        ...     ["He go home ."], ["He goes home ."], references, lang="en", metrics=["gleu"]
        ... )
        >>> report.results[0].score.value
        1.0
    """
    corpus, systems = corpus_of_texts(sources, hypotheses, references)
    options = options or Options()
    if isinstance(metrics, str):
        metrics = (metrics,)
    check_list("metrics", metrics)
    if metrics:
        options = replace(options, metrics=tuple(metrics))
    return score(corpus, systems, scheme=scheme, options=options, lang=lang, watch=watch)


def corpus_of_texts(
    sources: str | Iterable[str],
    hypotheses: str | Iterable[str] | Mapping[str, str | Iterable[str]],
    references: str | References,
) -> tuple[Corpus, list[SystemOutput]]:
    """Make a corpus and systems of texts; see `score_texts`, which has the same arguments."""
    is_one = isinstance(sources, str)
    if is_one:
        references = _references_of_one(references)
    source_texts = _texts("sources", sources, is_one=is_one)
    if not source_texts:
        raise UsageError("sources is empty; give at least one sentence")
    by_system = hypotheses if isinstance(hypotheses, Mapping) else {"system": hypotheses}
    size = len(source_texts)
    reference_lists = _reference_lists(references, size)
    ids = [str(number) for number in range(1, size + 1)]
    samples = [
        Sample(name, source, tuple(Rewrite(text=text) for text in texts))
        for name, source, texts in zip(ids, source_texts, reference_lists, strict=True)
    ]
    systems = []
    for system, outputs in by_system.items():
        if not isinstance(system, str):
            raise UsageError(f"hypotheses has a system {system!r}; names of systems are texts")
        name = f"hypotheses[{system!r}]" if by_system is hypotheses else "hypotheses"
        texts = _texts(name, outputs, is_one=is_one)
        _check_size(name, len(texts), size)
        rewrites = ((Rewrite(text=text),) for text in texts)
        systems.append(SystemOutput(system, dict(zip(ids, rewrites, strict=True))))
    return Corpus("texts", tuple(samples)), systems


def _references_of_one(references: str | References) -> References:
    """The references of the only sentence, which need not be in a list of their own."""
    if isinstance(references, str):
        return [references]
    items = _items("references", references, "the references of the sentence")
    return [items] if items and all(isinstance(item, str) for item in items) else items


def _reference_lists(references: References, size: int) -> list[list[str]]:
    items = _items("references", references, "a list of references for each sentence")
    _check_size("references", len(items), size, "a list of references for each sentence")
    lists = [
        _texts(f"references[{at}]", [item] if isinstance(item, str) else item)
        for at, item in enumerate(items)
    ]
    for at, texts in enumerate(lists):
        if not texts:
            raise UsageError(f"references[{at}] is empty; give at least one reference")
    return lists


def _texts(name: str, texts: str | Iterable[str], *, is_one: bool = False) -> list[str]:
    """The texts of a list or column, after a look at what they are; `is_one` allows a text."""
    if is_one and isinstance(texts, str):
        _check_characters(name, texts)
        return [texts]
    items = _items(name, texts, "a list of texts")
    for at, text in enumerate(items):
        if not isinstance(text, str):
            kind = type(text).__name__  # a scalar of pyarrow looks like its text
            raise UsageError(
                f"{name}[{at}] is {str(text)[:40]!r} of type {kind}; give a text (str)"
            )
        _check_characters(f"{name}[{at}]", text)
    return [str(text) for text in items]


def _check_characters(name: str, text: str) -> None:
    """Refuse what neither a file nor a scheme can hold."""
    if half := _HALF_PAIR.search(text):
        code = f"\\u{ord(half.group()):04x}"
        raise UsageError(f"{name} holds half a surrogate pair, {code}; write the character")


def _items(name: str, values: Iterable[Any], what: str) -> list[Any]:
    """The items of a list or column.

    Dicts and data frames, which give the names of their columns, sets, which have no order, and
    the rows of data sets are refused: they would be scored as something else.
    """
    if isinstance(values, str):
        raise UsageError(f"{name} is the text {values[:40]!r}; give {what}")
    is_table = isinstance(values, Mapping | Set) or hasattr(values, "columns")
    if is_table or not isinstance(values, Iterable):
        raise UsageError(f"{name} is of type {type(values).__name__}; give {what}, or a column")
    return list(values)


def _check_size(name: str, size: int, expected: int, what: str = "one for each sentence") -> None:
    if size != expected:
        raise UsageError(
            f"{name} has {count_noun(size, 'item')}, sources {expected}; give {what}, in order"
        )
