"""Builders for tests of imports and exports: files as people hand them in, and what comes out."""

from __future__ import annotations

import json
from collections.abc import Sequence

from server.remembering import remembered
from server.workflow.reviewing import BAD, FAIR, GOOD, finalised, waiting
from server.workflow.stories import a_project, correction, error_free, sentence_of

from gecbench.server.import_export.exports import ExportOptions, export
from gecbench.server.import_export.imports import ImportResult, run_import
from gecbench.server.import_export.plans import ImportOptions, Plan, plan_import
from gecbench.server.import_export.reading import content_of
from gecbench.server.models import Project, Sentence


def empty(lang: str = "zh", slug: str = "story", **options: object) -> Project:
    """A project without sentences."""
    return a_project([], slug=slug, lang=lang, **options)


def planned(
    project: Project,
    text: str | bytes,
    *columns: str,
    name: str = "file.txt",
    **options: object,
) -> Plan:
    """The plan of an import of a file with this content."""
    raw = text.encode() if isinstance(text, str) else text
    options_ = ImportOptions(**options)
    return plan_import(
        project,
        content_of(name, raw, encoding=options_.encoding),
        options_,
        references=[
            content_of(f"{name}.ref{n}", column.encode()) for n, column in enumerate(columns)
        ],
    )


def imported(project: Project, text: str | bytes, *columns: str, **options: object) -> ImportResult:
    """What an import of a file with this content did."""
    return run_import(planned(project, text, *columns, **options), by=None)


def exported(project: Project, format: str, **options: object) -> dict[str, str]:
    """The files of an export, by their endings."""
    files = export(project, ExportOptions(format, **options))
    return {file.ending: b"".join(file.content).decode() for file in files}


def the_file(project: Project, format: str, **options: object) -> str:
    """The one file of an export."""
    (text,) = exported(project, format, **options).values()
    return text


def texts(project: Project) -> list[str]:
    """The sentences of a project, in order."""
    return list(
        Sentence.objects.filter(project=project).order_by("number").values_list("text", flat=True)
    )


def ids(project: Project) -> list[str]:
    return list(
        Sentence.objects.filter(project=project)
        .order_by("number")
        .values_list("external_id", flat=True)
    )


def json_lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@remembered
def reviewed(*, slug: str = "story", **options: object) -> Project:
    """A project whose first sentence was annotated by three and reviewed; a second is open."""
    project = waiting(
        correction(GOOD), correction(FAIR, BAD), error_free(), texts=2, slug=slug, **options
    )
    finalised(project)
    return project


def golden(project: Project, number: int = 1) -> Sequence[str]:
    """The golden texts of a sentence."""
    golden_set = sentence_of(project, number).golden
    return [entry.reference.text for entry in golden_set.entries.select_related("reference")]
