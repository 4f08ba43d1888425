"""Characters that are taken for one another: they sound alike, or they look alike."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from gecbench.core.errors import FormatError
from gecbench.core.files import read_lines
from gecbench.lang.zh.sounds import phrase_counts, sounds

_SAME = 4
"""How much likelier a character of the same syllable is than one of a like one (-n for -ng)."""

_SOURCES = re.compile(r"\[[A-Z]*\]")
"""Behind the parts of a character stand the countries that write it so."""

_MOST_PARTS = 40
"""Characters that share a body; more of them share nothing that is seen at a glance."""


def common_characters() -> tuple[str, ...]:
    """Return the 3,755 characters of the first level of GB 2312: those that people type.

    >>> len(common_characters())
    3755
    """
    return tuple(_level_one())


def _level_one() -> Iterator[str]:
    for row in range(0xB0, 0xD8):
        for cell in range(0xA1, 0xFA if row == 0xD7 else 0xFF):
            yield bytes((row, cell)).decode("gb2312")


@cache
def homophones() -> Mapping[str, Mapping[str, float]]:
    """Return the common characters that sound like each character of GB 2312, with weights.

    The weight grows with how usual a character is, by the phrases of pypinyin that it stands in,
    and is four times as high where the syllable is the same without its tone as where learners
    only do not tell the syllables apart.

    Raises:
        MissingExtraError: pypinyin is not installed.
    """
    known = sounds("the homophones of gecbench corrupt", "zh")
    plain, table, usual = known.plain, known.table, phrase_counts()
    like: dict[str, list[str]] = defaultdict(list)
    for character in common_characters():
        like[table[ord(character)]].append(character)
    return {
        character: {
            other: (1.0 + usual.get(other, 0)) * (_SAME if plain[other] == syllable else 1)
            for other in others
            if other != character
        }
        for character, syllable in plain.items()
        if (others := like[table[ord(character)]]) and others != [character]
    }


def shapes_of(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the characters that look like each, from a table of ChERRANT's or one's own.

    Two kinds of file are told apart by their first line: ChERRANT's `char_meta.txt`, where common
    characters are alike that share all but the first of their parts (请, 情, 清); and lines of a
    character and, behind a blank each, those that it is confused with, as in ChERRANT's
    `confusion_dict.txt`.

    Raises:
        FormatError: The file is of neither kind.
        GecbenchError: It cannot be read.
    """
    lines = read_lines(path)
    found = _of_parts(lines) if lines and lines[0].startswith("U+") else _of_lines(path, lines)
    if not found:
        raise FormatError(f"{path}:1: no characters that look alike; see docs: synthetic errors")
    return found


def _of_lines(path: Path, lines: Iterable[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(lines, 1):
        members = line.split()
        if line.startswith(" ") or not members:  # one line of ChERRANT's has no key
            continue
        if len(members[0]) > 1:
            raise FormatError(
                f"{path}:{number}: {line[:40]!r} is no list of characters; write a character and "
                "those that it is confused with, blanks between them"
            )
        key, *others = members
        # Some members of ChERRANT's list are no single characters; it leaves them out itself.
        kept = tuple(dict.fromkeys(o for o in others if o != key and len(o) == 1))
        if kept:
            found[key] = kept
    return found


def _of_parts(lines: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return characters that share all but the first of their parts."""
    common = frozenset(common_characters())
    bodies: dict[str, list[str]] = defaultdict(list)
    own: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        cells = line.split("\t")
        if len(cells) < 4 or cells[1] not in common:
            continue
        for parts in _SOURCES.sub("", ",".join(cells[3:])).split(","):
            if len(parts) > 2 and parts[0] in "⿰⿱":
                body = parts[0] + parts[2:] if parts[1] not in "⿰⿱⿲⿳⿴⿵⿶⿷⿸⿹⿺⿻" else ""
                if len(body) > 1 and cells[1] not in bodies[body]:
                    bodies[body].append(cells[1])
                    own[cells[1]].add(body)
    return _neighbours(own, {body: m for body, m in bodies.items() if len(m) <= _MOST_PARTS})


def _neighbours(
    own: Mapping[str, set[str]], bodies: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    found = {}
    for character, held in own.items():
        others = {o for body in held for o in bodies.get(body, ()) if o != character}
        if others:
            found[character] = tuple(sorted(others))
    return found
