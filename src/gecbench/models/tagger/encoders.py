"""Encoders: any of transformers by name or path, or our own convolution."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec
from torch import nn

from gecbench.backends.hf import config_of, tokenizer_of, weights_of
from gecbench.core.errors import FormatError, GecbenchError
from gecbench.core.files import make_folder, write_bytes
from gecbench.models.tagger.convolution import Convolution, ConvolutionShape
from gecbench.models.tagger.encoding import Encoding, Layout
from gecbench.models.tagger.network import Pretrained
from gecbench.models.tagger.subwords import Subwords

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

_FOLDER = "encoder"
_SHAPE = "convolution"


class Built(NamedTuple):
    """An encoder.

    Args:
        module: Takes ids and mask, returns states.
        width: Of its states.
        rows: Of its embedding: ids are smaller.
    """

    module: nn.Module
    width: int
    rows: int


def encoder_in(folder: Path, settings: Mapping[str, object]) -> Built:
    """Return the encoder of the model in a folder, with random weights.

    Args:
        folder: Of the model.
        settings: Of its card.

    Raises:
        FormatError: The folder does not say what its encoder is.
        GecbenchError: The installed transformers does not know it.
    """
    if _SHAPE in settings:
        try:
            return convolution(msgspec.convert(settings[_SHAPE], ConvolutionShape))
        except msgspec.ValidationError as error:
            raise FormatError(f"{folder}: convolution of its card: {error}") from error
    place = str(folder / _FOLDER)
    return from_config(place, config_of(place))


def convolution(shape: ConvolutionShape) -> Built:
    """Return our own encoder with random weights."""
    return Built(Convolution(shape), shape.width, shape.pieces)


def settings_of(module: nn.Module, shape: ConvolutionShape | None) -> dict[str, object]:
    """Return what a card says of an encoder: `encoder_in` builds it by that."""
    if shape is not None:
        return {"encoder": "convolution", _SHAPE: msgspec.to_builtins(shape)}
    config = cast("Pretrained", module).model.config
    return {"encoder": cast("PreTrainedConfig", config).model_type}


def save_config(module: nn.Module, folder: Path) -> None:
    """Write the configuration of an encoder of transformers; our own is on the card."""
    if isinstance(module, Pretrained):
        config = cast("PreTrainedConfig", module.model.config)
        tables = config.to_dict()
        tables.pop("_name_or_path", None)  # a place on this machine says nothing elsewhere
        make_folder(folder / _FOLDER)
        text = json.dumps(tables, indent=2, sort_keys=True, default=str)
        write_bytes(folder / _FOLDER / "config.json", f"{text}\n".encode())


def pretrained(
    place: str, *, adds_start: bool, max_tokens: int, pieces_per_token: int
) -> tuple[Built, Encoding]:
    """Return an encoder of transformers with its weights, and how it reads.

    Args:
        place: A folder, or a name on the hub.
        adds_start: Whether the embedding grows by a row for $START; else it is the unknown token.
        max_tokens: As `Layout`.
        pieces_per_token: As `Layout`.

    Raises:
        GecbenchError: There is none; it is no encoder; tokenizer and embedding do not fit.
    """
    from transformers import AutoModel

    config = config_of(place)
    _check_encoder(place, config)
    options = {"add_pooling_layer": False} if _has_pooler(config) else {}
    model = weights_of(place, AutoModel, **options)
    if not hasattr(model.get_input_embeddings(), "num_embeddings"):
        raise GecbenchError(f"{place}: {config.model_type} reads no words; name an encoder of text")
    subwords, pad, unknown = _read_by(place, model)
    rows = _rows(model)
    before, after = subwords.around()
    layout = Layout(
        pieces="tokenizer",
        pad=pad,
        unknown=unknown,
        start=rows if adds_start else unknown,
        before=before,
        after=after,
        max_tokens=max_tokens,
        max_positions=positions_of(model.config),
        pieces_per_token=pieces_per_token,
    )
    if adds_start:
        model.resize_token_embeddings(rows + 1, mean_resizing=False)
    return _wrapped(model), Encoding(layout, subwords)


def _read_by(place: str, model: PreTrainedModel) -> tuple[Subwords, int, int]:
    """Return the tokenizer of an encoder, and its ids of padding and of the unknown."""
    tokenizer = tokenizer_of(place)
    subwords = subwords_of(place, tokenizer)
    rows = _rows(model)
    if subwords.size > rows:
        raise GecbenchError(
            f"{place}: its tokenizer has {subwords.size} tokens and its embedding {rows} rows; "
            "they are not of the same model"
        )
    unknown, pad = tokenizer.unk_token_id, tokenizer.pad_token_id
    if not isinstance(unknown, int) or not isinstance(pad, int):
        raise GecbenchError(f"{place}: its tokenizer has no token for padding or the unknown")
    return subwords, pad, unknown


def subwords_of(place: str, tokenizer: PreTrainedTokenizerBase) -> Subwords:
    """Return what cuts as a tokenizer of transformers does.

    Raises:
        GecbenchError: It is of a kind that cannot be written down.
    """
    try:
        return Subwords(cast("Any", tokenizer).backend_tokenizer.to_str())
    except ValueError as error:
        raise GecbenchError(f"{place}: its tokenizer cannot be read: {error}") from error


def positions_of(config: PreTrainedConfig) -> int:
    """Return how many positions an encoder reads, at most."""
    most = getattr(config, "max_position_embeddings", None)
    if not isinstance(most, int) or most <= 0:
        return 1 << 20  # relative positions: nothing but memory bounds them
    # RoBERTa and its kin number positions from behind the id of padding.
    offset = config.pad_token_id + 1 if config.model_type in _BEHIND_PADDING else 0
    return most - offset


_BEHIND_PADDING = (
    "camembert",
    "data2vec-text",
    "ibert",
    "lilt",
    "longformer",
    "luke",
    "markuplm",
    "mpnet",
    "roberta",
    "roberta-prelayernorm",
    "xlm-roberta",
    "xlm-roberta-xl",
    "xmod",
)


def _check_encoder(place: str, config: PreTrainedConfig) -> None:
    """Refuse what writes, and what reads from left to right only."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    kind = config.model_type
    one_way = (
        kind in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
        and kind not in MODEL_FOR_MASKED_LM_MAPPING_NAMES
        and kind != "xlnet"  # the order in which it reads is a matter of its mask
    )
    if one_way or getattr(config, "is_encoder_decoder", False):
        raise GecbenchError(f"{place}: {kind} writes sentences; a tagger needs an encoder, as BERT")


