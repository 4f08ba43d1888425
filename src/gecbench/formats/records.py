"""Sentences of a file one by one, in the formats of other tools, too; a broken one is reported.

The readers of a corpus stop at the first thing that is wrong. Somebody who corrects a file wants
to know of all of them, so each line, block or object is read by itself here.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from gecbench.core.sample import Rewrite, Sample
from gecbench.formats import fcgec, load_format
from gecbench.formats.m2 import is_target
from gecbench.formats.perturbed import is_perturbed
from gecbench.formats.texts import text_of
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


Found = Record | Trouble


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


def sniff_foreign(content: Content, first: str) -> str:
    """Return the format of a file of JSON, by the first object in it."""
    try:
        _, item = next(_items(content), (1, {}))
    except FormatError:
        return "jsonl"
    if item.get("format") == FULL:
        return "annotations"
    if "sentence_text" in item:
        return "yaclc"
    if "data" in item:
        return "label-studio"
    if "text" in item and "format" not in item:
        return "doccano"
    if first.startswith("["):
        raise FormatError(
            "this JSON is neither Label Studio's (tasks with 'data') nor YACLC's "
            "('sentence_text'); choose the format table and name its columns; the first object "
            "has {value}",
            at=Place(content.name, 1),
            value=", ".join(map(repr, item)) or "{}",
        )
    return "jsonl"


def _items(content: Content) -> Iterator[tuple[int, Row]]:
    """Yield the objects of a file, an array or one after another, with the line of each.

    Raises:
        FormatError: Something is no JSON, or no object.
    """
    text = "\n".join(content.lines)
    decode = json.JSONDecoder().raw_decode
    at = line = 0
    end = len(text)
    array = text.lstrip(_SPACE).startswith("[")
    if array:
        at = text.index("[") + 1
        line = text.count("\n", 0, at)
    skipped = _SPACE + ("," if array else "")
    while True:
        begin = at
        while at < end and text[at] in skipped:
            at += 1
        line += text.count("\n", begin, at)
        if at >= end or (array and text[at] == "]"):
            if array:
                _ended(content, line + 1, text[at:])
            return
        try:
            item, after = decode(text, at)
        except (ValueError, RecursionError) as error:
            raise FormatError(
                "not JSON: {problem}",
                at=Place(content.name, line + 1),
                problem=_why_not_json(error),
            ) from None
        if not isinstance(item, dict):
            raise FormatError(
                "an object was expected, not {text}",
                at=Place(content.name, line + 1),
                text=quote(str(item)),
            )
        yield line + 1, item
        line += text.count("\n", at, after)
        at = after


def _why_not_json(error: ValueError | RecursionError) -> Message:
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


def _ended(content: Content, line: int, rest: str) -> None:
    """Refuse an array that was cut, or that something follows.

    Raises:
        FormatError: Says which.
    """
    if not rest:
        raise FormatError("the array has no end: the file was cut", at=Place(content.name, line))
    after = rest[1:].lstrip(_SPACE)
    if after:
        line += rest[: len(rest) - len(after)].count("\n")
        raise FormatError(
            "something follows the array: {text}", at=Place(content.name, line), text=quote(after)
        )


def _each(
    read: Callable[[Row, int], Record | None],
) -> Callable[[Content], Iterator[Found]]:
    """Return a reader of files that have an object for each sentence."""

    def reader(content: Content) -> Iterator[Found]:
        try:
            for line, item in _items(content):
                try:
                    record = read(item, line)
                except GecbenchError as error:
                    yield Trouble(line, error.message)
                else:
                    if record is not None:
                        yield record
        except FormatError as error:
            # What follows cannot be divided into objects any more.
            yield Trouble(_line_of(error), _cut(error))

    return reader


def _label_studio(row: Row, line: int) -> Record:
    data = value_of(row, "data", Row)
    key = next((one for one in _TEXT_KEYS if isinstance(data.get(one), str)), None)
    if key is None:
        raise FormatError(
            "the task's data has none of text, sentence, source, src, input; name the text so"
        )
    references: list[Rewrite] = []
    left_out: list[str] = []
    done = _rows(row, "annotations")
    for annotation in done:
        if annotation.get("was_cancelled") is True:
            left_out.append(Message("cancelled annotations"))
            continue
        for result in _rows(annotation, "result"):
            if result.get("type") != "textarea":
                left_out.append(
                    Message("results of type {type}", type=_printable(result.get("type")))
                )
                continue
            texts = _texts(value_of(result, "value", Row), "text")
            references += [Rewrite(text=text) for text in texts]
    if row.get("predictions"):
        left_out.append(Message("predictions"))
    meta = {name: _said(value) for name, value in data.items() if name != key}
    return Record(
        line,
        _name(row, "id"),
        value_of(data, key, str),
        tuple(references),
        meta,
        "",
        left_out=(*left_out,),
    )


def _doccano(row: Row, line: int) -> Record:
    key = next((one for one in ("label", "labels") if one in row), None)
    texts = _texts(row, key) if key else ()
    kept = {"id", "text", "label", "labels", "annotation_approver", "Comments"}
    meta = {name: _said(value) for name, value in row.items() if name not in kept}
    left_out = (Message("comments"),) if row.get("Comments") else ()
    references = tuple(Rewrite(text=text) for text in texts)
    return Record(
        line, _name(row, "id"), value_of(row, "text", str), references, meta, left_out=left_out
    )


def _yaclc(row: Row, line: int) -> Record:
    source = value_of(row, "sentence_text", str)
    references: list[Rewrite] = []
    fluency: set[int] = set()
    for one in _rows(row, "sentence_annos"):
        text = value_of(one, "correction", str)
        if one.get("is_grammatical") in (0, False):
            fluency.add(len(references))
        references.append(Rewrite(text=text))
    kept = {"sentence_id", "sentence_text", "sentence_annos"}
    meta = {name: _said(value) for name, value in row.items() if name not in kept}
    return Record(
        line,
        _name(row, "sentence_id"),
        source,
        tuple(references),
        meta,
        fluency=frozenset(fluency),
        left_out=(Message("how many annotators wrote each text"),) if references else (),
    )


def _annotations(row: Row, line: int) -> Record | None:
    """Read a sentence of the full export: its text and its last golden set."""
    if "format" in row:
        if value_of(row, "schema", int) != 1:
            raise FormatError("schema {schema} is not known, only 1", schema=row["schema"])
        return None
    golden = value_of(row, "goldens", _Rows)[-1:]
    references = tuple(
        Rewrite(text=value_of(one, "text", str))
        for last in golden
        for one in value_of(last, "references", _Rows)
    )
    if golden and value_of(golden[0], "decision", str) == "error_free":
        references = (Rewrite(error_free=True),)
    elif golden and value_of(golden[0], "decision", str) == "not_annotatable":
        references = (Rewrite(unannotatable=True),)
    left_out = [name for name in _NOT_IMPORTED if row.get(name)]
    meta = {key: _said(value) for key, value in value_of(row, "meta", Row).items()}
    source = value_of(row, "source", str) if "source" in row else ""
    return Record(
        line,
        value_of(row, "id", str),
        value_of(row, "text", str),
        references,
        meta,
        source,
        left_out=(*left_out,),
    )


def _printable(value: object) -> str:
    """Return what a report can show of a value: damaged characters as escapes."""
    return str(value)[:40].encode("utf-8", "backslashreplace").decode()


def _rows(row: Row, key: str) -> _Rows:
    return value_of(row, key, _Rows) if key in row else ()


def _texts(row: Row, key: str) -> tuple[str, ...]:
    """Return one text or a list of texts."""
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


def _said(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


FOREIGN_READERS: Mapping[str, Callable[[Content], Iterator[Found]]] = {
    "label-studio": _each(_label_studio),
    "doccano": _each(_doccano),
    "yaclc": _each(_yaclc),
    "annotations": _each(_annotations),
}
"""Name of a format to its reader."""


# Tables whose columns are named: CSV, TSV, and objects of JSON.


ROLES = ("id", "source", "references", "document", "position")
"""What a column can hold; `document` and `position` say where a sentence stands in a text."""

_LONGEST_NAME = 100


def _table(content: Content, columns: Mapping[str, str]) -> Iterator[Found]:
    """Read rows with named columns; other columns are facts about the sentence."""
    unknown = next((role for role in columns if role not in ROLES), None)
    if unknown is not None:
        raise UnknownNameError(Message("column"), unknown, ROLES)
    named = {role: [name.strip() for name in text.split(",")] for role, text in columns.items()}
    first = next((line for line in content.lines if line.strip()), "").lstrip()
    is_json = first.startswith(("{", "["))
    rows = _objects(content, named.get("source", ())) if is_json else _cells(content)
    seen: dict[str, None] = {}
    try:
        for line, row in rows:
            if isinstance(row, Message):
                yield Trouble(line, row)
                continue
            if not seen:
                _name_columns(content, named, row, line)
            seen |= dict.fromkeys(row)
            try:
                yield _row_record(row, named, line)
            except GecbenchError as error:
                yield Trouble(line, error.message)
    except FormatError as error:
        yield Trouble(_line_of(error), _cut(error))
    else:
        for name in (name for names in named.values() for name in names if name not in seen):
            yield Trouble(1, _no_column(name, seen))


def _name_columns(
    content: Content, named: dict[str, list[str]], row: Mapping[str, object], line: int
) -> None:
    """Add the columns that are called as what they hold; without a sentence, refuse them all."""
    for role in ROLES:
        usual = ("source", *_TEXT_KEYS) if role == "source" else (role,)
        same = next((name for name in usual if name in row), None)
        if role not in named and same is not None:
            named[role] = [same]
    name = next(iter(named.get("source", ("source",))))
    if name not in row:
        raise FormatError(_no_column(name, row), at=Place(content.name, line))


def _no_column(name: str, names: Iterable[str]) -> Message:
    return Message(
        "there is no column {name}; name the columns by those that are there: {names}",
        name=quote(name),
        names=", ".join(map(_printable, islice(names, 20))),
    )


def _row_record(row: Row, named: Mapping[str, Sequence[str]], line: int) -> Record:
    texts = [text for name in named.get("references", ()) for text in _references(row, name)]
    used = {name for names in named.values() for name in names}
    meta = {name: _said(value) for name, value in row.items() if name not in used and value != ""}
    single = {
        role: _name(row, named[role][0]) for role in ("id", "document", "position") if role in named
    }
    meta |= {role: value for role, value in single.items() if role != "id" and value}
    if not re.fullmatch("[0-9]*", meta.get("position", "")):
        raise FormatError(
            "the position is {value}; a whole number was expected", value=quote(meta["position"])
        )
    text = value_of(row, named["source"][0], str)
    references = tuple(Rewrite(text=text) for text in texts if text.strip())
    return Record(line, single.get("id"), text, references, meta)


def _references(row: Row, name: str) -> tuple[str, ...]:
    return () if row.get(name) is None else _texts(row, name)


def _objects(content: Content, source: Sequence[str]) -> Iterator[tuple[int, Row | Message]]:
    """Yield the objects of a file; of one object of objects, those, their keys as ids.

    That one is a row by itself where it has the column of the sentence.
    """
    items = _items(content)
    begin = [*islice(items, 2)]
    for line, item in begin[:1]:
        single = len(begin) == 1 and not any(name in _flat(item) for name in source)
        if single and item and all(isinstance(value, dict) for value in item.values()):
            for key, value in item.items():
                yield line, _flat({"id": key, **cast("Row", value)})
            return
    for line, item in chain(begin, items):
        yield line, _flat(item)


def _flat(row: Row) -> Row:
    """Return an object without objects in it: {"a": {"b": 1}} has the column "a.b"."""
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
    begin = 1
    try:
        for cells in rows:
            if not header:
                header = [name.strip() for name in cells]
                if len(set(header)) < len(header):
                    raise FormatError(
                        "two columns have the same name; give each a name of its own",
                        at=Place(content.name, begin),
                    )
            elif cells and len(cells) != len(header):
                yield begin, _uneven(len(cells), len(header))
            elif cells:
                yield begin, dict(zip(header, cells, strict=True))
            begin = rows.line_num + 1
    except csv.Error as error:
        raise FormatError(
            "the row cannot be divided into cells: a quotation mark is open or in a wrong place, "
            "or a cell has more than {most:,} characters",
            at=Place(content.name, begin),
            most=csv.field_size_limit(),
        ) from error


def _uneven(count: int, expected: int) -> Message:
    return Message(
        "the row has {count} cells, but the first row has {expected}",
        count=count,
        expected=expected,
    )


def _cut(error: FormatError) -> Message:
    return Message("{message}; the rest of the file was not looked at", message=error.message)


# Lines and blocks to records.


_SOURCE = "source"
"""Key of metadata that names where a sentence comes from."""


def records(
    content: Content, format: str | None = None, columns: Mapping[str, str] | None = None
) -> tuple[str, Iterator[Found]]:
    """Return the name of a file's format, and what its lines hold, in order.

    Args:
        content: The file.
        format: Name of its format; None means find out.
        columns: Of a table: a key of ROLES to the name of the column; of the references, several
            names with commas between them.

    Raises:
        FormatError: Nothing of it can be read, as without the header that the format demands; or
            it has perturbed cases.
        UsageError: There is no such format, or columns are named of one that has none.
    """
    refuse_perturbed(content)
    chosen = format or ("table" if columns else sniffed(content))
    if chosen not in READERS:
        raise UnknownNameError(Message("format"), chosen, READERS)
    if chosen == "mucgec" and format is None:
        load_format(chosen).check(Path(content.name), content.lines)
    if chosen == "table":
        return chosen, _table(content, columns or {})
    if columns:
        raise UsageError("columns are those of format table alone, not of {format}", format=chosen)
    return chosen, READERS[chosen](content)


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


def parallel(sources: Content, references: Sequence[Content]) -> Iterator[Found]:
    """Yield the sentences of a file with those of further files, line by line.

    Raises:
        FormatError: A file has another number of lines.
    """
    refuse_perturbed(sources)
    for each in references:
        if len(each.lines) != len(sources.lines):
            raise FormatError(
                "the file has {count} lines, but {file} has {expected}; line k of each file"
                " belongs to sentence k",
                at=Place(each.name, min(len(each.lines), len(sources.lines)) + 1),
                count=len(each.lines),
                file=sources.name,
                expected=len(sources.lines),
            )
    for n, line in enumerate(sources.lines, 1):
        texts = [each.lines[n - 1] for each in references]
        if not line.strip():
            yield Trouble(
                n, Message("the line is blank, but files of references go with it; fill it")
            )
        elif not all(text.strip() for text in texts):
            which = next(k for k, text in enumerate(texts) if not text.strip())
            yield Trouble(
                n, Message("the line is blank in {file}; fill it", file=references[which].name)
            )
        else:
            yield Record(n, None, line, tuple(Rewrite(text=text) for text in texts))


def sniffed(content: Content) -> str:
    """Return the name of the format that a file seems to be in."""
    if content.name.lower().endswith(".csv"):
        return "table"
    if load_format("fcgec").sniff(content.lines):
        return "fcgec"
    first = next((line for line in content.lines if line.strip()), "").lstrip()
    if first.startswith(("{", "[")):
        return sniff_foreign(content, first)
    named = ("mucgec", "m2")
    return next((name for name in named if load_format(name).sniff(content.lines)), "lines")


def _lines(content: Content) -> Iterator[Found]:
    for n, line in enumerate(content.lines, 1):
        yield Record(n, None, line)


def _mucgec(content: Content) -> Iterator[Found]:
    yield from _one_by_one(content, "mucgec", range(len(content.lines)), lambda n: (n,))


def _jsonl(content: Content) -> Iterator[Found]:
    header = _told(content, load_format("jsonl").read, content.lines[:1], 1, 1)
    if isinstance(header, Trouble):
        yield header
        return
    places = range(1, len(content.lines))
    yield from _one_by_one(content, "jsonl", places, lambda n: (0, n))


def _fcgec(content: Content) -> Iterator[Found]:
    path = Path(content.name)
    try:
        entries = fcgec.entries(path, content.lines)
    except FormatError as error:
        yield Trouble(_line_of(error), error.message)
        return
    for line, key, value in entries:
        lost: Counter[str] = Counter()
        try:
            sample = fcgec.sample_of(path, line, key, value, lost)
        except GecbenchError as error:
            name = quote(key)
            yield Trouble(line, Message("{name}: {message}", name=name, message=error.message))
        else:
            record = _record(line, sample, "zh", numbered=False)
            yield replace(record, left_out=tuple(lost.elements()))


def _one_by_one(
    content: Content, format: str, places: Sequence[int], together: Callable[[int], Sequence[int]]
) -> Iterator[Found]:
    """Yield a record for each line; `together` says which lines make it readable."""
    read = load_format(format).read
    for place in places:
        rows = [content.lines[n] for n in together(place)]
        found = _told(content, read, rows, place + 1, place + 1)
        if isinstance(found, Trouble):
            yield found
        else:
            yield _record(place + 1, found[0], "zh", numbered=False)


def _m2(content: Content) -> Iterator[Found]:
    read = load_format("m2").read
    targets = any(map(is_target, content.lines))
    for start, block in _blocks(content.lines):
        if targets and not any(map(is_target, block)):
            yield Trouble(
                start,
                Message(
                    "the block has no T line; in a file with T lines every block has one (T0 "
                    "没有错误 if it is error free)"
                ),
            )
            continue
        found = _told(content, read, block, start, None)
        if isinstance(found, Trouble):
            yield found
        else:
            yield _record(start, found[0], "zh" if targets else "en", numbered=True)


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    block: list[str] = []
    for n, line in enumerate(lines, 1):
        if line.strip():
            block.append(line)
        elif block:
            yield n - len(block), block
            block = []
    if block:
        yield len(lines) + 1 - len(block), block


def _told(
    content: Content,
    read: Callable[..., object],
    rows: Sequence[str],
    start: int,
    line: int | None,
) -> tuple[Sample, ...] | Trouble:
    """Return what some lines hold, or what is wrong with them.

    Args:
        content: The file.
        read: Of the format.
        rows: The lines to read.
        start: Line number of the first of them in the file.
        line: Where trouble is told; None counts on from the start.
    """
    try:
        corpus = read(Path(content.name), rows)
    except GecbenchError as error:
        return Trouble(line or start + _line_of(error) - 1, error.message)
    return corpus.samples  # type: ignore[attr-defined,no-any-return]  # each reads a Corpus


def _line_of(error: GecbenchError) -> int:
    """The line that an error names; the first where it is about the file."""
    return error.at.line if isinstance(error.at, Place) else 1


def _record(line: int, sample: Sample, lang: str, *, numbered: bool) -> Record:
    meta = {key: value for key, value in sample.meta.items() if key != _SOURCE}
    return Record(
        line,
        None if numbered else sample.id,
        sample.source,
        tuple(_as_text(sample, one, lang) for one in sample.references),
        meta,
        sample.meta.get(_SOURCE, ""),
    )


def _as_text(sample: Sample, rewrite: Rewrite, lang: str) -> Rewrite:
    """Return a reference without edits: they are found anew when they are wanted."""
    if rewrite.error_free or rewrite.unannotatable:
        return Rewrite(error_free=rewrite.error_free, unannotatable=rewrite.unannotatable)
    return Rewrite(text=text_of(sample, rewrite, lang))


READERS: Mapping[str, Callable[[Content], Iterator[Found]]] = {
    "lines": _lines,
    "mucgec": _mucgec,
    "fcgec": _fcgec,
    "table": lambda content: _table(content, {}),
    "m2": _m2,
    "jsonl": _jsonl,
    **FOREIGN_READERS,
}
"""Name of a format to its reader."""
