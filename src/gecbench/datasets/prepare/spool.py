"""Pairs on disk between the two passes: in memory there are 8 bytes for each, or 16."""

from __future__ import annotations

import struct
from array import array
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, NamedTuple, Self

from gecbench.core.errors import GecbenchError

_HEAD = struct.Struct("=HI")


class Kept(NamedTuple):
    """A pair that stays.

    Args:
        corpus: Its number in the recipe, from 0.
        source: As the steps left it.
        target: The same.
    """

    corpus: int
    source: str
    target: str


class Spool:
    """Pairs in the order in which they are added; the file has no name and goes with the process.

    Args:
        folder: On the disk that has room: as much as the result takes without its weights.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self._file: IO[bytes] = TemporaryFile(dir=folder)  # noqa: SIM115 - __exit__ closes it
        except OSError as error:
            raise GecbenchError(f"{folder}: no file can be made there: {error.strerror}") from error
        self._folder = folder
        self._places = array("Q")
        self._ends: dict[int, int] = {}
        self._end = 0

    def __len__(self) -> int:
        return max(self._ends.values(), default=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):  # a full disk was told of when it was found
            self._file.close()

    def add(self, pair: Kept) -> None:
        """Add a pair.

        Raises:
            GecbenchError: The disk is full.
        """
        source, target = pair.source.encode(), pair.target.encode()
        row = _HEAD.pack(pair.corpus, len(source)) + source + target
        try:
            self._file.write(row)
        except OSError as error:
            raise self._full(error) from error
        self._places.append(self._end)
        self._end += len(row)
        self._ends[pair.corpus] = len(self._places)

    def close(self) -> None:
        """Say that all pairs are there; they can be asked for now.

        Raises:
            GecbenchError: The disk is full.
        """
        try:
            self._file.flush()
        except OSError as error:
            raise self._full(error) from error
        self._places.append(self._end)

    def end_of(self, corpus: int) -> int:
        """Return the number of pairs of a corpus and of those before it.

        Corpora are added one after another, in the order of their numbers.
        """
        return max((end for k, end in self._ends.items() if k <= corpus), default=0)

    def __getitem__(self, k: int) -> Kept:
        start, end = self._places[k], self._places[k + 1]
        self._file.seek(start)  # not mapped: what was looked at would count as memory
        row = self._file.read(end - start)
        corpus, width = _HEAD.unpack_from(row)
        middle = _HEAD.size + width
        return Kept(corpus, row[_HEAD.size : middle].decode(), row[middle:].decode())

    def _full(self, error: OSError) -> GecbenchError:
        return GecbenchError(f"{self._folder}: cannot be written: {error.strerror}")