def _has_pooler(config: PreTrainedConfig) -> bool:
    """Say whether the model would bring a layer that nothing uses and that never learns."""
    from transformers import AutoModel

    chosen = AutoModel._model_mapping.get(type(config), None)
    first = chosen[0] if isinstance(chosen, tuple) else chosen
    return first is not None and "add_pooling_layer" in inspect.signature(first).parameters


def from_config(place: str, config: PreTrainedConfig) -> Built:
    """Return an encoder with random weights: nothing is loaded, here or from the hub.

    Raises:
        GecbenchError: The installed transformers cannot build it.
    """
    from transformers import AutoModel

    options = {"add_pooling_layer": False} if _has_pooler(config) else {}
    try:
        model: PreTrainedModel = AutoModel.from_config(  # type: ignore[no-untyped-call]
            config, trust_remote_code=False, **options
        )
    except (ValueError, TypeError, KeyError, RuntimeError) as error:
        first = str(error).strip().splitlines()[0]
        raise GecbenchError(f"{place}: the encoder cannot be built: {first}") from error
    return _wrapped(model)


def _wrapped(model: PreTrainedModel) -> Built:
    # A checkpoint in 16 bits is trained and exported in 32 all the same.
    in_full = cast("nn.Module", model).float()
    return Built(Pretrained(in_full), int(cast("Any", model.config).hidden_size), _rows(model))


def _rows(model: PreTrainedModel) -> int:
    """Return how many ids the embedding of a model has."""
    return int(cast("nn.Embedding", model.get_input_embeddings()).num_embeddings)
