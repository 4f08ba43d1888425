"""Running an import: all of it or nothing, or in pieces that can be gone on with.

A small file is one transaction. A large one would keep everybody else from writing for many
seconds, so it is written in pieces; its batch says how many sentences belong to it, and where it
was interrupted the same file goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from django.db import IntegrityError, transaction

from gecbench import __version__
from gecbench.core.errors import Message, UsageError
from gecbench.core.scheme import Scheme
from gecbench.server.choices import Dimension, Origin
from gecbench.server.import_export.plans import (
    Plan,
    PlannedCase,
    PlannedSentence,
    options_json,
)
from gecbench.server.models import ImportBatch, Person, Project, Reference, Sentence
from gecbench.server.rules.perturbation import Division, divide, moves, subtlety
from gecbench.server.rules.text import digest
from gecbench.server.workflow import audit
from gecbench.server.workflow.errors import ConflictError
from gecbench.server.workflow.perturbation import SCHEMES, load_aligner
from gecbench.server.workflow.sentences import BATCH, NewCase, NewVariant, add_sentences

AT_ONCE = 5000
"""Sentences of an import that is one transaction."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import did.

    Args:
        batch: Its row.
        sentences: How many were added now.
        references: How many were stored beside them.
    """

    batch: ImportBatch
    sentences: int
    references: int


def run_import(plan: Plan, *, by: Person | None) -> ImportResult:
    """Do what a plan says.

    Raises:
        UsageError: The plan has an obstacle: nothing is changed.
        ConflictError: Somebody added sentences with the same ids since the plan was made.
    """
    if plan.obstacle:
        raise UsageError(plan.obstacle)
    project = Project.objects.get(pk=plan.project)
    whole = len(plan.sentences) <= AT_ONCE and plan.resumes is None
    pieces = (
        plan.sentences[start : start + BATCH] for start in range(0, len(plan.sentences), BATCH)
    )
    case_pieces = _divide_cases(project, plan.options.scheme, pieces)
    with ExitStack() as stack:
        if whole:
            case_pieces = iter(
                list(case_pieces)
            )  # it takes long, and nobody waits for it meanwhile
            stack.enter_context(transaction.atomic())
        batch = _batch(plan, project, by)
        for piece in case_pieces:
            _add(project, piece, batch)
        references = sum(len(sentence.references) for sentence in plan.sentences)
        audit.record(
            "sentences.imported",
            who=by,
            project=project,
            about=("import_batch", batch.pk),
            data={"sentences": len(plan.sentences), "kept_references": references},
        )
    return ImportResult(batch, len(plan.sentences), references)


def _divide_cases(
    project: Project, scheme: str, pieces: Iterable[Sequence[PlannedSentence]]
) -> Iterator[Sequence[PlannedSentence]]:
    """Yield pieces whose cases have their errors, and variants what moved in them."""
    name = scheme or SCHEMES[project.lang][0]
    aligner = None
    for piece in pieces:
        if all(planned.case is None for planned in piece):
            yield piece
            continue
        aligner = aligner or load_aligner(name, project.lang)
        pairs = [
            pair
            for planned in piece
            if planned.case
            for pair in ((planned.row.text, planned.case.target), *planned.case.variants)
        ]
        divisions = iter(divide(aligner, pairs))
        yield [
            planned
            if planned.case is None
            else _with_case(planned, planned.case, divisions, aligner, project.lang)
            for planned in piece
        ]


def _with_case(
    planned: PlannedSentence,
    case: PlannedCase,
    divisions: Iterator[Division],
    aligner: Scheme,
    lang: str,
) -> PlannedSentence:
    division = next(divisions)
    variants = []
    for (source, target), variant_division in zip(case.variants, divisions, strict=False):
        moved = moves(division.chips, variant_division, lang)
        source_chips = [(chip.source, chip.target) for chip in division.chips]
        same = [(chip.source, chip.target) for chip in variant_division.chips] == source_chips
        measured = subtlety(planned.row.text, source, lang)
        variants.append(
            NewVariant(source, target, variant_division.gaps if same else None, moved, measured)
        )
    signature = "|".join(f"{name}:{value}" for name, value in aligner.signature.items())
    new = NewCase(case.target, division, aligner.name, signature, tuple(variants))
    return replace(planned, row=replace(planned.row, case=new))


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
        "options": options_json(plan.options),
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


def _add(project: Project, sentences: Sequence[PlannedSentence], batch: ImportBatch) -> None:
    """Add a piece: sentences, slots, golden sets and references in one transaction."""
    try:
        with transaction.atomic():
            add_sentences(project, [sentence.row for sentence in sentences], batch=batch)
            _add_references(project, [sentence for sentence in sentences if sentence.references])
    except (IntegrityError, UsageError) as error:
        raise ConflictError(
            "the project has changed since the file was looked at ({why}); look at it again",
            why=error if isinstance(error, UsageError) else Message("somebody added the same ids"),
        ) from error


def _add_references(project: Project, sentences: Sequence[PlannedSentence]) -> None:
    names = [sentence.row.external_id for sentence in sentences]
    rows: dict[str, int] = dict(
        Sentence.objects.filter(project=project, external_id__in=names).values_list(
            "external_id", "pk"
        )
    )
    Reference.objects.bulk_create(
        Reference(
            sentence_id=rows[sentence.row.external_id],
            position=position,
            text=reference.text,
            digest=digest(reference.text),
            dimension=Dimension.FLUENCY if reference.fluency else Dimension.GRAMMAR,
            origin=Origin.IMPORT,
        )
        for sentence in sentences
        for position, reference in enumerate(sentence.references)
    )
