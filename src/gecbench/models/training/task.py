"""What a kind of model brings to the training loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from gecbench.core.corrector import Corrector
from gecbench.models.pairs import Pair

if TYPE_CHECKING:
    import torch

Example = TypeVar("Example")
Taken = TypeVar("Taken", contravariant=True)

Batch = Mapping[str, "torch.Tensor"]
"""Tensors by name, on the CPU as `collate` makes them; the loop moves them."""


@dataclass(frozen=True, slots=True)
class Prepared(Generic[Example]):
    """What a task made of parallel pairs.

    Args:
        examples: Ready to be put into batches, in the order of their pairs.
        dropped: How many pairs could not be used, by the reason, in words a user understands.
        counted: What else is worth saying of them, as "labels outside the vocabulary".
        places: Of each example, the place of its pair among those given; () where the task does
            not say. Those that are compared with each other (`robust.comparable`) do.
    """

    examples: Sequence[Example]
    dropped: Mapping[str, int] = field(default_factory=dict)
    counted: Mapping[str, int] = field(default_factory=dict)
    places: Sequence[int] = ()


class Part(NamedTuple):
    """Something measured on a batch.

    Args:
        sum: A scalar.
        weight: What the sums of all batches are divided by, added up; 0 where there was nothing.
    """

    sum: torch.Tensor
    weight: float


class Learner(Protocol[Taken]):
    """A network, how examples become its batches, what it is to minimise, and how it is kept."""

    @property
    def module(self) -> torch.nn.Module:
        """The network. Its forward pass takes a batch's tensors as keywords."""
        ...

    def length(self, example: Taken) -> int:
        """Return how many positions an example takes in a batch: batches are made by it."""
        ...

    def collate(self, examples: Sequence[Taken]) -> Batch:
        """Return the batch of some examples, padded to the longest of them."""
        ...

    def weight(self, batch: Batch) -> float:
        """Return by how much the loss of a batch is to be divided, as its number of tokens.

        The loop divides by the sum over all batches of a step, so that accumulating gradients
        over two halves of a batch gives what the whole batch gives.
        """
        ...

    def loss(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Return the loss of a batch, summed, not averaged: a scalar in 32 bits with gradient.

        Args:
            module: `self.module`, perhaps wrapped for several devices: call this one.
            batch: On the module's device.
        """
        ...

    def freeze(self, *, cold: bool) -> None:
        """Let only what is new learn (cold), or everything."""
        ...

    def corrector(self) -> Corrector:
        """Return what corrects with the network as it is now; for scoring while it learns."""
        ...

    def save(self, folder: Path, made: Mapping[str, object]) -> None:
        """Write the model as users load it, into an empty folder: safetensors, no pickle.

        Args:
            folder: Where; it exists.
            made: Provenance for the card.
        """
        ...


class Task(Learner[Example], Protocol[Example]):
    """What a kind of model is: it learns from pairs."""

    def prepare(self, pairs: Sequence[Pair]) -> Prepared[Example]:
        """Return examples of pairs. An example is small: the loop keeps all of them."""
        ...


@runtime_checkable
class Watching(Protocol):
    """What a learner may bring beside its loss: more that is worth seeing on the dev pairs."""

    @property
    def watched(self) -> tuple[str, ...]:
        """What is measured beside the loss, in order."""
        ...

    def measured(self, module: torch.nn.Module, batch: Batch) -> Sequence[Part]:
        """Return the loss, and what is watched, of a batch; in one forward pass."""
        ...
