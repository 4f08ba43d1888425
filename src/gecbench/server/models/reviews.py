"""Reviews, the golden sets that they make and releases of them; self-study and complaints."""

from __future__ import annotations

from typing import TypeVar

from django.db import models
from django.db.models import PROTECT, F, Q
from django.utils import timezone

from gecbench.server.choices import (
    CloseReason,
    ComplaintState,
    Decision,
    ReviewKind,
    StudyState,
    TaskState,
)
from gecbench.server.models.base import AppendOnly, choice, one_of
from gecbench.server.models.people import Person
from gecbench.server.models.projects import Guideline, Project
from gecbench.server.models.sentences import Reference, Sentence, Submission

_Row = TypeVar("_Row", bound=models.Model)

# Reviews, verdicts, and the golden sets that they make.


class ReviewTask(models.Model):
    """A sentence that waits for a reviewer; one at a time for each sentence.

    `not_for` is the reviewer who handed it on or whose decision is questioned.
    """

    project = models.ForeignKey(Project, PROTECT, related_name="review_tasks")
    sentence = models.ForeignKey(Sentence, PROTECT, related_name="review_tasks")
    kind = choice(ReviewKind, default=ReviewKind.FIRST)
    state = choice(TaskState, default=TaskState.FREE)
    reviewer = models.ForeignKey(Person, PROTECT, null=True, related_name="review_tasks")
    not_for = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    handed_by = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    note = models.TextField(blank=True, default="")
    lease_until = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=1)
    priority = models.IntegerField(default=100)
    order_key = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    claimed_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "review_task"
        constraints = (
            models.UniqueConstraint(
                fields=["sentence"],
                condition=Q(state__in=["free", "open"]),
                name="review_task_once",
            ),
            models.UniqueConstraint(
                fields=["project", "reviewer"],
                condition=Q(state="open"),
                name="review_task_open_once",
            ),
            models.CheckConstraint(
                condition=~Q(state="open") | Q(reviewer__isnull=False, lease_until__isnull=False),
                name="review_task_open_has_lease",
            ),
            models.CheckConstraint(
                condition=one_of("state", TaskState), name="review_task_state_known"
            ),
        )
        indexes = (
            models.Index(
                fields=["project", "state", "priority", "order_key"], name="review_task_by_state"
            ),
        )


class Reading(AppendOnly):
    """Somebody has read what others submitted for a sentence: no longer an annotator of it (ROL-5).

    One row for a person and a sentence, from the first time on.
    """

    sentence = models.ForeignKey(Sentence, PROTECT, related_name="readings")
    person = models.ForeignKey(Person, PROTECT, related_name="readings")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "reading"
        constraints = (models.UniqueConstraint(fields=["sentence", "person"], name="reading_once"),)


class Standing(models.Manager[_Row]):
    """Rows of reviews that stand; those that a reviewer took back are kept, but count no more.

    The task of a review that was taken back is returned, and another one was made. All rows are
    those of `_base_manager`.
    """

    task = "task"

    def get_queryset(self) -> models.QuerySet[_Row]:
        """Leave out what was taken back."""
        return super().get_queryset().exclude(**{f"{self.task}__state": TaskState.RETURNED})


class StandingByReview(Standing[_Row]):
    """The same for rows that belong to a review."""

    task = "review__task"


