"""The forms of an account: sign-in, settings, keys, password, token; what they refuse and why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from gecbench.server.models import Person
from gecbench.server.rules.keys import ACTIONS, KeyRefusedError, parse_keys
from gecbench.server.rules.text import TextError, clean
from gecbench.server.web.translation import translate
from gecbench.server.workflow.errors import RefusedError

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
_GOAL = _("A daily goal is a number of sentences up to 1000; 0 is none.")
_LONG_ENOUGH = _("At least ten characters; a few words are easy to keep in mind.")
WRONG = _("The name or the password is wrong.")
_NAMELESS = _("Write the name that others see.")


@cache
def _zones() -> dict[str, list[str]]:
    """The names of time zones by part of the world."""
    parts: dict[str, list[str]] = {}
    for name in sorted(available_timezones()):
        part, slash, _ = name.partition("/")
        if slash and part not in ("Etc", "SystemV", "US", "Canada", "Brazil", "Chile", "Mexico"):
            parts.setdefault(part, []).append(name)
    return {**parts, "UTC": ["UTC"]}


class _Form(forms.Form):
    """A form whose fields have their names as ids, and problems of the workflow beside them."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "%s", **options})

    def add_problems(self, error: RefusedError) -> None:
        """Show what the workflow refuses at its fields."""
        for field, messages in problems_by_field(error).items():
            self.add_error(field if field in self.fields else None, messages)


def _password(label: Any, autocomplete: str, **options: Any) -> forms.CharField:
    attrs = {"autocomplete": autocomplete}
    if autocomplete == "new-password":
        attrs["minlength"] = "10"
    widget = forms.PasswordInput(attrs)
    return forms.CharField(label=label, strip=False, max_length=1000, widget=widget, **options)


def _is_text(text: str) -> None:
    """Refuse half a character, which a script can send and no database takes."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise forms.ValidationError(WRONG) from error


class LoginForm(_Form):
    """A name and a password."""

    login = forms.CharField(
        label=_("Name for signing in"),
        max_length=150,
        validators=[_is_text],
        widget=forms.TextInput(
            {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    password = _password(_("Password"), "current-password", validators=[_is_text])

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        first = "password" if self["login"].value() else "login"
        self.fields[first].widget.attrs["autofocus"] = True

    def clean_login(self) -> str:
        """Small and capital letters make no difference."""
        return str(self.cleaned_data["login"]).casefold()


class KeysForm(_Form):
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


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]  # Django has no parameter here
    """A person's own settings; a field that is not sent stays as it is."""

    name = forms.CharField(
        label=_("Name that others see"),
        max_length=150,
        error_messages={"required": _NAMELESS},
        widget=forms.TextInput({"autocomplete": "name"}),
    )
    language = forms.ChoiceField(label=_("Language"), choices=LANGUAGES, required=False)
    theme = forms.ChoiceField(label=_("Colours"), choices=THEMES, required=False)
    size = forms.ChoiceField(label=_("Size of texts"), choices=SIZES, required=False)
    goal = forms.IntegerField(
        label=_("Sentences that I want to do each day"),
        help_text=_("0 is no goal. Only you see it."),
        required=False,
        min_value=0,
        max_value=1000,
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), _GOAL),
    )
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
            raise forms.ValidationError(_NAMELESS)
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


class InvitationForm(_Form):
    """A new account, by a link."""

    login = forms.CharField(
        label=_("Name for signing in"),
        help_text=_("One word, as li or li.wei; capital letters make no difference."),
        max_length=150,
        error_messages={"required": _("Choose a name for signing in.")},
        widget=forms.TextInput(
            {
                "autocomplete": "username",
                "autocapitalize": "none",
                "spellcheck": "false",
                "autofocus": True,
            }
        ),
    )
    name = forms.CharField(
        label=_("Name that others see"),
        max_length=150,
        error_messages={"required": _NAMELESS},
        widget=forms.TextInput({"autocomplete": "name"}),
    )
    password = _password(_("Password"), "new-password", help_text=_LONG_ENOUGH)
    again = _password(_("The password again"), "new-password", required=False)

    def clean(self) -> None:
        """Refuse two passwords that differ."""
        if self.cleaned_data.get("password") != self.cleaned_data.get("again"):
            self.add_error("again", _("The two passwords are not the same."))


class PasswordForm(_Form):
    """A new password of one's own."""

    old = _password(_("Current password"), "current-password")
    new = _password(_("The new password"), "new-password", help_text=_LONG_ENOUGH)
    again = _password(_("The password again"), "new-password", required=False)

    def clean(self) -> None:
        """Refuse two passwords that differ."""
        if self.cleaned_data.get("new") != self.cleaned_data.get("again"):
            self.add_error("again", _("The two passwords are not the same."))


class EmailForm(_Form):
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


class TokenForm(_Form):
    """A token by which a program does what the person may do."""

    name = forms.CharField(label=_("What it is for"), max_length=100)
    scope = forms.ChoiceField(label=_("It may"), choices=SCOPES)
    days = forms.TypedChoiceField(
        label=_("Days until it ends"),
        choices=[(days, str(days)) for days in (30, 90, 365)],
        coerce=int,
        initial=90,
    )


def problems_by_field(error: RefusedError) -> dict[str, list[str]]:
    """The problems of each field, in the person's language; "whole" is none."""
    problems: dict[str, list[str]] = {}
    for problem in error.problems:
        message = translate(problem.message).text
        problems.setdefault(problem.field or "whole", []).append(message)
    return problems


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
