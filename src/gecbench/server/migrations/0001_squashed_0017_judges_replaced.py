"""All tables of a new site in one step, instead of the seventeen migrations that led to them.

A site that has none of the seventeen gets this one, and all seventeen are noted as applied; a site
that has some of them goes on with the others, because what they do to rows is not repeated here.
Later changes of tables are migrations after 0017, for new sites as for old ones.
tests/server/site/test_migrating.py compares the tables of both ways. See
https://docs.djangoproject.com/en/5.2/topics/migrations/#squashing-migrations.
"""

from __future__ import annotations

from typing import Any

import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState, StateApps

APPEND_ONLY = (
    *("acknowledgement", "audit", "draft_revision", "gold_result", "golden", "golden_reference"),
    *("golden_variant", "guideline", "import_batch", "inspection_item", "inspection_judge"),
    *("member_event", "message", "overruling", "pay_activation", "pay_entry", "pay_formula"),
    *("pay_period", "pay_statement", "perturbation_case", "practice_answer", "proposal", "rating"),
    *("rating_answer", "reading", "reference", "release", "release_item", "resolution", "review"),
    *("slot_event", "study_try", "submission", "suggestion", "suggestion_event", "trial_task"),
    *("variant", "variant_check", "verdict"),
)
"""Tables whose rows are kept for ever, as they were written."""

SENTENCE = {
    "sentence_kept": ("text", "digest", "external_id", "number", "project_id"),
    "sentence_facts_kept": ("meta", "source_id"),
}
"""Trigger to the columns of a sentence that keep their first value."""

_SQLITE = """CREATE TRIGGER {name} BEFORE {event} ON "{table}"{when}
BEGIN SELECT RAISE(ABORT, '{message}'); END"""
_POSTGRESQL = """CREATE TRIGGER {name} BEFORE {event} ON "{table}" FOR EACH ROW{when}
EXECUTE FUNCTION gecbench_refuse('{message}')"""
_REFUSE = """CREATE OR REPLACE FUNCTION gecbench_refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation'; END $$"""


class CreateTables(Operation):
    """Create many tables, and render their models once.

    Django's executor has the models of its state rendered, and then each `CreateModel` renders the
    new model again with all that are related to it. Here nearly all are related: 59 operations
    would render 1,770 models, which takes ten times as long as making the tables.
    """

    reversible = False

    def __init__(self, *creations: migrations.CreateModel) -> None:
        self.creations = creations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Add the models; forget those rendered first, so that all are rendered when asked for."""
        vars(state).pop("apps", None)
        for creation in self.creations:
            creation.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Create the tables, which may refer to each other in a circle."""
        for creation in self.creations:
            creation.database_forwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        """Name it in the output of commands."""
        return f"Create {len(self.creations)} tables"


