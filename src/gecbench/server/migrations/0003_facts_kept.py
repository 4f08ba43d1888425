"""A released file has the facts and the source of its sentences: they, too, never change."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

_SAID = "sentence: meta, source_id never change"
_SQLITE = f"""CREATE TRIGGER sentence_facts_kept BEFORE UPDATE ON "sentence"
WHEN (NEW.meta IS NOT OLD.meta OR NEW.source_id IS NOT OLD.source_id)
BEGIN SELECT RAISE(ABORT, '{_SAID}'); END"""
_POSTGRESQL = f"""CREATE TRIGGER sentence_facts_kept BEFORE UPDATE ON "sentence" FOR EACH ROW
WHEN (NEW.meta IS DISTINCT FROM OLD.meta OR NEW.source_id IS DISTINCT FROM OLD.source_id)
EXECUTE FUNCTION gecbench_refuse('{_SAID}')"""


def guard(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Make the trigger."""
    del apps
    postgresql = editor.connection.vendor == "postgresql"
    editor.execute(_POSTGRESQL if postgresql else _SQLITE, params=None)


class Migration(migrations.Migration):
    """Guards what the first migration made."""

    dependencies = (("server", "0002_guards"),)
    operations = (migrations.RunPython(guard, migrations.RunPython.noop),)
