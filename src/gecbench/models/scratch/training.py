"""Training an encoder-decoder from nothing: its configuration, and its task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import torch

from gecbench.backends.transformers import find_device
from gecbench.core.seeding import number
from gecbench.lang import language_of
from gecbench.models.batches import SentencePair
from gecbench.models.scratch.encoding import FIRST, UnitEncoding, build_unit_vocabulary
from gecbench.models.scratch.loading import ScratchOptions
from gecbench.models.scratch.model import (
    BeamSearch,
    ScratchModel,
    UnitSettings,
    read_scratch,
    save_scratch,
)
from gecbench.models.scratch.network import Architecture, EncoderDecoder, Shape
from gecbench.models.syntax.graph import NO_ARC, GraphEncoder, GraphShape, ParsedTask, load_parser
from gecbench.models.syntax.parser import Parser
from gecbench.models.training.config import Below1, Count, Positive, RunConfig, Share
from gecbench.models.training.decoder import DecoderTable, DecoderTask, refuse_cold_epochs
from gecbench.models.training.task import Batch, TrainingKind

_LAYERS: Mapping[str, int] = {"convolutional": 7, "recurrent": 2, "transformer": 6}
_HEADS, _KERNEL, _GROWTH = 8, 3, 4
_ARCHITECTURE_OF: Mapping[str, str] = {
    "heads": "transformer",
    "feedforward": "transformer",
    "kernel": "convolutional",
    "parser": "transformer",
}
"""What one architecture alone has."""


class VocabularyTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which units the network knows, of those in the training pairs, both sides counted.

    Args:
        size: At most so many, the most frequent ones; 0 takes all.
        min_count: How often a unit must occur.
    """

    size: Count = 50_000
    min_count: Positive = 1


