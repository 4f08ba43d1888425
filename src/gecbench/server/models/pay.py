"""Pay: formulas, and the ledger of closed periods; rows that are written once (PAY-2)."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.db import models
from django.db.models import PROTECT, F, Q
from django.utils import timezone

from gecbench.server.choices import PayKind, PayReason
from gecbench.server.models.base import AppendOnly, choice
from gecbench.server.models.people import Person
from gecbench.server.models.perturbation import VariantCheck
from gecbench.server.models.projects import Project
from gecbench.server.models.quality import Rating
from gecbench.server.models.reviews import Complaint, Review
from gecbench.server.models.sentences import Reference, Submission
from gecbench.server.rules.pay import Formula, formula_of


class PayFormula(AppendOnly):
    """One version of a project's formula; `rules` is `rules.pay.Formula`."""

    project = models.ForeignKey(Project, PROTECT, related_name="pay_formulas")
    version = models.PositiveIntegerField()
    rules = models.JSONField()
    by = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "pay_formula"
        constraints = (
            models.UniqueConstraint(fields=["project", "version"], name="pay_formula_once"),
        )

    @property
    def formula(self) -> Formula:
        """What it says."""
        return formula_of(self.rules)


class PayActivation(AppendOnly):
    """A formula was put in force: for work that is handed in from then on."""

    formula = models.ForeignKey(PayFormula, PROTECT, related_name="activations")
    by = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "pay_activation"


class PayPeriod(AppendOnly):
    """A closed period: from the end of the one before to its own end, which is not in it."""

    project = models.ForeignKey(Project, PROTECT, related_name="pay_periods")
    begin = models.DateTimeField(null=True)
    end = models.DateTimeField()
    by = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "pay_period"
        constraints = (
            models.UniqueConstraint(fields=["project", "begin"], name="pay_period_begin_once"),
            models.UniqueConstraint(
                fields=["project"], condition=Q(begin__isnull=True), name="pay_period_first_once"
            ),
            models.CheckConstraint(
                condition=Q(begin__isnull=True) | Q(begin__lt=F("end")),
                name="pay_period_has_length",
            ),
        )

    @property
    def first_day(self) -> date | None:
        """By the clock of the site, as periods are closed; None where none was closed before."""
        zone = timezone.get_default_timezone()
        return None if self.begin is None else timezone.localdate(self.begin, zone)

    @property
    def last_day(self) -> date:
        """By the clock of the site; the period ends with this day."""
        last = self.end - timedelta(microseconds=1)
        return timezone.localdate(last, timezone.get_default_timezone())


class PayStatement(AppendOnly):
    """What a person gets for a period: the sum of its entries, in the smallest unit.

    `facts` says what the amounts rest on and what stands beside them: quality by row of the
    formula, tasks reviewed in the period, and the active time that they took.
    """

    period = models.ForeignKey(PayPeriod, PROTECT, related_name="statements")
    person = models.ForeignKey(Person, PROTECT, related_name="pay_statements")
    total = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    facts = models.JSONField(default=dict)
    sha256 = models.CharField(max_length=64)

    class Meta:
        db_table = "pay_statement"
        constraints = (
            models.UniqueConstraint(fields=["period", "person"], name="pay_statement_once"),
        )


_POINTERS = ("submission", "review", "variant_check", "rating")


def _points_to(name: str) -> Q:
    """The condition that an entry points to a thing of this kind, and to no other."""
    return Q(**{f"{pointer}__isnull": pointer != name for pointer in _POINTERS})


class PayEntry(AppendOnly):
    """One line of a statement: what is paid, by which formula, and how the amount is made."""

    statement = models.ForeignKey(PayStatement, PROTECT, related_name="entries")
    kind = choice(PayKind)
    reason = choice(PayReason)
    amount = models.BigIntegerField()
    formula = models.ForeignKey(PayFormula, PROTECT, related_name="+")
    submission = models.ForeignKey(Submission, PROTECT, null=True, related_name="pay_entries")
    reference = models.ForeignKey(Reference, PROTECT, null=True, related_name="+")
    review = models.ForeignKey(Review, PROTECT, null=True, related_name="pay_entries")
    variant_check = models.ForeignKey(VariantCheck, PROTECT, null=True, related_name="pay_entries")
    rating = models.ForeignKey(Rating, PROTECT, null=True, related_name="pay_entries")
    complaint = models.ForeignKey(Complaint, PROTECT, null=True, related_name="+")
    detail = models.JSONField(default=dict)

    class Meta:
        db_table = "pay_entry"
        constraints = (
            models.CheckConstraint(
                condition=_points_to("submission")
                | _points_to("review")
                | _points_to("variant_check")
                | _points_to("rating"),
                name="pay_entry_of_one_thing",
            ),
        )

    @property
    def task(self) -> tuple[int, datetime]:
        """The number of the sentence, and when the work was handed in."""
        if self.submission is not None:
            return self.submission.sentence.number, self.submission.at
        if self.rating is not None:
            return self.rating.item.sentence.number, self.rating.at
        review = self.variant_check.review if self.variant_check else self.review
        if review is None:
            raise AssertionError("an entry points to something")  # pragma: no cover - a constraint
        return review.sentence.number, review.at
