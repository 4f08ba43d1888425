"""Tasks with known answers: training and trial (TRI-1 to TRI-5), and gold tasks among real work.

Nothing of training and trials makes a slot or a submission, so that no export, no statistic and no
pay can have it (INV-12). `answers.is_right` says when one is right; a lead may judge otherwise,
with a reason.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    TextChoices,
)
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    MemberStatus,
    Purpose,
    Role,
    SentenceState,
    TrialState,
)
from gecbench.server.models import (
    GoldResult,
    Member,
    MemberEvent,
    Notice,
    Overruling,
    PracticeAnswer,
    Project,
    Sentence,
    Submission,
    Trial,
    TrialTask,
)
from gecbench.server.rules.text import whole
from gecbench.server.workflow import audit, members
from gecbench.server.workflow.answers import (
    Answer,
    Key,
    count_right,
    is_right,
    passes,
    with_rulings,
)
from gecbench.server.workflow.errors import (
    ConflictError,
    GuidelineFirstError,
    NotAllowedError,
    NotYoursError,
    Problem,
    RefusedError,
    WorkflowError,
)
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


class NoTrial(TextChoices):
    """Why a member cannot begin a trial."""

    NOT_CANDIDATE = (
        "not_candidate",
        _("The trial is for annotators who are in training or on trial."),
    )
    CLOSED = "closed", _("The project is closed for work. Everything can still be read.")
    GUIDELINE_FIRST = (
        "guideline_first",
        _("Read the guideline of this project and confirm it. Then the trial can begin."),
    )
    UNDER_WAY = "under_way", _("Your trial is under way.")
    NO_ATTEMPT_LEFT = (
        "no_attempt_left",
        _("You have no attempts left. A manager decides what comes next."),
    )
    TOO_FEW_TASKS = (
        "too_few_tasks",
        _("Too few tasks are left that you have not seen. Ask a manager."),
    )


def known_tasks(project: Project, purpose: Purpose) -> QuerySet[Sentence]:
    """The sentences for training or trial that have known answers and were not withdrawn."""
    return Sentence.objects.filter(project=project, purpose=purpose, golden__isnull=False).exclude(
        state=SentenceState.WITHDRAWN
    )


# Training: any task, as often as somebody likes.


@dataclass(frozen=True, slots=True)
class TrainingStatus:
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


def training_status(member: Member) -> TrainingStatus:
    """How far a member is in training."""
    rows = list(_trained(member.project, member.person_id).values_list("tries", "hits"))
    tried, right = (sum(row[n] > 0 for row in rows) for n in (0, 1))
    return TrainingStatus(len(rows), tried, right)


def training_task(member: Member, number: int | None = None) -> Sentence | None:
    """A task to train with: the one with a number, else the one least often answered.

    Raises:
        NotYoursError: The training set has none of that number.
    """
    tasks = _trained(member.project, member.person_id).select_related("golden")
    if number is not None:
        tasks = tasks.filter(number=number)
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
    sentence = training_task(member, number)
    if sentence is None:  # pragma: no cover - a number is given
        raise NotYoursError("there is no training task {number}", number=number)
    known = _known(member, sentence, None, client_key, answer)
    if known is not None:
        return known
    return _answer(member, sentence, None, client_key, answer)


def _practising(member: Member) -> Member:
    member = lock_member(member)
    if member.project.archived_at or member.project.deleted_at:
        raise NotAllowedError("the project is closed; everything stays readable")
    if not member.is_annotator or member.status not in (*CANDIDATES, *STUDYING):
        raise NotAllowedError(
            "a member who is {status} cannot do this", status=MemberStatus(member.status)
        )
    return member


def _known(
    member: Member, sentence: Sentence, task: TrialTask | None, client_key: Key, answer: Answer
) -> PracticeAnswer | None:
    """What was answered with a key before; another text under it is kept (INV-9, INV-10).

    Raises:
        ConflictError: The key was somebody else's, or for another task.
    """
    known = PracticeAnswer.objects.filter(client_key=client_key).first()
    if known is None:
        return None
    place = (member.person_id, sentence.pk, task.pk if task else None)
    if (known.person_id, known.sentence_id, known.task_id) != place:
        raise ConflictError("this key was used for something else; load the page again")
    try:
        same = (answer.decision, single_text(sentence, answer)) == (known.decision, known.text)
    except RefusedError:
        same = False
    if not same:
        _keep(member, sentence, task, answer)
    return known


def _keep(member: Member, sentence: Sentence, task: TrialTask | None, answer: Answer) -> None:
    """Keep texts that are not counted (INV-10)."""
    for text in filter(str.strip, map(whole, answer.texts)):
        PracticeAnswer.objects.create(
            sentence=sentence,
            person_id=member.person_id,
            task=task,
            decision=answer.decision,
            text=text,
            right=False,
            counted=False,
            guideline_id=member.project.guideline_id,
            client_key=uuid4(),
        )


def _answer(
    member: Member, sentence: Sentence, task: TrialTask | None, client_key: Key, answer: Answer
) -> PracticeAnswer | WorkflowError:
    """Judge and write an answer; what is refused is kept, and not counted (INV-10)."""
    try:
        text = single_text(sentence, answer)
    except RefusedError as error:
        _keep(member, sentence, task, answer)
        return error
    return PracticeAnswer.objects.create(
        sentence=sentence,
        person_id=member.person_id,
        task=task,
        decision=answer.decision,
        text=text,
        right=is_right(sentence, answer.decision, [text] if text else []),
        guideline_id=member.project.guideline_id,
        client_key=client_key,
    )


def practice_answer(member: Member, answer_id: int) -> PracticeAnswer:
    """A member's own answer in training.

    Raises:
        NotYoursError: It is not theirs, or of a trial.
    """
    answers = PracticeAnswer.objects.select_related("sentence__golden").filter(
        pk=answer_id,
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

    Somebody else who puts them into training or on trial gives all attempts again.
    """
    trials = Trial.objects.filter(member=member)
    events = MemberEvent.objects.filter(member=member, by__isnull=False)
    for old, new, at in (
        events.exclude(by=member.person_id).order_by("-pk").values_list("old", "new", "at")
    ):
        if new["status"] in CANDIDATES and new["status"] != old.get("status"):
            trials = trials.filter(started_at__gt=at)
            break
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
    return NoTrial.TOO_FEW_TASKS if len(_unseen(member)) < project.rules.trial_size else None


