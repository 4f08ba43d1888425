"""Reviewers: how much, how fast, how strict, and how often complaints were upheld (STA-6)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.db.models import Count, Q, Sum

from gecbench.server.laws.names import ComplaintState, Purpose, ReviewKind
from gecbench.server.models import Complaint, Project, Review, Verdict

_UPHELD = (ComplaintState.UPHELD, ComplaintState.UPHELD_CHANGED)
_DECIDED = (*_UPHELD, ComplaintState.DISMISSED)


@dataclass(frozen=True, slots=True)
class Reviewer:
    """What one reviewer did.

    Args:
        person: Row of the person.
        reviews: Sentences decided, without decisions about complaints.
        active_ms: Milliseconds of real work on them, by the pages' own count.
        judged: Distinct answers judged.
        right: Of them, those that were right.
        complaints: Decided complaints about their decisions.
        upheld: Of them, those that were upheld.
    """

    person: int
    reviews: int = 0
    active_ms: int = 0
    judged: int = 0
    right: int = 0
    complaints: int = 0
    upheld: int = 0

    @property
    def per_hour(self) -> float | None:
        """Sentences per hour of active time; None where no time was counted."""
        return self.reviews * 3_600_000 / self.active_ms if self.active_ms else None

    @property
    def accepted(self) -> float | None:
        """Share of judged answers that were right, in [0, 1]; None without any."""
        return self.right / self.judged if self.judged else None


def reviewers(project: Project) -> tuple[Reviewer, ...]:
    """Return what reviewers did, the one with most sentences first."""
    inside = {"sentence__project": project, "sentence__purpose": Purpose.REAL}
    reviews = Review.objects.filter(reviewer__isnull=False, **inside).exclude(
        kind=ReviewKind.COMPLAINT
    )
    found: dict[int, Reviewer] = {}
    rows = reviews.order_by().values_list("reviewer")
    for who, count, worked in rows.annotate(count=Count("id"), worked=Sum("active_ms")):
        if who is not None:
            found[who] = Reviewer(who, count, worked)
    verdicts = Verdict.objects.filter(review__in=reviews).order_by()
    judged = verdicts.values_list("review__reviewer").annotate(
        count=Count("id"), right=Count("id", filter=Q(correct=True))
    )
    for who, count, right in judged:
        found[who] = replace(found[who], judged=count, right=right)
    about = Complaint.objects.filter(
        project=project,
        first_reviewer__isnull=False,
        state__in=_DECIDED,
        study__sentence__purpose=Purpose.REAL,
    )
    counts = (
        about.order_by()
        .values_list("first_reviewer")
        .annotate(count=Count("id"), upheld=Count("id", filter=Q(state__in=_UPHELD)))
    )
    for who, count, upheld in counts:
        if who is not None:
            was = found.get(who, Reviewer(who))
            found[who] = replace(was, complaints=count, upheld=upheld)
    return tuple(sorted(found.values(), key=lambda one: (-one.reviews, one.person)))
