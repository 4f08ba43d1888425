"""table: CSV, TSV and JSON whose columns, or keys, somebody names.

Rows are those of CSV or TSV with a header, or the objects of JSON: a list of them, one a line, or
one object that holds them, by id or in a list. It is read, never written and never detected.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats import CORPUS_FORM, SYSTEM_FORM
from gecbench.formats.texts import error_place
from gecbench.formats.validation import json_problem, value_of

Row = dict[str, object]
Columns = Mapping[str, str | Sequence[str]]
"""What a column holds, a key of ROLES or SYSTEM_ROLES, to its name; of several columns, names."""

TEXT_KEYS = ("text", "sentence", "source", "src", "input")
_SPACE = " \t\n"

# The objects of JSON.


def json_objects(path: object, lines: Iterable[str]) -> Iterator[tuple[int, Row]]:
    """Yield the objects of a file, an array or one after another, with the line of each.

    As long as each has a line of its own, no more than that is held in memory.

    Raises:
        FormatError: Something is no JSON, or no object.
    """
    rest = iter(lines)
    length, is_first = 0, True
    for n, line in enumerate(rest):
        row = _whole_object(line)
        if row is not None:
            yield n + 1, row
            is_first = False
        elif line.strip(_SPACE):
            is_array = is_first and line.lstrip(_SPACE).startswith("[")
            yield from _objects_between(path, [line, *rest], n, length, is_array=is_array)
        length += len(line) + 1


def _whole_object(line: str) -> Row | None:
    """The object that fills a line; None where there is anything else."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def has_short_rows(lines: Sequence[str]) -> bool:
    """Whether the first lines of a table show that a few of them have whole rows."""
    first = next((line for line in lines if line.strip()), "")
    return not is_json([first]) or _whole_object(first) is not None


def _objects_between(
    path: object, lines: Sequence[str], line: int, length: int, *, is_array: bool
) -> Iterator[tuple[int, Row]]:
    """Yield the objects of the rest of a file, however they are divided into lines.

    Args:
        path: The file.
        lines: The rest of it.
        line: How many lines are before.
        length: How many characters are.
        is_array: Whether the rest is an array.
    """
    text = "\n".join(lines)
    decode = json.JSONDecoder().raw_decode
    before, at = line, text.index("[") + 1 if is_array else 0
    separators = re.compile(r"[ \t\n,]*" if is_array else r"[ \t\n]*")
    while True:
        start = at
        at = cast("re.Match[str]", separators.match(text, at)).end()
        line += text.count("\n", start, at)
        with error_place(Place(path, line + 1)):
            if at == len(text) and is_array:
                raise FormatError("the array has no end: the file was cut")
            if at == len(text):
                return
            if is_array and text[at] == "]":
                break
            try:
                row, end = decode(text, at)
            except (ValueError, RecursionError) as error:
                problem = _json_problem(error, before, length)
                raise FormatError(
                    "not JSON: {problem}; perhaps the file was cut off; it is a list of objects, "
                    "or objects one a line",
                    problem=problem,
                ) from None
            if not isinstance(row, dict):
                raise FormatError("an object was expected, not {text}", text=quote(str(row)))
        yield line + 1, row
        line += text.count("\n", at, end)
        at = end
    rest = text[at + 1 :].lstrip(_SPACE)
    if rest:
        raise FormatError(
            "something follows the array: {text}",
            at=Place(path, before + 1 + text.count("\n", 0, len(text) - len(rest))),
            text=quote(rest),
        )


def _json_problem(error: ValueError | RecursionError, line: int, length: int) -> Message:
    """What is wrong with JSON before which are so many lines and characters."""
    if isinstance(error, json.JSONDecodeError):
        return Message(
            "{problem}: line {line} column {column} (char {char})",
            problem=json_problem(error),
            line=line + error.lineno,
            column=error.colno,
            char=length + error.pos,
        )
    if isinstance(error, RecursionError):
        return Message("brackets are nested too deep")
    return Message("a number has too many digits")


def printable(value: object) -> str:
    """What a report can show of a value: damaged characters as escapes."""
    return str(value)[:40].encode("utf-8", "backslashreplace").decode()


def texts_of(row: Row, key: str) -> tuple[str, ...]:
    """One text or a list of texts."""
    value = row.get(key)
    if isinstance(value, str):
        return (value,)
    if key in row and not isinstance(value, list):
        raise FormatError(
            "{key!r} is {text}; a text or a list of texts was expected",
            key=key,
            text=quote(json.dumps(value)),
        )
    return value_of(row, key, tuple[str, ...])


