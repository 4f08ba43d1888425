"""One of our encoder-decoders as a whole; its folder is written and read here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from gecbench.core.errors import FormatError, GecbenchError
from gecbench.models.folder import Card, read_card, write_card
from gecbench.models.scratch.dividing import Divider, characters, simplifier, words
from gecbench.models.scratch.encoding import UnitEncoding
from gecbench.models.scratch.network import EncoderDecoder
from gecbench.models.scratch.shape import Shape
from gecbench.models.scratch.vocabulary import FIRST, hash_of, read_vocabulary, write_vocabulary

WEIGHTS, VOCABULARY = "model.safetensors", "vocabulary.json"


class Reads(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a model's texts become units.

    Args:
        units: characters or words.
        segmenter: What divides into words, as the configuration has it.
        simplify: Whether texts are made simplified first.
    """

    units: Literal["characters", "words"]
    segmenter: str = ""
    simplify: bool = False


class Settings(Reads, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the card of a model says of it.

    Args:
        shape: Of the network.
        vocabulary: Hash of its units.
        made_with: Names and versions of what divided and simplified the training texts.
    """

    shape: Shape
    vocabulary: str
    made_with: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ScratchModel:
    """All that one of our encoder-decoders consists of.

    Args:
        language: zh or en.
        about: One line for people.
        reads: How texts become units.
        made_with: See `Settings`; of this installation.
        encoding: Between texts and ids.
        network: Its weights.
        defaults: Options of inference that were chosen for it.
    """

    language: str
    about: str
    reads: Reads
    made_with: Mapping[str, str]
    encoding: UnitEncoding
    network: EncoderDecoder
    defaults: Mapping[str, object] = field(default_factory=dict)


def divider_of(
    reads: Reads, language: str
) -> tuple[Divider, Callable[[str], str] | None, dict[str, str]]:
    """Return what divides and simplifies texts, and the names of both.

    Raises:
        UnknownNameError: There is no such segmenter.
        GecbenchError: Something is not installed, or cannot be used.
    """
    chosen = reads.units == "words"
    divider = words(reads.segmenter, language) if chosen else characters()
    made_with = {"units": divider.name}
    simplify = None
    if reads.simplify:
        made_with["simplified by"], simplify = simplifier()
    return divider, simplify, made_with


def save_model(model: ScratchModel, folder: Path, made: Mapping[str, object]) -> None:
    """Write a model into an empty folder."""
    units = model.encoding.units
    settings = Settings(
        units=model.reads.units,
        segmenter=model.reads.segmenter,
        simplify=model.reads.simplify,
        shape=model.network.shape,
        vocabulary=hash_of(units),
        made_with=model.made_with,
    )
    write_vocabulary(folder / VOCABULARY, units)
    weights = {
        name: tensor.detach().to("cpu").clone().contiguous()
        for name, tensor in model.network.state_dict().items()
    }
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})
    (folder / WEIGHTS).chmod((folder / VOCABULARY).stat().st_mode)  # safetensors: for us alone
    card = Card(
        kind="scratch",
        languages=(model.language,),
        tokens=model.language,
        settings=msgspec.to_builtins(settings),
        defaults=model.defaults,
        about=model.about,
        made=made,
    )
    write_card(folder, card)


def read_model(folder: Path, *, segmenter: str = "", with_weights: bool = True) -> ScratchModel:
    """Return the model that a folder holds, on the CPU, in 32 bits.

    Args:
        folder: That `save_model` wrote.
        segmenter: Instead of the card's, where it is not "".
        with_weights: Else they are random: a run that goes on loads its own.

    Raises:
        FormatError: A file is damaged, or files do not belong together.
        GecbenchError: A file is missing, or holds another kind of model.
    """
    card = read_card(folder)
    if card.kind != "scratch":
        raise GecbenchError(f"{folder}: is a {card.kind}; write {card.kind}:{folder}")
    try:
        settings = msgspec.convert(card.settings, Settings)
    except msgspec.ValidationError as error:
        raise FormatError(f"{folder}: settings of its card: {error}") from error
    if card.languages not in (("zh",), ("en",)):
        raise FormatError(
            f"{folder}: its card says that it corrects {', '.join(card.languages) or 'nothing'}; "
            "a scratch model corrects zh or en"
        )
    units = _units_in(folder, settings)
    reads = Reads(
        units=settings.units,
        segmenter=segmenter or settings.segmenter,
        simplify=settings.simplify,
    )
    divider, simplify, made_with = divider_of(reads, card.languages[0])
    if with_weights:
        # Without numbers first: none are drawn that are not used, and a wrong shape costs nothing.
        with torch.device("meta"):
            network = EncoderDecoder(settings.shape)
        _fill(network, folder / WEIGHTS)
    else:
        network = EncoderDecoder(settings.shape)
    return ScratchModel(
        language=card.languages[0],
        about=card.about,
        reads=reads,
        made_with=made_with,
        encoding=UnitEncoding(units, divider, simplify),
        network=network,
        defaults=card.defaults,
    )


def _units_in(folder: Path, settings: Settings) -> tuple[str, ...]:
    """Return the vocabulary of the model in a folder.

    Raises:
        FormatError: It is not the one that the weights were made with.
    """
    units = read_vocabulary(folder / VOCABULARY)
    if hash_of(units) != settings.vocabulary or len(units) + FIRST != settings.shape.vocabulary:
        raise FormatError(
            f"{folder / VOCABULARY}: its {len(units)} units are not those that the model was made "
            "with; copy the model's folder again, whole"
        )
    return units


def _fill(network: EncoderDecoder, path: Path) -> None:
    """Fill a network with the weights of a file.

    Raises:
        FormatError: The file is no safetensors, or the weights are of another network.
        GecbenchError: The file is missing.
    """
    if not path.is_file():
        raise GecbenchError(f"{path}: no such file; the model has no weights")
    try:
        weights: dict[str, torch.Tensor] = load_file(path)
    except (SafetensorError, OSError) as error:
        raise FormatError(f"{path}: is no whole safetensors file: {error}") from error
    wanted = network.state_dict()
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    needed = {name: tuple(tensor.shape) for name, tensor in wanted.items()}
    for name in sorted(found.keys() | needed.keys()):
        if found.get(name) != needed.get(name):
            raise FormatError(
                f"{path}: {name} has the shape {found.get(name, 'of nothing')}, the card asks for "
                f"{needed.get(name, 'nothing')}; they do not belong together"
            )
        if not weights[name].is_floating_point():
            raise FormatError(
                f"{path}: {name} holds {weights[name].dtype}, which are no weights; copy the "
                "model's folder again, whole"
            )
    whole = {name: tensor.float() for name, tensor in weights.items()}
    network.load_state_dict(whole, assign=True)
