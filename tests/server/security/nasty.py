"""Values that no page of ours sends, for every field that there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

VALUES: tuple[str, ...] = (
    "null", "true", "-1", "1.5", "1e999", "NaN",
    "9223372036854775808", "-9223372036854775809", "1" * 4000, "1" * 5000,
    '""', '"\\u0000"', '"a\\ud800b"', '"\\udfff\\ud800"', '"\\ufffe\\uffff"', '"²"',
    '"00000000-0000-0000-0000-000000000000"', '"2026-13-45T99:99:99Z"',
    '"' + "长" * 30_000 + '"',
    "[]", "[[]]", "{}", '{"a":{"b":[1]}}', '["\\ud800"]', '["\\u0000"]', "[null]", "[1]",
    '["' + "a" * 60_000 + '"]', '{"\\ud800":1}', '{"\\u0000":"x"}',
    "[" * 3000 + "]" * 3000, "[" * 100_000, '{"a":' * 900 + "1" + "}" * 900,
)  # fmt: skip
"""JSON as it stands on the wire."""

STORED: tuple[str, ...] = (
    '"a\\ud800b"', '"\\u0000"', '["\\ud800"]', '["\\u0000"]', "9223372036854775808", "null",
)  # fmt: skip
"""Those that one database takes and the other does not."""

WHOLE: tuple[bytes, ...] = (
    b"", b"{", b"[]", b"null", b"1", b'"x"', b"\xff\xfe", b"\xed\xa0\x80", b"\x00",
    b"[" * 100_000, b'{"a":' * 100_000, b"{} {}", b"9" * 6000, b"\xef\xbb\xbf{}",
    b'{"version": ' + b"1" * 5000 + b"}",
)  # fmt: skip
"""Whole bodies."""

TYPED: tuple[str, ...] = (
    "", "-1", "²", "١", "1.5", "9" * 19, "9" * 5000, "a\0b",
    "\ud800", "长" * 30_000, "%s%n{0}{{ 7 }}", "../../etc/passwd", "\r\nX: y",
    "\u202e\u200b\ufeff", "2026-99-99", "9999-12-31", "'; DROP TABLE person;--",
)  # fmt: skip
"""What is typed into fields of forms and of addresses."""


def places(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """Where something stands in JSON: every key and every item."""
    if path:
        yield path
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from places(member, (*path, name))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for n, member in enumerate(value):
            yield from places(member, (*path, n))


def put(value: object, path: Sequence[object], other: object) -> object:
    """The value with something else in one place."""
    if not path:
        return other
    first, *rest = path
    if isinstance(value, Mapping):
        return {**value, first: put(value[first], rest, other)}
    assert isinstance(value, Sequence)
    return [put(member, rest, other) if n == first else member for n, member in enumerate(value)]
