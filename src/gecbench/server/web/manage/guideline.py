"""The guideline: edited with a preview, published with a note; cases that wait for a change."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from gecbench.core.errors import GecbenchError
from gecbench.server.guidelines.rendering import render_markdown as rendered
from gecbench.server.guidelines.taxonomy import Language
from gecbench.server.models import Guideline, GuidelineCase, Member
from gecbench.server.web.manage.messages import refusal_message
from gecbench.server.web.manage.shortcuts import (
    act,
    active_manager,
    clean_text,
    manage_page,
    manager,
    parse_id,
    require_active,
)
from gecbench.server.workflow import management, projects

_LAST = 50
_CASES = 100


@manager
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Show the version in force to be edited, or publish the next one."""
    if request.method == "POST":
        return _publish(request, member)
    return _page(request, member)


def _publish(request: HttpRequest, member: Member) -> HttpResponseBase:
    require_active(member)
    text = request.POST.get("markdown", "")
    based = parse_id(request.POST.get("based"))
    current = member.project.guideline
    if current is not None and based != current.version:
        message = gettext("Version %(version)s was published meanwhile; look at it, then publish.")
        return _page(request, member, stale=message % {"version": current.version})
    try:
        note = clean_text(request, "note", most=2000)
        version = projects.publish_guideline(
            member.project, markdown=text, note=note, by=member.person
        )
    except GecbenchError as error:
        return _page(request, member, refusal_message(error))
    cases = [case for case in map(parse_id, request.POST.getlist("case")) if case is not None]
    management.settle_cases(member, cases, closed_in=version)
    message = gettext("Version %(version)s is in force; all members are told.")
    messages.success(request, message % {"version": version.version})
    return redirect("manage-guideline", member.project.slug)


def _page(
    request: HttpRequest, member: Member, problem: str = "", *, stale: str = ""
) -> HttpResponse:
    """Show the form, with what was typed.

    Args:
        request: What came.
        member: Who asks.
        problem: What is wrong with the text.
        stale: What happened meanwhile.
    """
    project = member.project
    cases = GuidelineCase.objects.filter(project=project, closed_in=None)
    current = project.guideline
    context = {
        "markdown": request.POST.get("markdown", current.markdown if current else ""),
        "note": request.POST.get("note", ""),
        "based": current.version if current else 0,
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
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return manage_page(
        request,
        member,
        "manage-guideline",
        context,
        status=HTTPStatus.CONFLICT if stale else status,
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


@act("manage-guideline")
def settle(request: HttpRequest, member: Member) -> str:
    """Note that the version in force answers a case already."""
    current = member.project.guideline
    case = parse_id(request.POST.get("case"))
    if current is None or case is None:
        return ""
    management.settle_cases(member, [case], closed_in=current)
    return gettext("The case is settled.")
