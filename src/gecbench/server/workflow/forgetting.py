"""Somebody becomes nameless: what they made stays, who they were goes (section 5.3, privacy)."""

from __future__ import annotations

from django.contrib.auth.hashers import make_password
from django.db.models import Q
from django.utils import timezone

from gecbench.core.errors import UsageError
from gecbench.server.laws.names import MemberStatus
from gecbench.server.models import Invitation, Member, Notice, Person, Token
from gecbench.server.workflow import accounts, audits, members
from gecbench.server.workflow.acts import act
from gecbench.server.workflow.errors import RefusedError


@act
def forget(person: Person, *, by: Person | None = None) -> Person:
    """Take a person's login, name, password, settings, tokens and notices; texts stay, nameless.

    They leave all projects, so that what they held is free again. Their rows stay tied together
    under a number, or statistics would change. What other people wrote of them in notes, the
    network addresses in the log, and backups that were made before stay as they are.

    Raises:
        UsageError: They were forgotten already, or are the last administrator of the site or the
            last manager of a project.
    """
    found = Person.objects.select_for_update().get(pk=person.pk)
    if found.deleted_at is not None:
        raise UsageError(f"{found.login} was forgotten already")
    accounts.shut_out(found, by=by)
    for member in Member.objects.filter(person=found).exclude(status=MemberStatus.LEFT):
        try:
            members.change_member(member, by=by, status=MemberStatus.LEFT)
        except RefusedError as error:
            raise UsageError(
                f"{found.login} is the last manager of project {member.project.slug}; "
                "make somebody else one first"
            ) from error
    Token.objects.filter(person=found).update(name="")
    Notice.objects.filter(person=found).delete()
    links = Invitation.objects.filter(Q(used_by=found) | Q(for_person=found))
    links.filter(used_at=None).update(revoked_at=timezone.now())
    links.update(note="")
    _forget_sign_ins(found)
    found.login, found.name = _free_login(found.pk), f"#{found.pk}"
    found.password, found.preferences = make_password(None), {}
    found.language, found.theme = "", "auto"
    found.is_active = found.is_administrator = False
    found.deleted_at = timezone.now()
    found.save()
    audits.record("person.forgotten", who=by, about=("person", found.pk))
    return found


def _free_login(number: int) -> str:
    """Return a login that says nothing, and that nobody has chosen for themselves."""
    names = [f"forgotten-{number}", *(f"forgotten-{number}-{n}" for n in range(2, 100))]
    taken = set(Person.objects.filter(login__in=names).values_list("login", flat=True))
    return next(one for one in names if one not in taken)


def _forget_sign_ins(person: Person) -> None:
    """Remove the failures of a login; sessions end by the new password and vanish by their age."""
    from axes.models import AccessAttempt, AccessFailureLog, AccessLog

    for model in (AccessAttempt, AccessFailureLog, AccessLog):
        model.objects.filter(username=person.login).delete()
