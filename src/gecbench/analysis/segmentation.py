"""How far scores depend on the program that divides texts into words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from gecbench.analysis.sentences import system_scores
from gecbench.core.errors import CorpusError
from gecbench.core.frames import Framed, Frames, flat
from gecbench.core.sample import GOLD_EDITS, Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import Score, ranks
from gecbench.edits.alignment import changes
from gecbench.formats.texts import text_of
from gecbench.scoring.cases import Segmenter
from gecbench.scoring.extractor import is_declared
from gecbench.scoring.results import RunStats, score_columns
from gecbench.scoring.texts import characters

Golds = Literal["given", "divided"]

Divide = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SegmenterScores:
    """All systems under one segmenter.

    Args:
        segmenter: As it was asked for.
        name: With the version of the program.
        tokens: Mean number of tokens of a source as this segmenter divides it.
        alike: How many sources it divides as the corpus does; None where the corpus is divided
            by it, too.
        gold: How many edits the references have, all together.
        scores: By metric, then by system.
    """

    segmenter: str
    name: str
    tokens: float
    alike: int | None
    gold: int
    scores: Mapping[str, Mapping[str, Score]]


@dataclass(frozen=True, slots=True)
class Movement:
    """How far the segmenter moves one system.

    Args:
        system: Its name.
        values: Its score under each segmenter, not rounded.
        ranks: Its rank under each, 1 the best; equal scores share the better rank.
    """

    system: str
    values: tuple[float, ...]
    ranks: tuple[int, ...]

    @property
    def width(self) -> float:
        """The greatest score less the least."""
        return max(self.values) - min(self.values)


@dataclass(frozen=True, slots=True, repr=False)
class Segmentation(Framed):
    """The same outputs under several segmenters.

    Args:
        corpus: Its name.
        golds: "given": the gold edits stay as they are; "divided": sources and references are
            divided by each segmenter, too, and the gold edits are the changes between words.
        sentences: How many were scored.
        segmenters: In the order asked for.
        movements: By metric, a system each.
        swaps: By metric: of all pairs of systems, how many change their order somewhere.
        pairs: How many pairs of systems there are.
        beside: Scores that need no words, by metric and then by system.
        skipped: Segmenters and metrics that could not be used, and why.
        notes: What the reader should know.
        signatures: How the numbers were made.
    """

    corpus: str
    golds: Golds
    sentences: int
    segmenters: tuple[SegmenterScores, ...]
    movements: Mapping[str, tuple[Movement, ...]]
    swaps: Mapping[str, int]
    pairs: int
    beside: Mapping[str, Mapping[str, Score]]
    skipped: Mapping[str, str]
    notes: tuple[str, ...]
    signatures: tuple[str, ...]

    def frames(self) -> Frames:
        """A row for each system under a segmenter, segmenter, or score that needs no words."""
        return {
            "systems": (
                {"metric": metric, "system": moves.system, "segmenter": segmenter.segmenter}
                | {"rank": rank}
                | score_columns(segmenter.scores[metric][moves.system])
                for metric, movements in self.movements.items()
                for moves in movements
                for segmenter, rank in zip(self.segmenters, moves.ranks, strict=True)
            ),
            "segmenters": (
                {name: value for name, value in flat(segmenter).items() if "scores_" not in name}
                for segmenter in self.segmenters
            ),
            "beside": (
                {"metric": metric, "system": system} | score_columns(score)
                for metric, by_system in self.beside.items()
                for system, score in by_system.items()
            ),
        }


def texts_only(corpus: Corpus, lang: str) -> tuple[Corpus, int]:
    """Keep the texts of a corpus alone, without spaces, and count references without a text.

    Those are known only by edits that overlap; sentences with no other reference are not there.
    """
    lost = 0
    samples = []
    for sample in corpus.samples:
        references = []
        for rewrite in sample.references:
            try:
                references.append(_text_only(rewrite, sample, lang))
            except CorpusError:
                lost += 1
        if references or not sample.references:
            source = characters(sample.source)
            samples.append(replace(sample, source=source, references=tuple(references), tokens=()))
    return replace(corpus, samples=tuple(samples), lang=lang), lost


def outputs_only(system: SystemOutput, corpus: Corpus, lang: str) -> SystemOutput:
    """Keep a system's texts alone, without spaces.

    Args:
        system: As it was read.
        corpus: With all its sentences.
        lang: Language code.

    Raises:
        CorpusError: An output is known only by edits that cannot be applied.
    """
    texts = {}
    for sample in corpus.samples:
        tokenised = replace(sample, tokens=system.tokens.get(sample.id, sample.tokens))
        versions = system.hypotheses[sample.id]
        texts[sample.id] = tuple(_text_only(rewrite, tokenised, lang) for rewrite in versions)
    return SystemOutput(system.system, texts)


def divide_corpus(corpus: Corpus, divide: Divide) -> Corpus:
    """Divide the sources of a corpus of texts, with gold edits between words.

    Args:
        corpus: As `texts_only` gives it.
        divide: The tokens of a text.
    """
    samples = []
    for sample in corpus.samples:
        tokens = divide(sample.source)
        references = tuple(
            rewrite
            if rewrite.text is None
            else replace(rewrite, edit_sets=(changes(tokens, divide(rewrite.text)),))
            for rewrite in sample.references
        )
        samples.append(replace(sample, tokens=tokens, references=references))
    provenance = {**corpus.provenance, GOLD_EDITS: "changes between words"}
    return replace(corpus, samples=tuple(samples), provenance=provenance)


def segmenter_scores(
    run_stats: RunStats, name: str, segmenter: Segmenter, *, golds: Golds
) -> SegmenterScores:
    """Score all systems under one segmenter.

    Args:
        run_stats: The run with this segmenter.
        name: Of the segmenter, as it was asked for.
        segmenter: Its own name has its version.
        golds: As in `Segmentation`.
    """
    samples = run_stats.corpus.samples
    tokens = [
        segmenter.divide(sample.source if segmenter.reads_blanks else characters(sample.source))
        for sample in samples
    ]
    alike = sum(words == sample.tokens for words, sample in zip(tokens, samples, strict=True))
    return SegmenterScores(
        name,
        segmenter.name,
        sum(map(len, tokens)) / max(1, len(samples)),
        alike if golds == "given" else None,
        sum(len(r.edit_sets[0]) for s in samples for r in s.references if r.edit_sets),
        {metric: system_scores(run_stats, metric) for metric in run_stats.metrics},
    )


def movements(
    segmenters: Sequence[SegmenterScores], metric: str, *, higher_is_better: bool
) -> tuple[Movement, ...]:
    """Scores and ranks of each system under all segmenters.

    Args:
        segmenters: At least one.
        metric: Name of a metric that all have.
        higher_is_better: Whether a greater score is a better system.
    """
    systems = list(segmenters[0].scores[metric])
    values = [
        [segmenter.scores[metric][name].value for name in systems] for segmenter in segmenters
    ]
    by_segmenter = [ranks(scores, higher_is_better=higher_is_better) for scores in values]
    columns = zip(systems, zip(*values, strict=True), zip(*by_segmenter, strict=True), strict=True)
    return tuple(Movement(*column) for column in columns)


def swaps(movements: Sequence[Movement]) -> int:
    """Count pairs of systems that stand in one order here and in the other there."""
    return sum(
        len({a < b for a, b in zip(first.ranks, second.ranks, strict=True) if a != b}) > 1
        for first, second in combinations(movements, 2)
    )


def _text_only(rewrite: Rewrite, sample: Sample, lang: str) -> Rewrite:
    if is_declared(rewrite):
        return replace(rewrite, edit_sets=(), capped=False)
    text = characters(text_of(sample, rewrite, lang))
    return Rewrite(text=text, annotator=rewrite.annotator)
