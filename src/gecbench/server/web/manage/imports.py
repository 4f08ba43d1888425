"""Uploaded files that wait to be confirmed: private, in the data folder, and soon forgotten.

Names that people give are kept beside the bytes and are never part of a path.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO, cast
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.formats.records import READERS, ROLES, Content
from gecbench.server.choices import Decision
from gecbench.server.import_export.imports import AT_ONCE, run_import
from gecbench.server.import_export.plans import ImportOptions, Plan, options_from, plan_import
from gecbench.server.import_export.reading import MOST_BYTES, Encoding, content_of
from gecbench.server.models import ImportBatch, Member
from gecbench.server.rules.text import KINDS
from gecbench.server.web.manage.messages import translate_error
from gecbench.server.web.manage.shortcuts import (
    active_manager,
    manage_page,
    manager,
    parse_id,
    require_active,
)
from gecbench.server.web.translation import Translation, translate
from gecbench.server.workflow.errors import ConflictError, Problem, RefusedError

FOLDER = "uploads"
KEPT_SECONDS = 24 * 3600
MOST_FILES = 10

_TOKEN = re.compile(r"[0-9a-f]{32}")
_ABOUT = "about.json"


@dataclass(frozen=True, slots=True)
class Waiting:
    """Files that were uploaded and not yet imported.

    Args:
        token: Names them in addresses.
        folder: Where they lie.
        names: As the person calls them; the first is the file, others have references.
    """

    token: str
    folder: Path
    names: tuple[str, ...]

    def contents(self, encoding: Encoding) -> tuple[Content, ...]:
        """What the files hold.

        Raises:
            FormatError: One is empty, too large, or of another encoding.
        """
        return tuple(
            content_of(name, (self.folder / str(n)).read_bytes(), encoding=encoding)
            for n, name in enumerate(self.names)
        )

    def forget(self) -> None:
        """Remove the files."""
        shutil.rmtree(self.folder, ignore_errors=True)


def save_upload(member: Member, files: Sequence[UploadedFile[bytes]]) -> Waiting:
    """Keep uploaded files until they are confirmed, for this person and project alone.

    Raises:
        UsageError: They are too large or too many.
    """
    _forget_old()
    if len(files) > MOST_FILES + 1:
        raise UsageError(
            "at most {most} files of references go with a file of sources", most=MOST_FILES
        )
    for one in files:
        if (one.size or 0) > MOST_BYTES:
            raise UsageError(
                "has {bytes:,} bytes; at most {most:,} are read at once, divide it",
                at=one.name,
                bytes=one.size,
                most=MOST_BYTES,
            )
    token = secrets.token_hex(16)
    folder = _root() / token
    folder.mkdir(mode=0o700)
    names = tuple((one.name or "file")[-200:] for one in files)
    for n, one in enumerate(files):
        with _open_private(folder / str(n)) as target:
            for chunk in one.chunks():
                target.write(chunk)
    about = {"project": member.project_id, "person": member.person_id, "names": names}
    with _open_private(folder / _ABOUT) as target:
        target.write(json.dumps(about).encode())
    return Waiting(token, folder, names)


def waiting_upload(member: Member, token: str) -> Waiting:
    """Files that this person uploaded for this project.

    Raises:
        Http404: There are none such, or not any more.
    """
    folder = _root() / token
    if not _TOKEN.fullmatch(token) or not (folder / _ABOUT).is_file():
        raise Http404
    about = json.loads((folder / _ABOUT).read_text("utf-8"))
    if (about["project"], about["person"]) != (member.project_id, member.person_id):
        raise Http404
    return Waiting(token, folder, tuple(about["names"]))


def _root() -> Path:
    folder: Path = settings.SITE.folder / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _open_private(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _forget_old() -> None:
    """Remove what nobody has confirmed for a day."""
    for folder in _root().iterdir():
        with suppress(FileNotFoundError):  # somebody else was as tidy
            if folder.stat().st_mtime < time.time() - KEPT_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


# Sentences come in: a file is looked at first (the dry run), then confirmed or forgotten.


REFERENCES = (
    ("ignore", _("Leave them out")),
    ("golden", _("They are the golden references; nobody annotates these sentences")),
    ("keep", _("Keep them beside the sentence, which is annotated all the same")),
)
DUPLICATES = (
    ("skip", _("Leave them out")),
    ("keep", _("Take them in once more")),
)
SAME = (
    ("error_free", _("It says that the sentence is free of errors")),
    ("leave_out", _("It is left out where others correct the sentence")),
)
COLUMNS: Mapping[str, object] = {
    "source": _("Column of the sentence"),
    "references": _("Columns of references, with commas between them"),
    "id": _("Column of the name"),
    "document": _("Column of the document"),
    "position": _("Column of the position in the document"),
}
"""What a column of a table can hold, in the order of the form."""
ENCODINGS = (("utf-8", "UTF-8"), ("gb18030", "GB18030 / GBK"))
_LAST = 20


@manager
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Take a file, or show the form and the imports so far."""
    if request.method == "POST":
        return _save_upload(request, member)
    return _form(request, member)


