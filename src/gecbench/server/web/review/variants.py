"""The reviewer's page of a case: its variants, each accepted, edited or returned (PER-9)."""

from __future__ import annotations

from collections import Counter
from typing import Annotated
from uuid import UUID

from django.http import HttpRequest
from django.utils.translation import gettext, ngettext_lazy
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from gecbench.server.choices import CheckDecision, Role, VariantOrigin, VariantReason
from gecbench.server.models import (
    Draft,
    Member,
    PerturbationCase,
    Review,
    ReviewTask,
    Variant,
    VariantCheck,
)
from gecbench.server.rules.perturbation import Chip
from gecbench.server.web.annotation import (
    chip_json,
    context_address,
    draft_json,
    gaps_json,
    parts,
)
from gecbench.server.web.differences import render_diff
from gecbench.server.web.http import Count, Payload, read_payload
from gecbench.server.web.messages import check_messages
from gecbench.server.web.review.context import addresses, is_mine, keys, state_of
from gecbench.server.workflow import variant_checks
from gecbench.server.workflow.answers import MOST_MS, CaseAnswer, CheckAnswer


class CheckInput(BaseModel):
    """What the page holds of one variant; the decision is None while there is none."""

    model_config = ConfigDict(frozen=True)

    position: StrictInt
    decision: CheckDecision | None = None
    gaps: tuple[str, ...] = ()
    reasons: tuple[VariantReason, ...] = ()
    note: str = ""
    allow_moved: StrictBool = False


class ChecksInput(BaseModel):
    """All that the page holds."""

    model_config = ConfigDict(frozen=True)

    checks: Annotated[tuple[CheckInput, ...], Field(max_length=100)] = ()
    note: str = ""
    active_ms: Annotated[StrictInt, Field(ge=0)] = 0


def context(member: Member, task: ReviewTask) -> dict[str, object]:
    """The variants of a case for the template: to decide on, or to read."""
    sentence, case = task.sentence, task.sentence.case
    mine = is_mine(task, member)
    done = Review.objects.filter(task=task).first() if not mine else None
    checks = {check.variant_id: check for check in _checks(done)} if done else {}
    waiting = () if done else variant_checks.variants_to_check(sentence)
    variants = [check.variant for check in checks.values()] or list(waiting)
    rows = [_row(member, case, variant, checks.get(variant.pk)) for variant in variants]
    standing = {} if done else variant_checks.accepted_variants(sentence)
    before = [_row(member, case, variant) for variant in standing.values()]
    return {
        "task": task,
        "sentence": sentence,
        "context": context_address(member.project.slug, sentence),
        "kind": "mine" if mine else state_of(task),
        "mine": mine,
        "reviews": member.has(Role.REVIEWER),
        "rows": rows,
        "accepted": before,
        "original": parts(case, case.gaps),
        "done": done,
        "reasons": VariantReason,
        "data": _script_data(member, task, case, variants),
        "words": check_messages(),
        "addresses": addresses(member, sentence.pk),
        "text_lang": member.project.language_tag,
    }


def _checks(review: Review) -> list[VariantCheck]:
    checks = VariantCheck._base_manager.filter(review=review).order_by("variant__position")
    related = ("variant__sentence__project", "variant__submission__person", "edited")
    return list(checks.select_related(*related))


def _row(
    member: Member,
    case: PerturbationCase,
    variant: Variant,
    check: VariantCheck | None = None,
) -> dict[str, object]:
    """A variant as the page shows it; in a review that is over, with what was decided."""
    project, text = member.project, case.sentence.text
    written = variant.origin == VariantOrigin.PERSON
    edited = getattr(check, "edited", None)
    return {
        "variant": variant,
        "parts": parts(case, variant.gaps),
        "html": render_diff(project, text, variant.source),
        "origin": "" if written else VariantOrigin(variant.origin).label,
        "author": variant.submission.person.name
        if project.rules.reviewer_sees_names and variant.submission
        else "",
        "check": check,
        "edited_html": render_diff(project, text, edited.source) if edited else "",
    }


def _script_data(
    member: Member, task: ReviewTask, case: PerturbationCase, variants: list[Variant]
) -> dict[str, object]:
    draft = Draft.objects.filter(task=task, person=member.person_id).first()
    return {
        "keys": keys(member),
        "version": task.version,
        "task": task.pk,
        "person": member.person_id,
        "draft": draft_json(draft) if draft else None,
        "activeMs": draft.payload.get("active_ms", 0) if draft else 0,
        "urls": addresses(member, task.sentence_id),
        "project": gaps_json(member),
        "original": case.gaps,
        "chips": [chip_json(Chip(**chip)) for chip in case.chips],
        "rows": [
            {"number": variant.position, "gaps": variant.gaps or case.gaps} for variant in variants
        ],
    }


class ChecksPayload(Payload):
    """Checks that are submitted."""

    version: Count
    client_key: UUID
    payload: ChecksInput


def finalise(request: HttpRequest, member: Member, sentence_id: int) -> Review:
    """Decide on all variants that wait, as the page sends it; raises as the workflow does."""
    sent = read_payload(request, ChecksPayload)
    checks = [
        CheckAnswer(
            check.position,
            check.decision,
            gaps=check.gaps if check.decision == CheckDecision.EDITED else (),
            reasons=check.reasons if check.decision == CheckDecision.RETURNED else (),
            note=check.note if check.decision == CheckDecision.RETURNED else "",
            allow_moved=check.allow_moved,
        )
        for check in sent.payload.checks
        if check.decision is not None
    ]
    answer = CaseAnswer(tuple(checks), sent.payload.note, min(sent.payload.active_ms, MOST_MS))
    return variant_checks.finalise(
        member, sentence_id, version=sent.version, client_key=sent.client_key, answer=answer
    ).review


_DECIDED = {
    CheckDecision.ACCEPTED: ngettext_lazy(
        "%(count)s variant accepted", "%(count)s variants accepted", "count"
    ),
    CheckDecision.EDITED: ngettext_lazy(
        "%(count)s variant edited", "%(count)s variants edited", "count"
    ),
    CheckDecision.RETURNED: ngettext_lazy(
        "%(count)s variant returned", "%(count)s variants returned", "count"
    ),
}


def decision_message(review: Review) -> str:
    """What was decided about the variants of a case."""
    counts = Counter(
        VariantCheck._base_manager.filter(review=review).values_list("decision", flat=True)
    )
    words = [
        message % {"count": counts[decision]}
        for decision, message in _DECIDED.items()
        if counts[decision]
    ]
    return f"#{review.sentence.number}: {gettext(', ').join(words)}"
