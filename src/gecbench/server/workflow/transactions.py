"""One act is one transaction; where two collide, the loser looks again before it is told no."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.db import DatabaseError, IntegrityError, OperationalError, connection, transaction
from django.db.models import QuerySet

from gecbench.server.choices import MemberStatus, Role
from gecbench.server.models import Acknowledgement, Member, Person, Project, Sentence
from gecbench.server.workflow.errors import (
    GuidelineFirstError,
    NotAllowedError,
    NotYoursError,
)

_P = ParamSpec("_P")
_R = TypeVar("_R")

_TRIES = 4
_COLLISIONS = {"40001", "40P01"}  # serialisation failure, deadlock


def transactional(function: Callable[_P, _R]) -> Callable[_P, _R]:
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


def lock_project(project_id: int) -> Project:
    """Return the project as it is now, nobody else changing it before the transaction ends."""
    return Project.objects.select_for_update(no_key=True).get(pk=project_id)


def lock_member(member: Member) -> Member:
    """Return the member with person and project as they are now; one act of theirs at a time.

    An administrator who is no member acts as a manager of the project (`policy.membership`).

    Raises:
        NotAllowedError: They are an administrator no more.
    """
    if member.pk is None:
        project = lock_project(member.project_id)
        person = Person.objects.get(pk=member.person_id)
        if not (person.is_administrator and person.is_active):
            raise NotAllowedError("only for members of the project")
        return Member(project=project, person=person, is_manager=True)
    return (
        Member.objects.select_for_update(of=("self",), no_key=True)
        .select_related("person", "project")
        .get(pk=member.pk)
    )


def lock_sentence(sentence_id: int, project_id: int) -> Sentence:
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
        raise NotYoursError(
            "there is no sentence {sentence_id} in this project", sentence_id=sentence_id
        )
    return found


# Statements that are asked at every step, made once for each process.
#
# A database answers a statement of many subqueries in half a millisecond; to write it costs Django
# five or ten times as long. What changes from one time to the next are its parameters alone, so the
# statement is made with marks in their places, kept, and filled.


MARK = 2**61
"""Marks for numbers are this and what follows; no row of a database has such an id."""

MOMENT = datetime(1970, 1, 1, 0, 0, 7, 123457, tzinfo=UTC)
"""The mark for a moment."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in the words of one database, with marks among its parameters.

    Args:
        sql: With a place for each parameter.
        params: In their order, marks among them.
    """

    sql: str
    params: tuple[Any, ...]

    @classmethod
    def of(cls, rows: QuerySet[Any, Any]) -> Statement:
        """Make the statement of a queryset of tuples; call it once and keep what it gives."""
        sql, params = rows.query.sql_with_params()
        return cls(sql, tuple(params))

    def rows(self, given: Mapping[int | datetime, Any]) -> list[tuple[Any, ...]]:
        """Ask the database.

        Args:
            given: What stands for each mark.
        """
        adapted = connection.ops.adapt_datetimefield_value
        values: dict[Any, Any] = {
            adapted(mark) if isinstance(mark, datetime) else mark: adapted(value)
            if isinstance(value, datetime)
            else value
            for mark, value in given.items()
        }
        # On PostgreSQL a number is of a class that says its type in the database.
        filled = [
            (type(one)(values[one]) if isinstance(one, int) else values[one])
            if one in values
            else one
            for one in self.params
        ]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, filled)
            return list(cursor.fetchall())


# Who acts, as the database has them now, and whether their role and status allow it.


WORKING = (MemberStatus.ACTIVE,)
STUDYING = (MemberStatus.ACTIVE, MemberStatus.PAUSED)
"""Who may study and complain: a pause ends new tasks, not one's own lessons."""


def authorize(member: Member, *roles: Role, statuses: tuple[MemberStatus, ...] = WORKING) -> Member:
    """Return the member as they are now, locked, if one of the roles (or none is asked) is theirs.

    Raises:
        NotAllowedError: The project is closed, or the member's role or status does not do.
        GuidelineFirstError: They would review and have not read the guideline in force.
    """
    now = lock_member(member)
    if now.project.archived_at or now.project.deleted_at:
        raise NotAllowedError("the project is closed; everything stays readable")
    if now.status not in statuses:
        raise NotAllowedError("a member who is {status} cannot do this", status=now.status)
    if roles and not any(now.has(role) for role in roles):
        raise NotAllowedError("only for the role {roles}", roles=" or ".join(roles))
    manages = Role.MANAGER in roles and now.is_manager
    if Role.REVIEWER in roles and not manages and not has_read_guideline(now):
        raise GuidelineFirstError
    return now


def has_read_guideline(member: Member) -> bool:
    """Return whether a member has read the guideline in force, if the project asks for it."""
    project = member.project
    if not project.rules.guideline_gate or project.guideline_id is None:
        return True
    read = Acknowledgement.objects.filter(guideline=project.guideline_id, person=member.person_id)
    return read.exists()
