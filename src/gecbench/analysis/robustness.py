"""Whether corrections stay the same when the context changes.

Zhang et al., "RobustGEC: Robust Grammatical Error Correction Against Subtle Context Perturbation",
EMNLP 2023: CRS, P-CRS and bounds of F (table 4), and P-CRS by kind of perturbation (figure 3).
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress, zip_longest
from operator import eq
from typing import Literal

from gecbench.analysis.perturbed_cases import Region, Tokens, perturbations, span_image
from gecbench.core.case import CaseRewrite, Level
from gecbench.core.errors import Message, UsageError
from gecbench.core.frames import Framed, Frames, flat
from gecbench.core.perturbed import SYNTHETIC, PerturbedSet, marks
from gecbench.core.score import Counts
from gecbench.core.seeding import number
from gecbench.formats.perturbed import Frequencies
from gecbench.scoring.results import RunStats
from gecbench.scoring.spans import SpanF, f_of_counts

# The result.

ConsistencyRule = Literal["official", "edits"]
"""Equal F as the published program has it, or equal corrections as the paper says it."""
RULES: tuple[ConsistencyRule, ...] = ("official", "edits")


@dataclass(frozen=True, slots=True)
class CountScores:
    """Counts of edits with their precision, recall and F, in [0, 1], not rounded."""

    tp: int
    fp: int
    fn: int
    precision: float
    recall: float
    f: float


@dataclass(frozen=True, slots=True)
class Consistency:
    """What one rule says of a system.

    Args:
        consistent_cases: Cases that are consistent in all variants.
        crs: Their share.
        like_original: Variants that are like their original.
        p_crs: Their share.
    """

    consistent_cases: int
    crs: float
    like_original: int
    p_crs: float


@dataclass(frozen=True, slots=True)
class RuleAgreement:
    """How many cases are consistent by both rules, by one alone, and by neither."""

    both: int
    official_only: int
    edits_only: int
    neither: int


@dataclass(frozen=True, slots=True)
class Orders:
    """How far the official rule depends on the order of the cases.

    Args:
        orders: How many were tried, two or more: that of the file, its reverse, random ones.
        seed: Of the random ones.
        consistent_cases: Least and most.
        upper_f: Least and greatest upper bound of F, in [0, 1], not rounded.
        lower_f: Likewise of the lower bound.
        unsettled_cases: Those that are consistent in some orders and not in others.
    """

    orders: int
    seed: int
    consistent_cases: tuple[int, int]
    upper_f: tuple[float, float]
    lower_f: tuple[float, float]
    unsettled_cases: int


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the rules say of each case.

    Args:
        official: For each case, whether it is consistent by the official rule.
        equal: For each case and variant, whether its F is the original's.
        same: For each case and variant, whether its corrections are the original's.
    """

    official: tuple[bool, ...]
    equal: tuple[tuple[bool, ...], ...]
    same: tuple[tuple[bool, ...], ...]

    @property
    def edits(self) -> tuple[bool, ...]:
        """For each case, whether it is consistent by edits."""
        return tuple(map(all, self.same))


