"""Addresses of the API, each with who may come."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, JsonResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_safe

from gecbench.server.choices import Role
from gecbench.server.rest.api import api
from gecbench.server.web.permissions import Access

app_name = "api"

_ANYONE = ("openapi.json",)
_SIGNED_IN = ("me", "tokens", "tokens/<int:token_id>", "projects")
_MEMBERS = (
    "projects/<slug:slug>",
    "projects/<slug:slug>/submissions",
    "projects/<slug:slug>/pay/statements",
    "projects/<slug:slug>/pay/statements/<int:statement_id>",
)
_PLAIN: Mapping[str, Access] = {
    **dict.fromkeys(_ANYONE, Access("anyone")),
    **dict.fromkeys(_SIGNED_IN, Access("signed_in")),
    **dict.fromkeys(_MEMBERS, Access("member")),
}


@require_safe
def root(request: HttpRequest) -> JsonResponse:
    """Say where the description of the API is."""
    del request
    return JsonResponse({"openapi": reverse("api:openapi-json")})


root.access = Access("anyone")  # type: ignore[attr-defined]


def _declare_access(pattern: URLPattern) -> URLPattern:
    """Return an address whose view says who may come, as the pages' views do."""
    access = _PLAIN.get(str(pattern.pattern), Access("member", (Role.MANAGER,)))
    pattern.callback.access = access  # type: ignore[attr-defined]
    return pattern


urlpatterns = [
    path("", root, name="api-root"),
    *(
        _declare_access(address)
        for address in api.urls[0]
        if isinstance(address, URLPattern) and address.name != "api-root"
    ),
]
