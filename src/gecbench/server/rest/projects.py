"""Projects: those I am in, and new ones for administrators."""

from __future__ import annotations

from django.db.models import Count
from django.http import Http404, HttpRequest
from ninja import Router, Status

from gecbench.server.laws.names import MemberStatus, Purpose, Role
from gecbench.server.models import Member, Project, Sentence
from gecbench.server.rest.entrance import member_of, need, only, person_of
from gecbench.server.rest.shapes import Failure, ProjectGiven, ProjectShown
from gecbench.server.workflow.projects import create_project
from gecbench.server.workflow.tokens import Scope

router = Router(tags=["projects"])


@router.get("projects", response={200: list[ProjectShown], 401: Failure})
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


@router.post(
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


@router.get("projects/{slug:slug}", response={200: ProjectShown, 401: Failure, 404: Failure})
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
