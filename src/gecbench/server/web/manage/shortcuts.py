"""What all pages of managers share: who may, places beside each other, acts and refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from gecbench.core.errors import GecbenchError
from gecbench.server.choices import MemberStatus, Role, SentenceState
from gecbench.server.models import Member
from gecbench.server.web.http import form_problems
from gecbench.server.web.messages import Translation, translate
from gecbench.server.web.navigation import Entry
from gecbench.server.web.permissions import ProjectView, member

manager = member(Role.MANAGER)
"""Managers may look, also while they are paused."""

active_manager = member(Role.MANAGER, active=True)
"""Only active ones may act."""

_PLACES = (
    ("manage", _("Overview")),
    ("manage-sentences", _("Sentences")),
    ("manage-import", _("Import")),
    ("manage-export", _("Export")),
    ("manage-releases", _("Releases")),
    ("manage-members", _("Members")),
    ("manage-trials", _("Candidates")),
    ("manage-quality", _("Quality")),
    ("manage-pay", _("Pay")),
    ("manage-inspection", _("Inspection")),
    ("manage-guideline", _("Guideline")),
    ("manage-settings", _("Settings")),
    ("manage-audit", _("Log")),
)
_Errors = tuple[type[GecbenchError], ...]


def require_active(member: Member) -> None:
    """Refuse an act of a manager who is paused, where the page itself may be looked at.

    Raises:
        Http404: They are.
    """
    if member.status != MemberStatus.ACTIVE:
        raise Http404


def manage_page(
    request: HttpRequest,
    member: Member,
    here: str,
    shown: Mapping[str, object],
    *,
    template: str = "",
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    """A manager's page; its template is named after the place, unless one is given."""
    name = template or f"manage/{here.removeprefix('manage-')}.html"
    project = member.project
    around = {
        "places": [
            Entry(name, str(words), reverse(name, args=[project.slug]), current=name == here)
            for name, words in _PLACES
        ],
        "text_lang": project.language_tag,
        "closed": project.archived_at is not None,
        **shown,
    }
    return render(request, name, around, status=status)


def act(
    place: str,
    *keys: str,
    form: type[forms.Form] = forms.Form,
    refused: _Errors = (GecbenchError,),
) -> Callable[[Callable[..., str]], ProjectView]:
    """Make a view of an act, which returns a message; what it refuses becomes one as well.

    Args:
        place: The name of the page that is shown then.
        keys: What of the act's address is in that of the page, too.
        form: Its fields are arguments of the act, as those of the address are.
        refused: Errors that become a message; others become a page.
    """

    def declare(change: Callable[..., str]) -> ProjectView:
        @active_manager
        @require_POST
        @wraps(change)
        def view(request: HttpRequest, member: Member, **words: Any) -> HttpResponseBase:
            sent = form(request.POST)
            try:
                if not sent.is_valid():
                    messages.error(request, form_problems(sent))
                elif message := change(member, **words, **sent.cleaned_data):
                    messages.success(request, message)
            except refused as error:
                messages.error(request, refusal_message(error))
            where = {"slug": member.project.slug, **{key: words[key] for key in keys}}
            return redirect(reverse(place, kwargs=where))

        return view

    return declare


TONES: Mapping[str, str] = {
    SentenceState.GOLDEN: "good",
    SentenceState.DISPUTED: "warn",
    SentenceState.WITHDRAWN: "bad",
}
ROLES: Mapping[str, object] = dict(Role.choices)
STATUSES: Mapping[str, object] = dict(MemberStatus.choices)

_STATUS_WORDS: Mapping[int, object] = {
    403: _("This is not possible: the project is closed, or your role does not allow it."),
    409: _("It has changed meanwhile, or its state does not allow this. Nothing was changed."),
}


def refusal_message(error: GecbenchError) -> str:
    """Why something was refused, in the person's language."""
    return translate_error(error).text


def translate_error(error: GecbenchError) -> Translation:
    """Why something was refused, and whether the library's words stayed English."""
    template = _STATUS_WORDS.get(getattr(error, "status", 0))
    return translate(error) if template is None else Translation(str(template))
