"""Pay: formulas, what puts them in force, and the ledger of closed periods; all rows for ever."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

APPEND_ONLY = ("pay_formula", "pay_activation", "pay_period", "pay_statement", "pay_entry")

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
    """Makes the tables, and guards them."""

    dependencies = (("server", "0012_trials_stopped"),)
    operations = (
        migrations.CreateModel(
            name="PayFormula",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("rules", models.JSONField()),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
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
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pay_formulas",
                        to="server.project",
                    ),
                ),
            ],
            options={
                "db_table": "pay_formula",
                "constraints": [
                    models.UniqueConstraint(fields=("project", "version"), name="pay_formula_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="PayActivation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
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
                    "formula",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="activations",
                        to="server.payformula",
                    ),
                ),
            ],
            options={
                "db_table": "pay_activation",
            },
        ),
        migrations.CreateModel(
            name="PayPeriod",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("begin", models.DateTimeField(null=True)),
                ("end", models.DateTimeField()),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
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
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pay_periods",
                        to="server.project",
                    ),
                ),
            ],
            options={
                "db_table": "pay_period",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "begin"), name="pay_period_begin_once"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("begin__isnull", True)),
                        fields=("project",),
                        name="pay_period_first_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("begin__isnull", True), ("begin__lt", models.F("end")), _connector="OR"
                        ),
                        name="pay_period_has_length",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PayStatement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("total", models.BigIntegerField()),
                ("currency", models.CharField(max_length=3)),
                ("facts", models.JSONField(default=dict)),
                ("sha256", models.CharField(max_length=64)),
                (
                    "period",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="statements",
                        to="server.payperiod",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pay_statements",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "db_table": "pay_statement",
                "constraints": [
                    models.UniqueConstraint(fields=("period", "person"), name="pay_statement_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="PayEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("annotation", "annotation"),
                            ("extra_reference", "extra_reference"),
                            ("review", "review"),
                            ("ruling", "ruling"),
                            ("perturbation", "perturbation"),
                            ("check", "check"),
                        ],
                        max_length=24,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("work", "work"),
                            ("complaint", "complaint"),
                            ("reversal", "reversal"),
                        ],
                        max_length=24,
                    ),
                ),
                ("amount", models.BigIntegerField()),
                ("detail", models.JSONField(default=dict)),
                (
                    "complaint",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="server.complaint",
                    ),
                ),
                (
                    "reference",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="server.reference",
                    ),
                ),
                (
                    "review",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pay_entries",
                        to="server.review",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pay_entries",
                        to="server.submission",
                    ),
                ),
                (
                    "variant_check",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pay_entries",
                        to="server.variantcheck",
                    ),
                ),
                (
                    "formula",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="server.payformula",
                    ),
                ),
                (
                    "statement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="server.paystatement",
                    ),
                ),
            ],
            options={
                "db_table": "pay_entry",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("review__isnull", True),
                                ("submission__isnull", False),
                                ("variant_check__isnull", True),
                            ),
                            models.Q(
                                ("review__isnull", False),
                                ("submission__isnull", True),
                                ("variant_check__isnull", True),
                            ),
                            models.Q(
                                ("review__isnull", True),
                                ("submission__isnull", True),
                                ("variant_check__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="pay_entry_of_one_thing",
                    ),
                ],
            },
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
    )
