"""Who acts, as the database has them now, and whether their role and status allow it."""

from __future__ import annotations

from gecbench.server.laws.names import MemberStatus, Role
from gecbench.server.models import Member
from gecbench.server.workflow.acts import locked_member
from gecbench.server.workflow.errors import NotAllowedError

WORKING = (MemberStatus.ACTIVE,)
STUDYING = (MemberStatus.ACTIVE, MemberStatus.PAUSED)
"""Who may study and complain: a pause ends new tasks, not one's own lessons."""


def acting(member: Member, *roles: Role, statuses: tuple[MemberStatus, ...] = WORKING) -> Member:
    """Return the member as they are now, locked, if one of the roles (or none is asked) is theirs.

    Raises:
        NotAllowedError: The project is closed, or the member's role or status does not do.
    """
    now = locked_member(member)
    if now.project.archived_at or now.project.deleted_at:
        raise NotAllowedError("the project is closed; everything stays readable")
    if now.status not in statuses:
        raise NotAllowedError(f"a member who is {now.status} cannot do this")
    if roles and not any(now.has(role) for role in roles):
        raise NotAllowedError(f"only for the role {' or '.join(roles)}")
    return now
