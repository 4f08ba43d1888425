"""References: how many there are, how much they change, and what their number does to scores.

Zhang et al., "MuCGEC", NAACL 2022, table 4 and figures 1 and 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from math import comb
from random import Random
from typing import Any

from gecbench.analysis.options import Sweep
from gecbench.analysis.sentences import (
    cases_of,
    edits_of,
    rewrites,
    signatures,
    state,
    text_of_rewrite,
)
from gecbench.core.errors import CorpusError, Message, count_noun
from gecbench.core.frames import Framed, Frames, flat
from gecbench.core.sample import Rewrite, Sample
from gecbench.core.seeding import number
from gecbench.scoring.resample import mean
from gecbench.scoring.results import RunStats
from gecbench.scoring.texts import characters

# Score against the number of references: with subsets of them, or with the first.


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The scores with k references for each sentence.

    Args:
        k: How many; a sentence with fewer keeps what it has.
        mean: Over the subsets, not rounded.
        low: The least of them.
        high: The greatest.
        subsets: How many were scored.
        of: How many there are; where it is more, they were drawn by lot.
        cut: How many sentences have more than k references.
    """

    k: int
    mean: float
    low: float
    high: float
    subsets: int
    of: int
    cut: int


@dataclass(frozen=True, slots=True)
class Curve:
    """Score against the number of references, of one system by one metric."""

    system: str
    metric: str
    points: tuple[CurvePoint, ...]


def curves(run_stats: RunStats, sweep: Sweep | None = None) -> tuple[Curve, ...]:
    """Score all systems with fewer references, by all metrics that use them.

    MuCGEC's figure 3. A subset is one of the places of references 1 to K, where K is the most
    that any sentence has; a sentence with n references, n between k and K, counts them round
    and round: place p is its reference ((p - 1) mod n) + 1, or the next one that is not taken
    yet. So every sentence has min(k, n) references, and each of them is taken about equally
    often. References declared impossible to annotate are no references here.

    Args:
        run_stats: Systems; their statistics are taken again for each subset, edits are not.
        sweep: Which subsets of which sentences.

    Raises:
        CorpusError: No sentence has as many references as asked for.
    """
    sweep = sweep or Sweep()
    usable = _usable(run_stats)
    indices = [at for at, references in enumerate(usable) if len(references) >= sweep.at_least]
    width = max(map(len, usable), default=0)
    least = max(sweep.at_least, sweep.up_to or 1)
    if least > width or not indices:
        raise CorpusError(
            f"{run_stats.corpus.name}: no sentence has {count_noun(least, 'reference')}; the most "
            f"is {width}"
        )
    plans = {k: _subsets(width, k, sweep) for k in range(1, (sweep.up_to or width) + 1)}
    return tuple(
        _curve(run_stats, metric, system, [(at, usable[at]) for at in indices], plans)
        for metric in metrics_with_references(run_stats)
        for system in run_stats.systems
    )


def _curve(
    run_stats: RunStats,
    metric: str,
    system: str,
    usable: Sequence[tuple[int, tuple[int, ...]]],
    plans: Mapping[int, tuple[Sequence[tuple[int, ...]], int]],
) -> Curve:
    """Score a system with subsets of references.

    Args:
        run_stats: Systems.
        metric: Name of a metric that reads references.
        system: Name.
        usable: Places of the sentences that take part, and of the references of each.
        plans: For each size the subsets that are scored, and how many there are.
    """
    scorer = run_stats.metrics[metric]

    @cache
    def stats(at: int, references: tuple[int, ...]) -> Any:
        case = run_stats.cases[system][at]
        if len(references) == len(case.references):
            return run_stats.rows[system, metric][at]
        return scorer.stats(replace(case, references=tuple(case.references[r] for r in references)))

    points = []
    for k, (subsets, count) in plans.items():
        values = [
            scorer.aggregate(
                [stats(at, references_in(indices, subset)) for at, indices in usable]
            ).value
            for subset in subsets
        ]
        low, high = min(values), max(values)
        # A mean of equal numbers can be off by its last digit.
        middle = min(max(mean(values), low), high)
        sentences_cut = sum(len(references) > k for _, references in usable)
        points.append(CurvePoint(k, middle, low, high, len(subsets), count, sentences_cut))
    return Curve(system, metric, tuple(points))


def taking_part(run_stats: RunStats, sweep: Sweep) -> int:
    """Count the sentences that the curves are over."""
    return sum(len(references) >= sweep.at_least for references in _usable(run_stats))


def _usable(run_stats: RunStats) -> list[tuple[int, ...]]:
    """Places of the references of each sentence that somebody could write."""
    return [
        tuple(r for r, version in enumerate(case.references) if not version.unannotatable)
        for case in cases_of(run_stats)
    ]


