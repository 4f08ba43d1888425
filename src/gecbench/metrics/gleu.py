"""gleu: n-gram precision that punishes errors left standing, over references drawn by lot."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import inf
from random import Random
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from gecbench.core.case import Case, Part
from gecbench.core.errors import Message
from gecbench.core.options import check_between, check_choice, check_least
from gecbench.core.score import Score
from gecbench.scoring.metric import MeanMetric, Metric
from gecbench.scoring.resample import occurrences, sums_of
from gecbench.scoring.texts import UNITS, Unit, pieces, references, totals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gecbench.scoring.metric import Draws, Integers, Swaps, Values

    Places = NDArray[np.intp]
    Drawn = Places | NDArray[np.uint8]


# GLEU's matches of a hypothesis with its references, and the scores made of them.


Reward = Callable[["Integers", "Integers", "Integers"], "Integers"]
"""From how often n-grams are in a hypothesis, in both it and its source, and in a reference to the
matches that each of them adds."""


@dataclass(frozen=True, slots=True)
class Matches:
    """One hypothesis and its references in numbers.

    Args:
        length: Pieces of the hypothesis.
        lengths: Pieces of each reference.
        rewards: For each reference the rewarded matches, for n = 1 to the order.
    """

    length: int
    lengths: tuple[int, ...]
    rewards: tuple[tuple[int, ...], ...]


class Sums(NamedTuple):
    """Statistics summed over sentences, or of one sentence and reference; arrays fit together.

    Args:
        rewards: Rewarded matches, shape (..., order).
        total: n-grams of the hypotheses, shape (..., order).
        length: Pieces of the hypotheses, shape (...).
        reference: Pieces of the references, shape (...).
    """

    rewards: Values
    total: Values
    length: Values
    reference: Values


Scores = Callable[[Sums], "Values"]
"""From sums to a score in [0, 1] for each."""


def matches(
    cases: Sequence[Case], *, order: int, unit: Unit, reward: Reward, least: float
) -> list[Matches | None]:
    """The matches of the first hypothesis of each case; None where no reference is left.

    Args:
        cases: With as many characters as memory bears.
        order: The longest n-grams that are counted.
        unit: What they consist of.
        reward: What each n-gram of a sentence adds.
        least: What the sum over the n-grams of a sentence is at least.
    """
    import numpy as np

    texts = [references(case) for case in cases]
    width = max(map(len, texts), default=0)
    numbers: defaultdict[str, int] = defaultdict(itertools.count().__next__)
    words: list[int] = []  # of all texts, one after another
    lengths = np.zeros((len(cases), 2 + width), dtype=np.int64)
    for at, (case, several) in enumerate(zip(cases, texts, strict=True)):
        for k, text in enumerate((case.hypotheses[0].text, case.source, *several)):
            before = len(words)
            words += map(numbers.__getitem__, pieces(text, unit))
            lengths[at, k] = len(words) - before
    word, size = np.array(words, dtype=np.int64), lengths.ravel()
    sentence = np.repeat(np.arange(len(size)) // (2 + width), size)
    column = np.repeat(np.arange(len(size)) % (2 + width), size)
    left = np.repeat(np.cumsum(size), size) - np.arange(len(word))  # pieces to the end of its text
    rewards = np.zeros((len(cases), width, order), dtype=np.int64)
    place, gram = np.arange(len(word)), sentence
    for n in range(order):
        here = left[place] > n
        place, gram = place[here], gram[here]
        # An n-gram is the one before it, which begins at the same place, and a word more.
        found, gram = np.unique(gram * len(numbers) + word[place + n], return_inverse=True)
        owner = np.empty(len(found), dtype=np.int64)
        owner[gram] = sentence[place]
        columns = column[place]
        # One column at a time: a table of all would be as wide as the most references.
        hypothesis = np.bincount(gram[columns == 0], minlength=len(found))
        source = np.bincount(gram[columns == 1], minlength=len(found))
        common = np.minimum(hypothesis, source)
        for k in range(width):
            reference = np.bincount(gram[columns == 2 + k], minlength=len(found))
            added = reward(hypothesis, common, reference)
            sums = np.bincount(owner, weights=added, minlength=len(cases))
            rewards[:, k, n] = np.maximum(sums, least)
    rows: list[Matches | None] = []
    for several, of_texts, of_orders in zip(texts, lengths.tolist(), rewards.tolist(), strict=True):
        count = len(several)
        found_rewards = tuple(map(tuple, of_orders[:count]))
        row = Matches(of_texts[0], tuple(of_texts[2 : 2 + count]), found_rewards)
        rows.append(row if count else None)
    return rows


_CASES, _CHARACTERS = 2_000, 200_000
"""Cases, and characters of all their texts, whose n-grams are counted together: this bounds memory.
"""


def _in_blocks(
    count: Callable[[Sequence[Case]], list[Matches | None]], cases: Sequence[Case]
) -> list[Matches | None]:
    return [row for block in _blocks(cases) for row in count(block)]


def _blocks(cases: Sequence[Case]) -> Iterator[Sequence[Case]]:
    """Yield the cases in order, some at a time; one with more characters stands alone."""
    first = size = 0
    for at, case in enumerate(cases):
        length = sum(map(len, (case.hypotheses[0].text, case.source, *references(case))))
        if at > first and (at - first == _CASES or size + length > _CHARACTERS):
            yield cases[first:at]
            first, size = at, 0
        size += length
    if len(cases) > first:
        yield cases[first:]


def official_reward(hypothesis: Integers, common: Integers, reference: Integers) -> Integers:
    """The matches with the reference less those with what the reference dropped.

    An n-gram of the source is dropped if it never occurs in the reference.
    """
    import numpy as np

    added: Integers = np.minimum(hypothesis, reference) - np.where(reference == 0, common, 0)
    return added


def official_scores(counts: Sums) -> Values:
    """GLEU: 0 where any sum is 0, and the root of four precisions whatever the order."""
    return precision_scores(counts, right=counts.rewards, root=4)


def precision_scores(counts: Sums, *, right: Values, root: int) -> Values:
    """The geometric mean of precisions times the brevity penalty, in [0, 1].

    Args:
        counts: Of each corpus, or of each sentence.
        right: What stands above the line of each precision; where one is not above 0, the score
            is 0. Shape (..., order).
        root: How many precisions the mean is over.
    """
    import numpy as np

    defined = (right > 0).all(-1) & (counts.total > 0).all(-1) & (counts.length > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        brevity = np.minimum(0, 1 - counts.reference / counts.length)
        logarithm = np.log(right / counts.total).sum(-1) / root
        return np.where(defined, np.exp(brevity + logarithm), 0.0)


def sentence_sums(stats: Sequence[Matches], order: int) -> Sums:
    """The sums of each sentence with each of its references, one after the other."""
    import numpy as np

    often = [len(matches.lengths) for matches in stats]
    rewards = np.array([row for matches in stats for row in matches.rewards], dtype=np.float64)
    total = np.array([totals(matches.length, order) for matches in stats], dtype=np.float64)
    return Sums(
        rewards.reshape(-1, order),
        np.repeat(total.reshape(-1, order), often, axis=0),
        np.repeat(np.array([matches.length for matches in stats], dtype=np.float64), often),
        np.array([length for matches in stats for length in matches.lengths], dtype=np.float64),
    )


def sentence_means(values: Values, stats: Sequence[Matches]) -> Values:
    """The mean of the values of each sentence, one value for each of its references."""
    import numpy as np

    often = np.array([len(matches.lengths) for matches in stats], dtype=np.intp)
    if not len(often):
        return np.zeros(0)
    means: Values = np.add.reduceat(values, np.cumsum(often) - often) / often
    return means


def smooth(counts: Sums) -> Sums:
    """The sums with 1 for every 0, as GLEU scores single sentences."""
    import numpy as np

    return Sums(*(np.where(part == 0, 1.0, part) for part in counts))


# GLEU's draws of references, the same whatever version of Python runs.


Generator = Literal["python3", "python2"]
GENERATORS: tuple[Generator, ...] = ("python3", "python2")


def draw(seed: int, count: int, references: int, generator: Generator) -> Places:
    """The first `count` results of `randint(0, references - 1)` after seeding.

    Both versions of Python have the same Mersenne twister, whose 32-bit outputs are read here
    many at a time. Python 3 takes the top bits of an output, as many as `references` has, until
    they are less than `references`; Python 2 multiplies a random fraction and cuts it off.
    """
    import numpy as np

    random = Random(seed)
    if generator == "python2":
        halves = _outputs(random, 2 * count).reshape(count, 2).astype(np.float64)
        high, low = np.floor(halves[:, 0] / 2**5), np.floor(halves[:, 1] / 2**6)
        fractions = (high * 2.0**26 + low) * (1.0 / 2**53)
        return (fractions * references).astype(np.intp)
    spare = 32 - references.bit_length()
    draws = np.empty(0, dtype=np.intp)
    while len(draws) < count:
        outputs = _outputs(random, 2 * count) >> spare
        draws = np.concatenate([draws, outputs[outputs < references].astype(np.intp)])
    return draws[:count]


def draw_for(counts: Sequence[int] | Places, seed: int, generator: Generator) -> Places:
    """A reference for each sentence of a corpus.

    A sentence with k references gets the draw that it would get if all had k. So where all
    have the same number, this is the official procedure.

    Args:
        counts: Number of references of each sentence.
        seed: Of this draw.
        generator: Whose draws.
    """
    import numpy as np

    numbers = np.asarray(counts, dtype=np.intp)
    references = np.zeros(len(numbers), dtype=np.intp)
    for number in np.flatnonzero(np.bincount(numbers)).tolist():
        if number > 1:
            draws = draw(seed, len(numbers), number, generator)
            references = np.where(numbers == number, draws, references)
    return references


_REMEMBERED = 64_000_000
"""Draws that are kept, a byte each: resamples and other systems have the same."""


@lru_cache(maxsize=1)
def _draw_all(counts: bytes, iterations: int, generator: Generator) -> NDArray[np.uint8]:
    """A reference of each sentence in each iteration; the numbers of references are below 256."""
    import numpy as np

    numbers = np.frombuffer(counts, dtype=np.uint8).astype(np.intp)
    draws = np.empty((iterations, len(numbers)), dtype=np.uint8)
    for at in range(iterations):
        draws[at] = draw_for(numbers, at * _SEED_STEP, generator)
    return draws


def _outputs(random: Random, count: int) -> NDArray[np.uint32]:
    import numpy as np

    octets = random.getrandbits(32 * count).to_bytes(4 * count, "little")
    return np.frombuffer(octets, dtype="<u4")


# What the GLEU metrics over drawn references share: each iteration draws for every sentence.


_SEED_STEP = 101
"""Iteration j seeds its generator with j times this."""

_AT_ONCE = 8_000_000
"""Numbers of a block of work, which bounds memory by some hundred megabytes."""


def exchange_sums(coins: Values, first: Integers, second: Integers) -> tuple[Values, Values]:
    """The sums of two systems after their rows were exchanged where a coin is 1."""
    gain = coins @ (second - first).astype("float64")
    return first.sum(axis=0, dtype="int64") + gain, second.sum(axis=0, dtype="int64") - gain


_WIDTH = 1.959963984540054
"""Deviations from the mean to the ends of a 95% interval of the normal distribution."""


def _reference_numbers(stats: Sequence[Matches]) -> Places:
    import numpy as np

    return np.array([len(matches.lengths) for matches in stats], dtype=np.intp)


@dataclass(frozen=True, slots=True)
class SampledGleu(Metric[Matches]):
    """The mean of a GLEU over draws of one reference for each sentence.

    Of several versions of a hypothesis the first counts. Sentences with different numbers of
    references each draw from their own: a sentence with k takes the draw that it would get in a
    corpus where all have k. Where all have the same number this is the official procedure.

    A metric of this kind says which matches it rewards, and by what formula sums become a score.

    Args:
        unit: What n-grams consist of.
        order: The longest n-grams that are counted.
        iterations: How often references are drawn.
        draws: Whose random numbers; the official script gives different scores under Python 2
            and 3, and the figures of the JFLEG paper are of Python 2.
    """

    reward: ClassVar[Reward]
    least_reward: ClassVar[float] = -inf
    formula: ClassVar[Scores]
    needs: ClassVar[Part] = "texts"

    unit: Unit = "word"
    order: int = 4
    iterations: int = 500
    draws: Generator = "python3"

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_between(f"{self.name}.order", self.order, 1, 20)
        check_least(f"{self.name}.iterations", self.iterations, 1)
        check_choice(f"{self.name}.unit", self.unit, UNITS)
        check_choice(f"{self.name}.draws", self.draws, GENERATORS)

    def stats(self, case: Case) -> Matches | None:
        """N-gram matches with each reference; None where none can be annotated."""
        (row,) = self.stats_of([case])
        return row

    def stats_of(self, cases: Sequence[Case]) -> list[Matches | None]:
        """N-gram matches of many sentences, some thousand at a time."""
        count = partial(
            matches,
            order=self.order,
            unit=self.unit,
            reward=type(self).reward,
            least=self.least_reward,
        )
        return _in_blocks(count, cases)

    def rounds(self, stats: Sequence[Matches]) -> Values:
        """The score of each iteration; one alone where there is nothing to draw."""
        import numpy as np

        table, hypotheses = self._table(stats), self._hypothesis_totals(stats).sum(axis=0)
        numbers = _reference_numbers(stats)
        scores = []
        for block in self._blocks(stats, len(stats)):
            block_sums = self._draw_values(table, self._draw_references(numbers, block))
            block_sums = block_sums.sum(axis=0, dtype=np.int64)
            shape = len(block), self.order + 1
            scores.append(self._scores(block_sums.reshape(shape), hypotheses))
        values: Values = np.concatenate(scores)
        return values

    def aggregate(self, stats: Sequence[Matches]) -> Score:
        """The mean over all iterations; 0 where there is no sentence.

        Its parts, where any sentence has more than one reference: the population deviation of
        the iterations, and the ends of mean +- 1.96 deviations.
        """
        values = self.rounds(stats)
        mean, parts = float(values.mean()), {}
        if any(len(matches.lengths) > 1 for matches in stats):
            deviation = float(values.std())
            parts = {"deviation": deviation}
            parts |= {"low": mean - _WIDTH * deviation, "high": mean + _WIDTH * deviation}
        return Score(mean, self.signature, len(stats), parts=parts)

    def sentence_scores(self, stats: Sequence[Matches]) -> Values:
        """The score of each sentence: the mean over its references, without draws."""
        return sentence_means(type(self).formula(sentence_sums(stats, self.order)), stats)

    def sentences(self, stats: Sequence[Matches]) -> Sequence[Mapping[str, object]]:
        """The score of each sentence."""
        return [{"value": value} for value in self.sentence_scores(stats).tolist()]

    def resample(self, stats: Sequence[Matches], draws: Draws) -> Values:
        """The mean over all iterations for each resample.

        In every iteration a sentence keeps the reference that is drawn for it in the corpus,
        wherever and however often it stands in a resample, so this is not quite what the official
        script would draw for the resample as a corpus of its own; it takes a tenth of the time.
        """
        import numpy as np

        table, numbers = self._table(stats), _reference_numbers(stats)
        often = occurrences(draws, len(stats))
        hypotheses = sums_of(self._hypothesis_totals(stats), often)[:, None]
        scores = []
        for block in self._blocks(stats, len(stats)):
            values = self._draw_values(table, self._draw_references(numbers, block))
            draw_sums = sums_of(values, often)
            shape = len(draws), len(block), self.order + 1
            scores.append(self._scores(draw_sums.reshape(shape), hypotheses))
        means: Values = np.concatenate(scores, axis=-1).mean(axis=-1)
        return means

    def exchange(
        self, first: Sequence[Matches], second: Sequence[Matches], swaps: Swaps
    ) -> tuple[Values, Values]:
        """The means over all iterations of two systems after each permutation, exactly.

        A sentence keeps the reference that is drawn for it, whichever system's text it gets, so
        these are the draws of the official procedure. What one system gains the other loses.
        """
        import numpy as np

        sides = (first, second)
        tables = [self._table(side) for side in sides]
        coins, numbers = swaps.astype(np.float64), _reference_numbers(first)
        hypotheses = exchange_sums(coins, *(self._hypothesis_totals(side) for side in sides))
        scores: tuple[list[Values], list[Values]] = ([], [])
        for block in self._blocks(first, max(len(first), len(swaps))):
            references = self._draw_references(numbers, block)
            draw_sums = exchange_sums(
                coins, *(self._draw_values(table, references) for table in tables)
            )
            shape = len(swaps), len(block), self.order + 1
            for values, part, total in zip(scores, draw_sums, hypotheses, strict=True):
                values.append(self._scores(part.reshape(shape), total[:, None]))
        left, right = (np.concatenate(values, axis=-1).mean(axis=-1) for values in scores)
        return left, right

    def notes(self, stats: Sequence[Matches]) -> tuple[str, ...]:
        """Say what the reader of the score should know of these data."""
        numbers = sorted({len(matches.lengths) for matches in stats})
        if len(numbers) < 2:
            return ()
        return (
            Message(
                "{metric}: sentences have from {least} to {most} references; each draws from its "
                "own, which the official script cannot",
                metric=self.name,
                least=numbers[0],
                most=numbers[-1],
            ),
        )

    def _iterations(self, stats: Sequence[Matches]) -> int:
        return self.iterations if any(len(matches.lengths) > 1 for matches in stats) else 1

    def _blocks(self, stats: Sequence[Matches], rows: int) -> Iterator[range]:
        """Yield iterations, as many at a time as memory bears for this many rows."""
        step = max(1, _AT_ONCE // max(1, rows * (self.order + 1)))
        iterations = range(self._iterations(stats))
        return (iterations[first : first + step] for first in range(0, len(iterations), step))

    def _draw_references(self, counts: Places, iterations: range) -> Drawn:
        """A reference of each sentence, shape (iterations, sentences).

        Args:
            counts: Number of references of each sentence.
            iterations: Some of all.
        """
        import numpy as np

        number = self.iterations if counts.max(initial=0) > 1 else 1
        if counts.max(initial=0) < 256 and number * len(counts) <= _REMEMBERED:
            octets = counts.astype(np.uint8).tobytes()
            draws = _draw_all(octets, number, self.draws)
            return draws[iterations.start : iterations.stop]
        return np.array([draw_for(counts, at * _SEED_STEP, self.draws) for at in iterations])

    def _draw_values(self, table: Integers, draws: Drawn) -> Integers:
        """Matches and lengths of the references that were drawn, a row a sentence."""
        import numpy as np

        values: Integers = table[np.arange(len(table))[:, None], draws.T]
        return values.reshape(len(table), len(draws) * (self.order + 1))

    def _table(self, stats: Sequence[Matches]) -> Integers:
        """Matches and length of each reference, shape (sentences, references, order + 1).

        What a sentence with fewer references has not is 0, and never drawn.
        """
        import numpy as np

        width = max((len(matches.lengths) for matches in stats), default=1)
        table = np.zeros((len(stats), width, self.order + 1), dtype=np.int32)
        for row, matches in zip(table, stats, strict=True):
            row[: len(matches.lengths), :-1] = matches.rewards
            row[: len(matches.lengths), -1] = matches.lengths
        return table

    def _hypothesis_totals(self, stats: Sequence[Matches]) -> Integers:
        """What no draw changes: n-grams of each hypothesis, and its length."""
        import numpy as np

        rows = [(*totals(matches.length, self.order), matches.length) for matches in stats]
        return np.array(rows, dtype=np.int64).reshape(-1, self.order + 1)

    def _scores(self, draw_sums: Values, hypotheses: Values | Integers) -> Values:
        """The scores of sums over references, shape (..., order + 1), and hypotheses."""
        import numpy as np

        hypotheses = np.broadcast_to(hypotheses.astype(np.float64), draw_sums.shape)
        return type(self).formula(
            Sums(draw_sums[..., :-1], hypotheses[..., :-1], hypotheses[..., -1], draw_sums[..., -1])
        )


@dataclass(frozen=True, slots=True)
class Gleu(SampledGleu):
    """GLEU as the official script computes it, draw for draw.

    Napoles, Sakaguchi, Post and Tetreault, ACL 2015, and "GLEU without tuning", 2016;
    jfleg/eval/gleu.py (ee06ff8). The mean is over the logarithms of the precisions divided by 4
    whatever the order, as there; an order of 2 gives greater scores for that reason alone.
    Sentence by sentence it is the script's --sent, which is the metric `sent-gleu`.
    """

    name: ClassVar[str] = "gleu"
    reward: ClassVar[Reward] = official_reward
    least_reward: ClassVar[float] = 0.0
    formula: ClassVar[Scores] = official_scores

    def sentence_scores(self, stats: Sequence[Matches]) -> Values:
        """The score of each sentence, 1 standing for every 0 among its sums."""
        counts = smooth(sentence_sums(stats, self.order))
        return sentence_means(official_scores(counts), stats)


# gleu-frequency: GLEU that minds how often the reference dropped an n-gram.


def frequency_reward(hypothesis: Integers, common: Integers, reference: Integers) -> Integers:
    """The matches with the reference less each copy that the reference dropped."""
    import numpy as np

    added: Integers = np.minimum(hypothesis, reference) - np.maximum(common - reference, 0)
    return added


def frequency_scores(counts: Sums) -> Values:
    """The score of each sum, in [0, 1]; 0 where a precision is 0 or less."""
    import numpy as np

    empty = counts.total == 0
    right, total = (np.where(empty, 1.0, part) for part in (counts.rewards, counts.total))
    return precision_scores(counts._replace(total=total), right=right, root=total.shape[-1])


@dataclass(frozen=True, slots=True)
class GleuFrequency(SampledGleu):
    """GLEU whose penalty counts copies, as gec-metrics names "gleu".

    The reading of Koyama, Nagata, Takamura and Okazaki (INLG 2024) in gec-metrics, whose scores
    it meets. Differs from `gleu` in five things: an n-gram that the source has twice and the
    reference once is penalised once, not forgiven; matches of a sentence may fall below 0; the
    root is the order's, not always the fourth; an order without n-grams, or without any wrong
    one, has precision 1; single sentences are not smoothed.
    """

    name: ClassVar[str] = "gleu-frequency"
    reward: ClassVar[Reward] = frequency_reward
    formula: ClassVar[Scores] = frequency_scores


# sent-gleu: the mean of GLEU over sentences, each against all its references.


@dataclass(frozen=True, slots=True)
class SentenceGleu(MeanMetric[Matches]):
    """GLEU of each sentence, the mean over its references, and the mean of these.

    The option --sent of jfleg/eval/gleu.py (ee06ff8): every 0 among the sums of a sentence
    becomes 1, and nothing is drawn. Of several versions of a hypothesis the first counts.

    Args:
        unit: What n-grams consist of.
        order: The longest n-grams that are counted; the root is the fourth whatever it is.
    """

    name: ClassVar[str] = "sent-gleu"
    needs: ClassVar[Part] = "texts"

    unit: Unit = "word"
    order: int = 4

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_between(f"{self.name}.order", self.order, 1, 20)
        check_choice(f"{self.name}.unit", self.unit, UNITS)

    def stats(self, case: Case) -> Matches | None:
        """N-gram matches with each reference; None where none can be annotated."""
        (row,) = self.stats_of([case])
        return row

    def stats_of(self, cases: Sequence[Case]) -> list[Matches | None]:
        """N-gram matches of many sentences, some thousand at a time."""
        count = partial(
            matches, order=self.order, unit=self.unit, reward=official_reward, least=0.0
        )
        return _in_blocks(count, cases)

    def values(self, stats: Sequence[Matches]) -> list[float]:
        """The score of each sentence."""
        counts = smooth(sentence_sums(stats, self.order))
        values: list[float] = sentence_means(official_scores(counts), stats).tolist()
        return values
