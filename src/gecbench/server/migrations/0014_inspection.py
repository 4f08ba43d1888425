"""Quality inspection: rounds, judges, items, ratings, resolutions; and the talk about an item."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

APPEND_ONLY = (
    *("inspection_judge", "inspection_item", "rating", "rating_answer", "resolution"),
    "message",  # SQLite made its table again for the new constraint, without the triggers
)

_SQLITE = """CREATE TRIGGER {table}_no_{low} BEFORE {event} ON "{table}"
BEGIN SELECT RAISE(ABORT, '{table} is append-only: no {event}'); END"""
_POSTGRESQL = """CREATE OR REPLACE TRIGGER {table}_no_{low} BEFORE {event} ON "{table}"
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

    dependencies = (("server", "0013_pay"),)

    operations = (
        migrations.CreateModel(
            name="InspectionRound",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("seed", models.PositiveBigIntegerField()),
                ("size", models.PositiveIntegerField()),
                ("population", models.PositiveIntegerField()),
                ("criteria", models.JSONField()),
                ("undo_seconds", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "open"), ("closed", "closed")],
                        default="open",
                        max_length=24,
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="inspections",
                        to="server.project",
                    ),
                ),
            ],
            options={
                "db_table": "inspection_round",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="inspection_name_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["open", "closed"])),
                        name="inspection_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("closed_at__isnull", True), ("state", "open")),
                            models.Q(("closed_at__isnull", False), ("state", "closed")),
                            _connector="OR",
                        ),
                        name="inspection_closed_has_time",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="InspectionJudge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("no", models.PositiveSmallIntegerField()),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judged_rounds",
                        to="server.member",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judges",
                        to="server.inspectionround",
                    ),
                ),
            ],
            options={
                "db_table": "inspection_judge",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "no"), name="inspection_judge_no_once"
                    ),
                    models.UniqueConstraint(
                        fields=("round", "member"), name="inspection_judge_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("no__in", [1, 2])), name="inspection_judges_are_two"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="InspectionItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                (
                    "reference",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="inspected",
                        to="server.reference",
                    ),
                ),
                (
                    "sentence",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="inspected",
                        to="server.sentence",
                    ),
                ),
                (
                    "variant",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="inspected",
                        to="server.variant",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="items",
                        to="server.inspectionround",
                    ),
                ),
            ],
            options={
                "db_table": "inspection_item",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("round", "position"), name="inspection_place_once"
                    ),
                    models.UniqueConstraint(
                        fields=("round", "reference"), name="inspection_text_once"
                    ),
                    models.UniqueConstraint(
                        fields=("round", "variant"), name="inspection_variant_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("reference__isnull", False), ("variant__isnull", True)),
                            models.Q(("reference__isnull", True), ("variant__isnull", False)),
                            _connector="OR",
                        ),
                        name="inspection_item_of_one_thing",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("no", models.PositiveSmallIntegerField()),
                ("undone", models.BooleanField(default=False)),
                ("note", models.TextField(blank=True, default="")),
                ("client_key", models.UUIDField(unique=True)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="server.inspectionitem",
                    ),
                ),
                (
                    "judge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ratings",
                        to="server.inspectionjudge",
                    ),
                ),
            ],
            options={
                "db_table": "rating",
                "constraints": [
                    models.UniqueConstraint(fields=("item", "judge", "no"), name="rating_no_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="RatingAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("criterion", models.CharField(max_length=40)),
                ("accept", models.BooleanField()),
                (
                    "rating",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="answers",
                        to="server.rating",
                    ),
                ),
            ],
            options={
                "db_table": "rating_answer",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rating", "criterion"), name="rating_answer_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Resolution",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("criterion", models.CharField(max_length=40)),
                ("accept", models.BooleanField()),
                ("note", models.TextField(blank=True, default="")),
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
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="resolutions",
                        to="server.inspectionitem",
                    ),
                ),
            ],
            options={
                "db_table": "resolution",
            },
        ),
        migrations.RemoveConstraint(
            model_name="message",
            name="message_about_one_thing",
        ),
        migrations.RemoveConstraint(
            model_name="trial",
            name="trial_state_known",
        ),
        migrations.AlterField(
            model_name="trial",
            name="state",
            field=models.CharField(
                choices=[
                    ("open", "open"),
                    ("passed", "passed"),
                    ("stopped", "stopped"),
                    ("failed", "failed"),
                ],
                default="open",
                max_length=24,
            ),
        ),
        migrations.AddConstraint(
            model_name="trial",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "passed", "stopped", "failed"])),
                name="trial_state_known",
            ),
        ),
        migrations.AddField(
            model_name="message",
            name="item",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="messages",
                to="server.inspectionitem",
            ),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("complaint__isnull", False),
                        ("item__isnull", True),
                        ("sentence__isnull", True),
                    ),
                    models.Q(
                        ("complaint__isnull", True),
                        ("item__isnull", True),
                        ("sentence__isnull", False),
                    ),
                    models.Q(
                        ("complaint__isnull", True),
                        ("item__isnull", False),
                        ("sentence__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="message_about_one_thing",
            ),
        ),
        migrations.AddIndex(
            model_name="rating",
            index=models.Index(fields=["judge", "at"], name="rating_of_judge"),
        ),
        migrations.AddIndex(
            model_name="resolution",
            index=models.Index(fields=["item", "criterion"], name="resolution_of_item"),
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
    )