def _unseen(member: Member) -> list[int]:
    """The tasks that may be drawn, of each text one that the candidate has not met (TRI-4)."""
    mine = Q(trial_tasks__trial__member=member) | Q(practice_answers__person=member.person_id)
    seen = Sentence.objects.filter(mine, project=member.project_id).values("digest")
    tasks = known_tasks(member.project, Purpose.TRIAL).exclude(digest__in=seen)
    return list(dict(tasks.order_by("-number").values_list("digest", "pk")).values())


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
        raise RefusedError([Problem(f"trial-{why}", kind="trial")])
    rules = member.project.rules
    no = 1 + (Trial.objects.filter(member=member).aggregate(last=Max("no"))["last"] or 0)
    trial = Trial.objects.create(
        member=member, no=no, size=rules.trial_size, percent=rules.trial_percent
    )
    sample = _CHANCE.sample(_unseen(member), trial.size)
    TrialTask.objects.bulk_create(
        TrialTask(trial=trial, sentence_id=sentence, position=position)
        for position, sentence in enumerate(sample, 1)
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
    tasks = TrialTask.objects.filter(pk=task_id, trial__member=member.pk)
    task = tasks.select_related("trial", "sentence").first()
    if task is None:
        raise NotYoursError("there is no task {task} of yours", task=task_id)
    task.sentence.project = member.project
    known = _known(member, task.sentence, task, client_key, answer)
    if known is not None:
        return known
    if member.status not in CANDIDATES:
        raise NotAllowedError(
            "a member who is {status} cannot do this", status=MemberStatus(member.status)
        )
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


def _end(trial: Trial) -> None:
    """Judge a trial whose tasks are all answered, first or again.

    Who passes becomes active. Who has failed is in training again, where a lead decides how they go
    on if they have no attempt left; if they passed before, they keep their status.
    """
    right = count_right(trial)
    passed = passes(right, trial.size, trial.percent)
    before = trial.state
    trial.state = TrialState.PASSED if passed else TrialState.FAILED
    trial.accepted, trial.ended_at = right, trial.ended_at or timezone.now()
    trial.save()
    member = trial.member
    result = {"no": trial.no, "right": right, "size": trial.size}
    if trial.state != before:
        after = MemberStatus.ACTIVE if passed else MemberStatus.TRAINING
        goes_on = _is_candidate(member) if passed else before == TrialState.OPEN
        if goes_on:
            note = f"trial {trial.no}: {right} of {trial.size}"
            members.change_member(member, by=None, status=after, note=note)
        audit.record(
            f"trial.{trial.state}",
            who=member.person,
            project=member.project,
            about=("trial", trial.pk),
            data=result,
        )
        about = {**result, "trial": trial.pk, "name": member.person.name}
        tell_managers(member.project, f"trial_{trial.state}", about)
    new = trial.state != before and (passed or before == TrialState.OPEN)
    kind = f"my_trial_{trial.state}" if new else "my_trial_overruled"
    Notice.objects.create(person=member.person, project=member.project, kind=kind, data=result)


def _is_candidate(member: Member) -> bool:
    """Whether a member is in training or on trial, or was when they were paused."""
    if member.status != MemberStatus.PAUSED:
        return member.status in CANDIDATES
    events = MemberEvent.objects.filter(member=member).order_by("-pk")
    statuses = ((old.get("status"), new["status"]) for old, new in events.values_list("old", "new"))
    before = next((old for old, new in statuses if new == member.status != old), None)
    return before in CANDIDATES


def tell_managers(project: Project, kind: str, data: dict[str, object]) -> None:
    """Give the active managers of a project a notice."""
    managers = Member.objects.filter(project=project, is_manager=True, status=MemberStatus.ACTIVE)
    people = managers.values_list("person_id", flat=True)
    Notice.objects.tell(people, project.pk, kind, data)


# What leads see and decide.


def candidates(project: Project) -> QuerySet[Any]:
    """Members who are in training or on trial, or ever took a trial, with these, by name."""
    taken = Trial.objects.filter(member=OuterRef("pk"))
    rows = Member.objects.filter(Exists(taken) | Q(status__in=CANDIDATES), project=project)
    attempts = Prefetch("trials", Trial.objects.order_by("no"))
    return rows.select_related("person").prefetch_related(attempts).order_by("person__name", "pk")


def answers_of(trial: Trial) -> list[Any]:
    """The answers of a trial, `ruled` being the last word of a lead, in the order of the tasks."""
    answers = PracticeAnswer.objects.filter(task__trial=trial, counted=True)
    rows = with_rulings(answers).select_related("sentence__golden", "task")
    rows = rows.prefetch_related("overrulings__by", "sentence__golden__entries__reference")
    return list(rows.order_by("task__position"))


@transactional
def overrule(member: Member, answer_id: int, *, right: bool, reason: str) -> Trial:
    """Let a lead judge an answer of a trial otherwise, with a reason; the trial is judged again.

    Who passes by it becomes active. Who does not pass any more keeps their status, which is changed
    on the member's page. The candidate gets a notice once the trial is over.

    Raises:
        RefusedError: There is no reason, it is their own answer, or it is judged so already.
        NotYoursError: The project has no such answer.
    """
    lock_project(member.project_id)
    member = authorize(member, Role.MANAGER)
    words = clean_note(reason, "overrule-reason", field="reason")
    answers = PracticeAnswer.objects.filter(
        pk=answer_id,
        task__trial__member__project=member.project_id,
        counted=True,
    )
    answer = with_rulings(answers).select_related("task__trial__member__person").first()
    if answer is None:
        raise NotYoursError("there is no answer {answer} in this project", answer=answer_id)
    if answer.person_id == member.person_id:
        raise RefusedError([Problem("overrule-own")])
    if (answer.right if answer.ruled is None else answer.ruled) == right:
        raise RefusedError([Problem("overrule-same", "right")])
    Overruling.objects.create(answer=answer, right=right, reason=words, by=member.person)
    trial: Trial = answer.task.trial
    trial.member.project = member.project
    if trial.state == TrialState.STOPPED:
        Trial.objects.filter(pk=trial.pk).update(accepted=count_right(trial))
    elif trial.state != TrialState.OPEN:
        _end(trial)
    data = {"right": right, "reason": words, "trial": trial.pk}
    audit.record_by(member, "trial.overruled", about=("practice_answer", answer.pk), data=data)
    return trial


# Gold tasks: known answers among real work, which watch quality without anybody noticing.
#
# An annotator gets them as `claims` draws them, on the page of all tasks, and hands them in like
# others; `submissions` then has them judged here. They count in no export and in no statistic of
# the real sentences; what they say of people is here.


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many gold tasks a person did rightly.

    Args:
        right: Those.
        judged: Of so many.
    """

    right: int
    judged: int

    @property
    def share(self) -> float | None:
        """In [0, 1]; None without any."""
        return self.right / self.judged if self.judged else None


def gold_results(project: Project) -> QuerySet[Any]:
    """The results that count, the newest first: of the last submission of each place.

    `verdict` is a lead's word where there is one, else that of the known answers.
    """
    rulings = Overruling.objects.filter(gold_result=OuterRef("pk")).order_by("-pk")
    later = Submission.objects.filter(
        slot=OuterRef("submission__slot"), no__gt=OuterRef("submission__no")
    )
    rows = GoldResult.objects.filter(
        ~Exists(later),
        submission__sentence__project=project,
        submission__sentence__purpose=Purpose.GOLD,  # a database would look through all submissions
        submission__slot__state__in=SUBMITTED_OR_LATER,
        submission__slot__person=F("submission__person"),
    )
    ruled = Subquery(rulings.values("right")[:1])
    verdict = Coalesce(ruled, F("right"), output_field=BooleanField())
    return rows.annotate(verdict=verdict).order_by("-pk")


def gold_accuracies(project: Project, people: Collection[int] | None = None) -> dict[int, Accuracy]:
    """What gold tasks say of each person, by row of the person; of all, if none are named."""
    rows = gold_results(project).order_by()
    if people is not None:
        rows = rows.filter(submission__person__in=people)
    counts = rows.values_list("submission__person").annotate(
        hits=Count("pk", filter=Q(verdict=True)), all=Count("pk")
    )
    return {person: Accuracy(right, judged) for person, right, judged in counts}


def members_with_gold(project: Project) -> QuerySet[Member]:
    """Members who have results, by name."""
    theirs = gold_results(project).filter(submission__person=OuterRef("person"))
    rows = Member.objects.filter(Exists(theirs), project=project).select_related("person")
    return rows.order_by("person__name", "pk")


def gold_results_of(member: Member) -> QuerySet[Any]:
    """The results of a member with what a page shows of them, the newest first."""
    rows = gold_results(member.project).filter(submission__person=member.person_id)
    return rows.select_related("submission__sentence__golden", "submission__slot").prefetch_related(
        "submission__references",
        "submission__sentence__golden__entries__reference",
        "overrulings__by",
    )


def judge_gold(member: Member, submission: Submission, texts: Sequence[str]) -> GoldResult:
    """Judge a submission for a gold task, in the transaction that writes it.

    A member whose results fall below the project's threshold is paused by it.

    Args:
        member: Its author, locked, and where the project may pause them the project before them.
        submission: Just written, its sentence with it.
        texts: Its references.
    """
    right = is_right(submission.sentence, submission.decision, texts)
    result = GoldResult.objects.create(submission=submission, right=right)
    pause_by_gold(member)
    return result


def pause_by_gold(member: Member) -> bool:
    """Pause a member whose latest gold tasks fall below the project's threshold; managers are told.

    Only results since the member's roles or status changed last count: who was paused and may go on
    again begins again.
    """
    rules = member.project.rules
    if not rules.gold_pause_percent or member.status != MemberStatus.ACTIVE:
        return False
    rows = gold_results(member.project).filter(
        submission__person=member.person_id, submission__at__gte=member.since
    )
    latest = [bool(verdict) for verdict in rows.values_list("verdict", flat=True)]
    window = latest[: rules.gold_window]
    right = sum(window)
    if len(window) < rules.gold_window or passes(right, len(window), rules.gold_pause_percent):
        return False
    if member.is_manager and not members.has_other_manager(member):
        return False
    note = f"gold tasks: {right} of {len(window)}"
    members.change_member(member, by=None, status=MemberStatus.PAUSED, note=note)
    data = {"right": right, "size": len(window), "member": member.pk, "name": member.person.name}
    tell_managers(member.project, "gold_paused", data)
    Notice.objects.create(person_id=member.person_id, project=member.project, kind="paused")
    return True


@transactional
def overrule_gold(member: Member, result_id: int, *, right: bool, reason: str) -> GoldResult:
    """Let a lead judge a result otherwise, with a reason.

    Raises:
        RefusedError: There is no reason, it is their own answer, or it is judged so already.
        NotYoursError: The project has no such result.
    """
    member = authorize(member, Role.MANAGER)
    words = clean_note(reason, "overrule-reason", field="reason")
    rows = GoldResult.objects.filter(pk=result_id, submission__sentence__project=member.project_id)
    result = rows.select_related("submission").first()
    if result is None:
        raise NotYoursError("there is no gold result {result} here", result=result_id)
    if result.submission.person_id == member.person_id:
        raise RefusedError([Problem("overrule-own")])
    last: Sequence[Overruling] = list(result.overrulings.order_by("-pk")[:1])
    if (last[0].right if last else result.right) == right:
        raise RefusedError([Problem("overrule-same", "right")])
    Overruling.objects.create(gold_result=result, right=right, reason=words, by=member.person)
    data = {"right": right, "reason": words}
    audit.record_by(member, "gold.overruled", about=("gold_result", result.pk), data=data)
    return result
