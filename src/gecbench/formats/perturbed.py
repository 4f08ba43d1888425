"""Sets of perturbed cases: our JSONL of them, RobustGEC's blocks, and folders of subsets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from gecbench.core.errors import CorpusError, FormatError, GecbenchError
from gecbench.core.files import name_of, read_lines
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset, Variant
from gecbench.core.sample import NOT_KEPT
from gecbench.formats.fields import Fields
from gecbench.formats.robustgec import read_blocks, sniff
from gecbench.formats.texts import shown

_FORMAT = "gecbench-perturbed"
_SCHEMA = 1
_BLOCKS = "para.txt"
_SOURCES = "input.txt"
_ENDINGS = (".txt", ".jsonl")


def is_perturbed(lines: Sequence[str]) -> bool:
    """Return whether a file that begins with these lines holds perturbed cases.

    >>> is_perturbed(["O-S He go home .", "O-T He goes home ."])
    True
    """
    header = f'"format": "{_FORMAT}"'
    return sniff(lines) or (bool(lines) and lines[0].startswith("{") and header in lines[0])


def read_perturbed(path: Path) -> PerturbedSet:
    """Return the perturbed cases in a file or folder.

    Args:
        path: A file of blocks, our JSONL, a folder with para.txt, or a folder of subsets: each a
            folder with para.txt or a file, named after the subset, in the order of their names.

    Raises:
        FormatError: A file breaks a rule of its format; begins with path:line.
        CorpusError: Numbers of variants differ, or input.txt is of other sentences.
        GecbenchError: There is nothing of the kind.
    """
    if not path.is_dir():
        return _read_file(path)
    if (path / _BLOCKS).is_file():
        return _set(_name(path), (_read_folder(path),))
    parts = sorted(part for part in path.iterdir() if not part.name.startswith("."))
    if not parts:
        raise GecbenchError(f"{path}: the folder is empty; it should hold subsets of cases")
    return _set(_name(path), [subset for part in parts for subset in _read_part(part)])


def write_perturbed(cases: PerturbedSet) -> str:
    """Return our JSONL of the cases, which holds all of them."""
    header: dict[str, object] = {"format": _FORMAT, "schema": _SCHEMA, "name": cases.name}
    if cases.lang is not None:
        header["lang"] = cases.lang
    if cases.provenance:
        header["provenance"] = dict(cases.provenance)
    rows = [
        {
            "subset": subset.name,
            "id": case.id,
            "original": _of_variant(case.original),
            "variants": [_of_variant(variant) for variant in case.variants],
        }
        for subset in cases.subsets
        for case in subset.cases
    ]
    encode = json.JSONEncoder(ensure_ascii=False).encode
    return "".join(f"{encode(row)}\n" for row in (header, *rows))


def _set(name: str, subsets: Sequence[tuple[Subset, bool]]) -> PerturbedSet:
    answered = [subset.name for subset, predictions in subsets if predictions]
    kept = {NOT_KEPT: f"predictions in {', '.join(answered)}"} if answered else {}
    return PerturbedSet(name, tuple(subset for subset, _ in subsets), provenance=kept)


def _read_file(path: Path) -> PerturbedSet:
    lines = read_lines(path)
    if lines and lines[0].startswith("{"):
        return _read_jsonl(path, lines)
    # A file of the published name is called after its folder, as "conll14".
    name = _name(path.parent) if path.name == _BLOCKS else name_of(path)
    return _set(name, (_subset(path, lines, name),))


def _read_part(part: Path) -> list[tuple[Subset, bool]]:
    """Return the subsets that one entry of a folder holds."""
    if part.is_dir():
        return [_read_folder(part)]
    if part.suffix not in _ENDINGS:
        raise GecbenchError(
            f"{part}: a folder of subsets holds folders with {_BLOCKS}, or files that end in "
            f"{' or '.join(_ENDINGS)}; move it away"
        )
    lines = read_lines(part)
    if lines and lines[0].startswith("{"):
        return [(subset, False) for subset in _read_jsonl(part, lines).subsets]
    return [_subset(part, lines, name_of(part))]


def _read_folder(folder: Path) -> tuple[Subset, bool]:
    path = folder / _BLOCKS
    if not path.is_file():
        raise GecbenchError(f"{folder}: there is no {_BLOCKS} in it; a subset's folder has one")
    made = _subset(path, read_lines(path), _name(folder))
    sources = folder / _SOURCES
    if sources.is_file():
        _check_sources(sources, made[0])
    return made


def _check_sources(path: Path, subset: Subset) -> None:
    """Refuse an input.txt that is not the sources of the blocks beside it."""
    given = read_lines(path)
    wanted = [sentence.source for case in subset.cases for sentence in case.all]
    for n, (one, two) in enumerate(zip(given, wanted, strict=False), 1):  # counted below
        if one.split() != two.split():
            raise CorpusError(
                f"{path}:{n}: the sentence is {shown(one)}, but {_BLOCKS} has {shown(two)}; "
                "these two files belong together"
            )
    if len(given) != len(wanted):
        raise CorpusError(f"{path}: {len(given)} lines, but {_BLOCKS} has {len(wanted)} sources")


def _subset(path: Path, lines: Sequence[str], name: str) -> tuple[Subset, bool]:
    """Return a file of blocks, and whether it holds predictions too."""
    if not sniff(lines):
        first = next((line for line in lines if line.strip()), "")
        raise FormatError(
            f"{path}:1: these are no perturbed cases: a file of them begins with 'O-S ' or with "
            f"the header of our JSONL, this one with {shown(first)}"
        )
    blocks = read_blocks(path, lines)
    return Subset(name, tuple(block.case for block in blocks)), bool(blocks[0].predictions)


def _name(folder: Path) -> str:
    return name_of(Path(folder.resolve().name))


def _read_jsonl(path: Path, lines: Sequence[str]) -> PerturbedSet:
    header = _header(path, lines)
    rows = [_case(Fields.parse(f"{path}:{n}", line)) for n, line in enumerate(lines[1:], 2)]
    first: dict[str, int] = {}
    for n, (name, _) in enumerate(rows, 2):
        if name in first and rows[n - 3][0] != name:
            raise FormatError(
                f"{path}:{n}: subset {name!r} goes on after {rows[n - 3][0]!r}; "
                "cases of one subset stand together"
            )
        first.setdefault(name, n)
    _check_cases(path, [case for _, case in rows], [name for name, _ in rows])
    try:
        subsets = tuple(
            Subset(name, tuple(case for _, case in group))
            for name, group in groupby(rows, key=lambda row: row[0])
        )
        made = PerturbedSet(header.text("name"), subsets)
    except CorpusError as error:
        raise FormatError(f"{path}: {error}") from error
    lang = header.text("lang") if header.has("lang") else None
    return replace(made, lang=lang, provenance=header.texts("provenance"))


def _check_cases(path: Path, cases: Sequence[PerturbedCase], subsets: Sequence[str]) -> None:
    """Refuse ids that occur twice in a subset, and other numbers of variants than the first's."""
    seen: dict[tuple[str, str], int] = {}
    for n, (case, subset) in enumerate(zip(cases, subsets, strict=True), 2):
        earlier = seen.setdefault((subset, case.id), n)
        if earlier != n:
            raise FormatError(
                f"{path}:{n}: case {case.id!r} of subset {subset!r} stands in line {earlier} "
                "already; ids are unique in a subset, so give it another"
            )
        found, wanted = len(case.variants), len(cases[0].variants)
        if found != wanted:
            raise FormatError(
                f"{path}:{n}: case {case.id!r} has {found} variants, the first case has {wanted}; "
                "give all cases the same number"
            )


