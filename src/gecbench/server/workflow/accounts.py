"""People of the whole site: made, shut out, made nameless; and the tokens of their programs."""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.contrib.auth import password_validation
from django.contrib.auth.hashers import make_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.http import urlsafe_base64_encode

from gecbench.core.errors import Message, UnknownNameError, UsageError
from gecbench.server.choices import MemberStatus, Role, SlotState
from gecbench.server.models import Invitation, Member, Notice, Person, Project, Slot, Token
from gecbench.server.rules.text import whole
from gecbench.server.workflow import audit, claims, members
from gecbench.server.workflow.assignments import end_assignments
from gecbench.server.workflow.errors import GoneError, NotYoursError, Problem, RefusedError
from gecbench.server.workflow.members import invite, revoke_invitations_of
from gecbench.server.workflow.review_tasks import release_tasks_of
from gecbench.server.workflow.transactions import transactional

# Tokens for programs: made once, shown once, known afterwards by their hash alone.


PREFIX = "gecb_"
"""What every token begins with, so that scanners of published files know one."""

_MOST = 20
_USED_EVERY = timedelta(minutes=1)


class Scope(StrEnum):
    """What a token may do; each includes the ones before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


def make_token(
    person: Person,
    *,
    name: str,
    scopes: Sequence[str] = (Scope.READ,),
    expires_at: datetime | None = None,
) -> tuple[Token, str]:
    """A new token and its secret, which is kept nowhere.

    Raises:
        UsageError: No name, an unknown scope, an end that is over, or too many tokens.
    """
    name = " ".join(whole(name).split())
    if not name or len(name) > 100:
        raise UsageError("a token needs a name of at most 100 characters, as 'nightly export'")
    for scope in scopes:
        if scope not in tuple(Scope):
            raise UnknownNameError(Message("scope"), scope, Scope)
    if not scopes:
        raise UsageError("a token needs a scope: {names}", names=", ".join(Scope))
    if expires_at is not None and expires_at <= timezone.now():
        raise UsageError("the token would be over already; give an end in the future")
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        if tokens_of(person).count() >= _MOST:
            raise UsageError("nobody has more than {most} tokens; revoke one first", most=_MOST)
        token = Token.objects.create(
            person=person,
            name=name,
            token_hash=hash_of(secret),
            scopes=[str(scope) for scope in Scope if scope in scopes],
            expires_at=expires_at,
        )
        audit.record(
            "token.made", who=person, about=("token", token.pk), data={"scopes": token.scopes}
        )
    return token, secret


def hash_of(secret: str) -> str:
    """What the database keeps of a secret (of 256 random bits, so no salt is needed)."""
    return hashlib.sha256(secret.encode()).hexdigest()


def tokens_of(person: Person) -> models.QuerySet[Token]:
    """A person's tokens that were not revoked, newest first."""
    return Token.objects.filter(person=person, revoked_at=None).order_by("-id")


def find_token(secret: str) -> Token | None:
    """The token of a secret, its person with it; None where none holds now."""
    now = timezone.now()
    token = (
        Token.objects.select_related("person")
        .filter(token_hash=hash_of(secret), revoked_at=None, person__is_active=True)
        .first()
    )
    if token is None or (token.expires_at is not None and token.expires_at <= now):
        return None
    if token.last_used_at is None or now - token.last_used_at > _USED_EVERY:
        # Once a minute is enough to know which tokens are alive; reading stays free of writes.
        Token.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def token_allows(token: Token, scope: Scope) -> bool:
    """Whether a token may do what needs a scope."""
    order = tuple(Scope)
    return any(order.index(Scope(name)) >= order.index(scope) for name in token.scopes)


def revoke_token(person: Person, token_id: int) -> Token:
    """Make a token of one's own useless for ever.

    Raises:
        NotYoursError: There is none.
    """
    with transaction.atomic():
        if not tokens_of(person).filter(pk=token_id).update(revoked_at=timezone.now()):
            raise NotYoursError("there is no such token")
        audit.record("token.revoked", who=person, about=("token", token_id))
    return Token.objects.get(pk=token_id)


# People of the whole site: made, shut out, let in again, made administrators.


