"""Characters as a model sees them, with their places in the text that it read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

UNKNOWN = "\udc00unknown"
"""The text of a unit that stands for characters outside the vocabulary; opens with half a
surrogate, which is in no text, so that nothing is mistaken for it."""


class Unit(NamedTuple):
    """A character as a model sees it; white space is none, but what stands before a unit.

    Args:
        text: The character, perhaps lowercased or otherwise normalised; or `UNKNOWN`.
        before: How it joins the one before: "" directly, " " by white space, "?" where the
            vocabulary does not say it (WordPiece, between words).
        start: First character of the text that it was made from; half-open span. -1 in an
            answer.
        end: Character after the last; equal to `start` where another unit of the block has it.
        block: Units with the same number came from a piece whose characters cannot be told
            apart, as a ligature's; they are the text's only together. -1 for all others.
    """

    text: str
    before: str
    start: int = -1
    end: int = -1
    block: int = -1


_BLANK = Unit("", " ")
Piece = tuple[bytes | None, str]
"""A token's bytes, None where it is unknown, and how it joins what is before it."""


def written_units(pieces: Sequence[Piece]) -> tuple[Unit, ...]:
    """Return the units of an answer; bytes that are no character are unknown."""
    units = []
    for text, joint, _, _ in _grouped([(piece, -1, -1) for piece in pieces]):
        found, blank = _spaced(text, joint)
        units += [Unit(character, before) for character, before in found]
        units += [_BLANK] if blank else []
    return _joined(units)


def read_units(text: str, pieces: Sequence[tuple[Piece, int, int]]) -> tuple[Unit, ...]:
    """Return the units of a source.

    Args:
        text: The source.
        pieces: Tokens with their half-open character spans in it.
    """
    units: list[Unit] = []
    for block, (seen, joint, start, end) in enumerate(_grouped(pieces)):
        found, blank = _spaced(seen, joint)
        places = [each for each in range(max(start, 0), end) if not text[each].isspace()]
        if len(found) == len(places) and seen != UNKNOWN:
            units += [
                Unit(character, before, place, place + 1)
                for (character, before), place in zip(found, places, strict=True)
            ]
        else:
            # Nothing of the text may be left to it: then it is the whole, empty, at its start.
            first, last = (places[0], places[-1] + 1) if places else (max(start, 0),) * 2
            number = block if len(found) > 1 else -1
            units += [
                Unit(character, before, last if place else first, last, number)
                for place, (character, before) in enumerate(found)
            ]
        units += [_BLANK] if blank else []
    return _joined(units)


def _joined(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """Return the units without those that are white space, which the next one remembers."""
    found = []
    blank = False
    for unit in units:
        if not unit.text:
            blank = True
            continue
        found.append(unit._replace(before=" ") if blank else unit)
        blank = False
    return tuple(found)


def _spaced(text: str, joint: str) -> tuple[list[tuple[str, str]], bool]:
    """Return the characters of a text, each with what is before it, and whether it ends blank."""
    if text == UNKNOWN:
        return [(UNKNOWN, joint)], False
    found: list[tuple[str, str]] = []
    before = joint
    for character in text:
        if character.isspace():
            before = " "
        else:
            found.append((character, before))
            before = ""
    return found, bool(text) and text[-1].isspace()


def _grouped(
    pieces: Sequence[tuple[Piece, int, int]],
) -> Iterator[tuple[str, str, int, int]]:
    """Yield pieces as text, those together that share a character, with their span."""
    waiting = b""
    joint, start, end = "", -1, -1
    for (raw, join), first, last in pieces:
        if raw is None:
            if waiting:
                yield UNKNOWN, joint, start, end
            waiting = b""
            yield UNKNOWN, join, first, last
            continue
        if not waiting:
            joint, start, end = join, first, last
        start, end = min(start, first), max(end, last)
        waiting += raw
        whole, rest = _decoded(waiting)
        if whole is not None and not rest:
            yield whole, joint, start, end
            waiting = b""
        elif whole is None:
            yield UNKNOWN, joint, start, end
            waiting = b""
    if waiting:
        yield UNKNOWN, joint, start, end


def _decoded(raw: bytes) -> tuple[str | None, bytes]:
    """Return bytes as text, and what may go on with the next piece; None where they are none."""
    try:
        return raw.decode(), b""
    except UnicodeDecodeError as error:
        if error.end == len(raw) and error.reason == "unexpected end of data":
            return "", raw
        return None, b""