def name_in(row: Row, key: str) -> str | None:
    """A number or a text as a text; None where there is none."""
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise FormatError(
            "{key!r} is {text}; a number or a text was expected", key=key, text=quote(str(value))
        )
    return str(value)


def meta_of(row: Row, columns: Collection[str]) -> dict[str, str]:
    """What stands in all other columns, as texts."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in row.items()
        if name not in columns
    }


# Which column holds what.


ROLES = ("id", "source", "references", "document", "position")
"""What a column can hold; `document` and `position` say where a sentence stands in a text."""

SYSTEM_ROLES = ("id", "text", "source")
"""What a column of a system's file can hold; `text` is what the system wrote."""

_TEXTS = ("source", "references", "text")


_LONGEST_NAME = 100
_ROWS_WITH_NAMES = 100
_MOST_NAMES = 500
_DAMAGED = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class TableRow:
    """What a row holds.

    Args:
        line: Where it begins.
        id: None where it has none.
        source: The sentence; "" where no column has it.
        references: Those that are filled; of a system's file, what it wrote, perhaps nothing.
        meta: All other columns.
    """

    line: int
    id: str | None
    source: str
    references: tuple[str, ...]
    meta: Mapping[str, str]


def table_rows(
    path: object,
    lines: Iterable[str],
    columns: Mapping[str, Sequence[str]],
    roles: Collection[str] = ROLES,
    *,
    needed: str = "source",
) -> Iterator[TableRow | tuple[int, Message]]:
    """Yield the rows of a table, and what is wrong with a row in its place.

    Args:
        path: The file, for errors.
        lines: Its lines.
        columns: A key of ROLES or SYSTEM_ROLES to the names of its columns.
        roles: Keys whose columns are also found by their usual names.
        needed: The key whose column every row has.

    Raises:
        FormatError: The rest of the file cannot be divided into rows, or has no sentence.
    """
    names = {role: list(texts) for role, texts in columns.items()}
    rows = _rows(path, lines, names.get(needed, ()))
    known: dict[str, None] = {}
    line = 0
    for line, row in rows:
        if isinstance(row, Message):
            yield line, row
            continue
        if not known:
            _name_columns(path, names, row, line, roles, needed)
        known |= dict.fromkeys(row)
        try:
            yield _table_row(row, names, line)
        except GecbenchError as error:
            yield line, error.message
    if not line:
        yield 1, Message("there is no row; a table has at least one sentence")
        return
    for name in chain.from_iterable(names.values()):
        if name not in known:
            yield 1, _no_column(name, known)


def column_names(path: object, lines: Sequence[str]) -> list[str]:
    """The columns of a table, the first 500 of those in its first 100 rows; none if it is none.

    Names that begin or end with a space, which are not told apart from those without, are left out.
    """
    rows = _rows(path, lines, ())
    names: dict[str, None] = {}
    try:
        for _, row in islice(rows, _ROWS_WITH_NAMES):
            names |= {} if isinstance(row, Message) else dict.fromkeys(row)
    except FormatError:
        pass  # what is wrong is said where the file is read
    usable = (name for name in names if name == name.strip() and not _DAMAGED.search(name))
    return [*islice(usable, _MOST_NAMES)]


def join_names(names: Iterable[str]) -> str:
    """Names of columns with commas between them, as `split_names` takes them.

    >>> join_names(["a", "b, c"])
    'a,"b, c"'
    """
    line = io.StringIO()
    csv.writer(line).writerow(names)
    return line.getvalue().removesuffix("\r\n")


def names_of(columns: Columns, roles: Sequence[str] = ROLES) -> dict[str, list[str]]:
    """The names of the columns of each role; a text may have several with commas between them.

    Raises:
        UnknownNameError: Columns hold nothing of that name.
        UsageError: One column holds two of the texts of a sentence.
    """
    for role in columns:
        if role not in roles:
            raise UnknownNameError(Message("column"), role, roles)
    split = {
        role: split_names(names) if isinstance(names, str) else list(names)
        for role, names in columns.items()
    }
    of_texts = [name for role, names in split.items() if role in _TEXTS for name in names]
    for name, count in Counter(of_texts).items():
        if count > 1:
            raise UsageError("column {name} is named twice; name it once", name=quote(name))
    return split


