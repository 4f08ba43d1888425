"""Where a person is signed in, and how that ends."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from django.contrib import messages
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from gecbench.server.models import Person
from gecbench.server.web.policy import signed_in
from gecbench.server.workflow import audits


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody is signed in.

    Args:
        handle: Names it in a form; the session's own key never leaves the cookie.
        began: When they signed in.
        seen: When it was used last, give or take ten minutes.
        agent: What the browser calls itself.
        address: Where it signed in from.
        here: Whether it is the one that asks.
    """

    handle: str
    began: datetime | None
    seen: datetime | None
    agent: str
    address: str
    here: bool


def _handle(key: str) -> str:
    return hashlib.sha256(f"handle:{key}".encode()).hexdigest()[:32]


def _rows_of(person: Person) -> Iterator[tuple[Session, dict[str, object]]]:
    """Yield the living sessions of a person.

    Their rows do not say whose they are, so all living ones are read: some hundreds, on a page
    that is opened seldom.
    """
    for row in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        data = row.get_decoded()
        if data.get(SESSION_KEY) == str(person.pk):
            yield row, data


_BROWSERS = ("Edg/", "OPR/", "Firefox/", "Chrome/", "Safari/")
_SYSTEMS = ("Windows", "Android", "iPhone", "iPad", "Mac OS X", "Linux")
_CALLED = {"Edg": "Edge", "OPR": "Opera", "Mac OS X": "macOS"}


def browser_of(agent: str) -> str:
    """Return what a person calls the browser, by its User-Agent; "" where it is none we know.

    >>> browser_of("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36")
    'Chrome · Linux'
    """
    name = next((one.rstrip("/") for one in _BROWSERS if one in agent), "")
    system = next((one for one in _SYSTEMS if one in agent), "")
    return " · ".join(_CALLED.get(one, one) for one in (name, system) if one)


def _moment(value: object) -> datetime | None:
    return datetime.fromtimestamp(value, UTC) if isinstance(value, int) else None


@signed_in
@never_cache
@require_safe
def listed(request: HttpRequest) -> HttpResponse:
    """List where one is signed in, this place first."""
    places = [
        Place(
            _handle(row.session_key),
            _moment(data.get("began")),
            _moment(data.get("seen")),
            browser_of(str(data.get("agent", ""))),
            str(data.get("address", "")),
            row.session_key == request.session.session_key,
        )
        for row, data in _rows_of(cast("Person", request.user))
    ]
    oldest = datetime.fromtimestamp(0, UTC)
    places.sort(key=lambda one: (one.here, one.seen or oldest), reverse=True)
    return render(request, "account/sessions.html", {"places": places})


@signed_in
@require_POST
def end(request: HttpRequest) -> HttpResponseBase:
    """End one of one's other sessions, or all of them."""
    person = cast("Person", request.user)
    wanted = request.POST.get("handle", "")
    ended = 0
    for row, _ in list(_rows_of(person)):
        other = row.session_key != request.session.session_key
        if other and wanted in ("all", _handle(row.session_key)):
            row.delete()
            ended += 1
    if ended:
        data = {"sessions": ended}
        audits.record("person.sessions_ended", who=person, about=("person", person.pk), data=data)
    said = ngettext("%(number)s session has ended.", "%(number)s sessions have ended.", ended)
    messages.success(request, said % {"number": ended})
    return redirect("account-sessions")
