"""A tagger as a whole: network, labels and reading; its folder is written and read here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from gecbench.core.errors import FormatError, GecbenchError
from gecbench.models.folder import Card, read_card, write_card
from gecbench.models.tagger.convolution import ConvolutionShape
from gecbench.models.tagger.encoders import encoder_in, save_config, settings_of
from gecbench.models.tagger.encoding import Encoding, encoding_in
from gecbench.models.tagger.network import Tagger
from gecbench.models.tagger.runtime import LABELS
from gecbench.models.tags.vocabulary import (
    LabelVocabulary,
    read_vocabulary,
    write_vocabulary,
)

WEIGHTS = "model.safetensors"


@dataclass(frozen=True, slots=True)
class TaggerModel:
    """All that a tagger consists of.

    Args:
        name: As tables show it.
        language: zh or en.
        tokens: The kind of tokens that labels are given to.
        about: One line for people.
        vocabulary: Its labels.
        encoding: How it reads.
        network: Its weights.
        shape: Of the convolution; None where the encoder is one of transformers.
        dropout: Before the head of labels, while it learns.
        defaults: Options of inference that were chosen for it.
    """

    name: str
    language: str
    tokens: str
    about: str
    vocabulary: LabelVocabulary
    encoding: Encoding
    network: Tagger
    shape: ConvolutionShape | None = None
    dropout: float = 0.0
    defaults: Mapping[str, object] = field(default_factory=dict)


def save_model(model: TaggerModel, folder: Path, made: Mapping[str, object]) -> None:
    """Write a tagger into an empty folder."""
    settings = {
        "name": model.name,
        "labels": model.vocabulary.hash,
        "dropout": model.dropout,
        **settings_of(model.network.encoder, model.shape),
    }
    write_vocabulary(folder / LABELS, model.vocabulary)
    model.encoding.save(folder)
    save_config(model.network.encoder, folder)
    weights = {
        name: tensor.detach().to("cpu").clone().contiguous()
        for name, tensor in model.network.state_dict().items()
    }
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})
    (folder / WEIGHTS).chmod((folder / LABELS).stat().st_mode)  # safetensors writes for us alone
    write_card(
        folder,
        Card(
            kind="tagger",
            languages=(model.language,),
            tokens=model.tokens,
            settings=settings,
            defaults=model.defaults,
            about=model.about,
            made=made,
        ),
    )


def read_model(folder: Path, *, with_weights: bool = True) -> TaggerModel:
    """Return the tagger that a folder holds, on the CPU, in 32 bits.

    Args:
        folder: That `save_model` wrote.
        with_weights: Else they are random: a run that goes on loads its own.

    Raises:
        FormatError: A file is damaged, or files do not belong together.
        GecbenchError: A file is missing.
    """
    card = read_card(folder)
    check_card(folder, card, runtime="torch")
    vocabulary = labels_in(folder, card)
    encoding = encoding_in(folder)
    encoder = encoder_in(folder, card.settings)
    check_ids(folder, encoding, encoder.rows)
    dropout = card.settings.get("dropout", 0.0)
    if not isinstance(dropout, int | float):
        raise FormatError(f"{folder}: dropout of its card is no number: {dropout!r}")
    network = Tagger(encoder.module, encoder.width, len(vocabulary), float(dropout))
    if with_weights:
        load_weights(network, folder / WEIGHTS, vocabulary)
    return TaggerModel(
        name=str(card.settings.get("name", folder.name)),
        language=card.languages[0],
        tokens=card.tokens,
        about=card.about,
        vocabulary=vocabulary,
        encoding=encoding,
        network=network,
        shape=getattr(encoder.module, "shape", None),
        dropout=float(dropout),
        defaults=card.defaults,
    )


def check_card(folder: Path, card: Card, *, runtime: str) -> None:
    """Refuse the folder of another kind of model, or one for another runtime.

    Raises:
        GecbenchError: Says what it is instead.
    """
    if card.kind != "tagger":
        raise GecbenchError(f"{folder}: holds a {card.kind}, no tagger; write {card.kind}:{folder}")
    if card.runtime != runtime:
        raise GecbenchError(
            f"{folder}: holds a tagger for {card.runtime}; name the folder for {runtime}"
        )
    if len(card.languages) != 1 or not card.tokens:
        raise FormatError(f"{folder}: its card does not say which language and tokens it reads")


def labels_in(folder: Path, card: Card) -> LabelVocabulary:
    """Return the labels of the model in a folder.

    Raises:
        FormatError: They are not those that the weights were made with.
    """
    vocabulary = read_vocabulary(folder / LABELS)
    if vocabulary.hash != card.settings.get("labels"):
        raise FormatError(
            f"{folder / LABELS}: its {len(vocabulary)} labels are not those that the model was "
            "made with; copy the model's folder again, whole"
        )
    return vocabulary


def check_ids(folder: Path, encoding: Encoding, rows: int) -> None:
    """Refuse a reading whose ids the embedding does not have.

    Raises:
        FormatError: Says both sizes.
    """
    layout = encoding.layout
    most = max(
        encoding.pieces.size - 1,
        layout.pad,
        layout.unknown,
        layout.start,
        *layout.before,
        *layout.after,
    )
    if most >= rows:
        raise FormatError(
            f"{folder}: its pieces have ids up to {most}, its embedding has {rows} rows; "
            "files of different models were mixed"
        )


def load_weights(network: Tagger, path: Path, vocabulary: LabelVocabulary) -> None:
    """Fill a network with the weights of a file.

    Raises:
        FormatError: The file is no safetensors, or the weights are of another network.
        GecbenchError: The file is missing.
    """
    if not path.is_file():
        raise GecbenchError(f"{path}: no such file; the model has no weights")
    try:
        weights = load_file(path)
    except (SafetensorError, OSError) as error:
        raise FormatError(f"{path}: is no whole safetensors file: {error}") from error
    head = weights.get("labels.weight")
    if head is not None and head.shape[0] != len(vocabulary):
        raise FormatError(
            f"{path}: has weights for {head.shape[0]} labels, but the vocabulary has "
            f"{len(vocabulary)}; they are not of the same model"
        )
    fill(network, weights, str(path))


def fill(network: Tagger, weights: Mapping[str, torch.Tensor], place: str) -> None:
    """Fill a network with weights by name.

    Raises:
        FormatError: Names the first that is missing, unknown or of another shape.
    """
    wanted = network.state_dict()
    for name, tensor in wanted.items():
        if name not in weights:
            raise FormatError(f"{place}: {name} is missing: the weights are of another network")
        if weights[name].shape != tensor.shape:
            raise FormatError(
                f"{place}: {name} has the shape {tuple(weights[name].shape)}, not "
                f"{tuple(tensor.shape)}: the weights are of another network"
            )
    for name in weights:
        if name not in wanted:
            raise FormatError(f"{place}: {name} is not known: the weights are of another network")
    network.load_state_dict(dict(weights))
