"""Training and trial: tasks with known answers, before somebody gets real ones (TRI-1 to TRI-5).

Nothing here makes a slot or a submission, so that no export, no statistic and no pay can have it
(INV-12). `known_answers` says when an answer is right; a lead may judge otherwise, with a reason.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import uuid4

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from gecbench.server.choices import (
    MemberStatus,
    Purpose,
    Role,
    SentenceState,
    TrialState,
)
from gecbench.server.models import (
    Member,
    MemberEvent,
    Notice,
    Overruling,
    PracticeAnswer,
    Project,
    Sentence,
    Trial,
    TrialTask,
)
from gecbench.server.rules.text import whole
from gecbench.server.workflow import audit, members
from gecbench.server.workflow.answers import Answer, Key
from gecbench.server.workflow.errors import (
    ConflictError,
    GuidelineFirstError,
    NotAllowedError,
    NotYoursError,
    Problem,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.known_answers import is_right
from gecbench.server.workflow.review_tasks import clean_note
from gecbench.server.workflow.studies import single_text
from gecbench.server.workflow.transactions import (
    STUDYING,
    authorize,
    has_read_guideline,
    lock_member,
    lock_project,
    transactional,
)

CANDIDATES = (MemberStatus.TRAINING, MemberStatus.TRIAL)
_CHANCE = secrets.SystemRandom()  # what was drawn is kept, so nothing is recomputed from it


class NoTrial(StrEnum):
    """Why a member cannot begin a trial."""

    NOT_CANDIDATE = "not_candidate"
    CLOSED = "closed"
    GUIDELINE_FIRST = "guideline_first"
    UNDER_WAY = "under_way"
    NO_ATTEMPT_LEFT = "no_attempt_left"
    TOO_FEW_TASKS = "too_few_tasks"


def known_tasks(project: Project, purpose: Purpose) -> QuerySet[Sentence]:
    """The sentences for training or trial that have known answers and were not withdrawn."""
    return Sentence.objects.filter(project=project, purpose=purpose, golden__isnull=False).exclude(
        state=SentenceState.WITHDRAWN
    )


# Training: any task, as often as somebody likes.


@dataclass(frozen=True, slots=True)
class Progress:
    """How far somebody is in training.

    Args:
        size: Tasks of the training set.
        tried: Those that they have answered.
        right: Those that they have answered rightly, at whichever try.
    """

    size: int
    tried: int
    right: int


def _trained(project: Project, person_id: int) -> QuerySet[Any]:
    mine = Q(practice_answers__person=person_id, practice_answers__task=None)
    mine &= Q(practice_answers__counted=True)
    return known_tasks(project, Purpose.TRAINING).annotate(
        tries=Count("practice_answers", filter=mine),
        hits=Count("practice_answers", filter=mine & Q(practice_answers__right=True)),
    )


def training_progress(member: Member) -> Progress:
    """How far a member is in training."""
    rows = list(_trained(member.project, member.person_id).values_list("tries", "hits"))
    tried, right = (sum(row[n] > 0 for row in rows) for n in (0, 1))
    return Progress(len(rows), tried, right)


def training_task(member: Member, number: int | None = None) -> Sentence | None:
    """A task to train with: the one with a number, else the one least often answered.

    Raises:
        NotYoursError: The training set has none of that number.
    """
    tasks = _trained(member.project, member.person_id).select_related("golden")
    if number is not None:
        tasks = tasks.filter(number=min(number, 2**31 - 1))
    task = tasks.order_by("tries", "hits", "number").first()
    if task is None and number is not None:
        raise NotYoursError("there is no training task {number}", number=number)
    if task is not None:
        task.project = member.project
    return task


@transactional
def train(
    member: Member, number: int, *, client_key: Key, answer: Answer
) -> PracticeAnswer | WorkflowError:
    """Answer a training task; the result may be shown at once (TRI-1).

    Raises:
        RefusedError: The text is empty or is the sentence itself; it is kept.
        NotYoursError: The training set has no such task.
        NotAllowedError: The member is no annotator, or has left, or the project is closed.
    """
    member = _practising(member)
    known = _known(member, client_key)
    if known is not None:
        return known
    sentence = training_task(member, number)
    if sentence is None:  # pragma: no cover - a number is given
        raise NotYoursError("there is no training task {number}", number=number)
    return _answer(member, sentence, None, client_key, answer)


def _practising(member: Member) -> Member:
    member = lock_member(member)
    if member.project.archived_at or member.project.deleted_at:
        raise NotAllowedError("the project is closed; everything stays readable")
    if not member.is_annotator or member.status not in (*CANDIDATES, *STUDYING):
        raise NotAllowedError("a member who is {status} cannot do this", status=member.status)
    return member


def _known(member: Member, client_key: Key) -> PracticeAnswer | None:
    known = PracticeAnswer.objects.filter(client_key=client_key).first()
    if known is not None and known.person_id != member.person_id:
        raise ConflictError("this key was used for something else; load the page again")
    return known


def _answer(
    member: Member, sentence: Sentence, task: TrialTask | None, client_key: Key, answer: Answer
) -> PracticeAnswer | WorkflowError:
    """Judge and write an answer; what is refused is kept, and not counted (INV-10)."""
    row = {
        "sentence": sentence,
        "person_id": member.person_id,
        "task": task,
        "decision": answer.decision,
        "guideline_id": member.project.guideline_id,
    }
    try:
        text = single_text(sentence, answer)
    except RefusedError as error:
        for kept in filter(str.strip, map(whole, answer.texts)):
            PracticeAnswer.objects.create(
                **row, text=kept, right=False, counted=False, client_key=uuid4()
            )
        return error
    right = is_right(sentence, answer.decision, [text] if text else [])
    return PracticeAnswer.objects.create(**row, text=text, right=right, client_key=client_key)


def practice_answer(member: Member, answer_id: int) -> PracticeAnswer:
    """A member's own answer in training.

    Raises:
        NotYoursError: It is not theirs, or of a trial.
    """
    answers = PracticeAnswer.objects.select_related("sentence__golden").filter(
        pk=min(answer_id, 2**63 - 1),
        person=member.person_id,
        sentence__project=member.project_id,
        task=None,
        counted=True,
    )
    answer = answers.first()
    if answer is None:
        raise NotYoursError("there is no answer {answer} of yours", answer=answer_id)
    answer.sentence.project = member.project
    return answer


# The trial: so many tasks, a threshold, and what follows from the result.


def trials_of(member: Member) -> tuple[Trial, ...]:
    """All attempts of a member, the first one first (TRI-4)."""
    return tuple(Trial.objects.filter(member=member.pk).order_by("no")) if member.pk else ()


def attempts_left(member: Member) -> int:
    """How many trials a member may still begin.

    A lead who puts somebody on trial back into training gives all attempts again.
    """
    again = MemberEvent.objects.filter(
        member=member, old__status=MemberStatus.TRIAL, new__status=MemberStatus.TRAINING
    )
    since = again.aggregate(last=Max("at"))["last"]
    trials = Trial.objects.filter(member=member)
    if since is not None:
        trials = trials.filter(started_at__gt=since)
    return max(0, 1 + member.project.rules.trial_retakes - trials.count())


def why_no_trial(member: Member) -> NoTrial | None:
    """Why a member cannot begin a trial now; None where they can."""
    project = member.project
    if not member.is_annotator or member.status not in CANDIDATES:
        return NoTrial.NOT_CANDIDATE
    if project.archived_at or project.deleted_at:
        return NoTrial.CLOSED
    if not has_read_guideline(member):
        return NoTrial.GUIDELINE_FIRST
    if Trial.objects.filter(member=member, state=TrialState.OPEN).exists():
        return NoTrial.UNDER_WAY
    if not attempts_left(member):
        return NoTrial.NO_ATTEMPT_LEFT
    return NoTrial.TOO_FEW_TASKS if _unseen(member).count() < project.rules.trial_size else None


def _unseen(member: Member) -> QuerySet[Sentence]:
    seen = TrialTask.objects.filter(trial__member=member, sentence=OuterRef("pk"))
    return known_tasks(member.project, Purpose.TRIAL).filter(~Exists(seen))


@transactional
def begin(member: Member) -> Trial:
    """Begin a trial: its tasks are drawn, none of which the candidate has seen (TRI-2, TRI-4).

    Raises:
        RefusedError: They cannot begin one now; the code of the problem says why.
    """
    lock_project(member.project_id)
    member = lock_member(member)
    why = why_no_trial(member)
    if why is not None:
        message = f"no trial can begin: {why}"
        raise RefusedError([Problem(f"trial-{why}", "", message)])
    rules = member.project.rules
    no = 1 + (Trial.objects.filter(member=member).aggregate(last=Max("no"))["last"] or 0)
    trial = Trial.objects.create(
        member=member, no=no, size=rules.trial_size, percent=rules.trial_percent
    )
    drawn = _CHANCE.sample(list(_unseen(member).values_list("pk", flat=True)), trial.size)
    TrialTask.objects.bulk_create(
        TrialTask(trial=trial, sentence_id=sentence, position=position)
        for position, sentence in enumerate(drawn, 1)
    )
    if member.status != MemberStatus.TRIAL:
        members.change_member(member, by=member.person, status=MemberStatus.TRIAL)
    audit.record_by(member, "trial.begun", about=("trial", trial.pk), data={"no": no})
    return trial


def open_trial(member: Member) -> Trial | None:
    """The trial that a member is in."""
    return Trial.objects.filter(member=member.pk, state=TrialState.OPEN).first()


def next_task(trial: Trial) -> TrialTask | None:
    """The first task of a trial that is not answered; None where all are."""
    answered = PracticeAnswer.objects.filter(task=OuterRef("pk"), counted=True)
    tasks = trial.tasks.filter(~Exists(answered)).select_related("sentence__golden")
    task = tasks.order_by("position").first()
    if task is not None:
        task.sentence.project = trial.member.project
    return task


@transactional
def answer_task(
    member: Member, task_id: int, *, client_key: Key, answer: Answer
) -> PracticeAnswer | WorkflowError:
    """Answer the next task of a trial; the last answer ends it (TRI-2).

    Who passes is active at once. A task is answered once, in the order of the trial.

    Raises:
        RefusedError: The text is empty or is the sentence itself; it is kept.
        ConflictError: The task is answered already, or another one comes before it.
        NotYoursError: It is no task of theirs.
        NotAllowedError: They are not on trial.
    """
    lock_project(member.project_id)
    member = _practising(member)
    known = _known(member, client_key)
    if known is not None:
        return known
    tasks = TrialTask.objects.filter(pk=min(task_id, 2**63 - 1), trial__member=member.pk)
    task = tasks.select_related("trial").first()
    if task is None:
        raise NotYoursError("there is no task {task} of yours", task=task_id)
    if member.status not in CANDIDATES:
        raise NotAllowedError("a member who is {status} cannot do this", status=member.status)
    if not has_read_guideline(member):
        raise GuidelineFirstError
    task.trial.member = member
    current = next_task(task.trial)
    if current is None or current.pk != task.pk:
        raise ConflictError("this task was answered already; load the page again")
    answered = _answer(member, current.sentence, current, client_key, answer)
    if isinstance(answered, PracticeAnswer) and next_task(task.trial) is None:
        _end(task.trial)
    return answered


def _with_rulings(answers: QuerySet[PracticeAnswer]) -> QuerySet[Any]:
    """Answers with `ruled`, the last word of a lead; None where there is none."""
    rulings = Overruling.objects.filter(answer=OuterRef("pk")).order_by("-pk")
    return answers.annotate(ruled=Subquery(rulings.values("right")[:1]))


def count_right(trial: Trial) -> int:
    """How many answers of a trial are right, a lead's word counting before the known answers."""
    answers = _with_rulings(PracticeAnswer.objects.filter(task__trial=trial, counted=True))
    return answers.filter(Q(ruled=True) | Q(ruled=None, right=True)).count()


