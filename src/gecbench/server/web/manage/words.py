"""The words for states, roles and refusals on the manager's pages."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from gecbench.core.errors import GecbenchError
from gecbench.server.choices import (
    CloseReason,
    Decision,
    MemberStatus,
    Origin,
    Purpose,
    ReviewKind,
    Role,
    SentenceState,
    SlotEventKind,
    SlotState,
)
from gecbench.server.import_export.exports import Note
from gecbench.server.web.translation import Translation, translate
from gecbench.server.workflow.errors import Problem, RefusedError

SENTENCE_STATES: Mapping[str, object] = {
    SentenceState.OPEN: _("not begun"),
    SentenceState.ANNOTATING: _("being annotated"),
    SentenceState.REVIEW_READY: _("waits for review"),
    SentenceState.IN_REVIEW: _("in review"),
    SentenceState.GOLDEN: _("golden"),
    SentenceState.DISPUTED: _("under complaint"),
    SentenceState.WITHDRAWN: _("withdrawn"),
}
TONES: Mapping[str, str] = {
    SentenceState.GOLDEN: "good",
    SentenceState.DISPUTED: "warn",
    SentenceState.WITHDRAWN: "bad",
}
SLOT_STATES: Mapping[str, object] = {
    SlotState.FREE: _("free"),
    SlotState.OPEN: _("in work"),
    SlotState.SUBMITTED: _("submitted"),
    SlotState.JUDGED: _("judged"),
    SlotState.STUDY: _("in self-study"),
    SlotState.PASSED: _("passed"),
    SlotState.DISPUTED: _("under complaint"),
}
SLOT_EVENTS: Mapping[str, object] = {
    SlotEventKind.CLAIM: _("took a place"),
    SlotEventKind.RENEW: _("went on working"),
    SlotEventKind.RELEASE: _("gave the place back"),
    SlotEventKind.EXPIRE: _("lost the place: the time was over"),
    SlotEventKind.SKIP: _("skipped it"),
    SlotEventKind.SUBMIT: _("submitted"),
    SlotEventKind.REOPEN: _("took the submission back"),
    SlotEventKind.JUDGE: _("was judged"),
    SlotEventKind.PASS: _("passed"),
    SlotEventKind.STUDY: _("has something to study"),
    SlotEventKind.DISPUTE: _("complained"),
    SlotEventKind.RETURN: _("a place was added"),
}
DECISIONS: Mapping[str, object] = {
    Decision.CORRECTED: _("corrections"),
    Decision.ERROR_FREE: _("free of errors"),
    Decision.NOT_ANNOTATABLE: _("cannot be annotated"),
}
REVIEW_KINDS: Mapping[str, object] = {
    ReviewKind.FIRST: _("review"),
    ReviewKind.SECOND: _("second opinion"),
    ReviewKind.COMPLAINT: _("decision of a complaint"),
    ReviewKind.REOPENED: _("review anew"),
    ReviewKind.UNANIMOUS: _("closed because all agreed"),
}
ORIGINS: Mapping[str, object] = {
    Origin.ANNOTATOR: _("by an annotator"),
    Origin.MODIFIED: _("modified by the reviewer"),
    Origin.ADDED: _("added by the reviewer"),
    Origin.RESTORED: _("restored by the reviewer"),
    Origin.COMPLAINT: _("by a complaint"),
    Origin.IMPORT: _("imported"),
    Origin.MODEL: _("by a model"),
}
CLOSE_REASONS: Mapping[str, object] = {
    CloseReason.MATCHED: _("mended"),
    CloseReason.UPHELD: _("complaint upheld"),
    CloseReason.GOLDEN_CHANGED: _("became golden"),
    CloseReason.WAIVED: _("closed by a manager"),
}
PURPOSES: Mapping[str, object] = {
    Purpose.REAL: _("real work"),
    Purpose.TRAINING: _("training"),
    Purpose.TRIAL: _("trial"),
}
ROLES: Mapping[str, object] = {
    Role.ANNOTATOR: _("annotator"),
    Role.REVIEWER: _("reviewer"),
    Role.JUDGE: _("judge"),
    Role.MANAGER: _("manager"),
}
STATUSES: Mapping[str, object] = {
    MemberStatus.INVITED: _("invited"),
    MemberStatus.TRAINING: _("in training"),
    MemberStatus.TRIAL: _("on trial"),
    MemberStatus.ACTIVE: _("active"),
    MemberStatus.PAUSED: _("paused"),
    MemberStatus.LEFT: _("left"),
}

_PROBLEMS: Mapping[str, object] = {
    "reopen-reason": _("Say why, in a few words."),
    "withdraw-reason": _("Say why, in a few words."),
    "waive-note": _("Say why, in a few words."),
    "note-too-long": _("This note is too long; shorten it."),
    "reopen-disputed": _("There is an undecided complaint about it; decide that first."),
    "ROL-2": _(
        "They are no active reviewer, or have worked on this sentence themselves; choose another."
    ),
    "WFL-5": _("A sentence has at most 20 annotators; here at most %(most)s more are possible."),
    "priority": _("A priority is a whole number from -1000000 to 1000000."),
    "last-manager": _("A project keeps at least one manager; make somebody else one first."),
    "more-rights": _("They may do more on this site than you; ask an administrator."),
    "login-unknown": _("Nobody on this site has exactly this login."),
    "member-already": _("This person is a member already."),
    "quota": _("A quota is a number from 1 to %(most)s."),
    "batch": _("At most %(most)s sentences are kept at once."),
    "batch-empty": _("There is no free sentence for %(name)s."),
    "assignment-role": _("%(name)s does not work in this role now."),
    "keep-member": _("Choose an active annotator."),
    "due-wrong": _("Choose a day that is not over."),
    "due-over": _("The deadline is in the past."),
    "member-status": _("This status cannot follow the one they have."),
}
_STATUS_WORDS: Mapping[int, object] = {
    403: _("This is not possible: the project is closed, or your role does not allow it."),
    409: _("It has changed meanwhile, or its state does not allow this. Nothing was changed."),
}


def refusal(error: GecbenchError) -> str:
    """Return why something was refused, in the person's language."""
    return refused(error).text


