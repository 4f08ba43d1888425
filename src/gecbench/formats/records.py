"""Sentences of a file one by one, in the formats of other tools, too; a broken one is reported.

The readers of a corpus stop at the first thing that is wrong. Somebody who corrects a file wants
to know of all of them, so each line, block or object is read by itself here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gecbench.core.errors import (
    FormatError,
    GecbenchError,
    Message,
    Place,
    UnknownNameError,
    quote,
)
from gecbench.core.sample import Rewrite, Sample
from gecbench.formats import load_format
from gecbench.formats.m2 import is_target
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
            "('sentence_text'); the first object has {value}",
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
            rest = Message(
                "{message}; the rest of the file was not looked at", message=error.message
            )
            yield Trouble(_line_of(error), rest)

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
        same = text.strip() == source.strip()
        references.append(Rewrite(error_free=True) if same else Rewrite(text=text))
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


# Lines and blocks to records.


_SOURCE = "source"
"""Key of metadata that names where a sentence comes from."""


def records(content: Content, format: str | None = None) -> tuple[str, Iterator[Found]]:
    """Return the name of a file's format, and what its lines hold, in order.

    Args:
        content: The file.
        format: Name of its format; None means find out.

    Raises:
        FormatError: Nothing of it can be read, as without the header that the format demands.
        UnknownNameError: There is no such format.
    """
    chosen = format or sniffed(content)
    if chosen not in READERS:
        raise UnknownNameError(Message("format"), chosen, READERS)
    if chosen == "mucgec" and format is None:
        load_format(chosen).check(Path(content.name), content.lines)
    return chosen, READERS[chosen](content)


def parallel(sources: Content, references: Sequence[Content]) -> Iterator[Found]:
    """Yield the sentences of a file with those of further files, line by line.

    Raises:
        FormatError: A file has another number of lines.
    """
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
    "m2": _m2,
    "jsonl": _jsonl,
    **FOREIGN_READERS,
}
"""Name of a format to its reader."""
