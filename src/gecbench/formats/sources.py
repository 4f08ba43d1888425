"""Sources one after another: text files of any size are not held in memory."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from gecbench.core.errors import FormatError, GecbenchError
from gecbench.core.files import STDIO
from gecbench.core.sample import Corpus
from gecbench.formats import FORMATS, load_format
from gecbench.formats.perturbed import is_perturbed, read_perturbed
from gecbench.formats.reading import check_columns, read

_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Sources:
    """What a corrector is given.

    Args:
        texts: The sources in order; to be gone through once.
        format: Name of the format they came in.
        corpus: All of the file, where its format has more than lines.
    """

    texts: Iterable[str]
    format: str
    corpus: Corpus | None


def sources(path: Path, *, format: str | None = None) -> Sources:
    """Return the sources in a file; those of format lines are read while they are asked for.

    Perturbed cases, in a file or a folder of subsets, are the lines of RobustGEC's input.txt:
    originals and variants in the order that `analyse robustness` asks for.

    Raises:
        GecbenchError: The file cannot be read, is empty, or breaks a rule of its format.
    """
    if format not in (None, "lines"):
        return _of_corpus(read(path, format=format), format or "")
    if format is None and path.is_dir():
        return _of_cases(path)
    lines = stream_lines(path)
    first = list(islice(lines, _LOOKED_AT))
    if not first:
        raise FormatError(f"{path}:1: the file is empty; a corpus has at least one sentence")
    if format is None and path.is_file() and is_perturbed(first):
        return _of_cases(path)
    found = "lines" if format else _sniffed(first)
    if found == "lines":
        return Sources(chain(first, lines), found, None)
    rows = [*first, *lines]  # not read once more: pipes can be read once only
    if found == "mucgec":
        check_columns(path, rows)
    return _of_corpus(load_format(found).read(path, rows), found)


def _of_corpus(corpus: Corpus, format: str) -> Sources:
    return Sources([sample.source for sample in corpus.samples], format, corpus)


def _of_cases(path: Path) -> Sources:
    cases = read_perturbed(path)
    return Sources([sample.source for sample in cases.corpus().samples], "lines", None)


def _sniffed(lines: list[str]) -> str:
    """Return the name of the first format that knows the lines as its own."""
    return next(name for name in FORMATS if load_format(name).sniff(lines))


def stream_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file as `core.files.read_lines` would return them."""
    if str(path) == STDIO:
        if sys.stdin is None:
            raise GecbenchError("standard input is closed; name a file instead of '-'")
        yield from _readable(path, sys.stdin.buffer)
        return
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise GecbenchError(f"{path}: no such file; check the path") from None
    except IsADirectoryError:
        raise GecbenchError(f"{path}: is a folder; name a file in it") from None
    except OSError as error:
        raise GecbenchError(f"{path}: cannot be read: {error.strerror}") from error
    with file:
        yield from _readable(path, file)


def _readable(path: Path, file: BinaryIO) -> Iterator[str]:
    """Yield the lines of an open file; say whose fault it is where reading ends early."""
    try:
        yield from _decoded(path, file)
    except OSError as error:
        name = "standard input" if str(path) == STDIO else path
        raise GecbenchError(f"{name}: cannot be read: {error.strerror}") from error


def _decoded(path: Path, file: BinaryIO) -> Iterator[str]:
    number = 0
    for raw in file:
        if not number:
            raw = raw.removeprefix(codecs.BOM_UTF8)
            if not raw:
                return
            if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
                raise FormatError(f"{path}:1: the file is UTF-16; save it as UTF-8")
        # A lone carriage return ends a line, too: the last piece is what stands before the end.
        ended = raw.removesuffix(b"\n").removesuffix(b"\r")
        for piece in ended.split(b"\r"):
            number += 1
            try:
                yield piece.decode()
            except UnicodeDecodeError as error:
                raise FormatError(
                    f"{path}:{number}: byte 0x{error.object[error.start]:02x} is not UTF-8; "
                    "save the file as UTF-8 (GBK: iconv -f GB18030 -t UTF-8)"
                ) from None
