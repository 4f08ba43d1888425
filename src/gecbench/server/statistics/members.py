"""Members by their work: how much, how good, how strict (STA-6, ROL-3, PAY-4)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Count, Q, Sum
from django.utils import timezone
from django.utils.translation import gettext

from gecbench.core.errors import GecbenchError
from gecbench.server.choices import ComplaintState, Purpose, ReviewKind
from gecbench.server.import_export.corpora import naming_of
from gecbench.server.models import Complaint, Member, Project, Review, Verdict
from gecbench.server.statistics.scoring import (
    SCORES,
    Cell,
    Kept,
    Scores,
    basis_of,
    keep,
    kept,
    scores,
    scores_of,
)
from gecbench.server.statistics.work import (
    Accepted,
    Shares,
    acceptance,
    counted,
    open_items,
    reasons,
    shares,
)

# Reviewers: how much, how fast, how strict, and how often complaints were upheld (STA-6).


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


# Members by their work: how much, how good; what a manager sorts by (ROL-3, PAY-4).


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """One person's work in a project.

    Args:
        person: Row of the person.
        name: As managers see it.
        member: Row of the membership; None for somebody who is no member any more.
        shares: What they handed in, put off, gave up, and how long they worked.
        accepted: How much of it was accepted.
        score: F0.5 as it was kept; None where nothing of theirs was scored.
        open_study: Study items that wait for them.
    """

    person: int
    name: str
    member: int | None
    shares: Shares
    accepted: Accepted
    score: Cell | None
    open_study: int

    @property
    def submitted(self) -> int:
        """How many sentences they handed in."""
        return self.shares.submitted

    @property
    def acceptance(self) -> float | None:
        """Share of their judged answers that are golden, in [0, 1]; None without any."""
        return self.accepted.share

    @property
    def f05(self) -> float | None:
        """F0.5 in [0, 1], as it was kept; None where there is none."""
        return self.score.value if self.score else None

    @property
    def hours(self) -> float:
        """Hours of real work."""
        return self.shares.active_ms / 3_600_000

    @property
    def skips(self) -> float | None:
        """Share of what they were given that they put off; None where they were given nothing."""
        given = self.shares.submitted + self.shares.skipped
        return self.shares.skipped / given if given else None

    @property
    def unannotatable(self) -> float | None:
        """Share of what they handed in that they said cannot be annotated."""
        done = self.shares.submitted
        return self.shares.unannotatable / done if done else None


def people(project: Project, scored: Scores | None = None) -> tuple[PersonFigures, ...]:
    """Return all members, and whoever else handed something in, the busiest first.

    Args:
        project: Whose.
        scored: Their scores; None takes those that were kept.
    """
    if scored is None:
        was = kept(project, SCORES, "")  # as it is, stale or not
        scored = scores_of(was.data) if was else Scores()
    done, right, waiting = shares(project), acceptance(project), open_items(project)
    members = dict(Member.objects.filter(project=project).values_list("person_id", "id"))
    naming = naming_of(project, show=True)
    found = [
        PersonFigures(
            person=who,
            name=naming.of(who),
            member=members.get(who),
            shares=done.get(who, Shares()),
            accepted=right.get(who, Accepted()),
            score=scored.people.get(str(who)),
            open_study=waiting.get(who, 0),
        )
        for who in {**members, **done}
    ]
    return tuple(sorted(found, key=lambda one: (-one.submitted, one.name)))


# A member's own figures, for the page Information; nobody waits for a whole project.


AT_ONCE = 1000
"""Reviewed answers of one person that are scored while the page waits: a third of a second."""

REST = timedelta(minutes=10)
"""For so long figures are shown as they are, whatever was decided since."""

REASONS = 3


@dataclass(frozen=True, slots=True)
class MemberFigures:
    """What a member sees of their own work (section 1.2, Information).

    Args:
        today: Sentences handed in today.
        done: Sentences handed in ever.
        judged: Answers that were reviewed.
        accepted: Of them, those that are golden.
        acceptance: Their share in [0, 1]; None where nothing was reviewed.
        f05: F0.5 in [0, 1]; None where there is none.
        why: Why there is none, in the person's language; "" where there is one.
        scored: How many answers it is of.
        signature: How it was made.
        computed_at: When; None where there is none.
        open_study: Study items that wait.
        hours: Of real work, by the pages' own count.
        reasons: The three commonest reasons of refusals, with how often (STA-4).
    """

    today: int
    done: int
    judged: int
    accepted: int
    acceptance: float | None
    f05: float | None
    why: str
    scored: int
    signature: str
    computed_at: datetime | None
    open_study: int
    hours: float
    reasons: tuple[tuple[str, int], ...]


def member_figures(member: Member) -> MemberFigures:
    """Return a member's own figures in their project."""
    project, person = member.project, member.person_id
    began = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    mine = counted(project).filter(person=person)
    right = acceptance(project, person).get(person, Accepted())
    own = shares(project, person).get(person, Shares())
    refused = reasons(project, person).get(person)
    was, why = _score(member, right.judged)
    cell, signature = _cell(was, person)
    return MemberFigures(
        today=mine.filter(at__gte=began).count(),
        done=own.submitted,
        judged=right.judged,
        accepted=right.accepted,
        acceptance=right.share,
        f05=cell.value if cell else None,
        why="" if cell else why,
        scored=cell.scored if cell else 0,
        signature=signature if cell else "",
        computed_at=was.at if was and cell else None,
        open_study=open_items(project, person).get(person, 0),
        hours=own.active_ms / 3_600_000,
        reasons=tuple(refused.most_common(REASONS)) if refused else (),
    )


def _score(member: Member, judged: int) -> tuple[Kept | None, str]:
    """Return the score as it was kept, computed anew where that is quick; else why there is none.

    Who has done very much sees what was computed for the whole project.
    """
    project, person = member.project, member.person_id
    if not judged:
        return None, gettext("nothing reviewed yet")
    if judged > AT_ONCE:
        return kept(project, SCORES, ""), gettext("not computed yet")
    kind, basis = f"own {person}", basis_of(project, person)
    was = kept(project, kind, basis)
    if was and (not was.stale or was.at > timezone.now() - REST):
        return was, gettext("nothing to score yet")
    try:
        data = asdict(scores(project, person))
    except GecbenchError:  # the scheme's extra is missing: the manager's page says which
        return was, gettext("cannot be computed on this site")
    return keep(project, kind, basis, data), gettext("nothing to score yet")


def _cell(was: Kept | None, person: int) -> tuple[Cell | None, str]:
    if was is None:
        return None, ""
    found = scores_of(was.data)
    return found.people.get(str(person)), found.signature
