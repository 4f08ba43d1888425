"""Perturbed cases as they leave a project: RobustGEC's files, and all that was done about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any

from django.db.models import Prefetch

from gecbench.core.perturbed import PerturbedCase
from gecbench.core.perturbed import Variant as Pair
from gecbench.server.choices import SUBMITTED_OR_LATER, SentenceState
from gecbench.server.import_export.corpora import (
    GoldenRow,
    Look,
    Naming,
    by_number,
    lines_of,
    real_sentences,
)
from gecbench.server.models import (
    Golden,
    GoldenVariant,
    Project,
    Proposal,
    Sentence,
    Variant,
    VariantCheck,
)


def cases_of(rows: Sequence[GoldenRow]) -> list[PerturbedCase]:
    """Cases with the variants of a golden version, in the order given."""
    texts = {
        key: (name, text, target or "")
        for key, name, text, target in Sentence.objects.filter(
            pk__in=[row.sentence for row in rows]
        ).values_list("pk", "external_id", "text", "target")
    }
    variants: dict[int, list[Pair]] = defaultdict(list)
    entries = GoldenVariant.objects.filter(golden__in=[row.golden for row in rows])
    for golden, source, target in entries.order_by("golden", "position").values_list(
        "golden", "variant__source", "variant__target"
    ):
        variants[golden].append(Pair(source, target))
    return [
        PerturbedCase(
            texts[row.sentence][0], Pair(*texts[row.sentence][1:]), tuple(variants[row.golden])
        )
        for row in rows
    ]


def widths(rows: Sequence[GoldenRow]) -> set[int]:
    """The numbers of variants that cases have."""
    counts: dict[int, int] = defaultdict(int)
    entries = GoldenVariant.objects.filter(golden__in=[row.golden for row in rows])
    for golden in entries.values_list("golden", flat=True):
        counts[golden] += 1
    return set(counts.values())


def export_variants(project: Project, look: Look, naming: Naming) -> Iterator[bytes]:
    """Yield an object a line: a case, all its variants, who made what, and each check."""
    sentences = real_sentences(project).exclude(state=SentenceState.WITHDRAWN)

    def rows(piece: Sequence[Sentence]) -> list[dict[str, object]]:
        keys = [sentence.pk for sentence in piece]
        checks = VariantCheck.objects.select_related("review").order_by("pk")
        variants: dict[int, list[Variant]] = defaultdict(list)
        for variant in (
            Variant.objects.filter(sentence__in=keys)
            .select_related("submission__guideline", "submission__slot", "proposal", "edit_of")
            .prefetch_related(Prefetch("checks", checks))
            .order_by("position", "pk")
        ):
            variants[variant.sentence_id].append(variant)
        golden: dict[int, set[int]] = defaultdict(set)
        entries = GoldenVariant.objects.filter(golden__in=[row.golden_id for row in piece])
        for number, entry in entries.values_list("golden__sentence", "variant"):
            golden[number].add(entry)
        versions = dict(Golden.objects.filter(sentence__in=keys).values_list("pk", "version"))
        proposals: dict[int, list[Proposal]] = defaultdict(list)
        for proposal in Proposal.objects.filter(sentence__in=keys).order_by("position"):
            proposals[proposal.sentence_id].append(proposal)
        return [
            {
                "id": sentence.external_id,
                "number": sentence.number,
                "source": sentence.text,
                "target": sentence.target,
                "meta": look.meta(sentence.meta, sentence.source_id),
                "state": sentence.state,
                "golden_version": versions.get(sentence.golden_id) if sentence.golden_id else None,
                "scheme": sentence.case.scheme,
                "signature": sentence.case.signature,
                "gaps": sentence.case.gaps,
                "errors": sentence.case.chips,
                "proposals": [_proposal(proposal) for proposal in proposals.get(sentence.pk, ())],
                "variants": [
                    _variant(variant, naming, golden[sentence.pk])
                    for variant in variants.get(sentence.pk, ())
                ],
            }
            for sentence in piece
        ]

    cases = sentences.filter(case__isnull=False).select_related("case")
    for objects in by_number(cases, rows):
        yield from lines_of(objects)


def _proposal(proposal: Proposal) -> Mapping[str, Any]:
    return {
        "position": proposal.position,
        "source": proposal.source,
        "target": proposal.target,
        "model": proposal.model,
        "version": proposal.model_version,
        "at": _time(proposal),
    }


def _variant(variant: Variant, naming: Naming, golden: set[int]) -> Mapping[str, Any]:
    submission, proposal = variant.submission, variant.proposal
    return {
        "position": variant.position,
        "source": variant.source,
        "target": variant.target,
        "gaps": variant.gaps,
        "origin": variant.origin,
        "golden": variant.pk in golden,
        "annotator": naming.of(submission.person_id) if submission else None,
        "no": submission.no if submission else None,
        "stands": submission.slot.state in SUBMITTED_OR_LATER if submission else None,
        "note": submission.reason_note if submission else "",
        "guideline": submission.guideline.version if submission and submission.guideline else None,
        "active_ms": submission.active_ms if submission else None,
        "proposal": {"model": proposal.model, "version": proposal.model_version}
        if proposal
        else None,
        "edits": variant.edits,
        "changed_tokens": variant.changed,
        "tokens": variant.tokens,
        "moved": variant.moved,
        "at": _time(variant),
        "checks": [
            {
                "reviewer": naming.of(check.review.reviewer_id),
                "at": check.review.at.astimezone(UTC).isoformat(timespec="milliseconds"),
                "decision": check.decision,
                "reasons": check.reasons,
                "note": check.note,
                "allows_moved": check.allows_moved,
            }
            for check in variant.checks.all()
        ],
    }


def _time(row: Proposal | Variant) -> str:
    return row.at.astimezone(UTC).isoformat(timespec="milliseconds")
