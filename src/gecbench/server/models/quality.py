"""Work held against known answers and judges: training, trials, gold tasks, inspections."""

from __future__ import annotations

from django.db import models
from django.db.models import PROTECT, Q
from django.utils import timezone

from gecbench.server.choices import Decision, RoundState, TrialState
from gecbench.server.models.base import AppendOnly, choice, one_of
from gecbench.server.models.people import Person
from gecbench.server.models.perturbation import Variant
from gecbench.server.models.projects import Guideline, Member, Project
from gecbench.server.models.sentences import Reference, Sentence, Submission


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


class InspectionRound(models.Model):
    """A random sample of a project's finished work, and what is asked of each item.

    `criteria` is a list of objects with `key` and the question in `en` and `zh`. The same `seed`
    draws the same `size` of the same `population` again. `undo_seconds` is the project's at the
    beginning: what the judges have seen of one another is not opened again by a later setting.
    """

    project = models.ForeignKey(Project, PROTECT, related_name="inspections")
    name = models.CharField(max_length=100)
    seed = models.PositiveBigIntegerField()
    size = models.PositiveIntegerField()
    population = models.PositiveIntegerField()
    criteria = models.JSONField()
    undo_seconds = models.PositiveSmallIntegerField()
    state = choice(RoundState, default=RoundState.OPEN)
    by = models.ForeignKey(Person, PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "inspection_round"
        constraints = (
            models.UniqueConstraint(fields=["project", "name"], name="inspection_name_once"),
            models.CheckConstraint(
                condition=one_of("state", RoundState), name="inspection_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state="open", closed_at__isnull=True)
                | Q(state="closed", closed_at__isnull=False),
                name="inspection_closed_has_time",
            ),
        )


class InspectionJudge(AppendOnly):
    """One of the two judges of a round, number 1 or 2; the last one of a number is it now."""

    round = models.ForeignKey(InspectionRound, PROTECT, related_name="judges")
    member = models.ForeignKey(Member, PROTECT, related_name="judged_rounds")
    no = models.PositiveSmallIntegerField()

    class Meta:
        db_table = "inspection_judge"
        constraints = (
            models.UniqueConstraint(fields=["round", "member"], name="inspection_judge_once"),
            models.CheckConstraint(condition=Q(no__in=[1, 2]), name="inspection_judges_are_two"),
        )


class InspectionItem(AppendOnly):
    """A golden reference or variant that was drawn; later golden versions do not change it."""

    round = models.ForeignKey(InspectionRound, PROTECT, related_name="items")
    position = models.PositiveIntegerField()
    sentence = models.ForeignKey(Sentence, PROTECT, related_name="inspected")
    reference = models.ForeignKey(Reference, PROTECT, null=True, related_name="inspected")
    variant = models.ForeignKey(Variant, PROTECT, null=True, related_name="inspected")

    class Meta:
        db_table = "inspection_item"
        constraints = (
            models.UniqueConstraint(fields=["round", "position"], name="inspection_place_once"),
            models.UniqueConstraint(fields=["round", "reference"], name="inspection_text_once"),
            models.UniqueConstraint(fields=["round", "variant"], name="inspection_variant_once"),
            models.CheckConstraint(
                condition=Q(reference__isnull=False, variant__isnull=True)
                | Q(reference__isnull=True, variant__isnull=False),
                name="inspection_item_of_one_thing",
            ),
        )

    @property
    def source(self) -> str:
        """What the target corrects: the sentence, or its variant in another context."""
        return self.variant.source if self.variant else self.sentence.text

    @property
    def target(self) -> str:
        """The corrected text."""
        if self.variant is not None:
            return self.variant.target
        return self.reference.text if self.reference else ""


class Rating(AppendOnly):
    """What a judge says of an item; the last `no` counts.

    One that is `undone` has no answers: it only takes back the one before it.
    """

    item = models.ForeignKey(InspectionItem, PROTECT, related_name="ratings")
    judge = models.ForeignKey(InspectionJudge, PROTECT, related_name="ratings")
    no = models.PositiveSmallIntegerField()
    undone = models.BooleanField(default=False)
    note = models.TextField(blank=True, default="")
    client_key = models.UUIDField(unique=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "rating"
        constraints = (
            models.UniqueConstraint(fields=["item", "judge", "no"], name="rating_no_once"),
        )
        indexes = (models.Index(fields=["judge", "at"], name="rating_of_judge"),)


class RatingAnswer(AppendOnly):
    """Whether the item meets one criterion of its round."""

    rating = models.ForeignKey(Rating, PROTECT, related_name="answers")
    criterion = models.CharField(max_length=40)
    accept = models.BooleanField()

    class Meta:
        db_table = "rating_answer"
        constraints = (
            models.UniqueConstraint(fields=["rating", "criterion"], name="rating_answer_once"),
        )


class Resolution(AppendOnly):
    """What judges who had differed agree on; the ratings stay, and the last resolution counts."""

    item = models.ForeignKey(InspectionItem, PROTECT, related_name="resolutions")
    criterion = models.CharField(max_length=40)
    accept = models.BooleanField()
    note = models.TextField(blank=True, default="")
    by = models.ForeignKey(Person, PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "resolution"
        indexes = (models.Index(fields=["item", "criterion"], name="resolution_of_item"),)
