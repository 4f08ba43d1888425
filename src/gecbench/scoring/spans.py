"""F over edits: what ERRANT and ChERRANT compute, for any scheme that gives edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal

from gecbench.core.case import Case, CaseRewrite, Choice, Level, Part
from gecbench.core.edit import Edit
from gecbench.core.scheme import LabelCounts
from gecbench.core.score import Counts, Score, f_score, total
from gecbench.scoring.metric import Metric, StatsOfCounts
from gecbench.scoring.resample import CandidateCounts, ErrantRule, stack_candidates

if TYPE_CHECKING:
    from gecbench.scoring.metric import Draws, PreparedStats, Swaps, Values


# Comparing one version of a hypothesis with one reference, as ERRANT and ChERRANT do.
#
# compare_m2.py (errant 3.0.2) and compare_m2_for_evaluation.py (MuCGEC 3922193). A version without
# edits is not nothing: it has one key of its own, and so has "cannot be annotated". A hypothesis
# that is declared unannotatable therefore hits a reference without edits (one true positive), and
# a reference that is declared unannotatable, beside others that are not, is missed by a hypothesis
# with edits.


ERROR_FREE = "error-free"
UNANNOTATABLE = "unannotatable"
UNCLASSIFIED = "unclassified"

Key = tuple[object, ...]
_NO_EDIT: Key = (-1, -1)  # no edit has such a span, so a file's labels cannot be mistaken
_NOTHING = [ERROR_FREE]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which edits take part; versions whose edits are all left out stay, empty.

    Args:
        size: "single" leaves out edits that span two or more tokens, "multi" the others
            (-single and -multi of the official scripts; `ComparisonRule` says of which side).
        exclude: Labels left out, exactly as written.
    """

    size: Literal["any", "single", "multi"] = "any"
    exclude: frozenset[str] = frozenset()

    def keeps(self, edit: Edit, rule: ComparisonRule) -> bool:
        """Whether an edit takes part."""
        if self.size != "any" and (rule.length(edit) >= 2) != (self.size == "multi"):
            return False
        return (edit.label or UNCLASSIFIED) not in self.exclude


@dataclass(frozen=True, slots=True)
class ComparisonRule:
    """In what the scripts of two languages differ.

    Args:
        between: What stands between the tokens of a replacement when two are compared.
        both_sides: An edit is as long as the longer of its sides (ERRANT), not as its source
            side (ChERRANT).
    """

    between: str = ""
    both_sides: bool = False

    def length(self, edit: Edit) -> int:
        """The length of an edit in tokens; of one that corrects nothing, with the file's text."""
        source = edit.end - edit.start
        if not self.both_sides:
            return source
        texts = edit.alternatives if edit.replacement is None else (edit.replacement,)
        return max(source, *map(len, texts[:1]), 0)


_ALL = Filter()
_CHINESE = ComparisonRule()


@dataclass(frozen=True, slots=True)
class Pairing:
    """Counts of one hypothesis version against one reference.

    Args:
        hypothesis: Position among the hypothesis versions.
        reference: Position among the references.
        counts: Over all types.
        by_type: By edit label: true positives and false negatives by the reference's label,
            false positives by the hypothesis's.
    """

    hypothesis: int
    reference: int
    counts: Counts
    by_type: Mapping[str, Counts]

    def __reduce__(self) -> tuple[Callable[..., Pairing], tuple[object, ...]]:
        """Pickle what it is made of, so that another process has equal ones once, too."""
        by_label = tuple((label, c.tp, c.fp, c.fn) for label, c in self.by_type.items())
        return _pairing, (self.hypothesis, self.reference, by_label)


def keys(
    version: CaseRewrite, level: Level, chosen: Filter, rule: ComparisonRule = _CHINESE
) -> dict[Key, list[str]]:
    """What a version is compared by, with the labels of the edits behind each key.

    Several edits may fall on one key (pooled alternatives, tokens, spans); each counts. Edits
    that were detected but not corrected take part in detection only.
    """
    if version.unannotatable or not version.edits:
        kind = UNANNOTATABLE if version.unannotatable else ERROR_FREE
        # The official -multi drops these too, as spans of less than two tokens.
        if chosen.size == "multi":
            return {}
        return {(*_NO_EDIT, kind) if level == "correction-type" else _NO_EDIT: [kind]}
    labels: dict[Key, list[str]] = {}
    detects = level.startswith("detection")
    filters = chosen != _ALL
    for edit in version.edits:
        if (edit.replacement is None and not detects) or (filters and not chosen.keeps(edit, rule)):
            continue
        label = edit.label or UNCLASSIFIED
        for key in _keys_of(edit, level, rule):
            labels.setdefault(key, []).append(label)
    return labels


