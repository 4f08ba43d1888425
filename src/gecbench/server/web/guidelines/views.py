"""Guidelines as their pages show them: rendered once for each version, with a table of contents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from gecbench.core.errors import UsageError
from gecbench.server.guidelines.rendering import (
    Changes,
    Rendered,
    Section,
    compare,
    render_markdown,
)
from gecbench.server.guidelines.search import Piece
from gecbench.server.guidelines.search import search as search_sections
from gecbench.server.guidelines.taxonomy import Language
from gecbench.server.models import Guideline, Member, Project
from gecbench.server.web.http import parse_int
from gecbench.server.web.navigation import Content
from gecbench.server.web.permissions import member
from gecbench.server.workflow import projects


@dataclass(frozen=True, slots=True)
class SectionContext:
    """A section for a template.

    Args:
        section: What was rendered.
        html: The same HTML, marked as safe: `guide.render` has cleaned it, whatever was written.
        new: Whether it differs from the version before.
    """

    section: Section
    html: SafeString
    new: bool = False


def rendered(guideline: Guideline, project: Project) -> Rendered:
    """A version as safe HTML; versions never change, so it is made once a process."""
    return _rendered(Content.of(guideline), "zh" if project.lang == "zh" else "en")


@lru_cache(maxsize=32)
def _rendered(content: Content, lang: Language) -> Rendered:
    return render_markdown(content.guideline.markdown, lang=lang, shift=1)


def section_contexts(
    sections: Iterable[Section], new: Iterable[str] = ()
) -> tuple[SectionContext, ...]:
    """Sections for a template."""
    names = frozenset(new)
    return tuple(
        SectionContext(section, SafeString(section.html), section.id in names)
        for section in sections
    )


def contents(document: Rendered) -> tuple[Section, ...]:
    """What the table of contents lists: chapters and sections, not what lies below."""
    return tuple(section for section in document.sections if 1 <= section.level <= 3)


def changed_since(guideline: Guideline, project: Project) -> Changes | None:
    """What differs from the version before; None where there is none."""
    before = Guideline.objects.filter(project=project, version=guideline.version - 1).first()
    if before is None:
        return None
    return compare(rendered(before, project), rendered(guideline, project))


# The guideline in the site: read, searched, cited by section, and acknowledged (GUI-1 to 4).


reader = member()


def _version(request: HttpRequest, member: Member) -> Guideline:
    """The version that is asked for by ?v=, else the one in force."""
    wanted = request.GET.get("v", "")
    version = parse_int(wanted)
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
@require_safe
def guideline(request: HttpRequest, member: Member) -> HttpResponse:
    """Show a version of the guideline, whole, with what is new in it."""
    guideline = _version(request, member)
    changes = changed_since(guideline, member.project)
    versions = Guideline.objects.filter(project=member.project_id).order_by("-version")
    page = {
        "sections": section_contexts(
            rendered(guideline, member.project).sections,
            [*changes.added, *changes.changed] if changes else (),
        ),
        "changes": changes,
        "versions": versions.defer("markdown"),
        **_about(member, guideline),
    }
    return render(request, "guidelines/guideline.html", page)


@reader
@require_safe
def section(request: HttpRequest, member: Member, section: str) -> HttpResponse:
    """Show one section and what lies below it: what verdicts and complaints link to."""
    guideline = _version(request, member)
    branch = rendered(guideline, member.project).branch(section)
    if not branch:
        raise Http404
    page = {"sections": section_contexts(branch), "head": branch[0], **_about(member, guideline)}
    return render(request, "guidelines/section.html", page)


@reader
@require_safe
def search(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the sections that have all words of ?q=; a fragment for htmx, else a page."""
    guideline = _version(request, member)
    query = request.GET.get("q", "").strip()
    problem = ""
    try:
        hits = search_sections(rendered(guideline, member.project).sections, query)
    except UsageError:
        hits, problem = (), gettext("This is too long to be searched; use fewer words.")
    about = _about(member, guideline)
    in_drawer = "drawer" in request.GET
    page = {
        "hits": [
            {
                "url": f"#{hit.section.anchor}"
                if in_drawer
                else reverse("guide-section", args=(member.project.slug, hit.section.id))
                + str(about["query"]),
                "title": _mark(hit.title) or hit.section.id,
                "snippet": _mark(hit.snippet),
            }
            for hit in hits
        ],
        "searched": query,
        "problem": problem,
        "in_drawer": in_drawer,
        **about,
    }
    fragment = bool(getattr(request, "htmx", False))
    return render(
        request, "guidelines/search_results.html" if fragment else "guidelines/search.html", page
    )


def _mark(pieces: Iterable[Piece]) -> SafeString:
    return format_html_join(
        "",
        "{}",
        (
            (format_html("<mark>{}</mark>", piece.text) if piece.marked else piece.text,)
            for piece in pieces
        ),
    )


@reader
@require_safe
def drawer(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the guideline in force as a fragment for the drawer of the work screen (GUI-3)."""
    guideline = _version(request, member)
    page = {
        "sections": section_contexts(rendered(guideline, member.project).sections),
        **_about(member, guideline),
    }
    return render(request, "guidelines/drawer.html", page)


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
