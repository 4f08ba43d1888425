"""Correcting in batches, and a run's journal: what it holds is never corrected again."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import msgspec

from gecbench.core.corrector import Correction, Corrector
from gecbench.core.errors import EditError, GecbenchError, UsageError
from gecbench.core.files import explain_errors, try_lock
from gecbench.core.options import Workers, check_jobs, jobs_error, jobs_of_step
from gecbench.core.processes import can_travel, cores, map_in_processes

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Correction)
_BEGINNING = b'{"gecbench_journal":'


class _Header(msgspec.Struct, frozen=True):
    """The first line of a journal."""

    gecbench_journal: int
    signature: dict[str, str]


@dataclass(slots=True)
class Journal:
    """Corrections in a file, one a line, each batch appended when it is done.

    Args:
        path: The file.
        file: The same, open and locked.
        done: How many corrections it holds.
    """

    path: Path
    file: BinaryIO
    done: int

    def append(self, corrections: Sequence[Correction]) -> None:
        """Add corrections; they are in the file when this returns."""
        with _write_errors(self.path):
            self.file.write(b"".join(_ENCODER.encode(c) + b"\n" for c in corrections))
            self.file.flush()
        self.done += len(corrections)

    def corrections(self) -> Iterator[Correction]:
        """Yield what the file holds, in order."""
        with self.path.open("rb") as file:
            next(file)
            for n, line in enumerate(islice(file, self.done), 2):
                try:
                    yield _DECODER.decode(line)
                except (msgspec.MsgspecError, UnicodeDecodeError, EditError) as error:
                    raise GecbenchError(
                        f"{self.path}:{n}: is damaged; say --restart to begin again"
                    ) from error

    def is_empty(self) -> bool:
        """Say whether the file holds no correction, not even half of one."""
        with self.path.open("rb") as file:
            file.readline()
            return not file.read(1)

    def close(self) -> None:
        """Close the file; it stays, for a run that goes on."""
        with _write_errors(self.path):
            self.file.close()

    def remove(self) -> None:
        """Remove the file and close it: the run is over."""
        # In this order: another run that waits for the lock must not get a file that then goes.
        self.path.unlink(missing_ok=True)
        with suppress(OSError):  # what was not written yet is of no use any more
            self.file.close()


@contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    """Say why a file cannot be written: the disk may be full."""
    try:
        yield
    except OSError as error:
        raise GecbenchError(
            f"{path}: cannot be written: {error.strerror}; what is in it stays, and the same "
            "command goes on"
        ) from error


def open_journal(path: Path, signature: Mapping[str, str], *, restart: bool = False) -> Journal:
    """Open the journal of a run: a new one, or what an interrupted run left.

    A last line that is not whole, as kill -9 leaves it, is cut off.

    Args:
        path: Where it is.
        signature: Of the corrector; a journal of another one is refused.
        restart: Throw away what is there.

    Raises:
        UsageError: What is there was made by another corrector or with other options.
        GecbenchError: Another run has it open, or it cannot be written.
    """
    with explain_errors(path):
        file = path.open("a+b")
    try:
        _lock(path, file)
        with _write_errors(path):
            records = _recover(path, file, dict(signature), restart=restart)
    except BaseException:
        file.close()
        raise
    return Journal(path, file, records)


def _lock(path: Path, file: BinaryIO) -> None:
    """Hold the file for this run alone.

    Raises:
        GecbenchError: Another run holds it, or its file system has no locks.
    """
    locked = False
    # The run that had it may have removed it between opening and locking.
    with explain_errors(path, "cannot be locked"), suppress(FileNotFoundError):
        locked = try_lock(file) and os.path.samestat(os.fstat(file.fileno()), path.stat())
    if not locked:
        raise GecbenchError(
            f"{path}: another run is writing to it; wait for it, or name another output"
        )


def _recover(path: Path, file: BinaryIO, signature: dict[str, str], *, restart: bool) -> int:
    """Leave the file with a header and whole lines, and return how many corrections it holds."""
    file.seek(0)
    first = file.readline()
    if restart or not first.endswith(b"\n"):
        if not (first.startswith(_BEGINNING) or _BEGINNING.startswith(first)):
            raise _not_a_journal(path)
        file.truncate(0)
        file.write(_ENCODER.encode(_Header(1, signature)) + b"\n")
        file.flush()
        return 0
    _check_header(path, first, signature)
    end, records = file.tell(), 0
    for line in file:
        if line.endswith(b"\n"):
            end += len(line)
            records += 1
    file.truncate(end)
    file.seek(0, os.SEEK_END)
    return records


def _not_a_journal(path: Path) -> GecbenchError:
    return GecbenchError(
        f"{path}: is in the way: a run keeps what it has done there, and this file is something "
        "else; move it, or name another output"
    )


def _check_header(path: Path, line: bytes, signature: dict[str, str]) -> None:
    """Refuse a file that is no journal, or that of another corrector."""
    try:
        header = msgspec.json.decode(line, type=_Header)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise _not_a_journal(path) from None
    differences = [
        f"{name}, then {_show(before)}, now {_show(now)}"
        for name in sorted({*header.signature, *signature})
        if (before := header.signature.get(name)) != (now := signature.get(name))
    ]
    if differences:
        raise UsageError(
            f"{path}: an earlier run was interrupted that differed in "
            f"{', '.join(differences[:3])}; say --restart to begin again, or run with the same "
            "options to go on"
        )


def _show(value: str | None) -> str:
    return "nothing" if value is None else repr(value)


# Correcting in batches, with a journal or without, in one process or several.


_PAYS = 10_000
"""Texts after which several processes are quicker than one, each of which loads a corrector."""

Load = Callable[[], Corrector]
Batch = tuple[int, Sequence[str]]
"""The place of its first text, from 1, with the texts."""


def count_processes(corrector: Corrector, jobs: Workers, load: Load | None) -> Workers:
    """How many processes correct, or the cluster that does; None is all processors after a while.

    Args:
        corrector: What corrects in this process.
        jobs: What is asked for; None takes several where that is quicker.
        load: Loads the same corrector in another process; None where nobody can.

    Raises:
        UsageError: Several are asked for, and the corrector cannot be in several.
    """
    check_jobs(jobs)
    info = corrector.info
    travels = load is not None and can_travel(load)
    if jobs is None:
        return None if info.processes == "many" and travels and cores() > 1 else 1
    if jobs != 1 and info.processes == "one":
        raise jobs_error(
            jobs,
            f"{info.name} asks a server, several questions at once, as concurrency in its profile "
            "says",
            "leave jobs out",
        )
    if jobs != 1 and not travels:
        raise jobs_error(
            jobs,
            f"{info.name} is loaded in this process alone, and nothing says how to load it in "
            "others, as its name would",
            "name it, or take jobs 1",
        )
    return jobs


@dataclass(frozen=True)
class _Loaded:
    """Corrects batches in another process, by a corrector that is loaded there."""

    load: Load
    signature: Mapping[str, str]

    @cached_property
    def _corrector(self) -> Corrector:
        corrector = self.load()
        here = corrector.info.signature
        for name in sorted({*here, *self.signature} - {"device"}):
            if (there := self.signature.get(name)) != here.get(name):
                raise GecbenchError(
                    f"corrector {corrector.info.name}: its {name} is {_show(there)} where the "
                    f"command runs, and {_show(here.get(name))} where a worker does; install the "
                    "same on all machines"
                )
        return corrector

    def __call__(self, batch: Batch) -> list[Correction]:
        return _correct(self._corrector, batch)


def _correct(corrector: Corrector, batch: Batch) -> list[Correction]:
    _, texts = batch
    corrections = corrector.correct(texts)
    if [correction.source for correction in corrections] != texts:
        raise GecbenchError(
            f"corrector {corrector.info.name}: gave {len(corrections)} corrections for "
            f"{len(texts)} sentences, or of other sentences than these; it must give one of "
            "each, in order"
        )
    return corrections


def _batches(texts: Iterable[str], window: int, number: int) -> Iterator[Batch]:
    """Divide texts into batches; the first of them has a number."""
    remaining = iter(texts)
    while batch := list(islice(remaining, window)):
        yield number, batch
        number += len(batch)


def _describe(batch: Batch) -> str:
    number, texts = batch
    return f"sentences {number:,} to {number + len(texts) - 1:,}"


def correct_batches(
    corrector: Corrector,
    texts: Iterable[str],
    *,
    jobs: Workers = 1,
    load: Load | None = None,
    done: int = 0,
) -> Generator[list[Correction], None, None]:
    """Yield the corrections of texts in batches of the size that a corrector asks for.

    Args:
        corrector: What corrects in this process.
        texts: What is corrected.
        jobs: See `count_processes`.
        load: See `count_processes`.
        done: How many texts stand before them, for messages.

    Raises:
        UsageError: Several processes are asked for, and the corrector cannot be in several.
        ResourceError: A process died.
        GecbenchError: The corrector gives too few or others: they would be put to other sentences.
    """
    processes = count_processes(corrector, jobs, load)
    window = corrector.info.window
    batches = _batches(texts, window, done + 1)
    here = partial(_correct, corrector)
    if processes == 1 or load is None:
        yield from map(here, batches)
        return
    if processes is None:  # nobody knows how many texts there are before they are read
        yield from map(here, islice(batches, -(-_PAYS // window)))
        processes = cores()
    remote = _Loaded(load, corrector.info.signature)
    processes = jobs_of_step(processes, inputs=corrector.info.signature)
    with closing(map_in_processes(remote, batches, processes, _describe)) as results:
        yield from results


def correct_with_journal(
    corrector: Corrector,
    texts: Iterable[str],
    journal: Journal,
    *,
    jobs: Workers = 1,
    load: Load | None = None,
) -> Generator[int, None, None]:
    """Correct what the journal does not hold yet; yield how many are done, from time to time.

    Args:
        corrector: What corrects in this process.
        texts: All texts, from the first.
        journal: Gets each batch, in order, when it is done.
        jobs: See `count_processes`.
        load: See `count_processes`.

    Raises:
        GecbenchError: The texts are not those that the journal was begun with; or what
            `correct_batches` raises.
    """
    remaining = iter(texts)
    for n, correction in enumerate(journal.corrections(), 1):
        source = correction.source
        text = next(remaining, None)
        if text != source:
            start = source if len(source) <= 24 else f"{source[:24]}..."
            what = "ends before it" if text is None else "has another there"
            raise GecbenchError(
                f"{journal.path}: holds a correction of {start!r} as sentence {n}, but the input "
                f"{what}; say --restart to begin again"
            )
    yield journal.done
    rest = correct_batches(corrector, remaining, jobs=jobs, load=load, done=journal.done)
    with closing(rest) as batches:
        for corrections in batches:
            journal.append(corrections)
            yield journal.done
