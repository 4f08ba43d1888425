"""Candidates and gold tasks: answers beside the known ones, and judgements that leads overrule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from gecbench.server.choices import ProjectKind, Purpose
from gecbench.server.models import GoldResult, Member, Overruling, PracticeAnswer, Trial
from gecbench.server.web.manage.messages import STATUSES, refusal_message
from gecbench.server.web.manage.shortcuts import (
    active_manager,
    clean_text,
    manage_page,
    manager,
    parse_id,
)
from gecbench.server.web.practice import beside_known
from gecbench.server.workflow import gold_tasks, trials
from gecbench.server.workflow.errors import RefusedError
from gecbench.server.workflow.gold_tasks import Accuracy
from gecbench.server.workflow.review_tasks import record_readings


@dataclass(frozen=True, slots=True)
class Row:
    """A member with their trials, or with what gold tasks say of them."""

    member: Member
    status: object
    trials: tuple[Trial, ...] = ()
    gold: Accuracy = field(default_factory=lambda: Accuracy(0, 0))


@manager
@require_safe
def overview(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the sets, who is in training or took a trial, and what gold tasks say of people."""
    project, rules = member.project, member.project.rules
    has_gold = project.kind == ProjectKind.REWRITE
    purposes = (Purpose.TRAINING, Purpose.TRIAL, *((Purpose.GOLD,) if has_gold else ()))
    sizes = {purpose: trials.known_tasks(project, purpose).count() for purpose in purposes}
    sentences_needed = rules.trial_size * (1 + rules.trial_retakes)
    different = trials.known_tasks(project, Purpose.TRIAL)
    candidates, next_candidate = _page(trials.candidates(project), request.GET.get("after"))
    watched, next_watched = _page(gold_tasks.watched(project), request.GET.get("gold_after"))
    accuracies = gold_tasks.accuracies(
        project, [watched_member.person_id for watched_member in watched]
    )
    shown = {
        "has_gold": has_gold,
        "sizes": [(purpose.label, count) for purpose, count in sizes.items()],
        "wanted": sentences_needed,
        "too_few": rules.trial_first
        and different.values("digest").distinct().count() < sentences_needed,
        "rules": rules,
        "candidates": [
            Row(candidate, STATUSES[candidate.status], tuple(candidate.trials.all()))
            for candidate in candidates
        ],
        "watched": [
            Row(
                watched_member,
                STATUSES[watched_member.status],
                gold=accuracies[watched_member.person_id],
            )
            for watched_member in watched
        ],
        "next_candidate": next_candidate,
        "next_watched": next_watched,
    }
    return manage_page(request, member, "manage-trials", shown)


_ROWS = 50
_ANSWERS = 20
"""Results of gold tasks on a page; each is aligned with the known answers."""


