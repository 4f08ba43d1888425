"""GLEU's matches of a hypothesis with its references, and the scores made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gecbench.core.case import Case
from gecbench.scoring.ngrams import Grams, count, overlap, shared, totals
from gecbench.scoring.texts import Unit, pieces, references

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Values


Reward = Callable[[Grams, Grams, Grams], int]
"""From n-grams to the matches that count: of the hypothesis, of what it shares with the source,
and of the reference."""


@dataclass(frozen=True, slots=True)
class Matches:
    """One hypothesis and its references in numbers.

    Args:
        length: Pieces of the hypothesis.
        lengths: Pieces of each reference.
        found: For each reference the rewarded matches, for n = 1 to the order.
    """

    length: int
    lengths: tuple[int, ...]
    found: tuple[tuple[int, ...], ...]


class Sums(NamedTuple):
    """Statistics summed over sentences, or of one sentence and reference; arrays fit together.

    Args:
        found: Rewarded matches, shape (..., order).
        total: n-grams of the hypotheses, shape (..., order).
        length: Pieces of the hypotheses, shape (...).
        reference: Pieces of the references, shape (...).
    """

    found: Values
    total: Values
    length: Values
    reference: Values


Scores = Callable[[Sums], "Values"]
"""From sums to a score in [0, 1] for each."""


def matches(case: Case, *, order: int, unit: Unit, reward: Reward) -> Matches | None:
    """Return the matches of the first hypothesis; None where no reference is left."""
    texts = references(case)
    if not texts:
        return None
    hypothesis = pieces(case.hypotheses[0].text, unit)
    made = count(hypothesis, order)
    kept = tuple(map(shared, made, count(pieces(case.source, unit), order)))
    lengths, found = [], []
    for text in texts:
        reference = pieces(text, unit)
        lengths.append(len(reference))
        found.append(tuple(map(reward, made, kept, count(reference, order))))
    return Matches(len(hypothesis), tuple(lengths), tuple(found))


def official_reward(hypothesis: Grams, kept: Grams, reference: Grams) -> int:
    """Return the matches with the reference less those with what the reference dropped.

    An n-gram of the source is dropped if it never occurs in the reference. At least 0.
    """
    dropped = kept.keys() - reference.keys()
    return max(overlap(hypothesis, reference) - sum(map(kept.__getitem__, dropped)), 0)


def official_scores(made: Sums) -> Values:
    """Return GLEU: 0 where any sum is 0, and the root of four precisions whatever the order."""
    return scores(made, right=made.found, root=4)


def scores(made: Sums, *, right: Values, root: int) -> Values:
    """Return the geometric mean of precisions times the brevity penalty, in [0, 1].

    Args:
        made: The sums.
        right: What stands above the line of each precision; where one is not above 0, the score
            is 0. Shape (..., order).
        root: How many precisions the mean is over.
    """
    import numpy as np

    counted = (right > 0).all(-1) & (made.total > 0).all(-1) & (made.length > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        brevity = np.minimum(0, 1 - made.reference / made.length)
        logarithm = np.log(right / made.total).sum(-1) / root
        return np.where(counted, np.exp(brevity + logarithm), 0.0)


def sentence_sums(stats: Sequence[Matches], order: int) -> Sums:
    """Return the sums of each sentence with each of its references, one after the other."""
    import numpy as np

    often = [len(one.lengths) for one in stats]
    found = np.array([each for one in stats for each in one.found], dtype=np.float64)
    total = np.array([totals(one.length, order) for one in stats], dtype=np.float64)
    return Sums(
        found.reshape(-1, order),
        np.repeat(total.reshape(-1, order), often, axis=0),
        np.repeat(np.array([one.length for one in stats], dtype=np.float64), often),
        np.array([each for one in stats for each in one.lengths], dtype=np.float64),
    )


def sentence_means(values: Values, stats: Sequence[Matches]) -> Values:
    """Return the mean of the values of each sentence, one value for each of its references."""
    import numpy as np

    often = np.array([len(one.lengths) for one in stats], dtype=np.intp)
    if not len(often):
        return np.zeros(0)
    made: Values = np.add.reduceat(values, np.cumsum(often) - often) / often
    return made


def smoothed(made: Sums) -> Sums:
    """Return the sums with 1 for every 0, as GLEU scores single sentences."""
    import numpy as np

    return Sums(*(np.where(each == 0, 1.0, each) for each in made))