def guard(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Make the triggers of both databases."""
    del apps
    postgresql = editor.connection.vendor == "postgresql"
    if postgresql:
        editor.execute(_REFUSE, params=None)
    for table in APPEND_ONLY:
        for event in ("UPDATE", "DELETE"):
            name = f"{table}_no_{event.lower()}"
            _make(editor, name, event, table, f"{table} is append-only: no {event}")
    changed = "IS DISTINCT FROM" if postgresql else "IS NOT"
    for name, columns in SENTENCE.items():
        when = " OR ".join(f"NEW.{column} {changed} OLD.{column}" for column in columns)
        message = f"sentence: {', '.join(columns)} never change"
        _make(editor, name, "UPDATE", "sentence", message, when=f" WHEN ({when})")
    _make(editor, "sentence_no_delete", "DELETE", "sentence", "sentence rows are never deleted")


def _make(
    editor: BaseDatabaseSchemaEditor,
    name: str,
    event: str,
    table: str,
    message: str,
    *,
    when: str = "",
) -> None:
    shape = _POSTGRESQL if editor.connection.vendor == "postgresql" else _SQLITE
    statement = shape.format(name=name, event=event, table=table, message=message, when=when)
    editor.execute(statement, params=None)  # no parameters: % stands for itself


# Fields that nearly every table has, in one line; else this file would be twice as long.


def _key() -> tuple[str, models.BigAutoField[Any, Any]]:
    key = models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )
    return ("id", key)


def _choice(*values: str, **options: Any) -> models.CharField[Any, Any]:
    return models.CharField(choices=[(value, value) for value in values], max_length=24, **options)


def _foreign(to: str, related_name: str, **options: Any) -> models.ForeignKey[Any, Any]:
    return models.ForeignKey(on_delete=models.PROTECT, related_name=related_name, to=to, **options)


class Migration(migrations.Migration):
    """Makes all tables and guards those that only grow. The models are as 0017 leaves them."""

    initial = True
    replaces = (
        ("server", "0001_initial"),
        ("server", "0002_guards"),
        ("server", "0003_facts_kept"),
        ("server", "0004_figures"),
        ("server", "0005_readings"),
        ("server", "0006_people"),
        ("server", "0007_sessions"),
        ("server", "0008_assignments"),
        ("server", "0009_documents_and_suggestions"),
        ("server", "0010_trials"),
        ("server", "0011_perturbation"),
        ("server", "0012_trials_stopped"),
        ("server", "0013_pay"),
        ("server", "0014_inspection"),
        ("server", "0015_pay_of_ratings"),
        ("server", "0016_project_kinds"),
        ("server", "0017_judges_replaced"),
    )
    dependencies = ()
    operations = (
        CreateTables(
            migrations.CreateModel(
                name="Person",
                fields=[
                    _key(),
                    ("password", models.CharField(max_length=128, verbose_name="password")),
                    (
                        "last_login",
                        models.DateTimeField(blank=True, null=True, verbose_name="last login"),
                    ),
                    ("login", models.CharField(max_length=150, unique=True)),
                    ("name", models.CharField(max_length=150)),
                    ("language", models.CharField(blank=True, default="", max_length=10)),
                    ("theme", models.CharField(default="auto", max_length=5)),
                    ("preferences", models.JSONField(default=dict)),
                    ("is_administrator", models.BooleanField(default=False)),
                    ("is_active", models.BooleanField(default=True)),
                    ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("deleted_at", models.DateTimeField(null=True)),
                    (
                        "email",
                        models.EmailField(blank=True, db_default="", default="", max_length=254),
                    ),
                    (
                        "time_zone",
                        models.CharField(blank=True, db_default="", default="", max_length=64),
                    ),
                ],
                options={
                    "db_table": "person",
                    "constraints": [
                        models.CheckConstraint(
                            condition=models.Q(("login", ""), _negated=True),
                            name="person_has_login",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(("theme__in", ["auto", "light", "dark"])),
                            name="person_theme_known",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="Token",
                fields=[
                    _key(),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "tokens")),
                    ("name", models.CharField(max_length=100)),
                    ("token_hash", models.CharField(max_length=64, unique=True)),
                    ("scopes", models.JSONField(default=list)),
                    ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("last_used_at", models.DateTimeField(null=True)),
                    ("expires_at", models.DateTimeField(null=True)),
                    ("revoked_at", models.DateTimeField(null=True)),
                ],
                options={
                    "db_table": "token",
                },
            ),
            migrations.CreateModel(
                name="Project",
                fields=[
                    _key(),
                    ("slug", models.SlugField(max_length=60, unique=True)),
                    ("name", models.CharField(max_length=150)),
                    ("kind", _choice("rewrite", "perturb", default="rewrite")),
                    ("lang", models.CharField(max_length=8)),
                    ("annotators", models.PositiveSmallIntegerField(default=3)),
                    ("max_references", models.PositiveSmallIntegerField(default=5)),
                    ("options", models.JSONField(default=dict)),
                    ("next_number", models.PositiveIntegerField(default=1)),
                    ("created_by", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("archived_at", models.DateTimeField(null=True)),
                    ("deleted_at", models.DateTimeField(null=True)),
                    ("guideline", _foreign("server.guideline", "+", null=True)),
                ],
                options={
                    "db_table": "project",
                    "constraints": [
                        models.CheckConstraint(
                            condition=models.Q(("annotators__gte", 1), ("annotators__lte", 20)),
                            name="project_annotators_1_20",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(
                                ("max_references__gte", 1), ("max_references__lte", 10)
                            ),
                            name="project_references_1_10",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(("lang__in", ["zh", "en"])),
                            name="project_lang_known",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="Invitation",
                fields=[
                    _key(),
                    ("token_hash", models.CharField(max_length=64, unique=True)),
                    ("project", _foreign("server.project", "invitations", null=True)),
                    ("administrator", models.BooleanField(default=False)),
                    ("for_person", _foreign(settings.AUTH_USER_MODEL, "resets", null=True)),
                    ("roles", models.JSONField(default=list)),
                    ("status", models.CharField(default="active", max_length=24)),
                    ("note", models.CharField(blank=True, default="", max_length=200)),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "invited", null=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("expires_at", models.DateTimeField()),
                    ("used_by", _foreign(settings.AUTH_USER_MODEL, "came_by", null=True)),
                    ("used_at", models.DateTimeField(null=True)),
                    ("revoked_at", models.DateTimeField(null=True)),
                ],
                options={
                    "db_table": "invitation",
                },
            ),
            migrations.CreateModel(
                name="Notice",
                fields=[
                    _key(),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "notices")),
                    ("project", _foreign("server.project", "+", null=True)),
                    ("kind", models.CharField(max_length=40)),
                    ("data", models.JSONField(default=dict)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("read_at", models.DateTimeField(null=True)),
                ],
                options={
                    "db_table": "notice",
                    "indexes": [
                        models.Index(fields=["person", "read_at", "at"], name="notice_of_person")
                    ],
                },
            ),
            migrations.CreateModel(
                name="Member",
                fields=[
                    _key(),
                    ("project", _foreign("server.project", "members")),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "memberships")),
                    ("is_annotator", models.BooleanField(default=False)),
                    ("is_reviewer", models.BooleanField(default=False)),
                    ("is_judge", models.BooleanField(default=False)),
                    ("is_manager", models.BooleanField(default=False)),
                    (
                        "status",
                        _choice(
                            "invited",
                            "training",
                            "trial",
                            "active",
                            "paused",
                            "left",
                            default="active",
                        ),
                    ),
                    ("since", models.DateTimeField(default=django.utils.timezone.now)),
                    ("preferences", models.JSONField(default=dict)),
                ],
                options={
                    "db_table": "member",
                    "constraints": [
                        models.UniqueConstraint(fields=("project", "person"), name="member_once")
                    ],
                },
            ),
            migrations.CreateModel(
                name="MemberEvent",
                fields=[
                    _key(),
                    ("member", _foreign("server.member", "events")),
                    ("old", models.JSONField(default=dict)),
                    ("new", models.JSONField(default=dict)),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("note", models.TextField(blank=True, default="")),
                ],
                options={
                    "db_table": "member_event",
                },
            ),
            migrations.CreateModel(
                name="Guideline",
                fields=[
                    _key(),
                    ("project", _foreign("server.project", "guidelines")),
                    ("version", models.PositiveIntegerField()),
                    ("markdown", models.TextField()),
                    ("sha256", models.CharField(max_length=64)),
                    ("note", models.TextField(blank=True, default="")),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    ("published_at", models.DateTimeField(default=django.utils.timezone.now)),
                ],
                options={
                    "db_table": "guideline",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("project", "version"), name="guideline_version_once"
                        )
                    ],
                },
            ),
            migrations.CreateModel(
                name="Acknowledgement",
                fields=[
                    _key(),
                    ("guideline", _foreign("server.guideline", "acknowledgements")),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "+")),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ],
                options={
                    "db_table": "acknowledgement",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("guideline", "person"), name="acknowledged_once"
                        )
                    ],
                },
            ),
            migrations.CreateModel(
                name="Source",
                fields=[
                    _key(),
                    ("project", _foreign("server.project", "sources")),
                    ("name", models.CharField(max_length=100)),
                ],
                options={
                    "db_table": "source",
                    "constraints": [
                        models.UniqueConstraint(fields=("project", "name"), name="source_name_once")
                    ],
                },
            ),
            migrations.CreateModel(
                name="ImportBatch",
                fields=[
                    _key(),
                    ("project", _foreign("server.project", "imports")),
                    ("file_name", models.CharField(max_length=200)),
                    ("file_sha256", models.CharField(max_length=64)),
                    ("format", models.CharField(max_length=40)),
                    ("counts", models.JSONField(default=dict)),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ],
                options={
                    "db_table": "import_batch",
                },
            ),
            migrations.CreateModel(
                name="Release",
                fields=[
                    _key(),
                    ("project", _foreign("server.project", "releases")),
                    ("name", models.CharField(max_length=100)),
                    ("note", models.TextField(blank=True, default="")),
                    ("manifest", models.JSONField(default=dict)),
                    ("manifest_sha256", models.CharField(max_length=64)),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ],
                options={
                    "db_table": "release",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("project", "name"), name="release_name_once"
                        )
                    ],
                },
            ),
            migrations.CreateModel(
                name="Audit",
                fields=[
                    _key(),
                    ("seq", models.PositiveBigIntegerField(unique=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("who", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    ("project", _foreign("server.project", "+", null=True)),
                    ("address", models.CharField(blank=True, default="", max_length=64)),
                    ("what", models.CharField(max_length=60)),
                    ("object_kind", models.CharField(blank=True, default="", max_length=40)),
                    ("object_id", models.CharField(blank=True, default="", max_length=60)),
                    ("data", models.JSONField(default=dict)),
                    ("previous_hash", models.CharField(max_length=64)),
                    ("hash", models.CharField(max_length=64)),
                ],
                options={
                    "db_table": "audit",
                    "indexes": [models.Index(fields=["project", "seq"], name="audit_of_project")],
                },
            ),
            migrations.CreateModel(
                name="Sentence",
                fields=[
                    _key(),
                    ("project", _foreign("server.project", "sentences")),
                    ("source", _foreign("server.source", "sentences", null=True)),
                    ("batch", _foreign("server.importbatch", "sentences", null=True)),
                    ("number", models.PositiveIntegerField()),
                    ("external_id", models.CharField(max_length=200)),
                    ("text", models.TextField()),
                    ("digest", models.CharField(max_length=64)),
                    ("target", models.TextField(null=True)),
                    ("meta", models.JSONField(default=dict)),
                    ("purpose", _choice("real", "training", "trial", "gold", default="real")),
                    (
                        "state",
                        _choice(
                            "open",
                            "annotating",
                            "review_ready",
                            "in_review",
                            "golden",
                            "disputed",
                            "withdrawn",
                            default="open",
                        ),
                    ),
                    ("state_note", models.TextField(blank=True, default="")),
                    ("version", models.PositiveIntegerField(default=1)),
                    ("priority", models.IntegerField(default=100)),
                    ("order_key", models.BigIntegerField(default=0)),
                    ("needed", models.PositiveSmallIntegerField()),
                    ("submitted", models.PositiveSmallIntegerField(default=0)),
                    ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("golden", _foreign("server.golden", "+", null=True)),
                    ("document", models.CharField(max_length=200, null=True)),
                    ("position", models.PositiveIntegerField(null=True)),
                ],
                options={
                    "db_table": "sentence",
                    "indexes": [
                        models.Index(
                            fields=["project", "purpose", "state", "priority", "order_key"],
                            name="sentence_by_state",
                        ),
                        models.Index(fields=["project", "digest"], name="sentence_by_digest"),
                        models.Index(fields=["project", "updated_at"], name="sentence_by_update"),
                        models.Index(
                            condition=models.Q(("document__isnull", False)),
                            fields=["project", "document", "position"],
                            name="sentence_by_document",
                        ),
                    ],
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("project", "external_id"), name="sentence_id_once"
                        ),
                        models.UniqueConstraint(
                            fields=("project", "number"), name="sentence_number_once"
                        ),
                        models.CheckConstraint(
                            condition=models.Q(("submitted__lte", models.F("needed"))),
                            name="sentence_submitted_le_needed",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(
                                (
                                    "state__in",
                                    [
                                        "open",
                                        "annotating",
                                        "review_ready",
                                        "in_review",
                                        "golden",
                                        "disputed",
                                        "withdrawn",
                                    ],
                                )
                            ),
                            name="sentence_state_known",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(("text", ""), _negated=True),
                            name="sentence_not_empty",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="Slot",
                fields=[
                    _key(),
                    ("project", _foreign("server.project", "slots")),
                    ("sentence", _foreign("server.sentence", "slots")),
                    ("no", models.PositiveSmallIntegerField()),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "slots", null=True)),
                    (
                        "state",
                        _choice(
                            "free",
                            "open",
                            "submitted",
                            "judged",
                            "study",
                            "passed",
                            "disputed",
                            default="free",
                        ),
                    ),
                    ("open_no", models.PositiveSmallIntegerField(null=True)),
                    ("lease_until", models.DateTimeField(null=True)),
                    ("claimed_at", models.DateTimeField(null=True)),
                    ("submitted_at", models.DateTimeField(null=True)),
                    ("version", models.PositiveIntegerField(default=1)),
                    ("priority", models.IntegerField(default=100)),
                    ("order_key", models.BigIntegerField(default=0)),
                    (
                        "assignment",
                        _foreign("server.assignment", "slots", db_index=False, null=True),
                    ),
                ],
                options={
                    "db_table": "slot",
                    "indexes": [
                        models.Index(
                            fields=["project", "state", "priority", "order_key"],
                            name="slot_by_state",
                        ),
                        models.Index(
                            condition=models.Q(("state", "open")),
                            fields=["project", "lease_until"],
                            name="slot_by_lease",
                        ),
                        models.Index(fields=["person", "project", "state"], name="slot_by_person"),
                        models.Index(
                            condition=models.Q(("assignment__isnull", False)),
                            fields=["assignment", "state"],
                            name="slot_by_assignment",
                        ),
                    ],
                    "constraints": [
                        models.UniqueConstraint(fields=("sentence", "no"), name="slot_no_once"),
                        models.UniqueConstraint(
                            condition=models.Q(("person__isnull", False)),
                            fields=("sentence", "person"),
                            name="slot_person_once",
                        ),
                        models.UniqueConstraint(
                            condition=models.Q(("state", "open")),
                            fields=("project", "person", "open_no"),
                            name="slot_open_once",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(
                                models.Q(("person__isnull", True), ("state", "free")),
                                models.Q(
                                    models.Q(("state", "free"), _negated=True),
                                    ("person__isnull", False),
                                ),
                                _connector="OR",
                            ),
                            name="slot_free_is_nobodys",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(
                                models.Q(
                                    ("lease_until__isnull", False),
                                    ("open_no__isnull", False),
                                    ("state", "open"),
                                ),
                                models.Q(
                                    models.Q(("state", "open"), _negated=True),
                                    ("open_no__isnull", True),
                                ),
                                _connector="OR",
                            ),
                            name="slot_open_has_lease",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(
                                (
                                    "state__in",
                                    [
                                        "free",
                                        "open",
                                        "submitted",
                                        "judged",
                                        "study",
                                        "passed",
                                        "disputed",
                                    ],
                                )
                            ),
                            name="slot_state_known",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="SlotEvent",
                fields=[
                    _key(),
                    ("slot", _foreign("server.slot", "events")),
                    ("sentence", _foreign("server.sentence", "slot_events")),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "slot_events", null=True)),
                    (
                        "kind",
                        _choice(
                            "claim",
                            "renew",
                            "release",
                            "expire",
                            "skip",
                            "submit",
                            "reopen",
                            "judge",
                            "pass",
                            "study",
                            "dispute",
                            "return",
                            "send_back",
                        ),
                    ),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("data", models.JSONField(default=dict)),
                ],
                options={
                    "db_table": "slot_event",
                    "indexes": [
                        models.Index(fields=["sentence", "person"], name="slot_event_holders"),
                        models.Index(fields=["slot", "at"], name="slot_event_of_slot"),
                        models.Index(fields=["person", "kind", "at"], name="slot_event_of_person"),
                    ],
                },
            ),
            migrations.CreateModel(
                name="Skip",
                fields=[
                    _key(),
                    ("sentence", _foreign("server.sentence", "skips")),
                    ("project", _foreign("server.project", "+")),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "skips")),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("recalled_at", models.DateTimeField(null=True)),
                ],
                options={
                    "db_table": "skip",
                    "indexes": [models.Index(fields=["project", "person"], name="skip_of_person")],
                    "constraints": [
                        models.UniqueConstraint(fields=("sentence", "person"), name="skip_once")
                    ],
                },
            ),
            migrations.CreateModel(
                name="Suggestion",
                fields=[
                    _key(),
                    ("sentence", _foreign("server.sentence", "suggestions")),
                    ("model", models.CharField(max_length=200)),
                    ("model_version", models.CharField(blank=True, default="", max_length=200)),
                    ("text", models.TextField()),
                    ("score", models.FloatField(null=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ],
                options={
                    "db_table": "suggestion",
                },
            ),
            migrations.CreateModel(
                name="Submission",
                fields=[
                    _key(),
                    ("slot", _foreign("server.slot", "submissions")),
                    ("sentence", _foreign("server.sentence", "submissions")),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "submissions")),
                    ("no", models.PositiveSmallIntegerField()),
                    ("decision", _choice("corrected", "error_free", "not_annotatable")),
                    ("reason", models.CharField(blank=True, default="", max_length=40)),
                    ("reason_note", models.TextField(blank=True, default="")),
                    ("guideline", _foreign("server.guideline", "+", null=True)),
                    ("active_ms", models.PositiveIntegerField(default=0)),
                    ("client_key", models.UUIDField(unique=True)),
                    ("suggestion", _foreign("server.suggestion", "+", null=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ],
                options={
                    "db_table": "submission",
                    "indexes": [
                        models.Index(fields=["sentence"], name="submission_of_sentence"),
                        models.Index(fields=["person", "at"], name="submission_of_person"),
                    ],
                    "constraints": [
                        models.UniqueConstraint(fields=("slot", "no"), name="submission_no_once")
                    ],
                },
            ),
            migrations.CreateModel(
                name="ReviewTask",
                fields=[
                    _key(),
                    ("project", _foreign("server.project", "review_tasks")),
                    ("sentence", _foreign("server.sentence", "review_tasks")),
                    (
                        "kind",
                        _choice(
                            "first", "second", "complaint", "reopened", "unanimous", default="first"
                        ),
                    ),
                    ("state", _choice("free", "open", "done", "returned", default="free")),
                    ("reviewer", _foreign(settings.AUTH_USER_MODEL, "review_tasks", null=True)),
                    ("not_for", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    ("handed_by", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    ("note", models.TextField(blank=True, default="")),
                    ("lease_until", models.DateTimeField(null=True)),
                    ("version", models.PositiveIntegerField(default=1)),
                    ("priority", models.IntegerField(default=100)),
                    ("order_key", models.BigIntegerField(default=0)),
                    ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("claimed_at", models.DateTimeField(null=True)),
                    ("done_at", models.DateTimeField(null=True)),
                ],
                options={
                    "db_table": "review_task",
                    "indexes": [
                        models.Index(
                            fields=["project", "state", "priority", "order_key"],
                            name="review_task_by_state",
                        )
                    ],
                    "constraints": [
                        models.UniqueConstraint(
                            condition=models.Q(("state__in", ["free", "open"])),
                            fields=("sentence",),
                            name="review_task_once",
                        ),
                        models.UniqueConstraint(
                            condition=models.Q(("state", "open")),
                            fields=("project", "reviewer"),
                            name="review_task_open_once",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(
                                models.Q(("state", "open"), _negated=True),
                                models.Q(
                                    ("lease_until__isnull", False), ("reviewer__isnull", False)
                                ),
                                _connector="OR",
                            ),
                            name="review_task_open_has_lease",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(("state__in", ["free", "open", "done", "returned"])),
                            name="review_task_state_known",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="Draft",
                fields=[
                    _key(),
                    ("slot", _foreign("server.slot", "drafts", null=True)),
                    ("task", _foreign("server.reviewtask", "drafts", null=True)),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "drafts")),
                    ("payload", models.JSONField()),
                    ("rev", models.PositiveIntegerField()),
                    ("saved_at", models.DateTimeField(default=django.utils.timezone.now)),
                ],
                options={
                    "db_table": "draft",
                    "constraints": [
                        models.UniqueConstraint(
                            condition=models.Q(("slot__isnull", False)),
                            fields=("slot", "person"),
                            name="draft_slot_once",
                        ),
                        models.UniqueConstraint(
                            condition=models.Q(("task__isnull", False)),
                            fields=("task", "person"),
                            name="draft_task_once",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(
                                models.Q(("slot__isnull", False), ("task__isnull", True)),
                                models.Q(("slot__isnull", True), ("task__isnull", False)),
                                _connector="OR",
                            ),
                            name="draft_one_place",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="DraftRevision",
                fields=[
                    _key(),
                    ("slot", _foreign("server.slot", "draft_revisions", null=True)),
                    ("task", _foreign("server.reviewtask", "draft_revisions", null=True)),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "+")),
                    ("rev", models.PositiveIntegerField()),
                    ("payload", models.JSONField()),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("client_at", models.DateTimeField(null=True)),
                    ("conflicting", models.BooleanField(default=False)),
                ],
                options={
                    "db_table": "draft_revision",
                    "constraints": [
                        models.UniqueConstraint(
                            condition=models.Q(("conflicting", False), ("slot__isnull", False)),
                            fields=("slot", "person", "rev"),
                            name="draft_revision_slot_once",
                        ),
                        models.UniqueConstraint(
                            condition=models.Q(("conflicting", False), ("task__isnull", False)),
                            fields=("task", "person", "rev"),
                            name="draft_revision_task_once",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(
                                models.Q(("slot__isnull", False), ("task__isnull", True)),
                                models.Q(("slot__isnull", True), ("task__isnull", False)),
                                _connector="OR",
                            ),
                            name="draft_revision_one_place",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="Review",
                fields=[
                    _key(),
                    ("sentence", _foreign("server.sentence", "reviews")),
                    ("reviewer", _foreign(settings.AUTH_USER_MODEL, "reviews", null=True)),
                    ("kind", _choice("first", "second", "complaint", "reopened", "unanimous")),
                    ("base_version", models.PositiveIntegerField(default=0)),
                    ("decision", _choice("corrected", "error_free", "not_annotatable")),
                    ("reason", models.CharField(blank=True, default="", max_length=40)),
                    ("note", models.TextField(blank=True, default="")),
                    ("guideline", _foreign("server.guideline", "+", null=True)),
                    ("active_ms", models.PositiveIntegerField(default=0)),
                    ("client_key", models.UUIDField(unique=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("task", _foreign("server.reviewtask", "reviews", null=True)),
                ],
                options={
                    "db_table": "review",
                    "indexes": [models.Index(fields=["reviewer", "at"], name="review_of_reviewer")],
                },
            ),
            migrations.CreateModel(
                name="Reference",
                fields=[
                    _key(),
                    ("sentence", _foreign("server.sentence", "references")),
                    ("submission", _foreign("server.submission", "references", null=True)),
                    ("review", _foreign("server.review", "references", null=True)),
                    ("position", models.PositiveSmallIntegerField(default=0)),
                    ("text", models.TextField()),
                    ("digest", models.CharField(max_length=64)),
                    ("dimension", _choice("grammar", "fluency", default="grammar")),
                    (
                        "origin",
                        _choice(
                            "annotator",
                            "modified",
                            "added",
                            "restored",
                            "complaint",
                            "import",
                            "model",
                        ),
                    ),
                    ("parent", _foreign("server.reference", "children", null=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ],
                options={
                    "db_table": "reference",
                    "indexes": [
                        models.Index(fields=["sentence", "digest"], name="reference_by_digest")
                    ],
                    "constraints": [
                        models.CheckConstraint(
                            condition=models.Q(("text", ""), _negated=True),
                            name="reference_not_empty",
                        ),
                        models.UniqueConstraint(
                            condition=models.Q(("submission__isnull", False)),
                            fields=("submission", "digest"),
                            name="reference_once_in_submission",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="Verdict",
                fields=[
                    _key(),
                    ("review", _foreign("server.review", "verdicts")),
                    (
                        "decision",
                        _choice("corrected", "error_free", "not_annotatable", default="corrected"),
                    ),
                    ("digest", models.CharField(blank=True, default="", max_length=64)),
                    ("correct", models.BooleanField()),
                    ("reasons", models.JSONField(default=list)),
                    ("note", models.TextField(blank=True, default="")),
                    ("section", models.CharField(blank=True, default="", max_length=100)),
                ],
                options={
                    "db_table": "verdict",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("review", "decision", "digest"), name="verdict_once"
                        ),
                        models.CheckConstraint(
                            condition=models.Q(
                                models.Q(
                                    ("decision", "corrected"),
                                    models.Q(("digest", ""), _negated=True),
                                ),
                                models.Q(
                                    models.Q(("decision", "corrected"), _negated=True),
                                    ("digest", ""),
                                ),
                                _connector="OR",
                            ),
                            name="verdict_about_one_thing",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="Golden",
                fields=[
                    _key(),
                    ("sentence", _foreign("server.sentence", "goldens")),
                    ("version", models.PositiveIntegerField()),
                    ("kind", _choice("corrected", "error_free", "not_annotatable")),
                    ("reason", models.CharField(blank=True, default="", max_length=40)),
                    ("guideline", _foreign("server.guideline", "+", null=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("review", _foreign("server.review", "goldens", null=True)),
                ],
                options={
                    "db_table": "golden",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("sentence", "version"), name="golden_version_once"
                        ),
                        models.CheckConstraint(
                            condition=models.Q(("version__gte", 1)), name="golden_version_from_1"
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="GoldenReference",
                fields=[
                    _key(),
                    ("golden", _foreign("server.golden", "entries")),
                    ("reference", _foreign("server.reference", "golden_entries")),
                    ("position", models.PositiveSmallIntegerField()),
                ],
                options={
                    "db_table": "golden_reference",
                    "ordering": (models.OrderBy(models.F("position")),),
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("golden", "reference"), name="golden_reference_once"
                        ),
                        models.UniqueConstraint(
                            fields=("golden", "position"), name="golden_position_once"
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="ReleaseItem",
                fields=[
                    _key(),
                    ("release", _foreign("server.release", "items")),
                    ("sentence", _foreign("server.sentence", "released")),
                    ("golden", _foreign("server.golden", "released")),
                    ("position", models.PositiveIntegerField()),
                ],
                options={
                    "db_table": "release_item",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("release", "sentence"), name="release_sentence_once"
                        ),
                        models.UniqueConstraint(
                            fields=("release", "position"), name="release_position_once"
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="Study",
                fields=[
                    _key(),
                    ("project", _foreign("server.project", "studies")),
                    ("sentence", _foreign("server.sentence", "studies")),
                    ("submission", _foreign("server.submission", "studies")),
                    ("reference", _foreign("server.reference", "studies", null=True)),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "studies")),
                    ("golden", _foreign("server.golden", "+")),
                    ("state", _choice("open", "closed", default="open")),
                    (
                        "close_reason",
                        models.CharField(
                            blank=True,
                            choices=[
                                ("matched", "matched"),
                                ("upheld", "upheld"),
                                ("golden_changed", "golden_changed"),
                                ("waived", "waived"),
                            ],
                            default="",
                            max_length=24,
                        ),
                    ),
                    ("attempts", models.PositiveIntegerField(default=0)),
                    ("version", models.PositiveIntegerField(default=1)),
                    ("opened_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("closed_at", models.DateTimeField(null=True)),
                    ("closed_by", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                ],
                options={
                    "db_table": "study",
                    "indexes": [
                        models.Index(fields=["person", "project", "state"], name="study_of_person")
                    ],
                    "constraints": [
                        models.UniqueConstraint(
                            condition=models.Q(("reference__isnull", False)),
                            fields=("submission", "reference"),
                            name="study_reference_once",
                        ),
                        models.UniqueConstraint(
                            condition=models.Q(("reference__isnull", True)),
                            fields=("submission",),
                            name="study_decision_once",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(
                                models.Q(
                                    ("close_reason", ""),
                                    ("closed_at__isnull", True),
                                    ("state", "open"),
                                ),
                                models.Q(
                                    ("closed_at__isnull", False),
                                    ("state", "closed"),
                                    models.Q(("close_reason", ""), _negated=True),
                                ),
                                _connector="OR",
                            ),
                            name="study_closed_says_why",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="StudyTry",
                fields=[
                    _key(),
                    ("study", _foreign("server.study", "tries")),
                    (
                        "decision",
                        _choice("corrected", "error_free", "not_annotatable", default="corrected"),
                    ),
                    ("text", models.TextField(blank=True, default="")),
                    ("matched", models.BooleanField()),
                    ("reference", _foreign("server.reference", "+", null=True)),
                    ("client_key", models.UUIDField(unique=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("counted", models.BooleanField(default=True)),
                ],
                options={
                    "db_table": "study_try",
                },
            ),
            migrations.CreateModel(
                name="Complaint",
                fields=[
                    _key(),
                    ("project", _foreign("server.project", "complaints")),
                    ("study", _foreign("server.study", "complaints")),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "complaints")),
                    ("first_reviewer", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    (
                        "handler",
                        _foreign(settings.AUTH_USER_MODEL, "handled_complaints", null=True),
                    ),
                    ("level", models.PositiveSmallIntegerField(default=1)),
                    (
                        "state",
                        _choice(
                            "open",
                            "discussed",
                            "upheld",
                            "upheld_changed",
                            "dismissed",
                            default="open",
                        ),
                    ),
                    ("version", models.PositiveIntegerField(default=1)),
                    ("decision_note", models.TextField(blank=True, default="")),
                    ("section", models.CharField(blank=True, default="", max_length=100)),
                    ("review", _foreign("server.review", "complaints", null=True)),
                    ("opened_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("decided_at", models.DateTimeField(null=True)),
                ],
                options={
                    "db_table": "complaint",
                    "indexes": [
                        models.Index(fields=["project", "state"], name="complaint_by_state")
                    ],
                    "constraints": [
                        models.UniqueConstraint(
                            condition=models.Q(("state__in", ["open", "discussed"])),
                            fields=("study",),
                            name="complaint_open_once",
                        ),
                        models.CheckConstraint(
                            condition=models.Q(("level__in", [1, 2])), name="complaint_level_known"
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="Message",
                fields=[
                    _key(),
                    ("complaint", _foreign("server.complaint", "messages", null=True)),
                    ("sentence", _foreign("server.sentence", "messages", null=True)),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "+")),
                    ("text", models.TextField()),
                    ("client_key", models.UUIDField(unique=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("item", _foreign("server.inspectionitem", "messages", null=True)),
                ],
                options={
                    "db_table": "message",
                    "constraints": [
                        models.CheckConstraint(
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
                        )
                    ],
                },
            ),
            migrations.CreateModel(
                name="GuidelineCase",
                fields=[
                    _key(),
                    ("project", _foreign("server.project", "guideline_cases")),
                    ("message", _foreign("server.message", "cases", null=True)),
                    ("complaint", _foreign("server.complaint", "cases", null=True)),
                    ("note", models.TextField(blank=True, default="")),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "+")),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("closed_in", _foreign("server.guideline", "closes", null=True)),
                ],
                options={
                    "db_table": "guideline_case",
                    "constraints": [
                        models.CheckConstraint(
                            condition=models.Q(
                                ("message__isnull", False),
                                ("complaint__isnull", False),
                                _connector="OR",
                            ),
                            name="guideline_case_about_something",
                        )
                    ],
                },
            ),
            migrations.CreateModel(
                name="Figures",
                fields=[
                    _key(),
                    ("kind", models.CharField(max_length=40)),
                    ("basis", models.CharField(max_length=200)),
                    ("data", models.JSONField()),
                    ("computed_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("project", _foreign("server.project", "figures")),
                ],
                options={
                    "db_table": "figures",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("project", "kind"), name="figures_kind_once"
                        )
                    ],
                },
            ),
            migrations.CreateModel(
                name="Reading",
                fields=[
                    _key(),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "readings")),
                    ("sentence", _foreign("server.sentence", "readings")),
                ],
                options={
                    "db_table": "reading",
                    "constraints": [
                        models.UniqueConstraint(fields=("sentence", "person"), name="reading_once")
                    ],
                },
            ),
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
                            on_delete=models.CASCADE,
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
            migrations.CreateModel(
                name="Assignment",
                fields=[
                    _key(),
                    ("role", _choice("annotator", "reviewer", "judge", "manager")),
                    ("quota", models.PositiveIntegerField(null=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("due_at", models.DateTimeField()),
                    ("ended_at", models.DateTimeField(null=True)),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    ("member", _foreign("server.member", "assignments")),
                ],
                options={
                    "db_table": "assignment",
                    "constraints": [
                        models.CheckConstraint(
                            condition=models.Q(
                                models.Q(
                                    ("quota__gte", 1), ("role__in", ["annotator", "reviewer"])
                                ),
                                models.Q(("quota__isnull", True), ("role", "annotator")),
                                _connector="OR",
                            ),
                            name="assignment_quota_or_batch",
                        ),
                        models.UniqueConstraint(
                            condition=models.Q(
                                ("ended_at__isnull", True), ("quota__isnull", False)
                            ),
                            fields=("member", "role"),
                            name="assignment_one_quota",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="SuggestionEvent",
                fields=[
                    _key(),
                    ("kind", _choice("shown", "taken")),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "suggestion_events")),
                    ("slot", _foreign("server.slot", "suggestion_events")),
                    ("suggestion", _foreign("server.suggestion", "events")),
                ],
                options={
                    "db_table": "suggestion_event",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("slot", "person", "suggestion", "kind"),
                            name="suggestion_event_once",
                        )
                    ],
                },
            ),
            migrations.CreateModel(
                name="GoldResult",
                fields=[
                    _key(),
                    ("right", models.BooleanField()),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    (
                        "submission",
                        models.OneToOneField(
                            on_delete=models.PROTECT,
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
                    _key(),
                    ("no", models.PositiveSmallIntegerField()),
                    ("size", models.PositiveSmallIntegerField()),
                    ("percent", models.PositiveSmallIntegerField()),
                    ("state", _choice("open", "passed", "stopped", "failed", default="open")),
                    ("accepted", models.PositiveSmallIntegerField(null=True)),
                    ("started_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("ended_at", models.DateTimeField(null=True)),
                    ("member", _foreign("server.member", "trials")),
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
                        models.CheckConstraint(
                            condition=models.Q(
                                ("state__in", ["open", "passed", "stopped", "failed"])
                            ),
                            name="trial_state_known",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="TrialTask",
                fields=[
                    _key(),
                    ("position", models.PositiveSmallIntegerField()),
                    ("sentence", _foreign("server.sentence", "trial_tasks")),
                    ("trial", _foreign("server.trial", "tasks")),
                ],
                options={
                    "db_table": "trial_task",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("trial", "sentence"), name="trial_task_once"
                        ),
                        models.UniqueConstraint(
                            fields=("trial", "position"), name="trial_position_once"
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="PracticeAnswer",
                fields=[
                    _key(),
                    ("decision", _choice("corrected", "error_free", "not_annotatable")),
                    ("text", models.TextField(blank=True, default="")),
                    ("right", models.BooleanField()),
                    ("counted", models.BooleanField(default=True)),
                    ("client_key", models.UUIDField(unique=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("guideline", _foreign("server.guideline", "+", null=True)),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "practice_answers")),
                    ("sentence", _foreign("server.sentence", "practice_answers")),
                    ("task", _foreign("server.trialtask", "answers", null=True)),
                ],
                options={
                    "db_table": "practice_answer",
                    "indexes": [
                        models.Index(
                            fields=["person", "sentence"], name="practice_answer_of_person"
                        )
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
                    _key(),
                    ("right", models.BooleanField()),
                    ("reason", models.TextField()),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "+")),
                    ("gold_result", _foreign("server.goldresult", "overrulings", null=True)),
                    ("answer", _foreign("server.practiceanswer", "overrulings", null=True)),
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
            migrations.CreateModel(
                name="PerturbationCase",
                fields=[
                    _key(),
                    ("gaps", models.JSONField()),
                    ("chips", models.JSONField()),
                    ("scheme", models.CharField(max_length=40)),
                    ("signature", models.TextField()),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    (
                        "sentence",
                        models.OneToOneField(
                            on_delete=models.PROTECT, related_name="case", to="server.sentence"
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
                    _key(),
                    ("position", models.PositiveSmallIntegerField()),
                    ("gaps", models.JSONField()),
                    ("source", models.TextField()),
                    ("target", models.TextField()),
                    ("digest", models.CharField(max_length=64)),
                    ("model", models.CharField(max_length=200)),
                    ("model_version", models.CharField(blank=True, default="", max_length=200)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("sentence", _foreign("server.sentence", "proposals")),
                ],
                options={
                    "db_table": "proposal",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("sentence", "position"), name="proposal_place_once"
                        ),
                        models.UniqueConstraint(
                            fields=("sentence", "digest"), name="proposal_text_once"
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="Variant",
                fields=[
                    _key(),
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
                        _choice("person", "machine", "machine_edited", "reviewer", "import"),
                    ),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("proposal", _foreign("server.proposal", "variants", null=True)),
                    ("sentence", _foreign("server.sentence", "variants")),
                    (
                        "submission",
                        models.OneToOneField(
                            null=True,
                            on_delete=models.PROTECT,
                            related_name="variant",
                            to="server.submission",
                        ),
                    ),
                    (
                        "edit_of",
                        models.OneToOneField(
                            null=True,
                            on_delete=models.PROTECT,
                            related_name="edited",
                            to="server.variantcheck",
                        ),
                    ),
                ],
                options={
                    "db_table": "variant",
                    "indexes": [
                        models.Index(fields=["sentence", "position"], name="variant_of_sentence")
                    ],
                    "constraints": [
                        models.CheckConstraint(
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
                        models.CheckConstraint(
                            condition=models.Q(("source", ""), _negated=True),
                            name="variant_not_empty",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="GoldenVariant",
                fields=[
                    _key(),
                    ("position", models.PositiveSmallIntegerField()),
                    ("golden", _foreign("server.golden", "variants")),
                    ("variant", _foreign("server.variant", "golden_entries")),
                ],
                options={
                    "db_table": "golden_variant",
                    "ordering": ("position",),
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("golden", "position"), name="golden_variant_once"
                        )
                    ],
                },
            ),
            migrations.CreateModel(
                name="VariantCheck",
                fields=[
                    _key(),
                    ("decision", _choice("accepted", "edited", "returned")),
                    ("reasons", models.JSONField(default=list)),
                    ("note", models.TextField(blank=True, default="")),
                    ("allows_moved", models.BooleanField(default=False)),
                    ("review", _foreign("server.review", "variant_checks")),
                    ("slot", _foreign("server.slot", "variant_checks")),
                    ("variant", _foreign("server.variant", "checks")),
                ],
                options={
                    "db_table": "variant_check",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("review", "slot"), name="variant_check_once"
                        )
                    ],
                },
            ),
            migrations.CreateModel(
                name="PayFormula",
                fields=[
                    _key(),
                    ("version", models.PositiveIntegerField()),
                    ("rules", models.JSONField()),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    ("project", _foreign("server.project", "pay_formulas")),
                ],
                options={
                    "db_table": "pay_formula",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("project", "version"), name="pay_formula_once"
                        )
                    ],
                },
            ),
            migrations.CreateModel(
                name="PayActivation",
                fields=[
                    _key(),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    ("formula", _foreign("server.payformula", "activations")),
                ],
                options={
                    "db_table": "pay_activation",
                },
            ),
            migrations.CreateModel(
                name="PayPeriod",
                fields=[
                    _key(),
                    ("begin", models.DateTimeField(null=True)),
                    ("end", models.DateTimeField()),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "+", null=True)),
                    ("project", _foreign("server.project", "pay_periods")),
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
                                ("begin__isnull", True),
                                ("begin__lt", models.F("end")),
                                _connector="OR",
                            ),
                            name="pay_period_has_length",
                        ),
                    ],
                },
            ),
            migrations.CreateModel(
                name="PayStatement",
                fields=[
                    _key(),
                    ("total", models.BigIntegerField()),
                    ("currency", models.CharField(max_length=3)),
                    ("facts", models.JSONField(default=dict)),
                    ("sha256", models.CharField(max_length=64)),
                    ("period", _foreign("server.payperiod", "statements")),
                    ("person", _foreign(settings.AUTH_USER_MODEL, "pay_statements")),
                ],
                options={
                    "db_table": "pay_statement",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("period", "person"), name="pay_statement_once"
                        )
                    ],
                },
            ),
            migrations.CreateModel(
                name="PayEntry",
                fields=[
                    _key(),
                    (
                        "kind",
                        _choice(
                            "annotation",
                            "extra_reference",
                            "review",
                            "ruling",
                            "perturbation",
                            "check",
                            "rating",
                        ),
                    ),
                    ("reason", _choice("work", "complaint", "reversal")),
                    ("amount", models.BigIntegerField()),
                    ("detail", models.JSONField(default=dict)),
                    ("complaint", _foreign("server.complaint", "+", null=True)),
                    ("reference", _foreign("server.reference", "+", null=True)),
                    ("review", _foreign("server.review", "pay_entries", null=True)),
                    ("submission", _foreign("server.submission", "pay_entries", null=True)),
                    ("variant_check", _foreign("server.variantcheck", "pay_entries", null=True)),
                    ("formula", _foreign("server.payformula", "+")),
                    ("statement", _foreign("server.paystatement", "entries")),
                    ("rating", _foreign("server.rating", "pay_entries", null=True)),
                ],
                options={
                    "db_table": "pay_entry",
                    "constraints": [
                        models.CheckConstraint(
                            condition=models.Q(
                                models.Q(
                                    ("rating__isnull", True),
                                    ("review__isnull", True),
                                    ("submission__isnull", False),
                                    ("variant_check__isnull", True),
                                ),
                                models.Q(
                                    ("rating__isnull", True),
                                    ("review__isnull", False),
                                    ("submission__isnull", True),
                                    ("variant_check__isnull", True),
                                ),
                                models.Q(
                                    ("rating__isnull", True),
                                    ("review__isnull", True),
                                    ("submission__isnull", True),
                                    ("variant_check__isnull", False),
                                ),
                                models.Q(
                                    ("rating__isnull", False),
                                    ("review__isnull", True),
                                    ("submission__isnull", True),
                                    ("variant_check__isnull", True),
                                ),
                                _connector="OR",
                            ),
                            name="pay_entry_of_one_thing",
                        )
                    ],
                },
            ),
            migrations.CreateModel(
                name="InspectionRound",
                fields=[
                    _key(),
                    ("name", models.CharField(max_length=100)),
                    ("seed", models.PositiveBigIntegerField()),
                    ("size", models.PositiveIntegerField()),
                    ("population", models.PositiveIntegerField()),
                    ("criteria", models.JSONField()),
                    ("undo_seconds", models.PositiveSmallIntegerField()),
                    ("state", _choice("open", "closed", default="open")),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("closed_at", models.DateTimeField(null=True)),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "+")),
                    ("project", _foreign("server.project", "inspections")),
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
                    _key(),
                    ("no", models.PositiveSmallIntegerField()),
                    ("member", _foreign("server.member", "judged_rounds")),
                    ("round", _foreign("server.inspectionround", "judges")),
                ],
                options={
                    "db_table": "inspection_judge",
                    "constraints": [
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
                    _key(),
                    ("position", models.PositiveIntegerField()),
                    ("reference", _foreign("server.reference", "inspected", null=True)),
                    ("sentence", _foreign("server.sentence", "inspected")),
                    ("variant", _foreign("server.variant", "inspected", null=True)),
                    ("round", _foreign("server.inspectionround", "items")),
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
                    _key(),
                    ("no", models.PositiveSmallIntegerField()),
                    ("undone", models.BooleanField(default=False)),
                    ("note", models.TextField(blank=True, default="")),
                    ("client_key", models.UUIDField(unique=True)),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("item", _foreign("server.inspectionitem", "ratings")),
                    ("judge", _foreign("server.inspectionjudge", "ratings")),
                ],
                options={
                    "db_table": "rating",
                    "constraints": [
                        models.UniqueConstraint(
                            fields=("item", "judge", "no"), name="rating_no_once"
                        )
                    ],
                    "indexes": [models.Index(fields=["judge", "at"], name="rating_of_judge")],
                },
            ),
            migrations.CreateModel(
                name="RatingAnswer",
                fields=[
                    _key(),
                    ("criterion", models.CharField(max_length=40)),
                    ("accept", models.BooleanField()),
                    ("rating", _foreign("server.rating", "answers")),
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
                    _key(),
                    ("criterion", models.CharField(max_length=40)),
                    ("accept", models.BooleanField()),
                    ("note", models.TextField(blank=True, default="")),
                    ("at", models.DateTimeField(default=django.utils.timezone.now)),
                    ("by", _foreign(settings.AUTH_USER_MODEL, "+")),
                    ("item", _foreign("server.inspectionitem", "resolutions")),
                ],
                options={
                    "db_table": "resolution",
                    "indexes": [
                        models.Index(fields=["item", "criterion"], name="resolution_of_item")
                    ],
                },
            ),
        ),
        migrations.RunPython(guard),
    )
