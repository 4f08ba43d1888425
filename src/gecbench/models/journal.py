"""A run's journal: what is corrected is never corrected again, whatever ends the run."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import msgspec

from gecbench.core.corrector import Correction, Corrector
from gecbench.core.errors import EditError, GecbenchError, UsageError

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Correction)
_BEGINNING = b'{"gecbench_journal":'


class _Header(msgspec.Struct, frozen=True):
    """The first line of a journal."""

    gecbench_journal: int
    signature: dict[str, str]


@dataclass(slots=True)
class Journal:
    """Corrections in a file, one a line, appended as they are made.

    Args:
        path: The file.
        file: The same, open and locked.
        done: How many corrections it holds.
    """

    path: Path
    file: BinaryIO
    done: int

    def append(self, corrections: Iterable[Correction]) -> None:
        """Add corrections; they are in the file when this returns."""
        lines = [_ENCODER.encode(correction) + b"\n" for correction in corrections]
        with _writing(self.path):
            self.file.write(b"".join(lines))
            self.file.flush()
        self.done += len(lines)

    def corrections(self) -> Iterator[Correction]:
        """Yield what the file holds, in order."""
        with self.path.open("rb") as file:
            next(file)
            for n, line in enumerate(islice(file, self.done), 1):
                try:
                    yield _DECODER.decode(line)
                except (msgspec.MsgspecError, UnicodeDecodeError, EditError) as error:
                    raise GecbenchError(
                        f"{self.path}:{n + 1}: is damaged; say --restart to begin anew"
                    ) from error

    def is_empty(self) -> bool:
        """Return whether the file holds no correction, not even half of one."""
        with self.path.open("rb") as file:
            file.readline()
            return not file.read(1)

    def close(self) -> None:
        """Let go of the file; it stays, for a run that goes on."""
        with _writing(self.path):
            self.file.close()

    def remove(self) -> None:
        """Remove the file and let go of it: the run is over."""
        # In this order: another run that waits for the lock must not get a file that then goes.
        self.path.unlink(missing_ok=True)
        with suppress(OSError):  # what was not written yet is of no use any more
            self.file.close()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say of a file that cannot be written why: the disk may be full."""
    try:
        yield
    except OSError as error:
        raise GecbenchError(
            f"{path}: cannot be written: {error.strerror}; what is in it stays, and the same "
            "command goes on"
        ) from error


def open_journal(path: Path, signature: Mapping[str, str], *, restart: bool = False) -> Journal:
    """Return the journal of a run: a new one, or what an interrupted run left.

    A last line that is not whole, as kill -9 leaves it, is cut off.

    Args:
        path: Where it is.
        signature: Of the corrector; a journal of another one is refused.
        restart: Throw away what is there.

    Raises:
        UsageError: What is there was made by another corrector or with other options.
        GecbenchError: Another run has it open, or it cannot be written.
    """
    try:
        file = path.open("a+b")
    except OSError as error:
        raise GecbenchError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        _lock(path, file)
        with _writing(path):
            done = _prepared(path, file, dict(signature), restart=restart)
    except BaseException:
        file.close()
        raise
    return Journal(path, file, done)


def _lock(path: Path, file: BinaryIO) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The run that had it may have removed it between opening and locking.
        if not os.path.samestat(os.fstat(file.fileno()), path.stat()):
            raise FileNotFoundError
    except OSError as error:
        raise GecbenchError(
            f"{path}: another run is writing to it; wait for it, or name another output"
        ) from error


def _prepared(path: Path, file: BinaryIO, signature: dict[str, str], *, restart: bool) -> int:
    """Leave the file with a header and whole lines, and return how many corrections it holds."""
    file.seek(0)
    first = file.readline()
    if not (first.startswith(_BEGINNING) or _BEGINNING.startswith(first)):
        raise _in_the_way(path)
    if restart or not first.endswith(b"\n"):
        file.truncate(0)
        file.write(_ENCODER.encode(_Header(1, signature)) + b"\n")
        file.flush()
        return 0
    _check_header(path, first, signature)
    whole = file.tell()
    done = 0
    for line in file:
        if not line.endswith(b"\n"):
            break
        whole += len(line)
        done += 1
    file.truncate(whole)
    file.seek(0, os.SEEK_END)
    return done


def _in_the_way(path: Path) -> GecbenchError:
    return GecbenchError(
        f"{path}: is in the way: a run keeps what it has done there, and this file is something "
        "else; move it, or name another output"
    )


def _check_header(path: Path, line: bytes, signature: dict[str, str]) -> None:
    try:
        header = msgspec.json.decode(line, type=_Header)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise _in_the_way(path) from None
    if header.signature == signature:
        return
    names = sorted({*header.signature, *signature})
    changed = [n for n in names if header.signature.get(n) != signature.get(n)]
    was = ", ".join(
        f"{name}, then {_said(header.signature.get(name))}, now {_said(signature.get(name))}"
        for name in changed[:3]
    )
    raise UsageError(
        f"{path}: an earlier run was interrupted that differed in {was}; say --restart to begin "
        "anew, or run with the same options to go on"
    )


def _said(value: str | None) -> str:
    return "nothing" if value is None else repr(value)


def journalled(
    corrector: Corrector, texts: Iterable[str], journal: Journal, *, window: int | None = None
) -> Iterator[int]:
    """Correct what the journal does not hold yet; yield how many are done, from time to time.

    Raises:
        GecbenchError: The texts are not those that the journal was begun with.
    """
    remaining = iter(texts)
    for n, old in enumerate(journal.corrections(), 1):
        text = next(remaining, None)
        if text != old.source:
            what = "ends before it" if text is None else "has another there"
            raise GecbenchError(
                f"{journal.path}: holds a correction of {_shown(old.source)} as sentence {n}, but "
                f"the input {what}; say --restart to begin anew"
            )
    yield journal.done
    for given in windows(remaining, window or corrector.info.window):
        journal.append(asked(corrector, given))
        yield journal.done


def asked(corrector: Corrector, texts: Sequence[str]) -> list[Correction]:
    """Return what a corrector makes of texts, one for each and of each.

    Raises:
        GecbenchError: It breaks this law, and its answers would be put to other sentences.
    """
    found = corrector.correct(texts)
    if [correction.source for correction in found] != list(texts):
        raise GecbenchError(
            f"corrector {corrector.info.name}: gave {len(found)} corrections for {len(texts)} "
            "sentences, or of other sentences than these; it must give one of each, in order"
        )
    return found


def windows(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield texts in lists of `size`, the last one shorter."""
    remaining = iter(texts)
    while given := list(islice(remaining, size)):
        yield given


def _shown(text: str) -> str:
    return repr(text if len(text) <= 24 else f"{text[:24]}...")
