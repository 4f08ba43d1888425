"""Training with feedback, the trial before real tasks, and what managers see of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.server.choices import Decision, MemberStatus, ProjectKind, Purpose, Role, TrialState
from gecbench.server.models import GoldResult, Member, Overruling, PracticeAnswer, Sentence, Trial
from gecbench.server.rules.keys import tables
from gecbench.server.web.differences import render_diff
from gecbench.server.web.http import NoteField, form_problems, parse_int
from gecbench.server.web.manage.shortcuts import (
    STATUSES,
    active_manager,
    manage_page,
    manager,
    translate_error,
)
from gecbench.server.web.messages import diff_messages, problem_message, refusal_message
from gecbench.server.web.permissions import member
from gecbench.server.web.study import compare_with_golden, golden_label, read_answer
from gecbench.server.workflow import practice
from gecbench.server.workflow.answers import golden_texts, is_right
from gecbench.server.workflow.errors import (
    ConflictError,
    GuidelineFirstError,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.practice import Accuracy, NoTrial
from gecbench.server.workflow.review_tasks import record_readings

annotator = member(Role.ANNOTATOR)


# Training.


@annotator
@require_safe
def training(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the training task that the member has answered least often."""
    return _training_page(request, member, practice.training_task(member))


@annotator
@require_http_methods(["GET", "HEAD", "POST"])
def training_task(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Show a training task, or take an answer to it."""
    if request.method == "POST":
        return _train(request, member, number)
    return _training_page(request, member, practice.training_task(member, number))


def _training_page(
    request: HttpRequest,
    member: Member,
    sentence: Sentence | None,
    *,
    status: int = 200,
    **more: object,
) -> HttpResponse:
    shown = {
        "progress": practice.training_status(member),
        "candidate": member.status in practice.CANDIDATES,
        "data": _script_data(member),
        **(_task_context(member, sentence, f"training/{sentence.pk}") if sentence else {}),
        **more,
    }
    return render(request, "practice/training.html", shown, status=status)


def _task_context(member: Member, sentence: Sentence, draft: str) -> dict[str, object]:
    """What a page with a box needs; `draft` names the text in the browser's memory."""
    return {
        "sentence": sentence,
        "text": sentence.text,
        "client_key": uuid4(),
        "data": {
            **_script_data(member, draft),
            "source": sentence.text,
            "lang": member.project.lang,
            "placeholder": member.project.rules.placeholder,
        },
        "words": {"diff": diff_messages(), "kept": str(_TEXT_RESTORED), "source": str(_SOURCE)},
    }


def _script_data(member: Member, draft: str = "") -> dict[str, object]:
    """What the script of every page needs."""
    keys = tables(member.person.preferences.get("keys"), screen="study")
    return {"draft": draft, "person": member.person_id, "keys": asdict(keys)}


_TEXT_RESTORED = _("What you had typed before stands in the box again.")
_SOURCE = _("This is the original.")


def _train(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Answer a training task, and show at once whether it is right (TRI-1)."""
    sent = read_answer(request)
    try:
        answer = practice.train(member, number, client_key=sent.client_key, answer=sent.answer)
    except RefusedError as error:
        typed = {"problems": _problems(error), "text": "".join(sent.texts)}
        task = practice.training_task(member, number)
        return _training_page(request, member, task, status=error.status, **typed)
    except ConflictError as error:
        messages.error(request, refusal_message(error))
        return redirect("training-task", member.project.slug, number)
    return redirect("training-answer", member.project.slug, answer.pk)


def _problems(error: RefusedError) -> list[str]:
    return [problem_message(problem) for problem in error.problems]


@annotator
@require_safe
def training_answer(request: HttpRequest, member: Member, practice_id: int) -> HttpResponse:
    """Show an answer of the member's own beside the known ones."""
    answer = practice.practice_answer(member, practice_id)
    shown = {
        "answer": answer,
        "progress": practice.training_status(member),
        "candidate": member.status in practice.CANDIDATES,
        "data": _script_data(member, f"training/{answer.sentence_id}"),
        **beside_known(member, answer.sentence, answer.decision, answer.text),
    }
    return render(request, "practice/feedback.html", shown)


def beside_known(
    member: Member, sentence: Sentence, decision: str, *texts: str, overruled: bool = False
) -> dict[str, object]:
    """An answer beside the known ones, aligned; decisions in words.

    An answer that a lead has judged otherwise has no mark of its own: what they said stands above.
    """
    written = [text for text in texts if text]
    lines = [(str(_ANSWER), text) for text in written]
    known = golden_texts(sentence)
    compared = compare_with_golden(member, sentence.text, lines, known)
    right = [is_right(sentence, decision, [text]) for text in written]
    corrected = decision == Decision.CORRECTED
    return {
        "decision": "" if corrected else Decision(decision).heading,
        "known_decision": golden_label(sentence.golden.kind, sentence.golden)
        if sentence.golden
        else "",
        # The original comes first, then the texts of the answer.
        "lines": [
            replace(line, right=None if overruled else right[n - 1])
            if 0 < n <= len(right)
            else line
            for n, line in enumerate(compared)
        ],
        "html": ""
        if known
        else [render_diff(member.project, sentence.text, answer) for answer in written],
    }


_ANSWER = _("The answer")


# The trial.


@annotator
@require_safe
def trial(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the next task of the trial, or the attempts so far and whether one may begin."""
    return _trial_page(request, member)


def _trial_page(
    request: HttpRequest, member: Member, *, status: int = 200, **more: object
) -> HttpResponse:
    current = practice.open_trial(member)
    shown: dict[str, object]
    if current is None or member.status not in practice.CANDIDATES:
        why = practice.why_no_trial(member)
        shown = {
            "attempts": practice.trials_of(member),
            "why": why.label if why else "",
            "may_begin": why is None,
            "guideline_first": why is NoTrial.GUIDELINE_FIRST,
            "left": practice.attempts_left(member) if member.pk else 0,
            "rules": member.project.rules,
            "active": member.status == MemberStatus.ACTIVE,
            "data": _script_data(member),
        }
        return render(request, "practice/trial.html", shown)
    current.member = member
    task = practice.next_task(current)
    if task is None:
        raise AssertionError("the last answer ends a trial")  # pragma: no cover
    shown = {
        "trial": current,
        "task": task,
        "done": task.position - 1,
        **_task_context(member, task.sentence, f"trial/{task.pk}"),
        **more,
    }
    return render(request, "practice/trial_task.html", shown, status=status)


@annotator
@require_POST
def begin_trial(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Begin a trial."""
    try:
        practice.begin(member)
    except RefusedError as error:
        why = NoTrial(error.problems[0].code.removeprefix("trial-"))
        messages.error(request, str(why.label))
    return redirect("trial", member.project.slug)


@annotator
@require_http_methods(["GET", "HEAD", "POST"])
def answer_trial(request: HttpRequest, member: Member, task_id: int) -> HttpResponseBase:
    """Answer a task of the trial; what is right is not said before its end."""
    if request.method != "POST":  # who had to sign in first comes back here
        return redirect("trial", member.project.slug)
    sent = read_answer(request)
    try:
        answer = practice.answer_task(
            member, task_id, client_key=sent.client_key, answer=sent.answer
        )
    except RefusedError as error:
        typed = {"problems": _problems(error), "text": "".join(sent.texts)}
        return _trial_page(request, member, status=error.status, **typed)
    except GuidelineFirstError as error:
        more = {"guideline_first": True, "text": "".join(sent.texts)}
        return _trial_page(request, member, status=error.status, **more)
    except WorkflowError as error:
        if error.status == 404:
            raise
        messages.error(request, str(_ANSWER_NOT_SAVED))
    else:
        _say_end(request, answer)
    return redirect("trial", member.project.slug)


_ANSWER_NOT_SAVED = _(
    "This answer was not saved: you have already answered the task, or the trial is over."
)


def _say_end(request: HttpRequest, answer: PracticeAnswer) -> None:
    ended = answer.task.trial if answer.task else None
    if ended is None:
        return
    ended.refresh_from_db()
    if ended.state == TrialState.PASSED:
        messages.success(request, gettext("You have passed the trial. You get real sentences now."))
    elif ended.state == TrialState.FAILED:
        messages.warning(request, gettext("You have not passed the trial this time."))


@dataclass(frozen=True, slots=True)
class Row:
    """A member with their trials, or with what gold tasks say of them."""

    member: Member
    status: object
    trials: tuple[Trial, ...] = ()
    gold: Accuracy = field(default_factory=lambda: Accuracy(0, 0))


@manager
@require_safe
def list_trials(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the sets, who is in training or took a trial, and what gold tasks say of people."""
    project, rules = member.project, member.project.rules
    has_gold = project.kind == ProjectKind.REWRITE
    purposes = (Purpose.TRAINING, Purpose.TRIAL, *((Purpose.GOLD,) if has_gold else ()))
    sizes = {purpose: practice.known_tasks(project, purpose).count() for purpose in purposes}
    sentences_needed = rules.trial_size * (1 + rules.trial_retakes)
    different = practice.known_tasks(project, Purpose.TRIAL)
    candidates, next_candidate = _page(practice.candidates(project), request.GET.get("after"))
    watched, next_watched = _page(
        practice.members_with_gold(project), request.GET.get("gold_after")
    )
    accuracies = practice.gold_accuracies(
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
    last = Member.objects.filter(pk=parse_int(after) or 0).values_list("person__name", "pk").first()
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
def manage_trial(request: HttpRequest, member: Member, trial_id: int) -> HttpResponse:
    """Show the answers of a trial beside the known ones."""
    rows = Trial.objects.filter(member__project=member.project).select_related("member__person")
    row = get_object_or_404(rows, pk=trial_id)
    shown = {
        "trial": row,
        "own": row.member.person_id == member.person_id,
        "status": STATUSES[row.member.status],
        "answers": [_trial_answer(member, answer) for answer in practice.answers_of(row)],
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
    rows = Trial.objects.filter(member__project=member.project)
    form = OverrulingForm(request.POST)
    try:
        if form.is_valid():
            row = practice.overrule(member, answer_id, **form.cleaned_data)
            messages.success(request, str(_RESULTS[row.state]))
        else:
            messages.error(request, form_problems(form))
            row = get_object_or_404(rows, tasks__answers__pk=answer_id)
    except RefusedError as error:
        messages.error(request, translate_error(error).text)
        row = get_object_or_404(rows, tasks__answers__pk=answer_id)
    return redirect("manage-trial", member.project.slug, row.pk)


class OverrulingForm(forms.Form):
    """A lead's judgement of an answer, and why; the workflow says how long that may be."""

    right = forms.TypedChoiceField(
        label=_("Judgement"), choices=[("yes", ""), ("no", "")], coerce=lambda text: text == "yes"
    )
    reason = NoteField()


_RESULTS: Mapping[str, Promise] = {
    "open": _("Saved. The trial is still under way."),
    "passed": _("Saved. The trial is passed now."),
    "failed": _("Saved. The trial is not passed now."),
}


@manager
@require_safe
def gold_results(request: HttpRequest, member: Member, member_id: int) -> HttpResponse:
    """Show what a member made of gold tasks, the newest first."""
    here = Member.objects.filter(project=member.project).select_related("person", "project")
    other = get_object_or_404(here, pk=member_id)
    before = parse_int(request.GET.get("before"))
    rows = practice.gold_results_of(other)
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
        "gold": practice.gold_accuracies(member.project, [other.person_id]).get(
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
    form = OverrulingForm(request.POST)
    rows = GoldResult.objects.filter(submission__sentence__project=member.project)
    result = get_object_or_404(rows.select_related("submission"), pk=result_id)
    try:
        if form.is_valid():
            practice.overrule_gold(member, result_id, **form.cleaned_data)
            messages.success(request, gettext("Saved."))
        else:
            messages.error(request, form_problems(form))
    except RefusedError as error:
        messages.error(request, translate_error(error).text)
    people = Member.objects.filter(project=member.project, person=result.submission.person_id)
    return redirect("manage-gold", member.project.slug, people.values_list("pk", flat=True)[0])
