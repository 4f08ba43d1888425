"""The forms by which sentences come in and go out: files, options, releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.functional import keep_lazy_text
from django.utils.text import format_lazy
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from gecbench.formats import FORMATS, load_format
from gecbench.formats.records import READERS
from gecbench.formats.table import ROLES, join_names, split_names, usual_column
from gecbench.lang import SCHEMES
from gecbench.server.choices import Purpose
from gecbench.server.import_export.exports import EXPORTS, ExportOptions, default_scheme
from gecbench.server.import_export.golden_files import LANGUAGES
from gecbench.server.import_export.plans import ImportOptions, options_from
from gecbench.server.models import Project

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

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
_PRIORITY = _("A priority is a whole number from -1000000 to 1000000.")


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
    priority = forms.IntegerField(
        label=_("Priority"),
        help_text=_("Small numbers come first; 100 is usual."),
        min_value=-1_000_000,
        max_value=1_000_000,
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), _PRIORITY),
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
