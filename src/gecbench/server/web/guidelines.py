"""The guideline: page, drawer, search, acknowledging, citing (GUI-1 to 4); edited and published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server.guidelines import Piece
from gecbench.server.guidelines import search as search_sections
from gecbench.server.guidelines.rendering import (
    Changes,
    Language,
    RenderedGuideline,
    Section,
    compare,
    in_words,
    render_markdown,
)
from gecbench.server.guidelines.rendering import render_markdown as rendered
from gecbench.server.models import Guideline, GuidelineCase, Member, Project
from gecbench.server.web.http import (
    NoteField,
    RowField,
    RowsField,
    form_problems,
    form_status,
    parse_int,
)
from gecbench.server.web.manage.shortcuts import (
    act,
    active_manager,
    manage_page,
    manager,
    refusal_message,
    require_active,
)
from gecbench.server.web.messages import interface_language
from gecbench.server.web.navigation import Content
from gecbench.server.web.permissions import member
from gecbench.server.workflow import management, projects
from gecbench.server.workflow.errors import Problem


def render_guideline(guideline: Guideline, project: Project) -> RenderedGuideline:
    """A version as safe HTML; versions never change, so it is made once a process."""
    return _render(Content.of(guideline), "zh" if project.lang == "zh" else "en")


@lru_cache(maxsize=32)
def _render(content: Content, lang: Language) -> RenderedGuideline:
    return render_markdown(content.guideline.markdown, lang=lang, shift=1)


def section_contexts(
    sections: Iterable[Section], new: Iterable[str] = ()
) -> list[dict[str, object]]:
    """Sections for a template, and whether they differ from the version before."""
    names = frozenset(new)
    # `render_markdown` has cleaned the HTML, whatever was written.
    return [
        {"section": section, "html": SafeString(section.html), "new": section.id in names}
        for section in sections
    ]


def contents(document: RenderedGuideline) -> tuple[Section, ...]:
    """What the table of contents lists: chapters and sections, not what lies below."""
    return tuple(section for section in document.sections if 1 <= section.level <= 3)


def changed_since(guideline: Guideline, project: Project) -> Changes | None:
    """What differs from the version before; None where there is none."""
    before = Guideline.objects.filter(project=project, version=guideline.version - 1).first()
    if before is None:
        return None
    return compare(render_guideline(before, project), render_guideline(guideline, project))


reader = member()


def _version(request: HttpRequest, member: Member) -> Guideline:
    """The version that is asked for by ?v=, else the one in force."""
    if text := request.GET.get("v"):
        return get_object_or_404(Guideline, project=member.project_id, version=parse_int(text))
    if member.project.guideline is None:
        raise Http404
    return member.project.guideline


def _about(member: Member, guideline: Guideline) -> dict[str, object]:
    document = render_guideline(guideline, member.project)
    in_force = member.project.guideline
    return {
        "guideline": guideline,
        "in_force": in_force is not None and in_force.pk == guideline.pk,
        "contents": contents(document),
        "query": "" if guideline == in_force else f"?v={guideline.version}",
        "text_lang": member.project.language_tag,
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
            render_guideline(guideline, member.project).sections,
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
    branch = render_guideline(guideline, member.project).branch(section)
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
        hits = search_sections(render_guideline(guideline, member.project).sections, query)
    except UsageError as error:
        hits, problem = (), refusal_message(error)
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
        "sections": section_contexts(render_guideline(guideline, member.project).sections),
        **_about(member, guideline),
    }
    return render(request, "guidelines/drawer.html", page)


@reader
@require_POST
def acknowledge(request: HttpRequest, member: Member, version: int) -> HttpResponse:
    """Note that the member has read a version, and go back (GUI-2)."""
    guideline = get_object_or_404(Guideline, project=member.project_id, version=version)
    projects.acknowledge(guideline, member.person)
    following = request.POST.get("next", "")
    # Without a slash it would be taken for the name of a view.
    if following.startswith("/") and url_has_allowed_host_and_scheme(following, None):
        return redirect(following)
    return redirect("guide", member.project.slug)


# Sections that are cited: people read and type titles, ids are kept (GUI-4).


def section_names(guideline: Guideline | None) -> tuple[str, ...]:
    """The names of the sections that can be cited, in the order of the guideline.

    A name is the title, with the title of the section above where several have the same.
    """
    return tuple(_names(Content.of(guideline)).values()) if guideline else ()


def find_section(guideline: Guideline | None, typed: str) -> str:
    """Find the id of the section that a title or an id names; "" where that is not one."""
    ids = _match(guideline, typed)
    return ids[0] if len(ids) == 1 else ""


def citation_problem(guideline: Guideline | None, typed: str, field: str) -> Problem | None:
    """Say what is wrong with a typed citation; None where nothing is, or nothing was typed."""
    if not typed.strip():
        return None
    ids = _match(guideline, typed)
    if len(ids) == 1:
        return None
    return Problem("GUI-4-several" if ids else "GUI-4", field)


@dataclass(frozen=True, slots=True)
class Citation:
    """A section of the guideline that explains something."""

    section: str
    title: str
    text: str


def cite(guideline: Guideline | None, section_id: str) -> Citation | None:
    """Quote a section; None where there is no such section."""
    section = _sections(Content.of(guideline)).get(section_id) if guideline else None
    if section is None:
        return None
    return Citation(section_id, section.title, in_words(section.text, interface_language()))


def _match(guideline: Guideline | None, typed: str) -> tuple[str, ...]:
    """Find the ids of the sections that a person can mean; an id or a full name means one."""
    if guideline is None:
        return ()
    sections, names = _sections(Content.of(guideline)), _names(Content.of(guideline))
    if typed.strip() in sections:
        return (typed.strip(),)
    folded = _fold(typed)
    ids = tuple(section_id for section_id, name in names.items() if _fold(name) == folded)
    return ids or tuple(
        section.id for section in sections.values() if _fold(section.title) == folded
    )


def _fold(title: str) -> str:
    return " ".join(title.split()).casefold()


@lru_cache(maxsize=64)
def _sections(content: Content) -> Mapping[str, Section]:
    """Id to section, rendered once for each version: a version never changes."""
    sections = render_markdown(content.guideline.markdown).sections
    return {section.id: section for section in sections if section.level}


@lru_cache(maxsize=64)
def _names(content: Content) -> Mapping[str, str]:
    """Id to a name that no other section has."""
    sections = tuple(_sections(content).values())
    titles = Counter(_fold(section.title) for section in sections)
    names = {}
    branch: list[Section] = []
    for section in sections:
        while branch and branch[-1].level >= section.level:
            branch.pop()
        names[section.id] = section.title
        if branch and titles[_fold(section.title)] > 1:
            names[section.id] = f"{branch[-1].title} › {section.title}"
        branch.append(section)
    count = Counter(map(_fold, names.values()))
    # Two of the same title under the same heading: only the id tells them apart.
    return {
        section_id: name if count[_fold(name)] == 1 else section_id
        for section_id, name in names.items()
    }


_LAST = 50
_CASES = 100


@manager
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Show the version in force to be edited, or publish the next one."""
    if request.method == "POST":
        return _publish(request, member)
    return _page(request, member, GuidelineForm(member.project))