@dataclass(frozen=True, slots=True)
class SystemRobustness:
    """One system on one subset, or on all of them.

    Args:
        system: Its name.
        subset: None means all subsets one after another.
        cases: How many there are.
        variants: How many they have together.
        original: Scores of all originals.
        upper: Scores of the sentence of each case that is best for the running F.
        lower: Likewise of the worst.
        delta_f: Upper F less lower F.
        official: Consistency by the official rule.
        edits: Consistency by edits.
        agreement: Of the two rules.
        edits_made: How many changes the system made in all sentences.
        edits_per_sentence: Likewise, over all sentences; not rounded.
        orders: How far the official rule depends on the order; None where it was not tried.
        verdicts: On each case.
    """

    system: str
    subset: str | None
    cases: int
    variants: int
    original: CountScores
    upper: CountScores
    lower: CountScores
    delta_f: float
    official: Consistency
    edits: Consistency
    agreement: RuleAgreement
    edits_made: int
    edits_per_sentence: float
    orders: Orders | None
    verdicts: Verdicts

    def consistency(self, rule: ConsistencyRule) -> Consistency:
        """The result by a rule."""
        return self.official if rule == "official" else self.edits


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
        equal_f: Whether its F is the original's.
        same_edits: Whether its corrections are the original's.
        changes: In text order.
    """

    mark: str
    source: str
    equal_f: bool
    same_edits: bool
    changes: tuple[ShownChange, ...]


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
class Share:
    """How many variants are like their original, and their share."""

    like_original: int
    p_crs: float


@dataclass(frozen=True, slots=True)
class SystemShares:
    """One system on variants of one kind, by both rules."""

    system: str
    official: Share
    edits: Share

    def share(self, rule: ConsistencyRule) -> Share:
        """The result by a rule."""
        return self.official if rule == "official" else self.edits


@dataclass(frozen=True, slots=True)
class VariantGroup:
    """Variants of one kind.

    Args:
        name: As "insertion" or "10-99".
        variants: How many there are.
        systems: Each system on them.
    """

    name: str
    variants: int
    systems: tuple[SystemShares, ...]


@dataclass(frozen=True, slots=True)
class SubsetSize:
    """A subset of the cases, by its name, and how many it has."""

    name: str
    cases: int


@dataclass(frozen=True, slots=True, repr=False)
class Robustness(Framed):
    """How robust systems are to their context.

    Args:
        corpus: Name of the set of cases.
        beta: Weight of recall in F.
        unit: What the scheme's tokens are.
        subsets: In their order.
        systems: All subsets together first, where there are several; system by system.
        trivial: Likewise of a perfect system and of one that copies its input.
        unpaired_errors: Errors of references that the other reference of a pair does not have.
        disagreements: In the order of systems and cases.
        actions: By what the perturbation did to the original.
        distances: By tokens between the perturbation and the error, where both are single.
        frequencies: By how often the rarest word that the perturbation put in occurs; None
            where no frequencies were given.
        signatures: How edits were found and compared.
        notes: What the reader should know.
        others: The same with other weights of recall, where several were asked for.
    """

    corpus: str
    beta: float
    unit: Literal["word", "character"]
    subsets: tuple[SubsetSize, ...]
    systems: tuple[SystemRobustness, ...]
    trivial: tuple[SystemRobustness, ...]
    unpaired_errors: int
    disagreements: tuple[Disagreement, ...]
    actions: tuple[VariantGroup, ...]
    distances: tuple[VariantGroup, ...]
    frequencies: tuple[VariantGroup, ...] | None
    signatures: tuple[str, ...]
    notes: tuple[str, ...] = ()
    others: tuple[Robustness, ...] = ()

    def frames(self) -> Frames:
        """A row for each system on a subset, kind of variants, or case on which rules disagree."""
        kinds = {"action": self.actions, "distance": self.distances}
        kinds |= {"frequency": self.frequencies or ()}
        return {
            "systems": (
                {"system": system.system, "subset": system.subset, "delta_f": system.delta_f}
                | {"official_crs": system.official.crs, "edits_crs": system.edits.crs}
                | {k: v for k, v in flat(system).items() if not k.startswith("orders")}
                for system in (*self.systems, *self.trivial)
            ),
            "variants": (
                {"by": by, "group": group.name, "variants": group.variants} | flat(shares)
                for by, groups in kinds.items()
                for group in groups
                for shares in group.systems
            ),
            "disagreements": map(flat, self.disagreements),
        }

    @property
    def whole(self) -> tuple[SystemRobustness, ...]:
        """Each system on everything."""
        return tuple(system for system in self.systems if system.subset == self.systems[0].subset)


# The official rule of RobustGEC: which variant is best and worst, CRS and P-CRS.
#
# robustgec_eval.py (HillZhang1999/RobustGEC 1c5787b), with its cache fixed so that it runs. A case
# is consistent there if one variant is both the best and the worst for the running totals; what was
# corrected is never compared, so `is_consistent` stands beside it.

Triple = tuple[int, int, int]
"""True positives, false positives, false negatives of one sentence."""

CaseCounts = tuple[Triple, ...]
"""Those of an original and its variants."""

_Key = tuple[float, int, int, int]


@dataclass(frozen=True, slots=True)
class Official:
    """What the official rule says.

    Args:
        original: Counts of all originals.
        upper: Counts of the sentence of each case that is best for the running F.
        lower: Likewise of the worst.
        consistent: For each case, whether one sentence is both.
        equal: For each case and variant, whether its F alone, rounded to 4 decimals, is the
            original's.
    """

    original: Counts
    upper: Counts
    lower: Counts
    consistent: tuple[bool, ...]
    equal: tuple[tuple[bool, ...], ...]


def official(rows: Sequence[CaseCounts], beta: float) -> Official:
    """Apply the official rule to cases in the order of the file.

    Args:
        rows: For each case, the counts of the original first, then of its variants.
        beta: Weight of recall in F.
    """
    best, upper = _extremes(rows, beta, max)
    worst, lower = _extremes(rows, beta, min)
    return Official(
        original=Counts(*map(sum, zip(*(row[0] for row in rows), strict=True))),
        upper=upper,
        lower=lower,
        consistent=tuple(map(eq, best, worst)),
        equal=tuple(
            tuple(
                counts == row[0] or _official_f(counts, beta) == _official_f(row[0], beta)
                for counts in row[1:]
            )
            for row in rows
        ),
    )


def in_other_orders(rows: Sequence[CaseCounts], beta: float, *, orders: int, seed: int) -> Orders:
    """Apply the official rule to the order of the file, its reverse, and random orders."""
    consistent, uppers, lowers = [], [], []
    for k in range(orders):
        order = list(range(len(rows)))
        if k == 1:
            order.reverse()
        elif k:
            random.Random(number(seed, f"robustness-order-{k}")).shuffle(order)
        result = official([rows[at] for at in order], beta)
        consistent.append(frozenset(compress(order, result.consistent)))
        uppers.append(result.upper.f(beta))
        lowers.append(result.lower.f(beta))
    sizes = [len(cases) for cases in consistent]
    return Orders(
        orders=orders,
        seed=seed,
        consistent_cases=(min(sizes), max(sizes)),
        upper_f=(min(uppers), max(uppers)),
        lower_f=(min(lowers), max(lowers)),
        unsettled_cases=len(frozenset.union(*consistent) - frozenset.intersection(*consistent)),
    )


def _extremes(
    rows: Sequence[CaseCounts], beta: float, choose: Callable[[list[_Key]], _Key]
) -> tuple[list[Triple], Counts]:
    """Counts of the best (or worst) sentence of each case, and their sum.

    The best is that with the greatest (F of the running totals with it, true positives, fewer
    false positives, fewer false negatives). Of equal counts only the first sentence is ever
    taken, so that the same sentence is best and worst just where the same counts are.
    """
    tp = fp = fn = 0
    extremes: list[Triple] = []
    for row in rows:
        distinct = list(dict.fromkeys(row))
        extreme = distinct[0]
        if len(distinct) > 1:
            keys = [
                (_official_f((tp + t, fp + p, fn + n), beta), t, -p, -n) for t, p, n in distinct
            ]
            extreme = distinct[keys.index(choose(keys))]
        extremes.append(extreme)
        tp, fp, fn = tp + extreme[0], fp + extreme[1], fn + extreme[2]
    return extremes, Counts(tp, fp, fn)


def _official_f(counts: Triple, beta: float) -> float:
    """F, rounded to 4 decimals as ERRANT's computeFScore does."""
    return round(f_of_counts(*counts, beta), 4)


