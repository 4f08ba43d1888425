"""A complaint is decided, all or nothing; upheld, it makes a new golden version (CMP-3, CMP-5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.db.models import F
from django.utils import timezone

from gecbench.server.laws.names import (
    CloseReason,
    ComplaintState,
    Decision,
    Origin,
    ReviewKind,
    SentenceState,
    StudyState,
)
from gecbench.server.laws.text import TextError, cleaned, digest, whole
from gecbench.server.models import (
    Complaint,
    Golden,
    Member,
    Notice,
    Reference,
    Review,
    Sentence,
    Verdict,
)
from gecbench.server.workflow import audits, drafts
from gecbench.server.workflow.acting import acting
from gecbench.server.workflow.acts import act, locked_sentence
from gecbench.server.workflow.answers import Key, Ruling
from gecbench.server.workflow.candidates import golden_rows, submitted
from gecbench.server.workflow.deciders import may_decide
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    Problem,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.goldens import make_golden, version_of
from gecbench.server.workflow.opinions import checked_note
from gecbench.server.workflow.standing import UNDECIDED, move, settle_slot, settled
from gecbench.server.workflow.study_items import close, key_of
from gecbench.server.workflow.verdicts import UNCHECKED, consistency, section_problems

UPHELD = (ComplaintState.UPHELD, ComplaintState.UPHELD_CHANGED)
OUTCOMES = (*UPHELD, ComplaintState.DISMISSED)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The golden set that a ruling makes.

    Args:
        decision: Its kind.
        rows: References that exist, in order.
        text: One more that the ruling wrote; "" is none.
        reason: Why it cannot be annotated.
    """

    decision: Decision
    rows: tuple[Reference, ...] = field(default=())
    text: str = ""
    reason: str = ""

    @property
    def keys(self) -> set[str]:
        """What is right now."""
        if self.decision != Decision.CORRECTED:
            return {str(self.decision)}
        return {one.digest for one in self.rows} | ({digest(self.text)} if self.text else set())


def rule(
    member: Member, complaint_id: int, *, version: int, client_key: Key, ruling: Ruling
) -> Complaint:
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
    outcome = _rule(member, complaint_id, version, client_key, ruling)
    if isinstance(outcome, WorkflowError):  # raised only now that what was kept is committed
        raise outcome
    return outcome


@act
def _rule(
    member: Member, complaint_id: int, version: int, client_key: Key, ruling: Ruling
) -> Complaint | WorkflowError:
    member = acting(member)
    complaint = _complaint(member, complaint_id)
    sentence = locked_sentence(complaint.study.sentence_id, member.project_id)
    complaint = _complaint(member, complaint_id)  # as it is now that the sentence is locked
    before = Review.objects.filter(client_key=client_key).first()
    if before is not None:
        return _again(before, complaint, member)
    if not may_decide(member, complaint):
        raise NotYoursError(f"complaint {complaint_id} is not for this member to decide")
    try:
        if complaint.version != version or complaint.state not in UNDECIDED:
            raise ConflictError("the complaint has changed meanwhile; look again", complaint)
        note = _note(ruling)
        upheld = ruling.outcome in UPHELD
        verdict = _new_set(complaint, sentence, ruling) if upheld else None
    except (ConflictError, RefusedError) as error:
        drafts.keep_review_aside(sentence, member.person, ruling)
        return error
    review = _review(member, sentence, verdict, note, client_key)
    _decide(complaint, ruling.outcome, member, review, note, whole(ruling.section))
    if verdict is None:
        Verdict.objects.create(
            review=review, **_about(key_of(complaint.study), ruling, note, ok=False)
        )
        _settle(complaint, sentence, member)
    else:
        _make(member, complaint, sentence, review, verdict, ruling, note)
    audits.record(
        "complaint.decided",
        who=member.person,
        project=member.project,
        about=("complaint", complaint.pk),
        data={"outcome": str(ruling.outcome), "level": complaint.level},
    )
    return complaint


