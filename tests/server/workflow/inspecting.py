"""Projects with golden references to inspect, two judges, and what they say."""

from __future__ import annotations

from uuid import uuid4

from server.remembering import remembered
from server.workflow.practising import known
from server.workflow.reviewing import member_of
from server.workflow.stories import a_project, joined

from gecbench.server.choices import ProjectKind, Purpose
from gecbench.server.models import InspectionItem, InspectionRound, Project, Rating
from gecbench.server.workflow import inspection

JUDGES = ("jane", "john")
REWRITING = inspection.CRITERIA[ProjectKind.REWRITE]
TWO = REWRITING[:2]
"""Grammaticality and meaning."""


@remembered
def inspected(items: int = 6, *, undo_seconds: int = 0, **options: object) -> Project:
    """A project with golden references and two judges, whose ratings are final at once."""
    project = a_project(1, undo_seconds=undo_seconds, **options)
    known(project, Purpose.REAL, items)
    for login in JUDGES:
        joined(project, login, "judge")
    return project


@remembered
def begun(project: Project, size: int = 4, **changed: object) -> InspectionRound:
    """A round of the project with its two judges."""
    words = {
        "name": "first",
        "size": size,
        "judges": [member_of(project, login).pk for login in JUDGES],
        "criteria": TWO,
        "seed": 7,
    }
    return inspection.begin(member_of(project, "boss"), **(words | changed))


def rated(
    project: Project, login: str, item: InspectionItem, *accepts: bool, note: str = ""
) -> Rating:
    """A judge's rating of an item, criterion by criterion; all accept where nothing is said."""
    keys = [criterion["key"] for criterion in item.round.criteria]
    answers = dict(zip(keys, accepts or (True,) * len(keys), strict=True))
    judge = member_of(project, login)
    return inspection.rate(judge, item.pk, client_key=uuid4(), answers=answers, note=note)


def both(project: Project, item: InspectionItem, first: tuple, second: tuple) -> None:
    """The ratings of both judges."""
    rated(project, JUDGES[0], item, *first)
    rated(project, JUDGES[1], item, *second)
