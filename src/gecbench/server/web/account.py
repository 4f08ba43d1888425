"""A person's own account: settings, keys, tokens, sessions, password, personal data."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from http import HTTPStatus
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.core.errors import UsageError
from gecbench.server.import_export.personal_data import export_personal_data, file_name
from gecbench.server.models import Person, Token
from gecbench.server.rules.keys import (
    ACTIONS,
    KeyRefusedError,
    Place,
    parse_keys,
    tables,
)
from gecbench.server.rules.text import TextError, clean
from gecbench.server.web.http import attachment, form_status, limited
from gecbench.server.web.permissions import signed_in
from gecbench.server.web.sign_in import (
    LONG_ENOUGH,
    NAMELESS,
    AccountForm,
    password_field,
    remember_language,
)
from gecbench.server.workflow import accounts, audit
from gecbench.server.workflow.errors import NotYoursError, RefusedError

LANGUAGES = (("", _("As the browser says")), ("zh-hans", "简体中文"), ("en", "English"))
THEMES = (
    ("auto", _("As the system says")),
    ("light", _("Light")),
    ("dark", _("Dark")),
)
SIZES = (("small", _("Small")), ("medium", _("Medium")), ("large", _("Large")))
SCOPES = (
    ("read", _("Only read")),
    ("write", _("Read and write")),
    ("admin", _("Everything that you may do")),
)
MOST_GOAL = 1000
_GOAL = _("A daily goal is a number of sentences up to 1000; 0 is none.")


@cache
def _zones() -> dict[str, list[str]]:
    """The names of time zones by part of the world."""
    parts: dict[str, list[str]] = {}
    for name in sorted(available_timezones()):
        part, slash, _ = name.partition("/")
        if slash and part not in ("Etc", "SystemV", "US", "Canada", "Brazil", "Chile", "Mexico"):
            parts.setdefault(part, []).append(name)
    return {**parts, "UTC": ["UTC"]}


class KeysForm(AccountForm):
    """The key of each action; one that is left empty is the usual one."""

    def __init__(self, person: Person, data: Any = None) -> None:
        super().__init__(data, auto_id="key-%s")
        self.preferences = dict(person.preferences.get("keys") or {})
        attrs = {"autocomplete": "off", "spellcheck": "false", "data-chord": True}
        for name, action in ACTIONS.items():
            self.fields[name] = forms.CharField(
                label=action_label(name),
                required=False,
                initial=self.preferences.get(name, action.chords[0]),
                widget=forms.TextInput(attrs),
            )

    def clean(self) -> None:
        """Keep the `keys` that are not the usual ones, if none does two things in one place."""
        try:
            self.keys = parse_keys({name: key for name, key in self.cleaned_data.items() if key})
        except KeyRefusedError as error:
            raise forms.ValidationError(key_message(error)) from error


class GoalForm(forms.Form):
    """A goal of the day."""

    goal = forms.IntegerField(
        label=_("Sentences that I want to do each day"),
        help_text=_("0 is no goal. Only you see it."),
        required=False,
        min_value=0,
        max_value=MOST_GOAL,
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), _GOAL),
    )


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]  # Django has no parameter here
    """A person's own settings; a field that is not sent stays as it is."""

    name = forms.CharField(
        label=_("Name that others see"),
        max_length=150,
        error_messages={"required": NAMELESS},
        widget=forms.TextInput({"autocomplete": "name"}),
    )
    language = forms.ChoiceField(label=_("Language"), choices=LANGUAGES, required=False)
    theme = forms.ChoiceField(label=_("Colours"), choices=THEMES, required=False)
    size = forms.ChoiceField(label=_("Size of texts"), choices=SIZES, required=False)
    goal = GoalForm.base_fields["goal"]
    enter_submits = forms.BooleanField(
        label=_("Enter alone also submits"),
        help_text=_("Not while you choose characters in an input method."),
        required=False,
    )

    class Meta:
        model = Person
        fields = ("name", "language", "time_zone", "theme")

    def __init__(self, person: Person, data: Any = None) -> None:
        preferences = {"size": "medium", "goal": 0, **person.preferences}
        super().__init__(data, instance=person, initial=preferences, auto_id="%s")
        site = gettext("As the site: %(site_zone)s") % {"site_zone": settings.TIME_ZONE}
        self.fields["time_zone"] = forms.ChoiceField(
            label=_("Time zone"),
            help_text=_("Your days begin at midnight there, and times are shown as there."),
            required=False,
            choices=[
                ("", site),
                *((part, [(name, name) for name in names]) for part, names in _zones().items()),
            ],
        )

    def clean_name(self) -> str:
        """Take out what cannot be seen."""
        try:
            name = clean(self.cleaned_data["name"], longest=150).text
        except TextError:
            name = ""
        if not name:
            raise forms.ValidationError(NAMELESS)
        return name

    def clean_theme(self) -> str:
        """Leave it as it is, where none is chosen."""
        return str(self.cleaned_data["theme"] or self.instance.theme)

    def save(self, commit: bool = True) -> Person:
        """Keep the settings, the preferences among them."""
        chosen = {
            "size": self.cleaned_data["size"] or self.initial["size"],
            "goal": self.cleaned_data["goal"] or 0,
            "enter_submits": self.cleaned_data["enter_submits"],
        }
        person: Person = self.instance
        person.preferences = {**person.preferences, **chosen}
        if commit:
            person.save(update_fields=[*self.Meta.fields, "preferences"])
        return person


