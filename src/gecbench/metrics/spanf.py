"""F over edits: what ChERRANT computes, for any scheme that gives edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from gecbench.core.case import Case
from gecbench.core.score import Counts, Score, Signature, total
from gecbench.scoring.choose import Choice, choose
from gecbench.scoring.pairing import Filter, Level, Pairing, keys, pair

Rows = tuple[Pairing, ...]

if TYPE_CHECKING:
    from gecbench.scoring.metric import Metric

    def _is_a_metric(metric: SpanF) -> Metric[Rows]:
        """Let the type checker hold the class to the protocol."""
        return metric


@dataclass(frozen=True, slots=True)
class SpanF:
    """Precision, recall and F of the edits of a system.

    Zhang et al., MuCGEC, NAACL 2022, section 6.2; ChERRANT's compare_m2_for_evaluation.py
    (MuCGEC 3922193), whose counts it meets exactly with choice "corpus-greedy". With that
    choice a hypothesis that equals a reference everywhere can score a little below 1 on corpora
    of more than ten thousand edits: two references whose F is the same to 4 decimals are decided
    by their true positives alone, whatever they miss.

    Args:
        level: What has to agree for an edit to count as found.
        beta: Weight of recall in F; 0.5 makes precision count twice as much.
        choice: How the reference of a sentence is chosen.
        chosen: Which edits take part.
        context: What the edits come from; goes into the signature.
    """

    name: ClassVar[str] = "cherrant"
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

    def stats(self, case: Case) -> Rows:
        """Return the counts of each hypothesis version against each reference.

        A sentence that is left out has none.
        """
        if self.leaves_out(case):
            return ()
        references = [keys(version, self.level, self.chosen) for version in case.references]
        rows: list[Pairing] = []
        for h, hypothesis in enumerate(case.hypotheses):
            found = keys(hypothesis, self.level, self.chosen)
            for r, reference in enumerate(references):
                rows.append(Pairing(h, r, *pair(found, reference)))
        return tuple(rows)

    def choose(self, stats: Sequence[Rows]) -> tuple[Pairing | None, ...]:
        """Return the pairing that counts for each sentence, None where it is left out."""
        return choose(stats, self.choice, self.beta)

    def aggregate(self, stats: Sequence[Rows]) -> Score:
        """Return F over the chosen pairings of these sentences."""
        return self.score([pairing for pairing in self.choose(stats) if pairing])

    def score(self, chosen: Sequence[Pairing]) -> Score:
        """Return F over these pairings."""
        by_type: dict[str, list[Counts]] = {}
        for pairing in chosen:
            for label, counts in pairing.by_type.items():
                by_type.setdefault(label, []).append(counts)
        counts = total(pairing.counts for pairing in chosen)
        return Score(
            value=counts.f(self.beta),
            signature=self.signature,
            counts=counts,
            by_type={label: total(by_type[label]) for label in sorted(by_type)},
        )
