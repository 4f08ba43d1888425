"""The task of robust training: two sentences at a time, and their predictions brought together."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from gecbench.core.corrector import Corrector
from gecbench.models.batches import ContextPair, SentencePair
from gecbench.models.robust.pairs import distinct_pairs
from gecbench.models.training.config import RobustTable
from gecbench.models.training.task import Batch, ComparableTask, Dataset, Measurement, Task
from gecbench.models.weights import wide_dtype

# The divergence of predictions on matched places: symmetric, exact at zero, bounded in memory.


_CHUNK = 1 << 18
"""Probabilities of a side that are held at once: 1 MB in 32 bits, which caches hold."""


def divergence(logits: Tensor, *, chunk: int = _CHUNK) -> Tensor:
    """Compute 1/2 [KL(p||q) + KL(q||p)], summed over places: a scalar with gradients of both sides.

    With p and q the two softmaxes of a place it is 1/2 sum (p - q)(log p - log q), which is exactly
    zero where the logits are equal. Everything is computed in 32 bits (in 64, where the logits
    have them), some places after the others, and the gradient is written down rather than
    recorded: beyond the logits and their gradient nothing as large is ever held.

    Args:
        logits: (2, n, classes), gathered at the n matched places: first those of the original,
            then those of the perturbed sentence.
        chunk: Probabilities of a side that are held at once, about; at least one place is.
    """
    result: Tensor = _Divergence.apply(logits, chunk)  # type: ignore[no-untyped-call]
    return result


class _Divergence(torch.autograd.Function):
    """Keeps the logits alone, and computes what it needs of them twice."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, chunk: int) -> Tensor:
        """Compute the sum."""
        ctx.save_for_backward(logits)
        ctx.chunk = chunk
        total = torch.zeros((), dtype=wide_dtype(logits), device=logits.device)
        for _, p, q, difference in _chunks(logits, chunk):
            total += ((p - q) * difference).sum() / 2
        return total

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        """Compute the gradient of the logits.

        KL(p||q) gives those of p: p (difference - E_p[difference]); KL(q||p) gives them p - q.
        The other side's are the same mirrored.
        """
        (logits,) = ctx.saved_tensors
        result, half = torch.empty_like(logits), upstream / 2
        for places, p, q, difference in _chunks(logits, ctx.chunk):
            surplus = p - q
            result[0, places] = half * (p * (difference - _mean(difference, p)) + surplus)
            result[1, places] = half * (q * (_mean(difference, q) - difference) - surplus)
        return result, None


