"""Files go out as the project is now: format, scope and names are chosen, then it streams."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import cast

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

from gecbench.core.errors import GecbenchError
from gecbench.lang import SCHEMES
from gecbench.server.exchange.exports import (
    EXPORTS,
    ExportOptions,
    Unannotatable,
    default_scheme,
    export,
    notes,
    one_file,
)
from gecbench.server.exchange.goldens import LANGUAGES
from gecbench.server.exchange.journal import journalled
from gecbench.server.models import Audit, Member, Project
from gecbench.server.web.addresses import client_address
from gecbench.server.web.library.saying import Said
from gecbench.server.web.limits import limited
from gecbench.server.web.manage.pages import acting, looking, page
from gecbench.server.web.manage.words import note_words, refused
from gecbench.server.web.saving import attachment
from gecbench.server.workflow import audits

ABOUT: Mapping[str, object] = {
    "mucgec": _("Golden references as MuCGEC's table: id, sentence, references."),
    "jsonl": _("Golden references as gecbench's corpus, with all facts about each sentence."),
    "parallel": _("Golden references as parallel text: a file of sentences, and of references."),
    "m2": _("Golden references as edits, for scorers that read M2."),
    "submissions": _("What annotators handed in, as a corpus for gecbench analyse human."),
    "counts": _("Each distinct text with the number of its annotators, as YACLC has it."),
    "annotations": _("Everything: submissions, reviews, golden history, study, complaints."),
    "sentences": _("A table of all sentences and where they stand."),
}
NAMING = ("submissions", "annotations")
"""Formats that can show people's names."""
_LAST = 10
_LOOKED_AT = 20_000


@looking
@require_GET
def choose(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the formats, and the options of the chosen one."""
    return _page(request, member, request.GET)


def _page(
    request: HttpRequest,
    member: Member,
    given: QueryDict,
    *,
    problem: Said | None = None,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    project = member.project
    wanted = given.get("format", "")
    chosen = wanted if wanted in EXPORTS else "mucgec"
    parts: tuple[str, ...] = ()
    try:
        parts = tuple(one.ending for one in export(project, ExportOptions(chosen)))
    except GecbenchError as error:
        problem = problem or refused(error)
    kind = EXPORTS[chosen]
    shown = {
        "formats": [(name, words, name == chosen) for name, words in ABOUT.items()],
        "chosen": chosen,
        "kind": kind,
        "about": ABOUT[chosen],
        "notes": [note_words(one) for one in notes(project, ExportOptions(chosen))],
        "parts": parts if len(parts) > 1 else (),
        "ready": bool(parts),
        "schemes": [one for one in SCHEMES if LANGUAGES.get(one) == project.lang]
        if chosen == "m2"
        else [],
        "scheme": default_scheme(project.lang),
        "naming": chosen in NAMING,
        "choosable": kind.golden and chosen != "parallel",
        "placeholder": project.rules.placeholder,
        "alias": project.rules.placeholder_export,
        "last": _last(project),
        "problem": problem,
    }
    return page(request, member, "manage-export", shown, status=status)


def _last(project: Project) -> list[Audit]:
    """Return the exports that ended lately, newest first, with their hashes.

    Only the end of the log is looked at: it has a row for each submission.
    """
    since = audits.head()[0] - _LOOKED_AT
    recent = Audit.objects.filter(project=project, seq__gt=since, what="export.done")
    return list(recent.select_related("who").order_by("-seq")[:_LAST])


@acting
@limited("export")
@require_POST
def download(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Stream an export; the log keeps who made it, and its SHA-256 once it has gone out."""
    project = member.project
    try:
        options = _options(request.POST)
        file = one_file(export(project, options), request.POST.get("part", ""))
    except GecbenchError as error:
        unprocessable = HTTPStatus.UNPROCESSABLE_ENTITY
        return _page(request, member, request.POST, problem=refused(error), status=unprocessable)
    address = client_address(request) or ""
    content = journalled(file, project, options, who=member.person, address=address)
    return attachment(file.name, file.media, content)


def _options(given: QueryDict) -> ExportOptions:
    unannotatable = given.get("unannotatable") or None
    return ExportOptions(
        given.get("format", ""),
        scheme=given.get("scheme", ""),
        names=given.get("names") == "yes",
        alias="" if given.get("token") == "yes" else None,
        unannotatable=cast("Unannotatable | None", unannotatable),
    )
