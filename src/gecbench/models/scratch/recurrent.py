"""LSTMs with global attention (Luong et al. 2015, section 3.1, "general", without input feeding).

Without input feeding a whole target is one call while the network learns.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from gecbench.models.scratch.body import Tensors
from gecbench.models.scratch.shape import Shape


class Recurrent(nn.Module):
    """Reads in both directions, writes in one."""

    ordered = True

    def __init__(self, shape: Shape) -> None:
        """Make it with random weights."""
        super().__init__()
        width, layers = shape.width, shape.layers
        # LSTM drops between its layers, so that one layer has nothing to drop.
        dropout = shape.dropout if layers > 1 else 0.0
        self.reader = nn.LSTM(
            width, width // 2, layers, batch_first=True, dropout=dropout, bidirectional=True
        )
        self.writer = nn.LSTM(width, width, layers, batch_first=True, dropout=dropout)
        self.query = nn.Linear(width, width, bias=False)
        self.join = nn.Linear(2 * width, width)

    def read(self, embedded: Tensor, there: Tensor) -> Tensors:
        """Return states, where they are, and what the writer begins with."""
        lengths = there.sum(1).cpu()
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        read, (last, cell) = self.reader(packed)
        states, _ = pad_packed_sequence(read, batch_first=True, total_length=embedded.shape[1])
        return states, there, _both(last), _both(cell)

    def write(self, memory: Tensors, embedded: Tensor) -> Tensor:
        """Return the states of all positions of targets."""
        states, there, last, cell = memory
        written, _ = self.writer(embedded, (_layered(last), _layered(cell)))
        return self._attended(states, there, written)

    def begin(self, memory: Tensors) -> tuple[Tensors, Tensors]:
        """Return the source's states; those of the writer change."""
        states, there, last, cell = memory
        return (states, there), (last, cell)

    def step(self, fixed: Tensors, state: Tensors, embedded: Tensor) -> tuple[Tensor, Tensors]:
        """Return the states of one more position."""
        states, there = fixed
        last, cell = state
        written, (last, cell) = self.writer(embedded, (_layered(last), _layered(cell)))
        changed = (last.transpose(0, 1), cell.transpose(0, 1))
        return self._attended(states, there, written), changed

    def _attended(self, states: Tensor, there: Tensor, written: Tensor) -> Tensor:
        """Return what the writer says, having looked at the source."""
        scores = self.query(written) @ states.transpose(1, 2)
        scores = scores.masked_fill(~there.unsqueeze(1), float("-inf"))
        seen = scores.softmax(-1) @ states
        joined: Tensor = self.join(torch.cat((seen, written), -1)).tanh()
        return joined


def _both(states: Tensor) -> Tensor:
    """Return the last states of both directions side by side: (sentences, layers, width)."""
    rows = states.transpose(0, 1)
    return rows.reshape(len(rows), -1, 2 * rows.shape[2])


def _layered(states: Tensor) -> Tensor:
    """Return states as LSTM takes them: (layers, sentences, width)."""
    return states.transpose(0, 1).contiguous()
