"""Every option of a project as a field of a form: its words, limits, and one line about it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from gecbench.core.errors import GecbenchError
from gecbench.server.models import Member, Project
from gecbench.server.rules.options import RULES, ProjectOptions
from gecbench.server.web.manage.pages import insist_on_active, looking, page, whole
from gecbench.server.web.manage.words import refusal
from gecbench.server.workflow import management, projects
from gecbench.server.workflow.errors import ConflictError

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
        "guideline_gate",
        "switch",
        _("The guideline first"),
        _("Nobody gets a task or a review before they confirm that they have read this version."),
    ),
    Field(
        "suggestions",
        "choice",
        _("Suggestions of a corrector"),
        _("`gecbench annotate suggest` makes them. One seen too early anchors what people write."),
        choices=(
            ("off", _("Never")),
            ("after_typing", _("After the first own edit")),
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


# The settings of a project: every option with its switch, each explained in one line.


_OWN = ("name", "annotators", "max_references")
"""What is a column of the project, and no option."""

_LONGEST = 500
_NEVER = "never"


@dataclass(frozen=True, slots=True)
class Shown:
    """A field with its value, and what is wrong with it.

    Args:
        field: Which.
        value: As the form has it.
        choices: Value, words, and whether it is chosen.
        usual: The default in words; "" where the field has none.
        problem: What is wrong; "" where nothing is.
        now: What somebody else has set it to meanwhile, in words; "" where that is no matter.
    """

    field: Field
    value: str
    choices: tuple[tuple[str, object, bool], ...] = ()
    usual: str = ""
    problem: str = ""
    now: str = ""


@looking
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Show the settings, or keep them."""
    if request.method == "POST":
        return _keep(request, member)
    return _page(request, member, _stored(member.project), {})


def _keep(request: HttpRequest, member: Member) -> HttpResponseBase:
    insist_on_active(member)
    given = _given(request.POST)
    problems = dict(_problems(given))
    levels = {rule: request.POST.get(f"rule-{rule}", "") for rule in RULES}
    if not problems:
        try:
            _change(member, given, request.POST)
            messages.success(request, gettext("The settings are kept."))
            return redirect("manage-settings", member.project.slug)
        except ConflictError:
            return _page(request, member, given, {}, levels, stale=True)
        except GecbenchError as error:
            problems = {"": refusal(error)}
    return _page(request, member, given, problems, levels)


def _change(member: Member, given: Mapping[str, str], post: QueryDict) -> None:
    options: dict[str, object] = {
        field.name: _value(field, given[field.name])
        for _title, fields in GROUPS
        for field in fields
        if field.name not in _OWN
    }
    chosen = {rule: post.get(f"rule-{rule}", RULES[rule]) for rule in RULES}
    options["rules"] = {rule: level for rule, level in chosen.items() if level != RULES[rule]}
    asked = int(given["annotators"])
    unchanged = asked == member.project.annotators and "fit" not in post
    projects.change_project(
        member.project,
        by=member.person,
        name=given["name"],
        annotators=None if unchanged else asked,
        max_references=int(given["max_references"]),
        options=options,
        seen=post.get("seen", ""),
    )


def _given(post: QueryDict) -> dict[str, str]:
    return {
        field.name: (post.get(field.name) or "").replace("\0", "").strip()
        for _title, fields in GROUPS
        for field in fields
    }


def _stored(project: Project) -> dict[str, str]:
    """Return the values of now as the form has them."""
    rules = project.rules
    made = {name: str(getattr(project, name)) for name in _OWN}
    for one in dataclasses.fields(ProjectOptions):
        made[one.name] = _text(getattr(rules, one.name))
    return made


def _text(value: object) -> str:
    if value is None:
        return _NEVER
    if isinstance(value, bool):
        return "yes" if value else ""
    return "\n".join(value) if isinstance(value, tuple) else str(value)


