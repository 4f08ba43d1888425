"""Who has taken what out of a project: each export is in the log, with its hash once it is out."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from gecbench.core.errors import GecbenchError, Message, UnknownNameError, UsageError
from gecbench.core.files import STDIO, check_target, pack, write_stream
from gecbench.core.sample import Corpus
from gecbench.formats import load_format
from gecbench.server.choices import Decision, Dimension, ProjectKind, SentenceState
from gecbench.server.import_export import corpora
from gecbench.server.import_export.annotations import export_annotations
from gecbench.server.import_export.corpora import (
    GoldenRow,
    Look,
    Naming,
    by_number,
    latest_submissions,
    lines_of,
    look_of,
    naming_of,
    read_snapshot,
    real_sentences,
    table,
    texts_of,
)
from gecbench.server.import_export.golden_files import (
    CASE_FORMATS,
    Frame,
    GoldenFile,
    check_scheme,
    export_variants,
    golden_file,
    width,
    widths,
)
from gecbench.server.models import GoldenReference, Person, Project, Sentence, Submission
from gecbench.server.rules.diff import extract_edits, tokenize
from gecbench.server.rules.text import key
from gecbench.server.workflow import audit, review_tasks


def log_export(
    file: ExportFile, project: Project, options: ExportOptions, *, who: Person, address: str
) -> Iterator[bytes]:
    """Record that an export begins and return its content, which records its end.

    Who takes out what others wrote never annotates those sentences.

    Args:
        file: What is taken.
        project: Of what.
        options: How.
        who: By whom.
        address: From where; the request is over before the content has gone out.
    """
    data = {"format": options.format, "file": file.name, "names": options.names}
    if EXPORTS[options.format].texts:
        review_tasks.record_all_readings(project, who)
    audit.record("export.begun", who=who, project=project, data=data)
    return _hash_and_log(file.content, who, project, data, address)


def _hash_and_log(
    pieces: Iterator[bytes],
    who: Person,
    project: Project,
    data: Mapping[str, object],
    address: str,
) -> Iterator[bytes]:
    hashed = HashedPieces(pieces)
    yield from hashed
    whole = {**data, "sha256": hashed.sha256, "bytes": hashed.size, "lines": hashed.lines}
    audit.record("export.done", who=who, project=project, data=whole, address=address)


# What was written how often, as in YACLC: each distinct text with its number of annotators.


_Texts = Mapping[int, Sequence[tuple[str, str]]]


def counts(project: Project, look: Look) -> Iterator[bytes]:
    """Yield an object a line: the sentence, its distinct texts, and how many wrote each.

    The keys are those of YACLC's files, where a sentence that is free of errors is its own
    correction; "not_annotatable" counts those who say that it cannot be annotated.
    """
    sentences = real_sentences(project).exclude(state=SentenceState.WITHDRAWN)

    def rows(piece: Sequence[Sentence]) -> list[dict[str, object]]:
        by_sentence: dict[int, list[Submission]] = defaultdict(list)
        submissions = latest_submissions([sentence.pk for sentence in piece])
        for submission in submissions:
            by_sentence[submission.sentence_id].append(submission)
        texts = texts_of(submissions)
        return [
            _row(sentence, by_sentence[sentence.pk], texts, look, project.lang)
            for sentence in piece
            if sentence.pk in by_sentence
        ]

    for objects in by_number(sentences.only("id", "number", "external_id", "text"), rows):
        yield from lines_of(objects)


def _row(
    sentence: Sentence, submissions: Sequence[Submission], texts: _Texts, look: Look, lang: str
) -> dict[str, object]:
    decisions = [submission.decision for submission in submissions]
    written: dict[tuple[str, str], str] = {}
    writers: dict[tuple[str, str], set[int]] = defaultdict(set)
    for submission in submissions:
        answers = texts[submission.pk] if submission.decision == Decision.CORRECTED else ()
        if submission.decision == Decision.ERROR_FREE:
            answers = ((sentence.text, Dimension.GRAMMAR),)
        for text, dimension in answers:
            which = key(text), dimension
            written.setdefault(which, text)
            writers[which].add(submission.person_id)
    return {
        "sentence_id": sentence.external_id,
        "sentence_text": sentence.text,
        "total_annotators": len({submission.person_id for submission in submissions}),
        "not_annotatable": decisions.count(Decision.NOT_ANNOTATABLE),
        "sentence_annos": [
            {
                "is_grammatical": int(which[1] == Dimension.GRAMMAR),
                "correction": look.text(text) if text != sentence.text else text,
                "edits_count": _edits(sentence.text, text, lang, look.placeholder),
                "annotator_count": len(writers[which]),
            }
            for which, text in written.items()
        ],
    }


def _edits(source: str, text: str, lang: str, placeholder: str) -> int:
    return len(
        extract_edits(tokenize(source, lang, placeholder), tokenize(text, lang, placeholder))
    )


# A table of all real sentences and where they stand, for spreadsheets.


HEADER = (
    *("number", "id", "source", "state", "needed", "submitted", "decision", "golden_version"),
    *("references", "sentence"),
)


def sentence_rows(project: Project, look: Look) -> Iterator[Sequence[Sequence[str | int | None]]]:
    """Yield the rows, some hundred at a time."""

    def rows(piece: Sequence[Sentence]) -> list[Sequence[str | int | None]]:
        entries = Counter(
            GoldenReference.objects.filter(
                golden_id__in=[sentence.golden_id for sentence in piece if sentence.golden_id]
            ).values_list("golden_id", flat=True)
        )
        return [
            (
                sentence.number,
                sentence.external_id,
                "" if sentence.source_id is None else look.sources[sentence.source_id],
                sentence.state,
                sentence.needed,
                sentence.submitted,
                sentence.golden.kind if sentence.golden else None,
                sentence.golden.version if sentence.golden else None,
                entries[sentence.golden_id] if sentence.golden_id else 0,
                sentence.text,
            )
            for sentence in piece
        ]

    yield from by_number(real_sentences(project).select_related("golden"), rows)


# What leaves a project: formats of export, each streamed piece by piece.


Unannotatable = Literal["keep", "leave_out"]


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format of export.

    Args:
        about: One line for people.
        ending: Of the file; parallel text has endings of its own.
        media: Type of the content, for HTTP.
        golden: Whether it holds golden sets; else it holds people's work.
        texts: Whether it holds what people wrote before it is decided.
        kind: Of projects that have it; None is all.
    """

    about: str
    ending: str
    media: str
    golden: bool
    texts: bool = False
    kind: ProjectKind | None = ProjectKind.REWRITE


