"""Builders whose rows are made once: the same call on the same site restores them.

Most tests begin with one of a few stories (a project, three people, a sentence that waits for
review), and playing it through the services costs a hundred times as much as copying its rows.
What a builder decorated with `remembered` left on a SQLite site is kept for all processes of a run,
under the site as it was before, the builder and its arguments. It is played again

- on PostgreSQL, in a transaction, in another thread, and after anything else wrote to the site;
- while the clock or the settings are not the real ones;
- when it was remembered for longer than `MINUTES`, so that leases and windows are still open.

A test that needs the services to run, or what can be taken back for a minute only, calls
`remembered`'s `__wrapped__`, or writes a row before.
"""

from __future__ import annotations

import io
import pickle
import sqlite3
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import wraps
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import connection
from django.db.models import Model
from django.utils import timezone

P = ParamSpec("P")
R = TypeVar("R")

MINUTES = 5
_NOW, _SETTINGS = timezone.now, settings._wrapped


@dataclass(frozen=True)
class _Site:
    """A site whose rows are known by a key, until somebody writes to it.

    `since` is when its first rows were made; None, if there are none that have an age.
    """

    key: str
    connection: sqlite3.Connection
    changes: int
    version: int
    since: float | None


@dataclass(frozen=True)
class _Memory:
    """The rows of a site, and what the builder returned."""

    rows: bytes
    value: bytes
    since: float


_memories: dict[str, _Memory] = {}
_folder: Path | None = None
_site: _Site | None = None
_depth = 0
"""How many builders are at work, each called by the one before; what they leave is not kept."""


def share_memories(folder: Path) -> None:
    """Keep memories in a folder, for the other processes of a run."""
    global _folder  # noqa: PLW0603
    _folder = folder
    folder.mkdir(exist_ok=True)


def _recall(key: str) -> _Memory | None:
    memory = _memories.get(key)
    if not _is_fresh(memory) and _folder and (_folder / key).exists():
        memory = _memories[key] = pickle.loads((_folder / key).read_bytes())
    return memory if _is_fresh(memory) else None


def _is_fresh(memory: _Memory | None) -> bool:
    return memory is not None and time.monotonic() - memory.since < MINUTES * 60


def _keep(key: str, memory: _Memory) -> None:
    """Keep a memory, unless another process was quicker."""
    if _recall(key):
        return
    _memories[key] = memory
    if _folder:
        with NamedTemporaryFile(dir=_folder, delete=False) as file:
            file.write(pickle.dumps(memory))
        Path(file.name).replace(_folder / key)


def know_site(key: str, since: float | None = None) -> None:
    """Call the current site, on SQLite, by a key that says all that is in it."""
    global _site  # noqa: PLW0603  # there is one current site
    connection.ensure_connection()
    raw = connection.connection
    _site = _Site(key, raw, raw.total_changes, _version(raw), since)


def _version(raw: sqlite3.Connection) -> int:
    """A number that changes when another connection writes."""
    return raw.execute("PRAGMA data_version").fetchone()[0]


def _known() -> _Site | None:
    """The current site, if it is as it was when it got its key."""
    real = timezone.now is _NOW and settings._wrapped is _SETTINGS
    if _site is None or connection.connection is not _site.connection or not real:
        return None
    raw = _site.connection
    same = raw.total_changes == _site.changes and _version(raw) == _site.version
    return _site if same and not raw.in_transaction else None


def _describe(value: object) -> str:
    """What a value says; of a row its fields, not what was loaded with it."""
    if isinstance(value, Model):
        fields = [getattr(value, field.attname) for field in value._meta.concrete_fields]
        return f"{value._meta.label}{fields}"
    if isinstance(value, Mapping):
        return _describe([item for pair in value.items() for item in pair])
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{','.join(map(_describe, value))}]"
    return repr(value)


class _Pickler(pickle.Pickler):
    """Rows among the arguments are referred to by their place."""

    def __init__(self, file: io.BytesIO, rows: Sequence[object]) -> None:
        super().__init__(file)
        self._places = {id(row): n for n, row in enumerate(rows)}

    def persistent_id(self, value: object) -> int | None:
        return self._places.get(id(value))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, rows: Sequence[object]) -> None:
        super().__init__(file)
        self._rows = rows

    def persistent_load(self, place: int) -> object:
        return self._rows[place]


def _rows(values: Sequence[object]) -> list[object]:
    """All rows among the arguments, and in lists of them."""
    rows = []
    for value in values:
        if isinstance(value, Model):
            rows.append(value)
        elif isinstance(value, list | tuple):
            rows += _rows(value)
    return rows


def _rows_of_site() -> bytes:
    rows = bytearray(connection.connection.serialize())
    rows[18:20] = b"\x01\x01"  # no log beside it, which a database in memory cannot have
    return zlib.compress(rows, 1)


def _restore(rows: bytes) -> None:
    with closing(sqlite3.connect(":memory:")) as copy:
        copy.deserialize(zlib.decompress(rows))
        copy.backup(connection.connection)


def remembered(build: Callable[P, R]) -> Callable[P, R]:
    """Restore what a builder of a site made before, where it would make the same."""

    @wraps(build)
    def restore_or_build(*args: P.args, **kwargs: P.kwargs) -> R:
        global _depth  # noqa: PLW0603
        before = _known()
        description = _describe([args, kwargs])
        if before is None or " at 0x" in description:
            return build(*args, **kwargs)
        name = f"{build.__module__}.{build.__qualname__}"
        key = sha256(f"{before.key} {name} {description}".encode()).hexdigest()
        rows = _rows([*args, *kwargs.values()])
        if memory := _recall(key):
            _restore(memory.rows)
            know_site(f"{key} {memory.since}", memory.since)
            return _Unpickler(io.BytesIO(memory.value), rows).load()
        since = before.since or time.monotonic()
        _depth += 1
        try:
            value = build(*args, **kwargs)
        finally:
            _depth -= 1
        if _describe([args, kwargs]) == description:
            if not _depth:
                file = io.BytesIO()
                _Pickler(file, rows).dump(value)
                _keep(key, _Memory(_rows_of_site(), file.getvalue(), since))
            know_site(f"{key} {since}", since)
        return value

    return restore_or_build
