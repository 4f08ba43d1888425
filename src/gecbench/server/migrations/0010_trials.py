"""Training and trial of annotators, gold tasks, and what leads overrule; rows kept for ever."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

APPEND_ONLY = ("trial_task", "practice_answer", "gold_result", "overruling")

_SQLITE = """CREATE TRIGGER {table}_no_{low} BEFORE {event} ON "{table}"
BEGIN SELECT RAISE(ABORT, '{table} is append-only: no {event}'); END"""
_POSTGRESQL = """CREATE TRIGGER {table}_no_{low} BEFORE {event} ON "{table}"
FOR EACH ROW EXECUTE FUNCTION gecbench_refuse('{table} is append-only: no {event}')"""


def guard(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Make the triggers of both databases."""
    del apps
    shape = _POSTGRESQL if editor.connection.vendor == "postgresql" else _SQLITE
    for table in APPEND_ONLY:
        for event in ("UPDATE", "DELETE"):
            editor.execute(shape.format(table=table, event=event, low=event.lower()), params=None)


class Migration(migrations.Migration):
    """Makes the tables, and guards those that only grow."""

    dependencies = (("server", "0009_documents_and_suggestions"),)
    operations = (
        migrations.AlterField(
            model_name="sentence",
            name="purpose",
            field=models.CharField(
                choices=[
                    ("real", "real"),
                    ("training", "training"),
                    ("trial", "trial"),
                    ("gold", "gold"),
                ],
                default="real",
                max_length=24,
            ),
        ),
        migrations.CreateModel(
            name="GoldResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("right", models.BooleanField()),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="gold_result",
                        to="server.submission",
                    ),
                ),
            ],
            options={
                "db_table": "gold_result",
            },
        ),
        migrations.CreateModel(
            name="Trial",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("no", models.PositiveSmallIntegerField()),
                ("size", models.PositiveSmallIntegerField()),
                ("percent", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "open"), ("passed", "passed"), ("failed", "failed")],
                        default="open",
                        max_length=24,
                    ),
                ),
                ("accepted", models.PositiveSmallIntegerField(null=True)),
                ("started_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="trials",
                        to="server.member",
                    ),
                ),
            ],
            options={
                "db_table": "trial",
                "constraints": [
                    models.UniqueConstraint(fields=("member", "no"), name="trial_no_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "open")),
                        fields=("member",),
                        name="trial_open_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["open", "passed", "failed"])),
                        name="trial_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("percent__lte", 100), ("size__gte", 1)),
                        name="trial_size_and_percent",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("accepted__isnull", True),
                                ("ended_at__isnull", True),
                                ("state", "open"),
                            ),
                            models.Q(
                                models.Q(("state", "open"), _negated=True),
                                ("accepted__isnull", False),
                                ("ended_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="trial_ended_is_judged",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TrialTask",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                (
                    "sentence",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="trial_tasks",
                        to="server.sentence",
                    ),
                ),
                (
                    "trial",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="server.trial",
                    ),
                ),
            ],
            options={
                "db_table": "trial_task",
                "constraints": [
                    models.UniqueConstraint(fields=("trial", "sentence"), name="trial_task_once"),
                    models.UniqueConstraint(
                        fields=("trial", "position"), name="trial_position_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PracticeAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "decision",
                    models.CharField(
                        choices=[
                            ("corrected", "corrected"),
                            ("error_free", "error_free"),
                            ("not_annotatable", "not_annotatable"),
                        ],
                        max_length=24,
                    ),
                ),
                ("text", models.TextField(blank=True, default="")),
                ("right", models.BooleanField()),
                ("counted", models.BooleanField(default=True)),
                ("client_key", models.UUIDField(unique=True)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "guideline",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="server.guideline",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="practice_answers",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "sentence",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="practice_answers",
                        to="server.sentence",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="answers",
                        to="server.trialtask",
                    ),
                ),
            ],
            options={
                "db_table": "practice_answer",
                "indexes": [
                    models.Index(fields=["person", "sentence"], name="practice_answer_of_person")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("counted", True), ("task__isnull", False)),
                        fields=("task",),
                        name="practice_answer_task_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Overruling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("right", models.BooleanField()),
                ("reason", models.TextField()),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "gold_result",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="overrulings",
                        to="server.goldresult",
                    ),
                ),
                (
                    "answer",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="overrulings",
                        to="server.practiceanswer",
                    ),
                ),
            ],
            options={
                "db_table": "overruling",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("answer__isnull", False), ("gold_result__isnull", True)),
                            models.Q(("answer__isnull", True), ("gold_result__isnull", False)),
                            _connector="OR",
                        ),
                        name="overruling_of_one_thing",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="overruling_has_reason",
                    ),
                ],
            },
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
    )
