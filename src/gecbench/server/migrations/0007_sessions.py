"""Sessions have a column that says whose they are; who is signed in stays so."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def move(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Copy the rows of Django's own table, where a site has one, and drop it."""
    with editor.connection.cursor() as cursor:
        if "django_session" not in editor.connection.introspection.table_names(cursor):
            return
        cursor.execute(
            "INSERT INTO session (session_key, session_data, expire_date) "
            "SELECT session_key, session_data, expire_date FROM django_session"
        )
    keys = apps.get_model("server", "Person").objects.values_list("pk", flat=True)
    people = {str(key): key for key in keys}
    for row in apps.get_model("server", "Session").objects.iterator():
        row.person_id = people.get(SessionStore().decode(row.session_data).get(SESSION_KEY, ""))
        row.save(update_fields=["person"])
    editor.execute("DROP TABLE django_session")


class Migration(migrations.Migration):
    """Makes the table, and fills it."""

    dependencies = (("server", "0006_people"),)
    operations = (
        migrations.CreateModel(
            name="Session",
            fields=[
                (
                    "session_key",
                    models.CharField(
                        max_length=40,
                        primary_key=True,
                        serialize=False,
                        verbose_name="session key",
                    ),
                ),
                ("session_data", models.TextField(verbose_name="session data")),
                (
                    "expire_date",
                    models.DateTimeField(db_index=True, verbose_name="expire date"),
                ),
                (
                    "person",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "session",
                "verbose_name_plural": "sessions",
                "db_table": "session",
                "abstract": False,
            },
        ),
        migrations.RunPython(move, migrations.RunPython.noop),
    )
