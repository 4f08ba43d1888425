"""Files of other tools: Label Studio's tasks, doccano's seq2seq, YACLC; and our full export."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from gecbench.core.errors import FormatError, GecbenchError
from gecbench.core.sample import Rewrite
from gecbench.formats.fields import Fields
from gecbench.formats.texts import shown
from gecbench.server.exchange.content import Content
from gecbench.server.exchange.found import Found, Record, Trouble

FULL = "gecbench-annotations"
"""Name in the header of the export with everything."""

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


def _items(content: Content) -> Iterator[tuple[int, Mapping[str, object]]]:
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
            raise FormatError(f"{content.name}:{line + 1}: an object was expected, not {item!r}")
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
        raise FormatError(f"{content.name}:{line}: something follows the array: {shown(after)}")


def _each(
    read: Callable[[Fields, int], Record | None],
) -> Callable[[Content], Iterator[Found]]:
    """Return a reader of files that have an object for each sentence."""

    def reader(content: Content) -> Iterator[Found]:
        try:
            for line, item in _items(content):
                try:
                    record = read(Fields("", item), line)
                except GecbenchError as error:
                    yield Trouble(line, str(error).removeprefix(": "))
                else:
                    if record is not None:
                        yield record
        except FormatError as error:
            # What follows cannot be divided into objects any more.
            place, _, message = str(error).removeprefix(f"{content.name}:").partition(": ")
            yield Trouble(int(place), f"{message}; the rest of the file was not looked at")

    return reader


def _label_studio(row: Fields, line: int) -> Record:
    data = _object(row, "data")
    key = next((one for one in _TEXT_KEYS if isinstance(data.values.get(one), str)), None)
    if key is None:
        raise FormatError(
            f": the task's data has none of {', '.join(_TEXT_KEYS)}; name the text so"
        )
    references: list[Rewrite] = []
    left_out: list[str] = []
    done = row.rows("annotations") if row.has("annotations") else ()
    for annotation in done:
        if annotation.values.get("was_cancelled") is True:
            left_out.append("cancelled annotations")
            continue
        for result in annotation.rows("result") if annotation.has("result") else ():
            if result.values.get("type") != "textarea":
                left_out.append(f"results of type {_printable(result.values.get('type'))}")
                continue
            references += [Rewrite(text=text) for text in _texts(_object(result, "value"), "text")]
    if row.has("predictions") and row.values["predictions"]:
        left_out.append("predictions")
    meta = {name: _said(value) for name, value in data.values.items() if name != key}
    return Record(
        line, _name(row, "id"), data.text(key), tuple(references), meta, "", left_out=(*left_out,)
    )


def _doccano(row: Fields, line: int) -> Record:
    key = next((one for one in ("label", "labels") if row.has(one)), None)
    texts = _texts(row, key) if key else ()
    kept = {"id", "text", "label", "labels", "annotation_approver", "Comments"}
    meta = {name: _said(value) for name, value in row.values.items() if name not in kept}
    left_out = ("comments",) if row.values.get("Comments") else ()
    references = tuple(Rewrite(text=text) for text in texts)
    return Record(line, _name(row, "id"), row.text("text"), references, meta, left_out=left_out)


def _yaclc(row: Fields, line: int) -> Record:
    source = row.text("sentence_text")
    references: list[Rewrite] = []
    fluency: set[int] = set()
    for one in row.rows("sentence_annos") if row.has("sentence_annos") else ():
        text = one.text("correction")
        if one.values.get("is_grammatical") in (0, False):
            fluency.add(len(references))
        same = text.strip() == source.strip()
        references.append(Rewrite(error_free=True) if same else Rewrite(text=text))
    kept = {"sentence_id", "sentence_text", "sentence_annos"}
    meta = {name: _said(value) for name, value in row.values.items() if name not in kept}
    return Record(
        line,
        _name(row, "sentence_id"),
        source,
        tuple(references),
        meta,
        fluency=frozenset(fluency),
        left_out=("how many annotators wrote each text",) if references else (),
    )


def _annotations(row: Fields, line: int) -> Record | None:
    """Read a sentence of the full export: its text and its last golden set."""
    if row.has("format"):
        if row.number("schema") != 1:
            raise FormatError(f": schema {row.number('schema')} is not known, only 1")
        return None
    golden = row.rows("goldens")[-1:]
    references = tuple(
        Rewrite(text=one.text("text")) for last in golden for one in last.rows("references")
    )
    if golden and golden[0].text("decision") == "error_free":
        references = (Rewrite(error_free=True),)
    elif golden and golden[0].text("decision") == "not_annotatable":
        references = (Rewrite(unannotatable=True),)
    left_out = [name for name in ("submissions", "reviews", "studies") if row.values.get(name)]
    meta = {key: _said(value) for key, value in _object(row, "meta").values.items()}
    source = row.text("source") if row.has("source") else ""
    return Record(
        line, row.text("id"), row.text("text"), references, meta, source, left_out=(*left_out,)
    )


def _printable(value: object) -> str:
    """Return what a report can show of a value: damaged characters as escapes."""
    return str(value)[:40].encode("utf-8", "backslashreplace").decode()


def _object(row: Fields, key: str) -> Fields:
    value = row.values.get(key)
    if not isinstance(value, dict):
        raise FormatError(f": {key!r} is {shown(str(value))}; an object was expected")
    return Fields("", value)


def _texts(row: Fields, key: str) -> tuple[str, ...]:
    """Return one text or a list of texts."""
    value = row.values.get(key)
    return (value,) if isinstance(value, str) else row.words(key)


def _name(row: Fields, key: str) -> str | None:
    value = row.values.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise FormatError(f": {key!r} is {shown(str(value))}; a number or a text was expected")
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
