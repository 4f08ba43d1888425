"""A person takes with them what the site keeps of them."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from gecbench.server.exchange.own import file_name, own_data
from gecbench.server.models import Person
from gecbench.server.web.limits import limited
from gecbench.server.web.policy import signed_in
from gecbench.server.web.saving import attachment


@signed_in
@limited("export")
@require_safe
def data(request: HttpRequest) -> HttpResponseBase:
    """Stream all that the site keeps of the person who asks."""
    person = cast("Person", request.user)
    return attachment(file_name(person), "application/jsonl", own_data(person))
