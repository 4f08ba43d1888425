"""The configuration of training an encoder-decoder."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gecbench.models.seq2seq.options import Options
from gecbench.models.training.config import Positive, RunConfig, Share


class Extending(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Adding characters that the vocabulary lacks.

    Args:
        min_count: How often a character must occur in the training pairs, both sides counted.
    """

    min_count: Positive = 5


class Seq2SeqTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The model table of a run.

    Args:
        place: An encoder-decoder to start from: a folder or a name on the hub.
        prefix: Text before every source, as "gec: " (T5).
        language_code: What a multilingual model calls the language, as zh_CN (mBART).
        max_length: Longest source and target in tokens, specials included (MuCGEC: 100).
        longer: What becomes of longer pairs in training. The papers cut; a cut target teaches
            to stop early, so that dropping is the default.
        label_smoothing: Share of the loss that is about all tokens alike.
        dropout: Of the network; absent leaves the checkpoint's.
        source_token_dropout: Share of source tokens whose embedding is blanked in training
            (SynGEC: 0.2).
        extend_vocabulary: Adds characters that the vocabulary lacks; absent adds none.
        correcting: Options of inference, while scoring on dev and as defaults afterwards.
    """

    place: str
    prefix: str = ""
    language_code: str = ""
    max_length: Annotated[int, msgspec.Meta(ge=8)] = 100
    longer: Literal["drop", "cut"] = "drop"
    label_smoothing: Share = 0.1
    dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] | None = None
    source_token_dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    extend_vocabulary: Extending | None = None
    correcting: Options = Options()


class Seq2SeqConfig(RunConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run that trains an encoder-decoder.

    Args:
        model: What is trained.
    """

    model: Seq2SeqTable
