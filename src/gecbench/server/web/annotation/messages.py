"""Messages of the annotation pages: what is refused and why, why there is no task, states."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from gecbench.server.choices import Decision
from gecbench.server.web.review.messages import problem_message
from gecbench.server.workflow.errors import (
    EditFirstError,
    GoneError,
    GuidelineFirstError,
    NotAllowedError,
    NotYoursError,
    Problem,
    WorkflowError,
)

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
    """A problem as the page takes it, in the person's language."""
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


def script_messages() -> dict[str, object]:
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
        "states": {
            "saved": gettext("Saved {time}"),
            "saving": gettext("Saving…"),
            "offline": gettext("Offline, kept on this computer"),
            "full": gettext("The server's disk is full, kept on this computer"),
            "conflict": gettext("Two versions"),
            "gone": gettext("No longer yours, text kept"),
            "refused": gettext("Not saved, kept on this computer"),
            "signedout": gettext("Signed out, kept on this computer"),
            "unkept": gettext("Not saved anywhere, leave this page open"),
        },
        "diff": {
            "delete": gettext("delete"),
            "insert": gettext("insert"),
            "moveFrom": gettext("moved from here"),
            "moveTo": gettext("moved to here"),
            "pause": gettext(", "),
            "space": gettext("White space differs; it is not counted."),
        },
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
