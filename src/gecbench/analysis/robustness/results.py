"""What an analysis of robustness finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gecbench.analysis.robustness.official import Official, Orders

RULES: tuple[Rule, ...] = ("official", "edits")
Rule = Literal["official", "edits"]
"""Equal F as the published program has it, or equal corrections as the paper says it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One system on one subset, or on all of them.

    Args:
        system: Its name.
        subset: None means all subsets one after another.
        rule: What the official rule says.
        same: For each case and variant, whether its corrections are the original's.
        made: How many changes the system made in all sentences.
        orders: How far the official rule depends on the order; None where it was not tried.
    """

    system: str
    subset: str | None
    rule: Official
    same: tuple[tuple[bool, ...], ...]
    made: int
    orders: Orders | None = None

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return len(self.same)

    @property
    def variants(self) -> int:
        """How many variants there are."""
        return sum(map(len, self.same))

    @property
    def edits_per_sentence(self) -> float:
        """Changes that the system made, over all sentences; not rounded."""
        return self.made / (self.cases + self.variants)

    def verdicts(self, rule: Rule) -> tuple[bool, ...]:
        """Return for each case whether a rule calls it consistent."""
        return self.rule.consistent if rule == "official" else tuple(map(all, self.same))

    def consistent(self, rule: Rule) -> int:
        """Return how many cases are consistent; over `cases`, that is CRS."""
        return sum(self.verdicts(rule))

    def equal(self, rule: Rule) -> int:
        """Return how many variants are like their original; over `variants`, that is P-CRS."""
        return sum(map(sum, self.rule.equal if rule == "official" else self.same))

    def agreement(self) -> Mapping[str, int]:
        """Return how many cases are consistent by both rules, one alone, and neither."""
        both = list(zip(self.verdicts("official"), self.verdicts("edits"), strict=True))
        return {
            "both": both.count((True, True)),
            "official_only": both.count((True, False)),
            "edits_only": both.count((False, True)),
            "neither": both.count((False, False)),
        }


@dataclass(frozen=True, slots=True)
class ShownChange:
    """One change of a sentence.

    Args:
        start: Half-open token span of the source.
        end: Its end.
        before: What stood there.
        after: What stands there now.
        right: Whether the reference has it.
    """

    start: int
    end: int
    before: str
    after: str
    right: bool


@dataclass(frozen=True, slots=True)
class ShownSentence:
    """One sentence of a case, and what a system made of it.

    Args:
        mark: O, A1, A2, ...
        source: The sentence.
        changes: In text order.
        equal: Whether its F is the original's.
        same: Whether its corrections are the original's.
    """

    mark: str
    source: str
    changes: tuple[ShownChange, ...]
    equal: bool
    same: bool


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A case that one rule calls consistent and the other does not."""

    system: str
    subset: str
    case: str
    official: bool
    edits: bool
    sentences: tuple[ShownSentence, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """Variants of one kind.

    Args:
        name: As "insertion" or "10-99".
        pairs: How many variants there are.
        equal: For each rule and system, how many of them are like their original.
    """

    name: str
    pairs: int
    equal: Mapping[tuple[Rule, str], int]


@dataclass(frozen=True, slots=True)
class Robustness:
    """How robust systems are to their context.

    Args:
        name: Of the set of cases.
        unit: What the scheme's tokens are.
        subsets: Names and numbers of cases, in their order.
        parts: All subsets together first, where there are several; system by system.
        trivial: Likewise of a perfect system and of one that copies its input.
        disagreements: In the order of systems and cases.
        actions: By what the perturbation did to the original.
        distances: By tokens between the perturbation and the error, where both are single.
        frequencies: By how often the rarest word that the perturbation put in occurs; None
            where no frequencies were given.
        unpaired: Errors of references that the other reference of a pair does not have.
        beta: Weight of recall in F.
        signature: How edits were found and compared.
        notes: What the reader should know.
    """

    name: str
    unit: Literal["word", "character"]
    subsets: Sequence[tuple[str, int]]
    parts: tuple[Part, ...]
    trivial: tuple[Part, ...]
    disagreements: tuple[Disagreement, ...]
    actions: tuple[Cell, ...]
    distances: tuple[Cell, ...]
    frequencies: tuple[Cell, ...] | None
    unpaired: int
    beta: float
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def whole(self) -> tuple[Part, ...]:
        """Each system on everything."""
        return tuple(part for part in self.parts if part.subset == self.parts[0].subset)