_JSON = "application/x-ndjson"
_TEXT = "text/plain; charset=utf-8"

EXPORTS: Mapping[str, ExportFormat] = {
    "mucgec": ExportFormat(
        "golden sets as MuCGEC's table: id, source, references",
        ".tsv",
        "text/tab-separated-values; charset=utf-8",
        golden=True,
    ),
    "jsonl": ExportFormat("golden sets as gecbench's corpus", ".jsonl", _JSON, golden=True),
    "parallel": ExportFormat("golden sets as parallel text, several files", "", _TEXT, golden=True),
    "m2": ExportFormat("golden sets as edits; choose a scheme", ".m2", _TEXT, golden=True),
    "submissions": ExportFormat(
        "what annotators handed in, as a corpus for analyse human",
        ".submissions.jsonl",
        _JSON,
        golden=False,
        texts=True,
    ),
    "counts": ExportFormat(
        "each distinct text with its number of annotators, as YACLC",
        ".counts.jsonl",
        _JSON,
        golden=False,
        texts=True,
    ),
    "annotations": ExportFormat(
        "everything: submissions, reviews, golden history, study, complaints",
        ".annotations.jsonl",
        _JSON,
        golden=False,
        texts=True,
    ),
    "sentences": ExportFormat(
        "a table of all sentences and where they stand",
        ".csv",
        "text/csv; charset=utf-8",
        golden=False,
        kind=None,
    ),
    "robustgec": ExportFormat(
        "cases that are done as RobustGEC's blocks and their sources, two files",
        "",
        _TEXT,
        golden=True,
        kind=ProjectKind.PERTURB,
    ),
    "cases": ExportFormat(
        "cases that are done as gecbench's JSONL, for analyse robustness",
        ".jsonl",
        _JSON,
        golden=True,
        kind=ProjectKind.PERTURB,
    ),
    "variants": ExportFormat(
        "everything: all variants, who made what, proposals, checks",
        ".variants.jsonl",
        _JSON,
        golden=False,
        texts=True,
        kind=ProjectKind.PERTURB,
    ),
}
"""Name to format of export."""


