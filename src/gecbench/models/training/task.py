"""What a kind of model brings to the training loop, and the kinds that there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

import msgspec

from gecbench.backends.transformers import need_torch
from gecbench.core.corrector import Corrector
from gecbench.core.registry import resolve
from gecbench.models.batches import ContextPair, SentencePair
from gecbench.models.training.config import RobustTable, RunConfig

if TYPE_CHECKING:
    import torch

    from gecbench.models.training.data import TrainingData

Item = TypeVar("Item")
Example = TypeVar("Example")
Outputs = TypeVar("Outputs")

Batch = Mapping[str, "torch.Tensor"]
"""Tensors by name, on the CPU as `collate` builds them; the loop moves them."""

IGNORED = -100
"""Stands where a label would, in places of a batch that carry no loss."""


@dataclass(frozen=True, slots=True)
class Dataset(Generic[Example]):
    """The examples of parallel pairs.

    Args:
        examples: Ready to be put into batches, in the order of their pairs.
        dropped: How many pairs could not be used, by the reason, in words a user understands.
        counts: What else is worth knowing of them, as "labels outside the vocabulary".
        sources: For each example the index of its pair; () where the task does not say. A
            `ComparableTask` does.
    """

    examples: Sequence[Example]
    dropped: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    sources: Sequence[int] = ()


class Measurement(NamedTuple):
    """Something measured on a batch.

    Args:
        total: A scalar.
        weight: What the totals of all batches are divided by, added up; 0 for nothing.
    """

    total: torch.Tensor
    weight: float


class Task(ABC, Generic[Item, Example]):
    """A network, how its batches are built, what it is to minimise, and how it is saved."""

    metrics: tuple[str, ...] = ()
    """What `measure` gives beside the loss, in order."""
    score: str = ""
    """Which of `metrics` is the score of a task that corrects nothing; "" corrects dev for one."""

    @property
    @abstractmethod
    def module(self) -> torch.nn.Module:
        """The network. Its forward pass takes a batch's tensors as keywords."""

    @abstractmethod
    def prepare(self, items: Sequence[Item]) -> Dataset[Example]:
        """Turn pairs into examples. An example is small: the loop keeps all of them."""

    @abstractmethod
    def length(self, example: Example) -> int:
        """Count how many positions an example takes in a batch: batches are built by it."""

    @abstractmethod
    def collate(self, examples: Sequence[Example]) -> Batch:
        """Build the batch of some examples, padded to the longest of them."""

    @abstractmethod
    def weight(self, batch: Batch) -> float:
        """Compute what the loss of a batch is to be divided by, as its number of tokens.

        The loop divides by the sum over all batches of a step, so that accumulating gradients
        over two halves of a batch gives what the whole batch gives.
        """

    @abstractmethod
    def loss(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Compute the loss of a batch, summed, not averaged: a 32-bit scalar with gradient.

        Args:
            module: `self.module`, perhaps wrapped for several devices: call this one.
            batch: On the module's device.
        """

    def measure(self, module: torch.nn.Module, batch: Batch) -> Sequence[Measurement]:
        """Compute the loss and the `metrics` of a dev batch in one forward pass."""
        return [Measurement(self.loss(module, batch), self.weight(batch))]

    def freeze(self, *, cold: bool) -> None:
        """Let only what is new learn (cold), or everything."""

    def rate(self, name: str) -> float:
        """Choose the factor of the learning rate for a parameter of the network, by its name."""
        return 1.0

    def corrector(self) -> Corrector:
        """Wrap the network as it is now, to score it while it learns, where `score` is ""."""
        raise NotImplementedError

    @abstractmethod
    def save(self, folder: Path, provenance: Mapping[str, object]) -> None:
        """Write the model as users load it, into an empty folder: safetensors, no pickle."""


class ComparableTask(Task[SentencePair, Example], Generic[Example, Outputs]):
    """A task whose loss has two steps, so that predictions can be compared in between.

    `robust.task.RobustTask` wraps it. Beyond what a task does

    - `prepare` fills `Dataset.sources`, and gives at most one example of a pair;
    - `collate` makes one row of each example, in their order: the wrapper gives it the originals
      of a batch and then as many perturbed ones, so that the network is called once for both;
    - `weight` is the number of label tokens in a batch, whatever else the kind offers.

    What the kind cannot honour of the `[robust]` table is refused before anything is loaded: by
    `TrainingKind.check_robust`, which also says that the kind is comparable at all.
    """

    def loss(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Compute the negative log-likelihood of the labels, summed."""
        return self.likelihood(self.outputs(module, batch), batch)

    @abstractmethod
    def outputs(self, module: torch.nn.Module, batch: Batch) -> Outputs:
        """Compute the logits of a batch: one forward pass, nothing else."""

    @abstractmethod
    def likelihood(self, outputs: Outputs, batch: Batch) -> torch.Tensor:
        """Compute the negative log-likelihood of the labels, summed: a scalar."""

    @abstractmethod
    def matches(
        self, pair: ContextPair, original: Example, perturbed: Example, robust: RobustTable
    ) -> Sequence[tuple[int, int]]:
        """Find the places whose predictions are to agree.

        `robust.pairs.align_tokens` finds them among words. Honour `robust.disagreeing` and
        `robust.skip_after` here. Called for equal pairs, too: then all places match.

        Returns:
            (i, j): place i of the original and place j of the perturbed example, ascending. A
            place is what `gather` takes: for a tagger a token, $START being 0; for the others the
            position in the row of logits whose distribution is that of the matched token (not the
            position that reads it).
        """

    @abstractmethod
    def gather(
        self, outputs: Outputs, rows: torch.Tensor, places: torch.Tensor, robust: RobustTable
    ) -> tuple[torch.Tensor, ...]:
        """Gather the logits at some places, before any softmax.

        That order bounds the memory: a vocabulary may have 50,000 words. Do not convert or copy
        more than what is gathered: `robust.task.divergence` does the rest, in 32 bits.

        Args:
            outputs: Of `outputs`.
            rows: (n,), which row of the batch.
            places: (n,), which place in it; see `matches`.
            robust: Says which heads.

        Returns:
            For each head that the divergence covers: logits, (n, classes).
        """


# The kinds of model that can be trained.


KINDS: Mapping[str, str] = {
    "tagger": "gecbench.models.tagger.training:KIND",
    "seq2seq": "gecbench.models.seq2seq.training:KIND",
    "scratch": "gecbench.models.scratch.training:KIND",
    "causal": "gecbench.models.causal.training:KIND",
    "syntax": "gecbench.models.syntax.training:KIND",
    "parser": "gecbench.models.syntax.parser_training:KIND",
}
"""Kind of model to its `TrainingKind`."""


Build = Callable[[Any, Sequence[Any], Path | None], Task[Any, Any]]
"""Builds the task of a run. It takes

- the configuration, of the type that the kind names;
- the training pairs, or what the kind reads: vocabularies are built from them;
- a folder that the task's `save` wrote, where a run is resumed: everything but the weights
  (vocabulary, tokenizer, network configuration) comes from there, so that nothing is downloaded or
  derived again. None at the start.
"""


@dataclass(frozen=True, slots=True)
class TrainingKind:
    """How a kind of model is configured and built.

    Args:
        config: Its configuration.
        build: Builds its task.
        paths: Names in the `model` table that may be a path, or several: it counts from the
            configuration's folder, as those of data do, where something is there.
        check_robust: Takes a configuration with a `[robust]` table and raises a UsageError for
            what the kind cannot honour of it, before anything is loaded. None: the kind has no
            predictions to compare (its task is no `ComparableTask`).
        read: Takes a configuration and the folder that its paths count from, and reads what is
            learnt from; None reads pairs.
        verb: The command that a model of the kind is for.
    """

    config: type[RunConfig]
    build: Build
    paths: tuple[str, ...] = ()
    check_robust: Callable[[Any], None] | None = None
    read: Callable[[Any, Path], TrainingData[Any]] | None = None
    verb: str = "correct"


def resolve_paths(config: RunConfig, kind: TrainingKind, home: Path) -> RunConfig:
    """Make the paths of models in a configuration count from the working folder.

    Args:
        config: With paths that count from `home`.
        kind: Says which names of the `model` table may be paths; others are names on the hub.
        home: The configuration's folder.
    """
    if not kind.paths:
        return config
    model = cast("Any", config).model

    def resolve_path(place: str) -> str:
        return str(home / place) if place and (home / place).exists() else place

    values = {name: getattr(model, name) for name in kind.paths}
    paths = {
        name: resolve_path(value) if isinstance(value, str) else tuple(map(resolve_path, value))
        for name, value in values.items()
    }
    return msgspec.structs.replace(config, model=msgspec.structs.replace(model, **paths))


def load_kind(name: str) -> TrainingKind:
    """Load a kind of model that can be trained.

    Raises:
        UnknownNameError: There is no such kind; the nearest names are given.
        MissingExtraError: torch or transformers is not installed.
    """
    if name in KINDS:
        need_torch()
    return cast("TrainingKind", resolve("kind of model to train", name, KINDS))
