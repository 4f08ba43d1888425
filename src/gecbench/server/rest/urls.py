"""The API as a whole: its routers, its failures, its description; who may come where."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_safe
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.operation import Operation
from ninja.renderers import JSONRenderer

from gecbench import __version__
from gecbench.core.errors import GecbenchError
from gecbench.server.choices import Role
from gecbench.server.rest.authentication import BySession, ByToken
from gecbench.server.rest.files import imports_router as imports
from gecbench.server.rest.files import outputs_router as outputs
from gecbench.server.rest.projects import account_router as account
from gecbench.server.rest.projects import pay_router as pay
from gecbench.server.rest.projects import projects_router as projects
from gecbench.server.rest.projects import work_router as work
from gecbench.server.rest.schemas import refusal
from gecbench.server.web.errors import status_of
from gecbench.server.web.permissions import Access
from gecbench.server.workflow.errors import RefusedError, WorkflowError

_LOG = logging.getLogger("gecbench.rest")
_MESSAGES: Mapping[int, str] = {
    500: "something is broken here; nothing half done was kept",
    503: "the database did not answer in time; try again in some seconds",
    507: "the disk of the server is full; nothing can be saved now",
}


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


class _Readable(JSONRenderer):
    """Chinese as it is written, not as escapes."""

    json_dumps_params = {"ensure_ascii": False}  # noqa: RUF012  # as its parent says it


class _Api(NinjaAPI):
    """Ninja's, but its operations keep their names when their views move to another module."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Name an operation for generated clients."""
        tag = operation.tags[0] if operation.tags else "root"
        part = "outputs" if tag == "exports" else tag
        return f"gecbench_server_rest_{part}_{operation.view_func.__name__}"


def _with_json_failures(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let what ninja answers to a method that it does not take have the shape of all failures."""

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            return response
        refused = error_response(
            request, response.status_code, f"this address does not take {request.method}"
        )
        refused["Allow"] = response["Allow"]
        return refused

    return answer


api = _Api(
    title="gecbench",
    version=__version__,
    description="Projects, sentences, submissions, golden sets, imports, exports and releases.",
    urls_namespace="api",
    docs_url=None,  # ninja's page loads scripts from another host
    renderer=_Readable(),
    auth=[ByToken(), BySession()],
)
answer_failures(api)
for router in (account, projects, work, pay, imports, outputs):
    api.add_router("", router)


@require_safe
def root(request: HttpRequest) -> JsonResponse:
    """Say where the description of the API is."""
    del request
    return JsonResponse({"openapi": reverse("api:openapi-json")})


root.access = Access("anyone")  # type: ignore[attr-defined]


def _address(pattern: URLPattern) -> URLPattern:
    """Return an address whose view says who may come, as the pages' views do."""
    pattern.callback = _with_json_failures(pattern.callback)
    access = _PLAIN.get(str(pattern.pattern), Access("member", (Role.MANAGER,)))
    pattern.callback.access = access  # type: ignore[attr-defined]
    return pattern


urlpatterns = [
    path("", root, name="api-root"),
    *(
        _address(address)
        for address in api.urls[0]
        if isinstance(address, URLPattern) and address.name != "api-root"
    ),
]
