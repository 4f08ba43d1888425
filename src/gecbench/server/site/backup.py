"""Everything of a site in one file, and back: made while people work, verified, kept by age."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain, count
from pathlib import Path

from gecbench import __version__
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server.site import databases
from gecbench.server.site.folder import (
    BACKUPS,
    DATABASE,
    LOCK,
    OPTIONS,
    REPLACED,
    SECRET,
    STATIC,
    UPLOADS,
    Site,
    alone,
    apply_environment,
    private_folder,
    read_site,
    write_options,
)

# Everything of a site in one file: made while people work, verified, kept by age.
#
# A backup is a tar of the database, the secret (links and pseudonyms depend on it), the options,
# and a manifest with the SHA-256 of each. Beside it lies its own SHA-256.


DUMP = "gecbench.dump"
MANIFEST = "manifest.json"
_NAME = re.compile(r"gecbench-(\d{8}T\d{6})Z\.tar")
_STAMP = "%Y%m%dT%H%M%S"
_FORMAT = 1
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup says of itself.

    Args:
        created_at: When, UTC.
        version: Of the gecbench that made it.
        database: "sqlite" or "postgresql".
        sha256: Name of each file in it to the hash of its content.
    """

    created_at: datetime
    version: str
    database: str
    sha256: dict[str, str]


