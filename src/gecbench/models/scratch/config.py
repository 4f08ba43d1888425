"""The configuration of training an encoder-decoder from nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from gecbench.models.scratch.options import ScratchOptions
from gecbench.models.scratch.shape import Architecture, Shape
from gecbench.models.training.config import Count, Positive, RunConfig, Share

_LAYERS: Mapping[str, int] = {"convolutional": 7, "recurrent": 2, "transformer": 6}
_HEADS, _KERNEL, _GROWTH = 8, 3, 4
_OF: Mapping[str, str] = {
    "heads": "transformer",
    "feedforward": "transformer",
    "kernel": "convolutional",
}
"""Sizes that one architecture alone has."""


class Vocabulary(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which units the network knows, of those in the training pairs, both sides counted.

    Args:
        size: At most so many, the most frequent ones; 0 takes all.
        min_count: How often a unit must occur.
    """

    size: Count = 50_000
    min_count: Positive = 1


class ScratchTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The model table of a run.

    Args:
        architecture: What reads and writes.
        units: What a position is.
        segmenter: What divides texts into words: jieba, pkuseg, ltp:FOLDER, "en" (words and
            punctuation) or "space"; "" is jieba for Chinese and "en" for English.
        simplify: Whether both sides are made simplified Chinese (OpenCC's t2s) before anything.
        width: Of embeddings and of all layers.
        layers: Of the encoder and of the decoder; absent is 7 (convolutional), 2 (recurrent) or
            6 (transformer).
        heads: Of the transformer's attention; absent is 8.
        feedforward: Width inside the transformer's layers; absent is four times the width.
        kernel: Positions that a convolution sees; absent is 3.
        dropout: Everywhere.
        vocabulary: Which units are known.
        max_length: Longest source and target in units, the end included.
        label_smoothing: Share of the loss that is about all units alike.
        correcting: Options of inference, while scoring on dev and as defaults afterwards.
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
    dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.2
    vocabulary: Vocabulary = Vocabulary()
    max_length: Annotated[int, msgspec.Meta(ge=8)] = 100
    label_smoothing: Share = 0.0
    correcting: ScratchOptions = ScratchOptions()

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        if self.segmenter and self.units == "characters":
            raise ValueError(
                f'segmenter {self.segmenter!r} divides into words, and units is "characters"'
            )
        if self.correcting.segmenter:
            raise ValueError("correcting.segmenter: say it as model.segmenter, for training too")
        for name, architecture in _OF.items():
            if getattr(self, name) is not None and self.architecture != architecture:
                raise ValueError(
                    f"{name} belongs to the {architecture} architecture, and this one is "
                    f"{self.architecture}; leave it out"
                )
        self.shape(1)

    def shape(self, vocabulary: int) -> Shape:
        """Return the shape of the network for so many rows of its embedding."""
        architecture = self.architecture
        of_its_own: dict[str, int] = {}
        if architecture == "transformer":
            wide = self.feedforward or _GROWTH * self.width
            of_its_own = {"heads": self.heads or _HEADS, "feedforward": wide}
        elif architecture == "convolutional":
            of_its_own = {"kernel": self.kernel or _KERNEL}
        return Shape(
            architecture=architecture,
            vocabulary=vocabulary,
            width=self.width,
            layers=self.layers or _LAYERS[architecture],
            dropout=self.dropout,
            **of_its_own,
        )


class ScratchConfig(RunConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run that trains an encoder-decoder from nothing.

    Args:
        model: What is trained.
    """

    model: ScratchTable

    def __post_init__(self) -> None:
        """Refuse to simplify what is not Chinese."""
        if self.model.simplify and self.language != "zh":
            raise ValueError(f"model.simplify is for Chinese, and language is {self.language!r}")
