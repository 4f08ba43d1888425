"""Values from TOML, JSON and the terminal, checked by msgspec: errors say which key holds what."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar, get_origin

import msgspec

from gecbench.core.errors import FormatError, Message, Place, UnknownNameError, UsageError, quote
from gecbench.core.files import read_bytes

if TYPE_CHECKING:
    from json import JSONDecodeError

Positive = Annotated[int, msgspec.Meta(ge=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]

T = TypeVar("T")
Options = TypeVar("Options", bound=msgspec.Struct)

_NAMES: Mapping[str, str] = {
    "str": Message("a string"),
    "int": Message("a whole number"),
    "float": Message("a number with a point"),
    "bool": Message("true or false"),
    "array": Message("a list"),
    "object": Message("an object"),
    "null": Message("null"),
}
"""What msgspec calls a type, and what an error message does."""

_MISMATCH = re.compile(r"Expected `(.+)`, got `(.+)`")
_SURROGATE = Message("a string holds half a surrogate pair, as \\ud800; write the character")
_JSON_PROBLEMS: Mapping[str, Message] = {
    message.template: message
    for message in (
        Message("Expecting value"),
        Message("Expecting property name enclosed in double quotes"),
        Message("Expecting ':' delimiter"),
        Message("Expecting ',' delimiter"),
        Message("Unterminated string starting at"),
        Message("Invalid control character at"),
        Message("Invalid \\escape"),
        Message("Invalid \\escape: "),
        Message("Invalid \\uXXXX escape"),
        Message("Extra data"),
        Message("Illegal trailing comma before end of object"),
        Message("Illegal trailing comma before end of array"),
        Message("Unexpected UTF-8 BOM (decode using utf-8-sig)"),
    )
}
"""What Python's json says is wrong."""

_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")


def value_of(row: Mapping[str, object], key: str, into: type[T]) -> T:
    """The value under a key of parsed JSON.

    Raises:
        FormatError: It is missing, of another type, or half a surrogate pair.
    """
    if key not in row:
        raise FormatError(
            "{key!r} is missing; expected {wanted}", key=key, wanted=_expected_kind(into)
        )
    try:
        return msgspec.convert(row[key], into)
    except msgspec.ValidationError as error:
        raise FormatError(_problem(error, row[key], into, key)) from error
    except UnicodeEncodeError as error:  # of a string where something else belongs
        raise FormatError(_SURROGATE) from error


def options_of(kind: str, into: type[Options], values: Mapping[str, object]) -> Options:
    """Convert options by name; strings, as a terminal gives them, are converted.

    An option of several values takes them with commas between them.

    Args:
        kind: What the options belong to, for errors, as "tagger".
        into: A Struct with the options.
        values: By name.

    Raises:
        UnknownNameError: There is no such option; the nearest are named.
        UsageError: A value has the wrong type or is out of its bounds.
    """
    known = {field.encode_name: field.type for field in msgspec.structs.fields(into)}
    for name in values:
        if name not in known:
            raise UnknownNameError(f"option of {kind}", name, known)
    parts = {name: _split_at_commas(value, known[name]) for name, value in values.items()}
    try:
        return msgspec.convert(parts, into, strict=False)
    except msgspec.ValidationError as error:
        name, problem = _explain(error, parts, into)
        which = f"option {name} of {kind}: it" if name else f"options of {kind}:"
        raise UsageError(f"{which} {problem}") from error


def _split_at_commas(value: object, annotation: object) -> object:
    """Split a text at its commas where the option takes several values."""
    if isinstance(value, str) and get_origin(annotation) is tuple:
        return [part.strip() for part in value.split(",")] if value.strip() else []
    return value


def read_toml(path: Path, into: type[Options]) -> Options:
    """Read the configuration in a TOML file.

    Raises:
        FormatError: The file is not TOML, or holds an unknown key or a value of a wrong type.
        GecbenchError: It cannot be read.
    """
    return convert(str(path), toml_of(path), into)


