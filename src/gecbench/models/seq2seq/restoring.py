"""From a model's answer to a text in which all that it left alone is the source's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from gecbench.edits.changes import changes
from gecbench.models.seq2seq.units import UNKNOWN, Unit


class Restored(NamedTuple):
    """A text for users.

    Args:
        text: With the source's own characters wherever the model changed nothing.
        unknown: Whether characters unknown to the model had to be put back.
    """

    text: str
    unknown: bool


class _Part(NamedTuple):
    """One character of the text that is made.

    Args:
        text: What is written.
        before: How the model joins it to the one before.
        first: The source's unit that it is; -1 where the model wrote it.
        last: The same; another one where it stands for several.
        inserted: Whether the model wrote it in the place of nothing.
    """

    text: str
    before: str
    first: int = -1
    last: int = -1
    inserted: bool = False


def restored(source: str, read: Sequence[Unit], answer: Sequence[Unit]) -> Restored:
    """Return an answer with case, blanks and unknown characters of the source.

    The two are aligned as the model sees them, so that a lowercased letter, a full-width digit
    or an unknown character that it copied is no change; of those the source's text is taken,
    with all that stands between them. White space counts as there or not: which, the source says.

    Args:
        source: The text that was read.
        read: What the model saw of it; at least one unit.
        answer: What it wrote.
    """
    parts, unknown = _parts(source, read, answer)
    if not parts:
        return Restored("", unknown)
    gaps = [
        source[left.end : right.start] if right.start > left.end else ""
        for left, right in pairwise(read)
    ]
    gaps = [source[: read[0].start], *gaps, source[read[-1].end :]]
    pieces = [gaps[0], parts[0].text]
    for left, right in pairwise(parts):
        pieces += (_between(left, right, read, gaps), right.text)
    return Restored("".join((*pieces, gaps[-1])), unknown)


def _parts(source: str, read: Sequence[Unit], answer: Sequence[Unit]) -> tuple[list[_Part], bool]:
    """Return what the text consists of, and whether anything unknown was put back."""
    kept = _kept(read, answer)
    _break_blocks(read, kept)
    parts: list[_Part] = []
    unknown = False
    done = place = 0
    while place < len(answer):
        at = kept[place]
        if at is not None:
            unit = read[at]
            unknown |= unit.text == UNKNOWN
            text = source[unit.start : unit.end]
            parts.append(_Part(text, answer[place].before, at, at))
            done, place = at + 1, place + 1
            continue
        end = next((k for k in range(place, len(answer)) if kept[k] is not None), len(answer))
        following = kept[end] if end < len(answer) else None
        until = len(read) if following is None else following
        written = answer[place:end]
        if any(unit.text == UNKNOWN for unit in written):
            unknown = True
            parts += _put_back(source, read, written, done, until)
        else:
            parts += _new(written, inserted=done == until)
        done, place = until, end
    return parts, unknown


def _kept(read: Sequence[Unit], answer: Sequence[Unit]) -> list[int | None]:
    """Return for each unit of the answer which of the source it is; None where it is new.

    Words are aligned first: letter by letter "go" may find its "e" in the word before.
    """
    words, written = _words(read), _words(answer)
    found: list[int | None] = []
    done = 0
    for start, end, first, last in _differing(
        [_text(read, word) for word in words], [_text(answer, word) for word in written]
    ):
        start, end = _place(words, start, read), _place(words, end, read)
        first, last = _place(written, first, answer), _place(written, last, answer)
        found += range(done, start)
        found += _letters(read[start:end], answer[first:last], start)
        done = end
    return [*found, *range(done, len(read))]


def _letters(read: Sequence[Unit], answer: Sequence[Unit], offset: int) -> list[int | None]:
    """Return the same for words that differ, letter by letter."""
    found: list[int | None] = []
    done = 0
    letters, written = [unit.text for unit in read], [unit.text for unit in answer]
    for start, end, first, last in _differing(letters, written):
        found += range(offset + done, offset + start)
        found += [None] * (last - first)
        done = end
    return [*found, *range(offset + done, offset + len(read))]


def _differing(left: list[str], right: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the spans on both sides that differ, in a least alignment."""
    shift = 0
    for edit in changes(left, right):
        size = len(edit.replacement or ())
        yield edit.start, edit.end, edit.start + shift, edit.start + shift + size
        shift += size - (edit.end - edit.start)


