"""What an encoder-decoder brings to the training loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from gecbench.core.corrector import Corrector
from gecbench.models.folder import Card, write_card
from gecbench.models.pairs import Pair
from gecbench.models.robust.comparable import Twin
from gecbench.models.robust.targets import Said, places_of
from gecbench.models.seq2seq.config import Seq2SeqConfig
from gecbench.models.seq2seq.corrector import while_learning
from gecbench.models.seq2seq.encoding import Encoding
from gecbench.models.seq2seq.examples import (
    Example,
    collated,
    examples_of,
    likelihood,
    weight_of,
)
from gecbench.models.seq2seq.network import positions_of
from gecbench.models.seq2seq.torch_search import TorchSearch
from gecbench.models.seq2seq.vocabulary import added_characters
from gecbench.models.training.config import Robust
from gecbench.models.training.task import Batch, Prepared


class Seq2SeqTask:
    """Learns to write targets, token by token, given what stands before."""

    def __init__(
        self,
        config: Seq2SeqConfig,
        network: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        encoding: Encoding,
    ) -> None:
        """Take a network and how it is to learn.

        Args:
            config: Of the run.
            network: With rows for all tokens.
            tokenizer: As it will be saved.
            encoding: Of its texts.
        """
        self._config = config
        self._network = network
        self._tokenizer = tokenizer
        self._encoding = encoding
        if share := config.model.source_token_dropout:
            blank_sources(network, share)

    @property
    def module(self) -> PreTrainedModel:
        """The network; its forward pass takes a batch's tensors as keywords."""
        return self._network

    def prepare(self, pairs: Sequence[Pair]) -> Prepared[Example]:
        """Return an example of each pair that is short enough, or cut."""
        table = self._config.model
        found = examples_of(self._encoding, pairs, table.max_length, cut=table.longer == "cut")
        if table.extend_vocabulary is None:
            return found
        added = {"characters added to the vocabulary": added_characters(self._tokenizer)}
        return replace(found, counted={**found.counted, **added})

    def length(self, example: Example) -> int:
        """Return how many positions the longer side of an example has."""
        return max(len(example.source), len(example.target))

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Return the tensors that transformers calls so, each (sentences, positions)."""
        return collated(examples, self._encoding)

    def weight(self, batch: Batch) -> float:
        """Return the number of target tokens."""
        return weight_of(batch)

    def loss(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Return the summed cross entropy of the target tokens, smoothed."""
        return self.likelihood(self.outputs(module, batch), batch)

    def outputs(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Return the logits of the target tokens, (sentences, positions, vocabulary)."""
        logits: torch.Tensor = module(
            input_ids=batch["input_ids"],
            attention_mask=batch["attention_mask"],
            decoder_input_ids=batch["decoder_input_ids"],
            use_cache=False,
        ).logits
        return logits

    def likelihood(self, outputs: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Return the summed cross entropy of the target tokens, smoothed."""
        return likelihood(outputs, batch, self._config.model.label_smoothing)

    def matches(
        self, twin: Twin, one: Example, two: Example, robust: Robust
    ) -> tuple[tuple[int, int], ...]:
        """Return the places where both targets are to be predicted alike.

        A place is one of the target, so that logits of the same place predict it. What every
        target begins with is compared, too.
        """
        opening = ((k, k) for k in range(len(self._encoding.specials.forced)))
        original = self._said(twin.original.target, one)
        perturbed = self._said(twin.perturbed.target, two)
        kind = self._config.language
        return (*opening, *places_of(twin, original, perturbed, robust, kind))

    def _said(self, target: str, example: Example) -> Said:
        """Return how a target stands in its example."""
        text = target.strip()
        whole = self._encoding.target(text)
        first = len(self._encoding.specials.forced)
        spans = self._encoding.tokenizer.encode(text, add_special_tokens=False).offsets
        end = len(example.target) - 1
        return Said(text, whole[first:-1], spans, first, end, len(whole) == end + 1)

    def rows(
        self, outputs: torch.Tensor, rows: torch.Tensor, places: torch.Tensor, robust: Robust
    ) -> tuple[torch.Tensor]:
        """Return the logits that predict some places of the targets, (places, vocabulary)."""
        return (outputs[rows, places],)

    def freeze(self, *, cold: bool) -> None:
        """Let everything learn; `build` refuses cold epochs, for nothing here is new."""

    def corrector(self) -> Corrector:
        """Return what corrects with the network as it is now."""
        table, encoding = self._config.model, self._encoding
        return while_learning(
            self._config,
            encoding,
            lambda options: TorchSearch(self._network, encoding.specials, options),
            table.correcting,
            max_length=table.max_length,
            positions=positions_of(self._network.config),
        )

    def save(self, folder: Path, made: Mapping[str, object]) -> None:
        """Write the model as `seq2seq:FOLDER`, and transformers itself, load it."""
        table = self._config.model
        if (forced := self._encoding.specials.forced) and self._network.generation_config:
            self._network.generation_config.forced_bos_token_id = forced[-1]
        self._network.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)
        usual = msgspec.to_builtins(type(table.correcting)())
        chosen: dict[str, Any] = msgspec.to_builtins(table.correcting)
        defaults = {name: value for name, value in chosen.items() if value != usual[name]}
        card = Card(
            kind="seq2seq",
            languages=(self._config.language,),
            tokens=self._config.language,
            settings={"prefix": table.prefix, "language_code": table.language_code},
            defaults={"max_length": table.max_length, **defaults},
            about=self._config.about,
            made=made,
        )
        write_card(folder, card)


def blank_sources(network: PreTrainedModel, share: float) -> None:
    """Make a network blank some source tokens whenever it learns, and only then.

    Their embeddings become zero, those of the others grow by 1 / (1 - share), so that the model
    cannot just copy (Junczys-Dowmunt et al. 2018, sec. 3; SynGEC's src_dropout).

    Args:
        network: An encoder-decoder; its encoder gets embeddings in place of ids.
        share: In (0, 1).
    """
    encoder: Any = network.get_encoder()

    def blank(
        module: torch.nn.Module, args: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        ids = options.get("input_ids")
        if not module.training or ids is None:
            return None
        embedded = encoder.get_input_embeddings()(ids)
        stays = torch.rand(ids.shape, device=ids.device) >= share
        blanked = embedded * (stays / (1 - share)).unsqueeze(-1).to(embedded.dtype)
        return args, {**options, "input_ids": None, "inputs_embeds": blanked}

    encoder.register_forward_pre_hook(blank, with_kwargs=True)