class PasswordForm(AccountForm):
    """A new password of one's own."""

    old = password_field(_("Current password"), "current-password")
    new = password_field(_("The new password"), "new-password", help_text=LONG_ENOUGH)
    again = password_field(_("The password again"), "new-password", required=False)

    def clean(self) -> None:
        """Refuse two passwords that differ."""
        if self.cleaned_data.get("new") != self.cleaned_data.get("again"):
            self.add_error("again", _("The two passwords are not the same."))


class EmailForm(AccountForm):
    """The address to which a link for a new password may go; it asks for the password."""

    email = forms.EmailField(
        label=_("Your e-mail address"),
        help_text=_(
            "If you forget the password, a link for a new one can be sent there. You may leave it "
            "empty."
        ),
        required=False,
        max_length=254,
        widget=forms.EmailInput({"autocomplete": "email"}),
    )
    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput({"id": "current", "autocomplete": "current-password"}),
    )

    def __init__(self, person: Person, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.person = person

    def clean_password(self) -> str:
        """Refuse a wrong password: whoever finds an open session must not take the account."""
        password = str(self.cleaned_data["password"])
        if not self.person.check_password(password):
            raise forms.ValidationError(_("This is not your password."))
        return password


class TokenForm(AccountForm):
    """A token by which a program does what the person may do."""

    name = forms.CharField(label=_("What it is for"), max_length=100)
    scope = forms.ChoiceField(label=_("It may"), choices=SCOPES)
    days = forms.TypedChoiceField(
        label=_("Days until it ends"),
        choices=[(days, str(days)) for days in (30, 90, 365)],
        coerce=int,
        initial=90,
    )


_ACTION_LABELS: Mapping[str, str | Promise] = {
    "submit": _("Submit"),
    "add": _("Add a correction"),
    "remove": _("Remove this correction"),
    "bring_back": _("Bring a removed correction back"),
    "box_up": _("To the box above"),
    "box_down": _("To the box below"),
    "box": _("To box %(number)s"),
    "copy": _("Copy the box above into this one"),
    "placeholder": _("Insert the placeholder"),
    "reset": _("Back to the source"),
    "error_free": _("Error free"),
    "not_annotatable": _("Not annotatable"),
    "skip": _("Skip"),
    "undo": _("Take back"),
    "previous": _("My task before"),
    "next": _("My task after"),
    "other_version": _("The other saved version"),
    "clean": _("Marked or clean text"),
    "suggestion": _("Show a suggestion"),
    "guide": _("Guideline"),
    "close": _("Close"),
    "keys": _("List of keys"),
    "correct": _("Row %(number)s is correct"),
    "wrong": _("Row %(number)s is wrong"),
    "reason": _("Reason %(number)s"),
    "restore": _("Switch edit %(number)s"),
    "row_down": _("Next row"),
    "row_up": _("Row before"),
    "modify": _("Modify"),
    "undo_row": _("Take the last verdict back"),
    "second_opinion": _("Ask for a second opinion"),
    "complain": _("Complain"),
    "accept": _("Accept by criterion %(number)s"),
    "reject": _("Reject by criterion %(number)s"),
    "note": _("To the note"),
}


def action_label(name: str) -> str:
    """What a key does.

    >>> action_label("nobody_knows")
    'nobody_knows'
    """
    kind, _, number = name.rpartition("_")
    if number.isdigit() and kind in _ACTION_LABELS:
        return str(_ACTION_LABELS[kind]) % {"number": number}
    return str(_ACTION_LABELS.get(name, name))


_KEYS: Mapping[str, str | Promise] = {
    "unknown": _("There is no action “%(action)s”."),
    "missing": _("“%(action)s” has no key."),
    "no_key": _("“%(key)s” is no key; write it as Alt+A, Ctrl+Enter, F1 or ?."),
    "taken": _("%(key)s belongs to the browser; choose another key for “%(action)s”."),
    "types": _(
        "%(key)s would type into the box; choose a key with Ctrl, Alt or Meta for “%(action)s”."
    ),
    "twice": _("%(key)s would do two things: “%(action)s” and “%(other)s”; choose another key."),
}


def key_message(error: KeyRefusedError) -> str:
    """Why a key cannot be used, with the actions by their names."""
    values = {
        name: value if name == "key" else action_label(str(value))
        for name, value in error.values.items()
    }
    return str(_KEYS[error.code]) % values


# A person's own settings: name, language, looks, keys.


@signed_in
@never_cache
@require_safe
def overview(request: HttpRequest, person: Person) -> HttpResponse:
    """Show the settings, and the way to all else that is one's own."""
    form = SettingsForm(person)
    return render(request, "account/account.html", {"form": form})


@signed_in
@require_POST
def change(request: HttpRequest, person: Person) -> HttpResponseBase:
    """Keep the settings of the overview."""
    # What is wrong must not stand in the page's own person.
    person = Person.objects.get(pk=person.pk)
    form = SettingsForm(person, request.POST)
    if not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return render(request, "account/account.html", {"form": form}, status=status)
    form.save()
    response = redirect("account")
    remember_language(response, person.language)
    return response


_PLACES = (
    (Place.WORK, gettext_lazy("While you annotate")),
    (Place.REVIEW, gettext_lazy("While you review")),
    (Place.STUDY, gettext_lazy("In self-study")),
)


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: HttpRequest, person: Person) -> HttpResponseBase:
    """Show what each key does, and let the person change it; conflicts are refused."""
    form = KeysForm(person, request.POST if request.method == "POST" else None)
    resets = request.POST.get("do") == "reset"
    if resets or form.is_valid():
        person.preferences = {**person.preferences, "keys": {} if resets else form.keys}
        person.save(update_fields=["preferences"])
        messages.success(request, gettext("Your keys are saved."))
        return redirect("account-keys")
    shown = {"places": _shown_keys(form), "problem": form.non_field_errors()}
    return render(request, "account/keys.html", shown, status=form_status(form.is_bound))