def passes(right: int, size: int, percent: int) -> bool:
    """Whether so many right answers pass; exact, as 18 of 20 are 90 per cent."""
    return right * 100 >= percent * size


def _end(trial: Trial) -> None:
    """Judge a trial whose tasks are all answered, first or again; who passes becomes active."""
    right = count_right(trial)
    passed = passes(right, trial.size, trial.percent)
    before = trial.state
    trial.state = TrialState.PASSED if passed else TrialState.FAILED
    trial.accepted, trial.ended_at = right, trial.ended_at or timezone.now()
    trial.save()
    if trial.state == before:
        return
    member = trial.member
    if passed and member.status in CANDIDATES:
        note = f"trial {trial.no}: {right} of {trial.size}"
        members.change_member(member, by=None, status=MemberStatus.ACTIVE, note=note)
    data = {"no": trial.no, "right": right, "size": trial.size}
    audit.record(
        f"trial.{trial.state}",
        who=member.person,
        project=member.project,
        about=("trial", trial.pk),
        data=data,
    )
    told = {**data, "trial": trial.pk, "name": member.person.name}
    tell_managers(member.project, f"trial_{trial.state}", told)


def tell_managers(project: Project, kind: str, data: dict[str, object]) -> None:
    """Give the active managers of a project a notice."""
    leads = Member.objects.filter(project=project, is_manager=True, status=MemberStatus.ACTIVE)
    Notice.objects.bulk_create(
        Notice(person_id=person, project=project, kind=kind, data=data)
        for person in leads.values_list("person_id", flat=True)
    )