def _save_upload(request: HttpRequest, member: Member) -> HttpResponseBase:
    require_active(member)
    file = request.FILES.get("file")
    if file is None or isinstance(file, list):
        return _form(request, member, problem=Translation(gettext("Choose a file first.")))
    try:
        made = save_upload(member, [file, *request.FILES.getlist("references")])
    except GecbenchError as error:
        return _form(request, member, problem=translate_error(error))
    return redirect("manage-import-report", member.project.slug, made.token)


def _form(request: HttpRequest, member: Member, problem: Translation | None = None) -> HttpResponse:
    batches = list(
        ImportBatch.objects.filter(project=member.project)
        .select_related("by")
        .annotate(there=Count("sentences"))
        .order_by("-id")[:_LAST]
    )
    done = [(one, int(one.counts.get("sentences", 0)) - one.there) for one in batches]
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    shown = {"problem": problem, "batches": done}
    return manage_page(request, member, "manage-import", shown, status=status)


@manager
@require_safe
def report(request: HttpRequest, member: Member, waiting: str) -> HttpResponse:
    """Show what an import would do with the options of the address; nothing is changed."""
    return _report(request, member, waiting, request.GET)


def _report(
    request: HttpRequest,
    member: Member,
    waiting: str,
    given: QueryDict,
    *,
    problem: Translation | None = None,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    files = waiting_upload(member, waiting)
    plan = None
    try:
        plan = _plan(member, files, given)
    except GecbenchError as error:
        problem = problem or translate_error(error)
    shown = {
        "waiting": files,
        "plan": plan,
        **(_report_context(plan) if plan else {}),
        "obstacle": plan.obstacle if plan and not plan.report.problem_count else "",
        "problem": problem,
        "given": _form_values(given),
        "formats": [("", gettext("Find out")), *((name, name) for name in READERS)],
        "columns": [
            (f"column_{role}", words, given.get(f"column_{role}", ""))
            for role, words in COLUMNS.items()
        ],
        "encodings": ENCODINGS,
        "reference_choices": REFERENCES,
        "same_choices": SAME,
        "duplicate_choices": DUPLICATES,
    }
    return manage_page(
        request, member, "manage-import", shown, template="manage/import_report.html", status=status
    )


def _report_context(plan: Plan) -> dict[str, object]:
    """The report for the page, its messages in the person's language."""
    told = plan.report
    return {
        "told": told,
        "problems": [(one.line, translate(one.message)) for one in told.problems],
        "skipped": [(one.line, translate(one.message)) for one in told.skipped],
        "examples": [
            (one, Decision(one.decision).label if one.decision else "") for one in told.examples
        ],
        "invisible": [(translate(KINDS[kind]), count) for kind, count in told.invisible.items()],
        "left_out": [(translate(what), count) for what, count in told.left_out.items()],
        "in_pieces": told.new > AT_ONCE,
        "new_ids": translate(told.new_ids) if told.new_ids else None,
        "bars": _bars(plan),
    }


def _plan(member: Member, files: Waiting, given: QueryDict) -> Plan:
    options = _options(given, parallel=len(files.names) > 1)
    first, *others = files.contents(options.encoding)
    return plan_import(member.project, first, options, references=others)


def _options(given: QueryDict, *, parallel: bool) -> ImportOptions:
    columns = {role: name for role in ROLES if (name := given.get(f"column_{role}", "").strip())}
    priority = parse_id(given.get("priority") or "100")
    if priority is None:
        message = "a priority is a whole number from -1000000 to 1000000"
        raise RefusedError([Problem("priority", "priority", message)])
    return options_from(
        {
            "format": given.get("format") or ("lines" if parallel else None),
            "encoding": cast("Encoding", given.get("encoding") or "utf-8"),
            "references": given.get("references") or None,
            "duplicates": given.get("duplicates") or None,
            "priority": priority,
            "source": (given.get("source") or "").replace("\0", "").strip(),
            "clean": given.get("clean") != "no",
            "number": given.get("number") == "yes",
            "same": given.get("same") or "error_free",
            "columns": columns if given.get("format") in (None, "", "table") else {},
        }
    )


_FIELDS = (
    *("format", "encoding", "references", "duplicates", "priority", "source"),
    *("clean", "number", "same", *(f"column_{role}" for role in ROLES)),
)


def _form_values(given: QueryDict) -> dict[str, str]:
    """The options as they were chosen, for the form and for the confirmation."""
    defaults = {"encoding": "utf-8", "priority": "100", "clean": "yes", "same": "error_free"}
    return {name: given.get(name) or defaults.get(name, "") for name in _FIELDS}


def _bars(plan: Plan) -> tuple[tuple[str, int, int], ...]:
    """The lengths of the sentences: "21-30", how many, and per cent of the highest bar."""
    made: list[tuple[str, int, int]] = []
    most = max(plan.report.lengths.values(), default=1)
    before = 0
    for end, count in plan.report.lengths.items():
        made.append(
            (f"≤ {end}" if not before else f"{before + 1}–{end}", count, count * 100 // most)
        )
        before = end
    return tuple(made)


@active_manager
@require_POST
def run(request: HttpRequest, member: Member, waiting: str) -> HttpResponseBase:
    """Import what was looked at; where something is wrong, nothing is changed."""
    files = waiting_upload(member, waiting)
    try:
        done = run_import(_plan(member, files, request.POST), by=member.person)
    except ConflictError:
        query = urlencode({name: request.POST.get(name, "") for name in _FIELDS})
        messages.error(
            request,
            gettext("The project has changed since the file was looked at; look at it again."),
        )
        address = reverse("manage-import-report", args=[member.project.slug, waiting])
        return redirect(f"{address}?{query}")
    except GecbenchError as error:
        return _report(
            request,
            member,
            waiting,
            request.POST,
            problem=translate_error(error),
            status=HTTPStatus.UNPROCESSABLE_ENTITY,
        )
    files.forget()
    words = ngettext(
        "%(n)s sentence was imported.", "%(n)s sentences were imported.", done.sentences
    )
    messages.success(request, words % {"n": done.sentences})
    return redirect("manage-import", member.project.slug)


@active_manager
@require_POST
def forget(request: HttpRequest, member: Member, waiting: str) -> HttpResponseBase:
    """Remove an uploaded file that is not wanted after all."""
    waiting_upload(member, waiting).forget()
    messages.success(request, gettext("The file is forgotten; nothing was imported."))
    return redirect("manage-import", member.project.slug)
