"""Sentences of a file one by one, in the formats of other tools, too; a broken one is reported.

The readers of a corpus stop at the first thing that is wrong. Somebody who corrects a file wants
to know of all of them, so each line, block or object is read by itself here.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import cast

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
from gecbench.core.sample import Rewrite, Sample
from gecbench.formats import fcgec, load_format
from gecbench.formats.m2 import is_target
from gecbench.formats.perturbed import is_perturbed
from gecbench.formats.texts import CHINESE, blocks, error_place, text_of
from gecbench.formats.validation import json_problem, value_of

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

Row = dict[str, object]
_Rows = tuple[Row, ...]

_TEXT_KEYS = ("text", "sentence", "source", "src", "input")
_SPACE = " \t\n"
_NOT_IMPORTED = (
    *(Message("submissions"), Message("reviews"), Message("studies"), Message("suggestions")),
)
"""Keys of the full export, and what a report calls them."""


def sniff_json(content: Content, first: str) -> str:
    """The format of a file of JSON, by the first object in it."""
    try:
        _, row = next(_objects(content), (1, {}))
    except FormatError:
        return "jsonl"
    if row.get("format") == FULL:
        return "annotations"
    if "sentence_text" in row:
        return "yaclc"
    if "data" in row:
        return "label-studio"
    if "text" in row and "format" not in row:
        return "doccano"
    if first.startswith("["):
        raise FormatError(
            "this JSON is neither Label Studio's (tasks with 'data') nor YACLC's "
            "('sentence_text'); choose the format table and name its columns; the first object "
            "has {value}",
            at=Place(content.name, 1),
            value=", ".join(map(repr, row)) or "{}",
        )
    return "jsonl"


def _objects(content: Content) -> Iterator[tuple[int, Row]]:
    """Yield the objects of a file, an array or one after another, with the line of each.

    Raises:
        FormatError: Something is no JSON, or no object.
    """
    text = "\n".join(content.lines)
    decode = json.JSONDecoder().raw_decode
    at = line = 0
    is_array = text.lstrip(_SPACE).startswith("[")
    if is_array:
        at = text.index("[") + 1
        line = text.count("\n", 0, at)
    separators = re.compile(r"[ \t\n,]*" if is_array else r"[ \t\n]*")
    while True:
        start = at
        at = cast("re.Match[str]", separators.match(text, at)).end()
        line += text.count("\n", start, at)
        with error_place(Place(content.name, line + 1)):
            if at == len(text) and is_array:
                raise FormatError("the array has no end: the file was cut")
            if at == len(text):
                return
            if is_array and text[at] == "]":
                break
            try:
                row, end = decode(text, at)
            except (ValueError, RecursionError) as error:
                raise FormatError("not JSON: {problem}", problem=_json_problem(error)) from None
            if not isinstance(row, dict):
                raise FormatError("an object was expected, not {text}", text=quote(str(row)))
        yield line + 1, row
        line += text.count("\n", at, end)
        at = end
    rest = text[at + 1 :].lstrip(_SPACE)
    if rest:
        raise FormatError(
            "something follows the array: {text}",
            at=Place(content.name, 1 + text.count("\n", 0, len(text) - len(rest))),
            text=quote(rest),
        )


def _json_problem(error: ValueError | RecursionError) -> Message:
    if isinstance(error, json.JSONDecodeError):
        return Message(
            "{problem}: line {line} column {column} (char {char})",
            problem=json_problem(error),
            line=error.lineno,
            column=error.colno,
            char=error.pos,
        )
    if isinstance(error, RecursionError):
        return Message("brackets are nested too deep")
    return Message("a number has too many digits")


def _json_reader(
    parse: Callable[[Row, int], Record | None],
) -> Callable[[Content], Iterator[Entry]]:
    """A reader of files that have an object for each sentence."""

    def read(content: Content) -> Iterator[Entry]:
        try:
            for line, row in _objects(content):
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
    key = next((key for key in _TEXT_KEYS if isinstance(data.get(key), str)), None)
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
                texts += _texts(value_of(result, "value", Row), "text")
            else:
                kind = _printable(result.get("type"))
                left_out.append(Message("results of type {type}", type=kind))
    if row.get("predictions"):
        left_out.append(Message("predictions"))
    return Record(
        line,
        _name(row, "id"),
        value_of(data, key, str),
        tuple(Rewrite(text=text) for text in texts),
        _meta(data, {key}),
        left_out=tuple(left_out),
    )


def _doccano(row: Row, line: int) -> Record:
    key = next((key for key in ("label", "labels") if key in row), None)
    return Record(
        line,
        _name(row, "id"),
        value_of(row, "text", str),
        tuple(Rewrite(text=text) for text in (_texts(row, key) if key else ())),
        _meta(row, {"id", "text", "label", "labels", "annotation_approver", "Comments"}),
        left_out=(Message("comments"),) if row.get("Comments") else (),
    )


def _yaclc(row: Row, line: int) -> Record:
    annotations = _rows(row, "sentence_annos")
    texts = [value_of(annotation, "correction", str) for annotation in annotations]
    fluency = (k for k, a in enumerate(annotations) if a.get("is_grammatical") in (0, False))
    return Record(
        line,
        _name(row, "sentence_id"),
        value_of(row, "sentence_text", str),
        tuple(Rewrite(text=text) for text in texts),
        _meta(row, {"sentence_id", "sentence_text", "sentence_annos"}),
        fluency=frozenset(fluency),
        left_out=(Message("how many annotators wrote each text"),) if texts else (),
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
        _meta(value_of(row, "meta", Row), ()),
        value_of(row, "source", str) if "source" in row else "",
        left_out=tuple(name for name in _NOT_IMPORTED if row.get(name)),
    )


def _printable(value: object) -> str:
    """What a report can show of a value: damaged characters as escapes."""
    return str(value)[:40].encode("utf-8", "backslashreplace").decode()


def _rows(row: Row, key: str) -> _Rows:
    return value_of(row, key, _Rows) if key in row else ()


def _texts(row: Row, key: str) -> tuple[str, ...]:
    """One text or a list of texts."""
    value = row.get(key)
    return (value,) if isinstance(value, str) else value_of(row, key, tuple[str, ...])


def _name(row: Row, key: str) -> str | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise FormatError(
            "{key!r} is {text}; a number or a text was expected", key=key, text=quote(str(value))
        )
    return str(value)


def _meta(row: Row, columns: Collection[str]) -> dict[str, str]:
    """What stands in all other columns, as texts."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in row.items()
        if name not in columns
    }


