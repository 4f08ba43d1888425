"""Messages in the person's language: of the library, of the workflow, and what scripts say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import TextChoices
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, ngettext
from django.utils.translation import gettext_lazy as _

from gecbench.core.errors import GecbenchError, Message, OptionAdvice, Place
from gecbench.server.choices import Decision, SlotState
from gecbench.server.guidelines.rendering import Language
from gecbench.server.models import Submission
from gecbench.server.workflow.errors import (
    EditFirstError,
    GoneError,
    GuidelineFirstError,
    NotAllowedError,
    NotYoursError,
    Problem,
    RefusedError,
    WorkflowError,
)

_AT_LINE = Message("{file}:{line}: {message}")
_AT = Message("{place}: {message}")
_WORDS = re.compile(r"(?:[^{]|\{\{)*?[a-zA-Z]")
"""What begins a template that has words beside its places."""


def interface_language() -> Language:
    """Which of the guideline's two languages the person reads."""
    return "zh" if (get_language() or "zh").startswith("zh") else "en"


@dataclass(frozen=True, slots=True)
class Translation:
    """A message as a page shows it.

    Args:
        text: In the person's language, or in English where nobody has translated it.
        foreign: Whether it stayed English, which a page marks.
    """

    text: str
    foreign: bool = False

    def __str__(self) -> str:
        return self.text


class _UntranslatedError(Exception):
    """A message, or a part of one, is not in the catalogue."""


def translate(words: str | GecbenchError) -> Translation:
    """Translate a message, or an error with the place where it is, into the person's language."""
    try:
        return Translation(_error(words) if isinstance(words, GecbenchError) else _message(words))
    except _UntranslatedError:
        english = (get_language() or "en").startswith("en")
        return Translation(str(words), foreign=not english)


def _error(error: GecbenchError) -> str:
    if isinstance(error, RefusedError):
        return " ".join(_message(problem.message) for problem in error.problems)
    message = _message(error.message)
    if error.at is None:
        return message
    if isinstance(error.at, Place):
        return gettext(_AT_LINE).format(file=error.at.path, line=error.at.line, message=message)
    return gettext(_AT).format(place=_value(error.at), message=message)


def _message(text: str) -> str:
    if not isinstance(text, Message):
        raise _UntranslatedError
    english = (get_language() or "en").startswith("en")
    template = text.template if english else gettext(text.template)
    if not english and template == text.template and _WORDS.match(template):
        raise _UntranslatedError
    values = {name: _value(value) for name, value in text.values.items()}
    return template.format(**values) if values else template


def _value(value: object) -> object:
    """What stands at a place of a message: a message, a word of the workflow, or plain data."""
    if isinstance(value, OptionAdvice):
        value = value.page
    if isinstance(value, GecbenchError):
        return _error(value)
    if isinstance(value, TextChoices):
        return value.label
    return _message(value) if isinstance(value, Message) else value


def problem_message(problem: Problem, golden: Sequence[str] = ()) -> str:
    """A problem in the person's language.

    Args:
        problem: What the workflow found.
        golden: What the page calls each text of the golden set.
    """
    message, other = problem.message, problem.values.get("other")
    if isinstance(other, int) and 0 < other <= len(golden):
        message = Message(message.template, **{**problem.values, "other": golden[other - 1]})
    return translate(message).text


NO_LONGER_HELD = _("You no longer hold this review. What you wrote is kept.")


DIFF_WORDS: Mapping[str, Promise] = {
    "delete": _("deleted:"),
    "insert": _("inserted:"),
    "moveFrom": _("moved from here:"),
    "moveTo": _("moved to here:"),
    "pause": _(", "),
    "space": _("White space differs; it is not counted."),
}
"""What a screen reader says before a change, and after it; what white space shows."""


def diff_messages() -> dict[str, str]:
    """The same for scripts that draw a difference (see draw-diff.js)."""
    return {name: str(word) for name, word in DIFF_WORDS.items()}


