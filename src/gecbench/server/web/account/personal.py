"""A person's own settings: name, language, looks, keys, password."""

from __future__ import annotations

from http import HTTPStatus
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.server.laws.keys import ACTIONS, KeyRefusedError, Place, remapped, tables, written
from gecbench.server.laws.text import TextError, cleaned
from gecbench.server.models import Person
from gecbench.server.web.account import words
from gecbench.server.web.account.entering import safe_next
from gecbench.server.web.middleware import LANGUAGE_COOKIE
from gecbench.server.web.numbers import number_in
from gecbench.server.web.policy import anyone, signed_in
from gecbench.server.workflow import accounts
from gecbench.server.workflow.errors import RefusedError

_LANGUAGES = (("", gettext_lazy("As the browser says")), ("zh-hans", "简体中文"), ("en", "English"))
_THEMES = (
    ("auto", gettext_lazy("As the system says")),
    ("light", gettext_lazy("Light")),
    ("dark", gettext_lazy("Dark")),
)
_SIZES = (
    ("small", gettext_lazy("Small")),
    ("medium", gettext_lazy("Medium")),
    ("large", gettext_lazy("Large")),
)
_MOST_GOAL = 1000
_YEAR = 365 * 24 * 3600


def _person(request: HttpRequest) -> Person:
    return cast("Person", request.user)


@signed_in
@never_cache
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Show the settings, and the way to all else that is one's own."""
    return _overview(request)


def _overview(
    request: HttpRequest, *, problem: str = "", status: int = HTTPStatus.OK
) -> HttpResponse:
    shown = {
        "languages": _LANGUAGES,
        "themes": _THEMES,
        "sizes": _SIZES,
        "size": _person(request).preferences.get("size", "medium"),
        "goal": _person(request).preferences.get("goal", 0),
        "enter_submits": bool(_person(request).preferences.get("enter_submits")),
        "problem": problem,
    }
    return render(request, "account/account.html", shown, status=status)


@signed_in
@require_POST
def change(request: HttpRequest) -> HttpResponseBase:
    """Keep the settings of the overview."""
    person, given = _person(request), request.POST
    try:
        name = cleaned(given.get("name", ""), longest=150).text
    except TextError:
        name = ""
    goal = number_in(given.get("goal", "0").strip() or "0")
    if not name:
        problem = gettext("Say by which name others see you.")
        return _overview(request, problem=problem, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if goal is None or goal > _MOST_GOAL:
        problem = gettext("A daily goal is a number of sentences up to 1000; 0 is none.")
        return _overview(request, problem=problem, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    person.name = name
    person.language = _one_of(given.get("language"), _LANGUAGES, person.language)
    person.theme = _one_of(given.get("theme"), _THEMES, person.theme)
    kept = {
        "size": _one_of(given.get("size"), _SIZES, "medium"),
        "goal": goal,
        "enter_submits": given.get("enter_submits") == "on",
    }
    person.preferences = {**person.preferences, **kept}
    person.save(update_fields=["name", "language", "theme", "preferences"])
    response = redirect("account")
    _remember_language(response, person.language)
    return response


def _one_of(value: str | None, choices: tuple[tuple[str, object], ...], otherwise: str) -> str:
    return value if value in [one for one, _ in choices] and value is not None else otherwise


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
    chosen = _one_of(request.POST.get("language"), _LANGUAGES[1:], settings.LANGUAGE_CODE)
    if request.user.is_authenticated:
        Person.objects.filter(pk=_person(request).pk).update(language=chosen)
    response = redirect(safe_next(request))
    _remember_language(response, chosen)
    return response


@signed_in
@never_cache
@sensitive_post_parameters("old", "new", "again")
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponseBase:
    """Change the password; this session stays, all others end."""
    problems: dict[str, list[str]] = {}
    if request.method == "POST":
        old, new, again = (request.POST.get(one, "")[:1000] for one in ("old", "new", "again"))
        try:
            if new != again:
                problems = {"again": [words.of("password-again")]}
            else:
                person = accounts.change_password(_person(request), old=old, new=new)
                update_session_auth_hash(request, person)
                said = gettext("Your password is new. You are signed out everywhere else.")
                messages.success(request, said)
                return redirect("account")
        except RefusedError as error:
            problems = words.by_field(error)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problems else HTTPStatus.OK
    return render(request, "account/password.html", {"problems": problems}, status=status)


_PLACES = (
    (Place.WORK, gettext_lazy("While you annotate")),
    (Place.REVIEW, gettext_lazy("While you review")),
    (Place.STUDY, gettext_lazy("In self-study")),
)


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: HttpRequest) -> HttpResponseBase:
    """Show what each key does, and let the person change it; conflicts are refused."""
    person, problem = _person(request), ""
    if request.method == "POST":
        given = _chosen(request)
        try:
            person.preferences = {**person.preferences, "keys": remapped(given)}
            person.save(update_fields=["preferences"])
            messages.success(request, gettext("Your keys are kept."))
            return redirect("account-keys")
        except KeyRefusedError as error:
            problem = words.key_refused(error)
    else:
        given = dict(person.preferences.get("keys") or {})
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    shown = {"places": _shown_keys(given, failed=bool(problem)), "problem": problem}
    return render(request, "account/keys.html", shown, status=status)


def _chosen(request: HttpRequest) -> dict[str, object]:
    """Return the keys of the form that are not the default ones."""
    if request.POST.get("do") == "reset":
        return {}
    given = {name: request.POST.get(name, "").strip() for name in ACTIONS if name in request.POST}
    return {name: one for name, one in given.items() if one and not _is_default(name, one)}


def _is_default(name: str, chord: str) -> bool:
    try:
        return written(chord) in ACTIONS[name].chords
    except KeyRefusedError:
        return False


def _shown_keys(given: dict[str, object], *, failed: bool) -> list[dict[str, object]]:
    """Return the screens with their actions; an action of several screens stands in the first."""
    shown: list[dict[str, object]] = []
    seen: set[str] = set()
    for place, title in _PLACES:
        held = tables({} if failed else given, screen=place)
        rows = []
        for name, chords in held.keys.items():
            if name in seen:
                continue
            seen.add(name)
            own = str(given.get(name, "")) or chords[0]
            others, mac = chords[1:], held.mac[name]
            rows.append(
                {"id": name, "words": words.action(name), "own": own, "also": others, "mac": mac}
            )
        plain = [one for one in rows if not str(one["id"])[-1].isdigit()]
        numbered = sorted((one for one in rows if one not in plain), key=lambda one: str(one["id"]))
        shown.append({"id": str(place), "title": title, "rows": plain, "numbered": numbered})
    return shown