# The stricter rule, `edits`: are the corrections themselves the same in every variant?
#
# The paper speaks of consistent corrections; its program compares F. Here the edits of an
# original are carried through the perturbation and compared with those of the variant.


Change = tuple[int, int, tuple[str, ...]]
"""An edit as it is compared: half-open span of the source, and its replacement."""


@dataclass(frozen=True, slots=True)
class SentenceChanges:
    """One sentence: what the system changed, and what the reference changes."""

    changes: tuple[Change, ...]
    gold: tuple[Change, ...]


def changes(version: CaseRewrite, level: Level) -> tuple[Change, ...]:
    """Edits of a rewrite as they are compared, each once.

    Edits that were only detected take part where detection is what is compared.
    """
    detects = level.startswith("detection")
    return tuple(
        dict.fromkeys(
            (edit.start, edit.end, () if detects else edit.replacement or ())
            for edit in version.edits
            if detects or edit.replacement is not None
        )
    )


def partners(
    original: Sequence[Change], variant: Sequence[Change], regions: Sequence[Region]
) -> dict[int, int]:
    """Match the errors of an original and a variant by their places.

    First those with the same correction at the same place, then those at places that touch one
    another (a perturbation can change what the correction is, as "a" and "an"), then those with
    the same correction, in their order. The published references are not the same in all
    variants, so some may have no partner.
    """
    pairs: dict[int, int] = {}
    for alike in (_same, _meet, lambda original, variant, _: original[2] == variant[2]):
        pairs |= _match(original, variant, regions, alike, pairs)
    return pairs


