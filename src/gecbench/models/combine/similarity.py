"""Which substitutions of Chinese characters are spelling errors: by sound, by shape and sound.

The test of ChERRANT (cherrant_spec, section 10; modules/classifier.py, utils/char_smi.py of MuCGEC
3922193): texts of one length that have the same characters, or whose characters are alike at each
place where they differ. Alike are two that share a reading without its tone, or whose shapes and
sounds are together similar enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from gecbench.core.errors import FormatError, MissingExtraError
from gecbench.models.combine.candidates import Similar

_ENOUGH = 0.8
"""Similarity of shape, at most 1, and of sound, at most 1, must add up to this."""

_HAN = range(0x3400, 0x323B0)


class _Character(NamedTuple):
    """A character of the table.

    Args:
        sounds: For each of five languages its readings; () where it has none.
        shapes: How it is put together: sequences of parts, one or several.
    """

    sounds: tuple[tuple[str, ...], ...]
    shapes: tuple[str, ...]


def by_shape_and_sound(table: Callable[[], bytes], origin: str) -> Similar:
    """Return ChERRANT's test; the table is read when it is first asked.

    Args:
        table: Content of `char_meta.txt`: TAB-separated code point, character, readings in five
            languages, decompositions.
        origin: What the table is called in failures.

    Raises:
        MissingExtraError: pypinyin is not installed.
    """
    sounds_alike = _sounds_alike()

    @cache
    def characters() -> Mapping[str, _Character]:
        return _read(table(), origin)

    @cache
    def alike(one: str, two: str) -> bool:
        known = characters()
        if one not in known or two not in known:
            return False
        left, right = known[one], known[two]
        return _shape(left, right) + _sound(left, right) >= _ENOUGH or sounds_alike(one, two)

    return _whole(alike)


def by_sound() -> Similar:
    """Return a test that needs no table: Han characters that share a reading without its tone.

    Raises:
        MissingExtraError: pypinyin is not installed.
    """
    sounds_alike = _sounds_alike()

    @cache
    def alike(one: str, two: str) -> bool:
        return ord(one) in _HAN and ord(two) in _HAN and sounds_alike(one, two)

    return _whole(alike)


def _whole(alike: Callable[[str, str], bool]) -> Similar:
    """Return the test of texts that is made of one of characters."""

    def similar(one: str, two: str) -> bool:
        if len(one) != len(two):
            return False
        if sorted(one) == sorted(two):
            return True
        return all(a == b or alike(a, b) for a, b in zip(one, two, strict=True))

    return similar


def _sounds_alike() -> Callable[[str, str], bool]:
    try:
        import pypinyin  # 0.3 s that other rules need not pay
    except ImportError:
        raise MissingExtraError("pypinyin, which tells spelling errors,", "zh") from None

    @cache
    def readings(character: str) -> frozenset[str]:
        style = pypinyin.Style.NORMAL
        return frozenset(pypinyin.pinyin(character, style=style, heteronym=True)[0])

    return lambda one, two: not readings(one).isdisjoint(readings(two))


def _read(content: bytes, origin: str) -> dict[str, _Character]:
    """Return the characters of a table."""
    found = {}
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise FormatError(f"{origin}: is not UTF-8; it is no char_meta.txt") from error
    for n, line in enumerate(lines, 1):
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) < 4 or len(fields[1]) != 1:
            raise FormatError(
                f"{origin}:{n}: {line[:40]!r} is no row of char_meta.txt: code point, character, "
                "readings and decompositions with TABs between them"
            )
        sounds = tuple(
            () if each == "null" else tuple(each.split(",")) for each in fields[2].split(";")
        )
        found[fields[1]] = _Character(sounds, tuple(fields[3:]))
    return found


def _shape(one: _Character, two: _Character) -> float:
    return max(_likeness(a, b) for a in one.shapes for b in two.shapes)


def _sound(one: _Character, two: _Character) -> float:
    """Return the mean likeness over the languages that have readings of both; 0 if none has."""
    pairs = [(a, b) for a, b in zip(one.sounds, two.sounds, strict=False) if a and b]
    best = [max(_likeness(x, y) for x in a for y in b) for a, b in pairs]
    return sum(best) / len(best) if best else 0.0


def _likeness(one: str, two: str) -> float:
    return 1 - _distance(one, two) / max(len(one), len(two))


def _distance(one: str, two: str) -> int:
    """Return the least number of insertions, deletions and substitutions (Levenshtein)."""
    row = list(range(len(two) + 1))
    for at, left in enumerate(one, 1):
        corner, row[0] = row[0], at
        for to, right in enumerate(two, 1):
            corner, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, corner + (left != right))
    return row[-1]
