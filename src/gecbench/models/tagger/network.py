"""The network of the tagger: an encoder, and two heads on the first piece of each token."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

CORRECT, INCORRECT = 0, 1
"""Classes of detection."""


class Logits(NamedTuple):
    """What the heads say of tokens, $START first.

    Args:
        labels: (sentences, tokens, labels).
        detection: (sentences, tokens, 2): correct, incorrect.
    """

    labels: Tensor
    detection: Tensor


class Tagger(nn.Module):
    """An encoder with a head for labels and one for detection (GECToR, section 3).

    Only what stands at a token's first piece goes through the heads; the others are read, but
    say nothing.
    """

    def __init__(self, encoder: nn.Module, width: int, labels: int, dropout: float) -> None:
        """Make heads with random weights.

        Args:
            encoder: Takes ids and mask, returns states (sentences, positions, width).
            width: Of its states.
            labels: How many there are.
            dropout: Before the head for labels, in [0, 1).
        """
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.labels = nn.Linear(width, labels)
        self.detection = nn.Linear(width, 2)
        for head in (self.labels, self.detection):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def forward(self, ids: Tensor, mask: Tensor, firsts: Tensor) -> Logits:
        """Return logits.

        Args:
            ids: (sentences, positions).
            mask: The same shape; 1 where a position is no padding, else 0.
            firsts: (sentences, tokens); the position of each token's first piece, 0 in padding.
        """
        states = self.encoder(ids, mask)
        places = firsts.unsqueeze(-1).expand(-1, -1, states.shape[-1])
        tokens = states.gather(1, places)
        return Logits(self.labels(self.dropout(tokens)), self.detection(tokens))


class Pretrained(nn.Module):
    """An encoder of transformers."""

    def __init__(self, model: nn.Module) -> None:
        """Take the model."""
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the states of the last layer."""
        states: Tensor = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        return states


def distributions(logits: Logits, unknown: int) -> tuple[Tensor, Tensor]:
    """Return the probabilities of labels, and that of an error, of each token; 32 bits.

    Args:
        logits: Of the heads.
        unknown: The label that stands for those outside the vocabulary. It is learned, so that
            a rare error is no correct token, and never predicted: its probability is 0.
    """
    labels = logits.labels.float()
    never = torch.arange(labels.shape[-1], device=labels.device) == unknown
    masked = labels.masked_fill(never, float("-inf"))
    return masked.softmax(-1), logits.detection.float().softmax(-1)[..., INCORRECT]


def decided(
    probabilities: Tensor, keep: int, delete: int, keep_bias: Tensor, delete_bias: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the label of each token, and its probability with the bias.

    The bias is added to the probability, not to the logit (grammarly/gector: additional
    confidence).

    Args:
        probabilities: (sentences, tokens, labels).
        keep: The label that keeps.
        delete: The label that deletes; -1 where the vocabulary has none.
        keep_bias: A scalar.
        delete_bias: A scalar.
    """
    places = torch.arange(probabilities.shape[-1], device=probabilities.device)
    bias = (places == keep) * keep_bias + (places == delete) * delete_bias
    values, labels = (probabilities + bias).max(-1)
    return labels, values
