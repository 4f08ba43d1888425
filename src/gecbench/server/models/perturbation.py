"""Cases of perturbation: their errors, proposals of machines, variants of people, and checks."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import models
from django.db.models import PROTECT, Q
from django.utils import timezone

from gecbench.server.choices import CheckDecision, VariantOrigin, VariantReason
from gecbench.server.models.base import AppendOnly, choice
from gecbench.server.models.reviews import Golden, Review, StandingByReview
from gecbench.server.models.sentences import Sentence, Slot, Submission
from gecbench.server.rules.perturbation import Subtlety


class PerturbationCase(AppendOnly):
    """The errors of a sentence with its correction, extracted once, when it came in.

    `gaps` are the texts around the `chips` (`rules.perturbation.Chip`), one more than these.
    """

    sentence = models.OneToOneField(Sentence, PROTECT, related_name="case")
    gaps = models.JSONField()
    chips = models.JSONField()
    scheme = models.CharField(max_length=40)
    signature = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "perturbation_case"


class Proposal(AppendOnly):
    """A variant that a program proposes for one of the N places of a case."""

    sentence = models.ForeignKey(Sentence, PROTECT, related_name="proposals")
    position = models.PositiveSmallIntegerField()
    gaps = models.JSONField()
    source = models.TextField()
    target = models.TextField()
    digest = models.CharField(max_length=64)
    model = models.CharField(max_length=200)
    model_version = models.CharField(max_length=200, blank=True, default="")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "proposal"
        constraints = (
            models.UniqueConstraint(fields=["sentence", "position"], name="proposal_place_once"),
            models.UniqueConstraint(fields=["sentence", "digest"], name="proposal_text_once"),
        )


class VariantCheck(AppendOnly):
    """A reviewer's decision about one variant; who decided, when and by which key says the review.

    `allows_moved` is true where an error had moved and the reviewer let it pass (PER-4).
    """

    objects = StandingByReview()

    review = models.ForeignKey(Review, PROTECT, related_name="variant_checks")
    slot = models.ForeignKey(Slot, PROTECT, related_name="variant_checks")
    variant = models.ForeignKey("Variant", PROTECT, related_name="checks")
    decision = choice(CheckDecision)
    reasons = models.JSONField(default=list)
    note = models.TextField(blank=True, default="")
    allows_moved = models.BooleanField(default=False)

    class Meta:
        db_table = "variant_check"
        constraints = (
            models.UniqueConstraint(fields=["review", "slot"], name="variant_check_once"),
        )

    @property
    def decision_label(self) -> str:
        """What was decided, in words."""
        return str(CheckDecision(self.decision).label)

    @property
    def reason_sections(self) -> Iterator[tuple[str, str]]:
        """Why it was returned: label, and the section of the guideline that explains it."""
        for reason in VariantReason:
            if reason in self.reasons:
                yield str(reason.label), reason.section


class Variant(AppendOnly):
    """A case in another context: handed in, edited by the reviewer who checked one, or imported.

    `position` is its place in the case, 1 to N. `gaps` is null where a file has a variant whose
    errors are not those of the original; `moved` are the errors that are not where they were
    (`rules.perturbation.Move`). Equal digests are one variant. `proposal` was shown to its author,
    whatever became of it.
    """

    sentence = models.ForeignKey(Sentence, PROTECT, related_name="variants")
    position = models.PositiveSmallIntegerField()
    submission = models.OneToOneField(Submission, PROTECT, null=True, related_name="variant")
    edit_of = models.OneToOneField(VariantCheck, PROTECT, null=True, related_name="edited")
    gaps = models.JSONField(null=True)
    source = models.TextField()
    target = models.TextField()
    digest = models.CharField(max_length=64)
    moved = models.JSONField(default=list)
    edits = models.PositiveSmallIntegerField()
    changed = models.PositiveSmallIntegerField()
    tokens = models.PositiveSmallIntegerField()
    proposal = models.ForeignKey(Proposal, PROTECT, null=True, related_name="variants")
    origin = choice(VariantOrigin)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "variant"
        constraints = (
            models.CheckConstraint(
                condition=Q(origin="import", submission__isnull=True, edit_of__isnull=True)
                | Q(origin="reviewer", submission__isnull=True, edit_of__isnull=False)
                | Q(
                    origin__in=["person", "machine", "machine_edited"],
                    submission__isnull=False,
                    edit_of__isnull=True,
                ),
                name="variant_of_one_thing",
            ),
            models.CheckConstraint(condition=~Q(source=""), name="variant_not_empty"),
        )
        indexes = (models.Index(fields=["sentence", "position"], name="variant_of_sentence"),)

    @property
    def subtlety(self) -> Subtlety:
        """How much it changes of its original."""
        return Subtlety(self.edits, self.changed, self.tokens)

    @property
    def moved_errors(self) -> list[str]:
        """The errors that it has moved, as people read them."""
        return [f"{move['source'] or '▾'} → {move['target'] or '–'}" for move in self.moved]


class GoldenVariant(AppendOnly):
    """One variant of a case that is done, in its place."""

    golden = models.ForeignKey(Golden, PROTECT, related_name="variants")
    variant = models.ForeignKey(Variant, PROTECT, related_name="golden_entries")
    position = models.PositiveSmallIntegerField()

    class Meta:
        db_table = "golden_variant"
        constraints = (
            models.UniqueConstraint(fields=["golden", "position"], name="golden_variant_once"),
        )
        ordering = ("position",)
