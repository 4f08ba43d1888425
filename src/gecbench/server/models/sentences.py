"""Sentences, their N slots, and what people wrote: drafts, submissions, references."""

from __future__ import annotations

from django.db import models
from django.db.models import PROTECT, F, Q
from django.utils import timezone

from gecbench.server.choices import (
    Decision,
    Dimension,
    Origin,
    Purpose,
    SentenceState,
    SlotEventKind,
    SlotState,
    SuggestionAct,
)
from gecbench.server.models.base import AppendOnly, choice, one_of
from gecbench.server.models.people import Person
from gecbench.server.models.projects import Assignment, Guideline, ImportBatch, Project, Source

# Sentences, their N slots, and what happens to a slot.


class Sentence(models.Model):
    """A source sentence on its way to golden references; text and id never change (a trigger).

    `number` is the task number that people see; `priority` and `order_key` say which come first
    (small ones first); `needed` is N of this sentence, `submitted` how many slots are submitted
    or later (INV-4). `document` and `position` repeat what `meta` says of where it comes from, so
    that its neighbours can be found.
    """

    project = models.ForeignKey(Project, PROTECT, related_name="sentences")
    source = models.ForeignKey(Source, PROTECT, null=True, related_name="sentences")
    batch = models.ForeignKey(ImportBatch, PROTECT, null=True, related_name="sentences")
    number = models.PositiveIntegerField()
    external_id = models.CharField(max_length=200)
    text = models.TextField()
    digest = models.CharField(max_length=64)
    target = models.TextField(null=True)
    meta = models.JSONField(default=dict)
    document = models.CharField(max_length=200, null=True)
    position = models.PositiveIntegerField(null=True)
    purpose = choice(Purpose, default=Purpose.REAL)
    state = choice(SentenceState, default=SentenceState.OPEN)
    state_note = models.TextField(blank=True, default="")
    version = models.PositiveIntegerField(default=1)
    priority = models.IntegerField(default=100)
    order_key = models.BigIntegerField(default=0)
    needed = models.PositiveSmallIntegerField()
    submitted = models.PositiveSmallIntegerField(default=0)
    golden = models.ForeignKey("Golden", PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "sentence"
        constraints = (
            models.UniqueConstraint(fields=["project", "external_id"], name="sentence_id_once"),
            models.UniqueConstraint(fields=["project", "number"], name="sentence_number_once"),
            models.CheckConstraint(
                condition=Q(submitted__lte=F("needed")), name="sentence_submitted_le_needed"
            ),
            models.CheckConstraint(
                condition=one_of("state", SentenceState), name="sentence_state_known"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="sentence_not_empty"),
        )
        indexes = (
            models.Index(
                fields=["project", "purpose", "state", "priority", "order_key"],
                name="sentence_by_state",
            ),
            models.Index(fields=["project", "digest"], name="sentence_by_digest"),
            models.Index(fields=["project", "updated_at"], name="sentence_by_update"),
            models.Index(
                fields=["project", "document", "position"],
                condition=Q(document__isnull=False),
                name="sentence_by_document",
            ),
        )


class Slot(models.Model):
    """One of the N places of a sentence; a person fills it, and nobody fills two (INV-1, INV-2).

    `open_no` is 1..k while the slot is open: with the unique constraint nobody holds more than
    k open tasks of a project. `priority` and `order_key` are the sentence's, copied. While it is
    free, `assignment` keeps it for that member, up to the deadline.
    """

    project = models.ForeignKey(Project, PROTECT, related_name="slots")
    sentence = models.ForeignKey(Sentence, PROTECT, related_name="slots")
    no = models.PositiveSmallIntegerField()
    person = models.ForeignKey(Person, PROTECT, null=True, related_name="slots")
    state = choice(SlotState, default=SlotState.FREE)
    open_no = models.PositiveSmallIntegerField(null=True)
    lease_until = models.DateTimeField(null=True)
    claimed_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=1)
    priority = models.IntegerField(default=100)
    order_key = models.BigIntegerField(default=0)
    assignment = models.ForeignKey(
        Assignment, PROTECT, null=True, related_name="slots", db_index=False
    )

    class Meta:
        db_table = "slot"
        constraints = (
            models.UniqueConstraint(fields=["sentence", "no"], name="slot_no_once"),
            models.UniqueConstraint(
                fields=["sentence", "person"],
                condition=Q(person__isnull=False),
                name="slot_person_once",
            ),
            models.UniqueConstraint(
                fields=["project", "person", "open_no"],
                condition=Q(state="open"),
                name="slot_open_once",
            ),
            models.CheckConstraint(
                condition=Q(state="free", person__isnull=True)
                | (~Q(state="free") & Q(person__isnull=False)),
                name="slot_free_is_nobodys",
            ),
            models.CheckConstraint(
                condition=Q(state="open", open_no__isnull=False, lease_until__isnull=False)
                | (~Q(state="open") & Q(open_no__isnull=True)),
                name="slot_open_has_lease",
            ),
            models.CheckConstraint(condition=one_of("state", SlotState), name="slot_state_known"),
        )
        indexes = (
            models.Index(
                fields=["project", "state", "priority", "order_key"], name="slot_by_state"
            ),
            models.Index(
                fields=["project", "lease_until"], condition=Q(state="open"), name="slot_by_lease"
            ),
            models.Index(fields=["person", "project", "state"], name="slot_by_person"),
            models.Index(
                fields=["assignment", "state"],
                condition=Q(assignment__isnull=False),
                name="slot_by_assignment",
            ),
        )