@transactional
def first_administrator() -> str:
    """The secret of a link for the first administrator; "" where there is one.

    Links that were printed before go on working; all end as soon as there is an administrator.
    """
    if members.has_administrator():
        return ""
    _, secret = invite(None, roles=(), by=None, administrator=True)
    return secret


def get_person(login: str) -> Person:
    """The person with a login.

    Raises:
        UsageError: There is none.
    """
    person = Person.objects.filter(login=login.strip().casefold()).first()
    if person is None:
        raise UsageError("nobody has the login {login!r}; gecbench annotate user list", login=login)
    return person


@transactional
def add_person(
    login: str, *, name: str = "", administrator: bool = False, by: Person | None = None
) -> Person:
    """Make somebody who has no password yet; `password_link` lets them choose one.

    Raises:
        UsageError: The login is empty, too long, or taken.
    """
    login = login.strip().casefold()
    if not login or len(login) > 150 or any(character.isspace() for character in login):
        raise UsageError(
            "{login!r} is no login; it has 1 to 150 characters and no spaces", login=login
        )
    if Person.objects.filter(login=login).exists():
        raise UsageError("the login {login!r} is taken", login=login)
    person = Person.objects.create_person(
        login, None, name=(name.strip() or login)[:150], is_administrator=administrator
    )
    audit.record("person.added", who=by, about=("person", person.pk))
    return person


@transactional
def deactivate(person: Person, *, by: Person | None = None) -> Person:
    """Let nobody sign in as a person any more; what they hold is free again, texts stay.

    Sessions, tokens and links end at once, and none holds again when they are let in.

    Raises:
        UsageError: It is the last administrator.
    """
    account = Person.objects.select_for_update().get(pk=person.pk)
    _keep_one_administrator(account)
    account.is_active = False
    account.save(update_fields=["is_active"])
    _end_access(account, by)
    for slot in Slot.objects.filter(person=account, state=SlotState.OPEN):
        claims.release(slot, why="shut out")
    for member in Member.objects.filter(person=account).order_by("pk"):
        release_tasks_of(member)
        end_assignments(member, *Role)
    audit.record("person.shut_out", who=by, about=("person", account.pk))
    return account


@transactional
def activate(person: Person, *, by: Person | None = None) -> Person:
    """Let a person sign in again, with the password they had; no session or link of before holds.

    Raises:
        UsageError: They were forgotten.
    """
    account = Person.objects.select_for_update().get(pk=person.pk)
    if account.deleted_at is not None:
        raise UsageError(
            "{login} was forgotten, for ever; make a new account: user add", login=account.login
        )
    if not account.is_active:
        _end_access(account, by)  # what was on its way while they were shut out
        # Links for a new password are signed with it, so that those of before end.
        account.last_login = timezone.now()
        account.is_active = True
        account.save(update_fields=["is_active", "last_login"])
    audit.record("person.let_in", who=by, about=("person", account.pk))
    return account


def _end_access(person: Person, by: Person | None) -> None:
    """End sessions, tokens, and the links by which they let others in."""
    Token.objects.filter(person=person, revoked_at=None).update(revoked_at=timezone.now())
    person.sessions.all().delete()
    revoke_invitations_of(person, by=by)


@transactional
def promote(person: Person, *, administrator: bool = True, by: Person | None = None) -> Person:
    """Make a person an administrator, or one no longer.

    Raises:
        UsageError: It is the last administrator, or they were forgotten.
    """
    account = Person.objects.select_for_update().get(pk=person.pk)
    if administrator and account.deleted_at is not None:
        raise UsageError(
            "{login} was forgotten, for ever; make a new account: user add", login=account.login
        )
    if not administrator:
        _keep_one_administrator(account)
    account.is_administrator = administrator
    account.save(update_fields=["is_administrator"])
    if not administrator:
        revoke_invitations_of(account, by=by)
    what = "person.promoted" if administrator else "person.demoted"
    audit.record(what, who=by, about=("person", account.pk))
    return account


def _keep_one_administrator(person: Person) -> None:
    others = Person.objects.filter(is_administrator=True, is_active=True).exclude(pk=person.pk)
    if person.is_administrator and not others.exists():
        raise UsageError(
            "{login} is the last administrator; make another one first: user promote",
            login=person.login,
        )


