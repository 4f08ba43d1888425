"""Training and trial of annotators, and what gold tasks say of them: answers that are known."""

from __future__ import annotations

from django.db import models
from django.db.models import PROTECT, Q
from django.utils import timezone

from gecbench.server.choices import Decision, TrialState
from gecbench.server.models.fields import AppendOnly, choice, one_of
from gecbench.server.models.people import Person
from gecbench.server.models.projects import Guideline, Member
from gecbench.server.models.sentences import Sentence, Submission


class Trial(models.Model):
    """One attempt of a candidate; it keeps the size and the threshold that held when it began.

    `accepted` counts the right answers once all are judged, with what leads overruled.
    """

    member = models.ForeignKey(Member, PROTECT, related_name="trials")
    no = models.PositiveSmallIntegerField()
    size = models.PositiveSmallIntegerField()
    percent = models.PositiveSmallIntegerField()
    state = choice(TrialState, default=TrialState.OPEN)
    accepted = models.PositiveSmallIntegerField(null=True)
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "trial"
        constraints = (
            models.UniqueConstraint(fields=["member", "no"], name="trial_no_once"),
            models.UniqueConstraint(
                fields=["member"], condition=Q(state="open"), name="trial_open_once"
            ),
            models.CheckConstraint(condition=one_of("state", TrialState), name="trial_state_known"),
            models.CheckConstraint(
                condition=Q(size__gte=1, percent__lte=100), name="trial_size_and_percent"
            ),
            models.CheckConstraint(
                condition=Q(state="open", accepted__isnull=True, ended_at__isnull=True)
                | (~Q(state="open") & Q(accepted__isnull=False, ended_at__isnull=False)),
                name="trial_ended_is_judged",
            ),
        )


class TrialTask(AppendOnly):
    """One of the tasks drawn for a trial, in its place."""

    trial = models.ForeignKey(Trial, PROTECT, related_name="tasks")
    sentence = models.ForeignKey(Sentence, PROTECT, related_name="trial_tasks")
    position = models.PositiveSmallIntegerField()

    class Meta:
        db_table = "trial_task"
        constraints = (
            models.UniqueConstraint(fields=["trial", "sentence"], name="trial_task_once"),
            models.UniqueConstraint(fields=["trial", "position"], name="trial_position_once"),
        )


class PracticeAnswer(AppendOnly):
    """An answer in training (no task) or in a trial; nothing of it is a submission (INV-12).

    `right` is the judgement by the known answers. `counted` is false for a text that was refused
    and is only kept (INV-10).
    """

    sentence = models.ForeignKey(Sentence, PROTECT, related_name="practice_answers")
    person = models.ForeignKey(Person, PROTECT, related_name="practice_answers")
    task = models.ForeignKey(TrialTask, PROTECT, null=True, related_name="answers")
    decision = choice(Decision)
    text = models.TextField(blank=True, default="")
    right = models.BooleanField()
    counted = models.BooleanField(default=True)
    guideline = models.ForeignKey(Guideline, PROTECT, null=True, related_name="+")
    client_key = models.UUIDField(unique=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "practice_answer"
        constraints = (
            models.UniqueConstraint(
                fields=["task"],
                condition=Q(task__isnull=False, counted=True),
                name="practice_answer_task_once",
            ),
        )
        indexes = (models.Index(fields=["person", "sentence"], name="practice_answer_of_person"),)


class GoldResult(AppendOnly):
    """What the known answers say of a submission for a gold task."""

    submission = models.OneToOneField(Submission, PROTECT, related_name="gold_result")
    right = models.BooleanField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "gold_result"


class Overruling(AppendOnly):
    """A lead's judgement instead of that by the known answers; the last one counts."""

    answer = models.ForeignKey(PracticeAnswer, PROTECT, null=True, related_name="overrulings")
    gold_result = models.ForeignKey(GoldResult, PROTECT, null=True, related_name="overrulings")
    right = models.BooleanField()
    reason = models.TextField()
    by = models.ForeignKey(Person, PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "overruling"
        constraints = (
            models.CheckConstraint(
                condition=Q(answer__isnull=False, gold_result__isnull=True)
                | Q(answer__isnull=True, gold_result__isnull=False),
                name="overruling_of_one_thing",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="overruling_has_reason"),
        )
