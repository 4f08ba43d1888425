"""Who am I, and my tokens."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router, Status

from gecbench.server.models import Token
from gecbench.server.rest.entrance import need, only, person_of
from gecbench.server.rest.shapes import Failure, PersonShown, TokenGiven, TokenMade, TokenShown
from gecbench.server.workflow.tokens import Scope, make_token, revoke_token, tokens_of

router = Router(tags=["account"])


@router.get("me", response={200: PersonShown, 401: Failure})
def me(request: HttpRequest) -> dict[str, object]:
    """Return who the token or the session belongs to."""
    only(request)
    person = person_of(request)
    return {
        "login": person.login,
        "name": person.name,
        "administrator": person.is_administrator,
    }


@router.get("tokens", response={200: list[TokenShown], 401: Failure})
def tokens(request: HttpRequest) -> list[Token]:
    """Return my tokens that were not revoked."""
    only(request)
    return list(tokens_of(person_of(request)))


@router.post("tokens", response={201: TokenMade, 401: Failure, 403: Failure, 422: Failure})
def new_token(request: HttpRequest, given: TokenGiven) -> Status[dict[str, object]]:
    """Make a token; needs a session, or a token with scope admin."""
    only(request)
    need(request, Scope.ADMIN)
    made, secret = make_token(
        person_of(request), name=given.name, scopes=given.scopes, expires_at=given.expires_at
    )
    return Status(201, {**TokenShown.from_orm(made).dict(), "secret": secret})


@router.delete("tokens/{int:token_id}", response={204: None, 401: Failure, 404: Failure})
def end_token(request: HttpRequest, token_id: int) -> Status[None]:
    """Revoke one of my tokens."""
    only(request)
    need(request, Scope.ADMIN)
    revoke_token(person_of(request), token_id)
    return Status(204, None)
