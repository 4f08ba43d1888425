"""From judged sentences to what can be said of the robustness of systems."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    Cell,
    Disagreement,
    Part,
    Robustness,
    ShownChange,
    ShownSentence,
)
from gecbench.core.case import Case, Version
from gecbench.core.perturbed import PerturbedSet, marks
from gecbench.scoring.judged import Judged
from gecbench.scoring.pairing import Level
from gecbench.scoring.spans import Rows, SpanF

PERFECT = "(perfect)"
COPY = "(copies its input)"

Frequencies = Callable[[Collection[str]], Mapping[str, int]]
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
    frequencies: Frequencies | None = None,
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
    parts = [
        run.parts(name, each, judged.rows[name, metric.name]) for name, each in judged.cases.items()
    ]
    trivial = run.trivial()
    whole = [each[0] for each in parts]
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
        frequencies=run.by_frequency(whole, frequencies) if frequencies else None,
        unpaired=run.unpaired(),
        beta=metric.beta,
        signature=str(metric.signature) + (f"|orders:{orders}|seed:{seed}" if orders else ""),
        notes=(*_idle(whole, trivial[0][0]), *judged.notes),
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

    def trivial(self) -> list[list[Part]]:
        """Return what a perfect system does, and one that copies its input."""
        first = next(iter(self.judged.cases.values()))
        perfect = [replace(case, hypotheses=case.references) for case in first]
        copied = [replace(case, hypotheses=(Version(),)) for case in first]
        return [
            self.parts(name, each, [self.metric.stats(case) for case in each], tried=False)
            for name, each in ((PERFECT, perfect), (COPY, copied))
        ]

    def by_frequency(self, parts: Sequence[Part], frequencies: Frequencies) -> tuple[Cell, ...]:
        """Return variants by the frequency of what was put in."""
        words = {word for pair in self.pairs for word in inserted(pair, spaced=self.spaced)}
        return by_frequency(self.pairs, parts, frequencies(words), spaced=self.spaced)

    def parts(
        self, name: str, judged: Sequence[Case], stats: Sequence[Rows | None], *, tried: bool = True
    ) -> list[Part]:
        """Return what a system does on all subsets together, and on each where several."""
        rows = self._rows(stats)
        same = self._same(judged)
        made = [len(changes(case.hypotheses[0], self._level)) for case in judged]
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
                sum(made[start * self._width : end * self._width]),
                in_other_orders(
                    rows[start:end], self.metric.beta, orders=self.orders, seed=self.seed
                )
                if self.orders and tried
                else None,
            )
            for subset, start, end in [*whole, *spans]
        ]

    def _rows(self, stats: Sequence[Rows | None]) -> list[Row]:
        """Return the counts of each sentence, case by case; each has one reference, a text."""
        flat = []
        for row in stats:
            (pairing,) = row or ()
            flat.append((pairing.counts.tp, pairing.counts.fp, pairing.counts.fn))
        return [tuple(flat[at : at + self._width]) for at in range(0, len(flat), self._width)]

    def _same(self, judged: Sequence[Case]) -> list[tuple[bool, ...]]:
        """Return for each case which variants have the corrections of the original."""
        sides = [
            Side(changes(case.hypotheses[0], self._level), gold)
            for case, gold in zip(judged, self._golds, strict=True)
        ]
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