def _page(rows: QuerySet[Any], after: str | None) -> tuple[list[Any], int | None]:
    """Members by name after the one of a row, and the last one where there are more."""
    last = Member.objects.filter(pk=parse_id(after) or 0).values_list("person__name", "pk").first()
    if last is not None:
        name, key = last
        rows = rows.filter(Q(person__name__gt=name) | Q(person__name=name, pk__gt=key))
    page_rows = list(rows[: _ROWS + 1])
    return page_rows[:_ROWS], page_rows[_ROWS - 1].pk if len(page_rows) > _ROWS else None


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer beside the known ones.

    Args:
        key: Of the answer or the gold result.
        number: Of its task.
        source: The sentence.
        right: The judgement that counts.
        rulings: What leads said, the oldest first.
        shown: For the template of an answer and the known ones.
    """

    key: int
    number: int
    source: str
    right: bool
    rulings: tuple[Overruling, ...]
    shown: Mapping[str, object]


@manager
@require_safe
def trial(request: HttpRequest, member: Member, trial_id: int) -> HttpResponse:
    """Show the answers of a trial beside the known ones."""
    rows = Trial.objects.filter(member__project=member.project).select_related("member__person")
    row = get_object_or_404(rows, pk=trial_id)
    shown = {
        "trial": row,
        "own": row.member.person_id == member.person_id,
        "status": STATUSES[row.member.status],
        "answers": [_trial_answer(member, answer) for answer in trials.answers_of(row)],
    }
    return manage_page(request, member, "manage-trials", shown, template="manage/trial.html")


def _trial_answer(member: Member, answer: PracticeAnswer) -> AnswerView:
    answer.sentence.project = member.project
    rulings = _ordered(answer.overrulings.all())
    return AnswerView(
        answer.pk,
        answer.sentence.number,
        answer.sentence.text,
        rulings[-1].right if rulings else answer.right,
        rulings,
        beside_known(
            member, answer.sentence, answer.decision, answer.text, overruled=bool(rulings)
        ),
    )


def _ordered(rulings: Iterable[Overruling]) -> tuple[Overruling, ...]:
    return tuple(sorted(rulings, key=lambda ruling: ruling.pk))


@active_manager
@require_POST
def overrule(request: HttpRequest, member: Member, answer_id: int) -> HttpResponseBase:
    """Judge an answer of a trial otherwise."""
    right, reason = _ruling(request)
    try:
        row = trials.overrule(member, answer_id, right=right, reason=reason)
    except RefusedError as error:
        messages.error(request, refusal_message(error))
        rows = Trial.objects.filter(member__project=member.project)
        row = get_object_or_404(rows, tasks__answers__pk=answer_id)
        return redirect("manage-trial", member.project.slug, row.pk)
    messages.success(request, str(_RESULTS[row.state]))
    return redirect("manage-trial", member.project.slug, row.pk)


_RESULTS: Mapping[str, Promise] = {
    "open": _("Saved. The trial is still under way."),
    "passed": _("Saved. The trial is passed now."),
    "failed": _("Saved. The trial is not passed now."),
}


def _ruling(request: HttpRequest) -> tuple[bool, str]:
    return request.POST.get("right") == "yes", clean_text(request, "reason", most=2001)


@manager
@require_safe
def gold(request: HttpRequest, member: Member, member_id: int) -> HttpResponse:
    """Show what a member made of gold tasks, the newest first."""
    here = Member.objects.filter(project=member.project).select_related("person", "project")
    other = get_object_or_404(here, pk=member_id)
    before = parse_id(request.GET.get("before"))
    rows = gold_tasks.results_of(other)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    results = list(rows[: _ANSWERS + 1])
    older = results[_ANSWERS - 1].pk if len(results) > _ANSWERS else None
    results = results[:_ANSWERS]
    if other.person_id != member.person_id:
        read = [result.submission.sentence_id for result in results]
        record_readings(read, member.person_id)
    shown = {
        "one": other,
        "own": other.person_id == member.person_id,
        "status": STATUSES[other.status],
        "gold": gold_tasks.accuracies(member.project, [other.person_id]).get(
            other.person_id, Accuracy(0, 0)
        ),
        "answers": [_gold_answer(member, result) for result in results],
        "older": older,
    }
    return manage_page(request, member, "manage-trials", shown, template="manage/gold.html")


def _gold_answer(member: Member, result: GoldResult) -> AnswerView:
    submission = result.submission
    sentence = submission.sentence
    sentence.project = member.project
    rulings = _ordered(result.overrulings.all())
    texts = sorted(submission.references.all(), key=lambda text: text.position)
    return AnswerView(
        result.pk,
        sentence.number,
        sentence.text,
        rulings[-1].right if rulings else result.right,
        rulings,
        beside_known(
            member,
            sentence,
            submission.decision,
            *(text.text for text in texts),
            overruled=bool(rulings),
        ),
    )


@active_manager
@require_POST
def overrule_gold(request: HttpRequest, member: Member, result_id: int) -> HttpResponseBase:
    """Judge a gold result otherwise."""
    right, reason = _ruling(request)
    rows = GoldResult.objects.filter(submission__sentence__project=member.project)
    result = get_object_or_404(rows.select_related("submission"), pk=result_id)
    try:
        gold_tasks.overrule(member, result_id, right=right, reason=reason)
    except RefusedError as error:
        messages.error(request, refusal_message(error))
    else:
        messages.success(request, gettext("Saved."))
    people = Member.objects.filter(project=member.project, person=result.submission.person_id)
    return redirect("manage-gold", member.project.slug, people.values_list("pk", flat=True)[0])
