"""Importing: uploaded files wait, private, in the data folder until they are confirmed.

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
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise, keep_lazy_text
from django.utils.text import format_lazy
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.formats import FORMATS, load_format
from gecbench.formats.records import READERS, Content
from gecbench.formats.table import ROLES, column_names, join_names, split_names, usual_column
from gecbench.server.choices import Decision, ProjectKind, Purpose
from gecbench.server.import_export.imports import AT_ONCE, run_import
from gecbench.server.import_export.plans import ImportOptions, Plan, options_from, plan_import
from gecbench.server.import_export.reading import MOST_BYTES, Encoding, content_of
from gecbench.server.models import ImportBatch, Member
from gecbench.server.rules.perturbation import Fault
from gecbench.server.rules.text import KINDS
from gecbench.server.web.http import PriorityField, form_status
from gecbench.server.web.manage.shortcuts import (
    act,
    active_manager,
    manage_page,
    manager,
    require_active,
    translate_error,
)
from gecbench.server.web.messages import Translation, translate
from gecbench.server.workflow.errors import ConflictError
from gecbench.server.workflow.perturbation import SCHEMES, find_faults

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


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
def forget(member: Member, waiting: str) -> str:
    """Remove an uploaded file that is not wanted after all."""
    waiting_upload(member, waiting).forget()
    return gettext("The file is discarded; nothing was imported.")


COLUMNS = {
    "source": _("Column of the sentence"),
    "references": _("Columns of references"),
    "id": _("Column of the name"),
    "document": _("Column of the document"),
    "position": _("Column of the position in the document"),
}
"""What a column of a table can hold, in the order of the form."""

_USUAL = {
    "purpose": "real",
    "same": "error_free",
    "encoding": "utf-8",
    "priority": "100",
    "clean": "yes",
}


class _SeveralColumns(forms.CheckboxSelectMultiple):
    """Checkboxes for a text that has names with commas between them."""

    def format_value(self, value: object) -> list[str]:
        """The names that are checked."""
        return [join_names([name]) for name in split_names(str(value or ""))]


class _FilesField(forms.FileField):
    """Any number of files, as Django's documentation makes such a field."""

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[bytes]]:
        """Look at each."""
        return [super(_FilesField, self).clean(file, initial) for file in data or ()]


_FORMATS: Mapping[str, StrOrPromise] = {
    "fcgec": "FCGEC",
    "yaclc": _("YACLC, minimal and fluent corrections"),
    "yaclc-minimal": _("YACLC, minimal corrections"),
    "yaclc-fluency": _("YACLC, fluent corrections"),
    "bea19": _("W&I+LOCNESS and FCE, JSON"),
    "jsonl": _("gecbench's own JSONL"),
    "nucle": _("NUCLE, SGML"),
    "sighan": _("SIGHAN, SGML"),
    "sighan-test": _("SIGHAN, sentences of a test"),
    "ctc2021": _("CTC-2021, sentences of a test"),
    "multigec": _("MultiGEC-2025, essays"),
    "lang8": _("Lang-8, entries"),
    "nlpcc18": _("NLPCC-2018, training data"),
    "nasgec": _("NaSGEC and NaCGEC"),
    "mucgec": _("MuCGEC: id, sentence and references in a row"),
    "m2": _("M2 of ERRANT or ChERRANT"),
    "pairs": _("Pairs: a sentence and its correction in a row"),
    "table": _("A table whose columns you name: CSV, TSV, JSON"),
    "lines": _("Plain text, a sentence in each line"),
    "parallel": _("Plain text with files of references"),
    "label-studio": "Label Studio",
    "doccano": "doccano",
    "annotations": _("The export with everything of another site"),
    "perturbed": _("Sentences with perturbed variants"),
}
"""What the formats of imports are, in words."""


def format_words(name: str) -> StrOrPromise:
    """A format in words, with the name by which commands and messages call it."""
    return format_lazy(_("{words} ({name})"), words=_FORMATS[name], name=name)


class _FilesInput(forms.FileInput):
    allow_multiple_selected = True


@keep_lazy_text
def _join(separator: object, *names: str) -> str:
    return str(separator).join(names)


class UploadForm(forms.Form):
    """A file with sentences, and files with their references, line by line."""

    file = forms.FileField(
        label=_("File"),
        help_text=format_lazy(
            _(
                "Plain lines, {names}, Label Studio, doccano, or any CSV, TSV, JSON or JSONL whose "
                "columns you name; at most 100 MB and a million lines."
            ),
            names=_join(
                pgettext_lazy("list", ", "),
                *filter(None, dict.fromkeys(load_format(name).title for name in FORMATS)),
            ),
        ),
        allow_empty_file=True,
        error_messages=dict.fromkeys(("required", "invalid"), _("Choose a file first.")),
    )
    references = _FilesField(
        label=_("Files of references"),
        help_text=_("Line k of each belongs to line k of the file above."),
        required=False,
        allow_empty_file=True,
        widget=_FilesInput,
    )