class ScratchTable(DecoderTable, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The model table of a run; `DecoderTable` has the rest.

    Args:
        architecture: What reads and writes.
        units: What a position is.
        segmenter: What divides texts into words: jieba, pkuseg, ltp:FOLDER, "en" (words and
            punctuation) or "space"; "" is that of the language, as jieba for Chinese.
        simplify: Whether both sides are made simplified Chinese (OpenCC's t2s) before anything.
        width: Of embeddings and of all layers.
        layers: Of the encoder and of the decoder; absent is 7 (convolutional), 2 (recurrent) or
            6 (transformer).
        heads: Of the transformer's attention; absent is 8.
        feedforward: Width inside the transformer's layers; absent is four times the width.
        kernel: Positions that a convolution sees; absent is 3.
        dropout: Everywhere.
        vocabulary: Which units are known.
        source_token_dropout: Share of source units whose embedding is blanked in training (SynGEC:
            0.2).
        parser: The folder of a parser of sentences with errors: a transformer then has a graph
            encoder over its trees beside its own (SynGEC); "" has none.
        folds: For jack-knifing; see `SyntaxTable`.
        graph_layers: Of the graph encoder; absent is 3.
        share: Of the encoder's own states in what the decoder reads; absent is 0.5.
        graph_dropout: Of the graph encoder; absent takes the network's.
    """

    architecture: Architecture
    units: Literal["characters", "words"] = "characters"
    segmenter: str = ""
    simplify: bool = False
    width: Positive = 512
    layers: Positive | None = None
    heads: Positive | None = None
    feedforward: Positive | None = None
    kernel: Positive | None = None
    dropout: Below1 = 0.2
    vocabulary: VocabularyTable = VocabularyTable()
    source_token_dropout: Below1 = 0.0
    parser: str = ""
    folds: tuple[str, ...] = ()
    graph_layers: Positive | None = None
    share: Share | None = None
    graph_dropout: Below1 | None = None
    correcting: ScratchOptions = ScratchOptions()

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        if self.segmenter and self.units == "characters":
            raise ValueError(
                f'segmenter {self.segmenter!r} divides into words, and units is "characters"'
            )
        if self.correcting.segmenter:
            raise ValueError("correcting.segmenter: say it as model.segmenter, for training too")
        for name, architecture in _ARCHITECTURE_OF.items():
            if getattr(self, name) not in (None, "") and self.architecture != architecture:
                raise ValueError(
                    f"{name} belongs to the {architecture} architecture, and this one is "
                    f"{self.architecture}; leave it out"
                )
        for name in ("folds", "graph_layers", "share", "graph_dropout"):
            if not self.parser and getattr(self, name) not in (None, ()):
                raise ValueError(f"{name} is of correction with syntax; name a parser, too")
        self.shape(1)

    def shape(self, vocabulary: int) -> Shape:
        """Choose the shape of the network for so many rows of its embedding."""
        architecture = self.architecture
        sizes: dict[str, int] = {}
        if architecture == "transformer":
            wide = self.feedforward or _GROWTH * self.width
            sizes = {"heads": self.heads or _HEADS, "feedforward": wide}
        elif architecture == "convolutional":
            sizes = {"kernel": self.kernel or _KERNEL}
        return Shape(
            architecture=architecture,
            vocabulary=vocabulary,
            width=self.width,
            layers=self.layers or _LAYERS[architecture],
            dropout=self.dropout,
            **sizes,
        )

    def graph_shape(self, labels: int) -> GraphShape:
        """Choose the shape of the graph encoder for so many labels of arcs."""
        shape = self.shape(1)
        return GraphShape(
            labels=labels + NO_ARC + 1,
            width=shape.width,
            inner=shape.feedforward,
            layers=self.graph_layers or 3,
            dropout=shape.dropout if self.graph_dropout is None else self.graph_dropout,
            activation="relu",
            share=0.5 if self.share is None else self.share,
            scale=shape.width**0.5,
        )


class ScratchConfig(RunConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run that trains an encoder-decoder from nothing.

    Args:
        model: What is trained.
    """

    model: ScratchTable

    def __post_init__(self) -> None:
        """Refuse to simplify what is not Chinese."""
        if self.model.simplify and language_of(self.language).script != "Hans":
            raise ValueError(f"model.simplify is for Chinese, and language is {self.language!r}")


class ScratchTask(DecoderTask):
    """Learns to write targets, unit by unit, with a network of ours."""

    def __init__(self, config: ScratchConfig, model: ScratchModel) -> None:
        """Take a model and how it is to learn."""
        super().__init__(config, config.model, model.encoding)
        self._model = model
        model.network.source_token_dropout = config.model.source_token_dropout

    @property
    def module(self) -> EncoderDecoder:
        """The network; its forward pass takes sources, their mask, and what the decoder reads."""
        return self._model.network

    def outputs(self, module: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Compute the logits of the target units, (sentences, positions, vocabulary)."""
        names = ("input_ids", "attention_mask", "decoder_input_ids", "weights", "arc_labels")
        logits: torch.Tensor = module(*(batch[name] for name in names if name in batch))
        return logits

    def search(self, options: ScratchOptions) -> BeamSearch:
        """Wrap the network as it is now in a search for answers."""
        return self._model.search(options)

    def save(self, folder: Path, provenance: Mapping[str, object]) -> None:
        """Write the model as `scratch:FOLDER` loads it."""
        save_scratch(self._model, folder, self.card(provenance))


class SyntaxScratchTask(ParsedTask, ScratchTask):
    """The same with the trees of sources; everything learns together."""

    def __init__(self, config: ScratchConfig, model: ScratchModel, parser: Parser) -> None:
        """Take a model with a graph encoder, and the parser of sources."""
        super().__init__(config, model)
        self.parse_with(parser, config.model.folds)


def build(
    config: ScratchConfig, pairs: Sequence[SentencePair], checkpoint: Path | None
) -> ScratchTask:
    """Build the task of a run; the seed decides the first weights.

    Raises:
        GecbenchError: The segmenter or OpenCC cannot be used.
        UsageError: The configuration contradicts itself or the pairs.
    """
    refuse_cold_epochs(config, "everything in a network from scratch is new, so nothing can wait")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(number(config.training.seed, "scratch weights"))
        model = (
            read_scratch(checkpoint, with_weights=False)
            if checkpoint
            else _new_model(config, pairs)
        )
    if (parser := model.parser) is None:
        return ScratchTask(config, model)
    parser.network.to(find_device(""))
    return SyntaxScratchTask(config, model, parser)


def _new_model(config: ScratchConfig, pairs: Sequence[SentencePair]) -> ScratchModel:
    """Build a model that knows nothing but its vocabulary."""
    table = config.model
    unit_settings = UnitSettings(
        units=table.units, segmenter=table.segmenter, simplify=table.simplify
    )
    encoding, versions = unit_settings.encoding(config.language)
    units = build_unit_vocabulary(
        (text.strip() for pair in pairs for text in (pair.source, pair.target)),
        encoding.divide,
        size=table.vocabulary.size,
        min_count=table.vocabulary.min_count,
    )
    parser = load_parser(table.parser) if table.parser else None
    graph_shape = table.graph_shape(len(parser.shape.labels)) if parser else None
    graph = GraphEncoder(**msgspec.structs.asdict(graph_shape)) if graph_shape else None
    return ScratchModel(
        unit_settings=unit_settings,
        versions=versions,
        encoding=UnitEncoding(units, encoding.divider, encoding.simplify),
        network=EncoderDecoder(table.shape(len(units) + FIRST), graph),
        graph=graph_shape,
        parser=parser,
    )


KIND = TrainingKind(ScratchConfig, build, paths=("parser", "folds"))
