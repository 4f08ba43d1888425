"""A member's own figures, for the page Information; nobody waits for a whole project."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext

from gecbench.core.errors import GecbenchError
from gecbench.server.models import Member
from gecbench.server.progress.accepting import Accepted, acceptance, reasons
from gecbench.server.progress.computing import scores_of
from gecbench.server.progress.counting import Shares, open_items, shares
from gecbench.server.progress.handed import counted
from gecbench.server.progress.keeping import SCORES, Kept, basis_of, keep, kept
from gecbench.server.progress.scoring import Cell, scores

AT_ONCE = 1000
"""Reviewed answers of one person that are scored while the page waits: a third of a second."""

REST = timedelta(minutes=10)
"""For so long figures are shown as they are, whatever was decided since."""

REASONS = 3


@dataclass(frozen=True, slots=True)
class OwnFigures:
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


def own_figures(member: Member) -> OwnFigures:
    """Return a member's own figures in their project."""
    project, person = member.project, member.person_id
    began = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    mine = counted(project).filter(person=person)
    right = acceptance(project, person).get(person, Accepted())
    own = shares(project, person).get(person, Shares())
    refused = reasons(project, person).get(person)
    was, why = _score(member, right.judged)
    cell, signature = _cell(was, person)
    return OwnFigures(
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
