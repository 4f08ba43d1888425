"""Work with a deadline: given to several members at once, moved and ended one by one."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import TextChoices
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST

from gecbench.server.choices import MemberStatus, Role
from gecbench.server.models import Member, Project
from gecbench.server.web.http import form_status
from gecbench.server.web.manage.shortcuts import ROLES, active_manager, manage_page, refusal_message
from gecbench.server.web.translation import translate
from gecbench.server.workflow import assignments
from gecbench.server.workflow.assignments import MAX_BATCH, MAX_QUOTA
from gecbench.server.workflow.errors import Problem, RefusedError


class WorkKind(TextChoices):
    """What a member can be given to do."""

    QUOTA = "quota", _("annotate so many sentences, whichever come")
    BATCH = "batch", _("annotate so many sentences that are kept for them until the deadline")
    REVIEWS = "reviews", _("review so many sentences")


class DeadlineField(forms.DateField):
    """A day; its value is the last moment of it, by the clock of who chooses it."""

    def __init__(self, **options: Any) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        super().__init__(input_formats=["%Y-%m-%d"], widget=widget, **options)

    def clean(self, value: Any) -> Any:
        """The moment.

        Raises:
            ValidationError: It is no day, or is over.
        """
        day = super().clean(value)
        due = timezone.make_aware(datetime.combine(day, time.max))
        if due <= timezone.now():
            raise ValidationError(gettext("The deadline is in the past."))
        return due


class DeadlineForm(forms.Form):
    """A deadline alone."""

    due = DeadlineField()


class WorkForm(DeadlineForm):
    """What each of some members is to do."""

    members = forms.TypedMultipleChoiceField(
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one member.")},
    )
    kind = forms.ChoiceField(
        choices=WorkKind.choices, widget=forms.RadioSelect, initial=WorkKind.QUOTA
    )
    number = forms.IntegerField(min_value=1, max_value=MAX_QUOTA)

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        active = Member.objects.filter(project=project, status=MemberStatus.ACTIVE)
        comma = pgettext("list", ", ")
        self.people = {
            member.pk: member
            for member in active.select_related("person").order_by("person__name", "pk")
            if member.is_annotator or member.is_reviewer
        }
        self.fields["members"].choices = [  # type: ignore[attr-defined]
            (pk, f"{member.person.name} · {comma.join(str(ROLES[role]) for role in member.roles)}")
            for pk, member in self.people.items()
        ]

    def clean(self) -> dict[str, Any]:
        """What was chosen; a batch has a limit of its own."""
        values = super().clean() or {}
        if values.get("kind") == WorkKind.BATCH and values.get("number", 0) > MAX_BATCH:
            problem = Problem("batch", values={"most": MAX_BATCH})
            self.add_error("number", translate(problem.message).text)
        return values


@active_manager
@require_http_methods(["GET", "HEAD", "POST"])
def assign(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Show the form, or give work to those who were chosen."""
    form = WorkForm(
        member.project,
        request.POST if request.method == "POST" else None,
        initial={"members": request.GET.getlist("member")},
    )
    if not form.is_valid():
        return manage_page(
            request,
            member,
            "manage-members",
            {"form": form},
            template="manage/assignments.html",
            status=form_status(form.errors),
        )
    count = 0
    for pk in form.cleaned_data["members"]:
        try:
            _assign(request, member, form.people[pk], form.cleaned_data)
        except RefusedError as error:
            messages.error(request, refusal_message(error))
        else:
            count += 1
    if count:
        message = ngettext("%(n)s member was given work.", "%(n)s members were given work.", count)
        messages.success(request, message % {"n": count})
    return redirect("manage-members", member.project.slug)


def _assign(request: HttpRequest, manager: Member, to: Member, values: dict[str, Any]) -> None:
    number, due = values["number"], values["due"]
    if values["kind"] != WorkKind.BATCH:
        role = Role.REVIEWER if values["kind"] == WorkKind.REVIEWS else Role.ANNOTATOR
        assignments.give_quota(manager, to, number=number, due_at=due, role=role)
        return
    _batch, count = assignments.give_batch(manager, to, number=number, due_at=due)
    if count < number:
        words = gettext("%(name)s got %(count)s sentences: no more are free for them.")
        messages.warning(request, words % {"name": to.person.name, "count": count})


@active_manager
@require_POST
def change(request: HttpRequest, member: Member, assignment: int) -> HttpResponseBase:
    """Move the deadline of an assignment, or end it."""
    if request.POST.get("act") == "end":
        changed = assignments.end_assignment(member, assignment)
        messages.success(request, gettext("It is ended; sentences that were kept are free again."))
        return redirect("manage-member", member.project.slug, changed.member_id)
    form = DeadlineForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form.errors["due"])))
        return redirect("manage-members", member.project.slug)
    changed = assignments.set_deadline(member, assignment, due_at=form.cleaned_data["due"])
    messages.success(request, gettext("The deadline is moved."))
    return redirect("manage-member", member.project.slug, changed.member_id)
