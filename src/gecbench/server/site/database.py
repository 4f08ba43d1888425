"""The database is brought up to date; a failed try leaves the old one as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management import call_command
from django.db import DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor

from gecbench.core.errors import GecbenchError
from gecbench.server.site import backup, sqlite
from gecbench.server.site.folder import Site


def unapplied() -> tuple[str, ...]:
    """Return the migrations that the database lacks, in order.

    Raises:
        GecbenchError: It cannot be reached, or a newer gecbench has written it.
    """
    try:
        executor = MigrationExecutor(connection)
        applied, known = executor.loader.applied_migrations, executor.loader.disk_migrations
    except DatabaseError as error:
        raise GecbenchError(f"the database cannot be opened: {_first_line(error)}") from error
    newer = sorted(
        name
        for app, name in applied
        if app == "server" and (app, name) not in known and not _replaced(executor, app, name)
    )
    if newer:
        raise GecbenchError(
            f"the database was written by a newer gecbench (migration {newer[-1]}); upgrade, or "
            "restore a backup of before"
        )
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return tuple(f"{one.app_label}.{one.name}" for one, _ in plan)


def _replaced(executor: MigrationExecutor, app: str, name: str) -> bool:
    return any((app, name) in one.replaces for one in executor.loader.disk_migrations.values())


def is_empty() -> bool:
    """Return whether the database has no table yet."""
    return not connection.introspection.table_names()


def bring_up_to_date(site: Site, *, copy: bool = True) -> Path | None:
    """Apply what is missing; a database with tables is saved first. Returns the backup made.

    SQLite is migrated as a copy that takes the old file's place at the end; PostgreSQL takes
    each migration whole or not at all.

    Raises:
        GecbenchError: A migration failed, or there is no way to save the database first.
    """
    missing = unapplied()
    if not missing:
        return None
    fresh = is_empty()
    saved = None if fresh or not copy else backup.make(site, before=missing[0].partition(".")[2])
    if fresh or site.sqlite is None:
        _migrate(missing, kept=str(saved) if saved else "")
    else:
        _migrate_copy(site.sqlite, missing)
    return saved


def _migrate_copy(path: Path, missing: tuple[str, ...]) -> None:
    trial = path.with_name(f".{path.name}.migrating")
    sqlite.remove(trial)
    connections.close_all()
    try:
        sqlite.copy(path, trial)
        with _elsewhere(trial):
            _migrate(missing, kept=str(path))
        sqlite.check(trial)
        sqlite.settle(trial)
        sqlite.settle(path)
        trial.replace(path)
    finally:
        sqlite.remove(trial)


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


def _migrate(missing: tuple[str, ...], *, kept: str) -> None:
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except Exception as error:  # whatever a migration may raise: the person gets one line
        untouched = f"; nothing was lost: {kept}" if kept else ""
        raise GecbenchError(
            f"the database could not be brought up to date ({len(missing)} migrations from "
            f"{missing[0]}): {_first_line(error)}{untouched}"
        ) from error


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
