"""Files go out: exports as the project is now, and releases that never change; for managers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal
from urllib.parse import quote

from django.http import Http404, HttpRequest, StreamingHttpResponse
from ninja import Router, Status

from gecbench.server.exchange.exports import (
    EXPORTS,
    ExportFile,
    ExportOptions,
    export,
    notes,
    one_file,
)
from gecbench.server.exchange.journal import journalled
from gecbench.server.exchange.releases import export_release, make_release, release_files
from gecbench.server.models import Project, Release
from gecbench.server.rest.entrance import acting_manager_of, manager_of, only, person_of, slowly
from gecbench.server.rest.shapes import ExportShown, Failure, ReleaseGiven, ReleaseShown
from gecbench.server.web.addresses import client_address

router = Router(tags=["exports"])
_FILE = {200: {"description": "The file.", "content": {"application/octet-stream": {}}}}


@router.get("projects/{slug:slug}/exports", response={200: list[ExportShown], 404: Failure})
def exports(request: HttpRequest, slug: str) -> list[dict[str, object]]:
    """Return the formats of export, each with what it leaves out of this project now."""
    only(request)
    project = manager_of(request, slug).project
    return [
        {
            "format": name,
            "about": one.about,
            "media": one.media,
            "notes": [str(one) for one in notes(project, ExportOptions(name))],
        }
        for name, one in EXPORTS.items()
    ]


@router.get(
    "projects/{slug:slug}/exports/{slug:format}",
    response={404: Failure, 422: Failure, 429: Failure},
    openapi_extra={"responses": _FILE},
)
def export_now(
    request: HttpRequest,
    slug: str,
    format: str,
    scheme: str = "",
    names: bool = False,
    alias: str | None = None,
    unannotatable: Literal["keep", "leave_out"] | None = None,
    part: str = "",
) -> StreamingHttpResponse:
    """Stream an export; of parallel text one part: .src, .ref0, .ref1, ..."""
    only(request, "scheme", "names", "alias", "unannotatable", "part")
    project = acting_manager_of(request, slug).project
    slowly(request, "export")
    options = ExportOptions(format, scheme, names, alias, unannotatable)
    file = one_file(export(project, options), part)
    who, address = person_of(request), client_address(request) or ""
    return attachment(file, journalled(file, project, options, who=who, address=address))


@router.get("projects/{slug:slug}/releases", response={200: list[ReleaseShown], 404: Failure})
def releases(request: HttpRequest, slug: str) -> list[Release]:
    """Return the releases, newest first."""
    only(request)
    project = manager_of(request, slug).project
    return list(Release.objects.filter(project=project).order_by("-id"))


@router.post(
    "projects/{slug:slug}/releases",
    response={201: ReleaseShown, 403: Failure, 404: Failure, 422: Failure},
)
def new_release(request: HttpRequest, slug: str, given: ReleaseGiven) -> Status[Release]:
    """Freeze the golden sets of now under a name."""
    only(request)
    project = acting_manager_of(request, slug).project
    made = make_release(
        project, name=given.name, note=given.note, schemes=given.schemes, by=person_of(request)
    )
    return Status(201, made)


@router.get("projects/{slug:slug}/releases/{name}", response={200: ReleaseShown, 404: Failure})
def release(request: HttpRequest, slug: str, name: str) -> Release:
    """Return a release with its manifest: files, sizes, SHA-256."""
    only(request)
    return _release(manager_of(request, slug).project, name)


@router.get(
    "projects/{slug:slug}/releases/{name}/{file}",
    response={404: Failure},
    openapi_extra={"responses": _FILE},
)
def release_file(request: HttpRequest, slug: str, name: str, file: str) -> StreamingHttpResponse:
    """Stream a file of a release: the same bytes for ever; X-Sha256 is their hash."""
    only(request)
    found = _release(manager_of(request, slug).project, name)
    if file not in release_files(found):
        raise Http404
    made = export_release(found, file)
    response = attachment(made, made.content)
    response["X-Sha256"] = str(release_files(found)[file]["sha256"])
    response["Content-Length"] = str(release_files(found)[file]["bytes"])
    return response


def attachment(file: ExportFile, content: Iterator[bytes]) -> StreamingHttpResponse:
    """Return a file to be saved, streamed while it is made."""
    response = StreamingHttpResponse(content, content_type=file.media)
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(file.name, safe='')}"
    response["Cache-Control"] = "no-store"
    return response


def _release(project: Project, name: str) -> Release:
    if "\0" in name:
        raise Http404
    found = Release.objects.filter(project=project, name=name).first()
    if found is None:
        raise Http404
    return found
