"""Perturbed cases as they leave a project: RobustGEC's files, and all that was done about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any

from django.db.models import F, Prefetch

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
    checks = VariantCheck.objects.select_related("review").order_by("pk")
    variants = Variant.objects.select_related("submission__slot", "proposal")
    variants = variants.annotate(guideline=F("submission__guideline__version"))
    variants = variants.prefetch_related(Prefetch("checks", checks)).order_by("position", "pk")
    cases = real_sentences(project).exclude(state=SentenceState.WITHDRAWN)
    cases = cases.filter(case__isnull=False).select_related("case", "golden")
    cases = cases.prefetch_related(
        Prefetch("variants", variants),
        Prefetch("proposals", Proposal.objects.order_by("position")),
        "golden__variants",
    )

    def rows(piece: Sequence[Sentence]) -> list[dict[str, object]]:
        return [_case(sentence, look, naming) for sentence in piece]

    for objects in by_number(cases, rows):
        yield from lines_of(objects)


def _case(sentence: Sentence, look: Look, naming: Naming) -> dict[str, object]:
    golden = sentence.golden
    accepted = {entry.variant_id for entry in golden.variants.all()} if golden else set()
    return {
        "id": sentence.external_id,
        "number": sentence.number,
        "source": sentence.text,
        "target": sentence.target,
        "meta": look.meta(sentence.meta, sentence.source_id),
        "state": sentence.state,
        "golden_version": golden.version if golden else None,
        "scheme": sentence.case.scheme,
        "signature": sentence.case.signature,
        "gaps": sentence.case.gaps,
        "errors": sentence.case.chips,
        "proposals": [_proposal(proposal) for proposal in sentence.proposals.all()],
        "variants": [_variant(variant, naming, accepted) for variant in sentence.variants.all()],
    }


def _proposal(proposal: Proposal) -> Mapping[str, Any]:
    return {
        "position": proposal.position,
        "source": proposal.source,
        "target": proposal.target,
        "model": proposal.model,
        "version": proposal.model_version,
        "at": _time(proposal),
    }


def _variant(variant: Any, naming: Naming, golden: set[int]) -> Mapping[str, Any]:
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
        "guideline": variant.guideline,
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
