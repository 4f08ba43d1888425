"""Edits of edits: what several rounds did to a text, as one list of edits of the first text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gecbench.core.corrector import TextEdit, apply


class _Placed(NamedTuple):
    """An edit over the text between the rounds.

    Args:
        start: First character there; half-open span.
        end: Character after the last.
        edit: As it was given.
        late: Whether it is one of the second edits.
    """

    start: int
    end: int
    edit: TextEdit
    late: bool


def compose(
    first: Sequence[TextEdit], second: Sequence[TextEdit], source: str
) -> tuple[TextEdit, ...]:
    """Return edits of a source that do what two lists of edits do, one after the other.

    Edits that have nothing to do with one another stay as they are. Those that overlap, and
    those where one is an insertion behind the other or at the place of a deletion, become one:
    its score is the least of theirs, its label all of theirs in the order of the text. What the
    second edits undo disappears, and what they leave of the source is cut off at the ends,
    though never inside a word.

    Args:
        first: Of the source.
        second: Of the text that the first make.
        source: The first text.

    Raises:
        EditError: Edits are out of order, overlap, or end after their text.

    >>> compose([TextEdit(0, 1, "a")], [TextEdit(1, 1, "b"), TextEdit(2, 3, "")], "xyz")
    (TextEdit(start=0, end=1, replacement='ab', score=None, label=None), TextEdit(start=2, end=3, \
replacement='', score=None, label=None))
    """
    between = apply(first, source)
    apply(second, between)  # raises where they do not fit
    made = []
    shift = 0  # from the source to the text between, in characters, before a group
    for group in _groups(first, second):
        edit, shift = _joined(group, shift, between)
        kept = _trimmed(edit, source) if len(group) > 1 else edit
        if kept is not None:
            made.append(kept)
    return tuple(made)


def _groups(first: Sequence[TextEdit], second: Sequence[TextEdit]) -> Iterator[list[_Placed]]:
    """Yield edits that belong together, in the order of the text between."""
    placed = [_Placed(edit.start, edit.end, edit, late=True) for edit in second]
    shift = 0
    for edit in first:
        start = edit.start + shift
        placed.append(_Placed(start, start + len(edit.replacement), edit, late=False))
        shift += len(edit.replacement) - (edit.end - edit.start)
    # At one place deletions come first, then insertions, then what has characters there.
    placed.sort(key=lambda one: (one.start, one.end, one.late))
    group: list[_Placed] = []
    for one in placed:
        if group and not any(_together(other, one) for other in group):
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _together(one: _Placed, two: _Placed) -> bool:
    """Say whether two edits become one."""
    if one.late == two.late:
        return False
    early, late = (two, one) if one.late else (one, two)
    if early.start == early.end:
        return late.start <= early.start <= late.end
    if late.start == late.end == early.end:
        return True
    return early.start < late.end and late.start < early.end


def _joined(group: Sequence[_Placed], shift: int, between: str) -> tuple[TextEdit, int]:
    """Return the edit of the source that a group makes, and the shift behind it."""
    start, end = min(one.start for one in group), max(one.end for one in group)
    after = shift + sum(
        (one.end - one.start) - (one.edit.end - one.edit.start) for one in group if not one.late
    )
    late = [
        TextEdit(one.start - start, one.end - start, one.edit.replacement)
        for one in group
        if one.late
    ]
    scores = [one.edit.score for one in group if one.edit.score is not None]
    labels = [one.edit.label for one in group if one.edit.label is not None]
    edit = TextEdit(
        start - shift,
        end - after,
        apply(late, between[start:end]),
        min(scores, default=None),
        " ".join(labels) if labels else None,
    )
    return edit, after


def _trimmed(edit: TextEdit, source: str) -> TextEdit | None:
    """Return an edit without what it leaves as it is at its ends; None if nothing remains."""
    old, new = source[edit.start : edit.end], edit.replacement
    if old == new:
        return None
    before, behind = source[: edit.start][-1:], source[edit.end :][:1]
    length = min(len(old), len(new))
    head = next((n for n in range(length) if old[n] != new[n]), length)
    while head and _in_word(old[:head], old[head:] + behind, new[head:] + behind):
        head -= 1
    rest = range(1, length - head + 1)
    tail = next((n - 1 for n in rest if old[-n] != new[-n]), length - head)
    while tail and _in_word(
        old[len(old) - tail :][::-1],
        (before + old[: len(old) - tail])[::-1],
        (before + new[: len(new) - tail])[::-1],
    ):
        tail -= 1
    return TextEdit(
        edit.start + head, edit.end - tail, new[head : len(new) - tail], edit.score, edit.label
    )


def _in_word(kept: str, old: str, new: str) -> bool:
    """Say whether a cut behind what is kept goes through a word, of either text."""
    return _letter(kept[-1:]) and (_letter(old[:1]) or _letter(new[:1]))


def _letter(character: str) -> bool:
    """Say whether a character belongs to a word of several; Chinese ones stand alone."""
    return character.isalnum() and character < "\u2e80"
