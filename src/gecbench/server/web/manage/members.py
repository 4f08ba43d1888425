"""Members: who they are, what they did, what they are given; and links that invite more."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from smtplib import SMTPException
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.validators import validate_email
from django.db.models import Count, OuterRef, QuerySet, Subquery, TextChoices
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.core.errors import GecbenchError
from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    CheckDecision,
    CloseReason,
    MemberStatus,
    ProjectKind,
    Role,
    SlotState,
)
from gecbench.server.import_export.corpora import table
from gecbench.server.models import (
    Assignment,
    Invitation,
    Member,
    MemberEvent,
    Project,
    Sentence,
    Slot,
    Study,
    VariantCheck,
)
from gecbench.server.statistics.scoring import SCORES, load_figures, parse_scores
from gecbench.server.statistics.work import counts
from gecbench.server.web.http import NoteField, form_problems, form_status, limited
from gecbench.server.web.manage.shortcuts import (
    ROLES,
    STATUSES,
    act,
    active_manager,
    manage_page,
    manager,
    refusal_message,
    require_active,
)
from gecbench.server.web.messages import translate
from gecbench.server.workflow import accounts, assignments, management, members
from gecbench.server.workflow.assignments import MAX_BATCH, MAX_QUOTA, Standing, standings
from gecbench.server.workflow.errors import ConflictError, Problem, RefusedError

_LAST = 50


@dataclass(frozen=True, slots=True)
class Row:
    """A member with their figures.

    Args:
        member: Who.
        roles: In words.
        status: In words.
        submitted: Sentences handed in.
        accepted: Of the judged ones, the share with nothing to study, in [0, 1]; None without any.
        score: F0.5, in [0, 1]; None where it cannot be said.
        work: What they were given, by deadline.
    """

    member: Member
    roles: tuple[str, ...]
    status: str
    submitted: int
    accepted: float | None
    score: float | None
    work: Sequence[Standing] = ()

    @property
    def done(self) -> int:
        """How much of what they were given is done."""
        return sum(share.done for share in self.work)

    @property
    def total(self) -> int:
        """How much they were given."""
        return sum(share.total for share in self.work)

    @property
    def behind(self) -> int:
        """How much more would be done by now at an even pace."""
        return sum(share.behind for share in self.work)

    @property
    def late(self) -> bool:
        """Whether a deadline is over."""
        return any(share.late for share in self.work)

    @property
    def due_at(self) -> datetime | None:
        """The next deadline of something that is not done."""
        return next(
            (share.assignment.due_at for share in self.work if share.done < share.total), None
        )

    @property
    def accepted_percent(self) -> str:
        """The share as the table shows it."""
        return _percent(self.accepted)

    @property
    def score_percent(self) -> str:
        """The score as the table shows it."""
        return _percent(self.score, digits=2)


def _percent(share: float | None, digits: int = 0) -> str:
    return "–" if share is None else f"{share * 100:.{digits}f}"


# Forms: whom to invite, one a line, and whom to add.


AT_ONCE = 200
"""Invitations of one form."""

_ADDRESS = re.compile(r"(?:(?P<name>[^<>@]*)<(?P<in>[^<>\s]+)>|(?P<alone>\S+))")


class RolesForm(forms.Form):
    """Roles in a project, one at least."""

    roles = forms.TypedMultipleChoiceField(
        choices=[(str(role), ROLES[role]) for role in Role],
        coerce=Role,
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": _("Choose at least one role."),
            "invalid_choice": _("Choose at least one role."),
        },
    )

    def __init__(self, data: QueryDict | None = None, **options: Any) -> None:
        super().__init__(data, auto_id=False, **options)  # two of these forms are on one page


class AddForm(RolesForm):
    """Somebody who has an account."""

    login = forms.CharField(max_length=150)


class InviteForm(RolesForm):
    """People who get a link each: a name, an e-mail address or both in each line."""

    people = forms.CharField(max_length=AT_ONCE * 500, widget=forms.Textarea)
    mail = forms.BooleanField(required=False)

    def clean_people(self) -> list[tuple[str, str]]:
        """Name and address of each, "" where there is none; say which lines are wrong.

        People of the same name and without an address are numbered, so that their links differ.
        """
        people: list[tuple[str, str]] = []
        lines: dict[str, int] = {}
        problems: list[str] = []
        for number, line in enumerate(self.cleaned_data["people"].splitlines(), 1):
            try:
                name, address = _parse_line(" ".join(line.split()))
            except ValidationError as error:
                problems.append(_at(number, str(error.message)))
                continue
            first = lines.setdefault(address.casefold(), number) if address else number
            if first != number:
                same = gettext("the same address as line %(line)s") % {"line": first}
                problems.append(_at(number, same))
            elif name or address:
                people.append((name, address))
        if len(people) > AT_ONCE:
            words = gettext("At most %(most)s at once; these are %(count)s.")
            problems.append(words % {"most": AT_ONCE, "count": len(people)})
        if problems:
            raise ValidationError(problems)
        return _number_names(people)


def _number_names(people: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Number those who have the same name and no address: "Li Hua (1)", "Li Hua (2)"."""
    total = Counter(name.casefold() for name, address in people if not address)
    count = Counter[str]()
    numbered = []
    for name, address in people:
        key = name.casefold()
        if not address and total[key] > 1:
            count[key] += 1
            name = f"{name[:190]} ({count[key]})"
        numbered.append((name, address))
    return numbered


