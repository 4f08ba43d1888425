"""Who may decide a complaint: never its author, never who held a slot, and never nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from gecbench.server.choices import (
    CloseReason,
    ComplaintState,
    Decision,
    MemberStatus,
    Origin,
    ReviewKind,
    Role,
    SentenceState,
    StudyState,
)
from gecbench.server.models import (
    Complaint,
    Golden,
    GuidelineCase,
    Member,
    Message,
    Notice,
    Reference,
    ReleaseItem,
    Review,
    Sentence,
    SlotEvent,
    Study,
    Verdict,
)
from gecbench.server.rules.text import LONGEST_NOTE, digest, whole
from gecbench.server.workflow import audit, drafts
from gecbench.server.workflow.answers import Key, Ruling
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    Problem,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.golden import (
    candidates_of,
    check_consistency,
    clean_text,
    close_study,
    golden_rows,
    latest_verdicts,
    make_golden,
    refuse,
    section_problems,
    study_key,
    verdict_columns,
    version_of,
)
from gecbench.server.workflow.review_tasks import clean_note, record_readings
from gecbench.server.workflow.sentences import (
    UNDECIDED,
    change_state,
    derive_state,
    resting_state,
    update_slot_state,
)
from gecbench.server.workflow.transactions import (
    STUDYING,
    authorize,
    compare_and_set,
    lock_sentence,
    transactional,
)


def may_decide(member: Member, complaint: Complaint) -> bool:
    """Whether a member is among those who decide a complaint."""
    if member.pk is None:
        return _may_step_in(member, complaint)
    return deciders(complaint).filter(pk=member.pk).exists()


def _may_step_in(administrator: Member, complaint: Complaint) -> bool:
    """Whether an administrator who is no member decides it, as a manager of the project."""
    person = administrator.person_id
    if person == complaint.person_id or _held(complaint).filter(person=person).exists():
        return False
    return complaint.level > 1 or not deciders(complaint).exists()


def deciders(complaint: Complaint) -> QuerySet[Member]:
    """The active members who may decide a complaint (CMP-2, CMP-3).

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
    for members in (chosen, _but_first(reviewers, complaint), _but_first(managers, complaint)):
        if members.exists():
            return members
    return reviewers | managers


def _able(complaint: Complaint) -> QuerySet[Member]:
    """The active members who neither complained nor ever held a slot (INV-3)."""
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


# A complaint is decided, all or nothing; upheld, it makes a new golden version (CMP-3, CMP-5).


UPHELD = (ComplaintState.UPHELD, ComplaintState.UPHELD_CHANGED)
OUTCOMES = (*UPHELD, ComplaintState.DISMISSED)


@dataclass(frozen=True, slots=True)
class _GoldenSet:
    """The golden set that a ruling makes.

    Args:
        decision: Its kind.
        references: Those that exist, in order.
        text: One more that the ruling wrote; "" is none.
        reason: Why it cannot be annotated.
    """

    decision: Decision
    references: tuple[Reference, ...] = ()
    text: str = ""
    reason: str = ""

    @property
    def keys(self) -> set[str]:
        """What is right now."""
        if self.decision != Decision.CORRECTED:
            return {str(self.decision)}
        digests = {reference.digest for reference in self.references}
        return digests | ({digest(self.text)} if self.text else set())


@transactional
def decide(
    member: Member, complaint_id: int, *, version: int, client_key: Key, ruling: Ruling
) -> Complaint | WorkflowError:
    """Decide a complaint, all or nothing; upheld makes a new golden version (CMP-3, CMP-5).

    An upheld text joins the golden references; where the sentence had been error free or not
    annotatable, it is corrected from now on (CON-1, CON-2). An upheld decision takes the place of
    the golden set, whatever that was. Upheld with a change, the ruling's text joins instead. What
    is refused is kept (INV-10).

    Raises:
        RefusedError: No reason where it is dismissed, no text where it is changed, or the new
            golden set breaks a consistency rule.
        ConflictError: It has changed meanwhile.
        NotYoursError: The member may not decide it.
    """
    member = authorize(member)
    complaint = _lock_complaint(member, complaint_id)
    sentence = complaint.study.sentence
    known = Review.objects.filter(client_key=client_key).first()
    if known is not None:
        if complaint.review_id != known.pk or known.reviewer_id != member.person_id:
            raise ConflictError("this key was used for something else; load the page again")
        return complaint
    if not may_decide(member, complaint):
        raise NotYoursError(
            "complaint {complaint_id} is not for this member to decide", complaint_id=complaint_id
        )
    try:
        if complaint.version != version or complaint.state not in UNDECIDED:
            raise ConflictError("the complaint has changed meanwhile; look again", complaint)
        note = _clean_ruling(ruling)
        upheld = ruling.outcome in UPHELD
        golden_set = _golden_set(complaint, sentence, ruling) if upheld else None
    except (ConflictError, RefusedError) as error:
        drafts.keep_review_aside(sentence, member.person, ruling)
        return error
    # A dismissal is a review, too, and keeps the golden set as it is.
    kind = Decision.CORRECTED if sentence.golden is None else Decision(sentence.golden.kind)
    review = Review.objects.create(
        sentence=sentence,
        reviewer=member.person,
        kind=ReviewKind.COMPLAINT,
        base_version=version_of(sentence),
        decision=kind if golden_set is None else golden_set.decision,
        reason="" if golden_set is None else golden_set.reason,
        note=note,
        guideline_id=member.project.guideline_id,
        client_key=client_key,
    )
    _write_decision(complaint, ruling.outcome, member, review, note, whole(ruling.section))
    _write_verdicts(complaint, review, golden_set)
    if golden_set is None:
        update_slot_state(complaint.study.submission.slot_id, by=member.person)
        if sentence.state == SentenceState.DISPUTED:
            change_state(sentence, resting_state(sentence))
    else:
        _make_golden(member, complaint, review, golden_set)
    audit.record_by(
        member,
        "complaint.decided",
        about=("complaint", complaint.pk),
        data={"outcome": str(ruling.outcome), "level": complaint.level},
    )
    return complaint


