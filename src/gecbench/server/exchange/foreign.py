"""Files of other tools: Label Studio's tasks, doccano's seq2seq, YACLC; and our full export."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from gecbench.core.errors import FormatError, GecbenchError, quote
from gecbench.core.sample import Rewrite
from gecbench.formats.validation import value_of
from gecbench.server.exchange.content import Content
from gecbench.server.exchange.found import Found, Record, Trouble

FULL = "gecbench-annotations"
"""Name in the header of the export with everything."""

Row = dict[str, object]
_Rows = tuple[Row, ...]

_TEXT_KEYS = ("text", "sentence", "source", "src", "input")
_SPACE = " \t\n"


def sniffed(content: Content, first: str) -> str:
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
            f"{content.name}:1: this JSON is neither Label Studio's (tasks with 'data') nor "
            f"YACLC's ('sentence_text'); the first object has {', '.join(map(repr, item)) or '{}'}"
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
        except (ValueError, RecursionError) as error:  # a number of many digits is a ValueError
            raise FormatError(f"{content.name}:{line + 1}: not JSON: {error}") from None
        if not isinstance(item, dict):
            raise FormatError(
                f"{content.name}:{line + 1}: an object was expected, not {quote(str(item))}"
            )
        yield line + 1, item
        line += text.count("\n", at, after)
        at = after


def _ended(content: Content, line: int, rest: str) -> None:
    """Refuse an array that was cut, or that something follows.

    Raises:
        FormatError: Says which.
    """
    if not rest:
        raise FormatError(f"{content.name}:{line}: the array has no end: the file was cut")
    after = rest[1:].lstrip(_SPACE)
    if after:
        line += rest[: len(rest) - len(after)].count("\n")
        raise FormatError(f"{content.name}:{line}: something follows the array: {quote(after)}")


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
                    yield Trouble(line, str(error))
                else:
                    if record is not None:
                        yield record
        except FormatError as error:
            # What follows cannot be divided into objects any more.
            place, _, message = str(error).removeprefix(f"{content.name}:").partition(": ")
            yield Trouble(int(place), f"{message}; the rest of the file was not looked at")

    return reader


def _label_studio(row: Row, line: int) -> Record:
    data = value_of(row, "data", Row)
    key = next((one for one in _TEXT_KEYS if isinstance(data.get(one), str)), None)
    if key is None:
        raise FormatError(f"the task's data has none of {', '.join(_TEXT_KEYS)}; name the text so")
    references: list[Rewrite] = []
    left_out: list[str] = []
    done = _rows(row, "annotations")
    for annotation in done:
        if annotation.get("was_cancelled") is True:
            left_out.append("cancelled annotations")
            continue
        for result in _rows(annotation, "result"):
            if result.get("type") != "textarea":
                left_out.append(f"results of type {_printable(result.get('type'))}")
                continue
            texts = _texts(value_of(result, "value", Row), "text")
            references += [Rewrite(text=text) for text in texts]
    if row.get("predictions"):
        left_out.append("predictions")
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
    left_out = ("comments",) if row.get("Comments") else ()
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
        left_out=("how many annotators wrote each text",) if references else (),
    )


def _annotations(row: Row, line: int) -> Record | None:
    """Read a sentence of the full export: its text and its last golden set."""
    if "format" in row:
        if value_of(row, "schema", int) != 1:
            raise FormatError(f"schema {row['schema']} is not known, only 1")
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
    left_out = [name for name in ("submissions", "reviews", "studies") if row.get(name)]
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
        raise FormatError(f"{key!r} is {quote(str(value))}; a number or a text was expected")
    return str(value)


def _said(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


READERS: Mapping[str, Callable[[Content], Iterator[Found]]] = {
    "label-studio": _each(_label_studio),
    "doccano": _each(_doccano),
    "yaclc": _each(_yaclc),
    "annotations": _each(_annotations),
}
"""Name of a format to its reader."""
