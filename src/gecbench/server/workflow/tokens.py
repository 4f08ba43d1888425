"""Tokens for programs: made once, shown once, known afterwards by their hash alone."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import models, transaction
from django.utils import timezone

from gecbench.core.errors import UsageError
from gecbench.server.laws.text import whole
from gecbench.server.models import Person, Token
from gecbench.server.workflow import audits
from gecbench.server.workflow.errors import NotYoursError

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
    """Return a new token and its secret, which is kept nowhere.

    Raises:
        UsageError: No name, an unknown scope, an end that is over, or too many tokens.
    """
    name = " ".join(whole(name).split())
    if not name or len(name) > 100:
        raise UsageError("a token needs a name of at most 100 characters, as 'nightly export'")
    for one in scopes:
        if one not in tuple(Scope):
            raise UsageError(f"unknown scope {one!r}; known: {', '.join(Scope)}")
    if not scopes:
        raise UsageError(f"a token needs a scope: {', '.join(Scope)}")
    if expires_at is not None and expires_at <= timezone.now():
        raise UsageError("the token would be over already; give an end in the future")
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        if tokens_of(person).count() >= _MOST:
            raise UsageError(f"nobody has more than {_MOST} tokens; revoke one first")
        made = Token.objects.create(
            person=person,
            name=name,
            token_hash=hash_of(secret),
            scopes=[str(one) for one in Scope if one in scopes],
            expires_at=expires_at,
        )
        audits.record(
            "token.made",
            who=person,
            about=("token", made.pk),
            data={"scopes": made.scopes},
        )
    return made, secret


def hash_of(secret: str) -> str:
    """Return what the database keeps of a secret (of 256 random bits, so no salt is needed)."""
    return hashlib.sha256(secret.encode()).hexdigest()


def tokens_of(person: Person) -> models.QuerySet[Token]:
    """Return a person's tokens that were not revoked, newest first."""
    return Token.objects.filter(person=person, revoked_at=None).order_by("-id")


def token_of(secret: str) -> Token | None:
    """Return the token of a secret, its person with it; None where none holds now."""
    now = timezone.now()
    found = (
        Token.objects.select_related("person")
        .filter(token_hash=hash_of(secret), revoked_at=None, person__is_active=True)
        .first()
    )
    if found is None or (found.expires_at is not None and found.expires_at <= now):
        return None
    if found.last_used_at is None or now - found.last_used_at > _USED_EVERY:
        # Once a minute is enough to know which tokens are alive; reading stays free of writes.
        Token.objects.filter(pk=found.pk).update(last_used_at=now)
    return found


def may(token: Token, scope: Scope) -> bool:
    """Return whether a token may do what needs a scope."""
    order = tuple(Scope)
    return any(order.index(Scope(one)) >= order.index(scope) for one in token.scopes)


def revoke_token(person: Person, token_id: int) -> Token:
    """Make a token of one's own useless for ever.

    Raises:
        NotYoursError: There is none.
    """
    with transaction.atomic():
        if not tokens_of(person).filter(pk=token_id).update(revoked_at=timezone.now()):
            raise NotYoursError("there is no such token")
        audits.record("token.revoked", who=person, about=("token", token_id))
    return Token.objects.get(pk=token_id)
