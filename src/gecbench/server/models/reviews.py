"""Reviews, verdicts, and the golden sets that they make."""

from __future__ import annotations

from django.db import models
from django.db.models import PROTECT, F, Q
from django.utils import timezone

from gecbench.server.laws.names import Decision, ReviewKind, TaskState
from gecbench.server.models.fields import AppendOnly, choice, one_of
from gecbench.server.models.people import Person
from gecbench.server.models.projects import Guideline, Project
from gecbench.server.models.sentences import Sentence
from gecbench.server.models.texts import Reference


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


class Review(AppendOnly):
    """One decision about a sentence; `base_version` is the golden version before, or 0."""

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
    """One version of a sentence's golden set; the highest counts (INV-6). No review: imported."""

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
