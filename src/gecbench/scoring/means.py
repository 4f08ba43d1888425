"""Means of what each sentence has, for metrics that are nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING

from gecbench.scoring.resample import sums

if TYPE_CHECKING:
    from gecbench.scoring.arrays import Draws, Values


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 where there is no value; the order makes no difference to it."""
    return fsum(values) / max(1, len(values))


def means(values: Sequence[float], draws: Draws) -> Values:
    """Return the mean of each resample; draws have the shape (resamples, sentences)."""
    import numpy as np

    made: Values = sums(np.array(values, dtype=np.float64), draws)[:, 0] / draws.shape[1]
    return made
