"""Human judgements of systems: SEEDA's files, and plain tables for those of others."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from gecbench.core.errors import FormatError, Place, UsageError, count_noun, quote
from gecbench.core.files import name_of, read_lines
from gecbench.formats.texts import error_place, is_number, parse_rows

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


# Tables of numbers: a header line, then a name and a number for each column.


_GREATEST = 1e100
"""Beyond it no score lies, and neither tables nor axes of figures can show it."""

Row = tuple[Place, list[str]]
"""Where a row stands, and its cells."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Named rows and columns of numbers.

    Args:
        name: Of the table: that of its file.
        rows: Names, in the order of the file.
        columns: For each column its numbers, in the order of the rows.
    """

    name: str
    rows: tuple[str, ...]
    columns: Mapping[str, tuple[float, ...]]


def read_numbers(path: Path) -> Numbers:
    """Read a table of numbers, tab-separated or comma-separated.

    The header names the columns; the first one holds the names of the rows, whatever it is
    called. Tabs divide where the header has one, else commas, and quotes as in CSV. Empty lines
    are nothing.

    Raises:
        FormatError: Names the line: no header, a ragged row, a repeated name, no number.
    """
    return _numbers(path, _rows(path, read_lines(path)))


def _numbers(path: Path, table: Sequence[Row]) -> Numbers:
    header_at, (_, *names) = table[0]
    with error_place(header_at):
        if not names or not all(names) or len(set(names)) < len(names):
            raise FormatError(
                "the header must name a first column and at least one more, each different, with "
                "tabs or commas between"
            )
        if all(map(_is_number, names)):
            raise FormatError(
                f"{', '.join(map(quote, names[:3]))} where the header should name columns; put a "
                "line as system,NAME above"
            )
    rows: dict[str, list[float]] = {}
    for at, (name, *cells) in _body(table):
        with error_place(at):
            if not name:
                raise FormatError("the first cell is empty; name the row")
            if name in rows:
                raise FormatError(f"{name!r} occurs twice; names are unique")
            rows[name] = list(map(_number, cells, names))
    columns = zip(names, zip(*rows.values(), strict=True), strict=True)
    return Numbers(name_of(path), tuple(rows), dict(columns))


def _rows(path: Path, text: Sequence[str]) -> list[Row]:
    """The lines of a file that hold something, at least one.

    Raises:
        FormatError: There is none, or a line is no CSV.
    """
    lines = [(n, line) for n, line in enumerate(text, 1) if line.strip()]
    if not lines:
        raise FormatError(f"{path}:1: the file is empty; it must be a table with a header")
    has_tabs = "\t" in lines[0][1]
    rows = parse_rows(path, lines, lambda line: line.split("\t") if has_tabs else _cells(line))
    return [(Place(path, n), list(map(str.strip, cells))) for n, cells in rows]


def _cells(line: str) -> list[str]:
    """The cells of a line of CSV; strictly, as an open quote would take in the next line."""
    try:
        (row,) = csv.reader([line], strict=True)
    except csv.Error as error:
        raise FormatError(
            f"the line is no CSV: {error}; a cell ends in its line, and a quote in a quoted cell "
            "is doubled"
        ) from None
    return row


def _body(table: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows behind the header, which have as many cells.

    Raises:
        FormatError: There is none, or one has more or fewer cells.
    """
    (header_at, header), *rows = table
    for at, cells in rows:
        if len(cells) != len(header):
            raise FormatError(
                f"{len(cells)} cells where the header has {len(header)}; "
                "give every row a cell for each column",
                at=at,
            )
        yield at, cells
    if not rows:
        raise FormatError("no row follows the header", at=header_at)


def _number(text: str, column: str) -> float:
    """A cell as a finite number.

    Raises:
        FormatError: It is none, or is too great.
    """
    if not _is_number(text):
        raise FormatError(f"column {column!r} has {quote(text)}, which is no finite number")
    if abs(value := float(text)) > _GREATEST:
        raise FormatError(f"column {column!r} has {quote(text)}; numbers go to {_GREATEST:g}")
    return value


