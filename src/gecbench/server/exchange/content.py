"""Uploaded bytes to lines: size, encoding and number of lines are looked at first."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.core.files import read_bytes

Encoding = Literal["utf-8", "gb18030"]

MOST_BYTES = 100_000_000
MOST_LINES = 1_000_000
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Content:
    """A file that was handed in.

    Args:
        name: As errors call it; never used as a path.
        lines: Without their ends.
        sha256: Of the bytes as they came.
    """

    name: str
    lines: tuple[str, ...]
    sha256: str


def content_of(name: str, raw: bytes, *, encoding: Encoding = "utf-8") -> Content:
    """Return the lines of a file.

    Raises:
        FormatError: It is empty, too large, or of another encoding; begins with name:line.
        UsageError: The encoding is none that is read.
    """
    name = _plain(name)
    if encoding not in ("utf-8", "gb18030"):
        raise UsageError(f"unknown encoding {encoding!r}; known: utf-8, gb18030")
    if len(raw) > MOST_BYTES:
        raise FormatError(
            f"{name}:1: the file has {len(raw):,} bytes; at most {MOST_BYTES:,} are read at once, "
            "divide it"
        )
    text = _decoded(name, raw, encoding)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise FormatError(f"{name}:1: the file is empty; nothing can be imported from it")
    if len(lines) > MOST_LINES:
        raise FormatError(
            f"{name}:{MOST_LINES + 1}: the file has {len(lines):,} lines; at most {MOST_LINES:,} "
            "are read at once, divide it"
        )
    return Content(name, tuple(lines), hashlib.sha256(raw).hexdigest())


def content_at(path: Path, *, encoding: Encoding = "utf-8") -> Content:
    """Return the lines of a file on this machine.

    Raises:
        GecbenchError: It cannot be read, or as for `content_of`.
    """
    try:
        if path.is_file() and path.stat().st_size > MOST_BYTES:  # before it fills the memory
            raise FormatError(
                f"{path}:1: the file has {path.stat().st_size:,} bytes; at most {MOST_BYTES:,} "
                "are read at once, divide it"
            )
    except OSError as error:
        raise GecbenchError(f"{path}: cannot be read: {error.strerror}") from error
    return content_of(path.name, read_bytes(path), encoding=encoding)


def _plain(name: str) -> str:
    """Return the last part of a name, as one printable line of at most 200 characters."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(one for one in last if one.isprintable())[-200:] or "file"


def _decoded(name: str, raw: bytes, encoding: Encoding) -> str:
    if raw.startswith(_UTF_16):
        raise FormatError(f"{name}:1: the file is UTF-16; save it as UTF-8")
    try:
        return raw.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        seen = error.object[: error.start]
        line = seen.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
        hint = "save the file as UTF-8"
        if encoding == "utf-8":
            hint += ", or choose the encoding gb18030 if it is GBK or GB18030"
        raise FormatError(
            f"{name}:{line}: byte 0x{error.object[error.start]:02x} is not {encoding.upper()}; "
            f"{hint}"
        ) from None
