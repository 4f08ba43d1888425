"""What managers set: N of one sentence, priorities, roles, which guideline cases are settled."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import F
from django.utils import timezone

from gecbench.server.laws.names import MemberStatus, Role, SentenceState, SlotState
from gecbench.server.models import (
    Guideline,
    GuidelineCase,
    Member,
    Person,
    ReviewTask,
    Sentence,
    Slot,
)
from gecbench.server.workflow import audits, members
from gecbench.server.workflow.acting import acting
from gecbench.server.workflow.acts import act, locked_project, locked_sentence
from gecbench.server.workflow.errors import ConflictError, NotYoursError, Problem, RefusedError
from gecbench.server.workflow.numbers import RAISED
from gecbench.server.workflow.opinions import MOST_ANNOTATORS
from gecbench.server.workflow.review_tasks import take_from_queue
from gecbench.server.workflow.sentences import BEGUN, new_slots
from gecbench.server.workflow.standing import LIVE, move

PRIORITIES = (-1_000_000, 1_000_000)


@act
def raise_needed(member: Member, sentence_id: int, *, more: int) -> Sentence:
    """Let a manager ask for `more` annotators of one sentence that is not decided (WFL-1).

    One that waits for review goes back to annotators.

    Raises:
        RefusedError: Less than one more, or beyond 20 in all.
        ConflictError: It is with a reviewer, decided, or withdrawn.
    """
    member = acting(member, Role.MANAGER)
    sentence = locked_sentence(sentence_id, member.project_id)
    most = MOST_ANNOTATORS - sentence.needed
    if not 1 <= more <= most:
        message = f"{more} more annotators were asked for; a sentence has at most {MOST_ANNOTATORS}"
        raise RefusedError([Problem("WFL-5", "more", message, (("most", str(most)),))])
    if sentence.golden_id is not None or sentence.state not in RAISED:
        raise ConflictError(
            f"sentence {sentence.number} is {sentence.state}; more annotators are asked for before "
            "a review has begun"
        )
    if sentence.state == SentenceState.REVIEW_READY:
        take_from_queue(sentence)
        move(sentence, SentenceState.ANNOTATING)
    before = sentence.needed
    move_on = Sentence.objects.filter(pk=sentence.pk, version=sentence.version)
    sentence.needed = before + more
    if not move_on.update(
        needed=sentence.needed, version=F("version") + 1, updated_at=timezone.now()
    ):
        raise ConflictError(f"sentence {sentence.number} has changed meanwhile; look again")
    sentence.version += 1
    Slot.objects.bulk_create(list(new_slots(sentence, after=before)))
    audits.record(
        "sentence.raised",
        who=member.person,
        project=member.project,
        about=("sentence", sentence.pk),
        data={"old": before, "new": sentence.needed},
    )
    return sentence


@act
def set_priority(member: Member, sentence_ids: Sequence[int], *, priority: int) -> int:
    """Let a manager say which sentences come first (small ones do); return how many changed.

    Raises:
        RefusedError: The number is out of all bounds.
        NotYoursError: One of the sentences is not in the project; none is changed then.
    """
    member = acting(member, Role.MANAGER)
    least, most = PRIORITIES
    if not least <= priority <= most:
        message = f"the priority is {priority}; it is a whole number from {least} to {most}"
        raise RefusedError([Problem("priority", "priority", message)])
    wanted = sorted(set(sentence_ids))
    locked = Sentence.objects.select_for_update(no_key=True).filter(
        project_id=member.project_id, pk__in=wanted
    )
    found = list(locked.order_by("pk"))
    if len(found) < len(wanted):
        raise NotYoursError("one of these sentences is not in this project")
    changed = [one for one in found if one.priority != priority]
    ids = [one.pk for one in changed]
    begun = [one.pk for one in changed if one.state == SentenceState.ANNOTATING]
    Sentence.objects.filter(pk__in=ids).update(
        priority=priority, version=F("version") + 1, updated_at=timezone.now()
    )
    Slot.objects.filter(sentence_id__in=ids).update(priority=priority)
    Slot.objects.filter(sentence_id__in=begun, state=SlotState.FREE).update(
        priority=priority - BEGUN
    )
    ReviewTask.objects.filter(sentence_id__in=ids, state__in=LIVE).update(priority=priority)
    if ids:
        audits.record(
            "sentence.priority",
            who=member.person,
            project=member.project,
            about=("sentence", ids[0] if len(ids) == 1 else ""),
            data={"sentences": ids, "priority": priority},
        )
    return len(ids)


@act
def settle_cases(member: Member, case_ids: Sequence[int], *, closed_in: Guideline) -> int:
    """Note which waiting guideline cases a version answers (CMP-4); return how many.

    Raises:
        NotYoursError: The version is another project's.
    """
    member = acting(member, Role.MANAGER)
    if closed_in.project_id != member.project_id:
        raise NotYoursError("this guideline is not of this project")
    waiting = GuidelineCase.objects.filter(
        project_id=member.project_id, pk__in=list(case_ids), closed_in=None
    )
    ids = list(waiting.order_by("pk").values_list("pk", flat=True))
    GuidelineCase.objects.filter(pk__in=ids, closed_in=None).update(closed_in=closed_in)
    if ids:
        audits.record(
            "guideline.cases_settled",
            who=member.person,
            project=member.project,
            about=("guideline", closed_in.pk),
            data={"cases": ids, "version": closed_in.version},
        )
    return len(ids)


def state_of(member: Member) -> str:
    """Return roles and status in one word; a form keeps it, to see it is old."""
    return "-".join((*map(str, member.roles), str(member.status)))


@act
def change_member(
    member: Member,
    *,
    seen: str,
    by: Person | None,
    roles: Sequence[Role],
    status: MemberStatus | None,
    note: str,
) -> Member:
    """Change roles and status as `members.change_member` does, if they are still what was seen.

    Args:
        member: Whose.
        seen: The `state_of` that the change was made from.
        by: Who changes them.
        roles: All of them.
        status: None leaves it.
        note: Why.

    Raises:
        RefusedError: As `members.change_member`.
        ConflictError: Somebody changed them meanwhile.
    """
    locked_project(member.project_id)
    if seen != state_of(Member.objects.get(pk=member.pk)):
        raise ConflictError("roles or status have changed meanwhile; look again")
    return members.change_member(member, by=by, roles=roles, status=status, note=note)