def _is_number(text: str) -> bool:
    try:
        # Python takes 1_0 for 10.
        return "_" not in text and isfinite(float(text))
    except ValueError:
        return False


SEEDA = (
    *("BART", "BERT-fuse", "GECToR-BERT", "GECToR-ens", "GPT-3.5", "INPUT", "LM-Critic", "PIE"),
    *("REF-F", "REF-M", "Riken-Tohoku", "T5", "TemplateGEC", "TransGEC", "UEDIN-MS"),
)
"""SEEDA's systems in the order of its files of 15 numbers (Kobayashi, Mita and Komachi, TACL
2024; tmu-nlp/SEEDA 0c6c07f)."""

_HEADER = ("item", "id", "system", "rank")


@dataclass(frozen=True, slots=True)
class Item:
    """One source whose corrections a person ranked.

    Args:
        name: Of the item, unique in its file.
        source: Id of the source; in SEEDA's files the number of its line, from 1.
        ranks: Of each system; smaller is better, equal is a tie.
    """

    name: str
    source: str
    ranks: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Judgments:
    """Rankings by people.

    Args:
        name: Of their file, without its ending.
        items: In the order of the file; a source may have several.
        lines: Whether sources are named by numbers of lines, as SEEDA does.
        path: Of their file, for messages.
    """

    name: str
    items: tuple[Item, ...]
    lines: bool = False
    path: Path | None = field(default=None, compare=False)

    @property
    def systems(self) -> tuple[str, ...]:
        """All systems that are ranked somewhere, in alphabetical order."""
        return tuple(sorted({system for item in self.items for system in item.ranks}))


def read_judgments(path: Path, name: str | None = None) -> Judgments:
    """Read rankings from SEEDA's XML or from a table.

    The table has the columns item, id, system and rank, a row for each system of an item:
    tab-separated or comma-separated.

    Args:
        path: The file.
        name: What to call them; None takes the file's name without its ending.

    Raises:
        FormatError: Names the line or the item, and what is wrong with it.
    """
    name = name or name_of(path)
    lines = read_lines(path)
    if "".join(lines).lstrip().startswith("<"):
        return Judgments(name, _from_xml(path, "\n".join(lines)), lines=True, path=path)
    return Judgments(name, _from_table(_rows(path, lines)), path=path)


def _from_xml(path: Path, text: str) -> tuple[Item, ...]:
    from xml.etree import ElementTree as ET

    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        line, column = error.position
        raise FormatError(
            f"{path}:{line}: no well-formed XML at character {column + 1}; "
            "give SEEDA's judgments file as it was published"
        ) from None
    elements = list(root.iter("ranking-item"))
    if not elements:
        raise FormatError(f"{path}:1: no ranking-item; it must be a judgments file of SEEDA")
    items = []
    for number, element in enumerate(elements, 1):
        with error_place(f"{path}: ranking-item {number}"):
            items.append(_item(str(number), element))
    return tuple(items)


def _item(name: str, element: Element) -> Item:
    source = element.get("src-id", "")
    if not source:
        raise FormatError("it has no src-id, which says what was judged")
    if not is_number(source.strip()):
        raise FormatError(
            f"src-id {quote(source)} is no number of a line; give SEEDA's judgments as they were "
            "published, or a table"
        )
    ranks: dict[str, int] = {}
    for translation in element.iter("translation"):
        rank = _rank(translation.get("rank", ""))
        # Systems with the same output are one entry, their names with spaces between.
        for system in translation.get("system", "").split():
            if ranks.setdefault(system, rank) != rank:
                raise FormatError(f"{system} has two ranks, {ranks[system]} and {rank}")
    if not ranks:
        raise FormatError("it ranks no system")
    return Item(name, source, ranks)


def _rank(text: str) -> int:
    if not is_number(text.strip()):
        raise FormatError(f"rank {quote(text)} is no whole number; 1 is the best")
    return int(text)


