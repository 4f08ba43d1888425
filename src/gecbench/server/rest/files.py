"""Files come in and go out: imports, exports, releases; for managers."""

from __future__ import annotations

from typing import Annotated, Literal

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import File, Form, Router, Status, UploadedFile

from gecbench.core.errors import UsageError
from gecbench.formats.records import Content
from gecbench.server.choices import Purpose
from gecbench.server.import_export.exports import (
    ExportOptions,
    choose_file,
    export,
    formats_of,
    log_export,
    notes,
)
from gecbench.server.import_export.imports import run_import
from gecbench.server.import_export.plans import (
    ImportOptions,
    Plan,
    missing,
    options_from,
    plan_import,
)
from gecbench.server.import_export.reading import MOST_BYTES, content_of
from gecbench.server.import_export.releases import make_release
from gecbench.server.models import ImportBatch, Project, Release
from gecbench.server.rest.authentication import (
    acting_manager_of,
    manager_of,
    only,
    person_of,
    slowly,
)
from gecbench.server.rest.schemas import (
    ExportOutput,
    Failure,
    ImportInput,
    ImportOutput,
    ImportPlan,
    ImportResult,
    ReleaseInput,
    ReleaseOutput,
    refusal,
)
from gecbench.server.web.http import attachment, client_address
from gecbench.server.web.manage.exports import send_file

# Files come in: looked at first, or imported; for managers.


imports_router = Router(tags=["imports"])
_MOST_FILES = 10


@imports_router.get(
    "projects/{slug:slug}/imports", response={200: list[ImportOutput], 404: Failure}
)
def imports(request: HttpRequest, slug: str) -> list[dict[str, object]]:
    """Return the last hundred imports; `missing` is not 0 where one was interrupted."""
    only(request)
    project = manager_of(request, slug).project
    return [
        {
            "batch": batch.pk,
            "file": batch.file_name,
            "sha256": batch.file_sha256,
            "format": batch.format,
            "sentences": batch.counts["sentences"],
            "missing": missing(batch),
            "at": batch.at,
        }
        for batch in ImportBatch.objects.filter(project=project).order_by("-id")[:100]
    ]


@imports_router.post(
    "projects/{slug:slug}/imports/plan",
    response={200: ImportPlan, 403: Failure, 404: Failure, 422: Failure},
)
def plan(
    request: HttpRequest,
    slug: str,
    file: Annotated[UploadedFile, File()],
    form: Annotated[ImportInput, Form()],
    columns: Annotated[list[UploadedFile], File()] = [],  # noqa: B006  # ninja's way to say none
) -> dict[str, object]:
    """Say what an import would do; nothing is written (the dry run).

    `columns` are files of references, line by line, where the file is one of sources.
    """
    result = _plan(request, slug, file, form, columns)
    return {
        "obstacle": result.obstacle,
        "report": result.report.as_json(),
        "sha256": result.sha256,
        "resumes": result.resumes is not None,
    }


@imports_router.post(
    "projects/{slug:slug}/imports",
    response={201: ImportResult, 403: Failure, 404: Failure, 409: Failure, 422: Failure},
)
def run(
    request: HttpRequest,
    slug: str,
    file: Annotated[UploadedFile, File()],
    form: Annotated[ImportInput, Form()],
    columns: Annotated[list[UploadedFile], File()] = [],  # noqa: B006  # ninja's way to say none
) -> Status[dict[str, object]]:
    """Import a file; where something is wrong with it, nothing is changed."""
    import_plan = _plan(request, slug, file, form, columns)
    if import_plan.obstacle:
        problems = [
            {"field": f"file:{problem.line}", "message": problem.message}
            for problem in import_plan.report.problems
        ]
        return Status(422, refusal(request, import_plan.obstacle, problems))
    done = run_import(import_plan, by=person_of(request))
    return Status(
        201,
        {
            "batch": done.batch.pk,
            "sentences": done.sentences,
            "kept_references": done.references,
            "report": import_plan.report.as_json(),
        },
    )


