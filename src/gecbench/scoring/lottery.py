"""GLEU's references drawn by lot, over and over, and the sums of each round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gecbench.scoring.draws import Generator, draw_for
from gecbench.scoring.gleu import Matches, Sums
from gecbench.scoring.ngrams import totals
from gecbench.scoring.resample import sums

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Draws, Integers, Values
    from gecbench.scoring.exchange import Swaps


_SEED_STEP = 101
"""Iteration j seeds its generator with j times this."""

_AT_ONCE = 16_000_000
"""Numbers of a block of work, which bounds memory by some hundred megabytes."""


@dataclass(frozen=True, slots=True)
class Lottery:
    """The references of a corpus, drawn again and again.

    Args:
        order: The longest n-grams.
        iterations: How often a reference is drawn for every sentence.
        generator: Whose draws.
    """

    order: int
    iterations: int
    generator: Generator

    def sums(self, stats: Sequence[Matches]) -> Sums:
        """Return the sums of each iteration; of one alone where there is nothing to draw."""
        import numpy as np

        table, counts = self._table(stats), [len(one.lengths) for one in stats]
        rows, iterations = np.arange(len(stats)), self._iterations(stats)
        drawn = np.empty((iterations, self.order + 1))
        for at in range(iterations):
            chosen = draw_for(counts, at * _SEED_STEP, self.generator)
            drawn[at] = table[rows, chosen].sum(axis=0)
        return self._with_totals(drawn, self._fixed(stats).sum(axis=0))

    def resampled(self, stats: Sequence[Matches], places: Draws) -> Iterator[Sums]:
        """Yield the sums of each resample, some iterations at a time.

        In every iteration a sentence keeps the reference that is drawn for it in the corpus,
        wherever and however often it stands in a resample.

        Args:
            stats: Of each sentence.
            places: Shape (resamples, sentences).
        """
        import numpy as np

        table, counts = self._table(stats), [len(one.lengths) for one in stats]
        rows = np.arange(len(stats))
        fixed = sums(self._fixed(stats), places)[:, None]
        step = max(1, _AT_ONCE // max(1, len(stats) * (self.order + 1)))
        iterations = self._iterations(stats)
        for first in range(0, iterations, step):
            some = range(first, min(first + step, iterations))
            chosen = np.array([draw_for(counts, at * _SEED_STEP, self.generator) for at in some])
            drawn = table[rows, chosen].swapaxes(0, 1).reshape(len(stats), -1)
            made = sums(drawn, places).reshape(len(places), len(some), self.order + 1)
            yield self._with_totals(made, fixed)

    def exchanged(
        self, first: Sequence[Matches], second: Sequence[Matches], swaps: Swaps
    ) -> Iterator[tuple[Sums, Sums]]:
        """Yield the sums of two systems after each permutation, some iterations at a time.

        A sentence keeps the reference that is drawn for it, whichever system's text it gets, so
        these are the draws of the official procedure. What one system gains the other loses.

        Args:
            first: Of each sentence of one system.
            second: Of the other, with as many references.
            swaps: Whether a sentence is exchanged, shape (permutations, sentences).
        """
        import numpy as np

        tables = [self._table(first), self._table(second)]
        counts, rows = [len(one.lengths) for one in first], np.arange(len(first))
        moved = swaps.astype(np.float64)
        lasting = [part[:, None] for part in _moved(moved, self._fixed(first), self._fixed(second))]
        step = max(1, _AT_ONCE // max(1, max(len(first), len(swaps)) * (self.order + 1)))
        iterations = self._iterations(first)
        for at in range(0, iterations, step):
            some = range(at, min(at + step, iterations))
            chosen = np.array([draw_for(counts, n * _SEED_STEP, self.generator) for n in some])
            one, two = (
                table[rows, chosen].swapaxes(0, 1).reshape(len(rows), -1) for table in tables
            )
            shape = len(swaps), len(some), self.order + 1
            left, right = (part.reshape(shape) for part in _moved(moved, one, two))
            yield self._with_totals(left, lasting[0]), self._with_totals(right, lasting[1])

    def _iterations(self, stats: Sequence[Matches]) -> int:
        return self.iterations if any(len(one.lengths) > 1 for one in stats) else 1

    def _table(self, stats: Sequence[Matches]) -> Integers:
        """Return matches and length of each reference, shape (sentences, references, order + 1).

        What a sentence with fewer references has not is 0, and never drawn.
        """
        import numpy as np

        width = max((len(one.lengths) for one in stats), default=1)
        table = np.zeros((len(stats), width, self.order + 1), dtype=np.int64)
        for row, one in zip(table, stats, strict=True):
            row[: len(one.lengths), :-1] = one.found
            row[: len(one.lengths), -1] = one.lengths
        return table

    def _fixed(self, stats: Sequence[Matches]) -> Integers:
        """Return what no draw changes: n-grams of each hypothesis, and its length."""
        import numpy as np

        rows = [(*totals(one.length, self.order), one.length) for one in stats]
        return np.array(rows, dtype=np.int64).reshape(-1, self.order + 1)

    def _with_totals(self, drawn: Values, fixed: Values | Integers) -> Sums:
        import numpy as np

        fixed = np.broadcast_to(fixed.astype(np.float64), drawn.shape)
        return Sums(drawn[..., :-1], fixed[..., :-1], fixed[..., -1], drawn[..., -1])


def _moved(moved: Values, one: Integers, two: Integers) -> tuple[Values, Values]:
    """Return the sums of two systems after their rows were exchanged where `moved` is 1."""
    gained = moved @ (two - one).astype("float64")
    return one.sum(axis=0) + gained, two.sum(axis=0) - gained
