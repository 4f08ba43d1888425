"""All projects of the site, for administrators: made, put away, brought back."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server.choices import MemberStatus
from gecbench.server.models import Member, Person, Project
from gecbench.server.rules.options import SETTINGS, TEMPLATES, limits
from gecbench.server.web.http import form_status
from gecbench.server.web.manage.messages import refusal_message
from gecbench.server.web.manage.shortcuts import clean_text
from gecbench.server.web.permissions import administrator
from gecbench.server.workflow import projects


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
        typed = clean_text(request, "typed")
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