def _lock_complaint(member: Member, complaint_id: int) -> Complaint:
    """Read a complaint as it is now that its sentence is locked."""
    complaints = Complaint.objects.filter(pk=complaint_id, project=member.project_id)
    sentence_id = complaints.values_list("study__sentence", flat=True).first()
    if sentence_id is None:
        raise NotYoursError(
            "there is no complaint {complaint_id} in this project", complaint_id=complaint_id
        )
    sentence = lock_sentence(sentence_id, member.project_id)
    sentence.project = member.project
    complaint = complaints.select_related("study__submission", "study__reference", "person").get()
    complaint.study.sentence = sentence
    return complaint


def _clean_ruling(ruling: Ruling) -> str:
    """The note as it is kept, of a ruling that has all that its outcome needs."""
    if ruling.outcome not in OUTCOMES:
        raise RefusedError([Problem("CMP-3", "outcome")])
    problems = tuple(section_problems(ruling.section, "section"))
    if problems:
        raise RefusedError(problems)
    if ruling.outcome == ComplaintState.DISMISSED or ruling.note.strip():
        return clean_note(ruling.note, "CMP-3-reason")
    return ""


def _golden_set(complaint: Complaint, sentence: Sentence, ruling: Ruling) -> _GoldenSet:
    """The golden set after an upheld complaint.

    Raises:
        RefusedError: The text is none, or the set breaks a rule, or warns and is not confirmed.
    """
    study = complaint.study
    golden = tuple(row for row in golden_rows(sentence.golden).values() if row is not None)
    if ruling.outcome == ComplaintState.UPHELD_CHANGED:
        golden_set = _GoldenSet(Decision.CORRECTED, golden, _text(study, sentence, ruling))
    elif study.reference is None:
        decision, reason = Decision(study.submission.decision), study.submission.reason
        golden_set = _GoldenSet(decision, reason=reason)
    else:
        # Of two who wrote the same, the first one's row is the golden one.
        first = candidates_of(sentence)[study.reference.digest].reference or study.reference
        golden_set = _GoldenSet(Decision.CORRECTED, (*golden, first))
    texts = [row.text for row in golden_set.references]
    fields = ["reference"] * len(texts) + ["text"]
    texts += [golden_set.text] if golden_set.text else []
    problems = check_consistency(sentence, golden_set.decision, tuple(texts), fields)
    refuse(problems, confirmed=ruling.confirmed)
    return golden_set


def _text(study: Study, sentence: Sentence, ruling: Ruling) -> str:
    text = clean_text(ruling.text, sentence, "text")
    if digest(text) in golden_rows(sentence.golden):
        raise RefusedError([Problem("CON-10", "text")])
    if digest(text) == study_key(study):
        raise RefusedError([Problem("CMP-3-same", "text")])
    return text


def _write_decision(
    complaint: Complaint,
    outcome: ComplaintState,
    member: Member,
    review: Review,
    note: str,
    section: str,
) -> None:
    compare_and_set(
        complaint,
        UNDECIDED,
        ConflictError("the complaint has changed meanwhile; look again", complaint),
        state=outcome,
        handler=member.person,
        review=review,
        decision_note=note,
        section=section,
        decided_at=timezone.now(),
    )
    about = {"complaint": complaint.pk, "study": complaint.study_id}
    data = {**about, "number": complaint.study.sentence.number, "outcome": str(outcome)}
    person = complaint.person_id
    Notice.objects.tell([person], complaint.project_id, "complaint_decided", data)