def _parse_line(text: str) -> tuple[str, str]:
    """The name and the e-mail address of a line, "" where there is none."""
    if len(text) > 200:
        raise ValidationError(gettext("too long"))
    if not set("@<>") & set(text):
        return text, ""
    parts = _ADDRESS.fullmatch(text)
    address = parts["in"] or parts["alone"] if parts else ""
    if parts is None or not _is_address(address):
        raise ValidationError(gettext("no e-mail address: %(text)s") % {"text": text})
    return (parts["name"] or "").strip(' "'), address


def _is_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True


def _at(number: int, problem: str) -> str:
    return gettext("Line %(line)s: %(problem)s") % {"line": number, "problem": problem}


_ORDERS: Mapping[str, Callable[[Row], tuple[object, ...]]] = {
    "name": lambda row: (row.member.person.name.casefold(), row.member.pk),
    "submitted": lambda row: (-row.submitted, row.member.pk),
    "accepted": lambda row: (row.accepted is None, -(row.accepted or 0), row.member.pk),
    "score": lambda row: (row.score is None, -(row.score or 0), row.member.pk),
    "due": lambda row: (row.due_at is None, row.due_at, row.member.pk),
    "behind": lambda row: (-row.behind, -row.total, row.member.pk),
    "since": lambda row: (row.member.since, row.member.pk),
}


@manager
@require_safe
def list_members(request: HttpRequest, member: Member) -> HttpResponse:
    """List the members, sorted by ?sort= (ROL-3), and the invitations that are open."""
    return _list(request, member)


