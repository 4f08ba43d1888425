"""Releases: made, listed, and saved file by file with their SHA-256; they never change."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods

from gecbench.core.errors import GecbenchError
from gecbench.lang import SCHEMES
from gecbench.server.exchange.companions import companions
from gecbench.server.exchange.exports import default_scheme
from gecbench.server.exchange.goldens import LANGUAGES
from gecbench.server.exchange.releases import export_release, make_release, release_files
from gecbench.server.laws.names import SentenceState
from gecbench.server.models import Member, Project, Release, Sentence
from gecbench.server.web.library.saying import Said
from gecbench.server.web.manage.pages import insist_on_active, looking, page, words_of
from gecbench.server.web.manage.words import refused
from gecbench.server.web.saving import attachment


@looking
@require_http_methods(["GET", "HEAD", "POST"])
def listed(request: HttpRequest, member: Member) -> HttpResponseBase:
    """List the releases, or make one of what is golden now."""
    if request.method == "POST":
        return _make(request, member)
    return _list(request, member)


def _make(request: HttpRequest, member: Member) -> HttpResponseBase:
    insist_on_active(member)
    known = _schemes(member.project)
    try:
        made = make_release(
            member.project,
            name=words_of(request, "name", most=200),
            note=words_of(request, "note", most=5000),
            schemes=[one for one in request.POST.getlist("schemes") if one in known],
            by=member.person,
        )
    except GecbenchError as error:
        return _list(request, member, problem=refused(error))
    messages.success(request, gettext("The release is made; it never changes."))
    return redirect("manage-release", member.project.slug, made.pk)


def _list(request: HttpRequest, member: Member, problem: Said | None = None) -> HttpResponse:
    project = member.project
    here = Sentence.objects.filter(project=project, purpose="real")
    shown = {
        "releases": Release.objects.filter(project=project).select_related("by").order_by("-id"),
        "golden": here.filter(state=SentenceState.GOLDEN).count(),
        "disputed": here.filter(state=SentenceState.DISPUTED).count(),
        "schemes": _schemes(project),
        "usual": default_scheme(project.lang) if project.lang == "zh" else "",
        "given": {one: request.POST.get(one, "") for one in ("name", "note")},
        "problem": problem,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return page(request, member, "manage-releases", shown, status=status)


def _schemes(project: Project) -> list[str]:
    return [one for one in SCHEMES if LANGUAGES.get(one) == project.lang]


@looking
@require_GET
def shown(request: HttpRequest, member: Member, release: int) -> HttpResponse:
    """Show a release: counts, files, sizes and hashes."""
    found = _release(member, release)
    guideline = found.manifest.get("guideline")
    version = guideline.get("version") if isinstance(guideline, Mapping) else None
    about = {
        "release": found,
        "counts": found.manifest["counts"],
        "made_with": found.manifest["gecbench"],
        "guideline_version": version,
        "files": [{"name": name, **facts} for name, facts in release_files(found).items()],
        "beside": tuple(companions(found)),
    }
    return page(request, member, "manage-releases", about, template="manage/release.html")


@looking
@require_GET
def download(_request: HttpRequest, member: Member, release: int, file: str) -> HttpResponseBase:
    """Stream a file of a release: the same bytes for ever."""
    found = _release(member, release)
    beside = companions(found)
    if file in beside:
        content = beside[file].encode()
        response = attachment(file, "text/plain; charset=utf-8", iter([content]))
        response["Content-Length"] = str(len(content))
        return response
    facts = release_files(found).get(file)
    if facts is None:
        raise Http404
    made = export_release(found, file)
    response = attachment(made.name, made.media, made.content)
    response["X-Sha256"] = str(facts["sha256"])
    response["Content-Length"] = str(facts["bytes"])
    return response


def _release(member: Member, release: int) -> Release:
    found = (
        Release.objects.select_related("by").filter(project=member.project, pk=release).first()
        if release < 2**63
        else None
    )
    if found is None:
        raise Http404
    return found
