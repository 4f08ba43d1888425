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
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.formats.records import Content
from gecbench.formats.table import column_names
from gecbench.server.choices import Decision, ProjectKind
from gecbench.server.import_export.imports import AT_ONCE, run_import
from gecbench.server.import_export.plans import Plan, plan_import
from gecbench.server.import_export.reading import MOST_BYTES, Encoding, content_of
from gecbench.server.models import ImportBatch, Member
from gecbench.server.rules.perturbation import Fault
from gecbench.server.rules.text import KINDS
from gecbench.server.web.http import form_status
from gecbench.server.web.manage.forms import ImportForm, UploadForm, format_words
from gecbench.server.web.manage.shortcuts import (
    act,
    active_manager,
    manage_page,
    manager,
    require_active,
    translate_error,
)
from gecbench.server.web.translation import Translation, translate
from gecbench.server.workflow.errors import ConflictError
from gecbench.server.workflow.perturbation import SCHEMES, find_faults

RETENTION_SECONDS = 24 * 3600
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

    def column_names(self, encoding: str | None) -> list[str]:
        """The columns of the first file, if it is a table; none where it cannot be read."""
        try:
            raw = (self.folder / "0").read_bytes()
            code: Encoding = "gb18030" if encoding == "gb18030" else "utf-8"
            content = content_of(self.names[0], raw, encoding=code)
            return column_names(content.name, content.lines)
        except FormatError:
            return []

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
    for file in files:
        if (file.size or 0) > MOST_BYTES:
            raise UsageError(
                "has {bytes:,} bytes; at most {most:,} are read at once, divide it",
                at=file.name,
                bytes=file.size,
                most=MOST_BYTES,
            )
    token = secrets.token_hex(16)
    folder = _root() / token
    folder.mkdir(mode=0o700)
    names = tuple((file.name or "file")[-200:] for file in files)
    about = {"project": member.project_id, "person": member.person_id, "names": names}
    with _open_private(folder / _ABOUT) as target:  # first: it marks the folder as ours
        target.write(json.dumps(about).encode())
    for n, file in enumerate(files):
        with _open_private(folder / str(n)) as target:
            for chunk in file.chunks():
                target.write(chunk)
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
    folder: Path = settings.SITE.upload_folder
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _open_private(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _forget_old() -> None:
    """Remove what nobody has confirmed for a day, and nothing that we have not made."""
    for folder in _root().iterdir():
        if not _TOKEN.fullmatch(folder.name) or not (folder / _ABOUT).is_file():
            continue
        with suppress(FileNotFoundError):  # somebody else was as tidy
            if folder.stat().st_mtime < time.time() - RETENTION_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


# Sentences come in: a file is looked at first (the dry run), then confirmed or forgotten.


_LAST = 20


@manager
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Take a file, or show the form and the imports so far."""
    if request.method == "POST":
        return _save_upload(request, member)
    return _form(request, member, UploadForm(auto_id="%s"))


def _save_upload(request: HttpRequest, member: Member) -> HttpResponseBase:
    require_active(member)
    form = UploadForm(request.POST, request.FILES, auto_id="%s")
    if not form.is_valid():
        return _form(request, member, form)
    try:
        waiting = save_upload(member, [form.cleaned_data["file"], *form.cleaned_data["references"]])
    except GecbenchError as error:
        return _form(request, member, form, problem=translate_error(error))
    return redirect("manage-import-report", member.project.slug, waiting.token)


def _form(
    request: HttpRequest, member: Member, form: UploadForm, problem: Translation | None = None
) -> HttpResponse:
    batches = list(
        ImportBatch.objects.filter(project=member.project)
        .select_related("by")
        .annotate(there=Count("sentences"))
        .order_by("-id")[:_LAST]
    )
    done = [
        (batch, format_words(batch.format), int(batch.counts.get("sentences", 0)) - batch.there)
        for batch in batches
    ]
    shown = {"form": form, "problem": problem, "batches": done}
    return manage_page(request, member, "manage-import", shown, status=form_status(form.is_bound))


@manager
@require_safe
def report(request: HttpRequest, member: Member, waiting: str) -> HttpResponse:
    """Show what an import would do with the options of the address; nothing is changed."""
    files = waiting_upload(member, waiting)
    return _report(request, member, files, _import_form(member, request.GET, files))


def _import_form(member: Member, chosen: QueryDict, files: Waiting) -> ImportForm:
    project = member.project
    schemes = SCHEMES[project.lang] if project.kind == ProjectKind.PERTURB else ()
    names = files.column_names(chosen.get("encoding"))
    return ImportForm(chosen, names=names, schemes=schemes)


def _report(
    request: HttpRequest,
    member: Member,
    files: Waiting,
    form: ImportForm,
    *,
    problem: Translation | None = None,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    plan = None
    try:
        plan = _plan(member, files, form) if form.is_valid() else None
    except GecbenchError as error:
        problem = problem or translate_error(error)
    shown = {
        "waiting": files,
        "plan": plan,
        **(_report_context(plan) if plan else {}),
        "obstacle": plan.obstacle if plan and not plan.report.problem_count else "",
        "problem": problem,
        "form": form,
    }
    return manage_page(
        request, member, "manage-import", shown, template="manage/import_report.html", status=status
    )


_LANGUAGES = {"zh": _("Chinese"), "en": _("English")}


def _report_context(plan: Plan) -> dict[str, object]:
    """The report for the page, its messages in the person's language."""
    report = plan.report
    return {
        "told": report,
        "format": format_words(report.format),
        "problems": [(problem.line, translate(problem.message)) for problem in report.problems],
        "skipped": [
            (skipped_line.line, translate(skipped_line.message)) for skipped_line in report.skipped
        ],
        "examples": [
            (example, Decision(example.decision).label if example.decision else "")
            for example in report.examples
        ],
        "has_documents": any(example.meta.get("document") for example in report.examples),
        "warning": translate(report.warning) if report.warning else "",
        "languages": [(_LANGUAGES[lang], count) for lang, count in report.languages.items()],
        "invisible": [(translate(KINDS[kind]), count) for kind, count in report.invisible.items()],
        "left_out": [(translate(what), count) for what, count in report.left_out.items()],
        "in_pieces": report.new > AT_ONCE,
        "new_ids": translate(report.new_ids) if report.new_ids else None,
        "bars": _bars(plan),
    }


def _plan(member: Member, files: Waiting, form: ImportForm) -> Plan:
    options = form.options
    first, *others = files.contents(options.encoding)
    return plan_import(member.project, first, options, references=others)


def _bars(plan: Plan) -> tuple[tuple[str, int, int], ...]:
    """The lengths of the sentences: "21-30", how many, and per cent of the highest bar."""
    bars: list[tuple[str, int, int]] = []
    most = max(plan.report.lengths.values(), default=1)
    before = 0
    for end, count in plan.report.lengths.items():
        bars.append(
            (f"≤ {end}" if not before else f"{before + 1}–{end}", count, count * 100 // most)
        )
        before = end
    return tuple(bars)


@active_manager
@require_POST
def run(request: HttpRequest, member: Member, waiting: str) -> HttpResponseBase:
    """Import what was looked at; where something is wrong, nothing is changed."""
    files = waiting_upload(member, waiting)
    form = _import_form(member, request.POST, files)
    if not form.is_valid():
        return _report(request, member, files, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        plan = _plan(member, files, form)
        done = run_import(plan, by=member.person)
    except ConflictError:
        messages.error(
            request,
            gettext("The project has changed since the file was looked at; look at it again."),
        )
        address = reverse("manage-import-report", args=[member.project.slug, waiting])
        return redirect(f"{address}?{urlencode(form.chosen)}")
    except GecbenchError as error:
        return _report(
            request,
            member,
            files,
            form,
            problem=translate_error(error),
            status=HTTPStatus.UNPROCESSABLE_ENTITY,
        )
    files.forget()
    words = ngettext(
        "%(n)s sentence was imported.", "%(n)s sentences were imported.", done.sentences
    )
    messages.success(request, words % {"n": done.sentences})
    if left_out := plan.report.skipped_count:
        words = ngettext("%(n)s sentence stayed out.", "%(n)s sentences stayed out.", left_out)
        messages.warning(request, words % {"n": left_out})
    if any(planned.case and planned.case.variants for planned in plan.sentences) and (
        faulty := find_faults(member.project_id)
    ):
        words = ngettext(
            "%(n)s imported variant has a fault.",
            "%(n)s imported variants have faults.",
            len(faulty),
        )
        messages.warning(request, words % {"n": len(faulty)})
        return redirect("manage-faults", member.project.slug)
    return redirect("manage-import", member.project.slug)


@manager
@require_safe
def faults(request: HttpRequest, member: Member) -> HttpResponse:
    """List the variants of cases that are done and break a rule, as imported ones can."""
    faulty = find_faults(member.project_id)
    counts = Counter(variant.fault for variant in faulty)
    shown = {
        "faults": [(variant, _FAULTS[variant.fault]) for variant in faulty[:_FAULTS_SHOWN]],
        "counts": [(_FAULTS[fault], count) for fault, count in counts.most_common()],
        "more": len(faulty) > _FAULTS_SHOWN,
    }
    return manage_page(request, member, "manage-import", shown, template="manage/faults.html")


_FAULTS_SHOWN = 1000
_FAULTS: Mapping[Fault, Promise] = {
    Fault.ORIGINAL: _("it is the original sentence"),
    Fault.REPEATED: _("it is there twice"),
    Fault.ERROR_FREE: _("it has errors, and the original has none"),
    Fault.MOVED: _("an error of the original has moved"),
}


@act("manage-import")
def forget(_request: HttpRequest, member: Member, waiting: str) -> str:
    """Remove an uploaded file that is not wanted after all."""
    waiting_upload(member, waiting).forget()
    return gettext("The file is discarded; nothing was imported.")
