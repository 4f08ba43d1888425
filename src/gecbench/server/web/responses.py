"""Files that a browser saves, streamed while they are made."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from gecbench.core.errors import GecbenchError
from gecbench.server.site.migration import unapplied
from gecbench.server.web.permissions import anyone


def attachment(name: str, media: str, content: Iterator[bytes]) -> StreamingHttpResponse:
    """Return a file to be saved under a name, whatever letters it has."""
    response = StreamingHttpResponse(content, content_type=media)
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    response["Cache-Control"] = "no-store"
    return response


# Whether the site lives, and whether it can work; for whoever watches it.


@anyone
@never_cache
@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """Answer that a process is here."""
    del request
    return HttpResponse("ok\n", content_type="text/plain")


@anyone
@never_cache
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Answer 200 if the database answers and is up to date, else 503 and why in a word."""
    del request
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        missing = unapplied()
    except (DatabaseError, GecbenchError):
        return HttpResponse("no database\n", status=503, content_type="text/plain")
    if missing:
        return HttpResponse("not migrated\n", status=503, content_type="text/plain")
    return HttpResponse("ready\n", content_type="text/plain")
