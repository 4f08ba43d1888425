"""cleme and cleme2: F and four shares over chunks that hypothesis and references have in common.

Ye et al., "CLEME: Debiasing Multi-reference Evaluation for Grammatical Error Correction", EMNLP
2023, and "CLEME2.0", ACL 2025; THUKElab/CLEME e90abea, whose figures these are with faults
"official".
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, get_args

from gecbench.core.case import Case, Part
from gecbench.core.edit import Edit
from gecbench.core.options import check_between, check_choice
from gecbench.core.score import BETAS, Score, WarningNote
from gecbench.scoring.metric import Metric
from gecbench.scoring.resample import (
    choose_running,
    greatest,
    resample_of,
    round_decimals,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gecbench.scoring.metric import Draws, Values

Tokens = tuple[str, ...]
Assumption = Literal["dependent", "independent"]
Weights = Literal["length", "none"]
Faults = Literal["fixed", "official"]


# The chunks of a sentence: the same boundaries for the hypothesis and all its references.


class Chunk(NamedTuple):
    """What one version of a sentence has at one place that any version changes.

    Args:
        changed: Whether one of its edits lies there; a detected error may leave the text as it is.
        text: Its tokens there.
        length: The longer of the source's tokens and its own.
    """

    changed: bool
    text: Tokens
    length: int


def partition(versions: Sequence[Sequence[Edit]]) -> list[tuple[int, int]]:
    """The spans that any version changes, from left to right; edits that touch are one span.

    >>> partition([[Edit(1, 2, ("B",))], [Edit(2, 2, ("x",)), Edit(4, 5, ())]])
    [(1, 2), (4, 5)]
    """
    spans: list[tuple[int, int]] = []
    for start, end in sorted((edit.start, edit.end) for edits in versions for edit in edits):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


def chunks(
    edits: Sequence[Edit], spans: Sequence[tuple[int, int]], source: Tokens
) -> tuple[Chunk, ...]:
    """What a version has in each span."""
    return tuple(_chunk(edits, start, end, source) for start, end in spans)


def _chunk(edits: Sequence[Edit], start: int, end: int, source: Tokens) -> Chunk:
    inside = [edit for edit in edits if start <= edit.start and edit.end <= end]
    if not inside:
        return Chunk(changed=False, text=source[start:end], length=end - start)
    text: list[str] = []
    at = start
    for edit in inside:
        text += [*source[at : edit.start], *_replacement(edit, source)]
        at = edit.end
    text += source[at:end]
    return Chunk(changed=True, text=tuple(text), length=max(end - start, len(text)))


def _replacement(edit: Edit, source: Tokens) -> Tokens:
    """The text of an edit; of a detected error the one that the file gives beside it."""
    if edit.replacement is not None:
        return edit.replacement
    return edit.alternatives[0] if edit.alternatives else source[edit.start : edit.end]


# What became of each chunk.


class Verdicts(NamedTuple):
    """The chunks of a hypothesis compared with one reference, or with all of them at once.

    Args:
        hit: Lengths of chunks that are corrected as in the reference (TP).
        wrong: Of those corrected otherwise, where the reference has an error too (FPne).
        over: Of those changed where it has none (FPun).
        under: Of those left alone where it has one (FN).
        kept: Number of chunks rightly left alone (TN).
    """

    hit: tuple[int, ...]
    wrong: tuple[int, ...]
    over: tuple[int, ...]
    under: tuple[int, ...]
    kept: int

    @property
    def lengths(self) -> tuple[tuple[int, ...], ...]:
        """Of the chunks that count, by verdict."""
        return self.hit, self.wrong, self.over, self.under


class Sentence(NamedTuple):
    """One sentence.

    Args:
        candidates: Verdicts by reference; one where all references are taken together.
        length: Sum of the lengths of the chunks that references change.
        changed: How many these are.
    """

    candidates: tuple[Verdicts, ...]
    length: int
    changed: int


def compare(case: Case, assumption: Assumption) -> Sentence:
    """The verdicts on the first hypothesis of a case."""
    source = case.edit_tokens
    hypothesis, *references = (
        sorted(version.first, key=lambda edit: edit.start)
        for version in (case.hypotheses[0], *case.references)
    )
    references = [edits for edits in references if _leaves_text(edits, source)] or references[:1]
    versions = [hypothesis, *references]
    spans = partition(versions)
    candidate, *others = (chunks(edits, spans, source) for edits in versions)
    rest = _count_unchanged(spans, len(source))
    if assumption == "dependent":
        candidates = tuple(_verdicts(candidate, [other], rest, assumption) for other in others)
    else:
        candidates = (_verdicts(candidate, others, rest, assumption),)
    lengths = [chunk.length for other in others for chunk in other if chunk.changed]
    return Sentence(candidates, sum(lengths), len(lengths))


def _leaves_text(edits: Sequence[Edit], source: Tokens) -> bool:
    return bool(_chunk(edits, 0, len(source), source).text)


def _count_unchanged(spans: Sequence[tuple[int, int]], length: int) -> int:
    """How many stretches nobody changes: before, between and after the spans."""
    edges = [0, *(edge for span in spans for edge in span), length]
    return sum(start < end for start, end in zip(edges[::2], edges[1::2], strict=True))


def _verdicts(
    hypothesis: Sequence[Chunk],
    references: Sequence[Sequence[Chunk]],
    unchanged: int,
    assumption: Assumption,
) -> Verdicts:
    verdict_of = _dependent if assumption == "dependent" else _independent
    lists: tuple[list[int], ...] = ([], [], [], [])
    for chunk, *others in zip(hypothesis, *references, strict=True):
        verdict = verdict_of(chunk, others)
        if verdict == _KEPT:
            unchanged += 1
        else:
            lists[verdict].append(chunk.length)
    hit, wrong, over, under = map(tuple, lists)
    return Verdicts(hit, wrong, over, under, unchanged)


_HIT, _WRONG, _OVER, _UNDER, _KEPT = range(5)


def _dependent(chunk: Chunk, references: Sequence[Chunk]) -> int:
    """The verdict on a chunk against the one reference that there is: texts decide."""
    (reference,) = references
    if not chunk.changed:
        return _KEPT if chunk.text == reference.text else _UNDER
    if chunk.text == reference.text:
        return _HIT
    return _WRONG if reference.changed else _OVER


def _independent(chunk: Chunk, references: Sequence[Chunk]) -> int:
    """The verdict against all: right as any of them has it, missed where all have an error."""
    if not chunk.changed:
        return _UNDER if all(reference.changed for reference in references) else _KEPT
    if any(chunk.text == reference.text for reference in references):
        return _HIT
    return _WRONG if any(reference.changed for reference in references) else _OVER


# Chunks that count more or less by their length.


class LengthWeights(NamedTuple):
    """How lengths become weights: a logistic curve around the mean length, cut off.

    Args:
        alpha: The weight that the curve tends to; at the mean length it is 1.
        hit: Least and greatest weight of chunks that are corrected rightly; rises with length.
        false: Of those changed otherwise; falls with length.
        under: Of those missed; rises with length.
    """

    alpha: float
    hit: tuple[float, float]
    false: tuple[float, float]
    under: tuple[float, float]


_CORPUS = LengthWeights(2, (0.75, 1.25), (0.75, 1.25), (0.75, 1.25))
_SENTENCE: Mapping[Assumption, LengthWeights] = {
    "dependent": LengthWeights(10, (1, 10), (0.25, 1), (1, 1)),
    "independent": LengthWeights(10, (2.5, 10), (0.25, 1), (1, 1)),
}


def mean_length(stats: Sequence[Sentence]) -> float | None:
    """The mean length of the chunks that references change; None where they change none."""
    changed = sum(sentence.changed for sentence in stats)
    return sum(sentence.length for sentence in stats) / changed if changed else None


def _weigh(stats: Sequence[Sentence], weights: LengthWeights, middles: Values) -> Values:
    """Sums of weights of each sentence and candidate, for each mean length.

    Args:
        stats: Of each sentence.
        weights: Of lengths.
        middles: Mean lengths; where one is NaN, every chunk weighs 1.

    Returns:
        Shape (sentences, candidates, 5, mean lengths), by `Verdicts`.
    """
    import numpy as np

    rows = np.repeat(_count(stats)[..., None], len(middles), axis=3)
    rows[:, :, :_KEPT] = 0
    places = [
        (at, candidate, kind, length)
        for at, sentence in enumerate(stats)
        for candidate, verdicts in enumerate(_level(sentence, rows.shape[1]))
        for kind, lengths in enumerate(verdicts.lengths)
        for length in lengths
    ]
    at, candidate, kind, length = np.array(places, dtype=np.intp).reshape(-1, 4).T
    signs = np.array([1, -1, -1, 1])
    limits = np.array([weights.hit, weights.false, weights.false, weights.under])
    distance = signs[kind][:, None] * (middles - length[:, None])
    curve = weights.alpha / (1 + (weights.alpha - 1) * np.exp(distance))
    low, high = limits[kind].T[..., None]
    weight = np.where(np.isnan(middles), 1.0, np.clip(curve, low, high))
    np.add.at(rows, (at, candidate, kind), weight)
    return rows


def _count(stats: Sequence[Sentence]) -> Values:
    """Numbers of chunks of each sentence and candidate, shape (sentences, candidates, 5)."""
    import numpy as np

    width = max((len(sentence.candidates) for sentence in stats), default=1)
    rows = [
        [(*map(len, verdicts.lengths), verdicts.kept) for verdicts in _level(sentence, width)]
        for sentence in stats
    ]
    return np.array(rows, dtype=np.float64).reshape(len(stats), width, 5)


def _level(sentence: Sentence, width: int) -> Sequence[Verdicts]:
    """Candidates filled up by repeating the last, which is never preferred to itself."""
    candidates = sentence.candidates
    return (*candidates, *candidates[-1:] * (width - len(candidates)))


# The metrics: what sums are worth, and which reference is chosen.


@dataclass(frozen=True, slots=True)
class ChunkMetric(Metric[Sentence]):
    """What all metrics over such chunks share.

    Several versions of a hypothesis are not choices: the first counts. Of alternative edit sets
    of one target the first counts.

    Args:
        assumption: "dependent": a sentence is compared with each reference, and one is chosen;
            "independent": each chunk is compared with all references at once.
        faults: "fixed", or "official": as the authors' program; docs/metrics/cleme.md has the
            differences.
    """

    needs: ClassVar[Part] = "edits"
    running: ClassVar[bool]
    """Whether that reference is chosen which makes the score of the sums so far greatest; else
    the one with the best score of the sentence."""
    parts: ClassVar[tuple[str, ...]]
    """Names of the measures behind the score."""

    assumption: Assumption = "dependent"
    faults: Faults = "fixed"

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_choice(f"{self.name}.assumption", self.assumption, get_args(Assumption))
        check_choice(f"{self.name}.faults", self.faults, get_args(Faults))

    def stats(self, case: Case) -> Sentence | None:
        """The verdicts on the hypothesis; None where no annotator could correct the sentence.

        With faults "official" such a sentence counts as one that needs no correction.
        """
        if self.faults == "fixed" and all(version.unannotatable for version in case.references):
            return None
        return compare(case, self.assumption)

    @abstractmethod
    def measures(self, totals: Values) -> Values:
        """The score and its parts, for sums of shape (..., 5): shape (measures, ...)."""

    def rank(self, measures: Values) -> Values:
        """What decides between references by such measures: the greatest first one, and so on."""
        return measures

    def rows(self, stats: Sequence[Sentence], draws: Draws) -> Values:
        """The sums of each sentence and candidate, shape (sentences, candidates, 5, resamples).

        The last axis has length 1 where sums are the same in all resamples.
        """
        return _count(stats)[..., None]

    def aggregate(self, stats: Sequence[Sentence]) -> Score:
        """The score of these sentences; its parts are what it is made of."""
        import numpy as np

        measures, totals, _ = self._score(stats, np.arange(len(stats))[None])
        value, *parts = measures[:, 0].tolist()
        hit, wrong, over, under, unchanged = totals[0].tolist()
        counts = {"tp": hit, "fp_ne": wrong, "fp_un": over, "fn": under, "tn": unchanged}
        names = dict(zip(self.parts, parts, strict=True))
        return Score(value, self.signature, len(stats), parts={**names, **counts})

    def sentences(self, stats: Sequence[Sentence]) -> Sequence[Mapping[str, object]]:
        """The place of the reference chosen, and the chunks by verdict, with their lengths."""
        import numpy as np

        chosen = self._score(stats, np.arange(len(stats))[None])[2][0]
        return [
            {"chosen": at, **sentence.candidates[at]._asdict()}
            for sentence, at in zip(stats, chosen.tolist(), strict=True)
        ]

    def resample(self, stats: Sequence[Sentence], draws: Draws) -> Values:
        """The score of each resample, its weights and references found again."""
        import numpy as np

        width = max((len(sentence.candidates) for sentence in stats), default=1)
        step = max(1, _AT_ONCE // max(1, len(stats) * width))
        blocks = [draws[at : at + step] for at in range(0, len(draws), step)]
        return np.concatenate([self._score(stats, block)[0][0] for block in blocks])

    def _score(
        self, stats: Sequence[Sentence], draws: Draws
    ) -> tuple[Values, Values, NDArray[np.intp]]:
        """Score each resample.

        Returns:
            Measures, shape (measures, resamples); sums, shape (resamples, 5); and the candidate
            chosen at each place of a resample, shape (resamples, sentences).
        """
        rows = self.rows(stats, draws)
        if self.running:
            totals, chosen = choose_running(rows, draws, self._running_rank)
            return self.measures(totals), totals, chosen
        return self._average(rows, draws)

    def _running_rank(self, totals: Values, candidates: Values) -> Sequence[Values]:
        """The score of the sums so far; then more hits, fewer false and missed, more kept."""
        hit, wrong, over, under, unchanged = (candidates[..., kind] for kind in range(5))
        return [self.rank(self.measures(totals))[0], hit, -(wrong + over), -under, unchanged]

    def _average(self, rows: Values, draws: Draws) -> tuple[Values, Values, NDArray[np.intp]]:
        """Means over sentences, each with its best reference; see `_score`."""
        import numpy as np

        resample = resample_of(rows, draws)
        measures = self.measures(np.moveaxis(rows, 2, -1))
        best = greatest(list(self.rank(measures)))
        values = np.take_along_axis(measures, best[None, :, None], axis=2)[:, :, 0]
        sums = np.take_along_axis(rows, best[:, None, None], axis=1)[:, 0]
        means = values[:, draws, resample].sum(axis=-1) / max(1, draws.shape[1])
        chosen: NDArray[np.intp] = best[draws, resample]
        return means, sums[draws, :, resample].sum(axis=1), chosen


_AT_ONCE = 1_000_000
"""Candidates of a block of resamples, which bounds memory by some hundred megabytes."""


def _share(part: Values, whole: Values, empty: float) -> Values:
    import numpy as np

    share: Values = np.divide(part, whole, out=np.full(np.shape(whole), empty), where=whole != 0)
    return share


@dataclass(frozen=True, slots=True)
class Cleme(ChunkMetric):
    """F over chunks, corpus by corpus: CLEME.

    Ye et al., EMNLP 2023, section 3. A long chunk that is right counts more, a long one that is
    wrong less; the mean length is that of the chunks which references change, and since chunks
    depend on the hypothesis, so does it, a little.

    Args:
        weights: "length", or "none": every chunk counts 1.
        beta: Weight of recall in F.
    """

    name: ClassVar[str] = "cleme"
    running: ClassVar[bool] = True
    perfect: ClassVar[float] = 1.0
    parts: ClassVar[tuple[str, ...]] = ("precision", "recall", "accuracy")

    weights: Weights = "length"
    beta: float = 0.5

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        ChunkMetric.__post_init__(self)
        check_choice(f"{self.name}.weights", self.weights, get_args(Weights))
        check_between(f"{self.name}.beta", self.beta, *BETAS)

    @property
    def length_weights(self) -> LengthWeights:
        """How lengths become weights."""
        return _CORPUS

    def rows(self, stats: Sequence[Sentence], draws: Draws) -> Values:
        """The sums of weights of each sentence and candidate."""
        import numpy as np

        if self.weights == "none" or not stats:
            return ChunkMetric.rows(self, stats, draws)
        lengths = np.array([sentence.length for sentence in stats])[draws].sum(axis=1)
        changed = np.array([sentence.changed for sentence in stats])[draws].sum(axis=1)
        rows = _weigh(stats, self.length_weights, _share(lengths, changed, np.nan))
        if self.faults == "official" and self.running:
            rows[..., changed == 0] = 0.0
        return rows

    def measures(self, totals: Values) -> Values:
        """F, precision, recall and accuracy."""
        import numpy as np

        hit, wrong, over, under, unchanged = np.moveaxis(totals, -1, 0)
        proposed, needed = hit + wrong + over, hit + under
        precision, recall = _share(hit, proposed, 1.0), _share(hit, needed, 1.0)
        square = self.beta**2
        f = _share((1 + square) * precision * recall, square * precision + recall, 0.0)
        accuracy = _share(hit + unchanged, proposed + under + unchanged, 0.0)
        measures = np.stack([f, precision, recall, accuracy])
        return round_decimals(measures) if self.faults == "official" else measures

    def rank(self, measures: Values) -> Values:
        """The measures rounded to 4 decimals, by which the authors' program compares."""
        return round_decimals(measures)

    def notes(self, stats: Sequence[Sentence]) -> Sequence[str]:
        """Warn where lengths cannot become weights."""
        if self.weights == "none" or not stats or mean_length(stats) is not None:
            return ()
        if self.faults == "official" and self.running:
            return (
                WarningNote(
                    "{metric}: no reference changes anything, so there is no mean length, and the "
                    "official score is 1 whatever the system does",
                    metric=self.name,
                ),
            )
        return (
            WarningNote(
                "{metric}: no reference changes anything, so there is no mean length, and each "
                "chunk counts 1",
                metric=self.name,
            ),
        )


