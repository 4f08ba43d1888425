"""Options and configurations in TOML: typed, and an unknown key is an error."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar, get_origin

import msgspec

from gecbench.core.errors import FormatError, UnknownNameError, UsageError
from gecbench.core.files import read_bytes

Options = TypeVar("Options", bound=msgspec.Struct)


def options_of(kind: str, into: type[Options], given: Mapping[str, object]) -> Options:
    """Return options given by name; strings, as a terminal gives them, are converted.

    What takes several values takes them with commas between them.

    Args:
        kind: What the options belong to, for failures, as "tagger".
        into: What they must be.
        given: Values by name.

    Raises:
        UnknownNameError: There is no such option; the nearest are given.
        UsageError: A value has the wrong type or lies outside its bounds.
    """
    known = {field.encode_name: field.type for field in msgspec.structs.fields(into)}
    for name in given:
        if name not in known:
            raise UnknownNameError(f"option of {kind}", name, known)
    try:
        values = {name: _listed(value, known[name]) for name, value in given.items()}
        return msgspec.convert(values, into, strict=False)
    except msgspec.ValidationError as error:
        what, where = _parted(error, into)
        raise UsageError(f"option {where or '?'} of {kind}: {what}") from error


def _listed(value: object, wanted: object) -> object:
    """Return a value; the parts of a text between commas where several are wanted."""
    if isinstance(value, str) and get_origin(wanted) is tuple:
        return [part.strip() for part in value.split(",")] if value.strip() else []
    return value


def read_toml(path: Path, into: type[Options]) -> Options:
    """Return the configuration in a TOML file.

    Raises:
        FormatError: The file is not TOML, or holds an unknown key or a value of a wrong type.
        GecbenchError: It cannot be read.
    """
    return configured(str(path), toml_of(path), into)


def toml_of(path: Path) -> dict[str, object]:
    """Return the tables of a TOML file.

    Raises:
        FormatError: The file is not TOML in UTF-8; says which line.
    """
    try:
        return tomllib.loads(read_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: is not UTF-8; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        at = f":{line.group(1)}" if line else ""
        raise FormatError(f"{path}{at}: is not TOML: {error}") from error


def configured(name: str, tables: Mapping[str, object], into: type[Options]) -> Options:
    """Return a configuration from its tables.

    Args:
        name: What the configuration is called in failures, as its path.
        tables: Values by key, nested.
        into: What they must be; a Struct that forbids unknown fields.

    Raises:
        FormatError: Names the first unknown key, with the nearest known ones, or the first value
            that is missing, of a wrong type or out of its bounds.
    """
    _known(name, tables, into, "")
    try:
        return msgspec.convert(tables, into, strict=True)
    except msgspec.ValidationError as error:
        what, where = _parted(error, into)
        raise FormatError(f"{name}: {where + ': ' if where else ''}{what}") from error


def _known(name: str, tables: Mapping[str, object], into: type[msgspec.Struct], at: str) -> None:
    """Refuse keys that a Struct, or one in it, does not have."""
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(into)}
    for key, value in tables.items():
        if key not in fields:
            problem = UnknownNameError(f"key of {name}", f"{at}{key}", _keys(into, at))
            raise FormatError(str(problem))
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, Mapping) and (inner := _struct(fields[key])):
                _known(name, each, inner, f"{at}{key}.")


def _keys(into: type[msgspec.Struct], at: str) -> list[str]:
    """Return the keys of a Struct and of those in it, each with the tables it stands in."""
    found = []
    for field in msgspec.structs.fields(into):
        found.append(f"{at}{field.encode_name}")
        if inner := _struct(field.type):
            found += _keys(inner, f"{at}{field.encode_name}.")
    return found


def _struct(annotation: object) -> type[msgspec.Struct] | None:
    """Return the Struct that an annotation is about: itself, or in a list or a choice."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        if found := _struct(inner):
            return found
    return None


def _parted(error: msgspec.ValidationError, into: type[msgspec.Struct]) -> tuple[str, str]:
    """Return what msgspec complains of, and the key that it means."""
    what, _, where = str(error).partition(" - at `$")
    key = where.rstrip("`").lstrip(".")
    if what.startswith("Invalid enum value"):
        what += f"; one of: {', '.join(map(str, _choices(into, key.split('.'))))}"
    return what[:1].lower() + what[1:].replace("`", ""), key


def _choices(into: type[msgspec.Struct] | None, keys: list[str]) -> tuple[object, ...]:
    """Return what the value at a nested key may be."""
    fields = msgspec.structs.fields(into) if into else ()
    annotation = {field.encode_name: field.type for field in fields}.get(keys[0])
    if len(keys) > 1:
        return _choices(_struct(annotation), keys[1:])
    return getattr(annotation, "__args__", ())
