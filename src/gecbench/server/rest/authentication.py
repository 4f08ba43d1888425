"""Who comes in: a token, or the session of the page with its CSRF token; and what they may see."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.http import Http404, HttpRequest
from ninja.errors import HttpError
from ninja.security import APIKeyCookie, HttpBearer

from gecbench.core.errors import UsageError
from gecbench.server.choices import MemberStatus, Role
from gecbench.server.models import Member, Person, Token
from gecbench.server.web.http import seconds_to_wait
from gecbench.server.web.permissions import membership
from gecbench.server.workflow.accounts import Scope, find_token, token_allows

_SAFE = ("GET", "HEAD", "OPTIONS")


class ByToken(HttpBearer):
    """`Authorization: Bearer gecb_...`; no cookie is looked at then, so no CSRF token is needed."""

    def authenticate(self, request: HttpRequest, token: str) -> Person:
        """Return whose token it is.

        Raises:
            HttpError: 401: it holds no more; 403: it may only read.
        """
        token_row = find_token(token)
        if token_row is None:
            raise HttpError(401, "this token does not hold: it is unknown, revoked or over")
        needed = Scope.READ if request.method in _SAFE else Scope.WRITE
        if not token_allows(token_row, needed):
            raise HttpError(403, f"this token may not {needed}; make one with that scope")
        request.user = token_row.person
        request.token = token_row  # type: ignore[attr-defined]
        return token_row.person


class BySession(APIKeyCookie):
    """The cookie of somebody who is signed in; unsafe requests carry the page's CSRF token."""

    param_name = settings.SESSION_COOKIE_NAME

    def authenticate(self, request: HttpRequest, key: str | None) -> Person | None:
        """Return who is signed in."""
        del key
        person = request.user
        return person if isinstance(person, Person) and person.is_active else None


def person_of(request: HttpRequest) -> Person:
    """Return who asks; every operation has been through the entrance before."""
    return cast("Person", request.user)


def member_of(request: HttpRequest, slug: str, *roles: Role) -> Member:
    """Return the membership of who asks.

    Raises:
        Http404: There is no such project for them, or they have none of the roles.
    """
    member = membership(person_of(request), slug)
    if member is None or (roles and not any(member.has(role) for role in roles)):
        raise Http404("there is no such thing, or it is not for you")
    return member


def manager_of(request: HttpRequest, slug: str) -> Member:
    """Return the membership of a manager.

    Raises:
        Http404: Who asks is none.
    """
    return member_of(request, slug, Role.MANAGER)


def acting_manager_of(request: HttpRequest, slug: str) -> Member:
    """Return the membership of a manager who may act: one who is paused may only look.

    Raises:
        Http404: Who asks is none.
    """
    manager = manager_of(request, slug)
    if manager.status != MemberStatus.ACTIVE:
        raise Http404("there is no such thing, or it is not for you")
    return manager


def need(request: HttpRequest, scope: Scope) -> None:
    """Refuse a token without a scope; a session has all that its person has.

    Raises:
        HttpError: 403.
    """
    token: Token | None = getattr(request, "token", None)
    if token is not None and not token_allows(token, scope):
        raise HttpError(403, f"this token has no scope {scope}; make one that has")


class TooFastError(HttpError):
    """429: somebody asks too often.

    Args:
        seconds: Until they may ask again.
    """

    def __init__(self, seconds: int) -> None:
        """Make the sentence."""
        self.seconds = seconds
        super().__init__(429, f"this was too fast; wait {seconds} seconds and try again")


def slowly(request: HttpRequest, kind: str) -> None:
    """Refuse what is done too often.

    Raises:
        TooFastError: Says how long to wait.
    """
    seconds = seconds_to_wait(kind, request)
    if seconds:
        raise TooFastError(seconds)


def only(request: HttpRequest, *names: str) -> None:
    """Refuse parameters of the address that mean nothing here: they would be ignored silently.

    Raises:
        UsageError: Names one, and those that there are.
    """
    for name in request.GET:
        if name not in names:
            hint = f"known: {', '.join(names)}" if names else "there are none here"
            raise UsageError(f"unknown parameter {name!r}; {hint}")
