"""Messages for decisions, reasons and problems, in the language of the person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from gecbench.server.choices import Decision
from gecbench.server.guidelines.taxonomy import (
    NOT_ANNOTATABLE_REASONS,
    REJECT_REASONS,
    Topic,
)
from gecbench.server.web.http import parse_int
from gecbench.server.web.review.forms import Locations
from gecbench.server.web.translation import interface_language, translate
from gecbench.server.workflow.claims import NoTask
from gecbench.server.workflow.errors import Problem

DECISIONS: Mapping[Decision, object] = {decision: capfirst(decision.label) for decision in Decision}


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason: its name in requests, its label, and the section that explains it."""

    name: str
    label: str
    section: str


def _reasons(topics: tuple[Topic, ...]) -> tuple[Reason, ...]:
    lang = interface_language()
    return tuple(Reason(topic.id, topic.name(lang), topic.section) for topic in topics)


def reject_reasons() -> tuple[Reason, ...]:
    """Why a text can be judged wrong (REV-3)."""
    return _reasons(REJECT_REASONS)


def not_annotatable_reasons() -> tuple[Reason, ...]:
    """Why a sentence cannot be annotated (ANN-6)."""
    return _reasons(NOT_ANNOTATABLE_REASONS)


def not_annotatable_label(name: str) -> str:
    """The label of a reason; its name where it is none that we know."""
    labels = {reason.name: reason.label for reason in not_annotatable_reasons()}
    return labels.get(name, name)


PROBLEMS: Mapping[str, object] = {
    "error_free_and_corrected": _(
        "The sentence is declared free of errors, and there are corrections; take one away."
    ),
    "equals_source": _("This is the sentence itself. Is it free of errors?"),
    "not_annotatable_and_corrected": _(
        "The sentence is declared not annotatable, and there are corrections; take one away."
    ),
    "placeholder_in_some": _(
        "This text has no %(placeholder)s and others have it; all have it or none."
    ),
    "placeholder_count": _(
        "This text has %(placeholder)s %(count)s times; %(other)s: %(expected)s times."
    ),
    "placeholder_position": _(
        "%(placeholder)s stands at another place here (%(other)s); right only where there are "
        "several ways."
    ),
    "placeholder_spelling": _("%(text)s is not how this project writes it; write %(repair)s."),
    "half_width": _(
        "Half-width “%(text)s” between Chinese characters; full width is “%(repair)s”."
    ),
    "full_width": _("Full-width “%(text)s” in English; half width is “%(repair)s”."),
    "symbol": _("The symbol “%(text)s” inside Chinese text is still there."),
    "lost_word": _("The word %(text)s has gone; words are corrected, not translated."),
    "traditional_source": _("The sentence has traditional characters: %(text)s."),
    "traditional_reference": _("Traditional characters: %(text)s; write %(repair)s."),
    "traditional_unchecked": _(
        "Traditional characters could not be looked for: OpenCC is not installed on the server."
    ),
    "same_reference": _("The same text twice: %(other)s."),
    "nothing_decided": _(
        "There is no golden text yet: judge one correct, write one, or decide otherwise."
    ),
    "empty": _("This text is empty."),
    "nul": _("This text holds a NUL character, which no text has; paste it again."),
    "surrogate": _("This text was damaged on its way: it holds half a character; paste it again."),
    "too_long": _("This text has %(length)s characters; at most %(longest)s are allowed."),
    "REV-2": _("Not judged yet."),
    "REV-3": _("Say why it is wrong: choose at least one reason."),
    "REV-3-note": _("The reason “other” needs a note."),
    "REV-4": _("This is a text that you judge wrong."),
    "REV-4-parent": _("This was made from a text that is not judged wrong."),
    "REV-7": _("Say why the sentence cannot be annotated."),
    "REV-7-note": _("The reason “other” needs a note."),
    "REV-9": _(
        "It only goes too far: restore what was over-corrected and keep the rest as a text."
    ),
    "ANN-10": _("This is the sentence itself. Is it free of errors?"),
    "ANN-12": _("This text is empty."),
    "CON-10": _("This text is there already."),
    "REV-10": _("Say why in a few words."),
    "REV-10-nobody": _(
        "Nobody else can review this sentence: decide it, or ask a manager for a reviewer."
    ),
    "WFL-5": _("At most %(most)s more annotators can be asked for."),
    "WFL-5-nobody": _("Only %(left)s annotators have not worked on this sentence."),
    "ANN-9": _("Write one text, or decide otherwise."),
    "CMP-1-argument": _("Say why your text is right."),
    "CMP-1-closed": _("This item is closed already."),
    "CMP-1-open": _("Your complaint about it is not decided yet."),
    "CMP-3": _("Choose one of the three decisions."),
    "CMP-3-final": _("A manager has made the final decision."),
    "CMP-3-reason": _("Say why, in a few words."),
    "CMP-3-same": _("This is the submitted text itself: uphold it without a change."),
    "CMP-4": _("Write something."),
    "JUD-1": _("Not rated yet."),
    "JUD-3": _("The judges do not differ here."),
    "GUI-4": _("The guideline has no such section: choose one from the list."),
    "GUI-4-several": _("Several sections have this title: choose one from the list."),
    "note-too-long": _("This note is too long."),
}
"""Code of a finding, else of a problem, to the message, with the names of its values."""

CONTRADICTIONS: Mapping[str, object] = {
    "corrected": _("This is judged correct, but the sentence is to have corrections."),
    "error_free": _("This contradicts the decision that the sentence is free of errors."),
    "not_annotatable": _("This contradicts the decision that the sentence cannot be annotated."),
}


def problem_message(problem: Problem, golden: Sequence[str] = ()) -> str:
    """A problem in the person's language; the workflow's own message where none is known.

    Args:
        problem: What the workflow found.
        golden: What the page calls each text of the golden set.
    """
    values = dict(problem.values)
    template = (
        PROBLEMS.get(values.get("code", ""))
        or CONTRADICTIONS.get(values.get("decision", ""))
        or PROBLEMS.get(problem.code)
    )
    if template is None:
        return translate(problem.message).text
    place = parse_int(values.get("other", ""))
    if place is not None and 0 < place <= len(golden):
        values["other"] = golden[place - 1]
    return str(template) % values


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


NO_REVIEW: Mapping[str, object] = {
    NoTask.ALL_DONE: _("Every sentence that had enough submissions has been decided."),
    NoTask.NONE_FOR_YOU: _(
        "The sentences that wait are not for you: you have annotated them, handed them on, or "
        "another reviewer has them."
    ),
    NoTask.STUDY_FIRST: _("There are study items of yours to be closed first."),
    NoTask.NOT_ACTIVE: _("You are not an active member of this project now."),
    NoTask.GUIDELINE_FIRST: _(
        "Read the guideline of this project and confirm it. Then your reviews are here."
    ),
    NoTask.CLOSED: _("The project is closed."),
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
