"""Sentences of a file one by one, in the formats of other tools, too; a broken one is reported.

The readers of a corpus stop at the first thing that is wrong. Somebody who corrects a file wants
to know of all of them, so each line, block or object is read by itself here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from gecbench.core.errors import (
    FormatError,
    GecbenchError,
    Message,
    Place,
    UnknownNameError,
    UsageError,
    quote,
)
from gecbench.core.files import without_packing
from gecbench.core.sample import NOT_KEPT, Rewrite, Sample
from gecbench.formats import FORMATS, IMPORTED, fcgec, load_format, yaclc
from gecbench.formats.essays import essay_lines
from gecbench.formats.m2 import is_target
from gecbench.formats.perturbed import is_perturbed
from gecbench.formats.table import (
    TEXT_KEYS,
    Columns,
    Row,
    TableRow,
    is_json,
    json_objects,
    meta_of,
    name_in,
    names_of,
    printable,
    table_rows,
    texts_of,
)
from gecbench.formats.texts import CHINESE, COLUMNS, blocks, counts_not_kept, text_of
from gecbench.formats.validation import value_of

# A file, and what a reader finds in it: records, and troubles with their lines.


@dataclass(frozen=True, slots=True)
class Content:
    """A file that was handed in.

    Args:
        name: As errors call it; never used as a path.
        lines: Without their ends.
        sha256: Of the bytes as they came.
    """

    name: str
    lines: tuple[str, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class Record:
    """A sentence as a file has it.

    Args:
        line: Where it begins.
        id: As the file names it; None where it has no names of its own.
        text: The sentence.
        references: Texts and declarations, no edits.
        meta: Named facts.
        source: Where it comes from, "" for unknown.
        fluency: Places of the references that repair fluency, too (YACLC).
        left_out: What the file says of it that is not imported, a word each.
    """

    line: int
    id: str | None
    text: str
    references: tuple[Rewrite, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    fluency: frozenset[int] = frozenset()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something in a file that cannot be imported.

    Args:
        line: Where it stands, from 1.
        message: What is wrong and what to do; a `Message`, if it can be translated.
    """

    line: int
    message: str


Entry = Record | Trouble


# Files of other tools: Label Studio's tasks, doccano's seq2seq, YACLC; and our full export.


FULL = "gecbench-annotations"
"""Name in the header of the export with everything."""

_Rows = tuple[Row, ...]

_NOT_IMPORTED = (
    *(Message("submissions"), Message("reviews"), Message("studies"), Message("suggestions")),
)
"""Keys of the full export, and what a report calls them."""


def sniff_json(content: Content, first: str) -> str:
    """The format of a file of JSON, by the first object in it."""
    try:
        _, row = next(json_objects(content.name, content.lines), (1, {}))
    except FormatError:
        return "jsonl"
    if row.get("format") == FULL:
        return "annotations"
    if yaclc.is_sentence(row):
        return "yaclc"
    if "data" in row:
        return "label-studio"
    if "text" in row and "format" not in row:
        return "doccano"
    if first.startswith("[") or "format" not in row:
        raise FormatError(
            "this is JSON of another program: {columns}; the first object has {value}",
            at=Place(content.name, 1),
            columns=COLUMNS,
            value=", ".join(map(repr, row)) or "{}",
        )
    return "jsonl"


def _json_reader(
    parse: Callable[[Row, int], Record | None],
) -> Callable[[Content], Iterator[Entry]]:
    """A reader of files that have an object for each sentence."""

    def read(content: Content) -> Iterator[Entry]:
        try:
            for line, row in json_objects(content.name, content.lines):
                try:
                    record = parse(row, line)
                except GecbenchError as error:
                    yield Trouble(line, error.message)
                else:
                    if record is not None:
                        yield record
        except FormatError as error:
            yield _end_of_file(error)

    return read


