"""What the training loop asks of a tagger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import torch

from gecbench.core.corrector import Corrector, CorrectorInfo
from gecbench.models.pairs import Pair
from gecbench.models.robust.alignment import matched
from gecbench.models.robust.comparable import Twin
from gecbench.models.tagger.config import TaggerTable
from gecbench.models.tagger.examples import Example, prepared
from gecbench.models.tagger.losses import PADDING, loss_of, weight_of
from gecbench.models.tagger.model import TaggerModel, save_model
from gecbench.models.tagger.network import Logits, Tagger
from gecbench.models.tagger.options import TaggerOptions
from gecbench.models.tagger.predict import TaggerCorrector
from gecbench.models.tagger.runtime import padded
from gecbench.models.tagger.torch_runtime import Ids, Member, TorchRuntime
from gecbench.models.training.config import Robust
from gecbench.models.training.task import Batch, Prepared
from gecbench.text.tokens import token_texts


class TaggerTask:
    """Learns labels and detection, from one round of each pair or from several.

    With one round it is `robust.comparable.Comparable`.
    """

    def __init__(self, model: TaggerModel, table: TaggerTable) -> None:
        """Take a model and how it is to learn."""
        self._model = model
        self._table = table

    @property
    def module(self) -> Tagger:
        """The network; its forward pass takes ids, mask and firsts."""
        return self._model.network

    def prepare(self, pairs: Sequence[Pair]) -> Prepared[Example]:
        """Return an example of each round of each pair that can be used."""
        return prepared(
            pairs,
            self._model.tokens,
            self._model.language,
            vocabulary=self._model.vocabulary,
            encoding=self._model.encoding,
            rounds=self._table.train_rounds,
        )

    def length(self, example: Example) -> int:
        """Return how many positions an example has."""
        return len(example.ids)

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Return ids and mask (sentences, positions), firsts and labels (sentences, tokens)."""
        pad = self._model.encoding.layout.pad
        arrays = {
            "ids": padded([each.ids for each in examples], pad),
            "mask": padded([(1,) * len(each.ids) for each in examples], 0),
            "firsts": padded([each.firsts for each in examples], 0),
            "labels": padded([each.labels for each in examples], PADDING),
        }
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def weight(self, batch: Batch) -> float:
        """Return the number of tokens, or of sentences where they weigh the same."""
        return weight_of(batch["labels"], self._table.reduction)

    def loss(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Return the summed loss of labels and detection."""
        return self.likelihood(self.outputs(module, batch), batch)

    def outputs(self, module: torch.nn.Module, batch: Batch) -> Logits:
        """Return the logits of both heads."""
        logits: Logits = module(ids=batch["ids"], mask=batch["mask"], firsts=batch["firsts"])
        return logits

    def likelihood(self, outputs: Logits, batch: Batch) -> torch.Tensor:
        """Return the summed loss of labels and detection."""
        return loss_of(
            outputs,
            batch["labels"],
            keep=self._model.vocabulary.keep,
            smoothing=self._table.label_smoothing,
            reduction=self._table.reduction,
        )

    def matches(
        self, twin: Twin, one: Example, two: Example, robust: Robust
    ) -> list[tuple[int, int]]:
        """Return the places of equal tokens in both sources, and $START, so far as both are read.

        Labels are compared as they are learnt: two that the vocabulary lacks are the same.
        """
        sources = [token_texts(pair.source, self._model.tokens) for pair in twin]
        tokens = matched(*sources, skip_after=robust.skip_after)
        return [
            (i, j)
            for i, j in ((0, 0), *((i + 1, j + 1) for i, j in tokens))
            if i < len(one.labels)
            and j < len(two.labels)
            and (robust.disagreeing == "keep" or one.labels[i] == two.labels[j])
        ]

    def rows(
        self, outputs: Logits, rows: torch.Tensor, places: torch.Tensor, robust: Robust
    ) -> tuple[torch.Tensor, ...]:
        """Return the logits of labels at some tokens, and those of detection where it counts."""
        heads = outputs if robust.heads == "labels+detection" else outputs[:1]
        return tuple(head[rows, places] for head in heads)

    def freeze(self, *, cold: bool) -> None:
        """Let only the heads learn (cold), or everything.

        Our own encoder is as new as the heads: it always learns.
        """
        is_new = self._model.shape is not None and not self._table.continue_from
        self.module.encoder.requires_grad_(is_new or not cold)

    def corrector(self) -> Corrector:
        """Return what corrects with the network as it is now, wherever it is."""
        model = self._model
        options = msgspec.convert(msgspec.to_builtins(self._table.correcting), TaggerOptions)
        info = CorrectorInfo(
            name=model.name,
            kind="tagger",
            languages=(model.language,),
            about=model.about or "A tagger that is learning.",
            signature={"corrector": "tagger", "model": "in training"},
        )
        runtime = TorchRuntime([Member(model.encoding, model.network)], Ids.of(model.vocabulary))
        return TaggerCorrector(info, runtime, model.vocabulary, model.tokens, options)

    def save(self, folder: Path, made: Mapping[str, object]) -> None:
        """Write the model as `tagger:FOLDER` loads it."""
        save_model(self._model, folder, made)
