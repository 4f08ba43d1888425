"""Human judgements of systems: SEEDA's files, and plain tables for those of others."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from gecbench.core.errors import FormatError, UsageError, counted
from gecbench.core.files import name_of, read_lines

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


# Tables of numbers: a header line, then a name and a number for each column.


_GREATEST = 1e100
"""Beyond it no score lies, and neither tables nor axes of figures can show it."""

Line = tuple[int, list[str]]
"""The number of a line in its file, and its cells."""


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
    return as_numbers(path, divided(path, read_lines(path)))


def as_numbers(path: Path, lines: Sequence[Line]) -> Numbers:
    """Lines in cells to a table of numbers.

    Raises:
        FormatError: As in `read_numbers`.
    """
    (header_line, header), *rows = lines
    if len(header) < 2 or not all(header[1:]) or len(set(header[1:])) < len(header) - 1:
        raise FormatError(
            f"{path}:{header_line}: the header must name a first column and at least one more, "
            "each different, with tabs or commas between"
        )
    if all(map(_is_number, header[1:])):
        raise FormatError(
            f"{path}:{header_line}: {', '.join(map(shortened, header[1:4]))} where the header "
            "should name columns; put a line as system,NAME above"
        )
    found: dict[str, list[float]] = {}
    for number, cells in rows:
        check_width(path, number, cells, header)
        name, *values = cells
        if not name:
            raise FormatError(f"{path}:{number}: the first cell is empty; name the row")
        if name in found:
            raise FormatError(f"{path}:{number}: {name!r} occurs twice; names are unique")
        found[name] = [
            as_number(value, f"{path}:{number}", column)
            for column, value in zip(header[1:], values, strict=True)
        ]
    if not found:
        raise FormatError(f"{path}:{header_line}: no row follows the header")
    columns = zip(header[1:], zip(*found.values(), strict=True), strict=True)
    return Numbers(name_of(path), tuple(found), dict(columns))


def divided(path: Path, text: Sequence[str]) -> list[Line]:
    """The lines of a file that hold something, each with its number and its cells.

    Raises:
        FormatError: There is none, or a line is no CSV.
    """
    lines = [(n, line) for n, line in enumerate(text, 1) if line.strip()]
    if not lines:
        raise FormatError(f"{path}:1: the file is empty; it must be a table with a header")
    if "\t" in lines[0][1]:
        return [(n, [cell.strip() for cell in line.split("\t")]) for n, line in lines]
    return [(n, _cells(path, n, line)) for n, line in lines]


def _cells(path: Path, number: int, line: str) -> list[str]:
    """The cells of a line of CSV; strictly, as an open quote would take in the next line."""
    try:
        (row,) = csv.reader([line], strict=True)
    except csv.Error as error:
        raise FormatError(
            f"{path}:{number}: the line is no CSV: {error}; a cell ends in its line, and a quote "
            "in a quoted cell is doubled"
        ) from None
    return list(map(str.strip, row))


def check_width(path: Path, number: int, cells: Sequence[str], header: Sequence[str]) -> None:
    """Refuse a row that has not as many cells as the header.

    Raises:
        FormatError: Names the line and both numbers.
    """
    if len(cells) != len(header):
        raise FormatError(
            f"{path}:{number}: {len(cells)} cells where the header has {len(header)}; "
            "give every row a cell for each column"
        )


def as_number(text: str, where: str, column: str) -> float:
    """A cell as a finite number.

    Raises:
        FormatError: It is none, or is too great.
    """
    if not _is_number(text):
        raise FormatError(
            f"{where}: column {column!r} has {shortened(text)}, which is no finite number"
        )
    value = float(text)
    if abs(value) > _GREATEST:
        raise FormatError(
            f"{where}: column {column!r} has {shortened(text)}; numbers go to {_GREATEST:g}"
        )
    return value


def _is_number(text: str) -> bool:
    try:
        # Python takes 1_0 for 10.
        return "_" not in text and isfinite(float(text))
    except ValueError:
        return False


def shortened(text: str) -> str:
    """A text in quotes as a message can show it."""
    return repr(text if len(text) <= 40 else f"{text[:40]}...")


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
    return Judgments(name, _from_table(path, divided(path, lines)), path=path)


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
    return tuple(_item(path, at, element) for at, element in enumerate(elements, 1))


def _item(path: Path, at: int, element: Element) -> Item:
    where = f"{path}: ranking-item {at}"
    source = element.get("src-id", "")
    if not source:
        raise FormatError(f"{where}: it has no src-id, which says what was judged")
    if not _whole(source):
        raise FormatError(
            f"{where}: src-id {shortened(source)} is no number of a line; give SEEDA's judgments "
            "as they were published, or a table"
        )
    ranks: dict[str, int] = {}
    for translation in element.iter("translation"):
        rank = _rank(translation.get("rank", ""), where)
        # Systems with the same output are one entry, their names with spaces between.
        for system in translation.get("system", "").split():
            if ranks.setdefault(system, rank) != rank:
                raise FormatError(f"{where}: {system} has two ranks, {ranks[system]} and {rank}")
    if not ranks:
        raise FormatError(f"{where}: it ranks no system")
    return Item(str(at), source, ranks)


def _rank(text: str, where: str) -> int:
    if not _whole(text):
        raise FormatError(f"{where}: rank {shortened(text)} is no whole number; 1 is the best")
    return int(text)


def _whole(text: str) -> bool:
    """Whether a text is a number of at most nine digits; Python refuses too many."""
    return text.strip().isdecimal() and len(text.strip()) <= 9


def _from_table(path: Path, lines: Sequence[Line]) -> tuple[Item, ...]:
    (line, header), *rows = lines
    if tuple(header) != _HEADER:
        raise FormatError(
            f"{path}:{line}: the header must be {', '.join(_HEADER)}, with tabs or commas between"
        )
    sources: dict[str, str] = {}
    ranks: dict[str, dict[str, int]] = {}
    for number, cells in rows:
        where = f"{path}:{number}"
        check_width(path, number, cells, header)
        name, source, system, rank = cells
        if not system or not source:
            raise FormatError(f"{where}: an id and a system must be named")
        if sources.setdefault(name, source) != source:
            raise FormatError(
                f"{where}: item {name!r} is of source {sources[name]!r} above and of {source!r} "
                "here; each ranking of a source is an item of its own"
            )
        if system in ranks.setdefault(name, {}):
            raise FormatError(f"{where}: item {name!r} ranks {system} twice")
        ranks[name][system] = _rank(rank, where)
    if not ranks:
        raise FormatError(f"{path}:{line}: no row follows the header")
    return tuple(Item(name, sources[name], found) for name, found in ranks.items())


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
    lines = divided(path, read_lines(path))
    if all(len(cells) == 1 for _, cells in lines):
        return _bare(path, [(n, cells[0]) for n, cells in lines], name, systems)
    if systems:
        raise UsageError(f"{path}: it names its systems itself; do not name them once more")
    table = as_numbers(path, lines)
    if name is None:
        return table
    several = len(table.columns) > 1
    columns = {f"{name} {c}" if several else name: values for c, values in table.columns.items()}
    return Numbers(table.name, table.rows, columns)


def _bare(
    path: Path, lines: Sequence[tuple[int, str]], name: str | None, systems: Sequence[str]
) -> Numbers:
    values = tuple(as_number(text, f"{path}:{n}", name or name_of(path)) for n, text in lines)
    names = tuple(systems) or SEEDA
    _check_names(path, names)
    if len(values) != len(names):
        named = counted(len(names), "system", " is named", " are named")
        whose = named if systems else f"{len(names)} are SEEDA's systems"
        raise FormatError(
            f"{path}: {counted(len(values), 'number')} without names, where {whose}; "
            "name the systems, or give a table with a row for each"
        )
    return Numbers(name_of(path), names, {name or name_of(path): values})


def _check_names(path: Path, names: Sequence[str]) -> None:
    """Refuse names that are empty, or of which one would take the place of another."""
    if not all(names):
        raise UsageError(f"a system of {path} has no name; write a,b,c without an empty place")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name!r} is named twice among the systems of {path}; name each once")


def read_sentence_scores(path: Path) -> Mapping[str, Mapping[tuple[str, str], float]]:
    """Read scores of sentences from a table: by metric, then by source and system.

    Its columns are id, system, and one for each metric.

    Raises:
        FormatError: Names the line and what is wrong with it.
    """
    (line, header), *rows = divided(path, read_lines(path))
    metrics = header[2:]
    if header[:2] != ["id", "system"] or not metrics or not all(metrics):
        raise FormatError(
            f"{path}:{line}: the header must be id, system and at least one metric, with tabs or "
            "commas between"
        )
    if len(set(metrics)) < len(metrics):
        raise FormatError(f"{path}:{line}: a metric is named twice in the header")
    found: dict[str, dict[tuple[str, str], float]] = {metric: {} for metric in metrics}
    for number, cells in rows:
        check_width(path, number, cells, header)
        key = cells[0], cells[1]
        if not all(key):
            raise FormatError(f"{path}:{number}: an id and a system must be named")
        if key in found[metrics[0]]:
            raise FormatError(f"{path}:{number}: {key[1]} has scores of {key[0]!r} above already")
        for metric, cell in zip(metrics, cells[2:], strict=True):
            found[metric][key] = as_number(cell, f"{path}:{number}", metric)
    return found
