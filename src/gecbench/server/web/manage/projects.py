"""Projects: made, put away and brought back by administrators; their settings."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Count, OuterRef, Q, Subquery, TextChoices
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from pydantic.fields import FieldInfo

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server.choices import MemberStatus, ProjectKind
from gecbench.server.models import Member, Person, Project
from gecbench.server.rules.options import (
    LEVELS,
    RULES,
    SETTINGS,
    TEMPLATES,
    ProjectColumns,
    extra,
    limits,
    settings_of,
)
from gecbench.server.web.http import form_status
from gecbench.server.web.manage.shortcuts import (
    manage_page,
    manager,
    refusal_message,
    require_active,
)
from gecbench.server.web.permissions import administrator
from gecbench.server.workflow import management, projects
from gecbench.server.workflow.errors import ConflictError


def _templates() -> list[tuple[str, str]]:
    """The templates, each with what it is and why one would choose it."""
    html = '{} <span class="soft small"><code>{}</code> {}</span>'
    return [
        (name, format_html(html, gettext(template.title), name, gettext(template.about)))
        for name, template in TEMPLATES.items()
    ]


class NewProjectForm(forms.Form):
    """What a project begins with."""

    name = forms.CharField(
        label=_("Name"),
        max_length=limits(SETTINGS["name"])[1],
        widget=forms.TextInput(attrs={"autofocus": True}),
    )
    slug = forms.RegexField(
        projects.SLUG_PATTERN,
        label=_("Short name"),
        help_text=_(
            "Stands in addresses and names of files: small letters, digits, - and _. It never "
            "changes."
        ),
        max_length=60,
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
        error_messages=dict.fromkeys(
            ("required", "invalid", "max_length"),
            _("A short name has at most 60 small letters, digits, - and _, as mucgec-2."),
        ),
    )
    lang = forms.ChoiceField(
        label=_("Language of the sentences"),
        choices=(("zh", _("Chinese")), ("en", _("English"))),
        widget=forms.RadioSelect,
    )
    template = forms.ChoiceField(label=_("Template"), choices=_templates, widget=forms.RadioSelect)

    def clean_slug(self) -> str:
        """Refuse a short name that another project has."""
        slug = str(self.cleaned_data["slug"])
        if Project.objects.filter(slug=slug).exists():
            message = gettext("The short name %(slug)s is taken; choose another.")
            raise forms.ValidationError(message % {"slug": slug})
        return slug


@administrator
@require_safe
def list_projects(request: HttpRequest, _person: Person) -> HttpResponse:
    """List all projects: open, archived, deleted."""
    active = Q(status=MemberStatus.ACTIVE)
    people = Member.objects.filter(active, project=OuterRef("pk")).order_by().values("project")
    counts = people.annotate(n=Count("pk")).values("n")
    rows = Project.objects.annotate(people=Coalesce(Subquery(counts), 0)).order_by("name", "pk")
    context = {
        "open": [
            project
            for project in rows
            if project.deleted_at is None and project.archived_at is None
        ],
        "archived": [
            project
            for project in rows
            if project.deleted_at is None and project.archived_at is not None
        ],
        "deleted": [project for project in rows if project.deleted_at is not None],
        "kept_days": projects.RESTORE_WINDOW.days,
    }
    return render(request, "manage/projects.html", context)


@administrator
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest, person: Person) -> HttpResponseBase:
    """Show the form of a new project, or make it."""
    form = NewProjectForm(
        request.POST if request.method == "POST" else None,
        initial={"lang": "zh", "template": "mucgec"},
        auto_id="%s",
    )
    if form.is_valid():
        try:
            project = projects.create_project(**form.cleaned_data, by=person)
            messages.success(request, gettext("The project is made. Import sentences, and invite."))
            return redirect("manage", project.slug)
        except GecbenchError as error:
            form.add_error(None, refusal_message(error))
    return render(
        request, "manage/new_project.html", {"form": form}, status=form_status(form.errors)
    )


@administrator
@require_POST
def archive(request: HttpRequest, person: Person, slug: str) -> HttpResponseBase:
    """Close a project for work."""
    projects.archive_project(get_object_or_404(Project, slug=slug), by=person)
    messages.success(request, gettext("The project is archived; everything stays readable."))
    return redirect("projects")


@administrator
@require_POST
def delete(request: HttpRequest, person: Person, slug: str) -> HttpResponseBase:
    """Hide a project, if its short name was typed."""
    try:
        typed = request.POST.get("typed", "").strip()
        project = get_object_or_404(Project, slug=slug)
        projects.delete_project(project, typed=typed, by=person)
    except UsageError:
        message = gettext("Nothing was deleted: type the short name %(slug)s to confirm.")
        messages.error(request, message % {"slug": slug})
        return redirect("projects")
    message = gettext("The project is deleted. It can be brought back for %(days)s days.")
    messages.success(request, message % {"days": projects.RESTORE_WINDOW.days})
    return redirect("projects")


@administrator
@require_POST
def restore(request: HttpRequest, person: Person, slug: str) -> HttpResponseBase:
    """Undo archiving or deleting."""
    try:
        projects.restore_project(get_object_or_404(Project, slug=slug), by=person)
    except UsageError:
        message = gettext("It was deleted more than %(days)s days ago; restore a backup.")
        messages.error(request, message % {"days": projects.RESTORE_WINDOW.days})
        return redirect("projects")
    messages.success(request, gettext("The project is back."))
    return redirect("projects")


_NEVER = "never"
"""What a form has for a number that is None."""


def choices_of(setting: FieldInfo) -> dict[str, str]:
    """The values that a form offers, with their words; none for what is typed."""
    if isinstance(setting.default, TextChoices):
        return {value: str(words) for value, words in type(setting.default).choices}
    names = extra(setting)["names"].items()
    return {_NEVER if n is None else str(n): gettext(words) for n, words in names}


class LinesField(forms.Field):
    """Texts, one a line; each is taken once."""

    widget = forms.Textarea(attrs={"rows": 4})

    def prepare_value(self, value: Any) -> Any:
        """Texts as lines."""
        return "\n".join(value) if isinstance(value, tuple) else value

    def to_python(self, value: Any) -> Any:
        """The lines that are not empty."""
        lines = (line.strip() for line in (value or "").replace("\0", "").splitlines())
        return tuple(dict.fromkeys(line for line in lines if line))


def form_field(setting: FieldInfo, now: object) -> forms.Field:
    """The field of a form for a setting that has a value now."""
    words: Any = {"label": gettext(setting.title), "help_text": gettext(setting.description)}  # type: ignore[arg-type]  # all have both
    if choices := choices_of(setting):
        choices.setdefault(str(now), str(now))
        if setting.annotation is type(setting.default):
            return forms.ChoiceField(choices=choices, **words)
        return forms.TypedChoiceField(
            choices=choices, coerce=lambda text: None if text == _NEVER else int(text), **words
        )
    if setting.annotation is bool:
        return forms.BooleanField(required=False, **words)
    least, most = limits(setting)
    if setting.annotation is str:
        return forms.CharField(required=least > 0, max_length=most, **words)
    if setting.annotation is not int:
        return LinesField(required=False, **words)
    if not setting.is_required():
        usual = gettext("Usually %(usual)s.") % {"usual": setting.default}
        words["help_text"] += f" {usual}"
    return number_field(least, most, **words)


def number_field(least: int, most: int, **words: Any) -> forms.IntegerField:
    """A field for a whole number, which says its limits."""
    wrong = gettext("A whole number from %(least)s to %(most)s.") % {"least": least, "most": most}
    return forms.IntegerField(
        min_value=least,
        max_value=most,
        widget=forms.NumberInput(attrs={"class": "short"}),
        error_messages=dict.fromkeys(("required", "invalid", "min_value", "max_value"), wrong),
        **words,
    )


class SettingsForm(forms.Form):
    """The settings that a project has, and the level of each consistency rule."""

    use_required_attribute = False

    def __init__(self, project: Project, data: QueryDict | None = None) -> None:
        """Show what was sent, else what is stored."""
        options = project.rules
        self.settings = settings_of(project.kind)
        rules = RULES if project.kind == ProjectKind.REWRITE else {}
        now = {
            name: getattr(project if name in ProjectColumns.model_fields else options, name)
            for name in self.settings
        }
        now = {name: _NEVER if value is None else value for name, value in now.items()}
        levels = {f"rule-{rule}": options.level(rule) for rule in rules}
        super().__init__(data, initial=now | levels, auto_id="%s")
        self.fields = {
            name: form_field(setting, now[name]) for name, setting in self.settings.items()
        }
        for rule, (usual, _words) in rules.items():
            names = {
                level: gettext(words) + " ·" * (level == usual) for level, words in LEVELS.items()
            }
            attrs = {"class": "auto", "aria-labelledby": f"label-{rule} about-{rule}"}
            self.fields[f"rule-{rule}"] = forms.ChoiceField(
                choices=names, required=False, widget=forms.Select(attrs=attrs)
            )

    def now(self, name: str) -> str:
        """In words what is stored."""
        value = self.initial[name]
        if isinstance(value, bool):
            return gettext("on") if value else gettext("off")
        if name not in SETTINGS:
            return gettext(LEVELS[value])
        texts = [str(value)] if not isinstance(value, tuple) else value
        return choices_of(SETTINGS[name]).get(str(value)) or ", ".join(texts) or "–"


@manager
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Show the settings, or keep them; a stale form shows what is in force beside what was sent."""
    project, stale = member.project, False
    posted = request.POST if request.method == "POST" else None
    form = SettingsForm(project, posted)
    if posted is not None:
        require_active(member)
        try:
            if form.is_valid():
                _change(member, form.cleaned_data, posted)
                messages.success(request, gettext("The settings are saved."))
                return redirect("manage-settings", project.slug)
        except ConflictError:
            project.refresh_from_db()
            form, stale = SettingsForm(project, posted), True
        except GecbenchError as error:
            form.add_error(None, refusal_message(error))
    now = {name: form.now(name) for name in form.changed_data} if stale else {}
    context = {
        "form": form,
        "groups": [
            (gettext(title), [(form[name], now.get(name, "")) for name in names])
            for title, names in groupby(form.settings, lambda name: extra(SETTINGS[name])["group"])
        ],
        "rules": [
            (rule, gettext(words), form[f"rule-{rule}"], now.get(f"rule-{rule}", ""))
            for rule, (_level, words) in RULES.items()
            if f"rule-{rule}" in form.fields
        ],
        "stale": stale,
        # One that was wrong is still made from what it was made from.
        "seen": request.POST.get("seen", "")
        if form.errors
        else projects.settings_fingerprint(project),
        "behind": management.count_incomplete(project),
        "fit": posted is None or "fit" in posted,
    }
    status = form_status(form.errors, stale=stale)
    return manage_page(request, member, "manage-settings", context, status=status)


def _change(member: Member, cleaned: Mapping[str, Any], posted: QueryDict) -> None:
    columns = {name: cleaned[name] for name in ProjectColumns.model_fields if name in cleaned}
    if columns["annotators"] == member.project.annotators and "fit" not in posted:
        del columns["annotators"]
    options = {
        name: cleaned[name]
        for name in settings_of(member.project.kind)
        if name not in ProjectColumns.model_fields
    }
    if member.project.kind == ProjectKind.REWRITE:
        levels = {rule: cleaned[f"rule-{rule}"] or usual for rule, (usual, _) in RULES.items()}
        options["rules"] = {
            rule: level for rule, level in levels.items() if level != RULES[rule].level
        }
    seen = posted.get("seen", "")
    projects.change_project(member.project, by=member.person, options=options, seen=seen, **columns)
