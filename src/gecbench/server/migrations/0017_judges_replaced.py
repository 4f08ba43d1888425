"""A judge of a round can be replaced: the last one of a number is it."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

_TRIGGER = """CREATE TRIGGER inspection_judge_no_{low} BEFORE {event} ON "inspection_judge"
BEGIN SELECT RAISE(ABORT, 'inspection_judge is append-only: no {event}'); END"""


def guard(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Make the triggers again that SQLite lost when it made the table again."""
    del apps
    if editor.connection.vendor == "sqlite":
        for event in ("UPDATE", "DELETE"):
            editor.execute(_TRIGGER.format(event=event, low=event.lower()), params=None)


class Migration(migrations.Migration):
    """Lets a round have several judges of one number."""

    dependencies = (("server", "0016_project_kinds"),)
    operations = (
        migrations.RemoveConstraint("inspectionjudge", "inspection_judge_no_once"),
        migrations.RunPython(guard, migrations.RunPython.noop),
    )
