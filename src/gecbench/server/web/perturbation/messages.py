"""Messages of the pages of variants: what is refused and why, and what their scripts say."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from gecbench.server.choices import SlotState
from gecbench.server.models import Submission
from gecbench.server.web.annotation import messages as annotation
from gecbench.server.web.review.messages import script_messages as script_messages_of_review
from gecbench.server.workflow.errors import Problem


def problem_json(problem: Problem) -> dict[str, object]:
    """A problem as the pages of variants take it, in the person's language.

    Its `error` is the number of the error, from 1, that it is about; 0 for none.
    """
    return {**annotation.problem_json(problem), "error": problem.values.get("error", 0)}


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


def script_messages() -> dict[str, object]:
    """What the script of the annotator's page says."""
    return {
        **annotation.script_messages(),
        **_gaps_messages(),
        "proposal": {
            "accepted": gettext("It stands above unchanged. Submit it to accept it."),
            "edited": gettext("You have changed it."),
            "rejected": gettext("You have rejected it."),
        },
    }


def check_messages() -> dict[str, object]:
    """What the script of the reviewer's page says."""
    words = script_messages_of_review()
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


def state(submission: Submission) -> Promise | str:
    """Where a variant stands, for its author."""
    slot = submission.slot
    if slot.person_id != submission.person_id:
        return _("no longer yours")
    return _STATES.get(SlotState(slot.state), SlotState(slot.state).label)