# Tables whose columns are named: CSV, TSV, and objects of JSON.


ROLES = ("id", "source", "references", "document", "position")
"""What a column can hold; `document` and `position` say where a sentence stands in a text."""

_LONGEST_NAME = 100
_ROWS_WITH_NAMES = 100
_MOST_NAMES = 500
_DAMAGED = re.compile("[\0\ud800-\udfff]")


def _table(content: Content, columns: Mapping[str, str]) -> Iterator[Entry]:
    """Read rows with named columns; other columns are facts about the sentence."""
    names = _names_of(columns)
    rows = _flat_objects(content, names.get("source", ())) if _is_json(content) else _cells(content)
    known: dict[str, None] = {}
    try:
        for line, row in rows:
            if isinstance(row, Message):
                yield Trouble(line, row)
                continue
            if not known:
                _name_columns(content, names, row, line)
            known |= dict.fromkeys(row)
            try:
                yield _row_record(row, names, line)
            except GecbenchError as error:
                yield Trouble(line, error.message)
    except FormatError as error:
        yield _end_of_file(error)
    else:
        for name in chain.from_iterable(names.values()):
            if name not in known:
                yield Trouble(1, _no_column(name, known))


def column_names(content: Content) -> list[str]:
    """The columns of a table, the first 500 of those in its first 100 rows; none if it is none.

    Names that begin or end with a space, which `records` does not tell apart, are left out.
    """
    rows = _flat_objects(content, ()) if _is_json(content) else _cells(content)
    names: dict[str, None] = {}
    try:
        for _, row in islice(rows, _ROWS_WITH_NAMES):
            names |= {} if isinstance(row, Message) else dict.fromkeys(row)
    except FormatError:
        pass  # what is wrong is said where the file is read
    usable = (name for name in names if name == name.strip() and not _DAMAGED.search(name))
    return [*islice(usable, _MOST_NAMES)]


