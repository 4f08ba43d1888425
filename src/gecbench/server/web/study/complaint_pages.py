"""What the pages of complaints show: the text, the talk, both decisions, and what may be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from gecbench.server.choices import ComplaintState, Role, StudyState
from gecbench.server.models import Complaint, GuidelineCase, Member, Message, Person, Verdict
from gecbench.server.web.review.pages import Cited, excerpt, section_names
from gecbench.server.web.review.words import Named, diff_words, reject_reasons
from gecbench.server.web.study import pages
from gecbench.server.workflow import complaints, studies
from gecbench.server.workflow.golden import golden_rows
from gecbench.server.workflow.sentences import UNDECIDED

FILTERS: Mapping[str, object] = {
    "undecided": _("Undecided"),
    ComplaintState.UPHELD.value: _("Upheld"),
    ComplaintState.UPHELD_CHANGED.value: _("Upheld with a change"),
    ComplaintState.DISMISSED.value: _("Dismissed"),
    "all": _("All"),
}
_TONES = {
    ComplaintState.UPHELD: "good",
    ComplaintState.UPHELD_CHANGED: "good",
    ComplaintState.DISMISSED: "bad",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """One complaint of the list."""

    complaint: Complaint
    state: str
    tone: str
    html: str
    words: str
    mine: bool


@dataclass(frozen=True, slots=True)
class Said:
    """One message: who said it, as far as the reader may know."""

    message: Message
    who: str
    mine: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """One decision about the text, in the order of time (CMP-5)."""

    verdict: Verdict
    title: str
    reasons: tuple[Named, ...]
    cited: Cited | None


def state_words(complaint: Complaint) -> tuple[str, str]:
    """Return the state of a complaint in words, and its tone."""
    state = ComplaintState(complaint.state)
    return str(state.label), _TONES.get(state, "")


def listed(member: Member, found: Sequence[Complaint]) -> tuple[Listed, ...]:
    """Return complaints as the list shows them."""
    return tuple(
        Listed(
            one,
            *state_words(one),
            pages.own_html(member, one.study),
            pages.own_words(one.study),
            one.person_id == member.person_id,
        )
        for one in found
    )


def context(member: Member, complaint: Complaint) -> dict[str, object]:
    """Return what the template of a complaint needs."""
    study, mine = complaint.study, complaint.person_id == member.person_id
    state, tone = state_words(complaint)
    dismissed = complaint.state == ComplaintState.DISMISSED
    may_rule = complaints.may_decide_now(member, complaint)
    lines, decided = _golden(member, complaint, mine=mine)
    manages = member.has(Role.MANAGER)
    return {
        "complaint": complaint,
        "study": study,
        "sentence": study.sentence,
        "state": state,
        "tone": tone,
        "mine": mine,
        "author": _who(member, complaint, complaint.person, set()),
        "own": pages.own_html(member, study),
        "own_decision": pages.own_words(study),
        "own_reason": pages.own_reason(study),
        "talk": _talk(member, complaint),
        "judged": _judged(member, complaint),
        "lines": lines,
        "decided": decided,
        "undecided": complaint.state in UNDECIDED,
        "may_rule": may_rule,
        "may_escalate": mine
        and dismissed
        and complaint.level == 1
        and study.state == StudyState.OPEN
        and not study.complaints.filter(pk__gt=complaint.pk).exists(),
        "next_release": complaints.for_next_release(complaint),
        "manages": manages,
        "case": GuidelineCase.objects.filter(complaint=complaint).order_by("pk").last()
        if manages
        else None,
        "sections": section_names(member.project.guideline) if may_rule else (),
        "begin": study.reference.text if study.reference else study.sentence.text,
        "client_key": uuid4(),
        "data": _data(member, complaint),
        "words": {"diff": diff_words()},
    }


def _data(member: Member, complaint: Complaint) -> dict[str, object]:
    return {
        "source": complaint.study.sentence.text,
        "lang": member.project.lang,
        "placeholder": member.project.rules.placeholder,
    }


def _golden(
    member: Member, complaint: Complaint, *, mine: bool
) -> tuple[tuple[pages.Line, ...], str]:
    """Return the golden texts beside the own one; for the author, only once they may be shown."""
    study = complaint.study
    own = [(gettext("Submitted"), study.reference.text)] if study.reference else []
    if mine:
        lesson = studies.lesson(member, study.pk)
        texts, kind = [one.text for one in lesson.revealed], lesson.decision
    else:
        golden = study.sentence.golden
        rows = golden_rows(golden).values()
        texts, kind = [one.text for one in rows if one is not None], golden.kind if golden else ""
    return pages.compared(member, study.sentence.text, own, texts), pages.decided_words(
        kind, study.sentence.golden
    )


def _judged(member: Member, complaint: Complaint) -> tuple[Judged, ...]:
    """Return every decision about the text, oldest first."""
    study = complaint.study
    if study.reference is not None:
        about = {"digest": study.reference.digest}
    else:
        about = {"decision": study.submission.decision, "digest": ""}
    found = Verdict.objects.filter(review__sentence=study.sentence_id, **about)
    known = {one.name: one for one in reject_reasons()}
    guideline = member.project.guideline
    return tuple(
        Judged(
            one,
            gettext("judged correct") if one.correct else gettext("judged wrong"),
            tuple(known[name] for name in one.reasons if name in known),
            excerpt(guideline, one.section),
        )
        for one in found.select_related("review").order_by("pk")
    )


def _talk(member: Member, complaint: Complaint) -> tuple[Said, ...]:
    messages = tuple(complaint.messages.select_related("person").order_by("pk"))
    managers = set(
        Member.objects.filter(
            project=complaint.project_id,
            is_manager=True,
            person__in={one.person_id for one in messages},
        ).values_list("person", flat=True)
    )
    return tuple(
        Said(one, _who(member, complaint, one.person, managers), one.person_id == member.person_id)
        for one in messages
    )


def _who(member: Member, complaint: Complaint, person: Person, managers: set[int]) -> str:
    """Return who speaks: by name for managers and where the project shows names (ROL-6)."""
    if person.pk == member.person_id:
        return gettext("You")
    if member.has(Role.MANAGER) or member.project.rules.reviewer_sees_names:
        return person.name
    if person.pk == complaint.person_id:
        return gettext("The author")
    return gettext("A manager") if person.pk in managers else gettext("A reviewer")
