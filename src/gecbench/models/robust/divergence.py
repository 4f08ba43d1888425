"""The divergence of predictions on matched places: symmetric, exact at zero, bounded in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

_AT_ONCE = 1 << 18
"""Probabilities that are held at once, of each side: 1 MB in 32 bits, which caches hold."""


def divergence(logits: Tensor, *, at_once: int = _AT_ONCE) -> Tensor:
    """Return 1/2 [KL(p||q) + KL(q||p)], summed over places: a scalar with gradients of both sides.

    With p and q the two softmaxes of a place it is 1/2 sum (p - q)(log p - log q), which is exactly
    zero where the logits are equal. Everything is computed in 32 bits (in 64, where the logits
    have them), some places after the others, and the gradient is written down rather than
    recorded: beyond the logits and their gradient nothing as large is ever held.

    Args:
        logits: (2, n, classes), gathered at the n matched places: first those of the original,
            then those of the perturbed sentence.
        at_once: Probabilities of a side that are held at once, about; at least one place is.
    """
    found: Tensor = _Divergence.apply(logits, at_once)  # type: ignore[no-untyped-call]
    return found


class _Divergence(torch.autograd.Function):
    """Keeps the logits alone, and computes what it needs of them twice."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, at_once: int) -> Tensor:
        """Return the sum."""
        ctx.save_for_backward(logits)
        ctx.at_once = at_once
        total = torch.zeros((), dtype=_wide(logits), device=logits.device)
        for _, p, q, apart in _parts(logits, at_once):
            total += ((p - q) * apart).sum() / 2
        return total

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        """Return the gradient of the logits.

        KL(p||q) gives those of p: p (apart - E_p[apart]); KL(q||p) gives them p - q. The other
        side's are the same mirrored.
        """
        (logits,) = ctx.saved_tensors
        found, half = torch.empty_like(logits), upstream / 2
        for places, p, q, apart in _parts(logits, ctx.at_once):
            surplus = p - q
            found[0, places] = half * (p * (apart - _mean(apart, p)) + surplus)
            found[1, places] = half * (q * (_mean(apart, q) - apart) - surplus)
        return found, None


def _parts(logits: Tensor, at_once: int) -> Iterator[tuple[slice, Tensor, Tensor, Tensor]]:
    """Yield, for some places at a time: which, the probabilities of both, and log p - log q."""
    step = max(1, at_once // max(1, logits.shape[-1]))
    for at in range(0, logits.shape[1], step):
        places = slice(at, at + step)
        log_p, log_q = logits[:, places].log_softmax(-1, dtype=_wide(logits))
        p, q = log_p.exp(), log_q.exp()
        yield places, p, q, log_p - log_q


def _mean(values: Tensor, probabilities: Tensor) -> Tensor:
    return (values * probabilities).sum(-1, keepdim=True)


def _wide(logits: Tensor) -> torch.dtype:
    return torch.promote_types(logits.dtype, torch.float32)
