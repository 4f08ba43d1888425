"""One act is one transaction; where two collide, the loser looks again before it is told no."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import DatabaseError, IntegrityError, OperationalError, connection, transaction

from gecbench.server.models import Member, Person, Project, Sentence
from gecbench.server.workflow.errors import NotAllowedError, NotYoursError

_P = ParamSpec("_P")
_R = TypeVar("_R")

_TRIES = 4
_COLLISIONS = {"40001", "40P01"}  # serialisation failure, deadlock


def act(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Run a function as one transaction.

    A lost race shows on PostgreSQL as a unique key that is there already, or as a deadlock: the
    act is rolled back and done again, now seeing what the winner wrote. What fails every time is
    no race and goes up as it is. Inside another transaction it is a part of that one, and is not
    tried again.

    Everybody locks in this order, so that deadlocks stay rare: project, member, sentence, slot or
    task, and the audit log last.
    """

    @wraps(function)
    def run(*args: _P.args, **options: _P.kwargs) -> _R:
        if connection.in_atomic_block:
            with transaction.atomic():
                return function(*args, **options)
        for left in range(_TRIES - 1, -1, -1):
            try:
                with transaction.atomic():
                    return function(*args, **options)
            except (IntegrityError, OperationalError) as error:
                if not left or not _collided(error):
                    raise
        raise AssertionError("unreachable")  # pragma: no cover

    return run


def _collided(error: DatabaseError) -> bool:
    if isinstance(error, IntegrityError):
        return True
    return getattr(error.__cause__, "sqlstate", None) in _COLLISIONS


def locked_project(project_id: int) -> Project:
    """Return the project as it is now, nobody else changing it before the transaction ends."""
    return Project.objects.select_for_update(no_key=True).get(pk=project_id)


def locked_member(member: Member) -> Member:
    """Return the member with person and project as they are now; one act of theirs at a time.

    An administrator who is no member acts as a manager of the project (`policy.membership`).

    Raises:
        NotAllowedError: They are an administrator no more.
    """
    if member.pk is None:
        project = locked_project(member.project_id)
        person = Person.objects.get(pk=member.person_id)
        if not (person.is_administrator and person.is_active):
            raise NotAllowedError("only for members of the project")
        return Member(project=project, person=person, is_manager=True)
    return (
        Member.objects.select_for_update(of=("self",), no_key=True)
        .select_related("person", "project")
        .get(pk=member.pk)
    )


def locked_sentence(sentence_id: int, project_id: int) -> Sentence:
    """Return the sentence as it is now, nobody else changing it before the transaction ends.

    Raises:
        NotYoursError: The project has none such.
    """
    found = (
        Sentence.objects.select_for_update(no_key=True)
        .filter(pk=sentence_id, project_id=project_id)
        .first()
    )
    if found is None:
        raise NotYoursError(f"there is no sentence {sentence_id} in this project")
    return found
