"""From a correct text and its slips to the text with errors, and the edits that lead back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gecbench.datasets.corrupt.slips import Slip
from gecbench.datasets.corrupt.words import Words, is_closing, joined


class Undoing(NamedTuple):
    """An edit of the text with errors that makes it right again, as JSON has it.

    Args:
        start: First token that is replaced; half-open token span.
        end: Token after the last.
        replacement: Tokens of the correct text.
        label: The type of the error.
    """

    start: int
    end: int
    replacement: Sequence[str]
    label: str


class Corrupted(NamedTuple):
    """A text with errors.

    Args:
        text: As it is written.
        tokens: What the edits count in.
        edits: Those that make it right, in its order.
    """

    text: str
    tokens: Sequence[str]
    edits: list[Undoing]


def of_characters(text: str, slips: Sequence[tuple[Slip, str]]) -> Corrupted:
    """Return what slips make of a Chinese text; its tokens are its characters without blanks."""
    pieces: list[str] = []
    edits = []
    done = shift = 0
    for (start, end, wrong), name in slips:
        pieces.append(text[done:start])
        pieces += wrong
        begin = start + shift
        edits.append(Undoing(begin, begin + len(wrong), list(text[start:end]), name))
        shift += len(wrong) - (end - start)
        done = end
    pieces.append(text[done:])
    source = "".join(pieces)
    tokens = list(source)
    if len(source.split(None, 1)) > 1 or source[:1].isspace() or source[-1:].isspace():
        return _without_blanks(source, edits)
    return Corrupted(source, tokens, edits)


def _without_blanks(source: str, edits: Sequence[Undoing]) -> Corrupted:
    """Return the same with white space left out of the tokens; no edit holds any."""
    place = [0]
    for character in source:
        place.append(place[-1] + (not character.isspace()))
    moved = [edit._replace(start=place[edit.start], end=place[edit.end]) for edit in edits]
    return Corrupted(source, [c for c in source if not c.isspace()], moved)


def of_words(view: Words, slips: Sequence[tuple[Slip, str]]) -> Corrupted:
    """Return what slips make of an English text, with its blanks made right."""
    words: list[str] = []
    gaps = [view.gaps[0]]
    edits = []
    done = 0
    for (start, end, wrong), name in slips:
        words += view.words[done:start]
        gaps += view.gaps[done + 1 : start + 1]
        begin = len(words)
        edits.append(Undoing(begin, begin + len(wrong), list(view.words[start:end]), name))
        words += wrong
        _close(gaps, view, start, end, wrong)
        done = end
    words += view.words[done:]
    gaps += view.gaps[done + 1 :]
    return Corrupted(joined(words, gaps), words, edits)


def _close(gaps: list[str], view: Words, start: int, end: int, wrong: Sequence[str]) -> None:
    """Write the white space around what stands in the place of some tokens.

    The last of `gaps` is what stood before them; what stands behind the new ones is added.
    """
    behind = view.gaps[end]
    if not wrong:
        gaps[-1] = _between(gaps[-1], behind, view, start, end)
        return
    if start < end:
        gaps += (*[" "] * (len(wrong) - 1), behind)
    elif is_closing(wrong[0]):
        before = gaps[-1]
        gaps[-1] = " " if view.divided else ""
        gaps += (*[" "] * (len(wrong) - 1), before)
    else:
        gaps += [" "] * len(wrong)


def _between(before: str, behind: str, view: Words, start: int, end: int) -> str:
    """Return the white space between what stands around left-out tokens; words stay two."""
    if end == len(view.words):
        return behind
    # "so ,he" becomes "so he", but "(the cat" becomes "(cat".
    gap = behind or before if is_closing(view.words[start]) else before and behind
    if gap or not start:
        return gap
    left, right = view.words[start - 1][-1], view.words[end][0]
    return " " if left.isalnum() and (right.isalnum() or right in "'’") else ""