def keys_of(edit: Edit, level: Level, chosen: Filter, rule: ComparisonRule = _CHINESE) -> list[Key]:
    """What one edit is compared by, in `keys`; nothing where it takes no part."""
    if edit.replacement is None and not level.startswith("detection"):
        return []
    return _keys_of(edit, level, rule) if chosen.keeps(edit, rule) else []


def _keys_of(edit: Edit, level: Level, rule: ComparisonRule) -> list[Key]:
    if level == "detection-token":
        last = max(edit.end, edit.start + 1)  # an insertion marks the token it stands before
        return [(at, at + 1) for at in range(edit.start, last)]
    if level == "detection-span":
        return [(edit.start, edit.end)]
    text = rule.between.join(edit.replacement or ())
    if level == "correction-type":
        return [(edit.start, edit.end, edit.label, text)]
    return [(edit.start, edit.end, text)]


def pair(
    hypothesis: Mapping[Key, list[str]],
    reference: Mapping[Key, list[str]],
    places: tuple[int, int] = (0, 0),
) -> Pairing:
    """Compare two sets of keys, which stand at these places among the versions of a sentence."""
    by_label: dict[str, list[int]] = {}
    for key, labels in hypothesis.items():
        if key[:2] != _NO_EDIT or labels != _NOTHING:
            hit = key in reference
            for label in reference[key] if hit else labels:
                by_label.setdefault(label, [0, 0, 0])[0 if hit else 1] += 1
    for key, labels in reference.items():
        if key not in hypothesis and (key[:2] != _NO_EDIT or labels != _NOTHING):
            for label in labels:
                by_label.setdefault(label, [0, 0, 0])[2] += 1
    return _pairing(*places, tuple([(label, *three) for label, three in by_label.items()]))


@lru_cache(maxsize=100_000)
def _pairing(
    hypothesis: int, reference: int, by_label: tuple[tuple[str, int, int, int], ...]
) -> Pairing:
    """A pairing of counts by label; sentences with equal ones share it in memory."""
    by_type = {label: Counts(*three) for label, *three in by_label}
    return Pairing(hypothesis, reference, total(by_type.values()), by_type)


def f_of_counts(tp: int, fp: int, fn: int, beta: float) -> float:
    """F as `Counts.f` has it, to the last bit."""
    return f_score(tp / (tp + fp) if fp else 1.0, tp / (tp + fn) if fn else 1.0, beta)


Pairings = tuple[Pairing, ...]