def is_consistent(
    original: SentenceChanges, variant: SentenceChanges, regions: Sequence[Region]
) -> bool:
    """Say whether a system made the same corrections in an original and a variant.

    Two changes are the same if span and replacement are the same after mapping, or if both hit
    one and the same error. Changes that are left over break consistency, unless they hit an
    error that the other reference does not have: then there is nothing to compare with.
    """
    if original.changes == variant.changes and (not original.changes or not regions):
        return True
    matched = _match(original.changes, variant.changes, regions, _same, {})
    here = [change for at, change in enumerate(original.changes) if at not in matched]
    there = [change for k, change in enumerate(variant.changes) if k not in matched.values()]
    if not here and not there:
        return True
    errors = partners(original.gold, variant.gold, regions)
    known_here = {gold: at for at, gold in enumerate(original.gold)}
    known_there = {gold: k for k, gold in enumerate(variant.gold)}
    if not (all(e in known_here for e in here) and all(e in known_there for e in there)):
        return False
    hit_here = {errors[known_here[e]] for e in here if known_here[e] in errors}
    shared = set(errors.values())
    return hit_here == {known_there[e] for e in there if known_there[e] in shared}


def _match(
    original: Sequence[Change],
    variant: Sequence[Change],
    regions: Sequence[Region],
    alike: Callable[[Change, Change, Sequence[Region]], bool],
    known: Mapping[int, int],
) -> dict[int, int]:
    """Pair, from the left, what is not paired yet."""
    pairs: dict[int, int] = {}
    free = [k for k in range(len(variant)) if k not in known.values()]
    for at, change in enumerate(original):
        if at in known:
            continue
        match = next((k for k in free if alike(change, variant[k], regions)), None)
        if match is not None:
            pairs[at] = match
            free.remove(match)
    return pairs


def _same(original: Change, variant: Change, regions: Sequence[Region]) -> bool:
    if original[2] != variant[2] or (original[0] == original[1]) != (variant[0] == variant[1]):
        return False
    starts, ends = span_image(regions, original[0], original[1])
    return starts[0] <= variant[0] <= starts[1] and ends[0] <= variant[1] <= ends[1]


def _meet(original: Change, variant: Change, regions: Sequence[Region]) -> bool:
    """Say whether the spans share a token or, where one is empty, touch."""
    starts, ends = span_image(regions, original[0], original[1])
    low, high = starts[0], ends[1]
    if low == high or variant[0] == variant[1]:
        return low <= variant[1] and variant[0] <= high
    return low < variant[1] and variant[0] < high


# The fine-grained analysis (RobustGEC, figure 3): variants by what was done to them.

ACTIONS = ("substitution", "insertion", "deletion", "mixed", "none")
_DISTANCES = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 9), (10, 14), (15, None))
_FREQUENCIES = ((0, 0), (1, 9), (10, 99), (100, 999), (1000, 9999), (10000, None))


@dataclass(frozen=True, slots=True)
class VariantPair:
    """An original and one of its variants.

    Args:
        tokens: Of the variant.
        regions: What the perturbation changed.
        gold: Errors of the original.
        variant_gold: Errors of the variant.
    """

    tokens: Tokens
    regions: tuple[Region, ...]
    gold: tuple[Change, ...]
    variant_gold: tuple[Change, ...]


def action(pair: VariantPair) -> str:
    """Name what the perturbations did, "mixed" where they did different things."""
    actions = {region.action for region in pair.regions}
    if not actions:
        return "none"
    return actions.pop() if len(actions) == 1 else "mixed"


