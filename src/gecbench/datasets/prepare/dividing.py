"""The second pass: which sentences are put aside, and in which order the others are written."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator, Sequence, Set
from heapq import heappush, heappushpop

from gecbench.core.errors import UsageError
from gecbench.core.sample import Sample
from gecbench.core.seeding import number
from gecbench.datasets.prepare.recipe import Recipe
from gecbench.datasets.prepare.spool import Spool
from gecbench.datasets.prepare.writing import sample_of


def put_aside(groups: Sequence[int], recipe: Recipe) -> Set[int]:
    """Return the groups of sources that are put aside: those with the smallest numbers.

    The numbers hash the seed and the source, so the choice does not depend on the order.

    Raises:
        UsageError: There are not more sources than should be put aside.
    """
    chosen: set[int] = set()
    if not recipe.dev:
        return chosen
    greatest: list[int] = []  # a heap of negative numbers, so that the greatest comes first
    for group in groups:
        if group in chosen:
            continue
        if len(chosen) < recipe.dev:
            heappush(greatest, -group)
        elif group < -greatest[0]:
            chosen.remove(-heappushpop(greatest, -group))
        else:
            continue
        chosen.add(group)
    if len(chosen) < recipe.dev or all(group in chosen for group in groups):
        raise UsageError(
            f"dev = {recipe.dev} leaves no sentence to train on, for only {len(chosen)} different "
            "sources passed the steps; ask for fewer"
        )
    return chosen


def training_order(
    spool: Spool, recipe: Recipe, groups: Sequence[int], aside: Set[int]
) -> array[int]:
    """Return which pairs of a spool are written, each as often as its corpus weighs.

    Without shuffling a corpus of weight 2 stands twice as a whole, before the next.
    """
    order = array("Q")
    start = 0
    for k, one in enumerate(recipe.corpus):
        end = spool.end_of(k)
        kept = array("Q", (i for i in range(start, end) if not aside or groups[i] not in aside))
        for _ in range(one.weight):
            order.extend(kept)
        start = end
    if recipe.shuffle:
        random.Random(number(recipe.seed, "prepare-shuffle")).shuffle(order)
    return order


def training_samples(spool: Spool, recipe: Recipe, order: Sequence[int]) -> Iterator[Sample]:
    """Yield a sample for each pair; ids count from 1."""
    names = [one.name for one in recipe.corpus]
    for n, i in enumerate(order, 1):
        pair = spool[i]
        yield sample_of(n, pair.source, (pair.target,), names[pair.corpus])


def dev_samples(
    spool: Spool, recipe: Recipe, groups: Sequence[int], aside: Set[int]
) -> Iterator[Sample]:
    """Yield the sentences that are put aside with all their references, in the order they came.

    Sources that compare equal and are not, as by white space, are sentences of their own.
    """
    found: dict[str, tuple[int, dict[str, None]]] = {}
    for i, group in enumerate(groups):
        if group in aside:
            pair = spool[i]
            _, targets = found.setdefault(pair.source, (pair.corpus, {}))
            targets[pair.target] = None
    for n, (source, (corpus, targets)) in enumerate(found.items(), 1):
        yield sample_of(n, source, targets, recipe.corpus[corpus].name)
