"""A small convolutional encoder of our own: learns in minutes on a CPU, needs torch alone."""

from __future__ import annotations

import msgspec
import torch
from torch import Tensor, nn


class ConvolutionShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What its weights look like.

    Args:
        pieces: Rows of the embedding.
        pad: The row that fills batches.
        unknown: The row of what was never seen: starts at zero, so that it says nothing.
        width: Of each position.
        kernel: Positions that one convolution sees; odd.
        dilations: How far apart they are, layer by layer.
        dropout: In [0, 1), after each layer while it learns.
    """

    pieces: int
    pad: int
    unknown: int
    width: int
    kernel: int
    dilations: tuple[int, ...]
    dropout: float


class Convolution(nn.Module):
    """Embeds pieces, then looks at their neighbours, farther with every layer."""

    def __init__(self, shape: ConvolutionShape) -> None:
        """Make it with random weights."""
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.pieces, shape.width, padding_idx=shape.pad)
        nn.init.normal_(self.embedding.weight, std=0.3)
        with torch.no_grad():
            self.embedding.weight[[shape.pad, shape.unknown]] = 0
        self.layers = nn.ModuleList(
            _Layer(shape.width, shape.kernel, dilation, shape.dropout)
            for dilation in shape.dilations
        )
        self.norm = nn.LayerNorm(shape.width)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the states of positions: (sentences, positions, width)."""
        kept = mask.unsqueeze(-1).to(self.embedding.weight.dtype)
        states: Tensor = self.embedding(ids)
        for layer in self.layers:
            states = layer(states, kept)
        normed: Tensor = self.norm(states)
        return normed


class _Layer(nn.Module):
    """A residual dilated convolution."""

    def __init__(self, width: int, kernel: int, dilation: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        reach = dilation * (kernel // 2)
        self.wide = nn.Conv1d(width, width, kernel, padding=reach, dilation=dilation)
        self.narrow = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, kept: Tensor) -> Tensor:
        # Padding is zero again before every convolution: a sentence sees itself only.
        seen = (self.norm(states) * kept).transpose(1, 2)
        learned = nn.functional.gelu(self.wide(seen).transpose(1, 2))
        result: Tensor = states + self.dropout(self.narrow(learned))
        return result
