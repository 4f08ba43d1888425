"""How far scores depend on the program that divides texts into words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from gecbench.core.errors import CorpusError
from gecbench.core.sample import GOLDS, Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import Score
from gecbench.edits.changes import changes
from gecbench.formats.texts import text_of
from gecbench.scoring.judged import Judged

Golds = Literal["given", "divided"]

Divide = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Division:
    """All systems under one segmenter.

    Args:
        segmenter: As it was asked for.
        name: With the version of the program.
        scores: By metric, then by system.
        tokens: Mean number of tokens of a source as this segmenter divides it.
        alike: How many sources it divides as the corpus does; None where the corpus is divided
            by it, too.
        gold: How many edits the references have, all together.
    """

    segmenter: str
    name: str
    scores: Mapping[str, Mapping[str, Score]]
    tokens: float
    alike: int | None
    gold: int


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


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The same outputs under several segmenters.

    Args:
        corpus: Its name.
        sentences: How many were scored.
        golds: "given": the gold edits stay as they are; "divided": sources and references are
            divided by each segmenter, too, and the gold edits are the changes between words.
        divisions: By segmenter, in the order asked for.
        movements: By metric, a system each.
        swaps: By metric: of all pairs of systems, how many change their order somewhere.
        pairs: How many pairs of systems there are.
        beside: Scores that need no words, by metric and then by system.
        skipped: Segmenters and metrics that could not be used, and why.
        notes: What the reader should know.
        signatures: How the numbers were made.
    """

    corpus: str
    sentences: int
    golds: Golds
    divisions: tuple[Division, ...]
    movements: Mapping[str, tuple[Movement, ...]]
    swaps: Mapping[str, int]
    pairs: int
    beside: Mapping[str, Mapping[str, Score]]
    skipped: Mapping[str, str]
    notes: tuple[str, ...]
    signatures: tuple[str, ...]


def unspaced(text: str) -> str:
    """Return a text without any white space, as Chinese is written."""
    return "".join(text.split())


def texts_only(corpus: Corpus, lang: str) -> tuple[Corpus, int]:
    """Return a corpus without tokens, edits and spaces, and how many references have no text.

    Those are known only by edits that overlap; sentences with no other reference are not there.
    """
    lost = 0
    samples = []
    for sample in corpus.samples:
        kept = []
        for rewrite in sample.references:
            try:
                kept.append(_text_only(rewrite, sample, lang))
            except CorpusError:
                lost += 1
        if kept or not sample.references:
            source = unspaced(sample.source)
            samples.append(replace(sample, source=source, references=tuple(kept), tokens=()))
    return replace(corpus, samples=tuple(samples), lang=lang), lost


def outputs_only(system: SystemOutput, corpus: Corpus, lang: str) -> SystemOutput:
    """Return a system's texts without tokens, edits and spaces.

    Args:
        system: As it was read.
        corpus: With all its sentences.
        lang: Language code.

    Raises:
        CorpusError: An output is known only by edits that cannot be applied.
    """
    made = {
        sample.id: tuple(
            _text_only(
                rewrite, replace(sample, tokens=system.tokens.get(sample.id, sample.tokens)), lang
            )
            for rewrite in system.hypotheses[sample.id]
        )
        for sample in corpus.samples
    }
    return SystemOutput(system.system, made)


def divided(corpus: Corpus, divide: Divide) -> Corpus:
    """Return a corpus of texts with its sources divided, and gold edits between words.

    Args:
        corpus: As `texts_only` gives it.
        divide: The tokens of a text.
    """
    return replace(
        corpus,
        samples=tuple(_divided(sample, divide) for sample in corpus.samples),
        provenance={**corpus.provenance, GOLDS: "changes between words"},
    )


def division(
    judged: Judged, segmenter: str, name: str, divide: Divide, *, golds: Golds
) -> Division:
    """Return the scores of all systems under one segmenter.

    Args:
        judged: The run with this segmenter.
        segmenter: As it was asked for.
        name: With its version.
        divide: The tokens of a text.
        golds: As in `Segmentation`.
    """
    samples = judged.corpus.samples
    tokens = [
        divide(sample.source if segmenter == "spaces" else unspaced(sample.source))
        for sample in samples
    ]
    alike = sum(a == b.tokens for a, b in zip(tokens, samples, strict=True))
    return Division(
        segmenter,
        name,
        {metric: scores_of(judged, metric) for metric in judged.metrics},
        sum(map(len, tokens)) / max(1, len(samples)),
        alike if golds == "given" else None,
        sum(len(r.edit_sets[0]) for s in samples for r in s.references if r.edit_sets),
    )


def scores_of(judged: Judged, metric: str) -> Mapping[str, Score]:
    """Return the score of each system by one metric of a run."""
    places = judged.scored(metric)
    judge = judged.metrics[metric]
    return {
        system: judge.aggregate([judged.rows[system, metric][at] for at in places])
        for system in judged.systems
    }


def movements(divisions: Sequence[Division], metric: str, *, higher: bool) -> tuple[Movement, ...]:
    """Return the scores and ranks of each system under all segmenters.

    Args:
        divisions: At least one.
        metric: Name of a metric that all have.
        higher: Whether higher is better.
    """
    systems = list(divisions[0].scores[metric])
    columns = [[each.scores[metric][name].value for name in systems] for each in divisions]
    ranks = [_ranks(column, higher=higher) for column in columns]
    return tuple(
        Movement(name, tuple(c[at] for c in columns), tuple(r[at] for r in ranks))
        for at, name in enumerate(systems)
    )


def swaps(moved: Sequence[Movement]) -> int:
    """Return how many pairs of systems stand in one order here and in the other there."""
    return sum(
        len({a < b for a, b in zip(one.ranks, two.ranks, strict=True) if a != b}) > 1
        for one, two in combinations(moved, 2)
    )


def _ranks(values: Sequence[float], *, higher: bool) -> list[int]:
    return [1 + sum(other > own if higher else other < own for other in values) for own in values]


def _text_only(rewrite: Rewrite, sample: Sample, lang: str) -> Rewrite:
    if rewrite.error_free or rewrite.unannotatable:
        return replace(rewrite, edit_sets=(), capped=False)
    text = unspaced(text_of(sample, rewrite, lang))
    return Rewrite(text=text, annotator=rewrite.annotator)


def _divided(sample: Sample, divide: Divide) -> Sample:
    tokens = divide(sample.source)
    references = tuple(
        rewrite
        if rewrite.text is None
        else replace(rewrite, edit_sets=(changes(tokens, divide(rewrite.text)),))
        for rewrite in sample.references
    )
    return replace(sample, tokens=tokens, references=references)
