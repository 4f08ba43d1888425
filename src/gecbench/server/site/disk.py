"""What a data folder's disk must offer: locks that hold, one server at a time, room to work in."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gecbench.core.errors import GecbenchError
from gecbench.server.site.folder import LOCK

MOUNTS = Path("/proc/self/mounts")
NETWORK = frozenset(
    [
        *("9p", "afs", "ceph", "cifs", "davfs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs"),
        *("nfs4", "ocfs2", "smb3", "smbfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs"),
        "fuse.sshfs",
    ]
)
"""Kinds of file systems on which SQLite's write-ahead log is not safe."""


def file_system(folder: Path, mounts: Path = MOUNTS) -> str:
    """Return the kind of the file system of a folder; "" where the system does not say."""
    try:
        lines = mounts.read_text("utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    place, kind = "", ""
    for line in lines:
        _, mounted, its_kind, *_ = line.split(" ")
        mounted = mounted.replace("\\040", " ")
        inside = folder.resolve().is_relative_to(mounted)
        if inside and len(mounted) >= len(place):  # the last of equals hides the ones before
            place, kind = mounted, its_kind
    return kind


def refuse_network(folder: Path, mounts: Path = MOUNTS) -> None:
    """Refuse a folder that other machines may write to, too.

    Raises:
        GecbenchError: It lies on a network file system.
    """
    kind = file_system(folder, mounts)
    if kind in NETWORK:
        raise GecbenchError(
            f"{folder}: lies on a network file system ({kind}), where SQLite loses data; name a "
            "folder on a local disk, or a PostgreSQL server: --database URL"
        )


@contextmanager
def alone(folder: Path) -> Iterator[int]:
    """Hold a data folder for one process; yields what a child process must close.

    Raises:
        GecbenchError: Another process holds it.
    """
    path = folder / LOCK
    try:
        held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise GecbenchError(f"{path}: cannot be opened: {error.strerror}") from error
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise GecbenchError(
                f"{folder}: a server is running on this data folder; stop it first"
            ) from None
        yield held
    finally:
        os.close(held)


@contextmanager
def private_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a new folder that nobody else reads and that is gone at the end.

    What a process left there that was killed goes, too: secrets and gigabytes do not pile up.
    Each one is locked by the process that uses it, so that those of living ones stay.
    """
    with _locked(parent):  # nobody sweeps between the making of a folder and its lock
        for old in parent.glob(f"{prefix}*"):
            with suppress(OSError), _locked(old, wait=False):
                shutil.rmtree(old, ignore_errors=True)
        made = tempfile.TemporaryDirectory(dir=parent, prefix=prefix, ignore_cleanup_errors=True)
        held = os.open(made.name, os.O_RDONLY | os.O_CLOEXEC)
        with suppress(OSError):  # some network file systems lock no folders
            fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
    try:
        with made:
            yield Path(made.name)
    finally:
        os.close(held)


@contextmanager
def _locked(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold a folder; without waiting, one that is held or cannot be raises OSError."""
    held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if wait:
            with suppress(OSError):  # some network file systems lock no folders
                fcntl.flock(held, fcntl.LOCK_EX)
        else:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(held)
