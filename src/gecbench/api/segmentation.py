"""The same outputs scored under several segmenters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from math import comb

from gecbench.analysis.segmentation import (
    Golds,
    Segmentation,
    SegmenterScores,
    divide_corpus,
    movements,
    outputs_only,
    segmenter_scores,
    swaps,
    texts_only,
)
from gecbench.analysis.sentences import signatures, system_scores
from gecbench.api.files import in_language
from gecbench.api.options import AnyScheme, Options
from gecbench.api.score import collect_stats
from gecbench.backends import SEGMENTERS
from gecbench.core.errors import (
    CorpusError,
    MissingExtraError,
    ResourceError,
    UnknownNameError,
    UsageError,
    count_noun,
)
from gecbench.core.options import check_list, check_once
from gecbench.core.sample import Corpus, SystemOutput, Systems, as_systems
from gecbench.core.scheme import Watch, no_progress
from gecbench.core.score import Score
from gecbench.metrics import metric_class
from gecbench.scoring.languages import corpus_language
from gecbench.scoring.run import check_outputs, select_samples
from gecbench.scoring.segmenters import segmenter

BESIDE = ("cherrant", "char-bleu", "sentence-accuracy")
"""Metrics of Chinese texts to which division into words makes no difference."""

_NO_SPACES = "segmenter spaces: gold edits are found between texts without spaces; choose another"


def segmentation(
    corpus: Corpus,
    systems: Systems,
    *,
    segmenters: Sequence[str] = (),
    golds: Golds | None = None,
    beside: Sequence[str] = BESIDE,
    scheme: AnyScheme = None,
    options: Options | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
) -> Segmentation:
    """Score systems over words under several segmenters, and by metrics that need no words.

    Args:
        corpus: Chinese, with references.
        systems: Outputs, joined to this corpus.
        segmenters: Names, as `--segmenter` takes them; () means all that can be used.
        golds: Whether gold edits stay as given or are found again between divided texts; None
            means as given, where all references have edits.
        beside: Metrics over the texts without spaces, to compare with.
        scheme: As for `score`, for metrics beside that need edits.
        options: How to score; its metrics are over gold edits, m2 if it names none.
        lang: Code of the language of the texts; None takes that of the corpus.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: The corpus is not Chinese, a name stands twice, gold edits are asked for and
            not there, no segmenter can be used, or something does not fit together.
    """
    options = options or Options()
    options = replace(options, metrics=options.metrics or ("m2",))
    check_list("segmenters", segmenters)
    check_list("beside", beside)
    check_once("segmenter", segmenters)
    corpus = in_language(corpus, lang)
    _check(corpus, options, beside)
    systems = as_systems(systems)
    check_outputs(corpus, systems)
    corpus, systems = _range(corpus, systems, options)
    options = replace(options, part=None)
    code = corpus_language(corpus).code
    plain, lost = texts_only(corpus, code)
    has_edits = _has_edits(corpus)
    if golds == "given" and not has_edits:
        raise CorpusError(
            f"{corpus.name}: not all references have edits; leave --golds out to find them"
        )
    golds = golds or ("given" if has_edits else "divided")
    texts = [outputs_only(system, corpus, code) for system in systems]
    skipped: dict[str, str] = {}
    notes: list[str] = []
    all_signatures: list[str] = []
    if lost:
        without = count_noun(lost, "reference", " is", " are")
        notes.append(
            f"{without} known only by edits that overlap and {'has' if lost == 1 else 'have'} no "
            "text; metrics over texts, and gold edits between divided texts, are without them"
        )
    scores: list[SegmenterScores] = []
    for name in segmenters or _usual_segmenters(corpus, systems, golds):
        try:
            division = segmenter(name, plain)
            if name == "spaces" and golds == "divided":
                raise UsageError(_NO_SPACES)
        except UnknownNameError:
            raise
        except (UsageError, ResourceError) as error:
            skipped[name] = str(error)
            continue
        run_stats = collect_stats(
            corpus if golds == "given" else divide_corpus(plain, division.divide),
            systems if name == "spaces" else texts,
            options=replace(options, segmenter=name, settings=_settings(options, options.metrics)),
            watch=watch,
        )
        notes += [note for note in run_stats.notes if not note.startswith("segmenter ")]
        all_signatures += signatures(run_stats, options.metrics)
        scores.append(
            segmenter_scores(run_stats, name, division.name, division.divide, golds=golds)
        )
    if not scores:
        raise UsageError(f"no segmenter can be used: {'; '.join(skipped.values())}")
    beside_scores: dict[str, Mapping[str, Score]] = {}
    for name in beside:
        try:
            run_stats = collect_stats(
                plain, texts, scheme=scheme, options=_options_beside(options, name), watch=watch
            )
        except (MissingExtraError, ResourceError) as error:
            skipped[name] = str(error)
            continue
        notes += run_stats.notes
        all_signatures += signatures(run_stats, (name,))
        beside_scores[name] = system_scores(run_stats, name)
    moves = {
        name: movements(scores, name, higher_is_better=metric_class(name).higher_is_better)
        for name in options.metrics
    }
    first = scores[0].scores[options.metrics[0]]
    return Segmentation(
        corpus=corpus.name,
        golds=golds,
        sentences=next(iter(first.values())).sentences,
        segmenters=tuple(scores),
        movements=moves,
        swaps={metric: swaps(by_system) for metric, by_system in moves.items()},
        pairs=comb(len(systems), 2),
        beside=beside_scores,
        skipped=skipped,
        notes=tuple(dict.fromkeys(notes)),
        signatures=tuple(dict.fromkeys(all_signatures)),
    )


def _check(corpus: Corpus, options: Options, beside: Sequence[str]) -> None:
    language = corpus_language(corpus)
    if not language.segmenter:
        raise UsageError(
            f"{corpus.name} is {language.code}: segmenters divide Chinese; other texts have their "
            "spaces"
        )
    for name in options.metrics:
        if metric_class(name).needs != "gold_edits":
            raise UsageError(
                f"{name} divides no texts into words; name metrics over gold edits, as m2 and "
                "sent-m2, and others by --beside"
            )
    check_once("metric", beside)
    for name in beside:
        if metric_class(name).needs == "gold_edits":
            raise UsageError(f"{name} depends on words; name it by --metric, not --beside")
    for setting in options.settings:
        if setting.partition(".")[0] not in (*options.metrics, *beside):
            raise UsageError(
                f"setting {setting!r} is of no metric asked for "
                f"({', '.join([*options.metrics, *beside])}); write METRIC.OPTION=VALUE"
            )


def _range(
    corpus: Corpus, systems: Sequence[SystemOutput], options: Options
) -> tuple[Corpus, Sequence[SystemOutput]]:
    """Select the range of sentences: later, places would no longer be those of the file."""
    corpus, _ = select_samples(corpus, options.part)
    outputs = [
        replace(
            system,
            hypotheses={sample.id: system.hypotheses[sample.id] for sample in corpus.samples},
        )
        for system in systems
    ]
    return corpus, outputs


def _has_edits(corpus: Corpus) -> bool:
    """Say whether all references have edits, or need none."""
    return all(
        sample.tokens and (r.edit_sets or r.error_free or r.unannotatable)
        for sample in corpus.samples
        for r in sample.references
    )


def _usual_segmenters(
    corpus: Corpus, systems: Sequence[SystemOutput], golds: Golds
) -> Sequence[str]:
    """All segmenters that can mean anything for these texts."""
    if golds == "divided":
        return ["characters", *SEGMENTERS]
    has_blanks = all(
        " ".join(sample.source.split()) == " ".join(sample.tokens) for sample in corpus.samples
    ) and all(
        2 * sum(" " in (versions[0].text or " ") for versions in system.hypotheses.values())
        > len(system.hypotheses)
        for system in systems
    )
    return ["spaces", *SEGMENTERS] if has_blanks else [*SEGMENTERS]


def _options_beside(options: Options, name: str) -> Options:
    """The options that a metric beside shares with the others."""
    takes_beta = "beta" in {field.name for field in fields(metric_class(name))}
    return Options(
        metrics=(name,),
        max_references=options.max_references,
        references_exactly=options.references_exactly,
        beta=options.beta if takes_beta else Options().beta,
        normalise=options.normalise,
        settings=_settings(options, (name,)),
    )


def _settings(options: Options, metrics: Sequence[str]) -> dict[str, str]:
    settings = options.settings
    return {key: value for key, value in settings.items() if key.partition(".")[0] in metrics}