def _list(
    request: HttpRequest,
    member: Member,
    *,
    links: Sequence[tuple[str, str, str]] = (),
    inviting: InviteForm | None = None,
    adding: AddForm | None = None,
) -> HttpResponse:
    sort = request.GET.get("sort", "")
    order = sort if sort in _ORDERS else "name"
    left = Invitation.objects.filter(
        project=member.project, used_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
    rows = sorted(_rows(member.project), key=_ORDERS[order])
    shown = {
        "rows": rows,
        "given": any(row.work for row in rows),
        "behind": sum(row.behind > 0 for row in rows),
        "order": order,
        "invitations": [
            (invitation, tuple(ROLES[role] for role in invitation.roles))
            for invitation in left.select_related("by").order_by("-pk")[:_LAST]
        ],
        "inviting": inviting or InviteForm(initial={"roles": [Role.ANNOTATOR]}),
        "adding": adding or AddForm(initial={"roles": [Role.ANNOTATOR]}),
        "mail": mail_is_set(),
        "links": links,
        "copied": "\n".join(f"{name or address}\t{link}" for name, address, link in links),
        "csv": b64encode(b"".join(table(("name", "address", "link"), [links]))).decode(),
    }
    failed = inviting is not None or adding is not None
    return manage_page(request, member, "manage-members", shown, status=form_status(failed))


def _rows(project: Project) -> list[Row]:
    rows = list(_members(project))
    done, judged = _slots(project, [row.person_id for row in rows])
    scores = _scores(project)
    work: dict[int, list[Standing]] = {}
    for standing in standings(Assignment.objects.filter(member__project=project)):
        work.setdefault(standing.assignment.member_id, []).append(standing)
    return [
        Row(
            row,
            tuple(str(ROLES[role]) for role in row.roles),
            str(STATUSES[row.status]),
            done.get(row.person_id, 0),
            _share(judged.get(row.person_id, 0), row.lessons),
            scores.get(row.person_id),
            work.get(row.pk, ()),
        )
        for row in rows
    ]


def _members(project: Project) -> QuerySet[Any]:
    """The members; `lessons` is how many of their submissions were not accepted as they were."""
    wrong = (
        _unaccepted_variants(project) if project.kind == ProjectKind.PERTURB else _wrong(project)
    )
    counted = wrong.values("n")
    rows = Member.objects.filter(project=project).select_related("person")
    return rows.annotate(lessons=Coalesce(Subquery(counted), 0))


def _wrong(project: Project) -> QuerySet[Any, Any]:
    """How many submissions of a member had something to study."""
    wrong = Study.objects.filter(counts(), project=project, person=OuterRef("person")).exclude(
        close_reason__in=(CloseReason.UPHELD, CloseReason.GOLDEN_CHANGED)
    )
    return wrong.order_by().values("person").annotate(n=Count("submission", distinct=True))


def _unaccepted_variants(project: Project) -> QuerySet[Any, Any]:
    """How many variants of a member passed after they were edited or returned."""
    person = OuterRef("person")
    checks = VariantCheck.objects.filter(
        counts("slot__sentence__"),
        slot__project=project,
        slot__state=SlotState.PASSED,
        slot__person=person,
        variant__submission__person=person,
    ).exclude(decision=CheckDecision.ACCEPTED)
    return checks.order_by().values("slot__person").annotate(n=Count("slot", distinct=True))


def _slots(project: Project, people: Sequence[int]) -> tuple[Counter[int], Counter[int]]:
    """For each person how many sentences they handed in, and how many were judged."""
    reached = Slot.objects.filter(project=project, state__in=SUBMITTED_OR_LATER)
    # The index of people's slots counts all of them alone, twenty times as fast as with a look at
    # each sentence. Few do not count; those are taken off.
    no_matter = Sentence.objects.filter(~counts(""), project=project)
    theirs, others = (
        rows.values_list("person_id", "state").annotate(n=Count("pk") * sign).order_by()
        for rows, sign in (
            (reached.filter(person__in=people), 1),
            (reached.filter(sentence__in=no_matter), -1),
        )
    )
    done, judged = Counter[int](), Counter[int]()
    for person, state, count in theirs.union(others, all=True):
        done[person] += count
        if state != SlotState.SUBMITTED:
            judged[person] += count
    return done, judged


def _scores(project: Project) -> Mapping[int, float]:
    """The F0.5 of each person, as it was computed last (see the page Quality)."""
    was = load_figures(project, SCORES, "")
    scores = parse_scores(was.data).people if was else {}
    return {int(person): cell.value for person, cell in scores.items()}


def _share(judged: int, wrong: int) -> float | None:
    return max(0.0, 1 - wrong / judged) if judged else None


@active_manager
@never_cache
@require_POST
def invite(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Make an invitation for each line; the links are shown this once."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _list(request, member, inviting=form)
    people = form.cleaned_data["people"]
    notes = [" ".join(filter(None, person)) for person in people]
    roles = form.cleaned_data["roles"]
    secrets = members.invite_all(member.project, notes, roles=roles, by=member.person)
    links = [
        (name, address, request.build_absolute_uri(reverse("invitation", args=[secret])))
        for (name, address), secret in zip(people, secrets, strict=True)
    ]
    if form.cleaned_data["mail"] and mail_is_set():
        _send(request, member, [(address, link) for _, address, link in links if address])
    return _list(request, member, links=links)


def mail_is_set() -> bool:
    """Say whether the site's settings name a mail server."""
    # Django's own default is a host, too.
    return settings.is_overridden("EMAIL_HOST") and bool(settings.EMAIL_HOST)  # type: ignore[misc]


def _send(request: HttpRequest, member: Member, links: Sequence[tuple[str, str]]) -> None:
    subject = gettext("Invitation to %(project)s") % {"project": member.project.name}
    words = gettext(
        "%(name)s invites you to take part in %(project)s. This link is for you alone; it works "
        "once, for seven days:"
    ) % {"name": member.person.name, "project": member.project.name}
    subject = " ".join(subject.split())  # a header is one line
    mails = [EmailMessage(subject, f"{words}\n\n{link}\n", to=[to]) for to, link in links]
    try:
        sent = get_connection().send_messages(mails) or 0
    except (OSError, SMTPException):
        message = gettext("The mail server did not take the mails; send the links yourself.")
        messages.error(request, message)
        return
    message = ngettext("%(n)s mail was sent.", "%(n)s mails were sent.", sent)
    messages.success(request, message % {"n": sent})


@active_manager
@require_POST
@limited("add-person")
def add(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Make somebody a member who has an account; no list of accounts is ever shown."""
    form = AddForm(request.POST)
    if form.is_valid():
        try:
            new_member = members.add_existing(member.project, **form.cleaned_data, by=member.person)
        except RefusedError as error:
            form.add_error("login", refusal_message(error))
        else:
            message = gettext("%(name)s is a member now and sees the project on their home page.")
            messages.success(request, message % {"name": new_member.person.name})
            return redirect("manage-members", member.project.slug)
    return _list(request, member, adding=form)


@act("manage-members")
def revoke(member: Member, invitation: int) -> str:
    """Make a link useless."""
    link = get_object_or_404(Invitation, project=member.project, pk=invitation)
    members.revoke(link, by=member.person)
    return gettext("The invitation is withdrawn; its link no longer works.")


@manager
@require_http_methods(["GET", "HEAD", "POST"])
def member_page(request: HttpRequest, member: Member, member_id: int) -> HttpResponseBase:
    """Show a member with the history of roles and status, or change these."""
    other = _other(member, member_id)
    if request.method == "POST":
        return _change(request, member, other)
    return _member(request, member, other)


class MemberForm(forms.Form):
    """Roles and status of a member, and the state that the change was made from."""

    roles = forms.TypedMultipleChoiceField(
        label=_("Roles"), choices=Role.choices, coerce=Role, required=False
    )
    status = forms.TypedChoiceField(
        label=_("Status"),
        choices=MemberStatus.choices,
        coerce=MemberStatus,
        required=False,
        empty_value=None,
    )
    note = NoteField(label=_("Note"), max_length=2000)
    seen = NoteField()


def _member(
    request: HttpRequest,
    member: Member,
    other: Member,
    form: MemberForm | None = None,
    problem: str = "",
    *,
    stale: bool = False,
    link: str = "",
) -> HttpResponse:
    """Show a member; after a problem with the form as it came."""
    status = MemberStatus(other.status)
    form = form or MemberForm(
        initial={
            "roles": [str(role) for role in other.roles],
            "status": str(status),
            "seen": management.member_fingerprint(other),
        }
    )
    has, chosen = form["roles"].value() or (), form["status"].value()
    events = MemberEvent.objects.filter(member=other).select_related("by").order_by("-pk")
    shown = {
        "one": other,
        "roles": [(str(role), ROLES[role], str(role) in has) for role in Role],
        "statuses": [
            (str(next_status), STATUSES[next_status], str(next_status) == chosen)
            for next_status in members.next_statuses(status)
        ],
        "seen": management.member_fingerprint(other) if stale else form["seen"].value(),
        "events": [
            (event, _event_labels(event.old), _event_labels(event.new)) for event in events[:_LAST]
        ],
        "work": standings(Assignment.objects.filter(member=other)),
        "problem": problem,
        "note": form["note"].value() or "",
        "link": link,
        "locked_until": max(accounts.login_locks(other.person.login).values(), default=None),
        "can_help": accounts.can_help(member.person, other.person),
    }
    return manage_page(
        request,
        member,
        "manage-members",
        shown,
        template="manage/member.html",
        status=form_status(problem, stale=stale),
    )


@act("manage-member", "member_id", refused=(RefusedError,))
def unlock(member: Member, member_id: int) -> str:
    """Lift the lock of a member's login."""
    person = _other(member, member_id).person
    accounts.unlock(person, by=member.person, project=member.project)
    return gettext("The lock is lifted; they can try again now.")


@active_manager
@never_cache
@require_POST
def password(request: HttpRequest, member: Member, member_id: int) -> HttpResponseBase:
    """Make a link by which a member chooses a new password; it is shown this once."""
    other = _other(member, member_id)
    try:
        secret = accounts.password_link(other.person, by=member.person, project=member.project)
    except GecbenchError as error:
        messages.error(request, refusal_message(error))
        return redirect("manage-member", member.project.slug, other.pk)
    link = request.build_absolute_uri(reverse("password-new", args=secret.split("/")))
    return _member(request, member, other, link=link)


def _event_labels(data: Mapping[str, object]) -> tuple[str, ...]:
    """Roles and status of an event in words."""
    roles = data.get("roles")
    named = [str(ROLES.get(role, role)) for role in roles] if isinstance(roles, list) else []
    status = data.get("status")
    return (*named, *([str(STATUSES.get(str(status), status))] if status else []))


def _change(request: HttpRequest, member: Member, other: Member) -> HttpResponseBase:
    require_active(member)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _member(request, member, other, form, form_problems(form))
    try:
        management.change_member(other, by=member.person, **form.cleaned_data)
    except ConflictError:
        return _stale(request, member, other, form)
    except GecbenchError as error:
        return _member(request, member, other, form, refusal_message(error))
    messages.success(request, gettext("Saved. Open tasks that they may no longer do went back."))
    return redirect("manage-members", member.project.slug)


def _stale(request: HttpRequest, member: Member, other: Member, form: MemberForm) -> HttpResponse:
    other.refresh_from_db()
    now = (*(str(ROLES[role]) for role in other.roles), str(STATUSES[other.status]))
    message = gettext(
        "Roles or status were changed after you opened this page. They are now: %(now)s. Nothing "
        "was overwritten, and what you chose stands below; press Save again if it is still right."
    )
    return _member(request, member, other, form, message % {"now": ", ".join(now)}, stale=True)


def _other(member: Member, member_id: int) -> Member:
    """A member of the same project."""
    here = Member.objects.filter(project=member.project).select_related("person")
    return get_object_or_404(here, pk=member_id)


class WorkKind(TextChoices):
    """What a member can be given to do."""

    QUOTA = "quota", _("annotate so many sentences, whichever come")
    BATCH = "batch", _("annotate so many sentences that are kept for them until the deadline")
    REVIEWS = "reviews", _("review so many sentences")


class DeadlineField(forms.DateField):
    """A day; its value is the last moment of it, by the clock of who chooses it."""

    def __init__(self, **options: Any) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        wrong = {"invalid": _("A deadline is a day, as in 2027-01-31.")}
        super().__init__(input_formats=["%Y-%m-%d"], widget=widget, error_messages=wrong, **options)

    def clean(self, value: Any) -> Any:
        """The moment.

        Raises:
            ValidationError: It is no day, or is over.
        """
        day = super().clean(value)
        if day is None:
            return None
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
def change_assignment(request: HttpRequest, member: Member, assignment: int) -> HttpResponseBase:
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