def refused(error: GecbenchError) -> Translation:
    """Return why something was refused, and whether the library's words stayed English."""
    if isinstance(error, RefusedError):
        told = [_problem(one) for one in error.problems]
        return Translation(" ".join(map(str, told)), foreign=any(one.foreign for one in told))
    known = _STATUS_WORDS.get(getattr(error, "status", 0))
    return translate(error) if known is None else Translation(str(known))


def problem(found: Problem) -> str:
    """Return a problem in the person's language."""
    return _problem(found).text


def _problem(found: Problem) -> Translation:
    known = _PROBLEMS.get(found.code)
    if known is None:
        return translate(found.message)
    return Translation(str(known) % dict(found.values))


def act_of(what: str) -> str:
    """Return a dotted name of the log in words; one that is not known stays as it is."""
    known = ACTS.get(what)
    return what if known is None else str(known)


def nobody() -> str:
    """Return who did what nobody did: the operator, or the platform."""
    return gettext("the site")


ACTS: Mapping[str, object] = {
    "project.made": _("made the project"),
    "project.changed": _("changed settings"),
    "project.archived": _("archived the project"),
    "project.deleted": _("deleted the project"),
    "project.brought_back": _("brought the project back"),
    "guideline.published": _("published a guideline"),
    "guideline.cases_settled": _("settled guideline cases"),
    "invitation.made": _("made an invitation"),
    "invitation.used": _("came by an invitation"),
    "invitation.revoked": _("withdrew an invitation"),
    "member.added": _("made somebody a member"),
    "member.changed": _("changed a member"),
    "person.password_link_made": _("made a link for a new password"),
    "person.unlocked": _("lifted the lock after failed sign-ins"),
    "assignment.made": _("gave a member work"),
    "assignment.moved": _("changed a deadline"),
    "assignment.ended": _("ended what a member was given"),
    "sentences.imported": _("imported sentences"),
    "suggestions.made": _("let a corrector make suggestions"),
    "sentence.reopened": _("had a sentence reviewed anew"),
    "sentence.withdrawn": _("withdrew sentences"),
    "sentence.restored": _("restored sentences"),
    "sentence.raised": _("asked for more annotators"),
    "sentence.priority": _("changed priorities"),
    "submission.made": _("submitted a sentence"),
    "review.assigned": _("assigned a review"),
    "review.finalised": _("decided a sentence"),
    "review.handed_on": _("handed a review on"),
    "review.second_opinion": _("asked for a second opinion"),
    "review.undone": _("took a decision back"),
    "review.returned": _("returned a sentence to annotators"),
    "complaint.made": _("complained"),
    "complaint.decided": _("decided a complaint"),
    "complaint.guideline_case": _("noted a guideline case"),
    "study.waived": _("closed a study item"),
    "release.made": _("made a release"),
    "export.begun": _("began an export"),
    "export.done": _("finished an export"),
}


_EXPORT_NOTES: Mapping[str, object] = {
    "undecided": _("%(count)d sentences are not decided, or are withdrawn: not in the file"),
    "not_annotatable": _("%(count)d sentences cannot be annotated: not in the file"),
    "error_free": _("%(count)d sentences are free of errors: their source is the reference"),
    "repeated": _("Sentences with fewer references than the one with most repeat their first one"),
    "placeholder": _("%(placeholder)s is written %(alias)s"),
}


def note_words(note: Note) -> str:
    """Return what an export leaves out or writes otherwise, in the person's language."""
    return str(_EXPORT_NOTES[note.code]) % note.values
