"""Files come in: looked at first, or imported; for managers."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest
from ninja import File, Form, Router, Status, UploadedFile

from gecbench.core.errors import UsageError
from gecbench.server.exchange.content import MOST_BYTES, Content, content_of
from gecbench.server.exchange.imports import run_import
from gecbench.server.exchange.planning import plan_import
from gecbench.server.exchange.plans import ImportOptions, Plan, options_from
from gecbench.server.exchange.presence import missing
from gecbench.server.laws.names import Purpose
from gecbench.server.models import ImportBatch
from gecbench.server.rest.answers import refusal
from gecbench.server.rest.entrance import acting_manager_of, manager_of, only, person_of
from gecbench.server.rest.shapes import Failure, ImportDone, ImportGiven, ImportShown, PlanShown

router = Router(tags=["imports"])
_MOST_FILES = 10


@router.get("projects/{slug:slug}/imports", response={200: list[ImportShown], 404: Failure})
def imports(request: HttpRequest, slug: str) -> list[dict[str, object]]:
    """Return the last hundred imports; `missing` is not 0 where one was interrupted."""
    only(request)
    project = manager_of(request, slug).project
    return [
        {
            "batch": one.pk,
            "file": one.file_name,
            "sha256": one.file_sha256,
            "format": one.format,
            "sentences": one.counts["sentences"],
            "missing": missing(one),
            "at": one.at,
        }
        for one in ImportBatch.objects.filter(project=project).order_by("-id")[:100]
    ]


@router.post(
    "projects/{slug:slug}/imports/plan",
    response={200: PlanShown, 403: Failure, 404: Failure, 422: Failure},
)
def plan(
    request: HttpRequest,
    slug: str,
    file: Annotated[UploadedFile, File()],
    given: Annotated[ImportGiven, Form()],
    columns: Annotated[list[UploadedFile], File()] = [],  # noqa: B006  # ninja's way to say none
) -> dict[str, object]:
    """Say what an import would do; nothing is written (the dry run).

    `columns` are files of references, line by line, where the file is one of sources.
    """
    made = _plan(request, slug, file, given, columns)
    return {
        "obstacle": made.obstacle,
        "report": made.report.as_json(),
        "sha256": made.sha256,
        "resumes": made.resumes is not None,
    }


@router.post(
    "projects/{slug:slug}/imports",
    response={201: ImportDone, 403: Failure, 404: Failure, 409: Failure, 422: Failure},
)
def run(
    request: HttpRequest,
    slug: str,
    file: Annotated[UploadedFile, File()],
    given: Annotated[ImportGiven, Form()],
    columns: Annotated[list[UploadedFile], File()] = [],  # noqa: B006  # ninja's way to say none
) -> Status[dict[str, object]]:
    """Import a file; where something is wrong with it, nothing is changed."""
    made = _plan(request, slug, file, given, columns)
    if made.obstacle:
        told = [
            {"field": f"file:{one.line}", "message": one.message} for one in made.report.problems
        ]
        return Status(422, refusal(request, made.obstacle, told))
    done = run_import(made, by=person_of(request))
    return Status(
        201,
        {
            "batch": done.batch.pk,
            "sentences": done.sentences,
            "kept_references": done.kept,
            "report": made.report.as_json(),
        },
    )


def _plan(
    request: HttpRequest,
    slug: str,
    file: UploadedFile,
    given: ImportGiven,
    columns: list[UploadedFile],
) -> Plan:
    only(request)
    project = acting_manager_of(request, slug).project
    _only_fields(request)
    if len(columns) > _MOST_FILES:
        raise UsageError(f"at most {_MOST_FILES} files of references go with a file of sources")
    options = _options(given, parallel=bool(columns))
    content = _content(file, options)
    return plan_import(
        project, content, options, references=[_content(one, options) for one in columns]
    )


def _only_fields(request: HttpRequest) -> None:
    """Refuse fields of the form that mean nothing: a form has no schema that would."""
    known = {*ImportGiven.model_fields, "file", "columns"}
    for name in (*request.POST, *request.FILES):
        if name not in known:
            raise UsageError(f"unknown field {name!r}; known: {', '.join(sorted(known))}")


def _options(given: ImportGiven, *, parallel: bool) -> ImportOptions:
    stored = {**given.dict(), "purpose": Purpose(given.purpose)}
    if parallel and stored["format"] is None:
        stored["format"] = "lines"
    return options_from(stored)


def _content(file: UploadedFile, options: ImportOptions) -> Content:
    if (file.size or 0) > MOST_BYTES:  # before all of it is in memory
        raise UsageError(
            f"{file.name}: has {file.size:,} bytes; at most {MOST_BYTES:,} are read at once"
        )
    return content_of(file.name or "file", file.read(), encoding=options.encoding)
