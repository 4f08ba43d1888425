"""All projects of the site, for administrators: made, put away, brought back."""

from __future__ import annotations

from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from gecbench.core.errors import GecbenchError, UnknownNameError, UsageError
from gecbench.server.choices import MemberStatus
from gecbench.server.models import Member, Person, Project
from gecbench.server.rules.options import TEMPLATES
from gecbench.server.web.manage.pages import words_of
from gecbench.server.web.manage.words import refusal
from gecbench.server.web.permissions import administrator
from gecbench.server.workflow import projects

ABOUT = {
    "mucgec": (
        _("Three annotators, up to five references each"),
        _("As MuCGEC was made: each sentence is rewritten by three people."),
    ),
    "one-best": (
        _("Five annotators, one best reference each"),
        _("What its authors advise: more people, and from each the one best text."),
    ),
}
LANGUAGES = (("zh", _("Chinese")), ("en", _("English")))


@administrator
@require_GET
def listed(request: HttpRequest) -> HttpResponse:
    """List all projects: open, archived, deleted."""
    active = Q(status=MemberStatus.ACTIVE)
    people = Member.objects.filter(active, project=OuterRef("pk")).order_by().values("project")
    counted = people.annotate(n=Count("pk")).values("n")
    rows = Project.objects.annotate(people=Coalesce(Subquery(counted), 0)).order_by("name", "pk")
    shown = {
        "open": [one for one in rows if one.deleted_at is None and one.archived_at is None],
        "archived": [one for one in rows if one.deleted_at is None and one.archived_at is not None],
        "deleted": [one for one in rows if one.deleted_at is not None],
        "kept_days": projects.KEPT.days,
    }
    return render(request, "manage/projects.html", shown)


@administrator
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponseBase:
    """Show the form of a new project, or make it."""
    problem = ""
    if request.method == "POST":
        try:
            made = projects.create_project(
                slug=words_of(request, "slug", most=200),
                name=words_of(request, "name"),
                lang=request.POST.get("lang", ""),
                template=request.POST.get("template", ""),
                by=_person(request),
            )
            messages.success(request, gettext("The project is made. Import sentences, and invite."))
            return redirect("manage", made.slug)
        except GecbenchError as error:
            problem = _refusal(request, error)
    shown = {
        "templates": [(name, *ABOUT[name]) for name in TEMPLATES],
        "languages": LANGUAGES,
        "given": {
            "slug": request.POST.get("slug", ""),
            "name": request.POST.get("name", ""),
            "lang": request.POST.get("lang", "zh"),
            "template": request.POST.get("template", "mucgec"),
        },
        "problem": problem,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return render(request, "manage/new.html", shown, status=status)


def _refusal(request: HttpRequest, error: GecbenchError) -> str:
    """Return what is wrong with the form, in the person's language."""
    slug = words_of(request, "slug", most=200)
    if not words_of(request, "name") or len(words_of(request, "name")) > 150:
        return gettext("A project needs a name of at most 150 characters.")
    if Project.objects.filter(slug=slug).exists():
        return gettext("The short name %(slug)s is taken; choose another.") % {"slug": slug}
    if isinstance(error, UsageError) and not isinstance(error, UnknownNameError):
        return gettext("A short name has at most 60 small letters, digits, - and _, as mucgec-2.")
    return refusal(error)


@administrator
@require_POST
def archive(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Close a project for work."""
    projects.archive_project(_project(slug), by=_person(request))
    messages.success(request, gettext("The project is archived; everything stays readable."))
    return redirect("projects")


@administrator
@require_POST
def delete(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Hide a project, if its short name was typed."""
    try:
        typed = words_of(request, "typed")
        projects.delete_project(_project(slug), typed=typed, by=_person(request))
    except UsageError:
        said = gettext("Nothing was deleted: type the short name %(slug)s to confirm.")
        messages.error(request, said % {"slug": slug})
        return redirect("projects")
    said = gettext("The project is deleted. It can be brought back for %(days)s days.")
    messages.success(request, said % {"days": projects.KEPT.days})
    return redirect("projects")


@administrator
@require_POST
def bring_back(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Undo archiving or deleting."""
    try:
        projects.bring_back(_project(slug), by=_person(request))
    except UsageError:
        said = gettext("It was deleted more than %(days)s days ago; restore a backup.")
        messages.error(request, said % {"days": projects.KEPT.days})
        return redirect("projects")
    messages.success(request, gettext("The project is back."))
    return redirect("projects")


def _project(slug: str) -> Project:
    found = Project.objects.filter(slug=slug).first()
    if found is None:
        raise Http404
    return found


def _person(request: HttpRequest) -> Person:
    return cast("Person", request.user)
