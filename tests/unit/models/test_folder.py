"""The folder of a model takes its name when it is whole."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from gecbench.models import folder
from gecbench.models.folder import atomic_folder


def test_a_folder_is_written_where_only_files_open_for_writing_can_be_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where folders cannot be opened either."""
    writable: set[int] = set()
    open_, flushed = os.open, []

    def open_as_windows(path: Path, flags: int, *mode: int) -> int:
        if Path(path).is_dir():
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        handle = open_(path, flags, *mode)
        (writable.add if flags & (os.O_WRONLY | os.O_RDWR) else writable.discard)(handle)
        return handle

    def flush_as_windows(handle: int) -> None:
        if handle not in writable:
            raise OSError(errno.EBADF, "Bad file descriptor")
        flushed.append(handle)

    with atomic_folder(tmp_path / "model") as new:
        (new / "inside").mkdir()
        (new / "inside" / "weights.bin").write_bytes(b"1")
        monkeypatch.setattr(folder, "_ON_WINDOWS", True)
        monkeypatch.setattr(os, "open", open_as_windows)
        monkeypatch.setattr(os, "fsync", flush_as_windows)
    assert (tmp_path / "model" / "inside" / "weights.bin").read_bytes() == b"1"
    assert len(flushed) == 1
