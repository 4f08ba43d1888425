"""Loading a tagger: by torch or ONNX Runtime, alone or several as one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gecbench import __version__
from gecbench.core.corrector import Corrector, CorrectorInfo
from gecbench.core.errors import GecbenchError, MissingExtraError, UsageError
from gecbench.models import CARD
from gecbench.models.folder import Card, fingerprint, read_card
from gecbench.models.options import options_of
from gecbench.models.tagger.options import Deciding, TaggerOptions

if TYPE_CHECKING:
    from gecbench.models.tagger.model import TaggerModel
    from gecbench.models.tagger.runtime import Runtime
    from gecbench.models.tags.vocabulary import LabelVocabulary

_HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")
_FILES = ("*.json", "*.safetensors", "*.onnx")
_ABOUT = "Labels each token with an edit, in several rounds."


def load(place: str, given: Mapping[str, object]) -> Corrector:
    """Return the tagger in a folder, or several in folders with a plus between them.

    Raises:
        GecbenchError: A folder holds no tagger, or one that cannot be loaded.
        UsageError: An option is wrong, or the taggers do not fit together.
    """
    from gecbench.models.tagger.predict import TaggerCorrector

    folders = _folders(place)
    cards = [read_card(folder) for folder in folders]
    options = options_of("tagger", TaggerOptions, {**_defaults(cards), **given})
    if cards[0].runtime == "onnx":
        runtime, vocabulary = _by_onnx(folders, cards[0], given, options)
    else:
        runtime, vocabulary = _by_torch(folders, options)
    info = info_of(folders, cards, {**_decided_by(options), **runtime.signature})
    return TaggerCorrector(info, runtime, vocabulary, cards[0].tokens, options)


def info_of(
    folders: Sequence[Path], cards: Sequence[Card], signature: Mapping[str, str]
) -> CorrectorInfo:
    """Return what a tagger, or several, are."""
    names = [
        str(card.settings.get("name", folder.name))
        for card, folder in zip(cards, folders, strict=True)
    ]
    return CorrectorInfo(
        name="+".join(names),
        kind="tagger",
        languages=cards[0].languages,
        about=cards[0].about or _ABOUT,
        signature={
            "corrector": "tagger",
            "gecbench": __version__,
            "model": "+".join(fingerprint(folder) for folder in folders),
            **signature,
        },
    )


def _folders(place: str) -> list[Path]:
    """Return the folders that a place names; a plus may be part of a folder's name."""
    whole = Path(place)
    folders = [whole] if whole.is_dir() else [_folder(part) for part in place.split("+")]
    for folder in folders:
        if not (folder / CARD).is_file() and (folder / "config.json").is_file():
            raise GecbenchError(
                f"{folder}: holds a checkpoint of another toolkit; convert it first: "
                "gecbench model convert --tagger"
            )
    return folders


def _folder(place: str) -> Path:
    """Return the folder of one tagger: one here, or one of the hub's."""
    folder = Path(place)
    if folder.is_dir():
        return folder
    if _HUB_NAME.fullmatch(place):
        from gecbench.backends.hf import downloaded

        return downloaded(place, _FILES)
    raise GecbenchError(
        f"{place}: no such folder; a tagger is a folder that gecbench made: train one, or convert "
        "one by `gecbench model convert --tagger`"
    )


def _defaults(cards: Sequence[Card]) -> dict[str, object]:
    """Return the options that were chosen for a tagger, or for all of several alike."""
    first, *others = [card.defaults for card in cards]
    return {
        name: value
        for name, value in first.items()
        if all(name in other and other[name] == value for other in others)
    }


def _decided_by(options: TaggerOptions) -> dict[str, str]:
    names = [field.name for field in msgspec.structs.fields(Deciding)]
    found = {name: str(getattr(options, name)) for name in names}
    if options.weights:
        found["weights"] = " ".join(map(str, options.weights))
    return found


def _by_onnx(
    folders: Sequence[Path], card: Card, given: Mapping[str, object], options: TaggerOptions
) -> tuple[Runtime, LabelVocabulary]:
    """Return an exported tagger; nothing of torch is imported on the way."""
    from gecbench.models.tagger.exported import exported_in

    if len(folders) > 1:
        raise UsageError(
            "exported taggers give no probabilities of all labels, which an average needs; name "
            "the folders that they were exported from"
        )
    for name in ("device", "precision", "weights"):
        if name in given:
            raise UsageError(f"option {name} of tagger: an exported tagger has none; leave it out")
    return exported_in(folders[0], card, options)


def _by_torch(folders: Sequence[Path], options: TaggerOptions) -> tuple[Runtime, LabelVocabulary]:
    """Return the runtime of taggers with the same labels."""
    for module in ("torch", "safetensors"):
        if find_spec(module) is None:
            raise MissingExtraError(module, "models")
    from gecbench.backends.devices import device_of
    from gecbench.models.tagger.devices import placed
    from gecbench.models.tagger.model import read_model
    from gecbench.models.tagger.torch_runtime import Ids, Member, TorchRuntime

    weights = options.weights or (1.0,) * len(folders)
    if len(weights) != len(folders):
        raise UsageError(f"option weights of tagger: {len(weights)} for {len(folders)} taggers")
    if not isfinite(sum(weights)):
        raise UsageError("option weights of tagger: their sum is no number; write smaller ones")
    device = device_of(options.device, options.threads)
    models = [read_model(folder) for folder in folders]
    _check_same(folders, models)
    members = [
        Member(model.encoding, placed(model.network, device, options.precision), weight)
        for model, weight in zip(models, weights, strict=True)
    ]
    vocabulary = models[0].vocabulary
    return TorchRuntime(members, Ids.of(vocabulary)), vocabulary


def _check_same(folders: Sequence[Path], models: Sequence[TaggerModel]) -> None:
    """Refuse taggers whose probabilities are not of the same things."""
    first = models[0]
    for folder, model in zip(folders[1:], models[1:], strict=True):
        if model.vocabulary.labels != first.vocabulary.labels:
            raise UsageError(
                f"{folder}: has other labels than {folders[0]} ({len(model.vocabulary)} and "
                f"{len(first.vocabulary)}), so probabilities cannot be averaged; combine the "
                "corrections by ensemble:FILE"
            )
        if (model.language, model.tokens) != (first.language, first.tokens):
            raise UsageError(
                f"{folder}: reads {model.language} in {model.tokens} tokens, {folders[0]} reads "
                f"{first.language} in {first.tokens}; they cannot be averaged"
            )
