"""jsonl: our own lossless format, a header line and then one sentence a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from gecbench.core.edit import DETECTED, Edit
from gecbench.core.edit import check as check_edits
from gecbench.core.errors import CorpusError, FormatError, Message, Place, quote
from gecbench.core.files import is_parquet
from gecbench.core.format import Format, Rows, begins
from gecbench.core.language import normalise_code
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.texts import COLUMNS, error_place, parse_rows, sample_place, unknown_format
from gecbench.formats.validation import convert, parse_json

_NAME = "gecbench-corpus"


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of our files; what is unset is left out."""

    format: str
    schema: int
    name: str
    lang: str | UnsetType = UNSET
    provenance: dict[str, str] | UnsetType = UNSET


class _Edit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    start: int
    end: int
    replacement: tuple[str, ...] | None
    label: str | UnsetType = UNSET
    alternatives: tuple[tuple[str, ...], ...] = ()


class _Rewrite(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str | UnsetType = UNSET
    error_free: bool = False
    unannotatable: bool = False
    annotator: str | UnsetType = UNSET
    edit_sets: tuple[tuple[_Edit, ...], ...] = ()
    capped: bool = False


class _Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    source: str
    references: tuple[_Rewrite, ...]
    meta: dict[str, str] = {}
    tokens: tuple[str, ...] = ()


_SCHEMA = 1
_ABOUT = {
    _NAME: Message(
        "this is a corpus; gecbench perturb makes perturbed cases of one, which analyse "
        "robustness reads"
    ),
    "gecbench-perturbed": Message(
        "these are perturbed cases, not a corpus; score systems on them by: gecbench analyse "
        "robustness"
    ),
}
"""What to say of one of our files that stands where the other belongs."""

_KEYS: Mapping[type, tuple[str, ...]] = {
    Sample: _Sample.__struct_fields__,
    Rewrite: _Rewrite.__struct_fields__,
    Edit: _Edit.__struct_fields__,
}
_ALWAYS = frozenset(("id", "source", "references", "start", "end", "replacement"))


is_json = partial(begins, pattern=re.compile(r"\{"))
"""Whether the first line begins as a JSON object does."""
is_ours = partial(begins, pattern=re.compile(rf'\{{"format": ?"{_NAME}"'))
"""Whether the first line begins as the header of a corpus of gecbench."""


def check(path: Path, lines: Sequence[str]) -> None:
    """Refuse JSON of somebody else, which has no header.

    Raises:
        FormatError: Says how it can be read.
    """
    if '"format"' not in lines[0]:
        if is_parquet(path):
            raise FormatError(
                "which column of Parquet is what has to be said: {columns}; there are: {names}",
                at=Place(path, 1),
                columns=COLUMNS,
                names=", ".join(map(quote, convert(None, parse_json(lines[0]), dict[str, object]))),
            )
        from gecbench.formats.table import has_usual_columns  # few files are tables

        raise unknown_format(
            Place(path, 1),
            "JSON of another program",
            is_table=True,
            has_usual_columns=has_usual_columns(path, lines),
        )


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream the corpus exactly as it was written.

    Raises:
        FormatError: Names the first line with an unknown, missing or ill-typed key, an empty
            source, or edits that do not fit the tokens.
    """
    rest = iter(lines)
    about = read_header(path, next(rest, ""), _NAME)
    lang = None if about.lang is UNSET else about.lang
    first = 1 if is_parquet(path) else 2  # its header is no row
    rows = parse_rows(path, enumerate(rest, first), _sample)
    return Corpus(about.name, (), lang, about.provenance or {}), rows


def _sample(line: str) -> Sample:
    row = parse_json(line)
    convert(None, row, _Sample)  # refuses what is unknown, which the conversion below ignores
    sample = msgspec.convert(row, Sample)
    if any(rewrite.edit_sets for rewrite in sample.references):
        sample = _with_proposals(sample)
        _check_edits(sample)
    if not sample.source:
        raise FormatError("the source is empty; fill it or remove the line")
    return sample


def _with_proposals(sample: Sample) -> Sample:
    """A sample whose edits of a detecting type correct nothing, as older files have them."""

    def proposal(edit: Edit) -> Edit:
        if edit.label not in DETECTED or edit.replacement is None:
            return edit
        return replace(edit, replacement=None, alternatives=(edit.replacement, *edit.alternatives))

    if not any(
        edit.label in DETECTED for r in sample.references for edits in r.edit_sets for edit in edits
    ):
        return sample
    references = tuple(
        replace(r, edit_sets=tuple(tuple(map(proposal, edits)) for edits in r.edit_sets))
        for r in sample.references
    )
    return replace(sample, references=references)


def read_header(path: Path, line: str, name: str) -> Header:
    """Read the header in the first line of one of our files.

    Raises:
        FormatError: It is none of the format `name`, of a schema that is not known, or names a
            language that is no code.
    """
    with error_place(Place(path, 1)):
        row = convert(None, parse_json(line), dict[str, object])
        if row.get("format") != name:
            raise FormatError(
                'the first line has no "format": "{name}"; {about}',
                name=name,
                about=_ABOUT.get(str(row.get("format")), Message("it is the header of the file")),
            )
        header = convert(None, row, Header)
        if header.schema != _SCHEMA:
            raise FormatError(
                "schema {schema} is not known, only {known}; read the file with a newer gecbench",
                schema=header.schema,
                known=_SCHEMA,
            )
        if header.lang is UNSET:
            return header
        lang = normalise_code(header.lang)
        if lang is None:
            raise FormatError(
                'language {lang!r} is no ISO 639 code, as zh, en or de; correct "lang" in this '
                "header",
                lang=header.lang,
            )
        return msgspec.structs.replace(header, lang=lang)


def pieces(corpus: Corpus) -> Mapping[str, Iterator[str]]:
    """Write the header, then each sentence; keys that hold their default are left out.

    Raises:
        CorpusError: Names the sample that is empty or has edits that do not fit its tokens.
    """
    samples = map(_checked, corpus.samples)
    return {"": write_rows(_NAME, corpus.name, corpus.lang, corpus.provenance, samples)}


def _checked(sample: Sample) -> Sample:
    with error_place(sample_place(sample), CorpusError):
        if not sample.source:
            raise CorpusError("the source is empty; fill it or leave the sentence out")
        _check_edits(sample)
    return sample


def write_rows(
    format: str,
    name: str,
    lang: str | None,
    provenance: Mapping[str, str],
    rows: Iterable[object],
) -> Iterator[str]:
    """Yield the content of one of our files: a header, then a line for each row."""
    import json  # msgspec writes no blanks between values

    known = UNSET if lang is None else lang
    header = Header(format, _SCHEMA, name, known, dict(provenance) or UNSET)
    encode = json.JSONEncoder(ensure_ascii=False, default=_values).encode
    for row in chain([msgspec.to_builtins(header)], rows):
        yield f"{encode(row)}\n"


def _values(item: object) -> dict[str, object]:
    """The values of a sample, rewrite or edit that are not their defaults."""
    if isinstance(item, Mapping):
        return dict(item)
    values = ((key, getattr(item, key)) for key in _KEYS[type(item)])
    return {key: value for key, value in values if key in _ALWAYS or value or value == ""}


def _check_edits(sample: Sample) -> None:
    for rewrite in sample.references:
        for edits in rewrite.edit_sets:
            check_edits(edits, len(sample.tokens))


FORMAT = Format(
    name="jsonl",
    about="gecbench's own; holds everything",
    sniff=is_json,
    stream=stream,
    pieces=pieces,
    has_lang=True,
    check=check,
)
