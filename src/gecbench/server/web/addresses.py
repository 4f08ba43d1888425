"""Where a request comes from, believed only as far as the operator says."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str | None:
    """Return the network address of whoever asks; None where it is not known.

    Behind a proxy it is the last one in X-Forwarded-For: the one that the proxy itself has seen.
    What stands before it, anybody may have written.
    """
    said = request.META.get("REMOTE_ADDR", "")
    if settings.SITE.behind_proxy:
        said = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip() or said
    try:
        return str(ipaddress.ip_address(said))
    except ValueError:
        return None
