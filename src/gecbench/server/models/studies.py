"""Self-study, complaints, and the talk about them."""

from __future__ import annotations

from django.db import models
from django.db.models import PROTECT, Q
from django.utils import timezone

from gecbench.server.laws.names import CloseReason, ComplaintState, Decision, StudyState
from gecbench.server.models.fields import AppendOnly, choice
from gecbench.server.models.people import Person
from gecbench.server.models.projects import Project
from gecbench.server.models.reviews import Golden, Review
from gecbench.server.models.sentences import Sentence
from gecbench.server.models.texts import Reference, Submission


class Study(models.Model):
    """A reference (or, without one, a decision) that is not golden, for its author to mend."""

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
    """One try to mend a study item: a text, or a decision without text.

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
    """A word in the talk about a complaint or a sentence (CMP-4)."""

    complaint = models.ForeignKey(Complaint, PROTECT, null=True, related_name="messages")
    sentence = models.ForeignKey(Sentence, PROTECT, null=True, related_name="messages")
    person = models.ForeignKey(Person, PROTECT, related_name="+")
    text = models.TextField()
    client_key = models.UUIDField(unique=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "message"
        constraints = (
            models.CheckConstraint(
                condition=Q(complaint__isnull=False, sentence__isnull=True)
                | Q(complaint__isnull=True, sentence__isnull=False),
                name="message_about_one_thing",
            ),
        )