def _saving_messages() -> dict[str, str]:
    """Where what was written is, as scripts say it beside the answer (see drafts.js)."""
    return {
        "saved": gettext("Saved {time}"),
        "saving": gettext("Saving…"),
        "offline": gettext("Offline, kept on this computer"),
        "full": gettext("The server's disk is full, kept on this computer"),
        "conflict": gettext("Two versions"),
        "gone": gettext("No longer yours, text kept"),
        "refused": gettext("Not saved, kept on this computer"),
        "signedout": gettext("Signed out, kept on this computer"),
        "unkept": gettext("Not saved anywhere, leave this page open"),
    }


def review_messages() -> dict[str, object]:
    """What the script of the review page says."""
    return {
        "diff": diff_messages(),
        "saving": _saving_messages(),
        "gone": str(NO_LONGER_HELD),
        "older": gettext(
            "Another version of your work is kept on this computer, not on the server."
        ),
        "older_load": gettext("Load that version"),
        "conflict": gettext("Another window has saved something else for this review."),
        "mine": gettext("Go on with what stands here"),
        "theirs": gettext("Load what the other window saved"),
        "sameAs": gettext("= the same as text {number}"),
        "sameAsWrong": gettext("= the same as text {number}, which you judge wrong"),
        "untouched": gettext("not changed yet: this adds no text"),
        "sameAsSource": gettext("= the original"),
        "edits": gettext("Edits: {count}"),
        "left": gettext("Not judged yet: {count}"),
        "golden": gettext("Golden texts: {count}"),
        "checks": {
            "placeholder": gettext("placeholder in all or none"),
            "distinct": gettext("all different"),
            "decision": gettext("agrees with the decision"),
        },
        "warning": gettext("Warning"),
        "again": gettext("There are warnings. Look at them; decide again to overrule them."),
        "unreached": gettext("The server was not reached. Nothing is lost; try again."),
        "changed": gettext("The decision could not be kept:"),
    }


_REFUSALS: Mapping[type[WorkflowError], Promise] = {
    GoneError: _("This task was open for too long and is somebody else's now. Your text is kept."),
    NotYoursError: _("This task is not yours. What you wrote is kept in this page."),
    EditFirstError: _("The suggestion is shown after your first own edit."),
    GuidelineFirstError: _(
        "Read the guideline and confirm it first, then submit again. Your text is kept."
    ),
    NotAllowedError: _("You are not an active annotator of this project now. Your text is kept."),
}

_CHANGED = _("This has changed meanwhile, or another task is open. Nothing is lost.")

SUBMITTED_ELSEWHERE = _(
    "This task was handed in from another window. What you wrote here is kept beside it."
)
CHANGED_ELSEWHERE = _(
    "This task has changed in another window. Look at it again, then submit once more."
)

_HINTS: Mapping[str, str] = {
    "half_width": "half_width",
    "full_width": "full_width",
    "placeholder_spelling": "placeholder",
    "lost_word": "lost_word",
}
"""Code of a finding to that of the hint that says the same while one writes (`hints.js`)."""


def problem_json(problem: Problem) -> dict[str, object]:
    """A problem as the page takes it, in the person's language.

    Its `error` is the number of the error of a case, from 1, that it is about; 0 for none.
    """
    # The page numbers its boxes; a problem may name one beside its own.
    other = problem.values.get("other")
    boxes = range(1, other + 1) if isinstance(other, int) else ()
    names = [gettext("correction %(number)s") % {"number": n} for n in boxes]
    return {
        "code": problem.code,
        "field": problem.field,
        "message": problem_message(problem, names),
        "blocking": problem.blocking,
        "hint": _HINTS.get(problem.kind, ""),
        "text": problem.values.get("text", ""),
        "error": problem.values.get("error", 0),
    }


def merge_warning(count: int) -> dict[str, object]:
    """The notice that equal boxes were merged (ANN-11), as a warning."""
    message = ngettext(
        "%(count)s correction was the same as another one and was merged with it.",
        "%(count)s corrections were the same as others and were merged with them.",
        count,
    ) % {"count": count}
    return {"code": "ANN-11", "field": "", "message": message, "blocking": False}


