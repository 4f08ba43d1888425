"""Ratings of judges are paid, too."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

_POINTERS = ("submission", "review", "variant_check", "rating")
_TRIGGER = """CREATE TRIGGER pay_entry_no_{low} BEFORE {event} ON "pay_entry"
BEGIN SELECT RAISE(ABORT, 'pay_entry is append-only: no {event}'); END"""


def guard(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Make the triggers again that SQLite lost when the table was made anew for its columns."""
    del apps
    if editor.connection.vendor == "sqlite":
        for event in ("UPDATE", "DELETE"):
            editor.execute(_TRIGGER.format(event=event, low=event.lower()), params=None)


def _points_to(name: str) -> models.Q:
    return models.Q(**{f"{pointer}__isnull": pointer != name for pointer in _POINTERS})


class Migration(migrations.Migration):
    """Adds a column, and lets an entry point by it."""

    dependencies = (("server", "0014_inspection"),)
    operations = (
        migrations.AlterField(
            model_name="payentry",
            name="kind",
            field=models.CharField(
                choices=[
                    ("annotation", "annotation"),
                    ("extra_reference", "extra_reference"),
                    ("review", "review"),
                    ("ruling", "ruling"),
                    ("perturbation", "perturbation"),
                    ("check", "check"),
                    ("rating", "rating"),
                ],
                max_length=24,
            ),
        ),
        migrations.AddField(
            model_name="payentry",
            name="rating",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="pay_entries",
                to="server.rating",
            ),
        ),
        migrations.RemoveConstraint(model_name="payentry", name="pay_entry_of_one_thing"),
        migrations.AddConstraint(
            model_name="payentry",
            constraint=models.CheckConstraint(
                condition=_points_to("submission")
                | _points_to("review")
                | _points_to("variant_check")
                | _points_to("rating"),
                name="pay_entry_of_one_thing",
            ),
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
    )
