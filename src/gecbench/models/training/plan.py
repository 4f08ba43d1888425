"""Which sentences go together, in which order, and how fast the network learns when."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gecbench.core import seeding
from gecbench.models.batches import batches
from gecbench.models.training.config import Training

_POOL = 256
"""Batches whose sentences are sorted by length together: chance stays, padding goes."""


def plan(lengths: Sequence[int], training: Training, epoch: int) -> list[list[int]]:
    """Return the batches of an epoch, as places of examples.

    Examples are shuffled, cut into pools, and sorted by length within a pool, so that little is
    padding and yet every epoch has other batches.

    Args:
        lengths: Of the examples, in positions.
        training: Batch size, bound of positions, and seed.
        epoch: From 0.
    """
    chance = np.random.default_rng(seeding.number(training.seed, f"epoch {epoch}"))
    order = chance.permutation(len(lengths))
    size = training.batch_size * _POOL
    found: list[list[int]] = []
    for at in range(0, len(order), size):
        pool = order[at : at + size].tolist()
        inside = batches([lengths[k] for k in pool], training.batch_size, training.batch_tokens)
        found += ([pool[k] for k in batch] for batch in inside)
    return [found[k] for k in chance.permutation(len(found))]


def steps_of(batch_count: int, training: Training, devices: int) -> int:
    """Return how many steps so many batches are: a step takes `accumulation` on every device."""
    return -(-batch_count // (training.accumulation * devices))


def learning_rate(training: Training, *, step: int, total: int, cold: bool) -> float:
    """Return the learning rate of a step.

    Args:
        training: Its schedule.
        step: From 0, among the warm or the cold ones.
        total: Number of these steps; beyond it the rate stays what it was at the end.
        cold: Whether only what is new learns: then the rate is constant.
    """
    if cold:
        return training.cold_learning_rate
    peak = training.learning_rate
    if step < training.warmup_steps:
        return peak * (step + 1) / training.warmup_steps
    if training.schedule == "constant":
        return peak
    # Polynomial of power 1, as fairseq's and transformers' defaults: linear is the same.
    left = (total - step) / max(1, total - training.warmup_steps)
    return peak * max(0.0, min(1.0, left))