def distance(pair: VariantPair) -> int | None:
    """Count the tokens of the variant between perturbation and error.

    None unless there is one of each.
    """
    if not len(pair.regions) == len(pair.gold) == len(pair.variant_gold) == 1:
        return None
    region, (start, end, _) = pair.regions[0], pair.variant_gold[0]
    return max(start - region.to_end, region.to_start - end, 0)


def insertion(pair: VariantPair, joiner: str) -> tuple[str, ...]:
    """Words that a single perturbation put in, in lower case.

    Where no white space divides words, all that it put in is one word.
    """
    if len(pair.regions) != 1:
        return ()
    (region,) = pair.regions
    words = [token.lower() for token in pair.tokens[region.to_start : region.to_end]]
    return tuple(words) if joiner or not words else ("".join(words),)


def by_frequency(
    pairs: Sequence[VariantPair],
    systems: Sequence[SystemRobustness],
    frequencies: Mapping[str, int],
    joiner: str,
) -> tuple[VariantGroup, ...]:
    """Group variants with one perturbation by the frequency of the rarest word put in."""
    words = [insertion(pair, joiner) for pair in pairs]
    rarest = [min((frequencies[word] for word in tokens), default=None) for tokens in words]
    return _bin_variants(rarest, _FREQUENCIES, systems)


def _bin_variants(
    values: Sequence[int | None],
    bins: Sequence[tuple[int, int | None]],
    systems: Sequence[SystemRobustness],
) -> tuple[VariantGroup, ...]:
    names = [
        f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"
        for low, high in bins
    ]
    starts = [low for low, _ in bins]
    bin_names = [None if v is None else names[bisect(starts, v) - 1] for v in values]
    return _groups(bin_names, names, systems)


def _groups(
    names: Sequence[str | None], order: Sequence[str], systems: Sequence[SystemRobustness]
) -> tuple[VariantGroup, ...]:
    """Group variants by names, those of one name in a group; there are none without a variant."""

    def share(rows: Sequence[Sequence[bool]], name: str) -> Share:
        pairs = zip(names, chain.from_iterable(rows), strict=True)
        values = [value for group, value in pairs if group == name]
        return Share(sum(values), sum(values) / len(values))

    return tuple(
        VariantGroup(
            name,
            names.count(name),
            tuple(
                SystemShares(
                    system.system,
                    share(system.verdicts.equal, name),
                    share(system.verdicts.same, name),
                )
                for system in systems
            ),
        )
        for name in order
        if name in names
    )


# From the statistics of sentences to the result.

PERFECT = "(perfect)"
COPY = "(copies its input)"
_SYNTHETIC = Message(
    "these cases were perturbed by a program and may have gained or lost errors: they are for "
    "training, no evaluation"
)
_IDLE = 10
"""A system is idle that makes less than this part of the references' changes."""

CountWords = Callable[[Collection[str]], Frequencies]
"""How often words occur, each of them asked for."""


def measure_robustness(
    cases: PerturbedSet,
    run_stats: RunStats,
    tokens: Sequence[Tokens],
    *,
    orders: int,
    seed: int,
    count_words: CountWords | None = None,
    betas: Sequence[float] = (),
) -> Robustness:
    """Measure how robust systems are.

    Args:
        cases: The data of the run, as `PerturbedSet.corpus` makes a corpus of it.
        run_stats: By one metric of edits.
        tokens: Of each source, in the order of the corpus.
        orders: In how many orders the official rule is tried; 0 for none.
        seed: Of the random ones.
        count_words: In a training text.
        betas: Weights of recall in F, instead of the metric's; the first is the main one.
    """
    metric = next(iter(run_stats.metrics.values())).span_metric
    if metric is None:
        raise UsageError("consistency of edits needs a metric that compares them")
    main, *others = (
        _measure(cases, run_stats, replace(metric, beta=beta), tokens, orders, seed, count)
        for beta, count in zip_longest(betas or (metric.beta,), (count_words,))
    )
    signatures = tuple(signature for result in (main, *others) for signature in result.signatures)
    return replace(main, others=tuple(others), signatures=signatures)


