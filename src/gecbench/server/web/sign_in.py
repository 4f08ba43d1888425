"""Coming in: signing in and out, invitations, a forgotten password; the language of any page."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from http import HTTPStatus
from typing import Any, cast

from axes.models import AccessFailureLog
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate
from django.contrib.auth import login as begin_session
from django.contrib.auth import logout as end_session
from django.contrib.auth.forms import PasswordResetForm, SetPasswordForm
from django.contrib.auth.views import (
    INTERNAL_RESET_SESSION_TOKEN,
    PasswordResetConfirmView,
    PasswordResetView,
)
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render, resolve_url
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from gecbench.server.choices import Role
from gecbench.server.models import Invitation, Person, Session
from gecbench.server.web.http import client_address, form_status, limited, parse_json
from gecbench.server.web.messages import translate
from gecbench.server.web.middleware import LANGUAGE_COOKIE
from gecbench.server.web.permissions import anyone, wants_json
from gecbench.server.workflow import accounts, audit, members
from gecbench.server.workflow.errors import GoneError, RefusedError

LONG_ENOUGH = _("At least ten characters; a few words are easy to keep in mind.")
WRONG = _("The name or the password is wrong.")
NAMELESS = _("Write the name that others see.")


class AccountForm(forms.Form):
    """A form whose fields have their names as ids, and problems of the workflow beside them."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "%s", **options})

    def add_problems(self, error: RefusedError) -> None:
        """Show what the workflow refuses at its fields."""
        for field, problems in problems_by_field(error).items():
            self.add_error(field if field in self.fields else None, problems)


def password_field(label: Any, autocomplete: str, **options: Any) -> forms.CharField:
    """A field for a password, which the browser may keep or make up."""
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


