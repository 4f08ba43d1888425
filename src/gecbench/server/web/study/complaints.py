"""The problems: complaints, the talk about them, and their decision (CMP-1 to CMP-6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from gecbench.server.choices import ComplaintState, Role
from gecbench.server.models import Member
from gecbench.server.web.permissions import member
from gecbench.server.web.requests import number_in
from gecbench.server.web.review.pages import citation_problem, section_of
from gecbench.server.web.review.words import problem_words
from gecbench.server.web.study import complaint_pages
from gecbench.server.workflow import complaints
from gecbench.server.workflow.answers import Ruling
from gecbench.server.workflow.errors import ConflictError, RefusedError
from gecbench.server.workflow.submissions import keep_refused

PAGE = 100


@member()
@require_GET
def listed(request: HttpRequest, member: Member) -> HttpResponse:
    """List the complaints that the member may see; undecided ones unless ?state= says more."""
    state = request.GET.get("state", "")
    state = state if state in complaint_pages.FILTERS else "undecided"
    found = complaints.list_complaints(member, state="" if state == "all" else state)
    shown = complaint_pages.listed(member, found[:PAGE])
    more = max(0, len(found) - PAGE)
    filters = [(name, words, name == state) for name, words in complaint_pages.FILTERS.items()]
    return render(
        request, "complaints/list.html", {"complaints": shown, "filters": filters, "more": more}
    )


@member()
@require_GET
def shown(request: HttpRequest, member: Member, complaint_id: int) -> HttpResponse:
    """Show one complaint with the talk about it and both decisions."""
    return _page(request, member, complaint_id)


def _page(
    request: HttpRequest, member: Member, complaint_id: int, *, status: int = 200, **more: object
) -> HttpResponse:
    complaint = complaints.get_complaint(member, complaint_id)
    context = complaint_pages.context(member, complaint)
    return render(request, "complaints/complaint.html", {**context, **more}, status=status)


def _key(request: HttpRequest) -> UUID:
    """Return the key of the form; a new one for a form that was not ours."""
    try:
        return UUID(request.POST.get("client_key", ""))
    except ValueError:
        return uuid4()


def _refusing(
    act: Callable[[HttpRequest, Member, int], str], field: str
) -> Callable[..., HttpResponse]:
    """Make a view of an act on a complaint; what is refused comes back with all that was typed.

    Args:
        act: Does it and returns what is then said.
        field: Name under which the template finds the problems.
    """

    def view(request: HttpRequest, member: Member, complaint_id: int) -> HttpResponse:
        typed = {"typed": request.POST}
        try:
            words = act(request, member, complaint_id)
        except RefusedError as error:
            told = [(one.field, problem_words(one), one.blocking) for one in error.problems]
            warned = not any(one.blocking for one in error.problems)
            return _page(
                request, member, complaint_id, status=422, **{field: told}, warned=warned, **typed
            )
        except ConflictError:
            gone = gettext("This complaint has changed meanwhile. What you wrote stays below.")
            told = [("", gone, True)]
            return _page(request, member, complaint_id, status=409, **{field: told}, **typed)
        messages.success(request, words)
        return redirect("problem", member.project.slug, complaint_id)

    return view


def _say(request: HttpRequest, member: Member, complaint_id: int) -> str:
    text = request.POST.get("text", "")
    complaints.add_message(member, complaint_id, text=text, client_key=_key(request))
    return gettext("Said.")


def _rule(request: HttpRequest, member: Member, complaint_id: int) -> str:
    given = request.POST
    outcome = given.get("outcome", "")
    if outcome not in tuple(ComplaintState):
        outcome = ComplaintState.OPEN.value  # none was chosen; the workflow says so
    typed = given.get("section", "")
    ruling = Ruling(
        outcome=ComplaintState(outcome),
        note=given.get("note", ""),
        text=given.get("text", "") if outcome == ComplaintState.UPHELD_CHANGED else "",
        section=typed,
        confirmed=given.get("confirmed") == "yes",
    )
    _insist_on_section(member, complaint_id, ruling)
    complaints.decide(
        member,
        complaint_id,
        version=number_in(given.get("version", "")) or 0,
        client_key=_key(request),
        ruling=replace(ruling, section=section_of(member.project.guideline, typed)),
    )
    return gettext("The complaint is decided.")


def _insist_on_section(member: Member, complaint_id: int, ruling: Ruling) -> None:
    """Refuse a citation that is no section, from whoever may rule; the ruling is kept (INV-10).

    Raises:
        RefusedError: It is none.
    """
    wrong = citation_problem(member.project.guideline, ruling.section, "section")
    complaint = complaints.get_complaint(member, complaint_id)
    if wrong is not None and complaints.may_decide_now(member, complaint):
        keep_refused(member, complaint.study.sentence_id, ruling)
        raise RefusedError([wrong])


def _case(request: HttpRequest, member: Member, complaint_id: int) -> str:
    complaints.mark_case(member, complaint_id, note=request.POST.get("note", ""))
    return gettext("It is in the guideline's change queue now.")


say = member()(require_POST(_refusing(_say, "say_problems")))
rule = member(Role.REVIEWER, Role.MANAGER, active=True)(
    require_POST(_refusing(_rule, "rule_problems"))
)
case = member(Role.MANAGER)(require_POST(_refusing(_case, "case_problems")))
