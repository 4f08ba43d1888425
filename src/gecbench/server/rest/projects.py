"""Who am I; projects, their sentences, submissions and golden sets, in pages by key."""

from __future__ import annotations

from typing import Annotated, Literal

from django.db.models import Count
from django.http import Http404, HttpRequest
from ninja import Query, Router, Status

from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    Decision,
    MemberStatus,
    Purpose,
    Role,
    SentenceState,
)
from gecbench.server.import_export.annotations import in_full
from gecbench.server.import_export.corpora import DECIDED, look_of, naming_of, read_snapshot, real
from gecbench.server.models import Member, Project, Sentence, Submission, Token
from gecbench.server.rest.authentication import manager_of, member_of, need, only, person_of
from gecbench.server.rest.schemas import (
    Failure,
    Goldens,
    PersonShown,
    ProjectGiven,
    ProjectShown,
    Sentences,
    Submissions,
    TokenGiven,
    TokenMade,
    TokenShown,
)
from gecbench.server.workflow.accounts import Scope, make_token, revoke_token, tokens_of
from gecbench.server.workflow.projects import create_project
from gecbench.server.workflow.review_tasks import record_reading, record_readings

# Who am I, and my tokens.


account_router = Router(tags=["account"])


@account_router.get("me", response={200: PersonShown, 401: Failure})
def me(request: HttpRequest) -> dict[str, object]:
    """Return who the token or the session belongs to."""
    only(request)
    person = person_of(request)
    return {
        "login": person.login,
        "name": person.name,
        "administrator": person.is_administrator,
    }


@account_router.get("tokens", response={200: list[TokenShown], 401: Failure})
def tokens(request: HttpRequest) -> list[Token]:
    """Return my tokens that were not revoked."""
    only(request)
    return list(tokens_of(person_of(request)))


@account_router.post("tokens", response={201: TokenMade, 401: Failure, 403: Failure, 422: Failure})
def new_token(request: HttpRequest, given: TokenGiven) -> Status[dict[str, object]]:
    """Make a token; needs a session, or a token with scope admin."""
    only(request)
    need(request, Scope.ADMIN)
    made, secret = make_token(
        person_of(request), name=given.name, scopes=given.scopes, expires_at=given.expires_at
    )
    return Status(201, {**TokenShown.from_orm(made).dict(), "secret": secret})


@account_router.delete("tokens/{int:token_id}", response={204: None, 401: Failure, 404: Failure})
def end_token(request: HttpRequest, token_id: int) -> Status[None]:
    """Revoke one of my tokens."""
    only(request)
    need(request, Scope.ADMIN)
    revoke_token(person_of(request), token_id)
    return Status(204, None)


# Projects: those I am in, and new ones for administrators.


projects_router = Router(tags=["projects"])


@projects_router.get("projects", response={200: list[ProjectShown], 401: Failure})
def projects(request: HttpRequest) -> list[dict[str, object]]:
    """Return the projects that I am in; for administrators all."""
    only(request)
    person = person_of(request)
    mine = {
        one.project_id: one
        for one in Member.objects.filter(person=person, project__deleted_at=None)
        .exclude(status__in=(MemberStatus.LEFT, MemberStatus.INVITED))
        .select_related("project")
    }
    found = Project.objects.filter(deleted_at=None).select_related("guideline")
    found = found.defer("guideline__markdown").order_by("slug")
    if not person.is_administrator:
        found = found.filter(id__in=list(mine))
    return [_shown(one, mine.get(one.pk)) for one in found]


@projects_router.post(
    "projects", response={201: ProjectShown, 401: Failure, 403: Failure, 404: Failure, 422: Failure}
)
def new_project(request: HttpRequest, given: ProjectGiven) -> Status[dict[str, object]]:
    """Make a project; for administrators, by a session or a token with scope admin."""
    only(request)
    person = person_of(request)
    if not person.is_administrator:
        raise Http404
    need(request, Scope.ADMIN)
    made = create_project(**given.dict(), by=person)
    return Status(201, _shown(made, Member.objects.filter(project=made, person=person).first()))


@projects_router.get(
    "projects/{slug:slug}", response={200: ProjectShown, 401: Failure, 404: Failure}
)
def project(request: HttpRequest, slug: str) -> dict[str, object]:
    """Return a project; managers also see how many real sentences are in which state."""
    only(request)
    member = member_of(request, slug)
    shown = _shown(member.project, member)
    if member.has(Role.MANAGER):
        shown["states"] = dict(
            Sentence.objects.filter(project=member.project, purpose=Purpose.REAL)
            .order_by()
            .values_list("state")
            .annotate(n=Count("id"))
        )
    return shown


def _shown(project: Project, member: Member | None) -> dict[str, object]:
    return {
        "slug": project.slug,
        "name": project.name,
        "lang": project.lang,
        "kind": project.kind,
        "annotators": project.annotators,
        "max_references": project.max_references,
        "guideline": project.guideline.version if project.guideline else None,
        "archived": project.archived_at is not None,
        "roles": [str(role) for role in member.roles] if member else [],
    }


# Sentences, submissions and golden sets, in pages by key.


work_router = Router(tags=["work"])
After = Annotated[int, Query(ge=0, le=2**31 - 1, description="What `next` said; 0 begins.")]
Limit = Annotated[int, Query(ge=1, le=200)]


@work_router.get(
    "projects/{slug:slug}/sentences", response={200: Sentences, 404: Failure, 422: Failure}
)
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


@work_router.get(
    "projects/{slug:slug}/sentences/{int:number}",
    response={200: dict[str, object], 404: Failure},
)
def sentence(request: HttpRequest, slug: str, number: int) -> dict[str, object]:
    """Return all that happened to a sentence, people under pseudonyms; for managers."""
    only(request)
    member = manager_of(request, slug)
    project = member.project
    with read_snapshot():
        found = Sentence.objects.filter(project=project, number=min(number, 2**31 - 1)).first()
        if found is None:
            raise Http404
        whole = in_full([found], look_of(project), naming_of(project))[0]
    record_reading(found.pk, member.person_id)
    return whole


@work_router.get(
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
    record_readings(
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


@work_router.get(
    "projects/{slug:slug}/golden-sets", response={200: Goldens, 404: Failure, 422: Failure}
)
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