@transactional
def change_password(person: Person, *, old: str, new: str) -> Person:
    """Give oneself a new password; all other sessions end, because each carries its mark.

    Raises:
        RefusedError: The old one is wrong, or the new one too weak; by field.
    """
    if not person.check_password(old):
        raise RefusedError([Problem("password_wrong", "old")])
    try:
        password_validation.validate_password(new, person)
    except ValidationError as error:
        raise RefusedError(
            [
                Problem("password_weak", "new", {"text": message}, "password")
                for message in error.messages
            ]
        ) from error
    person.set_password(new)
    person.save(update_fields=["password"])
    audit.record("person.password_changed", who=person, about=("person", person.pk))
    return person


# Who cannot sign in is helped: by administrators, or by managers who gain no right by it.


def can_help(by: Person, person: Person) -> bool:
    """Whether somebody may let another person in again.

    A manager may, if the person has no right that the manager could not have: they are no
    administrator, and this manager manages all projects that they belong or ever belonged to.
    """
    if by.is_administrator or by.pk == person.pk:
        return by.pk != person.pk
    managed = Member.objects.filter(person=by, is_manager=True, status=MemberStatus.ACTIVE)
    memberships = Member.objects.filter(person=person)
    here = memberships.filter(project__in=managed.values("project"))
    return (
        not person.is_administrator
        and here.exclude(status=MemberStatus.LEFT).exists()
        and here.count() == memberships.count()
    )


def _insist_on_help(by: Person | None, person: Person) -> None:
    if by is not None and not can_help(by, person):
        raise RefusedError([Problem("more-rights")])


def login_locks(login: str) -> dict[str | None, datetime]:
    """The addresses from which a login is locked now, each with the end of the lock.

    django-axes keeps the failures of each browser at an address, with the time of the last one; a
    lock ends as soon as fewer failures than the limit are young enough to count.
    """
    from axes.helpers import get_cool_off
    from axes.models import AccessAttempt

    window: timedelta = get_cool_off()
    failures: Counter[str | None] = Counter()
    ends: dict[str | None, datetime] = {}
    young = AccessAttempt.objects.filter(username=login, attempt_time__gt=timezone.now() - window)
    for attempt in young.order_by("-attempt_time"):
        failures[attempt.ip_address] += attempt.failures_since_start
        if failures[attempt.ip_address] >= settings.AXES_FAILURE_LIMIT:
            ends.setdefault(attempt.ip_address, attempt.attempt_time + window)
    return ends


class PasswordLinks(PasswordResetTokenGenerator):
    """Django's tokens of forgotten passwords, each bound to whoever made it.

    Each is signed with the password, the e-mail address and the time of the last sign-in, and ends
    when one of them changes.

    Args:
        maker: The number of the person who made the link; 0 is the operator, or the site's mail.
    """

    def __init__(self, maker: int = 0) -> None:
        super().__init__()
        self.key_salt = f"gecbench.password-link.{maker}"


@transactional
def password_link(
    person: Person, *, by: Person | None = None, project: Project | None = None
) -> str:
    """The secret part of a link by which a person chooses a new password, once.

    Raises:
        UsageError: The person is shut out.
        RefusedError: Whoever asks must not help them.
    """
    if not person.is_active:
        raise UsageError(
            "{login} is shut out; let them in first: user activate", login=person.login
        )
    _insist_on_help(by, person)
    maker = by.pk if by else 0
    about = ("person", person.pk)
    audit.record("person.password_link_made", who=by, project=project, about=about)
    uid = urlsafe_base64_encode(str(person.pk).encode())
    return f"{maker}/{uid}/{PasswordLinks(maker).make_token(person)}"


def is_link_valid(person: Person, maker: int) -> bool:
    """Whether whoever made a link for a new password could make it now."""
    if not person.is_active or not maker:
        return person.is_active
    by = Person.objects.filter(pk=maker, is_active=True).first()
    return by is not None and can_help(by, person)


def reset_password(person: Person, password: str) -> Person:
    """Give a person a new password, by a link that was looked at before; all sessions end.

    Raises:
        GoneError: The password has changed since: the link was used by somebody else.
    """
    return _reset(person, make_password(password))  # hashing takes long: nobody waits for it


