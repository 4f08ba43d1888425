"""A database brought up to date, or moved to another; a failed try leaves the old one as it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import DatabaseError, connection, connections, models, transaction
from django.db.migrations.executor import MigrationExecutor

from gecbench.core.errors import GecbenchError
from gecbench.server.site import backup, databases
from gecbench.server.site.folder import Site

# The database is brought up to date; a failed try leaves the old one as it was.


def missing_migrations() -> tuple[str, ...]:
    """The migrations that the database lacks, in order.

    Raises:
        GecbenchError: It cannot be reached, or a newer gecbench has written it.
    """
    try:
        executor = MigrationExecutor(connection)
        applied, on_disk = executor.loader.applied_migrations, executor.loader.disk_migrations
    except DatabaseError as error:
        raise GecbenchError(f"the database cannot be opened: {_first_line(error)}") from error
    newer = sorted(
        name
        for app, name in applied
        if app == "server" and (app, name) not in on_disk and not _is_replaced(executor, app, name)
    )
    if newer:
        raise GecbenchError(
            f"the database was written by a newer gecbench (migration {newer[-1]}); upgrade, or "
            "restore a backup of before"
        )
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return tuple(f"{step.app_label}.{step.name}" for step, _ in plan)


def _is_replaced(executor: MigrationExecutor, app: str, name: str) -> bool:
    return any(
        (app, name) in migration.replaces for migration in executor.loader.disk_migrations.values()
    )


_MIGRATING = 0x6765636D  # a lock of PostgreSQL that only gecbench takes: "gecm"


def is_empty() -> bool:
    """Whether the database has no table yet."""
    return not connection.introspection.table_names()


def bring_up_to_date(site: Site, *, copy: bool = True) -> Path | None:
    """Apply what is missing; a database with tables is saved first. Returns the backup made.

    All migrations or none: Django notes some of them after it has applied them, and may be killed
    between. SQLite is migrated as a copy that takes the file's place at the end, a new one, too;
    PostgreSQL in one transaction, for which another host that starts meanwhile waits.

    Raises:
        GecbenchError: A migration failed, or there is no way to save the database first.
    """
    missing = missing_migrations()
    if not missing:
        return None
    fresh = is_empty()
    saved = None if fresh or not copy else backup.make(site, before=missing[0].partition(".")[2])
    if site.sqlite is None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_MIGRATING])
            # No table can be changed while rows wait for the end to have their references checked.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            if missing := missing_migrations():  # else another host has done it
                _migrate(missing, backup_note=str(saved) if saved else "")
    else:
        _migrate_copy(site.sqlite, missing, backup_note="" if fresh else str(site.sqlite))
    return saved


def _migrate_copy(path: Path, missing: tuple[str, ...], *, backup_note: str) -> None:
    trial = path.with_name(f".{path.name}.migrating")
    databases.remove(trial)
    connections.close_all()
    try:
        databases.copy(path, trial)
        with _elsewhere(trial):
            _migrate(missing, backup_note=backup_note)
        databases.check_sqlite(trial)
        databases.settle(trial)
        databases.settle(path)
        trial.replace(path)
    finally:
        databases.remove(trial)


@contextmanager
def _elsewhere(path: Path) -> Iterator[None]:
    """Let Django work on another SQLite file."""
    settings = connections["default"].settings_dict
    before = settings["NAME"]
    connections["default"].close()
    settings["NAME"] = str(path)
    try:
        yield
    finally:
        connections["default"].close()
        settings["NAME"] = before


def _migrate(missing: tuple[str, ...], *, backup_note: str) -> None:
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except Exception as error:  # whatever a migration may raise: the person gets one line
        untouched = f"; nothing was lost: {backup_note}" if backup_note else ""
        raise GecbenchError(
            f"the database could not be brought up to date ({len(missing)} migrations from "
            f"{missing[0]}): {_first_line(error)}{untouched}"
        ) from error


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


# All rows go from one database to another, and are compared there.


_OTHER = "moved"
_BATCH = 1000
_FILLED_BY_MIGRATIONS = ("contenttypes", "auth")
"""Tables that migrations fill in each database, and nothing refers to."""


def copy_rows(site: Site, url: str) -> int:
    """Copy all rows into an empty PostgreSQL database and return how many; all or nothing.

    Raises:
        GecbenchError: The site is no SQLite one, the database is not empty or not to be reached,
            or a table is not the same afterwards.
        UsageError: The URL is none.
    """
    databases.check_url(url)
    if site.sqlite is None:
        raise GecbenchError("this site does not use SQLite; nothing was moved")
    if not databases.is_empty(url):
        raise GecbenchError(
            "the database is not empty; name an empty one, nothing was moved (if a move that was "
            "interrupted has begun to fill it: drop it, create it again, and run this again)"
        )
    with _second(url):
        try:
            call_command("migrate", database=_OTHER, verbosity=0, interactive=False)
            with transaction.atomic(using=_OTHER):
                return sum(_copy(model) for model in _models())
        except DatabaseError as error:
            first = (str(error).strip().splitlines() or ["no reason"])[0]
            raise GecbenchError(f"the rows cannot be moved: {first}; nothing was moved") from error


def _models() -> list[type[models.Model]]:
    """What has rows of its own; keys are checked at the end of the transaction."""
    return [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label not in _FILLED_BY_MIGRATIONS
        and model._meta.managed
        and not model._meta.proxy
    ]


def _copy(model: type[models.Model]) -> int:
    """Copy one table, set its next number, and compare both sides by a digest of all values."""
    rows = model._base_manager.order_by("pk")
    batch: list[models.Model] = []
    for row in rows.iterator(chunk_size=_BATCH):
        batch.append(row)
        if len(batch) == _BATCH:
            model._base_manager.using(_OTHER).bulk_create(batch)
            batch = []
    if batch:
        model._base_manager.using(_OTHER).bulk_create(batch)
    other = connections[_OTHER]
    with other.cursor() as cursor:
        for statement in other.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)
    digest, copy_digest = _digest(model, "default"), _digest(model, _OTHER)
    if digest != copy_digest:
        raise GecbenchError(
            f"{model._meta.db_table}: {digest[0]} rows here and {copy_digest[0]} there are not the "
            "same; nothing was moved"
        )
    return digest[0]


def _digest(model: type[models.Model], alias: str) -> tuple[int, str]:
    """The number of rows and a hash of all their values, in the order of their keys."""
    total = hashlib.sha256()
    count = 0
    names = [column.attname for column in model._meta.concrete_fields]
    rows = model._base_manager.using(alias).order_by("pk").values_list(*names)
    for row in rows.iterator(chunk_size=_BATCH):
        total.update(json.dumps(row, default=str, sort_keys=True).encode())
        count += 1
    return count, total.hexdigest()


@contextmanager
def _second(url: str) -> Iterator[None]:
    """Let Django know a second database for a while."""
    connections.settings[_OTHER] = _configuration(url)
    try:
        yield
    finally:
        connections[_OTHER].close()
        del connections[_OTHER]
        del connections.settings[_OTHER]


@contextmanager
def using(url: str) -> Iterator[None]:
    """Make another database the default one for a while."""
    before = connections.settings["default"]
    connections["default"].close()
    del connections["default"]
    connections.settings["default"] = _configuration(url)
    try:
        yield
    finally:
        connections["default"].close()
        del connections["default"]
        connections.settings["default"] = before


def _configuration(url: str) -> dict[str, Any]:
    from gecbench.server.settings import database_of

    plain = {key: value for key, value in connections.settings["default"].items() if key != "NAME"}
    empty = {"USER": "", "PASSWORD": "", "HOST": "", "PORT": ""}
    return {**plain, **empty, **database_of(url)}