def metrics_with_references(run_stats: RunStats) -> list[str]:
    """The metrics of a run that read references."""
    return [
        name
        for name, metric in run_stats.metrics.items()
        if name not in run_stats.refused and metric.needs_references
    ]


def _subsets(width: int, k: int, sweep: Sweep) -> tuple[Sequence[tuple[int, ...]], int]:
    """Choose subsets of k places, and say how many there are."""
    if sweep.taking == "first":
        return [tuple(range(k))], 1
    count = comb(width, k)
    if count <= sweep.most:
        return list(combinations(range(width), k)), count
    dice = Random(number(sweep.seed, f"references {k}"))
    subsets: dict[tuple[int, ...], None] = {}
    while len(subsets) < sweep.most:
        subsets[tuple(sorted(dice.sample(range(width), k)))] = None
    return list(subsets), count


def references_in(references: Sequence[int], subset: Sequence[int]) -> tuple[int, ...]:
    """Choose the references of a sentence for a subset of places.

    >>> references_in((0, 1, 2), (0, 3)), references_in((0, 1), (1, 2, 3))
    ((0, 1), (0, 1))
    """
    if len(references) <= len(subset):
        return tuple(references)
    indices: list[int] = []
    for at in subset:
        at %= len(references)
        while at in indices:
            at = (at + 1) % len(references)
        indices.append(at)
    return tuple(references[at] for at in sorted(indices))


def _curve_notes(run_stats: RunStats, curves_: Sequence[Curve], sweep: Sweep) -> list[str]:
    """Notes for the reader of curves."""
    notes: list[str] = []
    counts = [len(references) for references in _usable(run_stats)]
    out = sum(0 < count < sweep.at_least for count in counts)
    if out:
        notes.append(
            Message(
                "curves: sentences with fewer than {least} references, which take no part: {count}",
                least=sweep.at_least,
                count=out,
            )
        )
    elif sweep.at_least < max(counts, default=0):
        notes.append(
            Message(
                "curves: sentences with fewer than k references take part with those that they "
                "have (gecbench analyse references --at-least K takes only sentences with at "
                "least K)"
            )
        )
    mixed = sum(
        0 < count < len(case.references)
        for count, case in zip(counts, cases_of(run_stats), strict=True)
    )
    if mixed:
        notes.append(
            Message(
                "curves: sentences that one annotator found impossible to correct and others "
                "corrected: {count}; the former is no reference here, but one in `gecbench score`",
                count=mixed,
            )
        )
    if any(point.subsets < point.of for curve in curves_ for point in curve.points):
        notes.append(
            Message(
                "curves: of more than {most} subsets of one size, {most} are drawn at random (seed "
                "{seed})",
                most=sweep.most,
                seed=sweep.seed,
            )
        )
    left = [
        name
        for name in run_stats.metrics
        if name not in (*run_stats.refused, *metrics_with_references(run_stats))
    ]
    if left:
        notes.append(Message("curves: {names} reads no references", names=", ".join(left)))
    return notes


@dataclass(frozen=True, slots=True)
class ReferenceStatistics:
    """One row of MuCGEC's table 4; means are not rounded, and None where no sentence is left.

    Args:
        name: "all", or the value of the metadata field that these sentences share.
        sentences: Those that somebody could annotate.
        discarded: The others.
        erroneous: Sentences that somebody corrects.
        characters: Mean length of the sources, without white space.
        edits: Mean number of edits of the references that correct something, of alternative
            edit sets the first; None where the run has no edits.
        references: Mean number of references of a sentence.
        distinct: Mean number of different texts among them; those known only by edits that overlap
            are as different as their edits.
    """

    name: str
    sentences: int
    discarded: int
    erroneous: int
    characters: float | None
    edits: float | None
    references: float | None
    distinct: float | None


@dataclass(frozen=True, slots=True, repr=False)
class References(Framed):
    """What there is to say of a corpus's references.

    Args:
        corpus: Its name.
        statistics: Of all sentences, then of each value of a metadata field.
        everywhere: How many sentences have how many references.
        erroneous: The same of those that somebody corrects.
        curves: By metric and system; none without systems.
        sentences: How many sentences the curves are over.
        sweep: How they were made.
        notes: What the reader should know.
        signatures: How scores were made.
    """

    corpus: str
    statistics: tuple[ReferenceStatistics, ...]
    everywhere: Mapping[int, int]
    erroneous: Mapping[int, int]
    curves: tuple[Curve, ...] = ()
    sentences: int = 0
    sweep: Sweep = field(default_factory=Sweep)
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()

    def frames(self) -> Frames:
        """A row for each group of sentences, number of references, or point of a curve."""
        return {
            "statistics": map(flat, self.statistics),
            "numbers": (
                {"references": k, "sentences": count, "erroneous": self.erroneous.get(k, 0)}
                for k, count in self.everywhere.items()
            ),
            "curves": (
                {"system": curve.system, "metric": curve.metric} | flat(point)
                for curve in self.curves
                for point in curve.points
            ),
        }


