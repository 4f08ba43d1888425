"""A JSON object whose values are asked for by key and type; errors name the line and the key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple, TypeVar, cast

from gecbench.core.errors import FormatError, UnknownNameError
from gecbench.formats.texts import shown

_T = TypeVar("_T")

_NAMES: Mapping[type, str] = {
    str: "a string",
    int: "a whole number",
    float: "a number with a point",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


class Fields(NamedTuple):
    """One object of a line; every method that returns a value raises FormatError.

    Args:
        at: "path:line", which every error begins with.
        values: By key, not yet checked.
    """

    at: str
    values: Mapping[str, object]

    @classmethod
    def parse(cls, at: str, line: str) -> Fields:
        """Return the object that a line holds.

        Raises:
            FormatError: The line is no JSON, no object, repeats a key, or escapes half of a
                surrogate pair.
        """
        return cls(at, _expect(at, "the line", _loads(at, line), dict))

    def has(self, key: str) -> bool:
        """Return whether the object has the key."""
        return key in self.values

    def only(self, *known: str) -> None:
        """Refuse keys that are not known, with the nearest that are."""
        for key in self.values:
            if key not in known:
                raise FormatError(f"{self.at}: {UnknownNameError('key', key, known)}")

    def text(self, key: str) -> str:
        """Return a string."""
        return self._get(key, str)

    def number(self, key: str) -> int:
        """Return a whole number."""
        return self._get(key, int)

    def flag(self, key: str) -> bool:
        """Return true or false; false where the key is absent."""
        return key in self.values and self._get(key, bool)

    def is_null(self, key: str) -> bool:
        """Return whether the key is there and holds null."""
        return self.values.get(key, ()) is None

    def words(self, key: str) -> tuple[str, ...]:
        """Return a list of strings."""
        return _words(self.at, key, self._get(key, list))

    def phrases(self, key: str) -> tuple[tuple[str, ...], ...]:
        """Return a list of lists of strings."""
        return tuple(_words(self.at, key, each) for each in self._lists(key))

    def texts(self, key: str) -> dict[str, str]:
        """Return an object of strings; an empty one where the key is absent."""
        if key not in self.values:
            return {}
        found = cast("dict[str, object]", self._get(key, dict))
        return {
            name: _expect(self.at, f"{name!r} in {key!r}", each, str)
            for name, each in found.items()
        }

    def rows(self, key: str) -> tuple[Fields, ...]:
        """Return a list of objects."""
        return _rows(self.at, key, self._get(key, list))

    def grid(self, key: str) -> tuple[tuple[Fields, ...], ...]:
        """Return a list of lists of objects."""
        return tuple(_rows(self.at, key, each) for each in self._lists(key))

    def _lists(self, key: str) -> list[list[object]]:
        return [_item(self.at, key, each, list) for each in self._get(key, list)]

    def _get(self, key: str, kind: type[_T]) -> _T:
        if key not in self.values:
            raise FormatError(f"{self.at}: {key!r} is missing; expected {_NAMES[kind]}")
        return _expect(self.at, repr(key), self.values[key], kind)


def _expect(at: str, what: str, value: object, kind: type[_T]) -> _T:
    if type(value) is not kind:  # not isinstance: true is no whole number
        seen = f", {shown(value)}" if isinstance(value, str) else ""
        if type(value) in (int, float):
            seen = f", {value}"
        raise FormatError(f"{at}: {what} is {_NAMES[type(value)]}{seen}; expected {_NAMES[kind]}")
    return value


def _item(at: str, key: str, value: object, kind: type[_T]) -> _T:
    return _expect(at, f"an item of {key!r}", value, kind)


def _words(at: str, key: str, values: list[object]) -> tuple[str, ...]:
    return tuple([_item(at, key, value, str) for value in values])


def _rows(at: str, key: str, values: list[object]) -> tuple[Fields, ...]:
    return tuple([Fields(at, _item(at, key, value, dict)) for value in values])


def _loads(at: str, line: str) -> object:
    import json  # 2 ms that readers of other formats need not pay

    if not line.strip():
        raise FormatError(f"{at}: the line is blank; remove it")
    try:
        value: object = json.loads(line, object_pairs_hook=partial(_unique, at))
    except json.JSONDecodeError as error:
        raise FormatError(
            f"{at}: not JSON at column {error.colno}: {error.msg}; each line is one object"
        ) from error
    except ValueError as error:
        raise FormatError(f"{at}: a number has too many digits; write a token number") from error
    except RecursionError as error:
        raise FormatError(f"{at}: brackets are nested too deep; each line is one object") from error
    if "\\u" in line:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise FormatError(
                f"{at}: a string holds half a surrogate pair, as \\ud800; write the character"
            ) from error
    return value


def _unique(at: str, pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise FormatError(f"{at}: key {twice!r} occurs twice in one object; remove one")
    return values
