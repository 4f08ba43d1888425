"""The work screen and what lies around it: history, one task, put off tasks, kept texts."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET

from gecbench.server.laws.keys import tables
from gecbench.server.laws.names import Decision, Role
from gecbench.server.models import Member, Slot, Submission
from gecbench.server.web.numbers import number_in
from gecbench.server.web.policy import member
from gecbench.server.web.standing import goal
from gecbench.server.web.work import wire, words
from gecbench.server.workflow import claims, drafts, submissions
from gecbench.server.workflow.claims import Claimed, Nothing

PAGE = 50
annotator = member(Role.ANNOTATOR)


@annotator
@require_GET
@never_cache
@ensure_csrf_cookie
def now(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the current or the next task; always the same address (section 4.3)."""
    claimed, others = _claimed(request, member)
    after = _after(request, member)
    if claimed.slot is None:
        return _nothing(request, member, claimed.nothing or Nothing.ALL_DONE, after)
    draft = drafts.draft_of(member, claimed.slot.pk)
    task = wire.task_json(member, claimed.slot, draft)
    shown = {
        "task": task,
        "others": others,
        "may_claim": 0 < len(others) + 1 < member.project.rules.open_tasks,
        "rules": member.project.rules,
        "goal": goal(member.person),
        "reasons": words.reasons(),
        **_scripts(request, member, task, after),
    }
    return render(request, "work/work.html", shown)


def _claimed(request: HttpRequest, member: Member) -> tuple[Claimed, list[Slot]]:
    """Return the task to show, and the member's other open tasks."""
    if member.project.rules.open_tasks == 1:
        return claims.current(member), []
    held = list(claims.open_tasks(member))
    wanted = request.GET.get("task", "")
    chosen = next((one for one in held if str(one.sentence.number) == wanted), None)
    claimed = Claimed(chosen) if chosen else claims.current(member)
    return claimed, [one for one in held if claimed.slot and one.pk != claimed.slot.pk]


def _scripts(
    request: HttpRequest,
    member: Member,
    task: Mapping[str, object] | None,
    after: Mapping[str, object] | None,
) -> dict[str, object]:
    """Return what the page's scripts read: one value for the page, one for its words."""
    project, person = member.project, member.person
    keys = tables(person.preferences.get("keys"), screen="work")
    return {
        "page": {
            "person": person.pk,
            "token": get_token(request),
            "login": reverse("login"),
            "task": task,
            "after": after,
            "keys": {"keys": dict(keys.keys), "mac": dict(keys.mac)},
            "enterSubmits": bool(person.preferences.get("enter_submits")),
            "project": {
                "lang": project.lang,
                "placeholder": project.rules.placeholder,
                "aliases": project.rules.placeholder_aliases,
                "most": project.max_references,
                "suggestions": project.rules.suggestions,
            },
        },
        "words": words.of_page(),
    }


def _after(request: HttpRequest, member: Member) -> dict[str, object] | None:
    """Return what the undo bar needs, where the page was opened by handing something in."""
    after = number_in(request.GET.get("after", ""))
    if after is None:
        return None
    slug = member.project.slug
    last = (
        Submission.objects.filter(
            slot=after, person=member.person_id, slot__project=member.project_id
        )
        .select_related("sentence", "slot")
        .order_by("-no")
        .first()
    )
    if last is None:
        return None
    seconds = member.project.rules.undo_seconds - (timezone.now() - last.at).total_seconds()
    if seconds <= 0 or not submissions.may_reopen(last):
        return None
    return {
        "number": last.sentence.number,
        "seconds": seconds,
        "url": reverse("work-task", args=[slug, last.sentence.number]),
        "reopenUrl": reverse("work-reopen", args=[slug, last.slot_id]),
    }


def _nothing(
    request: HttpRequest, member: Member, why: Nothing, after: Mapping[str, object] | None
) -> HttpResponse:
    shown = {
        "why": words.nothing(why),
        "study_first": why == Nothing.STUDY_FIRST,
        **_scripts(request, member, None, after),
    }
    return render(request, "work/nothing.html", shown)


@annotator
@require_GET
def history(request: HttpRequest, member: Member) -> HttpResponse:
    """List the member's own submissions, newest first (keyset)."""
    before = number_in(request.GET.get("before", ""))
    found = submissions.history(member, before=before, most=PAGE + 1)
    listed = [(one, words.DECISIONS[Decision(one.decision)]) for one in found[:PAGE]]
    return render(
        request,
        "work/history.html",
        {
            "listed": listed,
            "before": found[PAGE - 1].pk if len(found) > PAGE else None,
            "kept": len(drafts.orphans(member)) if before is None else 0,
        },
    )


@annotator
@require_GET
@ensure_csrf_cookie
def task(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Show one of the member's own submissions: to read, or to take back while that may be."""
    mine = (
        Submission.objects.filter(
            person=member.person_id, sentence__project=member.project_id, sentence__number=number
        )
        .select_related("sentence", "slot", "person", "sentence__source")
        .prefetch_related("references")
        .order_by("-no", "-pk")
    )
    made = list(mine)
    if not made:
        raise Http404
    others = Submission.objects.filter(
        person=member.person_id, sentence__project=member.project_id
    ).exclude(sentence=made[0].sentence)
    return render(
        request,
        "work/task.html",
        {
            "last": made[0],
            "decision": words.DECISIONS[Decision(made[0].decision)],
            "reason": dict(words.reasons()).get(made[0].reason, made[0].reason),
            "earlier": [(one, words.DECISIONS[Decision(one.decision)]) for one in made[1:]],
            "may_reopen": submissions.may_reopen(made[0]),
            "previous": _number(others.filter(pk__lt=made[0].pk).order_by("-pk")),
            "following": _number(others.filter(pk__gt=made[0].pk).order_by("pk")),
            **_scripts(request, member, None, None),
        },
    )


def _number(found: object) -> int | None:
    return found.values_list("sentence__number", flat=True).first()  # type: ignore[attr-defined,no-any-return]


@annotator
@require_GET
def skipped(request: HttpRequest, member: Member) -> HttpResponse:
    """List what the member has put off."""
    return render(request, "work/skipped.html", {"sentences": claims.skipped(member)})


@annotator
@require_GET
def kept(request: HttpRequest, member: Member) -> HttpResponse:
    """List texts whose task went to somebody else (INV-15): never lost, to be copied."""
    listed = [
        (one.slot.sentence, one.saved_at, list(one.payload.get("texts", [])))
        for one in drafts.orphans(member)
        if one.slot is not None
    ]
    return render(request, "work/kept.html", {"listed": listed})