def join_names(names: Iterable[str]) -> str:
    """Names of columns with commas between them, as `records` takes them.

    >>> join_names(["a", "b, c"])
    'a,"b, c"'
    """
    line = io.StringIO()
    csv.writer(line).writerow(names)
    return line.getvalue().removesuffix("\r\n")


def _names_of(columns: Mapping[str, str]) -> dict[str, list[str]]:
    for role in columns:
        if role not in ROLES:
            raise UnknownNameError(Message("column"), role, ROLES)
    return {role: split_names(text) for role, text in columns.items()}


def split_names(text: str) -> list[str]:
    """Names of columns that stand with commas between them; one with a comma is in quotes.

    >>> split_names('a, "b, c"')
    ['a', 'b, c']
    """
    rows = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    return [name.strip() for row in rows for name in row] or [""]


def _is_json(content: Content) -> bool:
    first = next((line for line in content.lines if line.strip()), "")
    return first.lstrip().startswith(("{", "["))


def _name_columns(
    content: Content, names: dict[str, list[str]], row: Mapping[str, object], line: int
) -> None:
    """Add the columns that are called as what they hold; without a sentence, refuse them all."""
    for role in ROLES:
        name = usual_column(role, row)
        if role not in names and name:
            names[role] = [name]
    source = names.get("source", ["source"])[0]
    if source not in row:
        raise FormatError(_no_column(source, row), at=Place(content.name, line))


def usual_column(role: str, names: Collection[str]) -> str:
    """The column that is called as what it holds; "" where there is none."""
    usual = ("source", *_TEXT_KEYS) if role == "source" else (role,)
    return next((name for name in usual if name in names), "")


def _no_column(name: str, names: Iterable[str]) -> Message:
    return Message(
        "there is no column {name}; name the columns by those that are there: {names}",
        name=quote(name),
        names=", ".join(map(_printable, islice(names, 20))),
    )


def _row_record(row: Row, names: Mapping[str, Sequence[str]], line: int) -> Record:
    columns = {name for role in names.values() for name in role}
    meta = {name: text for name, text in _meta(row, columns).items() if row[name] != ""}
    single = {
        role: _name(row, names[role][0]) for role in ("id", "document", "position") if role in names
    }
    meta |= {role: value for role, value in single.items() if role != "id" and value}
    if not re.fullmatch("[0-9]*", meta.get("position", "")):
        raise FormatError(
            "the position is {value}; a whole number was expected", value=quote(meta["position"])
        )
    filled_columns = (name for name in names.get("references", ()) if row.get(name) is not None)
    texts = [text for name in filled_columns for text in _texts(row, name) if text.strip()]
    source = value_of(row, names["source"][0], str)
    return Record(line, single.get("id"), source, tuple(Rewrite(text=text) for text in texts), meta)


def _flat_objects(content: Content, source: Sequence[str]) -> Iterator[tuple[int, Row | Message]]:
    """Yield the objects of a file; of one object of objects, those, their keys as ids.

    That one is a row by itself where it has the column of the sentence.
    """
    rows = _objects(content)
    first = [*islice(rows, 2)]
    for line, row in first if len(first) == 1 else ():
        is_row = any(name in _flat(row) for name in source)
        if row and not is_row and all(isinstance(value, dict) for value in row.values()):
            for key, value in row.items():
                yield line, _flat({"id": key, **cast("Row", value)})
            return
    for line, row in chain(first, rows):
        yield line, _flat(row)


