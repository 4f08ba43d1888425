"""How a tagger is configured and built for training."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import msgspec
import torch

from gecbench.core.errors import UsageError
from gecbench.core.seeding import number
from gecbench.models.pairs import Pair
from gecbench.models.tagger.config import TaggerConfig, TaggerTable
from gecbench.models.tagger.convolution import ConvolutionShape
from gecbench.models.tagger.encoders import Built, convolution, pretrained
from gecbench.models.tagger.encoding import Encoding
from gecbench.models.tagger.examples import counted_labels
from gecbench.models.tagger.model import TaggerModel, read_model
from gecbench.models.tagger.network import Tagger
from gecbench.models.tagger.pieces import own_encoding, own_pieces
from gecbench.models.tagger.task import TaggerTask
from gecbench.models.tags.vocabulary import LabelVocabulary, build_vocabulary, read_vocabulary
from gecbench.models.training.kinds import Kind
from gecbench.text.tokens import token_texts

_OWN = "convolution"
_SHAPING = (
    "encoder",
    "tokens",
    "labels",
    "min_count",
    "size",
    "start",
    "max_tokens",
    "subwords_per_token",
    "convolution",
)
"""Keys that a tagger to go on from has decided already."""


def build(config: TaggerConfig, pairs: Sequence[Pair], kept: Path | None) -> TaggerTask:
    """Return the task of a run; the seed decides the new weights.

    Raises:
        GecbenchError: The encoder or the tagger to go on from cannot be loaded.
        UsageError: The configuration contradicts itself.
    """
    table = config.model
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(number(config.training.seed, "tagger weights"))
        if kept is not None:
            model = read_model(kept, with_weights=False)
        elif table.continue_from:
            model = _continued(config)
        else:
            model = _new(config, pairs)
    model.network.dropout.p = table.dropout
    if config.robust is not None and config.robust.method == "r-drop":
        _check_dropout(model.network)
    defaults = msgspec.to_builtins(table.correcting)
    named = dataclasses.replace(
        model,
        name=config.name,
        about=config.about,
        dropout=table.dropout,
        defaults=defaults,
    )
    return TaggerTask(named, table)


def _check_dropout(network: Tagger) -> None:
    """Refuse to compare two passes that are the same.

    Raises:
        UsageError: Nothing in the network drops out.
    """
    # Some encoders have modules of such names that drop nothing themselves.
    found = (one for one in network.modules() if "Dropout" in type(one).__name__)
    shares = (getattr(one, "p", 0) for one in found)
    if not any(shares):
        raise UsageError(
            'robust.method "r-drop" compares two passes under dropout, and there is none: raise '
            "model.dropout"
        )


def _continued(config: TaggerConfig) -> TaggerModel:
    """Return a tagger that was trained before, with its weights."""
    table, usual = config.model, TaggerTable()
    if said := [name for name in _SHAPING if getattr(table, name) != getattr(usual, name)]:
        raise UsageError(
            f"model.{said[0]} cannot be chosen anew where model.continue_from names a tagger, "
            "which has its own; leave it out"
        )
    model = read_model(Path(table.continue_from))
    if model.language != config.language:
        raise UsageError(
            f"{table.continue_from}: corrects {model.language}, the run is for {config.language}"
        )
    return model


def _new(config: TaggerConfig, pairs: Sequence[Pair]) -> TaggerModel:
    """Return a tagger whose heads, at least, know nothing."""
    table = config.model
    kind = table.tokens or config.language
    vocabulary = _labels(config, pairs, kind)
    shape = None
    if table.encoder == _OWN:
        encoder, encoding, shape = _own(table, pairs, kind)
    else:
        start = table.start or ("added" if config.language == "en" else "unknown")
        encoder, encoding = pretrained(
            table.encoder,
            adds_start=start == "added",
            max_tokens=table.max_tokens,
            pieces_per_token=table.subwords_per_token,
        )
    return TaggerModel(
        name=config.name,
        language=config.language,
        tokens=kind,
        about=config.about,
        vocabulary=vocabulary,
        encoding=encoding,
        network=Tagger(encoder.module, encoder.width, len(vocabulary), table.dropout),
        shape=shape,
    )


def _labels(config: TaggerConfig, pairs: Sequence[Pair], kind: str) -> LabelVocabulary:
    """Return the labels of a file, or those of the pairs."""
    table = config.model
    if table.labels:
        return read_vocabulary(Path(table.labels))
    counter = counted_labels(pairs, kind, config.language, table.train_rounds)
    return build_vocabulary(counter, min_count=table.min_count, size=table.size or None)


def _own(
    table: TaggerTable, pairs: Sequence[Pair], kind: str
) -> tuple[Built, Encoding, ConvolutionShape]:
    """Return our own encoder; both sides of pairs say what it may read in later rounds."""
    if table.start:
        raise UsageError("model.start is about encoders of transformers; leave it out")
    texts = (text for pair in pairs for text in (pair.source, pair.target))
    pieces = own_pieces((token_texts(text, kind) for text in texts), table.convolution.pieces)
    encoding = own_encoding(
        pieces,
        max_tokens=table.max_tokens,
        max_positions=(table.max_tokens + 1) * table.subwords_per_token,
        pieces_per_token=table.subwords_per_token,
    )
    layout, sizes = encoding.layout, table.convolution
    shape = ConvolutionShape(
        pieces=pieces.size,
        pad=layout.pad,
        unknown=layout.unknown,
        width=sizes.width,
        kernel=sizes.kernel,
        dilations=sizes.dilations,
        dropout=sizes.dropout,
    )
    return convolution(shape), encoding, shape


def check_robust(config: TaggerConfig) -> None:
    """Refuse what a tagger cannot honour of the `[robust]` table.

    Raises:
        UsageError: Names the first such option.
    """
    table, robust = config.model, config.robust
    if table.reduction != "token":
        raise UsageError(
            f'model.reduction "{table.reduction}" does not go with [robust], whose likelihood and '
            'divergence are reduced alike: leave it out, or say robust.reduction = "sentence-sum"'
        )
    if table.train_rounds > 1:
        raise UsageError(
            f"model.train_rounds {table.train_rounds} does not go with [robust]: sentences of "
            "later rounds have no counterpart to be compared with; leave it out"
        )
    if robust is not None and robust.sources_too:
        raise UsageError(
            "robust.sources_too is about targets that are written anew; a tagger compares sources "
            "already, so leave it out"
        )


KIND = Kind(
    TaggerConfig,
    build,
    places=("encoder", "continue_from", "labels"),
    check_robust=check_robust,
)
