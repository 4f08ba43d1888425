"""An encoder-decoder with one embedding for sources, targets and outputs, whatever is between."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from gecbench.models.scratch.body import Body, Tensors
from gecbench.models.scratch.shape import Shape
from gecbench.models.scratch.vocabulary import PAD


class EncoderDecoder(nn.Module):
    """Reads ids and writes ids."""

    def __init__(self, shape: Shape) -> None:
        """Make it with random weights."""
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=shape.width**-0.5)
        with torch.no_grad():
            self.embedding.weight[PAD] = 0
        self.dropout = nn.Dropout(shape.dropout)
        self.body = _body(shape)

    def forward(self, sources: Tensor, there: Tensor, reads: Tensor) -> Tensor:
        """Return the logits of what comes after each position of `reads`.

        Args:
            sources: Ids, (sentences, positions).
            there: The same shape, true where they are no padding.
            reads: Ids of targets, the start first: (sentences, positions).

        Returns:
            (sentences, positions, vocabulary).
        """
        memory = self._body.read(self._embedded(sources), there.bool())
        return self._logits(self._body.write(memory, self._embedded(reads)))

    def begin(self, sources: Tensor, there: Tensor) -> tuple[Tensors, Tensors]:
        """Return what `step` is to be given, for sources as `forward` takes them."""
        return self._body.begin(self._body.read(self._embedded(sources), there.bool()))

    def step(
        self, fixed: Tensors, state: Tensors, reads: Tensor, at: int
    ) -> tuple[Tensor, Tensors]:
        """Return the logits of the next ids, (rows, vocabulary), and the changed state.

        Args:
            fixed: As `begin` gives it, a row for each of `reads`.
            state: As `begin` or the step before gives it.
            reads: The last ids, (rows,).
            at: Their position, from 0.
        """
        states, state = self._body.step(fixed, state, self._embedded(reads.unsqueeze(1), at))
        return self._logits(states)[:, 0], state

    @property
    def _body(self) -> Body:
        return cast("Body", self.body)

    def _embedded(self, ids: Tensor, at: int = 0) -> Tensor:
        """Return the embeddings of ids, each number of variance 1 at the start."""
        states: Tensor = self.embedding(ids) * self.shape.width**0.5
        if not self._body.ordered:
            places = _places(at, ids.shape[1], self.shape.width, ids.device)
            states = states + places.to(states.dtype)
        dropped: Tensor = self.dropout(states)
        return dropped

    def _logits(self, states: Tensor) -> Tensor:
        return linear(self.dropout(states), self.embedding.weight)


def _places(at: int, count: int, width: int, device: torch.device) -> Tensor:
    """Return sines and cosines of positions, (count, width): no length is unknown to them.

    Vaswani et al. (2017), section 3.5; the convolutions take the same, where Gehring et al. (2017)
    learn a vector for each position.
    """
    steps = torch.arange(0, width, 2, dtype=torch.float32, device=device)
    rates = 10_000 ** (-steps / width)
    angles = torch.arange(at, at + count, device=device).unsqueeze(1) * rates
    return torch.cat((angles.sin(), angles.cos()), dim=1)


def _body(shape: Shape) -> nn.Module:
    """Return the layers of an architecture, with random weights."""
    from gecbench.models.scratch.convolutional import Convolutional
    from gecbench.models.scratch.recurrent import Recurrent
    from gecbench.models.scratch.transformer import Transformer

    made = {
        "convolutional": Convolutional,
        "recurrent": Recurrent,
        "transformer": Transformer,
    }
    return made[shape.architecture](shape)
