"""What people wrote: drafts with every revision, submissions, references."""

from __future__ import annotations

from django.db import models
from django.db.models import PROTECT, Q
from django.utils import timezone

from gecbench.server.laws.names import Decision, Dimension, Origin
from gecbench.server.models.fields import AppendOnly, choice
from gecbench.server.models.people import Person
from gecbench.server.models.projects import Guideline
from gecbench.server.models.sentences import Sentence, Slot, Suggestion

_ONE_PLACE = Q(slot__isnull=False, task__isnull=True) | Q(slot__isnull=True, task__isnull=False)


class Draft(models.Model):
    """What a person is writing for a slot or a review task: the one text that changes.

    `rev` counts; each overwrite also adds a DraftRevision. A draft outlives the lease.
    """

    slot = models.ForeignKey(Slot, PROTECT, null=True, related_name="drafts")
    task = models.ForeignKey("ReviewTask", PROTECT, null=True, related_name="drafts")
    person = models.ForeignKey(Person, PROTECT, related_name="drafts")
    payload = models.JSONField()
    rev = models.PositiveIntegerField()
    saved_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "draft"
        constraints = (
            models.UniqueConstraint(
                fields=["slot", "person"], condition=Q(slot__isnull=False), name="draft_slot_once"
            ),
            models.UniqueConstraint(
                fields=["task", "person"], condition=Q(task__isnull=False), name="draft_task_once"
            ),
            models.CheckConstraint(condition=_ONE_PLACE, name="draft_one_place"),
        )


class DraftRevision(AppendOnly):
    """A draft as it was received (INV-10)."""

    slot = models.ForeignKey(Slot, PROTECT, null=True, related_name="draft_revisions")
    task = models.ForeignKey("ReviewTask", PROTECT, null=True, related_name="draft_revisions")
    person = models.ForeignKey(Person, PROTECT, related_name="+")
    rev = models.PositiveIntegerField()
    payload = models.JSONField()
    at = models.DateTimeField(default=timezone.now)
    client_at = models.DateTimeField(null=True)
    conflicting = models.BooleanField(default=False)

    class Meta:
        db_table = "draft_revision"
        constraints = (
            models.UniqueConstraint(
                fields=["slot", "person", "rev"],
                condition=Q(slot__isnull=False, conflicting=False),
                name="draft_revision_slot_once",
            ),
            models.UniqueConstraint(
                fields=["task", "person", "rev"],
                condition=Q(task__isnull=False, conflicting=False),
                name="draft_revision_task_once",
            ),
            models.CheckConstraint(condition=_ONE_PLACE, name="draft_revision_one_place"),
        )


class Submission(AppendOnly):
    """What a person handed in for a slot; `no` counts re-submissions, the last one counts."""

    slot = models.ForeignKey(Slot, PROTECT, related_name="submissions")
    sentence = models.ForeignKey(Sentence, PROTECT, related_name="submissions")
    person = models.ForeignKey(Person, PROTECT, related_name="submissions")
    no = models.PositiveSmallIntegerField()
    decision = choice(Decision)
    reason = models.CharField(max_length=40, blank=True, default="")
    reason_note = models.TextField(blank=True, default="")
    guideline = models.ForeignKey(Guideline, PROTECT, null=True, related_name="+")
    active_ms = models.PositiveIntegerField(default=0)
    client_key = models.UUIDField(unique=True)
    suggestion = models.ForeignKey(Suggestion, PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "submission"
        constraints = (models.UniqueConstraint(fields=["slot", "no"], name="submission_no_once"),)
        indexes = (
            models.Index(fields=["sentence"], name="submission_of_sentence"),
            models.Index(fields=["person", "at"], name="submission_of_person"),
        )


class Reference(AppendOnly):
    """A rewritten text of a sentence, of an annotator, a reviewer, a complaint or an import.

    `digest` is that of the text's normal form: equal digests are one text.
    """

    sentence = models.ForeignKey(Sentence, PROTECT, related_name="references")
    submission = models.ForeignKey(Submission, PROTECT, null=True, related_name="references")
    review = models.ForeignKey("Review", PROTECT, null=True, related_name="references")
    position = models.PositiveSmallIntegerField(default=0)
    text = models.TextField()
    digest = models.CharField(max_length=64)
    dimension = choice(Dimension, default=Dimension.GRAMMAR)
    origin = choice(Origin)
    parent = models.ForeignKey("self", PROTECT, null=True, related_name="children")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "reference"
        constraints = (
            models.CheckConstraint(condition=~Q(text=""), name="reference_not_empty"),
            models.UniqueConstraint(
                fields=["submission", "digest"],
                condition=Q(submission__isnull=False),
                name="reference_once_in_submission",
            ),
        )
        indexes = (models.Index(fields=["sentence", "digest"], name="reference_by_digest"),)
