"""Files go out as the project is now: format, scope and names are chosen, then it streams."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    QueryDict,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gecbench.core.errors import GecbenchError
from gecbench.lang import SCHEMES
from gecbench.server.choices import SentenceState
from gecbench.server.import_export.exports import (
    EXPORTS,
    ExportOptions,
    Note,
    choose_file,
    default_scheme,
    export,
    formats_of,
    log_export,
    notes,
)
from gecbench.server.import_export.golden_files import CASE_FORMATS, LANGUAGES
from gecbench.server.import_export.releases import (
    archive_name,
    companions,
    export_archive,
    export_release,
    make_release,
    release_files,
)
from gecbench.server.models import Audit, Member, Project, Release, Sentence
from gecbench.server.web.http import attachment, client_address, form_status, limited
from gecbench.server.web.manage.shortcuts import (
    active_manager,
    manage_page,
    manager,
    require_active,
    translate_error,
)
from gecbench.server.web.messages import Translation
from gecbench.server.workflow import audit

ABOUT: Mapping[str, object] = {
    "mucgec": _("Golden references as MuCGEC's table: id, sentence, references."),
    "jsonl": _("Golden references as gecbench's corpus, with all facts about each sentence."),
    "parallel": _("Golden references as parallel text: a file of sentences, and of references."),
    "m2": _("Golden references as edits, for scorers that read M2."),
    "submissions": _("What annotators handed in, as a corpus for gecbench analyse human."),
    "counts": _("Each distinct text with the number of its annotators, as YACLC has it."),
    "annotations": _("Everything: submissions, reviews, golden history, study, complaints."),
    "robustgec": _("Cases that are done, as RobustGEC's blocks; and their sources, a line each."),
    "cases": _("Cases that are done, as gecbench's JSONL, for gecbench analyse robustness."),
    "variants": _("Everything: all variants, who made what, proposals of machines, checks."),
    "sentences": _("A table of all sentences and where they stand."),
}
NAMING = ("submissions", "annotations", "variants")
"""Formats that can show people's names."""
_LAST = 10
_LOOKED_AT = 20_000


