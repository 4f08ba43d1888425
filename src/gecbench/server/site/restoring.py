"""A backup becomes a data folder; what was there before is kept aside."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server.site import backup, postgresql, sqlite
from gecbench.server.site.disk import alone
from gecbench.server.site.folder import (
    BACKUPS,
    DATABASE,
    OPTIONS,
    SECRET,
    overruled,
    read_site,
    write_options,
)


def restore(file: Path, folder: Path, *, replace: bool = False, database: str = "") -> Path | None:
    """Make a data folder of a verified backup; returns where the old content lies, if any.

    Args:
        file: The backup.
        folder: A new or empty folder, or with `replace` a data folder that no server uses.
        replace: Put the old content aside and take its place.
        database: The PostgreSQL database to fill, for a backup of one; by default the one that
            the backup's options name.

    Raises:
        GecbenchError: The backup is damaged, the folder is in use or holds other things.
        UsageError: A database is named for a backup that needs none.
    """
    occupied = folder.exists() and any(folder.iterdir())
    if occupied and not (folder / SECRET).exists():
        raise GecbenchError(f"{folder}: holds other files; name a new or empty folder")
    if occupied and not replace:
        raise GecbenchError(f"{folder}: holds a site already; name a new folder, or say --replace")
    if not file.is_file():
        raise GecbenchError(f"{file}: no such file; check the path")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    with alone(folder), backup.unpacked(file, beside=folder) as (said, parts):
        if database and said.database == "sqlite":
            raise UsageError(
                f"{file}: is a backup of SQLite; restore it without --database, then run: "
                "gecbench annotate move"
            )
        old = read_site(folder) if occupied else None
        if old is not None and old.sqlite is not None and old.sqlite.exists():
            sqlite.settle(old.sqlite)  # refuses while another program writes to it
        aside = _put_aside(folder) if occupied else None
        _place(parts, folder)
        if said.database == "postgresql":
            _fill(folder, parts, database, replace=replace)
        (folder / BACKUPS).mkdir(exist_ok=True, mode=0o700)
    return aside


def _put_aside(folder: Path) -> Path:
    aside = folder / f"replaced-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    try:
        aside.mkdir(mode=0o700)
        for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", SECRET, OPTIONS):
            if (folder / name).exists():
                (folder / name).rename(aside / name)
    except OSError as error:
        raise GecbenchError(f"{aside}: cannot be made: {error.strerror}") from error
    return aside


def _place(parts: Path, folder: Path) -> None:
    """Give the files their names, the secret last: before it the folder is no site."""
    for name in (OPTIONS, DATABASE, SECRET):
        if (parts / name).exists():
            (parts / name).chmod(0o600)
            (parts / name).replace(folder / name)


def _fill(folder: Path, parts: Path, database: str, *, replace: bool) -> None:
    site = overruled(read_site(folder), os.environ)
    url = database or site.database
    postgresql.check_url(url)
    if not postgresql.is_empty(url):
        if not replace:
            raise GecbenchError(
                "the database is not empty; name an empty one with --database, or say "
                "--replace, and it is saved into the folder first"
            )
        postgresql.dump(url, folder / f"replaced-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.dump")
    postgresql.restore(url, parts / backup.DUMP)
    if database:
        write_options(read_site(folder), database=database)
