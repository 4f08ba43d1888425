"""Who may open which page; every view says so by a decorator, and a test walks them all.

What a person may not see does not exist for them: the answer is 404, not 403.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Literal, cast
from urllib.parse import quote

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse

from gecbench.server.choices import MemberStatus, Role
from gecbench.server.models import Member, Person, Project
from gecbench.server.models.base import compiled_models

View = Callable[..., HttpResponseBase]
ProjectView = Callable[..., HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Access:
    """Who may open a view.

    Args:
        who: Everybody, everybody signed in, members of the project in the URL, administrators.
        roles: Of members: one of these is needed; none means any role.
        active: Whether the member must be active, not paused or in training.
    """

    who: Literal["anyone", "signed_in", "member", "administrator"]
    roles: tuple[Role, ...] = ()
    active: bool = False


def access_of(view: object) -> Access | None:
    """What a view says of itself; None where it says nothing (a test then fails)."""
    return cast("Access | None", getattr(view, "access", None))


def wants_json(request: HttpRequest) -> bool:
    """Say whether a script asks, and not a person who follows a link."""
    return "application/json" in request.headers.get("Accept", "")


def _declare_access(view: View, access: Access) -> View:
    view.access = access  # type: ignore[attr-defined]
    return view


def anyone(view: View) -> View:
    """Let everybody open it."""
    return _declare_access(view, Access("anyone"))


def signed_in(view: View) -> View:
    """Let everybody open it who is signed in: `view(request, person, ...)`."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **words: object) -> HttpResponseBase:
        person = _person(request)
        return view(request, person, *args, **words) if person else sign_in_first(request)

    return _declare_access(guarded, Access("signed_in"))


def administrator(view: View) -> View:
    """Let administrators open it, `view(request, person, ...)`; for others it does not exist."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **words: object) -> HttpResponseBase:
        person = _person(request)
        if person is None:
            return sign_in_first(request)
        if not person.is_administrator:
            raise Http404
        return view(request, person, *args, **words)

    return _declare_access(guarded, Access("administrator"))


def member(*roles: Role, active: bool = False) -> Callable[[ProjectView], View]:
    """Let members of the project `slug` open it: `view(request, member, ...)`, without the slug."""

    def declare(view: ProjectView) -> View:
        @wraps(view)
        def guarded(
            request: HttpRequest, *args: object, slug: str, **words: object
        ) -> HttpResponseBase:
            person = _person(request)
            if person is None:
                return sign_in_first(request)
            membership_row = membership(person, slug, for_page=not wants_json(request))
            if membership_row is None or (
                roles and not any(membership_row.has(role) for role in roles)
            ):
                raise Http404
            if active and membership_row.status != MemberStatus.ACTIVE:
                raise Http404
            request.member = membership_row  # type: ignore[attr-defined]
            return view(request, membership_row, *args, **words)

        return _declare_access(guarded, Access("member", roles, active))

    return declare


def membership(person: Person, slug: str, *, for_page: bool = False) -> Member | None:
    """The person's membership, or a manager's for administrators (not stored).

    Args:
        for_page: Whether the layout of a page will ask for the guideline in force.
    """
    find = _members_for_page if for_page else _members
    for member in find(person.pk, slug):
        member.person = person
        return member
    if not person.is_administrator:
        return None
    project = Project.objects.filter(slug=slug, deleted_at=None).first()
    return None if project is None else Member(project=project, person=person, is_manager=True)


def _memberships(person: int, slug: str) -> QuerySet[Member]:
    members = Member.objects.select_related("project")
    members = members.filter(project__slug=slug, project__deleted_at=None, person=person)
    return members.exclude(status__in=(MemberStatus.LEFT, MemberStatus.INVITED))


_members = compiled_models(_memberships)


@compiled_models
def _members_for_page(person: int, slug: str) -> QuerySet[Member]:
    """With the guideline, without its text, tens of kilobytes that few pages read."""
    members = _memberships(person, slug).select_related("project__guideline")
    return members.defer("project__guideline__markdown")


def _person(request: HttpRequest) -> Person | None:
    person = request.user
    return person if isinstance(person, Person) and person.is_active else None


def sign_in_first(request: HttpRequest) -> HttpResponse:
    """Lead to the form for signing in, and back; a script is told where the form is.

    htmx, which asks for a part of a page, loads the form as a page, and comes back to the page.
    """
    if wants_json(request):
        return JsonResponse({"error": "signed_out", "login": reverse("login")}, status=401)
    form = f"{reverse('login')}?next="
    if htmx := getattr(request, "htmx", None):
        page = quote(htmx.current_url_abs_path or "/")
        return HttpResponse(headers={"HX-Redirect": f"{form}{page}"})
    return redirect(f"{form}{quote(request.get_full_path())}")