def _label_studio(row: Row, line: int) -> Record:
    data = value_of(row, "data", Row)
    key = next((key for key in TEXT_KEYS if isinstance(data.get(key), str)), None)
    if key is None:
        raise FormatError(
            "the task's data has none of text, sentence, source, src, input; name the text so"
        )
    texts: list[str] = []
    left_out: list[str] = []
    for annotation in _rows(row, "annotations"):
        if annotation.get("was_cancelled") is True:
            left_out.append(Message("cancelled annotations"))
            continue
        for result in _rows(annotation, "result"):
            if result.get("type") == "textarea":
                texts += texts_of(value_of(result, "value", Row), "text")
            else:
                kind = printable(result.get("type"))
                left_out.append(Message("results of type {type}", type=kind))
    if row.get("predictions"):
        left_out.append(Message("predictions"))
    return Record(
        line,
        name_in(row, "id"),
        value_of(data, key, str),
        tuple(Rewrite(text=text) for text in texts),
        meta_of(data, {key}),
        left_out=tuple(left_out),
    )


def _doccano(row: Row, line: int) -> Record:
    key = next((key for key in ("label", "labels") if key in row), None)
    return Record(
        line,
        name_in(row, "id"),
        value_of(row, "text", str),
        tuple(Rewrite(text=text) for text in (texts_of(row, key) if key else ())),
        meta_of(row, {"id", "text", "label", "labels", "annotation_approver", "Comments"}),
        left_out=(Message("comments"),) if row.get("Comments") else (),
    )


def _yaclc(row: Row, line: int, *, dimensions: Collection[bool] = (False, True)) -> Record:
    """Read a sentence with its corrections of some dimensions; True is fluency."""
    sentence = yaclc.sentence_of(row)
    annotations = [a for a in sentence.annotations if a.is_fluency in dimensions]
    return Record(
        line,
        sentence.id,
        sentence.text,
        tuple(Rewrite(text=annotation.text) for annotation in annotations),
        sentence.meta,
        fluency=frozenset(k for k, a in enumerate(annotations) if a.is_fluency),
        left_out=(Message("how many annotators wrote each text"),) if annotations else (),
    )


def _annotations(row: Row, line: int) -> Record | None:
    """Read a sentence of the full export: its text and its last golden set."""
    if "format" in row:
        if value_of(row, "schema", int) != 1:
            raise FormatError("schema {schema} is not known, only 1", schema=row["schema"])
        return None
    references: tuple[Rewrite, ...] = ()
    for golden in value_of(row, "goldens", _Rows)[-1:]:
        match value_of(golden, "decision", str):
            case "error_free":
                references = (Rewrite(error_free=True),)
            case "not_annotatable":
                references = (Rewrite(unannotatable=True),)
            case _:
                rows = value_of(golden, "references", _Rows)
                references = tuple(Rewrite(text=value_of(row, "text", str)) for row in rows)
    return Record(
        line,
        value_of(row, "id", str),
        value_of(row, "text", str),
        references,
        meta_of(value_of(row, "meta", Row), ()),
        value_of(row, "source", str) if "source" in row else "",
        left_out=tuple(name for name in _NOT_IMPORTED if row.get(name)),
    )


def _rows(row: Row, key: str) -> _Rows:
    return value_of(row, key, _Rows) if key in row else ()


def _end_of_file(error: FormatError) -> Trouble:
    """That what follows cannot be divided into rows any more."""
    message = Message("{message}; the rest of the file was not looked at", message=error.message)
    return Trouble(_line_of(error), message)


def _table(content: Content, columns: Columns) -> Iterator[Entry]:
    try:
        for row in table_rows(content.name, content.lines, names_of(columns)):
            if isinstance(row, TableRow):
                references = tuple(Rewrite(text=text) for text in row.references)
                yield Record(row.line, row.id, row.source, references, row.meta)
            else:
                yield Trouble(*row)
    except FormatError as error:
        yield _end_of_file(error)


# Lines and blocks to records.


_SOURCE = "source"
"""Key of metadata that names where a sentence comes from."""


def records(
    content: Content, format: str | None = None, columns: Columns | None = None
) -> tuple[str, Iterator[Entry]]:
    """The name of a file's format, and what its lines hold, in order.

    Args:
        content: The file.
        format: Name of its format; None means find out.
        columns: Of a table, as `table.names_of` takes them.

    Raises:
        FormatError: Nothing of it can be read, as without the header that the format demands; or
            it has perturbed cases.
        UsageError: There is no such format, or columns are named of one that has none.
    """
    refuse_perturbed(content)
    name = format or ("table" if columns else sniff(content))
    if name not in READERS:
        raise UnknownNameError(Message("format"), name, READERS)
    if format is None and name in FORMATS and not is_json(content.lines):
        load_format(name).check(Path(content.name), content.lines)
    if name == "table":
        return name, _table(content, columns or {})
    if columns:
        raise UsageError("columns are those of format table alone, not of {format}", format=name)
    return name, READERS[name](content)


