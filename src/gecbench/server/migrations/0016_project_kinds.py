"""A kind of project goes for which nothing was ever built."""

from __future__ import annotations

from django.db import migrations, models

_KINDS = [("rewrite", "rewrite"), ("perturb", "perturb")]


class Migration(migrations.Migration):
    """Changes what a project may be; the table stays as it is."""

    dependencies = (("server", "0015_pay_of_ratings"),)
    operations = (
        migrations.AlterField(
            model_name="project",
            name="kind",
            field=models.CharField(choices=_KINDS, default="rewrite", max_length=24),
        ),
    )
