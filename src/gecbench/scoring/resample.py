"""Resampling sentences, all resamples at once.

A resample is a row of indices of sentences, in ascending order: the corpus with some sentences
left out and others repeated. The order is kept, because some rules of choice go through the
corpus in it. `_resample.cpp` makes the choices of `resample_totals` and `exchange_totals` fast and
is used where it could be compiled.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar, Self

from gecbench.core.score import Interval
from gecbench.core.seeding import number

try:
    from gecbench.scoring import _resample as compiled  # type: ignore[attr-defined,unused-ignore]
except ImportError:  # no compiler at installation: slower, the same totals
    compiled = None

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gecbench.scoring.metric import Draws, Integers, Swaps, Values


def kernel_name() -> str:
    """Which form chooses: "compiled" or "python"."""
    return "python" if compiled is None else "compiled"


# Rules of choice that go through the corpus, run in many corpora side by side.
#
# A candidate is three counts, of which more of the first and less of the others is better: true
# positives, false positives and false negatives, or matched, proposed and gold edits. A rule says
# with which candidate the totals so far go on.


@dataclass(frozen=True, slots=True)
class ChoiceRule(ABC):
    """Prefers one of the totals that candidates lead to.

    Args:
        beta: Weight of recall in F.
    """

    name: ClassVar[str]
    """What the kernel calls it."""

    beta: float

    @property
    @abstractmethod
    def square(self) -> float:
        """Of beta, to the last bit as scores have it: `**` and `*` can differ there."""

    @abstractmethod
    def __call__(self, totals: Values) -> Values:
        """The preferred totals; of equals the first.

        Args:
            totals: With each candidate, shape (candidates, 3, corpora).

        Returns:
            Shape (3, corpora).
        """

    @abstractmethod
    def f(self, totals: Values) -> Values:
        """F of totals of shape (3, corpora), as scores have it."""


@dataclass(frozen=True, slots=True)
class ErrantRule(ChoiceRule):
    """The choice of ERRANT and ChERRANT, as `SpanF.choose` with "corpus-greedy" has it."""

    name: ClassVar[str] = "errant"

    @property
    def square(self) -> float:
        """As `f_scores` has it."""
        return self.beta**2

    def __call__(self, totals: Values) -> Values:
        """The totals with the greatest F in 4 decimals; the counts decide between equals."""
        import numpy as np

        f = round_decimals(f_scores(np.moveaxis(totals, 1, -1), self.beta))
        best: Values = totals[0]
        greatest = f[0]
        for other, other_f in zip(totals[1:], f[1:], strict=True):
            more, fewer, less = other[0] - best[0], best[1] - other[1], best[2] - other[2]
            ties = (more > 0) | ((more == 0) & ((fewer > 0) | ((fewer == 0) & (less > 0))))
            better = (other_f > greatest) | ((other_f == greatest) & ties)
            best, greatest = np.where(better, other, best), np.where(better, other_f, greatest)
        return best

    def f(self, totals: Values) -> Values:
        """F of true positives, false positives and false negatives."""
        return f_scores(totals.T, self.beta)


@dataclass(frozen=True, slots=True)
class MaxMatchRule(ChoiceRule):
    """The choice of MaxMatch, over matched, proposed and gold edits, as `choose` of m2 has it."""

    name: ClassVar[str] = "maxmatch"

    @property
    def square(self) -> float:
        """As m2's `f_of` has it."""
        return self.beta * self.beta

    def __call__(self, totals: Values) -> Values:
        """The totals with the greatest F; the counts decide between equals."""
        import numpy as np

        square = self.square
        cost = square * totals[:, 2] + totals[:, 1]
        f = np.ones_like(cost)
        np.divide((1 + square) * totals[:, 0], cost, out=f, where=cost != 0)
        best: Values = totals[0]
        greatest, least = f[0], cost[0]
        for other in range(1, len(totals)):
            more = totals[other, 0] - best[0]
            ties = (more > 0) | ((more == 0) & (cost[other] < least))
            better = (f[other] > greatest) | ((f[other] == greatest) & ties)
            best = np.where(better, totals[other], best)
            greatest = np.where(better, f[other], greatest)
            least = np.where(better, cost[other], least)
        return best

    def f(self, totals: Values) -> Values:
        """F of matched, proposed and gold edits."""
        import numpy as np

        matched, proposed, gold = totals
        counts = np.stack((matched, proposed - matched, gold - matched), axis=-1)
        return f_scores(counts, self.beta)


