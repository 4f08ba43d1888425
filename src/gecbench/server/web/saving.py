"""Files that a browser saves, streamed while they are made."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from django.http import StreamingHttpResponse


def attachment(name: str, media: str, content: Iterator[bytes]) -> StreamingHttpResponse:
    """Return a file to be saved under a name, whatever letters it has."""
    response = StreamingHttpResponse(content, content_type=media)
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    response["Cache-Control"] = "no-store"
    return response
