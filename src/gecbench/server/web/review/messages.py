"""Messages for decisions, reasons and problems, in the language of the person."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from gecbench.core.errors import Message
from gecbench.server.web.review.forms import Locations
from gecbench.server.web.translation import translate
from gecbench.server.workflow.errors import Problem


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


def part_label(place: str) -> str:
    """What the page calls a part that holds a text: "text 2", "added text 1"."""
    kind, _, n = place.partition("-")
    number = {"number": int(n) + 1}
    if kind == "row":
        return gettext("text %(number)s") % number
    if kind == "modified":
        return gettext("the text made from text %(number)s") % number
    return gettext("added text %(number)s") % number


def problem_json(problem: Problem, locate_fields: Locations) -> dict[str, object]:
    """A problem as the page takes it."""
    return {
        "code": problem.code,
        "place": locate_fields.fields.get(problem.field, "review"),
        "words": problem_message(problem, [part_label(part) for part in locate_fields.golden]),
        "blocking": problem.blocking,
    }


NO_LONGER_HELD = _("You no longer hold this review. What you wrote is kept.")


def diff_messages() -> dict[str, str]:
    """What scripts that draw a difference say of a change (see draw-diff.js)."""
    return {
        "delete": gettext("deleted:"),
        "insert": gettext("inserted:"),
        "moveFrom": gettext("moved from here:"),
        "moveTo": gettext("moved to here:"),
        "pause": ", ",
        "space": gettext("white space, not counted"),
    }


def script_messages() -> dict[str, object]:
    """What the script of the review page says."""
    return {
        "diff": diff_messages(),
        "saving": {
            "saved": gettext("Saved {time}"),
            "saving": gettext("Saving"),
            "offline": gettext("Offline, kept on this machine"),
            "full": gettext("The server's disk is full, kept on this machine"),
            "conflict": gettext("Another window has saved"),
            "gone": gettext("No longer yours, kept on this machine"),
            "refused": gettext("Not saved, kept on this machine"),
            "signedout": gettext("Signed out, kept on this machine"),
            "unkept": gettext("Not saved anywhere, leave this page open"),
        },
        "gone": str(NO_LONGER_HELD),
        "older": gettext(
            "Another version of your work is kept on this machine, not on the server."
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
