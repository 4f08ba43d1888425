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
from gecbench.server.models import Person
from gecbench.server.web.policy import signed_in
from gecbench.server.workflow import audits, tokens

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
            made, secret = tokens.make_token(
                person,
                name=request.POST.get("name", ""),
                scopes=[request.POST.get("scope", "read")],
                expires_at=timezone.now() + timedelta(days=days),
            )
            data = {"scopes": made.scopes}
            audits.record("token.made", who=person, about=("token", made.pk), data=data)
        except UsageError:
            problem = gettext(
                "A token needs a name of at most 100 characters; nobody has more than 20 of them."
            )
    shown = {
        "tokens": tokens.tokens_of(person),
        "secret": secret,
        "problem": problem,
        "scopes": _SCOPES,
        "days": [one for one, _ in _DAYS],
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return render(request, "account/tokens.html", shown, status=status)


@signed_in
@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponseBase:
    """Make one of one's tokens useless."""
    person = cast("Person", request.user)
    gone = tokens.revoke_token(person, token_id)
    audits.record("token.revoked", who=person, about=("token", gone.pk))
    messages.success(request, gettext("The token is useless now."))
    return redirect("account-tokens")