def make(site: Site, target: Path | None = None, *, before: str = "") -> Path:
    """Save a site into one file and return its path; nobody who works has to wait.

    Args:
        site: What is saved.
        target: A new file; by default one in the folder of backups, named after the time.
        before: The migration before which it is made, in the name then.

    Raises:
        GecbenchError: The database is damaged, or the file exists or cannot be written.
    """
    at = datetime.now(UTC).replace(microsecond=0)
    path = target or _backup_path(site, at, before)
    while target is None and path.exists():  # the one before was made in the same second
        at += timedelta(seconds=1)
        path = _backup_path(site, at, before)
    if path.exists():
        raise GecbenchError(f"{path}: exists already; name a new file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with private_folder(path.parent, ".backup-") as folder:
            _write(site, at, folder, path)
    except OSError as error:
        raise GecbenchError(f"{path}: cannot be written: {error.strerror or error}") from error
    return path


def _backup_path(site: Site, at: datetime, before: str) -> Path:
    start = f"before-{before}" if before else "gecbench"
    return site.backups / f"{start}-{at:{_STAMP}}Z.tar"


def _write(site: Site, at: datetime, folder: Path, path: Path) -> None:
    """Collect the parts in a private folder, pack them, and give the result its name."""
    if site.sqlite is not None:
        databases.copy(site.sqlite, folder / DATABASE)
        databases.settle(folder / DATABASE)
        databases.check_sqlite(folder / DATABASE)
    else:
        databases.dump(site.database, folder / DUMP)
    (folder / SECRET).write_text(site.secret, "utf-8")
    if (site.folder / OPTIONS).exists():
        (folder / OPTIONS).write_bytes((site.folder / OPTIONS).read_bytes())
    parts = sorted(folder.iterdir())
    manifest = {
        "format": _FORMAT,
        "made_at": at.isoformat(),
        "version": __version__,
        "database": "sqlite" if site.sqlite is not None else "postgresql",
        "sha256": {part.name: sha256(part) for part in parts},
    }
    packed = folder / "packed"
    with packed.open("wb") as file:
        packed.chmod(0o600)
        with tarfile.open(fileobj=file, mode="w") as tar:
            _add(tar, MANIFEST, io.BytesIO(json.dumps(manifest, indent=1).encode()), at)
            for part in parts:
                with part.open("rb") as content:
                    _add(tar, part.name, content, at)
        file.flush()
        os.fsync(file.fileno())
    beside = folder / "sum"
    beside.write_text(f"{sha256(packed)}  {path.name}\n", "utf-8")
    beside.chmod(0o600)
    beside.replace(sum_of(path))
    packed.replace(path)


def _add(tar: tarfile.TarFile, name: str, content: io.BufferedIOBase, at: datetime) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = content.seek(0, io.SEEK_END)
    content.seek(0)
    entry.mode, entry.mtime = 0o600, int(at.timestamp())
    tar.addfile(entry, content)


def sum_of(path: Path) -> Path:
    """The file beside a backup that holds its SHA-256."""
    return path.with_name(f"{path.name}.sha256")


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(path: Path) -> Backup:
    """What a backup says of itself, after every byte of it was looked at.

    Raises:
        GecbenchError: It is no backup, was changed or cut, or its database is damaged.
    """
    with unpack(path) as (manifest, _):
        return manifest


@contextmanager
def unpack(path: Path, beside: Path | None = None) -> Iterator[tuple[Backup, Path]]:
    """Yield a verified backup and a private folder with its files.

    Args:
        path: The backup.
        beside: Where the folder is made, to be on the disk of what is restored.

    Raises:
        GecbenchError: It is no backup, was changed or cut, or its database is damaged.
    """
    _check_sum(path)
    with private_folder(beside or Path(tempfile.gettempdir()), ".restore-") as folder:
        try:
            with tarfile.open(path, "r:") as tar:
                manifest = _manifest(path, tar)
                for name, expected in manifest.sha256.items():
                    _extract(path, tar, name, folder / name)
                    if sha256(folder / name) != expected:
                        raise GecbenchError(f"{path}: {name} in it was changed; use another backup")
        except (tarfile.TarError, OSError, EOFError) as error:
            raise GecbenchError(f"{path}: is no whole backup: {error}") from error
        if manifest.database == "sqlite":
            databases.check_sqlite(folder / DATABASE)
        else:
            databases.check_dump(folder / DUMP)
        yield manifest, folder


def _check_sum(path: Path) -> None:
    if not path.is_file():
        raise GecbenchError(f"{path}: no such file; check the path")
    if not sum_of(path).exists():
        return  # the manifest inside holds what is needed
    expected = sum_of(path).read_text("utf-8", errors="replace").split()
    if not expected or sha256(path) != expected[0]:
        raise GecbenchError(
            f"{path}: is not what {sum_of(path).name} says; it was changed or cut, use another"
        )


def _manifest(path: Path, tar: tarfile.TarFile) -> Backup:
    try:
        content = tar.extractfile(MANIFEST)
        manifest = json.loads(content.read(_CHUNK)) if content else {}
        if manifest["format"] != _FORMAT:
            raise GecbenchError(
                f"{path}: was made by a newer gecbench ({manifest['version']}); upgrade"
            )
        backup = Backup(
            datetime.fromisoformat(manifest["made_at"]),
            str(manifest["version"]),
            str(manifest["database"]),
            {str(name): str(entry) for name, entry in manifest["sha256"].items()},
        )
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise GecbenchError(f"{path}: is no backup of gecbench: no manifest in it") from error
    needed = {SECRET, DATABASE if backup.database == "sqlite" else DUMP}
    if not needed <= set(backup.sha256) <= needed | {OPTIONS}:
        raise GecbenchError(f"{path}: is no backup of gecbench: it holds {sorted(backup.sha256)}")
    return backup


def _extract(path: Path, tar: tarfile.TarFile, name: str, target: Path) -> None:
    content = tar.extractfile(name)  # by name and as bytes: no path of the tar is ever followed
    if content is None:
        raise GecbenchError(f"{path}: {name} in it is no file")
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        while chunk := content.read(_CHUNK):
            file.write(chunk)


def newest(site: Site) -> datetime | None:
    """When the last backup in the folder of backups was made; None where there is none."""
    times = [at for at, _ in _list_backups(site)]
    return max(times, default=None)


def _list_backups(site: Site) -> list[tuple[datetime, Path]]:
    backups = []
    for path in site.backups.glob("gecbench-*.tar"):
        stamp = _NAME.fullmatch(path.name)
        if stamp:
            backups.append((datetime.strptime(stamp[1], _STAMP).replace(tzinfo=UTC), path))
    return sorted(backups)


def to_keep(times: Sequence[datetime], *, days: int = 7, weeks: int = 4) -> frozenset[datetime]:
    """Which backups stay: the last of each of 7 days and of each of 4 weeks that have one.

    >>> from datetime import timedelta
    >>> noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    >>> sorted(one.day for one in to_keep([noon - timedelta(days=n) for n in range(10)]))
    [15, 16, 17, 18, 19, 20, 21]
    """
    daily: dict[object, datetime] = {}
    weekly: dict[object, datetime] = {}
    for at in sorted(times):
        daily[at.date()] = at
        weekly[at.isocalendar()[:2]] = at
    return frozenset([*list(daily.values())[-days:], *list(weekly.values())[-weeks:]])


def prune(site: Site) -> tuple[Path, ...]:
    """Remove old backups from the folder of backups by `to_keep`; return which.

    Those made before migrations, and files of other names, stay.
    """
    backups = _list_backups(site)
    keep = to_keep([at for at, _ in backups])
    old_backups = tuple(path for at, path in backups if at not in keep)
    for path in old_backups:
        path.unlink()
        sum_of(path).unlink(missing_ok=True)
    return old_backups


# A backup becomes a data folder; what was there before is kept aside.


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
    occupied = _has_site(folder)
    if occupied and not replace:
        raise GecbenchError(f"{folder}: holds a site already; name a new folder, or say --replace")
    if not file.is_file():
        raise GecbenchError(f"{file}: no such file; check the path")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    with alone(folder), unpack(file, beside=folder) as (manifest, parts):
        if database and manifest.database == "sqlite":
            raise UsageError(
                f"{file}: is a backup of SQLite; restore it without --database, then run: "
                "gecbench annotate move"
            )
        if (folder / DATABASE).exists():
            databases.settle(folder / DATABASE)  # refuses while another program writes to it
        if manifest.database == "postgresql":
            _fill(folder, parts, database, replace=replace)
        # The folder changes at the end: whatever has failed before, it is as it was.
        aside = _put_aside(folder) if occupied else None
        _place(parts, folder)
        (folder / BACKUPS).mkdir(exist_ok=True, mode=0o700)
    return aside


def _has_site(folder: Path) -> bool:
    """Whether a folder holds a site, whole or half replaced by a restore that was killed.

    Raises:
        GecbenchError: It holds other things.
    """
    names = {path.name for path in folder.iterdir()} if folder.exists() else set()
    ours = {LOCK, *(path for path in names if path.startswith(".restore-"))}  # of a try that failed
    replaced = {path for path in names if path.startswith(REPLACED)}
    site_names = {SECRET, OPTIONS, BACKUPS, STATIC, UPLOADS, *_DATABASES}
    if SECRET not in names and names - ours - replaced - site_names:
        raise GecbenchError(f"{folder}: holds other files; name a new or empty folder")
    return bool(names - ours)


def _put_aside(folder: Path) -> Path:
    """Move what a site is into a folder of its own, the secret first: after it there is no site."""
    aside = _unused_path(folder)
    try:
        aside.mkdir(mode=0o700)
        for name in (SECRET, *_DATABASES, OPTIONS):
            if (folder / name).exists():
                (folder / name).rename(aside / name)
    except OSError as error:
        raise GecbenchError(f"{aside}: cannot be made: {error.strerror}") from error
    return aside


def _unused_path(folder: Path, ending: str = "") -> Path:
    """A name after the time that nothing has yet."""
    stem = f"{REPLACED}{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    tries = (folder / f"{stem}{more}{ending}" for more in chain([""], (f"-{n}" for n in count(2))))
    return next(name for name in tries if not name.exists())


def _place(parts: Path, folder: Path) -> None:
    """Give the files their names, the secret last: before it the folder is no site."""
    for name in (OPTIONS, DATABASE, SECRET):
        if (parts / name).exists():
            (parts / name).chmod(0o600)
            (parts / name).replace(folder / name)


def _fill(folder: Path, parts: Path, database: str, *, replace: bool) -> None:
    """Fill the database server, whole or not at all; keep its URL among the backup's options."""
    site = read_site(parts)
    url = database or apply_environment(site, os.environ).database
    databases.check_url(url)
    if not databases.is_empty(url):
        if not replace:
            raise GecbenchError(
                "the database is not empty; name an empty one with --database, or say "
                "--replace, and it is saved into the folder first"
            )
        databases.dump(url, _unused_path(folder, ".dump"))
    if database:
        write_options(site, database=database)
    databases.restore(url, parts / DUMP)
