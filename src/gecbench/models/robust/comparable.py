"""What a kind of model brings so that its predictions on two sentences can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from gecbench.models.pairs import Pair
from gecbench.models.training.config import Robust
from gecbench.models.training.task import Batch, Task

if TYPE_CHECKING:
    import torch

Example = TypeVar("Example")
Outputs = TypeVar("Outputs")


class Twin(NamedTuple):
    """Two pairs whose corrections are to be the same, as their errors are.

    Args:
        original: As the learner wrote it.
        perturbed: The same errors in a changed context; equal to the original for R-Drop, where
            two passes with dropout are compared instead.
    """

    original: Pair
    perturbed: Pair

    @property
    def same(self) -> bool:
        """Whether both are one pair: they differ by dropout only."""
        return self.original == self.perturbed


class Comparable(Task[Example], Protocol[Example, Outputs]):
    """A task whose loss can be taken apart, so that predictions can be compared in between.

    It is wrapped by `robust.task.RobustTask`, which does everything else. Beyond what a task does

    - `prepare` fills `Prepared.places`, and gives at most one example of a pair;
    - `collate` makes one row of each example, in their order: the wrapper gives it the originals
      of a batch and then as many perturbed ones, so that the network is called once for both;
    - `weight` is the number of label tokens in a batch, whatever else the kind offers;
    - `loss(module, batch)` equals `likelihood(outputs(module, batch), batch)`.

    What the kind cannot honour of the `[robust]` table is refused before anything is loaded: by
    `Kind.check_robust`, which also says that the kind is comparable at all.
    """

    def outputs(self, module: torch.nn.Module, batch: Batch) -> Outputs:
        """Return what the network says of a batch: one forward pass, nothing else.

        Args:
            module: `self.module`, perhaps wrapped for several devices: call this one, once.
            batch: On the module's device.
        """
        ...

    def likelihood(self, outputs: Outputs, batch: Batch) -> torch.Tensor:
        """Return the negative log-likelihood of the labels, summed: today's loss, a scalar."""
        ...

    def matches(
        self, twin: Twin, one: Example, two: Example, robust: Robust
    ) -> Sequence[tuple[int, int]]:
        """Return the places whose predictions are to agree.

        `robust.alignment.matched` finds them among words. Honour `robust.disagreeing` and
        `robust.skip_after` here. Called for twins that are the same, too: then all places match.

        Args:
            twin: The texts.
            one: What `prepare` made of the original.
            two: What it made of the perturbed one.
            robust: The options.

        Returns:
            (i, j): place i of one and place j of two, ascending. A place is what `rows` takes: for
            a tagger a token, $START being 0; for the others the position in the row of logits
            whose distribution is that of the matched token (not the position that reads it).
        """
        ...

    def rows(
        self, outputs: Outputs, rows: torch.Tensor, places: torch.Tensor, robust: Robust
    ) -> tuple[torch.Tensor, ...]:
        """Return the logits at some places, gathered before any softmax.

        That order bounds the memory: a vocabulary may have 50,000 words. Do not convert or copy
        more than what is gathered: `robust.divergence` does the rest, in 32 bits.

        Args:
            outputs: Of `outputs`.
            rows: (n,), which row of the batch.
            places: (n,), which place in it; see `matches`.
            robust: Says which heads.

        Returns:
            For each head that the divergence covers: logits, (n, classes).
        """
        ...