def formats_of(kind: str) -> Mapping[str, ExportFormat]:
    """The formats that projects of a kind have."""
    return {name: entry for name, entry in EXPORTS.items() if entry.kind in (None, kind)}


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What is exported, and how.

    Args:
        format: A key of EXPORTS.
        scheme: For M2: how edits are found; "" is zh-char or en-errant, by the language.
        names: Show people's names; else they have stable pseudonyms.
        alias: What stands for the placeholder in golden sets, submissions and counts; None is
            what the project's option says, "" is the token itself.
        unannotatable: Whether golden sets that say "not annotatable" are in the file. None: where
            the format can say so.

    Raises:
        UsageError: A value that means nothing for the format.
    """

    format: str
    scheme: str = ""
    names: bool = False
    alias: str | None = None
    unannotatable: Unannotatable | None = None

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        if self.format not in EXPORTS:
            raise UnknownNameError(Message("format of export"), self.format, EXPORTS)
        if self.scheme and self.format != "m2":
            raise UsageError(
                "a scheme of edits is for format m2, not for {format}", format=self.format
            )
        if self.names and self.format not in ("submissions", "annotations", "variants"):
            raise UsageError("format {format} names nobody; leave names out", format=self.format)
        if self.unannotatable is not None:
            if self.unannotatable not in get_args(Unannotatable):
                raise UsageError(
                    "unannotatable is {value!r}; it is keep or leave_out", value=self.unannotatable
                )
            if not EXPORTS[self.format].golden or self.format in ("parallel", *CASE_FORMATS):
                raise UsageError(
                    "format {format} has no choice about what is not annotatable",
                    format=self.format,
                )


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file of an export, ready to be streamed.

    Args:
        name: As it may be saved.
        ending: What stands behind the name that a person chose.
        media: Type of the content.
        content: Yields it, once.
    """

    name: str
    ending: str
    media: str
    content: Iterator[bytes]


def export(project: Project, options: ExportOptions) -> tuple[ExportFile, ...]:
    """Export a project: the files, each of which is made while it is read.

    Raises:
        GecbenchError: There is nothing to export.
        UsageError: The format is for projects of another kind, or the scheme for another language.
    """
    if options.format not in formats_of(project.kind):
        raise UsageError(
            "project {slug} has no format {format}; it has: {names}",
            slug=project.slug,
            format=options.format,
            names=", ".join(formats_of(project.kind)),
        )
    kind = EXPORTS[options.format]
    if kind.golden:
        return _golden(project, options, kind)
    content = _work(project, options)
    name = f"{project.slug}{kind.ending}"
    return (ExportFile(name, kind.ending, kind.media, content),)


def choose_file(files: Iterable[ExportFile], part: str = "") -> ExportFile:
    """Choose the one file of an export, or the one with an ending.

    Raises:
        UsageError: There are several and none is named, or there is none such.
    """
    by_ending = {file.ending: file for file in files}
    if not part and len(by_ending) == 1:
        return next(iter(by_ending.values()))
    names = ", ".join(by_ending)
    if not part:
        raise UsageError("this export has several files; name a part: {names}", names=names)
    if part not in by_ending:
        raise UsageError(
            "there is no part {part!r}; this export has the parts {names}", part=part, names=names
        )
    return by_ending[part]


def default_scheme(lang: str) -> str:
    """How the edits of M2 are found where nobody says it."""
    return "zh-char" if lang == "zh" else "en-errant"


@dataclass(frozen=True, slots=True)
class Note:
    """What an export leaves out or writes otherwise; `str` says it in English.

    Args:
        code: One of NOTES; pages have words of their own for each.
        values: What the words need.
    """

    code: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        return NOTES[self.code] % self.values


NOTES: Mapping[str, str] = {
    "undecided": "%(count)d sentences are not decided, or are withdrawn: not in the file",
    "not_annotatable": "%(count)d sentences are not annotatable: not in the file",
    "error_free": "%(count)d sentences are free of errors: their source is the reference",
    "repeated": "sentences with fewer references than the one with most repeat their first one",
    "placeholder": "%(placeholder)s is written %(alias)s",
}


def notes(project: Project, options: ExportOptions) -> tuple[Note, ...]:
    """What an export leaves out or writes otherwise, with counts."""
    if not EXPORTS[options.format].golden:
        return ()
    decided = real_sentences(project).filter(state__in=corpora.DECIDED)
    nothing = decided.filter(golden__kind=Decision.NOT_ANNOTATABLE).count()
    free = decided.filter(golden__kind=Decision.ERROR_FREE).count()
    undecided = real_sentences(project).exclude(state__in=corpora.DECIDED).count()
    result: list[Note] = []
    if undecided:
        result.append(Note("undecided", {"count": undecided}))
    if nothing and _leaves_out(options):
        result.append(Note("not_annotatable", {"count": nothing}))
    if options.format == "parallel":
        if free:
            result.append(Note("error_free", {"count": free}))
        result.append(Note("repeated", {}))
    alias = look_of(project, alias=options.alias).alias
    if alias and options.format not in CASE_FORMATS:
        written = {"placeholder": project.rules.placeholder, "alias": alias}
        result.append(Note("placeholder", written))
    return tuple(result)