def statistics(run_stats: RunStats, by: str | None = None) -> tuple[ReferenceStatistics, ...]:
    """MuCGEC's table 4 of a corpus (Zhang et al., NAACL 2022).

    Args:
        run_stats: Any run over it.
        by: A metadata field; each of its values gets a row, too.

    Raises:
        CorpusError: A sentence lacks the field.
    """
    groups: dict[str, list[int]] = {}
    for at, sample in enumerate(run_stats.corpus.samples):
        if by is not None and by not in sample.meta:
            raise CorpusError(
                f"{run_stats.corpus.name}: sentence {sample.id!r} has no metadata field {by!r}; "
                "give one that all have, or add it with --meta"
            )
        if by is not None:
            groups.setdefault(sample.meta[by] or "(empty)", []).append(at)
    whole = range(len(run_stats.corpus.samples))
    rows = [_row("all", run_stats, whole)]
    return (*rows, *(_row(name, run_stats, indices) for name, indices in groups.items()))


def distribution(run_stats: RunStats) -> tuple[Mapping[int, int], Mapping[int, int]]:
    """Count sentences by their number of references: all, and erroneous ones.

    MuCGEC's figure 1 is the second. Sentences that nobody can annotate have none.
    """
    everywhere: Counter[int] = Counter()
    erroneous: Counter[int] = Counter()
    for sample, case in zip(run_stats.corpus.samples, cases_of(run_stats), strict=True):
        count = len(rewrites(sample, case))
        everywhere[count] += 1
        erroneous[count] += state(sample, case, run_stats.lang) in ("erroneous", "disputed")
    return dict(sorted(everywhere.items())), {k: n for k, n in sorted(erroneous.items()) if n}


def reference_numbers(run_stats: RunStats) -> list[int]:
    """How many references each sentence has, as `distribution` counts them."""
    pairs = zip(run_stats.corpus.samples, cases_of(run_stats), strict=True)
    return [len(rewrites(sample, case)) for sample, case in pairs]


def describe_references(
    run_stats: RunStats, *, by: str | None = None, sweep: Sweep | None = None
) -> References:
    """Compute statistics, distribution and, where `sweep` says how, curves.

    Raises:
        CorpusError: A metadata field is missing, or no sentence has enough references.
    """
    everywhere, erroneous = distribution(run_stats)
    result = References(run_stats.corpus.name, statistics(run_stats, by), everywhere, erroneous)
    notes = [*run_stats.notes, *run_stats.refused.values(), *_textless(run_stats)]
    if sweep is None:
        return replace(result, notes=tuple(notes))
    result = replace(result, curves=curves(run_stats, sweep))
    return replace(
        result,
        sentences=taking_part(run_stats, sweep),
        sweep=sweep,
        notes=(*notes, *_curve_notes(run_stats, result.curves, sweep)),
        signatures=signatures(run_stats, metrics_with_references(run_stats)),
    )


def _row(name: str, run_stats: RunStats, indices: Sequence[int]) -> ReferenceStatistics:
    cases = cases_of(run_stats)
    pairs = [(run_stats.corpus.samples[at], cases[at]) for at in indices]
    annotated = [
        (sample, case, references)
        for sample, case in pairs
        if (references := rewrites(sample, case))
    ]
    lengths = [len(characters(sample.source)) for sample, _, _ in annotated]
    sizes = [
        edits_of(case, version) for _, case, references in annotated for _, version in references
    ]
    numbers = [len(references) for _, _, references in annotated]
    distinct = [
        len({_content(rewrite, sample, run_stats.lang) for rewrite, _ in references})
        for sample, _, references in annotated
    ]
    states = [state(sample, case, run_stats.lang) for sample, case, _ in annotated]
    erroneous = len(states) - states.count("error-free")
    edits = [size for size in sizes if size]
    means = [mean(values) if values else None for values in (lengths, edits, numbers, distinct)]
    return ReferenceStatistics(
        name, len(annotated), len(indices) - len(annotated), erroneous, *means
    )


def _content(rewrite: Rewrite, sample: Sample, lang: str) -> object:
    """A key that is equal for references that are the same."""
    text = text_of_rewrite(rewrite, sample, lang)
    return rewrite.edit_sets if text is None else characters(text)


def _textless(run_stats: RunStats) -> list[str]:
    count = sum(
        text_of_rewrite(rewrite, sample, run_stats.lang) is None
        for sample, case in zip(run_stats.corpus.samples, cases_of(run_stats), strict=True)
        for rewrite, _ in rewrites(sample, case)
    )
    if not count:
        return []
    return [
        Message(
            "references that are known only by edits that overlap, and so have no text: {count}; "
            "whether they are different is told by their edits",
            count=count,
        )
    ]
