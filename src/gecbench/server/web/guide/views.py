"""The guideline in the site: read, searched, cited by section, and acknowledged (GUI-1 to 4)."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from gecbench.core.errors import UsageError
from gecbench.server.guide.search import search as find
from gecbench.server.models import Guideline, Member
from gecbench.server.web.guide.documents import changed_since, contents, rendered, shown
from gecbench.server.web.numbers import number_in
from gecbench.server.web.policy import member
from gecbench.server.workflow import projects

reader = member()


def _version(request: HttpRequest, member: Member) -> Guideline:
    """Return the version that is asked for by ?v=, else the one in force."""
    wanted = request.GET.get("v", "")
    version = number_in(wanted)
    if not wanted:
        found = member.project.guideline
    elif version is None:
        found = None
    else:
        found = Guideline.objects.filter(project=member.project_id, version=version).first()
    if found is None:
        raise Http404
    return found


def _about(member: Member, guideline: Guideline) -> dict[str, object]:
    document = rendered(guideline, member.project)
    in_force = member.project.guideline
    return {
        "guideline": guideline,
        "in_force": in_force is not None and in_force.pk == guideline.pk,
        "contents": contents(document),
        "query": "" if guideline == in_force else f"?v={guideline.version}",
        "text_lang": "zh-Hans" if member.project.lang == "zh" else member.project.lang,
    }


@reader
@require_GET
def guide(request: HttpRequest, member: Member) -> HttpResponse:
    """Show a version of the guideline, whole, with what is new in it."""
    guideline = _version(request, member)
    changes = changed_since(guideline, member.project)
    versions = Guideline.objects.filter(project=member.project_id).order_by("-version")
    page = {
        "sections": shown(
            rendered(guideline, member.project).sections,
            [*changes.added, *changes.changed] if changes else (),
        ),
        "changes": changes,
        "versions": versions.defer("markdown"),
        **_about(member, guideline),
    }
    return render(request, "guide/guide.html", page)


@reader
@require_GET
def section(request: HttpRequest, member: Member, section: str) -> HttpResponse:
    """Show one section and what lies below it: what verdicts and complaints link to."""
    guideline = _version(request, member)
    branch = rendered(guideline, member.project).branch(section)
    if not branch:
        raise Http404
    page = {"sections": shown(branch), "head": branch[0], **_about(member, guideline)}
    return render(request, "guide/section.html", page)


@reader
@require_GET
def search(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the sections that have all words of ?q=; a fragment for htmx, else a page."""
    guideline = _version(request, member)
    query = request.GET.get("q", "").strip()
    problem = ""
    try:
        hits = find(rendered(guideline, member.project).sections, query)
    except UsageError:
        hits, problem = (), gettext("This is too long to be searched; use fewer words.")
    page = {
        "hits": hits,
        "searched": query,
        "problem": problem,
        "in_drawer": "drawer" in request.GET,
        **_about(member, guideline),
    }
    fragment = bool(getattr(request, "htmx", False))
    return render(request, "guide/hits.html" if fragment else "guide/search.html", page)


@reader
@require_GET
def drawer(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the guideline in force as a fragment for the drawer of the work screen (GUI-3)."""
    guideline = _version(request, member)
    page = {
        "sections": shown(rendered(guideline, member.project).sections),
        **_about(member, guideline),
    }
    return render(request, "guide/drawer.html", page)


@reader
@require_POST
def acknowledge(request: HttpRequest, member: Member, version: int) -> HttpResponse:
    """Note that the member has read a version, and go back (GUI-2)."""
    found = Guideline.objects.filter(project=member.project_id, version=version).first()
    if found is None:
        raise Http404
    projects.acknowledge(found, member.person)
    following = request.POST.get("next", "")
    # Without a slash it would be taken for the name of a view.
    if following.startswith("/") and url_has_allowed_host_and_scheme(following, None):
        return redirect(following)
    return redirect("guide", member.project.slug)