def _complaint(member: Member, complaint_id: int) -> Complaint:
    found = Complaint.objects.filter(pk=complaint_id, project=member.project_id).select_related(
        "study__submission", "study__reference", "person"
    )
    complaint = found.first()
    if complaint is None:
        raise NotYoursError(f"there is no complaint {complaint_id} in this project")
    return complaint


def _again(before: Review, complaint: Complaint, member: Member) -> Complaint:
    if complaint.review_id != before.pk or before.reviewer_id != member.person_id:
        raise ConflictError("this key was used for something else; load the page anew")
    return complaint


def _note(ruling: Ruling) -> str:
    if ruling.outcome not in OUTCOMES:
        message = f"a complaint is {', '.join(OUTCOMES)}; not {ruling.outcome}"
        raise RefusedError([Problem("CMP-3", "outcome", message)])
    wrong = tuple(section_problems(ruling.section, "section"))
    if wrong:
        raise RefusedError(wrong)
    if ruling.outcome == ComplaintState.DISMISSED or ruling.note.strip():
        return checked_note(ruling.note, "CMP-3-reason")
    return ""


def _new_set(complaint: Complaint, sentence: Sentence, ruling: Ruling) -> _Verdict:
    """Return the golden set after an upheld complaint.

    Raises:
        RefusedError: The text is none, or the set breaks a rule, or warns and is not confirmed.
    """
    study = complaint.study
    earlier = tuple(one for one in golden_rows(sentence.golden).values() if one is not None)
    if ruling.outcome == ComplaintState.UPHELD_CHANGED:
        verdict = _Verdict(Decision.CORRECTED, earlier, _text(complaint, sentence, ruling))
    elif study.reference is None:
        verdict = _Verdict(Decision(study.submission.decision), reason=study.submission.reason)
    else:
        # Of two who wrote the same, the first one's row is the golden one.
        row = submitted(sentence)[study.reference.digest].reference or study.reference
        verdict = _Verdict(Decision.CORRECTED, (*earlier, row))
    texts = tuple(one.text for one in verdict.rows) + ((verdict.text,) if verdict.text else ())
    fields = ["reference"] * len(verdict.rows) + ["text"]
    problems = consistency(sentence, verdict.decision, texts, fields)
    blocking = [one for one in problems if one.blocking]
    asked = [one for one in problems if ("code", UNCHECKED) not in one.values]
    if blocking or (asked and not ruling.confirmed):
        raise RefusedError(problems)
    return verdict


def _text(complaint: Complaint, sentence: Sentence, ruling: Ruling) -> str:
    try:
        text = cleaned(ruling.text).text
    except TextError as error:
        raise RefusedError([Problem("ANN-12", "text", str(error), error.told)]) from error
    if not text:
        raise RefusedError([Problem("ANN-12", "text", "write the changed text")])
    found = digest(text)
    if found == sentence.digest:
        raise RefusedError([Problem("ANN-10", "text", "the text is the sentence itself")])
    if found in golden_rows(sentence.golden):
        raise RefusedError([Problem("CON-10", "text", "the text is golden already")])
    if found == key_of(complaint.study):
        message = "that is their own text: uphold the complaint without a change"
        raise RefusedError([Problem("CMP-3-same", "text", message)])
    return text


def _review(
    member: Member,
    sentence: Sentence,
    verdict: _Verdict | None,
    note: str,
    client_key: Key,
) -> Review:
    """Write the decision; a dismissal is one, too, and keeps the golden set as it is."""
    golden = sentence.golden
    kept = Decision.CORRECTED if golden is None else Decision(golden.kind)
    return Review.objects.create(
        sentence=sentence,
        reviewer=member.person,
        kind=ReviewKind.COMPLAINT,
        base_version=version_of(sentence),
        decision=kept if verdict is None else verdict.decision,
        reason="" if verdict is None else verdict.reason,
        note=note,
        guideline_id=member.project.guideline_id,
        client_key=client_key,
    )


