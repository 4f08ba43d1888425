"""What an encoder-decoder brings to the training loop."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import torch
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from gecbench.core.corrector import Corrector, CorrectorInfo
from gecbench.models.folder import Card, write_card
from gecbench.models.pairs import Pair
from gecbench.models.seq2seq.config import Seq2SeqConfig
from gecbench.models.seq2seq.corrector import Seq2Seq, about
from gecbench.models.seq2seq.encoding import Encoding
from gecbench.models.seq2seq.network import positions_of
from gecbench.models.seq2seq.torch_search import TorchSearch
from gecbench.models.seq2seq.vocabulary import added_characters
from gecbench.models.training.task import Batch, Prepared

_IGNORED = -100


class Example(NamedTuple):
    """A pair in token ids.

    Args:
        source: With specials.
        target: What the decoder is to say, the end included.
    """

    source: array[int]
    target: array[int]


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
        longest, cut = self._config.model.max_length, self._config.model.longer == "cut"
        examples = []
        dropped: Counter[str] = Counter()
        counted: Counter[str] = Counter()
        for pair in pairs:
            source = self._encoding.source(pair.source.strip()).ids
            target = self._encoding.target(pair.target.strip())
            if not pair.source.strip() or not pair.target.strip():
                dropped["empty source or target"] += 1
            elif max(len(source), len(target)) <= longest:
                examples.append(Example(array("i", source), array("i", target)))
            elif cut:
                counted[f"pairs cut to {longest} tokens"] += 1
                examples.append(self._cut(source, target, longest))
            else:
                dropped[f"longer than {longest} tokens"] += 1
        self._count_unknown(examples, counted)
        if self._config.model.extend_vocabulary is not None:
            counted["characters added to the vocabulary"] = added_characters(self._tokenizer)
        return Prepared(examples, dropped, counted)

    def _cut(self, source: Sequence[int], target: Sequence[int], longest: int) -> Example:
        """Return an example whose ends are kept and whose texts are cut."""
        after = self._encoding.specials.after
        if len(source) > longest:
            source = (*source[: longest - len(after)], *after)
        if len(target) > longest:
            target = (*target[: longest - 1], self._encoding.specials.end)
        return Example(array("i", source), array("i", target))

    def _count_unknown(self, examples: Sequence[Example], counted: Counter[str]) -> None:
        unknown = self._encoding.specials.unknown
        if unknown is None:
            return
        for name, sides in (
            ("sources", (each.source for each in examples)),
            ("targets", (each.target for each in examples)),
        ):
            if number := sum(side.count(unknown) for side in sides):
                counted[f"unknown tokens in {name}"] = number

    def length(self, example: Example) -> int:
        """Return how many positions the longer side of an example has."""
        return max(len(example.source), len(example.target))

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Return the tensors that transformers calls so, each (sentences, positions)."""
        pad, start = self._encoding.specials.pad, self._encoding.specials.start
        sources = [each.source.tolist() for each in examples]
        targets = [each.target.tolist() for each in examples]
        return {
            "input_ids": _padded(sources, pad),
            "attention_mask": _padded([[1] * len(each) for each in sources], 0),
            "decoder_input_ids": _padded([[start, *each[:-1]] for each in targets], pad),
            "labels": _padded(targets, _IGNORED),
        }

    def weight(self, batch: Batch) -> float:
        """Return the number of target tokens."""
        return float((batch["labels"] != _IGNORED).sum())

    def loss(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Return the summed cross entropy of the target tokens, smoothed."""
        logits = module(
            input_ids=batch["input_ids"],
            attention_mask=batch["attention_mask"],
            decoder_input_ids=batch["decoder_input_ids"],
            use_cache=False,
        ).logits
        return cross_entropy(
            logits.float().flatten(0, 1),
            batch["labels"].flatten(),
            ignore_index=_IGNORED,
            label_smoothing=self._config.model.label_smoothing,
            reduction="sum",
        )

    def freeze(self, *, cold: bool) -> None:
        """Let everything learn; `build` refuses cold epochs, for nothing here is new."""

    def corrector(self) -> Corrector:
        """Return what corrects with the network as it is now."""
        table = self._config.model
        options = table.correcting
        options = msgspec.structs.replace(
            options, max_length=options.max_length or table.max_length
        )
        languages = (self._config.language,)
        info = CorrectorInfo(
            name=self._config.name,
            kind="seq2seq",
            languages=languages,
            about=self._config.about or about(languages),
            signature={"corrector": "seq2seq", "model": "in training"},
        )
        search = TorchSearch(self._network, self._encoding.specials, options)
        tokens = self._config.language if options.tokens == "auto" else options.tokens
        positions = positions_of(self._network.config)
        return Seq2Seq(info, self._encoding, search, options, tokens, positions)

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


def _padded(rows: Sequence[Sequence[int]], fill: int) -> torch.Tensor:
    """Return rows as a matrix as wide as the longest."""
    longest = max(len(row) for row in rows)
    return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows])