def write_export(files: Iterable[ExportFile], path: Path) -> tuple[tuple[Path, str, int], ...]:
    """Write files whole, each with its SHA-256 beside it; return path, SHA-256 and size of each.

    Args:
        files: Of an export.
        path: The file; several files add their endings to it. "-" is standard output, without a
            SHA-256 beside it.

    Raises:
        UsageError: Several files cannot go to standard output.
        GecbenchError: A file cannot be written.
    """
    parts = tuple(files)
    if str(path) == STDIO and len(parts) > 1:
        raise UsageError("this export has {count} files; name them by --output", count=len(parts))
    targets = [path if len(parts) == 1 else Path(f"{path}{file.ending}") for file in parts]
    for target in targets:
        check_target(target)
    written = []
    for file, target in zip(parts, targets, strict=True):
        hashed = HashedPieces(pack(target, file.content))
        write_stream(target, hashed, packed=True)
        if str(target) != STDIO:
            line = f"{hashed.sha256}  {target.name}\n".encode()
            write_stream(Path(f"{target}.sha256"), [line])
        written.append((target, hashed.sha256, hashed.size))
    return tuple(written)


def _golden(project: Project, options: ExportOptions, kind: ExportFormat) -> tuple[ExportFile, ...]:
    if not real_sentences(project).filter(state__in=corpora.DECIDED).exists():
        raise GecbenchError(
            "project {slug} has no golden set yet; review some sentences first", slug=project.slug
        )
    frame = Frame(
        project.slug,
        project.lang,
        look_of(project, alias=options.alias),
        {"project": project.slug, "made by": "gecbench annotate"},
    )

    @cache
    def pieces() -> list[list[GoldenRow]]:
        """What is golden at the moment of the first call: all files are of that moment.

        Golden versions never change, so that knowing which ones they are is enough.
        """
        with read_snapshot():
            return list(corpora.current_golden(project, annotatable=_leaves_out(options)))

    scheme = ""
    if options.format == "m2":
        scheme = options.scheme or default_scheme(project.lang)
        check_scheme(scheme, project.lang)
    parts, wide = [kind.ending], 1
    if options.format == "parallel":
        wide = width(pieces)
        parts = [".src", *(f".ref{n}" for n in range(wide))]
    if options.format in CASE_FORMATS:
        parts = list(CASE_FORMATS[options.format])
        _check_widths(project, pieces())
    return tuple(
        ExportFile(
            f"{project.slug}{part}",
            part,
            kind.media,
            golden_file(
                GoldenFile(options.format, "" if kind.ending else part, scheme, wide),
                pieces,
                frame,
            ),
        )
        for part in parts
    )


def _check_widths(project: Project, pieces: Sequence[Sequence[GoldenRow]]) -> None:
    """Refuse cases that no file can hold together.

    Raises:
        GecbenchError: They have different numbers of variants.
    """
    numbers = sorted(set().union(*map(widths, pieces)))
    if len(numbers) > 1:
        raise GecbenchError(
            "the cases of project {slug} have {numbers} variants; a file of cases has as many of "
            "each, so take the format variants, or withdraw the others",
            slug=project.slug,
            numbers=", ".join(map(str, numbers)),
        )


def _leaves_out(options: ExportOptions) -> bool:
    """Say whether golden sets that say "not annotatable" stay out: parallel text cannot say so."""
    return options.format == "parallel" or options.unannotatable == "leave_out"


def _work(project: Project, options: ExportOptions) -> Iterator[bytes]:
    naming = naming_of(project, show=options.names)
    look = look_of(project, alias=options.alias)
    if options.format == "submissions":
        return _submissions(project, look, naming)
    if options.format == "counts":
        return counts(project, look)
    if options.format == "variants":
        return export_variants(project, look, naming)
    if options.format == "annotations":
        return export_annotations(project, look, naming)
    return table(HEADER, sentence_rows(project, look))


def _submissions(project: Project, look: Look, naming: Naming) -> Iterator[bytes]:
    write = load_format("jsonl").write
    provenance = {"project": project.slug, "made by": "gecbench annotate"}
    empty = Corpus(f"{project.slug} submissions", (), project.lang, provenance)
    yield write(empty)[""].encode()
    for piece in corpora.submission_samples(project, look, naming):
        rows = write(replace(empty, samples=tuple(piece)))[""].partition("\n")[2]
        if rows:
            yield rows.encode()


class HashedPieces:
    """Pieces of a file that are counted and hashed while they go by."""

    def __init__(self, pieces: Iterable[bytes] = ()) -> None:
        self._pieces = pieces
        self._hash = hashlib.sha256()
        self.size = 0
        self.lines = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self.take(piece)
            yield piece

    def take(self, piece: bytes) -> None:
        """Count one piece."""
        self._hash.update(piece)
        self.size += len(piece)
        self.lines += piece.count(b"\n")

    def through(self) -> HashedPieces:
        """Let all pieces go by, and return what was counted."""
        for _ in self:
            pass
        return self

    @property
    def sha256(self) -> str:
        """The hash of what has gone by."""
        return self._hash.hexdigest()
