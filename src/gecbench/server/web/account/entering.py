"""In and out: the form, the same for a script, and links of invitation."""

from __future__ import annotations

import time
from collections.abc import Mapping
from http import HTTPStatus

from django.contrib.auth import authenticate
from django.contrib.auth import login as begin_session
from django.contrib.auth import logout as end_session
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from gecbench.server.models import Invitation, Person
from gecbench.server.web.account import throttle, words
from gecbench.server.web.addresses import client_address
from gecbench.server.web.bodies import json_in
from gecbench.server.web.limits import limited
from gecbench.server.web.policy import anyone, wants_json
from gecbench.server.workflow import audits, members
from gecbench.server.workflow.errors import GoneError, RefusedError

BACKEND = "django.contrib.auth.backends.ModelBackend"
_LONGEST = 1000


def safe_next(request: HttpRequest) -> str:
    """Return where to go on, if it is a page of this site; else the person's day."""
    wanted = str(request.POST.get("next") or request.GET.get("next") or "")
    here = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    # Without a slash it would be taken for the name of a view.
    return wanted if here and wanted.startswith("/") else resolve_url("/")


def enter(request: HttpRequest, person: Person) -> None:
    """Begin a new session; an old one of the browser ends."""
    begin_session(request, person, backend=BACKEND)
    request.session["seen"] = request.session["began"] = int(time.time())
    request.session["agent"] = request.headers.get("User-Agent", "")[:200]
    request.session["address"] = client_address(request) or ""
    throttle.tidy()


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
    return _form(request)


@limited("sign-in")
def _try(request: HttpRequest) -> HttpResponseBase:
    given = _given(request)
    # Nothing is looked up before the lock: a locked login is locked for who knows it, too.
    if throttle.address_is_locked(request):
        return _refused(request, given, locked=True)
    person = authenticate(request, username=given["login"], password=given["password"])
    if not isinstance(person, Person):
        return _refused(request, given, locked=bool(getattr(request, "axes_locked_out", False)))
    enter(request, person)
    audits.record("person.signed_in", who=person, about=("person", person.pk))
    if wants_json(request):
        said = {"ok": True, "token": get_token(request), "person": person.pk}
        return JsonResponse(said)
    return redirect(safe_next(request))


def _given(request: HttpRequest) -> dict[str, str]:
    """Return login and password of a form, or of JSON; no more than anybody would type."""
    data: Mapping[str, object] = request.POST.dict()
    if request.content_type == "application/json":
        try:
            read = json_in(request.body)
        except ValueError:
            read = {}
        data = read if isinstance(read, dict) else {}
    login, password = (_whole(str(data.get(one) or "")) for one in ("login", "password"))
    return {"login": login.strip().casefold(), "password": password}


def _whole(text: str) -> str:
    """Return what a database and a hash take of it: no NUL, no half of a character."""
    return text[:_LONGEST].replace("\0", "").encode("utf-8", "ignore").decode("utf-8")


def _refused(request: HttpRequest, given: Mapping[str, str], *, locked: bool) -> HttpResponse:
    status = HTTPStatus.FORBIDDEN if locked else HTTPStatus.UNPROCESSABLE_ENTITY
    message = (
        gettext("Too many tries. Signing in is locked for 15 minutes; a manager can send a link.")
        if locked
        else gettext("This name and password do not belong together.")
    )
    if wants_json(request):
        error = "locked" if locked else "wrong"
        return JsonResponse({"error": error, "message": message}, status=status)
    return _form(request, problem=message, login=given["login"], status=status)


def _form(
    request: HttpRequest, *, problem: str = "", login: str = "", status: int = HTTPStatus.OK
) -> HttpResponse:
    shown = {"problem": problem, "login": login, "next": safe_next(request)}
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
        found = members.invitation_of(secret)
        if request.method == "POST":
            return _accept(request, secret, found)
    except GoneError:
        return render(request, "account/gone.html", status=HTTPStatus.GONE)
    return _invited(request, found)


def _accept(request: HttpRequest, secret: str, found: Invitation) -> HttpResponseBase:
    try:
        if request.POST.get("do") == "join" and isinstance(request.user, Person):
            member = members.join(secret, request.user)
            return redirect(f"/p/{member.project.slug}/")
        password = str(request.POST.get("password") or "")[:_LONGEST]
        if password != request.POST.get("again"):
            return _invited(request, found, problems={"again": [words.of("password-again")]})
        person = members.accept(
            secret,
            login=str(request.POST.get("login") or ""),
            name=str(request.POST.get("name") or ""),
            password=password,
        )
    except RefusedError as error:
        return _invited(request, found, problems=words.by_field(error))
    enter(request, person)
    return redirect(safe_next(request))


def _invited(
    request: HttpRequest, found: Invitation, *, problems: Mapping[str, list[str]] | None = None
) -> HttpResponse:
    shown = {
        "invitation": found,
        "project_name": found.project.name if found.project else "",
        "roles": [words.role(one) for one in found.roles],
        "problems": problems or {},
        "given": {one: request.POST.get(one, "") for one in ("login", "name")},
        "sign_in": f"{reverse('login')}?next={request.path}",
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problems else HTTPStatus.OK
    return render(request, "account/invitation.html", shown, status=status)
