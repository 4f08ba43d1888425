"""Gold tasks: known answers among real work, which watch quality without anybody noticing.

An annotator gets them as `claims` draws them, on the page of all tasks, and hands them in like
others; `submissions` then has them judged here. They count in no export and in no statistic of the
real sentences; what they say of people is here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from gecbench.server.choices import SUBMITTED_OR_LATER, MemberStatus, Purpose, Role
from gecbench.server.models import (
    GoldResult,
    Member,
    Notice,
    Overruling,
    Project,
    Submission,
)
from gecbench.server.workflow import audit, members
from gecbench.server.workflow.answers import is_right, passes
from gecbench.server.workflow.errors import NotYoursError, Problem, RefusedError
from gecbench.server.workflow.review_tasks import clean_note
from gecbench.server.workflow.transactions import authorize, transactional
from gecbench.server.workflow.trials import tell_managers


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


def results(project: Project) -> QuerySet[Any]:
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


def accuracies(project: Project, people: Collection[int] | None = None) -> dict[int, Accuracy]:
    """What gold tasks say of each person, by row of the person; of all, if none are named."""
    rows = results(project).order_by()
    if people is not None:
        rows = rows.filter(submission__person__in=people)
    counts = rows.values_list("submission__person").annotate(
        hits=Count("pk", filter=Q(verdict=True)), all=Count("pk")
    )
    return {person: Accuracy(right, judged) for person, right, judged in counts}


def watched(project: Project) -> QuerySet[Member]:
    """Members who have results, by name."""
    theirs = results(project).filter(submission__person=OuterRef("person"))
    rows = Member.objects.filter(Exists(theirs), project=project).select_related("person")
    return rows.order_by("person__name", "pk")


def results_of(member: Member) -> QuerySet[Any]:
    """The results of a member with what a page shows of them, the newest first."""
    rows = results(member.project).filter(submission__person=member.person_id)
    return rows.select_related("submission__sentence__golden", "submission__slot").prefetch_related(
        "submission__references",
        "submission__sentence__golden__entries__reference",
        "overrulings__by",
    )


def judge(member: Member, submission: Submission, texts: Sequence[str]) -> GoldResult:
    """Judge a submission for a gold task, in the transaction that writes it.

    A member whose results fall below the project's threshold is paused by it.

    Args:
        member: Its author, locked, and where the project may pause them the project before them.
        submission: Just written, its sentence with it.
        texts: Its references.
    """
    right = is_right(submission.sentence, submission.decision, texts)
    result = GoldResult.objects.create(submission=submission, right=right)
    pause_if_needed(member)
    return result


def pause_if_needed(member: Member) -> bool:
    """Pause a member whose latest gold tasks fall below the project's threshold; managers are told.

    Only results since the member's roles or status changed last count: who was paused and may go on
    again begins again.
    """
    rules = member.project.rules
    if not rules.gold_pause_percent or member.status != MemberStatus.ACTIVE:
        return False
    rows = results(member.project).filter(
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
def overrule(member: Member, result_id: int, *, right: bool, reason: str) -> GoldResult:
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
