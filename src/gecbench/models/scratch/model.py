"""One of our encoder-decoders as a whole; its folder is written and read here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec
import torch

from gecbench.core.errors import FormatError
from gecbench.models.folder import Card, card_settings, check_kind, read_card
from gecbench.models.scratch.encoding import (
    FIRST,
    UnitEncoding,
    character_divider,
    read_vocabulary,
    simplifier,
    vocabulary_hash,
    word_divider,
    write_vocabulary,
)
from gecbench.models.scratch.network import EncoderDecoder, Shape
from gecbench.models.weights import WEIGHTS, fill_network, load_weights, save_network

VOCABULARY = "vocabulary.json"


class Division(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a model's texts become units.

    Args:
        units: characters or words.
        segmenter: What divides into words, as the configuration has it.
        simplify: Whether texts are made simplified first.
    """

    units: Literal["characters", "words"]
    segmenter: str = ""
    simplify: bool = False

    def encoding(
        self, language: str, units: tuple[str, ...] = ()
    ) -> tuple[UnitEncoding, dict[str, str]]:
        """Build the encoding, and name what divides and simplifies, with versions.

        Raises:
            UnknownNameError: There is no such segmenter.
            GecbenchError: Something is not installed, or cannot be used.
        """
        words = self.units == "words"
        divider = word_divider(self.segmenter, language) if words else character_divider()
        versions, simplify = {"units": divider.name}, None
        if self.simplify:
            versions["simplified by"], simplify = simplifier()
        return UnitEncoding(units, divider, simplify), versions


class Settings(Division, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings on the card of a model.

    Args:
        shape: Of the network.
        vocabulary: Hash of its units.
        versions: Names and versions of what divided and simplified the training texts.
    """

    shape: Shape
    vocabulary: str
    versions: Mapping[str, str] = msgspec.field(name="made_with")


@dataclass(frozen=True, slots=True)
class ScratchModel:
    """All that one of our encoder-decoders consists of.

    Args:
        language: zh or en.
        about: One line for people.
        division: How texts become units.
        versions: See `Settings`; of this installation.
        encoding: Between texts and ids.
        network: Its weights.
        defaults: Options of inference that were chosen for it.
    """

    language: str
    about: str
    division: Division
    versions: Mapping[str, str]
    encoding: UnitEncoding
    network: EncoderDecoder
    defaults: Mapping[str, object] = field(default_factory=dict)


def save_model(model: ScratchModel, folder: Path, provenance: Mapping[str, object]) -> None:
    """Write a model into an empty folder."""
    units = model.encoding.units
    settings = Settings(
        **msgspec.structs.asdict(model.division),
        shape=model.network.shape,
        vocabulary=vocabulary_hash(units),
        versions=model.versions,
    )
    write_vocabulary(folder / VOCABULARY, units)
    card = Card(
        kind="scratch",
        languages=(model.language,),
        tokens=model.language,
        settings=msgspec.to_builtins(settings),
        defaults=model.defaults,
        about=model.about,
        made=provenance,
    )
    save_network(model.network, folder, card)


def read_model(folder: Path, *, segmenter: str = "", with_weights: bool = True) -> ScratchModel:
    """Read the model that a folder holds, on the CPU, in 32 bits.

    Args:
        folder: That `save_model` wrote.
        segmenter: Instead of the card's, where it is not "".
        with_weights: Else they are random: a run that is resumed loads its own.

    Raises:
        FormatError: A file is damaged, or files do not belong together.
        GecbenchError: A file is missing, or holds another kind of model.
    """
    card = read_card(folder)
    check_kind(folder, card, "scratch")
    settings = card_settings(folder, card, Settings)
    if card.languages not in (("zh",), ("en",)):
        raise FormatError(
            f"{folder}: its card says that it corrects {', '.join(card.languages) or 'nothing'}; "
            "a scratch model corrects zh or en"
        )
    shape, units = settings.shape, read_vocabulary(folder / VOCABULARY)
    if vocabulary_hash(units) != settings.vocabulary or len(units) + FIRST != shape.vocabulary:
        raise FormatError(
            f"{folder / VOCABULARY}: its {len(units)} units are not those that the model was made "
            "with; copy the model's folder again, whole"
        )
    division = Division(
        units=settings.units,
        segmenter=segmenter or settings.segmenter,
        simplify=settings.simplify,
    )
    encoding, versions = division.encoding(card.languages[0], units)
    # Without numbers first: none are drawn that are not used, and a wrong shape costs nothing.
    with torch.device("meta" if with_weights else "cpu"):
        network = EncoderDecoder(shape)
    if with_weights:
        fill_network(network, load_weights(folder / WEIGHTS), folder / WEIGHTS)
    return ScratchModel(
        language=card.languages[0],
        about=card.about,
        division=division,
        versions=versions,
        encoding=encoding,
        network=network,
        defaults=card.defaults,
    )
