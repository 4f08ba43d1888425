"""The `[model]` table of a tagger's training run."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gecbench.models.tagger.options import Deciding
from gecbench.models.training.config import Count, Positive, RunConfig, Share

Dropout = Annotated[float, msgspec.Meta(ge=0, lt=1)]


class ConvolutionTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Sizes of our own encoder; with `encoder = "convolution"` only.

    Args:
        pieces: Characters, tokens and endings that it knows, at most; all characters of the
            training pairs count and stay.
        width: Of each position.
        kernel: Positions that a convolution sees; odd.
        dilations: How far apart they are, one number a layer.
        dropout: After each layer.
    """

    pieces: Positive = 8000
    width: Positive = 192
    kernel: Positive = 3
    dilations: tuple[Positive, ...] = (1, 2, 4, 1)
    dropout: Dropout = 0.1

    def __post_init__(self) -> None:
        """Refuse a kernel that has no middle."""
        if self.kernel % 2 == 0:
            raise ValueError(f"kernel {self.kernel} is even, so it has no middle; make it odd")


class TaggerTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is trained.

    Args:
        encoder: "convolution", or a model of transformers: a name on the hub, or a folder.
        continue_from: The folder of a tagger that gecbench made: the run starts with its
            weights, labels and reading, as the later stages of GECToR do. Then nothing else
            that shapes the network may be said.
        tokens: What labels are given to, a name of `text.tokens`; "" is that of the language.
            "space" is for corpora that are tokenised already.
        labels: A file of labels, one a line or a JSON list; "" counts those of the training
            pairs.
        min_count: Labels that occur less often become unknown.
        size: Labels at most, the most frequent first; 0 does not bound them.
        start: Whether $START has a row of its own in the embedding ("added") or is read as the
            unknown token ("unknown"); "" adds it in English, as the official models.
        max_tokens: Tokens that are read of a sentence; the rest stays as it is.
        subwords_per_token: What a token has beyond so many is not read.
        dropout: Before the head of labels.
        label_smoothing: Of labels; detection has none.
        reduction: Whether every token weighs the same in the loss, or every sentence.
        train_rounds: How many rounds of a pair are learned. With 1, as the papers have it, the
            source and a first label of each token; with more also what is left to do after it,
            and that nothing is when the target is reached.
        convolution: Sizes of our own encoder.
        correcting: How the model corrects where nobody says otherwise: on dev, and on its card.
    """

    encoder: str = "convolution"
    continue_from: str = ""
    tokens: Literal["", "zh", "en", "space"] = ""
    labels: str = ""
    min_count: Positive = 1
    size: Count = 0
    start: Literal["", "added", "unknown"] = ""
    max_tokens: Positive = 200
    subwords_per_token: Positive = 5
    dropout: Dropout = 0.0
    label_smoothing: Share = 0.0
    reduction: Literal["token", "sentence"] = "token"
    train_rounds: Positive = 1
    convolution: ConvolutionTable = ConvolutionTable()
    correcting: Deciding = Deciding()


class TaggerConfig(RunConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run that trains a tagger.

    Args:
        model: What is trained.
    """

    model: TaggerTable = TaggerTable()
