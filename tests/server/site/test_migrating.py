"""A database is brought up to date; a failed try leaves the old one as it was (section 5.2)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock
from uuid import uuid4

import pytest
from django.contrib.auth import SESSION_KEY
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from server.conftest import POSTGRESQL, administer, postgresql, sqlite, use

from gecbench.core.errors import GecbenchError
from gecbench.server.models import Person, Project, Session
from gecbench.server.models.people import SessionStore
from gecbench.server.site import backup, migration
from gecbench.server.site.folder import DATABASE, Site, make_site


def migrate_step_by_step(last: str) -> None:
    """Make a site as it was before there was a squashed migration: by the originals, up to one."""
    executor = MigrationExecutor(connection)
    executor.loader.replace_migrations = False
    executor.loader.build_graph()
    others = [node for node in executor.loader.graph.leaf_nodes() if node[0] != "server"]
    executor.migrate([*others, ("server", last)])


def schema() -> dict[str, set[tuple[object, ...]]]:
    """What a database has of tables, indexes, constraints, triggers and noted migrations.

    White space in triggers does not count; the order of columns does.
    """
    with connection.cursor() as cursor:

        def rows(query: str) -> set[tuple[object, ...]]:
            cursor.execute(query)
            return {
                tuple(" ".join(cell.split()) if isinstance(cell, str) else cell for cell in row)
                for row in cursor.fetchall()
            }

        parts = {"migrations": "SELECT app, name FROM django_migrations"}
        if connection.vendor == "sqlite":
            parts["all"] = "SELECT type, name, tbl_name, sql FROM sqlite_master"
        else:
            parts |= {
                "columns": "SELECT table_name, ordinal_position, column_name, data_type, "
                "character_maximum_length, is_nullable, column_default, identity_generation "
                "FROM information_schema.columns WHERE table_schema = 'public'",
                "indexes": "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
                "constraints": "SELECT conrelid::regclass::text, conname, "
                "pg_get_constraintdef(oid) FROM pg_constraint "
                "WHERE connamespace = 'public'::regnamespace",
                "triggers": "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
                "functions": "SELECT pg_get_functiondef(oid) FROM pg_proc "
                "WHERE pronamespace = 'public'::regnamespace",
            }
        return {name: rows(query) for name, query in parts.items()}


@pytest.fixture(scope="module")
def first_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file as the first migration alone made it."""
    path = tmp_path_factory.mktemp("first") / "first.sqlite3"
    use(sqlite(path))
    migrate_step_by_step("0001_initial")
    with connection.cursor() as cursor:  # Django's own, of before there were ours
        cursor.execute(
            "CREATE TABLE django_session (session_key varchar(40) NOT NULL PRIMARY KEY, "
            "session_data text NOT NULL, expire_date datetime NOT NULL)"
        )
    connection.close()
    return path


def people():
    """Rows of people as the first migration knows them."""
    first = MigrationExecutor(connection).loader.project_state(("server", "0001_initial"))
    return first.apps.get_model("server", "Person").objects


@pytest.fixture
def old(first_sqlite: Path, tmp_path: Path) -> Iterator[Site]:
    """A site of before the second migration, with a row."""
    site = make_site(tmp_path / "site")
    shutil.copy(first_sqlite, site.folder / DATABASE)
    use(sqlite(site.folder / DATABASE))
    people().create(login="li", name="Li")
    yield site
    connection.close()


def triggers():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'")
        return cursor.fetchone()[0]


@pytest.mark.slow
def test_a_database_with_rows_is_saved_before_a_migration_and_who_is_signed_in_stays_so(
    old, migrated_sqlite
):
    assert migration.missing_migrations()[0] == "server.0002_guards"
    assert triggers() == 0
    person = people().get(login="li")
    sessions = {"a" * 32: {SESSION_KEY: str(person.pk)}, "b" * 32: {}, "c" * 32: {SESSION_KEY: "9"}}
    with connection.cursor() as cursor:
        for key, data in sessions.items():
            row = [key, SessionStore().encode(data), "2999-01-01 00:00:00"]
            cursor.execute("INSERT INTO django_session VALUES (%s, %s, %s)", row)
    saved = migration.bring_up_to_date(old)
    assert saved.name.startswith("before-0002_guards-")
    assert backup.verify(saved).database == "sqlite"
    assert migration.missing_migrations() == ()
    assert Person.objects.get().login == "li"
    assert triggers() > 30
    assert SessionStore("a" * 32).load() == sessions["a" * 32]
    assert [session.session_key for session in Session.objects.filter(person=person.pk)] == [
        "a" * 32
    ]
    assert Session.objects.count() == 3
    upgraded = schema()
    use(sqlite(migrated_sqlite))
    new = schema()
    connection.close()
    assert ("server", "0001_squashed_0017_judges_replaced") in new["migrations"]
    assert new == upgraded


