"""m2 and sent-m2: MaxMatch, F over the edits that agree with the annotators' as far as they can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gecbench.core.case import Case, CaseRewrite, Part
from gecbench.core.edit import Edit
from gecbench.core.options import check_between, check_least
from gecbench.core.score import BETAS, Counts, Score, total
from gecbench.edits.maxmatch import Level, Matching, match, trim
from gecbench.scoring.metric import MeanMetric, Metric
from gecbench.scoring.resample import CandidateCounts, MaxMatchRule, stack_candidates

if TYPE_CHECKING:
    from gecbench.scoring.metric import Draws, PreparedStats, Swaps, Values


# What the two metrics share: counts for each annotator, and the choice of one.

ReadableEdit = tuple[int, int, str, str]
"""An edit as people read it: half-open span, the source's text and what stands instead."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One version of a hypothesis against one annotator.

    Args:
        hypothesis: Place among the versions of the hypothesis.
        reference: Place among the references.
        matched: Matches of proposed edits with gold edits; m2scorer's "correct".
        proposed: Proposed edits.
        gold: Gold edits.
        edits: The proposed edits without the tokens that both sides begin or end with.
        matches: Those that are gold, whole; twice where the annotator wrote one twice.
        level: "linear" where the sentence was too long for the exact computation.
    """

    hypothesis: int
    reference: int
    matched: int
    proposed: int
    gold: int
    edits: tuple[ReadableEdit, ...] = ()
    matches: tuple[ReadableEdit, ...] = ()
    level: Level = "exact"


Candidates = tuple[Candidate, ...]
"""The candidates of one sentence, at least one: each version of the hypothesis in turn against
each annotator."""


@dataclass(frozen=True, slots=True)
class MaxMatch(Metric[Candidates]):
    """Options and statistics of the metrics over MaxMatch; each metric derives from it.

    A hypothesis that equals a reference everywhere can score below 1: gold edits over many
    unchanged words, or off every optimal alignment, are never matched.

    Args:
        max_unchanged_words: How many unchanged tokens one proposed edit may cover.
        beta: Weight of recall in F; 0.5 makes precision count twice as much.
        ignore_whitespace_casing: Drop proposed edits that change white space and letter case
            alone; gold edits of that kind stay, and are missed.
    """

    running: ClassVar[bool]
    """Whether an annotator is chosen by F of all sentences so far; else by F of the sentence."""
    needs: ClassVar[Part] = "gold_edits"
    approximation: ClassVar[str] = (
        "sentences too long for the exact computation, done by one that is linear in their length "
        "and can differ in single edits"
    )

    max_unchanged_words: int = 2
    beta: float = 0.5
    ignore_whitespace_casing: bool = False

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_least(f"{self.name}.max_unchanged_words", self.max_unchanged_words, 0)
        check_between(f"{self.name}.beta", self.beta, *BETAS)

    def choose(self, stats: Sequence[Candidates]) -> tuple[Candidate, ...]:
        """The candidate that counts for each sentence."""
        return choose(stats, self.beta, running=self.running)

    def is_approximate(self, stats: Candidates) -> bool:
        """Whether a sentence was too long for the exact computation."""
        return any(candidate.level == "linear" for candidate in stats)

    def stats(self, case: Case) -> Candidates | None:
        """The counts of each version of the hypothesis against each annotator.

        An annotator who says that the sentence cannot be annotated takes no part; where none is
        left, the sentence has no statistics.
        """
        annotators = [(r, v) for r, v in enumerate(case.references) if not v.unannotatable]
        if not annotators:
            return None
        return tuple(
            candidate
            for h, version in enumerate(case.hypotheses)
            for candidate in self._candidates(case, h, version, annotators)
        )

    def _candidates(
        self,
        case: Case,
        h: int,
        version: CaseRewrite,
        annotators: Sequence[tuple[int, CaseRewrite]],
    ) -> Candidates:
        matchings = match(
            case.tokens,
            version.tokens,
            [reference.gold_edits for _, reference in annotators],
            max_unchanged_words=self.max_unchanged_words,
            ignore_whitespace_casing=self.ignore_whitespace_casing,
        )
        pairs = zip(annotators, matchings, strict=True)
        return tuple(_candidate(h, r, matching, case.tokens) for (r, _), matching in pairs)


def details(rows: Sequence[Candidates], chosen: Sequence[Candidate]) -> list[Mapping[str, object]]:
    """What there is to say of each sentence, as JSON values by name."""
    return [
        {
            "chosen": row.index(best),
            "level": best.level,
            "edits": best.edits,
            "matches": best.matches,
            "candidates": [
                {
                    "hypothesis": candidate.hypothesis,
                    "reference": candidate.reference,
                    "matched": candidate.matched,
                    "proposed": candidate.proposed,
                    "gold": candidate.gold,
                }
                for candidate in row
            ],
        }
        for row, best in zip(rows, chosen, strict=True)
    ]


def f_of(matched: int, proposed: int, gold: int, beta: float) -> float:
    """F as m2scorer's choice computes it; 1 where nothing is proposed and nothing gold.

    From sums, not from precision and recall; m2scorer cb874a7 (levenshtein.py, f1_suffstats).
    """
    square = beta * beta
    below = square * gold + proposed
    return (1 + square) * matched / below if below else 1.0


def choose(rows: Sequence[Candidates], beta: float, *, running: bool) -> tuple[Candidate, ...]:
    """One candidate for each sentence.

    That with the greatest F, not rounded; then the most matches, then the least proposed and
    gold edits, these weighted as in F; then the first.

    Args:
        rows: The candidates of each sentence.
        beta: Weight of recall in F.
        running: F is that of all sentences so far with what was chosen for them, so that it
            depends on their order; else that of the sentence alone.
    """
    matched = proposed = gold = 0
    chosen = []
    for row in rows:
        ranks = [
            _rank(matched + c.matched, proposed + c.proposed, gold + c.gold, beta) for c in row
        ]
        best = row[ranks.index(max(ranks))]
        if running:
            matched += best.matched
            proposed += best.proposed
            gold += best.gold
        chosen.append(best)
    return tuple(chosen)


def _rank(matched: int, proposed: int, gold: int, beta: float) -> tuple[float, int, float]:
    return f_of(matched, proposed, gold, beta), matched, -(proposed + beta * beta * gold)


def _candidate(h: int, r: int, matching: Matching, source: tuple[str, ...]) -> Candidate:
    return Candidate(
        h,
        r,
        len(matching.matched),
        len(matching.proposed),
        matching.golds,
        tuple(_readable(trim(edit, source), source) for edit in matching.proposed),
        tuple(_readable(matching.proposed[n], source) for n, _ in matching.matched),
        matching.level,
    )


def _readable(edit: Edit, source: tuple[str, ...]) -> ReadableEdit:
    before, after = source[edit.start : edit.end], edit.replacement or ()
    return edit.start, edit.end, " ".join(before), " ".join(after)


@dataclass(frozen=True, slots=True)
class M2(MaxMatch):
    """Precision, recall and F of the MaxMatch scorer.

    Dahlmeier and Ng, "Better Evaluation for Grammatical Error Correction", NAACL 2012; m2scorer
    cb874a7, whose counts it meets exactly. The annotator of a sentence is the one who makes F of
    the corpus so far greatest, so the score depends on the order of the sentences. Several
    versions of a hypothesis are further candidates, one version after the other. Where an
    annotator wrote an edit twice, precision can exceed 1: then false positives are negative.
    """

    name: ClassVar[str] = "m2"
    running: ClassVar[bool] = True

    @property
    def f_beta(self) -> float:
        """Weight of recall in F."""
        return self.beta

    def aggregate(self, stats: Sequence[Candidates]) -> Score:
        """F over the chosen candidates of these sentences."""
        chosen = self.choose(stats)
        counts = total(
            Counts(row.matched, row.proposed - row.matched, row.gold - row.matched)
            for row in chosen
        )
        return Score(counts.f(self.beta), self.signature, len(chosen), counts)

    def sentences(self, stats: Sequence[Candidates]) -> Sequence[Mapping[str, object]]:
        """The candidates of each sentence and the edits of the chosen one."""
        return details(stats, self.choose(stats))

    def prepare(self, stats: Sequence[Candidates]) -> PreparedStats:
        """The counts that the choice is among, unless a subclass resamples in its own way."""
        resamplers = type(self).resample, type(self).exchange
        if resamplers != (M2.resample, M2.exchange):
            return Metric.prepare(self, stats)
        return self._counts(stats)

    def resample(self, stats: Sequence[Candidates], draws: Draws) -> Values:
        """F of each resample, its annotators chosen again."""
        return self._counts(stats).resample(draws)

    def exchange(
        self, first: Sequence[Candidates], second: Sequence[Candidates], swaps: Swaps
    ) -> tuple[Values, Values]:
        """F of two systems after each permutation, their annotators chosen again."""
        return self._counts(first).exchange(self._counts(second), swaps)

    def _counts(self, stats: Sequence[Candidates]) -> CandidateCounts:
        """Matched, proposed and gold edits of all candidates."""
        rows = [[(c.matched, c.proposed, c.gold) for c in row] for row in stats]
        return CandidateCounts(stack_candidates(rows), MaxMatchRule(self.beta))


@dataclass(frozen=True, slots=True)
class SentenceM2(MaxMatch, MeanMetric[Candidates]):
    """F of each sentence against the annotator who makes it greatest, and the mean of these.

    SentM2 of SEEDA (Kobayashi, Mita and Komachi, TACL 2024), computed with m2scorer cb874a7. A
    sentence in which nothing is proposed and nothing gold scores 1. Several versions of a
    hypothesis are further candidates.
    """

    name: ClassVar[str] = "sent-m2"
    running: ClassVar[bool] = False

    def values(self, stats: Sequence[Candidates]) -> list[float]:
        """F of each sentence."""
        return [f_of(row.matched, row.proposed, row.gold, self.beta) for row in self.choose(stats)]

    def sentences(self, stats: Sequence[Candidates]) -> Sequence[Mapping[str, object]]:
        """F and the candidates of each sentence and the edits of the chosen one."""
        rows = zip(self.values(stats), details(stats, self.choose(stats)), strict=True)
        return [{"value": value, **row} for value, row in rows]
