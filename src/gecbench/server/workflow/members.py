"""Links of invitation end with the right to make them."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils import timezone

from gecbench.core.errors import UsageError
from gecbench.server.choices import MemberStatus, Role, SlotState, TrialState
from gecbench.server.models import (
    Invitation,
    Member,
    MemberEvent,
    Notice,
    Person,
    Project,
    Slot,
    Trial,
)
from gecbench.server.rules.text import TextError, clean
from gecbench.server.workflow import audit
from gecbench.server.workflow.answers import count_right
from gecbench.server.workflow.assignments import end_assignments
from gecbench.server.workflow.claims import release
from gecbench.server.workflow.errors import GoneError, NotYoursError, Problem, RefusedError
from gecbench.server.workflow.review_tasks import release_tasks_of
from gecbench.server.workflow.transactions import lock_project, transactional


def revoke_invitations_of(
    person: Person, *, by: Person | None, member: Member | None = None
) -> None:
    """Make useless the links that somebody made and nobody has used, inside the caller's act.

    Who was removed, paused, demoted or shut out would otherwise come back by an own link, or let
    others in.

    Args:
        person: Who made them.
        by: Who takes the right away.
        member: Links to this project alone; None means all that they made.
    """
    links = Invitation.objects.filter(by=person, used_at=None, revoked_at=None)
    if member is not None:
        links = links.filter(project=member.project_id)
    for link in links.select_related("project").order_by("pk"):
        Invitation.objects.filter(pk=link.pk).update(revoked_at=timezone.now())
        about = ("invitation", link.pk)
        audit.record("invitation.revoked", who=by, project=link.project, about=about)


# People come, change roles, pause and leave.


VALID = timedelta(days=7)

_LONGEST = 150
_NEXT: Mapping[MemberStatus, tuple[MemberStatus, ...]] = {
    MemberStatus.INVITED: (MemberStatus.TRAINING, MemberStatus.TRIAL, MemberStatus.ACTIVE),
    MemberStatus.TRAINING: (MemberStatus.TRIAL, MemberStatus.ACTIVE, MemberStatus.PAUSED),
    MemberStatus.TRIAL: (MemberStatus.TRAINING, MemberStatus.ACTIVE, MemberStatus.PAUSED),
    MemberStatus.ACTIVE: (MemberStatus.PAUSED,),
    MemberStatus.PAUSED: (MemberStatus.TRAINING, MemberStatus.TRIAL, MemberStatus.ACTIVE),
    MemberStatus.LEFT: (MemberStatus.TRAINING, MemberStatus.ACTIVE),
}
"""Status to what may follow it; anybody may leave, and be taken in again (section 1.3)."""


def next_statuses(status: MemberStatus) -> tuple[MemberStatus, ...]:
    """What a member may be next, as a form offers it: the status they have first."""
    return tuple(dict.fromkeys((status, *_NEXT[status], MemberStatus.LEFT)))


def first_status(project: Project, person: Person, roles: Sequence[Role]) -> MemberStatus:
    """With which status somebody joins: in training, where annotators need a trial first.

    Not again who has passed a trial here; and not managers, who can read the known answers.
    """
    if not project.rules.trial_first or Role.ANNOTATOR not in roles or Role.MANAGER in roles:
        return MemberStatus.ACTIVE
    passed = Trial.objects.filter(
        member__project=project, member__person=person, state=TrialState.PASSED
    )
    return MemberStatus.ACTIVE if passed.exists() else MemberStatus.TRAINING


def invite(
    project: Project | None,
    *,
    roles: Sequence[Role],
    by: Person | None,
    administrator: bool = False,
    note: str = "",
    valid: timedelta = VALID,
) -> tuple[Invitation, str]:
    """An invitation and the secret of its link, which is kept nowhere.

    `administrator` makes one for the first administrator.

    Raises:
        UsageError: It would let nobody in, or be over already.
    """
    if project is not None and not roles:
        raise UsageError("an invitation names a role: {names}", names=", ".join(Role))
    if project is None and not administrator:
        raise UsageError("an invitation is for a project or an administrator")
    if valid <= timedelta(0):
        raise UsageError("the invitation would be over already; give a longer time")
    secret = secrets.token_urlsafe(32)
    return _write_invitation(
        Invitation(
            token_hash=_hash_of(secret),
            project=project,
            roles=[str(role) for role in Role if role in roles],
            by=by,
            administrator=administrator,
            note=note[:200],
            expires_at=timezone.now() + valid,
        )
    ), secret


@transactional
def invite_all(
    project: Project, notes: Sequence[str], *, roles: Sequence[Role], by: Person | None
) -> list[str]:
    """The secrets of as many invitations as there are notes; all are made or none.

    Raises:
        UsageError: They would let nobody in.
    """
    return [invite(project, roles=roles, by=by, note=note)[1] for note in notes]


@transactional
def _write_invitation(invitation: Invitation) -> Invitation:
    invitation.save(force_insert=True)
    data = {"roles": invitation.roles, "administrator": invitation.administrator}
    audit.record(
        "invitation.made",
        who=invitation.by,
        project=invitation.project,
        about=("invitation", invitation.pk),
        data=data,
    )
    return invitation


def _hash_of(secret: str) -> str:
    # 256 random bits cannot be guessed, so the hash needs no salt.
    return hashlib.sha256(secret.encode()).hexdigest()


def has_administrator() -> bool:
    """Whether somebody administers the site."""
    return Person.objects.filter(is_administrator=True, is_active=True).exists()


def get_invitation(secret: str) -> Invitation:
    """The invitation of a link that still holds.

    Raises:
        GoneError: It was used, revoked or is over; the message says which.
        NotYoursError: There is none.
    """
    invitation = (
        Invitation.objects.select_related("project").filter(token_hash=_hash_of(secret)).first()
    )
    if invitation is None:
        raise NotYoursError("there is no such invitation")
    if invitation.used_at is not None:
        raise GoneError("this link was used already; ask for a new one")
    if invitation.revoked_at is not None or (invitation.administrator and has_administrator()):
        raise GoneError("this link was withdrawn; ask for a new one")
    old_kind = (
        invitation.for_person_id is not None
    )  # versions before made links for new passwords so
    if invitation.expires_at <= timezone.now() or old_kind:
        raise GoneError("this link is over; ask for a new one")
    return invitation


def accept(secret: str, *, login: str, name: str, password: str) -> Person:
    """Use an invitation as a new person: made, and made a member.

    Raises:
        GoneError: The link no longer holds.
        RefusedError: The login is taken, or the password is too weak; by field.
    """
    get_invitation(secret)
    problems: list[Problem] = []
    person = Person(
        login=_tidy("login", login, problems).casefold(), name=_tidy("name", name, problems)
    )
    try:
        validate_password(password, person)
    except ValidationError as error:
        problems += [
            Problem(
                problem.code or "password", "password", {"text": problem.messages[0]}, "password"
            )
            for problem in error.error_list
        ]
    if problems:
        raise RefusedError(problems)
    # Hashing takes a tenth of a second, so it is done before others have to wait for us.
    person.password = make_password(password)
    return _accept(secret, person)


def _tidy(field: str, text: str, problems: list[Problem]) -> str:
    """A login or a name as it is kept; a login is one word."""
    try:
        tidy = clean(text, longest=_LONGEST, what=f"the {field}").text
    except TextError as error:
        problems.append(Problem(f"{field}-{error.code}", field, error.values, error.code))
        return ""
    if not tidy:
        problems.append(Problem(f"{field}-empty", field))
    if field == "login" and tidy.split() != [tidy]:
        problems.append(Problem("login-space", field))
    return tidy


@transactional
def _accept(secret: str, person: Person) -> Person:
    invitation = _mark_used(secret)
    if Person.objects.filter(login=person.login).exists():
        raise RefusedError([Problem("login-taken", "login")])
    person.is_administrator = invitation.administrator
    person.save(force_insert=True)
    _enter(invitation, person)
    return person


def _mark_used(secret: str) -> Invitation:
    """Mark an invitation as used; of two who try at once, one gets it.

    Of the links for the first administrator one is used: all are locked before one is looked at.
    """
    links = Invitation.objects.filter(administrator=True, used_at=None, revoked_at=None)
    if links.filter(token_hash=_hash_of(secret)).exists():
        list(links.select_for_update().order_by("pk"))
    invitation = get_invitation(secret)
    unused = Invitation.objects.filter(pk=invitation.pk, used_at=None, revoked_at=None)
    if not unused.update(used_at=timezone.now()):
        raise GoneError("this link was used already; ask for a new one")
    return invitation


def _enter(invitation: Invitation, person: Person) -> Member | None:
    """Make a person a member with the invitation's roles, besides those they have now.

    Who had left comes back with the link's roles alone: it gives what its maker gave.
    """
    member = None
    if invitation.project is not None:
        project = lock_project(invitation.project.pk)
        roles = {Role(role) for role in invitation.roles}
        known = Member.objects.filter(project=project, person=person).first()
        if known is not None and known.status == MemberStatus.PAUSED:
            raise RefusedError([Problem("member-paused")])
        if known is not None and known.status not in (MemberStatus.LEFT, MemberStatus.INVITED):
            roles |= set(known.roles)
        ordered = tuple(role for role in Role if role in roles)
        status = first_status(project, person, ordered)
        if known is not None and known.status not in (MemberStatus.LEFT, MemberStatus.INVITED):
            status = MemberStatus(known.status)
        member = add_member(project, person, roles=ordered, by=invitation.by, status=status)
    _log_use(invitation, person)
    return member


def _log_use(invitation: Invitation, person: Person) -> None:
    Invitation.objects.filter(pk=invitation.pk).update(used_by=person)
    audit.record(
        "invitation.used",
        who=person,
        project=invitation.project,
        about=("invitation", invitation.pk),
    )


@transactional
def join(secret: str, person: Person) -> Member:
    """Use an invitation as somebody who has an account.

    Raises:
        GoneError: The link no longer holds.
        RefusedError: It is no invitation to a project.
    """
    invitation = _mark_used(secret)
    member = _enter(invitation, person)
    if member is None:
        raise RefusedError([Problem("invitation-kind")])
    if invitation.administrator:
        Person.objects.filter(pk=person.pk).update(is_administrator=True)
    return member


@transactional
def revoke(invitation: Invitation, *, by: Person) -> None:
    """Make a link useless; one that was revoked stays as it is.

    Raises:
        RefusedError: Somebody has used it.
    """
    left = Invitation.objects.filter(pk=invitation.pk, used_at=None, revoked_at=None)
    if left.update(revoked_at=timezone.now()):
        about = ("invitation", invitation.pk)
        audit.record("invitation.revoked", who=by, project=invitation.project, about=about)
    elif Invitation.objects.filter(pk=invitation.pk).exclude(used_at=None).exists():
        raise RefusedError([Problem("invitation-used")])


@transactional
def add_member(
    project: Project,
    person: Person,
    *,
    roles: Sequence[Role],
    by: Person | None,
    status: MemberStatus = MemberStatus.ACTIVE,
) -> Member:
    """Make a person a member, or give a member these roles and status."""
    project = lock_project(project.pk)
    known = Member.objects.filter(project=project, person=person).first()
    if known is not None:
        return _change(known, by, roles, status, "")
    member = Member.objects.create(project=project, person=person, status=status, **_columns(roles))
    _log_change(member, {}, by, "")
    return member


@transactional
def add_existing(
    project: Project, login: str, *, roles: Sequence[Role], by: Person | None
) -> Member:
    """Make somebody a member who has an account on the site, by its exact login; they are told.

    Raises:
        RefusedError: Nobody who may sign in has that login, or they are a member already.
    """
    project = lock_project(project.pk)
    login = login.strip().casefold()
    person = Person.objects.filter(login=login, is_active=True).first()
    if person is None:
        raise RefusedError([Problem("login-unknown", "login")])
    inactive = (MemberStatus.LEFT, MemberStatus.INVITED)
    if Member.objects.filter(project=project, person=person).exclude(status__in=inactive).exists():
        raise RefusedError([Problem("member-already", "login")])
    status = first_status(project, person, roles)
    member = add_member(project, person, roles=roles, by=by, status=status)
    data = {"roles": [str(role) for role in member.roles]}
    Notice.objects.create(person=person, project=project, kind="member_added", data=data)
    return member


def change_member(
    member: Member,
    *,
    by: Person | None,
    roles: Sequence[Role] | None = None,
    status: MemberStatus | None = None,
    note: str = "",
) -> Member:
    """Change roles or status, with an event; who pauses or leaves gives back open tasks (ROL-3).

    Drafts stay. A project keeps at least one manager.

    Raises:
        RefusedError: The last manager would be gone, or the status cannot follow the one before.
    """
    fresh = _lock_and_change(member, by, roles, status, note)
    member.refresh_from_db()
    return fresh


@transactional
def _lock_and_change(
    member: Member,
    by: Person | None,
    roles: Sequence[Role] | None,
    status: MemberStatus | None,
    note: str,
) -> Member:
    lock_project(member.project_id)
    current = Member.objects.select_for_update(no_key=True).get(pk=member.pk)
    return _change(current, by, current.roles if roles is None else roles, status, note)


def _change(
    member: Member, by: Person | None, roles: Sequence[Role], status: MemberStatus | None, note: str
) -> Member:
    """Change a member while the project is locked: two managers cannot leave at once."""
    old = _standing(member)
    was_manager = _manages(member)
    if status is not None and status != member.status:
        _refuse_status(MemberStatus(member.status), status)
        member.status = status
    for column, value in _columns(roles).items():
        setattr(member, column, value)
    if _standing(member) == old:
        return member
    if was_manager and not _manages(member):
        _refuse_last_manager(member)
    member.since = timezone.now()
    member.save()
    _free_tasks(member)
    if member.status != MemberStatus.TRIAL:
        _stop_trial(member, by)
    if was_manager and not _manages(member):
        revoke_invitations_of(member.person, by=by, member=member)
    _log_change(member, old, by, note)
    return member


def _columns(roles: Sequence[Role]) -> dict[str, bool]:
    return {f"is_{role}": role in roles for role in Role}


def _standing(member: Member) -> dict[str, object]:
    return {"roles": [str(role) for role in member.roles], "status": str(member.status)}


def _manages(member: Member) -> bool:
    return member.is_manager and member.status == MemberStatus.ACTIVE


def _refuse_status(old: MemberStatus, new: MemberStatus) -> None:
    if new != MemberStatus.LEFT and new not in _NEXT[old]:
        raise RefusedError([Problem("member-status", "status")])


def has_other_manager(member: Member) -> bool:
    """Whether somebody else, with an account that works, manages the project."""
    others = Member.objects.filter(
        project_id=member.project_id, is_manager=True, status=MemberStatus.ACTIVE
    ).exclude(pk=member.pk)
    return others.filter(person__is_active=True).exists()


def _refuse_last_manager(member: Member) -> None:
    if member.project.deleted_at is not None:
        return  # nobody needs to manage it; an administrator may bring it back
    if not has_other_manager(member):
        raise RefusedError([Problem("last-manager", "roles")])


def _free_tasks(member: Member) -> None:
    """Give back what the member may no longer work on, and end what they were given."""
    active = member.status == MemberStatus.ACTIVE
    if not (active and member.is_annotator):
        held = Slot.objects.filter(
            project_id=member.project_id, person_id=member.person_id, state=SlotState.OPEN
        )
        for slot in held.order_by("sentence_id"):
            release(slot, why=str(member.status))
        end_assignments(member, Role.ANNOTATOR)
    if not (active and member.is_reviewer):
        release_tasks_of(member)
        end_assignments(member, Role.REVIEWER)


def _stop_trial(member: Member, by: Person | None) -> None:
    """End the open trial of somebody who is no longer on trial, without a result."""
    trial = Trial.objects.filter(member=member, state=TrialState.OPEN).first()
    if trial is None:
        return
    trial.state, trial.accepted = TrialState.STOPPED, count_right(trial)
    trial.ended_at = timezone.now()
    trial.save()
    data = {"no": trial.no, "right": trial.accepted, "size": trial.size}
    about = ("trial", trial.pk)
    audit.record("trial.stopped", who=by, project=member.project, about=about, data=data)


def _log_change(member: Member, old: Mapping[str, object], by: Person | None, note: str) -> None:
    new = _standing(member)
    at: datetime = member.since
    MemberEvent.objects.create(member=member, old=dict(old), new=new, by=by, at=at, note=note)
    audit.record(
        "member.changed" if old else "member.added",
        who=by,
        project=member.project,
        about=("member", member.pk),
        data={"old": old, "new": new},
    )
