"""Training an encoder-decoder: its configuration, and its task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import msgspec
import torch
from transformers import (
    AutoModelForSeq2SeqLM,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from gecbench.core.errors import UsageError
from gecbench.models.batches import SentencePair
from gecbench.models.folder import write_card
from gecbench.models.robust.pairs import (
    DecoderTarget,
    check_decoder,
    check_dropout,
)
from gecbench.models.seq2seq.corrector import Search, Seq2SeqOptions
from gecbench.models.seq2seq.encoding import SubwordEncoding
from gecbench.models.seq2seq.network import (
    TorchSearch,
    add_characters,
    build_subword_encoding,
    load_fitting_tokenizer,
    load_network,
    load_seq2seq_config,
    max_positions,
)
from gecbench.models.training.config import Below1, Positive, RunConfig, Share
from gecbench.models.training.decoder import (
    ComparableTargetTask,
    DecoderExample,
    DecoderTable,
    DecoderTask,
    refuse_cold_epochs,
)
from gecbench.models.training.task import Batch, Dataset, TrainingKind


class Extension(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Adding characters that the vocabulary lacks.

    Args:
        min_count: How often a character must occur in the training pairs, both sides counted.
    """

    min_count: Positive = 5


class Seq2SeqTable(DecoderTable, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The model table of a run; `DecoderTable` has the rest.

    Args:
        place: An encoder-decoder to start from: a folder or a name on the hub.
        prefix: Text before every source, as "gec: " (T5).
        language_code: What a multilingual model calls the language, as zh_CN (mBART).
        longer: What becomes of longer pairs in training. The papers cut; a cut target teaches
            to stop early, so that dropping is the default.
        dropout: Of the network; absent leaves the checkpoint's.
        source_token_dropout: Share of source tokens whose embedding is blanked in training
            (SynGEC: 0.2).
        extend_vocabulary: Adds characters that the vocabulary lacks; absent adds none.
    """

    place: str
    prefix: str = ""
    language_code: str = ""
    longer: Literal["drop", "cut"] = "drop"
    label_smoothing: Share = 0.1
    dropout: Below1 | None = None
    source_token_dropout: Below1 = 0.0
    extend_vocabulary: Extension | None = None
    correcting: Seq2SeqOptions = Seq2SeqOptions()


class Seq2SeqConfig(RunConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run that trains an encoder-decoder.

    Args:
        model: What is trained.
    """

    model: Seq2SeqTable


class Seq2SeqTask(DecoderTask, ComparableTargetTask[DecoderExample]):
    """Learns to write targets with a network of transformers."""

    encoding: SubwordEncoding

    def __init__(
        self,
        config: Seq2SeqConfig,
        network: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        encoding: SubwordEncoding,
    ) -> None:
        """Take a network with rows for all tokens of its tokenizer, as it will be saved."""
        super().__init__(config, config.model, encoding)
        self._table = config.model
        self._network = network
        self._tokenizer = tokenizer
        self.positions = max_positions(network.config)
        self.truncates = config.model.longer == "cut"
        if share := config.model.source_token_dropout:
            blank_sources(network, share)

    @property
    def module(self) -> torch.nn.Module:
        """The network; its forward pass takes a batch's tensors as keywords."""
        network: torch.nn.Module = self._network
        return network

    def prepare(self, items: Sequence[SentencePair]) -> Dataset[DecoderExample]:
        """Turn pairs into examples, where they are short enough, or can be cut."""
        dataset = super().prepare(items)
        if self._table.extend_vocabulary is None:
            return dataset
        added = sum(len(token) == 1 for token in self._tokenizer.get_added_vocab())
        counts = {**dataset.counts, "characters added to the vocabulary": added}
        return replace(dataset, counts=counts)

    def outputs(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Compute the logits of the target tokens, (sentences, positions, vocabulary)."""
        names = ("input_ids", "attention_mask", "decoder_input_ids")
        logits: torch.Tensor = module(
            **{name: batch[name] for name in names}, use_cache=False
        ).logits
        return logits

    def locate_target(self, text: str, example: DecoderExample) -> DecoderTarget:
        """Locate the tokens of a target; the logits of the same places predict them."""
        ids = self.encoding.target_ids(text)
        first = len(self.encoding.specials.forced)
        spans = self.encoding.tokenizer.encode(text, add_special_tokens=False).offsets
        end = len(example.target) - 1
        return DecoderTarget(text, ids[first:-1], spans, first, end, len(ids) == end + 1, first)

    def search(self, options: Seq2SeqOptions) -> Search:
        """Wrap the network as it is now in a search for answers."""
        return TorchSearch(self._network, self.encoding.specials, options)

    def save(self, folder: Path, provenance: Mapping[str, object]) -> None:
        """Write the model as `seq2seq:FOLDER`, and transformers itself, load it."""
        if (forced := self.encoding.specials.forced) and self._network.generation_config:
            self._network.generation_config.forced_bos_token_id = forced[-1]
        self._network.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)
        table = self._table
        settings = {"prefix": table.prefix, "language_code": table.language_code}
        write_card(folder, self.card(provenance, **settings, **self.more_settings()))

    def more_settings(self) -> dict[str, object]:
        """What else the model's card is to say."""
        return {}


def blank_sources(network: PreTrainedModel, share: float) -> None:
    """Make a network blank some source tokens whenever it learns, and only then.

    Their embeddings become zero, those of the others grow by 1 / (1 - share), so that the model
    cannot just copy (Junczys-Dowmunt et al. 2018, sec. 3; SynGEC's src_dropout).

    Args:
        network: An encoder-decoder; its encoder gets embeddings in place of ids.
        share: In (0, 1).
    """

    def blank(
        encoder: Any, args: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        ids = options.get("input_ids")
        if not encoder.training or ids is None:
            return None
        embedded = encoder.get_input_embeddings()(ids)
        stays = torch.rand(ids.shape, device=ids.device) >= share
        blanked = embedded * (stays / (1 - share)).unsqueeze(-1).to(embedded.dtype)
        return args, {**options, "input_ids": None, "inputs_embeds": blanked}

    network.get_encoder().register_forward_pre_hook(blank, with_kwargs=True)


def build(
    config: Seq2SeqConfig, pairs: Sequence[SentencePair], checkpoint: Path | None
) -> Seq2SeqTask:
    """Build the task of a run; the seed decides the rows of new characters.

    Raises:
        GecbenchError: The model to start from cannot be loaded.
        UsageError: The configuration contradicts itself or the model.
    """
    refuse_cold_epochs(config, "nothing in an encoder-decoder is new and could learn alone")
    return Seq2SeqTask(config, *load_parts(config, pairs, checkpoint))


def load_parts(
    config: Seq2SeqConfig,
    pairs: Sequence[SentencePair],
    checkpoint: Path | None,
    *,
    with_weights: bool = False,
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase, SubwordEncoding]:
    """Load network, tokenizer and encoding for a run.

    Args:
        config: Of the run.
        pairs: To learn, for new characters.
        checkpoint: The model of a run that is resumed.
        with_weights: Load those of the checkpoint; else they are random, for the run has its own.
    """
    table = config.model
    for name in ("prefix", "language_code"):
        if getattr(table.correcting, name):
            raise UsageError(f"model.correcting.{name}: say it as model.{name}, for training too")
    place = str(checkpoint or table.place)
    settings = load_seq2seq_config(place)
    longest, positions = max(table.max_length, table.correcting.max_length), max_positions(settings)
    if positions and longest > positions:
        raise UsageError(f"model.max_length: {table.place} reads {positions} tokens, not {longest}")
    _set_dropout(settings, table.dropout, place)
    check_dropout(config.robust, settings.to_dict(), table.source_token_dropout)
    tokenizer = load_fitting_tokenizer(place, settings)
    if checkpoint is not None and not with_weights:
        auto: Any = AutoModelForSeq2SeqLM
        network: PreTrainedModel = auto.from_config(settings)
    else:
        # In 32 bits, whatever the checkpoint has: mixed precision is the loop's business.
        network = load_network(place, settings, tokenizer, dtype=torch.float32)
        if checkpoint is None and (extension := table.extend_vocabulary):
            texts = (text for pair in pairs for text in (pair.source, pair.target))
            seed, count = config.training.seed, extension.min_count
            add_characters(network, tokenizer, texts, min_count=count, seed=seed)
    encoding = build_subword_encoding(
        tokenizer,
        network.config,
        name=place,
        forced=True,
        prefix=table.prefix,
        language_code=table.language_code,
    )
    return network, tokenizer, encoding


def _set_dropout(settings: PreTrainedConfig, share: float | None, place: str) -> None:
    """Put another dropout into a configuration, by what BART and T5 call it."""
    if share is None:
        return
    names = [name for name in ("dropout", "dropout_rate") if hasattr(settings, name)]
    if not names:
        raise UsageError(f"model.dropout: {place} ({settings.model_type}) has none; leave it out")
    for name in names:
        setattr(settings, name, share)


KIND = TrainingKind(
    Seq2SeqConfig,
    build,
    paths=("place",),
    check_robust=lambda config: check_decoder(config.robust),
)
