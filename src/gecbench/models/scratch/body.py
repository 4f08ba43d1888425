"""What an architecture is asked for: everything between embeddings and outputs."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

Tensors = tuple[Tensor, ...]
"""Each has a row for a sentence, or for a beam of one, as its first dimension."""


class Body(Protocol):
    """What is between embeddings and outputs: an architecture.

    States are (sentences, positions, width), `there` is true where they are no padding.
    """

    ordered: bool
    """Whether it knows the order of positions by itself; else positions are embedded, too."""

    def read(self, embedded: Tensor, there: Tensor) -> Tensors:
        """Return what the decoder is to see of sources."""
        ...

    def write(self, memory: Tensors, embedded: Tensor) -> Tensor:
        """Return the states of all positions of targets; none sees a later one."""
        ...

    def begin(self, memory: Tensors) -> tuple[Tensors, Tensors]:
        """Return what stays the same while targets are written unit by unit, and what changes."""
        ...

    def step(self, fixed: Tensors, state: Tensors, embedded: Tensor) -> tuple[Tensor, Tensors]:
        """Return the states of one more position, (rows, 1, width), and what has changed.

        The same as `write` has there. Called where nothing learns.
        """
        ...