def _from_table(table: Sequence[Row]) -> tuple[Item, ...]:
    header_at, header = table[0]
    if tuple(header) != _HEADER:
        raise FormatError(
            f"{header_at}: the header must be {', '.join(_HEADER)}, with tabs or commas between"
        )
    sources: dict[str, str] = {}
    ranks: dict[str, dict[str, int]] = {}
    for at, (name, source, system, rank) in _body(table):
        with error_place(at):
            if not system or not source:
                raise FormatError("an id and a system must be named")
            if sources.setdefault(name, source) != source:
                raise FormatError(
                    f"item {name!r} is of source {sources[name]!r} above and of {source!r} here; "
                    "each ranking of a source is an item of its own"
                )
            if system in ranks.setdefault(name, {}):
                raise FormatError(f"item {name!r} ranks {system} twice")
            ranks[name][system] = _rank(rank)
    return tuple(Item(name, sources[name], by_system) for name, by_system in ranks.items())


def read_human(path: Path, name: str | None = None, systems: Sequence[str] = ()) -> Numbers:
    """Read people's scores of systems: a column for each way of judging.

    A file with one number in each line, without names, is as SEEDA's: its 15 systems in
    alphabetical order, or the systems that are named. Any other is a table with a row for each
    system.

    Args:
        path: The file.
        name: What to call the one column; None takes the file's name. With a table of several
            columns it stands before theirs.
        systems: What the numbers of a file without names belong to.

    Raises:
        FormatError: It is neither, or the numbers are not as many as the systems.
        UsageError: Systems are named, and the file names them itself; or a name is empty or
            stands twice.
    """
    rows = _rows(path, read_lines(path))
    if all(len(cells) == 1 for _, cells in rows):
        return _without_names(path, rows, name or name_of(path), systems)
    if systems:
        raise UsageError(f"{path}: it names its systems itself; do not name them once more")
    table = _numbers(path, rows)
    if name is None:
        return table
    several = len(table.columns) > 1
    columns = {f"{name} {c}" if several else name: values for c, values in table.columns.items()}
    return Numbers(table.name, table.rows, columns)


def _without_names(path: Path, rows: Sequence[Row], name: str, systems: Sequence[str]) -> Numbers:
    values = []
    for at, (text,) in rows:
        with error_place(at):
            values.append(_number(text, name))
    names = tuple(systems) or SEEDA
    if not all(names):
        raise UsageError(f"a system of {path} has no name; write a,b,c without an empty place")
    for system in names:
        if names.count(system) > 1:
            raise UsageError(
                f"{system!r} is named twice among the systems of {path}; name each once"
            )
    if len(values) != len(names):
        whose = (
            count_noun(len(names), "system", " is named", " are named")
            if systems
            else f"{len(names)} are SEEDA's systems"
        )
        raise FormatError(
            f"{path}: {count_noun(len(values), 'number')} without names, where {whose}; "
            "name the systems, or give a table with a row for each"
        )
    return Numbers(name_of(path), names, {name: tuple(values)})


def read_sentence_scores(path: Path) -> Mapping[str, Mapping[tuple[str, str], float]]:
    """Read scores of sentences from a table: by metric, then by source and system.

    Its columns are id, system, and one for each metric.

    Raises:
        FormatError: Names the line and what is wrong with it.
    """
    table = _rows(path, read_lines(path))
    header_at, header = table[0]
    metrics = header[2:]
    with error_place(header_at):
        if header[:2] != ["id", "system"] or not metrics or not all(metrics):
            raise FormatError(
                "the header must be id, system and at least one metric, with tabs or commas between"
            )
        if len(set(metrics)) < len(metrics):
            raise FormatError("a metric is named twice in the header")
    scores: dict[str, dict[tuple[str, str], float]] = {metric: {} for metric in metrics}
    for at, (source, system, *cells) in _body(table):
        with error_place(at):
            if not source or not system:
                raise FormatError("an id and a system must be named")
            if (source, system) in scores[metrics[0]]:
                raise FormatError(f"{system} has scores of {source!r} above already")
            for metric, cell in zip(metrics, cells, strict=True):
                scores[metric][source, system] = _number(cell, metric)
    return scores
