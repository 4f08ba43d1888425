"""Members by their work: how much, how good; what a manager sorts by (ROL-3, PAY-4)."""

from __future__ import annotations

from dataclasses import dataclass

from gecbench.server.exchange.pseudonyms import naming_of
from gecbench.server.models import Member, Project
from gecbench.server.progress.accepting import Accepted, acceptance
from gecbench.server.progress.computing import scores_of
from gecbench.server.progress.counting import Shares, open_items, shares
from gecbench.server.progress.keeping import SCORES, kept
from gecbench.server.progress.scoring import Cell, Scores


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
