"""Who may decide a complaint: never its author, never who held a slot, and never nobody."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from gecbench.server.laws.names import MemberStatus
from gecbench.server.models import Complaint, Member, SlotEvent


def may_decide(member: Member, complaint: Complaint) -> bool:
    """Return whether a member is among those who decide a complaint."""
    if member.pk is None:
        return _may_step_in(member, complaint)
    return deciders(complaint).filter(pk=member.pk).exists()


def _may_step_in(administrator: Member, complaint: Complaint) -> bool:
    """Return whether an administrator who is no member decides it, as a manager of the project."""
    person = administrator.person_id
    if person == complaint.person_id or _held(complaint).filter(person=person).exists():
        return False
    return complaint.level > 1 or not deciders(complaint).exists()


def deciders(complaint: Complaint) -> QuerySet[Member]:
    """Return the active members who may decide a complaint (CMP-2, CMP-3).

    Level 2 is for managers; where none of them may, for reviewers. Level 1 is for another
    reviewer, or for the one who decided, by the project's option. Where there is none such,
    managers decide; and where there is no other, the first reviewer does: a small team must not
    block for ever.
    """
    able = _able(complaint)
    managers = able.filter(is_manager=True)
    if complaint.level > 1 and managers.exists():
        return managers
    reviewers = able.filter(is_reviewer=True)
    if complaint.handler_id is not None:
        chosen = reviewers.filter(person=complaint.handler_id)
    else:
        chosen = _but_first(reviewers, complaint)
    for those in (chosen, _but_first(reviewers, complaint), _but_first(managers, complaint)):
        if those.exists():
            return those
    return reviewers | managers


def _able(complaint: Complaint) -> QuerySet[Member]:
    """Return the active members who neither complained nor ever held a slot (INV-3)."""
    return Member.objects.filter(
        ~Exists(_held(complaint).filter(person=OuterRef("person"))),
        project=complaint.project_id,
        status=MemberStatus.ACTIVE,
        person__is_active=True,
    ).exclude(person=complaint.person_id)


def _but_first(members: QuerySet[Member], complaint: Complaint) -> QuerySet[Member]:
    if complaint.first_reviewer_id is None:
        return members
    return members.exclude(person=complaint.first_reviewer_id)


def _held(complaint: Complaint) -> QuerySet[SlotEvent]:
    return SlotEvent.objects.filter(sentence=complaint.study.sentence_id)
