"""How the API says no: one shape of JSON for every failure, with the number of the request."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from gecbench.core.errors import GecbenchError
from gecbench.server.web.errors import status_of
from gecbench.server.workflow.errors import RefusedError, WorkflowError

_LOG = logging.getLogger("gecbench.rest")
_MESSAGES: Mapping[int, str] = {
    500: "something is broken here; nothing half done was kept",
    503: "the database did not answer in time; try again in some seconds",
    507: "the disk of the server is full; nothing can be saved now",
}


def refusal(
    request: HttpRequest, message: str, problems: Sequence[Mapping[str, object]] = ()
) -> dict[str, object]:
    """The body of a refused request: what is wrong, and the id that the log has, too."""
    body: dict[str, object] = {"error": message, "request_id": getattr(request, "id", "")}
    if problems:
        body["problems"] = list(problems)
    return body


def error_response(
    request: HttpRequest,
    status: int,
    message: str,
    problems: Sequence[Mapping[str, object]] = (),
) -> HttpResponse:
    """Return a failure as a response."""
    body = refusal(request, message, problems)
    response = JsonResponse(body, status=status, json_dumps_params={"ensure_ascii": False})
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def answer_failures(api: NinjaAPI) -> None:
    """Let the API answer every failure in this shape."""
    api.add_exception_handler(GecbenchError, _refusal_response)
    api.add_exception_handler(HttpError, _http)
    api.add_exception_handler(Http404, _not_found)
    api.add_exception_handler(ValidationError, _invalid)
    api.add_exception_handler(Exception, _broken)


def _refusal_response(
    request: HttpRequest, error: GecbenchError | type[GecbenchError]
) -> HttpResponse:
    status = error.status if isinstance(error, WorkflowError) else 422
    problems = error.problems if isinstance(error, RefusedError) else ()
    details = [
        {"code": problem.code, "field": problem.field, "message": problem.message}
        for problem in problems
    ]
    return error_response(request, status, str(error), details)


def _http(request: HttpRequest, error: HttpError | type[HttpError]) -> HttpResponse:
    status = getattr(error, "status_code", 400)
    message = str(error)
    if status == 401 and message == "Unauthorized":
        message = "sign in, or send a token: Authorization: Bearer gecb_..."
    response = error_response(request, status, message)
    if status == 429:
        response["Retry-After"] = str(getattr(error, "seconds", 1))
    return response


def _not_found(request: HttpRequest, error: Http404 | type[Http404]) -> HttpResponse:
    del error
    return error_response(request, 404, "there is no such thing, or it is not for you")


def _invalid(request: HttpRequest, error: ValidationError | type[ValidationError]) -> HttpResponse:
    errors = getattr(error, "errors", [])
    problems = [
        {"field": ".".join(str(part) for part in detail["loc"][1:]), "message": str(detail["msg"])}
        for detail in errors
    ]
    first = problems[0] if problems else {"field": "", "message": "it cannot be read"}
    message = f"{first['field']}: {first['message']}" if first["field"] else first["message"]
    return error_response(request, 422, message, problems)


def _broken(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    status = status_of(error) if isinstance(error, Exception) else 500
    if status == 500:
        _LOG.error("request %s failed", getattr(request, "id", ""), exc_info=True)
    return error_response(request, status, _MESSAGES.get(status, _MESSAGES[500]))