class Review(AppendOnly):
    """One decision about a sentence; `base_version` is the golden version before, or 0."""

    objects = Standing()

    sentence = models.ForeignKey(Sentence, PROTECT, related_name="reviews")
    task = models.ForeignKey(ReviewTask, PROTECT, null=True, related_name="reviews")
    reviewer = models.ForeignKey(Person, PROTECT, null=True, related_name="reviews")
    kind = choice(ReviewKind)
    base_version = models.PositiveIntegerField(default=0)
    decision = choice(Decision)
    reason = models.CharField(max_length=40, blank=True, default="")
    note = models.TextField(blank=True, default="")
    guideline = models.ForeignKey(Guideline, PROTECT, null=True, related_name="+")
    active_ms = models.PositiveIntegerField(default=0)
    client_key = models.UUIDField(unique=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "review"
        indexes = (models.Index(fields=["reviewer", "at"], name="review_of_reviewer"),)


class Verdict(AppendOnly):
    """Whether one distinct text, or one decision without text, is right (REV-2, REV-3).

    `digest` is the text's; it is "" for the decisions error_free and not_annotatable. `section`
    cites the guideline.
    """

    objects = StandingByReview()

    review = models.ForeignKey(Review, PROTECT, related_name="verdicts")
    decision = choice(Decision, default=Decision.CORRECTED)
    digest = models.CharField(max_length=64, blank=True, default="")
    correct = models.BooleanField()
    reasons = models.JSONField(default=list)
    note = models.TextField(blank=True, default="")
    section = models.CharField(max_length=100, blank=True, default="")

    class Meta:
        db_table = "verdict"
        constraints = (
            models.UniqueConstraint(fields=["review", "decision", "digest"], name="verdict_once"),
            models.CheckConstraint(
                condition=(Q(decision="corrected") & ~Q(digest=""))
                | (~Q(decision="corrected") & Q(digest="")),
                name="verdict_about_one_thing",
            ),
        )


class Golden(AppendOnly):
    """One version of a sentence's golden set; the highest counts (INV-6). No review: imported.

    Numbers are used once: that of a version that was taken back is not given again.
    """

    objects = StandingByReview()

    sentence = models.ForeignKey(Sentence, PROTECT, related_name="goldens")
    version = models.PositiveIntegerField()
    kind = choice(Decision)
    reason = models.CharField(max_length=40, blank=True, default="")
    review = models.ForeignKey(Review, PROTECT, null=True, related_name="goldens")
    guideline = models.ForeignKey(Guideline, PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "golden"
        constraints = (
            models.UniqueConstraint(fields=["sentence", "version"], name="golden_version_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="golden_version_from_1"),
        )


class GoldenReference(AppendOnly):
    """One reference of a golden set, in its place."""

    golden = models.ForeignKey(Golden, PROTECT, related_name="entries")
    reference = models.ForeignKey(Reference, PROTECT, related_name="golden_entries")
    position = models.PositiveSmallIntegerField()

    class Meta:
        db_table = "golden_reference"
        constraints = (
            models.UniqueConstraint(fields=["golden", "reference"], name="golden_reference_once"),
            models.UniqueConstraint(fields=["golden", "position"], name="golden_position_once"),
        )
        ordering = (F("position").asc(),)


# Self-study, complaints, and the talk about them.


class Study(models.Model):
    """A reference (or, without one, a decision) that is not golden, for its author to fix."""

    project = models.ForeignKey(Project, PROTECT, related_name="studies")
    sentence = models.ForeignKey(Sentence, PROTECT, related_name="studies")
    submission = models.ForeignKey(Submission, PROTECT, related_name="studies")
    reference = models.ForeignKey(Reference, PROTECT, null=True, related_name="studies")
    person = models.ForeignKey(Person, PROTECT, related_name="studies")
    golden = models.ForeignKey(Golden, PROTECT, related_name="+")
    state = choice(StudyState, default=StudyState.OPEN)
    close_reason = choice(CloseReason, blank=True, default="")
    attempts = models.PositiveIntegerField(default=0)
    version = models.PositiveIntegerField(default=1)
    opened_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True)
    closed_by = models.ForeignKey(Person, PROTECT, null=True, related_name="+")

    class Meta:
        db_table = "study"
        constraints = (
            models.UniqueConstraint(
                fields=["submission", "reference"],
                condition=Q(reference__isnull=False),
                name="study_reference_once",
            ),
            models.UniqueConstraint(
                fields=["submission"],
                condition=Q(reference__isnull=True),
                name="study_decision_once",
            ),
            models.CheckConstraint(
                condition=Q(state="open", close_reason="", closed_at__isnull=True)
                | (Q(state="closed", closed_at__isnull=False) & ~Q(close_reason="")),
                name="study_closed_says_why",
            ),
        )
        indexes = (models.Index(fields=["person", "project", "state"], name="study_of_person"),)


class StudyTry(AppendOnly):
    """One try to fix a study item: a text, or a decision without text.

    `counted` is false for a text that was refused and is only kept (INV-10).
    """

    study = models.ForeignKey(Study, PROTECT, related_name="tries")
    decision = choice(Decision, default=Decision.CORRECTED)
    text = models.TextField(blank=True, default="")
    matched = models.BooleanField()
    counted = models.BooleanField(default=True)
    reference = models.ForeignKey(Reference, PROTECT, null=True, related_name="+")
    client_key = models.UUIDField(unique=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "study_try"


class Complaint(models.Model):
    """An author's objection to a verdict; one open at a time for each study item (CMP-1).

    `first_reviewer` made the questioned decision; `level` is 1 for reviewers, 2 for a manager,
    whose word is final (CMP-3).
    """

    project = models.ForeignKey(Project, PROTECT, related_name="complaints")
    study = models.ForeignKey(Study, PROTECT, related_name="complaints")
    person = models.ForeignKey(Person, PROTECT, related_name="complaints")
    first_reviewer = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    handler = models.ForeignKey(Person, PROTECT, null=True, related_name="handled_complaints")
    level = models.PositiveSmallIntegerField(default=1)
    state = choice(ComplaintState, default=ComplaintState.OPEN)
    version = models.PositiveIntegerField(default=1)
    decision_note = models.TextField(blank=True, default="")
    section = models.CharField(max_length=100, blank=True, default="")
    review = models.ForeignKey(Review, PROTECT, null=True, related_name="complaints")
    opened_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "complaint"
        constraints = (
            models.UniqueConstraint(
                fields=["study"],
                condition=Q(state__in=["open", "discussed"]),
                name="complaint_open_once",
            ),
            models.CheckConstraint(condition=Q(level__in=[1, 2]), name="complaint_level_known"),
        )
        indexes = (models.Index(fields=["project", "state"], name="complaint_by_state"),)


class Message(AppendOnly):
    """A word in the talk about a complaint, a sentence or an item of an inspection (CMP-4)."""

    complaint = models.ForeignKey(Complaint, PROTECT, null=True, related_name="messages")
    sentence = models.ForeignKey(Sentence, PROTECT, null=True, related_name="messages")
    item = models.ForeignKey("InspectionItem", PROTECT, null=True, related_name="messages")
    person = models.ForeignKey(Person, PROTECT, related_name="+")
    text = models.TextField()
    client_key = models.UUIDField(unique=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "message"
        constraints = (
            models.CheckConstraint(
                condition=Q(complaint__isnull=False, sentence__isnull=True, item__isnull=True)
                | Q(complaint__isnull=True, sentence__isnull=False, item__isnull=True)
                | Q(complaint__isnull=True, sentence__isnull=True, item__isnull=False),
                name="message_about_one_thing",
            ),
        )


class Release(AppendOnly):
    """Golden versions frozen under a name; its exports never change (WFL-7, INV-14).

    `manifest` says how exports are made (options, format versions) and the sha256 of each.
    """

    project = models.ForeignKey(Project, PROTECT, related_name="releases")
    name = models.CharField(max_length=100)
    note = models.TextField(blank=True, default="")
    manifest = models.JSONField(default=dict)
    manifest_sha256 = models.CharField(max_length=64)
    by = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "release"
        constraints = (
            models.UniqueConstraint(fields=["project", "name"], name="release_name_once"),
        )


class ReleaseItem(AppendOnly):
    """A sentence of a release with the golden version it has there."""

    release = models.ForeignKey(Release, PROTECT, related_name="items")
    sentence = models.ForeignKey(Sentence, PROTECT, related_name="released")
    golden = models.ForeignKey(Golden, PROTECT, related_name="released")
    position = models.PositiveIntegerField()

    class Meta:
        db_table = "release_item"
        constraints = (
            models.UniqueConstraint(fields=["release", "sentence"], name="release_sentence_once"),
            models.UniqueConstraint(fields=["release", "position"], name="release_position_once"),
        )
