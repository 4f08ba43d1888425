"""Pages for what went wrong: with a request id, a way back, and what was typed."""

from __future__ import annotations

import errno
import logging
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from http import HTTPStatus

from django.contrib.sessions.exceptions import SessionInterrupted
from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from gecbench.core.errors import GecbenchError
from gecbench.server.web.messages import Translation, translate
from gecbench.server.web.metrics import count_database_error
from gecbench.server.web.permissions import sign_in_first, wants_json
from gecbench.server.workflow.errors import RefusedError, WorkflowError

_LOG = logging.getLogger("gecbench.failures")

INSUFFICIENT_STORAGE = 507
_WORDS = {
    400: (
        gettext_lazy("This request could not be understood"),
        gettext_lazy("The address or the form was not complete. Go back and try again."),
    ),
    403: (
        gettext_lazy("This is not allowed"),
        gettext_lazy("Your role does not allow it, or the form was too old. Go back, load the "
                     "page again, and try once more."),
    ),
    404: (
        gettext_lazy("There is no such page"),
        gettext_lazy("Either the address is wrong, or it is not for you."),
    ),
    405: (
        gettext_lazy("This is not how the page works"),
        gettext_lazy("The address takes another kind of request. Go back and try again."),
    ),
    409: (
        gettext_lazy("Somebody else was first"),
        gettext_lazy("It has changed meanwhile. Nothing was overwritten; load the page again."),
    ),
    410: (
        gettext_lazy("This is over"),
        gettext_lazy(
            "The task went back, or the link is no longer valid. What you typed is kept. Take a "
            "task from the home page again, or ask a manager for a new link."
        ),
    ),
    413: (
        gettext_lazy("This is too much at once"),
        gettext_lazy("Send less, or ask a manager to import it as a file."),
    ),
    422: (
        gettext_lazy("This cannot be accepted as it is"),
        gettext_lazy("Nothing was changed. Go back and fix it."),
    ),
    500: (
        gettext_lazy("Something is broken here"),
        gettext_lazy("It is not your mistake. Nothing half done was kept; try again, and tell the "
                     "administrator the number below if it happens again."),
    ),
    503: (
        gettext_lazy("The site is busy"),
        gettext_lazy("The database did not answer in time. Nothing half done was kept; try again "
                     "in some seconds."),
    ),
    507: (
        gettext_lazy("The disk of the server is full"),
        gettext_lazy("Nothing can be saved now. Leave this page open, so that your text stays, "
                     "and tell the administrator."),
    ),
}  # fmt: skip
"""Status to title and advice."""

_CODES = {
    400: "bad_request", 403: "forbidden", 404: "not_found", 405: "wrong_method", 409: "conflict",
    410: "gone", 413: "too_large", 422: "refused", 500: "server_error",
    503: "busy", 507: "disk_full",
}  # fmt: skip
"""Status to the stable name that a script reads."""


class MalformedError(GecbenchError):
    """A request that no page of ours sends."""


def answer(request: HttpRequest, error: Exception) -> HttpResponse | None:
    """Answer a failure that has a name; None for any other."""
    if isinstance(error, MalformedError):
        if not wants_json(request):
            return error_response(request, HTTPStatus.BAD_REQUEST)
        message = gettext("The server could not read what the page sent. Load the page again.")
        return JsonResponse({"error": "malformed", "message": message}, status=400)
    if isinstance(error, WorkflowError):
        return error_response(request, error.status, error)
    if isinstance(error, GecbenchError):
        return error_response(request, HTTPStatus.UNPROCESSABLE_ENTITY, error)
    status = status_of(error)
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return None  # `server_error` answers
    _count(error)
    _LOG.error("the database failed: %s", _kind(error))
    return error_response(request, status)


def _count(error: BaseException | None) -> None:
    if isinstance(error, DatabaseError | InterfaceError):
        count_database_error(_kind(error))


_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, "53100"}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, "40001", "40P01", "53300", "55P03", "57014"}
_AWAY = ("08", "57P")
"""Codes of SQLite and PostgreSQL: nothing can be written; somebody else writes; how those begin
that say that the server is away."""


def status_of(error: BaseException | None) -> int:
    """The status for what a database, or a disk, could not do; 500 for all else."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
            return INSUFFICIENT_STORAGE
        if isinstance(error, InterfaceError):
            return HTTPStatus.SERVICE_UNAVAILABLE
        code = _code(error)
        if code in _FULL:
            return INSUFFICIENT_STORAGE
        if code in _BUSY or str(code).startswith(_AWAY):
            return HTTPStatus.SERVICE_UNAVAILABLE
        if isinstance(error, OperationalError) and not code and not _code(error.__cause__):
            return _status_by_text(str(error).lower())
        error = error.__cause__ or error.__context__
    return HTTPStatus.INTERNAL_SERVER_ERROR


def _code(error: BaseException | None) -> int | str:
    """SQLite's primary code or PostgreSQL's SQLSTATE; 0 or "" where a driver says none."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF or getattr(error, "sqlstate", None) or ""


def _status_by_text(message: str) -> int:
    """The status for what has no code: a connection that fails, and what we raise ourselves."""
    if "disk is full" in message or "readonly database" in message or "disk i/o" in message:
        return INSUFFICIENT_STORAGE
    busy = any(word in message for word in ("locked", "connection", "timeout"))
    return HTTPStatus.SERVICE_UNAVAILABLE if busy else HTTPStatus.INTERNAL_SERVER_ERROR


def _kind(error: BaseException) -> str:
    # The class and SQLite's or PostgreSQL's code, never values of a row.
    cause = error.__cause__
    code = getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None)
    return f"{type(error).__name__} {code or ''}".strip()


