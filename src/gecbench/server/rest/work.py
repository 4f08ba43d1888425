"""Sentences, submissions and golden sets, in pages by key."""

from __future__ import annotations

from typing import Annotated, Literal

from django.http import Http404, HttpRequest
from ninja import Query, Router

from gecbench.server.exchange.bridge import DECIDED, look_of, real
from gecbench.server.exchange.full import in_full
from gecbench.server.exchange.paging import one_moment
from gecbench.server.exchange.pseudonyms import naming_of
from gecbench.server.laws.names import (
    SUBMITTED_OR_LATER,
    Decision,
    Purpose,
    Role,
    SentenceState,
)
from gecbench.server.models import Sentence, Submission
from gecbench.server.rest.entrance import manager_of, member_of, only
from gecbench.server.rest.shapes import (
    Failure,
    Goldens,
    Sentences,
    Submissions,
)
from gecbench.server.workflow.readings import note_reading, note_readings

router = Router(tags=["work"])
After = Annotated[int, Query(ge=0, le=2**31 - 1, description="What `next` said; 0 begins.")]
Limit = Annotated[int, Query(ge=1, le=200)]


@router.get("projects/{slug:slug}/sentences", response={200: Sentences, 404: Failure, 422: Failure})
def sentences(
    request: HttpRequest,
    slug: str,
    after: After = 0,
    limit: Limit = 50,
    state: SentenceState | None = None,
    purpose: Literal["real", "training", "trial"] = "real",
) -> dict[str, object]:
    """Return sentences by task number; for managers."""
    only(request, "after", "limit", "state", "purpose")
    project = manager_of(request, slug).project
    found = Sentence.objects.filter(project=project, purpose=purpose, number__gt=after)
    if state is not None:
        found = found.filter(state=state)
    rows = list(found.select_related("source", "golden").order_by("number")[:limit])
    return _page([_sentence(one) for one in rows], rows[-1].number if rows else 0, limit)


@router.get(
    "projects/{slug:slug}/sentences/{int:number}",
    response={200: dict[str, object], 404: Failure},
)
def sentence(request: HttpRequest, slug: str, number: int) -> dict[str, object]:
    """Return all that happened to a sentence, people under pseudonyms; for managers."""
    only(request)
    member = manager_of(request, slug)
    project = member.project
    with one_moment():
        found = Sentence.objects.filter(project=project, number=min(number, 2**31 - 1)).first()
        if found is None:
            raise Http404
        whole = in_full([found], look_of(project), naming_of(project))[0]
    note_reading(found.pk, member.person_id)
    return whole


@router.get(
    "projects/{slug:slug}/submissions", response={200: Submissions, 404: Failure, 422: Failure}
)
def submissions(
    request: HttpRequest, slug: str, after: After = 0, limit: Limit = 50
) -> dict[str, object]:
    """Return submissions, oldest first: to managers all under pseudonyms, to others their own."""
    only(request, "after", "limit")
    member = member_of(request, slug)
    found = Submission.objects.filter(
        sentence__project=member.project, sentence__purpose=Purpose.REAL, id__gt=after
    )
    if not member.has(Role.MANAGER):
        found = found.filter(person=member.person)
    naming = naming_of(member.project)
    rows = list(
        found.select_related("sentence", "slot")
        .prefetch_related("references")
        .order_by("id")[:limit]
    )
    note_readings(
        (one.sentence_id for one in rows if one.person_id != member.person_id), member.person_id
    )
    items = [
        {
            "key": one.pk,
            "number": one.sentence.number,
            "id": one.sentence.external_id,
            "annotator": naming.of(one.person_id),
            "no": one.no,
            "decision": one.decision,
            "reason": one.reason,
            "texts": [
                text.text for text in sorted(one.references.all(), key=lambda text: text.position)
            ],
            "at": one.at,
            "stands": one.slot.state in SUBMITTED_OR_LATER,
        }
        for one in rows
    ]
    return _page(items, rows[-1].pk if rows else 0, limit)


@router.get("projects/{slug:slug}/golden-sets", response={200: Goldens, 404: Failure, 422: Failure})
def golden_sets(
    request: HttpRequest,
    slug: str,
    after: After = 0,
    limit: Limit = 50,
    decision: Decision | None = None,
) -> dict[str, object]:
    """Return the golden sets that hold now, by task number; for managers."""
    only(request, "after", "limit", "decision")
    project = manager_of(request, slug).project
    found = real(project).filter(state__in=DECIDED, golden__isnull=False, number__gt=after)
    if decision is not None:
        found = found.filter(golden__kind=decision)
    rows = list(
        found.select_related("source", "golden")
        .prefetch_related("golden__entries__reference")
        .order_by("number")[:limit]
    )
    items = [
        {
            "number": one.number,
            "id": one.external_id,
            "text": one.text,
            "source": one.source.name if one.source else "",
            "version": one.golden.version,
            "decision": one.golden.kind,
            "references": [entry.reference.text for entry in one.golden.entries.all()],
        }
        for one in rows
        if one.golden is not None
    ]
    return _page(items, rows[-1].number if rows else 0, limit)


def _sentence(one: Sentence) -> dict[str, object]:
    return {
        "number": one.number,
        "id": one.external_id,
        "text": one.text,
        "source": one.source.name if one.source else "",
        "meta": one.meta,
        "purpose": one.purpose,
        "state": one.state,
        "priority": one.priority,
        "needed": one.needed,
        "submitted": one.submitted,
        "golden_version": one.golden.version if one.golden else None,
    }


def _page(items: list[dict[str, object]], last: int, limit: int) -> dict[str, object]:
    return {"items": items, "next": last if len(items) == limit else None}
