"""Managers give members work: a quota, or sentences whose slots are kept for them."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Makes the table, and a column of slots: added in place, so that no row is written."""

    dependencies = (("server", "0007_sessions"),)
    operations = (
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("annotator", "annotator"),
                            ("reviewer", "reviewer"),
                            ("judge", "judge"),
                            ("manager", "manager"),
                        ],
                        max_length=24,
                    ),
                ),
                ("quota", models.PositiveIntegerField(null=True)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("due_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="server.member",
                    ),
                ),
            ],
            options={
                "db_table": "assignment",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(quota__gte=1, role__in=["annotator", "reviewer"])
                        | models.Q(quota__isnull=True, role="annotator"),
                        name="assignment_quota_or_batch",
                    ),
                    models.UniqueConstraint(
                        fields=("member", "role"),
                        condition=models.Q(quota__isnull=False, ended_at__isnull=True),
                        name="assignment_one_quota",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="slot",
            name="assignment",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="slots",
                to="server.assignment",
            ),
        ),
        migrations.AddIndex(
            model_name="slot",
            index=models.Index(
                fields=["assignment", "state"],
                condition=models.Q(assignment__isnull=False),
                name="slot_by_assignment",
            ),
        ),
    )