class GuidelineForm(forms.Form):
    """The next version, the one that it was made from, and the cases that it settles."""

    markdown = NoteField(strip=False)
    note = NoteField(label=_("What has changed"), max_length=2000)
    based = RowField()
    case = RowsField()

    def __init__(self, project: Project, data: QueryDict | None = None) -> None:
        """Begin with the version in force."""
        current = project.guideline
        text = {"markdown": current.markdown, "based": current.version} if current else {}
        super().__init__(data, initial=text)


def _publish(request: HttpRequest, member: Member) -> HttpResponseBase:
    require_active(member)
    current = member.project.guideline
    form = GuidelineForm(member.project, request.POST)
    if not form.is_valid():
        return _page(request, member, form, form_problems(form))
    sent = form.cleaned_data
    if current is not None and sent["based"] != current.version:
        message = gettext("Version %(version)s was published meanwhile; look at it, then publish.")
        return _page(request, member, form, stale=message % {"version": current.version})
    try:
        version = projects.publish_guideline(
            member.project, markdown=sent["markdown"], note=sent["note"], by=member.person
        )
    except GecbenchError as error:
        return _page(request, member, form, refusal_message(error))
    management.settle_cases(member, sent["case"], closed_in=version)
    message = gettext("Version %(version)s is in force; all members are told.")
    messages.success(request, message % {"version": version.version})
    return redirect("manage-guideline", member.project.slug)


def _page(
    request: HttpRequest,
    member: Member,
    form: GuidelineForm,
    problem: str = "",
    *,
    stale: str = "",
) -> HttpResponse:
    """Show the form.

    Args:
        request: What came.
        member: Who asks.
        form: With what was typed.
        problem: What is wrong with the text.
        stale: What happened meanwhile.
    """
    project = member.project
    cases = GuidelineCase.objects.filter(project=project, closed_in=None)
    context = {
        "form": form,
        "based": project.guideline.version if project.guideline else 0,
        "cases": cases.select_related(
            "by", "complaint__study__sentence", "message__complaint__study__sentence"
        ).order_by("pk")[:_CASES],
        "versions": Guideline.objects.filter(project=project)
        .select_related("by")
        .defer("markdown")
        .order_by("-version")[:_LAST],
        "problem": problem,
        "stale": stale,
    }
    return manage_page(
        request,
        member,
        "manage-guideline",
        context,
        status=form_status(problem, stale=stale),
    )


@active_manager
@require_POST
def preview(request: HttpRequest, member: Member) -> HttpResponse:
    """Show how a text would look; nothing is kept."""
    problem, html = "", SafeString("")
    try:
        lang: Language = "zh" if member.project.lang == "zh" else "en"
        text = projects.guideline_text(request.POST.get("markdown", ""))
        # The renderer lets nothing through but the tags and attributes it knows.
        html = SafeString(rendered(text, lang=lang, prefix="preview-", shift=1).html)
    except GecbenchError as error:
        problem = refusal_message(error)
    return render(request, "manage/preview.html", {"html": html, "problem": problem})


class CaseForm(forms.Form):
    """A case for the guideline."""

    case = RowField()


@act("manage-guideline", form=CaseForm)
def settle(member: Member, case: int | None) -> str:
    """Note that the version in force answers a case already."""
    current = member.project.guideline
    if current is None or case is None:
        return ""
    management.settle_cases(member, [case], closed_in=current)
    return gettext("The case is settled.")
