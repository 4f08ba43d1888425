"""What the tagger is to minimise: wrong labels and wrong detection."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from gecbench.models.tagger.network import Logits

Reduction = Literal["token", "sentence"]
PADDING = -100
"""Stands where a label would, in places that carry no loss."""


def loss_of(
    logits: Logits, labels: Tensor, *, keep: int, smoothing: float, reduction: Reduction
) -> Tensor:
    """Return the cross-entropy of labels plus that of detection, summed over a batch.

    Args:
        logits: Of the heads.
        labels: (sentences, tokens); `PADDING` where there is no token.
        keep: The label of a correct token; every other is an error.
        smoothing: Share of the target that is spread over all labels; detection has none.
        reduction: "token" sums over tokens. "sentence" sums the means of sentences, so that each
            sentence weighs the same (AllenNLP, hence the official code).
    """
    read = labels != PADDING
    errors = ((labels != keep) & read).long().masked_fill(~read, PADDING)
    by_label = functional.cross_entropy(
        _wide(logits.labels).flatten(0, 1),
        labels.flatten(),
        ignore_index=PADDING,
        label_smoothing=smoothing,
        reduction="none",
    )
    by_detection = functional.cross_entropy(
        _wide(logits.detection).flatten(0, 1),
        errors.flatten(),
        ignore_index=PADDING,
        reduction="none",
    )
    each = (by_label + by_detection).view_as(labels)
    if reduction == "token":
        return each.sum()
    return (each.sum(-1) / read.sum(-1).clamp(min=1)).sum()


def _wide(logits: Tensor) -> Tensor:
    """Return logits in 32 bits, or in 64 where they have them, as when gradients are checked."""
    return logits.to(torch.promote_types(logits.dtype, torch.float32))


def weight_of(labels: Tensor, reduction: Reduction) -> float:
    """Return what the summed loss is to be divided by: the number of tokens or of sentences."""
    read = labels != PADDING
    return float(read.sum() if reduction == "token" else read.any(-1).sum())