@transactional
def _reset(person: Person, hashed: str) -> Person:
    from axes.utils import reset

    same = Person.objects.filter(pk=person.pk, password=person.password, is_active=True)
    if not same.update(password=hashed):
        raise GoneError("this link was used already; ask for a new one")
    reset(username=person.login)
    audit.record("person.password_reset", who=person, about=("person", person.pk))
    return Person.objects.get(pk=person.pk)


@transactional
def change_email(person: Person, email: str) -> None:
    """Keep the address to which a link for a new password may go; links of before end."""
    person.email = email
    person.save(update_fields=["email"])
    audit.record("person.email_changed", who=person, about=("person", person.pk))


@transactional
def unlock(person: Person, *, by: Person | None = None, project: Project | None = None) -> bool:
    """End the locks of a person's login at all addresses; return whether there was one.

    Raises:
        RefusedError: Whoever asks must not help them.
    """
    from axes.utils import reset

    _insist_on_help(by, person)
    locked = bool(login_locks(person.login))
    reset(username=person.login)
    if locked:
        audit.record("person.unlocked", who=by, project=project, about=("person", person.pk))
    return locked


def list_people() -> list[tuple[str, str, str, str]]:
    """Login, name, standing and projects of all people, by login."""
    rows = []
    for person in Person.objects.order_by("login").prefetch_related("memberships__project"):
        standing = "active" if person.is_active else "shut out"
        if person.deleted_at is not None:
            standing = "forgotten"
        if person.is_administrator:
            standing += ", administrator"
        projects = [
            f"{membership.project.slug} ({'+'.join(membership.roles)}, {membership.status})"
            for membership in person.memberships.all()
        ]
        rows.append((person.login, person.name, standing, ", ".join(sorted(projects))))
    return rows


# Somebody becomes nameless: what they made stays, who they were goes (section 5.3, privacy).


@transactional
def forget(person: Person, *, by: Person | None = None) -> Person:
    """Take a person's login, name, password, settings, tokens and notices; texts stay, nameless.

    They leave all projects, so that what they held is free again. Their rows stay tied together
    under a number, or statistics would change. What other people wrote of them in notes, the
    network addresses in the log, and backups that were made before stay as they are.

    Raises:
        UsageError: They were forgotten already, or are the last administrator of the site or the
            last manager of a project.
    """
    account = Person.objects.select_for_update().get(pk=person.pk)
    if account.deleted_at is not None:
        raise UsageError("{login} was forgotten already", login=account.login)
    deactivate(account, by=by)
    for member in Member.objects.filter(person=account).exclude(status=MemberStatus.LEFT):
        try:
            members.change_member(member, by=by, status=MemberStatus.LEFT)
        except RefusedError as error:
            raise UsageError(
                "{login} is the last manager of project {project}; make somebody else one first",
                login=account.login,
                project=member.project.slug,
            ) from error
    Token.objects.filter(person=account).update(name="")
    Notice.objects.filter(person=account).delete()
    links = Invitation.objects.filter(Q(used_by=account) | Q(for_person=account))
    links.filter(used_at=None).update(revoked_at=timezone.now())
    links.update(note="")
    _forget_failures(account)
    account.login, account.name = _free_login(account.pk), f"#{account.pk}"
    account.password, account.preferences = make_password(None), {}
    account.language, account.theme = "", "auto"
    account.email, account.time_zone = "", ""
    account.is_active = account.is_administrator = False
    account.deleted_at = timezone.now()
    account.save()
    audit.record("person.forgotten", who=by, about=("person", account.pk))
    return account


def _free_login(number: int) -> str:
    """A login that says nothing, and that nobody has chosen for themselves."""
    names = [f"forgotten-{number}", *(f"forgotten-{number}-{n}" for n in range(2, 100))]
    logins = set(Person.objects.filter(login__in=names).values_list("login", flat=True))
    return next(name for name in names if name not in logins)


def _forget_failures(person: Person) -> None:
    """Remove the failed sign-ins of a login."""
    from axes.models import AccessAttempt, AccessFailureLog, AccessLog

    for model in (AccessAttempt, AccessFailureLog, AccessLog):
        model.objects.filter(username=person.login).delete()
