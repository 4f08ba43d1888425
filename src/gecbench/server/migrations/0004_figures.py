"""Statistics that were computed once, kept until somebody computes them anew."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    """Makes the table."""

    dependencies = (("server", "0003_facts_kept"),)
    operations = (
        migrations.CreateModel(
            name="Figures",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=40)),
                ("basis", models.CharField(max_length=200)),
                ("data", models.JSONField()),
                ("computed_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="figures",
                        to="server.project",
                    ),
                ),
            ],
            options={
                "db_table": "figures",
                "constraints": [
                    models.UniqueConstraint(fields=("project", "kind"), name="figures_kind_once")
                ],
            },
        ),
    )
