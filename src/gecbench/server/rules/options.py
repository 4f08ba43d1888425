"""A project's settings, declared once: form, validation, log and the table in the docs follow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, cast

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import BaseModel, Field, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from gecbench.core.errors import Message, UnknownNameError, UsageError
from gecbench.core.errors import Message as _
from gecbench.server.choices import (
    ComplaintsTo,
    ProjectKind,
    Proposals,
    Suggestions,
    UnanimousErrorFree,
)

Level = Literal["off", "warn", "block"]
LEVELS: Mapping[Level, str] = {"off": _("Off"), "warn": _("Warn"), "block": _("Refuse")}


class Rule(NamedTuple):
    """What a consistency rule does by default, and what it asks."""

    level: Level
    words: str


RULES: Mapping[str, Rule] = {
    "CON-1": Rule("block", _("A golden set is free of errors, or has corrections; never both.")),
    "CON-2": Rule("block", _("A golden set cannot be annotated, or has corrections; never both.")),
    "CON-3": Rule("block", _("All references have the placeholder, or none has it.")),
    "CON-4": Rule("block", _("All references have it equally often.")),
    "CON-4-position": Rule("warn", _("It stands at the same place in all references.")),
    "CON-5": Rule("warn", _("The placeholder is spelled as this project spells it.")),
    "CON-6": Rule(
        "warn", _("Punctuation has the width of its language: full in Chinese, half in English.")
    ),
    "CON-7": Rule("warn", _("No meaningless symbols are left inside Chinese text.")),
    "CON-8": Rule("warn", _("Foreign words stay: they are corrected, and not translated.")),
    "CON-9": Rule("warn", _("There are no traditional characters in simplified Chinese.")),
    "CON-10": Rule("block", _("No two references are the same.")),
}

PLACEHOLDER = "[缺失成分]"
ALIASES = ("【缺失成分】", "[缺失成份]", "[MC]", "[Noun]", "[Verb]", "[实体]")


def _setting(
    group: str,
    default: object,
    title: str,
    about: str,
    names: Mapping[int | None, str] | None = None,
    kinds: tuple[ProjectKind, ...] = tuple(ProjectKind),
) -> Any:
    """Declare a setting.

    Args:
        group: What the page shows it under.
        default: `...` where each project has its own.
        title: Its name for people.
        about: What it does, in one line.
        names: Words for single values of a number; the form offers these alone.
        kinds: Of projects that have it.
    """
    more: Any = {"group": group, "names": names or {}, "kinds": kinds}
    return Field(default, title=title, description=about, json_schema_extra=more)


def extra(setting: FieldInfo) -> Mapping[str, Any]:
    """What a setting has beside what pydantic knows: group, names and kinds."""
    return cast("Mapping[str, Any]", setting.json_schema_extra)


_project = partial(_setting, _("Project"))
_work = partial(_setting, _("Annotation"))
_review = partial(_setting, _("Review"))
_REWRITE = (ProjectKind.REWRITE,)
_study = partial(_setting, _("Self-study"), kinds=_REWRITE)
_trial = partial(_setting, _("Training and trial"))
_gold = partial(_setting, _("Gold tasks"), kinds=_REWRITE)
_placeholder = partial(_setting, _("Placeholder"), kinds=_REWRITE)
_perturb = partial(_setting, _("Perturbation"), kinds=(ProjectKind.PERTURB,))


class ProjectColumns(BaseModel, frozen=True, extra="forbid", strict=True):
    """The settings that are columns of the project."""

    name: Annotated[str, Field(min_length=1, max_length=150)] = _project(
        ..., _("Name"), _("As members see it.")
    )
    annotators: Annotated[int, Field(ge=1, le=20)] = _project(
        ...,
        _("Annotators of each sentence (N)"),
        _("Higher: for all undecided sentences. Lower: for sentences nobody has begun."),
    )
    max_references: Annotated[int, Field(ge=1, le=10)] = _project(
        ...,
        _("References each may give"),
        _("1 is “one best reference”; the practice of MuCGEC is 5."),
        kinds=_REWRITE,
    )


class ProjectOptions(BaseModel, frozen=True, extra="forbid", strict=True):
    """The other settings; kept as JSON, read through `options_of`."""

    instructions: Annotated[str, Field(min_length=0, max_length=500)] = _project(
        "",
        _("A line above the sentence"),
        _("What everybody should keep in mind; leave it empty to show nothing."),
    )
    lease_minutes: Annotated[int, Field(ge=1, le=1440)] = _work(
        30,
        _("Minutes that a task stays with somebody"),
        _("Without activity, somebody else may get the task then; what was written is kept."),
    )
    open_tasks: Annotated[int, Field(ge=1, le=10)] = _work(
        1, _("Open tasks of one person"), _("How many tasks somebody may hold at once.")
    )
    open_skips: Annotated[int, Field(ge=0, le=100)] = _work(
        5, _("Skipped sentences of one person"), _("How many one person may have skipped at once.")
    )
    undo_seconds: Annotated[int, Field(ge=0, le=600)] = _work(
        10,
        _("Seconds to undo"),
        _("How long Undo is offered after a submission or a decision; 0 never offers it."),
    )
    guideline_gate: bool = _work(
        False,
        _("The guideline first"),
        _("Nobody gets a task or a review before they confirm that they have read this version."),
    )
    suggestions: Annotated[Suggestions, Field(strict=False)] = _work(
        Suggestions.OFF,
        _("Suggestions of a corrector"),
        _(
            "Made by the command gecbench annotate suggest. One seen too early anchors what people "
            "write."
        ),
        kinds=_REWRITE,
    )
    reviewer_sees_names: bool = _review(
        False,
        _("Reviewers see who wrote what"),
        _("Without names, texts are judged and not people."),
    )
    unanimous_error_free: Annotated[UnanimousErrorFree, Field(strict=False)] = _review(
        UnanimousErrorFree.REVIEW,
        _("When all say “free of errors”"),
        _("Unanimous sentences can close themselves, some of them being spot-checked."),
        kinds=_REWRITE,
    )
    spot_check_percent: Annotated[int, Field(ge=0, le=100)] = _review(
        10,
        _("Spot checks, in per cent"),
        _("Of the unanimous ones that would close themselves, so many go to review."),
        kinds=_REWRITE,
    )
    complaints_to: Annotated[ComplaintsTo, Field(strict=False)] = _review(
        ComplaintsTo.OTHER,
        _("Complaints go to"),
        _("The note of the first reviewer is visible in either case."),
        kinds=_REWRITE,
    )
    reveal_after: Annotated[int | None, Field(ge=0, le=100)] = _study(
        1,
        _("Golden references are shown in self-study"),
        _("Nobody learns by copying; trying comes first."),
        names={
            0: _("at once"),
            1: _("after one failed try"),
            2: _("after two failed tries"),
            3: _("after three failed tries"),
            None: _("in no case"),
        },
    )
    study_gate: bool = _study(
        False,
        _("Self-study before new tasks"),
        _("Whoever has too much to study gets no new task before that."),
    )
    study_most: Annotated[int, Field(ge=1, le=1000)] = _study(
        20, _("Too much: open items"), _("So many open items are too much.")
    )
    study_days: Annotated[int, Field(ge=1, le=365)] = _study(
        3, _("Too old: days"), _("Or one item that has been open for so many days.")
    )
    trial_first: bool = _trial(
        False,
        _("A trial before real work"),
        _("New annotators begin in training, and get real tasks after they have passed a trial."),
    )
    trial_size: Annotated[int, Field(ge=1, le=200)] = _trial(
        20, _("Tasks of a trial"), _("Drawn at random from the trial set.")
    )
    trial_percent: Annotated[int, Field(ge=0, le=100)] = _trial(
        90,
        _("Right answers to pass, in per cent"),
        _("Of the tasks of the trial: 18 of 20 are 90 per cent and pass, 17 do not."),
    )
    trial_retakes: Annotated[int, Field(ge=0, le=10)] = _trial(
        1,
        _("Further attempts"),
        _("Each has other tasks, which the candidate has not seen before."),
    )
    gold_percent: Annotated[int, Field(ge=0, le=50)] = _gold(
        0,
        _("Share of gold tasks, in per cent"),
        _("So many of the tasks that annotators get have a known answer; 0 gives none."),
    )
    gold_pause_percent: Annotated[int, Field(ge=0, le=100)] = _gold(
        0,
        _("Pause below, in per cent of right answers"),
        _("Who falls below it is paused, and managers are told; 0 pauses nobody."),
    )
    gold_window: Annotated[int, Field(ge=1, le=200)] = _gold(
        10,
        _("Gold tasks looked at"),
        _("The latest so many of each annotator count; with fewer nobody is paused."),
    )
    perturb_edits: Annotated[int, Field(ge=1, le=100)] = _perturb(
        3, _("Subtle: changes at most"), _("More changes of the context than this give a warning.")
    )
    perturb_percent: Annotated[int, Field(ge=1, le=100)] = _perturb(
        30,
        _("Subtle: changed words at most, in per cent"),
        _("Of the words of the original, of the characters in Chinese; more give a warning."),
    )
    proposals: Annotated[Proposals, Field(strict=False)] = _perturb(
        Proposals.OFF,
        _("Begin with a proposal"),
        _(
            "Made by the command gecbench annotate propose; what people did with each is in the "
            "export."
        ),
    )
    hints: bool = _perturb(
        False,
        _("Hints of a corrector"),
        _("On demand it shows what it would change in a variant; the server names the corrector."),
    )
    placeholder: Annotated[str, Field(min_length=1, max_length=500)] = _placeholder(
        PLACEHOLDER,
        _("Placeholder"),
        _("Stands for what is missing and cannot be guessed, as [缺失成分]."),
    )
    placeholder_aliases: Annotated[tuple[str, ...], Field(strict=False)] = _placeholder(
        ALIASES,
        _("Other spellings, one a line"),
        _("Whoever writes one is offered the usual spelling."),
    )
    placeholder_export: Annotated[str, Field(min_length=0, max_length=500)] = _placeholder(
        "",
        _("In exports"),
        _("What exports write instead; leave it empty to keep the placeholder."),
    )
    rules: Mapping[str, Level] = {}
    """Consistency rule to level; those absent have their default."""

    @field_validator("rules")
    @classmethod
    def _only_rules(cls, rules: Mapping[str, Level]) -> Mapping[str, Level]:
        for rule in rules:
            if rule not in RULES:
                raise UnknownNameError(Message("consistency rule"), rule, RULES)
        return rules

    def level(self, rule: str) -> Level:
        """What a consistency rule does in this project."""
        return self.rules.get(rule, RULES[rule].level)


SETTINGS: Mapping[str, FieldInfo] = {
    **ProjectColumns.model_fields,
    **{name: field for name, field in ProjectOptions.model_fields.items() if name != "rules"},
}
"""All settings but the rules."""


def settings_of(kind: str) -> Mapping[str, FieldInfo]:
    """The settings that projects of a kind have."""
    return {name: setting for name, setting in SETTINGS.items() if kind in extra(setting)["kinds"]}


class Template(NamedTuple):
    """A named start for a new project: N, references each, what it is, why one would choose it."""

    annotators: int
    max_references: int
    title: str
    about: str
    kind: ProjectKind = ProjectKind.REWRITE


TEMPLATES: Mapping[str, Template] = {
    "mucgec": Template(
        3,
        5,
        _("Three annotators, up to five references each"),
        _("As MuCGEC was made: each sentence is rewritten by three people."),
    ),
    "one-best": Template(
        5,
        1,
        _("Five annotators, one best reference each"),
        _("What its authors advise: more people, and from each the one best text."),
    ),
    "robustgec": Template(
        5,
        1,
        _("Five people change the context, each error stays"),
        _("As RobustGEC was made: five variants of each sentence, every one checked."),
        kind=ProjectKind.PERTURB,
    ),
}
"""Name to template: the practice of MuCGEC, the advice of its authors (section 3), and the practice
of RobustGEC."""


def options_of(stored: Mapping[str, object]) -> ProjectOptions:
    """The options that JSON holds.

    Raises:
        UsageError: A key nobody knows, or a value that means nothing; the message names it.
    """
    return _validate(ProjectOptions, stored)


def columns_of(values: Mapping[str, object]) -> ProjectColumns:
    """The settings that are columns.

    Raises:
        UsageError: A value that means nothing; the message names it.
    """
    return _validate(ProjectColumns, values)


def options_json(options: ProjectOptions) -> dict[str, object]:
    """What JSON keeps: only what differs from the defaults."""
    return options.model_dump(mode="json", exclude_defaults=True)


def limits(setting: FieldInfo) -> tuple[int, int]:
    """The least and the most of a number, or of the characters of a text."""
    least: Any = 0
    most: Any = 0
    for bound in setting.metadata:
        match bound:
            case Ge(least) | MinLen(least):
                pass
            case Le(most) | MaxLen(most):
                pass
    return least, most


_Settings = TypeVar("_Settings", ProjectColumns, ProjectOptions)


def _validate(model: type[_Settings], values: Mapping[str, object]) -> _Settings:
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
    key = str(detail["loc"][0])
    if key not in model.model_fields:
        raise UnknownNameError(Message("project option"), key, model.model_fields)
    raise _refusal(key, values[key], model.model_fields[key], detail)


def _refusal(key: str, value: object, setting: FieldInfo, detail: ErrorDetails) -> UsageError:
    """Why a value is wrong, from what the setting may be."""
    if "expected" in detail.get("ctx", {}):
        return UsageError(
            "{key} is {value!r}; it is one of {names}",
            key=".".join(map(str, detail["loc"])),
            value=detail["input"],
            names=", ".join(re.findall("'(.*?)'", detail["ctx"]["expected"])),
        )
    if setting.annotation is bool:
        return UsageError("{key} is {value!r}; it is true or false", key=key, value=value)
    if key == "rules":
        return UsageError("rules is {value!r}; it is an object of rule and level", value=value)
    if key == "placeholder_aliases":
        return UsageError("{key} is {value!r}; it is a list of texts", key=key, value=value)
    least, most = limits(setting)
    facts = {"key": key, "value": value, "least": least, "most": most}
    if setting.annotation is str:
        return UsageError(
            "{key} is {value!r}; it is a text of {least} to {most} characters", **facts
        )
    return UsageError("{key} is {value!r}; it is a whole number from {least} to {most}", **facts)