@dataclass(frozen=True, slots=True)
class SentenceCleme(Cleme):
    """F over chunks of each sentence, and the mean of these: SentCLEME.

    Lengths weigh more than in `cleme`; the program that the authors released with CLEME2.0 drops
    these parameters, which faults "official" repeats.
    """

    name: ClassVar[str] = "sent-cleme"
    running: ClassVar[bool] = False

    @property
    def length_weights(self) -> LengthWeights:
        """How lengths become weights."""
        return _CORPUS if self.faults == "official" else _SENTENCE[self.assumption]


@dataclass(frozen=True, slots=True)
class Cleme2(ChunkMetric):
    """How many errors are hit, corrected wrongly or missed, and how many corrections are needless.

    Ye et al., ACL 2025, without the weights by similarity, which need a language model. The
    score is the sum of hit, 1 - wrong, 1 - under and 1 - over, each with its factor. Doing
    nothing to a sentence without errors is worth 0.55, not 1.

    Args:
        hit: Factor of the share of errors that are corrected.
        wrong: Factor of the share not corrected wrongly.
        under: Factor of the share not missed.
        over: Factor of the share of corrections that are not needless.
    """

    name: ClassVar[str] = "cleme2"
    running: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("hit", "wrong", "under", "over")

    hit: float = 0.45
    wrong: float = 0.35
    under: float = 0.15
    over: float = 0.05

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        ChunkMetric.__post_init__(self)
        for option in self.parts:
            check_between(f"{self.name}.{option}", getattr(self, option), 0, 1)

    def measures(self, totals: Values) -> Values:
        """The score, and the four shares."""
        import numpy as np

        hits, wrongs, overs, unders, _ = np.moveaxis(totals, -1, 0)
        errors = hits + wrongs + unders
        hit, wrong, under = (_share(part, errors, 0.0) for part in (hits, wrongs, unders))
        over = _share(overs, hits + wrongs + overs, 0.0)
        score = self.hit * hit + self.wrong * (1 - wrong) + self.under * (1 - under)
        return np.stack([score + self.over * (1 - over), hit, wrong, under, over])

    def rank(self, measures: Values) -> Values:
        """The score, then the greater share hit and the smaller others."""
        import numpy as np

        signs = np.array([1, 1, -1, -1, -1]).reshape(-1, *[1] * (measures.ndim - 1))
        signed: Values = measures * signs
        return signed


@dataclass(frozen=True, slots=True)
class SentenceCleme2(Cleme2):
    """The same of each sentence, and the mean; other factors are usual."""

    name: ClassVar[str] = "sent-cleme2"
    running: ClassVar[bool] = False

    hit: float = 0.35
    wrong: float = 0.25
    under: float = 0.2
    over: float = 0.2