def with_values(kind: str, struct: Options, values: Mapping[str, object]) -> Options:
    """A Struct with other values by name; `options_of` converts them, and says what it raises."""
    fields = msgspec.structs.fields(struct)
    required = {field.name: getattr(struct, field.name) for field in fields if field.required}
    options = options_of(kind, type(struct), required | dict(values))
    return msgspec.structs.replace(struct, **{name: getattr(options, name) for name in values})


def list_packaged(folder: Path) -> list[str]:
    """The names of the TOML files that a folder of the package brings."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load_packaged(kind: str, which: str, folder: Path, into: type[Options]) -> Options:
    """Load the TOML file of a name from a folder of the package, or else the file of that path.

    Raises:
        UnknownNameError: There is no such packaged file, and no such path.
        FormatError: The file is not TOML, or holds an unknown key or a wrong value.
    """
    names = list_packaged(folder)
    if which in names:
        return convert(f"{kind} {which}", toml_of(folder / f"{which}.toml"), into)
    if not which.endswith(".toml") and not Path(which).exists():
        raise UnknownNameError(kind, which, names)
    return convert(which, toml_of(Path(which)), into)


def toml_of(path: Path) -> dict[str, object]:
    """The tables of a TOML file.

    Raises:
        FormatError: The file is not TOML in UTF-8; says which line.
    """
    import tomllib

    try:
        return tomllib.loads(read_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: is not UTF-8; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        at = f":{line.group(1)}" if line else ""
        raise FormatError(f"{path}{at}: is not TOML: {error}") from error


def parse_json(
    text: str, *, hint: str = Message("each line is one object"), path: Path | None = None
) -> object:
    """Parse JSON.

    Args:
        text: The JSON.
        hint: What the text should be, for errors.
        path: Of the file that the text is all of; then an error names its line.

    Raises:
        FormatError: It is not JSON, repeats a key, or escapes half of a surrogate pair.
    """
    import json  # msgspec takes the last of two equal keys

    if not text.strip():
        raise FormatError("the line is blank; remove it")
    try:
        value: object = json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        raise FormatError(
            "not JSON at column {column}: {problem}; {hint}",
            at=path and Place(path, error.lineno),
            column=error.colno,
            problem=json_problem(error),
            hint=hint,
        ) from error
    except ValueError as error:
        raise FormatError("a number has too many digits; write a token number") from error
    except RecursionError as error:
        raise FormatError("brackets are nested too deep; {hint}", hint=hint) from error
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise FormatError(_SURROGATE) from error
    return value


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise FormatError("key {key!r} occurs twice in one object; remove one", key=twice)
    return values


def json_problem(error: JSONDecodeError) -> str:
    """What Python's json says is wrong, as a message if it is known."""
    return _JSON_PROBLEMS.get(error.msg, error.msg)


def convert(at: object, value: object, into: type[T]) -> T:
    """Convert parsed TOML or JSON to a type, whose Structs forbid unknown fields.

    Raises:
        FormatError: Begins with `at`, if it is not None, and names the first key that is unknown,
            with the nearest known ones, or missing, or whose value has a wrong type or is out of
            its bounds.
    """
    try:
        return msgspec.convert(value, into)
    except msgspec.ValidationError as error:
        raise FormatError(_problem(error, value, into), at=at) from error


def _problem(
    error: msgspec.ValidationError, value: object, into: type[object], key_path: str = ""
) -> str:
    """What msgspec complains of as a sentence."""
    key, problem = _explain(error, value, into, key_path)
    if not key:
        return problem
    if isinstance(problem, _Missing):
        return Message("{key!r} is missing; expected {wanted}", key=key, **problem.values)
    return Message("{key!r} {problem}", key=key, problem=problem)


class _Missing(Message):
    """Stands behind the name of an option; a key stands in a sentence, for other languages."""


