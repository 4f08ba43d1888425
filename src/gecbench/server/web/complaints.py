"""Complaints about verdicts: the discussion of each, and its decision (CMP-1 to CMP-6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from gecbench.server.choices import ComplaintState, RejectReason, Role, StudyState
from gecbench.server.models import Complaint, GuidelineCase, Member, Person, Verdict
from gecbench.server.web.guidelines import (
    citation_problem,
    cite,
    find_section,
    section_names,
)
from gecbench.server.web.http import TextPayload, Version, read_form
from gecbench.server.web.messages import diff_messages, problem_message
from gecbench.server.web.permissions import member
from gecbench.server.web.study import (
    Line,
    author_html,
    author_reason,
    compare_with_golden,
    decision_label,
    golden_label,
)
from gecbench.server.workflow import complaints, studies
from gecbench.server.workflow.answers import Ruling
from gecbench.server.workflow.errors import ConflictError, RefusedError
from gecbench.server.workflow.golden import golden_rows
from gecbench.server.workflow.sentences import UNDECIDED
from gecbench.server.workflow.submissions import keep_refused

PAGE = 100
FILTERS: Mapping[str, object] = {
    "undecided": _("Undecided"),
    **{state.value: capfirst(state.label) for state in complaints.OUTCOMES},
    "all": _("All"),
}
_TONES = {
    ComplaintState.UPHELD: "good",
    ComplaintState.UPHELD_CHANGED: "good",
    ComplaintState.DISMISSED: "bad",
}


@member()
@require_safe
def list_complaints(request: HttpRequest, member: Member) -> HttpResponse:
    """List the complaints that the member may see; undecided ones unless ?state= says more."""
    state = request.GET.get("state", "")
    state = state if state in FILTERS else "undecided"
    rows = complaints.list_complaints(member, state="" if state == "all" else state)
    context = {
        "complaints": [
            {
                "complaint": complaint,
                "html": author_html(member, complaint.study),
                "decision": decision_label(complaint.study),
                "mine": complaint.person_id == member.person_id,
                **_state(complaint),
            }
            for complaint in rows[:PAGE]
        ],
        "filters": [(name, label, name == state) for name, label in FILTERS.items()],
        "more": max(0, len(rows) - PAGE),
    }
    return render(request, "complaints/list.html", context)


def _state(complaint: Complaint) -> dict[str, str]:
    state = ComplaintState(complaint.state)
    return {"state": str(state.label), "tone": _TONES.get(state, "")}


@member()
@require_safe
def complaint(request: HttpRequest, member: Member, complaint_id: int) -> HttpResponse:
    """Show one complaint with its discussion and both decisions."""
    return _page(request, member, complaint_id)


def _page(
    request: HttpRequest, member: Member, complaint_id: int, *, status: int = 200, **more: object
) -> HttpResponse:
    complaint = complaints.get_complaint(member, complaint_id)
    context = _context(member, complaint)
    return render(request, "complaints/complaint.html", {**context, **more}, status=status)


def _form_view(
    act: Callable[[HttpRequest, Member, int], str], field: str
) -> Callable[..., HttpResponse]:
    """Make a view of an act on a complaint; what is refused comes back with all that was typed.

    Args:
        act: Does it and returns the message.
        field: Name under which the template finds the problems.
    """

    def view(request: HttpRequest, member: Member, complaint_id: int) -> HttpResponse:
        try:
            message = act(request, member, complaint_id)
        except RefusedError as error:
            problems = [
                (problem.field, problem_message(problem), problem.blocking)
                for problem in error.problems
            ]
            status = 422
        except ConflictError:
            changed = gettext("This complaint has changed meanwhile. What you wrote stays below.")
            problems, status = [("", changed, True)], 409
        else:
            messages.success(request, message)
            return redirect("problem", member.project.slug, complaint_id)
        warned = not any(blocking for _, _, blocking in problems)
        typed = {"typed": request.POST, "warned": warned, field: problems}
        return _page(request, member, complaint_id, status=status, **typed)

    return view


def _say(request: HttpRequest, member: Member, complaint_id: int) -> str:
    sent = read_form(request, TextPayload)
    complaints.add_message(member, complaint_id, text=sent.text, client_key=sent.client_key)
    return gettext("Sent.")


class RulingPayload(TextPayload):
    """A ruling; where no outcome was chosen, the workflow says so."""

    version: Version
    outcome: ComplaintState = ComplaintState.OPEN
    note: str = ""
    section: str = ""
    confirmed: bool = False


def _rule(request: HttpRequest, member: Member, complaint_id: int) -> str:
    sent = read_form(request, RulingPayload)
    ruling = Ruling(
        outcome=sent.outcome,
        note=sent.note,
        text=sent.text if sent.outcome == ComplaintState.UPHELD_CHANGED else "",
        section=sent.section,
        confirmed=sent.confirmed,
    )
    _insist_on_section(member, complaint_id, ruling)
    complaints.decide(
        member,
        complaint_id,
        version=sent.version,
        client_key=sent.client_key,
        ruling=replace(ruling, section=find_section(member.project.guideline, sent.section)),
    )
    return gettext("The complaint is decided.")


def _insist_on_section(member: Member, complaint_id: int, ruling: Ruling) -> None:
    """Refuse a citation that is no section, from whoever may rule; the ruling is kept (INV-10).

    Raises:
        RefusedError: It is none.
    """
    problem = citation_problem(member.project.guideline, ruling.section, "section")
    complaint = complaints.get_complaint(member, complaint_id)
    if problem is not None and complaints.may_decide_now(member, complaint):
        keep_refused(member, complaint.study.sentence_id, ruling)
        raise RefusedError([problem])


def _mark_case(request: HttpRequest, member: Member, complaint_id: int) -> str:
    complaints.mark_case(member, complaint_id, note=request.POST.get("note", ""))
    return gettext("It is in the guideline's change queue now.")


say = member()(require_POST(_form_view(_say, "say_problems")))
rule = member(Role.REVIEWER, Role.MANAGER, active=True)(
    require_POST(_form_view(_rule, "rule_problems"))
)
mark_case = member(Role.MANAGER)(require_POST(_form_view(_mark_case, "case_problems")))


# What the page of a complaint shows.


def _context(member: Member, complaint: Complaint) -> dict[str, object]:
    study, mine = complaint.study, complaint.person_id == member.person_id
    dismissed = complaint.state == ComplaintState.DISMISSED
    may_rule = complaints.may_decide_now(member, complaint)
    lines, decided = _golden(member, complaint, mine=mine)
    manages = member.has(Role.MANAGER)
    return {
        "complaint": complaint,
        "study": study,
        "sentence": study.sentence,
        **_state(complaint),
        "mine": mine,
        "first": study.complaints.filter(pk__lt=complaint.pk).first() if mine or manages else None,
        "author": _speaker(member, complaint, complaint.person, set()),
        "own": author_html(member, study),
        "own_decision": decision_label(study),
        "own_reason": author_reason(study),
        "discussion": _discussion(member, complaint),
        "verdicts": _verdicts(member, complaint),
        "lines": lines,
        "decided": decided,
        "undecided": complaint.state in UNDECIDED,
        "may_rule": may_rule,
        "may_escalate": mine
        and dismissed
        and complaint.level == 1
        and study.state == StudyState.OPEN
        and not study.complaints.filter(pk__gt=complaint.pk).exists(),
        "next_release": complaints.for_next_release(complaint),
        "manages": manages,
        "case": GuidelineCase.objects.filter(complaint=complaint).order_by("pk").last()
        if manages
        else None,
        "sections": section_names(member.project.guideline) if may_rule else (),
        "begin": study.reference.text if study.reference else study.sentence.text,
        "client_key": uuid4(),
        "data": {
            "source": study.sentence.text,
            "lang": member.project.lang,
            "placeholder": member.project.rules.placeholder,
        },
        "words": {"diff": diff_messages()},
    }


def _golden(member: Member, complaint: Complaint, *, mine: bool) -> tuple[tuple[Line, ...], str]:
    """The golden texts beside the author's; for the author, only once they may be shown."""
    study = complaint.study
    submitted = [(gettext("Submitted"), study.reference.text)] if study.reference else []
    if mine:
        lesson = studies.lesson(member, study.pk)
        texts, kind = [reference.text for reference in lesson.revealed], lesson.decision
    else:
        golden = study.sentence.golden
        rows = golden_rows(golden).values()
        texts, kind = (
            [reference.text for reference in rows if reference is not None],
            golden.kind if golden else "",
        )
    lines = compare_with_golden(member, study.sentence.text, submitted, texts)
    return lines, golden_label(kind, study.sentence.golden)


