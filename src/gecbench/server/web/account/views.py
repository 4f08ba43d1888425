"""Accounts: signing in and out, invitations, settings, sessions, tokens, passwords."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, cast

from axes.models import AccessFailureLog
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, update_session_auth_hash
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
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.core.errors import UsageError
from gecbench.server.choices import Role
from gecbench.server.import_export.personal_data import export_personal_data, file_name
from gecbench.server.models import Invitation, Person, Session, Token
from gecbench.server.rules.keys import (
    Place,
    tables,
)
from gecbench.server.web.account.forms import (
    SCOPES,
    WRONG,
    EmailForm,
    InvitationForm,
    KeysForm,
    LoginForm,
    PasswordForm,
    SettingsForm,
    TokenForm,
    problems_by_field,
)
from gecbench.server.web.http import attachment, client_address, form_status, limited, parse_json
from gecbench.server.web.middleware import LANGUAGE_COOKIE
from gecbench.server.web.permissions import anyone, signed_in, wants_json
from gecbench.server.workflow import accounts, audit, members
from gecbench.server.workflow.errors import GoneError, NotYoursError, RefusedError

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


# A person's own settings: name, language, looks, keys.


_YEAR = 365 * 24 * 3600


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
    _remember_language(response, person.language)
    return response


def _remember_language(response: HttpResponse, language: str) -> None:
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
    _remember_language(response, chosen)
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


# What is left of signing in: answers that axes must not make, and rows that are old.


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
