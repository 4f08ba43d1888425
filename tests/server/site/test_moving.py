"""From SQLite to a real PostgreSQL, and PostgreSQL's own backups."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.db import connection, connections
from server import conftest
from server.conftest import administer

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server.models import Audit, Guideline, Person, Project
from gecbench.server.site import backup, databases, migration
from gecbench.server.site.backup import restore
from gecbench.server.site.folder import read_site, write_options
from gecbench.server.workflow import audit


def new_database(template: str) -> Iterator[str]:
    name = f"gecbench_move_{uuid4().hex[:12]}"
    administer(f"CREATE DATABASE {name} TEMPLATE {template}")
    yield conftest.POSTGRESQL.rpartition("/")[0] + f"/{name}"
    connection.close()
    administer(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def empty(migrated_postgresql: str) -> Iterator[str]:
    """The URL of a PostgreSQL database without rows; its tables save each test some seconds."""
    yield from new_database(migrated_postgresql)


@pytest.fixture
def bare(migrated_postgresql: str) -> Iterator[str]:
    """The URL of a PostgreSQL database without tables."""
    yield from new_database("template1")


@pytest.fixture
def knotted(filled):
    """Rows that refer to one another in a circle, and text of all kinds."""
    project = Project.objects.get()
    project.guideline = Guideline.objects.create(
        project=project, version=1, markdown="# 规范\n\U0001f600 e\u0301", sha256="0" * 64
    )
    project.options = {"lease_minutes": 5}
    project.save()
    return filled


def test_all_rows_move_and_the_next_number_follows_them(knotted, bare):
    moved = migration.copy_rows(knotted, bare)
    here = sorted(Audit.objects.values_list("hash", flat=True))
    assert moved >= 4
    with migration.using(bare):
        assert connection.vendor == "postgresql"
        project = Project.objects.select_related("guideline").get()
        assert project.guideline.markdown.endswith("\U0001f600 e\u0301")
        assert project.options == {"lease_minutes": 5}
        assert sorted(Audit.objects.values_list("hash", flat=True)) == here
        assert audit.verify() == ()
        before = Person.objects.get().pk
        assert Person.objects.create(login="new", name="New").pk > before
    assert connection.vendor == "sqlite"
    assert Person.objects.count() == 1


def test_rows_are_moved_in_batches(filled, empty, monkeypatch):
    monkeypatch.setattr(migration, "_BATCH", 2)
    for n in range(5):
        Person.objects.create(login=f"p{n}", name="P")
    migration.copy_rows(filled, empty)
    with migration.using(empty):
        assert Person.objects.count() == 6


def test_a_database_with_rows_is_not_moved_into(filled, empty):
    migration.copy_rows(filled, empty)
    with pytest.raises(GecbenchError, match=r"the database is not empty"):
        migration.copy_rows(filled, empty)


def test_a_difference_is_found_and_nothing_is_moved(filled, empty, monkeypatch):
    real = migration._digest

    def lying(model, alias):
        count, rows = real(model, alias)
        return count, rows + alias * (model is Person)

    monkeypatch.setattr(migration, "_digest", lying)
    with pytest.raises(GecbenchError, match=r"person: 1 rows here and 1 there are not the same"):
        migration.copy_rows(filled, empty)
    monkeypatch.undo()
    assert migration.copy_rows(filled, empty) >= 3  # so it was left empty


def test_a_failing_database_moves_nothing(filled, empty, monkeypatch):
    from django.db import DatabaseError

    def broken(*_):
        raise DatabaseError("no\nmore")

    monkeypatch.setattr(migration, "_copy", broken)
    with pytest.raises(GecbenchError, match=r"cannot be moved: no; nothing was moved"):
        migration.copy_rows(filled, empty)
    assert migration._OTHER not in connections.settings


def test_only_sqlite_moves(folder, empty):
    with pytest.raises(GecbenchError, match=r"does not use SQLite"):
        migration.copy_rows(write_options(folder, database=empty), empty)


@pytest.mark.parametrize("url", ["", "sqlite:///x", "postgresql://host", "mysql://a/b"])
def test_what_is_no_address_of_a_database_is_refused_without_repeating_it(folder, url):
    with pytest.raises(UsageError, match=r"postgresql://PERSON:PASSWORD@HOST:PORT/NAME"):
        migration.copy_rows(folder, url)


def test_a_database_that_is_not_there_is_one_line(filled):
    with pytest.raises(GecbenchError, match=r"the database cannot be opened:"):
        migration.copy_rows(filled, "postgresql://postgres@127.0.0.1:1/none")


def test_a_database_of_others_is_not_empty(bare):
    import psycopg

    assert databases.is_empty(bare)
    with psycopg.connect(bare, autocommit=True) as opened:
        opened.execute("CREATE TABLE theirs (x int)")
    assert not databases.is_empty(bare)


def test_a_backup_of_postgresql_restores_to_the_same_rows(knotted, empty, tmp_path):
    migration.copy_rows(knotted, empty)
    site = write_options(knotted, database=empty)
    saved = backup.make(site)
    assert backup.verify(saved).database == "postgresql"
    with migration.using(empty):
        Person.objects.create(login="later", name="Later")
    with pytest.raises(GecbenchError, match=r"the database is not empty; name an empty one"):
        restore(saved, tmp_path / "one")
    other = tmp_path / "two"
    restore(saved, other, replace=True, database=empty)
    assert list(other.glob("replaced-*.dump"))
    assert read_site(other).database == empty
    with migration.using(empty):
        assert [person.login for person in Person.objects.all()] == ["li"]
        assert audit.verify() == ()


def test_a_missing_program_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GecbenchError, match=r"pg_dump is not on the path; install PostgreSQL"):
        databases.dump("postgresql://a@b/c", tmp_path / "x")


def test_a_failing_program_is_one_line(migrated_postgresql, tmp_path):
    with pytest.raises(GecbenchError, match=r"pg_dump failed: "):
        databases.dump("postgresql://postgres@127.0.0.1:1/none", tmp_path / "x")
    (tmp_path / "no-dump").write_text("x")
    with pytest.raises(GecbenchError, match=r"pg_restore failed: "):
        databases.check_dump(tmp_path / "no-dump")


def test_a_program_that_says_nothing_has_its_code(monkeypatch, tmp_path):
    program = tmp_path / "pg_dump"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(GecbenchError, match=r"pg_dump failed: exit code 3"):
        databases.dump("postgresql://a@b/c", tmp_path / "x")


def test_a_dump_of_others_is_refused(bare, tmp_path):
    databases.dump(bare, tmp_path / "x")
    with pytest.raises(GecbenchError, match=r"is no dump of gecbench's database"):
        databases.check_dump(tmp_path / "x")


def test_passwords_go_by_the_environment():
    options = databases._connection("postgresql://a%40b:p%2Fw@h:5/n?sslmode=require")
    assert options == {
        "PGHOST": "h",
        "PGPORT": "5",
        "PGUSER": "a@b",
        "PGPASSWORD": "p/w",
        "PGDATABASE": "n",
        "PGSSLMODE": "require",
    }