def _verdicts(member: Member, complaint: Complaint) -> list[dict[str, object]]:
    """Every decision about the text, oldest first (CMP-5)."""
    study = complaint.study
    if study.reference is not None:
        about = {"digest": study.reference.digest}
    else:
        about = {"decision": study.submission.decision, "digest": ""}
    rows = Verdict.objects.filter(review__sentence=study.sentence_id, **about)
    return [
        {
            "verdict": verdict,
            "title": gettext("judged correct") if verdict.correct else gettext("judged wrong"),
            "reasons": [reason for reason in RejectReason if reason in verdict.reasons],
            "citation": cite(member.project.guideline, verdict.section),
        }
        for verdict in rows.select_related("review").order_by("pk")
    ]


def _discussion(member: Member, complaint: Complaint) -> list[dict[str, object]]:
    rows = tuple(complaint.messages.select_related("person").order_by("pk"))
    people = {row.person_id for row in rows}
    managers = Member.objects.filter(
        project=complaint.project_id, is_manager=True, person__in=people
    )
    manager_ids = set(managers.values_list("person", flat=True))
    return [
        {
            "message": row,
            "speaker": _speaker(member, complaint, row.person, manager_ids),
            "mine": row.person_id == member.person_id,
        }
        for row in rows
    ]


def _speaker(member: Member, complaint: Complaint, person: Person, managers: set[int]) -> str:
    """Who speaks: by name for managers and where the project shows names (ROL-6)."""
    if person.pk == member.person_id:
        return gettext("You")
    if member.has(Role.MANAGER) or member.project.rules.reviewer_sees_names:
        return person.name
    if person.pk == complaint.person_id:
        return gettext("The author")
    return gettext("A manager") if person.pk in managers else gettext("A reviewer")
