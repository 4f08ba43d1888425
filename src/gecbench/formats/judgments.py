"""Human judgements of systems: SEEDA's files, and plain tables for those of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gecbench.core.errors import FormatError, UsageError
from gecbench.core.files import name_of, read_lines
from gecbench.formats.numbers import (
    Line,
    Numbers,
    as_number,
    as_numbers,
    check_width,
    divided,
    shortened,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

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
    """Return rankings from SEEDA's XML or from a table.

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
    """Return whether a text is a number of at most nine digits; Python refuses too many."""
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
    """Return people's scores of systems: a column for each way of judging.

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
        whose = "systems are named" if systems else "are SEEDA's systems"
        raise FormatError(
            f"{path}: {len(values)} numbers without names, where {len(names)} {whose}; "
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
    """Return scores of sentences from a table: by metric, then by source and system.

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