@dataclass(frozen=True, slots=True)
class CandidateCounts:
    """What a rule chooses among in each sentence of a system: the statistics to be resampled.

    Args:
        counts: Shape (sentences, candidates, 3), as `stack_candidates` has them.
        rule: Of the choice.
    """

    counts: Values
    rule: ChoiceRule

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.counts)

    def resample(self, draws: Draws) -> Values:
        """F of each resample, its candidates chosen again."""
        if self.counts.shape[1] == 1:
            return self.rule.f(sums(self.counts[:, 0], draws).T)
        return self.rule.f(resample_totals(self.counts, draws, self.rule))

    def exchange(self, other: Self, swaps: Swaps) -> tuple[Values, Values]:
        """F of two systems after each permutation, their candidates chosen again."""
        first, second = exchange_totals(self.counts, other.counts, swaps, self.rule)
        return self.rule.f(first), self.rule.f(second)


_SENTENCES_AT_ONCE = 2_000_000
"""Sentences of a block of work in all corpora, which bounds memory by some hundred megabytes."""
_COMPILED_AT_ONCE = 20_000_000
"""The same for the kernel, which hears Ctrl-C only between blocks: some tenths of a second."""


def resample_totals(candidates: Values, indices: Draws, rule: ChoiceRule) -> Values:
    """The totals of each resample, candidates chosen again in it.

    The rule is asked only where there is something to choose, one such place of each resample
    at a time; all others are added up at once. In MuCGEC's dev set that is one place in sixteen.

    Args:
        candidates: Shape (sentences, candidates, 3), filled up by repeating a sentence's last one.
        indices: Shape (resamples, sentences).
        rule: Of the choice.

    Returns:
        Shape (3, resamples).

    Raises:
        IndexError: An index is of no sentence.
    """
    import numpy as np

    # Before the kernel's narrower integers, in which an index could become that of a sentence.
    for index in (indices.min(), indices.max()) if indices.size else ():
        if not 0 <= index < len(candidates):
            raise IndexError(f"index {index} is of no sentence; there are {len(candidates)}")
    at_once = _SENTENCES_AT_ONCE if compiled is None else _COMPILED_AT_ONCE
    step = max(1, at_once // max(1, indices.shape[1]))
    blocks = [indices[at : at + step] for at in range(0, len(indices), step)]
    if compiled is not None:
        rows = np.ascontiguousarray(candidates, np.float64)
        totals = [_compiled_totals(block, rows, rule) for block in blocks]
    else:
        candidates = drop_dominated(candidates)
        several = ~_single(candidates)
        by_candidate = candidates.transpose(1, 2, 0).astype(np.float64)
        certain = np.where(several[:, None], 0.0, candidates[:, 0])
        totals = [_block_totals(block, several, certain, by_candidate, rule) for block in blocks]
    return np.concatenate(totals, axis=1) if totals else np.zeros((3, 0))


def _compiled_totals(indices: Draws, candidates: Values, rule: ChoiceRule) -> Values:
    import numpy as np

    places = np.ascontiguousarray(indices, np.int32)
    result = compiled.resample_totals(
        candidates, *candidates.shape[:2], places, *places.shape, rule.name, rule.square
    )
    return np.frombuffer(result).reshape(3, len(indices))


def _block_totals(
    indices: Draws,
    several: NDArray[np.bool_],
    certain: Values,
    by_candidate: Values,
    rule: ChoiceRule,
) -> Values:
    import numpy as np

    totals = certain[indices].cumsum(axis=1)
    open_choices = several[indices]
    counts = open_choices.sum(axis=1)
    order = np.argsort(~open_choices, axis=1, kind="stable")
    chosen = np.zeros((3, len(indices)))
    for turn in range(int(counts.max(initial=0))):
        rows = np.flatnonzero(counts > turn)
        at = order[rows, turn]
        before = totals[rows, at].T
        after = rule(before + chosen[:, rows] + by_candidate[:, :, indices[rows, at]])
        chosen[:, rows] = after - before
    last: Values = totals[:, -1].T if indices.shape[1] else np.zeros((3, len(indices)))
    return last + chosen


def exchange_totals(
    first: Values, second: Values, swaps: Swaps, rule: ChoiceRule
) -> tuple[Values, Values]:
    """The totals of two systems after each permutation, candidates chosen again in it.

    Only where one of the systems has candidates of which none is better in every count is there
    anything to choose; what lies between such sentences is added up at once. On CoNLL-2014 that
    leaves a sixth of the steps.

    Args:
        first: Candidates of one system, shape (sentences, candidates, 3), filled up by repeating
            a sentence's last one.
        second: Of the other.
        swaps: Which sentences are exchanged, shape (permutations, sentences).
        rule: Of the choice.

    Returns:
        Two arrays of shape (3, permutations).
    """
    import numpy as np

    if compiled is not None:
        here, there = (np.ascontiguousarray(side, np.float64) for side in (first, second))
        coins = np.ascontiguousarray(swaps, np.bool_)
        result = compiled.exchange_totals(
            here, here.shape[1], there, there.shape[1], coins, *coins.shape, rule.name, rule.square
        )
        left, right = np.frombuffer(result).reshape(2, 3, len(swaps))
        return left, right
    sides = [drop_dominated(side) for side in _level(first, second)]
    chosen = np.flatnonzero(~(_single(sides[0]) & _single(sides[1])))
    here, there = (side[:, 0].astype(np.float64) for side in sides)
    coins = np.concatenate([swaps, ~swaps])
    total = np.zeros((3, len(coins)))
    start = 0
    for end in [*chosen.tolist(), len(here)]:
        if end > start:
            span = slice(start, end)
            total += here[span].sum(axis=0)[:, None]
            total += ((there[span] - here[span]).T) @ coins[:, span].T.astype(np.float64)
        if end < len(here):
            left, right = (side[end][:, :, None] for side in sides)
            total = rule(total + np.where(coins[:, end], right, left))
        start = end + 1
    return total[:, : len(swaps)], total[:, len(swaps) :]


def drop_dominated(candidates: Values) -> Values:
    """The candidates that no other of the sentence beats or equals in all three counts.

    Both rules prefer a candidate that is nowhere worse, whatever the totals, so the others can
    never be chosen. Of equal ones the first stays.

    Args:
        candidates: Shape (sentences, candidates, 3).

    Returns:
        As many, in their order, filled up by repeating the last that stays.
    """
    import numpy as np

    gains = (candidates * np.array([1, -1, -1])).transpose(2, 1, 0).copy()  # counts lie together
    _, width, count = gains.shape
    dominated = np.zeros((count, width), dtype=bool)
    for first, second in permutations(range(width), 2):
        beaten = (gains[:, second] >= gains[:, first]).all(axis=0)
        equal = (gains[:, second] == gains[:, first]).all(axis=0)
        dominated[:, first] |= beaten & (~equal | (second < first))
    order = np.argsort(dominated, axis=1, kind="stable")
    last = (~dominated).sum(axis=1) - 1
    indices = np.take_along_axis(order, np.minimum(np.arange(width), last[:, None]), axis=1)
    rest: Values = np.take_along_axis(candidates, indices[:, :, None], axis=1)
    return rest


def stack_candidates(rows: Sequence[list[tuple[int, int, int]]]) -> Values:
    """The counts of the candidates of each sentence, shape (sentences, candidates, 3).

    They are filled up by repeating a sentence's last one, which is never preferred to itself.
    """
    import numpy as np

    width = max(map(len, rows), default=1)
    equal_rows = [[*row, *row[-1:] * (width - len(row))] for row in rows]
    return np.array(equal_rows, dtype=np.float64).reshape(len(rows), width, 3)


def _single(candidates: Values) -> NDArray[np.bool_]:
    """Where a sentence has one candidate alone."""
    single: NDArray[np.bool_] = (candidates == candidates[:, :1]).all(axis=(1, 2))
    return single


def _level(*sides: Values) -> list[Values]:
    """Candidates filled up to one width."""
    import numpy as np

    width = max(side.shape[1] for side in sides)
    return [
        np.concatenate([side, np.repeat(side[:, -1:], width - side.shape[1], axis=1)], axis=1)
        for side in sides
    ]


# The same for candidates of any number of sums, which may differ from resample to resample.


Rank = Callable[["Values", "Values"], Sequence["Values"]]
"""From totals with each candidate and the candidates, both of shape (corpora, candidates, sums),
to what decides between them, each of shape (corpora, candidates), first things first."""


def choose_running(rows: Values, draws: Draws, rank: Rank) -> tuple[Values, NDArray[np.intp]]:
    """The totals of each resample, a candidate of each sentence chosen by the totals so far.

    Args:
        rows: Shape (sentences, candidates, sums, resamples), the last 1 where all are alike;
            filled up by repeating a sentence's last candidate.
        draws: Shape (resamples, sentences).
        rank: Of the choice; of equals the first is taken.

    Returns:
        Totals, shape (resamples, sums), and the place of the candidate chosen at each place of a
        resample, shape (resamples, sentences).
    """
    import numpy as np

    resample = resample_of(rows, draws)
    several = (rows != rows[:, :1]).any(axis=(1, 2, 3))
    certain = np.where(several[:, None, None], 0.0, rows[:, 0])
    before = certain[draws, :, resample].cumsum(axis=1)
    chosen = np.zeros(draws.shape, dtype=np.intp)
    totals = np.zeros((len(draws), rows.shape[2]))
    order = np.argsort(~several[draws], axis=1, kind="stable")
    choices = several[draws].sum(axis=1)
    for turn in range(int(choices.max(initial=0))):
        at = np.flatnonzero(choices > turn)
        place = order[at, turn]
        candidates = rows[draws[at, place], :, :, resample[at, 0]]
        after = (before[at, place] + totals[at])[:, None] + candidates
        best = greatest(rank(after, candidates))
        chosen[at, place] = best
        totals[at] += candidates[np.arange(len(at)), best]
    return totals + before[:, -1] if draws.shape[1] else totals, chosen


def resample_of(rows: Values, draws: Draws) -> NDArray[np.intp]:
    """Which of the last axis of rows belongs to each resample, shape (resamples, 1)."""
    import numpy as np

    resamples: NDArray[np.intp] = np.arange(len(draws))[:, None] % rows.shape[3]
    return resamples


def greatest(keys: Sequence[Values]) -> NDArray[np.intp]:
    """The place along the second axis where the first key is greatest, then the next, and so on."""
    import numpy as np

    tied = np.ones(keys[0].shape, dtype=bool)
    for key in keys:
        tied_key = np.where(tied, key, -np.inf)
        tied &= tied_key == tied_key.max(axis=1, keepdims=True)
    places: NDArray[np.intp] = np.argmax(tied, axis=1)
    return places


_AT_ONCE = 4_000_000
"""Places of a block of resamples, of four bytes each."""
_COUNTED_AT_ONCE = 1_000_000
"""The same where they are counted and summed up, which takes forty bytes of each."""


def draws(sentences: int, *, resamples: int, seed: int) -> Draws:
    """Resamples of sentences with replacement, of shape (resamples, sentences).

    NumPy's PCG64 under a seed of its own; the same numbers on every machine.
    """
    (whole,) = draw_blocks(sentences, resamples=resamples, seed=seed, at_once=resamples)
    return whole


def draw_blocks(
    sentences: int, *, resamples: int, seed: int, at_once: int | None = None
) -> Iterator[Draws]:
    """Yield the same resamples some at a time, which bounds memory by some tens of megabytes.

    Args:
        sentences: How many there are.
        resamples: How many are drawn in all.
        seed: Of all.
        at_once: How many resamples a block has; None takes what memory bears.
    """
    import numpy as np

    random = np.random.Generator(np.random.PCG64(number(seed, "bootstrap")))
    step = at_once or _block_size(sentences)
    for first in range(0, max(1, resamples), step):
        size = min(step, resamples - first)
        # Of half the width if that will do; the numbers are the same.
        width: type[np.signedinteger[Any]] = np.int32 if sentences < 2**31 else np.int64
        indices: Draws = random.integers(0, sentences, size=(size, sentences), dtype=width)
        indices.sort(axis=1)
        yield indices


def count_blocks(sentences: int, *, resamples: int) -> int:
    """Count what `draw_blocks` yields."""
    return max(1, -(-resamples // _block_size(sentences)))


def _block_size(sentences: int) -> int:
    return max(1, _AT_ONCE // max(1, sentences))


def interval(values: Values, *, level: float = 0.95) -> Interval:
    """The percentile interval of resampled scores."""
    import numpy as np

    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level)


def sums(rows: Values | Integers, indices: Draws) -> Values:
    """The sums of statistics over each resample.

    Args:
        rows: Shape (sentences, statistics).
        indices: Shape (resamples, sentences).

    Returns:
        Shape (resamples, statistics). Sums of integers are exact below 2**53.
    """
    import numpy as np

    total = rows.shape[0]
    rows = rows.reshape(total, -1)
    if 2 * indices.shape[1] == total and _is_exchange(indices):
        half = indices.shape[1]
        here, there = rows[:half].astype(np.float64), rows[half:].astype(np.float64)
        result: Values = (indices >= half).astype(np.float64) @ (there - here) + here.sum(axis=0)
        return result
    return sums_of(rows, occurrences(indices, total))


def occurrences(indices: Draws, sentences: int) -> NDArray[np.unsignedinteger[Any]]:
    """How often each sentence stands in each resample, shape (resamples, sentences)."""
    import numpy as np

    # One is expected once, so that a byte is enough unless somebody draws otherwise.
    often = np.zeros((len(indices), sentences), dtype=np.uint8)
    step = max(1, _COUNTED_AT_ONCE // max(1, sentences))
    for first in range(0, len(indices), step):
        block = indices[first : first + step]
        flat = (block.astype(np.intp) + sentences * np.arange(len(block))[:, None]).ravel()
        counts = np.bincount(flat, minlength=sentences * len(block)).reshape(len(block), sentences)
        if counts.max(initial=0) > np.iinfo(often.dtype).max:
            often = often.astype(np.uint32)
        often[first : first + step] = counts
    return often


def sums_of(rows: Values | Integers, often: NDArray[np.unsignedinteger[Any]]) -> Values:
    """The sums of statistics over each resample.

    Args:
        rows: Shape (sentences, statistics).
        often: How often each sentence stands in each resample, shape (resamples, sentences).

    Returns:
        Shape (resamples, statistics). Sums of integers are exact below 2**53.
    """
    import numpy as np

    resamples, sentences = often.shape
    size = int(often[:1].sum()) if resamples else 0
    kind: type[np.floating[Any]] = np.float64
    if np.issubdtype(rows.dtype, np.integer) and rows.size:
        # Integers up to 2**24 and their sums are exact in half the width, at half the time.
        largest = max(int(rows.max()), -int(rows.min()))
        kind = np.float32 if size * largest < 2**24 else np.float64
    wide = rows.astype(kind)
    totals = np.empty((resamples, rows.shape[1]))
    step = max(1, _COUNTED_AT_ONCE // max(1, sentences))
    for first in range(0, resamples, step):
        totals[first : first + step] = often[first : first + step].astype(kind) @ wide
    return totals


def _is_exchange(indices: Draws) -> bool:
    """Whether each row takes, for each sentence in turn, one of two systems' statistics.

    Then one product adds up all rows, without counting how often each sentence occurs.
    """
    import numpy as np

    size = indices.shape[1]
    return bool((indices % max(1, size) == np.arange(size)).all())


def ratios(counts: Values) -> tuple[Values, Values]:
    """Precision and recall of counts, as `Counts` computes them.

    Args:
        counts: True positives, false positives and false negatives, shape (..., 3).
    """
    import numpy as np

    tp, fp, fn = np.moveaxis(counts, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(fp != 0, tp / (tp + fp), 1.0)
        recall = np.where(fn != 0, tp / (tp + fn), 1.0)
    return precision, recall


def f_scores(counts: Values, beta: float) -> Values:
    """F of counts of shape (..., 3), as `Counts.f` computes it."""
    import numpy as np

    precision, recall = ratios(counts)
    square = beta**2
    with np.errstate(divide="ignore", invalid="ignore"):
        f = (1 + square) * precision * recall / (square * precision + recall)
    return np.where(precision + recall == 0, 0.0, f)


def round_decimals(values: Values) -> Values:
    """Values rounded to 4 decimals exactly as Python's `round` does.

    NumPy scales, rounds and scales back; where that lies on the edge, Python decides.
    """
    import numpy as np

    scaled = values * 10_000
    rounded = np.rint(scaled) / 10_000
    edge = np.abs(scaled - np.floor(scaled) - 0.5) < 1e-6
    if edge.any():
        rounded[edge] = [round(value, 4) for value in values[edge].tolist()]
    return rounded


# Two systems whose outputs are exchanged sentence by sentence, many times at once.


def swaps(sentences: int, *, count: int, seed: int) -> Iterator[Swaps]:
    """Yield fair coins for each sentence, some permutations at a time.

    NumPy's PCG64 under a seed of its own; the same coins on every machine, for all pairs of
    systems, and however the work is divided.
    """
    import numpy as np

    random = np.random.PCG64(number(seed, "randomisation"))
    words = -(-sentences // 64)
    step = max(1, _SENTENCES_AT_ONCE // max(1, sentences))
    for first in range(0, count, step):
        size = min(step, count - first)
        octets = random.random_raw(size * words).astype("<u8").view(np.uint8).reshape(size, -1)
        yield np.unpackbits(octets, axis=1, count=sentences, bitorder="little").astype(bool)


# Means of what each sentence has, for metrics that are nothing more.


def mean(values: Sequence[float]) -> float:
    """The mean, 0 where there is no value; the order makes no difference to it."""
    return fsum(values) / max(1, len(values))


def means(values: Sequence[float], draws: Draws) -> Values:
    """The mean of each resample; draws have the shape (resamples, sentences)."""
    import numpy as np

    result: Values = sums(np.array(values, dtype=np.float64), draws)[:, 0] / draws.shape[1]
    return result