def _value(field: Field, text: str) -> object:
    """Return what the options keep of a field's text, which was checked before."""
    if field.name == "reveal_after":
        return None if text == _NEVER else int(text)
    if field.kind == "number":
        return int(text)
    if field.kind == "switch":
        return text == "yes"
    if field.kind == "lines":
        return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    return text


def _problems(given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the fields that are wrong, and why."""
    for _title, fields in GROUPS:
        for field in fields:
            words = _problem(field, given[field.name])
            if words:
                yield field.name, words


def _problem(field: Field, text: str) -> str:
    if field.kind == "number":
        number, (least, most) = whole(text), field.limits
        if number is None or not least <= number <= most:
            said = gettext("A whole number from %(least)s to %(most)s.")
            return said % {"least": least, "most": most}
    if field.kind == "choice" and text not in _known(field):
        return gettext("Choose one.")
    if field.name in ("name", "placeholder") and not text:
        return gettext("This cannot be empty.")
    longest = 150 if field.name == "name" else _LONGEST
    if field.kind == "text" and len(text) > longest:
        return gettext("At most %(most)s characters.") % {"most": longest}
    return ""


def _known(field: Field) -> list[str]:
    more = [str(n) for n in range(101)] if field.name == "reveal_after" else []
    return [value for value, _ in field.choices] + more


def _page(
    request: HttpRequest,
    member: Member,
    values: Mapping[str, str],
    problems: Mapping[str, str],
    levels: Mapping[str, str] | None = None,
    *,
    stale: bool = False,
) -> HttpResponse:
    """Show the form; a stale one with what is in force beside what was typed."""
    project = member.project
    if stale:
        project.refresh_from_db()
    stored, chosen = _stored(project), levels or _levels(project)
    posted, now = request.POST, project.rules
    shown = {
        "groups": [
            (
                title,
                [
                    _shown(one, values[one.name], problems, stored[one.name] if stale else None)
                    for one in fields
                ],
            )
            for title, fields in GROUPS
        ],
        "rules": [
            _rule(rule, words, chosen[rule], now.level(rule) if stale else None)
            for rule, words in RULE_WORDS.items()
        ],
        "problem": problems.get("", ""),
        "wrong": len(problems),
        "stale": stale,
        # One that was wrong is still made from what it was made from.
        "seen": posted.get("seen", "") if problems else projects.state_of(project),
        "behind": management.behind(project),
        "fit": "fit" in posted or not posted,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problems else HTTPStatus.OK
    return page(
        request,
        member,
        "manage-settings",
        shown,
        status=HTTPStatus.CONFLICT if stale else status,
    )


def _levels(project: Project) -> dict[str, str]:
    rules = project.rules
    return {rule: rules.level(rule) for rule in RULES}


def _rule(rule: str, words: object, chosen: str, now: str | None) -> tuple[object, ...]:
    """Return a rule, its words, its levels, and what it is now where that is something else."""
    levels = [(level, said, level == chosen, level == RULES[rule]) for level, said in LEVELS]
    return rule, words, levels, "" if now in (None, chosen) else dict(LEVELS)[str(now)]


_PLAIN = ProjectOptions()


def _shown(field: Field, value: str, problems: Mapping[str, str], stored: str | None) -> Shown:
    choices = [(one, words, one == value) for one, words in field.choices]
    if field.kind == "choice" and value and not any(chosen for *_, chosen in choices):
        choices.append((value, value, True))
    usual = ""
    if field.kind == "number" and field.name not in _OWN:
        usual = str(getattr(_PLAIN, field.name))
    differs = stored is not None and _value(field, stored) != _value(field, value)
    now = _in_words(field, stored or "") if differs else ""
    return Shown(field, value, tuple(choices), usual, problems.get(field.name, ""), now)


def _in_words(field: Field, value: str) -> str:
    if field.kind == "switch":
        return gettext("on") if value else gettext("off")
    words = dict(field.choices).get(value, value)
    return ", ".join(str(words).splitlines()) or "–"
