"""Perturbing many sentences: their places are filled together, their choices are their own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from gecbench.core.errors import CorpusError
from gecbench.core.perturbed import PerturbedCase, Subset, Variant
from gecbench.datasets.perturb.context import context_of
from gecbench.datasets.perturb.fillers import Blank, Filler, Offer
from gecbench.datasets.perturb.pairs import Pair
from gecbench.datasets.perturb.plan import INSERT, RANDOM, Plan
from gecbench.datasets.perturb.varying import Asking, Varied, Ways, varied
from gecbench.datasets.perturb.words import Divide, Words

TOO_FEW = "not enough different variants"

_AT_ONCE = 256

Watch = Callable[[str, Sequence[Pair]], Iterator[Pair]]
"""Wraps a loop over pairs, which the text names, to show progress."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a perturbation made and left.

    Args:
        sentences: That it was given.
        cases: That have all their variants.
        operations: Variants of these cases, by operation.
        rejected: Attempts of all cases that were given up, by reason.
        left_out: Ids of sentences by the reason why they are no case.
    """

    sentences: int
    cases: int
    operations: Mapping[str, int]
    rejected: Mapping[str, int]
    left_out: Mapping[str, Sequence[str]]


def words_of(pairs: Sequence[Pair], divide: Divide, watch: Watch) -> list[Words]:
    """Return the words of each pair's target."""
    found: list[Words] = []
    waiting: list[str] = []
    for pair in watch("words", pairs):
        waiting.append(pair.target)
        if len(waiting) == _AT_ONCE:
            found.extend(divide(waiting))
            waiting = []
    found.extend(divide(waiting))
    return found


def perturb(
    pairs: Sequence[Pair],
    words: Sequence[Words],
    *,
    kind: str,
    filler: Filler,
    plan: Plan,
    watch: Watch,
) -> tuple[tuple[Subset, ...], Report]:
    """Return perturbed cases, subset by subset, and what became of all pairs.

    Args:
        pairs: Those of a subset stand together.
        words: Of each pair's target.
        kind: Of tokens, as `text.tokens` names them.
        filler: Fills places.
        plan: What is made.
        watch: Wraps the loop over pairs, to show progress.

    Raises:
        CorpusError: No pair has as many different variants as the plan wants.
    """
    random_words = INSERT in plan.operations and plan.insertion == RANDOM
    ways = Ways(plan, filler.vocabulary if random_words else (), filler.by_character)
    cases: list[tuple[str, PerturbedCase]] = []
    operations: Counter[str] = Counter(dict.fromkeys(plan.operations, 0))
    rejected: Counter[str] = Counter()
    left_out: dict[str, list[str]] = defaultdict(list)
    for pair, made in _all_varied(pairs, words, kind, filler, ways, watch):
        rejected.update(made.rejected)
        if len(made.made) < plan.variants:
            left_out[TOO_FEW].append(pair.id)
            continue
        operations.update(name for name, _ in made.made)
        variants = tuple(variant for _, variant in made.made)
        cases.append((pair.subset, _case(pair, variants)))
    if not cases:
        raise CorpusError(
            f"none of {len(pairs)} sentences has {plan.variants} different variants (rejected: "
            f"{told(rejected)}); ask for fewer by --variants, or allow more --operations"
        )
    report = Report(len(pairs), len(cases), operations, rejected, dict(left_out))
    return _subsets(cases), report


def told(counts: Mapping[str, int]) -> str:
    """Return counts in words, the largest first.

    >>> told({"no word fits": 2, "repeated": 1300})
    '1,300 repeated, 2 no word fits'
    """
    largest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {name}" for name, count in largest) or "none"


def _case(pair: Pair, variants: tuple[Variant, ...]) -> PerturbedCase:
    return PerturbedCase(pair.id, Variant(pair.source, pair.target), variants)


def _subsets(cases: Sequence[tuple[str, PerturbedCase]]) -> tuple[Subset, ...]:
    return tuple(
        Subset(name, tuple(case for _, case in group))
        for name, group in groupby(cases, key=lambda item: item[0])
    )


def _all_varied(
    pairs: Sequence[Pair],
    words: Sequence[Words],
    kind: str,
    filler: Filler,
    ways: Ways,
    watch: Watch,
) -> Iterator[tuple[Pair, Varied]]:
    waiting: list[tuple[Pair, Words]] = []
    for n, pair in enumerate(watch("variants", pairs)):
        waiting.append((pair, words[n]))
        if len(waiting) == _AT_ONCE or n == len(pairs) - 1:
            asking = [varied(context_of(each, kind, found), ways) for each, found in waiting]
            done = _answered(asking, filler)
            yield from zip((each for each, _ in waiting), done, strict=True)
            waiting = []


def _answered(asking: Sequence[Asking], filler: Filler) -> list[Varied]:
    """Return what each sentence came to; all that ask at a time are answered together."""
    done: dict[int, Varied] = {}
    offers: Mapping[int, Offer | None] = dict.fromkeys(range(len(asking)))
    while offers:
        blanks: dict[int, Blank] = {}
        for n, offer in offers.items():
            try:
                blanks[n] = next(asking[n]) if offer is None else asking[n].send(offer)
            except StopIteration as ended:
                done[n] = ended.value
        offers = dict(zip(blanks, filler.offers(list(blanks.values())), strict=True))
    return [done[n] for n in range(len(asking))]
