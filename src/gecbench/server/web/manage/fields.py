"""Every option of a project as a field of a form: its words, limits, and one line about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext_lazy as _

Kind = Literal["number", "switch", "choice", "text", "lines"]


@dataclass(frozen=True, slots=True)
class Field:
    """One option.

    Args:
        name: As `ProjectOptions` has it.
        kind: What the form shows.
        words: Its name.
        about: What it does, in one line.
        limits: Of a number.
        choices: Value and words.
    """

    name: str
    kind: Kind
    words: object
    about: object
    limits: tuple[int, int] = (0, 0)
    choices: tuple[tuple[str, object], ...] = ()


FIRST: tuple[Field, ...] = (
    Field("name", "text", _("Name"), _("As members see it.")),
    Field(
        "annotators",
        "number",
        _("Annotators of each sentence (N)"),
        _("Upwards for all that are not decided; downwards for sentences nobody has begun."),
        (1, 20),
    ),
    Field(
        "max_references",
        "number",
        _("References each may give"),
        _("1 is “one best reference”; the practice of MuCGEC is 5."),
        (1, 10),
    ),
    Field(
        "instructions",
        "text",
        _("A line above the sentence"),
        _("What everybody should keep in mind here; empty is none."),
    ),
)
WORK: tuple[Field, ...] = (
    Field(
        "lease_minutes",
        "number",
        _("Minutes that a task stays with somebody"),
        _("Who does nothing on it for so long may lose the place; what they wrote is kept."),
        (1, 1440),
    ),
    Field(
        "open_tasks",
        "number",
        _("Open tasks of one person"),
        _("How many tasks somebody may hold at once."),
        (1, 10),
    ),
    Field(
        "open_skips",
        "number",
        _("Skipped sentences of one person"),
        _("How many somebody may put off at once."),
        (0, 100),
    ),
    Field(
        "undo_seconds",
        "number",
        _("Seconds of the bar that takes back"),
        _("For so long the bar is shown after a submission; 0 shows none."),
        (0, 600),
    ),
    Field(
        "suggestions",
        "choice",
        _("Suggestions of a corrector"),
        _(
            "Not built yet, they come with the correctors. One that is shown too early anchors "
            "what people write."
        ),
        choices=(
            ("off", _("Never")),
            ("after_typing", _("After the first change")),
            ("on_demand", _("When somebody asks")),
        ),
    ),
)
REVIEW: tuple[Field, ...] = (
    Field(
        "reviewer_sees_names",
        "switch",
        _("Reviewers see who wrote what"),
        _("Without names, texts are judged and not people."),
    ),
    Field(
        "unanimous_error_free",
        "choice",
        _("When all say “free of errors”"),
        _("Unanimous sentences can close themselves, some of them being spot-checked."),
        choices=(("review", _("Review it all the same")), ("close", _("Close it"))),
    ),
    Field(
        "spot_check_percent",
        "number",
        _("Spot checks, in per cent"),
        _("Of the unanimous ones that would close themselves, so many go to review."),
        (0, 100),
    ),
    Field(
        "complaints_to",
        "choice",
        _("Complaints go to"),
        _("The note of the first reviewer is visible in either case."),
        choices=(("other", _("another reviewer")), ("same", _("the reviewer who decided"))),
    ),
)
STUDY: tuple[Field, ...] = (
    Field(
        "reveal_after",
        "choice",
        _("Golden references are shown in self-study"),
        _("Copying teaches nothing; a try of one's own comes first."),
        choices=(
            ("0", _("at once")),
            ("1", _("after one failed try")),
            ("2", _("after two failed tries")),
            ("3", _("after three failed tries")),
            ("never", _("in no case")),
        ),
    ),
    Field(
        "study_gate",
        "switch",
        _("Self-study before new tasks"),
        _("Who has too much to study is offered that first."),
    ),
    Field(
        "study_most",
        "number",
        _("Too much: open items"),
        _("From so many open items on."),
        (1, 1000),
    ),
    Field(
        "study_days",
        "number",
        _("Too old: days"),
        _("Or from an item that has been open for so many days."),
        (1, 365),
    ),
)
PLACEHOLDERS: tuple[Field, ...] = (
    Field(
        "placeholder",
        "text",
        _("Placeholder"),
        _("Stands for what is missing and cannot be guessed, as [缺失成分]."),
    ),
    Field(
        "placeholder_aliases",
        "lines",
        _("Other spellings, one a line"),
        _("They are offered for repair while people write."),
    ),
    Field(
        "placeholder_export",
        "text",
        _("In exports"),
        _("What golden sets, submissions and counts write instead; empty is the placeholder."),
    ),
)
GROUPS: tuple[tuple[object, tuple[Field, ...]], ...] = (
    (_("Project"), FIRST),
    (_("Annotation"), WORK),
    (_("Review"), REVIEW),
    (_("Self-study"), STUDY),
    (_("Placeholder"), PLACEHOLDERS),
)

LEVELS: tuple[tuple[str, object], ...] = (
    ("off", _("Off")),
    ("warn", _("Warn")),
    ("block", _("Refuse")),
)
RULE_WORDS: Mapping[str, object] = {
    "CON-1": _("A golden set is free of errors, or has corrections; never both."),
    "CON-2": _("A golden set cannot be annotated, or has corrections; never both."),
    "CON-3": _("All references have the placeholder, or none has it."),
    "CON-4": _("All references have it equally often."),
    "CON-4-position": _("It stands at the same place in all references."),
    "CON-5": _("The placeholder is spelled as this project spells it."),
    "CON-6": _("Punctuation has the width of its language: full in Chinese, half in English."),
    "CON-7": _("No meaningless symbols are left inside Chinese text."),
    "CON-8": _("Foreign words stay: they are corrected, and not translated."),
    "CON-9": _("There are no traditional characters in simplified Chinese."),
    "CON-10": _("No two references are the same."),
}
