"""Perturbation: cases with their errors, proposals, variants, checks; rows kept for ever."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

APPEND_ONLY = ("perturbation_case", "proposal", "variant", "variant_check", "golden_variant")

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

    dependencies = (("server", "0010_trials"),)
    operations = (
        migrations.AlterField(
            model_name="slotevent",
            name="kind",
            field=models.CharField(
                choices=[
                    ("claim", "claim"),
                    ("renew", "renew"),
                    ("release", "release"),
                    ("expire", "expire"),
                    ("skip", "skip"),
                    ("submit", "submit"),
                    ("reopen", "reopen"),
                    ("judge", "judge"),
                    ("pass", "pass"),
                    ("study", "study"),
                    ("dispute", "dispute"),
                    ("return", "return"),
                    ("send_back", "send_back"),
                ],
                max_length=24,
            ),
        ),
        migrations.CreateModel(
            name="PerturbationCase",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("gaps", models.JSONField()),
                ("chips", models.JSONField()),
                ("scheme", models.CharField(max_length=40)),
                ("signature", models.TextField()),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "sentence",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="case",
                        to="server.sentence",
                    ),
                ),
            ],
            options={
                "db_table": "perturbation_case",
            },
        ),
        migrations.CreateModel(
            name="Proposal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("gaps", models.JSONField()),
                ("source", models.TextField()),
                ("target", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("model", models.CharField(max_length=200)),
                ("model_version", models.CharField(blank=True, default="", max_length=200)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "sentence",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="proposals",
                        to="server.sentence",
                    ),
                ),
            ],
            options={
                "db_table": "proposal",
            },
        ),
        migrations.CreateModel(
            name="Variant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("gaps", models.JSONField(null=True)),
                ("source", models.TextField()),
                ("target", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("moved", models.JSONField(default=list)),
                ("edits", models.PositiveSmallIntegerField()),
                ("changed", models.PositiveSmallIntegerField()),
                ("tokens", models.PositiveSmallIntegerField()),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("person", "person"),
                            ("machine", "machine"),
                            ("machine_edited", "machine_edited"),
                            ("reviewer", "reviewer"),
                            ("import", "import"),
                        ],
                        max_length=24,
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "proposal",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="variants",
                        to="server.proposal",
                    ),
                ),
                (
                    "sentence",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="variants",
                        to="server.sentence",
                    ),
                ),
                (
                    "submission",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="variant",
                        to="server.submission",
                    ),
                ),
            ],
            options={
                "db_table": "variant",
            },
        ),
        migrations.CreateModel(
            name="GoldenVariant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                (
                    "golden",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="variants",
                        to="server.golden",
                    ),
                ),
                (
                    "variant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="golden_entries",
                        to="server.variant",
                    ),
                ),
            ],
            options={
                "db_table": "golden_variant",
                "ordering": ("position",),
            },
        ),
        migrations.CreateModel(
            name="VariantCheck",
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
                            ("accepted", "accepted"),
                            ("edited", "edited"),
                            ("returned", "returned"),
                        ],
                        max_length=24,
                    ),
                ),
                ("reasons", models.JSONField(default=list)),
                ("note", models.TextField(blank=True, default="")),
                ("allows_moved", models.BooleanField(default=False)),
                (
                    "review",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="variant_checks",
                        to="server.review",
                    ),
                ),
                (
                    "slot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="variant_checks",
                        to="server.slot",
                    ),
                ),
                (
                    "variant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="checks",
                        to="server.variant",
                    ),
                ),
            ],
            options={
                "db_table": "variant_check",
            },
        ),
        migrations.AddField(
            model_name="variant",
            name="edit_of",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="edited",
                to="server.variantcheck",
            ),
        ),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=models.UniqueConstraint(
                fields=("sentence", "position"), name="proposal_place_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=models.UniqueConstraint(
                fields=("sentence", "digest"), name="proposal_text_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="goldenvariant",
            constraint=models.UniqueConstraint(
                fields=("golden", "position"), name="golden_variant_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="variantcheck",
            constraint=models.UniqueConstraint(
                fields=("review", "slot"), name="variant_check_once"
            ),
        ),
        migrations.AddIndex(
            model_name="variant",
            index=models.Index(fields=["sentence", "position"], name="variant_of_sentence"),
        ),
        migrations.AddConstraint(
            model_name="variant",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("edit_of__isnull", True),
                        ("origin", "import"),
                        ("submission__isnull", True),
                    ),
                    models.Q(
                        ("edit_of__isnull", False),
                        ("origin", "reviewer"),
                        ("submission__isnull", True),
                    ),
                    models.Q(
                        ("edit_of__isnull", True),
                        ("origin__in", ["person", "machine", "machine_edited"]),
                        ("submission__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="variant_of_one_thing",
            ),
        ),
        migrations.AddConstraint(
            model_name="variant",
            constraint=models.CheckConstraint(
                condition=models.Q(("source", ""), _negated=True), name="variant_not_empty"
            ),
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
    )
