"""Projects with training, trial and gold tasks whose answers are known."""

from __future__ import annotations

from uuid import uuid4

from server.remembering import remembered
from server.workflow.stories import a_project, somebody

from gecbench.server.choices import Decision, MemberStatus, Purpose, Role
from gecbench.server.models import Member, PracticeAnswer, Project, Trial
from gecbench.server.workflow import members, practice
from gecbench.server.workflow.answers import Answer
from gecbench.server.workflow.sentences import NewGolden, NewSentence, add_sentences


def source(purpose: Purpose | str, n: int) -> str:
    return f"这是{purpose}第{n}句句。"


def reference(purpose: Purpose | str, n: int) -> str:
    return f"这是{purpose}第{n}句。"


def known(
    project: Project, purpose: Purpose, count: int, *, first: int = 1, mark: str = ""
) -> None:
    """Add tasks with one known answer each; `mark` begins all their texts."""
    rows = [
        NewSentence(
            f"{purpose}-{n}",
            f"{mark}{source(purpose, n)}",
            purpose=purpose,
            golden=NewGolden(Decision.CORRECTED, (f"{mark}{reference(purpose, n)}",)),
        )
        for n in range(first, first + count)
    ]
    add_sentences(project, rows)


@remembered
def practising(texts: int = 3, *, trial: int = 40, training: int = 3, **options: object) -> Project:
    """A project that wants a trial first, with its sets."""
    project = a_project(texts, trial_first=True, **options)
    known(project, Purpose.TRAINING, training)
    known(project, Purpose.TRIAL, trial)
    return project


@remembered
def candidate(project: Project, login: str = "li") -> Member:
    """A member in training."""
    status = MemberStatus.TRAINING
    return members.add_member(
        project, somebody(login), roles=(Role.ANNOTATOR,), by=None, status=status
    )


def finish_trial(member: Member, right: int) -> Trial:
    """A whole trial, of which the first `right` answers are right."""
    trial = _whole_trial(member.pk, right)
    member.refresh_from_db()
    return trial


@remembered
def _whole_trial(member_id: int, right: int) -> Trial:
    member = Member.objects.get(pk=member_id)
    trial = practice.begin(member)
    for n in range(trial.size):
        answered(member, right=n < right)
    trial.refresh_from_db()
    return trial


def answered(member: Member, *, right: bool) -> PracticeAnswer:
    """The answer to the next task of the open trial."""
    trial = practice.open_trial(member)
    task = practice.next_task(trial)
    text = task.sentence.text.replace("句句", "句" if right else "段句")
    answer = Answer(Decision.CORRECTED, (text,))
    return practice.answer_task(member, task.pk, client_key=uuid4(), answer=answer)
