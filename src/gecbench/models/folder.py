"""The folder of a model: a card that says what it is, and no folder that is only half there."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from gecbench.backends import hash_files
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo
from gecbench.core.errors import FormatError, GecbenchError
from gecbench.core.files import check_folder, explain_errors, read_lines, write_bytes
from gecbench.formats.texts import error_place
from gecbench.formats.validation import convert, options_of, parse_json
from gecbench.models import CARD, CorrectorKind

_SCHEMA = 1
Content = TypeVar("Content")
Settings = TypeVar("Settings", bound=msgspec.Struct)
Options = TypeVar("Options", bound=msgspec.Struct)


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What `gecbench.json` says of a model.

    Args:
        schema: Of this file.
        kind: A name of `CORRECTORS`.
        runtime: What runs it: torch, onnx or ctranslate2.
        languages: Codes of the languages that it corrects.
        tokens: How its texts are cut into tokens, a name of `text.tokens`; "" where they are not.
        settings: What the kind needs to load it, by name.
        defaults: Options of inference that were chosen for it, by name.
        about: One line for people.
        provenance: Versions, data, configuration, seed, scores.
    """

    kind: str
    schema: int = _SCHEMA
    runtime: str = "torch"
    languages: tuple[str, ...] = ()
    tokens: str = ""
    settings: Mapping[str, object] = {}
    defaults: Mapping[str, object] = {}
    about: str = ""
    provenance: Mapping[str, object] = msgspec.field(name="made", default_factory=dict)


def read_json(
    path: Path, into: type[Content], *, hint: str = "get the file again, whole"
) -> Content:
    """Read a JSON file of a model.

    Args:
        path: The file.
        into: Type of what is in it.
        hint: What to do about a damaged file, for errors.

    Raises:
        FormatError: It is empty, not JSON, or not of the type.
        GecbenchError: It cannot be read.
    """
    text = "\n".join(read_lines(path))
    with error_place(path):
        if not text.strip():
            raise FormatError(f"is empty; {hint}")
        value = parse_json(text, hint=hint, path=path)
        try:
            return convert(None, value, into)
        except FormatError as error:
            raise FormatError(f"{error.message}; {hint}") from error


def read_card(folder: Path, kind: str = "") -> Card:
    """Read the card of the model in a folder.

    Args:
        folder: Of the model.
        kind: That it must be of; "" takes any.

    Raises:
        GecbenchError: There is none, it cannot be read, or it is of another kind.
        FormatError: It is not what a card is.
    """
    path = folder / CARD
    if not folder.is_dir():
        raise GecbenchError(f"{folder}: no such folder; name the folder of a model")
    if not path.is_file():
        raise GecbenchError(f"{folder}: no {CARD} in it, so it is no model that gecbench made")
    values = read_json(path, dict[str, object])
    if (schema := values.get("schema")) != _SCHEMA:
        raise FormatError(
            f"{path}: schema {schema!r} is not known, only {_SCHEMA}; "
            "read the model with a newer gecbench"
        )
    card = convert(path, values, Card)
    if kind and card.kind != kind:
        raise GecbenchError(f"{folder}: is a {card.kind}, no {kind}; write {card.kind}:{folder}")
    return card


def write_card(folder: Path, card: Card) -> None:
    """Write the card of the model in a folder."""
    text = json.dumps(msgspec.to_builtins(card), ensure_ascii=False, indent=2)
    write_bytes(folder / CARD, f"{text}\n".encode())


def card_settings(folder: Path, card: Card, into: type[Settings]) -> Settings:
    """Convert the settings of a card to what its kind expects.

    Raises:
        FormatError: Something is missing or of a wrong type.
    """
    return convert(f"{folder / CARD}: settings", card.settings, into)


def read_options(
    folder: Path, kind: str, into: type[Options], options: Mapping[str, object]
) -> tuple[Card, Options]:
    """Read the card of a model, and its options where nobody says otherwise.

    Args:
        folder: Of the model.
        kind: That it must be of.
        into: The options of the kind.
        options: Values that replace those of the folder, by name.

    Raises:
        GecbenchError: The folder holds no such model.
        UsageError: An option is unknown or wrong.
    """
    card = read_card(folder, kind)
    return card, options_of(kind, into, {**card.defaults, **options})


def non_default_options(options: msgspec.Struct) -> dict[str, object]:
    """Select the options that differ from what they are by default."""
    defaults = msgspec.to_builtins(type(options)())
    values: dict[str, object] = msgspec.to_builtins(options)
    return {name: value for name, value in values.items() if value != defaults[name]}


@contextmanager
def atomic_folder(path: Path, *, replace: bool = False) -> Iterator[Path]:
    """Yield a new folder beside `path` that takes its name when the block ends well.

    Args:
        path: Where the folder is to be.
        replace: Whether one that is there makes room; else it is an error.

    Raises:
        UsageError: It is "-".
        GecbenchError: There is one already, or it cannot be written.
    """
    check_folder(path)
    if path.exists() and not replace:
        raise GecbenchError(f"{path}: already exists; name another folder or remove it")
    with explain_errors(path, "the folder cannot be made"):
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        with explain_errors(path):
            folder.chmod(0o755)
            yield folder
            for inside in (*folder.rglob("*"), folder):
                _sync(inside)
            if path.exists():  # it goes only when the new one is whole
                old = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.old."))
                path.rename(old / path.name)
                folder.rename(path)
                shutil.rmtree(old, ignore_errors=True)
            else:
                folder.rename(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_ON_WINDOWS = sys.platform == "win32"


def _sync(path: Path) -> None:
    """Have a file on the disk, so that a power cut after the renaming loses nothing.

    Windows does that for what is open for writing, and not for folders.
    """
    if _ON_WINDOWS and path.is_dir():
        return
    handle = os.open(path, os.O_RDWR if _ON_WINDOWS else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def fingerprint(folder: Path) -> str:
    """Hash all that a model's folder holds beside its README, in 16 hexadecimal digits.

    What a run's signature says of the weights.
    """
    paths = (path for path in folder.rglob("*") if path.name != "README.md")
    return hash_files(folder, paths)[:16]


_INFO = CorrectorInfo(
    name="copying",
    kind="copying",
    languages=(),
    about="Changes nothing; what a system must be better than.",
    signature={"corrector": "copying"},
    window=4096,
)


@dataclass(frozen=True)
class Copying(Corrector):
    """Gives every text back as it is: the baseline that every table needs."""

    info: CorrectorInfo = _INFO

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Keep each text as its own correction."""
        return [Correction(text, text) for text in texts]


def load(_place: str, options: Mapping[str, object]) -> Corrector:
    """Load the corrector that changes nothing."""
    options_of("copying", msgspec.defstruct("Options", ()), options)  # it has none
    return Copying()


KIND = CorrectorKind(load, "none")