def refuse_perturbed(content: Content) -> None:
    """Refuse a file of perturbed cases: a case is several sentences that belong together.

    Raises:
        FormatError: It is one.
    """
    if is_perturbed(content.lines):
        raise FormatError(
            "these are perturbed cases, as RobustGEC has them, and no sentences to annotate; "
            "to annotate their sentences, make a file that has one of them in each line",
            at=Place(content.name, 1),
        )


def parallel(sources: Content, references: Sequence[Content]) -> Iterator[Entry]:
    """Yield the sentences of a file with those of further files, line by line.

    Raises:
        FormatError: A file has another number of lines.
    """
    refuse_perturbed(sources)
    for content in references:
        if len(content.lines) != len(sources.lines):
            raise FormatError(
                "the file has {count} lines, but {file} has {expected}; line k of each file"
                " belongs to sentence k",
                at=Place(content.name, min(len(content.lines), len(sources.lines)) + 1),
                count=len(content.lines),
                file=sources.name,
                expected=len(sources.lines),
            )
    for n, line in enumerate(sources.lines, 1):
        texts = [content.lines[n - 1] for content in references]
        blank = next((k for k, text in enumerate(texts) if not text.strip()), None)
        if not line.strip():
            yield Trouble(
                n, Message("the line is blank, but files of references go with it; fill it")
            )
        elif blank is not None:
            yield Trouble(
                n, Message("the line is blank in {file}; fill it", file=references[blank].name)
            )
        else:
            yield Record(n, None, line, tuple(Rewrite(text=text) for text in texts))


def sniff(content: Content) -> str:
    """The name of the format that a file seems to be in."""
    if without_packing(Path(content.name)).suffix.lower() == ".csv":
        return "table"
    if name := _guess(("fcgec", "bea19"), content.lines):
        return name
    if is_json(content.lines):
        return sniff_json(content, next(filter(str.strip, content.lines)).lstrip())
    names = (name for name in FORMATS if name in READERS and name != "jsonl")
    return _guess(names, content.lines) or "lines"


def _guess(names: Iterable[str], lines: Sequence[str]) -> str | None:
    """The first of these formats that lines are in."""
    formats = map(load_format, names)
    return next((reader.name for reader in formats if reader.matches(lines)), None)


def _lines(content: Content) -> Iterator[Entry]:
    for n, line in enumerate(content.lines, 1):
        yield Record(n, None, line)


def _by_line(name: str) -> Callable[[Content], Iterator[Entry]]:
    """A reader of files whose lines can be read one by one."""

    def read(content: Content) -> Iterator[Entry]:
        for n, line in enumerate(content.lines, 1):
            try:
                records = list(_of_lines(content, name, [line], n))
            except GecbenchError as error:
                yield Trouble(n, error.message)
            else:
                yield from records

    return read


def _whole(name: str) -> Callable[[Content], Iterator[Entry]]:
    """A reader of files that nobody can read on in behind what is wrong."""

    def read(content: Content) -> Iterator[Entry]:
        try:
            yield from _of_lines(content, name, content.lines)
        except FormatError as error:
            yield _end_of_file(error)

    return read


def _of_lines(
    content: Content, name: str, lines: Sequence[str], start: int | None = None
) -> Iterator[Record]:
    """Read the sentences in lines of a format; the first says what is not kept of them.

    Args:
        content: The file.
        name: Of the format.
        lines: What to read.
        start: The line number of all; None takes those of the format.
    """
    reader = load_format(name)
    about, rows = reader.stream(Path(content.name), lines)
    left_out = tuple(counts_not_kept(about.provenance.get(NOT_KEPT, "")).elements())
    for n, sample in rows:
        record = _record(start or n, sample, about.lang)
        yield replace(record, id=record.id if reader.has_ids else None, left_out=left_out)
        left_out = ()


