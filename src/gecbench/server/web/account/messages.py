"""Messages of these pages: what is refused, and what keys do."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from gecbench.server.rules.keys import KeyRefusedError
from gecbench.server.web.translation import translate
from gecbench.server.workflow.errors import RefusedError


def problems_by_field(error: RefusedError) -> dict[str, list[str]]:
    """The problems of each field, in the person's language; "whole" is none."""
    problems: dict[str, list[str]] = {}
    for problem in error.problems:
        message = translate(problem.message).text
        problems.setdefault(problem.field or "whole", []).append(message)
    return problems


ACTIONS: Mapping[str, str | Promise] = {
    "submit": gettext_lazy("Submit"),
    "add": gettext_lazy("Add a correction"),
    "remove": gettext_lazy("Remove this correction"),
    "bring_back": gettext_lazy("Bring a removed correction back"),
    "box_up": gettext_lazy("To the box above"),
    "box_down": gettext_lazy("To the box below"),
    "box": gettext_lazy("To box %(number)s"),
    "copy": gettext_lazy("Copy the box above into this one"),
    "placeholder": gettext_lazy("Insert the placeholder"),
    "reset": gettext_lazy("Back to the source"),
    "error_free": gettext_lazy("Error free"),
    "not_annotatable": gettext_lazy("Not annotatable"),
    "skip": gettext_lazy("Skip"),
    "undo": gettext_lazy("Take back"),
    "previous": gettext_lazy("My task before"),
    "next": gettext_lazy("My task after"),
    "other_version": gettext_lazy("The other saved version"),
    "clean": gettext_lazy("Marked or clean text"),
    "suggestion": gettext_lazy("Show a suggestion"),
    "guide": gettext_lazy("Guideline"),
    "close": gettext_lazy("Close"),
    "keys": gettext_lazy("List of keys"),
    "correct": gettext_lazy("Row %(number)s is correct"),
    "wrong": gettext_lazy("Row %(number)s is wrong"),
    "reason": gettext_lazy("Reason %(number)s"),
    "restore": gettext_lazy("Switch edit %(number)s"),
    "row_down": gettext_lazy("Next row"),
    "row_up": gettext_lazy("Row before"),
    "modify": gettext_lazy("Modify"),
    "undo_row": gettext_lazy("Take the last verdict back"),
    "second_opinion": gettext_lazy("Ask for a second opinion"),
    "complain": gettext_lazy("Complain"),
    "accept": gettext_lazy("Accept by criterion %(number)s"),
    "reject": gettext_lazy("Reject by criterion %(number)s"),
    "note": gettext_lazy("To the note"),
}


def action_label(name: str) -> str:
    """What a key does.

    >>> action_label("nobody_knows")
    'nobody_knows'
    """
    kind, _, number = name.rpartition("_")
    if number.isdigit() and kind in ACTIONS:
        return str(ACTIONS[kind]) % {"number": number}
    return str(ACTIONS.get(name, name))


_KEYS: Mapping[str, str | Promise] = {
    "unknown": gettext_lazy("There is no action “%(action)s”."),
    "missing": gettext_lazy("“%(action)s” has no key."),
    "no_key": gettext_lazy("“%(key)s” is no key; write it as Alt+A, Ctrl+Enter, F1 or ?."),
    "taken": gettext_lazy("%(key)s belongs to the browser; choose another key for “%(action)s”."),
    "types": gettext_lazy(
        "%(key)s would type into the box; choose a key with Ctrl, Alt or Meta for “%(action)s”."
    ),
    "twice": gettext_lazy(
        "%(key)s would do two things: “%(action)s” and “%(other)s”; choose another key."
    ),
}


def key_message(error: KeyRefusedError) -> str:
    """Why a key cannot be used, with the actions by their names."""
    values = {
        name: value if name == "key" else action_label(str(value))
        for name, value in error.values.items()
    }
    return str(_KEYS[error.code]) % values
