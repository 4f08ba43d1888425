"""The two databases: SQLite files copied and checked, PostgreSQL's own programs found and run."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

from gecbench.core.errors import GecbenchError, MissingExtraError, UsageError

if TYPE_CHECKING:
    from psycopg import Connection


# SQLite files: copied while they are written to, checked, settled into one file.


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


def check_sqlite(path: Path) -> None:
    """Refuse a file that is damaged.

    Raises:
        GecbenchError: It is no database, or SQLite finds it broken.
    """
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            messages = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(10)")]
            dangling = connection.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.Error as error:
        raise GecbenchError(f"{path}: is no sound SQLite database: {error}") from error
    if messages != ["ok"]:
        raise GecbenchError(f"{path}: the database is damaged: {messages[0]}")
    if dangling is not None:
        raise GecbenchError(
            f"{path}: row {dangling[1]} of {dangling[0]} names a row of {dangling[2]} that is not "
            "there"
        )


SETTLING = 5.0
"""Seconds to wait for others to close a database."""


def settle(path: Path) -> None:
    """Write the log into the file and drop it, so that the file alone is the database.

    Raises:
        GecbenchError: Somebody else has it open.
    """
    try:
        with closing(sqlite3.connect(path, timeout=SETTLING)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            mode = connection.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
    except sqlite3.Error as error:
        raise GecbenchError(f"{path}: another program has the database open: {error}") from error
    if mode != "delete":
        raise GecbenchError(f"{path}: another program has the database open; stop it first")


def remove(path: Path) -> None:
    """Remove a database and what lies beside it."""
    for end in _BESIDE:
        Path(f"{path}{end}").unlink(missing_ok=True)


# PostgreSQL's own programs dump and restore; this finds them and words their failures.


def check_url(url: str) -> None:
    """Refuse what is no address of a PostgreSQL database.

    Raises:
        UsageError: It is none; the message does not repeat it, for it may hold a password.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql") or not parts.path.strip("/"):
        raise UsageError(
            "the database's URL is postgresql://PERSON:PASSWORD@HOST:PORT/NAME (the password may "
            "lie in ~/.pgpass instead)"
        )


def dump(url: str, target: Path) -> None:
    """Write a database into a file of one moment, while others work on it.

    Raises:
        GecbenchError: pg_dump is missing, or fails.
    """
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    _run("pg_dump", url, ["--format=custom", "--no-owner", "--no-acl", f"--file={target}"])


def check_dump(path: Path) -> None:
    """Refuse a dump whose table of contents cannot be read.

    Raises:
        GecbenchError: It cannot, or pg_restore is missing.
    """
    listing = _run("pg_restore", "", ["--list", str(path)])
    if "TABLE DATA public sentence" not in listing:
        raise GecbenchError(f"{path.name}: is no dump of gecbench's database")


def restore(url: str, path: Path) -> None:
    """Fill a database from a dump, whole or not at all; what it held of gecbench is replaced.

    Raises:
        GecbenchError: pg_restore is missing, or fails.
    """
    words = ["--clean", "--if-exists", "--no-owner", "--no-acl", "--single-transaction"]
    _run("pg_restore", url, [*words, "--exit-on-error", str(path)])


def _run(program: str, url: str, words: Sequence[str]) -> str:
    executable = shutil.which(program)
    if executable is None:
        raise GecbenchError(
            f"{program} is not on the path; install PostgreSQL's client programs (Debian: "
            "apt-get install postgresql-client)"
        )
    environment = {**os.environ, "LC_MESSAGES": "C", **_connection(url)}
    options = [f"--dbname={environment['PGDATABASE']}"] if url else []
    process = subprocess.run(  # a fixed program, no shell
        [executable, *options, *words],
        env=environment, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if process.returncode:
        lines = process.stderr.strip().splitlines() or [f"exit code {process.returncode}"]
        raise GecbenchError(f"{program} failed: {lines[0].removeprefix(f'{program}: ')}")
    return process.stdout


def _connection(url: str) -> dict[str, str]:
    """What the programs read from the environment: no password in a list of processes."""
    if not url:
        return {}
    parts = urlsplit(url)
    settings = {
        "PGHOST": unquote(parts.hostname) if parts.hostname else None,
        "PGPORT": str(parts.port) if parts.port else None,
        "PGUSER": unquote(parts.username) if parts.username else None,
        "PGPASSWORD": unquote(parts.password) if parts.password else None,
        "PGDATABASE": unquote(parts.path.lstrip("/")),
        "PGSSLMODE": parse_qs(parts.query).get("sslmode", [None])[0],
        "PGSSLROOTCERT": parse_qs(parts.query).get("sslrootcert", [None])[0],
    }
    return {name: value for name, value in settings.items() if value}


def check_reach(url: str) -> None:
    """Refuse a database that cannot be used, before anything is made for it.

    Raises:
        GecbenchError: It cannot be reached.
        MissingExtraError: The extra `postgres` is not installed.
        UsageError: The URL is none.
    """
    check_url(url)
    with _connect(url):
        pass


def check_client() -> None:
    """Refuse in one line what would end in a traceback of an import.

    Raises:
        MissingExtraError: The extra `postgres` is not installed.
    """
    from importlib.util import find_spec

    if find_spec("psycopg") is None:
        raise MissingExtraError("psycopg (for PostgreSQL)", "postgres")


def is_empty(url: str) -> bool:
    """Whether a database holds nothing: no table, or gecbench's tables without people.

    Raises:
        GecbenchError: It cannot be reached.
        MissingExtraError: The extra `postgres` is not installed.
    """
    with _connect(url) as connection:
        from psycopg.errors import UndefinedTable

        tables = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
        row = connection.execute(tables).fetchone()
        if row is None or not row[0]:
            return True
        try:
            row = connection.execute("SELECT EXISTS (SELECT 1 FROM person)").fetchone()
        except UndefinedTable:
            return False
        return row is not None and not row[0]


@contextmanager
def _connect(url: str) -> Iterator[Connection]:
    check_client()
    import psycopg

    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            yield connection
    except psycopg.Error as error:
        first = (str(error).strip().splitlines() or ["no reason"])[0]
        raise GecbenchError(f"the database cannot be opened: {first}") from error
