"""Running an import: all of it or nothing, or in pieces that can be gone on with.

A small file is one transaction. A large one would keep everybody else from writing for many
seconds, so it is written in pieces; its batch says how many sentences belong to it, and where it
was interrupted the same file goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from gecbench import __version__
from gecbench.core.errors import UsageError
from gecbench.server.choices import Dimension, Origin
from gecbench.server.import_export.plans import Plan, Ready, stored_options
from gecbench.server.models import ImportBatch, Person, Project, Reference, Sentence
from gecbench.server.rules.text import digest
from gecbench.server.workflow import audit
from gecbench.server.workflow.errors import ConflictError
from gecbench.server.workflow.sentences import BATCH, add_sentences

AT_ONCE = 5000
"""Sentences of an import that is one transaction."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did.

    Args:
        batch: Its row.
        sentences: How many were added now.
        kept: How many references were kept beside them.
    """

    batch: ImportBatch
    sentences: int
    kept: int


def run_import(plan: Plan, *, by: Person | None) -> Imported:
    """Do what a plan says.

    Raises:
        UsageError: The plan has an obstacle: nothing is changed.
        ConflictError: Somebody added sentences with the same ids since the plan was made.
    """
    if plan.obstacle:
        raise UsageError(plan.obstacle)
    project = Project.objects.get(pk=plan.project)
    whole = len(plan.sentences) <= AT_ONCE and plan.resumes is None
    with ExitStack() as stack:
        if whole:
            stack.enter_context(transaction.atomic())
        batch = _batch(plan, project, by)
        for start in range(0, len(plan.sentences), BATCH):
            _add(project, plan.sentences[start : start + BATCH], batch)
        kept = sum(len(one.kept) for one in plan.sentences)
        audit.record(
            "sentences.imported",
            who=by,
            project=project,
            about=("import_batch", batch.pk),
            data={"sentences": len(plan.sentences), "kept_references": kept},
        )
    return Imported(batch, len(plan.sentences), kept)


def _batch(plan: Plan, project: Project, by: Person | None) -> ImportBatch:
    if plan.resumes is not None:
        return ImportBatch.objects.get(pk=plan.resumes)
    report = plan.report
    counts = {
        **report.as_json(),
        "duplicates": [],  # texts belong to sentences, not to the record of an import
        "problems": [],
        "skipped": [],
        "examples": [],
        "sentences": len(plan.sentences),
        "options": stored_options(plan.options),
        "prefix": plan.prefix,
        "gecbench": __version__,
    }
    return ImportBatch.objects.create(
        project=project,
        file_name=report.file,
        file_sha256=plan.sha256,
        format=report.format,
        counts=counts,
        by=by,
    )


def _add(project: Project, ready: Sequence[Ready], batch: ImportBatch) -> None:
    """Add a piece: sentences, slots, golden sets and kept references in one transaction."""
    try:
        with transaction.atomic():
            add_sentences(project, [one.row for one in ready], batch=batch)
            _keep(project, [one for one in ready if one.kept])
    except (IntegrityError, UsageError) as error:
        raise ConflictError(
            f"the project has changed since the file was looked at ({error}); look at it again"
        ) from error


def _keep(project: Project, ready: Sequence[Ready]) -> None:
    names = [one.row.external_id for one in ready]
    rows: dict[str, int] = dict(
        Sentence.objects.filter(project=project, external_id__in=names).values_list(
            "external_id", "pk"
        )
    )
    Reference.objects.bulk_create(
        Reference(
            sentence_id=rows[one.row.external_id],
            position=position,
            text=kept.text,
            digest=digest(kept.text),
            dimension=Dimension.FLUENCY if kept.fluency else Dimension.GRAMMAR,
            origin=Origin.IMPORT,
        )
        for one in ready
        for position, kept in enumerate(one.kept)
    )
