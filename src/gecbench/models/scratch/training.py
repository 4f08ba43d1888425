"""How one of our encoder-decoders is configured and built for training."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import torch

from gecbench.core.errors import UsageError
from gecbench.core.seeding import number
from gecbench.models.pairs import Pair
from gecbench.models.scratch.config import ScratchConfig
from gecbench.models.scratch.encoding import UnitEncoding
from gecbench.models.scratch.model import Reads, ScratchModel, divider_of, read_model
from gecbench.models.scratch.network import EncoderDecoder
from gecbench.models.scratch.task import ScratchTask, defaults_of
from gecbench.models.scratch.vocabulary import FIRST, build_vocabulary
from gecbench.models.training.kinds import Kind


def build(config: ScratchConfig, pairs: Sequence[Pair], kept: Path | None) -> ScratchTask:
    """Return the task of a run; the seed decides the first weights.

    Raises:
        GecbenchError: The segmenter or OpenCC cannot be used.
        UsageError: The configuration contradicts itself or the pairs.
    """
    if config.training.cold_epochs:
        raise UsageError(
            f"training.cold_epochs {config.training.cold_epochs}: everything in a network from "
            "scratch is new, so nothing can wait; leave it out"
        )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(number(config.training.seed, "scratch weights"))
        model = read_model(kept, with_weights=False) if kept else _new(config, pairs)
    model = dataclasses.replace(model, about=config.about, defaults=defaults_of(config))
    return ScratchTask(config, model)


def _new(config: ScratchConfig, pairs: Sequence[Pair]) -> ScratchModel:
    """Return a model that knows nothing but its vocabulary."""
    table = config.model
    reads = Reads(units=table.units, segmenter=table.segmenter, simplify=table.simplify)
    divider, simplify, made_with = divider_of(reads, config.language)
    bare = UnitEncoding((), divider, simplify)
    units = build_vocabulary(
        (text.strip() for pair in pairs for text in (pair.source, pair.target)),
        bare.divided,
        size=table.vocabulary.size,
        min_count=table.vocabulary.min_count,
    )
    return ScratchModel(
        language=config.language,
        about=config.about,
        reads=reads,
        made_with=made_with,
        encoding=dataclasses.replace(bare, units=units),
        network=EncoderDecoder(table.shape(len(units) + FIRST)),
    )


KIND = Kind(ScratchConfig, build)
"""What the training loop asks of our encoder-decoders."""