def _words(units: Sequence[Unit]) -> list[tuple[int, int]]:
    """Return the spans of units that are joined directly."""
    starts = [at for at, unit in enumerate(units) if not at or unit.before]
    return [*pairwise((*starts, len(units)))] if units else []


def _text(units: Sequence[Unit], span: tuple[int, int]) -> str:
    return "".join(unit.text for unit in units[slice(*span)])


def _place(words: Sequence[tuple[int, int]], word: int, units: Sequence[Unit]) -> int:
    """Return where a word starts; behind the last one where there is none."""
    return words[word][0] if word < len(words) else len(units)


def _break_blocks(read: Sequence[Unit], kept: list[int | None]) -> None:
    """Let go of units of blocks that are not wholly there: they are no text of their own."""
    there = {each for each in kept if each is not None}
    members: dict[int, list[int]] = {}
    for at, unit in enumerate(read):
        if unit.block >= 0:
            members.setdefault(unit.block, []).append(at)
    runs = {place: each for each, place in enumerate(kept) if place is not None}
    for block in members.values():
        whole = all(at in there for at in block)
        if whole and runs[block[-1]] - runs[block[0]] == len(block) - 1:
            continue
        for at in block:
            if at in runs:
                kept[runs[at]] = None


def _new(written: Sequence[Unit], *, inserted: bool) -> list[_Part]:
    return [_Part(unit.text, unit.before, inserted=inserted) for unit in written]


def _put_back(
    source: str, read: Sequence[Unit], written: Sequence[Unit], done: int, until: int
) -> list[_Part]:
    """Return the source's text where the model wrote something unknown instead of it.

    An unknown character that stands for nothing in the source cannot be known, and is left out.
    """
    if done == until:
        return _new([unit for unit in written if unit.text != UNKNOWN], inserted=True)
    text = source[read[done].start : read[until - 1].end]
    return [_Part(text, read[done].before, done, until - 1)]


def _between(left: _Part, right: _Part, read: Sequence[Unit], gaps: Sequence[str]) -> str:
    """Return what stands between two characters of the text."""
    near, gap = _gap(left, right, gaps)
    if near and read[right.first].before == right.before:
        return gap
    if right.before == "":
        return "".join(character for character in gap if not character.isspace())
    if gap or (right.before == "?" and not (_in_word(left.text[-1:]) and _in_word(right.text[:1]))):
        return gap
    return " "


def _gap(left: _Part, right: _Part, gaps: Sequence[str]) -> tuple[bool, str]:
    """Return whether two characters are neighbours in the source, too, and what it has there.

    `gaps[k]` stands before the source's unit k.
    """
    if left.first < 0 and right.first < 0:
        return False, ""
    if left.first >= 0 and right.first >= 0:
        after, before = gaps[left.last + 1], gaps[right.first]
        if right.first == left.last + 1:
            return True, after
        # Something was deleted: of the blanks on its sides one stays, none beside punctuation.
        return False, min(after, before, key=len)
    if right.first >= 0:
        return False, "" if left.inserted and left.text in _OPENING else gaps[right.first]
    # An inserted word has the blank on both sides; punctuation has it behind, or in front.
    behind = not _in_word(right.text[:1]) and right.text not in _OPENING
    if right.inserted and right.before == "?" and behind:
        return False, ""
    return False, gaps[left.last + 1]


def _in_word(character: str) -> bool:
    """Say whether words of this character have blanks between them.

    >>> [_in_word(character) for character in "a9é我。"]
    [True, True, True, False, False]
    """
    return character.isalnum() and ord(character) < _EAST


_OPENING = frozenset("([{“‘$£€")
"""Punctuation that stands directly before a word."""

_EAST = 0x2E80
"""First of the characters of East Asia, which are written without blanks."""