def _shown_keys(form: KeysForm) -> list[dict[str, object]]:
    """The screens with their actions; an action of several screens stands in the first."""
    shown: list[dict[str, object]] = []
    seen: set[str] = set()
    for place, title in _PLACES:
        held = tables(form.preferences, screen=place)
        names = [name for name in held.keys if name not in seen]
        seen.update(names)
        rows = [(form[name], held.keys[name][1:]) for name in names]
        numbered = [row for row in rows if row[0].name[-1].isdigit()]
        shown.append(
            {
                "id": str(place),
                "title": title,
                "rows": [row for row in rows if row not in numbered],
                "numbered": sorted(numbered, key=lambda row: row[0].name),
            }
        )
    return shown


# Tokens by which programs use the REST API in a person's name.


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def list_tokens(request: HttpRequest, person: Person) -> HttpResponse:
    """List one's tokens, and make one; its secret is shown this once."""
    secret = ""
    form = TokenForm(request.POST) if request.method == "POST" else TokenForm()
    if form.is_valid():
        chosen = form.cleaned_data
        try:
            _, secret = accounts.make_token(
                person,
                name=chosen["name"],
                scopes=[chosen["scope"]],
                expires_at=timezone.now() + timedelta(days=chosen["days"]),
            )
            form = TokenForm()
        except UsageError:
            refused = gettext(
                "A token needs a name of at most 100 characters; nobody has more than 20 of them."
            )
            form.add_error(None, refused)
    shown = {
        "tokens": [(token, _most(token)) for token in accounts.tokens_of(person)],
        "secret": secret,
        "form": form,
    }
    return render(request, "account/tokens.html", shown, status=form_status(form.errors))


def _most(token: Token) -> str:
    """In words what a token may do: its widest scope has all the others."""
    return next(str(words) for code, words in reversed(SCOPES) if code in token.scopes)


@signed_in
@require_POST
def revoke_token(request: HttpRequest, person: Person, token_id: int) -> HttpResponseBase:
    """Make one of one's tokens useless."""
    try:
        accounts.revoke_token(person, token_id)
    except NotYoursError:
        if not Token.objects.filter(person=person, pk=token_id).exists():
            raise
        messages.info(request, gettext("This token was revoked before; it does not work."))
    else:
        messages.success(request, gettext("The token no longer works."))
    return redirect("account-tokens")


# Where a person is signed in, and how that ends.


