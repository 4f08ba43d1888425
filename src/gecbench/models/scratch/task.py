"""What one of our encoder-decoders brings to the training loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch

from gecbench.core.corrector import Corrector
from gecbench.models.pairs import Pair
from gecbench.models.scratch.config import ScratchConfig
from gecbench.models.scratch.model import ScratchModel, save_model
from gecbench.models.scratch.network import EncoderDecoder
from gecbench.models.scratch.search import BeamSearch
from gecbench.models.seq2seq.corrector import while_learning
from gecbench.models.seq2seq.examples import (
    Example,
    collated,
    examples_of,
    likelihood,
    weight_of,
)
from gecbench.models.training.task import Batch, Prepared


class ScratchTask:
    """Learns to write targets, unit by unit, given what stands before."""

    def __init__(self, config: ScratchConfig, model: ScratchModel) -> None:
        """Take a model and how it is to learn."""
        self._config = config
        self._model = model

    @property
    def module(self) -> EncoderDecoder:
        """The network; its forward pass takes `sources`, `there` and `reads`."""
        return self._model.network

    def prepare(self, pairs: Sequence[Pair]) -> Prepared[Example]:
        """Return an example of each pair that is short enough."""
        return examples_of(self._model.encoding, pairs, self._config.model.max_length)

    def length(self, example: Example) -> int:
        """Return how many positions the longer side of an example has."""
        return max(len(example.source), len(example.target))

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Return the tensors of some examples, each (sentences, positions)."""
        return collated(examples, self._model.encoding)

    def weight(self, batch: Batch) -> float:
        """Return the number of target units."""
        return weight_of(batch)

    def loss(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Return the summed cross entropy of the target units, smoothed."""
        logits = module(
            sources=batch["input_ids"],
            there=batch["attention_mask"],
            reads=batch["decoder_input_ids"],
        )
        return likelihood(logits, batch, self._config.model.label_smoothing)

    def freeze(self, *, cold: bool) -> None:
        """Let everything learn; `build` refuses cold epochs, for all of it is new."""

    def corrector(self) -> Corrector:
        """Return what corrects with the network as it is now."""
        table, encoding = self._config.model, self._model.encoding
        return while_learning(
            self._config,
            encoding,
            lambda options: BeamSearch(self.module, encoding.specials, options),
            table.correcting,
            max_length=table.max_length,
            positions=0,
        )

    def save(self, folder: Path, made: Mapping[str, object]) -> None:
        """Write the model as `scratch:FOLDER` loads it."""
        save_model(self._model, folder, made)


def defaults_of(config: ScratchConfig) -> dict[str, object]:
    """Return the options of inference that a run chooses for its model."""
    table = config.model
    usual = msgspec.to_builtins(type(table.correcting)())
    chosen: dict[str, Any] = msgspec.to_builtins(table.correcting)
    changed = {name: value for name, value in chosen.items() if value != usual[name]}
    return {"max_length": table.max_length, **changed}
