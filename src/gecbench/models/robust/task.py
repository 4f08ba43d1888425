"""The task of robust training: two sentences at a time, and their predictions brought together."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import torch
from torch import Tensor

from gecbench.core.corrector import Corrector
from gecbench.models.robust.comparable import Comparable, Twin
from gecbench.models.robust.divergence import divergence
from gecbench.models.training.config import Robust
from gecbench.models.training.task import Batch, Part, Prepared

Example = TypeVar("Example")
Outputs = TypeVar("Outputs")

UNUSED = "twins with a side that cannot be used"
COMPARED = "places compared"
NOWHERE = "twins without a place to compare"


class Both(NamedTuple, Generic[Example]):
    """A twin, ready to be put into batches.

    Args:
        one: The example of the original.
        two: That of the perturbed sentence; the same object where the twin is one pair.
        matches: Places of one and two whose predictions are to agree: i, j, i, j, ...
    """

    one: Example
    two: Example
    matches: array[int]


class RobustTask(Generic[Example, Outputs]):
    """Wraps a task: likelihood of both sides, and the divergence where they match.

    RobustGEC, section 5.1: NLL(x, y) + NLL(x', y') + alpha * 1/2 [KL(p||q) + KL(q||p)] summed over
    the places that were not perturbed. Both sides are in one batch, originals first, so that the
    network is called once, as devices that share the work need it. All terms are divided by the
    same weight: the paper writes sums, the code that it builds on takes means, and only where
    both are reduced alike does alpha mean the same.
    """

    watched = ("divergence",)

    def __init__(self, task: Comparable[Example, Outputs], robust: Robust) -> None:
        """Take what learns, and how predictions are compared."""
        self._task = task
        self._robust = robust

    @property
    def module(self) -> torch.nn.Module:
        """The network of what is wrapped."""
        return self._task.module

    def prepare(self, twins: Sequence[Twin]) -> Prepared[Both[Example]]:
        """Return an example of each twin whose sides can both be used."""
        sides = list(dict.fromkeys(side for twin in twins for side in twin))
        found = self._task.prepare(sides)
        ready = {
            sides[place]: each for place, each in zip(found.places, found.examples, strict=True)
        }
        both = [
            self._both(twin, ready[twin.original], ready[twin.perturbed])
            for twin in twins
            if twin.original in ready and twin.perturbed in ready
        ]
        counted = Counter(found.counted)
        counted.update({f"sentences left out: {why}": n for why, n in found.dropped.items()})
        counted[COMPARED] = sum(len(each.matches) // 2 for each in both)
        counted[NOWHERE] = sum(not each.matches for each in both)
        dropped = {UNUSED: len(twins) - len(both)}
        return Prepared(
            both,
            {why: n for why, n in dropped.items() if n},
            {what: n for what, n in counted.items() if n},
        )

    def _both(self, twin: Twin, one: Example, two: Example) -> Both[Example]:
        if twin.same and self._robust.method == "cpr":
            return Both(one, two, array("i"))  # a dev sentence that nobody perturbed
        matches = self._task.matches(twin, one, two, self._robust)
        return Both(one, two, array("i", (place for match in matches for place in match)))

    def length(self, example: Both[Example]) -> int:
        """Return how many positions both sides take, each padded to the longer."""
        return 2 * max(self._task.length(example.one), self._task.length(example.two))

    def collate(self, examples: Sequence[Both[Example]]) -> Batch:
        """Return the batch of the originals and then the perturbed ones, and their matches.

        These are (n, 4): row and place of the original, row and place of the perturbed one.
        """
        batch = self._task.collate([*(e.one for e in examples), *(e.two for e in examples)])
        places = torch.tensor([p for e in examples for p in e.matches]).long().view(-1, 2)
        counts = torch.tensor([len(e.matches) // 2 for e in examples])
        rows = torch.arange(len(examples)).repeat_interleave(counts)
        matches = torch.stack((rows, places[:, 0], rows + len(examples), places[:, 1]), 1)
        pairs = torch.tensor(len(examples))
        return {**batch, "matches": matches, "pairs": pairs}

    def weight(self, batch: Batch) -> float:
        """Return half the labels of both sides, or the number of pairs."""
        if self._robust.reduction == "sentence-sum":
            return float(batch["pairs"])
        return self._task.weight(batch) / 2

    def loss(self, module: torch.nn.Module, batch: Batch) -> Tensor:
        """Return the likelihood of both sides and the weighted divergence, each summed."""
        outputs = self._task.outputs(module, batch)
        found = self._task.likelihood(outputs, batch)
        if self._robust.alpha and len(batch["matches"]):
            found = found + self._robust.alpha * self._apart(outputs, batch["matches"])
        return found

    def measured(self, module: torch.nn.Module, batch: Batch) -> tuple[Part, Part]:
        """Return the loss, and the divergence over the places where it is compared.

        It is measured where alpha is 0, too. For R-Drop there is none to see without dropout.
        """
        outputs = self._task.outputs(module, batch)
        found = self._task.likelihood(outputs, batch)
        matches = batch["matches"]
        compared = len(matches) if self._robust.method == "cpr" else 0
        apart = self._apart(outputs, matches) if compared else found.new_zeros(())
        loss = found + self._robust.alpha * apart
        return Part(loss, self.weight(batch)), Part(apart, float(compared))

    def _apart(self, outputs: Outputs, matches: Tensor) -> Tensor:
        """Return the summed divergence; all heads weigh the same."""
        rows, places = matches[:, [0, 2]].T.flatten(), matches[:, [1, 3]].T.flatten()
        heads = self._task.rows(outputs, rows, places, self._robust)
        sides = (head.reshape(2, -1, head.shape[-1]) for head in heads)
        return torch.stack([divergence(each) for each in sides]).sum()

    def freeze(self, *, cold: bool) -> None:
        """Let only what is new learn (cold), or everything."""
        self._task.freeze(cold=cold)

    def corrector(self) -> Corrector:
        """Return what corrects with the network as it is now."""
        return self._task.corrector()

    def save(self, folder: Path, made: Mapping[str, object]) -> None:
        """Write the model as users load it: nothing in it says that it was compared."""
        self._task.save(folder, made)