def _plan(
    request: HttpRequest,
    slug: str,
    file: UploadedFile,
    payload: ImportInput,
    columns: list[UploadedFile],
) -> Plan:
    only(request)
    project = acting_manager_of(request, slug).project
    _only_fields(request)
    if len(columns) > _MOST_FILES:
        raise UsageError(f"at most {_MOST_FILES} files of references go with a file of sources")
    options = _options(payload)
    content = _content(file, options)
    return plan_import(
        project, content, options, references=[_content(column, options) for column in columns]
    )


def _only_fields(request: HttpRequest) -> None:
    """Refuse fields of the form that mean nothing: a form has no schema that would."""
    names = {*ImportInput.model_fields, "file", "columns"}
    for name in (*request.POST, *request.FILES):
        if name not in names:
            raise UsageError(f"unknown field {name!r}; known: {', '.join(sorted(names))}")


def _options(payload: ImportInput) -> ImportOptions:
    return options_from({**payload.dict(), "purpose": Purpose(payload.purpose)})


def _content(file: UploadedFile, options: ImportOptions) -> Content:
    if (file.size or 0) > MOST_BYTES:  # before all of it is in memory
        raise UsageError(
            f"{file.name}: has {file.size:,} bytes; at most {MOST_BYTES:,} are read at once"
        )
    return content_of(file.name or "file", file.read(), encoding=options.encoding)


# Files go out: exports as the project is now, and releases that never change; for managers.


outputs_router = Router(tags=["exports"])
_FILE = {200: {"description": "The file.", "content": {"application/octet-stream": {}}}}


@outputs_router.get(
    "projects/{slug:slug}/exports", response={200: list[ExportOutput], 404: Failure}
)
def exports(request: HttpRequest, slug: str) -> list[dict[str, object]]:
    """Return the formats of export, each with what it leaves out of this project now."""
    only(request)
    project = manager_of(request, slug).project
    return [
        {
            "format": name,
            "about": kind.about,
            "media": kind.media,
            "notes": [str(note) for note in notes(project, ExportOptions(name))],
        }
        for name, kind in formats_of(project.kind).items()
    ]


@outputs_router.get(
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
    file = choose_file(export(project, options), part)
    who, address = person_of(request), client_address(request) or ""
    content = log_export(file, project, options, who=who, address=address)
    return attachment(file.name, file.media, content)


@outputs_router.get(
    "projects/{slug:slug}/releases", response={200: list[ReleaseOutput], 404: Failure}
)
def releases(request: HttpRequest, slug: str) -> list[Release]:
    """Return the releases, newest first."""
    only(request)
    project = manager_of(request, slug).project
    return list(Release.objects.filter(project=project).order_by("-id"))


@outputs_router.post(
    "projects/{slug:slug}/releases",
    response={201: ReleaseOutput, 403: Failure, 404: Failure, 422: Failure},
)
def new_release(request: HttpRequest, slug: str, given: ReleaseInput) -> Status[Release]:
    """Freeze the golden sets of now under a name."""
    only(request)
    project = acting_manager_of(request, slug).project
    release = make_release(
        project, name=given.name, note=given.note, schemes=given.schemes, by=person_of(request)
    )
    return Status(201, release)


@outputs_router.get(
    "projects/{slug:slug}/releases/{name}", response={200: ReleaseOutput, 404: Failure}
)
def release(request: HttpRequest, slug: str, name: str) -> Release:
    """Return a release with its manifest: files, sizes, SHA-256."""
    only(request)
    return _release(manager_of(request, slug).project, name)


@outputs_router.get(
    "projects/{slug:slug}/releases/{name}/{file}",
    response={404: Failure},
    openapi_extra={"responses": _FILE},
)
def release_file(request: HttpRequest, slug: str, name: str, file: str) -> StreamingHttpResponse:
    """Stream a file of a release: the same bytes for ever; X-Sha256 is their hash."""
    only(request)
    return send_file(_release(manager_of(request, slug).project, name), file)


def _release(project: Project, name: str) -> Release:
    if "\0" in name:
        raise Http404
    return get_object_or_404(Release, project=project, name=name)