def read_columns(text: str, *, of_system: bool = False) -> Mapping[str, Sequence[str]]:
    """Read the columns of a corpus, or of a system's file, that a command line names.

    >>> read_columns("id=ID,references=one;two")
    {'id': ['ID'], 'references': ['one', 'two']}

    Raises:
        UsageError: It is not of this form, or names the column of something twice.
    """
    columns: dict[str, Sequence[str]] = {}
    for part in split_names(text):
        role, equals, names = part.partition("=")
        if not equals or not names or role in columns:
            option = "--system-columns" if of_system else "--columns"
            form = SYSTEM_FORM if of_system else CORPUS_FORM
            raise UsageError(
                f"{option} {text!r} must be {form}, each once; a name with a comma is quoted"
            )
        columns[role] = split_names(names, ";")
    return names_of(columns, SYSTEM_ROLES if of_system else ROLES)


def split_names(text: str, mark: str = ",") -> list[str]:
    """Names of columns that stand with commas between them; one with a comma is in quotes.

    >>> split_names('a, "b, c"')
    ['a', 'b, c']
    """
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=True)
    return [name.strip() for row in rows for name in row] or [""]


def is_json(lines: Iterable[str]) -> bool:
    """Whether the first line that is not blank begins as JSON does."""
    first = next((line for line in lines if line.strip()), "")
    return first.lstrip().startswith(("{", "["))


def _name_columns(
    path: object,
    names: dict[str, list[str]],
    row: Mapping[str, object],
    line: int,
    roles: Collection[str],
    needed: str,
) -> None:
    """Add the columns that are called as what they hold; without a sentence, refuse them all."""
    for role in roles:
        name = usual_column(role, row)
        if role not in names and name:
            names[role] = [name]
    name = names.get(needed, [needed])[0]
    if name not in row:
        raise FormatError(_no_column(name, row), at=Place(path, line))


def has_usual_columns(path: object, lines: Sequence[str]) -> bool:
    """Whether the columns of sentences and references are called so, so that none is named."""
    names = column_names(path, lines)
    return "references" in names and bool(usual_column("source", names))


def usual_column(role: str, names: Collection[str]) -> str:
    """The column that is called as what it holds; "" where there is none."""
    usual = ("source", *TEXT_KEYS) if role == "source" else (role,)
    return next((name for name in usual if name in names), "")


def _no_column(name: str, names: Iterable[str]) -> Message:
    return Message(
        "there is no column {name}; name the columns by those that are there: {names}",
        name=quote(name),
        names=", ".join(map(printable, islice(names, 20))),
    )


def _table_row(row: Row, names: Mapping[str, Sequence[str]], line: int) -> TableRow:
    columns = {name for role in names.values() for name in role}
    meta = {name: text for name, text in meta_of(row, columns).items() if row[name] != ""}
    single = {
        role: name_in(row, names[role][0])
        for role in ("id", "document", "position")
        if role in names
    }
    meta |= {role: value for role, value in single.items() if role != "id" and value}
    if not re.fullmatch("[0-9]*", meta.get("position", "")):
        raise FormatError(
            "the position is {value}; a whole number was expected", value=quote(meta["position"])
        )
    filled_columns = (name for name in names.get("references", ()) if row.get(name) is not None)
    texts = [text for name in filled_columns for text in texts_of(row, name) if text.strip()]
    written = (name for name in names.get("text", ()) if row.get(name) is not None)
    texts += [text for name in written for text in texts_of(row, name)]
    source = value_of(row, names["source"][0], str) if "source" in names else ""
    return TableRow(line, single.get("id"), source, tuple(texts), meta)


def _rows(
    path: object, lines: Iterable[str], source: Sequence[str]
) -> Iterator[tuple[int, Row | Message]]:
    """Yield the rows of JSON, CSV or TSV."""
    rest = iter(lines)
    head = []
    for line in rest:
        head.append(line)
        if line.strip():
            break
    whole = chain(head, rest)
    return _flat_objects(path, whole, source) if is_json(head) else _cells(path, head[0], whole)


def _flat_objects(
    path: object, lines: Iterable[str], source: Sequence[str]
) -> Iterator[tuple[int, Row | Message]]:
    """Yield the objects of a file; of one object of objects, those, their keys as ids.

    Of one object with a list of objects, those. It is a row by itself where it has the column of
    the sentence.
    """
    rows = json_objects(path, lines)
    first = [*islice(rows, 2)]
    for line, row in first if len(first) == 1 else ():
        columns = _flat(row)
        if not usual_column("source", columns) and not any(name in columns for name in source):
            first = [(line, inner) for inner in _objects_in(row)] or first
    for line, row in chain(first, rows):
        yield line, _flat(row)