def _write_verdicts(complaint: Complaint, review: Review, golden_set: _GoldenSet | None) -> None:
    """Say what is right: of the text complained of, and of all that the ruling turns round."""
    key_of_study = study_key(complaint.study)
    verdicts = {key_of_study: False}
    if golden_set is not None:
        before, after = set(golden_rows(review.sentence.golden)), golden_set.keys
        verdicts = {
            key: key in after
            for key in candidates_of(review.sentence)
            if key == key_of_study or (key in before) != (key in after)
        }
    Verdict.objects.bulk_create(
        Verdict(
            review=review,
            **verdict_columns(key),
            correct=correct,
            note=complaint.decision_note,
            section=complaint.section,
        )
        for key, correct in verdicts.items()
    )


def _make_golden(
    member: Member, complaint: Complaint, review: Review, golden_set: _GoldenSet
) -> None:
    """Write the new golden version; others with the same text benefit (CMP-5)."""
    study = complaint.study
    study.refresh_from_db(fields=["state", "version"])
    if study.state == StudyState.OPEN:
        close_study(study, CloseReason.UPHELD, by=member.person)
    references = list(golden_set.references)
    if golden_set.text:
        reference = Reference.objects.create(
            sentence=review.sentence,
            review=review,
            text=golden_set.text,
            digest=digest(golden_set.text),
            origin=Origin.COMPLAINT,
            parent=study.reference,
        )
        references.append(reference)
    golden, _ = make_golden(review.sentence, review, references, by=member.person)
    _uphold_others(complaint, golden, member)


def _uphold_others(complaint: Complaint, golden: Golden, member: Member) -> None:
    """Decide the complaints of others about what the new golden version has made golden."""
    others = Complaint.objects.filter(
        study__sentence=golden.sentence, state__in=UNDECIDED
    ).select_related("study__submission", "study__reference", "study__sentence", "person")
    keys = golden_rows(golden)
    slots = set()
    for other in others.order_by("pk"):
        if study_key(other.study) in keys and golden.review is not None:
            _write_decision(
                other, ComplaintState.UPHELD, member, golden.review, complaint.decision_note, ""
            )
            slots.add(other.study.submission.slot_id)
    for slot_id in sorted(slots):
        update_slot_state(slot_id, by=member.person)
    if slots and golden.sentence.state == SentenceState.DISPUTED:
        change_state(golden.sentence, resting_state(golden.sentence))


# Complaints: made, discussed, decided, escalated (CMP-1 to CMP-6).


_DECIDED = (SentenceState.GOLDEN, SentenceState.DISPUTED)


@transactional
def complain(member: Member, study_id: int, *, argument: str, client_key: Key) -> Complaint:
    """Complain about a verdict; goes to a reviewer by the project's option (CMP-1, CMP-2).

    A second complaint on the same item goes to a manager (level 2), whose word is final.

    Raises:
        RefusedError: No argument, or one is open, or the last word was spoken.
        ConflictError: The sentence is being reviewed again; that review may settle it.
        NotYoursError: The item is not theirs.
    """
    member = authorize(member, statuses=STUDYING)
    study = _find_study(member, study_id)
    before = Message.objects.filter(client_key=client_key).select_related("complaint").first()
    if before is not None:
        return _again(before, study)
    sentence = lock_sentence(study.sentence_id, member.project_id)
    words = clean_note(argument, "CMP-1-argument", field="argument")
    study.refresh_from_db(fields=["state", "version"])
    level = _level(study)
    out = sentence.state == SentenceState.WITHDRAWN
    if (derive_state(sentence) if out else sentence.state) not in _DECIDED:
        raise ConflictError("the sentence is being reviewed again; see first what comes of that")
    if not out:
        change_state(sentence, SentenceState.DISPUTED)
    verdict = latest_verdicts(sentence).get(study_key(study))
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
    update_slot_state(study.submission.slot_id, by=member.person)
    audit.record_by(
        member,
        "complaint.made",
        about=("complaint", complaint.pk),
        data={"study": study.pk, "level": level},
    )
    return complaint


def _find_study(member: Member, study_id: int) -> Study:
    studies = Study.objects.filter(
        pk=study_id, person=member.person_id, project=member.project_id
    ).select_related("submission", "reference", "golden__review__reviewer")
    study = studies.first()
    if study is None:
        raise NotYoursError("there is no study item {study_id} for this person", study_id=study_id)
    return study


def _again(before: Message, study: Study) -> Complaint:
    complaint = before.complaint
    if complaint is None or (before.person_id, complaint.study_id) != (study.person_id, study.pk):
        raise ConflictError("this key was used for something else; load the page again")
    return complaint


