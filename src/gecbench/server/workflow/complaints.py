"""Complaints: made, discussed, decided, escalated (CMP-1 to CMP-6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from gecbench.server.laws.names import ComplaintState, Role, SentenceState, StudyState
from gecbench.server.laws.text import LONGEST_NOTE, whole
from gecbench.server.models import (
    Complaint,
    GuidelineCase,
    Member,
    Message,
    Notice,
    ReleaseItem,
    SlotEvent,
    Study,
)
from gecbench.server.workflow import audits
from gecbench.server.workflow.acting import STUDYING, acting
from gecbench.server.workflow.acts import act, locked_sentence
from gecbench.server.workflow.answers import Key
from gecbench.server.workflow.candidates import verdicts
from gecbench.server.workflow.deciders import may_decide
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    Problem,
    RefusedError,
)
from gecbench.server.workflow.opinions import checked_note
from gecbench.server.workflow.readings import note_readings
from gecbench.server.workflow.rulings import rule
from gecbench.server.workflow.standing import UNDECIDED, move, settle_slot, stands
from gecbench.server.workflow.study_items import key_of

__all__ = [
    "complain",
    "complaint_of",
    "for_next_release",
    "listed",
    "mark_case",
    "may_rule",
    "rule",
    "say",
]

_DECIDED = (SentenceState.GOLDEN, SentenceState.DISPUTED)


@act
def complain(member: Member, study_id: int, *, argument: str, client_key: Key) -> Complaint:
    """Complain about a verdict; goes to a reviewer by the project's option (CMP-1, CMP-2).

    A second complaint on the same item goes to a manager (level 2), whose word is final.

    Raises:
        RefusedError: No argument, or one is open, or the last word was spoken.
        ConflictError: The sentence is being reviewed anew; that review may settle it.
        NotYoursError: The item is not theirs.
    """
    member = acting(member, statuses=STUDYING)
    study = _own_study(member, study_id)
    before = Message.objects.filter(client_key=client_key).select_related("complaint").first()
    if before is not None:
        return _again(before, study)
    sentence = locked_sentence(study.sentence_id, member.project_id)
    words = checked_note(argument, "CMP-1-argument", field="argument")
    study.refresh_from_db(fields=["state", "version"])
    level = _level(study)
    out = sentence.state == SentenceState.WITHDRAWN
    if (stands(sentence) if out else sentence.state) not in _DECIDED:
        raise ConflictError("the sentence is being reviewed anew; see first what comes of that")
    if not out:
        move(sentence, SentenceState.DISPUTED)
    verdict = verdicts(sentence).get(key_of(study))
    review = verdict.review if verdict is not None else study.golden.review
    first = None if review is None else review.reviewer
    same = member.project.rules.complaints_to == "same" and level == 1
    complaint = Complaint.objects.create(
        project=member.project,
        study=study,
        person=member.person,
        first_reviewer=first,
        handler=first if same else None,
        level=level,
    )
    Message.objects.create(
        complaint=complaint, person=member.person, text=words, client_key=client_key
    )
    settle_slot(study.submission.slot_id, by=member.person)
    audits.record(
        "complaint.made",
        who=member.person,
        project=member.project,
        about=("complaint", complaint.pk),
        data={"study": study.pk, "level": level},
    )
    return complaint


def _own_study(member: Member, study_id: int) -> Study:
    found = Study.objects.filter(
        pk=study_id, person=member.person_id, project=member.project_id
    ).select_related("submission", "reference", "golden__review__reviewer")
    study = found.first()
    if study is None:
        raise NotYoursError(f"there is no study item {study_id} for this person")
    return study


def _again(before: Message, study: Study) -> Complaint:
    complaint = before.complaint
    if complaint is None or (before.person_id, complaint.study_id) != (study.person_id, study.pk):
        raise ConflictError("this key was used for something else; load the page anew")
    return complaint


def _level(study: Study) -> int:
    """Return whom a new complaint goes to: 1 a reviewer, 2 a manager.

    Raises:
        RefusedError: There is nothing left to complain about.
    """
    if study.state != StudyState.OPEN:
        raise RefusedError([Problem("CMP-1-closed", "", "the item is closed already")])
    made = list(study.complaints.order_by("pk"))
    if any(one.state in UNDECIDED for one in made):
        raise RefusedError([Problem("CMP-1-open", "", "your complaint about it is undecided")])
    if any(one.level == 2 for one in made):
        raise RefusedError([Problem("CMP-3-final", "", "a manager has spoken the last word")])
    return 2 if made else 1


def _visible(member: Member) -> QuerySet[Complaint]:
    """Return what a member may read: own ones, as reviewer those on others' sentences, or all."""
    everything = Complaint.objects.filter(project=member.project_id).select_related(
        "person", "handler", "first_reviewer", "study__sentence", "study__reference",
        "study__submission",
    )  # fmt: skip
    if member.has(Role.MANAGER):
        return everything
    mine = Q(person=member.person_id)
    if not member.has(Role.REVIEWER):
        return everything.filter(mine)
    held = SlotEvent.objects.filter(sentence=OuterRef("study__sentence"), person=member.person_id)
    return everything.filter(mine | Q(Q(level=1) | Q(handler=member.person_id), ~Exists(held)))


