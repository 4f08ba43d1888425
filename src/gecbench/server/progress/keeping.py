"""Figures that are kept: computed once, shown at once, computed anew when somebody asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max
from django.utils import timezone

from gecbench.server.laws.names import SentenceState
from gecbench.server.models import Figures, Golden, Project, Sentence, Submission

SCORES, AGREEMENT, TABLE4 = "scores", "agreement", "table4"
KINDS = (SCORES, AGREEMENT, TABLE4)


@dataclass(frozen=True, slots=True)
class Kept:
    """What was computed.

    Args:
        data: JSON values.
        at: When.
        stale: Whether there are rows by now that it does not know.
    """

    data: Mapping[str, Any]
    at: datetime
    stale: bool


def basis_of(project: Project, person: int | None = None) -> str:
    """Return what figures are made of now: the greatest rows, and how texts are compared.

    Withdrawn sentences are in no figure, and restored ones are again. How many there are does not
    tell one from another, but who is withdrawn last is changed last, so that both together do.

    Args:
        project: Whose rows.
        person: Only rows of this person, and sentences and golden sets of what they submitted.
    """
    submissions = Submission.objects.filter(slot__project=project)
    goldens = Golden.objects.filter(sentence__project=project)
    gone = Sentence.objects.filter(project=project, state=SentenceState.WITHDRAWN)
    if person is not None:
        submissions = submissions.filter(person=person)
        goldens = goldens.filter(sentence__submissions__person=person)
        gone = gone.filter(pk__in=submissions.values("sentence"))
    handed = submissions.aggregate(most=Max("id"))["most"] or 0
    decided = goldens.aggregate(most=Max("id"))["most"] or 0
    out = gone.aggregate(count=Count("id"), last=Max("updated_at"))
    withdrawn = f"{out['count']} {out['last'].timestamp()}" if out["count"] else "0"
    return (
        f"submission {handed}, golden {decided}, withdrawn {withdrawn}, "
        f"placeholder {project.rules.placeholder}"
    )[:200]


def kept(project: Project, kind: str, basis: str) -> Kept | None:
    """Return what was computed last; None where nothing was."""
    found = Figures.objects.filter(project=project, kind=kind).first()
    if found is None:
        return None
    return Kept(found.data, found.computed_at, found.basis != basis)


def keep(project: Project, kind: str, basis: str, data: Mapping[str, Any]) -> Kept:
    """Keep figures in the place of earlier ones."""
    now = timezone.now()
    fields = {"basis": basis, "data": data, "computed_at": now}
    Figures.objects.update_or_create(project=project, kind=kind, defaults=fields)
    return Kept(data, now, stale=False)
