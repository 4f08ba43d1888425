"""jsonl: our own lossless format, a header line and then one sentence a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gecbench.core.edit import Edit, check
from gecbench.core.errors import CorpusError, EditError, FormatError
from gecbench.core.format import Format
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample
from gecbench.formats.fields import Fields

_FORMAT = "gecbench-corpus"
_SCHEMA = 1


def sniff(lines: Sequence[str]) -> bool:
    """Return whether the first line begins as a JSON object does."""
    return bool(lines) and lines[0].startswith("{")


def read(path: Path, lines: Sequence[str]) -> Corpus:
    """Return exactly the corpus that was written.

    Raises:
        FormatError: Names the first line with an unknown, missing or ill-typed key, an empty
            source, an id that occurs before, or edits that do not fit the tokens.
    """
    header = header_of(path, lines)
    rows: dict[str, int] = {}
    samples = []
    for n, line in enumerate(lines[1:], 2):
        sample = sample_of(Fields.parse(f"{path}:{n}", line))
        first = rows.setdefault(sample.id, n)
        if first != n:
            raise FormatError(
                f"{path}:{n}: id {sample.id!r} stands in line {first} already; ids are unique"
            )
        samples.append(sample)
    return Corpus(
        header.text("name"),
        tuple(samples),
        header.text("lang") if header.has("lang") else None,
        header.texts("provenance"),
    )


def write(corpus: Corpus) -> Mapping[str, str]:
    """Return the corpus whole; keys that hold their default are left out.

    Raises:
        CorpusError: Names the sample that is empty or has edits that do not fit its tokens.
    """
    import json  # 2 ms that readers of other formats need not pay

    header: dict[str, object] = {"format": _FORMAT, "schema": _SCHEMA, "name": corpus.name}
    if corpus.lang is not None:
        header["lang"] = corpus.lang
    if corpus.provenance:
        header["provenance"] = dict(corpus.provenance)
    rows = [header, *map(_of_sample, corpus.samples)]
    encode = json.JSONEncoder(ensure_ascii=False).encode
    return {"": "".join(f"{encode(row)}\n" for row in rows)}


def losses(_corpus: Corpus) -> list[str]:
    """Return nothing: nothing is lost, the name is kept too."""
    return []


def header_of(path: Path, lines: Sequence[str]) -> Fields:
    """Return the header, which is the first of the lines.

    Raises:
        FormatError: It is none, or of a schema that is not known.
    """
    header = Fields.parse(f"{path}:1", lines[0] if lines else "")
    if not header.has("format") or header.text("format") != _FORMAT:
        raise FormatError(
            f'{path}:1: the first line has no "format": "{_FORMAT}"; it is the header of the file'
        )
    schema = header.number("schema")
    if schema != _SCHEMA:
        raise FormatError(
            f"{path}:1: schema {schema} is not known, only {_SCHEMA}; "
            "read the file with a newer gecbench"
        )
    header.only("format", "schema", "name", "lang", "provenance")
    return header


def sample_of(row: Fields) -> Sample:
    """Return the sample in a line.

    Raises:
        FormatError: A key is unknown, missing or ill-typed, or the edits do not fit the tokens.
    """
    row.only("id", "source", "references", "meta", "tokens")
    source = row.text("source")
    if not source:
        raise FormatError(f"{row.at}: the source is empty; fill it or remove the line")
    tokens = row.words("tokens") if row.has("tokens") else ()
    references = tuple(_rewrite(each) for each in row.rows("references"))
    try:
        _check_edits(references, tokens)
    except EditError as error:
        raise FormatError(f"{row.at}: {error}") from error
    return Sample(row.text("id"), source, references, row.texts("meta"), tokens)


def _check_edits(references: Sequence[Rewrite], tokens: Sequence[str]) -> None:
    for rewrite in references:
        for edits in rewrite.edit_sets:
            check(edits, len(tokens))


def _rewrite(row: Fields) -> Rewrite:
    row.only("text", "error_free", "unannotatable", "annotator", "edit_sets", "capped")
    sets = row.grid("edit_sets") if row.has("edit_sets") else ()
    try:
        return Rewrite(
            text=row.text("text") if row.has("text") else None,
            error_free=row.flag("error_free"),
            unannotatable=row.flag("unannotatable"),
            edit_sets=tuple(tuple(_edit(each) for each in edits) for edits in sets),
            annotator=row.text("annotator") if row.has("annotator") else None,
            capped=row.flag("capped"),
        )
    except CorpusError as error:
        raise FormatError(f"{row.at}: {error}") from error


def _edit(row: Fields) -> Edit:
    row.only("start", "end", "replacement", "label", "alternatives")
    try:
        return Edit(
            row.number("start"),
            row.number("end"),
            None if row.is_null("replacement") else row.words("replacement"),
            row.text("label") if row.has("label") else None,
            row.phrases("alternatives") if row.has("alternatives") else (),
        )
    except EditError as error:
        raise FormatError(f"{row.at}: {error}") from error


def _of_sample(sample: Sample) -> dict[str, object]:
    if not sample.source:
        raise CorpusError(
            f"sample {sample.id!r}: the source is empty; fill it or leave the sentence out"
        )
    try:
        _check_edits(sample.references, sample.tokens)
    except EditError as error:
        raise CorpusError(f"sample {sample.id!r}: {error}") from error
    row: dict[str, object] = {
        "id": sample.id,
        "source": sample.source,
        "references": [_of_rewrite(rewrite) for rewrite in sample.references],
    }
    if sample.meta:
        row["meta"] = dict(sample.meta)
    if sample.tokens:
        row["tokens"] = sample.tokens
    return row


def _of_rewrite(rewrite: Rewrite) -> dict[str, object]:
    row: dict[str, object] = {}
    if rewrite.text is not None:
        row["text"] = rewrite.text
    for flag in ("error_free", "unannotatable"):
        if getattr(rewrite, flag):
            row[flag] = True
    if rewrite.annotator is not None:
        row["annotator"] = rewrite.annotator
    if rewrite.edit_sets:
        row["edit_sets"] = [_of_edits(edits) for edits in rewrite.edit_sets]
    if rewrite.capped:
        row["capped"] = True
    return row


def _of_edits(edits: EditSet) -> list[dict[str, object]]:
    rows = []
    for edit in edits:
        row: dict[str, object] = {
            "start": edit.start,
            "end": edit.end,
            "replacement": edit.replacement,
        }
        if edit.label is not None:
            row["label"] = edit.label
        if edit.alternatives:
            row["alternatives"] = edit.alternatives
        rows.append(row)
    return rows


FORMAT = Format(
    name="jsonl",
    about="gecbench's own; holds everything",
    sniff=sniff,
    read=read,
    write=write,
    losses=losses,
)