def listed(member: Member, *, state: str = "") -> tuple[Complaint, ...]:
    """Return what the member may see: own ones, those to decide, all for managers; newest first.

    Args:
        member: Who asks.
        state: A ComplaintState; "undecided" for open and discussed ones; "" for all.
    """
    found = _visible(member)
    if state == "undecided":
        found = found.filter(state__in=UNDECIDED)
    elif state:
        found = found.filter(state=state)
    rows = tuple(found.order_by("-pk"))
    _note(member, rows)
    return rows


def _note(member: Member, rows: Sequence[Complaint]) -> None:
    """Note that the member reads what others submitted (ROL-5)."""
    foreign = [one.study.sentence_id for one in rows if one.person_id != member.person_id]
    if foreign:
        note_readings(foreign, member.person_id)


def complaint_of(member: Member, complaint_id: int) -> Complaint:
    """Return a complaint that the member may see.

    Raises:
        NotYoursError: They may not.
    """
    found = _visible(member).filter(pk=complaint_id).first()
    if found is None:
        raise NotYoursError(f"there is no complaint {complaint_id} for this person")
    _note(member, [found])
    return found


def may_rule(member: Member, complaint: Complaint) -> bool:
    """Return whether the member may decide it now."""
    return complaint.state in UNDECIDED and may_decide(member, complaint)


def for_next_release(complaint: Complaint) -> bool:
    """Return whether the sentence is in a release: what is decided counts for the next (CMP-6)."""
    return ReleaseItem.objects.filter(sentence=complaint.study.sentence_id).exists()


@act
def say(member: Member, complaint_id: int, *, text: str, client_key: Key) -> Message:
    """Add to the talk (CMP-4); it may go on after the decision.

    Raises:
        RefusedError: Nothing is said, or too much.
        NotYoursError: They may not see it.
    """
    member = acting(member, statuses=STUDYING)
    complaint = complaint_of(member, complaint_id)
    before = Message.objects.filter(client_key=client_key).first()
    if before is not None:
        if (before.person_id, before.complaint_id) != (member.person_id, complaint.pk):
            raise ConflictError("this key was used for something else; load the page anew")
        return before
    words = checked_note(text, "CMP-4", field="text")
    if complaint.person_id != member.person_id:
        Complaint.objects.filter(pk=complaint.pk, state=ComplaintState.OPEN).update(
            state=ComplaintState.DISCUSSED, version=F("version") + 1
        )
    message = Message.objects.create(
        complaint=complaint, person=member.person, text=words, client_key=client_key
    )
    _tell(complaint, but=member.person_id)
    return message


def _tell(complaint: Complaint, *, but: int) -> None:
    """Tell everybody in the talk that something was said."""
    people: Iterable[int] = Message.objects.filter(complaint=complaint).values_list(
        "person", flat=True
    )
    for person_id in sorted({*people, complaint.person_id} - {but}):
        Notice.objects.create(
            person_id=person_id,
            project_id=complaint.project_id,
            kind="complaint_message",
            data={"complaint": complaint.pk, "number": complaint.study.sentence.number},
        )


@act
def mark_case(member: Member, complaint_id: int, *, note: str) -> GuidelineCase:
    """Let a manager put it into the guideline's change queue (CMP-4); once is enough.

    Raises:
        RefusedError: The note is too long.
        NotYoursError: It is not in the manager's project.
    """
    member = acting(member, Role.MANAGER)
    complaint = complaint_of(member, complaint_id)
    note = whole(note.strip())
    if len(note) > LONGEST_NOTE:
        message = f"the note has more than {LONGEST_NOTE} characters; shorten it"
        raise RefusedError([Problem("note-too-long", "note", message)])
    waiting = GuidelineCase.objects.filter(complaint=complaint, closed_in=None).first()
    if waiting is not None:
        return waiting
    case = GuidelineCase.objects.create(
        project=member.project, complaint=complaint, note=note, by=member.person
    )
    audits.record(
        "complaint.guideline_case",
        who=member.person,
        project=member.project,
        about=("complaint", complaint.pk),
    )
    return case
