"""The tables guard what they hold, on both databases."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from gecbench.server.models import AppendOnly, AppendOnlyError, MemberEvent, Project


@pytest.fixture
def event(database, member) -> MemberEvent:
    project = Project.objects.create(slug="one", name="One", lang="zh")
    return MemberEvent.objects.create(member=member(project, "li", "annotator"))


def test_append_only_rows_refuse_change_and_deletion_in_the_model(event):
    with pytest.raises(AppendOnlyError, match="member_event is append-only; write a new row"):
        event.save()
    with pytest.raises(AppendOnlyError, match="member_event is append-only; nothing is deleted"):
        event.delete()


@pytest.mark.parametrize(
    "statement", ["UPDATE member_event SET note = 'x'", "DELETE FROM member_event"]
)
def test_append_only_rows_refuse_change_and_deletion_in_the_database(event, statement):
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        connection.cursor().execute(statement)


def test_every_append_only_table_has_its_triggers(database):
    """A later migration that makes a table of SQLite again would lose them."""
    with connection.cursor() as cursor:
        postgresql = connection.vendor == "postgresql"
        cursor.execute(
            "SELECT tgname FROM pg_trigger"
            if postgresql
            else "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        )
        names = {name for (name,) in cursor.fetchall()}
    tables = [model._meta.db_table for model in AppendOnly.__subclasses__()]
    expected = {f"{table}_no_{act}" for table in tables for act in ("update", "delete")}
    assert expected - names == set()


def test_the_migrations_are_one_line_and_make_the_tables_of_the_models(site):
    call_command("makemigrations", "server", check=True, dry_run=True, verbosity=0)
