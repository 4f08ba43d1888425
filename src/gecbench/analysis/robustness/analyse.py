"""From judged sentences to what can be said of the robustness of systems."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import cast

from gecbench.analysis.robustness.consistent import (
    Change,
    Side,
    changes,
    is_consistent,
    partners,
)
from gecbench.analysis.robustness.kinds import (
    Pair,
    by_action,
    by_distance,
    by_frequency,
    inserted,
)
from gecbench.analysis.robustness.mapping import Tokens, perturbations
from gecbench.analysis.robustness.official import Row, in_other_orders, official
from gecbench.analysis.robustness.results import (
    Disagreement,
    Part,
    Robustness,
    ShownChange,
    ShownSentence,
)
from gecbench.core.case import Case, Version
from gecbench.core.perturbed import SYNTHETIC, PerturbedSet, marks
from gecbench.formats.frequencies import Frequencies
from gecbench.scoring.judged import Judged
from gecbench.scoring.pairing import Level
from gecbench.scoring.spans import Rows, SpanF

PERFECT = "(perfect)"
COPY = "(copies its input)"
_MADE = (
    "these cases were perturbed by a program and may have gained or lost errors: they are for "
    "training, no evaluation"
)

Counting = Callable[[Collection[str]], Frequencies]
"""How often words occur, each of them asked for."""

_IDLE = 10
"""A system is idle that makes less than this part of the references' changes."""


def analyse(
    cases: PerturbedSet,
    judged: Judged,
    tokens: Sequence[Tokens],
    *,
    orders: int,
    seed: int,
    frequencies: Counting | None = None,
) -> Robustness:
    """Return how robust the judged systems are.

    Args:
        cases: What was judged, as `PerturbedSet.corpus` makes a corpus of it.
        judged: By one metric of edits.
        tokens: Of each source, in the order of the corpus.
        orders: In how many orders the official rule is tried; 0 for none.
        seed: Of the random ones.
        frequencies: Of words in a training text.
    """
    metric = cast("SpanF", next(iter(judged.metrics.values())))
    run = _Run(cases, judged, metric, tokens, orders, seed)
    parts = [run.system(name) for name in judged.cases]
    trivial = run.trivial()
    whole = [each[0] for each in parts]
    often = frequencies(run.inserted()) if frequencies else None
    return Robustness(
        name=cases.name,
        unit="word" if run.spaced else "character",
        subsets=tuple((subset.name, len(subset.cases)) for subset in cases.subsets),
        parts=_by_subset(parts),
        trivial=_by_subset(trivial),
        disagreements=tuple(
            found
            for part, each in zip(whole, judged.cases.values(), strict=True)
            for found in run.disagreements(part, each)
        ),
        actions=by_action(run.pairs, whole),
        distances=by_distance(run.pairs, whole),
        frequencies=by_frequency(run.pairs, whole, often.of, spaced=run.spaced) if often else None,
        unpaired=run.unpaired(),
        beta=metric.beta,
        signature=str(metric.signature) + (f"|orders:{orders}|seed:{seed}" if orders else ""),
        notes=(
            *([_MADE] if SYNTHETIC in cases.provenance else []),
            *_idle(whole, trivial[0][0]),
            *([often.note] if often else []),
            *judged.notes,
        ),
    )


def _by_subset(parts: Sequence[Sequence[Part]]) -> tuple[Part, ...]:
    """Return the parts of all systems, all subsets together first."""
    return tuple(part for row in zip(*parts, strict=True) for part in row)


def _idle(parts: Sequence[Part], perfect: Part) -> list[str]:
    """Return a warning of systems that are robust because they do next to nothing."""
    return [
        f"{part.system}: changes {part.edits_per_sentence:.2f} places a sentence, the references "
        f"{perfect.edits_per_sentence:.2f}: what is hardly ever corrected is consistent whatever "
        "the context, so its CRS and P-CRS say nothing; look at F"
        for part in parts
        if _IDLE * part.made < perfect.made
    ]