def _decide(
    complaint: Complaint,
    outcome: ComplaintState,
    member: Member,
    review: Review,
    note: str,
    section: str,
) -> None:
    values: dict[str, object] = {
        "state": outcome,
        "handler": member.person,
        "review": review,
        "decision_note": note,
        "section": section,
        "decided_at": timezone.now(),
    }
    changed = Complaint.objects.filter(
        pk=complaint.pk, version=complaint.version, state__in=UNDECIDED
    ).update(version=F("version") + 1, **values)
    if changed != 1:
        raise ConflictError("the complaint has changed meanwhile; look again", complaint)
    complaint.version += 1
    for name, value in values.items():
        setattr(complaint, name, value)
    Notice.objects.create(
        person=complaint.person,
        project_id=complaint.project_id,
        kind="complaint_decided",
        data={
            "complaint": complaint.pk,
            "study": complaint.study_id,
            "number": complaint.study.sentence.number,
            "outcome": str(outcome),
        },
    )


def _settle(complaint: Complaint, sentence: Sentence, member: Member) -> None:
    """Let the slot and the sentence rest where they do without this complaint."""
    settle_slot(complaint.study.submission.slot_id, by=member.person)
    if sentence.state == SentenceState.DISPUTED:
        move(sentence, settled(sentence))


def _make(
    member: Member,
    complaint: Complaint,
    sentence: Sentence,
    review: Review,
    verdict: _Verdict,
    ruling: Ruling,
    note: str,
) -> None:
    """Write verdicts and the new golden version; others with the same text benefit (CMP-5)."""
    Verdict.objects.bulk_create(_verdicts(complaint, sentence, review, verdict, ruling, note))
    study = complaint.study
    study.refresh_from_db(fields=["state", "version"])
    if study.state == StudyState.OPEN:
        close(study, CloseReason.UPHELD, by=member.person)
    rows: Sequence[Reference] = verdict.rows
    if verdict.text:
        rows = (*rows, _changed_row(complaint, sentence, review, verdict.text))
    golden = make_golden(sentence, review, rows, by=member.person).golden
    _uphold_others(complaint, golden, member)


def _verdicts(
    complaint: Complaint,
    sentence: Sentence,
    review: Review,
    verdict: _Verdict,
    ruling: Ruling,
    note: str,
) -> Iterator[Verdict]:
    """Yield the word about the text complained of, and about all that the ruling turns round."""
    before = set(golden_rows(sentence.golden))
    asked = key_of(complaint.study)
    for key in submitted(sentence):
        if key == asked or (key in before) != (key in verdict.keys):
            yield Verdict(review=review, **_about(key, ruling, note, ok=key in verdict.keys))


def _about(key: str, ruling: Ruling, note: str, *, ok: bool) -> dict[str, object]:
    decided = key in tuple(Decision)
    return {
        "decision": key if decided else Decision.CORRECTED,
        "digest": "" if decided else key,
        "correct": ok,
        "note": note,
        "section": whole(ruling.section),
    }


def _changed_row(complaint: Complaint, sentence: Sentence, review: Review, text: str) -> Reference:
    return Reference.objects.create(
        sentence=sentence,
        review=review,
        text=text,
        digest=digest(text),
        origin=Origin.COMPLAINT,
        parent=complaint.study.reference,
    )


def _uphold_others(complaint: Complaint, golden: Golden, member: Member) -> None:
    """Decide the complaints of others about what the new golden version has made golden."""
    others = Complaint.objects.filter(
        study__sentence=golden.sentence, state__in=UNDECIDED
    ).select_related("study__submission", "study__reference", "study__sentence", "person")
    keys = golden_rows(golden)
    slots = set()
    for one in others.order_by("pk"):
        if key_of(one.study) in keys and golden.review is not None:
            _decide(one, ComplaintState.UPHELD, member, golden.review, complaint.decision_note, "")
            slots.add(one.study.submission.slot_id)
    for slot_id in sorted(slots):
        settle_slot(slot_id, by=member.person)
    if slots and golden.sentence.state == SentenceState.DISPUTED:
        move(golden.sentence, settled(golden.sentence))
