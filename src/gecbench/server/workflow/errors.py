"""How the workflow says no; each has the HTTP status that the wire uses."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from gecbench.core.errors import GecbenchError, Message

_SAY_WHY = Message("Say why, in a few words.")
_OTHER_NEEDS_NOTE = Message("The reason “other” needs a note.")
MESSAGES: Mapping[str, str] = {
    # What an answer, a review or a ruling breaks; most are shown beside a text.
    "ANN-4": Message("At most {most} corrections are taken here. Remove one."),
    "ANN-6": Message("Say why the sentence cannot be annotated."),
    "ANN-6-note": Message("Say in words why it cannot be annotated."),
    "ANN-9": Message(
        "An answer has corrections, or is error free, or cannot be annotated: one of them."
    ),
    "ANN-10": Message("This is the original sentence."),
    "ANN-12": Message("This correction is empty. Write it, or remove it."),
    "ANN-14": Message("At most {most} tasks can be skipped. Do one of them first."),
    "CMP-1-argument": Message("Say why your text is right."),
    "CMP-1-closed": Message("This item is closed already."),
    "CMP-1-open": Message("Your complaint about it is not decided yet."),
    "CMP-3": Message("Choose one of the three decisions."),
    "CMP-3-final": Message("A manager has made the final decision."),
    "CMP-3-reason": _SAY_WHY,
    "CMP-3-same": Message("This is the submitted text itself: uphold it without a change."),
    "CMP-4": Message("Write something."),
    "CON-10": Message("This text is there already."),
    "GUI-4": Message("The guideline has no such section: choose one from the list."),
    "GUI-4-several": Message("Several sections have this title: choose one from the list."),
    "REV-2": Message("Not judged yet."),
    "REV-2-strange": Message("A verdict is about a text that is not there; load the page again."),
    "REV-2-twice": Message("This is judged twice."),
    "REV-3": Message("Say why it is wrong: choose at least one reason."),
    "REV-3-note": _OTHER_NEEDS_NOTE,
    "REV-4": Message("This is a text that you judge wrong."),
    "REV-4-parent": Message("This was made from a text that is not judged wrong."),
    "REV-7": Message("Say why the sentence cannot be annotated."),
    "REV-7-note": _OTHER_NEEDS_NOTE,
    "REV-9": Message(
        "It only goes too far: restore what was over-corrected and keep the rest as a text."
    ),
    "REV-10": _SAY_WHY,
    "REV-10-nobody": Message(
        "Nobody else can review this sentence: decide it, or ask a manager for a reviewer."
    ),
    "WFL-5": Message("At most {most} more annotators can be asked for."),
    "WFL-5-manager": Message(
        "A sentence has at most 20 annotators; here at most {most} more are possible."
    ),
    "WFL-5-nobody": Message("Only {left} annotators have not worked on this sentence."),
    "decision-corrected": Message(
        "This is judged correct, but the sentence is to have corrections."
    ),
    "decision-error_free": Message(
        "This contradicts the decision that the sentence is free of errors."
    ),
    "decision-not_annotatable": Message(
        "This contradicts the decision that the sentence cannot be annotated."
    ),
    "note-too-long": Message("This note is too long; shorten it."),
    "one-text": Message("Write one text, or decide otherwise."),
    "open-tasks": Message("Submit or skip the open task first."),
    "section-too-long": Message("The name of the section has more than {most} characters."),
    # Texts that cannot be kept (`rules.text.REFUSALS`).
    "nul": Message("This text holds a NUL character, which no text has; paste it again."),
    "surrogate": Message(
        "This text was damaged on its way: it holds half a character; paste it again."
    ),
    "too_long": Message("This text has {length} characters; at most {longest} are allowed."),
    # Findings of the consistency rules (`rules.consistency.SENTENCES`).
    "empty": Message("This text is empty."),
    "equals_source": Message("This is the sentence itself. Is it free of errors?"),
    "error_free_and_corrected": Message(
        "The sentence is declared free of errors, and there are corrections; take one away."
    ),
    "not_annotatable_and_corrected": Message(
        "The sentence is declared not annotatable, and there are corrections; take one away."
    ),
    "nothing_decided": Message(
        "There is no golden text yet: judge one correct, write one, or decide otherwise."
    ),
    "placeholder_in_some": Message(
        "This text has no {placeholder} and others have it; all have it or none."
    ),
    "placeholder_count": Message(
        "This text has {placeholder} {count} times; {other}: {expected} times."
    ),
    "placeholder_position": Message(
        "{placeholder} stands at another place here ({other}); right only where there are several "
        "ways."
    ),
    "placeholder_spelling": Message("{text} is not how this project writes it; write {repair}."),
    "half_width": Message(
        "Half-width “{text}” between Chinese characters; full width is “{repair}”."
    ),
    "full_width": Message("Full-width “{text}” in English; half width is “{repair}”."),
    "symbol": Message("The symbol “{text}” inside Chinese text is still there."),
    "lost_word": Message("The word {text} has gone; words are corrected, not translated."),
    "traditional_source": Message("The sentence has traditional characters: {text}."),
    "traditional_reference": Message("Traditional characters: {text}; write {repair}."),
    "traditional_unchecked": Message(
        "Traditional characters could not be looked for: OpenCC is not installed on the server."
    ),
    "same_reference": Message("The same text twice: {other}."),
    # Drafts, which a script sends.
    "draft-decision": Message("There is no such decision."),
    "draft-key": Message("A draft has no {key!r} like that; it has {keys}."),
    "draft-numbers": Message("A draft has numbers that JSON does not have, or holds itself."),
    "draft-rev": Message("A draft is made from a revision from 0 to {most}, not from {rev}."),
    "draft-texts": Message("A draft's texts are a list of texts."),
    "draft-too-long": Message("The draft has more than {most} bytes; shorten it."),
    # Accounts and members.
    "invitation-kind": Message("This link is for a new account; sign out first."),
    "invitation-used": Message(
        "Somebody has used this link already and is a member; change that under Members."
    ),
    "last-manager": Message("A project keeps at least one manager; make somebody else one first."),
    "login-empty": Message("Choose a name for signing in."),
    "login-space": Message("A name for signing in has no spaces."),
    "login-taken": Message("Somebody has this name for signing in already; choose another."),
    "login-unknown": Message("Nobody on this site has exactly this login."),
    "member-already": Message("This person is a member already."),
    "member-paused": Message(
        "You are paused in this project. Ask a manager; an invitation does not change that."
    ),
    "member-status": Message("This status cannot follow the one they have."),
    "more-rights": Message(
        "They are an administrator, or also work in a project that you do not manage; ask an "
        "administrator."
    ),
    "name-empty": Message("Write the name that others see."),
    "password": "{text}",  # in the words of Django's validators
    "password_wrong": Message("This is not your password."),
    # What managers do.
    "ROL-2": Message(
        "They are no active reviewer, or have worked on this sentence themselves; choose another."
    ),
    "assignment-role": Message("{name} does not work in this role now."),
    "batch": Message("At most {most} sentences are kept at once."),
    "batch-empty": Message("There is no free sentence for {name}."),
    "due-over": Message("The deadline is in the past."),
    "due-wrong": Message("Choose a day that is not over."),
    "keep-member": Message("Choose an active annotator."),
    "overrule-own": Message("Nobody judges an answer of their own; ask another manager."),
    "overrule-reason": _SAY_WHY,
    "overrule-same": Message("It is already judged like this."),
    "priority": Message("A priority is a whole number from -1000000 to 1000000."),
    "quota": Message("A quota is a number from 1 to {most}."),
    "reopen-disputed": Message("There is an undecided complaint about it; decide that first."),
    "reopen-reason": _SAY_WHY,
    "trial": Message("You cannot begin a trial now."),
    "waive-note": _SAY_WHY,
    "withdraw-reason": _SAY_WHY,
    # Variants of a sentence.
    "PER-2": Message("The page does not fit its task any more. Load the page again."),
    "PER-4": Message("Your change moved error {error} ({edit}): it is no longer found as it was."),
    "PER-4-new": Message("Your change made a difference that is not in the original: {edit}."),
    "PER-4-note": Message("Say in a few words why the errors are the same."),
    "PER-4-allow": Message("An error has moved here. Edit it, return it, or let it pass."),
    "PER-5-original": Message(
        "This is the original sentence. Change something between the errors."
    ),
    "PER-5-taken": Message(
        "Already taken: somebody has written the same variant. Change something else."
    ),
    "PER-6-edits": Message("{found} changes; this project wants at most {most}."),
    "PER-6-tokens": Message(
        "{found}% of the sentence is changed; this project wants at most {most}%."
    ),
    "PER-9": Message("Accept it, change it or return it."),
    "PER-9-reason": Message("Say why you return it: choose a reason or write a note."),
    "PER-empty": Message("The variant is empty. Write something."),
    "PER-proposal": Message("The proposal does not belong to this task. Load the page again."),
    "reopen-places": Message("Choose the variants that are to be made again."),
    # Inspection.
    "JUD-1": Message("Not rated yet."),
    "JUD-3": Message("The judges do not differ here."),
    "inspection-criteria": Message("A round has 1 to 4 criteria."),
    "inspection-empty": Message(
        "There is nothing to inspect: no sentence is golden that neither judge has worked on."
    ),
    "inspection-judges": Message("Choose two different active members with the role judge."),
    "inspection-key": Message(
        "The name of a criterion is of letters, digits and _, begins with a letter, and no other "
        "criterion has it."
    ),
    "inspection-name": Message("A round has a name of 1 to 100 characters."),
    "inspection-name-taken": Message("There is a round of this name already; choose another name."),
    "inspection-question": Message("Write the question in at least one language."),
    "inspection-successor": Message(
        "Choose an active member with the role judge who was no judge of this round before."
    ),
    "inspection-size": Message("Between 1 and {most} items can be drawn."),
    # Pay.
    "PAY-closed": Message("Everything up to and including {day} is closed already."),
    "PAY-currency": Message("The project pays in {now}; a formula in {new} cannot follow."),
    "PAY-in-force": Message("Version {version} is in force already."),
    "PAY-no-formula": Message("No formula is in force yet; put one in force first."),
    "PAY-too-early": Message(
        "This day is not over, or ended less than ten minutes ago, when decisions could be undone."
    ),
    "PAY-version": Message("There is no version {version} of the formula."),
}
"""The message of each problem, by its kind or else its code; gettext's msgids."""


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with what was handed in.

    Args:
        code: A stable name as "ANN-10" or "CON-3", for scripts.
        field: The box that caused it: "reference-0", "decision", "reason", "verdict-2"; "" is
            the whole.
        values: What its message names.
        kind: Which message of `MESSAGES` it is, where that is not the code's.
        blocking: Whether it refuses; else it is a warning that may be confirmed.
    """

    code: str
    field: str = ""
    values: Mapping[str, object] = dataclasses.field(default_factory=dict)
    kind: str = ""
    blocking: bool = True

    @property
    def message(self) -> Message:
        """In English; `web/messages.py` translates it."""
        return Message(MESSAGES[self.kind or self.code], **self.values)


class WorkflowError(GecbenchError):
    """Something that may not happen now; nothing was changed."""

    status = 409


class RefusedError(WorkflowError):
    """What was handed in breaks a rule; the problems say where."""

    status = 422

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Keep the problems; their messages are that of the error."""
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = tuple(problems)


class ConflictError(WorkflowError):
    """Somebody else, or another tab, was first; `current` is what the server has now."""

    status = 409

    def __init__(self, message: str, current: object = None, /, **values: object) -> None:
        """Keep what the server has."""
        super().__init__(message, **values)
        self.current = current


class GoneError(WorkflowError):
    """The lease is over and the place is not to be had again; the text was kept as a draft."""

    status = 410


class NotYoursError(WorkflowError):
    """No such thing for this person; the same answer as for what does not exist."""

    status = 404


class NotAllowedError(WorkflowError):
    """The member's role or status does not allow it."""

    status = 403


class EditFirstError(WorkflowError):
    """A suggestion is shown only after an edit of the annotator's own."""

    status = 403

    def __init__(self) -> None:
        """Say so."""
        super().__init__("a suggestion is shown after the first edit of your own")


class UnavailableError(WorkflowError):
    """The server lacks something that it needs for this; a manager sees to it."""

    status = 503


class GuidelineFirstError(NotAllowedError):
    """The project wants its guideline to be read first, and the member has not confirmed it."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("read the guideline and confirm it first; what you wrote is kept")