def _measure(
    cases: PerturbedSet,
    run_stats: RunStats,
    metric: SpanF,
    tokens: Sequence[Tokens],
    orders: int,
    seed: int,
    count_words: CountWords | None,
) -> Robustness:
    """Measure by one weight of recall."""
    first = next(iter(run_stats.cases.values()))
    golds = [changes(case.references[0], metric.level) for case in first]
    pairs = [
        VariantPair(tokens[k], perturbations(tokens[at], tokens[k]), golds[at], golds[k])
        for at in range(0, len(first), cases.width)
        for k in range(at + 1, at + cases.width)
    ]

    def measure(
        name: str, edits: Sequence[tuple[Change, ...]], rows: Sequence[CaseCounts], orders: int = 0
    ) -> list[SystemRobustness]:
        same = _same_corrections(edits, golds, pairs, cases.width)
        return [
            _result(
                name,
                subset,
                rows[start:end],
                same[start:end],
                sum(map(len, edits[start * cases.width : end * cases.width])),
                metric.beta,
                in_other_orders(rows[start:end], metric.beta, orders=orders, seed=seed)
                if orders
                else None,
            )
            for subset, start, end in _subset_spans(cases)
        ]

    rows = {name: _case_counts(run_stats, metric, name, cases.width) for name in run_stats.cases}
    systems = [
        measure(
            name,
            [changes(case.hypotheses[0], metric.level) for case in system_cases],
            rows[name],
            orders,
        )
        for name, system_cases in run_stats.cases.items()
    ]
    # Whatever a system does, its true positives and false negatives are all errors.
    errors = [[tp + fn for tp, _, fn in row] for row in next(iter(rows.values()))]
    trivial = [
        measure(PERFECT, golds, [tuple((n, 0, 0) for n in row) for row in errors]),
        measure(COPY, [()] * len(golds), [tuple((0, 0, n) for n in row) for row in errors]),
    ]
    whole = [system[0] for system in systems]
    joiner = run_stats.joiner
    words = {word for pair in pairs for word in insertion(pair, joiner)}
    frequencies = count_words(words) if count_words else None
    signature = str(metric.signature) + (f"|orders:{orders}|seed:{seed}" if orders else "")
    return Robustness(
        corpus=cases.name,
        beta=metric.beta,
        unit="word" if joiner == " " else "character",
        subsets=tuple(SubsetSize(subset.name, len(subset.cases)) for subset in cases.subsets),
        systems=tuple(chain.from_iterable(zip(*systems, strict=True))),
        trivial=tuple(chain.from_iterable(zip(*trivial, strict=True))),
        unpaired_errors=sum(map(_count_unpaired, pairs)),
        disagreements=tuple(
            disagreement
            for system in whole
            for disagreement in _disagreements(system, cases, run_stats, metric, tokens, golds)
        ),
        actions=_groups([action(pair) for pair in pairs], ACTIONS, whole),
        distances=_bin_variants([distance(pair) for pair in pairs], _DISTANCES, whole),
        frequencies=by_frequency(pairs, whole, frequencies.of, joiner) if frequencies else None,
        signatures=(signature,),
        notes=(
            *([_SYNTHETIC] if SYNTHETIC in cases.provenance else []),
            *_idle(whole, trivial[0][0]),
            *([frequencies.note] if frequencies else []),
            *run_stats.notes,
        ),
    )


def _idle(systems: Sequence[SystemRobustness], perfect: SystemRobustness) -> list[str]:
    """Warn of systems that are robust because they do next to nothing."""
    return [
        Message(
            "{system}: changes {made:.2f} places a sentence, the references {right:.2f}: what is "
            "hardly ever corrected is consistent whatever the context, so its CRS and P-CRS say "
            "nothing; look at F",
            system=system.system,
            made=system.edits_per_sentence,
            right=perfect.edits_per_sentence,
        )
        for system in systems
        if _IDLE * system.edits_made < perfect.edits_made
    ]


def _count_unpaired(pair: VariantPair) -> int:
    """Count the errors of a reference that the other of its pair does not have."""
    common = partners(pair.gold, pair.variant_gold, pair.regions)
    return len(pair.gold) + len(pair.variant_gold) - 2 * len(common)


def _case_counts(run_stats: RunStats, metric: SpanF, system: str, width: int) -> list[CaseCounts]:
    """Counts of each sentence, case by case; each has one reference."""
    counts = [pairing.counts for (pairing,) in run_stats.rows[system, metric.name]]
    triples = [(count.tp, count.fp, count.fn) for count in counts]
    return [tuple(triples[at : at + width]) for at in range(0, len(triples), width)]


