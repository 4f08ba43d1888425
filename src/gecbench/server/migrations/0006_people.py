"""People may have an e-mail address, for links for new passwords, and a time zone."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds what is empty for everybody who is there."""

    dependencies = (("server", "0005_readings"),)
    operations = (
        migrations.AddField(
            model_name="person",
            name="email",
            field=models.EmailField(blank=True, db_default="", default="", max_length=254),
        ),
        migrations.AddField(
            model_name="person",
            name="time_zone",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
    )
