"""The same outputs scored under several segmenters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
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
from gecbench.api.options import Options
from gecbench.api.schemes import AnyScheme, corpus_language
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
from gecbench.core.options import check_once
from gecbench.core.sample import Corpus, SystemOutput, Systems, as_systems
from gecbench.core.scheme import Watch, no_progress
from gecbench.core.score import Score
from gecbench.metrics import metric_class
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
    check_once("segmenter", segmenters)
    corpus = in_language(corpus, lang)
    _check(corpus, options, beside)
    systems = as_systems(systems)
    check_outputs(corpus, systems)
    corpus, systems = _range(corpus, systems, options)
    options = replace(options, part=None)
    code = corpus_language(corpus).code
    plain, lost = texts_only(corpus, code)
    known = golds or ("given" if _has_edits(corpus) else "divided")
    if known == "given" and not _has_edits(corpus):
        raise CorpusError(
            f"{corpus.name}: not all references have edits; leave --golds out to find them"
        )
    texts = [outputs_only(system, corpus, code) for system in systems]
    run = _Run(corpus, plain, systems, texts, known, scheme, options, watch)
    if lost:
        without = count_noun(lost, "reference", " is", " are")
        run.notes.append(
            f"{without} known only by edits that overlap and {'has' if lost == 1 else 'have'} no "
            "text; metrics over texts, and gold edits between divided texts, are without them"
        )
    return run.compare(tuple(segmenters), beside)


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


@dataclass(slots=True)
class _Run:
    """One corpus with its systems, as read and as texts alone."""

    corpus: Corpus
    plain: Corpus
    systems: Sequence[SystemOutput]
    texts: Sequence[SystemOutput]
    golds: Golds
    scheme: AnyScheme
    options: Options
    watch: Watch
    skipped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)

    def compare(self, names: tuple[str, ...], beside: Sequence[str]) -> Segmentation:
        """Score under all segmenters that can be used, and by the metrics beside."""
        scores = [self._scores(name) for name in names or self._usual()]
        segmenters = tuple(score for score in scores if score is not None)
        if not segmenters:
            why = "; ".join(self.skipped.values())
            raise UsageError(f"no segmenter can be used: {why}")
        moved = {
            name: movements(segmenters, name, higher_is_better=metric_class(name).higher_is_better)
            for name in self.options.metrics
        }
        others = {name: self._beside(name) for name in beside}
        first = segmenters[0].scores[self.options.metrics[0]]
        return Segmentation(
            corpus=self.corpus.name,
            golds=self.golds,
            sentences=next(iter(first.values())).sentences,
            segmenters=segmenters,
            movements=moved,
            swaps={metric: swaps(moves) for metric, moves in moved.items()},
            pairs=comb(len(self.systems), 2),
            beside={name: scores for name, scores in others.items() if scores is not None},
            skipped=self.skipped,
            notes=tuple(dict.fromkeys(self.notes)),
            signatures=tuple(dict.fromkeys(self.signatures)),
        )

    def _usual(self) -> list[str]:
        """All segmenters that can mean anything for these texts."""
        spaced = all(
            " ".join(sample.source.split()) == " ".join(sample.tokens)
            for sample in self.corpus.samples
        )
        first = ["spaces"] if self.golds == "given" and spaced and self._are_spaced() else []
        return [*first, *(["characters"] if self.golds == "divided" else []), *SEGMENTERS]

    def _are_spaced(self) -> bool:
        """Say whether most outputs of every system are divided already."""
        return all(
            2 * sum(" " in (r[0].text or " ") for r in system.hypotheses.values())
            > len(system.hypotheses)
            for system in self.systems
        )

    def _scores(self, name: str) -> SegmenterScores | None:
        try:
            division = segmenter(name, self.plain)
            if name == "spaces" and self.golds == "divided":
                raise UsageError(_NO_SPACES)
        except UnknownNameError:
            raise
        except (UsageError, ResourceError) as error:
            self.skipped[name] = str(error)
            return None
        systems = self.systems if name == "spaces" else self.texts
        corpus = self.corpus
        if self.golds == "divided":
            corpus = divide_corpus(self.plain, division.divide)
        settings = self._settings(self.options.metrics)
        options = replace(self.options, segmenter=name, settings=settings)
        run_stats = collect_stats(corpus, systems, options=options, watch=self.watch)
        self.notes += [note for note in run_stats.notes if not note.startswith("segmenter ")]
        self.signatures += signatures(run_stats, self.options.metrics)
        return segmenter_scores(run_stats, name, division.name, division.divide, golds=self.golds)

    def _beside(self, name: str) -> Mapping[str, Score] | None:
        takes_beta = "beta" in {field.name for field in fields(metric_class(name))}
        options = Options(
            metrics=(name,),
            max_references=self.options.max_references,
            references_exactly=self.options.references_exactly,
            beta=self.options.beta if takes_beta else Options().beta,
            normalise=self.options.normalise,
            settings=self._settings((name,)),
        )
        try:
            run_stats = collect_stats(
                self.plain, self.texts, scheme=self.scheme, options=options, watch=self.watch
            )
        except (MissingExtraError, ResourceError) as error:
            self.skipped[name] = str(error)
            return None
        self.notes += run_stats.notes
        self.signatures += signatures(run_stats, (name,))
        return system_scores(run_stats, name)

    def _settings(self, names: Sequence[str]) -> dict[str, str]:
        settings = self.options.settings
        return {key: value for key, value in settings.items() if key.partition(".")[0] in names}