def removal_notice(count: int) -> str:
    """The notice that invisible characters were removed (ANN-12); "" for none."""
    if not count:
        return ""
    return ngettext(
        "%(count)s invisible character was removed.",
        "%(count)s invisible characters were removed.",
        count,
    ) % {"count": count}


def refusal_message(error: WorkflowError) -> str:
    """Why something may not happen now."""
    return str(_REFUSALS.get(type(error), _CHANGED))


def task_messages() -> dict[str, object]:
    """What the scripts of the page say."""
    return {
        "title": gettext("Task {number}"),
        "box": gettext("Correction {number}"),
        "unchanged": gettext("no change yet"),
        "edits": {"one": gettext("{count} edit"), "other": gettext("{count} edits")},
        "repair": gettext("Repair"),
        "confirm": gettext("Submit again to hand it in like this."),
        "submitted": gettext("Task {number} is handed in."),
        "queued": gettext(
            "There is no connection. Your answer is kept here and handed in as soon as there is."
        ),
        "queuedHere": gettext(
            "There is no connection, and this computer keeps nothing: leave this page open. Your "
            "answer is handed in as soon as there is one."
        ),
        "unreached": gettext("The server was not reached. Nothing is lost; try again."),
        "failed": gettext("The server did not take it. Your text is kept in this page."),
        "notHandedIn": gettext(
            "Your answer to task {number}, written without a connection, was not taken: the task "
            "has changed. Its text is kept in the history."
        ),
        "decisions": {decision.value: decision.heading for decision in Decision},
        "saving": _saving_messages(),
        "diff": diff_messages(),
        "hints": {
            "half_width": gettext(
                "Half-width “{text}” between Chinese characters; full width: “{repair}”"
            ),
            "full_width": gettext("Full-width “{text}” in English; half width: “{repair}”"),
            "double_space": gettext("More than one space in a row"),
            "unpaired": gettext("{text} has no other half"),
            "placeholder": gettext("{text} is written {repair} in this project"),
            "lost_word": gettext("The word {text} has gone: words are corrected, not translated"),
        },
    }


def _gaps_messages() -> dict[str, object]:
    """What the editor of gaps says."""
    return {
        "gap": gettext("Text {number} of {count}, between the errors"),
        "unchanged": gettext("no change yet"),
        "changes": {
            "one": gettext("{count} change · {percent}% of the sentence"),
            "other": gettext("{count} changes · {percent}% of the sentence"),
        },
        "limits": gettext(
            "More than this project wants. Its limits: {edits} changes, {share}% of the sentence."
        ),
        "chips": {
            "replace": gettext("Error {number}: “{source}”, corrected “{target}”."),
            "insert": gettext("Error {number}: “{target}” is missing."),
            "delete": gettext("Error {number}: “{source}” is too much."),
            "nothing": gettext("delete"),
        },
    }


def variant_messages() -> dict[str, object]:
    """What the script of the annotator's page says."""
    return {
        **task_messages(),
        **_gaps_messages(),
        "proposal": {
            "accepted": gettext("It stands above unchanged. Submit it to accept it."),
            "edited": gettext("You have changed it."),
            "rejected": gettext("You have rejected it."),
        },
    }


def check_messages() -> dict[str, object]:
    """What the script of the reviewer's page says."""
    words = review_messages()
    names = ("diff", "saving", "gone", "older", "older_load", "conflict", "mine", "theirs", "left")
    return {
        **_gaps_messages(),
        **{name: words[name] for name in (*names, "unreached", "changed")},
    }


_STATES: Mapping[str, Promise] = {
    SlotState.OPEN: _("returned to you"),
    SlotState.SUBMITTED: _("waits for a reviewer"),
    SlotState.PASSED: _("accepted"),
}


def variant_state(submission: Submission) -> Promise | str:
    """Where a variant stands, for its author."""
    slot = submission.slot
    if slot.person_id != submission.person_id:
        return _("no longer yours")
    return _STATES.get(SlotState(slot.state), SlotState(slot.state).label)