def _explain(
    error: msgspec.ValidationError, value: object, into: type[object], key_path: str = ""
) -> tuple[str, str]:
    """The key that msgspec complains of, as "rows[2].name", and what is wrong with it."""
    message, _, path = str(error).partition(" - at `$")
    mismatch = _MISMATCH.fullmatch(message)
    annotation: object = into
    for key, index in _STEP.findall(path.removesuffix("`")):
        if key:
            key_path += f".{key}" if key_path else key
            annotation = _type_of(annotation, key)
            value = value.get(key) if isinstance(value, Mapping) else None
        elif isinstance(value, (list, tuple)):
            key_path, value = f"{key_path}[{index}]", value[int(index)]
        elif mismatch and isinstance(value, Mapping):  # msgspec does not say which key
            key = next(name for name, item in value.items() if _kind(item) == mismatch[2])
            key_path, value = f"{key_path}.{key}", value[key]
    excerpt = quote(value) if isinstance(value, str) else quote(str(value))[1:-1]
    if mismatch:
        expected, kind = mismatch.groups()
        problem = _wrong_type(kind, expected, excerpt)
        return key_path, problem if key_path else Message("the line {problem}", problem=problem)
    name = message.split("`")[1] if "`" in message else ""
    if message.startswith("Object contains unknown field"):
        prefix = re.sub(r"\[\d+\]", "", f"{key_path}." if key_path else "").lstrip(".")
        known = _keys(_struct(annotation), prefix)
        return "", UnknownNameError(Message("key"), prefix + name, known).message
    if message.startswith("Object missing required field"):
        expected = _expected_kind(_type_of(annotation, name))
        key = f"{key_path}.{name}" if key_path else name
        return key, _Missing("is missing; expected {wanted}", wanted=expected)
    if message.startswith("Invalid enum value"):
        choices = ", ".join(map(str, getattr(annotation, "__args__", ())))
        return key_path, f"is {excerpt}; one of: {choices}"
    if message.startswith("Expected"):
        return key_path, f"is {excerpt}; {message[:1].lower()}{message[1:].replace('`', '')}"
    return "", f"{key_path}: {message}" if key_path else message  # of a Struct's __post_init__


def _wrong_type(kind: str, expected: str, excerpt: str) -> Message:
    """That a value, shown if it is short, is of another type."""
    names = {"type": _NAMES.get(kind, kind), "wanted": _name(expected)}
    if kind in ("str", "int", "float"):
        return Message("is {type}, {seen}; expected {wanted}", seen=excerpt, **names)
    return Message("is {type}; expected {wanted}", **names)


def _expected_kind(annotation: object) -> str:
    """What an error calls the values that a type accepts."""
    try:
        msgspec.convert(object(), annotation)
    except msgspec.ValidationError as error:
        return _name(str(error).split("`")[1])
    return "a value"


def _name(expected: str) -> str:
    """What an error calls the first of msgspec's types, as of `array | null`."""
    first = expected.split(" | ")[0]
    return _NAMES.get(first, first)


def _kind(value: object) -> str:
    """What msgspec calls the type of a parsed value."""
    kinds = {list: "array", tuple: "array", dict: "object", type(None): "null"}
    return kinds.get(type(value), type(value).__name__)


def _type_of(annotation: object, key: str) -> object:
    """The type of a field of the Struct that an annotation is about."""
    struct = _struct(annotation)
    fields = msgspec.structs.fields(struct) if struct else ()
    return next((field.type for field in fields if field.encode_name == key), None)


def _struct(annotation: object) -> type[msgspec.Struct] | None:
    """The Struct that an annotation is about: itself, or in a list or a union."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return annotation
    inner = map(_struct, getattr(annotation, "__args__", ()))
    return next((struct for struct in inner if struct), None)


def _keys(struct: type[msgspec.Struct] | None, prefix: str) -> list[str]:
    """The keys of a Struct and of those in it, each with the tables that it stands in."""
    keys = []
    for field in msgspec.structs.fields(struct) if struct else ():
        keys.append(f"{prefix}{field.encode_name}")
        keys += _keys(_struct(field.type), f"{keys[-1]}.")
    return keys