@dataclass(frozen=True, slots=True)
class SpanF(Metric[Pairings]):
    """Precision, recall and F of the edits of a system; each language's metric derives from it.

    With choice "corpus-greedy" a hypothesis that equals a reference everywhere can score a
    little below 1 on corpora of more than ten thousand edits: two references whose F is the
    same to 4 decimals are decided by their true positives alone, whatever they miss.

    Args:
        level: What has to agree for an edit to count as found.
        beta: Weight of recall in F; 0.5 makes precision count twice as much.
        choice: How the reference of a sentence is chosen.
        chosen: Which edits take part.
    """

    rule: ClassVar[ComparisonRule]
    needs: ClassVar[Part] = "edits"
    perfect: ClassVar[float] = 1.0
    has_types: ClassVar[bool] = True

    level: Level = "correction"
    beta: float = 0.5
    choice: Choice = "corpus-greedy"
    chosen: Filter = field(default_factory=Filter)

    @property
    def span_metric(self) -> SpanF:
        """Itself."""
        return self

    @property
    def f_beta(self) -> float:
        """Weight of recall in F."""
        return self.beta

    def settings(self) -> Mapping[str, str]:
        """Its options, as signatures show them."""
        parts = {"level": self.level, "beta": f"{self.beta:g}", "choice": self.choice}
        if self.chosen.size != "any":
            parts["edits"] = self.chosen.size
        if self.chosen.exclude:
            parts["without"] = ",".join(sorted(self.chosen.exclude))
        return parts

    def stats(self, case: Case) -> Pairings | None:
        """The counts of each hypothesis version against each reference.

        None where no annotator could correct the sentence.
        """
        if self._leaves_out([version.unannotatable for version in case.references]):
            return None
        references = [
            keys(version, self.level, self.chosen, self.rule) for version in case.references
        ]
        pairings: list[Pairing] = []
        for h, version in enumerate(case.hypotheses):
            hypothesis = keys(version, self.level, self.chosen, self.rule)
            for r, reference in enumerate(references):
                pairings.append(pair(hypothesis, reference, (h, r)))
        return tuple(pairings)

    def _leaves_out(self, unannotatable: Sequence[bool]) -> bool:
        """Whether no annotator could correct a sentence.

        With choice "corpus-greedy" this is the official script's test, which misses such a sentence
        where two annotators say so, and where edits are limited to "multi".
        """
        misses = len(unannotatable) > 1 or self.chosen.size == "multi"
        return not (self.choice == "corpus-greedy" and misses) and all(unannotatable)

    @property
    def stats_of_counts(self) -> StatsOfCounts[Pairings] | None:
        """Makes the statistics, unless they are not of all corrections, or are a subclass's own."""
        is_ours = type(self).stats is SpanF.stats
        counts_all = is_ours and self.level == "correction" and self.chosen == _ALL
        return self._stats_of_counts if counts_all else None

    def _stats_of_counts(
        self, counts: Sequence[LabelCounts], references: Sequence[str | None]
    ) -> Pairings | None:
        size = len(references)
        if self._leaves_out([text is None for text in references]):
            return None
        return tuple([_pairing(at // size, at % size, pair) for at, pair in enumerate(counts)])

    def choose(self, stats: Sequence[Pairings]) -> tuple[Pairing, ...]:
        """The pairing that counts for each sentence, of at least one.

        "corpus-greedy" is the rule of ERRANT and ChERRANT (compare_m2_for_evaluation.py): going
        through the corpus, the pairing which makes F of the running totals, rounded to 4 decimals,
        greatest; then more true positives, fewer false positives, fewer false negatives, the first.
        It depends on the order of the sentences. "sentence-best" compares F of the sentence alone,
        not rounded, and breaks ties alike: the order makes no difference.
        """
        greedy = self.choice == "corpus-greedy"
        chosen: list[Pairing] = []
        tp = fp = fn = 0  # so far, as plain numbers: they are many
        for row in stats:
            best = row[0]
            if len(row) > 1:
                ranks = [
                    (
                        round(f_of_counts(tp + c.tp, fp + c.fp, fn + c.fn, self.beta), 4)
                        if greedy
                        else c.exact_f(self.beta),
                        c.tp,
                        -c.fp,
                        -c.fn,
                    )
                    for c in (pairing.counts for pairing in row)
                ]
                best = row[ranks.index(max(ranks))]
            counts = best.counts
            tp, fp, fn = tp + counts.tp, fp + counts.fp, fn + counts.fn
            chosen.append(best)
        return tuple(chosen)

    def aggregate(self, stats: Sequence[Pairings]) -> Score:
        """F over the chosen pairings of these sentences."""
        chosen = self.choose(stats)
        by_type: dict[str, list[Counts]] = {}
        for pairing in chosen:
            for label, counts in pairing.by_type.items():
                by_type.setdefault(label, []).append(counts)
        counts = total(pairing.counts for pairing in chosen)
        return Score(
            value=counts.f(self.beta),
            signature=self.signature,
            sentences=len(chosen),
            counts=counts,
            by_type={label: total(by_type[label]) for label in sorted(by_type)},
        )

    def sentences(self, stats: Sequence[Pairings]) -> Sequence[Mapping[str, object]]:
        """The counts of all pairings of each sentence, and the place of the chosen."""
        return [
            {"chosen": row.index(chosen), "pairings": [_entry(pairing) for pairing in row]}
            for row, chosen in zip(stats, self.choose(stats), strict=True)
        ]

    def prepare(self, stats: Sequence[Pairings]) -> PreparedStats:
        """The counts that the choice is among, unless a subclass resamples in its own way."""
        resamplers = type(self).resample, type(self).exchange
        if resamplers != (SpanF.resample, SpanF.exchange):
            return Metric.prepare(self, stats)
        return self._candidates(stats)

    def resample(self, stats: Sequence[Pairings], draws: Draws) -> Values:
        """F of each resample, its references chosen again."""
        return self._candidates(stats).resample(draws)

    def exchange(
        self, first: Sequence[Pairings], second: Sequence[Pairings], swaps: Swaps
    ) -> tuple[Values, Values]:
        """F of two systems after each permutation, their references chosen again."""
        return self._candidates(first).exchange(self._candidates(second), swaps)

    def _candidates(self, stats: Sequence[Pairings]) -> CandidateCounts:
        """The counts that the choice is among; of one alone where it is made already."""
        rows = stats if self.choice == "corpus-greedy" else self.fix_references(stats)
        counts = ([pairing.counts for pairing in row] for row in rows)
        stacked = stack_candidates([[(c.tp, c.fp, c.fn) for c in row] for row in counts])
        return CandidateCounts(stacked, ErrantRule(self.beta))


def _entry(pairing: Pairing) -> Mapping[str, object]:
    counts = pairing.counts
    return {
        "hypothesis": pairing.hypothesis,
        "reference": pairing.reference,
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "by_type": {
            label: [counts.tp, counts.fp, counts.fn]
            for label, counts in sorted(pairing.by_type.items())
        },
    }
