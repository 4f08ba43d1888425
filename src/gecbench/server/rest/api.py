"""The API as a whole: its rooms, its failures, its description."""

from __future__ import annotations

from ninja import NinjaAPI
from ninja.renderers import JSONRenderer

from gecbench import __version__
from gecbench.server.rest.account import router as account
from gecbench.server.rest.answers import answer_failures
from gecbench.server.rest.entrance import BySession, ByToken
from gecbench.server.rest.imports import router as imports
from gecbench.server.rest.outputs import router as outputs
from gecbench.server.rest.projects import router as projects
from gecbench.server.rest.work import router as work


class _Readable(JSONRenderer):
    """Chinese as it is written, not as escapes."""

    json_dumps_params = {"ensure_ascii": False}  # noqa: RUF012  # as its parent says it


api = NinjaAPI(
    title="gecbench",
    version=__version__,
    description="Projects, sentences, submissions, golden sets, imports, exports and releases.",
    urls_namespace="api",
    docs_url=None,  # ninja's page loads scripts from another host
    renderer=_Readable(),
    auth=[ByToken(), BySession()],
)
answer_failures(api)
for room in (account, projects, work, imports, outputs):
    api.add_router("", room)