class SlotEvent(AppendOnly):
    """What happened to a slot; who ever held one is read here (INV-3)."""

    slot = models.ForeignKey(Slot, PROTECT, related_name="events")
    sentence = models.ForeignKey(Sentence, PROTECT, related_name="slot_events")
    person = models.ForeignKey(Person, PROTECT, null=True, related_name="slot_events")
    kind = choice(SlotEventKind)
    at = models.DateTimeField(default=timezone.now)
    data = models.JSONField(default=dict)

    class Meta:
        db_table = "slot_event"
        indexes = (
            models.Index(fields=["sentence", "person"], name="slot_event_holders"),
            models.Index(fields=["slot", "at"], name="slot_event_of_slot"),
            models.Index(fields=["person", "kind", "at"], name="slot_event_of_person"),
        )


class Skip(models.Model):
    """A sentence that a person has put off; not offered again unless they ask (ANN-14)."""

    sentence = models.ForeignKey(Sentence, PROTECT, related_name="skips")
    project = models.ForeignKey(Project, PROTECT, related_name="+")
    person = models.ForeignKey(Person, PROTECT, related_name="skips")
    at = models.DateTimeField(default=timezone.now)
    recalled_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "skip"
        constraints = (models.UniqueConstraint(fields=["sentence", "person"], name="skip_once"),)
        indexes = (models.Index(fields=["project", "person"], name="skip_of_person"),)


class Suggestion(AppendOnly):
    """What a corrector makes of a sentence; never shown before the project's option is on."""

    sentence = models.ForeignKey(Sentence, PROTECT, related_name="suggestions")
    model = models.CharField(max_length=200)
    model_version = models.CharField(max_length=200, blank=True, default="")
    text = models.TextField()
    score = models.FloatField(null=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "suggestion"


class SuggestionEvent(AppendOnly):
    """A suggestion was shown to the holder of a slot, or taken over by them; each once."""

    suggestion = models.ForeignKey(Suggestion, PROTECT, related_name="events")
    slot = models.ForeignKey(Slot, PROTECT, related_name="suggestion_events")
    person = models.ForeignKey(Person, PROTECT, related_name="suggestion_events")
    kind = choice(SuggestionAct)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "suggestion_event"
        constraints = (
            models.UniqueConstraint(
                fields=["slot", "person", "suggestion", "kind"], name="suggestion_event_once"
            ),
        )


# What people wrote: drafts with every revision, submissions, references.


_SLOT_OR_TASK = Q(slot__isnull=False, task__isnull=True) | Q(slot__isnull=True, task__isnull=False)


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
            models.CheckConstraint(condition=_SLOT_OR_TASK, name="draft_one_place"),
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
            models.CheckConstraint(condition=_SLOT_OR_TASK, name="draft_revision_one_place"),
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
