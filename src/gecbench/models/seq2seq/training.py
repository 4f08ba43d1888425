"""How an encoder-decoder is configured and built for training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from gecbench.core.errors import UsageError
from gecbench.models.pairs import Pair
from gecbench.models.robust.targets import refuse_for_targets, refuse_without_dropout
from gecbench.models.seq2seq.config import Seq2SeqConfig
from gecbench.models.seq2seq.network import (
    encoding_of,
    network_of,
    positions_of,
    settings_of,
    untrained,
    vocabulary_of,
)
from gecbench.models.seq2seq.task import Seq2SeqTask
from gecbench.models.seq2seq.vocabulary import (
    extend_network,
    extend_tokenizer,
    missing_characters,
)
from gecbench.models.training.kinds import Kind

_DROPOUTS = ("dropout", "dropout_rate")
"""What BART and T5 call it."""


def build(config: Seq2SeqConfig, pairs: Sequence[Pair], kept: Path | None) -> Seq2SeqTask:
    """Return the task of a run; the seed decides the rows of new characters.

    Raises:
        GecbenchError: The model to start from cannot be loaded.
        UsageError: The configuration contradicts itself or the model.
    """
    if config.training.cold_epochs:
        raise UsageError(
            f"training.cold_epochs {config.training.cold_epochs}: nothing in an encoder-decoder "
            "is new and could learn alone; leave it out"
        )
    table = config.model
    for name in ("prefix", "language_code"):
        if getattr(table.correcting, name):
            raise UsageError(f"model.correcting.{name}: say it as model.{name}, for training too")
    place = table.place if kept is None else str(kept)
    settings = settings_of(place)
    _check_lengths(config, settings)
    _set_dropout(settings, table.dropout, place)
    refuse_without_dropout(config.robust, settings.to_dict(), table.source_token_dropout)
    tokenizer = vocabulary_of(place, settings)
    if kept is not None:
        network = untrained(settings)
    else:
        # In 32 bits, whatever the checkpoint has: mixed precision is the loop's business.
        network = network_of(place, settings, tokenizer, dtype=torch.float32)
        _extend(config, pairs, network, tokenizer)
    encoding = encoding_of(
        tokenizer,
        network.config,
        name=place,
        forced=True,
        prefix=table.prefix,
        language_code=table.language_code,
    )
    return Seq2SeqTask(config, network, tokenizer, encoding)


def _extend(
    config: Seq2SeqConfig,
    pairs: Sequence[Pair],
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
) -> None:
    """Add the characters of the pairs that the vocabulary lacks, if it is wanted."""
    wanted = config.model.extend_vocabulary
    if wanted is None:
        return
    texts = (text for pair in pairs for text in (pair.source, pair.target))
    new = missing_characters(tokenizer, texts, wanted.min_count)
    if extend_tokenizer(tokenizer, new):
        extend_network(network, tokenizer, new, seed=config.training.seed)


def _check_lengths(config: Seq2SeqConfig, settings: PreTrainedConfig) -> None:
    """Refuse lengths that the network does not know."""
    table, positions = config.model, positions_of(settings)
    asked = max(table.max_length, table.correcting.max_length)
    if positions and asked > positions:
        raise UsageError(f"model.max_length: {table.place} reads {positions} tokens, not {asked}")


def _set_dropout(settings: PreTrainedConfig, share: float | None, place: str) -> None:
    """Put another dropout into a configuration."""
    if share is None:
        return
    names = [name for name in _DROPOUTS if hasattr(settings, name)]
    if not names:
        raise UsageError(f"model.dropout: {place} ({settings.model_type}) has none; leave it out")
    for name in names:
        setattr(settings, name, share)


def check_robust(config: Seq2SeqConfig) -> None:
    """Refuse what an encoder-decoder cannot honour of the `[robust]` table.

    Raises:
        UsageError: Names the option.
    """
    if config.robust is not None:
        refuse_for_targets(config.robust)


KIND = Kind(Seq2SeqConfig, build, places=("place",), check_robust=check_robust)
"""What the training loop asks of an encoder-decoder."""
