"""F over edits: what ERRANT and ChERRANT compute, for any scheme that gives edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from gecbench.core.case import Case, Part
from gecbench.core.score import Counts, Score, Signature, total
from gecbench.scoring.choose import Choice, choose
from gecbench.scoring.greedy import exchanged_totals
from gecbench.scoring.pairing import Filter, Level, Pairing, Rule, keys, pair
from gecbench.scoring.resample import f_scores, greedy_rule, greedy_totals

Rows = tuple[Pairing, ...]

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Draws, Values
    from gecbench.scoring.exchange import Swaps


@dataclass(frozen=True, slots=True)
class SpanF:
    """Precision, recall and F of the edits of a system; each language's metric derives from it.

    With choice "corpus-greedy" a hypothesis that equals a reference everywhere can score a
    little below 1 on corpora of more than ten thousand edits: two references whose F is the
    same to 4 decimals are decided by their true positives alone, whatever they miss.

    Args:
        level: What has to agree for an edit to count as found.
        beta: Weight of recall in F; 0.5 makes precision count twice as much.
        choice: How the reference of a sentence is chosen.
        chosen: Which edits take part.
        context: What the edits come from; goes into the signature.
    """

    name: ClassVar[str]
    languages: ClassVar[tuple[str, ...]]
    rule: ClassVar[Rule]
    needs: ClassVar[Part] = "edits"
    higher_is_better: ClassVar[bool] = True
    needs_references: ClassVar[bool] = True
    perfect: ClassVar[float] = 1.0

    level: Level = "correction"
    beta: float = 0.5
    choice: Choice = "corpus-greedy"
    chosen: Filter = field(default_factory=Filter)
    context: Mapping[str, str] = field(default_factory=dict)

    @property
    def order_invariant(self) -> bool:
        """Whether the order of the sentences makes no difference."""
        return self.choice == "sentence-best"

    @property
    def signature(self) -> Signature:
        """How scores of this metric are made."""
        parts = {"metric": self.name, **self.context, "level": self.level}
        parts |= {"beta": f"{self.beta:g}", "choice": self.choice}
        if self.chosen.size != "any":
            parts["edits"] = self.chosen.size
        if self.chosen.exclude:
            parts["without"] = ",".join(sorted(self.chosen.exclude))
        return Signature(parts)

    def leaves_out(self, case: Case) -> bool:
        """Say whether a sentence is not scored because no annotator could correct it.

        With choice "corpus-greedy" this is the official script's test, which misses such a
        sentence where two annotators say so, and where edits are limited to "multi".
        """
        if self.choice == "corpus-greedy" and (
            len(case.references) > 1 or self.chosen.size == "multi"
        ):
            return False
        return all(version.unannotatable for version in case.references)

    def stats(self, case: Case) -> Rows | None:
        """Return the counts of each hypothesis version against each reference."""
        if self.leaves_out(case):
            return None
        references = [
            keys(version, self.level, self.chosen, self.rule) for version in case.references
        ]
        rows: list[Pairing] = []
        for h, hypothesis in enumerate(case.hypotheses):
            found = keys(hypothesis, self.level, self.chosen, self.rule)
            for r, reference in enumerate(references):
                rows.append(Pairing(h, r, *pair(found, reference)))
        return tuple(rows)

    def choose(self, stats: Sequence[Rows]) -> tuple[Pairing, ...]:
        """Return the pairing that counts for each sentence."""
        return choose(stats, self.choice, self.beta)

    def aggregate(self, stats: Sequence[Rows]) -> Score:
        """Return F over the chosen pairings of these sentences."""
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

    def sentences(self, stats: Sequence[Rows]) -> Sequence[Mapping[str, object]]:
        """Return the counts of all pairings of each sentence, and the place of the chosen."""
        return [
            {"chosen": row.index(one), "pairings": [_entry(pairing) for pairing in row]}
            for row, one in zip(stats, self.choose(stats), strict=True)
        ]

    def resample(self, stats: Sequence[Rows], draws: Draws) -> Values:
        """Return F of each resample, its references chosen anew."""
        candidates = self._candidates(stats)
        return f_scores(greedy_totals(candidates, draws, self.beta), self.beta)

    def exchange(
        self, first: Sequence[Rows], second: Sequence[Rows], swaps: Swaps
    ) -> tuple[Values, Values]:
        """Return F of two systems after each permutation, their references chosen anew."""
        here, there = self._candidates(first), self._candidates(second)
        one, two = exchanged_totals(here, there, swaps, greedy_rule(self.beta))
        return f_scores(one.T, self.beta), f_scores(two.T, self.beta)

    def _candidates(self, stats: Sequence[Rows]) -> Values:
        """Return the counts that the choice is among; of one alone where it is made already."""
        import numpy as np

        rows = stats if self.choice == "corpus-greedy" else [(one,) for one in self.choose(stats)]
        width = max((len(row) for row in rows), default=1)
        counts = [
            [(p.counts.tp, p.counts.fp, p.counts.fn) for p in _filled(row, width)] for row in rows
        ]
        return np.array(counts, dtype=np.float64).reshape(len(rows), width, 3)


def _filled(row: Rows, width: int) -> Rows:
    return row + row[-1:] * (width - len(row))


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