# What leads see and decide.


def candidates(project: Project) -> QuerySet[Any]:
    """Members who are in training or on trial, or ever took a trial, by name."""
    taken = Trial.objects.filter(member=OuterRef("pk"))
    rows = Member.objects.filter(Exists(taken) | Q(status__in=CANDIDATES), project=project)
    return rows.select_related("person").order_by("person__name", "pk")


def answers_of(trial: Trial) -> list[Any]:
    """The answers of a trial, `ruled` being the last word of a lead, in the order of the tasks."""
    answers = PracticeAnswer.objects.filter(task__trial=trial, counted=True)
    rows = _with_rulings(answers).select_related("sentence__golden", "task")
    return list(rows.prefetch_related("overrulings__by").order_by("task__position"))


@transactional
def overrule(member: Member, answer_id: int, *, right: bool, reason: str) -> Trial:
    """Let a lead judge an answer of a trial otherwise, with a reason; the trial is judged again.

    Who passes by it becomes active. Who does not pass any more keeps their status, which is changed
    on the member's page.

    Raises:
        RefusedError: There is no reason, or the answer is judged so already.
        NotYoursError: The project has no such answer.
    """
    lock_project(member.project_id)
    member = authorize(member, Role.MANAGER)
    words = clean_note(reason, "overrule-reason", field="reason")
    answers = PracticeAnswer.objects.filter(
        pk=min(answer_id, 2**63 - 1),
        task__trial__member__project=member.project_id,
        counted=True,
    )
    answer = _with_rulings(answers).select_related("task__trial__member__person").first()
    if answer is None:
        raise NotYoursError("there is no answer {answer} in this project", answer=answer_id)
    if (answer.right if answer.ruled is None else answer.ruled) == right:
        raise RefusedError([Problem("overrule-same", "right", "it is judged so already")])
    Overruling.objects.create(answer=answer, right=right, reason=words, by=member.person)
    trial: Trial = answer.task.trial
    trial.member.project = member.project
    if trial.state != TrialState.OPEN:
        _end(trial)
    data = {"right": right, "reason": words, "trial": trial.pk}
    audit.record_by(member, "trial.overruled", about=("practice_answer", answer.pk), data=data)
    return trial