def _objects_in(row: Row) -> Sequence[Row]:
    """The objects that an object holds: all its values, or its only list of objects."""
    if all(isinstance(value, dict) for value in row.values()):
        return [{"id": key, **cast("Row", value)} for key, value in row.items()]
    lists = [
        value
        for value in row.values()
        if isinstance(value, list) and all(isinstance(inner, dict) for inner in value)
    ]
    return lists[0] if len(lists) == 1 else []


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


def _wrong_width(count: int, expected: int, *, tabs: bool) -> Message:
    if tabs:
        return Message(
            "the row has {count} cells, but the first row has {expected}; fill it up, or take the "
            "TAB out of a text",
            count=count,
            expected=expected,
        )
    return Message(
        "the row has {count} cells, but the first row has {expected}; fill it up, or put a text "
        "with commas or semicolons into quotation marks",
        count=count,
        expected=expected,
    )


def _cells(path: object, first: str, lines: Iterable[str]) -> Iterator[tuple[int, Row | Message]]:
    """Yield the rows of CSV, or of TSV, where quotation marks are nothing but that."""
    tabs = "\t" in first
    rows = csv.reader(
        (f"{line}\n" for line in lines),
        delimiter="\t" if tabs else max(",;", key=first.count),
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
                        at=Place(path, start),
                    )
            elif cells and len(cells) != len(header):
                yield start, _wrong_width(len(cells), len(header), tabs=tabs)
            elif cells:
                yield start, dict(zip(header, cells, strict=True))
            start = rows.line_num + 1
    except csv.Error as error:
        raise FormatError(
            "the row cannot be divided into cells: a quotation mark is open or in a wrong place, "
            "or a cell has more than {most:,} characters",
            at=Place(path, start),
            most=csv.field_size_limit(),
        ) from error


# A corpus of a table.


_CORPUS_ROLES = ("id", "source", "references")


def with_columns(columns: Columns) -> Format:
    """The format where somebody has named the columns; others have their usual names.

    Raises:
        UnknownNameError: Columns hold nothing of that name.
    """
    names = names_of(columns)

    def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
        rows = table_rows(path, lines, names, _CORPUS_ROLES)
        return Corpus(name_of(path), ()), _samples(path, rows)

    return Format(
        name="table",
        about="CSV, TSV or JSON with named columns",
        stream=stream,
    )


def of_system(columns: Columns, path: Path, lines: Sequence[str]) -> Format:
    """The format of a system's file where somebody has named the columns.

    Its rows are joined by id where a column has ids, else by their order.

    Raises:
        UnknownNameError: Columns hold nothing of that name.
        UsageError: None holds what the system wrote.
    """
    names = names_of(columns, SYSTEM_ROLES)
    if "text" not in names:
        raise UsageError(
            "the columns of a system's file do not say which has what it wrote; name {form}",
            form=SYSTEM_FORM,
        )
    has_ids = "id" in names or "id" in column_names(path, lines)

    def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
        rows = table_rows(path, lines, names, ("id",), needed="text")
        return Corpus(name_of(path), ()), _samples(path, rows, has_sources="source" in names)

    return Format(
        name="table",
        about="CSV, TSV or JSON with named columns",
        stream=stream,
        has_ids=has_ids,
        has_sources="source" in names,
    )


def _samples(
    path: Path, rows: Iterable[TableRow | tuple[int, Message]], *, has_sources: bool = True
) -> Rows:
    has_ids = None
    for number, row in enumerate(rows, 1):
        if not isinstance(row, TableRow):
            line, message = row
            raise FormatError(message, at=Place(path, line))
        has_ids = row.id is not None if has_ids is None else has_ids
        with error_place(Place(path, row.line)):
            if has_ids != (row.id is not None) or (has_ids and not str(row.id).strip()):
                raise FormatError("the id is empty; fill it, or name no column of ids")
            if has_sources and not row.source.strip():
                raise FormatError("the source is empty; fill it or remove the row")
        references = tuple(Rewrite(text=text) for text in row.references)
        yield row.line, Sample(row.id or str(number), row.source, references, row.meta)


FORMAT = with_columns({})
