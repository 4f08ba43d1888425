"""What the annotator's pages show of a case: its errors, what is returned or proposed, variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from django.conf import settings
from django.urls import reverse

from gecbench.server.choices import VariantReason, label_of
from gecbench.server.models import (
    Draft,
    Member,
    PerturbationCase,
    Sentence,
    Slot,
    Submission,
    VariantCheck,
)
from gecbench.server.rules.perturbation import Chip, derive
from gecbench.server.web.messages import variant_state
from gecbench.server.workflow import perturbation


def task_json(slot: Slot) -> dict[str, object]:
    """What the page of a task takes beside what all tasks have."""
    task, project = perturbation.task_of(slot), slot.sentence.project
    has_hints = project.rules.hints and settings.HINT_CORRECTORS[project.lang]
    return {
        "gaps": list(task.gaps),
        "chips": [chip_json(chip) for chip in task.chips],
        "proposal": {
            "id": task.proposal.pk,
            "gaps": task.proposal.gaps,
            "who": task.proposal.model,
        }
        if task.proposal
        else None,
        "returned": {
            "reasons": [label_of(VariantReason, reason) for reason in task.returned.reasons],
            "note": task.returned.note,
        }
        if task.returned
        else None,
        "hintUrl": reverse("work-hint", args=[project.slug, slot.pk]) if has_hints else "",
    }


def chip_json(chip: Chip) -> dict[str, str]:
    """An error as the editor of gaps takes it."""
    return {"source": chip.source, "target": chip.target, "type": chip.type}


def project_json(member: Member) -> dict[str, object]:
    """What the editor of gaps knows of the project."""
    rules = member.project.rules
    return {
        "lang": member.project.lang,
        "edits": rules.perturb_edits,
        "share": rules.perturb_percent,
    }


@dataclass(frozen=True, slots=True)
class Part:
    """A gap of a variant, and the error behind it; none behind the last."""

    gap: str
    chip: Chip | None

    @property
    def kind(self) -> str:
        """Whether the error replaces, inserts or deletes something."""
        if self.chip is None or not self.chip.source:
            return "insert"
        return "replace" if self.chip.target else "delete"


def parts(case: PerturbationCase, gaps: Sequence[str] | None) -> tuple[Part, ...]:
    """The gaps and errors of a text in order; none where a variant from a file has no gaps."""
    if gaps is None:
        return ()
    chips = [Chip(**chip) for chip in case.chips]
    return tuple(Part(gap, chip) for gap, chip in zip_longest(gaps, chips))


def case_parts(sentence: Sentence) -> tuple[Part, ...]:
    """The gaps and errors of an original; none of a sentence that is no case."""
    case = PerturbationCase.objects.filter(sentence=sentence).first()
    return parts(case, case.gaps) if case else ()


def draft_texts(draft: Draft) -> list[str]:
    """What a draft makes of its sentence, to be read and copied."""
    texts = draft.payload.get("texts", [])
    sentence = draft.slot.sentence if draft.slot else None
    case = PerturbationCase.objects.filter(sentence=sentence).first() if sentence else None
    if case is None or sentence is None or len(texts) != len(case.chips) + 1:
        return list(texts)
    return [derive(texts, [Chip(**chip) for chip in case.chips], sentence.project.lang)[0]]


def submission_context(submissions: Sequence[Submission]) -> dict[str, object]:
    """A person's own variants of a case, the newest first, and what a reviewer made of each."""
    case = PerturbationCase.objects.get(sentence=submissions[0].sentence_id)
    variants = [submission.variant for submission in submissions]
    checks = VariantCheck.objects.filter(variant__in=variants).select_related("edited")
    # Of several checks of one variant the last holds, as pay counts it.
    by_variant = {check.variant_id: check for check in checks.order_by("pk")}
    return {
        "original": parts(case, case.gaps),
        "variants": [
            {
                "variant": variant,
                "parts": parts(case, variant.gaps),
                "check": by_variant.get(variant.pk),
            }
            for variant in variants
        ],
        "state": variant_state(submissions[0]),
    }