def _header(path: Path, lines: Sequence[str]) -> Fields:
    header = Fields.parse(f"{path}:1", lines[0])
    if not header.has("format") or header.text("format") != _FORMAT:
        raise FormatError(
            f'{path}:1: the first line has no "format": "{_FORMAT}"; '
            "it is the header of a file of perturbed cases"
        )
    schema = header.number("schema")
    if schema != _SCHEMA:
        raise FormatError(
            f"{path}:1: schema {schema} is not known, only {_SCHEMA}; "
            "read the file with a newer gecbench"
        )
    header.only("format", "schema", "name", "lang", "provenance")
    return header


def _case(row: Fields) -> tuple[str, PerturbedCase]:
    """Return a case and the name of its subset."""
    row.only("subset", "id", "original", "variants")
    original = _variant(Fields(row.at, row.texts("original")))
    variants = tuple(_variant(each) for each in row.rows("variants"))
    try:
        return row.text("subset"), PerturbedCase(row.text("id"), original, variants)
    except CorpusError as error:
        raise FormatError(f"{row.at}: {error}") from error


def _variant(row: Fields) -> Variant:
    row.only("source", "reference")
    if not row.text("source").strip():
        raise FormatError(f"{row.at}: a source is empty; fill it")
    return Variant(row.text("source"), row.text("reference"))


def _of_variant(variant: Variant) -> dict[str, str]:
    return {"source": variant.source, "reference": variant.reference}
