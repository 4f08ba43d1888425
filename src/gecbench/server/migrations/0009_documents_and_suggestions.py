"""Sentences know their document; what was shown of suggestions is kept; triggers that were lost.

Where a table of SQLite is made again, as the fifth migration did to `study_try`, its triggers go.
"""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Q

from gecbench.server.rules.text import place_in_document

_SQLITE = """CREATE TRIGGER IF NOT EXISTS {table}_no_{low} BEFORE {event} ON "{table}"
BEGIN SELECT RAISE(ABORT, '{table} is append-only: no {event}'); END"""
_POSTGRESQL = """CREATE OR REPLACE TRIGGER {table}_no_{low} BEFORE {event} ON "{table}"
FOR EACH ROW EXECUTE FUNCTION gecbench_refuse('{table} is append-only: no {event}')"""


def guard(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Make the triggers of both databases."""
    del apps
    shape = _POSTGRESQL if editor.connection.vendor == "postgresql" else _SQLITE
    for table in ("study_try", "suggestion_event"):
        for event in ("UPDATE", "DELETE"):
            editor.execute(shape.format(table=table, event=event, low=event.lower()), params=None)


def place(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Fill the columns of sentences whose facts name a document."""
    del editor
    sentences = apps.get_model("server", "Sentence").objects
    named = sentences.filter(meta__has_key="document").values_list("pk", "meta", "number")
    for key, meta, number in list(named):
        columns = place_in_document(meta, number)
        if columns:
            sentences.filter(pk=key).update(**columns)


class Migration(migrations.Migration):
    """Adds the columns and the table, fills the columns, and guards what has to stay."""

    dependencies = (("server", "0008_assignments"),)
    operations = (
        # Without defaults, so that SQLite does not make the table again.
        migrations.AddField(
            model_name="sentence",
            name="document",
            field=models.CharField(max_length=200, null=True),
        ),
        migrations.AddField(
            model_name="sentence",
            name="position",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddIndex(
            model_name="sentence",
            index=models.Index(
                fields=["project", "document", "position"],
                condition=Q(document__isnull=False),
                name="sentence_by_document",
            ),
        ),
        migrations.CreateModel(
            name="SuggestionEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("shown", "shown"), ("taken", "taken")], max_length=24
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="suggestion_events",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "slot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="suggestion_events",
                        to="server.slot",
                    ),
                ),
                (
                    "suggestion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="server.suggestion",
                    ),
                ),
            ],
            options={
                "db_table": "suggestion_event",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("slot", "person", "suggestion", "kind"),
                        name="suggestion_event_once",
                    )
                ],
            },
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
        migrations.RunPython(place, migrations.RunPython.noop),
    )