def _chunks(logits: Tensor, chunk: int) -> Iterator[tuple[slice, Tensor, Tensor, Tensor]]:
    """Yield, for some places at a time: which, the probabilities of both, and log p - log q."""
    step = max(1, chunk // max(1, logits.shape[-1]))
    for at in range(0, logits.shape[1], step):
        places = slice(at, at + step)
        log_p, log_q = logits[:, places].log_softmax(-1, dtype=wide_dtype(logits))
        p, q = log_p.exp(), log_q.exp()
        yield places, p, q, log_p - log_q


def _mean(values: Tensor, probabilities: Tensor) -> Tensor:
    return (values * probabilities).sum(-1, keepdim=True)


Example = TypeVar("Example")
Outputs = TypeVar("Outputs")

UNUSED = "pairs with a side that cannot be used"
COMPARED = "places compared"
NOWHERE = "pairs without a place to compare"


class ContextExample(NamedTuple, Generic[Example]):
    """A pair of contexts, ready to be put into batches.

    Args:
        original: The example of the original.
        perturbed: That of the perturbed sentence; the same object where both are one pair.
        matches: Places of both whose predictions are to agree: i, j, i, j, ...
    """

    original: Example
    perturbed: Example
    matches: array[int]


class RobustTask(Task[ContextPair, ContextExample[Example]], Generic[Example, Outputs]):
    """Wraps a task: likelihood of both sides, and the divergence where they match.

    RobustGEC, section 5.1: NLL(x, y) + NLL(x', y') + alpha * 1/2 [KL(p||q) + KL(q||p)] summed over
    the places that were not perturbed. Both sides are in one batch, originals first, so that the
    network is called once, as devices that share the work need it. All terms are divided by the
    same weight: the paper writes sums, the code that it builds on takes means, and only where
    both are reduced alike does alpha mean the same.
    """

    metrics = ("divergence",)

    def __init__(self, task: ComparableTask[Example, Outputs], robust: RobustTable) -> None:
        """Wrap a task; the table says how predictions are compared."""
        self._task = task
        self._robust = robust

    @property
    def module(self) -> torch.nn.Module:
        """The network of the task."""
        return self._task.module

    def prepare(self, items: Sequence[ContextPair]) -> Dataset[ContextExample[Example]]:
        """Turn pairs of contexts into examples, where both sides can be used."""
        sides = distinct_pairs(items)
        dataset = self._task.prepare(sides)
        by_pair = {
            sides[k]: example for k, example in zip(dataset.sources, dataset.examples, strict=True)
        }
        examples = [
            ContextExample(
                by_pair[pair.original], by_pair[pair.perturbed], self._matches(pair, by_pair)
            )
            for pair in items
            if pair.original in by_pair and pair.perturbed in by_pair
        ]
        counts = Counter(dataset.counts)
        counts.update({f"sentences left out: {why}": n for why, n in dataset.dropped.items()})
        counts[COMPARED] = sum(len(example.matches) // 2 for example in examples)
        counts[NOWHERE] = sum(not example.matches for example in examples)
        unused = len(items) - len(examples)
        dropped = {UNUSED: unused} if unused else {}
        return Dataset(examples, dropped, {what: n for what, n in counts.items() if n})

    def _matches(self, pair: ContextPair, by_pair: Mapping[SentencePair, Example]) -> array[int]:
        if pair.original == pair.perturbed and self._robust.method == "cpr":
            return array("i")  # a dev sentence without perturbations
        original, perturbed = by_pair[pair.original], by_pair[pair.perturbed]
        return array(
            "i", chain.from_iterable(self._task.matches(pair, original, perturbed, self._robust))
        )

    def length(self, example: ContextExample[Example]) -> int:
        """Count how many positions both sides take, each padded to the longer."""
        return 2 * max(self._task.length(example.original), self._task.length(example.perturbed))

    def collate(self, examples: Sequence[ContextExample[Example]]) -> Batch:
        """Build the batch of the originals and then the perturbed ones, and their matches.

        These are (n, 4): row and place of the original, row and place of the perturbed one.
        """
        originals, others = [e.original for e in examples], [e.perturbed for e in examples]
        places = torch.tensor([p for e in examples for p in e.matches]).long().view(-1, 2)
        counts = torch.tensor([len(e.matches) // 2 for e in examples])
        rows = torch.arange(len(examples)).repeat_interleave(counts)
        matches = torch.stack((rows, places[:, 0], rows + len(examples), places[:, 1]), 1)
        batch = self._task.collate([*originals, *others])
        return {**batch, "matches": matches, "pairs": torch.tensor(len(examples))}

    def weight(self, batch: Batch) -> float:
        """Compute half the labels of both sides, or the number of pairs."""
        if self._robust.reduction == "sentence-sum":
            return float(batch["pairs"])
        return self._task.weight(batch) / 2

    def loss(self, module: torch.nn.Module, batch: Batch) -> Tensor:
        """Compute the likelihood of both sides and the weighted divergence, each summed."""
        outputs = self._task.outputs(module, batch)
        loss = self._task.likelihood(outputs, batch)
        if self._robust.alpha and len(batch["matches"]):
            loss = loss + self._robust.alpha * self._divergence(outputs, batch["matches"])
        return loss

    def measure(self, module: torch.nn.Module, batch: Batch) -> tuple[Measurement, Measurement]:
        """Compute the loss, and the divergence over the places where it is compared.

        It is measured where alpha is 0, too. For R-Drop there is none to see without dropout.
        """
        outputs = self._task.outputs(module, batch)
        likelihood = self._task.likelihood(outputs, batch)
        matches = batch["matches"]
        compared = len(matches) if self._robust.method == "cpr" else 0
        distance = self._divergence(outputs, matches) if compared else likelihood.new_zeros(())
        loss = likelihood + self._robust.alpha * distance
        return Measurement(loss, self.weight(batch)), Measurement(distance, float(compared))

    def _divergence(self, outputs: Outputs, matches: Tensor) -> Tensor:
        """Compute the summed divergence; all heads weigh the same."""
        rows, places = matches[:, [0, 2]].T.flatten(), matches[:, [1, 3]].T.flatten()
        heads = self._task.gather(outputs, rows, places, self._robust)
        return torch.stack(
            [divergence(head.reshape(2, -1, head.shape[-1])) for head in heads]
        ).sum()

    def freeze(self, *, cold: bool) -> None:
        """Let only what is new learn (cold), or everything."""
        self._task.freeze(cold=cold)

    def corrector(self) -> Corrector:
        """Wrap the network as it is now."""
        return self._task.corrector()

    def save(self, folder: Path, provenance: Mapping[str, object]) -> None:
        """Write the model as users load it: nothing in it says that it was compared."""
        self._task.save(folder, provenance)