@dataclass(slots=True)
class _Run:
    """One set of cases; what is the same for all systems is made once."""

    cases: PerturbedSet
    judged: Judged
    metric: SpanF
    tokens: Sequence[Tokens]
    orders: int
    seed: int
    pairs: list[Pair] = field(default_factory=list)
    _golds: list[tuple[Change, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Find the perturbations and the errors of the references."""
        first = next(iter(self.judged.cases.values()))
        self._golds = [changes(case.references[0], self._level) for case in first]
        for at in range(0, len(first), self._width):
            for k in range(at + 1, at + self._width):
                regions = perturbations(self.tokens[at], self.tokens[k])
                self.pairs.append(Pair(self.tokens[k], regions, self._golds[at], self._golds[k]))

    @property
    def _width(self) -> int:
        return self.cases.width

    @property
    def _level(self) -> Level:
        return self.metric.level

    @property
    def spaced(self) -> bool:
        """Whether white space divides words."""
        return self.judged.lang != "zh"

    def system(self, name: str) -> list[Part]:
        """Return what a judged system does."""
        judged = self.judged.cases[name]
        made = [changes(case.hypotheses[0], self._level) for case in judged]
        return self.parts(name, made, self._rows(name))

    def trivial(self) -> list[list[Part]]:
        """Return what a perfect system does, and one that copies its input.

        Whatever a system does, its true positives and false negatives are all errors.
        """
        rows = self._rows(next(iter(self.judged.cases)))
        errors = [[tp + fn for tp, _, fn in row] for row in rows]
        perfect = [tuple((n, 0, 0) for n in row) for row in errors]
        copied = [tuple((0, 0, n) for n in row) for row in errors]
        return [
            self.parts(PERFECT, self._golds, perfect, tried=False),
            self.parts(COPY, [()] * len(self._golds), copied, tried=False),
        ]

    def inserted(self) -> set[str]:
        """Return the words that perturbations put in."""
        return {word for pair in self.pairs for word in inserted(pair, spaced=self.spaced)}

    def parts(
        self,
        name: str,
        made: Sequence[tuple[Change, ...]],
        rows: Sequence[Row],
        *,
        tried: bool = True,
    ) -> list[Part]:
        """Return what a system does on all subsets together, and on each where several.

        Args:
            name: Of the system.
            made: Its changes of each sentence.
            rows: Its counts, case by case.
            tried: Whether other orders of the cases are tried.
        """
        same = self._same(made)
        spans: list[tuple[str | None, int, int]] = []
        at = 0
        for subset in self.cases.subsets:
            spans.append((subset.name, at, at + len(subset.cases)))
            at += len(subset.cases)
        whole = [(None, 0, at)] if len(spans) > 1 else []
        return [
            Part(
                name,
                subset,
                official(rows[start:end], self.metric.beta),
                tuple(same[start:end]),
                sum(map(len, made[start * self._width : end * self._width])),
                in_other_orders(
                    rows[start:end], self.metric.beta, orders=self.orders, seed=self.seed
                )
                if self.orders and tried
                else None,
            )
            for subset, start, end in [*whole, *spans]
        ]

    def _rows(self, name: str) -> list[Row]:
        """Return a system's counts of each sentence, case by case; each has one reference."""
        flat = []
        for row in cast("Sequence[Rows]", self.judged.rows[name, self.metric.name]):
            (pairing,) = row
            flat.append((pairing.counts.tp, pairing.counts.fp, pairing.counts.fn))
        return [tuple(flat[at : at + self._width]) for at in range(0, len(flat), self._width)]

    def _same(self, made: Sequence[tuple[Change, ...]]) -> list[tuple[bool, ...]]:
        """Return for each case which variants have the corrections of the original."""
        sides = [Side(each, gold) for each, gold in zip(made, self._golds, strict=True)]
        pairs = iter(self.pairs)
        return [
            tuple(
                is_consistent(sides[at], sides[k], next(pairs).regions)
                for k in range(at + 1, at + self._width)
            )
            for at in range(0, len(sides), self._width)
        ]

    def unpaired(self) -> int:
        """Return how many errors of a reference the other of its pair does not have."""
        count = 0
        for pair in self.pairs:
            found = partners(pair.gold, pair.variant_gold, pair.regions)
            count += len(pair.gold) + len(pair.variant_gold) - 2 * len(found)
        return count

    def disagreements(self, part: Part, judged: Sequence[Case]) -> list[Disagreement]:
        """Return the cases that the two rules call differently."""
        homes = [(subset.name, case.id) for subset in self.cases.subsets for case in subset.cases]
        found = []
        for at, (one, two) in enumerate(
            zip(part.verdicts("official"), part.verdicts("edits"), strict=True)
        ):
            if one != two:
                sentences = self._shown(part, at, judged)
                found.append(Disagreement(part.system, *homes[at], one, two, sentences))
        return found

    def _shown(self, part: Part, at: int, judged: Sequence[Case]) -> tuple[ShownSentence, ...]:
        first = at * self._width
        return tuple(
            ShownSentence(
                mark,
                judged[k].source,
                self._changes(k, judged[k]),
                k == first or part.rule.equal[at][k - first - 1],
                k == first or part.same[at][k - first - 1],
            )
            for k, mark in enumerate(marks(self._width), first)
        )

    def _changes(self, k: int, case: Case) -> tuple[ShownChange, ...]:
        space = " " if self.spaced else ""
        golds = set(self._golds[k])
        return tuple(
            ShownChange(
                edit.start,
                edit.end,
                space.join(self.tokens[k][edit.start : edit.end]),
                space.join(edit.replacement or ()),
                not golds.isdisjoint(changes(Version((edit,)), self._level)),
            )
            for edit in dict.fromkeys(case.hypotheses[0].edits)
        )
