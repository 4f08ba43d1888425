"""The API as a whole: its routers, its failures, its description."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, URLResolver
from ninja import NinjaAPI
from ninja.operation import Operation
from ninja.renderers import JSONRenderer

from gecbench import __version__
from gecbench.server.rest.authentication import BySession, ByToken
from gecbench.server.rest.errors import answer_failures, error_response
from gecbench.server.rest.files import imports_router as imports
from gecbench.server.rest.files import outputs_router as outputs
from gecbench.server.rest.pay import pay_router as pay
from gecbench.server.rest.projects import account_router as account
from gecbench.server.rest.projects import projects_router as projects
from gecbench.server.rest.projects import work_router as work


class _Readable(JSONRenderer):
    """Chinese as it is written, not as escapes."""

    json_dumps_params = {"ensure_ascii": False}  # noqa: RUF012  # as its parent says it


class _Api(NinjaAPI):
    """Ninja's, but what it answers to another kind of request has the shape of all failures."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Name an operation for generated clients, whatever module it stands in."""
        tag = operation.tags[0] if operation.tags else "root"
        part = "outputs" if tag == "exports" else tag
        return f"gecbench_server_rest_{part}_{operation.view_func.__name__}"

    @property
    def urls(self) -> tuple[list[URLResolver | URLPattern], str, str]:
        """The addresses, as Django includes them."""
        patterns, app, namespace = super().urls
        for pattern in patterns:
            if isinstance(pattern, URLPattern):
                pattern.callback = _with_json_failures(pattern.callback)
        return patterns, app, namespace


def _with_json_failures(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
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