def _flat(row: Row) -> Row:
    """An object without objects in it: {"a": {"b": 1}} has the column "a.b"."""
    flat: Row = {}
    rest = [*reversed(row.items())]
    while rest:
        name, value = rest.pop()
        if isinstance(value, dict) and value and len(name) <= _LONGEST_NAME:
            rest += [(f"{name}.{key}", inner) for key, inner in reversed(value.items())]
        else:
            flat[name] = value
    return flat


def _cells(content: Content) -> Iterator[tuple[int, Row | Message]]:
    """Yield the rows of CSV, or of TSV, where quotation marks are nothing but that."""
    tabs = "\t" in content.lines[0]
    rows = csv.reader(
        (f"{line}\n" for line in content.lines),
        delimiter="\t" if tabs else max(",;", key=content.lines[0].count),
        quoting=csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL,
        strict=True,
    )
    header: list[str] = []
    start = 1
    try:
        for cells in rows:
            if not header:
                header = [name.strip() for name in cells]
                if len(set(header)) < len(header):
                    raise FormatError(
                        "two columns have the same name; give each a name of its own",
                        at=Place(content.name, start),
                    )
            elif cells and len(cells) != len(header):
                yield (
                    start,
                    Message(
                        "the row has {count} cells, but the first row has {expected}",
                        count=len(cells),
                        expected=len(header),
                    ),
                )
            elif cells:
                yield start, dict(zip(header, cells, strict=True))
            start = rows.line_num + 1
    except csv.Error as error:
        raise FormatError(
            "the row cannot be divided into cells: a quotation mark is open or in a wrong place, "
            "or a cell has more than {most:,} characters",
            at=Place(content.name, start),
            most=csv.field_size_limit(),
        ) from error


def _end_of_file(error: FormatError) -> Trouble:
    """That what follows cannot be divided into rows any more."""
    message = Message("{message}; the rest of the file was not looked at", message=error.message)
    return Trouble(_line_of(error), message)


# Lines and blocks to records.


_SOURCE = "source"
"""Key of metadata that names where a sentence comes from."""


def records(
    content: Content, format: str | None = None, columns: Mapping[str, str] | None = None
) -> tuple[str, Iterator[Entry]]:
    """The name of a file's format, and what its lines hold, in order.

    Args:
        content: The file.
        format: Name of its format; None means find out.
        columns: Of a table: a key of ROLES to the name of the column; of the references, several
            names with commas between them; a name with a comma in quotation marks, as in CSV.

    Raises:
        FormatError: Nothing of it can be read, as without the header that the format demands; or
            it has perturbed cases.
        UsageError: There is no such format, or columns are named of one that has none.
    """
    refuse_perturbed(content)
    name = format or ("table" if columns else sniff(content))
    if name not in READERS:
        raise UnknownNameError(Message("format"), name, READERS)
    if name == "mucgec" and format is None:
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
    if load_format("fcgec").sniff(content.lines):
        return "fcgec"
    if _is_json(content):
        return sniff_json(content, next(filter(str.strip, content.lines)).lstrip())
    names = ("mucgec", "m2")
    return next((name for name in names if load_format(name).sniff(content.lines)), "lines")


def _lines(content: Content) -> Iterator[Entry]:
    for n, line in enumerate(content.lines, 1):
        yield Record(n, None, line)


def _mucgec(content: Content) -> Iterator[Entry]:
    for n, line in enumerate(content.lines, 1):
        yield _read_sentence(content, "mucgec", [line], n, n)


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


READERS: Mapping[str, Callable[[Content], Iterator[Entry]]] = {
    "lines": _lines,
    "mucgec": _mucgec,
    "fcgec": _fcgec,
    "table": lambda content: _table(content, {}),
    "m2": _m2,
    "jsonl": _jsonl,
    "label-studio": _json_reader(_label_studio),
    "doccano": _json_reader(_doccano),
    "yaclc": _json_reader(_yaclc),
    "annotations": _json_reader(_annotations),
}
"""Name of a format to its reader."""