class ImportForm(forms.Form):
    """How an uploaded file becomes sentences; what is not chosen has the usual value."""

    use_required_attribute = False
    purposes = (
        (Purpose.REAL.value, _("Real work")),
        (Purpose.TRAINING.value, _("Training: with immediate feedback")),
        (Purpose.TRIAL.value, _("Trials of candidates")),
        (Purpose.GOLD.value, _("Gold tasks, among real work")),
    )
    purpose = forms.ChoiceField(
        label=_("What the sentences are for"),
        help_text=_("For all but real work, the references are the known answers."),
        choices=purposes,
    )
    references = forms.ChoiceField(
        label=_("References"),
        required=False,
        widget=forms.RadioSelect,
        choices=[
            ("ignore", _("Leave them out")),
            ("golden", _("They are the golden references; nobody annotates these sentences")),
            ("keep", _("Keep them beside the sentence, which is annotated all the same")),
        ],
    )
    duplicates = forms.ChoiceField(
        label=_("Sentences that are there already"),
        required=False,
        widget=forms.RadioSelect,
        choices=[("skip", _("Leave them out")), ("keep", _("Take them in once more"))],
    )
    same = forms.ChoiceField(
        label=_("A reference that is the sentence itself"),
        widget=forms.RadioSelect,
        choices=[
            ("error_free", _("It says that the sentence is free of errors")),
            ("leave_out", _("It is left out where others correct the sentence")),
        ],
    )
    format = forms.ChoiceField(
        label=_("Format"),
        required=False,
        choices=[
            ("", _("Detect automatically")),
            *((name, format_words(name)) for name in READERS),
        ],
    )
    encoding = forms.ChoiceField(
        label=_("Encoding"), choices=[("utf-8", "UTF-8"), ("gb18030", "GB18030 / GBK")]
    )
    source = forms.CharField(
        label=_("Source, where the file names none"), required=False, max_length=100
    )
    priority = PriorityField(
        label=_("Priority"), help_text=_("Small numbers come first; 100 is usual.")
    )
    number = forms.ChoiceField(
        label=_("Names of the sentences"),
        required=False,
        choices=[("", _("As the file has them")), ("yes", _("1, 2, 3, …"))],
    )

    def __init__(
        self,
        chosen: QueryDict,
        *,
        names: Sequence[str] = (),
        schemes: Sequence[str] = (),
    ) -> None:
        """Take what was chosen, of a query or a form.

        Args:
            chosen: Names of fields to values; "" is the usual one.
            names: Of the columns that the file has.
            schemes: Those that can find the errors of cases, where real sentences become cases.
        """
        several = ",".join(filter(None, chosen.getlist("column_references")))
        values = {**chosen.dict(), "column_references": several}
        super().__init__(
            _USUAL | {name: str(value) for name, value in values.items() if value}, auto_id="%s"
        )
        self.fields["clean"] = forms.ChoiceField(  # a form has a method of this name
            label=_("Invisible characters"),
            choices=[("yes", _("Take them out")), ("no", _("Leave them in"))],
        )
        for role in COLUMNS:
            self._add_column(role, names)
        purpose = str(self.data.get("purpose", Purpose.REAL))
        self.makes_cases = bool(schemes) and purpose == Purpose.REAL
        if schemes:
            self._add_case_fields(schemes)
        self.has_columns = len(names) > 1 or self.names_columns

    def _add_column(self, role: str, names: Sequence[str]) -> None:
        """Offer the columns of the file for what one of them, or several, can hold."""
        name = f"column_{role}"
        chosen = [column for column in split_names(str(self.data.get(name, ""))) if column]
        choices = [(join_names([column]), column) for column in dict.fromkeys((*names, *chosen))]
        usual = usual_column(role, names)
        none = gettext("None")
        if usual:
            none = gettext("Found by its name: %(name)s") % {"name": usual}
        several = role == "references"
        self.fields[name] = forms.CharField(
            label=COLUMNS[role],
            help_text=none if several and usual else "",
            required=False,
            max_length=2000,
            widget=_SeveralColumns(choices=choices)
            if several
            else forms.Select(choices=[("", none), *choices]),
        )

    def _add_case_fields(self, schemes: Sequence[str]) -> None:
        purpose = cast("forms.ChoiceField", self.fields["purpose"])
        purpose.choices = [  # variants have no known answers
            choice for choice in self.purposes if choice[0] != Purpose.GOLD
        ]
        self.fields["scheme"] = forms.ChoiceField(
            label=_("How the errors are found"),
            required=False,
            choices=[("", schemes[0]), *((name, name) for name in schemes[1:])],
        )
        self.fields["reference"] = forms.IntegerField(
            label=_("The reference that is the correction"),
            help_text=_("Of sentences with several; the others are left out and counted."),
            required=False,
            min_value=1,
            max_value=100,
        )

    @property
    def chosen(self) -> dict[str, str]:
        """What the form shows, for the address and for the confirmation."""
        return {name: str(self.data.get(name, "")) for name in self.fields}

    @property
    def columns(self) -> list[forms.BoundField]:
        """The fields that name columns of a table."""
        return [self[f"column_{role}"] for role in COLUMNS]

    @property
    def names_columns(self) -> bool:
        """Whether a column is named."""
        return any(field.value() for field in self.columns)

    @property
    def options(self) -> ImportOptions:
        """The options, of a form that is valid.

        Raises:
            UsageError: They mean nothing together.
        """
        values = self.cleaned_data
        known = "golden" if values["purpose"] != Purpose.REAL else ""
        columns = {role: name for role in ROLES if (name := values[f"column_{role}"])}
        return options_from(
            {
                "format": values["format"] or None,
                "encoding": values["encoding"],
                "purpose": Purpose(values["purpose"]),
                "references": known or (not self.makes_cases and values["references"]) or None,
                "duplicates": values["duplicates"] or None,
                "priority": values["priority"],
                "source": values["source"],
                "clean": values["clean"] == "yes",
                "number": values["number"] == "yes",
                "same": values["same"],
                "columns": columns if values["format"] in ("", "table") else {},
                "reference": values.get("reference") or 1,
                "scheme": values.get("scheme", ""),
            }
        )
