"""All statistics of a project as the page Quality and the command line show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from gecbench.analysis.agreement import Agreement
from gecbench.analysis.references import References
from gecbench.server.exchange.pseudonyms import Naming, naming_of
from gecbench.server.models import Project
from gecbench.server.progress.accepting import reasons
from gecbench.server.progress.computing import agreement_of, scores_of, table4_of
from gecbench.server.progress.counting import Progress, ages, progress
from gecbench.server.progress.keeping import AGREEMENT, SCORES, TABLE4, basis_of, kept
from gecbench.server.progress.reviewing import Reviewer, reviewers
from gecbench.server.progress.scoring import Scores
from gecbench.server.progress.team import PersonFigures, people


@dataclass(frozen=True, slots=True)
class Quality:
    """What is known of a project's quality.

    Args:
        project: Its slug.
        progress: By day and state.
        people: Annotators, the busiest first.
        reasons: Of refusals, by row of the person.
        reviewers: The busiest first.
        ages: Open study items by class of age.
        names: Row of a person to their name.
        scores: As they were kept; None where they were never computed. So with the next two.
        agreement: Annotators called by their names.
        table4: Of the golden sets.
        at: When what was kept was computed; None where it never was.
        stale: Whether there is more by now.
    """

    project: str
    progress: Progress
    people: tuple[PersonFigures, ...]
    reasons: Mapping[int, Counter[str]]
    reviewers: tuple[Reviewer, ...]
    ages: tuple[int, ...]
    names: Mapping[int, str]
    scores: Scores | None
    agreement: Agreement | None
    table4: References | None
    at: datetime | None
    stale: bool

    @property
    def refusals(self) -> Counter[str]:
        """Reasons of all refusals."""
        return sum(self.reasons.values(), Counter())


def quality(project: Project) -> Quality:
    """Return what is known now: counts as they are, scores as they were kept."""
    basis = basis_of(project)
    found = {kind: kept(project, kind, basis) for kind in (SCORES, AGREEMENT, TABLE4)}
    was, agreed, counted = (found[kind] for kind in (SCORES, AGREEMENT, TABLE4))
    scored = scores_of(was.data) if was else None
    naming = naming_of(project, show=True)
    refused, reviewed = reasons(project), reviewers(project)
    known = {*refused, *(one.person for one in reviewed)}
    return Quality(
        project=project.slug,
        progress=progress(project),
        people=tuple(one for one in people(project, scored or Scores()) if one.submitted),
        reasons=refused,
        reviewers=reviewed,
        ages=ages(project),
        names={who: naming.of(who) for who in known}
        | {int(key.split()[0]): naming.of(int(key.split()[0])) for key in _months(scored)},
        scores=scored,
        agreement=_named(agreement_of(agreed.data), naming) if agreed else None,
        table4=table4_of(counted.data) if counted else None,
        at=min((one.at for one in found.values() if one), default=None),
        stale=any(one is None or one.stale for one in found.values()),
    )


def agreed(project: Project) -> Agreement | None:
    """Return agreement as it was kept, annotators called by their names; None where never."""
    was = kept(project, AGREEMENT, "")
    if was is None:
        return None
    return _named(agreement_of(was.data), naming_of(project, show=True))


def _months(scored: Scores | None) -> tuple[str, ...]:
    return tuple(scored.months) if scored else ()


def _named(found: Agreement, naming: Naming) -> Agreement:
    """Return agreement with people's names instead of the numbers of their rows."""
    return replace(
        found,
        each=tuple(replace(one, name=naming.of(int(one.name))) for one in found.each),
        pairs=tuple(
            replace(one, one=naming.of(int(one.one)), other=naming.of(int(one.other)))
            for one in found.pairs
        ),
    )
