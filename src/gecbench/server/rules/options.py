"""A project's options: what a manager may switch, with the defaults and the limits of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from gecbench.core.errors import Message, UsageError

Level = Literal["off", "warn", "block"]

RULES: Mapping[str, Level] = {
    "CON-1": "block",
    "CON-2": "block",
    "CON-3": "block",
    "CON-4": "block",
    "CON-4-position": "warn",
    "CON-5": "warn",
    "CON-6": "warn",
    "CON-7": "warn",
    "CON-8": "warn",
    "CON-9": "warn",
    "CON-10": "block",
}
"""Consistency rule to what it does by default."""

PLACEHOLDER = "[缺失成分]"
ALIASES = (
    "【缺失成分】",
    "[缺失成份]",
    "[MC]",
    "[Noun]",
    "[Verb]",
    "[实体]",
)

_LIMITS: Mapping[str, tuple[int, int]] = {
    "lease_minutes": (1, 1440),
    "open_tasks": (1, 10),
    "open_skips": (0, 100),
    "undo_seconds": (0, 600),
    "spot_check_percent": (0, 100),
    "study_most": (1, 1000),
    "study_days": (1, 365),
}


@dataclass(frozen=True, slots=True)
class ProjectOptions:
    """The options of one project; kept as JSON, read through `options_of`.

    Args:
        lease_minutes: How long a task stays with a person who does nothing on it.
        open_tasks: How many tasks one person may hold at once.
        open_skips: How many skipped sentences one person may have at once (ANN-14).
        undo_seconds: How long the bar that takes a submission back is shown.
        reveal_after: Failed tries before golden references are shown in study; None is never.
        complaints_to: Who decides a complaint first (CMP-2).
        unanimous_error_free: What happens when all annotators say error free (WFL-4).
        spot_check_percent: Of unanimous ones that go to review all the same.
        guideline_gate: Whether nobody gets a task or a review before they have confirmed that they
            read the guideline in force.
        study_gate: Whether open study items come before new tasks (STU-7).
        study_most: Open study items from which the gate holds.
        study_days: Age in days of an open study item from which the gate holds.
        reviewer_sees_names: Whether reviewers see who wrote what (ROL-6).
        rules: Consistency rule to level; those absent have their default.
        placeholder: The canonical token for what is missing and cannot be guessed.
        placeholder_aliases: Spellings that are offered for repair.
        placeholder_export: What exports write instead; "" is the canonical token.
        suggestions: Whether a corrector's suggestions may be shown.
        instructions: One line that the work screen shows above the sentence; "" is none.
    """

    lease_minutes: int = 30
    open_tasks: int = 1
    open_skips: int = 5
    undo_seconds: int = 10
    reveal_after: int | None = 1
    complaints_to: Literal["other", "same"] = "other"
    unanimous_error_free: Literal["review", "close"] = "review"
    spot_check_percent: int = 10
    guideline_gate: bool = False
    study_gate: bool = False
    study_most: int = 20
    study_days: int = 3
    reviewer_sees_names: bool = False
    rules: Mapping[str, Level] = field(default_factory=dict)
    placeholder: str = PLACEHOLDER
    placeholder_aliases: tuple[str, ...] = ALIASES
    placeholder_export: str = ""
    suggestions: Literal["off", "after_typing", "on_demand"] = "off"
    instructions: str = ""

    def level(self, rule: str) -> Level:
        """Return what a consistency rule does in this project."""
        return self.rules.get(rule, RULES[rule])


@dataclass(frozen=True, slots=True)
class Template:
    """A named start for a new project: N, references each, and options.

    Args:
        annotators: N, how many distinct people rewrite each sentence.
        max_references: How many corrections each may give.
        options: What differs from the defaults.
    """

    annotators: int
    max_references: int
    options: Mapping[str, object] = field(default_factory=dict)


TEMPLATES: Mapping[str, Template] = {
    "mucgec": Template(3, 5),
    "one-best": Template(5, 1),
}
"""Name to template: the practice of MuCGEC, and the advice of its authors (section 3)."""


def options_of(stored: Mapping[str, object]) -> ProjectOptions:
    """Return the options that JSON holds.

    Raises:
        UsageError: A key nobody knows, or a value that means nothing; the message names it.
    """
    known = {one.name: one for one in dataclasses.fields(ProjectOptions)}
    for key in stored:
        if key not in known:
            raise UsageError(
                "unknown {kind} {name!r}; {hint}",
                kind=Message("project option"),
                name=key,
                hint=Message("known: {names}", names=", ".join(sorted(known))),
            )
    given = {key: _checked(key, value) for key, value in stored.items()}
    return ProjectOptions(**given)  # type: ignore[arg-type]  # each was checked above


def stored_of(options: ProjectOptions) -> dict[str, object]:
    """Return what JSON keeps: only what differs from the defaults."""
    plain = ProjectOptions()
    kept: dict[str, object] = {}
    for one in dataclasses.fields(ProjectOptions):
        value = getattr(options, one.name)
        if value != getattr(plain, one.name):
            kept[one.name] = list(value) if isinstance(value, tuple) else value
    if "rules" in kept:
        kept["rules"] = dict(options.rules)
    return kept


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "complaints_to": ("other", "same"),
    "unanimous_error_free": ("review", "close"),
    "suggestions": ("off", "after_typing", "on_demand"),
}
_TRUTHS = ("guideline_gate", "study_gate", "reviewer_sees_names")


def _checked(key: str, value: object) -> object:
    """Return a value of the right type.

    Raises:
        UsageError: It is of another type, or out of its limits.
    """
    if key in _LIMITS:
        return _number(key, value, *_LIMITS[key])
    if key == "reveal_after":
        return None if value is None else _number(key, value, 0, 100)
    if key in _CHOICES:
        if value not in _CHOICES[key]:
            raise UsageError(
                "{key} is {value!r}; it is one of {names}",
                key=key,
                value=value,
                names=", ".join(_CHOICES[key]),
            )
        return value
    if key in _TRUTHS:
        if not isinstance(value, bool):
            raise UsageError("{key} is {value!r}; it is true or false", key=key, value=value)
        return value
    if key == "rules":
        return _rules(value)
    if key == "placeholder_aliases":
        return _texts(key, value)
    if not isinstance(value, str) or len(value) > 500 or (key == "placeholder" and not value):
        raise UsageError(
            "{key} is {value!r}; it is a text of at most 500 characters", key=key, value=value
        )
    return value


def _number(key: str, value: object, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(
            "{key} is {value!r}; it is a whole number from {least} to {most}",
            key=key,
            value=value,
            least=least,
            most=most,
        )
    return value


def _texts(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise UsageError("{key} is {value!r}; it is a list of texts", key=key, value=value)
    return tuple(value)


def _rules(value: object) -> dict[str, Level]:
    if not isinstance(value, Mapping):
        raise UsageError("rules is {value!r}; it is an object of rule and level", value=value)
    for rule, level in value.items():
        if rule not in RULES:
            raise UsageError(
                "unknown {kind} {name!r}; {hint}",
                kind=Message("consistency rule"),
                name=rule,
                hint=Message("known: {names}", names=", ".join(RULES)),
            )
        if level not in get_args(Level):
            raise UsageError(
                "rule {rule} is {level!r}; it is off, warn or block", rule=rule, level=level
            )
    return dict(value)
