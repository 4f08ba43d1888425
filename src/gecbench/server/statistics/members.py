"""Members by their work: how much, how good, how strict (STA-6, ROL-3, PAY-4)."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext

from gecbench.core.errors import GecbenchError
from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    ComplaintState,
    Purpose,
)
from gecbench.server.import_export.corpora import naming_of
from gecbench.server.models import Complaint, Member, Project, Submission
from gecbench.server.statistics.scoring import (
    SCORES,
    Cell,
    Scores,
    StoredFigures,
    basis_of,
    compares_texts,
    load_figures,
    parse_scores,
    scores_of_person,
    store_figures,
)
from gecbench.server.statistics.work import (
    Acceptance,
    Counts,
    Shares,
    acceptance,
    count_sentences,
    load_counts,
    looks_real,
    open_items,
    reasons,
    shares,
    skips,
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


def reviewers(project: Project, counts: Counts) -> tuple[Reviewer, ...]:
    """Tell what reviewers did, the one with most sentences first."""
    decisions = Complaint.objects.filter(
        project=project,
        first_reviewer__isnull=False,
        state__in=_DECIDED,
        study__sentence__purpose=Purpose.REAL,
    )
    rows = (
        decisions.order_by()
        .values_list("first_reviewer")
        .annotate(all=Count("id"), upheld=Count("id", filter=Q(state__in=_UPHELD)))
    )
    complaints = {person: (number, upheld) for person, number, upheld in rows if person}
    columns = {
        "reviews": "reviews",
        "active_ms": "review_ms",
        "judged": "verdicts",
        "right": "right",
    }
    people = {**dict.fromkeys(map(int, counts.get("reviews", {}))), **complaints}
    figures = []
    for person in people:
        numbers = {
            field: counts.get(name, {}).get(str(person), 0) for field, name in columns.items()
        }
        number, upheld = complaints.get(person, (0, 0))
        figures.append(Reviewer(person, complaints=number, upheld=upheld, **numbers))
    return tuple(sorted(figures, key=lambda reviewer: (-reviewer.reviews, reviewer.person)))


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
    accepted: Acceptance
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
        total = self.shares.submitted + self.shares.skipped
        return self.shares.skipped / total if total else None

    @property
    def unannotatable(self) -> float | None:
        """Share of what they handed in that they said cannot be annotated."""
        submitted = self.shares.submitted
        return self.shares.unannotatable / submitted if submitted else None


def people(
    project: Project, counts: Counts | None = None, scores: Scores | None = None
) -> tuple[PersonFigures, ...]:
    """List all members, and whoever else handed something in, the busiest first.

    Args:
        project: Whose.
        counts: What was done; None counts it.
        scores: Of annotators; None takes those that are stored.
    """
    if scores is None:
        stored = load_figures(project, SCORES, "")  # as it is, stale or not
        scores = parse_scores(stored.data) if stored else Scores()
    if counts is None:
        counts = load_counts(project)
    work, accepted = shares(counts, skips(project)), acceptance(counts)
    open_studies = open_items(project)
    members = dict(Member.objects.filter(project=project).values_list("person_id", "id"))
    naming = naming_of(project, show=True)
    team = [
        PersonFigures(
            person=person,
            name=naming.of(person),
            member=members.get(person),
            shares=work.get(person, Shares()),
            accepted=accepted.get(person, Acceptance()),
            score=scores.people.get(str(person)),
            open_study=open_studies.get(person, 0),
        )
        for person in {**members, **work}
    ]
    return tuple(sorted(team, key=lambda figures: (-figures.submitted, figures.name)))


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
        today: Sentences handed in today, gold tasks among them.
        done: Sentences handed in ever, likewise.
        judged: Answers that were reviewed.
        accepted: Of them, those that are golden, or accepted as variants.
        acceptance: Their share in [0, 1]; None where nothing was reviewed.
        f05: F0.5 in [0, 1]; None where there is none.
        why: Why there is none, in the person's language; "" where there is one.
        scored: How many answers it is of.
        signature: How it was made.
        computed_at: When; None where there is none.
        open_study: Study items that wait.
        hours: Of work on those handed in, by the pages' own count.
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
    """Make a member's own figures in their project."""
    project, person = member.project, member.person_id
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    submissions = Submission.objects.filter(
        looks_real(), slot__project=project, slot__state__in=SUBMITTED_OR_LATER, person=person
    )
    numbers = count_sentences(submissions.values_list("sentence", flat=True))
    gold = submissions.filter(sentence__purpose=Purpose.GOLD).order_by("no")
    gold_ms = dict(gold.values_list("slot", "active_ms"))  # of the last submission of each
    shared = shares(numbers, skips(project, person=person)).get(person, Shares())
    accepted = acceptance(numbers).get(person, Acceptance())
    stored, why = _score(member, accepted.judged) if compares_texts(project) else (None, "")
    scores = parse_scores(stored.data) if stored else Scores()
    cell = scores.people.get(str(person))
    return MemberFigures(
        today=submissions.filter(at__gte=midnight).values("slot").distinct().count(),
        done=shared.submitted + len(gold_ms),
        judged=accepted.judged,
        accepted=accepted.accepted,
        acceptance=accepted.share,
        f05=cell.value if cell else None,
        why="" if cell else why,
        scored=cell.scored if cell else 0,
        signature=scores.signature if cell else "",
        computed_at=stored.at if stored and cell else None,
        open_study=open_items(project, person=person).get(person, 0),
        hours=(shared.active_ms + sum(gold_ms.values())) / 3_600_000,
        reasons=tuple(reasons(numbers).get(person, Counter()).most_common(REASONS)),
    )


def _score(member: Member, judged: int) -> tuple[StoredFigures | None, str]:
    """The stored score, computed again where that is quick; else why there is none.

    Who has done very much sees what was computed for the whole project.
    """
    project, person = member.project, member.person_id
    if not judged:
        return None, gettext("nothing reviewed yet")
    if judged > AT_ONCE:
        return load_figures(project, SCORES, ""), gettext("not computed yet")
    kind, basis = f"own {person}", basis_of(project, person)
    stored = load_figures(project, kind, basis)
    if stored and (not stored.stale or stored.at > timezone.now() - REST):
        return stored, gettext("nothing to score yet")
    try:
        scores = scores_of_person(project, person)
    except GecbenchError:  # the scheme's extra is missing: the manager's page says which
        return stored, gettext("cannot be computed on this site")
    return store_figures(project, kind, basis, asdict(scores)), gettext("nothing to score yet")