@manager
@require_safe
def export_page(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the formats, and the options of the chosen one."""
    return _page(request, member, request.GET.get("format", ""))


def _page(
    request: HttpRequest,
    member: Member,
    format_name: str,
    *,
    form: ExportForm | None = None,
    problem: Translation | None = None,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    project = member.project
    formats = formats_of(project.kind)
    chosen = (
        format_name if format_name in formats else next(name for name in ABOUT if name in formats)
    )
    parts: tuple[str, ...] = ()
    try:
        parts = tuple(file.ending for file in export(project, ExportOptions(chosen)))
    except GecbenchError as error:
        problem = problem or translate_error(error)
    kind = EXPORTS[chosen]
    shown = {
        "formats": [
            (name, words, name == chosen) for name, words in ABOUT.items() if name in formats
        ],
        "chosen": chosen,
        "kind": kind,
        "about": ABOUT[chosen],
        "notes": [note_message(note) for note in notes(project, ExportOptions(chosen))],
        "parts": parts if len(parts) > 1 else (),
        "ready": bool(parts),
        "form": form or ExportForm(project, format=chosen),
        "naming": chosen in NAMING,
        "choosable": kind.golden and chosen not in ("parallel", *CASE_FORMATS),
        "alias": project.rules.placeholder_export,
        "last": _latest_exports(project),
        "problem": problem,
    }
    return manage_page(request, member, "manage-export", shown, status=status)


def _latest_exports(project: Project) -> list[Audit]:
    """The exports that ended lately, newest first, with their hashes.

    Only the end of the log is looked at: it has a row for each submission.
    """
    since = audit.head()[0] - _LOOKED_AT
    recent = Audit.objects.filter(project=project, seq__gt=since, what="export.done")
    return list(recent.select_related("who").order_by("-seq")[:_LAST])


@active_manager
@require_POST
@limited("export")
def download(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Stream an export; the log keeps who made it, and its SHA-256 once it has gone out."""
    project = member.project
    form = ExportForm(project, request.POST)
    refused = partial(
        _page,
        request,
        member,
        request.POST.get("format", ""),
        form=form,
        status=HTTPStatus.UNPROCESSABLE_ENTITY,
    )
    if not form.is_valid():
        return refused()
    try:
        options = form.options
        file = choose_file(export(project, options), form.cleaned_data["part"])
    except GecbenchError as error:
        return refused(problem=translate_error(error))
    address = client_address(request) or ""
    content = log_export(file, project, options, who=member.person, address=address)
    return attachment(file.name, file.media, content)


# Releases: made, listed, and saved file by file with their SHA-256; they never change.


@manager
@require_http_methods(["GET", "HEAD", "POST"])
def list_releases(request: HttpRequest, member: Member) -> HttpResponseBase:
    """List the releases, or make one of what is golden now."""
    if request.method == "POST":
        return _make(request, member)
    return _list(request, member, ReleaseForm(member.project))


def _make(request: HttpRequest, member: Member) -> HttpResponseBase:
    require_active(member)
    form = ReleaseForm(member.project, request.POST)
    if not form.is_valid():
        return _list(request, member, form)
    try:
        release = make_release(
            member.project,
            name=form.cleaned_data["name"],
            note=form.cleaned_data["note"],
            schemes=form.cleaned_data.get("schemes", ()),
            by=member.person,
        )
    except GecbenchError as error:
        return _list(request, member, form, problem=translate_error(error))
    messages.success(request, gettext("The release is made; it never changes."))
    return redirect("manage-release", member.project.slug, release.pk)


def _list(
    request: HttpRequest, member: Member, form: ReleaseForm, problem: Translation | None = None
) -> HttpResponse:
    project = member.project
    here = Sentence.objects.filter(project=project, purpose="real")
    shown = {
        "releases": Release.objects.filter(project=project).select_related("by").order_by("-id"),
        "golden": here.filter(state=SentenceState.GOLDEN).count(),
        "disputed": here.filter(state=SentenceState.DISPUTED).count(),
        "form": form,
        "problem": problem,
    }
    return manage_page(request, member, "manage-releases", shown, status=form_status(form.is_bound))


@manager
@require_safe
def release_page(request: HttpRequest, member: Member, release: int) -> HttpResponse:
    """Show a release: counts, files, sizes and hashes."""
    release_row = _release(member, release)
    guideline = release_row.manifest.get("guideline")
    version = guideline.get("version") if isinstance(guideline, Mapping) else None
    about = {
        "release": release_row,
        "counts": release_row.manifest["counts"],
        "made_with": release_row.manifest["gecbench"],
        "guideline_version": version,
        "files": [{"name": name, **facts} for name, facts in release_files(release_row).items()],
        "beside": tuple(companions(release_row)),
        "archive": archive_name(release_row),
    }
    return manage_page(request, member, "manage-releases", about, template="manage/release.html")


@manager
@require_safe
def download_release(
    _request: HttpRequest, member: Member, release: int, file: str
) -> HttpResponseBase:
    """Stream a file of a release, the same bytes for ever, or all of them in one archive."""
    release_row = _release(member, release)
    beside = companions(release_row)
    if file not in beside:
        return send_file(release_row, file)
    content = beside[file].encode()
    response = attachment(file, "text/plain; charset=utf-8", iter([content]))
    response["Content-Length"] = str(len(content))
    return response


def send_file(release: Release, name: str) -> StreamingHttpResponse:
    """Stream a file of a release, or the archive with all of them."""
    if name == archive_name(release):
        archive = export_archive(release)
        return attachment(archive.name, archive.media, archive.content)
    facts = release_files(release).get(name)
    if facts is None:
        raise Http404
    file = export_release(release, name)
    response = attachment(file.name, file.media, file.content)
    response["X-Sha256"] = str(facts["sha256"])
    response["Content-Length"] = str(facts["bytes"])
    return response


def _release(member: Member, release: int) -> Release:
    rows = Release.objects.select_related("by").filter(project=member.project)
    return get_object_or_404(rows, pk=release)


class ReleaseForm(forms.Form):
    """A release of what is golden now."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("Letters, digits, dots and hyphens; its files begin with it."),
        max_length=100,
        widget=forms.TextInput({"placeholder": "v1.0"}),
    )
    note = forms.CharField(
        label=_("Note"), required=False, max_length=5000, widget=forms.Textarea({"rows": 2})
    )

    def __init__(self, project: Project, data: QueryDict | None = None) -> None:
        """Offer the schemes of the project's language."""
        usual = default_scheme(project.lang) if project.lang == "zh" else ""
        super().__init__(data, initial={"schemes": [usual]}, auto_id="%s")
        schemes = [(name, name) for name in SCHEMES if LANGUAGES.get(name) == project.lang]
        if schemes:
            self.fields["schemes"] = forms.MultipleChoiceField(
                label=_("M2 files"),
                required=False,
                choices=schemes,
                widget=forms.CheckboxSelectMultiple,
            )


class ExportForm(forms.Form):
    """How a project is written to a file; the page shows the fields that the format has."""

    use_required_attribute = False
    format = forms.ChoiceField(choices=[(name, name) for name in EXPORTS], widget=forms.HiddenInput)
    unannotatable = forms.ChoiceField(
        label=_("Sentences that cannot be annotated"),
        required=False,
        choices=[
            ("", _("Say so, where the format can")),
            ("leave_out", _("Leave them out of the file")),
        ],
    )
    names = forms.ChoiceField(
        label=_("People"),
        required=False,
        choices=[
            ("", _("Pseudonyms: the same in every export of this project")),
            ("yes", _("Their names")),
        ],
    )
    part = forms.CharField(label=_("File"), required=False, max_length=100, widget=forms.Select)

    def __init__(self, project: Project, data: QueryDict | None = None, format: str = "") -> None:
        """Offer what the project has: schemes of its language, the names of its placeholder."""
        usual = {"format": format, "scheme": default_scheme(project.lang)}
        super().__init__(data, initial=usual, auto_id="%s")
        schemes = [name for name in SCHEMES if LANGUAGES.get(name) == project.lang]
        self.fields["scheme"] = forms.ChoiceField(
            label=_("How edits are found"),
            required=False,
            choices=[(name, name) for name in schemes],
        )
        rules = project.rules
        self.fields["token"] = forms.ChoiceField(
            label=_("Placeholder"),
            required=False,
            choices=[("", rules.placeholder_export), ("yes", rules.placeholder)],
        )

    @property
    def options(self) -> ExportOptions:
        """The options, of a form that is valid.

        Raises:
            UsageError: They mean nothing together.
        """
        values = self.cleaned_data
        return ExportOptions(
            values["format"],
            scheme=values["scheme"],
            names=values["names"] == "yes",
            alias="" if values["token"] == "yes" else None,
            unannotatable=values["unannotatable"] or None,
        )


_EXPORT_NOTES: Mapping[str, object] = {
    "undecided": _("%(count)d sentences are not decided, or are withdrawn: not in the file"),
    "not_annotatable": _("%(count)d sentences cannot be annotated: not in the file"),
    "error_free": _("%(count)d sentences are free of errors: their source is the reference"),
    "repeated": _("Sentences with fewer references than the one with most repeat their first one"),
    "placeholder": _("%(placeholder)s is written %(alias)s"),
}


def note_message(note: Note) -> str:
    """What an export leaves out or writes otherwise, in the person's language."""
    return str(_EXPORT_NOTES[note.code]) % note.values
