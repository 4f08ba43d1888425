"""What every request goes through: an id, the person's language and clock, a way out of failure."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable

from csp.constants import HEADER
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from gecbench.server.site.folder import is_zone
from gecbench.server.site.serving import is_ending
from gecbench.server.web import errors, metrics
from gecbench.server.web.http import client_address
from gecbench.server.workflow import audit

Respond = Callable[[HttpRequest], HttpResponse]
LANGUAGE_COOKIE = "gecbench_language"
_LOG = logging.getLogger("gecbench.requests")
_POLICY = ", ".join(
    f"{middleware}=()"
    for middleware in (
        *("accelerometer", "browsing-topics", "camera", "display-capture", "geolocation"),
        *("gyroscope", "magnetometer", "microphone", "payment", "usb"),
    )
)


class RequestId:
    """Gives each request an id, shown on error pages and in the log; logs what was answered.

    The log names the route, the person and the time: never an address with its secrets, never a
    text.
    """

    def __init__(self, respond: Respond) -> None:
        self.respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, with the id in a header."""
        began = time.perf_counter()
        request.id = secrets.token_hex(6)  # type: ignore[attr-defined]
        if request.path_info in _WATCHED:  # asked for by the number of a host, which is no name
            request.META["HTTP_HOST"] = "localhost"
        with audit.request_address(client_address(request) or ""):
            response = self.respond(request)
        response["X-Request-Id"] = request.id  # type: ignore[attr-defined]
        response.setdefault("Permissions-Policy", _POLICY)
        if request.resolver_match is not None or response.status_code >= 400:
            _log(request, response, time.perf_counter() - began)
        return response


def _log(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    route = request.resolver_match.route if request.resolver_match else "(no page)"
    person = getattr(getattr(request, "_cached_user", None), "pk", None)
    method = str(request.method) if request.method in _METHODS else "OTHER"
    watched = request.path_info in _WATCHED  # a proxy's and Prometheus's, not people's
    if not watched:
        metrics.count_request(method, f"/{route}", response.status_code, seconds)
    failed = response.status_code >= 500 and not (watched and is_ending())
    _LOG.log(
        logging.ERROR if failed else logging.INFO,
        "%s /%s %d %.0f ms",
        method,
        route,
        response.status_code,
        seconds * 1000,
        extra={
            "request": request.id,  # type: ignore[attr-defined]
            "person": person,
            "status": response.status_code,
            "milliseconds": round(seconds * 1000, 1),
        },
    )


_WATCHED = ("/healthz", "/readyz", "/metrics")
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class ContentPolicy:
    """Says what a page may load: the same for all pages, so that it is written once.

    django-csp's own middleware writes it, and an empty one that would only report, again for each
    answer, which was a twentieth of the CPU of a draft.
    """

    def __init__(self, respond: Respond) -> None:
        self.respond, self.policy = respond, build_policy()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, with the policy in a header."""
        response = self.respond(request)
        response.setdefault(HEADER, self.policy)
        return response


class PersonLocale:
    """Speaks the person's language, else the cookie's, else the site's, else the browser's.

    Times and days are those of the person's time zone, else of the site's.
    """

    def __init__(self, respond: Respond) -> None:
        self.respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in that language, by that clock."""
        language, zone = language_of(request), getattr(request.user, "time_zone", "")
        clock = zone if is_zone(zone) else None
        with translation.override(language), timezone.override(clock):
            request.LANGUAGE_CODE = language
            response = self.respond(request)
            response.setdefault("Content-Language", language)
            return response


def language_of(request: HttpRequest) -> str:
    """The code of the language in which a request is answered."""
    languages = dict(settings.LANGUAGES)
    for code in (
        getattr(request.user, "language", ""),
        request.COOKIES.get(LANGUAGE_COOKIE, ""),
        settings.SITE.language,
    ):
        if code in languages:
            return str(code)
    return translation.get_language_from_request(request)


class SessionAge:
    """Lets a session end 12 hours after its last use, with one write in ten minutes at most.

    What somebody reads who is signed in stays in no cache: after signing out, the way back of a
    shared machine's browser leads to the form.
    """

    _EVERY = 600

    def __init__(self, respond: Respond) -> None:
        self.respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer; mark the session as used where the last mark is old."""
        if not request.user.is_authenticated:
            return self.respond(request)
        now = int(time.time())
        if not 0 <= now - request.session.get("seen", 0) < self._EVERY:
            request.session["seen"] = now
        response = self.respond(request)
        response.setdefault("Cache-Control", "private, no-store")
        return response


class Failures:
    """Answers what the workflow refuses, and what the database cannot do, in words."""

    def __init__(self, respond: Respond) -> None:
        self.respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer."""
        return self.respond(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """A page or JSON for a failure that has a name; None leaves it to Django."""
        return errors.answer(request, error)