@dataclass(frozen=True, slots=True)
class SignedInPlace:
    """Where somebody is signed in.

    Args:
        handle: Names it in a form; the session's own key never leaves the cookie.
        began: When they signed in.
        seen: When it was used last, give or take ten minutes.
        agent: What the browser calls itself.
        address: Where it signed in from.
        here: Whether it is the one that asks.
    """

    handle: str
    began: datetime | None
    seen: datetime | None
    agent: str
    address: str
    here: bool


def _handle(key: str) -> str:
    return hashlib.sha256(f"handle:{key}".encode()).hexdigest()[:32]


_BROWSERS = ("Edg/", "OPR/", "Firefox/", "Chrome/", "Safari/")
_SYSTEMS = ("Windows", "Android", "iPhone", "iPad", "Mac OS X", "Linux")
_CALLED = {"Edg": "Edge", "OPR": "Opera", "Mac OS X": "macOS"}


def browser_of(agent: str) -> str:
    """What a person calls the browser, by its User-Agent; "" where it is none we know.

    >>> browser_of("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36")
    'Chrome · Linux'
    """
    name = next((browser.rstrip("/") for browser in _BROWSERS if browser in agent), "")
    system = next((system for system in _SYSTEMS if system in agent), "")
    return " · ".join(_CALLED.get(name, name) for name in (name, system) if name)


def _moment(value: object) -> datetime | None:
    return datetime.fromtimestamp(value, UTC) if isinstance(value, int) else None


@signed_in
@never_cache
@require_safe
def list_sessions(request: HttpRequest, person: Person) -> HttpResponse:
    """List where one is signed in, this place first."""
    rows = person.sessions.filter(expire_date__gt=timezone.now())
    places = [
        SignedInPlace(
            _handle(row.session_key),
            _moment(data.get("began")),
            _moment(data.get("seen")),
            browser_of(str(data.get("agent", ""))),
            str(data.get("address", "")),
            row.session_key == request.session.session_key,
        )
        for row, data in ((row, row.get_decoded()) for row in rows)
    ]
    oldest = datetime.fromtimestamp(0, UTC)
    places.sort(key=lambda place: (place.here, place.seen or oldest), reverse=True)
    return render(request, "account/sessions.html", {"places": places})


@signed_in
@require_POST
def end_sessions(request: HttpRequest, person: Person) -> HttpResponseBase:
    """End one of one's other sessions, or all of them."""
    handle = request.POST.get("handle", "")
    others = person.sessions.exclude(session_key=request.session.session_key)
    keys = others.filter(expire_date__gt=timezone.now()).values_list("session_key", flat=True)
    chosen = [key for key in keys if handle in ("all", _handle(key))]
    ended, _ = others.filter(session_key__in=chosen).delete()
    if ended:
        data = {"sessions": ended}
        audit.record("person.sessions_ended", who=person, about=("person", person.pk), data=data)
    message = ngettext("%(number)s session has ended.", "%(number)s sessions have ended.", ended)
    messages.success(request, message % {"number": ended})
    return redirect("account-sessions")


# A person takes with them what the site keeps of them.


@signed_in
@require_safe
@limited("export")
def data(_request: HttpRequest, person: Person) -> HttpResponseBase:
    """Stream all that the site keeps of the person who asks."""
    return attachment(file_name(person), "application/jsonl", export_personal_data(person))


@signed_in
@never_cache
@sensitive_post_parameters("old", "new", "again", "password")
@require_http_methods(["GET", "HEAD", "POST"])
def change_password(request: HttpRequest, person: Person) -> HttpResponseBase:
    """Change the password (this session stays, all others end) or the e-mail address."""
    form, email = PasswordForm(), EmailForm(person, initial={"email": person.email})
    if request.POST.get("do") == "email":
        email = EmailForm(person, request.POST)
        if email.is_valid():
            accounts.change_email(person, email.cleaned_data["email"])
            messages.success(request, gettext("Your e-mail address is saved."))
            return redirect("account-password")
    elif request.method == "POST":
        form = PasswordForm(request.POST)
        try:
            if form.is_valid():
                old, new = form.cleaned_data["old"], form.cleaned_data["new"]
                person = accounts.change_password(person, old=old, new=new)
                update_session_auth_hash(request, person)
                message = gettext("Your password is changed. You are signed out everywhere else.")
                messages.success(request, message)
                return redirect("account")
        except RefusedError as error:
            form.add_problems(error)
    shown = {"form": form, "email": email, "mail": bool(settings.SITE.smtp)}
    wrong = form.errors or email.errors
    return render(request, "account/password.html", shown, status=form_status(wrong))
