"""A trial is stopped where its candidate gets another status before the end."""

from __future__ import annotations

from django.db import migrations, models

_STATES = [("open", "open"), ("passed", "passed"), ("failed", "failed"), ("stopped", "stopped")]


class Migration(migrations.Migration):
    """Lets a trial be in one more state."""

    dependencies = (("server", "0011_perturbation"),)
    operations = (
        migrations.RemoveConstraint(model_name="trial", name="trial_state_known"),
        migrations.AlterField(
            model_name="trial",
            name="state",
            field=models.CharField(choices=_STATES, default="open", max_length=24),
        ),
        migrations.AddConstraint(
            model_name="trial",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", [state for state, _ in _STATES])),
                name="trial_state_known",
            ),
        ),
    )
