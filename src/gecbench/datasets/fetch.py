"""Bring a data set here: download or copy each file, continue after a cut, verify, put in place.

pooch keeps the registry, hands out a temporary file and checks what it holds. It cannot continue
a download, so its downloader is ours: bytes go to a part file that outlives the run and is
handed to pooch when it is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gecbench.core.errors import ResourceError
from gecbench.core.files import try_lock
from gecbench.datasets.catalog import DataFile, DataSet, check_content, sha256_of, verify

if TYPE_CHECKING:
    import requests

TIMEOUT = 30.0  # seconds without a byte
CHUNK = 1 << 13  # bytes; a cut loses no more than the chunk it falls into
WAIT = 0.1  # seconds between two looks at a lock

Say = Callable[[str], None]
Progress = Callable[[DataFile, int], None]  # the file, and how many of its bytes are here
Fill = Callable[[Path], None]  # makes the file whole at that path


def _silent(*_: object) -> None:
    """Say nothing."""


def get(
    data_set: DataSet,
    *,
    folder: Path,
    mirror: Path | None,
    force: bool = False,
    say: Say = _silent,
    progress: Progress = _silent,
) -> list[Path]:
    """The paths of all files of a data set, fetched where they are not here yet.

    Args:
        data_set: What to fetch.
        folder: Files go to a folder in it, which has the name of the data set.
        mirror: A folder to copy from, instead of the origin; None means to download.
        force: Fetch also what is here and right.
        say: Is told what happens, a line at a time.
        progress: Is told how many bytes of a file have come.

    Raises:
        ResourceError: The origin or the mirror does not have the file, or another content
            under its name, or the data folder cannot be written to. No file with a wrong
            content is left in place. Or its package is not installed.
    """
    if data_set.package:  # pip brings it
        paths = verify(data_set, folder=folder, mirror=mirror)
        for file, path in zip(data_set.files, paths, strict=True):
            say(f"{file.name}: verified, in {path.parent}")
        return paths
    target = folder.absolute() / data_set.name
    paths, has_new = [], False
    with _explain_os_errors(target), _lock_folder(target, say), _quiet_pooch():
        for file in data_set.files:
            path = target / file.name
            if not force and path.is_file() and sha256_of(path) == file.sha256:
                say(f"{file.name}: already here")
            else:
                fill = (
                    partial(_download, file, say, progress)
                    if mirror is None
                    else partial(_copy, file, mirror / data_set.name / file.name, say)
                )
                _fetch(data_set, file, target, fill)
                say(f"{file.name}: verified, in {target}")
                has_new = True
            paths.append(path)
    if has_new:
        note = f" ({data_set.note})" if data_set.note else ""
        say(f"{data_set.title}, {data_set.homepage}")
        say(f"licence: {data_set.licence}{note}")
        say(f"please cite: {data_set.citation}")
    return paths


def _fetch(data_set: DataSet, file: DataFile, target: Path, fill: Fill) -> None:
    """Make the file whole beside its place, let pooch check it, then put it there at once."""
    import pooch

    # The name holds the hash: a part of an older version is never continued.
    part = target / f".{file.name}.{file.sha256[:12]}.part"

    def downloader(_url: str, output: str, _pooch: object) -> None:
        fill(part)
        part.replace(output)

    with TemporaryDirectory(dir=target, prefix=".fetching-") as folder:
        keeper = pooch.create(
            path=folder,
            base_url=data_set.homepage,
            registry={known.name: f"sha256:{known.sha256}" for known in data_set.files},
            urls={known.name: known.url for known in data_set.files},
        )
        Path(keeper.fetch(file.name, downloader=downloader)).replace(target / file.name)


def _copy(file: DataFile, source: Path, say: Say, part: Path) -> None:
    """Copy a file of the mirror to `part`; a wrong one is refused."""
    import shutil

    if not source.is_file():
        raise ResourceError(
            f"{source}: no such file in the mirror; put {file.name} there, or download "
            f"without the mirror from {file.url}"
        )
    say(f"{file.name}: copying {source}")
    shutil.copyfile(source, part)
    _check_part(part, file, origin=str(source))


def _download(file: DataFile, say: Say, progress: Progress, part: Path) -> None:
    """Download a file to `part`, after the bytes that an earlier run left there."""
    is_resumed = _pull(file, part, say, progress)
    if is_resumed and sha256_of(part) != file.sha256:
        # What an earlier run left need not be of this file: only a whole download is judged.
        say(f"{file.name}: what an earlier run left does not fit; starting again")
        part.unlink()
        _pull(file, part, say, progress)
    _check_part(part, file, origin=file.url)


def _check_part(part: Path, file: DataFile, *, origin: str) -> None:
    try:
        check_content(part, file, origin=origin)
    except ResourceError:
        part.unlink()
        raise


def _pull(file: DataFile, part: Path, say: Say, progress: Progress) -> bool:
    """Ask for the bytes that `part` lacks; True where it holds bytes of an earlier run."""
    import requests

    start = _partial_size(part, file)
    if start == file.size:
        return True
    # Not compressed: ranges count what is sent.
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
    try:
        with requests.get(file.url, headers=headers, stream=True, timeout=TIMEOUT) as response:
            if start and _refuses_to_continue(response, start):
                part.unlink()
                return _pull(file, part, say, progress)
            start = _first_byte(file, response, start)
            says = f"continuing at {start} of" if start else "downloading"
            say(f"{file.name}: {says} {file.size} bytes from {file.url}")
            _store(file, part, response, start, progress)
    except requests.RequestException as error:
        raise _cut_error(file, part, _reason(error)) from error
    if part.stat().st_size < file.size:  # a server that does not say how much it will send
        raise _cut_error(file, part, "the answer ended early")
    return start > 0


def _partial_size(part: Path, file: DataFile) -> int:
    """How many bytes an earlier run left; more than the file has are none."""
    size = part.stat().st_size if part.exists() else 0
    return size if size <= file.size else 0


def _refuses_to_continue(response: requests.Response, start: int) -> bool:
    """Whether the server has no such range, or sends another than was asked for."""
    sent = response.headers.get("Content-Range", "")
    return response.status_code == 416 or (
        response.status_code == 206 and not sent.startswith(f"bytes {start}-")
    )


def _first_byte(file: DataFile, response: requests.Response, start: int) -> int:
    """Where the answer begins: at `start`, or at 0 if the server ignores ranges.

    Raises:
        ResourceError: The answer is not the file, or announces another size.
    """
    if response.status_code not in (200, 206):
        raise ResourceError(
            f"{file.url}: the server answered {response.status_code} {response.reason}; "
            "try again later, or name a folder that has the file: --mirror DIR"
        )
    first = start if response.status_code == 206 else 0
    length = response.headers.get("Content-Length")
    if length is not None and "Content-Encoding" not in response.headers:
        _check_length(file, first + int(length))
    return first


def _check_length(file: DataFile, size: int) -> None:
    if size != file.size:
        raise ResourceError(
            f"{file.url}: sends {size} bytes, but the catalogue says {file.size}; "
            "it is refused, name a folder that has the right file: --mirror DIR"
        )


def _store(
    file: DataFile, part: Path, response: requests.Response, start: int, progress: Progress
) -> None:
    """Write the answer as it comes, so that a cut loses nothing."""
    size = start
    # Not through core.files, which writes whole files only.
    with part.open("ab" if start else "wb") as out:
        for chunk in response.iter_content(CHUNK):
            out.write(chunk)
            size += len(chunk)
            if size > file.size:
                part.unlink()
                _check_length(file, size)
            progress(file, size)


def _cut_error(file: DataFile, part: Path, reason: str) -> ResourceError:
    """The error of a download that did not come to its end."""
    size = _partial_size(part, file)
    state = f"{size} of {file.size} bytes are kept, the same command continues there"
    advice = state if size else "check the network and run the same command again"
    return ResourceError(
        f"{file.url}: {reason}; {advice}, or name a folder that has the file: --mirror DIR"
    )


def _reason(error: BaseException) -> str:
    """What the system said at the root of a failed request, in one line."""
    inner: BaseException | None = error
    while inner is not None:
        error = inner
        # Not by `__context__`, which leads on to whatever the caller was handling.
        causes = (getattr(error, "reason", None), error.__cause__, *error.args)
        inner = next((cause for cause in causes if isinstance(cause, BaseException)), None)
    message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(message.split())


@contextmanager
def _explain_os_errors(target: Path) -> Iterator[None]:
    """Make the folder, and say in one line what the system has against writing there."""
    try:
        target.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise ResourceError(
            f"{error.filename or target}: {error.strerror or error}; "
            "check the disk and the rights, or choose another data folder"
        ) from error


@contextmanager
def _lock_folder(target: Path, say: Say) -> Iterator[None]:
    """Wait until no other process fetches into the folder; a killed one does not count."""
    import time

    with (target / ".lock").open("ab") as lock:
        if not try_lock(lock):
            say(f"{target}: another gecbench is fetching into it; waiting")
            while not try_lock(lock):
                time.sleep(WAIT)
        yield


@contextmanager
def _quiet_pooch() -> Iterator[None]:
    """Keep pooch's own lines off stderr: they would say everything twice."""
    import logging

    import pooch

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
