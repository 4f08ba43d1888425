"""Gated convolutions with attention in every layer (Gehring et al. 2017, section 3).

Differs from the paper in three things: positions are sines (see `network`), sources and targets
share one embedding with the outputs, and scores of attention are divided by the root of the
width, since our embeddings have variance 1 where theirs have 0.01.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import glu, pad
from torch.nn.utils.parametrizations import weight_norm

from gecbench.models.scratch.body import Tensors
from gecbench.models.scratch.shape import Shape

_HALF = 0.5**0.5
"""Keeps the variance where two things are added (section 3.5)."""


class Convolutional(nn.Module):
    """Stacks of convolutions, those of the decoder looking back only."""

    ordered = False

    def __init__(self, shape: Shape) -> None:
        """Make it with random weights."""
        super().__init__()
        self.reader = nn.ModuleList(_Reading(shape) for _ in range(shape.layers))
        self.writer = nn.ModuleList(_Writing(shape) for _ in range(shape.layers))
        self.out = _linear(shape.width)

    def read(self, embedded: Tensor, there: Tensor) -> Tensors:
        """Return what is attended to, what is seen there, and where."""
        states = embedded
        for layer in self.reader:
            states = layer(states, there)
        # Each layer of the decoder sends a gradient (section 3.5).
        share = 1 / (2 * len(self.writer))
        states = share * states + (1 - share) * states.detach()
        return states, (states + embedded) * _HALF, there

    def write(self, memory: Tensors, embedded: Tensor) -> Tensor:
        """Return the states of all positions of targets."""
        states = embedded
        for layer in self.writer:
            states = layer(memory, states, embedded)
        out: Tensor = self.out(states)
        return out

    def begin(self, memory: Tensors) -> tuple[Tensors, Tensors]:
        """Return the source; what changes is the last inputs of each layer."""
        seen = memory[0]
        empty = (seen.new_zeros(len(seen), layer.back, seen.shape[2]) for layer in self._layers())
        return memory, tuple(empty)

    def step(self, fixed: Tensors, state: Tensors, embedded: Tensor) -> tuple[Tensor, Tensors]:
        """Return the states of one more position."""
        states = embedded
        changed = []
        for layer, before in zip(self._layers(), state, strict=True):
            window = torch.cat((before, states), 1)
            changed.append(window[:, 1:])
            states = layer.seen(fixed, window, states, embedded)
        return self.out(states), tuple(changed)

    def _layers(self) -> Iterator[_Writing]:
        for layer in self.writer:
            if isinstance(layer, _Writing):
                yield layer


class _Reading(nn.Module):
    """A convolution of the encoder."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.dropout = nn.Dropout(shape.dropout)
        self.convolution = _convolution(shape, padding=shape.kernel // 2)

    def forward(self, states: Tensor, there: Tensor) -> Tensor:
        # Padding is zero before every convolution: a sentence sees itself only.
        given = self.dropout(states) * there.unsqueeze(-1)
        read: Tensor = glu(self.convolution(given.transpose(1, 2)), 1).transpose(1, 2)
        return (read + states) * _HALF


class _Writing(nn.Module):
    """A convolution of the decoder, and its attention."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.back = shape.kernel - 1
        self.dropout = nn.Dropout(shape.dropout)
        self.convolution = _convolution(shape, padding=0)
        self.query = _linear(shape.width)
        self.seeing = _linear(shape.width)

    def forward(self, memory: Tensors, states: Tensor, embedded: Tensor) -> Tensor:
        return self.seen(memory, pad(states, (0, 0, self.back, 0)), states, embedded)

    def seen(self, memory: Tensors, window: Tensor, states: Tensor, embedded: Tensor) -> Tensor:
        """Return the states of positions whose window opens with those before the first."""
        given = self.dropout(window).transpose(1, 2)
        written = glu(self.convolution(given), 1).transpose(1, 2)
        keys, values, there = memory
        query = (self.query(written) + embedded) * _HALF
        scores = query @ keys.transpose(1, 2) * keys.shape[-1] ** -0.5
        scores = scores.masked_fill(~there.unsqueeze(1), float("-inf"))
        found = scores.softmax(-1) @ values
        # A mean over m positions has 1 / m of their variance (section 3.5).
        found = found * there.sum(1).to(found.dtype).sqrt().view(-1, 1, 1)
        attended = (self.seeing(found) + written) * _HALF
        joined: Tensor = (attended + states) * _HALF
        return joined


def _convolution(shape: Shape, padding: int) -> nn.Module:
    """Return a convolution with its gates, its weight normalised."""
    made = nn.Conv1d(shape.width, 2 * shape.width, shape.kernel, padding=padding)
    variance = 4 * (1 - shape.dropout) / (shape.kernel * shape.width)
    nn.init.normal_(made.weight, std=variance**0.5)
    if made.bias is not None:
        nn.init.zeros_(made.bias)
    normed: nn.Module = weight_norm(made)
    return normed


def _linear(width: int) -> nn.Linear:
    made = nn.Linear(width, width)
    nn.init.normal_(made.weight, std=width**-0.5)
    nn.init.zeros_(made.bias)
    return made
