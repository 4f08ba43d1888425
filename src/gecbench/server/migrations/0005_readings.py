"""Who has read what others submitted is kept, and so is a study try that was refused."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

_SQLITE = """CREATE TRIGGER reading_no_{low} BEFORE {event} ON "reading"
BEGIN SELECT RAISE(ABORT, 'reading is append-only: no {event}'); END"""
_POSTGRESQL = """CREATE TRIGGER reading_no_{low} BEFORE {event} ON "reading" FOR EACH ROW
EXECUTE FUNCTION gecbench_refuse('reading is append-only: no {event}')"""


def guard(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Make the triggers of both databases."""
    del apps
    shape = _POSTGRESQL if editor.connection.vendor == "postgresql" else _SQLITE
    for event in ("UPDATE", "DELETE"):
        editor.execute(shape.format(event=event, low=event.lower()), params=None)


class Migration(migrations.Migration):
    """Makes the table and its guards; says of each try whether it counted."""

    dependencies = (("server", "0004_figures"),)
    operations = (
        migrations.CreateModel(
            name="Reading",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="readings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "sentence",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="readings",
                        to="server.sentence",
                    ),
                ),
            ],
            options={
                "db_table": "reading",
                "constraints": [
                    models.UniqueConstraint(fields=("sentence", "person"), name="reading_once")
                ],
            },
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
        migrations.AddField(
            model_name="studytry", name="counted", field=models.BooleanField(default=True)
        ),
    )
