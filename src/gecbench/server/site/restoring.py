"""A backup becomes a data folder; what was there before is kept aside."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server.site import backup, postgresql, sqlite
from gecbench.server.site.disk import alone
from gecbench.server.site.folder import (
    BACKUPS,
    DATABASE,
    LOCK,
    OPTIONS,
    REPLACED,
    SECRET,
    UPLOADS,
    overruled,
    read_site,
    write_options,
)

_DATABASES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm")


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
    occupied = _occupied(folder)
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
        if (folder / DATABASE).exists():
            sqlite.settle(folder / DATABASE)  # refuses while another program writes to it
        if said.database == "postgresql":
            _fill(folder, parts, database, replace=replace)
        # The folder changes at the end: whatever has failed before, it is as it was.
        aside = _put_aside(folder) if occupied else None
        _place(parts, folder)
        (folder / BACKUPS).mkdir(exist_ok=True, mode=0o700)
    return aside


def _occupied(folder: Path) -> bool:
    """Return whether a folder holds a site, whole or half replaced by a restore that was killed.

    Raises:
        GecbenchError: It holds other things.
    """
    there = {one.name for one in folder.iterdir()} if folder.exists() else set()
    mine = {LOCK, *(one for one in there if one.startswith(".restore-"))}  # of a try that failed
    kept = {one for one in there if one.startswith(REPLACED)}
    known = {SECRET, OPTIONS, BACKUPS, UPLOADS, *_DATABASES}
    if SECRET not in there and there - mine - kept - known:
        raise GecbenchError(f"{folder}: holds other files; name a new or empty folder")
    return bool(there - mine)


def _put_aside(folder: Path) -> Path:
    """Move what a site is into a folder of its own, the secret first: after it there is no site."""
    aside = _unused(folder)
    try:
        aside.mkdir(mode=0o700)
        for name in (SECRET, *_DATABASES, OPTIONS):
            if (folder / name).exists():
                (folder / name).rename(aside / name)
    except OSError as error:
        raise GecbenchError(f"{aside}: cannot be made: {error.strerror}") from error
    return aside


def _unused(folder: Path, ending: str = "") -> Path:
    """Return a name after the time that nothing has yet."""
    named = f"{REPLACED}{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    tries = (folder / f"{named}{more}{ending}" for more in chain([""], (f"-{n}" for n in count(2))))
    return next(one for one in tries if not one.exists())


def _place(parts: Path, folder: Path) -> None:
    """Give the files their names, the secret last: before it the folder is no site."""
    for name in (OPTIONS, DATABASE, SECRET):
        if (parts / name).exists():
            (parts / name).chmod(0o600)
            (parts / name).replace(folder / name)


def _fill(folder: Path, parts: Path, database: str, *, replace: bool) -> None:
    """Fill the database server, whole or not at all; keep its URL among the backup's options."""
    site = read_site(parts)
    url = database or overruled(site, os.environ).database
    postgresql.check_url(url)
    if not postgresql.is_empty(url):
        if not replace:
            raise GecbenchError(
                "the database is not empty; name an empty one with --database, or say "
                "--replace, and it is saved into the folder first"
            )
        postgresql.dump(url, _unused(folder, ".dump"))
    if database:
        write_options(site, database=database)
    postgresql.restore(url, parts / backup.DUMP)