@pytest.mark.slow
@pytest.mark.parametrize("last", ["0010_trials", "0017_judges_replaced"])
def test_a_site_of_any_migration_becomes_what_a_new_one_is(tmp_path, migrated_sqlite, last):
    site = make_site(tmp_path / "site")
    use(sqlite(site.folder / DATABASE))
    migrate_step_by_step(last)
    Person.objects.create(login="li", name="Li")
    saved = migration.bring_up_to_date(site)
    assert saved is not None
    assert Person.objects.get().login == "li"
    upgraded = schema()
    use(sqlite(migrated_sqlite))
    new = schema()
    connection.close()
    assert new == upgraded


@pytest.mark.slow
@pytest.mark.skipif(not POSTGRESQL, reason="no PostgreSQL")
def test_on_postgresql_the_migrations_one_by_one_make_what_a_new_site_has(
    tmp_path, migrated_postgresql
):
    name = f"gecbench_stepwise_{uuid4().hex[:8]}"
    administer(f"CREATE DATABASE {name}")
    use(postgresql(name))
    try:
        migrate_step_by_step("0010_trials")
        migration.bring_up_to_date(
            replace(make_site(tmp_path / "site"), database=POSTGRESQL), copy=False
        )
        upgraded = schema()
    finally:
        connection.close()
        administer(f"DROP DATABASE {name}")
    use(postgresql(migrated_postgresql))
    new = schema()
    connection.close()
    assert len(new["triggers"]) > 70
    assert new == upgraded


def test_what_is_up_to_date_is_left_alone(filled):
    assert migration.bring_up_to_date(filled) is None
    assert list(filled.backups.iterdir()) == []


def test_the_copy_can_be_left_out(old, monkeypatch):
    monkeypatch.setattr(migration, "call_command", Mock())
    assert migration.bring_up_to_date(old, copy=False) is None
    assert list(old.backups.iterdir()) == []


def test_a_new_database_gets_its_tables_even_if_the_first_start_ended(tmp_path, monkeypatch):
    """Django notes one with deferred statements after its transaction."""
    site = make_site(tmp_path / "site")
    use(sqlite(site.folder / DATABASE))

    def ends(*words):
        raise RuntimeError("killed")

    with monkeypatch.context() as killed:
        killed.setattr(MigrationRecorder, "record_applied", ends)
        with pytest.raises(GecbenchError, match="killed"):
            migration.bring_up_to_date(site)
    assert migration.is_empty()
    assert migration.bring_up_to_date(site) is None
    assert migration.missing_migrations() == ()
    assert Project.objects.count() == 0
    assert list(site.backups.iterdir()) == []
    connection.close()


@pytest.mark.slow
@pytest.mark.skipif(not POSTGRESQL, reason="no PostgreSQL")
def test_on_postgresql_all_migrations_are_applied_or_none(tmp_path, monkeypatch):
    name = f"gecbench_migrating_{uuid4().hex[:8]}"
    administer(f"CREATE DATABASE {name}")
    site = make_site(tmp_path / "site")
    site = replace(site, database=POSTGRESQL)
    use(postgresql(name))
    record = MigrationRecorder.record_applied

    def ends(recorder, app, migration_name):
        if migration_name == "0001_initial" and app == "server":
            raise RuntimeError("killed")
        record(recorder, app, migration_name)

    try:
        with monkeypatch.context() as killed:
            killed.setattr(MigrationRecorder, "record_applied", ends)
            with pytest.raises(GecbenchError, match="killed"):
                migration.bring_up_to_date(site)
        assert migration.is_empty()
        assert migration.bring_up_to_date(site) is None
        assert migration.missing_migrations() == ()
        assert Project.objects.count() == 0
    finally:
        connection.close()
        administer(f"DROP DATABASE {name}")


def test_a_failed_migration_leaves_the_old_file_usable(old, monkeypatch):
    before = migration.missing_migrations()

    def broken(*words, **options):
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM person")
            cursor.execute("CREATE TABLE half_done (x)")
        raise RuntimeError("division of labour\nsecond line")

    monkeypatch.setattr(migration, "call_command", broken)
    message = (
        r"migrations from server.0002_guards\): division of labour; nothing was lost: .*sqlite3$"
    )
    with pytest.raises(GecbenchError, match=message):
        migration.bring_up_to_date(old)
    assert migration.missing_migrations() == before
    assert people().get().login == "li"
    assert "half_done" not in connection.introspection.table_names()
    assert [path.name for path in old.folder.iterdir() if "migrating" in path.name] == []


def test_an_error_without_words_is_named(old, monkeypatch):
    def broken(*words, **options):
        raise RuntimeError

    monkeypatch.setattr(migration, "call_command", broken)
    with pytest.raises(GecbenchError, match=r"0002_guards\): RuntimeError; nothing"):
        migration.bring_up_to_date(old, copy=False)


def test_a_database_of_a_newer_gecbench_is_refused(filled):
    MigrationRecorder(connection).record_applied("server", "9999_future")
    with pytest.raises(GecbenchError, match=r"written by a newer gecbench .migration 9999_future"):
        migration.bring_up_to_date(filled)


def test_what_is_no_database_is_one_line(filled):
    connection.close()
    (filled.folder / DATABASE).write_bytes(b"no database" * 1000)
    with pytest.raises(GecbenchError, match=r"the database cannot be opened: file is not a"):
        migration.missing_migrations()
