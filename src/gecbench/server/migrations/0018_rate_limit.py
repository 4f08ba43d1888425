"""Rates are limited for all hosts of a site together."""

from __future__ import annotations

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def unlog(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Let PostgreSQL write no log of the table: counting waits for no disk."""
    del apps
    if editor.connection.vendor == "postgresql":
        editor.execute("ALTER TABLE rate_limit SET UNLOGGED")


class Migration(migrations.Migration):
    """Makes the table of rate limits."""

    dependencies = (("server", "0017_judges_replaced"),)
    operations = (
        migrations.CreateModel(
            name="RateLimit",
            fields=[
                ("key", models.CharField(max_length=100, primary_key=True, serialize=False)),
                ("full_at", models.FloatField()),
            ],
            options={"db_table": "rate_limit"},
        ),
        migrations.RunPython(unlog, migrations.RunPython.noop),
    )