def _multigec(content: Content) -> Iterator[Entry]:
    """Read the lines of essays, each as a sentence that stands in its essay."""
    for entry in _whole("multigec")(content):
        if isinstance(entry, Trouble):
            yield entry
            continue
        essay = essay_lines(str(entry.id), entry.text, (), {}, Counter())
        for sample in essay:
            yield replace(_record(entry.line, sample, None), line=entry.line)


def _jsonl(content: Content) -> Iterator[Entry]:
    header = content.lines[:1]
    try:
        load_format("jsonl").read(Path(content.name), header)
    except GecbenchError as error:
        yield Trouble(1, error.message)
        return
    for n, line in enumerate(content.lines[1:], 2):
        yield _read_sentence(content, "jsonl", [*header, line], n, n)


def _fcgec(content: Content) -> Iterator[Entry]:
    try:
        entries = fcgec.entries(Path(content.name), content.lines)
    except FormatError as error:
        yield Trouble(_line_of(error), error.message)
        return
    for line, key, value in entries:
        losses: Counter[str] = Counter()
        try:
            sample = fcgec.sample_of(key, value, losses)
        except GecbenchError as error:
            name = quote(key)
            yield Trouble(line, Message("{name}: {message}", name=name, message=error.message))
        else:
            yield replace(_record(line, sample, CHINESE), left_out=tuple(losses.elements()))


def _m2(content: Content) -> Iterator[Entry]:
    targets = any(map(is_target, content.lines))
    for rows in blocks(content.lines):
        start, block = rows[0][0], [line for _, line in rows]
        if targets and not any(map(is_target, block)):
            yield Trouble(
                start,
                Message(
                    "the block has no T line; in a file with T lines every block has one (T0 "
                    "没有错误 if it is error free)"
                ),
            )
            continue
        entry = _read_sentence(content, "m2", block, start, None)
        yield entry if isinstance(entry, Trouble) else replace(entry, id=None)


def _read_sentence(
    content: Content,
    format: str,
    rows: Sequence[str],
    start: int,
    line: int | None,
) -> Entry:
    """Read the one sentence that some lines hold, or what is wrong with them.

    Args:
        content: The file.
        format: Its name.
        rows: The lines to read.
        start: Line number of the sentence in the file.
        line: Where trouble is told; None counts on from the start.
    """
    try:
        corpus = load_format(format).read(Path(content.name), rows)
    except GecbenchError as error:
        return Trouble(line or start + _line_of(error) - 1, error.message)
    (sample,) = corpus.samples
    return _record(start, sample, corpus.lang)


def _line_of(error: GecbenchError) -> int:
    """The line that an error names; the first where it is about the file."""
    return error.at.line if isinstance(error.at, Place) else 1


def _record(line: int, sample: Sample, lang: str | None) -> Record:
    return Record(
        line,
        sample.id,
        sample.source,
        tuple(_as_text(sample, rewrite, lang) for rewrite in sample.references),
        {key: value for key, value in sample.meta.items() if key != _SOURCE},
        sample.meta.get(_SOURCE, ""),
    )


def _as_text(sample: Sample, rewrite: Rewrite, lang: str | None) -> Rewrite:
    """A reference without edits, which are extracted again when they are needed."""
    if rewrite.error_free or rewrite.unannotatable:
        return Rewrite(error_free=rewrite.error_free, unannotatable=rewrite.unannotatable)
    return Rewrite(text=text_of(sample, rewrite, lang))


_READERS: Mapping[str, Callable[[Content], Iterator[Entry]]] = {
    "lines": _lines,
    "fcgec": _fcgec,
    "table": lambda content: _table(content, {}),
    "m2": _m2,
    "jsonl": _jsonl,
    "multigec": _multigec,
    "label-studio": _json_reader(_label_studio),
    "doccano": _json_reader(_doccano),
    "yaclc": _json_reader(_yaclc),
    "yaclc-minimal": _json_reader(partial(_yaclc, dimensions=(False,))),
    "yaclc-fluency": _json_reader(partial(_yaclc, dimensions=(True,))),
    "annotations": _json_reader(_annotations),
    **{
        name: _by_line(name)
        for name in ("mucgec", "nasgec", "bea19", "nlpcc18", "pairs", "sighan-test", "ctc2021")
    },
}

READERS = {name: _READERS[name] if name in _READERS else _whole(name) for name in IMPORTED}
"""Name of a format to its reader."""
