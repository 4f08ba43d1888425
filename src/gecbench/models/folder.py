"""The folder of a model: a card that says what it is, whole or not there at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from gecbench.core.errors import FormatError, GecbenchError
from gecbench.core.files import read_bytes, write_bytes
from gecbench.models import CARD

_SCHEMA = 1


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
        made: Provenance: versions, data, configuration, seed, scores.
    """

    kind: str
    schema: int = _SCHEMA
    runtime: str = "torch"
    languages: tuple[str, ...] = ()
    tokens: str = ""
    settings: Mapping[str, object] = {}
    defaults: Mapping[str, object] = {}
    about: str = ""
    made: Mapping[str, object] = {}


def read_card(folder: Path) -> Card:
    """Return the card of the model in a folder.

    Raises:
        GecbenchError: There is none, or it cannot be read.
        FormatError: It is not what a card is.
    """
    path = folder / CARD
    if not path.is_file():
        raise GecbenchError(f"{folder}: no {CARD} in it, so it is no model that gecbench made")
    try:
        raw = json.loads(read_bytes(path))
        schema = raw.get("schema") if isinstance(raw, dict) else None
        if schema != _SCHEMA:
            raise FormatError(
                f"{path}: schema {schema!r} is not known, only {_SCHEMA}; "
                "read the model with a newer gecbench"
            )
        return msgspec.convert(raw, Card)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: is not JSON: {error}") from error
    except msgspec.ValidationError as error:
        raise FormatError(f"{path}: {error}") from error


def write_card(folder: Path, card: Card) -> None:
    """Write the card of the model in a folder."""
    text = json.dumps(msgspec.to_builtins(card), ensure_ascii=False, indent=2)
    write_bytes(folder / CARD, f"{text}\n".encode())


@contextmanager
def whole_folder(path: Path, *, replace: bool = False) -> Iterator[Path]:
    """Yield a new folder beside `path` that takes its name when the block ends well.

    Args:
        path: Where the folder is to be.
        replace: Whether one that is there makes room; else it is an error.

    Raises:
        GecbenchError: There is one already, or it cannot be made.
    """
    if path.exists() and not replace:
        raise GecbenchError(f"{path}: is there already; name another folder or remove it")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    except OSError as error:
        raise GecbenchError(f"{path}: the folder cannot be made: {error.strerror}") from error
    try:
        made.chmod(0o755)
        yield made
        _kept(made)
        _rename(made, path)
    except OSError as error:
        raise GecbenchError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextmanager
def weights_written(path: Path) -> Iterator[None]:
    """Say of weights that cannot be written why; safetensors has an error of its own for it.

    Raises:
        GecbenchError: The disk is full, or the like.
    """
    from safetensors import SafetensorError

    try:
        yield
    except SafetensorError as error:
        raise GecbenchError(f"{path}: weights cannot be written: {error}") from error


def _kept(made: Path) -> None:
    """Have all of a folder on the disk, so that a power cut after its renaming loses nothing."""
    for path in (*made.rglob("*"), made):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _rename(made: Path, path: Path) -> None:
    """Give a folder its name; what has the name goes only when the new one is whole."""
    if not path.exists():
        made.rename(path)
        return
    old = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.old."))
    path.rename(old / path.name)
    made.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def fingerprint(folder: Path) -> str:
    """Return a hash of all that a model's folder holds beside its README: 16 hexadecimal digits.

    What a run's signature says of the weights.
    """
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "README.md"):
        total.update(path.relative_to(folder).as_posix().encode() + b"\0")
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()[:16]