def _same_corrections(
    edits: Sequence[tuple[Change, ...]],
    golds: Sequence[tuple[Change, ...]],
    pairs: Sequence[VariantPair],
    width: int,
) -> tuple[tuple[bool, ...], ...]:
    """For each case and variant, whether a system made the original's corrections."""
    sentences = [SentenceChanges(*both) for both in zip(edits, golds, strict=True)]
    regions = iter(pair.regions for pair in pairs)
    return tuple(
        tuple(
            is_consistent(sentences[at], sentences[k], next(regions))
            for k in range(at + 1, at + width)
        )
        for at in range(0, len(sentences), width)
    )


def _subset_spans(cases: PerturbedSet) -> list[tuple[str | None, int, int]]:
    """Half-open spans of cases: all subsets together, where there are several, and each."""
    spans: list[tuple[str | None, int, int]] = []
    for subset in cases.subsets:
        start = spans[-1][2] if spans else 0
        spans.append((subset.name, start, start + len(subset.cases)))
    return [(None, 0, spans[-1][2]), *spans] if len(spans) > 1 else spans


def _disagreements(
    system: SystemRobustness,
    cases: PerturbedSet,
    run_stats: RunStats,
    metric: SpanF,
    tokens: Sequence[Tokens],
    golds: Sequence[tuple[Change, ...]],
) -> Iterator[Disagreement]:
    """Yield the cases that the two rules call differently."""
    ids = [(subset.name, case.id) for subset in cases.subsets for case in subset.cases]
    width, verdicts = cases.width, system.verdicts
    sentences = run_stats.cases[system.system]
    joiner = run_stats.joiner
    for at, rules in enumerate(zip(verdicts.official, verdicts.edits, strict=True)):
        if rules[0] == rules[1]:
            continue
        rows = zip(
            marks(width),
            range(at * width, (at + 1) * width),
            (True, *verdicts.equal[at]),
            (True, *verdicts.same[at]),
            strict=True,
        )
        examples = tuple(
            ShownSentence(
                mark,
                sentences[k].source,
                equal,
                same,
                tuple(
                    ShownChange(
                        edit.start,
                        edit.end,
                        joiner.join(tokens[k][edit.start : edit.end]),
                        joiner.join(edit.replacement or ()),
                        not {*golds[k]}.isdisjoint(changes(CaseRewrite((edit,)), metric.level)),
                    )
                    for edit in dict.fromkeys(sentences[k].hypotheses[0].edits)
                ),
            )
            for mark, k, equal, same in rows
        )
        yield Disagreement(system.system, *ids[at], *rules, examples)


def _result(
    name: str,
    subset: str | None,
    rows: Sequence[CaseCounts],
    same: tuple[tuple[bool, ...], ...],
    edits_made: int,
    beta: float,
    orders: Orders | None,
) -> SystemRobustness:
    rule = official(rows, beta)
    verdicts = Verdicts(rule.consistent, rule.equal, same)
    cases, variants = len(same), sum(map(len, same))

    def scores(counts: Counts) -> CountScores:
        ratios = (counts.precision, counts.recall, counts.f(beta))
        return CountScores(counts.tp, counts.fp, counts.fn, *ratios)

    def consistency(
        consistent: Sequence[bool], variants_alike: Sequence[Sequence[bool]]
    ) -> Consistency:
        count, like = sum(consistent), sum(map(sum, variants_alike))
        return Consistency(count, count / cases, like, like / variants)

    both = list(zip(verdicts.official, verdicts.edits, strict=True))
    upper, lower = scores(rule.upper), scores(rule.lower)
    return SystemRobustness(
        system=name,
        subset=subset,
        cases=cases,
        variants=variants,
        original=scores(rule.original),
        upper=upper,
        lower=lower,
        delta_f=upper.f - lower.f,
        official=consistency(verdicts.official, verdicts.equal),
        edits=consistency(verdicts.edits, same),
        agreement=RuleAgreement(
            *map(both.count, ((True, True), (True, False), (False, True), (False, False)))
        ),
        edits_made=edits_made,
        edits_per_sentence=edits_made / (cases + variants),
        orders=orders,
        verdicts=verdicts,
    )