def _level(study: Study) -> int:
    """Whom a new complaint goes to: 1 a reviewer, 2 a manager.

    Raises:
        RefusedError: There is nothing left to complain about.
    """
    if study.state != StudyState.OPEN:
        raise RefusedError([Problem("CMP-1-closed")])
    complaints = list(study.complaints.order_by("pk"))
    if any(complaint.state in UNDECIDED for complaint in complaints):
        raise RefusedError([Problem("CMP-1-open")])
    if any(complaint.level == 2 for complaint in complaints):
        raise RefusedError([Problem("CMP-3-final")])
    return 2 if complaints else 1


def _visible(member: Member) -> QuerySet[Complaint]:
    """What a member may read: own ones, as reviewer those on others' sentences, or all."""
    everything = Complaint.objects.filter(project=member.project_id).select_related(
        "person", "handler", "first_reviewer", "study__sentence", "study__reference",
        "study__submission",
    )  # fmt: skip
    if member.has(Role.MANAGER):
        return everything
    by_member = Q(person=member.person_id)
    if not member.has(Role.REVIEWER):
        return everything.filter(by_member)
    held = SlotEvent.objects.filter(sentence=OuterRef("study__sentence"), person=member.person_id)
    return everything.filter(by_member | Q(Q(level=1) | Q(handler=member.person_id), ~Exists(held)))


def list_complaints(member: Member, *, state: str = "") -> tuple[Complaint, ...]:
    """What the member may see: own ones, those to decide, all for managers; newest first.

    Args:
        member: Who asks.
        state: A ComplaintState; "undecided" for open and discussed ones; "" for all.
    """
    complaints = _visible(member)
    if state == "undecided":
        complaints = complaints.filter(state__in=UNDECIDED)
    elif state:
        complaints = complaints.filter(state=state)
    rows = tuple(complaints.order_by("-pk"))
    _note(member, rows)
    return rows


def _note(member: Member, rows: Sequence[Complaint]) -> None:
    """Note that the member reads what others submitted (ROL-5)."""
    foreign = [row.study.sentence_id for row in rows if row.person_id != member.person_id]
    if foreign:
        record_readings(foreign, member.person_id)


def get_complaint(member: Member, complaint_id: int) -> Complaint:
    """A complaint that the member may see.

    Raises:
        NotYoursError: They may not.
    """
    complaint = _visible(member).filter(pk=complaint_id).first()
    if complaint is None:
        raise NotYoursError(
            "there is no complaint {complaint_id} for this person", complaint_id=complaint_id
        )
    _note(member, [complaint])
    return complaint


def may_decide_now(member: Member, complaint: Complaint) -> bool:
    """Whether the member may decide it now."""
    return complaint.state in UNDECIDED and may_decide(member, complaint)


def for_next_release(complaint: Complaint) -> bool:
    """Whether the sentence is in a release: what is decided counts for the next (CMP-6)."""
    return ReleaseItem.objects.filter(sentence=complaint.study.sentence_id).exists()


@transactional
def add_message(member: Member, complaint_id: int, *, text: str, client_key: Key) -> Message:
    """Add to the talk (CMP-4); it may go on after the decision.

    Raises:
        RefusedError: Nothing is said, or too much.
        NotYoursError: They may not see it.
    """
    member = authorize(member, statuses=STUDYING)
    complaint = get_complaint(member, complaint_id)
    before = Message.objects.filter(client_key=client_key).first()
    if before is not None:
        if (before.person_id, before.complaint_id) != (member.person_id, complaint.pk):
            raise ConflictError("this key was used for something else; load the page again")
        return before
    words = clean_note(text, "CMP-4", field="text")
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
    authors = Message.objects.filter(complaint=complaint).values_list("person", flat=True)
    people = sorted({*authors, complaint.person_id} - {but})
    data = {"complaint": complaint.pk, "number": complaint.study.sentence.number}
    Notice.objects.tell(people, complaint.project_id, "complaint_message", data)


@transactional
def mark_case(member: Member, complaint_id: int, *, note: str) -> GuidelineCase:
    """Let a manager put it into the guideline's change queue (CMP-4); once is enough.

    Raises:
        RefusedError: The note is too long.
        NotYoursError: It is not in the manager's project.
    """
    member = authorize(member, Role.MANAGER)
    complaint = get_complaint(member, complaint_id)
    note = whole(note.strip())
    if len(note) > LONGEST_NOTE:
        raise RefusedError([Problem("note-too-long", "note")])
    waiting = GuidelineCase.objects.filter(complaint=complaint, closed_in=None).first()
    if waiting is not None:
        return waiting
    case = GuidelineCase.objects.create(
        project=member.project, complaint=complaint, note=note, by=member.person
    )
    audit.record_by(member, "complaint.guideline_case", about=("complaint", complaint.pk))
    return case
