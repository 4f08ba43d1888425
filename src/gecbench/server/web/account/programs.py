"""Tokens by which programs use the REST API in a person's name."""

from __future__ import annotations

from datetime import timedelta
from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from gecbench.core.errors import UsageError
from gecbench.server.models import Person, Token
from gecbench.server.web.policy import signed_in
from gecbench.server.workflow import tokens

_SCOPES = (
    ("read", gettext_lazy("Only read")),
    ("write", gettext_lazy("Read and write")),
    ("admin", gettext_lazy("Everything that you may do")),
)
_DAYS = (("30", 30), ("90", 90), ("365", 365))


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def listed(request: HttpRequest) -> HttpResponse:
    """List one's tokens, and make one; its secret is shown this once."""
    person = cast("Person", request.user)
    secret = problem = ""
    if request.method == "POST":
        days = dict(_DAYS).get(request.POST.get("days", ""), 90)
        try:
            _, secret = tokens.make_token(
                person,
                name=request.POST.get("name", ""),
                scopes=[request.POST.get("scope", "read")],
                expires_at=timezone.now() + timedelta(days=days),
            )
        except UsageError:
            problem = gettext(
                "A token needs a name of at most 100 characters; nobody has more than 20 of them."
            )
    shown = {
        "tokens": [(one, _most(one)) for one in tokens.tokens_of(person)],
        "secret": secret,
        "problem": problem,
        "scopes": _SCOPES,
        "days": [one for one, _ in _DAYS],
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return render(request, "account/tokens.html", shown, status=status)


def _most(token: Token) -> str:
    """Return in words what a token may do: its widest scope has all the others."""
    return next(str(words) for code, words in reversed(_SCOPES) if code in token.scopes)


@signed_in
@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponseBase:
    """Make one of one's tokens useless."""
    person = cast("Person", request.user)
    tokens.revoke_token(person, token_id)
    messages.success(request, gettext("The token is useless now."))
    return redirect("account-tokens")
