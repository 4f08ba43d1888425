"""People of the whole site: made, shut out, let in again, made administrators."""

from __future__ import annotations

from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError
from django.utils import timezone

from gecbench.core.errors import UsageError
from gecbench.server.laws.names import SlotState
from gecbench.server.models import Invitation, Member, Person, Slot, Token
from gecbench.server.workflow import audits, claims
from gecbench.server.workflow.acts import act
from gecbench.server.workflow.errors import Problem, RefusedError
from gecbench.server.workflow.links import revoke_links_of
from gecbench.server.workflow.members import invite
from gecbench.server.workflow.review_tasks import free_tasks_of


@act
def first_administrator() -> str:
    """Return the secret of a link for the first administrator; "" where there is one.

    Earlier such links end, so that only the last one that was printed holds.
    """
    if Person.objects.filter(is_administrator=True, is_active=True).exists():
        return ""
    Invitation.objects.filter(administrator=True, used_at=None, revoked_at=None).update(
        revoked_at=timezone.now()
    )
    _, secret = invite(None, roles=(), by=None, administrator=True)
    return secret


def person_of(login: str) -> Person:
    """Return the person with a login.

    Raises:
        UsageError: There is none.
    """
    found = Person.objects.filter(login=login.strip().casefold()).first()
    if found is None:
        raise UsageError(f"nobody has the login {login!r}; gecbench annotate user list")
    return found


@act
def add_person(
    login: str, *, name: str = "", administrator: bool = False, by: Person | None = None
) -> Person:
    """Make somebody who has no password yet; `password_link` lets them choose one.

    Raises:
        UsageError: The login is empty, too long, or taken.
    """
    login = login.strip().casefold()
    if not login or len(login) > 150 or any(one.isspace() for one in login):
        raise UsageError(f"{login!r} is no login; it has 1 to 150 characters and no spaces")
    if Person.objects.filter(login=login).exists():
        raise UsageError(f"the login {login!r} is taken")
    made = Person.objects.create_person(
        login, None, name=(name.strip() or login)[:150], is_administrator=administrator
    )
    audits.record("person.added", who=by, about=("person", made.pk))
    return made


@act
def password_link(person: Person, *, by: Person | None = None) -> str:
    """Return the secret of a link by which a person chooses a new password, once.

    Raises:
        UsageError: The person is shut out.
    """
    if not person.is_active:
        raise UsageError(f"{person.login} is shut out; let them in first: user activate")
    _, secret = invite(None, roles=(), by=by, for_person=person)
    return secret


@act
def shut_out(person: Person, *, by: Person | None = None) -> Person:
    """Let nobody sign in as a person any more; what they hold is free again, texts stay.

    Sessions end with the next request, tokens at once.

    Raises:
        UsageError: It is the last administrator.
    """
    found = Person.objects.select_for_update().get(pk=person.pk)
    _keep_one_administrator(found)
    found.is_active = False
    found.save(update_fields=["is_active"])
    Token.objects.filter(person=found, revoked_at=None).update(revoked_at=timezone.now())
    revoke_links_of(found, by=by)
    for slot in Slot.objects.filter(person=found, state=SlotState.OPEN):
        claims.give_back(slot, why="shut out")
    for member in Member.objects.filter(person=found).order_by("pk"):
        free_tasks_of(member)
    audits.record("person.shut_out", who=by, about=("person", found.pk))
    return found


@act
def let_in(person: Person, *, by: Person | None = None) -> Person:
    """Let a person sign in again, with the password they had.

    Raises:
        UsageError: They were forgotten.
    """
    found = Person.objects.select_for_update().get(pk=person.pk)
    if found.deleted_at is not None:
        raise UsageError(f"{found.login} was forgotten, for ever; make a new account: user add")
    found.is_active = True
    found.save(update_fields=["is_active"])
    audits.record("person.let_in", who=by, about=("person", found.pk))
    return found


@act
def promote(person: Person, *, administrator: bool = True, by: Person | None = None) -> Person:
    """Make a person an administrator, or one no longer.

    Raises:
        UsageError: It is the last administrator, or they were forgotten.
    """
    found = Person.objects.select_for_update().get(pk=person.pk)
    if administrator and found.deleted_at is not None:
        raise UsageError(f"{found.login} was forgotten, for ever; make a new account: user add")
    if not administrator:
        _keep_one_administrator(found)
    found.is_administrator = administrator
    found.save(update_fields=["is_administrator"])
    if not administrator:
        revoke_links_of(found, by=by)
    what = "person.promoted" if administrator else "person.demoted"
    audits.record(what, who=by, about=("person", found.pk))
    return found


def _keep_one_administrator(person: Person) -> None:
    others = Person.objects.filter(is_administrator=True, is_active=True).exclude(pk=person.pk)
    if person.is_administrator and not others.exists():
        raise UsageError(
            f"{person.login} is the last administrator; make another one first: user promote"
        )


@act
def change_password(person: Person, *, old: str, new: str) -> Person:
    """Give oneself a new password; all other sessions end, because each carries its mark.

    Raises:
        RefusedError: The old one is wrong, or the new one too weak; by field.
    """
    if not person.check_password(old):
        raise RefusedError([Problem("password_wrong", "old", "the password is wrong")])
    try:
        password_validation.validate_password(new, person)
    except ValidationError as error:
        raise RefusedError(
            [Problem("password_weak", "new", one) for one in error.messages]
        ) from error
    person.set_password(new)
    person.save(update_fields=["password"])
    audits.record("person.password_changed", who=person, about=("person", person.pk))
    return person


def everybody() -> list[tuple[str, str, str, str]]:
    """Return login, name, standing and projects of all people, by login."""
    rows = []
    for person in Person.objects.order_by("login").prefetch_related("memberships__project"):
        standing = "active" if person.is_active else "shut out"
        if person.deleted_at is not None:
            standing = "forgotten"
        if person.is_administrator:
            standing += ", administrator"
        projects = [
            f"{one.project.slug} ({'+'.join(one.roles)}, {one.status})"
            for one in person.memberships.all()
        ]
        rows.append((person.login, person.name, standing, ", ".join(sorted(projects))))
    return rows
