"""Guessing passwords is slow: what axes counts for a login, and the sum for an address."""

from __future__ import annotations

from datetime import timedelta

from axes.models import AccessFailureLog
from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from gecbench.server.web.addresses import client_address

FROM_ONE_ADDRESS = 50
"""Failures in an hour, whatever the logins; then the address waits."""

_HOUR = timedelta(hours=1)
_KEPT = timedelta(days=30)


def address_is_locked(request: HttpRequest) -> bool:
    """Return whether too many tries have come from this address in the last hour."""
    failures = AccessFailureLog.objects.filter(
        ip_address=client_address(request), attempt_time__gt=timezone.now() - _HOUR
    )
    return len(failures[:FROM_ONE_ADDRESS]) >= FROM_ONE_ADDRESS


def answered_already(
    request: HttpRequest, response: HttpResponse, credentials: object = None
) -> HttpResponse:
    """Return the page that the view has made: it says itself that the login is locked."""
    del request, credentials
    return response


def tidy() -> None:
    """Forget sessions that are over, and failures of last month."""
    now = timezone.now()
    Session.objects.filter(expire_date__lt=now).delete()
    AccessFailureLog.objects.filter(attempt_time__lt=now - _KEPT).delete()
