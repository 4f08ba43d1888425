"""SQLite files: copied while they are written to, checked, settled into one file."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from gecbench.core.errors import GecbenchError

_BESIDE = ("", "-wal", "-shm", "-journal")


def copy(source: Path, target: Path) -> None:
    """Copy a database while others may write to it: the copy is of one moment, and private.

    Raises:
        GecbenchError: It cannot be read, or the copy not be written.
    """
    if not source.exists():
        raise GecbenchError(f"{source}: there is no database; make one: gecbench annotate init")
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        # One step is one read transaction: in WAL mode nobody waits for it.
        with (
            closing(sqlite3.connect(source, timeout=20)) as old,
            closing(sqlite3.connect(target)) as new,
        ):
            old.backup(new)
    except sqlite3.Error as error:
        raise GecbenchError(f"{source}: cannot be copied to {target}: {error}") from error


def check(path: Path) -> None:
    """Refuse a file that is damaged.

    Raises:
        GecbenchError: It is no database, or SQLite finds it broken.
    """
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as opened:
            found = [str(row[0]) for row in opened.execute("PRAGMA integrity_check(10)")]
            dangling = opened.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.Error as error:
        raise GecbenchError(f"{path}: is no sound SQLite database: {error}") from error
    if found != ["ok"]:
        raise GecbenchError(f"{path}: the database is damaged: {found[0]}")
    if dangling is not None:
        raise GecbenchError(
            f"{path}: row {dangling[1]} of {dangling[0]} names a row of {dangling[2]} that is not "
            "there"
        )


def settle(path: Path) -> None:
    """Write the log into the file and drop it, so that the file alone is the database.

    Raises:
        GecbenchError: Somebody else has it open.
    """
    try:
        with closing(sqlite3.connect(path, timeout=5)) as opened:
            opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            mode = opened.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
    except sqlite3.Error as error:
        raise GecbenchError(f"{path}: another program has the database open: {error}") from error
    if mode != "delete":
        raise GecbenchError(f"{path}: another program has the database open; stop it first")


def remove(path: Path) -> None:
    """Remove a database and what lies beside it."""
    for end in _BESIDE:
        Path(f"{path}{end}").unlink(missing_ok=True)
