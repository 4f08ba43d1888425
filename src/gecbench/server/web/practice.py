"""Training with immediate feedback, and the trial that lets annotators at real tasks."""

from __future__ import annotations

from dataclasses import asdict, replace
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.server.choices import Decision, MemberStatus, Role, TrialState
from gecbench.server.models import Member, PracticeAnswer, Sentence
from gecbench.server.rules.keys import tables
from gecbench.server.web.annotation.messages import refusal_message
from gecbench.server.web.permissions import member
from gecbench.server.web.review.differences import render_diff
from gecbench.server.web.review.messages import diff_messages, problem_message
from gecbench.server.web.study import compare_with_golden, golden_label, read_form
from gecbench.server.workflow import trials
from gecbench.server.workflow.errors import (
    ConflictError,
    GuidelineFirstError,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.known_answers import golden_texts, is_right
from gecbench.server.workflow.trials import NoTrial

annotator = member(Role.ANNOTATOR)


# Training.


@annotator
@require_safe
def training(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the training task that the member has answered least often."""
    return _training_page(request, member, trials.training_task(member))


@annotator
@require_http_methods(["GET", "HEAD", "POST"])
def training_task(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Show a training task, or take an answer to it."""
    if request.method == "POST":
        return _train(request, member, number)
    return _training_page(request, member, trials.training_task(member, number))


def _training_page(
    request: HttpRequest,
    member: Member,
    sentence: Sentence | None,
    *,
    status: int = 200,
    **more: object,
) -> HttpResponse:
    shown = {
        "progress": trials.training_status(member),
        "candidate": member.status in trials.CANDIDATES,
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
    sent = read_form(request)
    try:
        answer = trials.train(member, number, client_key=sent.client_key, answer=sent.answer)
    except RefusedError as error:
        typed = {"problems": _problems(error), "text": "".join(sent.texts)}
        task = trials.training_task(member, number)
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
    answer = trials.practice_answer(member, practice_id)
    shown = {
        "answer": answer,
        "progress": trials.training_status(member),
        "candidate": member.status in trials.CANDIDATES,
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
    current = trials.open_trial(member)
    shown: dict[str, object]
    if current is None or member.status not in trials.CANDIDATES:
        why = trials.why_no_trial(member)
        shown = {
            "attempts": trials.trials_of(member),
            "why": why.label if why else "",
            "may_begin": why is None,
            "guideline_first": why is NoTrial.GUIDELINE_FIRST,
            "left": trials.attempts_left(member) if member.pk else 0,
            "rules": member.project.rules,
            "active": member.status == MemberStatus.ACTIVE,
            "data": _script_data(member),
        }
        return render(request, "practice/trial.html", shown)
    current.member = member
    task = trials.next_task(current)
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
        trials.begin(member)
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
    sent = read_form(request)
    try:
        answer = trials.answer_task(member, task_id, client_key=sent.client_key, answer=sent.answer)
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
