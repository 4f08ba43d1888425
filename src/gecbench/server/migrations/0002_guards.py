"""Triggers that the models cannot say: rows that are kept for ever, sentences that never change."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

APPEND_ONLY = (
    *("acknowledgement", "audit", "draft_revision", "golden", "golden_reference", "guideline"),
    *("import_batch", "member_event", "message", "reference", "release", "release_item"),
    *("review", "slot_event", "study_try", "submission", "suggestion", "verdict"),
)
UNCHANGING = {"sentence": ("text", "digest", "external_id", "number", "project_id")}
"""Table to the columns that keep their first value; their rows are never deleted either."""

_SQLITE = """CREATE TRIGGER {name} BEFORE {event} ON "{table}" {when}
BEGIN SELECT RAISE(ABORT, '{message}'); END"""
_POSTGRESQL = """CREATE TRIGGER {name} BEFORE {event} ON "{table}" FOR EACH ROW {when}
EXECUTE FUNCTION gecbench_refuse('{message}')"""
_REFUSE = """CREATE OR REPLACE FUNCTION gecbench_refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation'; END $$"""


def _changed(columns: tuple[str, ...], vendor: str) -> str:
    """Return the condition that one of the columns changes."""
    word = "IS DISTINCT FROM" if vendor == "postgresql" else "IS NOT"
    return f"WHEN ({' OR '.join(f'NEW.{column} {word} OLD.{column}' for column in columns)})"


def guard(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Make the triggers of both databases."""
    del apps
    vendor = editor.connection.vendor
    shape = _POSTGRESQL if vendor == "postgresql" else _SQLITE
    if vendor == "postgresql":
        editor.execute(_REFUSE, params=None)
    for table in APPEND_ONLY:
        for event in ("UPDATE", "DELETE"):
            name = f"{table}_no_{event.lower()}"
            message = f"{table} is append-only: no {event}"
            _make(editor, shape, name=name, event=event, table=table, when="", message=message)
    for table, columns in UNCHANGING.items():
        message = f"{table}: {', '.join(columns)} never change"
        when = _changed(columns, vendor)
        _make(
            editor,
            shape,
            name=f"{table}_kept",
            event="UPDATE",
            table=table,
            when=when,
            message=message,
        )
        message = f"{table} rows are never deleted"
        name = f"{table}_no_delete"
        _make(editor, shape, name=name, event="DELETE", table=table, when="", message=message)


def _make(editor: BaseDatabaseSchemaEditor, shape: str, **parts: str) -> None:
    # No parameters: % stands for itself.
    editor.execute(shape.format(**parts), params=None)


class Migration(migrations.Migration):
    """Guards what the first migration made."""

    dependencies = (("server", "0001_initial"),)
    operations = (migrations.RunPython(guard, migrations.RunPython.noop),)
