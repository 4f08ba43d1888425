"""Uploaded bytes to lines: size, encoding and number of lines are looked at first."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path
from typing import Literal

from gecbench.core.errors import FormatError, GecbenchError, Message, Place, UsageError
from gecbench.core.files import read_bytes, unpack
from gecbench.formats.records import Content

Encoding = Literal["utf-8", "gb18030"]

MOST_BYTES = 100_000_000
MOST_LINES = 1_000_000
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def content_of(name: str, raw: bytes, *, encoding: Encoding = "utf-8") -> Content:
    """Split the content of a file into lines; one that ends in .gz or .zip is unpacked.

    Raises:
        FormatError: It is empty, too large, or of another encoding; begins with name:line.
        UsageError: The encoding is none that is read.
    """
    name = _plain(name)
    if encoding not in ("utf-8", "gb18030"):
        raise UsageError(
            "unknown {kind} {name!r}; {hint}",
            kind=Message("encoding"),
            name=encoding,
            hint=Message("known: {names}", names="utf-8, gb18030"),
        )
    if len(raw) > MOST_BYTES:
        raise FormatError(
            "the file has {bytes:,} bytes; at most {most:,} are read at once, divide it",
            at=Place(name, 1),
            bytes=len(raw),
            most=MOST_BYTES,
        )
    with unpack(Path(name), BytesIO(raw)) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise FormatError(
            "unpacked, the file has more than {most:,} bytes; no more are read at once, divide it",
            at=Place(name, 1),
            most=MOST_BYTES,
        )
    text = _decode(name, content, encoding)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise FormatError("the file is empty; nothing can be imported from it", at=Place(name, 1))
    if len(lines) > MOST_LINES:
        raise FormatError(
            "the file has {count:,} lines; at most {most:,} are read at once, divide it",
            at=Place(name, MOST_LINES + 1),
            count=len(lines),
            most=MOST_LINES,
        )
    return Content(name, tuple(lines), hashlib.sha256(raw).hexdigest())


def content_at(path: Path, *, encoding: Encoding = "utf-8") -> Content:
    """Read the lines of a file on this machine.

    Raises:
        GecbenchError: It cannot be read, or as for `content_of`.
    """
    try:
        if path.is_file() and path.stat().st_size > MOST_BYTES:  # before it fills the memory
            raise FormatError(
                "the file has {bytes:,} bytes; at most {most:,} are read at once, divide it",
                at=Place(path, 1),
                bytes=path.stat().st_size,
                most=MOST_BYTES,
            )
    except OSError as error:
        raise GecbenchError("cannot be read: {why}", at=path, why=error.strerror) from error
    return content_of(path.name, read_bytes(path), encoding=encoding)


def _plain(name: str) -> str:
    """The last part of a name, as one printable line of at most 200 characters."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(character for character in last if character.isprintable())[-200:] or "file"


def _decode(name: str, raw: bytes, encoding: Encoding) -> str:
    if raw.startswith(_UTF_16):
        raise FormatError("the file is UTF-16; save it as UTF-8", at=Place(name, 1))
    try:
        return raw.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        seen = error.object[: error.start]
        line = seen.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
        hint = Message("save the file as UTF-8")
        if encoding == "utf-8":
            hint = Message(
                "save the file as UTF-8, or choose the encoding gb18030 if it is GBK or GB18030"
            )
        raise FormatError(
            "byte 0x{byte:02x} is not {encoding}; {hint}",
            at=Place(name, line),
            byte=error.object[error.start],
            encoding=encoding.upper(),
            hint=hint,
        ) from None