def error_response(
    request: HttpRequest, status: int, error: Exception | None = None
) -> HttpResponse:
    """Say what went wrong and what to do: with a page, or with JSON for a script."""
    title, advice = _WORDS.get(status, _WORDS[400 if status < 500 else 500])
    if not wants_json(request):
        # An error that is not for a person (404) says nothing.
        shown = _messages(error) if status != HTTPStatus.NOT_FOUND else []
        return _page(request, status, title, advice, shown)
    body: dict[str, object] = {
        "error": _CODES.get(status, "failed"),
        "message": "; ".join(map(str, _messages(error))) or str(title),
        "request_id": getattr(request, "id", ""),
    }
    if isinstance(error, RefusedError):
        body["problems"] = [
            {
                "code": problem.code,
                "field": problem.field,
                "message": str(translate(problem.message)),
                "values": {name: str(value) for name, value in problem.values.items()},
                "blocking": problem.blocking,
            }
            for problem in error.problems
        ]
    return JsonResponse(body, status=status, json_dumps_params={"ensure_ascii": False})


def _messages(error: Exception | None) -> list[Translation]:
    if isinstance(error, RefusedError):
        return [translate(problem.message) for problem in error.problems]
    return [translate(error)] if isinstance(error, GecbenchError) else []


def too_fast(request: HttpRequest, seconds: int) -> HttpResponse:
    """Answer 429 to a request that may be made again after some seconds, and say so."""
    advice = ngettext(
        "Wait %(n)s second and try again. Nothing was lost.",
        "Wait %(n)s seconds and try again. Nothing was lost.",
        seconds,
    ) % {"n": seconds}
    response: HttpResponse
    if wants_json(request):
        identity = getattr(request, "id", "")
        body = {"error": "too_fast", "message": advice, "request_id": identity, "seconds": seconds}
        response = JsonResponse(body, status=HTTPStatus.TOO_MANY_REQUESTS)
    else:
        title = gettext("This was too fast")
        response = _page(request, HTTPStatus.TOO_MANY_REQUESTS, title, advice)
    response["Retry-After"] = str(seconds)
    return response


def _page(
    request: HttpRequest,
    status: int,
    title: str | Promise,
    advice: str | Promise,
    problems: Sequence[Translation] = (),
) -> HttpResponse:
    content = render_to_string(
        "failure.html",
        {
            "title": title,
            "advice": advice,
            "problems": problems,
            "theme": getattr(getattr(request, "_cached_user", None), "theme", "auto"),
            "status": status,
            "request_id": getattr(request, "id", ""),
            "typed": list(_typed_texts(request)),
            "htmx": "HX-Request" in request.headers,
        },
    )
    return HttpResponse(content, status=status)


_LEAST = 2
_MOST = 20_000
_SECRET = ("csrf", "password", "secret", "token", "key")


def _typed_texts(request: HttpRequest) -> Iterator[tuple[str, str]]:
    """The texts of a form, so that whoever wrote them can take them back."""
    try:
        fields = list(request.POST.lists()) if request.method == "POST" else []
    except Exception:  # noqa: BLE001  # the form itself may be what is broken
        fields = []
    for name, values in fields:
        if any(word in name.lower() for word in _SECRET):
            continue
        for value in values:
            if len(value) > _LEAST and not value.isdigit():
                yield name, value[:_MOST]


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400, or 413 to a form that is too large; whoever's session ended has to sign in."""
    if isinstance(exception, SessionInterrupted):
        return sign_in_first(request)
    # Its words are for the log.
    if isinstance(exception, RequestDataTooBig):
        return error_response(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return error_response(request, HTTPStatus.BAD_REQUEST)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 403."""
    del exception
    return error_response(request, HTTPStatus.FORBIDDEN)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404; a program that asks the API is told where it has its addresses."""
    del exception
    if request.path.startswith("/api/"):
        body = {
            "error": "there is no such address in this API; see /api/v1/openapi.json",
            "request_id": getattr(request, "id", ""),
        }
        return JsonResponse(body, status=HTTPStatus.NOT_FOUND)
    return error_response(request, HTTPStatus.NOT_FOUND)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500, or what the failure that is being handled means, in a middleware too."""
    error = sys.exc_info()[1]
    _count(error)
    return error_response(request, status_of(error))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer 403 to a form without its token: too old, or not from here."""
    del reason
    if wants_json(request):
        body = {
            "error": "csrf",
            "message": gettext("The page is too old; load it again."),
            "request_id": getattr(request, "id", ""),
        }
        return JsonResponse(body, status=HTTPStatus.FORBIDDEN)
    return error_response(request, HTTPStatus.FORBIDDEN)


# What the database could not do, in words for whoever runs a command.


def database_error(error: Exception) -> GecbenchError | None:
    """One line for a failure of the database; None for all else."""
    if not isinstance(error, DatabaseError | InterfaceError):
        return None
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
    status = status_of(error)
    if status == 507:
        return GecbenchError(
            f"the disk is full or not to be written to ({reason}); make room and run it again, "
            "nothing half done was kept"
        )
    if status == 503:
        return GecbenchError(
            f"the database is busy or cannot be reached ({reason}); try again, nothing half done "
            "was kept"
        )
    missing = ("no such table", "no such column", "does not exist")
    if _code(error.__cause__) in ("42P01", "42703") or any(words in reason for words in missing):
        return GecbenchError(
            f"the database is not up to date ({reason}); start the server once: gecbench annotate "
            "serve, or make the database: gecbench annotate init"
        )
    return None
