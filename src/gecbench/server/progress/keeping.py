"""Figures that are kept: computed once, shown at once, computed anew when somebody asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils import timezone

from gecbench.server.models import Figures, Golden, Project, Submission

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

    Args:
        project: Whose rows.
        person: Only rows of this person, and golden sets of what they submitted.
    """
    submissions = Submission.objects.filter(slot__project=project)
    goldens = Golden.objects.filter(sentence__project=project)
    if person is not None:
        submissions = submissions.filter(person=person)
        goldens = goldens.filter(sentence__submissions__person=person)
    handed = submissions.aggregate(most=Max("id"))["most"] or 0
    decided = goldens.aggregate(most=Max("id"))["most"] or 0
    return f"submission {handed}, golden {decided}, placeholder {project.rules.placeholder}"[:200]


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
