"""Projects, their members, assignments, guidelines, sources, imports; the log; kept statistics."""

from __future__ import annotations

from django.db import models
from django.db.models import PROTECT, Q
from django.utils import timezone

from gecbench.server.choices import MemberStatus, ProjectKind, Role
from gecbench.server.models.base import AppendOnly, choice
from gecbench.server.models.people import Person
from gecbench.server.rules.options import ProjectOptions, options_of


class Project(models.Model):
    """Sentences, the people who work on them, and the rules they work by."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=150)
    kind = choice(ProjectKind, default=ProjectKind.REWRITE)
    lang = models.CharField(max_length=8)
    annotators = models.PositiveSmallIntegerField(default=3)
    max_references = models.PositiveSmallIntegerField(default=5)
    options = models.JSONField(default=dict)
    guideline = models.ForeignKey("Guideline", PROTECT, null=True, related_name="+")
    next_number = models.PositiveIntegerField(default=1)
    created_by = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "project"
        constraints = (
            models.CheckConstraint(
                condition=Q(annotators__gte=1, annotators__lte=20), name="project_annotators_1_20"
            ),
            models.CheckConstraint(
                condition=Q(max_references__gte=1, max_references__lte=10),
                name="project_references_1_10",
            ),
            models.CheckConstraint(condition=Q(lang__in=["zh", "en"]), name="project_lang_known"),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def language_tag(self) -> str:
        """What pages say of the language of its sentences, so that glyphs are the right ones."""
        return "zh-Hans" if self.lang == "zh" else self.lang

    @property
    def rules(self) -> ProjectOptions:
        """The options as one value, defaults filled in."""
        return options_of(self.options)


class Member(models.Model):
    """A person in a project: roles and status."""

    project = models.ForeignKey(Project, PROTECT, related_name="members")
    person = models.ForeignKey(Person, PROTECT, related_name="memberships")
    is_annotator = models.BooleanField(default=False)
    is_reviewer = models.BooleanField(default=False)
    is_judge = models.BooleanField(default=False)
    is_manager = models.BooleanField(default=False)
    status = choice(MemberStatus, default=MemberStatus.ACTIVE)
    since = models.DateTimeField(default=timezone.now)
    preferences = models.JSONField(default=dict)

    class Meta:
        db_table = "member"
        constraints = (models.UniqueConstraint(fields=["project", "person"], name="member_once"),)

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles that the member has, in the order of Role."""
        return tuple(role for role in Role if getattr(self, f"is_{role}"))

    def has(self, role: Role) -> bool:
        """Whether the member has a role."""
        return bool(getattr(self, f"is_{role}"))


class MemberEvent(AppendOnly):
    """A change of a member's roles or status; earlier work keeps its role (ROL-3)."""

    member = models.ForeignKey(Member, PROTECT, related_name="events")
    old = models.JSONField(default=dict)
    new = models.JSONField(default=dict)
    by = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    note = models.TextField(blank=True, default="")

    class Meta:
        db_table = "member_event"


class Assignment(models.Model):
    """Work that a manager gives a member, to be done by a moment.

    A quota is a number of sentences, whichever they are; a batch (no quota) is certain sentences,
    those of the slots that name it (`Slot.assignment`). How much of it is done is asked of the
    rows, and kept nowhere.
    """

    member = models.ForeignKey(Member, PROTECT, related_name="assignments")
    role = choice(Role)
    quota = models.PositiveIntegerField(null=True)
    at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField()
    by = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "assignment"
        constraints = (
            models.CheckConstraint(
                condition=Q(quota__gte=1, role__in=["annotator", "reviewer"])
                | Q(quota__isnull=True, role="annotator"),
                name="assignment_quota_or_batch",
            ),
            models.UniqueConstraint(
                fields=["member", "role"],
                condition=Q(quota__isnull=False, ended_at__isnull=True),
                name="assignment_one_quota",
            ),
        )


class Guideline(AppendOnly):
    """One version of a project's guideline (GUI-2)."""

    project = models.ForeignKey(Project, PROTECT, related_name="guidelines")
    version = models.PositiveIntegerField()
    markdown = models.TextField()
    sha256 = models.CharField(max_length=64)
    note = models.TextField(blank=True, default="")
    by = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    published_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "guideline"
        constraints = (
            models.UniqueConstraint(fields=["project", "version"], name="guideline_version_once"),
        )


class Acknowledgement(AppendOnly):
    """Somebody has read a version of a guideline."""

    guideline = models.ForeignKey(Guideline, PROTECT, related_name="acknowledgements")
    person = models.ForeignKey(Person, PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "acknowledgement"
        constraints = (
            models.UniqueConstraint(fields=["guideline", "person"], name="acknowledged_once"),
        )


class Source(models.Model):
    """Where sentences come from, as NLPCC18, CGED, Lang8."""

    project = models.ForeignKey(Project, PROTECT, related_name="sources")
    name = models.CharField(max_length=100)

    class Meta:
        db_table = "source"
        constraints = (
            models.UniqueConstraint(fields=["project", "name"], name="source_name_once"),
        )


class ImportBatch(AppendOnly):
    """One import: the file, and what was made of it."""

    project = models.ForeignKey(Project, PROTECT, related_name="imports")
    file_name = models.CharField(max_length=200)
    file_sha256 = models.CharField(max_length=64)
    format = models.CharField(max_length=40)
    counts = models.JSONField(default=dict)
    by = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "import_batch"


class GuidelineCase(models.Model):
    """A discussion that the guideline should learn from; the guideline's change queue (CMP-4)."""

    project = models.ForeignKey(Project, PROTECT, related_name="guideline_cases")
    message = models.ForeignKey("Message", PROTECT, null=True, related_name="cases")
    complaint = models.ForeignKey("Complaint", PROTECT, null=True, related_name="cases")
    note = models.TextField(blank=True, default="")
    by = models.ForeignKey(Person, PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    closed_in = models.ForeignKey(Guideline, PROTECT, null=True, related_name="closes")

    class Meta:
        db_table = "guideline_case"
        constraints = (
            models.CheckConstraint(
                condition=Q(message__isnull=False) | Q(complaint__isnull=False),
                name="guideline_case_about_something",
            ),
        )


class Audit(AppendOnly):
    """Who did what, each row's hash made over the one before (a changed row is found)."""

    seq = models.PositiveBigIntegerField(unique=True)
    at = models.DateTimeField(default=timezone.now)
    who = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    project = models.ForeignKey(Project, PROTECT, null=True, related_name="+")
    address = models.CharField(max_length=64, blank=True, default="")
    what = models.CharField(max_length=60)
    object_kind = models.CharField(max_length=40, blank=True, default="")
    object_id = models.CharField(max_length=60, blank=True, default="")
    data = models.JSONField(default=dict)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        db_table = "audit"
        indexes = (models.Index(fields=["project", "seq"], name="audit_of_project"),)


class Figures(models.Model):
    """Statistics that were computed once and are shown until somebody computes them again.

    A cache: nothing else rests on it, and it may be emptied at any time. `basis` says which rows
    they were made of (the greatest ids), so that a page can tell whether there is more by now.
    """

    project = models.ForeignKey(Project, PROTECT, related_name="figures")
    kind = models.CharField(max_length=40)
    basis = models.CharField(max_length=200)
    data = models.JSONField()
    computed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "figures"
        constraints = (
            models.UniqueConstraint(fields=["project", "kind"], name="figures_kind_once"),
        )