class LoginForm(AccountForm):
    """A name and a password."""

    login = forms.CharField(
        label=_("Name for signing in"),
        max_length=150,
        validators=[_is_text],
        widget=forms.TextInput(
            {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    password = password_field(_("Password"), "current-password", validators=[_is_text])

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        first = "password" if self["login"].value() else "login"
        self.fields[first].widget.attrs["autofocus"] = True

    def clean_login(self) -> str:
        """Small and capital letters make no difference."""
        return str(self.cleaned_data["login"]).casefold()


class InvitationForm(AccountForm):
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
        error_messages={"required": NAMELESS},
        widget=forms.TextInput({"autocomplete": "name"}),
    )
    password = password_field(_("Password"), "new-password", help_text=LONG_ENOUGH)
    again = password_field(_("The password again"), "new-password", required=False)

    def clean(self) -> None:
        """Refuse two passwords that differ."""
        if self.cleaned_data.get("password") != self.cleaned_data.get("again"):
            self.add_error("again", _("The two passwords are not the same."))


def problems_by_field(error: RefusedError) -> dict[str, list[str]]:
    """The problems of each field, in the person's language; "whole" is none."""
    problems: dict[str, list[str]] = {}
    for problem in error.problems:
        message = translate(problem.message).text
        problems.setdefault(problem.field or "whole", []).append(message)
    return problems


BACKEND = "django.contrib.auth.backends.ModelBackend"


def safe_next(request: HttpRequest) -> str:
    """Where to go on, if it is a page of this site; else the person's day."""
    target = str(request.POST.get("next") or request.GET.get("next") or "")
    here = url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    # Without a slash it would be taken for the name of a view.
    return target if here and target.startswith("/") else resolve_url("/")


def enter(request: HttpRequest, person: Person) -> None:
    """Begin a new session; an old one of the browser ends."""
    begin_session(request, person, backend=BACKEND)
    request.session["seen"] = request.session["began"] = int(time.time())
    request.session["agent"] = request.headers.get("User-Agent", "")[:200]
    request.session["address"] = client_address(request) or ""
    tidy()


@anyone
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def login(request: HttpRequest) -> HttpResponseBase:
    """Show the form, or sign in; a script gets JSON with a new token for its forms."""
    if request.method == "POST":
        return _try(request)
    if request.user.is_authenticated:
        return redirect(safe_next(request))
    return _form(request, LoginForm())


@limited("sign-in")
def _try(request: HttpRequest) -> HttpResponseBase:
    form = LoginForm(_sent(request))
    if not form.is_valid():
        return _refused(request, form)
    # django-axes looks at the lock first: a locked login is locked for who knows it, too.
    login, password = form.cleaned_data["login"], form.cleaned_data["password"]
    person = authenticate(request, username=login, password=password)
    if not isinstance(person, Person):
        return _refused(request, form)
    enter(request, person)
    audit.record("person.signed_in", who=person, about=("person", person.pk))
    if wants_json(request):
        data = {"ok": True, "token": get_token(request), "person": person.pk}
        return JsonResponse(data)
    return redirect(safe_next(request))


def _sent(request: HttpRequest) -> Mapping[str, Any]:
    """The fields of a form, or of JSON."""
    if request.content_type != "application/json":
        return request.POST
    try:
        read = parse_json(request.body)
    except ValueError:
        read = {}
    return read if isinstance(read, dict) else {}


def _refused(request: HttpRequest, form: LoginForm) -> HttpResponse:
    login = str(form.cleaned_data.get("login", ""))
    end = accounts.login_locks(login).get(client_address(request))
    if end is None:
        if wants_json(request):
            return JsonResponse({"error": "wrong", "message": str(WRONG)}, status=422)
        return _form(request, form, problem=str(WRONG), status=HTTPStatus.UNPROCESSABLE_ENTITY)
    seconds = max(1, math.ceil((end - timezone.now()).total_seconds()))
    message = ngettext(
        "Too many tries with this name from your network address. Signing in with it from here is "
        "locked for another %(n)s minute; a manager can lift the lock.",
        "Too many tries with this name from your network address. Signing in with it from here is "
        "locked for another %(n)s minutes; a manager can lift the lock.",
        math.ceil(seconds / 60),
    ) % {"n": math.ceil(seconds / 60)}
    if wants_json(request):
        response: HttpResponse = JsonResponse({"error": "locked", "message": message}, status=403)
    else:
        response = _form(request, form, problem=message, status=HTTPStatus.FORBIDDEN)
    response["Retry-After"] = str(seconds)
    return response


def _form(
    request: HttpRequest, form: LoginForm, *, problem: str = "", status: int = HTTPStatus.OK
) -> HttpResponse:
    shown = {
        "problem": problem,
        "form": form,
        "next": safe_next(request),
        "mail": bool(settings.SITE.smtp),
    }
    return render(request, "account/login.html", shown, status=status)


@anyone
@require_POST
def logout(request: HttpRequest) -> HttpResponse:
    """End the session; its row is gone."""
    end_session(request)
    return redirect("login")


@anyone
@never_cache
@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, secret: str) -> HttpResponseBase:
    """Let somebody in by a link: a new account, one that is there, or a new password."""
    try:
        invitation_row = members.get_invitation(secret)
        if request.method == "POST":
            return _accept(request, secret, invitation_row)
    except GoneError:
        return render(request, "account/gone.html", status=HTTPStatus.GONE)
    return _invited(request, invitation_row, InvitationForm())


def _accept(request: HttpRequest, secret: str, invitation: Invitation) -> HttpResponseBase:
    person = request.user if request.POST.get("do") == "join" else None
    joins = isinstance(person, Person)
    form = InvitationForm(None if joins else request.POST)
    try:
        if isinstance(person, Person):
            member = members.join(secret, person)
            return redirect(f"/p/{member.project.slug}/")
        if form.is_valid():
            values = {name: form.cleaned_data[name] for name in ("login", "name", "password")}
            enter(request, members.accept(secret, **values))
            return redirect(safe_next(request))
    except RefusedError as error:
        if joins:
            return _invited(request, invitation, form, refused=problems_by_field(error)["whole"])
        form.add_problems(error)
    return _invited(request, invitation, form)


def _invited(
    request: HttpRequest, invitation: Invitation, form: InvitationForm, refused: Sequence[str] = ()
) -> HttpResponse:
    shown = {
        "invitation": invitation,
        "project_name": invitation.project.name if invitation.project else "",
        "roles": [capfirst(str(Role(role).label)) for role in invitation.roles],
        "form": form,
        "refused": refused,
        "sign_in": f"{reverse('login')}?next={request.path}",
    }
    wrong = refused or form.errors
    return render(request, "account/invitation.html", shown, status=form_status(wrong))


_YEAR = 365 * 24 * 3600


def remember_language(response: HttpResponse, language: str) -> None:
    """Let the sign-in form speak it, too, after the session's end."""
    if language:
        response.set_cookie(
            LANGUAGE_COOKIE, language, max_age=_YEAR, httponly=True, samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )  # fmt: skip
    else:
        response.delete_cookie(LANGUAGE_COOKIE, samesite="Lax")


@anyone
@require_POST
def language(request: HttpRequest) -> HttpResponseBase:
    """Change the language from any page, signed in or not, and go back there."""
    chosen = request.POST.get("language", "")
    if chosen not in dict(settings.LANGUAGES):
        chosen = settings.LANGUAGE_CODE
    if isinstance(request.user, Person):
        Person.objects.filter(pk=request.user.pk).update(language=chosen)
    response = redirect(safe_next(request))
    remember_language(response, chosen)
    return response


_FAILURE_LOG_AGE = timedelta(days=30)


def answered_already(
    request: HttpRequest, response: HttpResponse, credentials: object = None
) -> HttpResponse:
    """The page that the view has made: it says itself that the login is locked."""
    del request, credentials
    return response


def tidy() -> None:
    """Forget sessions that are over, and failures of last month."""
    now = timezone.now()
    Session.objects.filter(expire_date__lt=now).delete()
    AccessFailureLog.objects.filter(attempt_time__lt=now - _FAILURE_LOG_AGE).delete()


_MAILS = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")


# A password is forgotten: a link by e-mail, or from a manager; either leads to the same form.


class ForgottenForm(PasswordResetForm):
    """Sends the mail in the person's language, and later: the time of the answer tells nothing."""

    def send_mail(self, *args: Any, **words: Any) -> None:
        """Send it in a thread of its own; what fails is in the log."""
        _MAILS.submit(self._send, *args, **words)

    def _send(
        self, subject: str, body: str, context: dict[str, Any], *rest: Any, **words: Any
    ) -> None:
        with translation.override(context["user"].language or settings.LANGUAGE_CODE):
            super().send_mail(subject, body, context, *rest, **words)


@method_decorator(limited("password-mail"), name="post")
class _Forgotten(PasswordResetView):
    """Django's form for an e-mail address; the answer is the same whoever has it."""

    form_class = ForgottenForm
    token_generator = accounts.PasswordLinks()
    template_name = "account/forgotten.html"
    subject_template_name = "account/password_mail_subject.html"
    email_template_name = "account/password_mail.html"

    def dispatch(self, *args: Any, **words: Any) -> HttpResponseBase:
        """Answer, where the site can send mails."""
        if not settings.SITE.smtp:
            raise Http404
        return super().dispatch(*args, **words)

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        """Send the mail, and say what may have happened."""
        super().form_valid(form)
        return self.render_to_response({"sent": True})

    def form_invalid(self, form: PasswordResetForm) -> HttpResponse:
        """Show the form again, with what is wrong."""
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return self.render_to_response({"form": form}, status=status)

    def get_success_url(self) -> str:
        """Where nobody is sent: the page itself says it."""
        return self.request.path


class _NewPassword(PasswordResetConfirmView):
    """Django's form for a new password, by a link that holds once, for a day."""

    template_name = "account/new_password.html"

    def setup(self, request: HttpRequest, *args: Any, **words: Any) -> None:
        """Note who made the link: it holds only as long as they may make it."""
        super().setup(request, *args, **words)
        self.maker = int(words["maker"])
        self.token_generator = accounts.PasswordLinks(self.maker)

    def get_user(self, uidb64: str) -> Person | None:
        """The person whom the link is for, if it may hold at all."""
        person = super().get_user(uidb64)
        holds = isinstance(person, Person) and accounts.is_link_valid(person, self.maker)
        return cast("Person", person) if holds else None

    def form_valid(self, form: SetPasswordForm[Person]) -> HttpResponse:
        """Keep the new password and sign in; of two who try at once, one can."""
        try:
            person = accounts.reset_password(form.user, form.cleaned_data["new_password1"])
        except GoneError:
            self.validlink = False
            return self.render_to_response({})
        del self.request.session[INTERNAL_RESET_SESSION_TOKEN]
        enter(self.request, person)
        message = gettext("Your password is changed. You are signed out everywhere else.")
        messages.success(self.request, message)
        return redirect("/")

    def render_to_response(self, context: dict[str, Any], **words: Any) -> HttpResponse:
        """The form, or the page of a link that no longer holds."""
        if not self.validlink:
            return TemplateResponse(self.request, "account/gone.html", status=HTTPStatus.GONE)
        status = form_status(context["form"].errors)
        return super().render_to_response({**context, "person": self.user}, status=status)


_methods = require_http_methods(["GET", "HEAD", "POST"])


forgotten = anyone(_methods(never_cache(_Forgotten.as_view())))


new_password = anyone(_methods(_NewPassword.as_view()))
